//! The files that packages of Racket leave out of their tests: `test-omit-paths` in `info.rkt`, as `raco test` reads
//! it.

use std::path::{Path, PathBuf};

use lispwright_index::Index;
use regex::Regex;

/// The file in which a package says it, and the word.
const FILE: &str = "info.rkt";
const WORD: &str = "(define test-omit-paths";

/// What is left out when the tests of a directory are run.
#[derive(Default)]
pub(crate) struct Omissions {
    /// Files, and directories with all that is in them.
    paths: Vec<PathBuf>,
    /// The files below a directory whose whole path matches.
    matching: Vec<(PathBuf, Regex)>,
}

impl Omissions {
    /// Those that the files of the index state.
    pub(crate) fn of(index: &Index) -> Self {
        let mut found = Self::default();
        let packages = index.documents().filter(|document| document.path.file_name().is_some_and(|name| name == FILE));
        for document in packages {
            if let (Some(directory), Some((_, value))) = (document.path.parent(), document.text.split_once(WORD)) {
                found.add(directory, value.trim_start());
            }
        }
        found
    }

    /// Adds what the text after the word states: a quoted `all`, or a list of paths and regular expressions.
    fn add(&mut self, directory: &Path, value: &str) {
        if value.starts_with("'all") || value.starts_with("(quote all)") {
            self.paths.push(directory.to_owned());
            return;
        }
        let mut rest = value;
        while let Some(quote) = rest.find('"') {
            let before = &rest[..quote];
            // The end of the list.
            if before.contains(')') {
                return;
            }
            let is_pattern = before.ends_with("#rx") || before.ends_with("#px");
            let (text, after) = string(&rest[quote + 1..]);
            rest = after;
            if is_pattern {
                self.matching.extend(Regex::new(&text).ok().map(|pattern| (directory.to_owned(), pattern)));
            } else {
                self.paths.push(directory.join(text));
            }
        }
    }

    /// Whether the file is left out.
    pub(crate) fn contains(&self, path: &Path) -> bool {
        self.paths.iter().any(|one| path.starts_with(one))
            || self.matching.iter().any(|(directory, pattern)| {
                path.starts_with(directory) && path.to_str().is_some_and(|path| pattern.is_match(path))
            })
    }
}

/// The content of the string that the text begins in, and what comes after it.
fn string(text: &str) -> (String, &str) {
    let mut content = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (content, &text[at + 1..]),
            '\\' => content.extend(characters.next().map(|(_, escaped)| escaped)),
            character => content.push(character),
        }
    }
    (content, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_leaves_out_paths_directories_and_what_matches() {
        let mut omissions = Omissions::default();
        let value = r#"'("slow.rkt" "data/" #rx"/gen-.*[.]rkt$" #px"\\.gen\\.rkt$"))
            (define other '("kept.rkt"))"#;
        omissions.add(Path::new("/p/shop"), value);
        for path in ["slow.rkt", "data/a.rkt", "in/gen-1.rkt", "a.gen.rkt"] {
            assert!(omissions.contains(&Path::new("/p/shop").join(path)), "{path}");
        }
        for path in ["/p/shop/kept.rkt", "/p/shop/slow.rkt.rkt", "/p/slow.rkt", "/p/other/gen-1.rkt"] {
            assert!(!omissions.contains(Path::new(path)), "{path}");
        }
        omissions.add(Path::new("/p/doc"), "'all)");
        assert!(omissions.contains(Path::new("/p/doc/a.rkt")));
    }
}
