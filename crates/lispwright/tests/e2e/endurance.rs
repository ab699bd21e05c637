//! A short version of `cargo xtask bench endurance`: many simultaneous sessions, and many images one after another.

use std::collections::HashMap;
use std::fs;

use serde_json::{Value, json};

use crate::client::Answer;
use crate::household::{Household, numbers_in};

/// Simultaneous sessions; every fourth is on Guile.
const SESSIONS: usize = 16;

/// Evaluations in each.
const ROUNDS: usize = 10;

/// Images that are killed one after another.
const KILLS: usize = 40;

/// The server's open descriptors.
fn descriptors(household: &Household) -> usize {
    numbers_in(&format!("/proc/{}/fd", household.client.pid())).len()
}

/// The server's children, including zombies.
fn children(household: &Household) -> usize {
    let server = household.client.pid().to_string();
    let is_child = |pid: &i32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)) == Some(server.as_str())
    };
    numbers_in("/proc").into_iter().filter(is_child).count()
}

/// The process of a session's image, by its id in this namespace.
fn pid_of(household: &mut Household, session: &str) -> i32 {
    let status = household.call("repl_control", json!({ "action": "status" }));
    let sessions = status.fields["sessions"].as_array().unwrap();
    let found = sessions.iter().find(|found| found["session"] == session).unwrap();
    i32::try_from(found["pid"].as_i64().unwrap()).unwrap()
}

/// Starts the `count`-th evaluation of a session.
fn ask(household: &mut Household, session: usize, count: usize) -> i64 {
    let (runtime, define, step, spin) = if session % 4 == 3 {
        (
            "guile",
            "(define owner {}) (define tally 0)",
            "(set! tally (+ tally 1))",
            "(let loop ((i 10000)) (if (> i 0) (loop (- i 1))))",
        )
    } else {
        ("sbcl", "(defvar owner {}) (defvar tally 0)", "(incf tally)", "(loop repeat 100000)")
    };
    // Only the image stores its name and its count.
    let define = if count == 0 { define.replace("{}", &session.to_string()) } else { String::new() };
    let code = format!("{define} {step} {spin} (list owner tally)");
    let arguments =
        json!({ "code": code, "runtime": runtime, "session": format!("s{session}"), "timeout_seconds": 200 });
    household.client.start("tools/call", json!({ "name": "repl_eval", "arguments": arguments }))
}

#[test]
fn simultaneous_sessions_do_not_mix_and_the_server_stays_responsive() {
    let mut household = Household::new(&["--max-sessions", "16"]);
    let mut running: HashMap<i64, (usize, usize)> =
        (0..SESSIONS).map(|session| (ask(&mut household, session, 0), (session, 0))).collect();
    let mut answered = 0;
    let mut ping = household.client.start("ping", json!({}));
    let mut pongs = 0;
    while !running.is_empty() {
        let message = household.client.receive();
        let id = message["id"].as_i64().unwrap_or_default();
        if id == ping {
            pongs += 1;
            ping = household.client.start("ping", json!({}));
            continue;
        }
        let Some((session, count)) = running.remove(&id) else { continue };
        let answer = Answer::of(&message);
        assert!(answer.text.starts_with(&format!("=> ({session} {})", count + 1)), "{}", answer.text);
        answered += 1;
        if count + 1 < ROUNDS {
            running.insert(ask(&mut household, session, count + 1), (session, count + 1));
        }
    }
    assert_eq!(answered, SESSIONS * ROUNDS);
    assert!(pongs > answered / 4, "{pongs} answers to pings beside {answered} to evaluations");
    household.client.answer_to(ping);
    for session in 0..SESSIONS {
        let answer = household.call("repl_control", json!({ "action": "kill", "session": format!("s{session}") }));
        assert_eq!(answer.fields["killed"], Value::Bool(true));
    }
    // The server and a spare of each runtime.
    household.assert_gone(3, "the images have ended");
    household.client.kill();
    household.assert_gone(0, "all have ended");
}

#[test]
fn images_killed_in_a_row_leave_nothing_behind() {
    let mut household = Household::new(&["--sandbox"]);
    let status = household.call("repl_control", json!({ "action": "status" }));
    assert_ne!(status.fields["isolation"], "none-works", "{}", status.text);
    // Around an image in namespaces are two processes that made them.
    let processes = if status.fields["isolation"] == "landlock" { 1 } else { 3 };
    let mut before = None;
    let mut scratch = std::path::PathBuf::new();
    for kill in 0..KILLS + 3 {
        if kill == 3 {
            household.until("a spare is ready", |household| household.processes().len() == 1 + processes);
            before = Some((descriptors(&household), children(&household)));
        }
        let session = format!("k{kill}");
        let code = "(sb-ext:run-program \"/bin/sleep\" '(\"1000\") :wait nil)
                    (open (format nil \"~A/file\" (sb-posix:getenv \"TMPDIR\")) :direction :output)
                    (sb-posix:getenv \"TMPDIR\")";
        let answer = household.eval(&session, code);
        let directory = answer.text.split('"').nth(1).unwrap();
        scratch = std::path::Path::new(directory).parent().unwrap().to_owned();
        if kill % 2 == 0 {
            let pid = rustix::process::Pid::from_raw(pid_of(&mut household, &session)).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        }
        household.call("repl_control", json!({ "action": "kill", "session": session }));
        assert!(!std::path::Path::new(directory).exists());
    }
    let (descriptors_before, children_before) = before.unwrap();
    household.until("a spare is ready", |household| household.processes().len() == 1 + processes);
    household.until("no descriptor is left open", |household| descriptors(household) <= descriptors_before);
    household.until("no child is left, dead or alive", |household| children(household) <= children_before);
    // The spare has one.
    assert_eq!(fs::read_dir(&scratch).unwrap().count(), 1);
    assert!(household.client.finish().success());
    assert!(!scratch.exists());
}
