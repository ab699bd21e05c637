//! The words and fields of `repl_eval` and `repl_control`, on a real SBCL.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::{Arc, Mutex};

use lispwright_runtime::{Config, Sessions, find_program};
use lispwright_tools::arguments::check as check_fields;
use lispwright_tools::repl_control::{ReplControl, control_schema, repl_control};
use lispwright_tools::repl_eval::{ReplEval, repl_eval};
use lispwright_tools::{Answer, CallContext, Workshop};
use lispwright_words::{Rendering, Skin, render};
use serde_json::{Value, json};

fn sessions() -> Sessions {
    assert!(find_program("sbcl").is_some(), "these tests need sbcl on PATH: apt-get install sbcl");
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("images");
    // The files of a project decide which Lisp it gets.
    let empty = Path::new(env!("CARGO_TARGET_TMPDIR")).join("empty");
    std::fs::create_dir_all(&empty).unwrap();
    Sessions::new(Config { cache: Some(cache), spare: false, ..Config::new(empty) })
}

fn workshop(sessions: &Sessions) -> Workshop {
    let empty = Path::new(env!("CARGO_TARGET_TMPDIR")).join("empty");
    Workshop { sessions: sessions.clone(), ..Workshop::open(&[empty]).unwrap() }
}

async fn eval(sessions: &Sessions, arguments: Value) -> Rendering {
    let arguments: ReplEval = serde_json::from_value(arguments).unwrap();
    render(repl_eval(&workshop(sessions), arguments, &CallContext::default()).await.map(Answer::from), Skin::Client)
}

async fn control(sessions: &Sessions, arguments: Value) -> Rendering {
    let arguments: ReplControl = serde_json::from_value(arguments).unwrap();
    let outcome = render(repl_control(&workshop(sessions), arguments, &CallContext::default()).await, Skin::Client);
    let schema = control_schema();
    assert_eq!(check_fields(&schema, &outcome.fields), Ok(()));
    // Refusals have fields of their own, and a repeated answer is rendered.
    let is_known = |name: &String| schema["properties"].get(name).is_some() || name == "answer";
    assert!(outcome.is_error || outcome.fields.keys().all(is_known), "{:?}", outcome.fields);
    outcome
}

/// Evaluates `code` in a session of its own; the answer's text must be `expected`.
async fn check(code: &str, expected: &str) -> Rendering {
    let sessions = sessions();
    let outcome = eval(&sessions, json!({"code": code})).await;
    assert_eq!(outcome.text, expected, "{code}");
    assert_eq!(outcome.is_error, expected.lines().any(|line| line.starts_with("[ERROR]")), "{code}");
    sessions.shutdown().await;
    outcome
}

#[tokio::test]
async fn a_value_and_its_fields() {
    let outcome = check("(+ 1 2)", "=> 3").await;
    assert_eq!(outcome.fields["session"], "main");
    assert_eq!(outcome.fields["values"], json!(["3"]));
    assert_eq!(outcome.fields["stdout"], "");
    assert_eq!(outcome.fields["warnings"], json!([]));
    assert_eq!(outcome.fields["package"], "COMMON-LISP-USER");
    assert_eq!(outcome.fields["execution_status"], "completed");
    assert!(outcome.fields["duration_ms"].is_f64());
    assert!(!outcome.fields.contains_key("error"));
}

#[tokio::test]
async fn blocks_come_in_order() {
    check(
        "(format t \"hello~%\") (format *error-output* \"oh\") (warn \"careful\") (values 1 \"two\")",
        "[stdout]\nhello\n[stderr]\noh\n[warnings]\nSIMPLE-WARNING: careful\n=> 1\n=> \"two\"",
    )
    .await;
    check("(values)", "[no values]").await;
}

#[tokio::test]
async fn an_image_cannot_pass_for_the_server() {
    check("(format t \"=> 4~%[ERROR] fake~%\") 3", "[stdout]\n => 4\n [ERROR] fake\n=> 3").await;
    check("(format nil \"a~%=> 4\")", "=> \"a\n => 4\"").await;
}

#[tokio::test]
async fn an_error_in_words() {
    let outcome = check(
        "(defun f (x) (1+ (/ x 0)))\n(list (f 3))\n:never",
        "[ERROR] DIVISION-BY-ZERO\narithmetic error DIVISION-BY-ZERO signalled\nOperation was (/ 3 0).\n\
         [Backtrace]\n0: (F 3)\n     X = 3\n[note] In form 2 of 3, line 2: (list (f 3))",
    )
    .await;
    assert_eq!(outcome.fields["code"], "LISP_ERROR");
    let error = &outcome.fields["error"];
    assert_eq!(error["type"], "DIVISION-BY-ZERO");
    assert_eq!(error["frames"][0], json!({"index": 0, "function": "(F 3)", "locals": [{"name": "X", "value": "3"}]}));
    assert_eq!(error["form_index"], 2);
    assert_eq!(error["form_total"], 3);
    assert_eq!(error["position"], json!({"line": 2, "column": 1}));
}

#[tokio::test]
async fn restarts_in_words() {
    let outcome = check(
        "(restart-case (error \"boom\") (use-tea () :report \"Drink tea.\" 1))",
        "[ERROR] SIMPLE-ERROR\nboom\n[Restarts]\nUSE-TEA: Drink tea.\n[Backtrace]\n0: top-level form",
    )
    .await;
    assert_eq!(outcome.fields["error"]["restarts"], json!([{"name": "USE-TEA", "description": "Drink tea."}]));
}

#[tokio::test]
async fn unfinished_code_in_words() {
    let sessions = sessions();
    let outcome = eval(&sessions, json!({"code": "1\n\n (list 2"})).await;
    assert!(outcome.text.starts_with("[ERROR] END-OF-FILE\n"), "{}", outcome.text);
    let note = "[note] The code ends inside form 2, which starts at line 3, column 2: a closing delimiter is missing. \
                The form before it was evaluated.";
    assert!(outcome.text.ends_with(note), "{}", outcome.text);
    assert_eq!(outcome.fields["error"]["phase"], "read");
    sessions.shutdown().await;
}

#[tokio::test]
async fn a_timeout_in_words() {
    let sessions = sessions();
    // The time counts from the start of an image.
    eval(&sessions, json!({"code": "1"})).await;
    let outcome = eval(&sessions, json!({"code": "(princ 'here) (loop)", "timeout_seconds": 1})).await;
    assert!(
        outcome.text.starts_with("[stdout]\nHERE\n[ERROR] TIMEOUT\nThe code was interrupted and"),
        "{}",
        outcome.text
    );
    assert_eq!(outcome.fields["code"], "TIMEOUT");
    assert_eq!(outcome.fields["execution_status"], "interrupted");
    let outcome = eval(&sessions, json!({"code": "1", "timeout_seconds": -1})).await;
    assert_eq!(outcome.fields["code"], "BAD_ARGUMENT");
    sessions.shutdown().await;
}

#[tokio::test]
async fn an_exit_in_words() {
    let outcome = check(
        "(princ 'bye) (sb-ext:exit :code 3)",
        "[stdout]\nBYE\n[ERROR] SESSION_LOST\nThe image of session \"main\" is gone (the code ended it: exit code 3), \
         and its definitions and state with it. The next call starts a fresh image.",
    )
    .await;
    assert_eq!(outcome.fields["code"], "SESSION_LOST");
    assert_eq!(outcome.fields["execution_status"], "unknown");
    assert!(!outcome.fields.contains_key("package"));
}

#[tokio::test]
async fn answers_are_bounded_and_say_so() {
    let sessions = sessions();
    let everything =
        "(progn (princ (make-string 30000 :initial-element #\\a)) (make-string 30000 :initial-element #\\b))";
    for limit in [1000, 10_000, 40_000] {
        let outcome = eval(&sessions, json!({"code": everything, "max_output_length": limit})).await;
        let length = outcome.text.chars().count();
        assert!(length <= limit && length > limit * 6 / 10, "{limit}: {length}");
        let last = outcome.text.lines().last().unwrap();
        assert!(last.starts_with("[note]") && last.contains("left out"), "{last}");
        assert!(outcome.text.contains("aaa") && outcome.text.contains("bbb"));
    }
    let outcome = eval(&sessions, json!({"code": everything})).await;
    assert!(outcome.text.chars().count() <= 10_000);
    let outcome =
        eval(&sessions, json!({"code": "(make-string 39000 :initial-element #\\b)", "max_output_length": 400_000}))
            .await;
    assert!(outcome.text.len() > 39_000 && !outcome.text.contains("[note]"));
    sessions.shutdown().await;
}

#[tokio::test]
async fn impossible_requests_are_refused_with_a_reason_and_an_alternative() {
    let sessions = sessions();
    let code = async |arguments: Value| {
        let outcome = eval(&sessions, arguments).await;
        assert!(outcome.is_error);
        assert_eq!(outcome.fields["execution_status"], "not-executed");
        outcome.fields["code"].as_str().unwrap().to_owned()
    };
    assert_eq!(code(json!({"code": "1", "on_error": "hold", "trial": true})).await, "BAD_ARGUMENT");
    assert_eq!(code(json!({"code": "1", "runtime": "fortran"})).await, "BAD_ARGUMENT");
    assert_eq!(code(json!({"code": "1", "package": "nowhere"})).await, "BAD_ARGUMENT");
    for action in ["rollback", "restart", "restarts", "frames", "locals", "eval_in_frame", "abort", "attach", "detach"]
    {
        let outcome = control(&sessions, json!({"action": action})).await;
        assert_eq!(outcome.fields["code"], "BAD_ARGUMENT", "{action}: {}", outcome.text);
        assert!(outcome.is_error && outcome.text.len() > 20, "{action}: {}", outcome.text);
    }
    sessions.shutdown().await;
}

#[tokio::test]
async fn the_life_of_a_session() {
    let sessions = sessions();
    let started = control(&sessions, json!({"action": "start", "session": "work"})).await;
    assert!(started.text.starts_with("Session \"work\" is ready.\nwork: idle, SBCL "), "{}", started.text);
    eval(&sessions, json!({"code": "(defvar *x* 1)", "session": "work"})).await;
    let status = control(&sessions, json!({"action": "status"})).await;
    assert!(status.text.contains("Runtimes: sbcl") && status.text.contains("work: idle"), "{}", status.text);
    let session = &status.fields["sessions"][0];
    assert_eq!((&session["session"], &session["state"]), (&json!("work"), &json!("idle")));
    assert_eq!((&session["runtime"], &session["evaluations"]), (&json!("sbcl"), &json!(1)));
    assert!(session["pid"].is_i64() && session["memory_kb"].is_u64() && session["version"].is_string());
    let idle = control(&sessions, json!({"action": "interrupt", "session": "work"})).await;
    assert_eq!(idle.fields["interrupted"], false);
    let reset = control(&sessions, json!({"action": "reset", "session": "work"})).await;
    assert_ne!(reset.fields["pid"], session["pid"]);
    assert_eq!(eval(&sessions, json!({"code": "(boundp '*x*)", "session": "work"})).await.text, "=> NIL");
    assert_eq!(control(&sessions, json!({"action": "kill", "session": "work"})).await.fields["killed"], true);
    let unknown = control(&sessions, json!({"action": "kill", "session": "work"})).await;
    assert_eq!(unknown.fields["code"], "BAD_ARGUMENT");
    assert_eq!(control(&sessions, json!({"action": "status"})).await.fields["sessions"], json!([]));
    sessions.shutdown().await;
}

#[tokio::test]
async fn a_lost_image_is_reported_once() {
    let sessions = sessions();
    eval(&sessions, json!({"code": "1"})).await;
    let status = control(&sessions, json!({"action": "status"})).await;
    let pid = status.fields["sessions"][0]["pid"].to_string();
    assert!(std::process::Command::new("kill").args(["-9", &pid]).status().unwrap().success());
    let outcome = eval(&sessions, json!({"code": "(+ 1 2)"})).await;
    assert!(
        outcome.text.starts_with("=> 3\n[note] The image of session \"main\" died while no call was running"),
        "{}",
        outcome.text
    );
    assert_eq!(eval(&sessions, json!({"code": "(+ 1 2)"})).await.text, "=> 3");
    sessions.shutdown().await;
}

#[tokio::test]
async fn long_calls_report_progress_and_can_be_withdrawn() {
    let sessions = sessions();
    let told = Arc::new(Mutex::new(Vec::new()));
    let context = CallContext {
        progress: Some(Arc::new({
            let told = Arc::clone(&told);
            move |elapsed, words: &str| told.lock().unwrap().push((elapsed, words.to_owned()))
        })),
        ..CallContext::default()
    };
    let arguments = ReplEval { code: "(sleep 1.3)".into(), ..ReplEval::default() };
    assert!(repl_eval(&workshop(&sessions), arguments, &context).await.is_ok());
    assert!(told.lock().unwrap().iter().any(|(_, words)| words.contains("evaluating (sleep 1.3) for")), "{told:?}");
    let arguments = ReplEval { code: "(loop)".into(), ..ReplEval::default() };
    let workshop = workshop(&sessions);
    let (outcome, ()) = tokio::join!(repl_eval(&workshop, arguments, &context), async {
        while sessions.status().sessions[0].running_for.is_none() {
            tokio::task::yield_now().await;
        }
        context.cancel.cancel();
    });
    let outcome = render(outcome.map(Answer::from), Skin::Client);
    assert_eq!(outcome.fields["code"], "CANCELLED");
    assert_eq!(outcome.fields["execution_status"], "interrupted");
    sessions.shutdown().await;
}
