//! One worker: a process, the conversation with the agent in it, and the clock that ends a call.
//!
//! A call is one request and one answer. When its time is up, when it prints without end, or when somebody asks, the
//! worker is interrupted and keeps its state; only a worker that does not listen within [`GRACE`] is killed. Time in which
//! it waits for a processor does not count.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lispwright_platform::{Descendant, Here, System as _};
use rustix::process::{Pid, Signal};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, ChildStdout};

use crate::capture::{Capture, Printed};
use crate::children::EndedChildren;
use crate::copies::{self, Copies, RETURN_LIMIT, Return};
use crate::exchange::{Event, Supervision};
use crate::frames::Frames;
use crate::guard::Guard;
use crate::marks::sweep;
use crate::process::{self, Launch, Ward};
use crate::sandbox::Confined;
use crate::starved::OwnTime;
use crate::stop::{Controls, Death, StopReason};
use crate::watch::{Bounds, Excess, Watch};
use crate::wire::{self, Value};

/// How long a worker may take to say hello when it starts from a saved image.
const HELLO_LIMIT: Duration = Duration::from_secs(30);

/// How long it may take when it has to compile the agent first.
const PLAIN_HELLO_LIMIT: Duration = Duration::from_secs(120);

/// From the request to stop until a signal is sent as well.
const SIGNAL_AFTER: Duration = Duration::from_millis(250);

/// From the request to stop until the worker is killed, of the time that it could use.
pub(crate) const GRACE: Duration = Duration::from_millis(2000);

/// From the request to stop until the worker is killed, however busy the machine is.
const MOST_GRACE: Duration = Duration::from_secs(16);

/// From the end of those processes until the next signal is sent.
const AFTER_CHILDREN: Duration = Duration::from_millis(20);

/// How much longer when it may have waited for processes that were ended then.
const CHILD_GRACE: Duration = Duration::from_millis(1500);

/// How long the status of a process whose pipe has closed is waited for.
const STATUS_LIMIT: Duration = Duration::from_secs(2);

/// Pieces of 4,096 bytes that are read without asking what else there is to do.
const MOST_AT_ONCE: u32 = 4096;

/// What ended a call.
pub(crate) enum Ended {
    /// The agent's answer, and why it was told to stop if it was.
    Answered(Value, Option<StopReason>),
    /// The process is gone, and one that waited for it goes on from a checkpoint.
    Returned(Return, Option<StopReason>),
    /// The worker is gone.
    Died(Death, Option<StopReason>),
}

/// What happened to a worker before it read a request.
pub(crate) enum Lost {
    /// It is gone.
    Died(Death),
    /// It is back at a checkpoint.
    Returned(Return),
}

/// A live worker process. Dropping it kills its process group.
pub(crate) struct Worker {
    child: Ward,
    pid: Pid,
    mark: String,
    guard: Arc<Guard>,
    requests: ChildStdin,
    answers: Answers,
    stdout: Capture,
    stderr: Capture,
    /// What it takes.
    watch: Watch,
    /// What keeps it in, for as long as it lives.
    _confined: Option<Arc<Confined>>,
    /// What the agent said about itself.
    pub(crate) hello: Value,
    copies: Copies,
    /// The next frame has to be told from what an ended process has left unread.
    resync: bool,
    /// When it was started.
    pub(crate) started: Instant,
    /// Processes that were ended in the last call.
    ended_children: Option<EndedChildren>,
    /// The process can be signalled from here.
    local: bool,
    /// What interrupts it then.
    signals: &'static [Signal],
    last_id: i64,
}

/// Reads frames; giving up in the middle loses nothing.
struct Answers {
    pipe: ChildStdout,
    frames: Frames,
}

impl Answers {
    /// The next frame, or `None` when the pipe has ended or what came is not the protocol.
    async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(frame) = self.frames.next().ok()? {
                return Some(frame);
            }
            if self.pipe.read_buf(self.frames.buffer()).await.ok()? == 0 {
                return None;
            }
        }
    }

    /// The first line of what came in place of a frame.
    fn strange(&mut self) -> Option<String> {
        self.frames.next().err()?;
        self.read_what_is_there();
        let text = String::from_utf8_lossy(self.frames.buffer()).into_owned();
        Some(text.lines().next().unwrap_or_default().chars().take(100).collect())
    }

    /// The next frame, when it is there already.
    fn poll(&mut self) -> Option<Value> {
        self.read_what_is_there();
        self.frames.next().ok()?
    }

    /// Straight from the descriptor: the event loop may not have heard of the last bytes yet.
    fn read_what_is_there(&mut self) {
        let mut bytes = [0; 4096];
        for _ in 0..MOST_AT_ONCE {
            let Ok(count @ 1..) = rustix::io::read(&self.pipe, &mut bytes) else { return };
            self.frames.buffer().extend_from_slice(&bytes[..count]);
        }
    }
}

impl Worker {
    /// Starts a process, feeds it `agent` when it starts plain, and waits for its greeting.
    pub(crate) async fn start(
        launch: &Launch,
        agent: Option<&str>,
        output_limit: u64,
        bounds: Bounds,
        guard: Arc<Guard>,
    ) -> Result<Self, String> {
        let spawned = launch.spawn().await.map_err(|error| {
            let what = if launch.launcher.is_empty() { "" } else { "the launcher " };
            format!("{what}{} could not be started: {error}", launch.first_word().display())
        })?;
        let watch = |error: std::io::Error| error.to_string();
        guard.watch(spawned.pid);
        let family = spawned.child.family(spawned.pid);
        let mut worker = Self {
            child: spawned.child,
            pid: spawned.pid,
            mark: launch.mark.clone(),
            guard,
            requests: spawned.requests,
            answers: Answers { pipe: spawned.answers, frames: Frames::default() },
            stdout: Capture::start(spawned.stdout, output_limit).map_err(watch)?,
            stderr: Capture::start(spawned.stderr, output_limit).map_err(watch)?,
            watch: Watch::new(family, &launch.mark, bounds),
            _confined: launch.confined.clone(),
            hello: Value::List(Vec::new()),
            copies: Copies::default(),
            resync: false,
            started: Instant::now(),
            ended_children: None,
            local: launch.launcher.is_empty(),
            signals: launch.signals,
            last_id: 0,
        };
        let greeting = async {
            let feeding = async {
                if let Some(agent) = agent {
                    // Of a pipe that breaks the other one tells.
                    let _ = worker.requests.write_all(agent.as_bytes()).await;
                }
                std::future::pending::<()>().await;
            };
            // Read at the same time: what writes something else first may not read before it is rid of that.
            tokio::select! {
                answer = worker.answers.next() => answer,
                () = feeding => None,
            }
        };
        let limit = if agent.is_some() { PLAIN_HELLO_LIMIT } else { HELLO_LIMIT };
        let greeting = tokio::time::timeout(limit, greeting).await;
        let silent = greeting.is_err();
        match greeting.unwrap_or_default() {
            Some(hello) if head(&hello) == Some("HELLO") => {
                if let Some(process) = worker.copy_of(&hello).filter(|process| process.pid() != worker.pid()) {
                    worker.copies.speaks(process);
                }
                worker.hello = hello;
                // What a start prints is nobody's output.
                worker.take_output();
                Ok(worker)
            }
            _ => {
                let strange = worker.answers.strange();
                // One that still runs after all this time is not going to end by itself.
                let death = worker.bury(strange.is_some() || silent).await;
                let last_words = quoted(&last_lines(&worker.stderr.take().head));
                Err(match strange {
                    Some(said) => format!(
                        "the worker did not start: {said:?} came first, which is not the protocol; {}{last_words}",
                        if launch.launcher.is_empty() {
                            format!("{} is not the program that it should be", launch.program.display())
                        } else {
                            "what stands between must carry standard input and output unchanged".to_owned()
                        }
                    ),
                    None => {
                        let status = if silent { format!("no answer in {} s", limit.as_secs()) } else { death.status };
                        format!("the worker did not start: {}: {status}{last_words}", launch.first_word().display())
                    }
                })
            }
        }
    }

    /// The number of the process that speaks: the one that was started, or its youngest copy.
    pub(crate) fn pid(&self) -> i32 {
        self.copies.youngest().unwrap_or_else(|| self.pid.as_raw_nonzero().get())
    }

    /// A mark for the copy that the next request makes.
    pub(crate) fn new_branch(&mut self) -> String {
        self.copies.new_branch(&self.mark)
    }

    /// A checkpoint was made with the mark `branch`: its copy goes on, as `answer` says.
    pub(crate) fn checkpointed(&mut self, answer: &Value, branch: String) {
        let depth = answer.get_integer("DEPTH").and_then(|depth| u32::try_from(depth).ok()).unwrap_or(1);
        self.copies.checkpoint(self.copy_of(answer), depth, branch);
    }

    /// The copy that a message is about. Behind a launcher, its number means nothing here.
    fn copy_of(&self, message: &Value) -> Option<Descendant> {
        let number = copies::pid_of(message).filter(|_| self.local)?;
        Descendant::find(self.pid.as_raw_nonzero().get(), number)
    }

    /// A checkpoint goes on in the place of a process that has ended.
    async fn take_return(&mut self, message: &Value) -> Return {
        let back = Return::read(message);
        self.copies.returned(&back, self.copy_of(message)).await;
        self.resync = true;
        back
    }

    /// Whether the process still runs.
    pub(crate) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// What was printed since the last time: standard output, error output.
    pub(crate) fn take_output(&self) -> (Printed, Printed) {
        (self.stdout.take(), self.stderr.take())
    }

    /// Sends `operation` with `arguments` and waits for its answer, at most `limit`.
    ///
    /// `trial` is the mark of the copy that the request makes for itself, when it does. An error is the loss of a worker
    /// that had not read the request.
    pub(crate) async fn call(
        &mut self,
        operation: &str,
        arguments: Vec<Value>,
        trial: Option<&str>,
        limit: Duration,
        controls: &Controls,
    ) -> Result<Ended, Lost> {
        while let Some(message) = self.answers.poll() {
            if head(&message) == Some("RETURNED") {
                return Err(Lost::Returned(self.take_return(&message).await));
            }
        }
        self.last_id += 1;
        let id = self.last_id;
        let mut request = vec![Value::keyword(operation), Value::keyword("ID"), Value::Integer(id)];
        request.extend(arguments);
        let mut outgoing = if std::mem::take(&mut self.resync) { vec![wire::VOID] } else { Vec::new() };
        outgoing.extend(Value::List(request).frame());
        let mut written = 0;
        let began = Instant::now();
        let mut supervision = Supervision::new(controls, began + limit);
        self.ended_children = None;
        self.stdout.begin(&controls.activity);
        self.stderr.begin(&controls.activity);
        let mut stop: Option<Stopping> = None;
        let mut exiting = false;
        self.watch.begin();
        loop {
            let conversation = async {
                tokio::select! {
                    biased;
                    answer = self.answers.next() => Step::Heard(answer),
                    sent = self.requests.write(&outgoing[written..]), if written < outgoing.len() => Step::Sent(sent),
                }
            };
            let overflow = async {
                tokio::select! {
                    () = self.stdout.overflow() => {}
                    () = self.stderr.overflow() => {}
                }
            };
            let is_killed = stop.as_ref().is_some_and(|stopping| stopping.killed);
            let excess = async {
                if is_killed { std::future::pending().await } else { self.watch.excess(self.copies.running()).await }
            };
            match supervision.event(conversation, overflow, excess).await {
                Event::Came(Step::Heard(Some(mut message))) => match head(&message) {
                    Some("EXIT") => exiting = true,
                    Some("PROGRESS") if message.get_integer("ID") == Some(id) => {
                        controls.activity.set(message.get_text("TEXT").unwrap_or_default());
                    }
                    Some("FORKED") => {
                        if let Some(branch) = trial {
                            self.copies.start_trial(self.copy_of(&message), branch.to_owned());
                        }
                    }
                    Some("RETURNED") => {
                        let mut back = self.take_return(&message).await;
                        if let Some(excess) = stop.as_mut().and_then(|stopping| stopping.excess.take()) {
                            back.status = excess;
                        }
                        if stop.is_none() && message.get_integer("REQUEST").is_some_and(|read| read < id) {
                            return Err(Lost::Returned(back));
                        }
                        return Ok(Ended::Returned(back, supervision.reason));
                    }
                    Some("DONE" | "FAULT" | "UNSUPPORTED") if message.get_integer("ID") == Some(id) => {
                        self.copies.end_trial().await;
                        if supervision.reason == Some(StopReason::Output) {
                            self.end_printers(began);
                        }
                        let died = message.get("OUTCOME").and_then(Value::as_keyword) == Some("DIED");
                        self.resync |= died;
                        if died && let Some(excess) = stop.as_mut().and_then(|stopping| stopping.excess.take()) {
                            message.set_text("STATUS", excess);
                        }
                        return Ok(Ended::Answered(message, supervision.reason));
                    }
                    _ => {}
                },
                Event::Came(Step::Heard(None)) if stop.is_none() && (written < outgoing.len() || self.unread() > 0) => {
                    return Err(Lost::Died(self.bury(false).await));
                }
                Event::Came(Step::Heard(None)) => {
                    let mut death = self.bury(is_killed).await;
                    death.exited = exiting && !death.killed;
                    if let Some(excess) = stop.as_mut().and_then(|stopping| stopping.excess.take()) {
                        death.status = excess;
                    }
                    return Ok(Ended::Died(death, supervision.reason));
                }
                Event::Came(Step::Sent(Ok(count))) => written += count,
                Event::Came(Step::Sent(Err(_))) if stop.is_none() => return Err(Lost::Died(self.bury(false).await)),
                // The pipe of the answers ends too, and then it is known how.
                Event::Came(Step::Sent(Err(_))) => written = outgoing.len(),
                Event::Kill => return Ok(Ended::Died(self.bury(true).await, Some(StopReason::Killed))),
                Event::Stop(reason) => {
                    let time = OwnTime::of(self.local.then(|| self.pid()));
                    stop = Some(Stopping { time, killed: false, excess: None });
                    supervision.stop(reason, Instant::now() + SIGNAL_AFTER);
                    let interrupt = vec![Value::keyword("INTERRUPT"), Value::keyword("ID"), Value::Integer(id)];
                    outgoing.extend(Value::List(interrupt).frame());
                }
                Event::Excess(Excess { reason, text, copy_suffices }) => {
                    let copy_ended = copy_suffices && self.copies.signal(Signal::KILL);
                    if !copy_ended {
                        let mut death = self.bury(true).await;
                        death.status = text;
                        return Ok(Ended::Died(death, Some(reason)));
                    }
                    // The process that waited for it speaks next.
                    stop = Some(Stopping { time: OwnTime::of(None), killed: true, excess: Some(text) });
                    supervision.stop(reason, Instant::now() + RETURN_LIMIT);
                }
                Event::NextStep => {
                    let stopping = stop.as_mut().expect("a step is waited for only while stopping");
                    let overdue = stopping.has_had(GRACE);
                    supervision.wait(Instant::now() + SIGNAL_AFTER);
                    if overdue && self.ended_children.is_none() && !stopping.killed && self.local {
                        self.end_awaited(began);
                        if self.ended_children.is_some() {
                            // It listens again once it has heard of their end.
                            supervision.wait(Instant::now() + AFTER_CHILDREN);
                            continue;
                        }
                    }
                    if !overdue || (self.ended_children.is_some() && !stopping.has_had(GRACE + CHILD_GRACE)) {
                        // A second signal cuts short what the first one began, so it is not for one that only waits for a
                        // processor.
                        let is_heard = |signal: &Signal| self.copies.signal(*signal);
                        if self.local
                            && stopping.has_had(SIGNAL_AFTER / 2)
                            && !self.signals.first().is_some_and(is_heard)
                        {
                            process::send_interrupt(self.pid, self.signals);
                        }
                    } else if !stopping.killed && self.local && self.copies.signal(Signal::KILL) {
                        // The process that waited for it speaks next.
                        stopping.killed = true;
                        supervision.wait(Instant::now() + RETURN_LIMIT);
                    } else {
                        stopping.killed = true;
                        // The end of the pipe follows.
                        let _ = rustix::process::kill_process_group(self.pid, Signal::KILL);
                    }
                }
            }
        }
    }

    /// The watch over what it takes.
    pub(crate) fn watch(&self) -> Watch {
        self.watch.clone()
    }

    /// One look at what it takes while no call runs.
    pub(crate) async fn glance(&self) -> Option<Excess> {
        self.watch.glance(self.copies.running(), false).await
    }

    /// Kills the copy after the youngest checkpoint; false when there is none.
    pub(crate) fn end_copy(&self) -> bool {
        self.copies.signal(Signal::KILL)
    }

    /// Ends the processes that the worker has started since `began`, so that it need not wait for them any more. Whatever
    /// else it does it would be killed next, and they with it.
    fn end_awaited(&mut self, began: Instant) {
        let mut started = self.watch.started_by_code(self.copies.running());
        started.retain(|pid| Here::is_young(*pid, began.elapsed()));
        self.ended_children = EndedChildren::end(started, EndedChildren::Awaited);
    }

    /// Ends the processes that can print, and either were started since `began` or have written too much by themselves:
    /// the worker has stopped for what was printed, and they have not.
    fn end_printers(&mut self, began: Instant) {
        if !self.local {
            return;
        }
        let mut started = self.watch.started_by_code(self.copies.running());
        started.retain(|pid| {
            let floods = || Here::written_by(*pid).is_some_and(|bytes| bytes > self.stdout.limit());
            let prints = || self.stdout.is_open_in(*pid) || self.stderr.is_open_in(*pid);
            (Here::is_young(*pid, began.elapsed()) || floods()) && prints()
        });
        self.ended_children = EndedChildren::end(started, EndedChildren::Printing).or(self.ended_children);
    }

    /// The processes that were ended in the last call.
    pub(crate) fn ended_children(&self) -> Option<EndedChildren> {
        self.ended_children
    }

    /// Bytes of requests that nobody has read.
    fn unread(&self) -> usize {
        rustix::io::ioctl_fionread(&self.requests).ok().and_then(|count| usize::try_from(count).ok()).unwrap_or(0)
    }

    /// Ends the process and all that it started; how it ended.
    pub(crate) async fn bury(&mut self, killed: bool) -> Death {
        let natural = if killed { None } else { tokio::time::timeout(STATUS_LIMIT, self.child.wait()).await.ok() };
        process::end(&mut self.child, self.pid, &self.watch, &self.mark).await;
        self.guard.forget(self.pid);
        let status = natural.and_then(Result::ok);
        Death {
            status: if killed { "killed by the server".to_owned() } else { status_text(status) },
            exited: false,
            killed,
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if self.child.id().is_some() {
            process::kill_family(&mut self.child, self.pid, &self.watch);
            self.guard.forget(self.pid);
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                let mark = std::mem::take(&mut self.mark);
                runtime.spawn(async move { sweep(&mark).await });
            }
        }
    }
}

/// The steps of ending a call before its time.
struct Stopping {
    /// Since it was told to.
    time: OwnTime,
    killed: bool,
    /// What it took that was too much, in words.
    excess: Option<String>,
}

impl Stopping {
    /// It could use so much time to stop in, or there was more than enough of it.
    fn has_had(&self, limit: Duration) -> bool {
        self.time.passed() >= limit && (self.time.used() >= limit || self.time.passed() >= MOST_GRACE)
    }
}

/// A step of the conversation.
enum Step {
    /// A message, or the end of the pipe.
    Heard(Option<Value>),
    /// So many bytes of the request went out.
    Sent(std::io::Result<usize>),
}

fn head(message: &Value) -> Option<&str> {
    message.as_list()?.first()?.as_keyword()
}

/// How a process ended, in words.
pub(crate) fn status_text(status: Option<ExitStatus>) -> String {
    match status {
        None => "it closed its pipe and did not end".to_owned(),
        Some(status) => match (status.code(), status.signal()) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("killed by signal {signal}{}", signal_name(signal)),
            (None, None) => status.to_string(),
        },
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        libc::SIGILL => " (SIGILL)",
        libc::SIGABRT => " (SIGABRT)",
        libc::SIGBUS => " (SIGBUS)",
        libc::SIGKILL => " (SIGKILL)",
        libc::SIGSEGV => " (SIGSEGV)",
        libc::SIGTERM => " (SIGTERM)",
        _ => "",
    }
}

/// The last lines of `text`, for a notice about a death.
pub(crate) fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty() && !is_frame(line)).collect();
    lines[lines.len().saturating_sub(6)..].join("\n")
}

/// A numbered line of a backtrace, as SBCL prints one for an error that ends it.
fn is_frame(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(number, _)| number.parse::<u32>().is_ok())
}

fn quoted(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!("; it said:\n{words}") }
}
