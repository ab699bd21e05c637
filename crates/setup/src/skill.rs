//! A skill of ours: a text that a client shows its model when a task fits its description. It is a whole file in a
//! directory of its own, `SKILL.md` with a header in YAML (<https://agentskills.io/specification>), and is recognised as
//! ours by a line.

use crate::{Entry, EntryResult};

/// The name of every skill file.
pub(crate) const FILE: &str = "SKILL.md";

/// The line by which a file is ours.
const MARK: &str =
    "<!-- Written by `lispwright setup`, which updates and removes it. Without this line, the file is yours. -->";

/// A text for a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skill<'e> {
    /// Its name: lower case letters and hyphens.
    pub name: &'e str,
    /// What it is about and when to use it: one line of at most 1,024 characters.
    pub description: &'e str,
    /// The text, as Markdown.
    pub text: &'e str,
}

/// The name of the skill, and of its directory, among those of others.
pub(crate) fn name(own: &str) -> String {
    format!("lispwright-{own}")
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

/// The text of a skill in a plugin.
pub(crate) fn text(skill: &Skill<'_>) -> String {
    text_with(skill, "")
}

/// The text of a skill, with `mark` before its body.
fn text_with(Skill { name: own, description, text }: &Skill<'_>, mark: &str) -> String {
    // A string of JSON is one of YAML.
    let description = serde_json::Value::from(*description);
    format!("---\nname: {}\ndescription: {description}\n---\n\n{mark}{text}", name(own))
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
        let skill = Skill { name: "repl", description: "How: \"try\".", text: "# Try\n" };
        let entry = Entry { client: Client::CODEX, program: "lispwright", stats: None, skill: Some(skill) };
        let (text, done) = install("", true, &entry);
        let text = text.unwrap_or_default();
        assert_eq!(done, EntryResult::Added);
        let header = "---\nname: lispwright-repl\ndescription: \"How: \\\"try\\\".\"\n---\n\n<!-- ";
        assert!(text.starts_with(header) && text.ends_with("-->\n\n# Try\n"), "{text}");
        assert_eq!(install(&text, false, &entry), (None, EntryResult::Already));
        let older = text.replace("# Try", "# Old");
        let (again, done) = install(&older, false, &entry);
        assert_eq!((again.as_ref(), done), (Some(&text), EntryResult::Updated { from: "another version".to_owned() }));
        assert_eq!(remove(&older), (None, EntryResult::Removed));
        let theirs = older.replace(MARK, "mine");
        assert_eq!(install(&theirs, false, &entry), (None, EntryResult::Foreign));
        assert_eq!(remove(&theirs), (Some(theirs.clone()), EntryResult::Foreign));
    }
}
