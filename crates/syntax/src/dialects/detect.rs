//! Finds the dialect of a file from its name or its first lines.

use super::{Dialect, Table};

fn dialect_with(fits: impl Fn(&'static Table) -> bool) -> Option<Dialect> {
    Dialect::ALL.into_iter().find(|dialect| fits(dialect.table()))
}

pub(super) fn from_name(name: &str) -> Option<Dialect> {
    let name = name.to_ascii_lowercase().replace('_', "-");
    let name = name.strip_suffix("-mode").unwrap_or(&name);
    dialect_with(|table| table.names.contains(&name))
}

pub(super) fn from_extension(path: &str) -> Option<Dialect> {
    let file_name = path.rsplit('/').next().unwrap_or(path);
    // A packed file has the ending of its text before that of gzip.
    let file_name = file_name.strip_suffix(".gz").unwrap_or(file_name);
    dialect_with(|table| table.file_names.contains(&file_name)).or_else(|| {
        let (_, ending) = file_name.rsplit_once('.')?;
        let ending = ending.to_ascii_lowercase();
        dialect_with(|table| table.endings.contains(&ending.as_str()))
    })
}

pub(super) fn from_prose_ending(path: &str) -> Option<Dialect> {
    let (_, ending) = path.rsplit_once('.')?;
    dialect_with(|table| table.prose_endings.contains(&ending))
}

pub(super) fn from_first_lines(text: &[u8]) -> Option<Dialect> {
    let head = &text[..text.len().min(2048)];
    let head = String::from_utf8_lossy(head);
    let mut lines = head.lines();
    let first = lines.next()?;
    if let Some(command) = first.strip_prefix("#!") {
        let known = command.split([' ', '/', '\t']).rev().find_map(|word| {
            let word = word.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
            from_name(word)
        });
        if known.is_some() {
            return known;
        }
    }
    let said = dialect_with(|table| {
        let rest = table.first_line.and_then(|begins| first.strip_prefix(begins));
        rest.is_some_and(|rest| rest.trim().starts_with(char::is_alphabetic))
    });
    said.or_else(|| mode_line(first)).or_else(|| lines.next().and_then(mode_line))
}

/// The text declares a notation that is not read by form: `#lang scribble/manual`.
pub(super) fn says_other_notation(table: &Table, text: &[u8]) -> bool {
    let Some(begins) = table.first_line else { return false };
    let head = String::from_utf8_lossy(&text[..text.len().min(2048)]);
    let word = head.lines().find_map(|line| line.strip_prefix(begins)).unwrap_or_default().trim_start();
    table.other_notations.iter().any(|notation| word.starts_with(notation))
}

/// `-*- mode: lisp; ... -*-` or `-*- lisp -*-`, as Emacs reads it from the first two lines.
fn mode_line(line: &str) -> Option<Dialect> {
    let (_, rest) = line.split_once("-*-")?;
    let (variables, _) = rest.split_once("-*-")?;
    let Some((_, after)) =
        variables.to_ascii_lowercase().split_once("mode:").map(|(a, b)| (a.to_owned(), b.to_owned()))
    else {
        return from_name(variables.trim());
    };
    from_name(after.split(';').next()?.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, expected: Option<Dialect>) {
        assert_eq!(Dialect::detect(path, text.as_bytes()), expected, "{path} {text:?}");
    }

    #[test]
    fn the_extension_overrides_the_first_lines() {
        check("src/a.LISP", "", Some(Dialect::CommonLisp));
        check("a.b/c.scm", "#!/usr/bin/env bb", Some(Dialect::Scheme));
        check("deps.edn", "", Some(Dialect::Edn));
        check("init.el", "", Some(Dialect::EmacsLisp));
        check("simple.el.gz", "", Some(Dialect::EmacsLisp));
        check("notes.gz", "", None);
        check("notes.txt", "(defun f ())", None);
    }

    #[test]
    fn without_an_extension_the_first_lines_decide() {
        check("run", "#!/usr/bin/env bb\n", Some(Dialect::Clojure));
        check("run", "#!/usr/bin/guile3.0 -s\n!#", Some(Dialect::Scheme));
        check("run", "#!/usr/bin/sbcl --script\n", Some(Dialect::CommonLisp));
        check("run", "#lang racket/base\n", Some(Dialect::Racket));
        check("x", ";;; x -*- Mode: LISP; Syntax: Common-Lisp -*-\n", Some(Dialect::CommonLisp));
        check("x", "#!/bin/sh\n;; -*- emacs-lisp -*-\n", Some(Dialect::EmacsLisp));
        check("x", "#!/bin/sh\necho\n", None);
    }

    #[test]
    fn a_text_in_a_notation_that_is_not_read_by_form_has_no_dialect() {
        check("a.rkt", ";; x\n#lang at-exp racket\n", None);
        check("a", "#lang scribble/manual\n", None);
        check("a.rkt", "#lang 2d racket\n", None);
        check("a.rkt", "#lang brag\nlist: \"(\" item* \")\" | item\n", None);
        check("a.rkt", "#lang scribbled\n", Some(Dialect::Racket));
    }
}
