//! The commands that show files and edit them by form.
#![allow(clippy::unwrap_used)]

mod command;

use std::path::Path;

use command::lispwright;

/// Runs the command; checks exit code, standard output, and a part of standard error.
#[track_caller]
fn check(directory: &Path, arguments: &[&str], input: &str, exit: i32, stdout: &str, stderr: &str) {
    let output = lispwright(directory, arguments, input);
    assert_eq!(String::from_utf8_lossy(&output.stdout), stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(complaint.contains(stderr) && complaint.is_empty() == stderr.is_empty(), "{complaint}");
    assert_eq!(output.status.code(), Some(exit));
}

const GOOD: &str = ";; The area.\n(defun area (r)\n  (* pi\n     r\n     r\n     1\n     1))\n(area 1)\n";

fn project() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("good.lisp"), GOOD).unwrap();
    std::fs::write(directory.path().join("bad.clj"), "(defn f [x)\n  x)\n").unwrap();
    directory
}

#[test]
fn check_says_what_does_not_balance() {
    let project = project();
    let here = project.path();
    check(here, &["check", "good.lisp"], "", 0, "good.lisp: balanced (2 forms, 8 lines, common-lisp).\n", "");
    let verdict = "bad.clj:1:11: mismatch (read as clojure)\n`)` at 1:11 where `]` is due for the `[` of 1:9: (defn f [x)\n\
                   Certain fix (";
    let output = lispwright(here, &["check", "bad.clj"], "");
    assert!(
        String::from_utf8_lossy(&output.stdout).starts_with(verdict),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    assert_eq!(output.status.code(), Some(1));
    check(
        here,
        &["check", "-", "--dialect", "scheme"],
        "(a #;(b))",
        0,
        "<stdin>: balanced (1 form, 1 line, scheme).\n",
        "",
    );
    check(here, &["check", "none.lisp"], "", 2, "", "none.lisp: no such file");
    let output = lispwright(here, &["check", "--json", "good.lisp", "bad.clj"], "");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&document["ok"], &document["files"][0]["ok"]), (&false.into(), &true.into()));
    assert_eq!(document["files"][1]["kind"], "mismatch");
}

#[test]
fn check_walks_directories() {
    let project = project();
    let here = project.path();
    std::fs::create_dir_all(here.join("src/deep/.git")).unwrap();
    std::fs::create_dir(here.join("empty")).unwrap();
    let files =
        [("src/b.scm", "(a)\n"), ("src/deep/a.el", "?\\(\n"), ("src/deep/.git/x.lisp", "(\n"), ("src/no.txt", "(\n")];
    for (path, text) in files {
        std::fs::write(here.join(path), text).unwrap();
    }
    std::os::unix::fs::symlink("..", here.join("src/up")).unwrap();
    check(here, &["check", "src"], "", 0, "src: 2 of 2 files are balanced.\n", "");
    let output = lispwright(here, &["check", "."], "");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.starts_with("bad.clj:1:11: mismatch") && said.ends_with("\n.: 3 of 4 files are balanced.\n"),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(1));
    check(
        here,
        &["check", "empty", "good.lisp"],
        "",
        0,
        "empty: no file below it has the extension of a Lisp.\ngood.lisp: balanced (2 forms, 8 lines, common-lisp).\n",
        "",
    );
    let output = lispwright(here, &["check", "--json", "src", "bad.clj"], "");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let paths: Vec<&str> =
        document["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["src/b.scm", "src/deep/a.el", "bad.clj"]);
    assert_eq!(document["files"][2]["repaired_source"], "(defn f [x]\n  x)\n");
}

#[test]
fn check_notes_what_balances_and_is_seldom_meant() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let text = "(defun f (x)\n  (list x)\n\n(defun g (y)\n  y))\n";
    std::fs::write(here.join("a.lisp"), text).unwrap();
    std::fs::write(here.join("b.lisp"), "(defun h (x)\n  x)\n").unwrap();
    let note = "a.lisp: balanced (1 form, 5 lines, common-lisp).\n\
                [note] `defun g` on line 4 is inside `defun f` of line 1. If that is to end before it, a closer is missing \
                there, and one is too many further down.\n";
    check(here, &["check", "a.lisp"], "", 0, note, "");
    check(here, &["check", "."], "", 0, &format!("{note}.: 2 of 2 files are balanced.\n"), "");
    let output = lispwright(here, &["check", "--json", "a.lisp", "b.lisp"], "");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["ok"], true);
    assert_eq!(document["files"][0]["unexpected"][0]["kind"], "swallowed");
    assert_eq!(document["files"][0]["unexpected"][0]["line"], 4);
    assert!(document["files"][1].get("unexpected").is_none());
}

#[test]
fn outline_read_and_tree_show_a_project() {
    let project = project();
    let here = project.path();
    check(here, &["outline", "good.lisp"], "", 0, "2| (defun area (r) ...)\n8| (area 1)\n", "");
    let output = lispwright(here, &["outline", "--json", "good.lisp"], "");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["files"][0]["forms"][0]["name"], "area");
    assert_eq!(document["files"][0]["forms"][0]["parameters"][0], "(r)");
    check(here, &["read", "good.lisp", "area"], "", 0, &GOOD[..GOOD.len() - 9], "");
    check(here, &["read", "good.lisp", "aera"], "", 1, "", "Nearest names: area");
    let output = lispwright(here, &["tree", "-"], "(a #+x 1 \"(\")");
    let tree = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(tree.contains("annotation #+") && tree.contains("string \"(\""), "{tree}");
    let output = lispwright(here, &["tree", "--json", "bad.clj"], "");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["diagnostics"][0]["kind"], "mismatch");
}

#[test]
fn edit_changes_a_file_or_is_refused_with_a_reason() {
    let project = project();
    let here = project.path();
    let read = || std::fs::read_to_string(here.join("good.lisp")).unwrap();
    let refused = lispwright(here, &["edit", "good.lisp", "replace", "area"], "(defun area (r)\n");
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("`(` of 1:1 is never closed"));
    let lost = "(defun area (r)\n  (* 2\n     pi\n     r\n     r\n     1\n     1)\n";
    let refused = lispwright(here, &["edit", "good.lisp", "replace", "area", "--no-repair"], lost);
    assert_eq!((refused.status.code(), read().as_str()), (Some(1), GOOD));
    assert!(String::from_utf8_lossy(&refused.stderr).starts_with("good.lisp: content:7:8: unclosed"));
    let repaired = lispwright(here, &["edit", "good.lisp", "replace", "area", "--dry-run"], lost);
    assert_eq!(repaired.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&repaired.stdout).starts_with("repaired: content, line 7"));
    let dry = lispwright(here, &["edit", "good.lisp", "delete", "area", "--dry-run"], "");
    assert_eq!((dry.status.code(), read().as_str()), (Some(0), GOOD));
    let done = lispwright(here, &["edit", "good.lisp", "replace", "area"], "(defun area (r) r)\n");
    assert_eq!(done.status.code(), Some(0));
    assert_eq!(read(), ";; The area.\n(defun area (r) r)\n(area 1)\n");
    check(here, &["edit", "good.lisp", "append", "--root", "/"], "(a)", 2, "", "cannot be a project root");
}

#[test]
fn what_has_no_image_is_not_loaded_into_another() {
    let project = project();
    let here = project.path();
    for (file, text, dialect) in [
        ("shop.fnl", "(local x 1)\n", "fennel"),
        ("shop.janet", "(def x 1) # (\n", "janet"),
        ("shop.hy", "(print f\"{x}\")\n", "hy"),
        ("deps.edn", "{:a 1}\n", "edn"),
    ] {
        std::fs::write(here.join(file), text).unwrap();
        check(here, &["check", file], "", 0, &format!("{file}: balanced (1 form, 1 line, {dialect}).\n"), "");
        for command in ["load", "eval"] {
            let output = lispwright(here, &[command, file], "");
            let said = [&output.stdout[..], &output.stderr[..]].concat();
            let said = String::from_utf8_lossy(&said).into_owned();
            assert!(said.contains(&format!("{dialect} has no live image here")), "{command} {file}: {said}");
            assert_ne!(output.status.code(), Some(0));
        }
    }
}
