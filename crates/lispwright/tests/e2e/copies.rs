//! Checkpoints, rollbacks and trials: the image returns to its state, and no process is left behind.

use serde_json::{Value, json};

use crate::client::{Answer, Session};
use crate::household::comes;

fn eval(session: &mut Session, code: &str) -> Answer {
    session.client.call("repl_eval", json!({ "code": code, "timeout_seconds": 200 }))
}

#[track_caller]
fn value(session: &mut Session, code: &str) -> String {
    let answer = session.ok("repl_eval", json!({ "code": code }));
    answer.fields["values"][0].as_str().unwrap().to_owned()
}

#[track_caller]
fn control(session: &mut Session, action: &str, name: &str) -> Answer {
    session.ok("repl_control", json!({ "action": action, "name": name }))
}

fn status(session: &mut Session) -> Value {
    session.ok("repl_control", json!({ "action": "status" })).fields["sessions"][0].clone()
}

/// The state of a process in the system; `None` if it does not exist.
fn state(pid: i64) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(") ").next()?.chars().next()
}

fn children(pid: i64) -> Vec<i64> {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    children.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

/// Makes checkpoints up to the limit.
#[track_caller]
pub(crate) fn make_all_checkpoints(session: &mut Session) {
    let full = (0..140)
        .map(|depth| {
            session.client.call("repl_control", json!({ "action": "checkpoint", "name": format!("n{depth}") }))
        })
        .find(|answer| answer.is_error)
        .expect("a limit");
    assert!(full.text.contains("There are 128 checkpoints"), "{}", full.text);
}

#[test]
fn a_rollback_brings_the_image_back_and_can_be_repeated() {
    let mut session = Session::new();
    value(&mut session, "(defvar *x* 1)");
    let none = session.client.call("repl_control", json!({ "action": "rollback" }));
    assert!(none.text.contains("has no checkpoint. repl_control {\"action\": \"checkpoint\""), "{}", none.text);
    let made = control(&mut session, "checkpoint", "before");
    assert!(made.text.contains("{\"action\": \"rollback\", \"name\": \"before\"}"), "{}", made.text);
    for _ in 0..3 {
        value(&mut session, "(progn (setf *x* 2) (defun f () 'new) (in-package :keyword))");
        let back = control(&mut session, "rollback", "before");
        assert_eq!(back.fields["checkpoint"], "before");
        assert_eq!(value(&mut session, "(list *x* (fboundp 'f))"), "(1 NIL)");
        assert_eq!(session.ok("repl_eval", json!({ "code": "(princ 'out)" })).fields["stdout"], "OUT");
    }
    // Interrupts and errors work in the copy as in the first process.
    let slow = session.client.call("repl_eval", json!({ "code": "(loop)", "timeout_seconds": 0.3 }));
    assert_eq!(slow.fields["execution_status"], "interrupted", "{}", slow.text);
    assert!(eval(&mut session, "(error \"x\")").text.contains("[ERROR] SIMPLE-ERROR"));
    assert_eq!(value(&mut session, "*x*"), "1");
    assert!(session.client.finish().success());
}

#[test]
fn checkpoints_are_nested() {
    let mut session = Session::new();
    value(&mut session, "(defvar *x* 0)");
    for (name, x) in [("one", 1), ("two", 2), ("three", 3)] {
        value(&mut session, &format!("(setf *x* {x})"));
        control(&mut session, "checkpoint", name);
    }
    value(&mut session, "(setf *x* 4)");
    let names = |session: &mut Session| -> Vec<String> {
        let status = status(session);
        let checkpoints = status["checkpoints"].as_array().unwrap();
        checkpoints.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&mut session), ["one", "two", "three"]);
    session.ok("repl_control", json!({ "action": "rollback" }));
    assert_eq!(value(&mut session, "*x*"), "3");
    control(&mut session, "rollback", "one");
    assert_eq!(value(&mut session, "*x*"), "1");
    assert_eq!(names(&mut session), ["one"]);
    let gone = session.client.call("repl_control", json!({ "action": "rollback", "name": "two" }));
    assert!(gone.is_error && gone.text.contains("has no checkpoint \"two\". It has: one."), "{}", gone.text);
    // A name is used again for a later state.
    value(&mut session, "(setf *x* 9)");
    control(&mut session, "checkpoint", "one");
    value(&mut session, "(setf *x* 10)");
    control(&mut session, "rollback", "one");
    assert_eq!(value(&mut session, "*x*"), "9");
    assert_eq!(names(&mut session), ["one"]);
    // Their number is limited.
    make_all_checkpoints(&mut session);
    session.ok("repl_control", json!({ "action": "reset" }));
    let gone = session.client.call("repl_control", json!({ "action": "rollback", "name": "one" }));
    assert!(gone.is_error && gone.text.contains("It has none"), "{}", gone.text);
}

#[test]
fn a_rollback_leaves_no_process_behind() {
    let mut session = Session::new();
    let before: i64 =
        value(&mut session, "(sb-ext:process-pid (setf *a* (sb-ext:run-program \"/bin/sleep\" '(\"600\") :wait nil)))")
            .parse()
            .unwrap();
    control(&mut session, "checkpoint", "c");
    let active = status(&mut session)["pid"].as_i64().unwrap();
    let sleeping = status(&mut session)["checkpoints"][0]["pid"].as_i64().unwrap();
    let after: i64 =
        value(&mut session, "(sb-ext:process-pid (setf *b* (sb-ext:run-program \"/bin/sleep\" '(\"600\") :wait nil)))")
            .parse()
            .unwrap();
    control(&mut session, "rollback", "c");
    // Processes from before the checkpoint go on; later ones and the copy are gone.
    assert!(state(before).is_some_and(|state| state != 'Z'));
    assert!(comes(|| state(after).is_none_or(|state| state == 'Z')), "{:?}", state(after));
    assert_eq!(state(active), None, "reaped");
    assert!(state(sleeping).is_some());
    for _ in 0..5 {
        session.ok("repl_eval", json!({ "code": "(setf *x* 1)", "trial": true }));
        control(&mut session, "rollback", "c");
    }
    let zombies = children(sleeping).into_iter().filter(|child| state(*child) == Some('Z')).count();
    assert_eq!(zombies, 0, "every copy that ended was reaped");
    session.ok("repl_control", json!({ "action": "kill" }));
    for pid in [before, sleeping] {
        assert!(state(pid).is_none_or(|state| state == 'Z'), "{pid} outlives its session");
    }
}

#[test]
fn a_death_after_a_checkpoint_goes_back_to_it() {
    let mut session = Session::new();
    value(&mut session, "(defvar *x* 1)");
    control(&mut session, "checkpoint", "safe");
    for code in ["(sb-ext:exit :code 3 :abort t)", "(sb-ext:exit)", "(sb-posix:kill (sb-posix:getpid) 9)"] {
        let answer = eval(&mut session, &format!("(progn (setf *x* 2) {code})"));
        assert!(answer.is_error && answer.text.contains("back at checkpoint \"safe\""), "{code}: {}", answer.text);
        assert_eq!(answer.fields["code"], "SESSION_LOST");
        assert_eq!(value(&mut session, "*x*"), "1", "{code}");
    }
    // Code that ignores interrupts is killed alone.
    let answer = session
        .client
        .call("repl_eval", json!({ "code": "(sb-sys:without-interrupts (loop))", "timeout_seconds": 0.3 }));
    assert!(answer.text.contains("back at checkpoint \"safe\""), "{}", answer.text);
    assert_eq!(value(&mut session, "*x*"), "1");
    // A death between two calls does so as well, and the next call reports it.
    value(&mut session, "(setf *x* 2)");
    let active = status(&mut session)["pid"].as_i64().unwrap();
    let pid = rustix::process::Pid::from_raw(i32::try_from(active).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    // The next call runs in the restored image, however early it comes.
    let answer = session.ok("repl_eval", json!({ "code": "*x*" }));
    assert_eq!(answer.fields["values"][0], "1", "{}", answer.text);
    assert!(answer.text.contains("went back to checkpoint \"safe\""), "{}", answer.text);
    assert!(session.client.finish().success());
}

#[test]
fn a_trial_leaves_no_trace() {
    let mut session = Session::new();
    value(&mut session, "(defvar *x* (list 1))");
    let trial = |session: &mut Session, code: &str| {
        // What does not end is stopped soon.
        let limit = if code.contains("(loop)") { 1 } else { 200 };
        session.client.call("repl_eval", json!({ "code": code, "trial": true, "timeout_seconds": limit }))
    };
    let answer = trial(&mut session, "(princ 'tried) (push 2 *x*) (prog1 *x* (in-package :keyword))");
    assert!(answer.text.contains("=> (2 1)") && answer.fields["stdout"] == "TRIED", "{}", answer.text);
    assert_eq!(value(&mut session, "(list *x* (package-name *package*))"), "((1) \"COMMON-LISP-USER\")");
    let answer = trial(&mut session, "(error \"no good\")");
    assert!(answer.is_error && answer.text.contains("no good"), "{}", answer.text);
    let answer = trial(&mut session, "(loop)");
    assert_eq!(answer.fields["code"], "TIMEOUT", "{}", answer.text);
    for code in ["(sb-ext:exit :code 3)", "(sb-ext:exit :abort t)", "(sb-sys:without-interrupts (loop))"] {
        let answer = trial(&mut session, code);
        assert!(answer.is_error && answer.text.contains("The session is as it was"), "{code}: {}", answer.text);
        assert_eq!(value(&mut session, "*x*"), "(1)", "{code}");
    }
    let started: i64 = trial(
        &mut session,
        "(sb-ext:process-pid (sb-ext:run-program \"/bin/sleep\" '(\"600\") :wait nil))",
    )
    .fields["values"][0]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!(state(started).is_none_or(|state| state == 'Z'));
    assert_eq!(value(&mut session, "*x*"), "(1)");
    let both = session.client.call("repl_eval", json!({ "code": "1", "trial": true, "on_error": "hold" }));
    assert!(both.is_error && both.text.contains("checkpoint"), "{}", both.text);
}

#[test]
fn copies_end_with_a_server_that_is_killed() {
    let mut session = Session::new();
    let mut pids = Vec::new();
    for name in ["a", "b"] {
        control(&mut session, "checkpoint", name);
        let started = "(sb-ext:process-pid (sb-ext:run-program \"/bin/sleep\" '(\"600\") :wait nil))";
        pids.push(value(&mut session, started).parse::<i64>().unwrap());
    }
    let status = status(&mut session);
    pids.push(status["pid"].as_i64().unwrap());
    pids.extend(status["checkpoints"].as_array().unwrap().iter().map(|one| one["pid"].as_i64().unwrap()));
    assert_eq!(pids.len(), 5);
    assert!(pids.iter().all(|pid| state(*pid).is_some()), "{pids:?}");
    session.client.kill();
    let deadline = std::time::Instant::now() + crate::client::PATIENCE;
    while let Some(left) = pids.iter().find(|pid| state(**pid).is_some_and(|state| state != 'Z')) {
        assert!(std::time::Instant::now() < deadline, "{left} outlives the server");
        std::thread::yield_now();
    }
}

#[test]
fn a_trial_can_be_withdrawn() {
    let mut session = Session::new();
    value(&mut session, "(defvar *x* 1)");
    let id = session.client.start(
        "tools/call",
        json!({ "name": "repl_eval", "arguments": { "code": "(setf *x* 2) (loop)", "trial": true } }),
    );
    let busy = |session: &mut Session| status(session)["state"] == "busy";
    while !busy(&mut session) {}
    session.client.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id }
    }));
    while busy(&mut session) {}
    assert_eq!(value(&mut session, "*x*"), "1");
    control(&mut session, "checkpoint", "x");
    assert!(session.client.finish().success());
}

#[test]
fn copies_are_refused_with_the_names_of_other_threads() {
    let mut session = Session::new();
    value(&mut session, "(defvar *stop* nil)");
    value(
        &mut session,
        "(progn (sb-thread:make-thread (lambda () (loop until *stop* do (sleep 0.01))) :name \"ticker\") 1)",
    );
    let refused = session.client.call("repl_control", json!({ "action": "checkpoint", "name": "x" }));
    assert!(refused.is_error && refused.text.contains("ticker"), "{}", refused.text);
    assert_eq!(refused.fields["code"], "UNSUPPORTED");
    let refused = session.client.call("repl_eval", json!({ "code": "1", "trial": true }));
    assert!(refused.is_error && refused.text.contains("ticker"), "{}", refused.text);
    value(
        &mut session,
        "(progn (setf *stop* t) (mapc #'sb-thread:join-thread (remove sb-thread:*current-thread* (sb-thread:list-all-threads))) 1)",
    );
    control(&mut session, "checkpoint", "x");
}

#[test]
fn a_held_error_survives_a_rollback_and_objects_keep_their_numbers_apart() {
    let mut session = Session::new();
    let held = session.client.call(
        "repl_eval",
        json!({ "code": "(list :done (restart-case (error \"stop\") (use (x) x)))", "on_error": "hold" }),
    );
    assert_eq!(held.fields["held"], 1, "{}", held.text);
    control(&mut session, "checkpoint", "held");
    for x in [1, 2] {
        let done = session.ok("repl_control", json!({ "action": "restart", "restart": "use", "code": x.to_string() }));
        assert_eq!(done.fields["values"][0], format!("(:DONE {x})"));
        let id = done.fields["result_object_id"].as_i64().unwrap();
        control(&mut session, "rollback", "held");
        let gone = session.client.call("inspect_object", json!({ "id": id }));
        assert!(gone.is_error && gone.text.contains("is gone"), "{}", gone.text);
        assert_eq!(status(&mut session)["held"], 1);
    }
    session.ok("repl_control", json!({ "action": "abort" }));
    assert_eq!(value(&mut session, "(+ 1 2)"), "3");
}

#[test]
fn a_finalizer_thread_that_has_ended_prevents_no_copy() {
    let mut session = Session::new();
    value(
        &mut session,
        "(progn (sb-thread:terminate-thread sb-impl::*finalizer-thread*)
                (sb-thread:join-thread sb-impl::*finalizer-thread* :default nil) nil)",
    );
    for _ in 0..3 {
        control(&mut session, "checkpoint", "made");
        let tried = session.ok("repl_eval", json!({ "code": "(progn (sb-ext:gc :full t) (+ 1 2))", "trial": true }));
        assert_eq!(tried.fields["values"], json!(["3"]), "{}", tried.text);
        value(&mut session, "(sb-ext:gc :full t)");
    }
    control(&mut session, "rollback", "made");
}
