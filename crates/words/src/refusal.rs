//! Refusals in words (the place, the reason, the next call), and their facts as fields.

mod sentence;
mod text;

use lispwright_syntax::{Dialect, in_a_line};
use lispwright_tools::eval_answer::EvalAnswer;
use lispwright_tools::offers::NotAccepted;
use lispwright_tools::{NextCall, Refusal};
use serde_json::{Map, Value};

use crate::arguments;
use crate::call::{control, spoken};
use crate::configuration::configuration;
use crate::rendering::visible;
use crate::terms::Terms;
use crate::{
    Rendering, Skin, batched, documented, edited, evaluated, live_fault, renamed, rewritten, session_refused,
    signature, undone,
};

/// A refusal in words, and as a document: code, message, whether to try again, and facts that help.
pub(crate) fn render(refusal: &Refusal, skin: Skin) -> Rendering {
    if let Refusal::Unanswered(answer) = refusal {
        return unanswered(answer, skin);
    }
    let (message, facts) = said(refusal, skin);
    let mut rendering = refused(refusal.code(), &message);
    rendering.fields.insert("retryable".into(), refusal.is_retryable().into());
    if refusal.is_before_running() {
        rendering.fields.insert("execution_status".into(), "not-executed".into());
    }
    rendering.fields.extend(facts);
    rendering
}

/// A refusal with this message, which a retry does not change; `code` is one of the stable codes of the contract.
#[must_use]
pub fn refused(code: &str, message: &str) -> Rendering {
    let text = visible(message);
    let fields = [("code", code.into()), ("message", text.as_str().into()), ("retryable", false.into())];
    let fields = fields.map(|(name, value): (&str, Value)| (name.to_owned(), value));
    Rendering { fields: Map::from_iter(fields), text, is_error: true }
}

/// The sentence, and the facts beside it.
fn said(refusal: &Refusal, skin: Skin) -> (String, Map<String, Value>) {
    let Terms { dialect, again, .. } = Terms::of(skin);
    let sentence = match refusal {
        Refusal::Text { path, fault } => return text::said(path, fault, skin),
        Refusal::File(error) => return (in_a_line(&error.to_string()).into_owned(), named(error.candidates())),
        Refusal::NoFile(error) => return (no_file(error, skin), named(error.candidates())),
        Refusal::NoRoot(error) => return (no_root(error, skin), named(error.candidates())),
        Refusal::Live(fault) => return live_fault::of(fault, skin),
        Refusal::Session(error) => return session_refused::session(error, skin),
        Refusal::Image { refusal, session } => return session_refused::image(refusal, session, skin),
        Refusal::NotOffered { runtime, operation } => session_refused::not_offered(*runtime, *operation, skin),
        Refusal::Unanswered(answer) => evaluated::text(answer, skin),
        Refusal::Arguments { tool, faults, takes } => {
            let said: Vec<String> = faults.iter().map(arguments::sentence).collect();
            return (arguments::text(tool, faults, takes), Map::from_iter([("faults".to_owned(), said.into())]));
        }
        Refusal::LispExists { path } => lisp_exists(path, skin),
        Refusal::RootIsNamed { asked, root, source } => format!(
            "{}: the project root is {}, which {source} has settled when the server was started; no call leaves it. Name a \
             directory inside it, or have the person start the server with --root DIR.",
            in_a_line(asked),
            in_a_line(root)
        ),
        Refusal::RootIsShared { asked, root } => format!(
            "{}: other clients of this server work in {}, and their paths would lead elsewhere. Have the person start a \
             server of its own for it, with --root DIR.",
            in_a_line(asked),
            in_a_line(root)
        ),
        Refusal::RootHasImages { asked, root, images } => {
            let end = control(&images[0], "kill", skin);
            let end = end.map(|call| format!(", each with a call such as {call}")).unwrap_or_default();
            format!(
                "{}: images run in {}: {}. Their state would be lost. End them first{end}, then call again.",
                in_a_line(asked),
                in_a_line(root),
                images.join(", ")
            )
        }
        Refusal::Misfit { why } => format!("The arguments do not fit: {why}. Correct them and {again}."),
        Refusal::ExactlyOne { arguments: [one, other], has_both } => {
            let given = if *has_both { "both were given" } else { "neither was given" };
            format!("The call takes either `{one}` or `{other}`; {given}. Pass exactly one.")
        }
        Refusal::BadPattern { argument, why, column } => {
            let at = column.map_or(String::new(), |column| format!(", at character {column}"));
            format!("`{argument}` is not understood{at}: {why}. Correct it and {again}.")
        }
        Refusal::Undocumented(unknown) => return (documented::undocumented(unknown, skin), named(&unknown.nearest)),
        Refusal::NoDialect { given } => {
            format!("{dialect} is {given:?}; use one of {}.", Dialect::ALL.map(Dialect::name).join(", "))
        }
        // Its name is that of a Lisp file, so its first line is the reason.
        Refusal::NotLisp { path, .. } if Dialect::detect(path, b"").is_some() => format!(
            "{}: its #lang line names a notation of its own, such as @-forms, which is not read by form. Edit it as plain text.",
            in_a_line(path)
        ),
        Refusal::NotLisp { path, may_be_said } => {
            let instead = match may_be_said {
                true => format!("Say with {dialect} which one it is"),
                false => "Edit it as plain text, or give it a mode line such as ;;; -*- Mode: Lisp -*-".to_owned(),
            };
            let path = in_a_line(path);
            format!("{path}: not known to be Lisp, neither by its extension nor by its first lines. {instead}.")
        }
        Refusal::NoRuntime { path, dialect } => format!(
            "{}: {dialect} has no live image here: its files are read, edited and checked, and not run.",
            in_a_line(path)
        ),
        Refusal::Rename { symbol, refusal, root } => {
            let facts = renamed::facts(refusal, root);
            return (renamed::refused(symbol, refusal, root, skin), facts);
        }
        Refusal::Signature { symbol, refusal, root } => {
            return (signature::refused(symbol, refusal, root, skin), signature::facts(refusal, root));
        }
        Refusal::Rewrite(refusal) => return (rewritten::refused(refusal, skin), rewritten::facts(refusal)),
        Refusal::Undo { refusal, root } => return (undone::refused(refusal, root, skin), undone::facts(refusal)),
        Refusal::InBatch { edit, edits, refusal, others } => {
            let (sentence, facts) = said(refusal, skin);
            let others = others.as_ref().and_then(|others| text::make_the_others(others, *edits, skin));
            let others = others.unwrap_or_default();
            return (format!("Edit {edit} of {edits}: {sentence}\nNone of the edits was made.{others}"), facts);
        }
        Refusal::NotAccepted(NotAccepted::Unknown { given, known }) => {
            let known =
                if known.is_empty() { "none is kept".to_owned() } else { format!("kept: {}", known.join(", ")) };
            format!(
                "There is no candidate {} ({known}; each for 20 minutes). Send the edit with its source again.",
                in_a_line(given)
            )
        }
        Refusal::NotAccepted(NotAccepted::Changed { name, path }) => format!(
            "{}: the file has changed since {name} was offered; nothing was written. Look at it, and send the edit with its \
             source again.",
            in_a_line(path)
        ),
        Refusal::NotVerified { verification, left, repaired } => {
            let mut text = batched::not_verified(verification, left, skin);
            for (path, operation, mended) in repaired {
                let repaired = edited::repaired(mended, *operation, skin);
                text.push_str(&format!("\n{}: the new source had been {}", in_a_line(path), repaired.trim_end()));
            }
            text
        }
        Refusal::OtherCount { expected, found } => rewritten::other_count(*expected, *found, skin),
        Refusal::NoMention { given, known } => {
            format!("`also` has {given:?}; the kinds of mentions are {}, all.", known.join(", "))
        }
        Refusal::ChangedMeanwhile { path } => format!(
            "{}: the file has changed while the change was being planned; nothing was written. Try again.",
            in_a_line(path)
        ),
        Refusal::Configuration(bad) => format!("{}\nCorrect that file, or remove it, and {again}.", configuration(bad)),
        Refusal::Ended { why } => format!("The operation ended early: {why}. The files are as they were."),
        Refusal::Broke { tool, what } => format!(
            "{tool} failed inside the server ({what}). This is a fault of lispwright, not of the call; the server goes on. \
             Before trying again, look at the file or session that the call was to change; report the fault with the arguments."
        ),
    };
    (sentence, Map::new())
}

/// The refusal to overwrite a Lisp file, with what to use.
fn lisp_exists(path: &str, skin: Skin) -> String {
    let Terms { edit, patch, .. } = Terms::of(skin);
    let outline = spoken(&NextCall::to("lisp_read_file").with("path", path), skin);
    let outline = outline.map(|call| format!(" {call} shows its forms.")).unwrap_or_default();
    format!(
        "{}: a Lisp file that is there is not overwritten as a whole, nothing was written. Change it by form, with {edit} or \
         {patch}.{outline}",
        in_a_line(path)
    )
}

/// A call that its image did not answer.
fn unanswered(answer: &EvalAnswer, skin: Skin) -> Rendering {
    let mut fields = answer.document();
    evaluated::add_fields(answer, skin, &mut fields);
    Rendering { text: evaluated::text(answer, skin).trim_end().to_owned(), fields, is_error: true }
}

/// Similar names, as a field.
fn named(candidates: &[String]) -> Map<String, Value> {
    let mut facts = Map::new();
    if !candidates.is_empty() {
        facts.insert("candidates".into(), candidates.to_vec().into());
    }
    facts
}

/// The refusal of a missing file, with the call that makes a new one.
fn no_file(error: &lispwright_project::Error, skin: Skin) -> String {
    let mut message = in_a_line(&error.to_string()).into_owned();
    if !message.ends_with('?') {
        message.push('.');
    }
    message.push_str(&format!(" {} makes a new file.", Terms::of(skin).append));
    message
}

/// The refusal of a server without a project.
fn no_root(error: &lispwright_project::Error, skin: Skin) -> String {
    let by_call = match skin {
        Skin::Surface(_) => spoken(&NextCall::to("fs_set_project_root").with("path", "DIR"), skin),
        Skin::Client | Skin::Shell => None,
    };
    let by_call = by_call.map(|call| format!(" Or call {call}.")).unwrap_or_default();
    format!(
        "No project: {}. That is an argument of this server in the client's configuration, where the person adds it: \
         {{\"args\": [\"mcp\", \"--root\", \"DIR\"]}}.{by_call}",
        in_a_line(&error.to_string()).trim_end_matches('.')
    )
}
