//! The words for what a session cannot do, each with the call to make next.

use lispwright_runtime::{Capability, MAIN, Refusal, Runtime, SessionError};

use crate::image_text::{listed, one_line};
use crate::other_lisps::instead_of;
use crate::outcome::ToolError;

/// The names of the runtimes that sessions can have.
fn runtime_names() -> Vec<&'static str> {
    Runtime::all().filter(|runtime| runtime.can(Capability::Eval)).map(|runtime| runtime.name).collect()
}

/// The runtime of that name, if sessions can have it.
pub(crate) fn named_runtime(name: &str) -> Result<Runtime, ToolError> {
    let names = runtime_names();
    match Runtime::named(name) {
        Some(runtime) if runtime.can(Capability::Eval) => Ok(runtime),
        Some(runtime) => Err(session_error(SessionError::Unsupported(runtime)).with("candidates", names)),
        None => Err(ToolError::new(
            "BAD_ARGUMENT",
            format!(
                "There is no runtime {:?}. {}Sessions can run: {}.",
                one_line(name, 60),
                instead_of(name).map(|instead| format!("{instead} ")).unwrap_or_default(),
                names.join(", ")
            ),
        )
        .with("candidates", names)),
    }
}

/// An answer for what the runtime does not do.
pub(crate) fn unsupported(runtime: Runtime, capability: Capability, instead: &str) -> ToolError {
    let can: Vec<&str> = runtime.has.iter().map(|capability| capability.as_str()).collect();
    ToolError::new(
        "UNSUPPORTED",
        format!(
            "{} sessions cannot do this here: {} is not among what they offer ({}). {instead}.",
            runtime.name,
            capability.as_str(),
            can.join(", ")
        ),
    )
}

/// An answer for a request that the agent of `runtime` does not know.
pub(crate) fn not_offered(runtime: Runtime, operation: &str) -> ToolError {
    let operation = operation.to_uppercase();
    if operation == "REFERENCES" {
        return ToolError::new(
            "UNSUPPORTED",
            format!(
                "A {runtime} image keeps no record of who refers to what. lisp_read_file {{\"path\": FILE, \"content_pattern\": \
                 NAME}} shows the forms of a file that mention it."
            ),
        );
    }
    let instead = match operation.as_str() {
        "LOAD" => "Load it with repl_eval: (load \"FILE\"), or (asdf:load-system \"NAME\")",
        "RUN-TESTS" => "Run the tests with repl_eval, such as (asdf:test-system \"NAME\")",
        "MACROEXPAND" => "Expand with repl_eval",
        "EXPORTS" => "Ask with repl_eval, such as (loop for s being the external-symbols of \"PACKAGE\" collect s)",
        "DESCRIBE" => "Ask with repl_eval, such as (describe 'NAME)",
        "ASDF" => {
            return ToolError::new(
                "UNSUPPORTED",
                format!("ASDF is not there in this {runtime}. Load files with repl_eval: (load \"FILE\")."),
            );
        }
        "EVAL-IN-FRAME" => {
            return ToolError::new(
                "UNSUPPORTED",
                format!(
                    "{runtime} does not tell the variables of its frames. Evaluate without frame, on top of the error."
                ),
            );
        }
        _ => "See repl_control {\"action\": \"status\"} for what each runtime offers",
    };
    ToolError::new("UNSUPPORTED", format!("{runtime} sessions do not offer this yet ({operation}). {instead}."))
}

/// The words for a session that could not do what was asked.
pub(crate) fn session_error(error: SessionError) -> ToolError {
    let what = format!("{}.", error.to_string().trim_end_matches('.'));
    match error {
        SessionError::Lacks(runtime, Capability::Hold) => {
            unsupported(runtime, Capability::Hold, "Leave on_error out: the answer to an error already has its frames")
        }
        SessionError::Lacks(runtime, Capability::Checkpoint) if !runtime.words.no_copies.is_empty() => {
            ToolError::new("UNSUPPORTED", runtime.words.no_copies)
        }
        SessionError::Lacks(runtime, capability) => unsupported(
            runtime,
            capability,
            "Evaluate in a session of its own, such as session \"trial\", and end it with repl_control {\"action\": \
             \"kill\", \"session\": \"trial\"}",
        ),
        SessionError::Busy { session, .. } => {
            let argument = session_argument(&session);
            let next = format!("repl_control {{\"action\": \"wait\"{argument}}}");
            let mut busy = ToolError::new(
                "SESSION_BUSY",
                format!(
                    "{what} This call did not run. {next} waits for that one and gives its answer; {{\"action\": \
                     \"interrupt\"{argument}}} stops it. Then call again."
                ),
            )
            .with("next", next);
            busy.retryable = true;
            busy
        }
        SessionError::Withdrawn(_) => ToolError::new("CANCELLED", what),
        SessionError::Ended(_) => {
            let mut ended = ToolError::new(
                "CANCELLED",
                format!("{what} It did not run; call again to run it in a fresh image, with what it needs."),
            );
            ended.retryable = true;
            ended
        }
        SessionError::Stopped { session, .. } => {
            let next = format!("repl_control {{\"action\": \"reset\", \"session\": \"{session}\"}}");
            ToolError::new("SESSION_LOST", format!("{what} To go on with a fresh image, call {next}."))
                .with("next", next)
        }
        SessionError::TooMany(_) => ToolError::new(
            "LIMIT",
            format!(
                "{what} Use one of them, or end one with repl_control {{\"action\": \"kill\", \"session\": NAME}}."
            ),
        )
        .with("next", "repl_control {\"action\": \"status\"}"),
        SessionError::Missing(runtime) => {
            let package = runtime.package;
            ToolError::new(
                "RUNTIME_MISSING",
                format!("{what} Install it, on Debian or Ubuntu with: apt-get install {package}"),
            )
            .with("next", format!("apt-get install {package}"))
        }
        SessionError::Unsupported(_) => {
            ToolError::new("UNSUPPORTED", format!("{what} Sessions run: {}.", runtime_names().join(", ")))
        }
        SessionError::NotAttached(_) => ToolError::new(
            "BAD_ARGUMENT",
            format!("{what} To end it, repl_control {{\"action\": \"kill\", \"session\": NAME}}."),
        ),
        SessionError::Theirs(session) => {
            let next = format!("repl_control {{\"action\": \"detach\", \"session\": \"{session}\"}}");
            ToolError::new(
                "UNSUPPORTED",
                format!(
                    "{what} It is joined, not started here, so it cannot be ended or made anew. To leave it: {next}."
                ),
            )
            .with("next", next)
        }
        SessionError::OtherRuntime { asked, .. } => ToolError::new(
            "BAD_ARGUMENT",
            format!(
                "{what} Leave runtime out to use it, leave session out to use session {:?}, or name a new session.",
                asked.name
            ),
        ),
        SessionError::Start(_) => ToolError::new(
            "RUNTIME_MISSING",
            format!(
                "{what} See whether the program runs by itself; repl_control {{\"action\": \"status\"}} lists all that is \
                 installed."
            ),
        ),
        SessionError::Starting(_) => {
            let mut starting = ToolError::new(
                "TIMEOUT",
                format!("{what} The code did not run. Call again, with more timeout_seconds where starts are slow."),
            );
            starting.retryable = true;
            starting
        }
        // Some say themselves what to do.
        SessionError::Unreachable(why) if why.contains("repl_control") => ToolError::new("RUNTIME_MISSING", what),
        SessionError::Unreachable(_) => ToolError::new(
            "RUNTIME_MISSING",
            format!(
                "{what} Attach to the address of a server that runs: repl_control {{\"action\": \"attach\", \"address\": \
                 \"127.0.0.1:PORT\"}}; or leave attach out: repl_eval {{\"runtime\": \"sbcl\", ...}} has an image of its own."
            ),
        ),
        SessionError::NoImage(_) => ToolError::new(
            "SESSION_LOST",
            format!(
                "{what} Objects, held errors and checkpoints went with the last one. repl_eval starts a fresh image; \
                 evaluate again what made them."
            ),
        ),
        SessionError::BadName { .. } => ToolError::new("BAD_ARGUMENT", what),
        SessionError::Unknown(_) => ToolError::new(
            "BAD_ARGUMENT",
            format!("{what} repl_control {{\"action\": \"status\"}} lists the sessions there are."),
        ),
    }
}

/// `, "session": ...` for a call that names its session; nothing for the one that is meant anyway.
pub(crate) fn session_argument(session: &str) -> String {
    if session == MAIN { String::new() } else { format!(", \"session\": \"{session}\"") }
}

/// The words for what an image does not have.
pub(crate) fn refusal_error(refusal: &Refusal, session: &str) -> ToolError {
    let argument = session_argument(session);
    let bad = |message: String| ToolError::new("BAD_ARGUMENT", message);
    match refusal {
        Refusal::NoObject { object, given: true } => bad(format!(
            "Object {object} is gone: an image keeps the last 1,000 objects it showed, and none of an earlier image or of \
             a copy that was thrown away. Evaluate again what gave it; the answer has its new number."
        )),
        Refusal::NoObject { object, given: false } => bad(format!(
            "There is no object {object} in session {session:?}. Objects get their numbers in the answers of repl_eval and \
             inspect_object; for one of another session, name the session."
        )),
        Refusal::NotHeld => bad(format!(
            "No error is held in session {session:?}. Evaluate with repl_eval {{\"on_error\": \"hold\"{argument}, ...}}: when \
             the code ends in an error, its stack is kept."
        )),
        Refusal::NoFrame { frame, total } => bad(format!(
            "There is no frame {frame}: the held stack has {total}, counted from 0. repl_control {{\"action\": \
             \"frames\"{argument}}} lists them."
        )),
        Refusal::NoRestart(name) => bad(format!(
            "The held error has no restart {:?}. repl_control {{\"action\": \"restarts\"{argument}}} lists them.",
            one_line(name, 100)
        )),
        Refusal::NeedsValue(name) => bad(format!(
            "The restart {name} asks for a value. Give it as code: repl_control {{\"action\": \"restart\", \"restart\": \
             \"{name}\", \"code\": VALUE{argument}}}; (values A B) for more than one."
        )),
        Refusal::NotOneForm(count) => bad(format!("`code` holds {count} forms; give one.")),
        Refusal::NoCheckpoint { name, checkpoints } => {
            let there = if checkpoints.is_empty() {
                let none = if name.is_empty() { "" } else { "It has none; " };
                format!("{none}repl_control {{\"action\": \"checkpoint\", \"name\": NAME{argument}}} makes one.")
            } else {
                format!("It has: {}.", checkpoints.join(", "))
            };
            let what =
                if name.is_empty() { "checkpoint".to_owned() } else { format!("checkpoint {:?}", one_line(name, 100)) };
            bad(format!("Session {session:?} has no {what}. {there}")).with("candidates", checkpoints.clone())
        }
        Refusal::NoSystem { name, nearest } => {
            let near = if nearest.is_empty() { String::new() } else { format!(" Nearest: {}.", listed(nearest)) };
            bad(format!(
                "Session {session:?} finds no system or module {:?}.{near} A system is looked for in the .asd files below the root and where ASDF looks, a module below \
                 the root and its src, modules, lib; a file can be given as path.",
                one_line(name, 200)
            ))
            .with("candidates", nearest.clone())
        }
        Refusal::NoName { name, place, candidates } => {
            let near = match candidates.as_slice() {
                [] => " Load what defines it first: load_system, or repl_eval.".to_owned(),
                some => format!(" Nearest: {}.", listed(some)),
            };
            bad(format!("{} means nothing in {place}.{near}", one_line(name, 100)))
                .with("candidates", candidates.clone())
        }
        Refusal::Threads(threads) => ToolError::new(
            "UNSUPPORTED",
            format!(
                "The image cannot be copied while other threads run, because a copy would not have them: {}. End them and \
                 call again.",
                listed(threads)
            ),
        ),
        Refusal::Full(most) => ToolError::new(
            "LIMIT",
            format!(
                "There are {most} checkpoints inside each other, which is the limit; those whose name was used again count. To go \
                 back to one before the last makes room; if there is none, only a fresh image does: repl_control \
                 {{\"action\": \"reset\"{argument}}}. Evaluations go on as before."
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_runtime_names_the_package_to_install() {
        let error = session_error(SessionError::Missing(Runtime::named("sbcl").unwrap()));
        assert_eq!(error.code, "RUNTIME_MISSING");
        assert!(error.message.ends_with("apt-get install sbcl"), "{}", error.message);
    }

    #[test]
    fn a_busy_session_says_how_to_wait_for_it_and_how_to_stop_it() {
        let doing = "evaluating (f) for 70 s".to_owned();
        let error = session_error(SessionError::Busy { session: "main".into(), doing, waiting: 1 });
        assert!(error.retryable);
        assert_eq!(error.fields["next"], "repl_control {\"action\": \"wait\"}");
        assert!(error.message.contains("busy, evaluating (f) for 70 s, and 1 call waits."), "{error:?}");
        assert!(error.message.contains("{\"action\": \"interrupt\"}"), "{error:?}");
    }
}
