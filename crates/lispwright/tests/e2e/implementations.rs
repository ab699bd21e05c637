//! Common Lisp in ECL and CLISP: the behaviour of SBCL through the same agent, and their limitations.

use serde_json::{Value, json};

use crate::client::{Answer, Session};
use crate::household::{Household, tested};
use crate::project::Project;

const BOTH: [&str; 2] = ["ecl", "clisp"];

const DEFINITION: &str = r#"
(defsystem "mill" :pathname "src/" :serial t :components ((:file "wheel") (:file "stone")))
(defsystem "mill/tests" :depends-on ("mill" "fiveam") :components ((:file "tests")))
(defsystem "mill/old" :depends-on ("mill" "rt") :components ((:file "old")))
(defsystem "mill/plain" :perform (test-op (o c) (error "the ~a broke" "axle")))
"#;

const WHEEL: &str = "(defpackage :mill (:use :cl))\n(in-package :mill)\n\n(defmacro turn (n) `(* 2 ,n))\n";

const STONE: &str = "(in-package :mill)\n\n;; \u{3bb}\u{3bb}\n(defun grind (x y)\n  (list (turn x) 'q))\n";

const TESTS: &str = r#"(defpackage :mill/tests (:use :cl :fiveam))
(in-package :mill/tests)
(def-suite all)
(in-suite all)

(test adds "It adds."
  (is (= 3 (+ 1 2)))
  (is (= 4 (+ 1 2)) "no four"))

(test good (is-true t))
(test raises (is (= 1 (error "sand in it"))))
(test later (skip "not yet"))
"#;

const OLD: &str = "(defpackage :mill/old (:use :cl :rt))\n(in-package :mill/old)\n(deftest fine (+ 1 2) 3)\n(deftest off (+ 1 2) 4)\n";

/// A project with a system and its tests, and a session on `runtime` with the runtime's name.
fn mill() -> Session {
    let session = Session::with_file("mill.asd", DEFINITION);
    session.project.file("src/wheel.lisp", WHEEL);
    session.project.file("src/stone.lisp", STONE);
    session.project.file("tests.lisp", TESTS);
    session.project.file("old.lisp", OLD);
    session
}

fn evaluate(session: &mut Session, runtime: &str, code: &str) -> Answer {
    session.client.call("repl_eval", json!({ "code": code, "runtime": runtime, "timeout_seconds": 200 }))
}

#[track_caller]
fn values(session: &mut Session, runtime: &str, code: &str) -> Value {
    let answer = evaluate(session, runtime, code);
    assert!(!answer.is_error, "{runtime}: {}", answer.text);
    answer.fields["values"].clone()
}

/// The answer to code that fails.
#[track_caller]
fn failure(session: &mut Session, runtime: &str, code: &str) -> Answer {
    let answer = evaluate(session, runtime, code);
    assert!(answer.is_error, "{runtime}: {}", answer.text);
    answer
}

#[test]
fn values_output_and_warnings_come_back() {
    let mut session = Session::new();
    for (runtime, name) in [("ecl", "\"ECL\""), ("clisp", "\"CLISP\"")] {
        assert_eq!(values(&mut session, runtime, "(lisp-implementation-type)"), json!([name]));
        let three = values(&mut session, runtime, "(values 1 :b (string (code-char 955)))");
        assert_eq!(three, json!(["1", ":B", "\"\u{3bb}\""]), "{runtime}");
        assert_eq!(values(&mut session, runtime, "(values)"), json!([]), "{runtime}");
        let code = "(format t \"hi~%\") (format *error-output* \"oops\") (warn \"careful ~a\" 1) (finish-output) 5";
        let answer = evaluate(&mut session, runtime, code);
        assert_eq!(answer.fields["stdout"], "hi\n", "{runtime}: {}", answer.text);
        assert_eq!(answer.fields["stderr"], "oops", "{runtime}: {}", answer.text);
        assert!(answer.text.contains("careful 1"), "{runtime}: {}", answer.text);
        // Output of children on the descriptors, and empty input.
        let shell = if runtime == "ecl" { "ext:system" } else { "ext:shell" };
        let answer = evaluate(&mut session, runtime, &format!("({shell} \"echo deep; echo low >&2; cat\") 1"));
        assert_eq!(
            (&answer.fields["stdout"], &answer.fields["stderr"]),
            (&json!("deep\n"), &json!("low\n")),
            "{runtime}"
        );
        let answer = failure(&mut session, runtime, "(read-line)");
        assert!(answer.text.contains("END-OF-FILE"), "{runtime}: {}", answer.text);
        // Streams that code has closed or replaced are restored for the next call.
        evaluate(&mut session, runtime, "(close *standard-output*) (setf *standard-input* 5 *error-output* 6)");
        let answer = evaluate(&mut session, runtime, "(write-line \"back\") (read-line nil nil :none)");
        assert_eq!(answer.fields["stdout"], "back\n", "{runtime}: {}", answer.text);
        // The agent's package is not accessible, and the session's package has no symbols of the agent.
        let answer = failure(&mut session, runtime, "(delete-package :lispwright.agent)");
        assert!(answer.text.to_lowercase().contains("lock"), "{runtime}: {}", answer.text);
        assert_eq!(values(&mut session, runtime, "(find-symbol \"A0\")"), json!(["NIL", "NIL"]), "{runtime}");
        // Redirected descriptors are restored as well.
        let elsewhere = match runtime {
            "ecl" => {
                "(si:call-cfun (si:find-foreign-symbol \"dup2\" :default :pointer-void 0) :int '(:int :int) '(0 1))"
            }
            _ => {
                "(funcall (ffi::find-foreign-function \"dup2\" (ffi:parse-c-type '(ffi:c-function (:arguments (a ffi:int) \
                  (b ffi:int)) (:return-type ffi:int) (:language :stdc))) nil :default nil nil) 0 1)"
            }
        };
        assert_eq!(values(&mut session, runtime, elsewhere), json!(["1"]), "{runtime}");
        let answer = evaluate(&mut session, runtime, "(write-line \"here\") 1");
        assert_eq!(answer.fields["stdout"], "here\n", "{runtime}: {}", answer.text);
    }
}

#[test]
fn the_session_keeps_its_package_and_survives_odd_settings() {
    let mut session = Session::new();
    for runtime in BOTH {
        let code =
            "(defpackage :shop (:use :cl)) (in-package :shop) (defvar *price* 3) (defun total (n) (* n *price*))";
        assert_eq!(evaluate(&mut session, runtime, code).fields["package"], "SHOP", "{runtime}");
        assert_eq!(values(&mut session, runtime, "(total 2)"), json!(["6"]), "{runtime}");
        let elsewhere =
            session.ok("repl_eval", json!({ "code": "cl:*package*", "runtime": runtime, "package": "keyword" }));
        assert!(elsewhere.text.contains("KEYWORD"), "{runtime}: {}", elsewhere.text);
        assert_eq!(values(&mut session, runtime, "(package-name *package*)"), json!(["\"SHOP\""]), "{runtime}");
        values(&mut session, runtime, "(setf *print-base* 2 *read-base* 16 *print-case* :downcase *print-readably* t)");
        assert_eq!(values(&mut session, runtime, "(list 10 :b)"), json!(["(16 :B)"]), "{runtime}");
        values(&mut session, runtime, "(setf *print-base* a *read-base* a *print-readably* nil)");
        values(
            &mut session,
            runtime,
            "(setf *readtable* (copy-readtable nil)) (setf (readtable-case *readtable*) :invert)",
        );
        assert_eq!(values(&mut session, runtime, "(total 3)"), json!(["9"]), "{runtime}");
        let circle = values(&mut session, runtime, "(let ((x (list 1 2))) (setf (cddr x) x))");
        assert_eq!(circle, json!(["#1=(1 2 . #1#)"]), "{runtime}");
        values(&mut session, runtime, "(list 1 2)");
        assert_eq!(values(&mut session, runtime, "(list * -)"), json!(["((1 2) (LIST * -))"]), "{runtime}");
        let answer = session.client.call("repl_eval", json!({ "code": "1", "runtime": runtime, "package": "no-such" }));
        assert_eq!(answer.fields["code"], "BAD_ARGUMENT", "{runtime}: {}", answer.text);
    }
}

#[test]
fn errors_have_place_frames_and_restarts() {
    let mut session = Session::new();
    for runtime in BOTH {
        let answer =
            failure(&mut session, runtime, "(defun price (item) (let ((cost (car item))) cost))\n\n(list (price 7))");
        let error = &answer.fields["error"];
        assert!(error["type"].as_str().unwrap().contains("TYPE-ERROR"), "{runtime}: {}", answer.text);
        assert!(answer.text.contains("7") && answer.text.contains("(PRICE "), "{runtime}: {}", answer.text);
        assert_eq!(error["form_index"], 2, "{runtime}: {}", answer.fields);
        let answer =
            failure(&mut session, runtime, "(restart-case (error \"no ~a\" 1) (use-it () :report \"Use it.\" 7))");
        assert!(answer.text.contains("no 1") && answer.text.contains("USE-IT: Use it."), "{runtime}: {}", answer.text);
        // Errors of the reader are located, and no part of an unclosed form ran.
        let answer = failure(&mut session, runtime, "(defvar *seen* 1)\n(list 1 . )");
        assert!(answer.text.contains("line 2"), "{runtime}: {}", answer.text);
        let answer = failure(&mut session, runtime, "(+ 1 2)\n(list (1");
        assert!(answer.text.contains("ends inside form 2"), "{runtime}: {}", answer.text);
        let answer = failure(&mut session, runtime, "(no-such-package:thing)");
        assert!(answer.text.to_uppercase().contains("NO-SUCH-PACKAGE"), "{runtime}: {}", answer.text);
        // Reports and printers that fail themselves.
        let code = "(define-condition odd (error) () (:report (lambda (c s) (error \"bad report\")))) (error 'odd)";
        let answer = failure(&mut session, runtime, code);
        assert!(
            answer.text.contains("[ERROR] ODD") && answer.text.contains("report failed"),
            "{runtime}: {}",
            answer.text
        );
        let code = "(defstruct shy a) (defmethod print-object ((s shy) stream) (error \"no picture\")) (make-shy)";
        assert!(values(&mut session, runtime, code)[0].as_str().unwrap().contains("no picture"), "{runtime}");
        assert_eq!(values(&mut session, runtime, "(+ 1 2)"), json!(["3"]), "{runtime}");
    }
}

#[test]
fn a_timeout_interrupts_the_code_and_keeps_the_state() {
    let mut session = Session::new();
    for runtime in BOTH {
        values(&mut session, runtime, "(defvar *n* 1) (defun spin () (loop (incf *n*)))");
        // CLISP ignores interrupts while it waits for a child.
        let waits = if runtime == "ecl" { "(ext:system \"sleep 60\")" } else { "(loop)" };
        // Long steps of arithmetic, whose numbers stay below the largest.
        let bignums = "(let* ((n (expt 7 30000)) (m (* n n n))) (loop (setf m (mod (* m m) n))))";
        for code in ["(spin)", "(sleep 60)", "(handler-case (loop) (error () 1))", bignums, waits] {
            let arguments = json!({ "code": code, "runtime": runtime, "timeout_seconds": 0.4 });
            let answer = session.client.call("repl_eval", arguments);
            assert_eq!(answer.fields["code"], "TIMEOUT", "{runtime} {code}: {}", answer.text);
        }
        assert_eq!(values(&mut session, runtime, "(plusp *n*)"), json!(["T"]), "{runtime}: the state is lost");
        // An endless printer is interrupted as well.
        let code = "(defstruct long a) (defmethod print-object ((s long) stream) (loop)) (make-long)";
        let answer =
            session.client.call("repl_eval", json!({ "code": code, "runtime": runtime, "timeout_seconds": 0.4 }));
        assert_eq!(answer.fields["code"], "TIMEOUT", "{runtime}: {}", answer.text);
        assert_eq!(values(&mut session, runtime, "(+ 1 2)"), json!(["3"]), "{runtime}");
    }
}

#[test]
fn an_exhausted_stack_is_an_answer() {
    let mut session = Session::new();
    for runtime in BOTH {
        values(&mut session, runtime, "(defvar *b* 1)");
        for code in [
            "(defun deep (n) (1+ (deep (1+ n)))) (deep 1)",
            "(defun deep2 (n) (unwind-protect (1+ (deep2 (1+ n))) (list 1))) (deep2 1)",
            "(defun deep3 (n) (let ((*b* n)) (1+ (deep3 (1+ n))))) (deep3 1)",
            "(compile 'deep) (deep 1)",
            "(ignore-errors (deep 1))",
        ] {
            let answer = failure(&mut session, runtime, code);
            assert_eq!(answer.fields["code"], "LISP_ERROR", "{runtime} {code}: {}", answer.text);
            assert!(
                answer.text.contains("exhausted") || answer.text.contains("overflow"),
                "{runtime}: {}",
                answer.text
            );
        }
        assert_eq!(values(&mut session, runtime, "*b*"), json!(["1"]), "{runtime}");
    }
}

#[test]
fn repeated_frames_are_counted() {
    let mut session = mill();
    let lisp = "(defun up (n) (if (= n 0) (error \"sand\") (+ 1 (down (1- n))))) (defun down (n) (* 1 (up n)))
                (defun start () (list (up 100)))";
    let scheme = "(define (up n) (if (= n 0) (error \"sand\") (+ 1 (down (- n 1))))) (define (down n) (* 1 (up n)))
                  (define (start) (list (up 100)))";
    for (runtime, definitions, says, next) in [
        ("sbcl", lisp, "1: (DOWN 0)\n   ... 98 more times these 2\n198: (UP 99)", "\n201: (START)"),
        ("ecl", lisp, "1: (DOWN 0)\n   ... 98 more times these 2\n198: (UP 99)", "\n201: (START)"),
        ("clisp", lisp, "1: (DOWN '0)\n   ... 98 more times these 2\n198: (UP '99)", "\n201: (START)"),
        ("guile", scheme, "   ... 98 more times these 2\n199: (down 99)", "\n201: (start)"),
    ] {
        evaluate(&mut session, runtime, definitions);
        let answer = failure(&mut session, runtime, "(start)");
        assert!(answer.text.contains(says) && answer.text.contains(next), "{runtime}: {}", answer.text);
        let frames = answer.fields["error"]["frames"].as_array().unwrap();
        let repeated = frames.iter().find_map(|frame| frame.get("repeated")).unwrap();
        assert_eq!(*repeated, json!({ "frames": 2, "times": 98, "at_least": false }), "{runtime}");
        assert_eq!(frames.iter().filter(|frame| frame.get("repeated").is_some()).count(), 1);
    }
}

#[test]
fn an_exhausted_heap_is_an_answer() {
    for runtime in BOTH {
        let project = crate::project::Project::new();
        let mut command = crate::client::server_command(&project.root());
        command.args(["--max-memory", "200"]);
        let client = crate::client::Client::connect(command);
        let mut session = Session { project, client };
        let answer = failure(&mut session, runtime, "(let ((all '())) (loop (push (make-array 1000000) all)))");
        assert_eq!(answer.fields["code"], "LISP_ERROR", "{runtime}: {}", answer.text);
        assert!(answer.text.contains("STORAGE"), "{runtime}: {}", answer.text);
        assert_eq!(values(&mut session, runtime, "(+ 1 2)"), json!(["3"]), "{runtime}");
    }
}

#[test]
fn the_end_of_an_image_is_reported_and_it_is_replaced() {
    let mut session = Session::new();
    for runtime in BOTH {
        values(&mut session, runtime, "(defvar *kept* 1)");
        let exit = if runtime == "ecl" { "(ext:quit 3)" } else { "(ext:exit 3)" };
        let answer = failure(&mut session, runtime, exit);
        assert_eq!(answer.fields["code"], "SESSION_LOST", "{runtime}: {}", answer.text);
        assert!(answer.text.contains("the code ended it: exit code 3"), "{runtime}: {}", answer.text);
        assert_eq!(values(&mut session, runtime, "(boundp '*kept*)"), json!(["NIL"]), "{runtime}");
        let pid = if runtime == "ecl" { "(ext:getpid)" } else { "(posix:process-id)" };
        let shell = if runtime == "ecl" { "ext:system" } else { "ext:shell" };
        let answer = failure(&mut session, runtime, &format!("({shell} (format nil \"kill -9 ~a\" {pid}))"));
        assert!(answer.text.contains("signal 9"), "{runtime}: {}", answer.text);
        assert_eq!(values(&mut session, runtime, "(+ 1 2)"), json!(["3"]), "{runtime}");
    }
}

#[test]
fn an_error_is_held_and_missing_abilities_are_reported() {
    let mut session = Session::new();
    for runtime in BOTH {
        let hold = |code: &str| json!({ "code": code, "runtime": runtime, "on_error": "hold" });
        let control = |action: &str| json!({ "action": action, "session": runtime });
        let code =
            "(defun total (item) (restart-case (error \"no price\") (use-value (x) :report \"Use a price.\" (* 2 x))))
                    (+ 1 (total :tea))";
        let answer = session.client.call("repl_eval", hold(code));
        assert!(answer.is_error && answer.text.contains("[held]"), "{runtime}: {}", answer.text);
        let frames = session.ok("repl_control", control("frames"));
        assert!(frames.text.contains("(TOTAL "), "{runtime}: {}", frames.text);
        // An error on top of it leaves it alone.
        let answer = failure(&mut session, runtime, "(car 3)");
        assert!(answer.text.contains("TYPE-ERROR"), "{runtime}: {}", answer.text);
        let answer = session.ok(
            "repl_control",
            json!({ "action": "restart", "session": runtime, "restart": "use-value", "code": "(+ 3 4)" }),
        );
        assert!(answer.text.contains("=> 15"), "{runtime}: {}", answer.text);
        assert!(
            session
                .client
                .call("repl_eval", hold("(let ((a 5)) (defun g (b) (error \"b ~a\" (+ a b))) (g 2))"))
                .is_error
        );
        let place = json!({ "action": "eval_in_frame", "session": runtime, "frame": 0, "code": "(list b)" });
        if runtime == "ecl" {
            let locals = session.ok("repl_control", json!({ "action": "locals", "session": runtime, "frame": 0 }));
            assert!(locals.text.contains("B = 2"), "{}", locals.text);
            assert!(session.ok("repl_control", place).text.contains("=> (2)"));
        } else {
            session.refused("repl_control", place, "UNSUPPORTED", &["clisp does not show the variables of its frames"]);
        }
        session.ok("repl_control", control("abort"));
        session.refused("repl_control", control("frames"), "BAD_ARGUMENT", &["No error is held"]);
        // An interrupt is held as well.
        let arguments = json!({ "code": "(loop)", "runtime": runtime, "on_error": "hold", "timeout_seconds": 0.3 });
        assert!(session.client.call("repl_eval", arguments).text.contains("[held]"), "{runtime}");
        session.ok("repl_control", control("abort"));
        session.refused("repl_control", control("checkpoint"), "UNSUPPORTED", &[runtime, "checkpoint"]);
        session.refused(
            "repl_eval",
            json!({ "code": "1", "runtime": runtime, "trial": true }),
            "UNSUPPORTED",
            &[runtime, "checkpoint"],
        );
        assert_eq!(values(&mut session, runtime, "(+ 1 2)"), json!(["3"]), "{runtime}");
    }
}

#[test]
fn values_are_inspected_and_macros_expanded() {
    let mut session = Session::new();
    for runtime in BOTH {
        let code = "(defclass account () ((name :initarg :name) (entries)))
                    (list (make-instance 'account :name \"cash\") (list 1 2))";
        let answer = evaluate(&mut session, runtime, code);
        let id = &answer.fields["result_object_id"];
        let inside = session.ok("inspect_object", json!({ "id": id, "session": runtime, "max_depth": 2 }));
        assert!(inside.text.contains("NAME = \"cash\""), "{runtime}: {}", inside.text);
        assert!(inside.text.contains("ENTRIES = unbound"), "{runtime}: {}", inside.text);
        let expansion = session.ok("macroexpand", json!({ "code": "(pop a)", "runtime": runtime, "level": "once" }));
        assert_eq!(expansion.fields["changed"], true, "{runtime}: {}", expansion.text);
        session.ok("repl_eval", json!({ "code": "(defmacro twice (x) `(list ,x ,x))", "runtime": runtime }));
        let all = json!({ "code": "(car (twice (twice 1)))", "runtime": runtime, "level": "all" });
        let text = session.ok("macroexpand", all).fields["expansion"].as_str().unwrap().to_lowercase();
        assert_eq!(text, "(car (list (list 1 1) (list 1 1)))", "{runtime}");
    }
}

#[test]
fn systems_are_loaded_and_mistakes_located() {
    let mut session = mill();
    for runtime in BOTH {
        let load = |force: bool| json!({ "system": "mill", "session": runtime, "force": force });
        let answer = session.ok("load_system", load(true));
        assert_eq!(answer.fields["status"], "loaded", "{runtime}: {}", answer.text);
        assert_eq!(answer.fields["warnings"], 1, "{runtime}: {}", answer.text);
        let diagnostic = &answer.fields["diagnostics"][0];
        assert_eq!((&diagnostic["path"], &diagnostic["line"]), (&json!("src/stone.lisp"), &json!(4)), "{runtime}");
        assert!(answer.text.contains("ariable Y is not used"), "{runtime}: {}", answer.text);
        let again = session.ok("load_system", load(false));
        assert_eq!((&again.fields["status"], &again.fields["warnings"]), (&json!("unchanged"), &json!(1)), "{runtime}");
        session.project.file("src/wheel.lisp", WHEEL.replace("* 2", if runtime == "ecl" { "* 3" } else { "* 4" }));
        session.ok("load_system", load(false));
        let grinds = values(&mut session, runtime, "(first (mill::grind 1 2))");
        assert_eq!(grinds, json!([if runtime == "ecl" { "3" } else { "4" }]), "{runtime}");
        session.refused("load_system", json!({ "system": "mil", "session": runtime }), "BAD_ARGUMENT", &["mill"]);
        for (name, text, says) in [
            (
                "raises.lisp",
                "(defvar *x* 1)\n;; λ\n(error \"while ~a\" \"loading\")\n",
                "raises.lisp:3: error: while loading",
            ),
            ("open.lisp", "(defun f (x)\n  (list x\n", "open.lisp"),
            ("syntax.lisp", "(defun f (x)\n  (let ((a x 1)) a))\n", "syntax.lisp:1:"),
        ] {
            session.project.file(name, text);
            let answer = session.client.call("load_system", json!({ "path": name, "session": runtime }));
            assert!(answer.is_error && answer.text.contains(says), "{runtime} {name}: {}", answer.text);
            assert_eq!(answer.fields["status"], "failed", "{runtime} {name}");
        }
        let names: Vec<_> =
            std::fs::read_dir(session.project.at("src")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names.len(), 2, "{runtime}: compiled files beside the sources: {names:?}");
    }
}

#[test]
fn tests_of_fiveam_and_rt_are_run() {
    let mut session = mill();
    for runtime in BOTH {
        let run = |system: &str| json!({ "system": system, "session": runtime });
        let answer = session.ok("run_tests", run("mill/tests"));
        assert!(answer.text.starts_with("1 passed, 2 failed, 1 pending of 4 (fiveam, "), "{runtime}: {}", answer.text);
        assert!(
            answer.text.contains("FAILED tests.lisp:6: mill/tests::adds (It adds.)\n  no four"),
            "{runtime}: {}",
            answer.text
        );
        assert!(answer.text.contains("SIMPLE-ERROR: sand in it"), "{runtime}: {}", answer.text);
        let some = json!({ "system": "mill/tests", "session": runtime, "test": "good" });
        assert_eq!(session.ok("run_tests", some).fields["passed"], 1, "{runtime}");
        let answer = session.ok("run_tests", run("mill/old"));
        assert!(answer.text.starts_with("1 passed, 1 failed, 0 pending of 2 (rt, "), "{runtime}: {}", answer.text);
        let answer = session.ok("run_tests", run("mill/plain"));
        assert!(answer.text.contains("the axle broke"), "{runtime}: {}", answer.text);
        // A test that exits is an error of the test, and the image stays.
        let exit = if runtime == "ecl" { "ext:quit" } else { "ext:exit" };
        let code = format!(
            "(defpackage :e{runtime} (:use :cl :rt))\n(in-package :e{runtime})\n(deftest fine 1 1)\n(deftest out ({exit} 4) 1)\n"
        );
        session.project.file("exits.lisp", code);
        values(&mut session, runtime, "(defvar *here* 1)");
        let answer = session.client.call("run_tests", json!({ "path": "exits.lisp", "session": runtime }));
        assert!(answer.is_error && answer.text.contains("4"), "{runtime}: {}", answer.text);
        assert_eq!(values(&mut session, runtime, "*here*"), json!(["1"]), "{runtime}");
    }
}

#[test]
fn status_lists_them_and_the_name_of_the_language_names_one() {
    let mut session = Session::new();
    for runtime in BOTH {
        values(&mut session, runtime, "1");
    }
    let status = session.ok("repl_control", json!({ "action": "status", "detail": true }));
    for says in ["ecl: ECL ", "clisp: GNU CLISP ", "ecl: idle, ECL", "clisp: idle, CLISP"] {
        assert!(status.text.contains(says), "{says}: {}", status.text);
    }
    let sbcl = session.ok("repl_eval", json!({ "code": "(lisp-implementation-type)", "runtime": "common-lisp" }));
    assert_eq!(sbcl.fields["values"], json!(["\"SBCL\""]));
}

/// C's `system` ignores interrupts while it waits; the child is ended, and then the image listens.
#[test]
fn an_endless_wait_for_a_child_ends_the_child_and_keeps_the_image() {
    for (runtime, wait) in [
        ("ecl", "(ext:system \"sleep 1000\")"),
        ("clisp", "(ext:shell \"sleep 1000\")"),
        ("clisp", "(progn (c-system \"sleep 1000; sleep 1000\") (loop))"),
    ] {
        let mut household = Household::new(&[]);
        let mut call = |code: &str, seconds: f64| {
            let arguments = json!({ "code": code, "runtime": runtime, "timeout_seconds": seconds });
            household.call("repl_eval", arguments)
        };
        call("(defvar *kept* 41)", 50.0);
        if wait.contains("c-system") {
            call(
                "(ffi:def-call-out c-system (:name \"system\") (:library :default) (:language :stdc)
                   (:arguments (command ffi:c-string)) (:return-type ffi:int))",
                50.0,
            );
        }
        let answer = call(&format!("{wait} (setf *kept* 1)"), 0.3);
        assert_eq!(answer.fields["code"], "TIMEOUT", "{runtime}: {}", answer.text);
        assert_eq!(answer.fields["execution_status"], "interrupted", "{runtime}: {}", answer.text);
        if wait.contains("c-system") {
            assert!(answer.text.contains("of the code that it did not stop waiting for w"), "{}", answer.text);
        }
        let next = call("(1+ *kept*)", 50.0);
        assert_eq!(next.text, "=> 42", "{runtime}: after {}", answer.text);
        household.call("repl_control", json!({ "action": "kill", "session": runtime }));
        // The server, and a spare.
        household.assert_gone(2, "the child");
    }
}

#[test]
fn a_clisp_that_ignores_interrupts_is_killed() {
    let mut session = Session::new();
    session.ok("repl_control", json!({ "action": "start", "session": "clisp" }));
    let deaf = "(ffi:def-call-out c-signal (:name \"signal\") (:library :default) (:language :stdc)
                  (:arguments (number ffi:int) (handler ffi:long)) (:return-type ffi:long))
                (c-signal 2 1) (print :begun) (loop)";
    let arguments = json!({ "code": deaf, "runtime": "clisp" });
    let answer = session.stopped("repl_eval", arguments, |answer| answer.text.contains(":BEGUN"));
    assert_eq!(answer.fields["code"], "SESSION_LOST", "{}", answer.text);
    assert!(answer.text.contains("it did not listen to an interrupt and was killed"), "{}", answer.text);
    assert!(answer.text.contains(":BEGUN"), "{}", answer.text);
    assert_eq!(values(&mut session, "clisp", "(+ 1 2)"), json!(["3"]));
}

#[test]
fn a_sandbox_leaves_room_for_systems_and_their_tests() {
    for (runtime, mechanism) in BOTH.into_iter().flat_map(|runtime| [(runtime, "landlock"), (runtime, "bubblewrap")]) {
        let project = Project::new();
        project.file("mill.asd", DEFINITION);
        project.file("src/wheel.lisp", WHEEL);
        project.file("src/stone.lisp", STONE);
        project.file("tests.lisp", TESTS);
        let mut household = Household::on(project, &[&format!("--sandbox={mechanism}")]);
        let status = household.call("repl_control", json!({ "action": "status" }));
        if status.fields["isolation"] != mechanism {
            tested(&format!("that {mechanism} does not work here"));
            assert_eq!(status.fields["isolation"], "none-works", "{}", status.text);
            continue;
        }
        let loaded = household.call("load_system", json!({ "system": "mill", "runtime": runtime }));
        assert_eq!(loaded.fields["status"], "loaded", "{runtime} in {mechanism}: {}", loaded.text);
        let tests = json!({ "system": "mill/tests", "runtime": runtime });
        let tests = household.call("run_tests", tests);
        assert_eq!((&tests.fields["passed"], &tests.fields["failed"]), (&json!(1), &json!(2)), "{}", tests.text);
        let stopped = json!({ "code": "(loop)", "runtime": runtime, "timeout_seconds": 0.3 });
        let stopped = household.call("repl_eval", stopped);
        assert_eq!(stopped.fields["execution_status"], "interrupted", "{runtime} in {mechanism}: {}", stopped.text);
        household.client.kill();
        household.assert_gone(0, "a confined image ends with a killed server");
    }
}

#[test]
fn an_unbalanced_file_gets_our_diagnosis() {
    let mut session = Session::with_file("mill.asd", "(defsystem \"mill\" :components ((:file \"bad\")))\n");
    session.project.file("bad.lisp", "(defun f (x)\n  (list x)\n\n(defun g () 1)\n");
    for runtime in BOTH {
        for what in [json!({ "system": "mill" }), json!({ "path": "bad.lisp" })] {
            let mut arguments = what.clone();
            arguments["runtime"] = runtime.into();
            let answer = session.client.call("load_system", arguments);
            assert!(answer.is_error, "{runtime}: {}", answer.text);
            let expected = "bad.lisp:2:11: error: `(` of 1:1 is never closed, `)` is due";
            assert_eq!(answer.text.matches(expected).count(), 1, "{runtime} {what}: {}", answer.text);
            assert!(answer.text.contains("did not load, 1 error."), "{runtime} {what}: {}", answer.text);
        }
    }
}

#[test]
fn digits_that_became_symbols_are_explained() {
    let mut session = Session::new();
    for runtime in ["sbcl", "ecl", "clisp"] {
        let answer = failure(&mut session, runtime, "(setf *read-base* 2 *print-base* 2) 5");
        let says =
            "[note] 5 is read as a symbol, since *read-base* was changed in this session: (setf *read-base* #10r10)";
        assert!(answer.text.contains(says), "{runtime}: {}", answer.text);
        assert!(!failure(&mut session, runtime, "five").text.contains("*read-base*"), "{runtime}");
        values(&mut session, runtime, "(setf *read-base* #10r10)");
        assert_eq!(values(&mut session, runtime, "(- 5 2)"), json!(["3"]), "{runtime}");
    }
}

#[test]
fn tests_of_the_rt_that_comes_with_sbcl() {
    let mut session =
        Session::with_file("mill.asd", "(defsystem \"mill\" :depends-on (\"sb-rt\") :components ((:file \"mill\")))\n");
    session.project.file(
        "mill.lisp",
        "(defpackage :mill (:use :cl :sb-rt))\n(in-package :mill)\n(deftest fine (values 1 2) 1 2)\n\
         (deftest off (+ 1 2) 4)\n(deftest raises (error \"no corn\") 1)\n",
    );
    let answer = session.ok("run_tests", json!({ "system": "mill", "runtime": "sbcl" }));
    assert_eq!((&answer.fields["passed"], &answer.fields["failed"]), (&json!(1), &json!(2)), "{}", answer.text);
    let failed = &answer.fields["failed_tests"];
    assert_eq!(failed[0]["form"], "(+ 1 2)");
    assert_eq!(failed[0]["values"][1], json!({ "name": "actual", "value": "3" }));
    assert!(failed[1]["reason"].as_str().unwrap().contains("no corn"), "{}", answer.text);
    let one = session.ok("run_tests", json!({ "system": "mill", "test": "mill::fine" }));
    assert_eq!((&one.fields["passed"], &one.fields["failed"]), (&json!(1), &json!(0)), "{}", one.text);
}

#[test]
fn tests_of_rt_and_of_sbcls_own_rt_run_together() {
    let mut session = Session::with_file(
        "mill.asd",
        "(defsystem \"mill\" :components ())\n\
         (defsystem \"mill/tests\" :depends-on (\"rt\" \"sb-rt\") :components ((:file \"old\") (:file \"own\")))\n\
         (defsystem \"mill/half\" :depends-on (\"sb-rt\") :components ((:file \"own\")))\n",
    );
    session.project.file(
        "old.lisp",
        "(defpackage :old (:use :cl :rt))\n(in-package :old)\n(deftest one (+ 1 1) 2)\n(deftest two 1 2)\n\
         (deftest 7 1 1)\n(deftest (a list) 1 1)\n",
    );
    session.project.file(
        "own.lisp",
        "(defpackage :own (:use :cl :sb-rt))\n(in-package :own)\n(deftest one (+ 1 1) 2)\n(deftest two 1 2)\n",
    );
    for arguments in [json!({ "system": "mill/tests" }), json!({ "system": "mill/tests", "framework": "rt" })] {
        let answer = session.ok("run_tests", arguments);
        assert!(answer.text.starts_with("4 passed, 2 failed, 0 pending of 6 (rt, "), "{}", answer.text);
        assert!(answer.text.contains("old.lisp:4: old::two"), "{}", answer.text);
        assert!(answer.text.contains("own.lisp:4: own::two"), "{}", answer.text);
        assert!(!answer.text.contains("Redefining"), "{}", answer.text);
    }
    session.project.file("twice.lisp", "(in-package :own)\n(deftest twice 1 1)\n(deftest twice 1 1)\n");
    for _ in 0..2 {
        let twice = session.ok("run_tests", json!({ "path": "twice.lisp" }));
        assert!(twice.text.ends_with("\n[warning] Redefining test TWICE"), "{}", twice.text);
    }
    for (arguments, passed) in [
        (json!({ "system": "mill/half" }), 1),
        (json!({ "path": "own.lisp" }), 1),
        (json!({ "path": "old.lisp" }), 3),
        (json!({ "path": "old.lisp", "tests": ["7", "(a list)"] }), 2),
        (json!({ "system": "mill/tests", "test": "one" }), 2),
    ] {
        let answer = session.ok("run_tests", arguments);
        assert_eq!(
            (&answer.fields["framework"], &answer.fields["passed"]),
            (&json!("rt"), &json!(passed)),
            "{}",
            answer.text
        );
    }
}

#[test]
fn failures_of_a_dependency_are_not_failures_of_the_fiveam_test() {
    let mut session = Session::with_file(
        "mill.asd",
        "(defsystem \"mill\" :depends-on (\"fiveam\") :components ((:file \"mill\")))\n",
    );
    session.project.file(
        "mill.lisp",
        "(defpackage :mill (:use :cl :fiveam))\n(in-package :mill)\n(test wheel (is (= 1 2)))\n\
         (test (stone :depends-on wheel) (is (= 1 1)))\n(test door (is (= 1 1)))\n\
         (test (lock :depends-on door) (is (= 1 1)))\n",
    );
    let answer = session.ok("run_tests", json!({ "system": "mill", "runtime": "sbcl" }));
    let counts = ["passed", "failed", "pending"].map(|name| answer.fields[name].as_u64().unwrap());
    assert_eq!(counts, [2, 1, 1], "{}", answer.text);
    assert_eq!(answer.fields["failed_tests"].as_array().unwrap().len(), 1, "{}", answer.text);
    // A requested test that does not exist is no success, even if the others pass.
    let some = session.ok("run_tests", json!({ "system": "mill", "tests": ["door", "gear"] }));
    assert_eq!((&some.fields["passed"], &some.fields["unmatched"]), (&json!(1), &json!(["gear"])), "{}", some.text);
    assert!(some.text.contains("No test or group is called gear. There are: mill::wheel, "), "{}", some.text);
}

#[test]
fn every_kind_of_circular_value_is_printed() {
    let mut session = Session::new();
    let table = "(let ((table (make-hash-table))) (setf (gethash 1 table) table) table)";
    let node = "(defstruct node next) (let ((node (make-node))) (setf (node-next node) node) node)";
    for code in [table, node] {
        let answer = session.ok("repl_eval", json!({ "code": code, "runtime": "clisp" }));
        assert!(answer.text.contains("#1=") && answer.text.contains("#1#"), "{}", answer.text);
    }
}

/// A library may have methods around ASDF's, as one that FiveAM needs has: mistakes are found as before, and so are the
/// effects of those methods.
#[test]
fn a_library_that_observes_asdf_takes_nothing_away() {
    let mut session = mill();
    let stone = format!("{STONE}(defun spare () nowhere)\n");
    session.project.file("observer.asd", "(defsystem \"observer\" :components ((:file \"observer\")))\n");
    session.project.file(
        "observer.lisp",
        "(defvar cl-user::*seen* '())
(defmethod asdf:perform :around ((o asdf:compile-op) (c asdf:cl-source-file))
  (push (asdf:component-name c) cl-user::*seen*) (call-next-method))
(defmethod asdf:perform :around ((o asdf:load-op) (c asdf:cl-source-file)) (call-next-method))
",
    );
    for runtime in BOTH {
        let load = |session: &mut Session, system| {
            session.client.call("load_system", json!({ "system": system, "runtime": runtime }))
        };
        session.project.file("src/stone.lisp", STONE);
        assert!(!load(&mut session, "mill").is_error);
        assert!(!load(&mut session, "observer").is_error);
        session.project.file("src/stone.lisp", &stone);
        let loaded = load(&mut session, "mill");
        assert!(loaded.text.contains("src/stone.lisp:6: "), "{runtime}: {}", loaded.text);
        assert_eq!(values(&mut session, runtime, "cl-user::*seen*"), json!(["(\"stone\")"]), "{runtime}");
    }
}
