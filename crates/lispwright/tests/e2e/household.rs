//! Servers whose processes can be found: each server has a word in its environment, which its descendants inherit.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Answer, Client, PATIENCE, server_command};
use crate::project::Project;

/// The variable with the word.
const WORD: &str = "LISPWRIGHT_HOUSEHOLD";

/// A server with its project, and the word in the environment of its processes.
pub(crate) struct Household {
    pub(crate) project: Project,
    pub(crate) client: Client,
    word: String,
}

impl Household {
    pub(crate) fn new(options: &[&str]) -> Self {
        Self::on(Project::new(), options)
    }

    pub(crate) fn on(project: Project, options: &[&str]) -> Self {
        let mut command = server_command(&project.root());
        command.args(options);
        Self::with(project, command)
    }

    /// The server that `command` starts.
    pub(crate) fn with(project: Project, mut command: Command) -> Self {
        // The path of the project is unique.
        let word = project.root().display().to_string();
        command.env(WORD, &word);
        Self { client: Client::connect(command), project, word }
    }

    /// The living processes of the server and of all that it has started, without the guard, whose environment is
    /// empty. The server shows its environment only to the superuser.
    pub(crate) fn processes(&self) -> Vec<i32> {
        let entry = format!("{WORD}={}\0", self.word);
        let carries = |pid: &i32| {
            *pid == self.client.pid() && is_alive(*pid)
                || fs::read(format!("/proc/{pid}/environ"))
                    .is_ok_and(|environment| environment.windows(entry.len()).any(|part| part == entry.as_bytes()))
        };
        numbers_in("/proc").into_iter().filter(carries).collect()
    }

    /// Waits until no process but `most` is left.
    #[track_caller]
    pub(crate) fn assert_gone(&self, most: usize, what: &str) {
        self.until(what, |household| household.processes().len() <= most);
    }

    /// Waits until `done`.
    #[track_caller]
    pub(crate) fn until(&self, what: &str, done: impl Fn(&Self) -> bool) {
        assert!(comes(|| done(self)), "in vain: {what}; {:?}", self.processes());
    }

    /// A call with a long timeout; the answer may be an error.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Answer {
        self.client.call(tool, arguments)
    }

    /// The text of a successful evaluation in a session.
    #[track_caller]
    pub(crate) fn eval(&mut self, session: &str, code: &str) -> Answer {
        self.call("repl_eval", json!({ "code": code, "session": session, "timeout_seconds": 200 }))
    }
}

/// Whether a process runs.
fn is_alive(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// Waits until `done`; returns whether that happened.
pub(crate) fn comes(mut done: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + PATIENCE;
    while !done() {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::park_timeout(Duration::from_millis(5));
    }
    true
}

/// Prints which of several cases this machine allows a test to check.
#[allow(clippy::print_stdout, reason = "for those who read what a test prints")]
pub(crate) fn tested(what: &str) {
    println!("tested: {what}");
}

/// The names in a directory that are numbers.
pub(crate) fn numbers_in(directory: &str) -> Vec<i32> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}
