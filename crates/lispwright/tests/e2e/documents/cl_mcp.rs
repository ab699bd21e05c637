//! The documents of cl-mcp and of lisp-mcp-server before it, and the schemas of cl-mcp 2.2.

use std::fs;

use serde_json::{Value, json};

use super::{Outcome, Played};
use crate::client::{Client, binary, cache};
use crate::project::Project;

const ROVE: &str = include_str!("../stand_ins/rove.lisp");

const SYSTEM: &str = r#"(defpackage :cl-mcp (:use :cl) (:export #:version #:greet #:*limit* #:shout))
(in-package :cl-mcp)

(defparameter *limit* 3
  "How many.")

(defun version ()
  "The version of the server."
  (list 1 2 *limit*))

(defmacro shout (text)
  `(string-upcase ,text))

(defclass my-class () ((size :initform 1)))

(defmethod print-object ((obj my-class) stream)
  (print-unreadable-object (obj stream :type t)
    (format stream "of ~a" (slot-value obj 'size))))

(defun greet (name &key loud)
  (setf *limit* 4)
  (if loud (shout name) (list name (version))))
"#;

const TESTS: &str = r#"(defpackage :cl-mcp/tests/clhs-test (:use :cl :rove))
(in-package :cl-mcp/tests/clhs-test)

(deftest clhs-lookup-symbol-returns-hash-table
  (ok (hash-table-p (make-hash-table))))

(deftest fails
  (ok (= 1 (+ 1 1)) "one and one"))
"#;

/// A project with the systems that the document's examples name.
fn project() -> Project {
    let project = Project::new();
    project.file(
        "cl-mcp.asd",
        "(defsystem \"cl-mcp\" :pathname \"src\" :components ((:file \"main\")))\n\
         (defsystem \"cl-mcp/tests/clhs-test\" :depends-on (\"cl-mcp\" \"rove\") :components ((:file \"clhs-test\")))\n",
    );
    project.file("rove.asd", "(defsystem \"rove\" :components ((:file \"rove\")))\n");
    project.file("rove.lisp", ROVE);
    project.file("src/main.lisp", SYSTEM);
    project.file("clhs-test.lisp", TESTS);
    project
}

fn played() -> Played {
    let mut played = Played::new("cl-mcp", project());
    played.line(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#);
    played
}

#[test]
fn it_opens_as_the_document_says() {
    for version in ["2025-06-18", "2025-03-26", "2024-11-05"] {
        let mut played = Played::new("cl-mcp", project());
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}}}}}"#
        );
        assert_eq!(played.line(&line)["result"]["protocolVersion"], version);
    }
    let mut played = Played::new("cl-mcp", project());
    let refused = played.line(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1999-12-31","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
    );
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let supported = refused["error"]["data"]["supportedVersions"].as_array().unwrap();
    for version in ["2025-06-18", "2025-03-26", "2024-11-05"] {
        assert!(supported.contains(&json!(version)), "{refused}");
    }
    // A line for each answer, and none for a notification.
    let opened = played.line(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#);
    assert!(opened["result"]["capabilities"]["tools"].is_object(), "{opened}");
    played.client.send_line(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!(
        played.line(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#),
        json!({ "jsonrpc": "2.0", "id": 7, "result": {} })
    );
}

#[test]
fn its_examples_are_answered_as_printed() {
    let mut played = played();
    let answer = played.line(
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\", \"params\":{\"name\":\"repl-eval\",\"arguments\":{\"code\":\"(+ 1 2)\"}}}",
    );
    assert_eq!(answer["result"]["content"], json!([{ "type": "text", "text": "3" }]));
    let made = played
        .bare(r#"{"method":"tools/call","params":{"name":"repl-eval","arguments":{"code":"(make-hash-table)"}}}"#);
    let id = made.fields["result_object_id"].as_i64().unwrap();
    let request = r#"{"method":"tools/call","params":{"name":"inspect-object","arguments":{"id":42}}}"#;
    let inspected = played.bare(&request.replace("42", &id.to_string()));
    inspected.has("entries:array meta:object summary:string");
    assert_eq!(
        (&inspected.fields["kind"], &inspected.fields["test"], &inspected.fields["id"]),
        (&json!("hash-table"), &json!("EQL"), &json!(id))
    );
    let loaded = played.line(
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call", "params":{"name":"load-system","arguments":{"system":"cl-mcp"}}}"#,
    );
    let loaded = Outcome::of(&loaded);
    loaded.has("system:string status:string duration_ms:integer warnings:integer forced:boolean clear_fasls:boolean message:null");
    assert_eq!((&loaded.fields["system"], &loaded.fields["status"]), (&json!("cl-mcp"), &json!("loaded")));
    let tested = played.bare(
        r#"{"method":"tools/call","params":{"name":"run-tests","arguments":{"system":"cl-mcp/tests/clhs-test"}}}"#,
    );
    tested.has("passed:integer failed:integer pending:integer framework:string duration_ms:integer failed_tests:array");
    assert_eq!(
        [&tested.fields["passed"], &tested.fields["failed"], &tested.fields["framework"]],
        [&json!(1), &json!(1), &json!("rove")]
    );
    let failed = &tested.fields["failed_tests"][0];
    for key in ["test_name", "description", "form", "values", "reason", "source"] {
        assert!(!failed[key].is_null(), "{key}: {failed}");
    }
    assert_eq!(failed["source"], json!({ "file": "clhs-test.lisp", "line": 7 }));
    let one = played.bare(
        r#"{"method":"tools/call","params":{"name":"run-tests","arguments":{"system":"cl-mcp/tests/clhs-test","test":"cl-mcp/tests/clhs-test::clhs-lookup-symbol-returns-hash-table"}}}"#,
    );
    assert_eq!((&one.fields["passed"], &one.fields["failed"]), (&json!(1), &json!(0)), "{}", one.text);
    let status = Outcome::of(
        &played
            .line(r#"{"jsonrpc":"2.0","id":4,"method":"tools/call", "params":{"name":"pool-status","arguments":{}}}"#),
    );
    status.has(
        "pool_running:boolean total_workers:integer bound_count:integer standby_count:integer max_pool_size:integer \
         warmup_target:integer workers:array",
    );
    assert_eq!(status.fields["bound_count"], 1);
    let worker = &status.fields["workers"][0];
    assert!(worker["id"].is_i64() && worker["pid"].is_i64() && worker.get("tcp_port").is_some(), "{worker}");
    assert_eq!((&worker["state"], &worker["session"]), (&json!("bound"), &json!("main")));
    let killed = played.bare(r#"{"method":"tools/call","params":{"name":"pool-kill-worker","arguments":{}}}"#);
    assert_eq!((&killed.fields["killed"], killed.is_error), (&json!(true), false));
    let again = played.bare(r#"{"method":"tools/call","params":{"name":"pool-kill-worker","arguments":{}}}"#);
    assert_eq!((&again.fields["killed"], again.is_error), (&json!(false), false), "nothing was there to kill");
    played.ok("repl-eval", json!({ "code": "(defvar *kept* 1)" }));
    let renewed =
        played.bare(r#"{"method":"tools/call","params":{"name":"pool-kill-worker","arguments":{"reset":true}}}"#);
    assert_eq!((&renewed.fields["killed"], &renewed.fields["reset"]), (&json!(true), &json!(true)));
    assert!(played.call("repl-eval", json!({ "code": "*kept*" })).is_error, "all state of the worker is lost");
}

#[test]
fn an_evaluation_has_the_fields_of_the_document() {
    let mut played = played();
    let both = played.ok("repl-eval", json!({ "code": "(progn (princ 1) (format *error-output* \"e\") (list 1 2))" }));
    both.has("stdout:string stderr:string result_object_id:integer error_context:null");
    assert_eq!((&both.fields["stdout"], &both.fields["stderr"]), (&json!("1"), &json!("e")));
    assert!(both.text.starts_with("(1 2)\n"), "{}", both.text);
    played.ok("repl-eval", json!({ "code": "1" })).has("result_object_id:null error_context:null");
    let nested = "'(1 (2 (3 (4))) 5 6 7)";
    for arguments in [
        json!({ "code": nested, "print_level": 2, "print_length": 3 }),
        json!({ "code": nested, "printLevel": 2, "printLength": 3 }),
    ] {
        assert!(played.ok("repl-eval", arguments).text.starts_with("(1 (2 #) 5 ...)"));
    }
    let all =
        json!({ "code": nested, "printLevel": null, "print_length": null, "timeout_seconds": null, "safe_read": null });
    assert!(played.ok("repl-eval", all).text.starts_with("(1 (2 (3 (4))) 5 6 7)"));
    let unsafe_read = played.call("repl-eval", json!({ "code": "#.(+ 1 2)", "safe_read": true }));
    assert!(unsafe_read.is_error, "{}", unsafe_read.text);
    assert_eq!(played.ok("repl-eval", json!({ "code": "#.(+ 1 2)" })).text, "3");
    let late = played.call("repl-eval", json!({ "code": "(progn (princ 'begun) (loop))", "timeout_seconds": 0.5 }));
    assert!(late.is_error && late.text.contains("TIMEOUT"), "{}", late.text);
    let cut =
        played.ok("repl-eval", json!({ "code": "(make-string 5000 :initial-element #\\a)", "max_output_length": 300 }));
    assert!(cut.text.len() < 1500 && cut.text.contains("left out"), "{}", cut.text);
    let code =
        "(defun f (secret) (restart-case (error \"no ~a\" (1+ secret)) (again () :report \"Try again.\" 1))) (f 41)";
    let failed = played.call("repl-eval", json!({ "code": code, "locals_preview_frames": 1, "preview_max_depth": 1 }));
    let context = &failed.fields["error_context"];
    assert_eq!((&context["condition_type"], &context["message"]), (&json!("SIMPLE-ERROR"), &json!("no 42")));
    assert_eq!(context["restarts"][0], json!({ "name": "AGAIN", "description": "Try again." }));
    let frame = &context["frames"][0];
    assert!(frame["function"].as_str().unwrap().contains("F 41"), "{context}");
    assert_eq!(frame["locals"][0], json!({ "name": "SECRET", "value": "41" }), "{context}");
}

#[test]
fn objects_have_the_fields_of_their_kinds() {
    let mut played = played();
    for (code, kind, fields) in [
        ("'(1 (2 3))", "list", "elements:array"),
        (
            "(let ((h (make-hash-table :test 'equal))) (setf (gethash \"a\" h) 1) h)",
            "hash-table",
            "entries:array test:string",
        ),
        (
            "(make-array '(2 2) :element-type 'fixnum)",
            "array",
            "elements:array dimensions:string|array element_type:string",
        ),
        ("(progn (defclass c () ((a :initform 1))) (make-instance 'c))", "instance", "class:string slots:array"),
        ("(progn (defstruct s a) (make-s :a 1))", "structure", "class:string slots:array"),
        ("(lambda (x) x)", "function", "lambda_list:string"),
    ] {
        let id = played.ok("repl-eval", json!({ "code": code })).fields["result_object_id"].clone();
        let object = played.ok("inspect-object", json!({ "id": id }));
        assert_eq!(object.fields["kind"], kind, "{code}");
        object.has("summary:string id:integer meta:object").has(fields);
        assert!(object.fields["meta"]["truncated"].is_boolean(), "{code}");
    }
    let code = "(let ((l (list 1 2))) (setf (cdr (last l)) l) (list l l))";
    let id = played.ok("repl-eval", json!({ "code": code })).fields["result_object_id"].clone();
    played.ok("inspect-object", json!({ "id": id, "max_depth": 3, "max_elements": 2 }));
    let summary = played.ok("inspect-object", json!({ "id": id, "max_depth": 0 }));
    assert!(summary.fields.contains_key("summary"), "{:?}", summary.fields);
    assert!(played.call("inspect-object", json!({ "id": 4242 })).is_error);
}

#[test]
fn files_are_read_in_the_modes_of_the_document() {
    let mut played = played();
    let project = &played.project;
    let long: String = (1..=700).map(|line| format!("(defvar *v{line}* {line})\n")).collect();
    project.file("long.lisp", &long);
    let notes: String = (1..=40).map(|line| format!("line {line}\n")).collect();
    project.file("notes.txt", &notes);
    let collapsed = played.ok("lisp-read-file", json!({ "path": "src/main.lisp" }));
    assert_eq!(
        (&collapsed.fields["mode"], &collapsed.fields["path"]),
        (&json!("lisp-collapsed"), &json!("src/main.lisp"))
    );
    assert!(collapsed.fields["meta"]["total_forms"].is_u64() && collapsed.fields["meta"]["expanded_forms"].is_u64());
    assert!(collapsed.text.contains("(in-package :cl-mcp)"), "{}", collapsed.text);
    let absolute = played.project.at("src/main.lisp");
    let expanded = played.ok("lisp-read-file", json!({ "path": absolute, "name_pattern": "^print-object" }));
    assert!(expanded.text.contains("(format stream \"of ~a\""), "{}", expanded.text);
    assert_eq!(expanded.fields["meta"]["expanded_forms"], 1);
    let raw = played.ok("lisp-read-file", json!({ "path": "src/main.lisp", "collapsed": false }));
    assert_eq!((&raw.fields["mode"], raw.text.as_str()), (&json!("raw"), SYSTEM));
    assert_eq!(raw.fields["meta"], json!({ "total_lines": SYSTEM.lines().count(), "truncated": false }));
    let first = played.ok("lisp-read-file", json!({ "path": "long.lisp", "collapsed": false }));
    assert!(
        first.text.ends_with("[Showing lines 1-500 of 700. Use offset=500 to read more.]"),
        "500 lines are the default"
    );
    assert!(first.text.starts_with("(defvar *v1* 1)\n(defvar *v2* 2)\n"));
    let rest =
        played.ok("lisp-read-file", json!({ "path": "long.lisp", "collapsed": false, "offset": 500, "limit": 200 }));
    assert!(rest.text.starts_with("(defvar *v501* 501)\n") && rest.text.ends_with("(defvar *v700* 700)\n"));
    let snippet = played.ok("lisp-read-file", json!({ "path": "notes.txt" }));
    assert_eq!((&snippet.fields["mode"], snippet.text.as_str()), (&json!("text-snippet"), notes.as_str()));
    let filtered = played.ok("lisp-read-file", json!({ "path": "notes.txt", "content_pattern": "line 20" }));
    assert_eq!(filtered.fields["mode"], "text-filtered");
    assert!(filtered.text.contains("line 15\n") && filtered.text.contains("line 25"), "{}", filtered.text);
    assert!(!filtered.text.contains("line 14\n") && !filtered.text.contains("line 26"), "{}", filtered.text);
}

#[test]
fn parentheses_are_checked_under_both_names() {
    let mut played = played();
    for name in ["lisp-check-parens", "check-parens"] {
        let good = played.ok(name, json!({ "code": "(a \")\" #| ( |# ; (\n b)" }));
        assert_eq!(good.fields["ok"], true);
        for (code, kind) in [("(a", "unclosed"), ("(a))", "extra-close"), ("(ns a) (f]", "mismatch")] {
            // In Common Lisp, brackets are part of names.
            played.project.file("code.clj", code);
            let bad = played.ok(name, json!({ "path": "code.clj" }));
            assert_eq!((&bad.fields["ok"], &bad.fields["kind"]), (&json!(false), &json!(kind)), "{code}");
            for key in ["offset", "line", "column"] {
                assert!(bad.fields["position"][key].is_u64(), "{code}: {:?}", bad.fields);
            }
        }
        let window = played.ok(name, json!({ "path": "src/main.lisp", "offset": 0, "limit": 30 }));
        assert_eq!(window.fields["ok"], false);
        assert!(
            played.call(name, json!({ "path": "src/main.lisp", "code": "(a)" })).is_error,
            "they exclude each other"
        );
    }
}

#[test]
fn forms_are_edited_with_the_fields_of_the_document() {
    let mut played = played();
    let edit = |change: Value| {
        let mut arguments = json!({
            "file_path": "src/main.lisp", "form_type": "defmethod", "form_name": "print-object ((obj my-class) stream)",
            "operation": "replace", "content": "(defmethod print-object ((obj my-class) stream)\n  (format stream \"mine\"))",
        });
        for (name, value) in change.as_object().unwrap() {
            arguments[name] = value.clone();
        }
        arguments
    };
    let before = played.project.text("src/main.lisp");
    let dry = played.ok("lisp-edit-form", edit(json!({ "dry_run": true })));
    dry.has("would_change:boolean original:string preview:string bytes:absent parinfer_warning:absent");
    assert!(dry.fields["original"].as_str().unwrap().starts_with("(defmethod print-object"));
    let preview = dry.fields["preview"].as_str().unwrap();
    assert!(preview.starts_with("(defpackage :cl-mcp") && preview.contains("\"mine\""), "the whole file: {preview}");
    assert_eq!(played.project.text("src/main.lisp"), before);
    let missing = edit(
        json!({ "dry_run": true, "content": "(defmethod print-object ((obj my-class) stream)\n  (format stream \"mine\")" }),
    );
    played.ok("lisp-edit-form", missing).has("parinfer_warning:string");
    let done = played.ok("lisp-edit-form", edit(json!({ "normalize_blank_lines": true, "readtable": "a:b" })));
    done.has("path:string operation:string form_type:string form_name:string would_change:boolean bytes:integer");
    let now = played.project.text("src/main.lisp");
    assert_eq!((&done.fields["bytes"], now.as_str()), (&json!(now.len()), preview));
    for (operation, content) in [("insert_before", "(defun one () 1)"), ("insert_after", "(defun two () 2)")] {
        played.ok(
            "lisp-edit-form",
            edit(json!({ "form_type": "defun", "form_name": "version", "operation": operation, "content": content })),
        );
    }
    let text = played.project.text("src/main.lisp");
    let at = |part: &str| text.find(part).unwrap();
    assert!(at("(defun one") < at("(defun version") && at("(defun version") < at("(defun two"));
    let patch = |change: Value| {
        let mut arguments = json!({
            "file_path": "src/main.lisp", "form_type": "defun", "form_name": "version", "old_text": "(list 1 2", "new_text": "(list 1 22",
        });
        for (name, value) in change.as_object().unwrap() {
            arguments[name] = value.clone();
        }
        arguments
    };
    let dry = played.ok("lisp-patch-form", patch(json!({ "dry_run": true })));
    dry.has("original:string preview:string would_change:boolean");
    assert_eq!(dry.fields["operation"], "patch");
    assert!(dry.fields["preview"].as_str().unwrap().starts_with("(defun version"), "the form alone");
    let done = played.ok("lisp-patch-form", patch(json!({})));
    done.has("path:string form_type:string form_name:string would_change:boolean bytes:integer");
    assert_eq!(done.fields["delta"], 1);
    let same = played.ok("lisp-patch-form", patch(json!({ "old_text": "22", "new_text": "22" })));
    assert_eq!(same.fields["would_change"], false);
    same.has("delta:absent");
    let unbalanced = played.call("lisp-patch-form", patch(json!({ "old_text": "22", "new_text": "22)" })));
    assert!(unbalanced.is_error, "a patch does not repair: {}", unbalanced.text);
    for broken in [patch(json!({ "old_text": "nowhere" })), patch(json!({ "old_text": "i", "new_text": "j" }))] {
        assert!(played.call("lisp-patch-form", broken).is_error);
    }
}

#[test]
fn names_are_found_described_and_referred_to() {
    let mut played = played();
    played.ok("load-system", json!({ "system": "cl-mcp" }));
    let found = played.ok("code-find", json!({ "symbol": "cl-mcp:version" }));
    assert_eq!((&found.fields["path"], &found.fields["line"]), (&json!("src/main.lisp"), &json!(7)));
    played.ok("code-find", json!({ "symbol": "version", "package": "cl-mcp" }));
    let outside = played.call("code-find", json!({ "symbol": "cl:mapcar" }));
    assert!(!outside.text.is_empty());
    for (symbol, kind, arglist) in [
        ("cl-mcp:version", "function", "()"),
        ("cl-mcp:shout", "macro", "(text)"),
        ("cl-mcp:greet", "function", "(name &key loud)"),
    ] {
        let described = played.ok("code-describe", json!({ "symbol": symbol }));
        assert_eq!(
            (&described.fields["type"], &described.fields["arglist"]),
            (&json!(kind), &json!(arglist)),
            "{symbol}"
        );
        described.has("documentation:string|null");
    }
    let variable = played.ok("code-describe", json!({ "symbol": "cl-mcp:*limit*" }));
    assert_eq!(
        (&variable.fields["type"], &variable.fields["documentation"]),
        (&json!("variable"), &json!("How many."))
    );
    let unbound = played.call("code-describe", json!({ "symbol": "no-such-name", "package": "cl-mcp" }));
    assert_eq!((&unbound.fields["type"], unbound.is_error), (&json!("unbound"), true), "{}", unbound.text);
    let uses = |played: &mut Played, symbol: &str| -> Vec<(u64, String)> {
        let answer = played.ok("code-find-references", json!({ "symbol": symbol, "project_only": true }));
        answer.has("refs:array count:integer symbol:string project_only:boolean");
        let refs = answer.fields["refs"].as_array().unwrap();
        assert_eq!(answer.fields["count"], refs.len());
        for key in ["path", "line", "type", "context"] {
            assert!(refs.iter().all(|one| !one[key].is_null()), "{key}: {refs:?}");
        }
        let of = |one: &Value| (one["line"].as_u64().unwrap(), one["type"].as_str().unwrap().to_owned());
        refs.iter().map(of).collect()
    };
    assert!(uses(&mut played, "cl-mcp:version").contains(&(22, "call".to_owned())));
    assert!(uses(&mut played, "cl-mcp:shout").contains(&(22, "macro".to_owned())));
    let of_limit = uses(&mut played, "cl-mcp:*limit*");
    assert!(
        of_limit.contains(&(21, "set".to_owned())) && of_limit.contains(&(9, "reference".to_owned())),
        "{of_limit:?}"
    );
}

#[test]
fn a_failed_load_says_so_in_its_status() {
    let mut played = played();
    played.project.file("bad.asd", "(defsystem \"bad\" :components ((:file \"bad\")))\n");
    played.project.file("bad.lisp", "(error \"broken on purpose\")\n");
    played.project.file("slow.asd", "(defsystem \"slow\" :components ((:file \"slow\")))\n");
    played.project.file("slow.lisp", "(eval-when (:load-toplevel) (sleep 60))\n");
    played.project.file("warns.asd", "(defsystem \"warns\" :components ((:file \"warns\")))\n");
    played.project.file("warns.lisp", "(defun warns (x) (nowhere))\n");
    let absent = played.call("load-system", json!({ "system": "absent" }));
    assert_eq!((&absent.fields["status"], &absent.fields["system"]), (&json!("error"), &json!("absent")));
    absent.has("message:string");
    let bad = played.call("load-system", json!({ "system": "bad", "force": false, "clear_fasls": true }));
    assert_eq!(
        [&bad.fields["status"], &bad.fields["forced"], &bad.fields["clear_fasls"]],
        [&json!("error"), &json!(false), &json!(true)]
    );
    bad.has("message:string duration_ms:integer");
    let slow = played.call("load-system", json!({ "system": "slow", "timeout_seconds": 2 }));
    assert_eq!(slow.fields["status"], "timeout", "{}", slow.text);
    let warns = played.ok("load-system", json!({ "system": "warns" }));
    assert!(warns.fields["warnings"].as_u64().unwrap() > 0);
    assert!(
        warns.fields["warning_details"].as_str().unwrap().contains("nowhere") || warns.text.contains("NOWHERE"),
        "{}",
        warns.text
    );
}

#[test]
fn spellings_and_next_calls_are_those_of_the_server() {
    let mut played = played();
    for name in ["repl-eval", "REPL-EVAL", "replEval", "mcp__cl-mcp__repl-eval", "mcp__x.repl-eval"] {
        assert_eq!(played.ok(name, json!({ "code": "3" })).text, "3", "{name}");
    }
    // The tool's own name has its own form.
    assert_eq!(played.ok("repl_eval", json!({ "code": "3" })).text, "=> 3");
    let near = played.client.request("tools/call", json!({ "name": "lisp-edit-from", "arguments": {} }));
    assert!(near["error"]["message"].as_str().unwrap().contains("lisp-edit-form"), "{near}");
    let lost = played.call(
        "lisp-edit-form",
        json!({ "file_path": "src/main.lisp", "form_type": "defun", "form_name": "versoin", "operation": "delete" }),
    );
    assert!(lost.is_error && lost.text.contains("version") && lost.text.contains("lisp-read-file"), "{}", lost.text);
    let many = played.ok("repl-eval", json!({ "code": "(loop for i below 500 collect i)" }));
    assert!(many.text.contains("inspect-object {\"id\": "), "{}", many.text);
    for text in [&lost.text, &many.text] {
        assert!(!text.contains("lisp_") && !text.contains("repl_") && !text.contains("inspect_"), "{text}");
    }
}

#[test]
fn files_of_any_kind_are_read_and_written() {
    let mut played = played();
    let written = played.ok("fs-write-file", json!({ "path": "notes/day.txt", "content": "one\ntwo\n" }));
    assert_eq!(written.fields["success"], true);
    assert_eq!(played.project.text("notes/day.txt"), "one\ntwo\n");
    assert_eq!(played.ok("fs-read-file", json!({ "path": "notes/day.txt" })).text, "one\ntwo\n");
    let window = played.ok("fs-read-file", json!({ "path": "notes/day.txt", "offset": 4, "limit": 3 }));
    assert!(window.text.starts_with("two\n\n[TRUNCATED: ") && window.text.contains("offset=7"), "{}", window.text);
    let outside = played.call("fs-write-file", json!({ "path": "../secret.lisp", "content": "" }));
    assert!(outside.is_error, "{}", outside.text);
    let over = played.call("fs-write-file", json!({ "path": "src/main.lisp", "content": "" }));
    assert!(over.is_error && over.text.contains("lisp-edit-form"), "{}", over.text);
    let listed = played.ok("fs-list-directory", json!({ "path": "src" }));
    assert_eq!(listed.fields["entries"], json!([{ "name": "main.lisp", "type": "file" }]));
    assert!(listed.text.contains("main.lisp"), "{}", listed.text);
    let info = played.ok("fs-get-project-info", json!({}));
    info.has("project_root:string cwd:string|null project_root_source:string relative_cwd:string|null");
    let root = info.fields["project_root"].clone();
    let set = played.ok("fs-set-project-root", json!({ "path": root }));
    set.has("project_root:string cwd:string previous_root:string status:string");
}

/// `MCP_LOG_FILE` is the pattern of a name, and what is in the file is on standard error, too.
#[test]
fn logs_go_to_a_file_with_time_and_number() {
    let project = project();
    let pattern = project.beside("cl-mcp.log");
    let mut command = std::process::Command::new(binary());
    command.args(["mcp", "--surface", "cl-mcp", "--root"]).arg(project.root());
    command.env("XDG_CACHE_HOME", cache()).env("MCP_LOG_LEVEL", "debug").env("MCP_LOG_FILE", &pattern);
    command.stderr(std::process::Stdio::piped());
    let mut client = Client::spawn(command);
    client.shake_hands();
    client.call("lisp-check-parens", json!({ "code": "(a)" }));
    let pid = client.pid();
    let mut said = client.stderr();
    assert!(client.finish().success());
    let mut on_stderr = String::new();
    std::io::Read::read_to_string(&mut said, &mut on_stderr).unwrap();
    let directory = pattern.parent().unwrap();
    let names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("cl-mcp-") && name.ends_with(&format!("-{pid}.log")))
        .collect();
    assert_eq!(names.len(), 1, "{names:?}");
    // cl-mcp-2026-03-01T09-15-30-12345.log
    assert_eq!(names[0].len(), "cl-mcp-2026-03-01T09-15-30".len() + format!("-{pid}.log").len(), "{names:?}");
    let in_file = fs::read_to_string(directory.join(&names[0])).unwrap();
    assert_eq!(in_file, on_stderr);
    let calls: Vec<Value> = in_file
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["fields"]["tool"] == "lisp-check-parens")
        .collect();
    assert_eq!(calls.len(), 1, "{in_file}");
}

#[test]
fn the_hyperspec_is_looked_up_as_in_the_examples() {
    let project = project();
    project.file("lispwright.toml", "[common-lisp]\nhyperspec = \"clhs\"\n");
    let page = |title: &str| {
        format!(
            "<TITLE>CLHS: {title}</TITLE><BODY><HR><B>Syntax:</B><P>toy<P><B>Description:</B><P>{title} at length.<HR>"
        )
    };
    project.file("clhs/Body/m_loop.htm", page("Macro LOOP"));
    project.file("clhs/Body/22_c.htm", page("Section 22.3"));
    let mut played = Played::new("cl-mcp", project);
    played.line(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#);
    let url = |played: &Played, page: &str| json!(format!("file://{}", played.project.at(page).display()));
    let found = played.bare(r#"{"method":"tools/call","params":{"name":"clhs-lookup","arguments":{"query":"loop"}}}"#);
    found.has("symbol:string section:absent url:string source:string");
    assert_eq!((&found.fields["symbol"], &found.fields["source"]), (&json!("loop"), &json!("local")));
    assert_eq!(found.fields["url"], url(&played, "clhs/Body/m_loop.htm"));
    assert!(found.text.contains("Macro LOOP at length."), "{}", found.text);
    let found = played.bare(r#"{"method":"tools/call","params":{"name":"clhs-lookup","arguments":{"query":"22.3"}}}"#);
    found.has("section:string symbol:absent url:string source:string");
    assert_eq!((&found.fields["section"], &found.fields["url"]), (&json!("22.3"), &url(&played, "clhs/Body/22_c.htm")));
    let bare = played.ok("clhs-lookup", json!({ "query": "loop", "include_content": false }));
    assert!(!bare.text.contains("toy"), "{}", bare.text);
    let brief = played.ok("clhs-lookup", json!({ "query": "loop", "brief": true }));
    assert!(brief.text.ends_with("Syntax:\n\ntoy"), "{}", brief.text);
    // What is only elsewhere has its public address.
    let remote = played.ok("clhs-lookup", json!({ "query": "HANDLER-CASE", "include_content": false }));
    remote.has("symbol:string url:string source:string");
    assert!(remote.fields["url"].as_str().unwrap().ends_with("/HyperSpec/Body/m_hand_1.htm"), "{:?}", remote.fields);
    assert!(played.call("clhs-lookup", json!({ "query": "no-such-symbol" })).is_error);
}
