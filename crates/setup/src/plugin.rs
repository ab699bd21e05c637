//! A program of ours that a client loads: it is the whole file, and ours by the command it runs.

use serde_json::json;

use crate::clients::Client;
use crate::ours;
use crate::{Entry, EntryResult};

/// What the line with the command begins with.
const COMMAND: &str = "const COMMAND = ";

/// The program, running the hook as `entry` says.
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

/// No program, when it is ours.
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

/// The words of the command that a program runs, when it is our hook for `client`.
fn command(text: &str, client: &Client) -> Option<Vec<String>> {
    let line = text.lines().find_map(|line| line.strip_prefix(COMMAND))?;
    let words: Vec<String> = serde_json::from_str(line).ok()?;
    let (program, arguments) = words.split_first()?;
    ours::argument_words(client, program, arguments.to_vec())
}
