//! Tests of Clojure that never end, end the process, or never begin: the results of the rest, and the state of the
//! session afterwards.

use serde_json::json;

use crate::nrepl::{project, says};

/// A file of tests below `test/my`.
fn tests(name: &str, forms: &str) -> (String, String) {
    let space = name.replace('_', "-");
    (format!("test/my/{name}.clj"), format!("(ns my.{space} (:require [clojure.test :refer :all]))\n{forms}\n"))
}

#[test]
fn results_are_kept_when_a_test_ends_the_run() {
    let mut session = project();
    let first = "(deftest first-one (is true) (is (= 1 2)))";
    for (name, rest) in [
        ("hangs", "(deftest stuck @(promise))\n(deftest later (is true))"),
        ("leaves", "(deftest stuck (System/exit 3))"),
        ("dies", "(deftest stuck (.stop (Thread/currentThread)))"),
        ("once", "(use-fixtures :once (fn [f] (throw (ex-info \"no database\" {}))))"),
        ("throws", "(defn inner [x] (count x))\n(deftest stuck (inner 1))"),
    ] {
        let (path, text) = tests(name, &format!("{first}\n{rest}"));
        session.project.file(&path, text);
    }
    session.ok("repl_eval", json!({ "code": "(def kept 1)" }));

    let stuck = json!({ "system": "my.hangs", "test": "stuck" });
    let hangs = session.stopped("run_tests", stuck, |answer| answer.fields["running"] == "stuck");
    assert_eq!((&hangs.fields["code"], &hangs.fields["running"]), (&json!("TIMEOUT"), &json!("stuck")));
    says(&hangs, &["It was testing stuck"]);
    assert!(!hangs.text.contains("user/eval"), "only frames of the user's own: {}", hangs.text);
    assert_eq!(session.ok("repl_eval", json!({ "code": "kept" })).text, "=> 1");
    // With others after it, it costs itself alone.
    let hangs = session.client.call("run_tests", json!({ "system": "my.hangs", "timeout_seconds": 10 }));
    assert_eq!((&hangs.fields["passed"], &hangs.fields["failed"]), (&json!(2), &json!(2)), "{}", hangs.text);
    says(&hangs, &["FAILED test/my/hangs.clj:2: first-one", "FAILED test/my/hangs.clj:3: stuck", "s and was stopped"]);

    let dies = session.client.call("run_tests", json!({ "system": "my.dies" }));
    assert_eq!((&dies.fields["passed"], &dies.fields["failed"]), (&json!(1), &json!(2)), "{}", dies.text);
    let once = session.client.call("run_tests", json!({ "system": "my.once" }));
    assert_eq!((&once.fields["passed"], &once.fields["failed"]), (&json!(0), &json!(1)), "{}", once.text);
    says(
        &once,
        &["a fixture failed", "clojure.lang.ExceptionInfo: no database", "  in my.once/fn  test/my/once.clj:3"],
    );
    let throws = session.client.call("run_tests", json!({ "system": "my.throws", "test": "stuck" }));
    says(
        &throws,
        &[
            "UnsupportedOperationException: count not supported on this type: Long",
            "  in my.throws/inner  test/my/throws.clj:3",
        ],
    );
    let none = session.client.call("run_tests", json!({ "system": "my.throws", "test": "stcuk" }));
    says(&none, &["No test or group is called stcuk. There are: first-one, stuck."]);
    let some = session.client.call("run_tests", json!({ "system": "my.throws", "tests": ["first-one", "stcuk"] }));
    assert_eq!(some.fields["unmatched"], json!(["stcuk"]));
    says(&some, &["No test or group is called stcuk. There are: first-one, stuck."]);

    let leaves = session.client.call("run_tests", json!({ "system": "my.leaves" }));
    assert_eq!((&leaves.fields["code"], &leaves.fields["running"]), (&json!("SESSION_LOST"), &json!("stuck")));
    assert_eq!((&leaves.fields["passed"], &leaves.fields["failed"]), (&json!(1), &json!(1)), "{}", leaves.text);
    says(&leaves, &["exit code 3", "It was testing stuck", "FAILED test/my/leaves.clj:2: first-one"]);
}

#[test]
fn tests_and_fixtures_that_were_removed_from_the_file_do_not_run() {
    let mut session = project();
    let last = "(deftest last-one (is true))";
    let (path, text) = tests(
        "shrinks",
        &format!("(use-fixtures :each (fn [f] (throw (ex-info \"no\" {{}}))))\n(deftest gone (is false))\n{last}"),
    );
    session.project.file(&path, text);
    let broken = session.ok("run_tests", json!({ "path": path }));
    says(&broken, &["a fixture failed"]);
    session.project.file(&path, tests("shrinks", last).1);
    for arguments in [json!({ "path": path }), json!({ "system": "my.shrinks" })] {
        let answer = session.ok("run_tests", arguments);
        assert_eq!((&answer.fields["passed"], &answer.fields["total"]), (&json!(1), &json!(1)), "{}", answer.text);
    }
}
