//! The tools under other servers' names and arguments.

use serde_json::{Value, json};

use crate::client::{Answer, Client, server_command};
use crate::project::Project;

const CODE: &str = "(defun f (x) x)\n\n(defun g () 2)\n";

/// A server with a surface, on a project with one file.
fn serve(surface: &str) -> (Project, Client) {
    let project = Project::new();
    project.file("a.lisp", CODE);
    let mut command = server_command(&project.root());
    command.args(["--surface", surface]);
    (project, Client::connect(command))
}

#[track_caller]
fn ok(client: &mut Client, name: &str, arguments: Value) -> Answer {
    let answer = client.call(name, arguments);
    assert!(!answer.is_error, "{name}: {}", answer.text);
    answer
}

fn listed(client: &mut Client) -> Vec<String> {
    let answer = client.request("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// The requests and answers in the text of the protocol.
#[test]
fn the_guard_has_its_dotted_names() {
    let (_project, mut client) = serve("sexp-guard");
    assert_eq!(listed(&mut client).len(), 8);
    let slice = |text: &str, start: u32, end: u32| json!({ "text": text, "start": start, "end": end });
    for (name, request, answer) in [
        (
            "pushDelimiter",
            json!({ "stack": ["paren", "brace"], "type": "paren", "cursor": 214, "docSlice?": slice("(", 214, 215) }),
            json!({ "ok": true, "stack": ["paren", "brace", "paren"] }),
        ),
        (
            "popDelimiter",
            json!({ "stack": ["paren", "brace", "paren"], "type": "paren", "cursor": 300, "docSlice": slice(")", 300, 301) }),
            json!({ "ok": true, "stack": ["paren", "brace"] }),
        ),
        ("setSentinel", json!({ "cursor": 320 }), json!({ "ok": true, "sentinel": 320 })),
        (
            "balanceAndResume",
            json!({ "stack": ["paren"], "sentinel": 320, "mode": "suggest-fix", "docSlice?": slice("(inc 1", 310, 320) }),
            json!({ "ok": true, "balanced": false, "fix": { "edits": [slice(")", 320, 320)], "newStack": [] } }),
        ),
        (
            "balanceAndResume",
            json!({ "stack": [], "sentinel": 320, "mode": "assert-empty" }),
            json!({ "ok": true, "balanced": true, "stack": [] }),
        ),
        ("pushMany", json!({ "stack": [], "types": ["paren"] }), json!({ "ok": true, "stack": ["paren"] })),
        ("popMany", json!({ "stack": ["paren"], "expected": ["paren"] }), json!({ "ok": true, "stack": [] })),
        (
            "batch",
            json!({ "stack": [], "ops": [
                { "op": "push", "type": "paren" }, { "op": "push", "type": "bracket" },
                { "op": "pop", "type": "bracket" }, { "op": "pop", "type": "paren" }
            ] }),
            json!({ "ok": true, "stack": [] }),
        ),
    ] {
        let found = ok(&mut client, &format!("sexp.guard.{name}"), request);
        assert_eq!(found.fields, answer, "{name}");
    }
    let first = ok(&mut client, "sexp.guard.scan", json!({ "text": "(f \"(" })).fields["state"].clone();
    let last = ok(&mut client, "sexp.guard.scan", json!({ "text": "\")", "state": first, "mode": "assert-empty" }));
    assert_eq!(last.fields["balanced"], true);
    let edn = ok(&mut client, "sexp.guard.setSentinel", json!({ "cursor": 320, "format": "edn" }));
    assert_eq!(
        (edn.text.as_str(), &edn.fields),
        ("{:ok true, :sentinel 320}", &json!({ "ok": true, "sentinel": 320 }))
    );
    let refused = client.call("sexp.guard.popDelimiter", json!({ "stack": ["paren"], "type": "brace" }));
    let error = &refused.fields["error"];
    assert!(
        refused.is_error && error["code"] == "MISMATCH" && error["stack"] == json!(["paren"]),
        "{}",
        refused.fields
    );
    // The other spelling of a listed name is the same tool; tools outside of the surface are unknown.
    ok(&mut client, "sexp_guard_set_sentinel", json!({ "cursor": 1 }));
    let absent = client.request("tools/call", json!({ "name": "repl_eval", "arguments": { "code": "1" } }));
    assert_eq!(absent["error"]["code"], -32602, "{absent}");
}

#[test]
fn cl_mcp_names_read_edit_and_evaluate() {
    let (project, mut client) = serve("cl-mcp");
    let names = listed(&mut client);
    assert_eq!(names[..4], ["lisp-read-file", "lisp-edit-form", "lisp-patch-form", "lisp-check-parens"]);
    ok(&mut client, "lisp-read-file", json!({ "path": "a.lisp", "collapsed": true, "readtable": "x:y" }));
    ok(
        &mut client,
        "lisp-edit-form",
        json!({ "file_path": "a.lisp", "form_type": "defun", "form_name": "f", "operation": "replace",
                "content": "(defun f (x) (* x x))", "normalize_blank_lines": true }),
    );
    ok(
        &mut client,
        "mcp__cl-mcp__lisp-patch-form",
        json!({ "file_path": "a.lisp", "form_type": "defun", "form_name": "g", "old_text": "2", "new_text": "3" }),
    );
    assert_eq!(project.text("a.lisp"), "(defun f (x) (* x x))\n\n(defun g () 3)\n");
    ok(&mut client, "lisp-check-parens", json!({ "code": "(a)" }));
    ok(&mut client, "pool-status", json!({}));
    ok(&mut client, "repl-eval", json!({ "code": "(+ 1 2)", "include_result_preview": false }));
    ok(&mut client, "pool-kill-worker", json!({ "reset": true }));
    // Under the tools' own names, with their own arguments.
    ok(&mut client, "lisp_edit_form", json!({ "path": "a.lisp", "name": "g", "operation": "delete", "dry_run": true }));
    // A fault has the terms of the surface.
    let refused = client.call("lisp-edit-form", json!({ "form_name": "f", "operation": "replace" }));
    assert!(refused.is_error && refused.text.contains("`file_path`"), "{}", refused.text);
}

#[test]
fn the_guile_names_edit_by_form() {
    let (project, mut client) = serve("guile");
    let expected =
        ["read_module", "read_form", "replace_form", "insert_form", "delete_form", "eval_expr", "check_syntax"];
    let names = listed(&mut client);
    assert_eq!(names[..expected.len()], expected);
    ok(&mut client, "read_module", json!({ "path": "a.lisp" }));
    ok(&mut client, "read_form", json!({ "path": "a.lisp", "name": "f" }));
    let source = "(defun h () 1)";
    let inserted = json!({ "path": "a.lisp", "anchor_name": "f", "position": "before", "new_source": source });
    ok(&mut client, "insert_form", inserted);
    ok(&mut client, "replace_form", json!({ "path": "a.lisp", "name": "f", "new_source": "(defun f () 5)" }));
    ok(&mut client, "delete_form", json!({ "path": "a.lisp", "name": "g" }));
    let after = project.text("a.lisp");
    assert!(after.starts_with(source) && after.contains("(defun f () 5)") && !after.contains("defun g"), "{after}");
    ok(&mut client, "check_syntax", json!({ "source": "(a)", "dialect": "scheme" }));
    // Code that balances only in Scheme.
    let checked = ok(&mut client, "check_syntax", json!({ "source": "(display #\\( #;(a) #| |# #:key)" }));
    assert_eq!(checked.text, "code: balanced (1 form, 1 line, scheme).");
}

#[test]
fn the_guile_names_run_guile() {
    let (project, mut client) = serve("guile");
    project.file(
        "m/a.scm",
        "(define-module (m a) #:export (f))\n(define-syntax-rule (twice x) (list x x))\n(define (f) (twice 1))\n",
    );
    let loaded = ok(&mut client, "load_module", json!({ "path": "m/a.scm" }));
    assert_eq!(loaded.fields["status"], "loaded");
    let value = ok(&mut client, "eval_expr", json!({ "expr": "(f)", "namespace": "(m a)" }));
    assert_eq!(value.fields["values"], json!(["(1 1)"]));
    let expansion = ok(&mut client, "macro_expand", json!({ "expr": "(twice 2)", "namespace": "(m a)" }));
    assert_eq!(expansion.fields["expansion"], "(list 2 2)");
    let module = ok(&mut client, "load_module", json!({ "path": "(m a)" }));
    assert_eq!((&module.fields["system"], &module.fields["status"]), (&json!("(m a)"), &json!("loaded")));
    project
        .file("m/c.scm", "(define-module (m c) #:use-module (m a))\n(define (g f) (f))\n(define (h) (list (f) f))\n");
    ok(&mut client, "load_module", json!({ "path": "m/c.scm" }));
    for place in ["(m c)", "m/c.scm", "m"] {
        let found = ok(&mut client, "find_references", json!({ "path_or_module": place, "symbol": "f" }));
        let expected = "m/c.scm:3: 2 uses in define h\n  \
                        3:20: call: (define (h) (list (f) f))\n  3:23: value: (define (h) (list (f) f))";
        assert!(found.text.contains(expected), "{place}: {}", found.text);
    }
    let none = ok(&mut client, "find_references", json!({ "path_or_module": "(m a)", "symbol": "f" }));
    assert!(none.text.starts_with("1 use of (@ (m a) f):\nm/a.scm:1:32: export"), "{}", none.text);
    for place in ["(m a)", "m/a.scm"] {
        let exports = ok(&mut client, "list_module_exports", json!({ "path": place }));
        assert_eq!(exports.text, "(m a) exports 1 name:\nprocedure f ()  m/a.scm:3", "{place}");
        assert_eq!(exports.fields["exports"][0]["arglist"], "()");
    }
    // A module that does not load is reported as that rather than as a fault of the code.
    project.file("m/b.scm", "(define-module (m b))\n(nowhere)\n");
    let broken = client.call("eval_expr", json!({ "expr": "(f", "namespace": "(m b)" }));
    assert!(broken.is_error && broken.text.contains("Unbound variable: nowhere"), "{}", broken.text);
    assert!(broken.text.contains("m/b.scm:2:") && !broken.text.contains("closing delimiter"), "{}", broken.text);
}

#[test]
fn evaluate_lisp_evaluates() {
    let (_project, mut client) = serve("evaluate-lisp");
    let names = listed(&mut client);
    assert_eq!(names.first().map(String::as_str), Some("evaluate-lisp"));
    assert!(names.contains(&"reset-session".to_owned()), "{names:?}");
    let answer = ok(&mut client, "evaluate-lisp", json!({ "code": "(list 1 *package*)", "package": "cl-user" }));
    assert!(answer.text.contains("COMMON-LISP-USER"), "{}", answer.text);
    ok(&mut client, "reset-session", json!({}));
}

/// A tool that is not offered is answered with what offers it, whichever of its names is called.
#[test]
fn a_tool_of_another_set_is_named_with_its_set() {
    let project = Project::new();
    let refused = |options: &[&str], tool: &str| {
        let mut command = server_command(&project.root());
        command.args(options);
        let answer = Client::connect(command).request("tools/call", json!({"name": tool, "arguments": {}}));
        assert_eq!(answer["error"]["code"], -32602, "{tool}: {answer}");
        answer["error"]["message"].as_str().unwrap().to_owned()
    };
    for (options, tool, parts) in [
        (&[][..], "lisp_rewrite", &["`lisp_rewrite`", "the set `refactor`", "`--toolsets refactor`"][..]),
        (&["--toolsets", "debug"], "mcp__lispwright__lisp-rewrite", &["\"--toolsets\", \"debug,refactor\""]),
        (&[], "clhs-lookup", &["the set `docs`"]),
        (&["--surface", "guile"], "lisp_rename", &["the set `default`", "`--toolsets default`"]),
        (&["--read-only"], "repl_eval", &["--read-only", "runs code"]),
        (&["--exclude-tools", "lisp_rename"], "lisp_rename", &["--exclude-tools"]),
        (&["--tools", "lisp_search"], "repl_eval", &["--tools, which names others"]),
        (&[], "lisp_serch", &["Nearest: lisp_search"]),
    ] {
        let said = refused(options, tool);
        for part in parts {
            assert!(said.contains(part), "{options:?} {tool}: {said}");
        }
    }
}
