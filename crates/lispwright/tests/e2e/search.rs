//! Searching a project: by text, with the form around each match.

use serde_json::{Value, json};

use crate::client::Session;
use crate::project::Project;

/// A project in three dialects.
fn project() -> Project {
    let project = Project::new();
    project.file(
        "src/shapes.lisp",
        "(defpackage :shapes (:use :cl))\n(in-package :shapes)\n\n;; The area of X.\n(defun area (x)\n  \"Area of X.\"\n  \
         (* (width x) (height x)))\n\n(defmethod print-object ((x widget) stream)\n  (area x))\n",
    );
    project.file("lib/util.scm", "(define-module (lib util))\n(define (area w h)\n  (* w h))\n");
    project.file("app/core.clj", "(ns app.core)\n(defn area [w h] (* w h))\n");
    project.file("build/out.lisp", "(area 1)\n");
    project.file("README.md", "area\n");
    project.file(".gitignore", "build\n");
    project
}

/// `path:line:column label package` of each match.
fn places(fields: &Value) -> Vec<String> {
    let of = |one: &Value, name: &str| one[name].as_str().unwrap_or("-").to_owned();
    let each = fields["matches"].as_array().unwrap().iter();
    each.map(|one| {
        let path = of(one, "path");
        format!("{path}:{}:{} {} {}", one["line"], one["column"], of(one, "label"), of(one, "package"))
    })
    .collect()
}

#[test]
fn matches_come_with_their_forms() {
    let mut session = Session::on(project());
    let found = session.ok("lisp_search", json!({ "pattern": r"\barea\b", "in": "code" }));
    let expected = [
        "app/core.clj:2:7 defn area",
        "lib/util.scm:2:10 define area",
        "src/shapes.lisp:5:8 defun area shapes",
        "src/shapes.lisp:10:4 defmethod print-object (widget t) shapes",
    ];
    let found_places = places(&found.fields);
    assert_eq!(found_places.len(), expected.len(), "{}", found.text);
    for (found, expected) in found_places.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found_places:?}");
    }
    assert_eq!((&found.fields["count"], &found.fields["truncated"]), (&json!(4), &json!(false)));
    for part in [
        "4 matches in 3 of 3 files",
        "ignored: build",
        "src/shapes.lisp (shapes)",
        "  defun area, lines 5-7\n    5:8| ",
    ] {
        assert!(found.text.contains(part), "{part:?}: {}", found.text);
    }
    // The label is an address.
    let label = found.fields["matches"][3]["label"].clone();
    session.ok("lisp_read_form", json!({ "path": "src/shapes.lisp", "name": label }));
    let comments = session.ok("lisp_search", json!({ "pattern": "area", "in": "comments", "case_insensitive": true }));
    assert_eq!(places(&comments.fields), ["src/shapes.lisp:4:8 defun area shapes"]);
    let strings = session.ok(
        "lisp_search",
        json!({ "pattern": "Area", "in": "strings", "path": "src", "form_types": ["defun"], "include_form": true }),
    );
    assert!(strings.text.contains("```\n(defun area (x)\n"), "{}", strings.text);
    let none = session.ok("lisp_search", json!({ "pattern": "nowhere", "path": "lib/util.scm" }));
    assert!(none.text.starts_with("No match in 1 file"), "{}", none.text);
    let flat = session.ok("lisp_search", json!({ "pattern": "area", "recursive": false }));
    assert_eq!(places(&flat.fields), ["README.md:1:1 - -"], "{}", flat.text);
    assert!(flat.text.starts_with("1 match in 1 of 1 file; ignored: build; there is no Lisp"), "{}", flat.text);
    let cl_mcp = session.ok("clgrep-search", json!({ "pattern": "area", "form_types": ["defmethod"], "limit": 5 }));
    assert_eq!(places(&cl_mcp.fields).len(), 1, "{}", cl_mcp.text);
}

#[test]
fn forms_are_found_by_their_shape() {
    let project = project();
    project.file("init.el", "(defun size (w h)\n  (* w\n     h)) ; (* a b)\n");
    let mut session = Session::on(project);
    let found = session.ok("lisp_search", json!({ "shape": "(* ,a ,b)" }));
    let expected = ["init.el:2:3 defun size", "lib/util.scm:3:3 define area", "src/shapes.lisp:7:3 defun area shapes"];
    let found_places = places(&found.fields);
    for expected in expected {
        assert!(found_places.iter().any(|place| place.starts_with(expected)), "{expected}: {found_places:?}");
    }
    let found = session.ok("lisp_search", json!({ "shape": "(?_ ?+x)", "form_types": ["defmethod"], "path": "src" }));
    assert_eq!(found.fields["count"], 2, "parameters are no forms: {}", found.text);
    let named = session.ok("lisp_search", json!({ "shape": "(AREA ?x)" }));
    assert_eq!(places(&named.fields), ["src/shapes.lisp:10:3 defmethod print-object (widget t) shapes"]);
    for (arguments, says) in [
        (json!({ "shape": "(area" }), ["shape", "at character 1", "never closed"]),
        (json!({ "pattern": "a", "where": [{ "text": "a" }] }), ["`where`", "`shape`", "do not fit"]),
        (json!({ "shape": "(area ?x)", "where": [{ "variable": "?y" }] }), ["`where`", "no variable y", "Correct it"]),
        (
            json!({ "shape": "(area ?x)", "where": [{ "refers": "arae" }] }),
            ["no file defines arae", "area", "Correct it"],
        ),
        (json!({ "shape": "(area ?x)", "where": [{ "text": "(" }] }), ["`where`", "(", "no regular expression"]),
        (json!({ "shape": "?*x" }), ["shape", "at character 1", "needs a list"]),
        (json!({ "shape": "(f)", "in": "comments" }), ["`in`", "`pattern`", "do not fit"]),
        (json!({ "shape": "(f)", "pattern": "f" }), ["pattern", "shape", "both were given"]),
        (json!({}), ["pattern", "shape", "neither was given"]),
    ] {
        session.refused("lisp_search", arguments, "BAD_ARGUMENT", &says);
    }
}

#[test]
fn many_matches_come_in_pages() {
    let project = Project::new();
    let text: String = (0..3000).map(|n| format!("(defun f{n} () (g {n}))\n")).collect();
    project.file("a.lisp", &text);
    project.file("b.lisp", "(g 1)\n");
    let mut session = Session::on(project);
    let first = session.ok("lisp_search", json!({ "pattern": r"\(g " }));
    let shown = first.fields["matches"].as_array().unwrap().len();
    assert_eq!((&first.fields["count"], &first.fields["truncated"]), (&json!(3001), &json!(true)));
    assert!((100..=200).contains(&shown), "{shown}");
    assert!(first.text.len() < 12_000, "{}", first.text.len());
    assert!(first.text.ends_with(&format!(
        "[{} of 3001 matches are left. lisp_search {{\"pattern\": \"\\\\(g \", \"offset\": {shown}}} goes on; a path or a \
         narrower pattern gives fewer.]",
        3001 - shown
    )), "{}", first.text);
    let next = session.ok("lisp_search", json!({ "pattern": r"\(g ", "offset": shown, "limit": 2 }));
    assert_eq!(next.fields["matches"][0]["line"], shown + 1, "{}", next.text);
    let last = session.ok("lisp_search", json!({ "pattern": r"\(g ", "offset": 3000 }));
    assert_eq!(places(&last.fields).len(), 1, "{}", last.text);
    assert_eq!(last.fields["truncated"], false);
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let project = project();
    project.file("bad.lisp", b"\x00\xFF\x01");
    project.file("broken.lisp", "(defun area (x\n\n(defun other ()\n  (area 1))\n");
    project.link("out.lisp", "../secret.lisp");
    let mut session = Session::on(project);
    let refusals: [(Value, &str, &[&str]); 5] = [
        (json!({ "pattern": "(area" }), "BAD_ARGUMENT", &["pattern", "at character 1", "unclosed group"]),
        (json!({ "pattern": "((a{100}){100}){1000}" }), "BAD_ARGUMENT", &["pattern", "too large"]),
        (json!({ "pattern": "a", "path": ".." }), "OUTSIDE_ROOT", &[".."]),
        (json!({ "pattern": "a", "path": "scr" }), "FILE_NOT_FOUND", &["scr", "src"]),
        (json!({ "pattern": "a", "path": "out.lisp" }), "OUTSIDE_ROOT", &["out.lisp"]),
    ];
    for (arguments, code, says) in refusals {
        session.refused("lisp_search", arguments, code, says);
    }
    let found = session.ok("lisp_search", json!({ "pattern": "area|secret", "form_types": ["defun"] }));
    assert!(found.text.contains("not read: bad.lisp (NOT_TEXT)"), "{}", found.text);
    assert!(
        places(&found.fields).iter().any(|place| place.starts_with("broken.lisp:4:4 defun other")),
        "{}",
        found.text
    );
    assert!(!found.text.contains("secret"), "{}", found.text);
}

#[test]
fn shapes_are_compared_by_what_names_mean() {
    let project = project();
    project.file(
        "src/other.lisp",
        "(defpackage :other (:use :cl :shapes))\n(in-package :other)\n(defun area (x) x)\n(area 1)\n",
    );
    let mut session = Session::on(project);
    let theirs = ["src/shapes.lisp:10:3 defmethod print-object (widget t) shapes"];
    let found = session.ok("lisp_search", json!({ "shape": "(shapes:area ?x)" }));
    assert_eq!(places(&found.fields), theirs);
    let found = session
        .ok("lisp_search", json!({ "shape": "(?f ?x)", "where": [{ "variable": "?f", "refers": "shapes:area" }] }));
    assert_eq!(places(&found.fields), theirs);
}

#[test]
fn conditions_narrow_the_forms_of_a_shape() {
    let mut session = Session::with_file(
        "a.lisp",
        "(defun one (x)\n  (if (area 1) (area x) (area :y)))\n(defmacro two (x)\n  (when x (area (list 1))))\n",
    );
    let cases = [
        (json!([{ "variable": "?x", "kind": "number" }]), vec!["a.lisp:2:7 defun one -"]),
        (json!([{ "variable": "x", "kind": "keyword" }]), vec!["a.lisp:2:25 defun one -"]),
        (json!([{ "inside": "(when ?*_)" }]), vec!["a.lisp:4:11 defmacro two -"]),
        (json!([{ "not_inside": "(if ?*_)" }]), vec!["a.lisp:4:11 defmacro two -"]),
        (json!([{ "variable": "?x", "text": "^x$" }]), vec!["a.lisp:2:16 defun one -"]),
        (json!([{ "inside": "(if ?*_)" }, { "variable": "?x", "kind": "list" }]), vec![]),
    ];
    for (conditions, expected) in cases {
        let found = session.ok("lisp_search", json!({ "shape": "(area ?x)", "where": conditions }));
        assert_eq!(places(&found.fields), expected, "{}", found.text);
    }
    let next =
        session.ok("lisp_search", json!({ "shape": "(area ?x)", "where": [{ "inside": "(if ?*_)" }], "limit": 1 }));
    assert!(next.text.contains(r#""where": [{"inside":"(if ?*_)"}]"#), "{}", next.text);
}
