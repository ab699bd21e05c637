//! Files as wholes: a part of a text, a file that was written, a directory, the root of the project.

use lispwright_project::TakenBack;
use lispwright_syntax::{fenced, in_a_line};
use lispwright_tools::NextCall;
use lispwright_tools::fs_list_directory::{EntryFacts, ListAnswer};
use lispwright_tools::fs_project::{ProjectAnswer, RootBecame};
use lispwright_tools::fs_read_file::TextAnswer;
use lispwright_tools::fs_write_file::WriteAnswer;

use crate::call::spoken;
use crate::edited::{repaired_source, similar};
use crate::rendering::{counted, first_names};
use crate::terms::Terms;
use crate::{Rendering, Skin, linted};

/// A part of a text between fences.
pub(crate) fn text(answer: &TextAnswer, skin: Skin) -> String {
    let TextAnswer { content, offset, total, .. } = answer;
    let path = in_a_line(&answer.path);
    let shown = content.chars().count() as u64;
    let mut text = match (shown, answer.truncated || *offset > 0) {
        (0, _) if *total == 0 => format!("{path}: empty"),
        (0, _) => format!("{path}: {total} characters, and none from offset {offset} on"),
        (_, false) => format!("{path}: {total} characters\n{}", fenced(content)),
        (_, true) => {
            format!("{path}: characters {} to {} of {total}\n{}", offset + 1, offset + shown, fenced(content))
        }
    };
    if let (Some(next), Some(call)) = (answer.next_offset, &answer.next) {
        text.push_str(&format!("\n[{} of {total} characters are left.", total - next));
        if let Some(call) = spoken(call, skin) {
            text.push_str(&format!(" {call} goes on."));
        }
        text.push(']');
    }
    if answer.is_lisp && answer.truncated {
        let outline = NextCall::to("lisp_read_file").with("path", answer.path.as_str());
        if let Some(call) = spoken(&outline, skin) {
            text.push_str(&format!("\n[It is Lisp: {call} shows it by form.]"));
        }
    }
    text
}

/// What was written, and the repair.
pub(crate) fn wrote(answer: &WriteAnswer, skin: Skin) -> String {
    let path = in_a_line(&answer.path);
    let size = counted(answer.characters, "character");
    let mut text = answer.repair.as_ref().map_or(String::new(), |repair| repaired_source(repair, "content"));
    text.push_str(&match (answer.created, answer.changed, answer.dialect) {
        (true, _, Some(dialect)) => format!("Created {path}, {size}, {dialect}."),
        (true, _, None) => format!("Created {path}, {size}."),
        (false, true, _) => format!("Wrote {path}, {size}."),
        (false, false, _) => format!("{path} already reads so; nothing was written."),
    });
    if !answer.beside.is_empty() {
        text.push_str(&format!("\nIt is a new file.{}", similar(&answer.beside)));
    }
    if let Some(who) = answer.runs_later {
        text.push_str(&format!("\n[note] It runs outside of every sandbox: {who}. Tell the user what it does."));
    }
    if answer.has_other_names {
        text.push_str("\nThe file has other names (hard links), which keep the old text.");
    }
    linted::push_new(&mut text, &answer.new_problems);
    if answer.created && answer.dialect.is_some() {
        text.push_str(&format!("\nFrom now on, change it by form, with {}.", Terms::of(skin).edit));
    }
    text
}

/// Files of an interrupted change that are named.
const MOST_NAMED: usize = 5;

/// What became of a change of several files whose process ended.
pub(crate) fn taken_back(news: &TakenBack) -> String {
    let named = |files: &[String]| first_names(files, MOST_NAMED);
    let TakenBack { files, left } = news;
    let mut text = "An earlier change of several files was cut off when its process ended".to_owned();
    text.push_str(&match files.as_slice() {
        [] => ".".to_owned(),
        [file] => format!(", and was taken back: {} is as before.", in_a_line(file)),
        files => format!(", and was taken back: {} are as before.", named(files)),
    });
    if !left.is_empty() {
        text.push_str(&format!(" Left as found, because they were changed since: {}.", named(left)));
    }
    text
}

/// The entries of a directory, a line each.
pub(crate) fn listed(answer: &ListAnswer, skin: Skin) -> String {
    let mut text = match answer.count {
        1 => format!("1 entry in {}\n", in_a_line(&answer.path)),
        count => format!("{count} entries in {}\n", in_a_line(&answer.path)),
    };
    for EntryFacts { name, kind } in &answer.entries {
        let name = in_a_line(name);
        text.push_str(&match *kind {
            "directory" => format!("  {name}/\n"),
            "file" => format!("  {name}\n"),
            "link" => format!("  {name} (a link that leads nowhere, or out of the project)\n"),
            _ => format!("  {name} (no file)\n"),
        });
    }
    if let Some(call) = answer.next.as_ref().and_then(|call| spoken(call, skin)) {
        text.push_str(&format!("[More: {call}]\n"));
    }
    let left_out = [
        (answer.hidden > 0).then(|| counted(answer.hidden, "hidden one")),
        (answer.compiled > 0).then(|| counted(answer.compiled, "compiled file")),
    ];
    let left_out: Vec<String> = left_out.into_iter().flatten().collect();
    if !left_out.is_empty() {
        let verb = if answer.hidden + answer.compiled == 1 { "is" } else { "are" };
        text.push_str(&format!("[{} {verb} left out.", left_out.join(" and ")));
        if let Some(call) = spoken(&answer.with_hidden, skin).filter(|_| answer.hidden > 0) {
            text.push_str(&format!(" {call} shows the hidden ones."));
        }
        text.push_str("]\n");
    }
    text.truncate(text.trim_end().len());
    text
}

/// The root, or what became of it.
pub(crate) fn project(answer: &ProjectAnswer) -> String {
    let mut text = match &answer.status {
        Some(status) => format!("{status}\n"),
        None => format!("Project root: {}\n", in_a_line(&answer.project_root)),
    };
    if answer.became.is_none() {
        text.push_str(match answer.project_root_source {
            "env" => "Named by the environment of the server; it cannot be changed by a call.",
            "explicit" if answer.source == lispwright_project::RootSource::Explicit => {
                "Named on the command line of the server; it cannot be changed by a call."
            }
            "explicit" => "Named by a call.",
            "client" => "Named by the client.",
            _ => "Nobody has named it: it is the directory in which the server was started.",
        });
        text.push('\n');
    }
    if answer.roots.len() > 1 {
        text.push_str(&format!("Other directories: {}\n", answer.roots[1..].join(", ")));
    }
    text.push_str("Paths are relative to it, and code runs in it.");
    text
}

/// Adds the sentence about a root that was named by a call.
pub(crate) fn with_status(answer: &mut ProjectAnswer) {
    let root = in_a_line(&answer.project_root).into_owned();
    let before = answer.previous_root.as_deref().map(|before| format!(" It was {}.", in_a_line(before)));
    answer.status = answer.became.as_ref().map(|became| match became {
        RootBecame::Set => {
            format!("The project root is now {root}, for all clients of this server.{}", before.unwrap_or_default())
        }
        RootBecame::Same => format!("The project root is {root}, as before."),
        RootBecame::Around(below) => {
            format!(
                "The project root stays {root}. The named directory is inside it: its paths begin with {}/.",
                in_a_line(below)
            )
        }
    });
}

/// The line of the part of a text that another server gives it, without fences.
pub(crate) fn bare(answer: &TextAnswer, rendering: &mut Rendering) {
    let mut text = answer.content.clone();
    if let Some(next) = answer.next_offset {
        let shown = next - answer.offset;
        text.push_str(&format!(
            "\n\n[TRUNCATED: showing {shown} characters from offset {} on. Use offset={next} to read more.]",
            answer.offset
        ));
    }
    rendering.text = crate::rendering::visible(&text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(files: &[&str], left: &[&str]) -> String {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        taken_back(&TakenBack { files: owned(files), left: owned(left) })
    }

    #[test]
    fn what_was_taken_back_is_told_with_its_files() {
        assert_eq!(
            told(&["a.lisp"], &[]),
            "An earlier change of several files was cut off when its process ended, and was taken back: a.lisp is as before."
        );
        let many = ["a", "b", "c", "d", "e", "f", "g"];
        assert_eq!(
            told(&many, &["x.lisp"]),
            "An earlier change of several files was cut off when its process ended, and was taken back: a, b, c, d, e and 2 \
             more are as before. Left as found, because they were changed since: x.lisp."
        );
        assert_eq!(
            told(&[], &["x.lisp"]),
            "An earlier change of several files was cut off when its process ended. Left as found, because they were \
             changed since: x.lisp."
        );
    }
}
