//! The effect of an edit or a patch.

use lispwright_syntax::{head, in_a_line};
use lispwright_tools::lisp_edit_form::{Done, EditAnswer, RepairFacts};

use crate::rendering::first_names;
use crate::terms::Terms;
use crate::{Skin, batched, fix, linted, note};

/// Characters of the diff that are shown after an edit, if its author asked for it.
const SHORT_DIFF: usize = 10_000;

/// Characters of it that are shown after a deletion, whose author has not sent the text.
const DELETED: usize = 600;

/// Characters of it that are shown before an edit.
const LONG_DIFF: usize = 10_000;

/// Files that are named.
const MOST_NAMED: usize = 3;

/// Adds a sentence for each remark.
pub(crate) fn with_notes(done: &mut EditAnswer, skin: Skin) {
    done.notes = done.remarks.iter().map(|remark| note::sentence(remark, Terms::of(skin))).collect();
    if done.has_other_names {
        done.notes.push("The file has other names (hard links), which keep the old text.".to_owned());
    }
}

/// The answer: the repair, the change and its place, the notes. What the author has sent is not said again.
pub(crate) fn text(done: &EditAnswer, skin: Skin) -> String {
    let label = if done.label.is_empty() { "the form" } else { &done.label };
    let shown = in_a_line(&done.path);
    let place = match (done.start_line, done.end_line) {
        (Some(first), Some(last)) if first == last => format!("{shown}:{first}"),
        (Some(first), Some(last)) => format!("{shown}:{first}-{last}"),
        _ => shown.into_owned(),
    };
    let digest = done.digest.as_ref().map_or(String::new(), |digest| format!(", digest {digest}"));
    let mut text = done.repair.as_ref().map_or(String::new(), |mended| repaired(mended, done.operation, skin));
    text.push_str(&match (done.would_change, done.dry_run) {
        (false, _) => format!("{place}: {label} already reads so; nothing was written{digest}."),
        (true, true) => {
            format!("Dry run of {}, nothing was written. {place}: {label}{digest}.", name(done.operation))
        }
        (true, false) => format!("{} {label} in {place}{digest}.", did(done.operation)),
    });
    for note in &done.notes {
        text.push('\n');
        text.push_str(note);
    }
    if done.created {
        text.push_str(&format!("\n{} is a new file.{}", in_a_line(&done.path), similar(&done.beside)));
    }
    linted::push_new(&mut text, &done.new_problems);
    batched::push_verified(&mut text, done.verification.as_deref(), skin);
    let room = match (done.dry_run, done.shows_diff) {
        (true, _) => LONG_DIFF,
        (false, true) => SHORT_DIFF,
        (false, false) if done.operation == Done::Delete => DELETED,
        (false, false) => return text,
    };
    let (diff, left) = head(&done.diff, room);
    if !diff.is_empty() {
        text.push('\n');
        text.push_str(diff.trim_end());
    }
    if left > 0 {
        text.push_str(&format!("\n[{left} more characters of the diff are not shown; read the form to see it]"));
    }
    text
}

/// The existing files whose names resemble that of a new one.
pub(crate) fn similar(beside: &[String]) -> String {
    match beside {
        [] => String::new(),
        beside => format!(" Of a similar name: {}.", first_names(beside, MOST_NAMED)),
    }
}

/// One of several edits, in a line.
pub(crate) fn line(done: &EditAnswer, skin: Skin) -> String {
    let place = match done.start_line {
        Some(line) => format!("{}:{line}", in_a_line(&done.path)),
        None => in_a_line(&done.path).into_owned(),
    };
    let mut text = done.repair.as_ref().map_or(String::new(), |mended| repaired(mended, done.operation, skin));
    let digest = done.digest.as_ref().map_or(String::new(), |digest| format!(", digest {digest}"));
    let what = if done.would_change { did(done.operation) } else { "Unchanged:" };
    text.push_str(&format!("  {what} {} in {place}{digest}", done.label));
    let notes = done.remarks.iter().map(|remark| note::sentence(remark, Terms::of(skin)));
    notes.for_each(|note| text.push_str(&format!("\n    {note}")));
    text
}

fn name(operation: Done) -> &'static str {
    match operation {
        Done::Replace => "replace",
        Done::InsertBefore => "insert_before",
        Done::InsertAfter => "insert_after",
        Done::Append => "append",
        Done::Delete => "delete",
        Done::Patch => "patch",
    }
}

fn did(operation: Done) -> &'static str {
    match operation {
        Done::Replace => "Replaced",
        Done::InsertBefore => "Inserted before",
        Done::InsertAfter => "Inserted after",
        Done::Append => "Appended",
        Done::Delete => "Deleted",
        Done::Patch => "Patched",
    }
}

/// The repair, for the beginning of an answer: every line before and after, and the evidence.
pub(crate) fn repaired(mended: &RepairFacts, operation: Done, skin: Skin) -> String {
    let what = match skin {
        _ if operation == Done::Patch => "the new text (lines of the patched file)",
        Skin::Surface(_) => Terms::of(skin).content.trim_matches('`'),
        Skin::Client | Skin::Shell => "content",
    };
    repaired_source(mended, what)
}

/// The repair of a source that is called `what`.
pub(crate) fn repaired_source(mended: &RepairFacts, what: &str) -> String {
    let lines: Vec<String> = mended.lines.iter().map(|change| change.line.to_string()).collect();
    let noun = if lines.len() == 1 { "line" } else { "lines" };
    let shown = mended.lines.iter().map(|change| (change.line, change.before.as_str(), change.after.as_str()));
    let shown = fix::diff(shown);
    format!("repaired: {what}, {noun} {}: {}.{shown}\n", lines.join(", "), mended.evidence.join("; "))
}
