//! Invariants over many calls: sessions do not mix, the server stays responsive, and no process is left behind.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::Setting;
use crate::client::Client;
use crate::memory::{descendants, pss};
use crate::table::Row;

/// The number of simultaneous sessions; every fourth is on Guile.
const SESSIONS: usize = 16;

/// The time for which they evaluate.
const EVALUATING: Duration = Duration::from_secs(60);

/// The time from the answer to a ping to the next one.
const BETWEEN_PINGS: Duration = Duration::from_millis(20);

/// The number of images that are killed one after another.
const KILLS: usize = 1000;

/// The number of the first of them, after which the server has reached its size.
const WARM_UP: usize = 50;

pub(crate) fn rows(setting: &Setting) -> Vec<Row> {
    vec![sessions_at_once(setting), kills_in_a_row(setting)]
}

/// The resources of a server that it could leak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Holdings {
    processes: usize,
    descriptors: usize,
    temporary: usize,
}

impl Holdings {
    fn of(server: u32, temporary: &Path) -> Self {
        let entries = |path: &Path| fs::read_dir(path).into_iter().flatten().count();
        Self {
            processes: descendants(server).len(),
            descriptors: entries(Path::new(&format!("/proc/{server}/fd"))),
            temporary: files_below(temporary),
        }
    }

    /// Waits until there is no more than before, for ten seconds at most; returns what is there then.
    fn settled(self, server: u32, temporary: &Path) -> Self {
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            let now = Self::of(server, temporary);
            if now.is_within(self) || Instant::now() > deadline {
                return now;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn is_within(self, before: Self) -> bool {
        self.processes <= before.processes
            && self.descriptors <= before.descriptors
            && self.temporary <= before.temporary
    }

    /// The present holdings compared with those before.
    fn beside(self, before: Self) -> String {
        format!(
            "processes {} after {}, descriptors {} after {}, temporary files {} after {}",
            self.processes, before.processes, self.descriptors, before.descriptors, self.temporary, before.temporary
        )
    }
}

fn files_below(path: &Path) -> usize {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| 1 + if entry.path().is_dir() { files_below(&entry.path()) } else { 0 }).sum()
}

/// Code for the `count`-th evaluation of a session, and its value. Earlier values are stored in the image alone.
fn code(session: usize, count: usize) -> (String, String) {
    // Most are quick, some take a second or so.
    let turns = if count % 50 == 49 { 200_000_000 } else { 100_000 };
    if is_guile(session) {
        let before = if count == 0 { format!("(define session {session}) (define count 0)") } else { String::new() };
        let turns = turns / 10;
        let spin = format!("(let loop ((i {turns})) (if (> i 0) (loop (- i 1))))");
        (format!("{before} (set! count (+ count 1)) {spin} (list session count)"), format!("({session} {})", count + 1))
    } else {
        let before =
            if count == 0 { format!("(defvar *session* {session}) (defvar *count* 0)") } else { String::new() };
        (
            format!("{before} (incf *count*) (loop repeat {turns}) (list *session* *count*)"),
            format!("({session} {})", count + 1),
        )
    }
}

fn is_guile(session: usize) -> bool {
    session % 4 == 3
}

/// Many busy sessions, and pings meanwhile.
fn sessions_at_once(setting: &Setting) -> Row {
    let root = tempfile::tempdir().expect("a temporary folder");
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let (mut client, _) =
        Client::start_in(&setting.binary, root.path(), temporary.path(), &["--max-sessions", "17", "--sandbox"]);
    let server = client.pid();
    // Spares and processes that are started once count as holdings before.
    for runtime in ["sbcl", "guile"] {
        client.call("repl_eval", &json!({"code": "1", "runtime": runtime, "session": runtime, "timeout_seconds": 120}));
        client.call("repl_control", &json!({"action": "kill", "session": runtime}));
    }
    std::thread::sleep(Duration::from_secs(3));
    let before = Holdings::of(server, temporary.path());

    let answers = client.listen();
    let mut evaluations = [0; SESSIONS];
    let mut running: HashMap<u64, (usize, String)> = HashMap::new();
    let mut mixed = 0;
    let mut pings: Vec<(f64, u64)> = Vec::new();
    let mut ping: Option<(u64, Instant, u64)> = None;
    let mut next_ping = Instant::now();
    let end = Instant::now() + EVALUATING;
    let ask = |client: &mut Client, session: usize, count: usize| {
        let (code, value) = code(session, count);
        let runtime = if is_guile(session) { "guile" } else { "sbcl" };
        let arguments =
            json!({"code": code, "runtime": runtime, "session": format!("s{session}"), "timeout_seconds": 300});
        (client.ask("tools/call", &json!({"name": "repl_eval", "arguments": arguments})), (session, value))
    };
    for session in 0..SESSIONS {
        running.extend([ask(&mut client, session, 0)]);
    }
    while !running.is_empty() || ping.is_some() {
        if ping.is_none() && Instant::now() >= next_ping && !running.is_empty() {
            // The time starts before the ping is sent.
            let (stolen, sent) = (stolen(), Instant::now());
            ping = Some((client.ask("ping", &json!({})), sent, stolen));
        }
        let Ok((came, answer)) = answers.recv_timeout(BETWEEN_PINGS) else { continue };
        let id = answer["id"].as_u64().unwrap_or(0);
        if let Some((_, sent, before)) = ping.filter(|(number, ..)| *number == id) {
            pings.push(((came - sent).as_secs_f64() * 1e3, before));
            ping = None;
            next_ping = Instant::now() + BETWEEN_PINGS;
        } else if let Some((session, expected)) = running.remove(&id) {
            let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
            if !text.starts_with(&format!("=> {expected}")) {
                eprintln!("session {session} answered {answer}, not {expected}");
                mixed += 1;
            }
            evaluations[session] += 1;
            if Instant::now() < end && mixed == 0 {
                running.extend([ask(&mut client, session, evaluations[session])]);
            }
        }
    }
    let mut kills: Vec<u64> = (0..SESSIONS)
        .map(|session| {
            let arguments = json!({"action": "kill", "session": format!("s{session}")});
            client.ask("tools/call", &json!({"name": "repl_control", "arguments": arguments}))
        })
        .collect();
    while let (false, Ok((_, answer))) = (kills.is_empty(), answers.recv_timeout(Duration::from_secs(60))) {
        kills.retain(|id| answer["id"] != *id);
    }
    let after = before.settled(server, temporary.path());
    // Stolen time is counted a little late, so the interval ends when the next ping is sent.
    let undisturbed = pings.windows(2).filter(|pair| pair[0].1 == pair[1].1).map(|pair| pair[0].0).fold(0.0, f64::max);
    let mut pings: Vec<f64> = pings.into_iter().map(|(time, _)| time).collect();
    pings.sort_by(f64::total_cmp);
    let most = pings.last().copied().unwrap_or(f64::NAN);
    let p99 = pings.get(pings.len() * 99 / 100).copied().unwrap_or(f64::NAN);
    Row {
        what: format!(
            "{SESSIONS} sessions (12 SBCL, 4 Guile) evaluating for {} s: {} evaluations, the slowest session {}",
            EVALUATING.as_secs(),
            evaluations.iter().sum::<usize>(),
            evaluations.iter().min().copied().unwrap_or(0)
        ),
        measured: format!(
            "{mixed} mixed up; ping p99 {p99:.1} ms, slowest of {} {most:.1} ms, {undisturbed:.1} ms of those during \
             which the host took no processor away; {}",
            pings.len(),
            after.beside(before)
        ),
        baseline: "-".into(),
        elsewhere: "-",
        target: "nothing mixed up or left behind, every ping under 20 ms",
        met: mixed == 0 && most < 20.0 && after.is_within(before),
    }
}

/// Ticks that the host of a virtual machine has taken from its processors (`proc_stat`, steal).
fn stolen() -> u64 {
    let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
    stat.lines()
        .next()
        .and_then(|cpu| cpu.split_ascii_whitespace().nth(8))
        .and_then(|count| count.parse().ok())
        .unwrap_or(0)
}

/// One image after another, ended in turn by the server and from outside, with child processes.
fn kills_in_a_row(setting: &Setting) -> Row {
    let root = tempfile::tempdir().expect("a temporary folder");
    let temporary = tempfile::tempdir().expect("a temporary folder");
    // Under Landlock images know their own numbers, by which they are killed here.
    let (mut client, _) = Client::start_in(&setting.binary, root.path(), temporary.path(), &["--sandbox=landlock"]);
    let server = client.pid();
    let mut before = None;
    let mut began = Instant::now();
    for kill in 0..WARM_UP + KILLS {
        if kill == WARM_UP {
            std::thread::sleep(Duration::from_secs(2));
            before = Some((Holdings::of(server, temporary.path()), pss(server)));
            began = Instant::now();
        }
        let session = format!("k{kill}");
        let code =
            "(with-open-file (s (format nil \"~A/file\" (sb-posix:getenv \"TMPDIR\")) :direction :output) (print 1 s))
                    (sb-ext:run-program \"/bin/sleep\" '(\"1000\") :wait nil)
                    (sb-posix:getpid)";
        let answer = client.call("repl_eval", &json!({"code": code, "session": session, "timeout_seconds": 120}));
        let pid = answer["content"][0]["text"].as_str().and_then(|text| text.strip_prefix("=> ")).unwrap_or_default();
        if kill % 2 == 0 {
            let _ = Command::new("kill").args(["-9", pid.trim()]).status();
        }
        client.call("repl_control", &json!({"action": "kill", "session": session}));
    }
    let each = began.elapsed().as_secs_f64() * 1e3 / KILLS as f64;
    let (before, size) = before.expect("the warm-up is shorter than the whole");
    let after = before.settled(server, temporary.path());
    let growth = pss(server) - size;
    Row {
        what: format!("{KILLS} images killed in a row, each with a process and a temporary file of its own"),
        measured: format!("{}; the server grew by {growth:.1} MB; {each:.0} ms each", after.beside(before)),
        baseline: "-".into(),
        elsewhere: "-",
        target: "nothing left behind",
        met: after.is_within(before) && growth < 2.0,
    }
}
