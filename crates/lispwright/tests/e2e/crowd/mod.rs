//! A crowd of clients on every transport, who call every tool, while images are killed, the server is killed and started
//! again, and a stranger changes files. `cargo xtask soak` runs it for ten minutes and keeps its report; the suite for
//! some seconds.
//!
//! Nobody may get a wrong answer. Each client has a file of its own, whose one number it counts up; what was answered as
//! written has to be there. All append to one file, where each appended form has to be once, until its client deletes it.

mod deeds;
mod way;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::client::{Answer, server_command};
use crate::household::{comes, numbers_in, tested};
use crate::project::Project;
use deeds::{DEEDS, ELSEWHERE, OF_KILLED};
use way::{Address, Line, Way, call};

/// Clients at the same time.
const CLIENTS: usize = 64;
/// The sessions that they share; every third is on Guile.
const SESSIONS: usize = 6;
/// The time in the suite; `LISPWRIGHT_CROWD_SECONDS` sets another.
const SECONDS: u64 = 20;
/// The time for which a server lives before it is killed, at most.
const LIFE: Duration = Duration::from_secs(120);
/// The time between a client's answer and its next call.
const THINKING: Duration = Duration::from_millis(20);
/// The forms that a client keeps in the file of all, so that its size is the same for hours.
const KEPT: usize = 20;
/// The time between two kills of images.
const BETWEEN_KILLS: Duration = Duration::from_secs(2);
/// The growth that a server may have after it has warmed up, in kB.
const GROWTH: u64 = 40 * 1024;
/// The time after the last call in which a server returns the memory that calls needed.
const REST: Duration = Duration::from_secs(3);
/// The memory that it may have then over that of its warm self, in kB: what its clients may still resume, and what it
/// knows of files.
const KNOWN: u64 = 15 * 1024;
/// The descriptors that it may have more than when it had warmed up: those of a few images.
const DESCRIPTORS: usize = 100;

/// The variable that the processes of a server have in their environment.
const WORD: &str = "LISPWRIGHT_CROWD";

/// A server, as clients find it.
struct Place {
    generation: usize,
    address: Address,
    /// It has been killed, or told to end.
    is_over: AtomicBool,
}

/// What all clients share.
struct Crowd {
    root: PathBuf,
    place: Mutex<Option<Arc<Place>>>,
    changed: Condvar,
    /// The ends of the present server, for the client that has started it.
    ends: Mutex<Option<Line>>,
    is_over: AtomicBool,
    faults: Mutex<Vec<String>>,
    calls: AtomicU64,
    /// Answers of errors by their codes.
    codes: Mutex<BTreeMap<String, u64>>,
    tools: Mutex<BTreeMap<String, u64>>,
}

impl Crowd {
    fn fault(&self, what: String) {
        self.faults.lock().unwrap().push(what);
    }

    /// The present server, when it is not the one that was left.
    fn place(&self, left: Option<usize>) -> Option<Arc<Place>> {
        let mut place = self.place.lock().unwrap();
        loop {
            if self.is_over.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(place) = place.as_ref().filter(|place| left != Some(place.generation)) {
                return Some(place.clone());
            }
            place = self.changed.wait_timeout(place, Duration::from_millis(50)).unwrap().0;
        }
    }
}

/// Numbers that look random and are the same each time (a linear congruential generator).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// A client.
struct Client {
    number: usize,
    way: Way,
    crowd: Arc<Crowd>,
    dice: Dice,
    last_id: u64,
    /// The number in its file, and whether one more may be there because an answer was lost.
    written: (u64, bool),
    /// The forms that it has appended to the file of all: those that are there, and those that may be because an answer was
    /// lost.
    appended: BTreeSet<u64>,
    doubtful: HashSet<u64>,
    appends: u64,
    /// The last count of its variable in its session's image.
    counted: u64,
    deed: usize,
    /// The deed with its number comes first, so that each is done however slow the machine is.
    has_begun: bool,
}

impl Client {
    fn new(number: usize, crowd: Arc<Crowd>) -> Self {
        let way = match number {
            0 => Way::Stdio,
            1..=7 => Way::Bridge,
            _ => [Way::Tcp, Way::Session, Way::Tcp, Way::Alone][number % 4],
        };
        let dice = Dice(number as u64 + 1);
        let (appended, doubtful) = (BTreeSet::new(), HashSet::new());
        let deed = number;
        Self {
            number,
            way,
            crowd,
            dice,
            last_id: 0,
            written: (0, false),
            appended,
            doubtful,
            appends: 0,
            counted: 0,
            deed,
            has_begun: false,
        }
    }

    /// Acts until all is over, on one server after the other.
    fn live(mut self) -> Self {
        let mut left = None;
        while let Some(place) = self.crowd.place(left) {
            match self.stay(&place) {
                Ok(()) => return self,
                // The server that is no more is left; anything else is a fault.
                Err(error) => {
                    let crowd = self.crowd.clone();
                    if !comes(|| place.is_over.load(Ordering::Relaxed) || crowd.is_over.load(Ordering::Relaxed)) {
                        self.fault(&format!("the connection broke: {error}"));
                        return self;
                    }
                    left = Some(place.generation);
                }
            }
        }
        self
    }

    fn stay(&mut self, place: &Place) -> io::Result<()> {
        let mut line = match self.way {
            Way::Stdio => self.crowd.ends.lock().unwrap().take().ok_or(io::ErrorKind::NotConnected)?,
            way => Line::open(way, &place.address)?,
        };
        while !self.crowd.is_over.load(Ordering::Relaxed) {
            self.act(&mut line)?;
            std::thread::sleep(THINKING);
        }
        if matches!(self.way, Way::Stdio) {
            // The server ends with its standard input; its memory is still to be looked at.
            *self.crowd.ends.lock().unwrap() = Some(line);
        }
        Ok(())
    }

    fn fault(&self, what: &str) {
        self.crowd.fault(format!("client {} ({:?}): {what}", self.number, self.way));
    }

    fn call(&mut self, line: &mut Line, tool: &str, arguments: &Value) -> io::Result<Answer> {
        self.last_id += 1;
        let message = line.ask(&call(self.last_id, tool, arguments))?;
        self.crowd.calls.fetch_add(1, Ordering::Relaxed);
        *self.crowd.tools.lock().unwrap().entry(tool.to_owned()).or_default() += 1;
        if message.get("result").is_none() {
            return Err(io::Error::other(format!("no result: {message}")));
        }
        let answer = Answer::of(&message);
        if answer.is_error {
            let code = answer.fields["code"].as_str().unwrap_or("-").to_owned();
            *self.crowd.codes.lock().unwrap().entry(code).or_default() += 1;
        }
        Ok(answer)
    }

    fn session(&self) -> String {
        format!("s{}", self.number % SESSIONS)
    }

    fn is_guile(&self) -> bool {
        self.number % SESSIONS % 3 == 2
    }

    fn act(&mut self, line: &mut Line) -> io::Result<()> {
        if let Some(deed) = DEEDS.get(self.number).filter(|_| !self.has_begun) {
            self.do_deed(line, deed, "s0")?;
            self.has_begun = true;
        }
        match self.dice.roll(10) {
            0 => self.count_up(line),
            1 => self.append(line),
            2 => self.look_at_what_moves(line),
            3 => self.evaluate(line),
            4 => self.inspect(line),
            _ => self.do_next_deed(line),
        }
    }

    fn do_next_deed(&mut self, line: &mut Line) -> io::Result<()> {
        self.deed = (self.deed + 1) % DEEDS.len();
        let deed = &DEEDS[self.deed];
        // What needs Common Lisp is asked of those who have one.
        if deed.is_live && (self.is_guile() || self.dice.roll(4) > 0) {
            return Ok(());
        }
        let session = self.session();
        self.do_deed(line, deed, &session)
    }

    fn do_deed(&mut self, line: &mut Line, deed: &deeds::Deed, session: &str) -> io::Result<()> {
        let answer = self.call(line, deed.tool, &deed.arguments(session))?;
        if answer.text.contains(deed.says) && !answer.is_error {
            return Ok(());
        }
        if deed.is_live && self.is_of_killed(line, &answer)? {
            return Ok(());
        }
        self.fault(&format!("{} does not say {:?}: {}", deed.tool, deed.says, answer.text));
        Ok(())
    }

    /// Whether an answer is that of a killed image. A session that has lost too many is begun again.
    fn is_of_killed(&mut self, line: &mut Line, answer: &Answer) -> io::Result<bool> {
        let code = answer.fields["code"].as_str().unwrap_or_default();
        // SBCL takes a SIGSEGV from outside for an error at an address, which is the number of the sender.
        let told = format!("memory fault at #x{:X}", std::process::id());
        if !answer.is_error || !OF_KILLED.contains(&code) && !answer.text.contains(&told) {
            return Ok(false);
        }
        if answer.text.contains("reset") {
            let session = self.session();
            self.call(line, "repl_control", &json!({ "action": "reset", "session": session }))?;
        }
        Ok(true)
    }

    /// Counts the number in its file up by an edit or a patch, and reads it.
    fn count_up(&mut self, line: &mut Line) -> io::Result<()> {
        let path = format!("own-{}.lisp", self.number);
        let read = self.call(line, "lisp_read_form", &json!({ "path": path, "name": "number" }))?;
        let found = read.text.split("(+ ").nth(1).and_then(|rest| rest.split(')').next()?.parse::<u64>().ok());
        let (known, may_be_more) = self.written;
        let Some(found) = found.filter(|found| *found == known || may_be_more && *found == known + 1) else {
            self.fault(&format!("{path} should have {:?}: {}", self.written, read.text));
            return Ok(());
        };
        let next = found + 1;
        self.written = (found, true);
        let answer = if next % 2 == 0 {
            let content = format!("(defun number ()\n  (+ {next}))");
            let arguments = json!({ "path": path, "operation": "replace", "name": "number", "content": content });
            self.call(line, "lisp_edit_form", &arguments)?
        } else {
            let (old, new) = (format!("(+ {found})"), format!("(+ {next})"));
            let arguments = json!({ "path": path, "name": "number", "old_text": old, "new_text": new });
            self.call(line, "lisp_patch_form", &arguments)?
        };
        if answer.is_error {
            self.fault(&format!("{path} was not edited: {}", answer.text));
            return Ok(());
        }
        self.written = (next, false);
        Ok(())
    }

    /// Appends a form to the file of all, and deletes its oldest one there.
    fn append(&mut self, line: &mut Line) -> io::Result<()> {
        self.appends += 1;
        self.doubtful.insert(self.appends);
        let content = format!("(defun added-{}-{} ())", self.number, self.appends);
        let arguments = json!({ "path": "shared.lisp", "operation": "append", "content": content });
        let answer = self.call(line, "lisp_edit_form", &arguments)?;
        if answer.is_error && !is_turned_away(&answer) {
            self.fault(&format!("shared.lisp was not edited: {}", answer.text));
            return Ok(());
        }
        self.doubtful.remove(&self.appends);
        if answer.is_error {
            return Ok(());
        }
        self.appended.insert(self.appends);
        if self.appended.len() > KEPT { self.delete_oldest(line) } else { Ok(()) }
    }

    fn delete_oldest(&mut self, line: &mut Line) -> io::Result<()> {
        let Some(oldest) = self.appended.pop_first() else { return Ok(()) };
        self.doubtful.insert(oldest);
        let name = format!("added-{}-{oldest}", self.number);
        let arguments = json!({ "path": "shared.lisp", "operation": "delete", "name": name });
        let answer = self.call(line, "lisp_edit_form", &arguments)?;
        if answer.is_error && !is_turned_away(&answer) {
            self.fault(&format!("{name} was not deleted: {}", answer.text));
            return Ok(());
        }
        self.doubtful.remove(&oldest);
        if answer.is_error {
            self.appended.insert(oldest);
        }
        Ok(())
    }

    /// Reads a file that a stranger replaces, whose forms all have the same number.
    fn look_at_what_moves(&mut self, line: &mut Line) -> io::Result<()> {
        let answer = self.call(line, "lisp_read_file", &json!({ "path": "moving.lisp", "collapsed": false }))?;
        let numbers: HashSet<&str> =
            answer.text.split("(+ ").skip(1).filter_map(|rest| rest.split(')').next()).collect();
        if answer.is_error || numbers.len() != 1 {
            self.fault(&format!("moving.lisp is of several moments: {}", answer.text));
        }
        Ok(())
    }

    /// Evaluates code whose value says who has asked, and counts in the image.
    fn evaluate(&mut self, line: &mut Line) -> io::Result<()> {
        let (number, id) = (self.number, self.last_id);
        let (runtime, code) = if self.is_guile() {
            let code =
                format!("(define-once c{number} 0) (set! c{number} (+ c{number} 1)) (list {number} {id} c{number})");
            ("guile", code)
        } else {
            ("sbcl", format!("(defvar *c{number}* 0) (list {number} {id} (incf *c{number}*))"))
        };
        let session = self.session();
        let arguments = json!({ "code": code, "session": session, "runtime": runtime, "timeout_seconds": 100 });
        let answer = self.call(line, "repl_eval", &arguments)?;
        let value = answer.fields["values"][0].as_str().unwrap_or_default();
        let count =
            value.strip_prefix(&format!("({number} {id} ")).and_then(|rest| rest.strip_suffix(')')?.parse().ok());
        match count {
            Some(count) if count == self.counted + 1 || count == 1 => self.counted = count,
            _ if self.is_of_killed(line, &answer)? => {}
            // The first count of an image whose answer was lost.
            Some(2) => self.counted = 2,
            _ => self.fault(&format!("{code} after {}: {}", self.counted, answer.text)),
        }
        Ok(())
    }

    /// Looks into a value, unless the image has gone meanwhile.
    fn inspect(&mut self, line: &mut Line) -> io::Result<()> {
        let session = self.session();
        let runtime = if self.is_guile() { "guile" } else { "sbcl" };
        let arguments =
            json!({ "code": "(list 1 2 3)", "session": session, "runtime": runtime, "timeout_seconds": 100 });
        let answer = self.call(line, "repl_eval", &arguments)?;
        let id = &answer.fields["result_object_id"];
        if id.is_null() {
            if !self.is_of_killed(line, &answer)? {
                self.fault(&format!("no object: {}", answer.text));
            }
            return Ok(());
        }
        let seen = self.call(line, "inspect_object", &json!({ "id": id, "session": session }))?;
        let is_known = !seen.is_error && seen.text.contains('3');
        // A fresh image does not know the object.
        let is_forgotten = seen.is_error && seen.fields["code"] == "BAD_ARGUMENT";
        if !is_known && !is_forgotten && !self.is_of_killed(line, &seen)? {
            self.fault(&format!("object {id}: {}", seen.text));
        }
        Ok(())
    }
}

/// Others have held a file for so long that the call gave up, and changed nothing.
fn is_turned_away(answer: &Answer) -> bool {
    answer.fields["code"] == "CONFLICT" && answer.text.contains("changed nothing")
}

/// A running server.
struct Server {
    child: Child,
    place: Arc<Place>,
    began: Instant,
}

impl Server {
    /// Starts a server for the crowd.
    fn start(crowd: &Crowd, project: &Project, generation: usize) -> Self {
        let token_file = project.beside("token");
        let temporary = project.beside("tmp");
        fs::create_dir_all(&temporary).unwrap();
        let mut command: Command = server_command(&project.root());
        command.args(["--transport", "stdio,tcp,http", "--listen", "127.0.0.1:0", "--toolsets", "all"]);
        command.arg("--token-file").arg(&token_file).args(["--max-sessions", "8"]);
        command.env(WORD, &crowd.root).env("TMPDIR", &temporary);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = io::BufReader::new(child.stderr.take().unwrap());
        let [tcp, http] = ["tcp", "http"].map(|transport| {
            let mut line = String::new();
            io::BufRead::read_line(&mut said, &mut line).unwrap();
            let place: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert_eq!(place["transport"], transport);
            u16::try_from(place["port"].as_u64().unwrap()).unwrap()
        });
        std::thread::spawn(move || io::copy(&mut said, &mut io::sink()));
        let token = fs::read_to_string(&token_file).unwrap().trim().to_owned();
        let address = Address { tcp, http, token, token_file };
        let ends = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        *crowd.ends.lock().unwrap() = Some(Line::stdio(ends).unwrap());
        let place = Arc::new(Place { generation, address, is_over: AtomicBool::new(false) });
        *crowd.place.lock().unwrap() = Some(place.clone());
        crowd.changed.notify_all();
        Self { child, place, began: Instant::now() }
    }

    /// Its resident memory in kB, and its descriptors.
    fn size(&self) -> (u64, usize) {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        let memory = line.split_ascii_whitespace().next().unwrap().parse().unwrap();
        (memory, numbers_in(&format!("/proc/{}/fd", self.child.id())).len())
    }

    /// Ends it by a signal, and waits until nothing of it is left.
    fn end(mut self, crowd: &Crowd, signal: Signal) -> ExitStatus {
        self.place.is_over.store(true, Ordering::Relaxed);
        *crowd.place.lock().unwrap() = None;
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        assert!(comes(|| !matches!(self.child.try_wait(), Ok(None))), "the server does not end");
        let status = self.child.wait().unwrap();
        assert!(comes(|| left(&crowd.root).is_empty()), "left by the server: {:?}", left(&crowd.root));
        status
    }
}

/// The processes of a server, also those whose server is gone.
fn left(word: &Path) -> Vec<i32> {
    let entry = format!("{WORD}={}\0", word.display());
    let carries = |pid: &i32| {
        fs::read(format!("/proc/{pid}/environ"))
            .is_ok_and(|environment| environment.windows(entry.len()).any(|part| part == entry.as_bytes()))
    };
    numbers_in("/proc").into_iter().filter(carries).collect()
}

/// Replaces a file again and again, each time all of it.
fn move_about(root: &Path, is_over: &dyn Fn() -> bool) {
    let (new, path) = (root.join("new"), root.join("moving.lisp"));
    for moment in 0u64.. {
        let forms: String = (0..20).map(|form| format!("(defun moving-{form} ()\n  (+ {moment}))\n\n")).collect();
        fs::write(&new, forms).unwrap();
        fs::rename(&new, &path).unwrap();
        if is_over() {
            return;
        }
        std::thread::park_timeout(Duration::from_millis(3));
    }
}

/// Kills an image now and then, and pings meanwhile. Returns the times of the pings, in milliseconds, and the kills.
fn trouble(crowd: &Crowd) -> (Vec<f64>, u64) {
    let (mut pings, mut kills, mut dice) = (Vec::new(), 0, Dice(7));
    let mut killed = Instant::now();
    while let Some(place) = crowd.place(None) {
        // While all clients come at once, one more may be turned away.
        let Ok(mut line) = Line::open(Way::Tcp, &place.address) else {
            std::thread::park_timeout(Duration::from_millis(20));
            continue;
        };
        for round in 1u64.. {
            if crowd.is_over.load(Ordering::Relaxed) {
                return (pings, kills);
            }
            let began = Instant::now();
            let ping = json!({ "jsonrpc": "2.0", "id": format!("p{round}"), "method": "ping" });
            if line.ask(&ping).is_err() {
                break;
            }
            pings.push(began.elapsed().as_secs_f64() * 1e3);
            if killed.elapsed() > BETWEEN_KILLS {
                killed = Instant::now();
                let Ok(status) = line.ask(&call(round, "repl_control", &json!({ "action": "status" }))) else { break };
                let sessions = status["result"]["structuredContent"]["sessions"].clone();
                let images: Vec<i64> =
                    sessions.as_array().into_iter().flatten().filter_map(|session| session["pid"].as_i64()).collect();
                if !images.is_empty() {
                    let image = i32::try_from(images[dice.roll(images.len())]).unwrap();
                    let signals = [Signal::KILL, Signal::SEGV, Signal::TERM];
                    // It may have ended.
                    let _ = kill_process(Pid::from_raw(image).unwrap(), signals[dice.roll(3)]);
                    kills += 1;
                }
            }
            std::thread::park_timeout(Duration::from_millis(20));
        }
    }
    (pings, kills)
}

fn furnish(project: &Project) {
    project.file("package.lisp", "(defpackage :crowd\n  (:use :cl)\n  (:export #:area #:volume))\n");
    let area = "(defun area (r)\n  \"The area of a circle.\"\n  (* 3 r r))\n\n(defun volume (r)\n  (* 2 r (area r)))\n";
    project.file("area.lisp", area);
    let system = "(defsystem \"crowd\"\n  :components ((:file \"package\") (:file \"area\"))\n  :perform (test-op (o c)\n             \
        (assert (= 12 (symbol-call :cl-user :area 2)))\n             (format t \"1 of 1 tests passed~%\")))\n";
    project.file("crowd.asd", system);
    project.file("shared.lisp", ";; Everybody writes here.\n");
    for number in 0..CLIENTS {
        project.file(&format!("own-{number}.lisp"), "(defun number ()\n  (+ 0))\n");
    }
}

/// A row of the report: a server from its start to its end.
struct Life {
    seconds: u64,
    warm: (u64, usize),
    last: (u64, usize),
    end: &'static str,
}

#[test]
fn a_crowd_of_clients_gets_right_answers_through_all_trouble() {
    let seconds = std::env::var("LISPWRIGHT_CROWD_SECONDS").map_or(SECONDS, |seconds| seconds.parse().unwrap());
    let time = Duration::from_secs(seconds);
    let project = Project::new();
    furnish(&project);
    let crowd = Arc::new(Crowd {
        root: project.root(),
        place: Mutex::new(None),
        changed: Condvar::new(),
        ends: Mutex::new(None),
        is_over: AtomicBool::new(false),
        faults: Mutex::default(),
        calls: AtomicU64::new(0),
        codes: Mutex::default(),
        tools: Mutex::default(),
    });
    let mut server = Server::start(&crowd, &project, 0);
    let offered = offered(&server.place.address);
    let began = Instant::now();
    let mover = std::thread::spawn({
        let crowd = crowd.clone();
        move || move_about(&crowd.root, &|| crowd.is_over.load(Ordering::Relaxed))
    });
    let clients: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let client = Client::new(number, crowd.clone());
            std::thread::spawn(move || client.live())
        })
        .collect();
    let troubled = std::thread::spawn({
        let crowd = crowd.clone();
        move || trouble(&crowd)
    });
    // Each server has the same time, and there are two at least.
    let lives = (time.as_secs_f64() / LIFE.as_secs_f64()).ceil().max(2.0);
    let each = time.div_f64(lives);
    let mut rows: Vec<Life> = Vec::new();
    loop {
        wait_until(server.began + each / 3);
        let warm = server.size();
        wait_until(server.began + each);
        let last = server.size();
        let is_last = began.elapsed() + each / 2 > time;
        rows.push(Life {
            seconds: server.began.elapsed().as_secs(),
            warm,
            last,
            end: if is_last { "told to end" } else { "killed" },
        });
        if is_last {
            break;
        }
        let generation = server.place.generation + 1;
        server.end(&crowd, Signal::KILL);
        server = Server::start(&crowd, &project, generation);
    }
    crowd.is_over.store(true, Ordering::Relaxed);
    let clients: Vec<Client> = clients.into_iter().map(|client| client.join().unwrap()).collect();
    let (pings, kills) = troubled.join().unwrap();
    mover.join().unwrap();
    wait_until(Instant::now() + REST);
    let at_rest = server.size().0;
    let called = crowd.tools.lock().unwrap().clone();
    assert!(offered.iter().all(|tool| called.contains_key(tool)), "not all of {offered:?} are among {called:?}");
    let status = server.end(&crowd, Signal::TERM);
    check_files(&project, &clients, &crowd);
    let temporary = fs::read_dir(project.beside("tmp")).unwrap().count();
    let report = report(&crowd, &rows, at_rest, pings, kills, temporary);
    tested(&report);
    if let Some(path) = std::env::var_os("LISPWRIGHT_CROWD_REPORT") {
        fs::write(path, &report).unwrap();
    }
    let faults = crowd.faults.lock().unwrap();
    assert!(faults.is_empty(), "{} faults: {:#?}", faults.len(), &faults[..faults.len().min(30)]);
    assert!(status.success(), "{status}");
    assert!(kills > 0 && crowd.calls.load(Ordering::Relaxed) > CLIENTS as u64);
    let warm = rows.last().unwrap().warm.0;
    assert!(at_rest < warm + KNOWN, "the server kept {at_rest} kB at rest; it had {warm} kB in its youth");
    for row in rows {
        assert!(row.last.0 < row.warm.0 + GROWTH, "the server has grown from {} kB to {} kB", row.warm.0, row.last.0);
        assert!(row.last.1 < row.warm.1 + DESCRIPTORS, "from {} descriptors to {}", row.warm.1, row.last.1);
    }
}

fn wait_until(when: Instant) {
    while let Some(rest) = when.checked_duration_since(Instant::now()).filter(|rest| !rest.is_zero()) {
        std::thread::park_timeout(rest);
    }
}

/// The tools that the server offers; the clients know each.
fn offered(address: &Address) -> Vec<String> {
    let mut line = Line::open(Way::Tcp, address).unwrap();
    let list = line.ask(&json!({ "jsonrpc": "2.0", "id": "l", "method": "tools/list" })).unwrap();
    let names: Vec<String> = list["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect();
    for name in &names {
        let has_row = DEEDS.iter().any(|deed| deed.tool == name) || ELSEWHERE.contains(&name.as_str());
        assert!(has_row, "{name} has no row in crowd/deeds.rs");
    }
    names
}

/// What was answered as written is there, and nothing twice.
fn check_files(project: &Project, clients: &[Client], crowd: &Crowd) {
    let shared = fs::read_to_string(project.at("shared.lisp")).unwrap();
    let mut found: BTreeMap<(usize, u64), u64> = BTreeMap::new();
    for rest in shared.split("(defun added-").skip(1) {
        let numbers = rest.split(' ').next().and_then(|name| name.split_once('-')).unwrap();
        *found.entry((numbers.0.parse().unwrap(), numbers.1.parse().unwrap())).or_default() += 1;
    }
    for client in clients {
        for (append, least) in
            client.appended.iter().map(|append| (append, 1)).chain(client.doubtful.iter().map(|append| (append, 0)))
        {
            let count = found.remove(&(client.number, *append)).unwrap_or(0);
            if count < least || count > 1 {
                crowd.fault(format!("added-{}-{append} is there {count} times", client.number));
            }
        }
        let own = fs::read_to_string(project.at(&format!("own-{}.lisp", client.number))).unwrap();
        let (known, may_be_more) = client.written;
        let is_right = |number: u64| own == format!("(defun number ()\n  (+ {number}))\n");
        if !(is_right(known) || may_be_more && is_right(known + 1)) {
            crowd.fault(format!("own-{}.lisp should have {:?}: {own}", client.number, client.written));
        }
    }
    if !found.is_empty() {
        crowd.fault(format!("nobody has added {found:?}"));
    }
}

fn report(crowd: &Crowd, rows: &[Life], at_rest: u64, mut pings: Vec<f64>, kills: u64, temporary: usize) -> String {
    let calls = crowd.calls.load(Ordering::Relaxed);
    let seconds: u64 = rows.iter().map(|row| row.seconds).sum();
    pings.sort_by(f64::total_cmp);
    let at = |share: usize| pings.get(pings.len() * share / 100).copied().unwrap_or(f64::NAN);
    let faults = crowd.faults.lock().unwrap().len();
    let mut text = format!(
        "{CLIENTS} clients (1 on standard input and output, 7 through the bridge, 28 over TCP, 14 over HTTP in sessions, 14 over \
         HTTP without) for {seconds} s: {calls} calls of {} tools, {kills} images and {} servers killed.\n\n",
        crowd.tools.lock().unwrap().len(),
        rows.len() - 1
    );
    let lost: Vec<String> = crowd.codes.lock().unwrap().iter().map(|(code, count)| format!("{code} {count}")).collect();
    let _ = write!(
        text,
        "| what | found |\n| --- | --- |\n| wrong answers, lost or doubled writes | {faults} |\n| answers of calls whose image was \
         killed, or whose file others held for five seconds | {} |\n| processes left by killed servers | 0 |\n| temporary files left at the end | {temporary} |\n| ping: \
         median, p99, slowest | {:.1} ms, {:.1} ms, {:.1} ms |\n",
        if lost.is_empty() { "none".to_owned() } else { lost.join(", ") },
        at(50),
        at(99),
        pings.last().copied().unwrap_or(f64::NAN)
    );
    for (number, row) in rows.iter().enumerate() {
        let _ = writeln!(
            text,
            "| server {}, {} s, {}: memory, descriptors when a third of it was over and at the end | {:.1} and {:.1} MB, {} and {} |",
            number + 1,
            row.seconds,
            row.end,
            row.warm.0 as f64 / 1e3,
            row.last.0 as f64 / 1e3,
            row.warm.1,
            row.last.1
        );
    }
    let _ = writeln!(
        text,
        "| the last server, {} s after the last call: memory | {:.1} MB |",
        REST.as_secs(),
        at_rest as f64 / 1e3
    );
    text
}
