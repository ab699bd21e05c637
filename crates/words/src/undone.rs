//! A change that was taken back, the changes that can be, and the reasons why one is not.

use std::path::Path;

use lispwright_project::{KeptChange, MovedOn, UndoRefusal};
use lispwright_syntax::in_a_line;
use lispwright_tools::NextCall;
use lispwright_tools::lisp_undo::{ChangeFacts, UndoAnswer};
use serde_json::{Map, Value, json};

use crate::Skin;
use crate::call::spoken;
use crate::changed::push_diffs;
use crate::rendering::{counted, first_names};

/// Files that are named.
const MOST_NAMED: usize = 8;

/// The answer: what was taken back, and how to go on.
pub(crate) fn text(done: &UndoAnswer, skin: Skin) -> String {
    if let Some(kept) = done.kept {
        return listed(&done.changes, kept);
    }
    let Some(change) = &done.undone else { return String::new() };
    let mut text = match done.dry_run {
        true => format!("Dry run, nothing was written: {} would be undone.", named(change)),
        false => format!("Undone: {}.", named(change)),
    };
    let removed = |path: &str| done.removed.iter().any(|gone| gone == path);
    let back: Vec<&str> = done.files.iter().map(|file| file.path.as_str()).filter(|path| !removed(path)).collect();
    if done.dry_run {
        let mut files = done.files.clone();
        files.retain(|file| !removed(&file.path));
        push_diffs(&mut text, &files, true);
    } else if !back.is_empty() {
        text.push_str(&format!(" As before: {}.", first_names(&back, MOST_NAMED)));
    }
    if !done.removed.is_empty() {
        let gone = if done.dry_run { "Would be removed" } else { "Removed" };
        text.push_str(&format!(" {gone}: {}.", first_names(&done.removed, MOST_NAMED)));
    }
    if !done.dry_run {
        text.push_str("\nOnce more makes it again");
        let further = done.earlier.as_ref().and_then(|earlier| Some((call(earlier.change, skin)?, earlier)));
        match further {
            Some((call, earlier)) => text.push_str(&format!("; {call} goes on to {}.", named(earlier))),
            None => text.push('.'),
        }
    }
    text
}

/// Adds how a change that was written is taken back, for a reader who has that call.
pub(crate) fn push_way_back(text: &mut String, skin: Skin) {
    if let Some(call) = spoken(&NextCall::to("lisp_undo"), skin) {
        text.push_str(&format!("\n{call} takes it back."));
    }
}

/// The call that takes a change back.
fn call(change: u64, skin: Skin) -> Option<String> {
    spoken(&NextCall::to("lisp_undo").with("change", change), skin)
}

fn listed(changes: &[ChangeFacts], kept: usize) -> String {
    if changes.is_empty() {
        return "No change is kept.".to_owned();
    }
    let lines: Vec<String> = changes
        .iter()
        .map(|change| {
            let age = ago(change.seconds_ago);
            let files = first_names(&change.files, MOST_NAMED);
            format!("{}  {}, {age}: {files}", change.change, in_a_line(&change.by))
        })
        .collect();
    let some = if lines.len() < kept { format!("{} of ", lines.len()) } else { String::new() };
    format!("{some}{}, the last first:\n{}", counted(kept, "change"), lines.join("\n"))
}

fn named(change: &ChangeFacts) -> String {
    let (by, age) = (in_a_line(&change.by), ago(change.seconds_ago));
    format!("change {} ({by}, {age}, {})", change.change, counted(change.files.len(), "file"))
}

fn kept(change: &KeptChange) -> String {
    let age = change.at.elapsed().map_or(0, |age| age.as_secs());
    let (by, age) = (in_a_line(&change.what), ago(age));
    format!("change {} ({by}, {age}, {})", change.number, counted(change.files.len(), "file"))
}

/// An age in its largest unit.
fn ago(seconds: u64) -> String {
    match seconds {
        0..5 => "just now".to_owned(),
        5..120 => format!("{seconds} s ago"),
        120..7_200 => format!("{} min ago", seconds / 60),
        7_200..172_800 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

/// A refusal: the change, what has moved on, and what to do instead.
pub(crate) fn refused(refusal: &UndoRefusal, root: &Path, skin: Skin) -> String {
    use UndoRefusal as R;
    match refusal {
        R::NothingKept => {
            format!("No change of files below {} is kept; nothing was undone.", in_a_line(&root.to_string_lossy()))
        }
        R::NoChange { number, kept: changes } => {
            let known = match changes.is_empty() {
                true => "none is kept".to_owned(),
                false => {
                    let numbers: Vec<String> = changes.iter().map(|change| change.number.to_string()).collect();
                    format!("kept: {}", first_names(&numbers, MOST_NAMED))
                }
            };
            format!("There is no change {number} ({known}).")
        }
        R::Others { change, own } => {
            let mut text =
                format!("The last change is that of another process at work: {}. Nothing was undone.", kept(change));
            for (change, whose) in [(Some(change), "that one"), (own.as_ref(), "your last one")] {
                if let Some(call) = change.and_then(|change| call(change.number, skin)) {
                    text.push_str(&format!(" {call} undoes {whose}."));
                }
            }
            text
        }
        R::TooLarge(change) => {
            format!("{} was too large to be kept whole; nothing was undone.", capital(&kept(change)))
        }
        R::MovedOn { change, files } => {
            let places: Vec<String> = files.iter().map(moved_on).collect();
            format!(
                "{} is not undone, nothing was written: {}.",
                capital(&kept(change)),
                first_names(&places, MOST_NAMED)
            )
        }
        R::Project(error) => in_a_line(&error.to_string()).into_owned(),
    }
}

fn moved_on(file: &MovedOn) -> String {
    let path = in_a_line(&file.path);
    match (&file.found, &file.expected) {
        _ if file.is_old => format!("{path} is as it was before"),
        (None, _) => format!("{path} is gone"),
        (Some(found), None) => format!("{path} is there again, with digest {found}"),
        (Some(found), Some(expected)) => {
            format!("{path} has changed since (digest {found}, {expected} after the change)")
        }
    }
}

/// The files that have moved on, as fields.
pub(crate) fn facts(refusal: &UndoRefusal) -> Map<String, Value> {
    let mut facts = Map::new();
    if let UndoRefusal::MovedOn { change, files } = refusal {
        let files: Vec<Value> = files
            .iter()
            .map(|file| json!({"path": file.path, "digest": file.found, "expected": file.expected}))
            .collect();
        facts.insert("change".into(), change.number.into());
        facts.insert("moved_on".into(), files.into());
    }
    facts
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undo_says_what_it_did_and_how_to_go_on() {
        let change = |change, by: &str, files: &[&str]| ChangeFacts {
            change,
            by: by.to_owned(),
            seconds_ago: 200,
            files: files.iter().map(|file| (*file).to_owned()).collect(),
        };
        let file = |path: &str| lispwright_tools::several::FileDiff { path: path.to_owned(), ..Default::default() };
        let mut done = UndoAnswer {
            undone: Some(change(12, "lisp_rewrite", &["a.lisp", "new.lisp"])),
            files: vec![file("a.lisp"), file("new.lisp")],
            removed: vec!["new.lisp".to_owned()],
            earlier: Some(change(11, "fmt", &["b.lisp"])),
            ..UndoAnswer::default()
        };
        assert_eq!(
            text(&done, Skin::Client),
            "Undone: change 12 (lisp_rewrite, 3 min ago, 2 files). As before: a.lisp. Removed: new.lisp.\n\
             Once more makes it again; lisp_undo {\"change\": 11} goes on to change 11 (fmt, 3 min ago, 1 file)."
        );
        assert!(
            text(&done, Skin::Shell).contains("lispwright undo --change 11 goes on"),
            "{}",
            text(&done, Skin::Shell)
        );
        done = UndoAnswer { kept: Some(100), changes: vec![change(11, "fmt", &["b.lisp"])], ..UndoAnswer::default() };
        assert_eq!(text(&done, Skin::Client), "1 of 100 changes, the last first:\n11  fmt, 3 min ago: b.lisp");
    }

    #[test]
    fn what_has_moved_on_is_named_with_its_digest() {
        let change = KeptChange {
            number: 3,
            what: "fmt".to_owned(),
            at: std::time::SystemTime::now(),
            process: 1,
            files: Vec::new(),
            is_cut: false,
        };
        let moved = MovedOn {
            path: "a.lisp".to_owned(),
            expected: Some("01".to_owned()),
            found: Some("02".to_owned()),
            is_old: false,
        };
        let files = vec![moved.clone(), MovedOn { found: None, ..moved.clone() }, MovedOn { is_old: true, ..moved }];
        let refusal = UndoRefusal::MovedOn { change: Box::new(change), files };
        let text = refused(&refusal, Path::new("/p"), Skin::Client);
        assert_eq!(
            text,
            "Change 3 (fmt, just now, 0 files) is not undone, nothing was written: a.lisp has changed since (digest 02, 01 \
             after the change), a.lisp is gone, a.lisp is as it was before."
        );
        assert_eq!(facts(&refusal)["moved_on"][0]["digest"], "02");
    }
}
