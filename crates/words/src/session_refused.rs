//! Refusals of sessions, each with its reason and the next call.

use lispwright_runtime::{Capability, ImageOperation, ImageRefusal, MAIN, Runtime, SessionError, install_call};
use lispwright_tools::NextCall;
use lispwright_tools::image_text::{listed, one_line};
use serde_json::{Map, Value};

use crate::Skin;
use crate::call::{control, spoken, template};
use crate::terms::Terms;

/// A message, and helpful facts as fields.
type Said = (String, Map<String, Value>);

/// The refusal of a session.
pub(crate) fn session(error: &SessionError, skin: Skin) -> Said {
    let what = format!("{}.", error.to_string().trim_end_matches('.'));
    let eval = Terms::of(skin).eval;
    let with = |next: Option<String>, more: &dyn Fn(&str) -> String| match next {
        Some(next) => (format!("{what} {}", more(&next)), next_field(&next)),
        None => (what.clone(), Map::new()),
    };
    match error {
        SessionError::Lacks(runtime, Capability::Hold) => plain(unsupported(
            *runtime,
            Capability::Hold,
            Some("Leave on_error out: the answer to an error already has its frames"),
        )),
        SessionError::Lacks(runtime, Capability::Checkpoint) if !runtime.words.no_copies.is_empty() => {
            let copies = |other: &Runtime| other.dialect == runtime.dialect && other.can(Capability::Checkpoint);
            let instead = Runtime::all().find(copies).and_then(|other| {
                let eval =
                    template("repl_eval", &format!("\"runtime\": \"{other}\", \"trial\": true, ..."), MAIN, skin)?;
                Some(format!(" Try in a session on {other}, which has an image of its own: {eval}."))
            });
            let why = runtime.words.no_copies;
            plain(format!("{why}: there are no checkpoints and no trials.{}", instead.unwrap_or_default()))
        }
        SessionError::Lacks(runtime, capability) => {
            let end = control("trial", "kill", skin).map(|call| {
                format!("Evaluate in a session of its own, such as session \"trial\", and end it with {call}")
            });
            plain(unsupported(*runtime, *capability, end.as_deref()))
        }
        SessionError::Busy { session, .. } => with(control(session, "wait", skin), &|wait| {
            let stop = control(session, "interrupt", skin).unwrap_or_default();
            format!(
                "This call did not run. {wait} waits for that one and gives its answer; {stop} stops it. Then call again."
            )
        }),
        SessionError::Withdrawn(_) | SessionError::BadName { .. } => plain(what),
        SessionError::Ended(_) => {
            plain(format!("{what} It did not run; call again to run it in a fresh image, with what it needs."))
        }
        SessionError::Stopped { session, .. } => {
            let call = NextCall::to("repl_control").with("action", "reset").with("session", session.as_str());
            with(spoken(&call, skin), &|reset| format!("To go on with a fresh image, call {reset}."))
        }
        SessionError::TooMany(_) => {
            let kill = template("repl_control", "\"action\": \"kill\", \"session\": NAME", MAIN, skin);
            let (_, facts) = with(status_call(skin), &str::to_owned);
            let end = kill.map(|call| format!(" Use one of them, or end one with {call}.")).unwrap_or_default();
            (format!("{what}{end}"), facts)
        }
        SessionError::Missing(runtime) => {
            let next = install_call(*runtime);
            (format!("{what} Install it: {next}"), next_field(&next))
        }
        SessionError::Unsupported(_) => {
            let names = runtimes();
            let mut facts = Map::new();
            facts.insert("candidates".into(), names.clone().into());
            (format!("{what} Sessions run: {}.", names.join(", ")), facts)
        }
        SessionError::NotAttached(_) => {
            let kill = template("repl_control", "\"action\": \"kill\", \"session\": NAME", MAIN, skin);
            plain(what + &kill.map(|call| format!(" To end it, {call}.")).unwrap_or_default())
        }
        SessionError::Theirs(session) => {
            let call = NextCall::to("repl_control").with("action", "detach").with("session", session.as_str());
            with(spoken(&call, skin), &|detach| {
                format!("It is joined, not started here, so it cannot be ended or made anew. To leave it: {detach}.")
            })
        }
        SessionError::OtherRuntime { asked, .. } => plain(format!(
            "{what} Leave runtime out to use it, leave session out to use session {:?}, or name a new session.",
            asked.name
        )),
        SessionError::Start(_) => {
            let list =
                status_call(skin).map(|call| format!("; {call} lists all that is installed")).unwrap_or_default();
            plain(format!("{what} See whether the program runs by itself{list}."))
        }
        SessionError::Starting(_) => {
            let more = if skin.is_client() { "timeout_seconds" } else { "--timeout" };
            plain(format!(
                "{what} Nothing was run. The start goes on: call again, with more {more} where starts are slow."
            ))
        }
        SessionError::Lost { runtime, .. } => {
            let attach = template("repl_control", "\"action\": \"attach\", \"address\": ...", MAIN, skin);
            let other = attach.map(|call| format!(", attach to another with {call}")).unwrap_or_default();
            let own = if runtime.is_only_joined() { "" } else { " to have one started here" };
            plain(format!("{what} Start that server again{other}, or detach{own}."))
        }
        SessionError::Unattached(runtime) => {
            let (address, start) = runtime.words.server;
            let attach = NextCall::to("repl_control").with("action", "attach").with("address", address);
            with(spoken(&attach, skin), &|attach| format!("To join one: {attach}. {start}"))
        }
        SessionError::Unreachable(_) => {
            let attach = "\"action\": \"attach\", \"address\": \"127.0.0.1:PORT\"";
            let attach = template("repl_control", attach, MAIN, skin);
            let eval = template("repl_eval", "\"runtime\": \"sbcl\", ...", MAIN, skin);
            let next = attach.zip(eval).map(|(attach, eval)| {
                format!(
                    " Attach to the address of a server that runs: {attach}; or leave attach out: {eval} has an image of its own."
                )
            });
            plain(what + &next.unwrap_or_default())
        }
        SessionError::NoImage(_) => plain(format!(
            "{what} Objects, held errors and checkpoints were lost with the last one. {eval} starts a fresh image; evaluate again \
             the code that made them."
        )),
        SessionError::Unknown(_) => {
            let list =
                status_call(skin).map(|call| format!(" {call} lists the sessions there are.")).unwrap_or_default();
            plain(what + &list)
        }
    }
}

fn plain(message: String) -> Said {
    (message, Map::new())
}

fn next_field(next: &str) -> Map<String, Value> {
    Map::from_iter([("next".to_owned(), next.into())])
}

fn status_call(skin: Skin) -> Option<String> {
    control(MAIN, "status", skin)
}

/// The names of the runtimes that sessions can have.
pub(crate) fn runtimes() -> Vec<&'static str> {
    Runtime::all().filter(|runtime| runtime.can(Capability::Eval)).map(|runtime| runtime.name).collect()
}

/// The refusal of a capability that the runtime lacks.
fn unsupported(runtime: Runtime, capability: Capability, instead: Option<&str>) -> String {
    let can: Vec<&str> = runtime.has.iter().map(|capability| capability.as_str()).collect();
    let instead = instead.map(|instead| format!(" {instead}.")).unwrap_or_default();
    format!(
        "{} sessions cannot do this here: {} is not among what they offer ({}).{instead}",
        runtime.name,
        capability.as_str(),
        can.join(", ")
    )
}

/// The refusal of a request that the images of `runtime` do not know.
pub(crate) fn not_offered(runtime: Runtime, operation: ImageOperation, skin: Skin) -> String {
    let eval = Terms::of(skin).eval;
    let instead = match operation {
        ImageOperation::References => {
            return format!(
                "A {runtime} image keeps no record of references.{}",
                template("lisp_read_file", "\"path\": FILE, \"content_pattern\": NAME", MAIN, skin)
                    .map(|call| format!(" {call} shows the forms of a file that mention it."))
                    .unwrap_or_default()
            );
        }
        ImageOperation::Asdf => {
            return format!("ASDF is not there in this {runtime}. Load files with {eval}: (load \"FILE\").");
        }
        ImageOperation::EvalInFrame => {
            return format!(
                "{runtime} does not show the variables of its frames. Evaluate without frame, on top of the error."
            );
        }
        ImageOperation::Load => Some(format!("Load it with {eval}: (load \"FILE\"), or (asdf:load-system \"NAME\")")),
        ImageOperation::RunTests if runtime.name == "clojure" => {
            Some(format!("Run the tests with {eval}: (require 'NAMESPACE :reload) (cljs.test/run-tests 'NAMESPACE)"))
        }
        ImageOperation::RunTests => Some(format!("Run the tests with {eval}, such as (asdf:test-system \"NAME\")")),
        ImageOperation::Macroexpand => Some(format!("Expand with {eval}")),
        ImageOperation::Exports => {
            Some(format!("Ask with {eval}, such as (loop for s being the external-symbols of \"PACKAGE\" collect s)"))
        }
        ImageOperation::Describe => Some(format!("Ask with {eval}, such as (describe 'NAME)")),
        _ => status_call(skin).map(|call| format!("See {call} for what each runtime offers")),
    };
    let instead = instead.map(|instead| format!(" {instead}.")).unwrap_or_default();
    format!("{runtime} sessions do not offer this yet ({}).{instead}", operation.name())
}

/// The refusal of something that the image of `session` does not have.
pub(crate) fn image(refusal: &ImageRefusal, session: &str, skin: Skin) -> Said {
    let Terms { eval, load, inspect, .. } = *Terms::of(skin);
    let call = |arguments: &str| template("repl_control", arguments, session, skin);
    let with = |said: String, next: Option<String>| plain(said + &next.unwrap_or_default());
    match refusal {
        ImageRefusal::NoObject { object, given: true } => plain(format!(
            "Object {object} is gone: an image keeps the last 1,000 objects it showed, and none of an earlier image or of a copy \
             that was discarded. Evaluate its code again; the answer has its new number."
        )),
        ImageRefusal::NoObject { object, given: false } => plain(format!(
            "There is no object {object} in session {session:?}. Objects get their numbers in the answers of {eval} and \
             {inspect}; for one of another session, name the session."
        )),
        ImageRefusal::NotHeld => {
            let hold = template("repl_eval", "\"on_error\": \"hold\", ...", session, skin);
            let next =
                hold.map(|call| format!(" Evaluate with {call}: when the code ends in an error, its stack is kept."));
            with(format!("No error is held in session {session:?}."), next)
        }
        ImageRefusal::NoFrame { frame, total } => with(
            format!("There is no frame {frame}: the held stack has {total}, counted from 0."),
            call("\"action\": \"frames\"").map(|call| format!(" {call} lists them.")),
        ),
        ImageRefusal::NoRestart(name) => with(
            format!("The held error has no restart {:?}.", one_line(name, 100)),
            call("\"action\": \"restarts\"").map(|call| format!(" {call} lists them.")),
        ),
        ImageRefusal::NeedsValue(name) => {
            let arguments = format!("\"action\": \"restart\", \"restart\": \"{name}\", \"code\": VALUE");
            let next =
                call(&arguments).map(|call| format!(" Give it as code: {call}; (values A B) for more than one."));
            with(format!("The restart {name} asks for a value."), next)
        }
        ImageRefusal::NotOneForm(count) => plain(format!("`code` holds {count} forms; give one.")),
        ImageRefusal::NoCheckpoint { name, checkpoints } => no_checkpoint(name, checkpoints, session, skin),
        ImageRefusal::NoSystem { name, nearest } => {
            let near = if nearest.is_empty() { String::new() } else { format!(" Nearest: {}.", listed(nearest)) };
            let said = format!(
                "Session {session:?} finds no system or module {:?}.{near} A system is looked for in the .asd files below the \
                 root and where ASDF looks, a module below the root and its src, modules, lib; a file can be given as path.",
                one_line(name, 200)
            );
            (said, candidates(nearest))
        }
        ImageRefusal::NoName { name, place, candidates: near } => {
            let next = match near.as_slice() {
                [] => format!(" Load its definition first: {load}, or {eval}."),
                some => format!(" Nearest: {}.", listed(some)),
            };
            (format!("{} means nothing in {place}.{next}", one_line(name, 100)), candidates(near))
        }
        ImageRefusal::Threads(threads) => plain(format!(
            "The image cannot be copied while other threads run, because a copy would not have them: {}. End them and call \
             again.",
            listed(threads)
        )),
        ImageRefusal::Full(most) => {
            let reset = control(session, "reset", skin).map(|call| format!(": {call}")).unwrap_or_default();
            plain(format!(
                "There are {most} checkpoints inside each other, which is the limit; those whose name was used again count. To go \
                 back to one before the last makes room; if there is none, only a fresh image does{reset}. Evaluations go on \
                 as before."
            ))
        }
    }
}

fn no_checkpoint(name: &str, checkpoints: &[String], session: &str, skin: Skin) -> Said {
    let there = match checkpoints {
        [] => {
            let none = if name.is_empty() { "" } else { " It has none;" };
            let make = template("repl_control", "\"action\": \"checkpoint\", \"name\": NAME", session, skin);
            make.map(|call| format!("{none} {call} makes one.")).unwrap_or_default()
        }
        some => format!(" It has: {}.", some.join(", ")),
    };
    let what = if name.is_empty() { "checkpoint".to_owned() } else { format!("checkpoint {:?}", one_line(name, 100)) };
    (
        format!("Session {session:?} has no {what}.{there}"),
        Map::from_iter([("candidates".to_owned(), checkpoints.to_vec().into())]),
    )
}

fn candidates(names: &[String]) -> Map<String, Value> {
    Map::from_iter([("candidates".to_owned(), names.to_vec().into())])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_missing_runtime_names_the_package_to_install() {
        let (message, facts) = session(&SessionError::Missing(Runtime::named("sbcl").unwrap()), Skin::Shell);
        assert!(message.ends_with("apt-get install sbcl"), "{message}");
        assert_eq!(facts["next"], "apt-get install sbcl");
    }

    #[test]
    fn a_busy_session_says_how_to_wait_for_it_and_how_to_stop_it() {
        let doing = "evaluating (f) for 70 s".to_owned();
        let error = SessionError::Busy { session: "main".into(), doing, waiting: 1 };
        let (message, facts) = session(&error, Skin::Client);
        assert_eq!(facts["next"], "repl_control {\"action\": \"wait\"}");
        assert!(message.contains("busy, evaluating (f) for 70 s, and 1 call waits."), "{message}");
        assert!(message.contains("{\"action\": \"interrupt\"}"), "{message}");
    }

    #[test]
    fn a_session_without_its_server_says_how_to_get_one() {
        let swank = Runtime::named("swank").unwrap();
        let (message, facts) = session(&SessionError::Unattached(swank), Skin::Client);
        assert_eq!(facts["next"], r#"repl_control {"action": "attach", "address": "127.0.0.1:4005"}"#);
        assert!(message.contains("(swank:create-server :dont-close t)"), "{message}");
        let lost = |name| {
            let runtime = Runtime::named(name).unwrap();
            session(&SessionError::Lost { runtime, why: "127.0.0.1:1: refused".into() }, Skin::Client).0
        };
        assert_eq!(
            lost("swank"),
            "127.0.0.1:1: refused. The session is attached there. Start that server again, attach to another with repl_control \
             {\"action\": \"attach\", \"address\": ...}, or detach."
        );
        assert!(lost("clojure").ends_with("or detach to have one started here."));
    }

    #[test]
    fn a_shell_is_offered_only_calls_that_it_can_make() {
        let name = || "main".to_owned();
        let runtime = Runtime::named("clisp").unwrap();
        let errors = [
            SessionError::Busy { session: name(), doing: String::new(), waiting: 0 },
            SessionError::Stopped { session: name(), crashes: 5, last: "exit".into() },
            SessionError::TooMany(8),
            SessionError::Start("no".into()),
            SessionError::Unreachable("nobody there".into()),
            SessionError::Lost { runtime, why: "nobody there".into() },
            SessionError::Unattached(runtime),
            SessionError::Theirs(name()),
            SessionError::NotAttached(name()),
            SessionError::Unknown(name()),
            SessionError::Lacks(runtime, Capability::Interrupt),
        ];
        for error in errors {
            let (message, facts) = session(&error, Skin::Shell);
            assert!(!message.contains("repl_") && !facts.contains_key("next"), "{error:?}: {message}");
        }
        for refusal in [ImageRefusal::NotHeld, ImageRefusal::Full(9), ImageRefusal::NoFrame { frame: 1, total: 1 }] {
            assert!(!image(&refusal, "main", Skin::Shell).0.contains("repl_"), "{refusal:?}");
        }
    }
}
