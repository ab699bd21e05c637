//! A project of Emacs Lisp: sessions, features, tests, names and errors.

use serde_json::{Value, json};

use crate::client::Session;

const AREA: &str = ";;; area.el --- areas  -*- lexical-binding: t; -*-
(defvar area-unit \"cm\" \"The unit.\")
(defun area-square (side)
  \"The area of a square of SIDE.\"
  (let ((area (* side side)))
    area))
(defun area-broken (list)
  (let ((first (car list)))
    (+ first (area-missing list))))
(provide 'area)
";

const TESTS: &str = ";;; -*- lexical-binding: t; -*-
(require 'ert)
(require 'area)
(ert-deftest area-holds () (should (= (area-square 2) 4)))
(ert-deftest area-fails ()
  (should (= (area-square 2) 5)))
(ert-deftest area-errs () (area-broken '(1)))
(ert-deftest area-skips () (skip-unless nil))
(ert-deftest area-fails-as-known () :expected-result :failed (should nil))
";

fn project() -> Session {
    let session = Session::with_file("area.el", AREA);
    session.project.file("test/area-test.el", TESTS);
    session
}

#[test]
fn a_project_of_emacs_lisp_runs_emacs_and_output_is_captured() {
    let mut session = project();
    let answer = session.ok("repl_eval", json!({ "code": "(message \"λ %d\" 1) (princ \"out\") (list 1 \"a\" 'b)" }));
    assert_eq!(answer.fields["values"], json!(["(1 \"a\" b)"]), "{}", answer.text);
    assert_eq!(answer.fields["stdout"], "out");
    assert_eq!(answer.fields["stderr"].as_str().map(str::trim), Some("λ 1"));
    let status = session.ok("repl_control", json!({ "action": "status" }));
    assert!(status.text.contains("main: idle, GNU Emacs "), "{}", status.text);
    let node = session
        .ok("repl_eval", json!({ "code": "(progn (require 'cl-lib) (cl-defstruct spot x y) (make-spot :x 1))" }));
    assert!(node.text.contains("[object 2]"), "{}", node.text);
    let looked = session.ok("inspect_object", json!({ "id": 2 }));
    assert!(looked.text.contains("x = 1") && looked.text.contains("y = nil"), "{}", looked.text);
}

#[test]
fn an_error_has_frames_with_places_and_variables() {
    let mut session = project();
    session.ok("load_system", json!({ "system": "area" }));
    let answer = session.client.call("repl_eval", json!({ "code": "1\n(area-broken '(7))" }));
    assert!(answer.is_error && answer.text.contains("[ERROR] void-function\n"), "{}", answer.text);
    let frame = &answer.fields["error"]["frames"][0];
    assert_eq!((&frame["function"], &frame["line"]), (&json!("(area-broken (7))"), &json!(7)), "{frame}");
    assert!(answer.text.contains("first") && answer.text.contains("area.el:7"), "{}", answer.text);
    for (code, says) in [
        ("(list 1", "ends in the middle"),
        ("(defun deep (n) (1+ (deep n))) (deep 1)", "nesting exceeds"),
        ("(read-string \"name: \")", "standard input"),
        ("(read-char)", "standard input"),
        ("(throw 'nowhere 1)", "No catch"),
        ("(top-level)", "top-level"),
        ("(let ((debug-on-error nil)) (error \"bare\"))", "bare"),
    ] {
        let answer = session.client.call("repl_eval", json!({ "code": code }));
        assert!(answer.is_error && answer.text.contains(says), "{code}: {}", answer.text);
    }
    assert_eq!(session.ok("repl_eval", json!({ "code": "(area-square 3)" })).text, "=> 9");
    // A macro has keys, and what is put back is read.
    for (code, expected) in [
        ("(let ((unread-command-events (list ?a))) (read-event))", "=> 97"),
        (
            "(with-temp-buffer (switch-to-buffer (current-buffer))\n\
             (execute-kbd-macro (kbd \"b C-q c\")) (buffer-string))",
            "=> \"bc\"",
        ),
    ] {
        assert_eq!(session.ok("repl_eval", json!({ "code": code })).text, expected);
    }
}

#[test]
fn a_script_of_the_project_says_what_has_the_tests() {
    let mut session = project();
    session.project.file("run-tests.sh", "#!/bin/sh\nemacs -batch -l dev/to-tests.el \\\n  -l area.el -l dev/examples.el -f ert-run-tests-batch-and-exit\n");
    session.project.file(
        "dev/to-tests.el",
        "(require 'ert)\n(defun group (&rest _))\n\
         (defmacro examples (name form _ value) `(ert-deftest ,name () (should (equal ,form ,value))))\n",
    );
    session.project.file(
        "dev/examples.el",
        "(group\n (examples square (area-square 3) => 9)\n (examples other (area-square 2) => 5))\n",
    );
    let answer = session.client.call("run_tests", json!({ "path": "dev" }));
    let fields = &answer.fields;
    assert_eq!((&fields["passed"], &fields["failed"]), (&json!(1), &json!(1)), "{}", answer.text);
    assert!(answer.text.contains("in 1 file"), "{}", answer.text);
}

#[test]
fn code_that_does_not_end_is_stopped_and_the_image_stays() {
    let mut session = project();
    session.ok("repl_eval", json!({ "code": "(setq kept 41)" }));
    for code in [
        "(while t)",
        "(sleep-for 1000)",
        "(let ((inhibit-quit t)) (while t))",
        "(while t (condition-case nil (sleep-for 1) (error nil)))",
        "(call-process \"sleep\" nil nil nil \"1000\")",
    ] {
        let answer = session.client.call("repl_eval", json!({ "code": code, "timeout_seconds": 1 }));
        assert_eq!(answer.fields["code"], "TIMEOUT", "{code}: {}", answer.text);
        assert_eq!(session.ok("repl_eval", json!({ "code": "(1+ kept)" })).text, "=> 42", "{code}");
    }
    let answer = session.client.call("repl_eval", json!({ "code": "(kill-emacs 3)" }));
    assert!(answer.is_error && answer.text.contains("exit code 3"), "{}", answer.text);
    session.ok("repl_eval", json!({ "code": "(emacs-version)" }));
}

#[test]
fn a_held_stack_is_inspected_and_left() {
    let mut session = project();
    session.ok("load_system", json!({ "path": "area.el" }));
    let held = json!({ "code": "(area-broken '(7 8))", "on_error": "hold" });
    let answer = session.client.call("repl_eval", held);
    assert!(answer.text.contains("[held] The stack is kept"), "{}", answer.text);
    let mut control = |arguments: Value| session.client.call("repl_control", arguments);
    let locals = control(json!({ "action": "locals", "frame": 0 }));
    assert!(locals.text.contains("first") && locals.text.contains('7'), "{}", locals.text);
    let inside = control(json!({ "action": "eval_in_frame", "frame": 0, "code": "(list first (length list))" }));
    assert_eq!(inside.fields["values"], json!(["(7 2)"]));
    let defined = session.ok("repl_eval", json!({ "code": "(defun area-missing (list) (length list))" }));
    assert!(defined.text.contains("area-missing"), "{}", defined.text);
    let again = session.client.call("repl_control", json!({ "action": "restart", "restart": "retry" }));
    assert_eq!(again.text, "=> 9");
}

#[test]
fn files_are_loaded_with_the_diagnostics_of_the_compiler() {
    let mut session = project();
    let answer = session.ok("load_system", json!({ "path": "area.el" }));
    assert!(answer.text.contains("area.el:9:") && answer.text.contains("area-missing"), "{}", answer.text);
    let again = session.ok("load_system", json!({ "system": "area", "force": false }));
    assert_eq!(again.fields["status"], "unchanged");
    session.project.file("area.el", AREA.replace("(* side side)", "(* 2 side)"));
    session.ok("load_system", json!({ "system": "area", "force": false }));
    assert_eq!(session.ok("repl_eval", json!({ "code": "(area-square 3)" })).text, "=> 6");
    for (name, text, place) in [
        ("a.el", "(setq x 1)\n(car x)\n", "a.el:2:1: error: "),
        ("b.el", "(setq x 1)\n(list x\n", "b.el:2:8: error: `(` of 2:1 is never closed"),
        ("c.el", "(kill-emacs 4)\n", "exit code 4"),
    ] {
        session.project.file(name, text);
        let answer = session.client.call("load_system", json!({ "path": name }));
        assert!(answer.is_error && answer.text.contains(place), "{name}: {}", answer.text);
    }
    session.refused("load_system", json!({ "system": "aera" }), "BAD_ARGUMENT", &["aera"]);
    let written = session.project.snapshot();
    assert!(written.keys().all(|path| !path.to_string_lossy().ends_with(".elc")), "{:?}", written.keys());
}

#[test]
fn tests_of_both_frameworks_are_run_and_failures_reported() {
    let mut session = project();
    let answer = session.ok("run_tests", json!({ "path": "test/area-test.el" }));
    assert!(answer.text.starts_with("1 passed, 2 failed, 2 pending of 5 (ert, "), "{}", answer.text);
    assert!(answer.text.contains("FAILED test/area-test.el:5: area-fails\n"), "{}", answer.text);
    assert!(answer.text.contains("form: (= 4 5)"), "{}", answer.text);
    let some = session.ok("run_tests", json!({ "system": "area", "tests": ["area-holds"] }));
    assert_eq!((&some.fields["passed"], &some.fields["failed"]), (&json!(1), &json!(0)));
    session.project.file("empty.el", "(setq x 1)\n");
    session.project.file("hang.el", "(require 'ert)\n(ert-deftest spins () (while t))\n");
    session.project.file("exits.el", "(require 'ert)\n(ert-deftest ends () (kill-emacs 2))\n");
    for (path, says) in [("empty.el", "No test ran"), ("hang.el", "testing spins"), ("exits.el", "exit with code 2")] {
        let answer = session.stopped("run_tests", json!({ "path": path }), |answer| answer.text.contains(says));
        assert!(answer.is_error && answer.text.contains(says), "{path}: {}", answer.text);
    }
    let packages = std::fs::read_dir("/usr/share/emacs/site-lisp/elpa-src").into_iter().flatten().flatten();
    let is_present = packages.into_iter().any(|package| package.file_name().to_string_lossy().starts_with("buttercup"));
    assert!(is_present, "this test needs Buttercup: apt-get install elpa-buttercup");
    let specs = "(require 'buttercup)\n(describe \"areas\"\n  (it \"hold\" (expect 4 :to-equal 4))\n  \
                 (it \"fail\" (expect 4 :to-equal 5))\n  (xit \"wait\" (expect 1 :to-equal 2)))\n";
    session.project.file("area-spec.el", specs);
    let answer = session.ok("run_tests", json!({ "path": "area-spec.el" }));
    assert!(answer.text.starts_with("1 passed, 1 failed, 1 pending of 3 (buttercup, "), "{}", answer.text);
    let one = session.ok("run_tests", json!({ "path": "area-spec.el", "tests": ["areas hold"] }));
    assert_eq!((&one.fields["passed"], &one.fields["failed"]), (&json!(1), &json!(0)));
}

#[test]
fn an_image_has_no_libraries_that_a_fresh_emacs_lacks() {
    let mut session =
        Session::with_file("mill.el", "(defun mill-join (words) (string-join words \",\"))\n(provide 'mill)\n");
    let test =
        "(require 'ert)\n(require 'mill)\n(ert-deftest mill-joins () (should (equal (mill-join '(\"a\")) \"a\")))\n";
    session.project.file("mill-test.el", test);
    // Whatever is asked of it before.
    session.ok("load_system", json!({ "path": "mill.el" }));
    let answer = session.ok("run_tests", json!({ "path": "mill-test.el" }));
    let void = "void-function: Symbol’s function definition is void: string-join";
    assert!(answer.text.starts_with("0 passed, 1 failed") && answer.text.contains(void), "{}", answer.text);
    let libraries = "(mapcar #'featurep '(subr-x rx comp json package seq cl-lib))";
    let answer = Session::new().ok("repl_eval", json!({ "code": libraries, "runtime": "emacs" }));
    assert!(answer.text.contains("=> (nil nil nil nil nil nil nil)"), "{}", answer.text);
}

#[test]
fn tests_have_what_a_runner_gives_them() {
    let mut session = Session::with_file("mill.el", "(defun mill-grind (x) (* 2 x))\n(provide 'mill)\n");
    session.project.file("Makefile", "test:\n\temacs -Q --batch -L . -L support -l ert -l test/mill-test.el\n");
    session.project.file("support/mill-support.el", "(defun mill-support () 3)\n(provide 'mill-support)\n");
    session.project.file("test/mill-beside.el", "(defun mill-beside () 4)\n(provide 'mill-beside)\n");
    session.project.file("test/test-helper.el", "(defmacro with-mill (&rest body) `(progn ,@body))\n");
    let test = "(require 'ert)\n(require 'mill)\n(require 'mill-support)\n(require 'mill-beside)\n\
                (ert-deftest mill-works () :tags '(quick) (with-mill (should (= 14 (mill-grind (+ (mill-support) (mill-beside)))))))\n\
                (ert-deftest mill-waits () (should t))\n";
    session.project.file("test/mill-test.el", test);
    let answer = session.ok("run_tests", json!({ "path": "test/mill-test.el" }));
    assert!(answer.text.starts_with("2 passed, 0 failed, 0 pending of 2 (ert, "), "{}", answer.text);
    for wanted in ["(tag quick)", "mill-wo*", "/works$/"] {
        let answer = session.ok("run_tests", json!({ "path": "test/mill-test.el", "test": wanted }));
        assert!(answer.text.starts_with("1 passed, 0 failed, 0 pending of 1 "), "{wanted}: {}", answer.text);
    }
    // What is void is looked up, and failures that say the same are told once.
    session.project.file("lisp/far.el", "\n(defun mill-far () 1)\n");
    let tests = ["one", "two", "three"].map(|name| format!("(ert-deftest {name} () (should (mill-far)))\n")).concat();
    session.project.file("far-test.el", format!("(require 'ert)\n{tests}"));
    let answer = session.ok("run_tests", json!({ "path": "far-test.el" }));
    let alike = "FAILED alike, 3: far-test.el:2 one, far-test.el:4 three, far-test.el:3 two\n  void-function: ";
    assert!(answer.text.contains(alike), "{}", answer.text);
    assert!(
        answer.text.contains(
            "[note] mill-far: defined in lisp/far.el:2, not loaded here: load_system {\"path\": \"lisp/far.el\"}"
        ),
        "{}",
        answer.text
    );
}

/// A test that no `ert-deftest` in the file names is one all the same.
#[test]
fn tests_that_macros_define_are_run() {
    let mut session = project();
    let made = ";;; -*- lexical-binding: t; -*-\n(require 'ert)\n\
        (defmacro examples (name &rest pairs)\n  `(ert-deftest ,name () ,@(mapcar (lambda (pair) `(should (equal ,@pair))) pairs)))\n\
        (defmacro group (&rest body) `(progn ,@body))\n\
        (group\n (examples sums (3 (+ 1 2)))\n (examples products\n   (2 (* 1 2))\n   (7 (* 2 3))))\n\
        (dolist (number '(1 2))\n  (eval `(ert-deftest ,(intern (format \"number-%d\" number)) () (should (= ,number 1)))))\n\
        (ert-deftest plain () (should t))\n";
    session.project.file("made-test.el", made);
    for _ in 0..2 {
        let answer = session.ok("run_tests", json!({ "path": "made-test.el" }));
        assert!(answer.text.starts_with("3 passed, 2 failed, 0 pending of 5 (ert, "), "{}", answer.text);
        assert!(answer.text.contains("FAILED made-test.el:8: products\n"), "{}", answer.text);
        assert!(answer.text.contains("number-2"), "{}", answer.text);
    }
    session.project.file("made-test.el", made.replace("(examples sums", "\n (examples totals"));
    let answer = session.ok("run_tests", json!({ "path": "made-test.el" }));
    assert!(
        answer.text.contains("of 5 (ert, ") && answer.text.contains("made-test.el:9: products\n"),
        "{}",
        answer.text
    );
}

#[test]
fn names_are_described_found_and_expanded() {
    let mut session = project();
    session.ok("load_system", json!({ "system": "area" }));
    let answer = session.ok("code_describe", json!({ "symbol": "area-square" }));
    assert!(answer.text.contains("(side)") && answer.text.contains("area.el:3"), "{}", answer.text);
    assert!(session.ok("code_describe", json!({ "symbol": "car" })).text.contains("source: C"));
    session.refused("code_describe", json!({ "symbol": "area-sqare" }), "BAD_ARGUMENT", &["area-square"]);
    session.ok("load_system", json!({ "path": "test/area-test.el" }));
    let answer = session.ok("code_find_references", json!({ "symbol": "area-broken" }));
    assert!(answer.text.contains("test/area-test.el:7"), "{}", answer.text);
    let answer = session.ok("macroexpand", json!({ "code": "(when a b)" }));
    assert!(answer.text.contains("(if a (progn b))"), "{}", answer.text);
}

/// An Emacs of another owner, with its server in a directory of its own.
struct Owner {
    process: std::process::Child,
    directory: tempfile::TempDir,
}

impl Owner {
    fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let start = format!("(progn (setq server-socket-dir {:?}) (server-start))", directory.path());
        let mut command = std::process::Command::new("emacs");
        // It would compile its libraries to native code in processes and files of its own, also after its end.
        let compiles_nothing = "(setq native-comp-deferred-compilation nil native-comp-jit-compilation nil)";
        command.args(["--quick", "--eval", compiles_nothing, "--fg-daemon", "--eval", &start]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let owner = Self { process: command.spawn().unwrap(), directory };
        let deadline = std::time::Instant::now() + crate::client::PATIENCE;
        while std::os::unix::net::UnixStream::connect(owner.socket()).is_err() {
            assert!(std::time::Instant::now() < deadline, "the owner's Emacs does not start");
            std::thread::yield_now();
        }
        owner
    }

    fn socket(&self) -> std::path::PathBuf {
        self.directory.path().join("server")
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn the_owners_emacs_is_joined_and_never_ended() {
    let mut owner = Owner::start();
    let mut session = project();
    let address = format!("emacs://{}", owner.socket().display());
    let answer = session.ok("repl_control", json!({ "action": "attach", "address": address, "session": "mine" }));
    assert!(answer.text.contains("is attached"), "{}", answer.text);
    let mut within = |seconds: u32, code: &str| {
        let arguments = json!({ "session": "mine", "code": code, "timeout_seconds": seconds });
        session.client.call("repl_eval", arguments)
    };
    let mut eval = |code: &str| within(200, code);
    let process = eval("(princ \"a & b\\n\") (message \"told\") (emacs-pid)");
    assert_eq!(process.fields["values"], json!([owner.process.id().to_string()]), "{}", process.text);
    assert_eq!(process.fields["stdout"], "a & b\n");
    assert_eq!(process.fields["stderr"], "told\n");
    let error = eval("(defun mine (x) (car x)) (mine 7)");
    assert!(error.is_error && error.text.contains("0: (car 7)\n1: (mine 7)"), "{}", error.text);
    assert!(eval("(kill-emacs)").text.contains("was not carried out"));
    assert_eq!(within(2, "(sleep-for 1000)").fields["code"], "TIMEOUT");
    let mut eval = |code: &str| within(200, code);
    assert_eq!(eval("(mine '(λ))").text, "=> λ");
    let loaded = session.ok("load_system", json!({ "session": "mine", "path": "area.el" }));
    assert!(loaded.text.contains("area.el:9:"), "{}", loaded.text);
    let tests = session.ok("run_tests", json!({ "session": "mine", "path": "test/area-test.el" }));
    assert!(tests.text.starts_with("1 passed, 2 failed, 2 pending of 5 (ert, "), "{}", tests.text);
    let reset = session.client.call("repl_control", json!({ "action": "reset", "session": "mine" }));
    assert!(reset.is_error, "{}", reset.text);
    session.ok("repl_control", json!({ "action": "detach", "session": "mine" }));
    assert!(owner.process.try_wait().unwrap().is_none(), "the owner's Emacs goes on");
    session.refused(
        "repl_control",
        json!({ "action": "attach", "address": "emacs:///nowhere/server" }),
        "BAD_ARGUMENT",
        &["/nowhere/server", "server-start"],
    );
}
