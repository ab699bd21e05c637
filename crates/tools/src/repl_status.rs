//! What runs and what could: runtimes, sessions, limits and what keeps images in, in words and as fields.

use std::fmt::Write as _;
use std::time::Duration;

use lispwright_runtime::{
    Capability, LACKS, Runtime, SessionError, SessionStatus, Sessions, State, Status, WorkerStatus,
};
use lispwright_syntax::in_a_line;
use serde_json::{Map, Value, json};

use crate::image_text::one_line;
use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::repl_refused::session_error;
use crate::repl_report::errors_text;

/// Waiting calls that are shown of each session.
const MOST_WAITING: usize = 5;

pub(crate) fn outcome(text: String, fields: Value) -> Outcome {
    let Value::Object(fields) = fields else { return Outcome { text, ..Outcome::default() } };
    Outcome { text, fields, is_error: false }
}

pub(crate) fn session_outcome(text: &str, status: &SessionStatus) -> Outcome {
    Outcome { text: format!("{text}\n{}", session_line(status)), fields: session_fields(status), is_error: false }
}

pub(crate) async fn status(sessions: &Sessions, only: Option<&str>) -> Result<Outcome, Refusal> {
    let mut status = sessions.status();
    if let Some(only) = only {
        status.sessions.retain(|session| session.name == only);
        if status.sessions.is_empty() {
            return Err(session_error(SessionError::Unknown(only.to_owned())).into());
        }
    }
    let mut text = format!("Project root: {}\nRuntimes:\n", status.root.display());
    let mut runtimes = Vec::new();
    for runtime in Runtime::all() {
        let path = runtime.find();
        let runs = runtime.can(Capability::Eval);
        let version = if runs { sessions.version(runtime).await } else { None };
        let found = path.as_ref().map(|path| path.display().to_string());
        let about = match (&found, runs) {
            _ if runtime.is_only_joined() => {
                "joined where it runs: repl_control {\"action\": \"attach\", \"address\": \"127.0.0.1:4005\"}"
                    .to_owned()
            }
            (None, _) => format!("not installed (apt-get install {})", runtime.package),
            (Some(path), true) => format!("{}, {path}", version.as_deref().unwrap_or("it does not say its version")),
            (Some(path), false) => format!("{path}; sessions cannot use it"),
        };
        let _ = writeln!(text, "  {}: {about}", runtime.name);
        let can: Vec<&str> = runtime.has.iter().map(|capability| capability.as_str()).collect();
        runtimes.push(json!({"name": runtime.name, "path": found, "version": version, "capabilities": can}));
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
    for lack in LACKS {
        let _ = writeln!(text, "Not on this system: {}: {}", lack.name(), lack.consequence());
    }
    let fields = json!({
        "root": status.root.display().to_string(),
        "runtimes": runtimes,
        "sessions": status.sessions.iter().map(session_fields).map(Value::Object).collect::<Vec<_>>(),
        "max_sessions": status.max_sessions,
        "max_idle_seconds": status.max_idle.map(|idle| idle.as_secs_f64()),
        "heap_megabytes": status.heap_megabytes,
        "workers": status.workers.iter().map(worker_fields).collect::<Vec<_>>(),
        "memory_limit_megabytes": status.memory_limit,
        "max_processes": status.max_processes,
        "launcher": status.launcher,
        "lacks": LACKS.iter().map(|lack| lack.name()).collect::<Vec<_>>(),
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
    if let Some(doing) = &session.doing {
        let _ = write!(line, ", {}", one_line(doing, 400));
    }
    for (what, waits) in session.waiting.iter().take(MOST_WAITING) {
        let _ = write!(line, "; {} waits for {}", one_line(what, 100), seconds(*waits));
    }
    if session.waiting.len() > MOST_WAITING {
        let _ = write!(line, "; {} more wait", session.waiting.len() - MOST_WAITING);
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
        let _ = write!(line, ", package {}", in_a_line(package));
    }
    let evaluations = if session.evaluations == 1 { "evaluation" } else { "evaluations" };
    let _ = write!(line, ", {} {evaluations}", session.evaluations);
    if session.held > 0 {
        let _ = write!(line, ", {} held", errors_text(session.held));
    }
    if session.runs_on {
        line.push_str(", interrupted code still ran after its last call");
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
        "doing": session.doing,
        "waiting": session.waiting.iter().map(|(what, _)| what.as_str()).collect::<Vec<_>>(),
        "running_seconds": session.running_for.map(|running| running.as_secs_f64()),
        "crashes": session.crashes,
        "held": session.held,
        "runs_on": session.runs_on.then_some(true),
        "checkpoints": checkpoints,
    });
    let Value::Object(mut fields) = fields else { return Map::new() };
    fields.retain(|_, value| !value.is_null());
    fields
}
