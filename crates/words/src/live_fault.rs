//! What is wrong with calls about live images, in words.

use lispwright_syntax::in_a_line;
use lispwright_tools::image_text::one_line;
use lispwright_tools::{LiveFault, NextCall};
use serde_json::{Map, Value};

use crate::Skin;
use crate::call::spoken;

/// The message, and the facts that help as fields.
pub(crate) fn of(fault: &LiveFault, skin: Skin) -> (String, Map<String, Value>) {
    let example = |call: NextCall| spoken(&call, skin).map(|call| format!(": {call}")).unwrap_or_default();
    let mut facts = Map::new();
    let message = match fault {
        LiveFault::NoSymbol => "`symbol` is empty; give a name, such as foo, pkg:foo or (setf foo).".to_owned(),
        LiveFault::NoImage { of } => {
            facts.insert("next".into(), "load_system".into());
            no_image(&of.map_or_else(|| "No image runs".to_owned(), |of| format!("No image of {of} runs")))
        }
        LiveFault::NoImageOfSession { session, living } => {
            facts.insert("next".into(), "load_system".into());
            no_image(&format!("Session {session:?} has no image; these have one: {}", living.join(", ")))
        }
        LiveFault::SeveralImages(sessions) => {
            facts.insert("candidates".into(), sessions.clone().into());
            format!("Several images run: say which with `session`: {}.", sessions.join(", "))
        }
        LiveFault::NoKind { asked, kinds } => {
            facts.insert("candidates".into(), kinds.to_vec().into());
            format!("`kinds` has {asked:?}; there are: {}.", kinds.join(", "))
        }
        LiveFault::CodeOrPlace => format!(
            "Give either `code`, or `path` with `name` or `line`{}.",
            example(NextCall::to("macroexpand").with("code", "(when a b)"))
        ),
        LiveFault::Unbalanced { path } => {
            format!("{}: this form does not balance. lisp_check_parens shows likely fixes.", in_a_line(path))
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

/// Of an image that is not there, how one comes to be.
fn no_image(why: &str) -> String {
    format!(
        "{why}, and the answer comes from a live image. Load the code with load_system {{\"system\": NAME}} or {{\"path\": FILE}}, \
         or start one with repl_eval; then call again."
    )
}
