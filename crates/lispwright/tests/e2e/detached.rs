//! Processes that leave their group, their session and their environment still belong to their image: they are counted
//! and ended with it.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::client::server_command;
use crate::household::{Household, comes, numbers_in};
use crate::project::Project;

/// A shell command that leaves a process which only its parents identify; `{}` is a word by which the test finds it.
const LEAVE: &str = "setsid env -i sh -c 'sleep 1000; true' {} </dev/null >/dev/null 2>&1 &";

/// The processes that have `word` among their arguments.
fn with_word(word: &str) -> Vec<i32> {
    let has = |pid: &i32| {
        fs::read(format!("/proc/{pid}/cmdline"))
            .is_ok_and(|line| line.split(|byte| *byte == 0).any(|argument| argument == word.as_bytes()))
    };
    numbers_in("/proc").into_iter().filter(has).collect()
}

/// The way in which an image ends.
type End = fn(&mut Household);

const ENDS: [(&str, End); 4] = [
    ("the end of the session", |household| {
        household.call("repl_control", json!({ "action": "kill", "session": "s" }));
    }),
    ("the end of the input", |household| household.client.close_input()),
    ("a signal", |household| {
        kill_process(Pid::from_raw(household.client.pid()).unwrap(), Signal::TERM).unwrap();
    }),
    ("the death of the server", |household| household.client.kill()),
];

/// Starts a process with `code`, in which `{}` is the command, and ends the image in each way.
fn check(runtime: &str, code: &str, options: &[&str], ends: &[(&str, End)]) {
    for (what, end) in ends {
        let mut household = Household::new(options);
        let word = household.project.at("left").display().to_string();
        let code = code.replace("{}", &LEAVE.replace("{}", &word));
        let arguments = json!({ "code": code, "runtime": runtime, "session": "s", "timeout_seconds": 200 });
        let answer = household.call("repl_eval", arguments);
        assert!(!answer.is_error, "{}", answer.text);
        assert!(comes(|| !with_word(&word).is_empty()), "{runtime}: the process is not there");
        end(&mut household);
        assert!(comes(|| with_word(&word).is_empty()), "{runtime}: {what} leaves {:?}", with_word(&word));
    }
}

const SBCL: &str = r#"(sb-ext:run-program "/bin/sh" '("-c" "{}"))"#;

#[test]
fn they_end_with_an_image_on_sbcl() {
    check("sbcl", SBCL, &[], &ENDS);
}

#[test]
fn they_end_with_an_image_under_a_launcher() {
    check("guile", "(system \"{}\")", &["--launcher", "env"], &ENDS[2..]);
}

#[test]
fn they_end_with_an_image_on_clojure() {
    check("clojure", r#"(.waitFor (.start (ProcessBuilder. ["sh" "-c" "{}"])))"#, &[], &ENDS[3..]);
}

#[test]
fn they_count() {
    let mut household = Household::new(&["--max-processes", "30"]);
    let word = household.project.at("left").display().to_string();
    let code = format!("(loop {})", SBCL.replace("{}", &LEAVE.replace("{}", &word)));
    let answer = household.eval("s", &code);
    assert!(answer.text.contains("more than the 30 that --max-processes allows"), "{}", answer.text);
    assert!(comes(|| with_word(&word).is_empty()), "left: {:?}", with_word(&word));
}

/// The agents' own temporary files, here compiled ones without a cache, are removed with the server, however it ends.
#[test]
fn no_temporary_files_are_left() {
    for (what, end) in ENDS.into_iter().skip(1) {
        let project = Project::new();
        project.file("mill.asd", "(defsystem \"mill\" :components ((:file \"mill\")))\n");
        project.file("mill.lisp", "(defun mill () 1)\n");
        let temporary = project.beside("tmp");
        fs::create_dir(&temporary).unwrap();
        // A file has the place of the cache.
        fs::write(project.beside("cache"), "").unwrap();
        let mut command = server_command(&project.root());
        command.env("TMPDIR", &temporary).env("XDG_CACHE_HOME", project.beside("cache"));
        let mut household = Household::with(project, command);
        for runtime in ["sbcl", "clisp"] {
            let loaded = household.call("load_system", json!({ "system": "mill", "runtime": runtime }));
            assert!(!loaded.is_error, "{}", loaded.text);
        }
        let left = || fs::read_dir(&temporary).unwrap().flatten().map(|entry| entry.path()).collect::<Vec<_>>();
        assert_eq!(left().len(), 1, "{:?}", left());
        end(&mut household);
        assert!(comes(|| left().is_empty()), "{what} leaves {:?}", left());
    }
}
