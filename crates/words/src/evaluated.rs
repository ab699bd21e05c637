//! The answer of an evaluation: output, warnings, values, or the way in which it failed.

use lispwright_runtime::{Ending, EvalReport, Node};
use lispwright_tools::eval_answer::{EvalAnswer, MOST_OUTPUT};
use lispwright_tools::image_text::one_line;
use lispwright_tools::{Aside, NextCall};
use serde_json::{Map, Value};

use crate::Skin;
use crate::aside::{notes, used_up};
use crate::call::{control, of_session, spoken, template};
use crate::ending;
use crate::notice::notice_line;
use crate::object::preview_text;
use crate::unbound;

/// The answer in words. Each kind of block has its title; each value has a line of its own.
pub(crate) fn text(answer: &EvalAnswer, skin: Skin) -> String {
    let report = &answer.report;
    let mut text = still_held_text(report, skin);
    block(&mut text, "[stdout]", &answer.stdout);
    block(&mut text, "[stderr]", &answer.stderr);
    block(&mut text, "[warnings]", &answer.told_warnings);
    text.push_str(&values_text(answer, "=> "));
    text.push_str(&rest_text(answer, skin));
    text
}

/// The values, each on a line after `mark`, and the number of the object.
pub(crate) fn values_text(answer: &EvalAnswer, mark: &str) -> String {
    let report = &answer.report;
    let mut text = earlier_text(report, answer.limit / 4);
    for value in &answer.values {
        text.push_str(mark);
        text.push_str(value);
        text.push('\n');
    }
    if matches!(&report.ending, Ending::Values(none) if none.is_empty()) {
        text.push_str("[no values]\n");
    }
    if let Some(object) = &report.object {
        text.push_str(&preview_text(object));
    }
    text
}

/// The failure, if it is one, and the notes.
pub(crate) fn rest_text(answer: &EvalAnswer, skin: Skin) -> String {
    let report = &answer.report;
    let mut text = ending::text(report, answer.code, skin);
    text.push_str(&unbound::text(&answer.unbound, skin));
    text.push_str(&notes(&Aside::from(report), skin));
    text.push_str(&kept_text(report, skin));
    text.push_str(&left_out_text(answer, skin));
    text.push_str(&further_elements(answer, skin));
    if answer.is_not_held {
        text.push_str("[note] Not held: the stack is exhausted, or ten are held already.\n");
    }
    text
}

/// Adds the notices and the message of a failure to the fields: an image has messages only for its own conditions.
pub(crate) fn add_fields(answer: &EvalAnswer, skin: Skin, fields: &mut Map<String, Value>) {
    let session = &answer.session;
    let mut notices: Vec<String> = answer.report.notices.iter().map(|notice| notice_line(notice, session)).collect();
    notices.extend(used_up(session, &answer.report.used_up, skin).filter(|_| answer.is_error()));
    if !notices.is_empty() {
        fields.insert("notices".into(), notices.into());
    }
    if !answer.is_error() {
        return;
    }
    let message = ending::message(&answer.report, skin);
    if let Some(Value::Object(error)) = fields.get_mut("error") {
        error.entry("message").or_insert_with(|| message.clone().into());
    }
    fields.insert("message".into(), message.into());
}

/// The values of the forms before the last, a line each, at most about `limit` characters.
fn earlier_text(report: &EvalReport, limit: usize) -> String {
    let mut text = String::new();
    let width = (limit / report.earlier.len().max(1)).clamp(40, 500);
    for (index, value) in &report.earlier {
        if text.len() > limit {
            text.push_str("[note] Values of further forms are left out.\n");
            break;
        }
        text.push_str(&format!("[form {index}] => {}\n", one_line(&value.text, width)));
    }
    text
}

/// The size of the omitted part, and the call that shows it.
fn left_out_text(answer: &EvalAnswer, skin: Skin) -> String {
    let goes_on = matches!(&answer.report.ending, Ending::Values(values) if values.iter().any(|value| value.cut));
    let how_much = match (answer.left_out, goes_on) {
        (None, false) => return String::new(),
        (None, true) => "The printed values go on".to_owned(),
        (Some(left_out), true) => format!("{left_out} characters are left out, and the printed values go on"),
        (Some(left_out), false) => format!("{left_out} characters are left out"),
    };
    let how = match (answer.are_values_cut, skin) {
        (true, Skin::Client | Skin::Surface(_)) => match answer.report.runtime.words.last_value {
            Some((variable, part)) => {
                let next = NextCall::to("repl_eval").with("code", part);
                let next = spoken(&next, skin).unwrap_or_default();
                format!("The value is in {variable}; for a part of it: {next}")
            }
            None => "Give the value a name and look at a part of it".to_owned(),
        },
        _ => "Print less, or to a file".to_owned(),
    };
    let more = if answer.limit < MOST_OUTPUT && skin.is_client() {
        format!(", or call with max_output_length up to {MOST_OUTPUT}")
    } else {
        String::new()
    };
    format!("[note] {how_much}. {how}{more}.\n")
}

/// The call that shows the elements of the value that were not printed.
fn further_elements(answer: &EvalAnswer, skin: Skin) -> String {
    let Some(Node { kind, id: Some(id), total: Some(total), .. }) = &answer.report.object else { return String::new() };
    let Some(printed) = answer.print_length.filter(|printed| *total > u64::from(*printed)) else {
        return String::new();
    };
    let call = NextCall::to("inspect_object").with("id", *id).with("offset", printed);
    let Some(call) = spoken(&of_session(call, &answer.session), skin) else { return String::new() };
    if !matches!(kind.as_str(), "list" | "array" | "vector") {
        return String::new();
    }
    format!("[note] {printed} of {total} elements are printed; the next: {call}; or call with print_length.\n")
}

/// The stack of this answer is held.
fn is_kept(report: &EvalReport) -> bool {
    match &report.ending {
        Ending::Error { error, .. } => error.kept,
        Ending::Stopped { kept, .. } => *kept,
        _ => false,
    }
}

/// The first line if an earlier error is still held.
fn still_held_text(report: &EvalReport, skin: Skin) -> String {
    let below = report.held - u32::from(is_kept(report) && report.held > 0);
    let Some(abort) = control(&report.session, "abort", skin).filter(|_| below > 0) else { return String::new() };
    let held = if below == 1 { "1 error is".to_owned() } else { format!("{below} errors are") };
    format!("[held] {held} held beneath this; it ran on top. To leave: {abort}, or take one of its restarts.\n")
}

/// The calls for a stack that is held now.
fn kept_text(report: &EvalReport, skin: Skin) -> String {
    let call = template("repl_control", "\"action\": A", &report.session, skin);
    let Some(call) = call.filter(|_| is_kept(report)) else { return String::new() };
    format!(
        "[held] The stack is kept (level {}). {call} with A = frames, locals or eval_in_frame (\"frame\": N) to look, restart \
         (\"restart\": NAME, \"code\": its values) to go on, abort to give up.\n",
        report.held
    )
}

/// Adds printed text under its title.
pub(crate) fn block(text: &mut String, title: &str, body: &str) {
    if !body.is_empty() {
        text.push_str(title);
        text.push('\n');
        text.push_str(body.trim_end_matches('\n'));
        text.push('\n');
    }
}
