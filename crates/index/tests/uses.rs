//! Projects of some small files, and who uses a name in them: `path:line: kind in form`, with `?` for what is unresolved.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use lispwright_index::Index;
use lispwright_syntax::Dialect;

/// The uses of the names called `name` in the files, without their definitions.
fn uses(files: &[(&str, &str)], name: &str, space: Option<&str>) -> String {
    let top = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = top.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut index = Index::default();
    let language = |path: &Path, text: &str| Dialect::detect(&path.to_string_lossy(), text.as_bytes()).map(Into::into);
    index.refresh([top.path()], &language);
    let mut lines = Vec::new();
    for (document, one) in index.definitions(name, space) {
        let question = index.question(document.dialect);
        let uses = question.uses(&one.symbol());
        let (hits, unresolved) = (uses.hits, uses.unresolved.len());
        for hit in hits.iter().filter(|hit| hit.is_reference()) {
            let path = hit.document.path.strip_prefix(top.path()).unwrap().display();
            let form = hit.form.map_or("top level", |form| &form.label);
            let (line, kind) = (hit.document.line(hit.used.start), hit.used.kind.name());
            lines.push(format!("{path}:{line}: {kind} in {form}"));
        }
        lines.extend((unresolved > 0).then(|| format!("? {unresolved}")));
    }
    lines.join("\n")
}

#[track_caller]
fn check(files: &[(&str, &str)], name: &str, expected: &str) {
    assert_eq!(uses(files, name, None), expected);
}

#[test]
fn calls_and_values_count_and_local_names_do_not() {
    let text = "(defun area (x) x)\n(defun use (y)\n  (area y)\n  (mapcar #'area y)\n  (mapcar 'area y))\n\
        (defun other (area)\n  (flet ((area (z) z))\n    (area area))\n  '(area))\n(defmacro with (x)\n  `(area ,x (area)))\n";
    let expected = "a.lisp:3: call in defun use\na.lisp:4: value in defun use\na.lisp:5: value in defun use\n\
        a.lisp:9: quoted in defun other\na.lisp:11: template in defmacro with\na.lisp:11: template in defmacro with";
    check(&[("a.lisp", text)], "area", expected);
}

#[test]
fn packages_of_common_lisp_are_resolved() {
    let package = "(defpackage :shapes (:use :cl) (:export #:area))\n(in-package :shapes)\n(defun area (x) x)\n";
    let user = "(defpackage :app (:use :cl :shapes))\n(in-package :app)\n(defun f () (area 1))\n";
    let own =
        "(defpackage :own (:use :cl))\n(in-package :own)\n(defun area () 1)\n(defun g () (area) (shapes:area 2))\n";
    let nick = "(defpackage :nick (:local-nicknames (#:s :shapes)))\n(in-package :nick)\n(cl:defun h () (s:area 3))\n";
    let files = [("a.lisp", package), ("b.lisp", user), ("c.lisp", own), ("d.lisp", nick)];
    let expected = "a.lisp:1: export in defpackage :shapes\nb.lisp:3: call in defun f\nc.lisp:4: call in defun g\nd.lisp:3: call in cl:defun h";
    assert_eq!(uses(&files, "area", Some("shapes")), expected);
    assert_eq!(uses(&files, "area", Some("own")), "c.lisp:4: call in defun g");
}
