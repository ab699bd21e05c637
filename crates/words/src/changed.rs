//! Changes of several files: their diffs, one for each file.

use lispwright_syntax::{head, in_a_line};
use lispwright_tools::several::FileDiff;

use crate::rendering::{counted, first_names};

/// Characters of all diffs that are shown after a change.
const SHORT: usize = 3_000;

/// Characters of them that are shown before it.
const LONG: usize = 30_000;

/// Files that are named.
const MOST_NAMED: usize = 40;

/// Adds the diffs of the files, as far as there is room for them.
pub(crate) fn push_diffs(text: &mut String, files: &[FileDiff], dry_run: bool) {
    let mut room = if dry_run { LONG } else { SHORT };
    let mut hidden = Vec::new();
    for file in files {
        let path = in_a_line(&file.path);
        let new = if file.created { ", a new file" } else { "" };
        if room == 0 && !file.was_shown {
            hidden.push(format!("{path} ({})", file.changes));
            continue;
        }
        text.push_str(&format!("\n{path} ({}{new})", counted(file.changes, "place")));
        if file.was_shown {
            continue;
        }
        text.push('\n');
        let (shown, left) = head(&file.diff, room);
        text.push_str(shown.trim_end());
        room = room.saturating_sub(shown.chars().count());
        if left > 0 {
            room = 0;
            text.push_str(&format!("\n[{left} more characters of this diff are not shown]"));
        }
    }
    if !hidden.is_empty() {
        text.push_str(&format!("\n[The diffs of these files are not shown: {}]", first_names(&hidden, MOST_NAMED)));
    }
    push_linked(text, files);
}

/// Adds which files have other names.
pub(crate) fn push_linked(text: &mut String, files: &[FileDiff]) {
    let linked: Vec<&str> = files.iter().filter(|file| file.has_other_names).map(|file| file.path.as_str()).collect();
    if !linked.is_empty() {
        text.push_str(&format!(
            "\nThese files have other names (hard links), which keep the old text: {}.",
            first_names(&linked, MOST_NAMED)
        ));
    }
}
