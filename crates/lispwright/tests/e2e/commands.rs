//! The commands for users: exit codes, output for programs, input from a pipe.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::client::{binary, cache};
use crate::project::Project;

fn run(project: &Project, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(binary())
        .args(arguments)
        .current_dir(project.root())
        .env("XDG_CACHE_HOME", cache())
        .env("XDG_STATE_HOME", project.beside("state"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command need not read its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// The command ends with `code`, and its two outputs together say each of `says`.
#[track_caller]
fn check(project: &Project, arguments: &[&str], input: &str, code: i32, says: &[&str]) -> String {
    let output = run(project, arguments, input);
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{stdout}\n{stderr}");
    for part in says {
        assert!(
            stdout.contains(part) || stderr.contains(part),
            "{arguments:?} does not say {part:?}\n{stdout}\n{stderr}"
        );
    }
    assert!(!stdout.contains('\x1B') && !stderr.contains('\x1B'), "colours on a pipe: {stdout}{stderr}");
    stdout.into_owned()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn project() -> Project {
    let project = Project::new();
    project.file("good.lisp", "(defun f (x)\n  (list x))\n\n(defmacro g (&body body)\n  `(progn ,@body))\n");
    project.file("bad.lisp", "(defun f (x)\n  (list x)\n\n(defun g ())\n");
    project
}

#[test]
fn check_reports_broken_files() {
    let project = project();
    check(&project, &["check", "good.lisp"], "", 0, &[]);
    check(&project, &["check", "good.lisp", "bad.lisp"], "", 1, &["bad.lisp:2:11"]);
    check(&project, &["check", "none.lisp"], "", 2, &["none.lisp"]);
    check(&project, &["check", "--dialect", "common-lisp", "-"], "(a (b)", 1, &["1"]);
    check(&project, &["check", "--dialect", "common-lisp", "-"], "(a (b))", 0, &[]);
    let says = ["1:4", "correct the text at that place"];
    check(&project, &["check", "--dialect", "common-lisp", "-"], "(x . )", 1, &says);
    json(&check(&project, &["check", "--json", "bad.lisp"], "", 1, &["unclosed"]));
}

#[test]
fn outline_read_and_tree_show_a_file() {
    let project = project();
    check(&project, &["outline", "good.lisp"], "", 0, &["defun", "f", "defmacro", "g", "1", "4"]);
    json(&check(&project, &["outline", "--json", "good.lisp"], "", 0, &["defmacro"]));
    check(&project, &["read", "good.lisp", "g"], "", 0, &["(defmacro g (&body body)\n  `(progn ,@body))"]);
    check(&project, &["read", "good.lisp", "h"], "", 1, &["good.lisp"]);
    check(&project, &["tree", "good.lisp"], "", 0, &["defun"]);
    json(&check(&project, &["tree", "--json", "good.lisp"], "", 0, &["defun"]));
}

#[test]
fn search_finds_text_and_its_form() {
    let project = project();
    check(
        &project,
        &["search", "list"],
        "",
        0,
        &["2 matches in 2 of 2 files", "good.lisp", "defun f, lines 1-2", "2:4| (list x))"],
    );
    check(&project, &["search", "--shape", "(list ?_)"], "", 0, &["2 matches", "2:3| (list x))"]);
    let [zero, f] = ["?x text=^0$", "?f refers=f"];
    project.file("calls.lisp", "(print (f 0)) (flet ((f (x) x)) (f 0))\n(list (f 1))\n");
    check(&project, &["search", "--shape", "(?f ?x)", "--where", f], "", 0, &["2 matches", "1:8|", "2:7|"]);
    let both = ["search", "--shape", "(?f ?x)", "--where", f, "--where", zero, "--where", "inside=(print ?_)"];
    check(&project, &both, "", 0, &["1 match", "1:8|"]);
    check(&project, &["search", "--shape", "(?f ?x)", "--where", "?x numeric"], "", 2, &["has no `=`"]);
    check(&project, &["rewrite", "(?f ?x)", "(g ?x)", "--where", f], "", 0, &["2 forms"]);
    std::fs::remove_file(project.at("calls.lisp")).unwrap();
    check(&project, &["search", "--in", "strings", "list"], "", 1, &["No match in 2 files"]);
    check(&project, &["search", "(list", "good.lisp"], "", 2, &["unclosed group"]);
    check(&project, &["search", "list", "none.lisp"], "", 2, &["none.lisp"]);
    let found = json(&check(&project, &["search", "--json", "--type", "defun", "list", "good.lisp"], "", 0, &[]));
    assert_eq!(found["matches"][0]["form_name"], "f");
}

#[test]
fn eval_prints_values() {
    let project = project();
    check(&project, &["eval", "-e", "(+ 1 2)"], "", 0, &["3"]);
    check(&project, &["eval", "-e", "(error \"on purpose\")"], "", 1, &["on purpose"]);
    check(&project, &["eval", "(+ 1 2)"], "", 2, &["with -e"]);
}

/// A system with a function and its test.
fn shop() -> Project {
    let project = Project::new();
    project.file(
        "shop.asd",
        "(defsystem \"shop\" :components ((:file \"shop\")) :in-order-to ((test-op (test-op \"shop/test\"))))\n\
         (defsystem \"shop/test\" :depends-on (\"shop\")\n  :perform (test-op (o c) (assert (= 4 (uiop:symbol-call \"SHOP\" \"PRICE\" 2)))))\n",
    );
    project.file("shop.lisp", "(defpackage :shop (:use :cl))\n(in-package :shop)\n\n(defun price (x)\n  (* 2 x))\n");
    project
}

#[test]
fn a_system_is_loaded_for_its_warnings_and_before_code() {
    let project = shop();
    check(&project, &["load", "shop"], "", 0, &["Loaded shop"]);
    check(&project, &["eval", "--load", "shop", "-e", "(shop::price 21)"], "", 0, &["=> 42"]);
    check(&project, &["load", "no-such-system"], "", 1, &["no-such-system"]);
    check(&project, &["eval", "--load", "no-such-system", "-e", "(print :never)"], "", 1, &["no-such-system"]);
    project.file("shop.lisp", "(defpackage :shop (:use :cl))\n(in-package :shop)\n(defun price (x) (* 2 x)\n");
    check(&project, &["load", "shop"], "", 1, &["shop.lisp:3"]);
}

#[test]
fn an_edit_is_written_only_if_it_is_verified() {
    let project = shop();
    let before = project.text("shop.lisp");
    let wrong = "(defun price (x)\n  (* 3 x))";
    check(
        &project,
        &["edit", "shop.lisp", "replace", "price", "--verify", "tests"],
        wrong,
        1,
        &["does not pass its tests"],
    );
    assert_eq!(project.text("shop.lisp"), before);
    let broken = "(defun price (x)\n  (let ((y 3))\n    (* y x))";
    let said = ["does not pass its tests", "shop.lisp: the new source had been repaired"];
    check(&project, &["edit", "shop.lisp", "replace", "price", "--verify", "tests"], broken, 1, &said);
    assert_eq!(project.text("shop.lisp"), before);
    let right = "(defun price (x)\n  (+ x x))";
    check(&project, &["edit", "shop.lisp", "replace", "price", "--verify", "tests"], right, 0, &["Verified"]);
    let patch = ["patch", "shop.lisp", "price", "--old", "(+ x x)", "--new", "(+ x 2)", "--verify", "compile"];
    check(&project, &patch, "", 0, &["Verified: it compiles"]);
    let edits = "[{\"path\": \"shop.lisp\", \"operation\": \"patch\", \"name\": \"price\", \"old_text\": \"(+ x 2)\", \"new_text\": \"(vat x)\"},\n\
                 {\"path\": \"shop.lisp\", \"operation\": \"append\", \"content\": \"(defun vat (x) (* 2 x))\"}]";
    check(&project, &["batch", "--verify", "tests"], edits, 0, &["Made 2 edits in 1 file", "Verified"]);
}

#[test]
fn doctor_and_help() {
    let project = project();
    let text = |arguments: &[&str]| {
        let output = run(&project, arguments, "");
        // A runtime that does not answer in time, as on a busy machine, makes the report an error.
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let looked = text(&["doctor"]);
    let lines = |name: &str| looked.lines().filter(|line| line.trim_start().starts_with(&format!("{name}: "))).count();
    for runtime in lispwright_runtime::Runtime::all() {
        assert_eq!(lines(runtime.name), 1, "{looked}");
    }
    assert!(looked.contains("  sbcl: SBCL ") && !looked.contains("answers"), "{looked}");
    assert!(looked.trim_end().lines().last().is_some_and(|line| line.starts_with("Next: ")), "{looked}");
    let tried = text(&["doctor", "--deep"]);
    let answers = tried.lines().any(|line| line.starts_with("  sbcl: SBCL ") && line.contains("; answers "));
    assert!(answers && tried.contains(" of "), "{tried}");
    for command in ["mcp", "check", "outline", "read", "search", "tree", "eval", "load", "edit", "batch", "doctor"] {
        check(&project, &[command, "--help"], "", 0, &["Usage:", "xample"]);
    }
    check(&project, &["--version"], "", 0, &["lispwright"]);
}

#[test]
fn a_file_is_evaluated_in_the_lisp_that_it_is_written_in() {
    let project = Project::new();
    for name in ["a.scm", "b.scm", "c.scm"] {
        project.file(name, "(define a 1)\n");
    }
    project.file("script.lisp", "#!/usr/bin/sbcl --script\n(list (if '() :scheme :common-lisp)\n");
    check(&project, &["eval", "script.lisp"], "", 1, &["at line 2, column 1", "missing"]);
    project.file("script.lisp", "#!/usr/bin/sbcl --script\n(list (if '() :scheme :common-lisp))\n");
    check(&project, &["eval", "script.lisp"], "", 0, &["=> (:COMMON-LISP)"]);
    project.file("script.scm", "#!/usr/bin/guile -s\n!#\n(if '() 'scheme 'common-lisp)\n");
    check(&project, &["eval", "script.scm"], "", 0, &["=> scheme"]);
    check(&project, &["eval", "-"], "(if '() 'scheme 'common-lisp)", 0, &["=> scheme"]);
    check(&project, &["eval", "--runtime", "gambit", "-e", "1"], "", 2, &["Of the Schemes, Guile and Chez run here"]);
}

/// What a command prints on standard output in a directory of the project, and its exit code.
fn in_directory(project: &Project, directory: &str, arguments: &[&str]) -> (String, Option<i32>) {
    let output = Command::new(binary())
        .args(arguments)
        .current_dir(project.at(directory))
        .env("XDG_CACHE_HOME", cache())
        .env("XDG_STATE_HOME", project.beside("state"))
        .env_remove("LISPWRIGHT_ROOT")
        .env_remove("MCP_PROJECT_ROOT")
        .env_remove("CLAUDE_PROJECT_DIR")
        .output()
        .unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

#[test]
fn a_command_means_the_same_in_each_directory_of_a_project() {
    let project = Project::new();
    std::fs::create_dir(project.at(".git")).unwrap();
    project.file("lispwright.toml", "[common-lisp]\nbrackets = [\"{}\"]\n");
    project.file("a.lisp", "(defun alpha (x) {x})\n(defun omega () 1)\n");
    project.file("sub/b.lisp", "(defun beta () (alpha {1}))\n");
    let cases: [(&[&str], &[&str]); 24] = [
        (&["check", "sub/b.lisp"], &["check", "b.lisp"]),
        (&["outline", "sub/b.lisp"], &["outline", "b.lisp"]),
        (&["tree", "sub/b.lisp"], &["tree", "b.lisp"]),
        (&["read", "sub/b.lisp", "beta"], &["read", "b.lisp", "beta"]),
        (&["fmt", "--check", "sub/b.lisp"], &["fmt", "--check", "b.lisp"]),
        (&["repair", "sub/b.lisp"], &["repair", "b.lisp"]),
        (&["search", "alpha", "sub/b.lisp"], &["search", "alpha", "b.lisp"]),
        (&["exports", "sub/b.lisp"], &["exports", "b.lisp"]),
        (&["lint"], &["lint"]),
        (&["lint", "a.lisp"], &["lint", "../a.lisp"]),
        (&["lint", "sub"], &["lint", "."]),
        (&["map"], &["map"]),
        (&["map", "sub"], &["map", "."]),
        (&["unused"], &["unused"]),
        (&["unused", "sub"], &["unused", "."]),
        (&["refs", "alpha"], &["refs", "alpha"]),
        (&["describe", "alpha"], &["describe", "alpha"]),
        (&["rename", "alpha", "gamma"], &["rename", "alpha", "gamma"]),
        (&["rewrite", "(alpha ?x)", "(f ?x)"], &["rewrite", "(alpha ?x)", "(f ?x)"]),
        (&["rewrite", "(alpha ?x)", "(f ?x)", "sub/b.lisp"], &["rewrite", "(alpha ?x)", "(f ?x)", "b.lisp"]),
        (
            &["change-signature", "alpha", "(x y)", "--value", "y=1"],
            &["change-signature", "alpha", "(x y)", "--value", "y=1"],
        ),
        (&["edit", "a.lisp", "delete", "omega", "--dry-run"], &["edit", "../a.lisp", "delete", "omega", "--dry-run"]),
        (
            &["patch", "sub/b.lisp", "beta", "--old", "1", "--new", "2", "--dry-run"],
            &["patch", "b.lisp", "beta", "--old", "1", "--new", "2", "--dry-run"],
        ),
        (&["undo", "--list"], &["undo", "--list"]),
    ];
    for (above, below) in cases {
        let (expected, found) = (in_directory(&project, ".", above), in_directory(&project, "sub", below));
        assert!(!expected.0.is_empty() || ["check", "exports"].contains(&above[0]), "{above:?} says nothing");
        let shorter = |(text, code): (String, Option<i32>)| (text.replace("sub/b.lisp", "b.lisp"), code);
        assert_eq!(shorter(found), shorter(expected), "{below:?}");
    }
    // A write below the directory of the shell changes the whole project.
    assert_eq!(in_directory(&project, "sub", &["rename", "alpha", "gamma", "--write"]).1, Some(0));
    assert!(project.text("a.lisp").contains("gamma") && project.text("sub/b.lisp").contains("gamma"));
    let output = Command::new(binary()).args(["refs", "gamma"]).current_dir(project.at("sub")).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("Paths are relative to the project, /") && said.lines().count() == 1, "{said}");
}

#[test]
fn what_code_of_another_dialect_calls_is_not_safe_to_delete() {
    let project = Project::new();
    std::fs::create_dir(project.at(".git")).unwrap();
    project.file(
        "server.lisp",
        "(defpackage :srv (:use :cl))\n(in-package :srv)\n(defun step-on (n) n)\n(defun lonely (n) n)\n",
    );
    project.file("client.el", "(defun client-step (n)\n  (client-eval `(srv:step-on ,n)))\n(defun lonely ())\n");
    check(
        &project,
        &["unused", "server.lisp"],
        "",
        1,
        &["1 safe to delete, 1 used in a possible way", "client.el:2: text: (client-eval `(srv:step-on ,n)))"],
    );
    check(&project, &["refs", "step-on"], "", 0, &["0 uses, 0 possible, 1 mention of step-on", "client.el:2:22: text"]);
}

#[test]
fn an_image_and_a_look_around_belong_to_the_whole_project() {
    let project = Project::new();
    std::fs::create_dir(project.at(".git")).unwrap();
    project.file("sub/b.lisp", "(defun beta () 42)\n");
    let root = project.root().canonicalize().unwrap().display().to_string();
    let (said, _) = in_directory(&project, "sub", &["doctor"]);
    assert!(said.contains(&format!("\nRoot: {root}\n")), "{said}");
    let (said, code) = in_directory(&project, "sub", &["eval", "--load", "b.lisp", "-e", "(beta)"]);
    assert!(code == Some(0) && said.contains("=> 42"), "{said}");
    let (said, code) = in_directory(&project, "sub", &["eval", "-e", "-42"]);
    assert!(code == Some(0) && said.contains("=> -42"), "{said}");
}

#[test]
fn names_may_begin_with_a_dash() {
    let project = Project::new();
    std::fs::create_dir(project.at(".git")).unwrap();
    project.file("a.clj", "(ns a)\n(defn ->thing [x] x)\n(defn -main [] (->thing 1))\n(defn --map [] (-main))\n");
    let finds = |arguments: &[&str], part: &str| {
        let (said, code) = in_directory(&project, ".", arguments);
        assert!(code == Some(0) && said.contains(part), "{arguments:?}: {said}");
    };
    for dashes in [&[][..], &["--"][..]] {
        let with = |before: &[&'static str], names: &[&'static str]| [before, dashes, names].concat();
        finds(&with(&["refs"], &["-main"]), "--map");
        finds(&with(&["refs"], &["->thing"]), "-main");
        finds(&with(&["describe"], &["->thing"]), "[x]");
        finds(&with(&["read", "a.clj"], &["->thing"]), "(defn ->thing");
        finds(&with(&["search"], &["->th"]), "2:7|");
        finds(&with(&["rename"], &["-main", "-start"]), "-start");
        finds(&with(&["rewrite"], &["(->thing ?x)", "-1"]), "-1");
        finds(&with(&["change-signature", "--value", "y=2"], &["->thing", "[x y]"]), "(->thing 1 2)");
        finds(&with(&["edit", "--dry-run"], &["a.clj", "delete", "-main"]), "-main");
    }
    finds(&["describe", "--", "--map"], "--map");
    for (arguments, part) in [
        (&["refs", "--map"][..], "after `--`: -- --map"),
        (&["read", "a.clj", "--map"], "after `--`: -- --map"),
        (&["rename", "--map", "x"], "after `--`: -- --map"),
        (&["check", "-main"], "use '-- -main'"),
    ] {
        let output = Command::new(binary()).args(arguments).current_dir(project.root()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(part), "{said}");
    }
}
