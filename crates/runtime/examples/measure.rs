//! Prints the costs of sessions: time to the first value, time per evaluation, memory.
//!
//! `cargo run --release -p lispwright-runtime --example measure`
#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use lispwright_runtime::{CheckpointStatus, Config, Ending, EvalRequest, MAIN, Request, Sessions};
use tokio_util::sync::CancellationToken;

const ROUNDS: usize = 2000;

async fn timed(sessions: &Sessions, session: &str, code: &str) -> Duration {
    let began = Instant::now();
    let report = sessions.eval(session, EvalRequest::new(code), &CancellationToken::new()).await;
    let report = report.expect("the session answers");
    assert!(matches!(report.ending, Ending::Values(_)), "{report:?}");
    began.elapsed()
}

fn show(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)].as_secs_f64() * 1000.0;
    println!("{what}: p50 {:.3} ms, p95 {:.3} ms, max {:.3} ms", at(50), at(95), at(100));
}

#[tokio::main]
async fn main() {
    let sessions = Sessions::new(Config { spare: false, max_sessions: 100, ..Config::new(".") });
    println!("first session (saves an image when there is none): {:?}", timed(&sessions, MAIN, "(+ 1 2)").await);
    let mut fresh = Vec::new();
    for number in 0..10 {
        fresh.push(timed(&sessions, &format!("fresh-{number}"), "(+ 1 2)").await);
    }
    show("fresh session to first value, saved image, no spare", fresh);
    for session in sessions.status().sessions.iter().take(3) {
        println!(
            "memory of {}: {} kB (its share of what is shared included)",
            session.name,
            session.memory_kb.unwrap_or(0)
        );
    }
    for (what, code) in [
        ("(+ 1 2)", "(+ 1 2)"),
        ("a defun", "(defun f (x) (* x 2))"),
        ("a line of output", "(format t \"hello~%\")"),
        ("a list of 100", "(loop for i below 100 collect i)"),
    ] {
        let mut times = Vec::new();
        for _ in 0..ROUNDS / if code.contains("defun") || code.contains("loop") { 10 } else { 1 } {
            times.push(timed(&sessions, MAIN, code).await);
        }
        show(&format!("evaluation of {what}, timeout set"), times);
    }
    let began = Instant::now();
    timed(&sessions, MAIN, "(dotimes (i 100000) (print i))").await;
    println!("100,000 times print: {:?}", began.elapsed());
    copies(&sessions).await;
    sessions.shutdown().await;

    let sessions = Sessions::new(Config::new("."));
    timed(&sessions, MAIN, "1").await;
    while sessions.status().workers[0].spare_pid.is_none() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    println!("fresh session to first value, warm spare: {:?}", timed(&sessions, "second", "(+ 1 2)").await);
    sessions.shutdown().await;
}

/// Checkpoints, rollbacks and trials of an image with 100 MB of arrays, and the memory that they share.
async fn copies(sessions: &Sessions) {
    let heap =
        "(progn (defvar *big* (loop repeat 100 collect (make-array 131072 :initial-element 7))) (sb-ext:gc :full t))";
    timed(sessions, "copies", heap).await;
    let memory = |what: &str| {
        let status = sessions.status();
        let session = status.sessions.iter().find(|session| session.name == "copies").expect("it has been used");
        let sleeping: u64 = session.checkpoints.iter().filter_map(CheckpointStatus::memory_kb).sum();
        println!("{what}: {} kB, and {sleeping} kB asleep", session.memory_kb.unwrap_or(0));
    };
    memory("memory of an image with 100 MB of arrays");
    let cancel = CancellationToken::new();
    let (mut checkpoints, mut rollbacks, mut trials) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..30 {
        let began = Instant::now();
        sessions.call("copies", Request::Checkpoint(format!("{round}")), &cancel).await.expect("a checkpoint");
        checkpoints.push(began.elapsed());
        if round == 0 {
            memory("memory after a checkpoint");
        }
        let began = Instant::now();
        sessions.call("copies", Request::Rollback(None), &cancel).await.expect("a rollback");
        rollbacks.push(began.elapsed());
        let request = EvalRequest { trial: true, ..EvalRequest::new("(+ 1 2)") };
        let began = Instant::now();
        sessions.eval("copies", request, &cancel).await.expect("a trial");
        trials.push(began.elapsed());
    }
    show("a checkpoint of 100 MB", checkpoints);
    show("a rollback of 100 MB", rollbacks);
    show("a trial on 100 MB", trials);
}
