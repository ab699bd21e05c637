//! A server under all hostile conditions at once: busy sessions that leave processes behind, images that are killed
//! from outside, and foreign processes that replace files by pipes and have environments of gigabytes.
//!
//! The suite runs this for some seconds; `LISPWRIGHT_SOAK_SECONDS` sets the time, without a sandbox and with one each.
//! Its output is then worth reading.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::client::Answer;
use crate::household::{Household, comes, numbers_in, tested};
use crate::project::Project;

const LONG_ENVIRONMENT: &str = include_str!("stand_ins/long_environment.py");

/// Simultaneous sessions; every fourth is on Guile.
const SESSIONS: usize = 16;

/// The time in the suite, without a sandbox and with one each.
const SECONDS: u64 = 5;

/// Megabytes of a foreign environment: more memory than the server may use.
const ENVIRONMENT: &str = "2000";

/// The growth that the server may have, in kB.
const GROWTH: u64 = 64 * 1024;

/// The longest time for an answer on a busy machine.
const SILENCE: Duration = Duration::from_secs(120);

/// A ping that takes longer shows that the server was blocked.
const STANDSTILL: Duration = Duration::from_secs(10);

/// A repeated request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// An evaluation, or the end of its image.
    Session(usize),
    /// A request for the server that `.nrepl-port` names.
    Attach,
    /// A request for the images, one of which is then killed.
    Status,
    Ping,
}

impl Asked {
    /// The pause between an answer and the next request.
    fn pause(self) -> Duration {
        Duration::from_millis(match self {
            Self::Session(_) => 0,
            Self::Attach | Self::Ping => 50,
            Self::Status => 1000,
        })
    }
}

/// Numbers that look random and are the same each time (a linear congruential generator).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn choose<'c, T>(&mut self, choices: &'c [T]) -> &'c T {
        &choices[self.roll(choices.len())]
    }
}

/// The counts of events.
#[derive(Debug, Default)]
struct Tally {
    calls: usize,
    kills: usize,
    kills_from_outside: usize,
    lost: usize,
    pings: usize,
    slowest_ping: Duration,
}

/// Foreign processes beside the server. They end when this is dropped.
struct Strangers {
    reader: Child,
    ends: Arc<AtomicBool>,
    swapper: Option<JoinHandle<()>>,
}

impl Strangers {
    fn new(project: &Project) -> Self {
        let script = project.beside("long_environment.py");
        fs::write(&script, LONG_ENVIRONMENT).unwrap();
        let mut command = Command::new("python3");
        command.arg(script).arg(ENVIRONMENT).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut reader = command.spawn().unwrap();
        let mut said = String::new();
        BufReader::new(reader.stdout.take().unwrap()).read_line(&mut said).unwrap();
        tested(&format!("beside an environment of {ENVIRONMENT} MB: {}", said.trim()));
        let ends = Arc::new(AtomicBool::new(false));
        let (root, told) = (project.root(), Arc::clone(&ends));
        let swapper = std::thread::spawn(move || {
            while !told.load(Ordering::Relaxed) {
                swap(&root);
                std::thread::park_timeout(Duration::from_micros(100));
            }
        });
        Self { reader, ends, swapper: Some(swapper) }
    }
}

impl Drop for Strangers {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        let _ = self.swapper.take().map(JoinHandle::join);
        let _ = self.reader.kill();
        let _ = self.reader.wait();
    }
}

/// Makes `.nrepl-port` a file and then a pipe.
fn swap(root: &Path) {
    let [port, new, pipe] = [".nrepl-port", "new-port", "pipe"].map(|name| root.join(name));
    let _ = fs::write(&new, "1").and_then(|()| fs::rename(&new, &port));
    let _ = rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into());
    let _ = fs::rename(&pipe, &port);
}

struct Soak {
    household: Household,
    /// An argument of the processes that images leave.
    word: PathBuf,
    dice: Dice,
    running: HashMap<i64, (Asked, Instant)>,
    tally: Tally,
}

impl Soak {
    fn ask(&mut self, asked: Asked) {
        let id = match asked {
            Asked::Ping => self.household.client.start("ping", json!({})),
            Asked::Attach => self.call("repl_control", &json!({ "action": "attach", "session": "attached" })),
            Asked::Status => self.call("repl_control", &json!({ "action": "status" })),
            Asked::Session(session) if self.dice.roll(16) == 0 => {
                self.tally.kills += 1;
                self.call("repl_control", &json!({ "action": "kill", "session": format!("s{session}") }))
            }
            Asked::Session(session) => {
                let (runtime, code) = self.code(session);
                let session = format!("s{session}");
                let arguments = json!({ "code": code, "runtime": runtime, "session": session, "timeout_seconds": 30 });
                self.call("repl_eval", &arguments)
            }
        };
        self.running.insert(id, (asked, Instant::now()));
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> i64 {
        self.tally.calls += 1;
        self.household.client.start("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    fn code(&mut self, session: usize) -> (&'static str, String) {
        let leave =
            format!("setsid env -i sh -c 'sleep 1000; true' {} </dev/null >/dev/null 2>&1 &", self.word.display());
        if session % 4 == 3 {
            let codes = ["(+ 1 2)".to_owned(), "(error \"x\")".to_owned(), format!("(system {leave:?})")];
            return ("guile", self.dice.choose(&codes).clone());
        }
        let codes = [
            "(+ 1 2)",
            "(print 1)",
            "(loop repeat 1000000)",
            "(make-array 1000000)",
            "(error \"x\")",
            "(sb-ext:run-program \"/bin/sleep\" '(\"1000\") :wait nil)",
            "(sb-ext:exit :code 3 :abort t)",
        ];
        let leave = format!("(sb-ext:run-program \"/bin/sh\" '(\"-c\" {leave:?}))");
        let index = self.dice.roll(codes.len() + 1);
        ("sbcl", codes.get(index).map_or(leave, |code| (*code).to_owned()))
    }

    /// Takes the answer to `asked`.
    fn take(&mut self, asked: Asked, began: Instant, message: &Value) {
        if asked == Asked::Ping {
            self.tally.pings += 1;
            self.tally.slowest_ping = self.tally.slowest_ping.max(began.elapsed());
            return;
        }
        let answer = Answer::of(message);
        let code = answer.fields["code"].as_str().unwrap_or_default();
        assert!(!code.starts_with("INTERNAL"), "{asked:?}: {}", answer.text);
        self.tally.lost += usize::from(code == "SESSION_LOST");
        if asked == Asked::Status {
            let sessions = answer.fields["sessions"].as_array().map(Vec::as_slice).unwrap_or_default();
            let images: Vec<i64> = sessions.iter().filter_map(|session| session["pid"].as_i64()).collect();
            if !images.is_empty() {
                let image = Pid::from_raw(i32::try_from(*self.dice.choose(&images)).unwrap()).unwrap();
                let signals = [Signal::KILL, Signal::KILL, Signal::SEGV, Signal::TERM];
                // The process may have ended.
                let _ = kill_process(image, *self.dice.choose(&signals));
                self.tally.kills_from_outside += 1;
            }
        }
    }

    /// Repeats all requests for this time, and until all are answered.
    fn run(&mut self, time: Duration) {
        let end = Instant::now() + time;
        let sessions = (0..SESSIONS).map(Asked::Session);
        let all = sessions.chain([Asked::Attach, Asked::Status, Asked::Ping]);
        let mut waiting: Vec<(Instant, Asked)> = all.map(|asked| (Instant::now(), asked)).collect();
        while Instant::now() < end || !self.running.is_empty() {
            let now = Instant::now();
            let (due, later) = waiting.into_iter().partition(|(when, _)| *when <= now && now < end);
            waiting = later;
            let due: Vec<(Instant, Asked)> = due;
            due.into_iter().for_each(|(_, asked)| self.ask(asked));
            let silent = self.running.values().find(|(_, began)| began.elapsed() > SILENCE);
            assert!(silent.is_none(), "no answer: {silent:?}; {:?}", self.tally);
            let Some(message) = self.household.client.receive_within(Duration::from_millis(20)) else { continue };
            if let Some((asked, began)) = message["id"].as_i64().and_then(|id| self.running.remove(&id)) {
                self.take(asked, began, &message);
                waiting.push((Instant::now() + asked.pause(), asked));
            }
        }
    }

    /// The memory of the server in kB.
    fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.household.client.pid())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.split_ascii_whitespace().next().unwrap().parse().unwrap()
    }

    /// The running processes that images have left.
    fn left(word: &Path) -> Vec<i32> {
        let word = word.to_str().unwrap().as_bytes();
        let carries = |pid: &i32| {
            let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            words.split(|byte| *byte == 0).any(|argument| argument == word)
        };
        numbers_in("/proc").into_iter().filter(carries).collect()
    }
}

fn soak(options: &[&str]) {
    let seconds = std::env::var("LISPWRIGHT_SOAK_SECONDS").map_or(SECONDS, |seconds| seconds.parse().unwrap());
    let project = Project::new();
    let word = project.beside("left");
    let household = Household::on(project, &[options, &["--max-sessions", "18"]].concat());
    let mut soak =
        Soak { household, word: word.clone(), dice: Dice(1), running: HashMap::new(), tally: Tally::default() };
    let strangers = Strangers::new(&soak.household.project);
    // A warm-up until images are saved and the server has its size.
    soak.run(Duration::from_secs(seconds / 5));
    let first = soak.memory();
    soak.run(Duration::from_secs(seconds - seconds / 5));
    let last = soak.memory();
    drop(strangers);
    for session in 0..SESSIONS {
        soak.household.call("repl_control", json!({ "action": "kill", "session": format!("s{session}") }));
    }
    assert!(comes(|| Soak::left(&word).is_empty()), "left by images: {:?}", Soak::left(&word));
    let Soak { household, tally, .. } = soak;
    let began = Instant::now();
    assert!(household.client.finish().success());
    let ended = began.elapsed();
    tested(&format!("{seconds} s {options:?}: {tally:?}; {first} kB and then {last} kB; it ended in {ended:?}"));
    assert!(tally.calls > SESSIONS && tally.pings > 0 && tally.kills_from_outside > 0, "{tally:?}");
    assert!(tally.slowest_ping < STANDSTILL, "{tally:?}");
    assert!(last < first + GROWTH, "the server has grown from {first} kB to {last} kB");
}

#[test]
fn a_server_survives_hostile_processes() {
    for options in [&[][..], &["--sandbox"]] {
        soak(options);
    }
}
