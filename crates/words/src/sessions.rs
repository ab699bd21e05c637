//! Sessions and runtimes: their status, and actions on them.

use std::fmt::Write as _;
use std::time::Duration;

use lispwright_runtime::{
    Capability, LACKS, MAIN, SWANK_PORT, SessionStatus, State, Status, WorkerStatus, install_call,
};
use lispwright_syntax::in_a_line;
use lispwright_tools::NextCall;
use lispwright_tools::image_text::one_line;
use lispwright_tools::repl_control::{ActAnswer, Became, SessionAnswer};
use lispwright_tools::repl_status::{RuntimeFacts, StatusAnswer};

use crate::Skin;
use crate::call::{spoken, template};
use crate::stack::errors_text;

/// Waiting calls that are shown of each session.
const MOST_WAITING: usize = 5;

/// The sessions and the Lisps that there are; in detail also versions, workers, limits and isolation.
pub(crate) fn status(answer: &StatusAnswer, skin: Skin) -> String {
    if answer.shows_all { whole_status(answer, skin) } else { short_status(answer, skin) }
}

/// The status without what seldom matters and never changes.
fn short_status(answer: &StatusAnswer, skin: Skin) -> String {
    let status = &answer.status;
    let mut text = format!("Sessions: {} of at most {}\n", status.sessions.len(), status.max_sessions);
    for session in &status.sessions {
        let _ = writeln!(text, "  {}", session_line(session));
    }
    let usable: Vec<&str> = answer.runtimes.iter().filter(|one| one.is_usable()).map(|one| one.name).collect();
    let usable = if usable.is_empty() { "none is installed".to_owned() } else { usable.join(", ") };
    let _ = writeln!(text, "Runtimes: {usable}");
    let _ = writeln!(text, "Project root: {}", answer.root);
    match &status.sandbox {
        None => {}
        Some(Ok(sandbox)) => {
            let _ = writeln!(text, "Sandbox: {}", sandbox.mechanism);
        }
        Some(Err(why)) => {
            let _ = writeln!(text, "Isolation: {why}");
        }
    }
    for lack in LACKS {
        let _ = writeln!(text, "Not on this system: {}: {}", lack.name(), lack.consequence());
    }
    let all = NextCall::to("repl_control").with("action", "status").with("detail", true);
    if let Some(call) = spoken(&all, skin) {
        let _ = writeln!(text, "[Versions, workers, limits, isolation: {call}]");
    }
    text
}

/// Runtimes, sessions, limits and isolation.
fn whole_status(answer: &StatusAnswer, skin: Skin) -> String {
    let status = &answer.status;
    let mut text = format!("Project root: {}\nRuntimes:\n", answer.root);
    for runtime in &answer.runtimes {
        let _ = writeln!(text, "  {}: {}", runtime.name, runtime_text(runtime, skin));
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
    let _ = writeln!(text, "Isolation: {}", isolation_text(status));
    for lack in LACKS {
        let _ = writeln!(text, "Not on this system: {}: {}", lack.name(), lack.consequence());
    }
    text
}

fn runtime_text(facts: &RuntimeFacts, skin: Skin) -> String {
    let RuntimeFacts { path, version, runtime, .. } = facts;
    match path {
        _ if runtime.is_only_joined() => {
            let here = format!("127.0.0.1:{SWANK_PORT}");
            let call = NextCall::to("repl_control").with("action", "attach").with("address", here);
            let call = spoken(&call, skin).map(|call| format!(": {call}")).unwrap_or_default();
            format!("joined where it runs{call}")
        }
        None => format!("not installed ({})", install_call(*runtime)),
        Some(path) if runtime.can(Capability::Eval) => {
            format!("{}, {path}", version.as_deref().unwrap_or("it does not say its version"))
        }
        Some(path) => format!("{path}; sessions cannot use it"),
    }
}

/// A session that was started, renewed or attached.
pub(crate) fn session(answer: &SessionAnswer, skin: Skin) -> String {
    let SessionAnswer { status, became, .. } = answer;
    let name = &status.name;
    let text = match became {
        Became::Ready => format!("Session {name:?} is ready."),
        Became::Fresh => format!("Session {name:?} has a fresh image; its old state is gone."),
        Became::Attached => attached(status, skin),
    };
    format!("{text}\n{}", session_line(status))
}

fn attached(status: &SessionStatus, skin: Skin) -> String {
    let name = &status.name;
    let about = (status.runtime.words.attached)(status.version.as_deref().unwrap_or_default());
    let about = if about.is_empty() { String::new() } else { format!(" {about}") };
    let named = format!("\"session\": {name:?}");
    let evaluate = template("repl_eval", &format!("{named}, \"code\": ..."), MAIN, skin);
    let leave = template("repl_control", &format!("\"action\": \"detach\", {named}"), MAIN, skin);
    let next = match (evaluate, leave) {
        (Some(evaluate), Some(leave)) => format!(" To evaluate there: {evaluate}; to leave: {leave}."),
        _ => String::new(),
    };
    format!(
        "Session {name:?} is attached. The server is its owner's: code runs in the owner's image, and nothing done here ends \
         it.{about}{next}"
    )
}

/// A session that was interrupted, ended or detached.
pub(crate) fn acted(answer: &ActAnswer) -> String {
    let name = &answer.session;
    match (answer.interrupted, answer.killed) {
        (Some(true), _) => {
            format!("Session {name:?} is being interrupted; the call that was running answers with what it did.")
        }
        (Some(false), _) => format!("Session {name:?} was not running anything."),
        (None, Some(true)) => {
            format!("Session {name:?} and its image are ended; the next call under that name starts afresh.")
        }
        (None, Some(false)) => format!("Session {name:?} had no image; it is forgotten."),
        (None, None) => {
            let became =
                if answer.server_answers { "goes on, with what was defined there" } else { "does not answer any more" };
            format!("Session {name:?} is forgotten; the server it was attached to {became}.")
        }
    }
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
        State::Starting => "its image starts, and no call waits for it",
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
