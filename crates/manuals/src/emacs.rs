//! Docstrings of Emacs: of its primitives and preloaded files in `etc/DOC` (Emacs Lisp manual, "Accessing
//! Documentation"), of everything else in the sources below `lisp`, and in the directories of packages.

use std::path::{Path, PathBuf};

use lispwright_index::each;
use lispwright_project::{Links, survey};
use lispwright_syntax::{Dialect, Forms, LineIndex, nearest, read, unquoted};
use memchr::memmem;

use crate::shelves::Shelves;
use crate::{Article, Look, MOST_NEAREST, bare, packed};

/// Bytes of a definition that are read.
const LONGEST_FORM: usize = 64 << 10;

/// Source files that are searched.
const MOST_FILES: usize = 20_000;

/// The entries for a name.
pub(crate) fn look(query: &str, shelves: &Shelves) -> Look {
    let name = bare(query);
    let installed: Vec<&PathBuf> = shelves.emacs.iter().filter(|directory| directory.is_dir()).collect();
    let Some(directory) = installed.first() else { return Look::missing() };
    let doc = Doc::read(directory);
    let mut entries = doc.as_ref().map(|doc| doc.entries(name)).unwrap_or_default();
    if entries.is_empty() && is_symbol(name) {
        entries.extend(in_sources(name, directory.join("lisp"), &shelves.emacs_packages));
    }
    let nearest = match &doc {
        Some(doc) if entries.is_empty() => nearest(name, doc.names(), MOST_NEAREST),
        _ => Vec::new(),
    };
    // Distributions have the sources in a package of their own.
    let has_sources = ["lisp/subr.el", "lisp/subr.el.gz"].iter().any(|name| directory.join(name).is_file());
    let is_missing = entries.is_empty() && !has_sources;
    Look { entries, nearest, is_missing }
}

/// The name may be that of a definition: a word of more than punctuation.
fn is_symbol(name: &str) -> bool {
    name.len() > 1 && !name.contains(|c: char| c.is_whitespace() || "()\"';[]".contains(c))
}

/// The file of docstrings: after a character 31 the letter of a kind, the name, a line end, and the text.
struct Doc {
    path: PathBuf,
    text: String,
}

impl Doc {
    fn read(directory: &Path) -> Option<Self> {
        let path = directory.join("etc/DOC");
        Some(Self { text: packed::text(&path, Links::Followed).ok()?, path })
    }

    fn entries(&self, name: &str) -> Vec<Article> {
        let of_kind = |(letter, kind): (char, &str)| {
            let head = format!("\x1f{letter}{name}\n");
            let texts = memmem::find_iter(self.text.as_bytes(), head.as_bytes()).map(|at| {
                let start = at + head.len();
                self.text[start..].split('\x1f').next().unwrap_or_default()
            });
            // Systems have variants of some primitives, of which one has the text.
            let text = { texts }.find(|text| !text.starts_with("SKIP:"))?;
            let entry = Article {
                name: name.to_owned(),
                title: Some(kind.to_owned()),
                path: Some(self.path.clone()),
                ..Article::default()
            };
            let (usage, text) = usage(name, text.trim_end());
            Some(entry.saying(&usage, &text))
        };
        [('F', "function"), ('V', "variable")].into_iter().filter_map(of_kind).collect()
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        let heads = self.text.split('\x1f').filter_map(|entry| entry.split_once('\n').map(|(head, _)| head));
        heads.filter(|head| head.starts_with(['F', 'V'])).map(|head| &head[1..])
    }
}

/// How a name is used, which stands at the end of its docstring, `(fn A B)`, and the docstring before that.
fn usage(name: &str, text: &str) -> (String, String) {
    match text.rsplit_once("\n\n(fn").filter(|(_, usage)| usage.ends_with(')')) {
        Some((text, usage)) => (format!("({name}{usage}"), text.to_owned()),
        None => (String::new(), text.to_owned()),
    }
}

/// The definition in the sources: first in the files that are called like it, or from which it is loaded by need.
fn in_sources(name: &str, lisp: PathBuf, packages: &[PathBuf]) -> Option<Article> {
    let below = |directory: &PathBuf| survey(directory, false, is_source).files;
    let mut files: Vec<PathBuf> =
        std::iter::once(&lisp).chain(packages).filter(|one| one.is_dir()).flat_map(below).collect();
    files.truncate(MOST_FILES);
    let autoloads =
        files.iter().find(|path| stem(path) == "loaddefs").and_then(|path| packed::text(path, Links::Followed).ok());
    let autoload = format!("(autoload '{name} \"");
    let from = autoloads.as_deref().and_then(|text| text.split_once(&*autoload)?.1.split('"').next());
    let from = from.and_then(|file| file.rsplit('/').next());
    let is_likely = |path: &PathBuf| Some(stem(path)) == from || name.starts_with(stem(path));
    let (likely, others): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(is_likely);
    [likely, others]
        .into_iter()
        .find_map(|files| each(&files, |path| in_source(name, path)).into_iter().flatten().next())
}

fn is_source(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    name.ends_with(".el") || name.ends_with(".el.gz")
}

/// The name of a source file without its endings.
fn stem(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).and_then(|name| name.split_once(".el")).map_or("", |(stem, _)| stem)
}

/// The definition in one file: a form at the beginning of a line whose head has `def` in it and whose name it is.
fn in_source(name: &str, path: &Path) -> Option<Article> {
    let text = packed::text(path, Links::Followed).ok()?;
    for at in memmem::find_iter(text.as_bytes(), name.as_bytes()) {
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let head = text[start..at].trim_end_matches([' ', '\'']);
        if !head.starts_with('(') || !head.contains("def") || head.contains(' ') || head.len() == at - start {
            continue;
        }
        let longest = (start + LONGEST_FORM).min(text.len());
        let end = (start..=longest).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(start);
        let source = &text[start..end];
        let tree = read(source, Dialect::EmacsLisp);
        let forms = Forms::new(&tree, source);
        let Some((_, form)) = forms.iter().next().filter(|(_, form)| form.name.as_deref() == Some(name)) else {
            continue;
        };
        let parameters = form.signature.first().map(|span| &source[span.range()]);
        let usage = parameters.map(|list| format!("({name} {}", list.trim_start_matches('('))).unwrap_or_default();
        let docstring = form.docstring.map(|span| unquoted(&source[span.range()])).unwrap_or_default();
        let entry = Article {
            name: name.to_owned(),
            title: Some(form.head_name.clone()),
            line: Some(LineIndex::new(text.as_bytes()).line(u32::try_from(start).ok()?)),
            path: Some(path.to_owned()),
            ..Article::default()
        };
        return Some(entry.saying(&usage.replace(" )", ")"), &docstring));
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use super::*;
    use crate::packed::tests::gzip;

    const DOC: &str = "\x1fSdata.o\x1fFfirst\nSKIP: real doc elsewhere.\x1fFfirst\nReturn the first of LIST.\n\nAt length.\n\n(fn LIST)\
                       \x1fVfirst\nHow many come first.\x1fFfirst-of\nOther.";

    const TOY: &str = ";; (defun toy-run ())\n(require 'x)\n(defun toy-run (a &optional b)\n  \"Run \\\"A\\\".\n\nUse B.\"\n  (toy-run))\n\
                       (defvar toy-size 3\n  \"Its size.\")\n(define-derived-mode toy-mode text-mode \"Toy\"\n  \"For toys.\")\n(defun toy-mute ())\n";

    fn asked(query: &str) -> (Look, PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        for name in ["etc", "lisp/games"] {
            fs::create_dir_all(temp.path().join(name)).unwrap();
        }
        fs::write(temp.path().join("etc/DOC"), DOC).unwrap();
        fs::write(temp.path().join("lisp/games/toys.el.gz"), gzip(TOY.as_bytes())).unwrap();
        fs::write(temp.path().join("lisp/loaddefs.el"), "(autoload 'toy-run \"games/toys\" nil t)\n").unwrap();
        fs::write(temp.path().join("lisp/subr.el"), "").unwrap();
        fs::create_dir_all(temp.path().join("elpa/barn-1")).unwrap();
        fs::write(temp.path().join("elpa/barn-1/barn.el"), "(defsubst barn-door ()\n  \"Open.\")\n").unwrap();
        let shelves = Shelves {
            emacs: vec!["/none".into(), temp.path().to_owned()],
            emacs_packages: vec!["/none".into(), temp.path().join("elpa")],
            ..Shelves::default()
        };
        (look(query, &shelves), temp.path().to_owned())
    }

    #[test]
    fn primitives_have_the_text_of_doc_and_others_that_of_their_sources() {
        let texts = |query: &str| -> Vec<(String, String, Option<u32>)> {
            let entries = asked(query).0.entries;
            entries.into_iter().map(|entry| (entry.title.unwrap(), entry.text.unwrap(), entry.line)).collect()
        };
        let owned = |title: &str, text: &str, line| (title.to_owned(), text.to_owned(), line);
        let first = owned("function", "(first LIST)\n\nReturn the first of LIST.\n\nAt length.", None);
        assert_eq!(texts("#'first"), [first, owned("variable", "How many come first.", None)]);
        assert_eq!(texts("toy-run"), [owned("defun", "(toy-run a &optional b)\n\nRun \"A\".\n\nUse B.", Some(3))]);
        assert_eq!(texts("toy-size"), [owned("defvar", "Its size.", Some(8))]);
        assert_eq!(texts("toy-mode"), [owned("define-derived-mode", "For toys.", Some(10))]);
        assert_eq!(texts("barn-door"), [owned("defsubst", "(barn-door)\n\nOpen.", Some(1))]);
        assert_eq!(texts("toy-mute"), [owned("defun", "(toy-mute)", Some(12))]);
    }

    #[test]
    fn what_is_not_there_has_near_names() {
        assert_eq!(asked("frist").0.nearest[0], "first");
        for query in ["toy", "run", "x", "(", "a b", "", "\x1fFfirst"] {
            assert!(asked(query).0.entries.is_empty(), "{query}");
        }
        assert!(look("car", &Shelves::default()).is_missing);
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir(temp.path().join("etc")).unwrap();
        fs::write(temp.path().join("etc/DOC"), DOC).unwrap();
        let without_sources = Shelves { emacs: vec![temp.path().to_owned()], ..Shelves::default() };
        assert!(look("toy-run", &without_sources).is_missing && !look("first", &without_sources).is_missing);
    }
}
