//! Code that exceeds its limits of memory or processes in ways that a heap limit does not see.

use serde_json::json;

use crate::client::Answer;
use crate::household::Household;

/// 200 MB of heap, so 506 MB for everything; 60 processes.
const OPTIONS: [&str; 4] = ["--max-memory", "200", "--max-processes", "60"];

const ALIEN: &str = "(loop (let ((a (sb-alien:make-alien sb-alien:char 10000000)))
                              (loop for i below 10000000 by 4096 do (setf (sb-alien:deref a i) 1))))";

/// Code that holds 800 MB in a child process.
const HOLDER: &str = "exec python3 -c 'a = [bytearray(50000000) for _ in range(16)]; import time; time.sleep(600)'";

fn run(household: &mut Household, runtime: &str, code: &str) -> Answer {
    let arguments = json!({ "code": code, "runtime": runtime, "session": runtime, "timeout_seconds": 200 });
    household.call("repl_eval", arguments)
}

/// The code is ended and reported once, with `says`; no process of it is left.
#[track_caller]
fn check(runtime: &str, code: &str, says: &str) {
    let mut household = Household::new(&OPTIONS);
    assert!(!run(&mut household, runtime, "1").is_error);
    let answer = run(&mut household, runtime, code);
    assert_eq!(answer.fields["code"], "SESSION_LOST", "{code}: {}", answer.text);
    assert!(answer.text.contains(says), "{code}: {:?} does not say {says:?}", answer.text);
    // The server and the spare.
    household.assert_gone(2, "what it started has ended");
    if runtime == "clojure" {
        // Another server is slow to start; the session goes on like one on SBCL.
        assert!(household.client.finish().success());
        return;
    }
    let next = run(&mut household, runtime, "(+ 1 2)");
    assert!(next.text.contains("=> 3") && !next.text.contains("lost"), "{code}, then: {}", next.text);
    assert!(household.client.finish().success());
}

const MEMORY: &str = "more than the 506 MB that --max-memory allows";
const PROCESSES: &str = "more than the 60 that --max-processes allows";

#[test]
fn foreign_memory_on_sbcl() {
    check("sbcl", ALIEN, MEMORY);
}

#[test]
fn foreign_memory_on_guile() {
    check(
        "guile",
        "(use-modules (system foreign))
         (define (c type name . arguments) (pointer->procedure type (dynamic-func name (dynamic-link)) arguments))
         (let loop ()
           ((c '* \"memset\" '* int size_t) ((c '* \"malloc\" size_t) 1000000) 1 1000000)
           (loop))",
        MEMORY,
    );
}

#[test]
fn the_memory_of_child_processes_on_sbcl() {
    check("sbcl", &format!("(uiop:run-program {HOLDER:?})"), MEMORY);
}

#[test]
fn the_memory_of_child_processes_on_guile() {
    check("guile", &format!("(system {HOLDER:?})"), MEMORY);
}

#[test]
fn the_memory_of_child_processes_on_clojure() {
    check("clojure", &format!("(.waitFor (.start (ProcessBuilder. [\"sh\" \"-c\" {HOLDER:?}])))"), MEMORY);
}

/// Memory in files that no process has mapped.
#[test]
fn anonymous_files_in_memory() {
    let writer = "import os\nf = os.memfd_create('x')\nwhile True: os.write(f, bytes(10000000))";
    check(
        "sbcl",
        &format!("(sb-ext:run-program \"/usr/bin/python3\" '(\"-c\" {writer:?}))").replace("\\n", "\n"),
        MEMORY,
    );
}

#[test]
fn processes_without_end_on_sbcl() {
    check("sbcl", "(loop (sb-ext:run-program \"/bin/sleep\" '(\"1000\") :wait nil))", PROCESSES);
    // Their parents are gone, so they are not found by descent.
    check("sbcl", "(loop (sb-ext:run-program \"/bin/sh\" '(\"-c\" \"sleep 1000 & sleep 1000 &\")))", PROCESSES);
}

#[test]
fn processes_without_end_on_guile() {
    check("guile", "(let loop () (system \"sleep 1000 &\") (loop))", PROCESSES);
}

#[test]
fn processes_without_end_on_clojure() {
    check("clojure", "(loop [] (.start (ProcessBuilder. [\"sleep\" \"1000\"])) (recur))", PROCESSES);
}

#[test]
fn a_full_heap_is_an_error_of_lisp() {
    let mut household = Household::new(&OPTIONS);
    let answer = run(&mut household, "sbcl", "(let ((all '())) (loop (push (make-array 1000000) all)))");
    assert!(answer.text.contains("eap exhausted"), "{}", answer.text);
    let code = "(use-modules (rnrs bytevectors)) (let loop ((all '())) (loop (cons (make-bytevector 10000000 1) all)))";
    let answer = run(&mut household, "guile", code);
    assert!(answer.text.contains("ut of memory"), "{}", answer.text);
}

#[test]
fn a_copy_that_takes_too_much_is_ended_alone() {
    let mut household = Household::new(&OPTIONS);
    run(&mut household, "sbcl", "(defvar *x* 5)");
    let trial = json!({ "code": ALIEN, "session": "sbcl", "trial": true, "timeout_seconds": 200 });
    let answer = household.call("repl_eval", trial);
    assert!(answer.text.contains(MEMORY) && answer.text.contains("The session is as it was"), "{}", answer.text);
    assert_eq!(run(&mut household, "sbcl", "*x*").text, "=> 5");
    household.call("repl_control", json!({ "action": "checkpoint", "name": "five", "session": "sbcl" }));
    run(&mut household, "sbcl", "(setf *x* 6)");
    let answer = run(&mut household, "sbcl", ALIEN);
    assert!(answer.text.contains(MEMORY) && answer.text.contains("back at checkpoint \"five\""), "{}", answer.text);
    assert_eq!(run(&mut household, "sbcl", "*x*").text, "=> 5");
}

/// Starts code that goes on after the call, and exceeds a limit once there is a file `go`, so while no call runs. It is
/// ended, and the next call reports it.
#[track_caller]
fn check_idle(runtime: &str, code: &str, says: &str) {
    let mut household = Household::new(&OPTIONS);
    let answer = run(&mut household, runtime, code);
    assert!(!answer.is_error, "{code}: {}", answer.text);
    household.project.file("go", "");
    let status = json!({ "action": "status", "session": runtime });
    while household.call("repl_control", status.clone()).fields["sessions"][0]["state"] != "no-image" {}
    // The server and the spare.
    household.assert_gone(2, "what was started has ended");
    if runtime != "clojure" {
        let next = run(&mut household, runtime, "(+ 1 2)");
        assert!(next.text.starts_with("=> 3\n[note] The image of session "), "{}", next.text);
        assert!(next.text.contains(says) && next.text.contains("while no call was running"), "{}", next.text);
        assert_eq!(run(&mut household, runtime, "(+ 1 2)").text, "=> 3", "told once");
    }
    assert!(household.client.finish().success());
}

#[test]
fn a_thread_of_an_idle_image_that_eats_memory_on_sbcl() {
    check_idle(
        "sbcl",
        &format!(
            "(progn (sb-thread:make-thread (lambda () (loop until (probe-file \"go\") do (sleep 0.01)) {ALIEN})) 1)"
        ),
        MEMORY,
    );
}

#[test]
fn processes_of_an_idle_image_on_guile() {
    check_idle(
        "guile",
        "(system \"(until [ -e go ]; do sleep 0.1; done; for i in $(seq 100); do sleep 1000 & done) &\")",
        PROCESSES,
    );
}

#[test]
fn a_child_of_an_idle_image_on_clojure() {
    let holder = format!("until [ -e go ]; do sleep 0.1; done; {HOLDER}");
    check_idle("clojure", &format!("(do (.start (ProcessBuilder. [\"sh\" \"-c\" {holder:?}])) 1)"), MEMORY);
}

#[test]
fn an_idle_copy_that_takes_too_much_is_ended_alone() {
    let mut household = Household::new(&OPTIONS);
    run(&mut household, "sbcl", "(defvar *x* 5)");
    household.call("repl_control", json!({ "action": "checkpoint", "name": "five", "session": "sbcl" }));
    run(
        &mut household,
        "sbcl",
        &format!("(setf *x* 6) (sb-ext:run-program \"/bin/sh\" '(\"-c\" {HOLDER:?}) :wait nil)"),
    );
    let copy =
        household.call("repl_control", json!({ "action": "status", "session": "sbcl" })).fields["sessions"][0]["pid"]
            .as_i64()
            .unwrap();
    household.until("the copy has ended", |household| !household.processes().iter().any(|pid| i64::from(*pid) == copy));
    let next = run(&mut household, "sbcl", "*x*");
    assert!(next.text.starts_with("=> 5\n[note] "), "{}", next.text);
    assert!(next.text.contains(MEMORY) && next.text.contains("went back to checkpoint \"five\""), "{}", next.text);
}

/// Each copy has all pages, but they exist once.
#[test]
fn shared_pages_are_counted_once() {
    let mut household = Household::new(&OPTIONS);
    run(
        &mut household,
        "sbcl",
        "(defvar *big* (make-array 100000000 :element-type '(unsigned-byte 8) :initial-element 1))",
    );
    for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        let answer = household.call("repl_control", json!({ "action": "checkpoint", "name": name, "session": "sbcl" }));
        assert!(!answer.is_error, "{}", answer.text);
    }
    // Long enough for several looks.
    let answer =
        run(&mut household, "sbcl", "(let ((sum 0)) (sleep 1) (dotimes (i 1000 sum) (incf sum (aref *big* i))))");
    assert_eq!(answer.text, "=> 1000");
}
