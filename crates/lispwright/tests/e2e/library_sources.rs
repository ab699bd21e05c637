//! Sources of libraries: read while an image of their Lisp runs, never written, and nothing else with them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;

use crate::client::{Client, Session, server_command};
use crate::household::tested;
use crate::project::{Project, SECRET};

const LIBRARY: &str = "(defpackage :mill (:use :cl) (:export #:grind))\n(in-package :mill)\n\n\
    (defun grind (corn)\n  \"Grinds it.\"\n  (unless corn\n    (error \"no corn\"))\n  (list :flour corn))\n";

/// A project, and a home directory whose Quicklisp has downloaded a library.
fn session(options: &[&str]) -> Session {
    let project = Project::new();
    let library = project.beside("home/quicklisp/dists/all/software/mill-1");
    fs::create_dir_all(&library).unwrap();
    fs::write(library.join("mill.asd"), "(defsystem \"mill\" :components ((:file \"mill\")))\n").unwrap();
    fs::write(library.join("mill.lisp"), LIBRARY).unwrap();
    fs::write(project.beside("home/secret.lisp"), SECRET).unwrap();
    let mut command = server_command(&project.root());
    command.env("HOME", project.beside("home")).args(["--toolsets", "fs,refactor"]).args(options);
    Session { client: Client::connect(command), project }
}

fn path(session: &Session, name: &str) -> String {
    session.project.beside(name).display().to_string()
}

#[track_caller]
fn check_outside(session: &mut Session, path: &str) {
    for (tool, arguments) in [
        ("lisp_read_file", json!({ "path": path })),
        ("fs_read_file", json!({ "path": path })),
        ("lisp_search", json!({ "pattern": "a", "path": path })),
        ("lisp_edit_form", json!({ "path": path, "operation": "append", "content": "(a)" })),
    ] {
        let answer = session.client.call(tool, arguments);
        assert_eq!(answer.fields["code"], "OUTSIDE_ROOT", "{tool} {path}: {}", answer.text);
    }
}

#[test]
fn a_loaded_library_is_read_and_not_written() {
    let mut session = session(&[]);
    let library = path(&session, "home/quicklisp/dists/all/software/mill-1");
    let source = format!("{library}/mill.lisp");
    check_outside(&mut session, &source);
    let load = format!("(push {library:?} asdf:*central-registry*) (asdf:load-system \"mill\") (mill:grind nil)");
    let failed = session.client.call("repl_eval", json!({ "code": load.replace("mill-1\"", "mill-1/\"") }));
    assert!(failed.is_error && failed.text.contains("mill.lisp:"), "{}", failed.text);
    for (tool, arguments, says) in [
        ("lisp_read_file", json!({ "path": source }), "defun grind (corn)"),
        ("lisp_read_form", json!({ "path": source, "name": "grind" }), "(list :flour corn)"),
        ("lisp_check_parens", json!({ "path": source }), "balanced"),
        ("lisp_search", json!({ "pattern": "flour", "path": library }), "defun grind"),
        ("fs_read_file", json!({ "path": source }), "no corn"),
        ("fs_list_directory", json!({ "path": library }), "mill.asd"),
        ("code_find", json!({ "symbol": "mill:grind" }), "mill.lisp:4"),
    ] {
        let answer = session.ok(tool, arguments);
        assert!(answer.text.contains(says), "{tool} should say {says:?}: {}", answer.text);
    }
    let edits = [
        ("lisp_edit_form", json!({ "path": source, "operation": "delete", "name": "grind" })),
        ("lisp_patch_form", json!({ "path": source, "name": "grind", "old_text": "no corn", "new_text": "none" })),
        ("lisp_edit_form", json!({ "path": format!("{library}/new.lisp"), "operation": "append", "content": "(a)" })),
        ("fs_write_file", json!({ "path": format!("{library}/new.txt"), "content": "a" })),
        (
            "lisp_edit_batch",
            json!({ "edits": [{ "path": source, "operation": "delete", "name": "grind" }], "dry_run": false }),
        ),
        (
            "lisp_rewrite",
            json!({ "shape": "(list :flour ?x)", "template": "?x", "path": library, "dry_run": false, "expect_count": 1 }),
        ),
    ];
    for (tool, arguments) in edits {
        let answer = session.client.call(tool, arguments);
        assert_eq!(answer.fields["code"], "READ_ONLY", "{tool}: {}", answer.text);
        assert!(answer.text.contains("belongs to a library that may be read, not changed"), "{}", answer.text);
    }
    assert_eq!(fs::read_to_string(&source).unwrap(), LIBRARY);
    assert_eq!(Path::new(&library).read_dir().unwrap().count(), 2, "nothing is made beside it");
    // It stays readable when its image has gone.
    session.ok("repl_control", json!({ "action": "kill" }));
    session.ok("lisp_read_form", json!({ "path": source, "name": "grind" }));
}

#[test]
fn an_image_opens_nothing_by_what_it_says() {
    let mut session = session(&[]);
    let places = path(&session, "home/quicklisp/dists");
    symlink(session.project.beside("home"), format!("{places}/out")).unwrap();
    symlink(session.project.beside("home/secret.lisp"), format!("{places}/secret.lisp")).unwrap();
    let home = path(&session, "home");
    let claim = format!(
        "(dolist (place '(\"/\" \"/etc/\" \"{home}/\")) (push place asdf:*central-registry*))
         (asdf:defsystem \"everything\" :pathname #p\"/\" :components ())
         (asdf:load-system \"everything\")"
    );
    session.ok("repl_eval", json!({ "code": claim }));
    for name in [
        "secret.lisp",
        "quicklisp/dists/out/secret.lisp",
        "quicklisp/dists/secret.lisp",
        "quicklisp/dists/../../secret.lisp",
    ] {
        check_outside(&mut session, &format!("{home}/{name}"));
    }
    for path in ["/etc/passwd", "/usr/share/common-lisp/../../../etc/passwd", "/etc", "/"] {
        check_outside(&mut session, path);
    }
}

#[test]
fn a_place_that_evaluated_code_has_swapped_for_a_link_is_none() {
    let mut session = session(&[]);
    let home = path(&session, "home");
    let swap = format!(
        "(require :sb-posix)
         (sb-posix:rename \"{home}/quicklisp\" \"{home}/before\")
         (sb-posix:mkdir \"{home}/quicklisp\" #o755)
         (sb-posix:symlink \"{home}\" \"{home}/quicklisp/dists\")"
    );
    session.ok("repl_eval", json!({ "code": swap }));
    check_outside(&mut session, &format!("{home}/secret.lisp"));
    check_outside(&mut session, &format!("{home}/quicklisp/dists/secret.lisp"));
}

#[test]
fn it_is_the_same_in_the_sandbox() {
    let mut session = session(&["--sandbox"]);
    let home = path(&session, "home");
    let source = format!("{home}/quicklisp/dists/all/software/mill-1/mill.lisp");
    let link = format!(
        "(require :sb-posix)
         (handler-case (sb-posix:symlink \"{home}\" \"{home}/quicklisp/dists/out\") (error () :no))"
    );
    let tried = session.client.call("repl_eval", json!({ "code": link }));
    if tried.fields["code"] == "RUNTIME_MISSING" || tried.fields["code"] == "UNSUPPORTED" {
        return tested("nothing: no sandbox works here");
    }
    assert_eq!(tried.fields["values"], json!([":NO"]), "{}", tried.text);
    let read = session.ok("lisp_read_form", json!({ "path": source, "name": "grind" }));
    assert!(read.text.contains(":flour"), "{}", read.text);
    check_outside(&mut session, &format!("{home}/secret.lisp"));
}

#[test]
fn guile_and_its_modules() {
    let source = "/usr/share/guile/3.0/ice-9/q.scm";
    if !Path::new(source).exists() {
        return tested("nothing: Guile is not installed where Debian has it");
    }
    let mut session = session(&[]);
    session.ok("repl_eval", json!({ "code": "(+ 1 1)" }));
    check_outside(&mut session, source);
    session.ok("repl_eval", json!({ "code": "(use-modules (ice-9 q))", "runtime": "guile", "session": "g" }));
    let read = session.ok("lisp_read_form", json!({ "path": source, "name": "make-q" }));
    assert!(read.text.contains("(define (make-q)"), "{}", read.text);
}

#[test]
fn emacs_and_its_packed_sources() {
    let versions = fs::read_dir("/usr/share/emacs").into_iter().flatten().flatten();
    let mut sources = versions.map(|version| version.path().join("lisp/subr.el.gz"));
    let Some(source) = sources.find(|path| path.exists()) else {
        return tested("nothing: the sources of Emacs are not installed where Debian has them");
    };
    let source = source.display().to_string();
    let mut session = session(&[]);
    session.ok("repl_eval", json!({ "code": "(+ 1 1)", "runtime": "emacs" }));
    let read = session.ok("lisp_read_form", json!({ "path": source, "name": "string-prefix-p" }));
    assert!(read.text.contains("(defun string-prefix-p ("), "{}", read.text);
    session.ok("lisp_check_parens", json!({ "path": source }));
    let searched = session.ok("lisp_search", json!({ "pattern": "defsubst string-prefix", "path": source }));
    assert!(!searched.text.is_empty());
    session.refused(
        "lisp_edit_form",
        json!({ "path": source, "operation": "delete", "name": "string-prefix-p" }),
        "READ_ONLY",
        &[],
    );
}

#[test]
fn packed_files_of_the_project_are_read_and_not_written() {
    let mut session = session(&[]);
    let file = session.project.root().join("packed.el");
    fs::write(&file, "(defun packed (x)\n  (list x))\n").unwrap();
    let packed = std::process::Command::new("gzip").arg(&file).status().unwrap();
    assert!(packed.success());
    let read = session.ok("lisp_read_form", json!({ "path": "packed.el.gz", "name": "packed" }));
    assert!(read.text.contains("(list x)"), "{}", read.text);
    let found = session.ok("code_find", json!({ "symbol": "packed" }));
    assert!(found.text.contains("packed.el.gz:1"), "{}", found.text);
    for (tool, arguments) in [
        ("lisp_edit_form", json!({ "path": "packed.el.gz", "operation": "delete", "name": "packed" })),
        (
            "lisp_patch_form",
            json!({ "path": "packed.el.gz", "name": "packed", "old_text": "list", "new_text": "vector" }),
        ),
        ("lisp_rename", json!({ "symbol": "packed", "new_name": "unpacked", "dry_run": false })),
    ] {
        let refused = session.client.call(tool, arguments);
        assert!(refused.is_error && refused.text.contains("packed by gzip"), "{tool}: {}", refused.text);
    }
    session.ok("lisp_check_parens", json!({ "path": "packed.el.gz" }));
}

#[test]
fn a_directory_that_was_named_can_be_read_at_once() {
    let project = Project::new();
    fs::create_dir(project.beside("lib")).unwrap();
    fs::write(project.beside("lib/a.lisp"), "(defun a ())\n").unwrap();
    let file = project.beside("lib/a.lisp").display().to_string();
    let mut command = server_command(&project.root());
    command.arg("--library").arg(project.beside("lib"));
    let mut session = Session { client: Client::connect(command), project };
    session.ok("lisp_read_form", json!({ "path": file, "name": "a" }));
    session.refused("lisp_edit_form", json!({ "path": file, "operation": "delete", "name": "a" }), "READ_ONLY", &[]);
    let beside = path(&session, "secret.lisp");
    session.refused("lisp_read_file", json!({ "path": beside }), "OUTSIDE_ROOT", &["--library DIR"]);
    for (place, says) in [("/", "shared by the whole system"), ("/gone", "does not exist")] {
        let mut command = server_command(&session.project.root());
        let output = command.args(["--library", place]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(says) && said.contains("--library"), "{said}");
    }
}
