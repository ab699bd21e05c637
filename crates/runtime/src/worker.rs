//! One worker: a process, the conversation with the agent in it, and the clock that ends a call.
//!
//! A call is one request and one answer. When its time is up, when it prints too much, or when somebody asks, the
//! worker is interrupted and keeps its state; it is killed only if it does not respond within [`GRACE`]. Time that it
//! spends waiting for a processor does not count.

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

/// The time for a worker's greeting when it starts from a saved image.
const HELLO_LIMIT: Duration = Duration::from_secs(30);

/// The time for its greeting when it has to compile the agent first.
const PLAIN_HELLO_LIMIT: Duration = Duration::from_secs(120);

/// The time from the request to stop until a signal is sent as well.
const SIGNAL_AFTER: Duration = Duration::from_millis(250);

/// The time from the request to stop until the worker is killed, without its waits for a processor.
pub(crate) const GRACE: Duration = Duration::from_millis(2000);

/// The time from the request to stop until the worker is killed, with those waits.
const MOST_GRACE: Duration = Duration::from_secs(16);

/// The time from the end of processes that the worker waits for until the next signal.
const AFTER_CHILDREN: Duration = Duration::from_millis(20);

/// The additional grace when the worker may have waited for processes that were ended then.
const CHILD_GRACE: Duration = Duration::from_millis(1500);

/// The time to wait for the exit status of a process whose pipe has closed.
const STATUS_LIMIT: Duration = Duration::from_secs(2);

/// The number of pieces of 4,096 bytes that are read before other events are polled.
const MOST_AT_ONCE: u32 = 4096;

/// The end of a call.
pub(crate) enum Ended {
    /// The agent's answer, and the reason if the call was asked to stop.
    Answered(Value, Option<StopReason>),
    /// The process is gone, and its checkpoint continues.
    Returned(Return, Option<StopReason>),
    /// The worker is gone.
    Died(Death, Option<StopReason>),
}

/// The loss of a worker before it read a request.
pub(crate) enum Lost {
    /// It is gone.
    Died(Death),
    /// It has returned to a checkpoint.
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
    /// Its memory and processes.
    watch: Watch,
    /// Its sandbox, which lives as long as the worker.
    _confined: Option<Arc<Confined>>,
    /// The agent's greeting, which describes the implementation.
    pub(crate) hello: Value,
    copies: Copies,
    /// An ended process may have left part of a frame: the next frame has to be found after it.
    resync: bool,
    /// When it was started.
    pub(crate) started: Instant,
    /// The processes that were ended in the last call.
    ended_children: Option<EndedChildren>,
    /// The process can be signalled from here.
    local: bool,
    /// The signals that interrupt it then.
    signals: &'static [Signal],
    last_id: i64,
}

/// Reads frames. Cancelling a read loses nothing.
struct Answers {
    pipe: ChildStdout,
    frames: Frames,
}

impl Answers {
    /// The next frame, or `None` when the pipe has ended or does not carry the protocol.
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

    /// The first line of input that is not a frame.
    fn strange(&mut self) -> Option<String> {
        self.frames.next().err()?;
        self.read_what_is_there();
        let text = String::from_utf8_lossy(self.frames.buffer()).into_owned();
        Some(text.lines().next().unwrap_or_default().chars().take(100).collect())
    }

    /// The next frame, if it has arrived.
    fn poll(&mut self) -> Option<Value> {
        self.read_what_is_there();
        self.frames.next().ok()?
    }

    /// Reads from the descriptor itself: the event loop may not know of the last bytes yet.
    fn read_what_is_there(&mut self) {
        let mut bytes = [0; 4096];
        for _ in 0..MOST_AT_ONCE {
            let Ok(count @ 1..) = rustix::io::read(&self.pipe, &mut bytes) else { return };
            self.frames.buffer().extend_from_slice(&bytes[..count]);
        }
    }
}

impl Worker {
    /// Starts a process, sends it `agent` when it starts without a saved image, and waits for its greeting.
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
                    // When the pipe breaks, the other pipe reports it.
                    let _ = worker.requests.write_all(agent.as_bytes()).await;
                }
                std::future::pending::<()>().await;
            };
            // Reads and writes at the same time: a process that prints something else first may not read before its
            // output is taken.
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
                // The output of a start belongs to no call.
                worker.take_output();
                Ok(worker)
            }
            _ => {
                let strange = worker.answers.strange();
                // A process that still runs after all this time does not end by itself.
                let death = worker.bury(strange.is_some() || silent).await;
                let last_words = quoted(&last_lines(&worker.stderr.take().head));
                Err(match strange {
                    Some(said) => format!(
                        "the worker did not start: {said:?} came first, which is not the protocol; {}{last_words}",
                        if launch.launcher.is_empty() {
                            format!("{} is not the program that it should be", launch.program.display())
                        } else {
                            "the launcher must pass standard input and output on unchanged".to_owned()
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

    /// The number of the process that answers: the one that was started, or its youngest copy.
    pub(crate) fn pid(&self) -> i32 {
        self.copies.youngest().unwrap_or_else(|| self.pid.as_raw_nonzero().get())
    }

    /// A mark for the copy that the next request makes.
    pub(crate) fn new_branch(&mut self) -> String {
        self.copies.new_branch(&self.mark)
    }

    /// Records a checkpoint with the mark `branch`: its copy continues, as `answer` says.
    pub(crate) fn checkpointed(&mut self, answer: &Value, branch: String) {
        let depth = answer.get_integer("DEPTH").and_then(|depth| u32::try_from(depth).ok()).unwrap_or(1);
        self.copies.checkpoint(self.copy_of(answer), depth, branch);
    }

    /// The copy that a message is about. With a launcher, its process number has no meaning here.
    fn copy_of(&self, message: &Value) -> Option<Descendant> {
        let number = copies::pid_of(message).filter(|_| self.local)?;
        Descendant::find(self.pid.as_raw_nonzero().get(), number)
    }

    /// Records that a checkpoint continues after a process has ended.
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

    /// The output since the last time: standard output, error output.
    pub(crate) fn take_output(&self) -> (Printed, Printed) {
        (self.stdout.take(), self.stderr.take())
    }

    /// Sends `operation` with `arguments` and waits for its answer, at most `limit`.
    ///
    /// `trial` is the mark of the copy that the request makes for itself, if it makes one. An error is the loss of a
    /// worker that had not read the request.
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
                // The pipe of the answers ends too; its end gives the reason.
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
                    // Its checkpoint answers next.
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
                            // The worker reads again once it knows that they have ended.
                            supervision.wait(Instant::now() + AFTER_CHILDREN);
                            continue;
                        }
                    }
                    if !overdue || (self.ended_children.is_some() && !stopping.has_had(GRACE + CHILD_GRACE)) {
                        // A second signal would interrupt the handling of the first, so a worker that only waits for a
                        // processor gets none.
                        let is_heard = |signal: &Signal| self.copies.signal(*signal);
                        if self.local
                            && stopping.has_had(SIGNAL_AFTER / 2)
                            && !self.signals.first().is_some_and(is_heard)
                        {
                            process::send_interrupt(self.pid, self.signals);
                        }
                    } else if !stopping.killed && self.local && self.copies.signal(Signal::KILL) {
                        // Its checkpoint answers next.
                        stopping.killed = true;
                        supervision.wait(Instant::now() + RETURN_LIMIT);
                    } else {
                        stopping.killed = true;
                        // The pipe ends next.
                        let _ = rustix::process::kill_process_group(self.pid, Signal::KILL);
                    }
                }
            }
        }
    }

    /// The watch over its memory and processes.
    pub(crate) fn watch(&self) -> Watch {
        self.watch.clone()
    }

    /// One measurement of its memory and processes while no call runs.
    pub(crate) async fn glance(&self) -> Option<Excess> {
        self.watch.glance(self.copies.running(), false).await
    }

    /// Kills the copy after the youngest checkpoint; false when there is none.
    pub(crate) fn end_copy(&self) -> bool {
        self.copies.signal(Signal::KILL)
    }

    /// Ends the processes that the worker has started since `began`, so that it need not wait for them any more.
    /// Otherwise the worker would be killed next, and they with it.
    fn end_awaited(&mut self, began: Instant) {
        let mut started = self.watch.started_by_code(self.copies.running());
        started.retain(|pid| Here::is_young(*pid, began.elapsed()));
        self.ended_children = EndedChildren::end(started, EndedChildren::Awaited);
    }

    /// Ends the processes that can print and were started since `began` or have written too much themselves: the worker
    /// was stopped because of the output, but they were not.
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

    /// The number of bytes of requests that are still unread.
    fn unread(&self) -> usize {
        rustix::io::ioctl_fionread(&self.requests).ok().and_then(|count| usize::try_from(count).ok()).unwrap_or(0)
    }

    /// Ends the process and all that it started; returns how it ended.
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

/// The steps of stopping a call.
struct Stopping {
    /// The time since the request to stop.
    time: OwnTime,
    killed: bool,
    /// The excess that it is stopped for, in words.
    excess: Option<String>,
}

impl Stopping {
    /// It could use `limit` of processor time to stop in, or far more time has passed.
    fn has_had(&mut self, limit: Duration) -> bool {
        self.time.used() >= limit || self.time.passed() >= MOST_GRACE.max(limit)
    }
}

/// A step of the conversation.
enum Step {
    /// A message, or the end of the pipe.
    Heard(Option<Value>),
    /// The number of bytes of the request that were written.
    Sent(std::io::Result<usize>),
}

fn head(message: &Value) -> Option<&str> {
    message.as_list()?.first()?.as_keyword()
}

/// The end of a process, in words.
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
