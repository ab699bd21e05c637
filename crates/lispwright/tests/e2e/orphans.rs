//! Killed servers leave no process behind, whatever their images are doing.

use std::fs;
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::household::{Household, numbers_in};

/// The activity of an image when its server is killed.
struct Scene {
    runtime: &'static str,
    /// Calls that are answered before.
    first: &'static [(&'static str, &'static str)],
    /// Code that runs at that time.
    code: Option<&'static str>,
    /// It runs in a copy.
    trial: bool,
    /// The least number of processes beside the server: the image, its copies, and their children.
    processes: usize,
}

const HOLD: (&str, &str) = ("repl_eval", r#"{"code": "(error \"x\")", "on_error": "hold"}"#);
const CHECKPOINT: (&str, &str) = ("repl_control", r#"{"action": "checkpoint"}"#);

fn play(scene: &Scene, guard_too: bool) {
    let mut household = Household::new(&[]);
    let mut arguments = json!({ "code": "1", "runtime": scene.runtime, "session": "s", "timeout_seconds": 200 });
    let answer = household.call("repl_eval", arguments.clone());
    assert!(!answer.is_error, "{}", answer.text);
    for (tool, first) in scene.first {
        let mut first: serde_json::Value = serde_json::from_str(first).unwrap();
        first["session"] = "s".into();
        household.call(tool, first);
    }
    if let Some(code) = scene.code {
        let started = household.project.at("started");
        arguments["code"] = code.replace("{}", started.to_str().unwrap()).into();
        arguments["trial"] = scene.trial.into();
        household.client.start("tools/call", json!({ "name": "repl_eval", "arguments": arguments }));
        household.until("the code runs", |_| started.exists());
    }
    household.until("all have started", |household| household.processes().len() > scene.processes);
    if guard_too {
        let guards = guards_of(household.client.pid());
        assert_eq!(guards.len(), 1);
        for guard in guards {
            kill_process(guard, Signal::KILL).unwrap();
        }
    }
    household.client.kill();
    household.assert_gone(0, "no process outlives the server");
}

/// The shells among the children of a process.
fn guards_of(server: i32) -> Vec<Pid> {
    let is_guard = |pid: &i32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.contains("(sh) ")
            && stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)) == Some(&server.to_string())
    };
    numbers_in("/proc").into_iter().filter(is_guard).filter_map(Pid::from_raw).collect()
}

const SBCL: &str = "sbcl";
const SBCL_LOOP: &str = r#"(open "{}" :direction :probe :if-does-not-exist :create) (loop)"#;
const SBCL_DEAF: &str =
    r#"(open "{}" :direction :probe :if-does-not-exist :create) (sb-sys:without-interrupts (loop))"#;
const SBCL_CHILDREN: &str =
    r#"(sb-ext:run-program "/bin/sh" '("-c" "sleep 1000 & echo > {}; exec sleep 1000") :wait nil) (loop)"#;

const GUILE: &str = "guile";
const GUILE_LOOP: &str = r#"(call-with-output-file "{}" newline) (let loop () (loop))"#;
const GUILE_DEAF: &str =
    r#"(call-with-output-file "{}" newline) (call-with-blocked-asyncs (lambda () (let loop () (loop))))"#;
const GUILE_CHILDREN: &str = r#"(system "setsid sleep 1000 & sleep 1000 & echo > {}") (let loop () (loop))"#;

const CLOJURE: &str = "clojure";
const CLOJURE_LOOP: &str = r#"(do (spit "{}" "") (loop [] (recur)))"#;
const CLOJURE_CHILDREN: &str = r#"(do (.start (ProcessBuilder. ["sleep" "1000"])) (spit "{}" "") (loop [] (recur)))"#;

/// Scenes with only an image and its copies, which the kernel ends even without a guard.
const ALONE: [Scene; 11] = [
    Scene { runtime: SBCL, first: &[], code: None, trial: false, processes: 1 },
    Scene { runtime: SBCL, first: &[HOLD], code: Some(SBCL_LOOP), trial: false, processes: 1 },
    Scene { runtime: SBCL, first: &[], code: Some(SBCL_DEAF), trial: false, processes: 1 },
    Scene { runtime: SBCL, first: &[CHECKPOINT, CHECKPOINT], code: Some(SBCL_DEAF), trial: false, processes: 3 },
    Scene { runtime: SBCL, first: &[CHECKPOINT], code: Some(SBCL_LOOP), trial: true, processes: 3 },
    Scene { runtime: GUILE, first: &[], code: None, trial: false, processes: 1 },
    Scene { runtime: GUILE, first: &[HOLD], code: Some(GUILE_LOOP), trial: false, processes: 1 },
    Scene { runtime: GUILE, first: &[], code: Some(GUILE_DEAF), trial: false, processes: 1 },
    Scene { runtime: GUILE, first: &[CHECKPOINT, CHECKPOINT], code: Some(GUILE_LOOP), trial: false, processes: 3 },
    Scene { runtime: GUILE, first: &[CHECKPOINT], code: Some(GUILE_LOOP), trial: true, processes: 3 },
    Scene { runtime: CLOJURE, first: &[], code: Some(CLOJURE_LOOP), trial: false, processes: 1 },
];

/// Scenes with other processes, which the guard ends.
const WITH_CHILDREN: [Scene; 4] = [
    Scene { runtime: SBCL, first: &[CHECKPOINT], code: Some(SBCL_CHILDREN), trial: false, processes: 4 },
    Scene { runtime: SBCL, first: &[], code: Some(SBCL_CHILDREN), trial: true, processes: 4 },
    Scene { runtime: GUILE, first: &[CHECKPOINT], code: Some(GUILE_CHILDREN), trial: false, processes: 4 },
    Scene { runtime: CLOJURE, first: &[], code: Some(CLOJURE_CHILDREN), trial: false, processes: 2 },
];

fn play_all(runtime: &str, scenes: &[Scene], guard_too: bool) {
    for scene in scenes.iter().filter(|scene| scene.runtime == runtime) {
        play(scene, guard_too);
    }
}

#[test]
fn images_on_sbcl_end_with_a_killed_server() {
    play_all(SBCL, &ALONE, false);
    play_all(SBCL, &WITH_CHILDREN, false);
}

#[test]
fn images_on_guile_end_with_a_killed_server() {
    play_all(GUILE, &ALONE, false);
    play_all(GUILE, &WITH_CHILDREN, false);
}

#[test]
fn images_on_clojure_end_with_a_killed_server() {
    play_all(CLOJURE, &WITH_CHILDREN, false);
}

#[test]
fn images_on_sbcl_end_when_the_guard_is_killed_as_well() {
    play_all(SBCL, &ALONE, true);
}

#[test]
fn images_on_guile_end_when_the_guard_is_killed_as_well() {
    play_all(GUILE, &ALONE, true);
}

#[test]
fn images_on_clojure_end_when_the_guard_is_killed_as_well() {
    play_all(CLOJURE, &ALONE, true);
}

#[test]
fn a_guard_that_was_killed_is_replaced() {
    let mut household = Household::new(&[]);
    household.eval("main", "1");
    let server = household.client.pid();
    let first = guards_of(server);
    assert_eq!(first.len(), 1);
    kill_process(first[0], Signal::KILL).unwrap();
    // A spare image may have started another guard by then.
    household.until("it is gone", |_| !guards_of(server).contains(&first[0]));
    household.eval("other", "(sb-ext:run-program \"/bin/sleep\" '(\"1000\") :wait nil)");
    household.until("there is another", |_| guards_of(server).len() == 1);
    household.client.kill();
    household.assert_gone(0, "the other one does what the first would have done");
}

/// A server that ends normally, by its input or by a signal, leaves no process either.
#[test]
fn images_end_with_a_server_that_is_told_to_end() {
    for signal in ["TERM", "INT", "HUP"] {
        let mut household = Household::new(&[]);
        household.eval("main", "(sb-ext:run-program \"/bin/sleep\" '(\"1000\") :wait nil)");
        let server = household.client.pid().to_string();
        assert!(Command::new("kill").args([&format!("-{signal}"), &server]).status().unwrap().success());
        household.assert_gone(0, signal);
    }
    let mut household = Household::new(&[]);
    household.eval("main", "(sb-ext:run-program \"/bin/sleep\" '(\"1000\") :wait nil)");
    let word = household.processes();
    assert!(word.len() >= 3, "{word:?}");
    household.client.close_input();
    household.assert_gone(0, "the end of the input");
}
