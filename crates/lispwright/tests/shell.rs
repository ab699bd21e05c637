//! The interface for scripts and users at a shell: exit codes, complete output, documents, terms and directories.
#![allow(clippy::unwrap_used, missing_docs)]

mod command;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use command::lispwright;
use lispwright_syntax::Dialect;
use serde_json::Value;

const SHAPES: &str = "\
(in-package :shapes)

(defun area (r)
  (* pi r r))

(defmethod draw :after ((s circle) port)
  (list s
        port))

(setq foo 1)
(defun -main () (area 1))
";

fn project() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("a.lisp"), SHAPES).unwrap();
    fs::write(directory.path().join("broken.lisp"), "(defun f (x)\n  (when x\n    (print x))\n\n(defun g () 1)\n")
        .unwrap();
    directory
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn text_of(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

/// The command ends with `code`, and standard output and error together hold each of `says`.
#[track_caller]
fn check(directory: &Path, arguments: &[&str], input: &str, code: i32, says: &[&str]) -> String {
    let output = lispwright(directory, arguments, input);
    let said = text_of(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    for part in says {
        assert!(said.contains(part), "{arguments:?} does not say {part:?}: {said}");
    }
    assert!(!said.contains('\x1b'), "colours on a pipe: {said}");
    said
}

/// The same with a document on standard output.
#[track_caller]
fn document(directory: &Path, arguments: &[&str], code: i32) -> Value {
    let output: Output = lispwright(directory, arguments, "");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", text(&output.stdout)))
}

#[test]
fn output_that_cannot_be_written_is_an_error_of_every_command() {
    let project = project();
    for arguments in [
        &["check", "a.lisp"][..],
        &["check", "."],
        &["outline", "a.lisp"],
        &["outline", "--json", "a.lisp"],
        &["read", "a.lisp", "area"],
        &["repair", "broken.lisp"],
        &["repair", "--diff", "broken.lisp"],
        &["tree", "a.lisp"],
        &["edit", "a.lisp", "delete", "area", "--dry-run"],
        &["patch", "a.lisp", "area", "--old", "pi", "--new", "3", "--dry-run", "--json"],
        &["grammar", "--dialect", "scheme", "--format", "gbnf"],
        &["--help"],
        &["edit", "--help"],
        &["--version"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_lispwright"))
            .args(arguments)
            .current_dir(project.path())
            .env_remove("LISPWRIGHT_ROOT")
            .stdout(fs::File::options().write(true).open("/dev/full").unwrap())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains("standard output: No space left"), "{arguments:?}");
    }
}

/// A name of a file is in one line and without characters that a terminal acts on, whatever a message says.
#[test]
fn names_of_files_are_escaped_in_every_message() {
    let project = project();
    let here = project.path();
    let name = "a\n[note] b\x1b[31m\u{202e}.lisp";
    let directory = "d\n[note] e\x1b[31m";
    fs::create_dir(here.join(directory)).unwrap();
    for (text, balanced) in [("(defun f ()\n  1)\n", true), ("(defun f ()\n  (print 1)\n\n(defun g () 1)\n", false)] {
        fs::write(here.join(name), text).unwrap();
        for arguments in [
            &["check", name][..],
            &["check", "."],
            &["check", directory],
            &["outline", name],
            &["outline", ".", directory],
            &["read", name, "f"],
            &["read", name, "none"],
            &["repair", name],
            &["repair", "--diff", name],
            &["repair", "--write", name],
            &["repair", "--write", name, "--against", "none\x1b"],
            &["edit", name, "delete", "none"],
            &["patch", name, "f", "--old", "x", "--new", "y"],
            &["search", "print", "."],
            &["map"],
            &["exports", name],
            &["refs", "f"],
            &["stats", name],
            &["eval", directory],
        ] {
            let output = lispwright(here, arguments, "");
            let said = text_of(&output);
            assert!(!said.contains(['\x1b', '\u{202e}']), "{arguments:?}: {said:?}");
            assert!(!said.contains("\n[note]"), "{arguments:?}: {said:?}");
        }
        assert_eq!(fs::read_to_string(here.join(name)).unwrap() == text, balanced, "it was repaired");
    }
}

#[test]
fn a_reader_that_closes_the_pipe_is_no_error() {
    let project = project();
    fs::write(project.path().join("big.lisp"), "(defun f () 1)\n".repeat(10_000)).unwrap();
    for arguments in [&["repair", "big.lisp"][..], &["outline", "big.lisp"], &["tree", "--json", "big.lisp"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_lispwright"))
            .args(arguments)
            .current_dir(project.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{arguments:?}");
    }
}

#[test]
fn forms_are_named_as_the_other_commands_print_them() {
    let project = project();
    let here = project.path();
    check(here, &["read", "a.lisp", "--line", "10"], "", 0, &["(setq foo 1)"]);
    check(here, &["read", "a.lisp", "setq foo"], "", 0, &["(setq foo 1)"]);
    check(here, &["read", "a.lisp", "defmethod draw :after (circle t)"], "", 0, &["(defmethod draw :after"]);
    check(here, &["read", "a.lisp", "-main"], "", 0, &["(defun -main ()"]);
    check(here, &["read", "a.lisp", "-main", "--type", "defun", "--json"], "", 0, &["\"-main\""]);
    let forms = document(here, &["outline", "--json", "a.lisp"], 0)["files"][0]["forms"].clone();
    for form in forms.as_array().unwrap() {
        let (label, line) = (form["label"].as_str().unwrap(), &form["start_line"]);
        assert_eq!(&document(here, &["read", "--json", "a.lisp", label], 0)["start_line"], line, "{label}");
    }
    assert_eq!(forms[2]["qualifiers"], serde_json::json!([":after"]));
    assert_eq!(forms[2]["specializers"], serde_json::json!(["circle", "t"]));
}

#[test]
fn patch_changes_text_inside_one_form() {
    let project = project();
    let here = project.path();
    let read = || fs::read_to_string(here.join("a.lisp")).unwrap();
    let patch = ["patch", "a.lisp", "area", "--old", "(* pi r r)", "--new", "(* pi (expt r 2))"];
    check(here, &[&patch[..], &["--dry-run"]].concat(), "", 0, &["-  (* pi r r))\n+  (* pi (expt r 2)))"]);
    assert_eq!(read(), SHAPES);
    check(here, &patch, "", 0, &["Patched defun area in a.lisp:4"]);
    assert_eq!(read(), SHAPES.replace("(* pi r r)", "(* pi (expt r 2))"));
    check(here, &["patch", "a.lisp", "area", "--old", "r", "--new", "-r"], "", 1, &["--replace-all"]);
    check(here, &["patch", "a.lisp", "--line", "10", "--old", "1", "--new", "-1"], "", 0, &["Patched setq foo"]);
    assert!(read().contains("(setq foo -1)"));
    let refused = document(here, &["patch", "a.lisp", "none", "--old", "x", "--new", "y", "--json"], 1);
    assert_eq!(refused["code"], "FORM_NOT_FOUND");
}

#[test]
fn errors_are_documents_with_the_option_for_documents() {
    let project = project();
    let here = project.path();
    for (arguments, exit) in [
        (&["read", "--json", "none.lisp", "f"][..], 2),
        (&["read", "--json", "a.lisp", "none"], 1),
        (&["read", "--json", "a.lisp"], 1),
        (&["tree", "--json", "none.lisp"], 2),
        (&["repair", "--json", "none.lisp"], 2),
        (&["repair", "--json", "--dialect", "cobol", "a.lisp"], 2),
        (&["stats", "--json", "none.jsonl"], 2),
        (&["edit", "--json", "none.lisp", "delete", "f"], 1),
        (&["edit", "--json", "--root", "/", "a.lisp", "delete", "f"], 2),
        (&["eval", "--json", "none.lisp"], 2),
    ] {
        let document = document(here, arguments, exit);
        assert!(document["code"].is_string() && document["message"].is_string(), "{arguments:?}: {document}");
    }
    for command in ["check", "outline"] {
        let document = document(here, &[command, "--json", "a.lisp", "none.lisp"], 2);
        assert_eq!(document["files"][1]["code"], "FILE_NOT_FOUND", "{document}");
    }
    assert_eq!(document(here, &["read", "--json", "broken.lisp", "f"], 0)["balanced"], false);
}

#[test]
fn errors_speak_of_options_and_commands() {
    let project = project();
    let here = project.path();
    let refusals: [(&[&str], &str); 10] = [
        (&["read", "a.lisp", "none"], ""),
        (&["read", "a.lisp"], ""),
        (&["read", "a.lisp", "area", "--index", "0"], ""),
        (&["read", "a.lisp", "area", "--line", "1"], ""),
        (&["edit", "a.lisp", "replace", "area"], ";; nothing\n"),
        (&["edit", "a.lisp", "replace", "area"], "(a) (b)"),
        (&["edit", "a.lisp", "replace", "area", "--no-repair"], "(defun area (r)\n  (* pi r r)\n"),
        (&["patch", "a.lisp", "area", "--old", "zzz", "--new", "y"], ""),
        (&["patch", "a.lisp", "area", "--old", "r)", "--new", "r"], ""),
        (&["patch", "a.lisp", "area", "--old", "", "--new", "r"], ""),
    ];
    for (arguments, input) in refusals {
        let said = check(here, arguments, input, 1, &[]);
        for word in ["lisp_", "`line`", "`name`", "`index`", "operation=", "old_text", "new_text", "=true"] {
            assert!(!said.contains(word), "{arguments:?} speaks of {word}: {said}");
        }
    }
    assert_eq!(fs::read_to_string(here.join("a.lisp")).unwrap(), SHAPES);
}

#[test]
fn paths_are_relative_to_the_shell_and_the_nearest_configuration_counts() {
    let project = project();
    let here = project.path();
    let deep = here.join("src/deep");
    fs::create_dir_all(&deep).unwrap();
    let routes = "(my:route index (request)\n  (list\n   1\n   2\n   3\n   4))\n";
    for directory in [here, &here.join("src"), &deep] {
        fs::write(directory.join("r.lisp"), routes).unwrap();
    }
    fs::write(here.join("lispwright.toml"), "[common-lisp.definers]\nroute = \"defun\"\n").unwrap();
    fs::write(deep.join("lispwright.toml"), "").unwrap();
    check(here, &["read", "r.lisp", "index"], "", 0, &["(my:route index"]);
    check(here, &["read", "src/r.lisp", "index"], "", 0, &["(my:route index"]);
    check(&deep, &["read", "r.lisp", "index"], "", 1, &["no form `index`"]);
    // It is the nearest one above the file, wherever the shell is, and the root.
    check(&here.join("src"), &["read", "r.lisp", "index"], "", 0, &["(my:route index"]);
    check(&deep, &["read", "../r.lisp", "index"], "", 0, &["(my:route index"]);
    // The same for files that are read through the root, which may be a relative path.
    let edit = |path, root, code| {
        check(&here.join("src"), &["edit", path, "delete", "index", "--dry-run", "--root", root], "", code, &["index"])
    };
    edit("r.lisp", "..", 0);
    edit("r.lisp", ".", 0);
    edit("../r.lisp", "..", 0);
    edit("deep/r.lisp", "..", 1);
    check(here, &["edit", "src/deep/r.lisp", "delete", "my:route index", "--root", "src"], "", 0, &["Deleted"]);
    assert_eq!(fs::read_to_string(deep.join("r.lisp")).unwrap(), "");
    // A repository is a project of its own.
    fs::create_dir(here.join("src/.git")).unwrap();
    check(&here.join("src"), &["read", "r.lisp", "index"], "", 1, &["no form `index`"]);
    fs::write(here.join("src/lispwright.toml"), "[common-lisp.definers]\nroute = \"defun\"\n").unwrap();
    check(&here.join("src"), &["read", "r.lisp", "index"], "", 0, &["(my:route index"]);
}

#[test]
fn a_candidate_of_a_refused_edit_is_accepted_by_its_name() {
    let project = project();
    let here = project.path();
    let content = "(defun foo (x)\n(if (bar x (list y)\n(when x y))\n";
    let said = check(here, &["edit", "a.lisp", "append"], content, 1, &["c1: ", "lispwright edit --accept c1"]);
    assert!(said.contains("c2: "), "{said}");
    check(here, &["edit", "--accept", "c9"], "", 1, &["no candidate c9", "c1, c2"]);
    check(here, &["edit", "--accept", "c2", "--dry-run"], "", 0, &["Dry run"]);
    check(here, &["edit", "--accept", "c2"], "", 0, &["Appended defun foo"]);
    assert!(fs::read_to_string(here.join("a.lisp")).unwrap().ends_with("(when x y)))\n"));
    check(here, &["edit", "--accept", "c1"], "", 1, &["has changed since c1"]);
    // Those of a patch go on from there.
    let patch = ["patch", "a.lisp", "draw", "--old", "(list s\n", "--new", "(when (list s (car s)\n", "--no-repair"];
    let said = check(here, &patch, "", 1, &["--accept c"]);
    let name = said.split("--accept ").nth(1).unwrap().trim().to_owned();
    assert_ne!(name, "c1");
    check(here, &["edit", "--accept", &name], "", 0, &["Patched"]);
    check(here, &["edit"], "", 2, &["<PATH>"]);
}

#[test]
fn several_edits_are_made_together_or_not_at_all() {
    let project = project();
    let here = project.path();
    let edit = |path: &str, new: &str| serde_json::json!({ "path": path, "operation": "patch", "name": "area", "old_text": "(* pi r r)", "new_text": new });
    let both = |second: &str| {
        serde_json::json!([edit("a.lisp", "(* 3 r r)"), { "path": second, "operation": "delete", "name": "-main" }])
            .to_string()
    };
    check(here, &["batch"], &both("none.lisp"), 1, &["none.lisp"]);
    check(here, &["batch", "--dry-run"], &both("a.lisp"), 0, &["Dry run", "2 edits in 1 file"]);
    assert_eq!(fs::read_to_string(here.join("a.lisp")).unwrap(), SHAPES);
    fs::create_dir(here.join("sub")).unwrap();
    fs::write(here.join("sub/edits.json"), edit("../a.lisp", "(* 3 r r)").to_string()).unwrap();
    check(&here.join("sub"), &["batch", "edits.json", "--root", ".."], "", 0, &["Made 1 edit"]);
    assert!(fs::read_to_string(here.join("a.lisp")).unwrap().contains("(* 3 r r)"));
    check(here, &["batch"], "[{\"path\": \"a.lisp\", \"operatio\": \"delete\"}]", 2, &["did you mean `operation`?"]);
    check(here, &["batch"], "(not json)", 2, &["JSON"]);
}

#[test]
fn a_check_says_the_same_from_every_directory() {
    let project = project();
    let here = project.path();
    fs::create_dir_all(here.join("sub/deep")).unwrap();
    fs::create_dir(here.join(".git")).unwrap();
    fs::write(here.join("lispwright.toml"), "[common-lisp.dispatch]\n\"/\" = \"delimited\"\n").unwrap();
    fs::write(here.join("sub/b.lisp"), "(list #/ ) / 1)\n").unwrap();
    let verdict = |from: &str, path: &str| {
        let answer = lispwright(&here.join(from), &["check", "--json", path], "");
        (answer.status.code(), text(&answer.stdout).replace(path, "b.lisp"))
    };
    let found = verdict(".", "sub/b.lisp");
    assert_eq!(found.0, Some(0), "{}", found.1);
    assert_eq!(verdict("sub", "b.lisp"), found);
    assert_eq!(verdict("sub/deep", "../b.lisp"), found);
    let absolute = here.join("sub/b.lisp");
    assert_eq!(verdict("sub/deep", absolute.to_str().unwrap()), found);
}

#[test]
fn a_form_that_the_project_states_counts_in_every_command() {
    let rows = "[forms]\ngrab = \"((name value?)*) body+\"\nsome = \"when\"\n[common-lisp.forms]\n\
                route = [\"function params doc? body*\", \"function :to value\"]\n";
    let flat = "(defun row () 1)\n\n(route index (r)\n\"Shows.\"\n(grab ((row (first r))\n(col (row)))\n(list row\ncol)\n\
                (some row\n(print col))))\n\n(route home :to index)\n";
    let laid = "(defun row () 1)\n\n(route index (r)\n  \"Shows.\"\n  (grab ((row (first r))\n         (col (row)))\n    (list row\n          \
                col)\n    (some row\n      (print col))))\n\n(route home :to index)\n";
    let lost = "(defun f (r)\n  (grab ((row (first r)) (col (row))\n    (list row col)))\n";
    let project = project();
    let here = project.path();
    fs::remove_file(here.join("a.lisp")).unwrap();
    fs::write(here.join("r.lisp"), flat).unwrap();
    fs::write(here.join("lost.txt"), lost).unwrap();
    let repair: &[&str] = &["repair", "--dialect", "common-lisp", "lost.txt"];
    check(here, repair, "", 1, &["Candidates"]);
    check(here, &["outline", "r.lisp"], "", 0, &["(route index (r)"]);
    check(here, &["read", "r.lisp", "index"], "", 1, &["no form `index`"]);
    fs::write(here.join("lispwright.toml"), rows).unwrap();
    check(here, &["fmt", "--write", "r.lisp"], "", 0, &[]);
    assert_eq!(fs::read_to_string(here.join("r.lisp")).unwrap(), laid);
    check(here, repair, "", 0, &["(col (row)))\n"]);
    let read = check(here, &["read", "r.lisp", "index"], "", 0, &["(route index (r)"]);
    assert!(!read.contains("home"), "{read}");
    // The variable is not the function.
    let uses = check(here, &["refs", "row"], "", 0, &["1 use of row", "r.lisp:6"]);
    assert!(!uses.contains("possible"), "{uses}");
    check(here, &["rename", "row", "get-row", "--write"], "", 0, &[]);
    let renamed = fs::read_to_string(here.join("r.lisp")).unwrap();
    assert_eq!(renamed, laid.replace("defun row", "defun get-row").replace("(col (row))", "(col (get-row))"));
    check(here, &["lint", "."], "", 0, &["No problems"]);
    fs::write(here.join("lispwright.toml"), "[forms]\ngrab = \"((name value?)* body+\"\n").unwrap();
    check(here, &["outline", "r.lisp"], "", 2, &["[forms] the form of `grab`: `(` has no partner"]);
}

#[test]
fn what_a_definer_of_a_library_defines_can_be_stated() {
    let project = project();
    let here = project.path();
    let package = "(defpackage :p (:use :cl :lib))\n(in-package :p)\n";
    fs::write(here.join("a.lisp"), format!("{package}(defclass* gadget () ())\n(print 'gadget)\n")).unwrap();
    let rename = ["rename", "gadget", "thing", "--write"];
    check(here, &rename, "", 1, &["a.lisp:3:1: no file of the project defines `defclass*`", "[common-lisp.forms]"]);
    fs::write(here.join("lispwright.toml"), "[common-lisp.forms]\n\"defclass*\" = \"defclass\"\n").unwrap();
    check(here, &rename, "", 0, &["2 places"]);
    let renamed = fs::read_to_string(here.join("a.lisp")).unwrap();
    assert_eq!(renamed, format!("{package}(defclass* thing () ())\n(print 'thing)\n"));
}

#[test]
fn the_definers_of_a_project_count_in_every_command() {
    let sound = "(route home (x)\n  \"Shows it.\"\n  (list x))\n\n(route about (x)\n  (list x x))\n";
    // In a call the `)` is superfluous; in a function a `(` is missing.
    let broken = "(route home x)\n  (list x))\n\n(route about (x)\n  (list x x))\n";
    let called = format!("{broken}\n(route main x\n  (list x))\n");
    let hook = |here: &Path, content: &str| {
        let input = serde_json::json!({
            "session_id": "s", "transcript_path": "t", "cwd": here, "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_use_id": "u",
            "tool_input": { "file_path": here.join("new.lisp"), "content": content },
        });
        text(&lispwright(here, &["hook", "claude-code"], &input.to_string()).stdout)
    };
    let plain = project();
    fs::write(plain.path().join("r.lisp"), sound).unwrap();
    check(plain.path(), &["read", "r.lisp", "home"], "", 1, &["no form `home`"]);
    let answer = hook(plain.path(), &called);
    assert!(answer.contains("updatedInput"), "nothing says what a route is: {answer}");
    for (config, head) in [
        ("[common-lisp.definers]\nroute = \"defun\"\n", ""),
        ("", "(defmacro route (name args &body body)\n  `(progn (defun ,name ,args ,@body) (add ',name)))\n\n"),
    ] {
        let project = project();
        let here = project.path();
        fs::write(here.join("lispwright.toml"), config).unwrap();
        let write = |name: &str, text: &str| fs::write(here.join(name), format!("{head}{text}")).unwrap();
        write("r.lisp", sound);
        write("bad.lisp", broken);
        let outline = document(here, &["outline", "--json", "r.lisp"], 0);
        let forms = outline["files"][0]["forms"].as_array().unwrap();
        assert_eq!(forms[forms.len() - 1]["name"], "about", "{outline}");
        check(here, &["read", "r.lisp", "home"], "", 0, &["(route home (x)"]);
        check(here, &["patch", "r.lisp", "about", "--old", "x x", "--new", "x"], "", 0, &["route about"]);
        let content = "(route away (x)\n  x)";
        check(here, &["edit", "r.lisp", "insert-after", "home"], content, 0, &["route away"]);
        check(here, &["read", "r.lisp", "away"], "", 0, &[content]);
        check(here, &["repair", "bad.lisp"], "", 1, &["(route home (x)"]);
        let answer = hook(here, &format!("{head}{broken}"));
        assert!(answer.contains("(route home (x)") && !answer.contains("updatedInput"), "{answer}");
    }
}

#[test]
fn directories_are_walked_as_their_ignore_files_say() {
    let project = project();
    let here = project.path();
    for (path, text) in [
        (".gitignore", "/target\n*.gen.lisp\n"),
        ("target/x.lisp", "(\n"),
        ("x.gen.lisp", "(\n"),
        ("src/b.scm", "(define (f x)\n  x)\n"),
        ("docs/a.txt", ""),
    ] {
        fs::create_dir_all(here.join(path).parent().unwrap()).unwrap();
        fs::write(here.join(path), text).unwrap();
    }
    check(here, &["check", "."], "", 1, &[".: 2 of 3 files are balanced; ignored: target, x.gen.lisp."]);
    check(here, &["check", "--no-ignore", "."], "", 1, &[".: 2 of 5 files are balanced."]);
    check(here, &["check", "x.gen.lisp"], "", 1, &["x.gen.lisp:1:1"]);
    check(here, &["check", "docs"], "", 0, &["docs: no file below it has the extension of a Lisp."]);
    assert_eq!(document(here, &["check", "--json", "."], 1)["ignored"], serde_json::json!(["target", "x.gen.lisp"]));
    let outline =
        check(here, &["outline", "src", "a.lisp"], "", 0, &["src/b.scm:\n1| (define (f x) ...)", "a.lisp:\n"]);
    assert_eq!(outline.lines().filter(|line| line.contains("| (")).count(), 6, "one line a form: {outline}");
    check(here, &["outline", "target"], "", 0, &["target/x.lisp"]);
    check(here, &["outline", "--no-ignore", "."], "", 0, &["x.gen.lisp:\n"]);
    std::os::unix::fs::symlink("/etc/passwd", here.join("docs/out.lisp")).unwrap();
    check(here, &["check", "docs"], "", 0, &["Lisp; links that lead out: docs/out.lisp."]);
    assert_eq!(document(here, &["check", "--json", "docs"], 0)["links_out"], serde_json::json!(["docs/out.lisp"]));
    check(here, &["outline", "--whole", "5", "src"], "", 0, &["1| (define (f x)\n2|   x)"]);
}

#[test]
fn repair_keeps_the_encoding_and_writes_and_shows_at_once() {
    let project = project();
    let here = project.path();
    let latin = |text: &str| text.chars().map(|c| c as u8).collect::<Vec<u8>>();
    let broken = "(defun f (x)\n  (when x\n    (print \"\u{e4}\"))\n\n(defun g () 1)";
    fs::write(here.join("latin.lisp"), latin(broken)).unwrap();
    let output = lispwright(here, &["repair", "latin.lisp"], "");
    assert_eq!(output.stdout, latin(&broken.replace("))\n\n", ")))\n\n")), "{}", text(&output.stderr));
    check(here, &["repair", "--write", "--diff", "broken.lisp"], "", 0, &["+    (print x)))", "repaired"]);
    assert!(fs::read_to_string(here.join("broken.lisp")).unwrap().contains("(print x)))"));
    check(here, &["read", "latin.lisp", "f"], "", 0, &["does not balance"]);
}

/// What is checked before a commit is what will be committed, whatever the directory holds.
#[test]
fn staged_text_is_checked_instead_of_the_file() {
    let project = project();
    let here = project.path();
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]).args(arguments);
        let output = git.current_dir(here).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", text_of(&output));
    };
    check(here, &["check", "--staged"], "", 2, &["not a git repository"]);
    git(&["init"]);
    check(here, &["check", "--staged"], "", 0, &["No file of Lisp is staged."]);
    fs::write(here.join("notes.txt"), "(((").unwrap();
    git(&["add", "a.lisp", "notes.txt"]);
    fs::write(here.join("a.lisp"), "(broken since").unwrap();
    check(here, &["check", "--staged"], "", 0, &["Staged: 1 of 1 file is balanced."]);
    fs::create_dir(here.join("below")).unwrap();
    fs::rename(here.join("broken.lisp"), here.join("below/broken.lisp")).unwrap();
    git(&["add", "below"]);
    fs::remove_file(here.join("below/broken.lisp")).unwrap();
    check(here, &["check", "--staged"], "", 1, &["below/broken.lisp:3", "Staged: 1 of 2 files are balanced."]);
    check(here, &["check", "--staged", "a.lisp"], "", 0, &["Staged: 1 of 1 file is balanced."]);
    // The names are those that Git has, from wherever it is asked.
    check(&here.join("below"), &["check", "--staged"], "", 1, &["below/broken.lisp:3"]);
    let report = document(here, &["check", "--staged", "--json"], 1);
    assert_eq!(report["files"][1]["path"], "below/broken.lisp", "{report}");
    git(&["commit", "-m", "b"]);
    git(&["rm", "--cached", "a.lisp"]);
    check(here, &["check", "--staged"], "", 0, &["No file of Lisp is staged."]);
}

#[test]
fn upgrade_tells_by_which_way_the_binary_was_installed() {
    let project = project();
    let report = document(project.path(), &["upgrade", "--json"], 0);
    let program = Path::new(env!("CARGO_BIN_EXE_lispwright")).canonicalize().unwrap();
    assert_eq!(report["program"], program.to_str().unwrap());
    check(project.path(), &["upgrade"], "", 0, &["Upgrade: ", "Remove: ", "setup CLIENT --remove"]);
}

/// The hook for pre-commit takes the files that `check .` takes. Files that end in `.l` are mostly of lex.
#[test]
fn the_hook_for_pre_commit_knows_every_ending() {
    let endings: Vec<&str> = Dialect::ALL.iter().flat_map(|dialect| dialect.table().endings).copied().collect();
    let endings: Vec<&str> = endings.into_iter().filter(|ending| *ending != "l").collect();
    let line = format!("  files: \\.({})$\n", endings.join("|"));
    let hooks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.pre-commit-hooks.yaml");
    let hooks = fs::read_to_string(hooks).unwrap();
    assert!(hooks.contains(&line), "it should have: {line}");
}

#[test]
fn a_project_is_shown_what_it_gets_before_it_gets_it() {
    let project = project();
    let here = project.path();
    fs::write(here.join("shapes.asd"), "(defsystem \"shapes\")\n").unwrap();
    fs::write(here.join("CLAUDE.md"), "# Shapes\n").unwrap();
    let output = Command::new("git").arg("init").current_dir(here).output().unwrap();
    assert!(output.status.success(), "{}", text_of(&output));
    let hook = here.join(".git/hooks/pre-commit");

    let shown =
        ["CLAUDE.md: changed", "+- Systems: shapes.", "lispwright.toml: new", "pre-commit: new", "Nothing was written"];
    check(here, &["init"], "", 0, &shown);
    assert!(!here.join("lispwright.toml").exists() && !hook.exists());
    check(here, &["init", "--write"], "", 0, &["Written. Next: lispwright doctor"]);
    check(here, &["init", "--write"], "", 0, &["There is nothing to do."]);
    let section = fs::read_to_string(here.join("CLAUDE.md")).unwrap();
    assert!(section.starts_with("# Shapes\n\n<!-- lispwright: begin -->\n"), "{section}");
    // The configuration can be read.
    check(here, &["check", "a.lisp"], "", 0, &["balanced"]);
    let path = Path::new(env!("CARGO_BIN_EXE_lispwright")).parent().unwrap().display().to_string();
    let path = format!("{path}:{}", std::env::var("PATH").unwrap());
    let commit = |file: &str| {
        let staged = Command::new("git").args(["add", file]).current_dir(here).status().unwrap();
        assert!(staged.success());
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-m", "b"]).env("PATH", &path);
        git.current_dir(here).output().unwrap()
    };
    let refused = commit("broken.lisp");
    assert!(!refused.status.success() && text_of(&refused).contains("broken.lisp:3"), "{}", text_of(&refused));
    fs::write(here.join("broken.lisp"), "(defun f (x) x)\n").unwrap();
    let done = commit("broken.lisp");
    assert!(done.status.success(), "{}", text_of(&done));

    check(here, &["init", "--remove", "--write"], "", 0, &["Removed."]);
    assert_eq!(fs::read_to_string(here.join("CLAUDE.md")).unwrap(), "# Shapes\n");
    assert!(!here.join("lispwright.toml").exists() && !hook.exists());
    fs::write(&hook, "#!/bin/sh\n").unwrap();
    check(here, &["init"], "", 0, &["pre-commit is yours and stays", "pre-commit: stays as it is"]);
    let nothing = tempfile::tempdir().unwrap();
    check(nothing.path(), &["init"], "", 2, &["no file below it has the extension of a Lisp"]);
}

#[test]
fn names_in_texts_of_at_forms_are_uses() {
    let project = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("a.rkt", "#lang racket/base\n(provide foo)\n(define (foo x) x)\n(define (told x) x)\n(define (gone x) x)\n"),
        ("b.rkt", "#lang at-exp racket/base\n(require \"a.rkt\")\n(display @foo{hällo})\n(foo 1)\n"),
        ("c.scrbl", "#lang scribble/base\nÜber told.\n"),
        ("d.rkt", "#lang pollen\nfoo\n"),
    ] {
        fs::write(project.path().join(name), text).unwrap();
    }
    let said = |args: &[&str]| {
        let output = lispwright(project.path(), args, "");
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let unused = said(&["unused"]);
    assert!(
        unused.contains("a.rkt:5: define gone") && unused.contains("1 safe to delete, 1 used in a possible way"),
        "{unused}"
    );
    assert!(unused.contains("a.rkt:4: define told  c.scrbl:2: string: Über told."), "{unused}");
    assert!(!unused.contains("foo") && unused.contains("d.rkt") && !unused.contains("b.rkt"), "{unused}");
    let refs = said(&["refs", "foo"]);
    assert!(refs.starts_with("3 uses of foo in 3 forms:\n"), "{refs}");
    assert!(refs.contains("b.rkt:3:11: call in display @foo{hällo}: (display @foo{hällo})\n"), "{refs}");
    assert!(said(&["lint"]).contains("Not examined: b.rkt, c.scrbl, d.rkt: "), "{}", said(&["lint"]));
    let edit = said(&["edit", "b.rkt", "delete", "foo"]);
    assert!(edit.contains("its #lang line names a notation of its own"), "{edit}");
}

#[test]
fn texts_of_at_forms_are_checked() {
    let project = tempfile::tempdir().unwrap();
    let check = |name: &str, text: &str| {
        fs::write(project.path().join(name), text).unwrap();
        let output = lispwright(project.path(), &["check", name], "");
        (String::from_utf8(output.stdout).unwrap(), output.status.code())
    };
    let (said, code) = check("a.scrbl", "#lang scribble/base\n:-( @(define x '(1)) @b{c} @verb|{ } }|\n");
    assert!(code == Some(0) && said.contains("balanced (") && said.contains("racket"), "{said}");
    let (said, code) = check("a.rkt", "#lang at-exp racket\n(f @list{a)\n  b)\n");
    assert!(code == Some(1) && said.contains("a.rkt:2:1: unclosed") && said.contains("(f @list{a)"), "{said}");
    assert!(said.contains("No fix is known: prose stands beside the code."), "{said}");
}
