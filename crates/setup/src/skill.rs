//! Our skill: a text that a client shows its model when a task fits its description. It is a directory of its own with
//! `SKILL.md`, which has a header in YAML (<https://agentskills.io/specification>), and the pages that this one names. Each
//! file is recognised as ours by a line.

use crate::{Entry, EntryResult};

/// The directory of the skill.
pub(crate) const DIRECTORY: &str = "lispwright";

/// The directories of skills that earlier versions wrote, each with one file.
pub(crate) const EARLIER: [&str; 6] = [
    "lispwright-repl-common-lisp",
    "lispwright-repl-scheme",
    "lispwright-repl-racket",
    "lispwright-repl-clojure",
    "lispwright-repl-emacs-lisp",
    "lispwright-delimiter-guard",
];

/// The file in each of them.
pub(crate) const EARLIER_FILE: &str = "SKILL.md";

/// The line by which a file is ours.
const MARK: &str =
    "<!-- Written by `lispwright setup`, which updates and removes it. Without this line, the file is yours. -->";

/// A file of the skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skill<'e> {
    /// Its name.
    pub file: &'e str,
    /// What the skill is about and when to use it: one line of at most 1,024 characters. The file `SKILL.md` has it, the
    /// pages beside it have none.
    pub description: Option<&'e str>,
    /// The text, as Markdown.
    pub text: &'e str,
}

pub(crate) fn install(text: &str, is_new: bool, entry: &Entry<'_>) -> (Option<String>, EntryResult) {
    let Some(skill) = &entry.skill else { return (None, EntryResult::Absent) };
    let now = text_with(skill, &format!("{MARK}\n\n"));
    match text {
        _ if is_new => (Some(now), EntryResult::Added),
        _ if now == text => (None, EntryResult::Already),
        _ if is_ours(text) => (Some(now), EntryResult::Updated { from: "another version".to_owned() }),
        _ => (None, EntryResult::Foreign),
    }
}

/// The text of a file in a plugin.
pub(crate) fn text(skill: &Skill<'_>) -> String {
    text_with(skill, "")
}

/// The text of a file, with `mark` before its body.
fn text_with(Skill { description, text, .. }: &Skill<'_>, mark: &str) -> String {
    match description {
        // A string of JSON is one of YAML.
        Some(description) => {
            let description = serde_json::Value::from(*description);
            format!("---\nname: {DIRECTORY}\ndescription: {description}\n---\n\n{mark}{text}")
        }
        None => format!("{mark}{text}"),
    }
}

/// `None`, if the skill is ours; otherwise its text.
pub(crate) fn remove(text: &str) -> (Option<String>, EntryResult) {
    if is_ours(text) { (None, EntryResult::Removed) } else { (Some(text.to_owned()), EntryResult::Foreign) }
}

fn is_ours(text: &str) -> bool {
    text.lines().any(|line| line == MARK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Client;

    #[test]
    fn a_skill_is_written_updated_and_removed_and_no_other_is_touched() {
        let skill = Skill { file: "SKILL.md", description: Some("How: \"try\"."), text: "# Try\n" };
        let entry = Entry { client: Client::CODEX, program: "lispwright", stats: None, skill: Some(skill) };
        let (text, done) = install("", true, &entry);
        let text = text.unwrap_or_default();
        assert_eq!(done, EntryResult::Added);
        let header = "---\nname: lispwright\ndescription: \"How: \\\"try\\\".\"\n---\n\n<!-- ";
        assert!(text.starts_with(header) && text.ends_with("-->\n\n# Try\n"), "{text}");
        assert_eq!(install(&text, false, &entry), (None, EntryResult::Already));
        let older = text.replace("# Try", "# Old");
        let (again, done) = install(&older, false, &entry);
        assert_eq!((again.as_ref(), done), (Some(&text), EntryResult::Updated { from: "another version".to_owned() }));
        assert_eq!(remove(&older), (None, EntryResult::Removed));
        let page = Entry { skill: Some(Skill { file: "try.md", description: None, ..skill }), ..entry };
        let (text, _) = install("", true, &page);
        assert!(text.is_some_and(|text| text.starts_with("<!-- ") && text.ends_with("-->\n\n# Try\n")));
        let theirs = older.replace(MARK, "mine");
        assert_eq!(install(&theirs, false, &entry), (None, EntryResult::Foreign));
        assert_eq!(remove(&theirs), (Some(theirs.clone()), EntryResult::Foreign));
    }
}
