//! One worker: a process, its start, its end, and what it prints. Read [`conversation`] for a call.

mod conversation;

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lispwright_platform::Descendant;
use rustix::process::{Pid, Signal};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, ChildStdout};

use crate::capture::{Capture, Printed};
use crate::children::EndedChildren;
use crate::copies::{self, Copies, Return};
use crate::frames::Frames;
use crate::guard::Guard;
use crate::marks::sweep;
use crate::process::{self, Launch, Ward};
use crate::sandbox::Confined;
use crate::stop::Death;
use crate::watch::{Bounds, Excess, Watch};
use crate::wire::Value;
pub(crate) use conversation::{Ended, Lost};

/// The time for a worker's greeting when it starts from a saved image.
const HELLO_LIMIT: Duration = Duration::from_secs(30);

/// The time for its greeting when it has to compile the agent first.
const PLAIN_HELLO_LIMIT: Duration = Duration::from_secs(120);

/// The time to wait for the exit status of a process whose pipe has closed.
const STATUS_LIMIT: Duration = Duration::from_secs(2);

/// The number of pieces of 4,096 bytes that are read before other events are polled.
const MOST_AT_ONCE: u32 = 4096;

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
    reads_when_signalled: bool,
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
            reads_when_signalled: launch.reads_when_signalled,
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

    /// The processes that were ended in the last call.
    pub(crate) fn ended_children(&self) -> Option<EndedChildren> {
        self.ended_children
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
