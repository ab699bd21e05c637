//! Code that misbehaves gets an answer, and the server and the next call work.

use serde_json::{Value, json};

use crate::client::{Answer, Client, Session, server_command};
use crate::project::Project;

/// A session whose image has a value to keep, and a small heap.
fn session() -> Session {
    let project = Project::new();
    let mut command = server_command(&project.root());
    command.args(["--max-memory", "256"]);
    let mut session = Session { client: Client::connect(command), project };
    session.ok("repl_eval", json!({ "code": "(defvar *kept* 42)" }));
    session
}

fn eval(session: &mut Session, code: &str) -> Answer {
    eval_within(session, code, 50.0)
}

fn eval_within(session: &mut Session, code: &str, seconds: f64) -> Answer {
    let answer = session.client.call("repl_eval", json!({ "code": code, "timeout_seconds": seconds }));
    assert!(answer.text.len() < 45_000, "{code} answers {} bytes", answer.text.len());
    answer
}

/// The expected state of the image afterwards.
#[derive(PartialEq, Eq)]
enum Image {
    Kept,
    /// A fresh image replaces it.
    Lost,
    /// Either is right.
    Any,
}

/// `code` is answered by an error that says each of `says`, and the next call works.
#[track_caller]
fn check(code: &str, says: &[&str], image: &Image) {
    check_within(code, 50.0, says, image);
}

#[track_caller]
fn check_within(code: &str, seconds: f64, says: &[&str], image: &Image) {
    let mut session = session();
    let answer = eval_within(&mut session, code, seconds);
    assert!(answer.is_error, "{code}: {}", answer.text);
    for part in says {
        assert!(answer.text.contains(part), "{code}: {:?} does not say {part:?}", answer.text);
    }
    let kept = eval(&mut session, "(if (boundp '*kept*) *kept* :fresh)");
    assert!(!kept.is_error, "{code}, then: {}", kept.text);
    match image {
        Image::Kept => assert!(kept.text.contains("=> 42"), "{code}, then: {}", kept.text),
        Image::Lost => assert!(kept.text.contains("=> :FRESH"), "{code}, then: {}", kept.text),
        Image::Any => assert!(kept.text.contains("=> "), "{code}, then: {}", kept.text),
    }
    let next = session.ok("repl_eval", json!({ "code": "(+ 1 2)" }));
    assert!(next.text.contains("=> 3"), "{code}, then: {}", next.text);
    assert!(session.client.finish().success());
}

#[test]
fn endless_code() {
    check_within("(loop)", 0.5, &["Its time was up after "], &Image::Kept);
    check("(loop (write-line \"again and again\"))", &["again and again"], &Image::Kept);
}

#[test]
fn errors_and_breaks() {
    check(
        "(defun inner (x) (error \"on purpose: ~a\" x)) (defun outer (y) (list (inner y))) (outer 3)",
        &["[ERROR] SIMPLE-ERROR", "on purpose: 3", "[Backtrace]", "(INNER 3)", "X = 3", "(OUTER 3)", "form 3 of 3"],
        &Image::Kept,
    );
    check(
        "(restart-case (error \"stopped\") (use-default () :report \"Use the default.\" 1))",
        &["stopped", "[Restarts]", "USE-DEFAULT", "Use the default."],
        &Image::Kept,
    );
    check("(break \"here\")", &["here", "[Restarts]"], &Image::Kept);
    check("#.(error \"while reading\")", &["while reading"], &Image::Kept);
    check("(read-line)", &["[ERROR]"], &Image::Kept);
    check("(list 1", &["1"], &Image::Kept);
}

#[test]
fn exhaustion() {
    check("(labels ((down (n) (1+ (down n)))) (down 0))", &["stack"], &Image::Kept);
    check("(let ((all '())) (loop (push (make-array 50000000) all)))", &["eap"], &Image::Any);
}

#[test]
fn the_end_of_the_image() {
    check("(sb-ext:exit :code 3 :abort t)", &["3"], &Image::Lost);
    check("(sb-ext:exit)", &["exit"], &Image::Any);
}

#[test]
fn a_worker_that_is_killed_from_outside() {
    let mut session = session();
    let status = session.ok("repl_control", json!({ "action": "status" }));
    let pid = find_pid(&status.fields).unwrap_or_else(|| panic!("no pid: {}", status.fields));
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    // At most one call fails, and reports the loss.
    let first = eval(&mut session, "(if (boundp '*kept*) *kept* :fresh)");
    assert!(first.is_error || first.text.contains("=> :FRESH"), "{}", first.text);
    let next = session.ok("repl_eval", json!({ "code": "(boundp '*kept*)" }));
    assert!(next.text.contains("=> NIL"), "{}", next.text);
}

/// The first number called `pid` anywhere in `fields`.
fn find_pid(fields: &Value) -> Option<i32> {
    let mut pending = vec![fields];
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(members) => {
                if let Some(pid) = members.get("pid").and_then(Value::as_i64) {
                    return i32::try_from(pid).ok();
                }
                pending.extend(members.values());
            }
            Value::Array(items) => pending.extend(items),
            _ => {}
        }
    }
    None
}

#[test]
fn output_of_any_origin_stays_off_the_wire() {
    let mut session = session();
    let answer = eval(&mut session, "(sb-ext:run-program \"/bin/echo\" '(\"from a child\") :output t) (finish-output)");
    assert!(answer.text.contains("from a child"), "{}", answer.text);
    let answer = eval(
        &mut session,
        "(sb-thread:join-thread (sb-thread:make-thread (lambda () (error \"in a thread\"))) :default :gone)",
    );
    assert!(answer.text.contains("in a thread") || answer.text.contains(":GONE"), "{}", answer.text);
    let answer = eval(&mut session, "(let ((ring (list 1 2))) (setf (cddr ring) ring))");
    assert!(!answer.is_error, "{}", answer.text);
    eval(&mut session, "(setf *read-base* 16 *print-base* 2 *print-readably* t)");
    let answer = session.ok("repl_eval", json!({ "code": "(list 10 *kept*)" }));
    assert!(answer.text.contains("=> ("), "{}", answer.text);
    assert!(session.client.finish().success());
}

#[test]
fn an_image_that_cannot_read_any_more_names_the_call_that_helps() {
    let mut session = session();
    eval(&mut session, "(set-macro-character #\\( (lambda (stream character) stream character (error \"no lists\")))");
    let answer = eval(&mut session, "(+ 1 2)");
    assert!(answer.is_error && answer.text.contains("{\"action\": \"reset\"}"), "{}", answer.text);
    session.ok("repl_control", json!({ "action": "reset" }));
    eval(&mut session, "(set-syntax-from-char #\\( #\\Space)");
    let answer = eval(&mut session, "(setf x 1)");
    assert!(answer.is_error && answer.text.contains("code can no longer be read as usual"), "{}", answer.text);
    assert!(answer.text.contains("{\"action\": \"reset\"}"), "{}", answer.text);
    session.ok("repl_control", json!({ "action": "reset" }));
    let no_files = "(sb-alien:with-alien ((limits (array (sb-alien:unsigned 64) 2)))
                      (setf (sb-alien:deref limits 0) 0 (sb-alien:deref limits 1) 0)
                      (sb-alien:alien-funcall
                       (sb-alien:extern-alien \"setrlimit\" (function sb-alien:int sb-alien:int (* t)))
                       7 (sb-alien:addr limits)))";
    eval(&mut session, no_files);
    let answer = eval(&mut session, "(open \"/dev/null\")");
    assert!(answer.is_error && answer.text.contains("setrlimit: open files"), "{}", answer.text);
    session.ok("repl_control", json!({ "action": "reset" }));
    eval(&mut session, "(defpackage :short-lived (:use :cl)) (in-package :short-lived)");
    assert_eq!(eval(&mut session, "(delete-package *package*)").text, "=> T");
    assert_eq!(eval(&mut session, "(+ 1 2)").text, "=> 3");
    // Nothing can be read without this package, and no code can create it again.
    eval(&mut session, "(delete-package *package*)");
    let answer = eval(&mut session, "(+ 1 2)");
    assert!(answer.text.starts_with("=> 3\n[note] The image of session"), "{}", answer.text);
    assert_eq!(eval(&mut session, "(+ 1 2)").text, "=> 3");
}

#[test]
fn invisible_characters_are_shown_in_values_and_messages() {
    let mut session = session();
    let code = "(progn (format t \"~c[31mred~c[0m~%\" (code-char 27) (code-char 27))
                  (values (format nil \"~c[31m\" (code-char 27)) (map 'string #'code-char '(97 13 98 8238 99)) 'plain))";
    let answer = eval(&mut session, code);
    assert_eq!(answer.text, "[stdout]\nred\n=> \"\\x1b[31m\"\n=> \"a\\rb\\u202ec\"\n=> PLAIN");
    let answer = eval(&mut session, "(error \"odd: ~c\" (code-char 7))");
    assert!(answer.text.ends_with("odd: \\x07"), "{}", answer.text);
    for (runtime, code) in [("guile", "(string #\\esc #\\a)"), ("clojure", "(str \\a (char 27))")] {
        let answer = session.ok("repl_eval", json!({ "code": code, "runtime": runtime }));
        assert!(answer.text.contains("\\x1b") || answer.text.contains("\\esc"), "{runtime}: {}", answer.text);
    }
}
