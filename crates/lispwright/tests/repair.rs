//! `lispwright repair` at a terminal.
#![allow(clippy::unwrap_used, missing_docs)]

mod command;

use std::fs;
use std::path::Path;
use std::process::Output;

use command::lispwright;

const BROKEN: &str = "(defun f (x)\n  (when x\n    (print x))\n\n(defun g () 1)\n";
const WHOLE: &str = "(defun f (x)\n  (when x\n    (print x)))\n\n(defun g () 1)\n";

fn repair(directory: &Path, arguments: &[&str], input: &str) -> Output {
    lispwright(directory, &[&["repair"], arguments].concat(), input)
}

fn project() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("broken.lisp"), BROKEN).unwrap();
    fs::write(directory.path().join("whole.lisp"), WHOLE).unwrap();
    directory
}

#[track_caller]
fn check(output: &Output, code: i32, stdout: &str, stderr: &str) {
    assert_eq!(String::from_utf8_lossy(&output.stdout), stdout);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains(stderr), "{told}");
    assert_eq!(output.status.code(), Some(code));
}

#[test]
fn a_certain_fault_is_repaired_and_reported() {
    let project = project();
    check(&repair(project.path(), &["broken.lisp"], ""), 0, WHOLE, "broken.lisp:3:15: added `)`");
    check(&repair(project.path(), &["--against", "whole.lisp", "-"], BROKEN), 0, WHOLE, "added `)`");
    let diff = repair(project.path(), &["--diff", "broken.lisp"], "");
    assert!(String::from_utf8_lossy(&diff.stdout).contains("-    (print x))\n+    (print x)))\n"));
    assert_eq!(fs::read_to_string(project.path().join("broken.lisp")).unwrap(), BROKEN);
    check(&repair(project.path(), &["--write", "broken.lisp"], ""), 0, "", "added `)`");
    assert_eq!(fs::read_to_string(project.path().join("broken.lisp")).unwrap(), WHOLE);
}

#[test]
fn balanced_text_is_left_alone() {
    let project = project();
    check(&repair(project.path(), &["whole.lisp"], ""), 0, WHOLE, "");
    check(&repair(project.path(), &["--write", "whole.lisp"], ""), 0, "", "nothing to do");
    assert_eq!(fs::read_to_string(project.path().join("whole.lisp")).unwrap(), WHOLE);
}

#[test]
fn an_uncertain_fault_is_refused_with_candidates() {
    let project = project();
    check(&repair(project.path(), &["--dialect", "cl", "-"], "(a (b c (d\n"), 1, "", "line 1");
    let document = repair(project.path(), &["--json", "--dialect", "cl", "-"], "(a (b c (d\n");
    let document: serde_json::Value = serde_json::from_slice(&document.stdout).unwrap();
    assert_eq!((&document["ok"], &document["status"]), (&false.into(), &"refused".into()));
    assert_eq!(document["position"]["line"], 1);
    assert!(!document["likely_fixes"].as_array().unwrap().is_empty());
}

#[test]
fn failures_to_read_or_write_are_reported() {
    let project = project();
    check(&repair(project.path(), &["none.lisp"], ""), 2, "", "none.lisp: no such file");
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("broken.lisp");
    fs::write(&file, BROKEN).unwrap();
    check(&repair(project.path(), &["--write", file.to_str().unwrap()], ""), 2, "", "outside");
    assert_eq!(fs::read_to_string(&file).unwrap(), BROKEN);
}

const PAGE: &str = "# Use\r\n\r\n```lisp\r\n(f ?()\r\n```\r\n\r\n- As here:\r\n\r\n  ```clojure\r\n  \
    (defn f [x]\r\n    (g x)\r\n  ```\r\n";

#[test]
fn blocks_of_a_page_are_checked_and_repaired() {
    let project = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(project.path().join(name), text).unwrap();
    let checks = |arguments: &[&str], code: i32, said: &str| {
        let output = lispwright(project.path(), &[&["check"], arguments].concat(), "");
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(told.contains(said), "{told}");
        assert_eq!(output.status.code(), Some(code), "{told}");
    };
    write("README.md", PAGE);
    write("none.md", "```sh\n(\n```\n");
    write("one.org", "#+begin_src scheme\n(f)\n#+end_src\n");
    checks(&["README.md"], 1, "README.md:11:10: unclosed (read as clojure)");
    checks(&["README.md"], 1, "README.md: 1 of 2 blocks of Lisp are balanced.");
    checks(&["one.org", "none.md"], 0, "one.org: its block of Lisp is balanced.\nnone.md: no block of Lisp.");
    // A directory is searched for files of Lisp alone.
    checks(&["."], 0, "no file below it");
    let output = lispwright(project.path(), &["check", "--json", "README.md"], "");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let blocks = &document["files"][0]["blocks"];
    assert_eq!(
        (&blocks[0]["ok"], &blocks[0]["line"], &blocks[0]["dialect"]),
        (&true.into(), &4.into(), &"emacs-lisp".into())
    );
    assert_eq!((&blocks[1]["ok"], &blocks[1]["line"]), (&false.into(), &10.into()));

    let whole = PAGE.replace("(g x)\r\n", "(g x))\r\n");
    check(&repair(project.path(), &["README.md"], ""), 0, &whole, "README.md:11:10: added `)`");
    check(&repair(project.path(), &["--write", "README.md"], ""), 0, "", "added `)`");
    assert_eq!(fs::read_to_string(project.path().join("README.md")).unwrap(), whole);
    check(&repair(project.path(), &["--write", "README.md"], ""), 0, "", "nothing to do");

    // What is cut is not mended, and then nothing is.
    write("cut.md", "```lisp\n(f (g x)\n```\n```lisp\n(defun f (x)\n  (g x)\n  ...\n```\n");
    check(&repair(project.path(), &["--write", "cut.md"], ""), 1, "", "the block leaves code out");
    let document = repair(project.path(), &["--json", "cut.md"], "");
    let document: serde_json::Value = serde_json::from_slice(&document.stdout).unwrap();
    assert_eq!((&document["ok"], &document["status"]), (&false.into(), &"refused".into()));
}
