//! `repl_control`: look at the live sessions, start, interrupt, end and refresh them.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use lispwright_runtime::{
    BACKENDS, Capability, MAIN, Request, Runtime, SessionStatus, Sessions, State, Status, WorkerStatus,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::repl_attach::{attach, detach};
use crate::repl_eval::ask;
use crate::repl_held::held;
use crate::repl_refused::{named_runtime, session_error};
use crate::repl_report::{answer, errors_text, output_limit};
use crate::repl_session::chosen;
use crate::repl_text::one_line;
use crate::tool::{CallContext, Outcome, ToolError};

/// What to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplAction {
    /// List runtimes and sessions.
    #[default]
    Status,
    /// Start a session's image ahead of its first call.
    Start,
    /// Interrupt what a session is doing; its state is kept.
    Interrupt,
    /// End a session and its image.
    Kill,
    /// Give a session a fresh image.
    Reset,
    /// Keep a copy of the image under a name.
    Checkpoint,
    /// Return to a checkpoint.
    Rollback,
    /// Join a running Swank, Slynk or nREPL server.
    Attach,
    /// Leave a server that was joined.
    Detach,
    /// List what is held and the restarts.
    Restarts,
    /// Take a restart of a held error.
    Restart,
    /// Give a held error up.
    Abort,
    /// List the frames of a held error.
    Frames,
    /// Show the locals of a frame of a held error.
    Locals,
    /// Evaluate in a frame of a held error.
    EvalInFrame,
}

/// Arguments of `repl_control`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplControl {
    /// Action
    pub action: ReplAction,
    /// Default "main"; status: only this one
    #[serde(default)]
    pub session: Option<String>,
    /// Runtime
    #[serde(default)]
    pub runtime: Option<String>,
    /// Name of a checkpoint; rollback: default the last one
    #[serde(default)]
    pub name: Option<String>,
    /// Frame of a held error (default 0)
    #[serde(default)]
    pub frame: Option<u32>,
    /// Restart of a held error: its name, or its number as a string
    #[serde(default)]
    pub restart: Option<String>,
    /// Code for eval_in_frame; for restart, its values
    #[serde(default)]
    pub code: Option<String>,
    /// For eval_in_frame and restart (default 30)
    #[serde(default)]
    pub timeout_seconds: Option<f64>,
    /// host:port for attach
    #[serde(default)]
    pub address: Option<String>,
}

/// Does what `args.action` says. Nothing here waits for a running evaluation; a restart lets one go on.
pub async fn repl_control(sessions: &Sessions, args: ReplControl, context: &CallContext) -> Outcome {
    let began = SystemTime::now();
    let done = control(sessions, &args, context).await;
    if let (Some(transcript), Some(act)) = (&context.transcript, act(&args)) {
        // Which one was meant, the answer says best.
        let told = done.as_ref().ok().and_then(|outcome| outcome.fields.get("session")?.as_str());
        let session = told.or(args.session.as_deref()).unwrap_or(MAIN);
        transcript.note_act(context.caller.as_deref(), session, &act, began, done.as_ref());
    }
    match done {
        Ok(outcome) => outcome,
        Err(error) => error.into(),
    }
}

/// What is done to a session itself, in words; nothing for what only looks, and for requests to its image, which are written
/// down where they are sent.
fn act(args: &ReplControl) -> Option<String> {
    Some(match args.action {
        ReplAction::Start => "start".to_owned(),
        ReplAction::Interrupt => "interrupt".to_owned(),
        ReplAction::Kill => "kill".to_owned(),
        ReplAction::Reset => "reset".to_owned(),
        ReplAction::Attach => match &args.address {
            Some(address) => format!("attach to {}", one_line(address, 200)),
            None => "attach".to_owned(),
        },
        ReplAction::Detach => "detach".to_owned(),
        _ => return None,
    })
}

async fn control(sessions: &Sessions, args: &ReplControl, context: &CallContext) -> Result<Outcome, ToolError> {
    let runtime = args.runtime.as_deref().map(named_runtime).transpose()?;
    let session = chosen(sessions, args.session.as_deref(), runtime);
    if matches!(args.action, ReplAction::Start | ReplAction::Reset) {
        sessions.open(session, runtime).map_err(session_error)?;
    }
    match args.action {
        ReplAction::Status => status(sessions, args.session.as_deref()).await,
        ReplAction::Start => {
            let status = sessions.start(session).await.map_err(session_error)?;
            Ok(session_outcome(&format!("Session {session:?} is ready."), &status))
        }
        ReplAction::Reset => {
            let status = sessions.reset(session).await.map_err(session_error)?;
            Ok(session_outcome(&format!("Session {session:?} has a fresh image; its old state is gone."), &status))
        }
        ReplAction::Interrupt => {
            let interrupted = sessions.interrupt(session).map_err(session_error)?;
            let text = if interrupted {
                format!("Session {session:?} is being interrupted; the call that was running answers with what it did.")
            } else {
                format!("Session {session:?} was not running anything.")
            };
            Ok(outcome(text, json!({"session": session, "interrupted": interrupted})))
        }
        ReplAction::Kill => {
            let killed = sessions.kill(session).await.map_err(session_error)?;
            let text = if killed {
                format!("Session {session:?} and its image are ended; the next call under that name starts afresh.")
            } else {
                format!("Session {session:?} had no image; it is forgotten.")
            };
            Ok(outcome(text, json!({"session": session, "killed": killed})))
        }
        ReplAction::Checkpoint => {
            let name = args.name.clone().unwrap_or_else(|| "checkpoint".to_owned());
            let report = ask(sessions, session, Request::Checkpoint(name), context).await?;
            Ok(answer(&report, output_limit(None)))
        }
        ReplAction::Rollback => {
            let report = ask(sessions, session, Request::Rollback(args.name.clone()), context).await?;
            Ok(answer(&report, output_limit(None)))
        }
        ReplAction::Attach => attach(sessions, args, runtime).await,
        ReplAction::Detach => detach(sessions, args.session.as_deref()).await,
        ReplAction::Restarts
        | ReplAction::Restart
        | ReplAction::Abort
        | ReplAction::Frames
        | ReplAction::Locals
        | ReplAction::EvalInFrame => held(sessions, session, args, context).await,
    }
}

pub(crate) fn outcome(text: String, fields: Value) -> Outcome {
    let Value::Object(fields) = fields else { return Outcome { text, ..Outcome::default() } };
    Outcome { text, fields, is_error: false }
}

pub(crate) fn session_outcome(text: &str, status: &SessionStatus) -> Outcome {
    Outcome { text: format!("{text}\n{}", session_line(status)), fields: session_fields(status), is_error: false }
}

async fn status(sessions: &Sessions, only: Option<&str>) -> Result<Outcome, ToolError> {
    let mut status = sessions.status();
    if let Some(only) = only {
        status.sessions.retain(|session| session.name == only);
        if status.sessions.is_empty() {
            return Err(session_error(lispwright_runtime::SessionError::Unknown(only.to_owned())));
        }
    }
    let mut text = "Runtimes:\n".to_owned();
    let mut runtimes = Vec::new();
    for backend in BACKENDS {
        let path = backend.find();
        let runs = backend.can(Capability::Eval);
        let version = if runs { sessions.version(backend.runtime).await } else { None };
        let found = path.as_ref().map(|path| path.display().to_string());
        let about = match (&found, runs) {
            _ if backend.runtime == Runtime::Swank => {
                "joined where it runs: repl_control {\"action\": \"attach\", \"address\": \"127.0.0.1:4005\"}"
                    .to_owned()
            }
            (None, _) => format!("not installed (apt-get install {})", backend.package),
            (Some(path), true) => format!("{}, {path}", version.as_deref().unwrap_or("it does not say its version")),
            (Some(path), false) => format!("{path}; sessions cannot use it"),
        };
        let _ = writeln!(text, "  {}: {about}", backend.name);
        let can: Vec<&str> = backend.has.iter().map(|capability| capability.as_str()).collect();
        runtimes.push(json!({"name": backend.name, "path": found, "version": version, "capabilities": can}));
    }
    let _ = writeln!(text, "Sessions: {} of at most {}", status.sessions.len(), status.max_sessions);
    for session in &status.sessions {
        let _ = writeln!(text, "  {}", session_line(session));
    }
    for workers in
        status.workers.iter().filter(|workers| workers.saved_image.is_some() || workers.plain_start.is_some())
    {
        let _ = writeln!(text, "Workers on {}: {}", workers.runtime, workers_text(workers));
    }
    let idle = status.max_idle.map_or("no idle limit".to_owned(), |idle| format!("ended after {} idle", seconds(idle)));
    let _ = writeln!(
        text,
        "Limits: {} MB of heap for each image; {} MB and {} processes for an image with all it starts; {idle}",
        status.heap_megabytes, status.memory_limit, status.max_processes
    );
    if !status.launcher.is_empty() {
        let _ = writeln!(text, "Launched by: {}", status.launcher.join(" "));
    }
    let _ = writeln!(text, "Isolation: {}", isolation_text(&status));
    let fields = json!({
        "runtimes": runtimes,
        "sessions": status.sessions.iter().map(session_fields).map(Value::Object).collect::<Vec<_>>(),
        "max_sessions": status.max_sessions,
        "max_idle_seconds": status.max_idle.map(|idle| idle.as_secs_f64()),
        "heap_megabytes": status.heap_megabytes,
        "workers": status.workers.iter().map(worker_fields).collect::<Vec<_>>(),
        "memory_limit_megabytes": status.memory_limit,
        "max_processes": status.max_processes,
        "launcher": status.launcher,
        "isolation": match &status.sandbox {
            None => "process",
            Some(Ok(sandbox)) => sandbox.mechanism,
            Some(Err(_)) => "none-works",
        },
    });
    Ok(outcome(text.trim_end().to_owned(), fields))
}

fn isolation_text(status: &Status) -> String {
    match &status.sandbox {
        None if status.launcher.is_empty() => "a process per session with your own rights; no sandbox".to_owned(),
        None => "a process per session with your own rights; whatever the launcher adds".to_owned(),
        Some(Ok(sandbox)) => {
            format!("a process per session. {} Servers that sessions are attached to are not confined.", sandbox.text)
        }
        Some(Err(why)) => why.clone(),
    }
}

fn worker_fields(workers: &WorkerStatus) -> Value {
    json!({
        "runtime": workers.runtime.to_string(),
        "spare_pid": workers.spare_pid,
        "saved_image": workers.saved_image.as_ref().map(|path| path.display().to_string()),
        "plain_start": workers.plain_start,
    })
}

fn workers_text(workers: &WorkerStatus) -> String {
    let start = match (&workers.saved_image, &workers.plain_start) {
        (Some(image), _) => format!("from the saved image {}", image.display()),
        (None, Some(why)) => format!("started plain: {why}"),
        (None, None) => "none started yet".to_owned(),
    };
    let spare = workers.spare_pid.map(|pid| format!("; a spare is ready (pid {pid})")).unwrap_or_default();
    format!("{start}{spare}")
}

fn state_word(state: State) -> &'static str {
    match state {
        State::Idle => "idle",
        State::Busy => "busy",
        State::NoImage => "no image",
        State::Stopped => "stopped",
    }
}

fn session_line(session: &SessionStatus) -> String {
    let mut line = format!("{}: {}", session.name, state_word(session.state));
    if let Some(running) = session.running_for {
        let _ = write!(line, " for {}", seconds(running));
    }
    if let Some(version) = &session.version {
        let _ = write!(line, ", {version}");
    }
    if let Some(pid) = session.pid {
        let _ = write!(line, ", pid {pid}");
    }
    if let Some(memory) = session.memory_kb {
        let _ = write!(line, ", {} MB", memory / 1024);
    }
    if let Some(uptime) = session.uptime {
        let _ = write!(line, ", up {}", seconds(uptime));
    }
    if let Some(package) = &session.package {
        let _ = write!(line, ", package {package}");
    }
    let _ = write!(line, ", {} evaluations", session.evaluations);
    if session.held > 0 {
        let _ = write!(line, ", {} held", errors_text(session.held));
    }
    for checkpoint in &session.checkpoints {
        let memory = checkpoint.memory_kb().map(|memory| format!(", {} MB", memory / 1024)).unwrap_or_default();
        let _ = write!(line, ", checkpoint {:?} (pid {}{memory})", checkpoint.name, checkpoint.pid);
    }
    if session.crashes > 0 {
        let images = if session.crashes == 1 { "image" } else { "images" };
        let _ = write!(line, ", {} {images} lost in the last five minutes", session.crashes);
    }
    if session.state == State::Stopped {
        line.push_str("; reset it to go on");
    }
    line
}

fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds < 120 { format!("{seconds} s") } else { format!("{} min", seconds / 60) }
}

fn session_fields(session: &SessionStatus) -> Map<String, Value> {
    let checkpoints: Vec<Value> = session
        .checkpoints
        .iter()
        .map(|checkpoint| json!({"name": checkpoint.name, "pid": checkpoint.pid, "memory_kb": checkpoint.memory_kb()}))
        .collect();
    let fields = json!({
        "session": session.name,
        "runtime": session.runtime.to_string(),
        "state": state_word(session.state).replace(' ', "-"),
        "pid": session.pid,
        "version": session.version,
        "uptime_seconds": session.uptime.map(|uptime| uptime.as_secs()),
        "memory_kb": session.memory_kb,
        "evaluations": session.evaluations,
        "package": session.package,
        "running_seconds": session.running_for.map(|running| running.as_secs_f64()),
        "crashes": session.crashes,
        "held": session.held,
        "checkpoints": checkpoints,
    });
    let Value::Object(mut fields) = fields else { return Map::new() };
    fields.retain(|_, value| !value.is_null());
    fields
}
