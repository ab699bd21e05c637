//! Faults of calls on live images.

use lispwright_runtime::{MAIN, Probe, Runtime, SWANK_PORT};
use lispwright_syntax::in_a_line;
use lispwright_tools::image_text::one_line;
use lispwright_tools::other_lisps::OtherLisp;
use lispwright_tools::repl_control::ReplAction;
use lispwright_tools::{LiveFault, LoadCandidate, NextCall};
use serde_json::{Map, Value};

use crate::Skin;
use crate::call::{spoken, template};
use crate::names::undefined;
use crate::session_refused::runtimes;
use crate::terms::Terms;

/// The message, and the facts that help as fields.
pub(crate) fn of(fault: &LiveFault, skin: Skin) -> (String, Map<String, Value>) {
    let example = |call: NextCall| spoken(&call, skin).map(|call| format!(": {call}")).unwrap_or_default();
    let Terms { eval, load, .. } = *Terms::of(skin);
    let mut facts = Map::new();
    let message = match fault {
        LiveFault::NoSymbol => "`symbol` is empty; give a name, such as foo, pkg:foo or (setf foo).".to_owned(),
        LiveFault::NoImage { of } => {
            facts.insert("next".into(), load.into());
            no_image(&of.map_or_else(|| "No image runs".to_owned(), |of| format!("No image of {of} runs")), skin)
        }
        LiveFault::NoImageOfSession { session, living } => {
            facts.insert("next".into(), load.into());
            no_image(&format!("Session {session:?} has no image; these have one: {}", living.join(", ")), skin)
        }
        LiveFault::SeveralImages(sessions) => {
            facts.insert("candidates".into(), sessions.clone().into());
            format!("Several images run: say which with `session`: {}.", sessions.join(", "))
        }
        LiveFault::Undefined { name, is_module, files, nearest } => {
            facts.insert("candidates".into(), nearest.clone().into());
            let what = if *is_module { "no package, module or namespace" } else { "not defined" };
            let text = undefined(&one_line(name, 200), what, *files, nearest);
            let elsewhere = match skin {
                Skin::Shell => String::new(),
                _ => format!(" What comes from elsewhere is known to an image: start one with {eval} or {load}."),
            };
            format!("{}{elsewhere}", text.trim_end())
        }
        LiveFault::NoKind { asked, kinds } => {
            facts.insert("candidates".into(), kinds.to_vec().into());
            format!("`kinds` has {asked:?}; there are: {}.", kinds.join(", "))
        }
        LiveFault::CodeOrPlace => format!(
            "Give either `code`, with `path` if it is code of that file, or `path` with `name` or `line`{}.",
            example(NextCall::to("macroexpand").with("code", "(when a b)"))
        ),
        LiveFault::Unbalanced { path } => {
            format!("{}: this form does not balance. {} shows likely fixes.", in_a_line(path), Terms::of(skin).check)
        }
        LiveFault::DefinesMacro { path, line, name } => format!(
            "{}:{line}: this form defines the macro {name}. To see what it expands to, give a call of it{}.",
            in_a_line(path),
            example(NextCall::to("macroexpand").with("code", format!("({name} ...)")))
        ),
        LiveFault::PathOrModule => format!(
            "Give either `path`, the file that defines it, or `module`{}.",
            example(NextCall::to("code_exports").with("module", "(ice-9 match)"))
        ),
        LiveFault::NoModule { path } => {
            let next = spoken(&NextCall::to("lisp_read_file").with("path", path.as_str()), skin);
            let next = next.map(|call| format!(" {call} shows what it defines.")).unwrap_or_default();
            format!(
                "{}: no define-module, library, defpackage, in-package or ns says which module this file is.{next}",
                in_a_line(path)
            )
        }
        LiveFault::SystemOrPath { tool } => {
            format!("Give either `system` or `path`{}.", example(NextCall::to(tool).with("path", "src/main.scm")))
        }
        LiveFault::NothingToLoad { candidates } if candidates.is_empty() => format!(
            "The project has no system and no file with an entry point. Name a file{}.",
            example(NextCall::to("load_system").with("path", "src/main.scm"))
        ),
        LiveFault::NothingToLoad { candidates } => {
            let named = candidates.iter().map(|one| match one {
                LoadCandidate::System(name) | LoadCandidate::File(name) => one_line(name, 120),
            });
            let named = named.collect::<Vec<_>>().join(", ");
            let call = NextCall::to("load_system");
            let call = match &candidates[0] {
                LoadCandidate::System(name) => call.with("system", name.as_str()),
                LoadCandidate::File(path) => call.with("path", path.as_str()),
            };
            format!("The project can be loaded by several: {named}. Name one{}.", example(call))
        }
        LiveFault::NoFramework { name, runtime } => {
            let instead = if skin.is_client() { format!(", or use {eval}") } else { String::new() };
            format!(
                "Tests of {name:?} cannot be run in {runtime}; {} can. Leave framework out{instead}.",
                runtime.frameworks.join(", ")
            )
        }
        LiveFault::NoFunctions => {
            "Name the functions whose calls are to be looked at, as in \"functions\": [\"total\"].".to_owned()
        }
        LiveFault::NoProbe { kind, runtime } => {
            let others: Vec<&str> =
                Runtime::all().filter(|other| other.probes.has(*kind)).map(|other| other.name).collect();
            let own: Vec<&str> =
                Probe::ALL.into_iter().filter(|probe| runtime.probes.has(*probe)).map(Probe::as_str).collect();
            let own = match own.as_slice() {
                [] => "nothing of the kind".to_owned(),
                own => own.join(", "),
            };
            format!("There is no {} in {runtime}, which has {own}; {} have it.", kind.as_str(), others.join(", "))
        }
        LiveFault::NoRuntime(name) => {
            let names = runtimes();
            facts.insert("candidates".into(), names.clone().into());
            let instead = OtherLisp::named(name).map(|other| instead_of(other, skin) + " ").unwrap_or_default();
            format!("There is no runtime {:?}. {instead}Sessions can run: {}.", one_line(name, 60), names.join(", "))
        }
        LiveFault::BadTimeout { seconds, longest } => {
            let argument = if skin.is_client() { "timeout_seconds" } else { "--timeout" };
            format!("{argument} is {seconds}; it must be more than 0 and at most {longest}.")
        }
        LiveFault::TrialHeld => {
            "A trial's copy of the image is thrown away with its stack: leave out `trial` or `on_error`. To \
                                 try with the stack held: repl_control {\"action\": \"checkpoint\"}, repl_eval, then \
                                 {\"action\": \"rollback\"}."
                .to_owned()
        }
        LiveFault::Missing { action, argument, session } => {
            let (what, example) = match action {
                ReplAction::Restart => {
                    ("`restart`, a name or number from action restarts", r#""action": "restart", "restart": "ABORT""#)
                }
                _ => ("`code`", r#""action": "eval_in_frame", "frame": 0, "code": "(list x y)""#),
            };
            debug_assert!(what.contains(argument), "{argument} is not what {what} says");
            let example = template("repl_control", example, session, skin);
            format!("This action needs {what}{}.", example.map(|call| format!(": {call}")).unwrap_or_default())
        }
        LiveFault::NoAddress => format!(
            "attach needs the address of a running Swank, Slynk, nREPL or Emacs server{}. In a Common Lisp image, (swank:create-server \
             :dont-close t) starts one on that port; a file .nrepl-port in the project is found without it.",
            example(attach())
        ),
        LiveFault::BadAddress(why) => format!("{why}."),
        LiveFault::TwoRuntimes { asked, said } => {
            format!("The address says {said} and runtime says {asked}. Leave one of them out.")
        }
        LiveFault::JoinsNone(runtime) => format!(
            "A session on {runtime} starts its own images and joins none. Give runtime swank for a Common Lisp image with a Swank \
             or Slynk server, clojure for an nREPL server, or leave it out."
        ),
        LiveFault::WaitWithdrawn => "The wait was cancelled; the call goes on.".to_owned(),
        LiveFault::NotLoaded { path, module, session } => {
            let next = spoken(&NextCall::to("load_system").with("path", path.as_str()), skin);
            let call = next.as_ref().map(|call| format!(" Call {call}, then again.")).unwrap_or_default();
            facts.extend(next.map(|next| ("next".to_owned(), next.into())));
            format!(
                "{} defines {}, which is not loaded in session {session:?}.{call}",
                in_a_line(path),
                one_line(module, 200)
            )
        }
    };
    (message, facts)
}

/// The answer if there is no image, with the calls that start one.
fn no_image(why: &str, skin: Skin) -> String {
    let eval = Terms::of(skin).eval;
    let system = template("load_system", "\"system\": NAME", MAIN, skin);
    let path = template("load_system", "\"path\": FILE", MAIN, skin);
    let load = match (system, path) {
        (Some(system), Some(_)) => format!("Load the code with {system} or {{\"path\": FILE}}, or start"),
        (Some(call), None) | (None, Some(call)) => format!("Load the code with {call}, or start"),
        (None, None) => "Start".to_owned(),
    };
    format!("{why}, and the answer comes from a live image. {load} one with {eval}; then call again.")
}

/// The call that joins a server at Swank's default port.
fn attach() -> NextCall {
    NextCall::to("repl_control").with("action", "attach").with("address", format!("127.0.0.1:{SWANK_PORT}"))
}

/// The alternative to a Lisp that no session runs.
fn instead_of(other: OtherLisp, skin: Skin) -> String {
    match other {
        OtherLisp::Scheme => "Of the Schemes, Guile and Chez run here: runtime \"guile\", which also loads portable libraries of R6RS \
                              and R7RS, and \"chez\", for libraries of R6RS. Files of the others can be read, searched, checked and edited by form; run them with \
                              their own program."
            .to_owned(),
        OtherLisp::CommonLisp => {
            let joined = spoken(&attach(), skin);
            let joined = joined.map(|call| format!(" Any other that runs Swank or Slynk can be joined: {call}."));
            format!("Runtime \"common-lisp\" is the preferred one that is installed.{}", joined.unwrap_or_default())
        }
        OtherLisp::Clojure => {
            let attach = "\"action\": \"attach\", \"runtime\": \"clojure\", \"address\": \"127.0.0.1:PORT\"";
            let joined = template("repl_control", attach, MAIN, skin);
            let joined = joined.map(|call| format!("; a server that speaks nREPL can be joined: {call}"));
            format!("Runtime \"clojure\" starts what is installed{}.", joined.unwrap_or_default())
        }
        OtherLisp::EmacsLisp => "Runtime \"emacs\" runs Emacs Lisp.".to_owned(),
    }
}
