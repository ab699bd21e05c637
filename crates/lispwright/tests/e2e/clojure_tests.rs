//! Tests of Clojure that never end, end the process, or never begin: the results of the rest, and the state of the
//! session afterwards.

use serde_json::json;

use crate::client::Session;
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
    assert_eq!((&leaves.fields["passed"], &leaves.fields["failed"]), (&json!(1), &json!(2)), "{}", leaves.text);
    says(
        &leaves,
        &[
            "FAILED test/my/leaves.clj:3: stuck",
            "the code ends its process with exit code 3",
            "leaves.clj:2: first-one",
        ],
    );
    assert_eq!(session.ok("repl_eval", json!({ "code": "kept" })).text, "=> 1");
}

#[test]
fn a_program_that_ends_its_process_keeps_the_session() {
    let mut session = project();
    let file = |session: &Session, name: &str, text: &str| session.project.file(&format!("test/my/{name}.clj"), text);
    let runner = "(ns my.runner (:require [clojure.test :refer :all]))\n(defn add [a b] (+ a b))\n\
                  (deftest adds (is (= 3 (add 1 2))))\n(let [{:keys [fail error]} (run-tests)]\n  \
                  (shutdown-agents)\n  (-> (+ fail error) System/exit))\n(def never (/ 1 0))\n";
    file(&session, "runner", runner);
    let answer = session.ok("run_tests", json!({ "path": "test/my/runner.clj" }));
    assert_eq!((&answer.fields["passed"], &answer.fields["failed"]), (&json!(1), &json!(0)), "{}", answer.text);
    let edit = |b: &str| json!({ "path": "test/my/runner.clj", "name": "add", "old_text": "(+ a b)", "new_text": b, "verify": "tests" });
    let refused = session.client.call("lisp_patch_form", edit("(- a b)"));
    says(&refused, &["The files are as they were", "FAILED test/my/runner.clj:3: adds"]);
    let verified = session.ok("lisp_patch_form", edit("(+ b a)"));
    says(&verified, &["Verified: no test fails that did not fail before"]);
    // Agents are not shut down, and the code that was loaded is there.
    assert_eq!(session.ok("repl_eval", json!({ "code": "[(my.runner/add 1 1) @(future 2)]" })).text, "=> [2 2]");

    // A file that another requires ends both, as it does in a fresh process.
    file(&session, "part", "(ns my.part)\n(defn half [x] (/ x 2))\n(when-not (= 2 (half 4)) (System/exit 2))\n");
    file(&session, "whole", "(ns my.whole (:require my.part))\n(println (my.part/half 3))\n(System/exit 4)\n");
    let load = json!({ "path": "test/my/whole.clj" });
    let whole = session.client.call("load_system", load.clone());
    assert_eq!(whole.fields["exit_code"], 4, "{}", whole.text);
    file(&session, "part", "(ns my.part)\n(defn half [x] (/ x 3))\n(when-not (= 2 (half 4)) (System/exit 2))\n");
    let whole = session.client.call("load_system", load);
    assert_eq!(whole.fields["exit_code"], 2, "{}", whole.text);
    assert_eq!(session.ok("repl_eval", json!({ "code": "(my.part/half 6)" })).text, "=> 2");
    // Checks without a framework count as one test.
    file(&session, "checks", "(when-not (= 2 (+ 1 2)) (println \"FAIL: sum\") (System/exit 1))\n");
    let checks = session.client.call("run_tests", json!({ "path": "test/my/checks.clj" }));
    assert_eq!((&checks.fields["passed"], &checks.fields["failed"]), (&json!(0), &json!(1)), "{}", checks.text);
    says(&checks, &["It ended with exit code 1."]);
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

#[test]
fn what_libraries_and_tests_report_in_their_own_way_counts_as_they_count_it() {
    let session = project();
    let file = |name: &str, forms: &str| {
        let (path, text) = tests(name, forms);
        session.project.file(&path, text);
    };
    file(
        "reports",
        "(defmethod report ::mismatch [{:keys [expected actual]}]
  (with-test-out
    (inc-report-counter :fail)
    (println \"\\u001b[31mwanted\\u001b[0m\" expected \"and got\" actual)))
(defmethod report ::told [_] (println \"told\"))
(defn match [expected actual]
  (do-report {:type (if (= expected actual) :pass ::mismatch) :expected expected :actual actual}))
(deftest alike (match 1 1))
(deftest other (testing \"here\" (match 1 2)))
(deftest telling (is (= \"told\\n\" (with-out-str (do-report {:type ::told})))))
(deftest outer
  (binding [*report-counters* (ref *initial-report-counters*) *test-out* (java.io.StringWriter.)]
    (test-var #'other)
    (is (= 1 2))
    (is (= 2 (:fail @*report-counters*))))
  (is true))",
    );
    file("hooks", "(deftest inner (is (= 1 2)))\n(deftest outer (is true))\n(defn test-ns-hook [] (test-var #'outer))");
    let mut session = session;
    let reports = session.client.call("run_tests", json!({ "system": "my.reports" }));
    assert_eq!((&reports.fields["passed"], &reports.fields["failed"]), (&json!(3), &json!(1)), "{}", reports.text);
    says(&reports, &["other (here)\n  wanted 1 and got 2"]);
    let hooks = session.client.call("run_tests", json!({ "system": "my.hooks" }));
    assert_eq!((&hooks.fields["passed"], &hooks.fields["failed"]), (&json!(1), &json!(0)), "{}", hooks.text);
    let inner = session.client.call("run_tests", json!({ "system": "my.hooks", "test": "inner" }));
    assert_eq!((&inner.fields["passed"], &inner.fields["failed"]), (&json!(0), &json!(1)), "{}", inner.text);
}
