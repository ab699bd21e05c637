//! One worker: a process, the conversation with the agent in it, and the clock that ends a call.
//!
//! A call is one request and one answer. When its time is up, when it prints without end, or when somebody asks, the
//! worker is interrupted and keeps its state; only a worker that does not listen within [`GRACE`] is killed.

use std::os::unix::process::ExitStatusExt as _;
use std::pin::Pin;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio_util::sync::CancellationToken;

use crate::capture::{Capture, Printed};
use crate::process::{self, Guard, Launch};
use crate::wire::{self, Value};

/// How long a worker may take to say hello when it starts from a saved image.
const HELLO_LIMIT: Duration = Duration::from_secs(30);

/// How long it may take when it has to compile the agent first.
const PLAIN_HELLO_LIMIT: Duration = Duration::from_secs(120);

/// From the request to stop until a signal is sent as well.
const SIGNAL_AFTER: Duration = Duration::from_millis(250);

/// From the request to stop until the worker is killed.
pub(crate) const GRACE: Duration = Duration::from_millis(2000);

/// How long the status of a process whose pipe has closed is waited for.
const STATUS_LIMIT: Duration = Duration::from_secs(2);

/// Why a call was told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Its time was up.
    Timeout,
    /// It printed more than the limit.
    Output,
    /// The caller withdrew it.
    Cancelled,
    /// Somebody interrupted the session.
    Interrupted,
    /// Somebody killed the session.
    Killed,
}

/// How a worker process ended. What it said last is at the end of its error output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Death {
    /// Exit code or signal, in words.
    pub status: String,
    /// The code ended the image by itself in an orderly way.
    pub exited: bool,
    /// The server killed it: it did not listen to an interrupt, or somebody asked.
    pub killed: bool,
}

/// What ended a call.
pub(crate) enum Ended {
    /// The agent's answer, and why it was told to stop if it was.
    Answered(Value, Option<StopReason>),
    /// The worker is gone.
    Died(Death, Option<StopReason>),
}

/// The ways in which others can end a call that is going on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Controls {
    /// The caller no longer waits.
    pub(crate) cancel: CancellationToken,
    /// Somebody interrupts the session.
    pub(crate) interrupt: CancellationToken,
    /// Somebody kills the session.
    pub(crate) kill: CancellationToken,
}

impl Controls {
    /// Somebody has told the call to end.
    pub(crate) fn is_stopping(&self) -> bool {
        [&self.cancel, &self.interrupt, &self.kill].into_iter().any(CancellationToken::is_cancelled)
    }
}

/// A live worker process. Dropping it kills its process group.
pub(crate) struct Worker {
    child: Child,
    pid: Pid,
    mark: String,
    guard: Arc<Guard>,
    requests: ChildStdin,
    answers: Answers,
    stdout: Capture,
    stderr: Capture,
    /// What the agent said about itself.
    pub(crate) hello: Value,
    /// When it was started.
    pub(crate) started: Instant,
    /// The process can be signalled from here.
    local: bool,
    last_id: i64,
}

/// Reads frames; giving up in the middle loses nothing.
struct Answers {
    pipe: ChildStdout,
    buffer: Vec<u8>,
}

impl Answers {
    /// The next frame, or `None` when the pipe has ended or what came is not the protocol.
    async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(header) = self.buffer.first_chunk() {
                let end = wire::HEADER + wire::payload_length(header).ok()?;
                if self.buffer.len() >= end {
                    let value = Value::decode(&self.buffer[wire::HEADER..end]);
                    self.buffer.drain(..end);
                    return value.ok();
                }
            }
            if self.pipe.read_buf(&mut self.buffer).await.ok()? == 0 {
                return None;
            }
        }
    }
}

impl Worker {
    /// Starts a process, feeds it `agent` when it starts plain, and waits for its greeting.
    pub(crate) async fn start(
        launch: &Launch,
        agent: Option<&str>,
        output_limit: u64,
        guard: Arc<Guard>,
    ) -> Result<Self, String> {
        let spawned =
            launch.spawn().map_err(|error| format!("{} could not be started: {error}", launch.program.display()))?;
        let watch = |error: std::io::Error| error.to_string();
        guard.watch(spawned.pid);
        let mut worker = Self {
            child: spawned.child,
            pid: spawned.pid,
            mark: launch.mark.clone(),
            guard,
            requests: spawned.requests,
            answers: Answers { pipe: spawned.answers, buffer: Vec::new() },
            stdout: Capture::start(spawned.stdout, output_limit).map_err(watch)?,
            stderr: Capture::start(spawned.stderr, output_limit).map_err(watch)?,
            hello: Value::List(Vec::new()),
            started: Instant::now(),
            local: launch.launcher.is_empty(),
            last_id: 0,
        };
        let greeting = async {
            if let Some(agent) = agent {
                worker.requests.write_all(agent.as_bytes()).await.ok()?;
            }
            worker.answers.next().await
        };
        let limit = if agent.is_some() { PLAIN_HELLO_LIMIT } else { HELLO_LIMIT };
        let greeting = tokio::time::timeout(limit, greeting).await.unwrap_or_default();
        match greeting {
            Some(hello) if head(&hello) == Some("HELLO") => {
                worker.hello = hello;
                // What a start prints is nobody's output.
                worker.take_output();
                Ok(worker)
            }
            _ => {
                // One that still runs after all this time is not going to end by itself.
                let death = worker.bury(false).await;
                let last_words = last_lines(&worker.stderr.take().head);
                Err(format!("the worker did not start: {}{}", death.status, quoted(&last_words)))
            }
        }
    }

    /// The number of the process.
    pub(crate) fn pid(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
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
    /// An error is the death of a worker that had not read the request.
    pub(crate) async fn call(
        &mut self,
        operation: &str,
        arguments: Vec<Value>,
        limit: Duration,
        controls: &Controls,
    ) -> Result<Ended, Death> {
        self.last_id += 1;
        let id = self.last_id;
        let mut request = vec![Value::keyword(operation), Value::keyword("ID"), Value::Integer(id)];
        request.extend(arguments);
        let mut outgoing = Value::List(request).frame();
        let mut written = 0;
        let deadline = tokio::time::sleep(limit);
        tokio::pin!(deadline);
        let mut stop: Option<Stopping> = None;
        let mut exiting = false;
        loop {
            let next_step = stop.as_ref().map_or_else(Instant::now, |stopping| stopping.next_step);
            let event = tokio::select! {
                biased;
                answer = self.answers.next() => Event::Came(answer),
                sent = self.requests.write(&outgoing[written..]), if written < outgoing.len() => Event::Sent(sent),
                () = controls.kill.cancelled() => Event::Kill,
                () = tokio::time::sleep_until(next_step.into()), if stop.is_some() => Event::NextStep,
                reason = reason_to_stop(controls, deadline.as_mut(), &self.stdout, &self.stderr), if stop.is_none() => {
                    Event::Stop(reason)
                }
            };
            match event {
                Event::Came(Some(message)) => match head(&message) {
                    Some("EXIT") => exiting = true,
                    Some("DONE" | "FAULT" | "UNSUPPORTED") if message.get_integer("ID") == Some(id) => {
                        return Ok(Ended::Answered(message, stop.map(|stopping| stopping.reason)));
                    }
                    _ => {}
                },
                Event::Came(None) if stop.is_none() && (written < outgoing.len() || self.unread() > 0) => {
                    return Err(self.bury(false).await);
                }
                Event::Came(None) => {
                    let mut death = self.bury(stop.as_ref().is_some_and(|stopping| stopping.killed)).await;
                    death.exited = exiting && !death.killed;
                    return Ok(Ended::Died(death, stop.map(|stopping| stopping.reason)));
                }
                Event::Sent(Ok(count)) => written += count,
                Event::Sent(Err(_)) if stop.is_none() => return Err(self.bury(false).await),
                // The pipe of the answers ends too, and then it is known how.
                Event::Sent(Err(_)) => written = outgoing.len(),
                Event::Kill => return Ok(Ended::Died(self.bury(true).await, Some(StopReason::Killed))),
                Event::Stop(reason) => {
                    let since = Instant::now();
                    stop = Some(Stopping { reason, since, next_step: since + SIGNAL_AFTER, killed: false });
                    let interrupt = vec![Value::keyword("INTERRUPT"), Value::keyword("ID"), Value::Integer(id)];
                    outgoing.extend(Value::List(interrupt).frame());
                }
                Event::NextStep => {
                    let stopping = stop.as_mut().expect("a step is waited for only while stopping");
                    stopping.killed = stopping.since.elapsed() >= GRACE;
                    if stopping.killed {
                        // The end of the pipe follows.
                        let _ = rustix::process::kill_process_group(self.pid, rustix::process::Signal::KILL);
                    } else if self.local {
                        process::send_interrupt(self.pid);
                    }
                    stopping.next_step = Instant::now() + SIGNAL_AFTER;
                }
            }
        }
    }

    /// Bytes of requests that nobody has read.
    fn unread(&self) -> usize {
        rustix::io::ioctl_fionread(&self.requests).ok().and_then(|count| usize::try_from(count).ok()).unwrap_or(0)
    }

    /// Ends the process and all that it started; how it ended.
    pub(crate) async fn bury(&mut self, killed: bool) -> Death {
        let natural = if killed { None } else { tokio::time::timeout(STATUS_LIMIT, self.child.wait()).await.ok() };
        let ended = process::end(&mut self.child, self.pid, &self.mark).await;
        self.guard.forget(self.pid);
        let status = natural.and_then(Result::ok).or(ended);
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
            let _ = rustix::process::kill_process_group(self.pid, rustix::process::Signal::KILL);
            self.guard.forget(self.pid);
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                let mark = std::mem::take(&mut self.mark);
                runtime.spawn(async move { process::sweep(&mark).await });
            }
        }
    }
}

/// The steps of ending a call before its time.
struct Stopping {
    reason: StopReason,
    since: Instant,
    next_step: Instant,
    killed: bool,
}

/// What happens during a call.
enum Event {
    /// A message, or the end of the pipe.
    Came(Option<Value>),
    /// So many bytes of the request went out.
    Sent(std::io::Result<usize>),
    /// Somebody kills the session.
    Kill,
    /// There is a reason to stop.
    Stop(StopReason),
    /// The worker has not stopped so far.
    NextStep,
}

async fn reason_to_stop(
    controls: &Controls,
    deadline: Pin<&mut tokio::time::Sleep>,
    stdout: &Capture,
    stderr: &Capture,
) -> StopReason {
    tokio::select! {
        () = controls.cancel.cancelled() => StopReason::Cancelled,
        () = controls.interrupt.cancelled() => StopReason::Interrupted,
        () = deadline => StopReason::Timeout,
        () = stdout.overflow() => StopReason::Output,
        () = stderr.overflow() => StopReason::Output,
    }
}

fn head(message: &Value) -> Option<&str> {
    message.as_list()?.first()?.as_keyword()
}

fn status_text(status: Option<ExitStatus>) -> String {
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
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

/// The last lines of `text`, for a notice about a death.
pub(crate) fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(6)..].join("\n")
}

fn quoted(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!("; it said:\n{words}") }
}
