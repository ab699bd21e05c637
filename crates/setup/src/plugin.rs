//! A plugin of ours that a client loads. It is the whole file, and is recognised as ours by the command that it runs.

use serde_json::json;

use crate::clients::Client;
use crate::ours;
use crate::{Entry, EntryResult};

/// The beginning of the line with the command.
const COMMAND: &str = "const COMMAND = ";

/// The text of the plugin with the command of `entry`.
pub(crate) fn install(text: &str, is_new: bool, source: &str, entry: &Entry<'_>) -> (Option<String>, EntryResult) {
    let words = command(text, entry.client);
    if words.is_none() && !is_new {
        return (None, EntryResult::Foreign);
    }
    let rest = ours::with_stats(words.as_ref().map_or(&[], |words| &words[3..]), entry.stats);
    let head = [entry.program, "hook", entry.client.name].map(str::to_owned);
    let line = format!("{COMMAND}{}", json!([&head[..], &rest].concat()));
    let now: String = source.split_inclusive('\n').map(|old| with(old, &line)).collect();
    let done = match words {
        _ if now == text => return (None, EntryResult::Already),
        Some(words) => EntryResult::Updated { from: words.join(" ") },
        None => EntryResult::Added,
    };
    (Some(now), done)
}

/// `None`, if the plugin is ours; otherwise its text.
pub(crate) fn remove(text: &str, client: &Client) -> (Option<String>, EntryResult) {
    match command(text, client) {
        Some(_) => (None, EntryResult::Removed),
        None => (Some(text.to_owned()), EntryResult::Foreign),
    }
}

/// `old`, or `line` in the place of the line with the command.
fn with(old: &str, line: &str) -> String {
    if old.starts_with(COMMAND) { format!("{line}\n") } else { old.to_owned() }
}

/// The words of the command that a plugin runs, if it is our hook for `client`.
fn command(text: &str, client: &Client) -> Option<Vec<String>> {
    let line = text.lines().find_map(|line| line.strip_prefix(COMMAND))?;
    let words: Vec<String> = serde_json::from_str(line).ok()?;
    let (program, arguments) = words.split_first()?;
    ours::argument_words(client, program, arguments.to_vec())
}
