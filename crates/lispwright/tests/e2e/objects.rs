//! Values with parts: their numbers, previews and inspection.

use serde_json::json;

use crate::client::Session;

#[test]
fn a_value_can_be_inspected() {
    let mut session = Session::new();
    let code = "(defclass account () ((name :initarg :name) (entries :initarg :entries) (closed)))
                (defvar *account* (make-instance 'account :name \"cash\" :entries (list 1 (list 2 3))))
                *account*";
    let answer = session.ok("repl_eval", json!({ "code": code }));
    let id = answer.fields["result_object_id"].as_i64().unwrap();
    let line = format!("[object {id}] instance ACCOUNT: NAME = \"cash\", ENTRIES = (1 (2 3)) [");
    assert!(answer.text.contains(&line), "{}", answer.text);
    assert_eq!(answer.fields["result_preview"]["slots"][2]["value"]["kind"], "unbound");

    let answer = session.ok("inspect_object", json!({ "id": id, "max_depth": 3 }));
    assert_eq!(answer.fields["kind"], "instance");
    let entries = &answer.fields["slots"][1]["value"];
    assert_eq!(entries["elements"][1]["elements"][0]["summary"], "2");
    assert!(answer.text.contains("  ENTRIES = (1 (2 3)) ["), "{}", answer.text);
    assert!(answer.text.contains("\n    0: 1\n"), "{}", answer.text);
    // A part has a number of its own, and the same object the same number.
    let inner = session.ok("inspect_object", json!({ "id": entries["id"] }));
    assert_eq!(inner.fields["summary"], "(1 (2 3))");
    let again = session.ok("repl_eval", json!({ "code": "*account*" }));
    assert_eq!(again.fields["result_object_id"], id);
}

#[test]
fn values_with_nothing_inside_get_no_number() {
    let mut session = Session::new();
    for code in ["12", "\"short\"", "'car", "(defun f () 1)", "#\\a", "(values)", "nil"] {
        let answer = session.ok("repl_eval", json!({ "code": code }));
        assert!(!answer.text.contains("[object"), "{}", answer.text);
        assert!(answer.fields.get("result_object_id").is_none(), "{}", answer.fields);
    }
}

#[test]
fn long_objects_are_shown_in_pages() {
    let mut session = Session::new();
    let answer = session.ok("repl_eval", json!({ "code": "(loop for i below 120 collect i)", "session": "pages" }));
    let id = &answer.fields["result_object_id"];
    let page = session.ok("inspect_object", json!({ "id": id, "session": "pages", "offset": 50 }));
    assert_eq!(page.fields["elements"][0]["summary"], "50");
    assert_eq!(page.fields["meta"], json!({ "truncated": true, "total": 120, "offset": 50 }));
    let next = format!(
        "Shown are 50 to 99 of 120; the next: inspect_object {{\"id\": {id}, \"offset\": 100, \"session\": \"pages\"}}"
    );
    assert!(page.text.ends_with(&next), "{}", page.text);
    let last = session.ok("inspect_object", json!({ "id": id, "session": "pages", "offset": 100 }));
    assert_eq!(last.fields["elements"].as_array().unwrap().len(), 20);
    assert!(!last.text.contains("[note]"), "{}", last.text);

    let answer =
        session.ok("repl_eval", json!({ "code": "(format nil \"~{~D ~}\" (loop for i below 5000 collect i))" }));
    let id = &answer.fields["result_object_id"];
    let page = session.ok("inspect_object", json!({ "id": id, "offset": 8000 }));
    assert!(page.text.contains("\"offset\": 16000"), "{}", page.text);
}

#[test]
fn every_kind_of_object_can_be_inspected() {
    let mut session = Session::new();
    let kinds = [
        ("(list* 1 2)", "list", "dotted"),
        ("(let ((x (list 1 2))) (setf (cddr x) x))", "list", "again"),
        ("(make-array '(2 2) :initial-element 7)", "array", "(1 1) = 7"),
        ("(make-array 3 :fill-pointer 2 :initial-element :x)", "array", "fill pointer: 2"),
        ("(let ((h (make-hash-table :test 'equal))) (setf (gethash \"a\" h) '(1)) h)", "hash-table", "\"a\" => (1) ["),
        ("(progn (defstruct pair left right) (make-pair :left 1))", "structure", "LEFT = 1"),
        ("(nth-value 1 (ignore-errors (error \"oops\")))", "condition", "FORMAT-CONTROL = \"oops\""),
        ("(progn (defun add (a &key b) \"Adds.\" (+ a b)) #'add)", "function", "lambda list: (A &KEY B)"),
        ("(let ((n 5)) (lambda () (incf n)))", "function", "closed over = 5"),
        ("#'print-object", "function", "0: #<STANDARD-METHOD"),
        ("(find-package :asdf)", "package", "uses: "),
        ("#p\"/no/such.thing\"", "pathname", "TYPE = \"thing\""),
        ("*standard-output*", "stream", "direction: output"),
        ("(find-class 'string)", "instance", "class: "),
    ];
    for (code, kind, says) in kinds {
        let answer = session.ok("repl_eval", json!({ "code": code }));
        let id = &answer.fields["result_object_id"];
        assert!(id.is_i64(), "{code}: {}", answer.text);
        let answer = session.ok("inspect_object", json!({ "id": id }));
        assert_eq!(answer.fields["kind"], kind, "{code}");
        assert!(answer.text.to_uppercase().contains(&says.to_uppercase()), "{code}: {}", answer.text);
    }
}

#[test]
fn printing_that_fails_or_never_ends_is_answered() {
    let mut session = Session::new();
    let code = "(defclass sour () ((a :initform 1)))
                (defmethod print-object ((x sour) stream) (error \"no picture\"))
                (defclass dull () ((a :initform 2)))
                (defmethod print-object ((x dull) stream) (loop))
                (defvar *keep* (list (make-instance 'dull)))
                (make-instance 'sour)";
    let answer = session.ok("repl_eval", json!({ "code": code }));
    assert!(answer.text.contains("instance SOUR: A = 1"), "{}", answer.text);
    // The answer has the value, although the preview of its parts never ends.
    let code = "(let ((table (make-hash-table))) (setf (gethash 1 table) (first *keep*)) table)";
    let answer = session.ok("repl_eval", json!({ "code": code, "timeout_seconds": 3 }));
    assert!(answer.text.contains("=> #<HASH-TABLE"), "{}", answer.text);
    assert!(answer.fields.get("result_object_id").is_none());
    assert_eq!(session.ok("repl_eval", json!({ "code": "(length *keep*)" })).text, "=> 1");
}

#[test]
fn numbers_that_mean_nothing() {
    let mut session = Session::new();
    session.refused("inspect_object", json!({ "id": 1 }), "BAD_ARGUMENT", &["no session \"main\""]);
    let answer = session.ok("repl_eval", json!({ "code": "(list 1)" }));
    let id = answer.fields["result_object_id"].as_i64().unwrap();
    session.refused("inspect_object", json!({ "id": id + 1000 }), "BAD_ARGUMENT", &["There is no object", "repl_eval"]);
    session.refused("inspect_object", json!({ "id": -1 }), "BAD_ARGUMENT", &["There is no object -1"]);
    session.refused("inspect_object", json!({}), "BAD_ARGUMENT", &["id"]);
    // The oldest make room for new ones.
    for _ in 0..130 {
        session.ok("repl_eval", json!({ "code": "(loop repeat 9 collect (list 1))" }));
    }
    session.refused("inspect_object", json!({ "id": id }), "BAD_ARGUMENT", &["is gone", "Evaluate its code again"]);
    // Numbers end with their image and are not reused.
    let answer = session.ok("repl_eval", json!({ "code": "(list 2)" }));
    let old = answer.fields["result_object_id"].as_i64().unwrap();
    session.ok("repl_control", json!({ "action": "reset" }));
    session.refused("inspect_object", json!({ "id": old }), "BAD_ARGUMENT", &["is gone", "earlier image"]);
    let answer = session.ok("repl_eval", json!({ "code": "(list 3)" }));
    assert!(answer.fields["result_object_id"].as_i64().unwrap() > old, "{}", answer.fields);
    session.ok("repl_control", json!({ "action": "kill" }));
    let answer = session.ok("repl_eval", json!({ "code": "(list 4)" }));
    assert!(answer.fields["result_object_id"].as_i64().unwrap() > old + 1, "{}", answer.fields);
}

#[test]
fn a_long_list_is_printed_in_part_and_the_rest_can_be_paged_through() {
    let mut session = Session::new();
    let answer = session.ok("repl_eval", json!({ "code": "(loop for i below 5000 collect i)" }));
    assert!(answer.text.starts_with("=> (0 1 2 ") && answer.text.contains(" 199 ...)"), "{}", answer.text);
    assert!(answer.text.len() < 2000, "{}", answer.text);
    assert!(
        answer.text.contains("200 of 5000 elements are printed; the next: inspect_object {\"id\": 1, \"offset\": 200}")
    );
    let all = session.ok("repl_eval", json!({ "code": "*", "print_length": 5000, "max_output_length": 40000 }));
    assert!(all.text.contains(" 4999)") && !all.text.contains("[note]"), "{}", all.text);
    // The hint of the answer leads to the elements that do not fit into it.
    let code = "(loop for i below 1000 collect (list i (make-string 190 :initial-element #\\z)))";
    let id = session.ok("repl_eval", json!({ "code": code })).fields["result_object_id"].clone();
    let page = session.ok("inspect_object", json!({ "id": id.to_string(), "max_elements": 1000 }));
    let last = page.text.lines().rfind(|line| line.starts_with("  ")).unwrap();
    let (number, _) = last.trim().split_once(':').unwrap();
    let next: u64 = number.parse::<u64>().unwrap() + 1;
    assert!(
        next < 1000 && page.text.contains(&format!("\"offset\": {next}}}")),
        "{last} {:?}",
        page.text.lines().last()
    );
}
