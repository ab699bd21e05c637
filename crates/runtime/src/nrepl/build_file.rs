//! The class path directories of a Clojure project, as far as its own files name them literally: a substitute for the
//! tool that would read them when that is not installed.

use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use lispwright_syntax::{Dialect, ListId, Tree, read};
use rustix::fs::OFlags;

/// The files of projects that name them.
const FILES: [&str; 2] = ["deps.edn", "project.clj"];

/// The keys whose vectors list directories, at any depth: aliases and profiles have their own.
const KEYS: [&str; 5] = [":paths", ":extra-paths", ":source-paths", ":test-paths", ":resource-paths"];

/// The class path directories of a project that names none.
const USUAL: [&str; 3] = ["src", "test", "resources"];

/// The number of bytes of a file that are read.
const MOST_READ: u64 = 1 << 20;

/// The existing directories of the project at `root` that its files name, then the usual ones.
pub(super) fn directories(root: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let named = FILES.iter().filter_map(|name| text_of(&root.join(name))).flat_map(|text| named(&text));
    for path in named.chain(USUAL.map(str::to_owned)).map(|name| root.join(name)) {
        if path.is_dir() && !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

fn text_of(path: &Path) -> Option<String> {
    // It may not be a regular file: opening it must not wait.
    let mut options = std::fs::OpenOptions::new();
    let file = options.read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path).ok()?;
    let mut text = String::new();
    let is_file = file.metadata().ok()?.is_file();
    file.take(MOST_READ).read_to_string(&mut text).ok().filter(|_| is_file)?;
    Some(text)
}

/// The strings in the vectors of [`KEYS`], and in those of keywords that occur there instead of strings.
fn named(text: &str) -> Vec<String> {
    let tree = read(text, Dialect::Clojure);
    let values = vectors(&tree, text);
    let mut keys: Vec<&str> = KEYS.to_vec();
    let mut names = Vec::new();
    let mut next = 0;
    while let Some(key) = keys.get(next).copied() {
        next += 1;
        for list in values.iter().filter(|(name, _)| *name == key).map(|(_, list)| *list) {
            for word in tree.data(list).map(|datum| &text[tree.datum_span(datum).range()]) {
                if word.starts_with(':') && !keys.contains(&word) {
                    keys.push(word);
                } else if let Some(name) = word.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
                    names.push(name.to_owned());
                }
            }
        }
    }
    names
}

/// The keywords that are followed by a list, with that list.
fn vectors<'t>(tree: &Tree, text: &'t str) -> Vec<(&'t str, ListId)> {
    let mut found = Vec::new();
    let mut open = vec![tree.top_level()];
    while let Some(data) = open.last_mut() {
        let Some(datum) = data.next() else {
            open.pop();
            continue;
        };
        let word = &text[tree.datum_span(datum).range()];
        match datum.list() {
            Some(list) => open.push(tree.data(list)),
            None if word.starts_with(':') => {
                if let Some(list) = data.clone().next().and_then(|value| value.list()) {
                    found.push((word, list));
                }
            }
            None => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn directories_are_found_in_both_kinds_of_files() {
        let deps = "{:paths [\"src/main/clojure\" :more #_\"gone\"] ; [\"no\"]
             :aliases {:more [\"src/more\"] :test {:extra-paths [\"src/test/clojure\"] :extra-deps {x/y {:local/root \"..\"}}}
                       #_#_:old {:extra-paths [\"old\"]}}}";
        assert_eq!(named(deps), ["src/main/clojure", "src/test/clojure", "src/more"]);
        let project =
            "(defproject mill \"1.0\" :description \":paths\" :source-paths [\"src/clj\"] :test-paths ^:replace [\"t\"]
             :profiles {:dev {:source-paths [\"dev\"]}})";
        assert_eq!(named(project), ["src/clj", "dev", "t"]);
        for odd in ["", "{:paths", "{:paths [\"a\" :paths]}", "{:paths :more :more}", "[:paths]"] {
            assert!(named(odd).len() <= 1, "{odd}");
        }
    }

    #[test]
    fn only_existing_directories_are_returned_each_once() {
        let root = tempfile::tempdir().unwrap();
        for name in ["src/main/clojure", "test"] {
            std::fs::create_dir_all(root.path().join(name)).unwrap();
        }
        assert_eq!(directories(root.path()), ["src", "test"].map(|name| root.path().join(name)));
        let paths = "{:paths [\"src/main/clojure\" \"gone\" \"test\"]}";
        std::fs::write(root.path().join("deps.edn"), paths).unwrap();
        assert_eq!(directories(root.path()), ["src/main/clojure", "test", "src"].map(|name| root.path().join(name)));
    }
}
