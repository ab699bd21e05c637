//! Our server and our hooks in a client's JSON file.

use jsonc_parser::ast::{Array, Object, StringLit, Value};
use jsonc_parser::common::Ranged as _;
use serde_json::json;

use crate::clients::{Client, EntryForm};
use crate::fault::SetupFault;
use crate::json::{Json, JsonStep, string};
use crate::ours;
use crate::{Entry, EntryResult, SERVER};

const HOOKS: &str = "hooks";

/// The text with our server in it.
pub(crate) fn install_server(text: &str, entry: &Entry<'_>) -> Result<(Option<String>, EntryResult), SetupFault> {
    let json = Json::parse(text, entry.client.reads_comments)?;
    let Some(root) = root(&json, text)? else {
        return Ok((Some(json.insert(&[], &server_steps(entry.client), &server(entry))), EntryResult::Added));
    };
    let Some((at, servers)) = member_object(text, root, entry.client.servers)? else {
        return Ok((Some(json.insert(&[], &server_steps(entry.client), &server(entry))), EntryResult::Added));
    };
    let mut taken = false;
    for member in &servers.properties {
        if let Some(command) = server_command(&member.value) {
            return Ok(put_command(text, command, entry.program));
        }
        taken |= member.name.as_str() == SERVER;
    }
    if taken {
        return Ok((None, EntryResult::Foreign));
    }
    Ok((Some(json.insert(&[at], &server_steps(entry.client)[1..], &server(entry))), EntryResult::Added))
}

/// The text without our server; `None` if nothing else was in the file.
pub(crate) fn remove_server(text: &str, client: &Client) -> Result<(Option<String>, EntryResult), SetupFault> {
    let json = Json::parse(text, client.reads_comments)?;
    let Some(root) = root(&json, text)? else { return Ok((Some(text.to_owned()), EntryResult::Absent)) };
    let Some((at, servers)) = member_object(text, root, client.servers)? else {
        return Ok((Some(text.to_owned()), EntryResult::Absent));
    };
    let ours = || servers.properties.iter().enumerate().filter(|(_, member)| server_command(&member.value).is_some());
    if let Some((index, _)) = ours().find(|(_, member)| persons(&member.value).is_none()) {
        return Ok((json.remove(&[at, index]), EntryResult::Removed));
    }
    match ours().find_map(|(_, member)| persons(&member.value)) {
        Some(more) => Ok((Some(text.to_owned()), EntryResult::Kept { more })),
        None if servers.properties.iter().any(|member| member.name.as_str() == SERVER) => {
            Ok((Some(text.to_owned()), EntryResult::Foreign))
        }
        None => Ok((Some(text.to_owned()), EntryResult::Absent)),
    }
}

/// The text with our hook for `event` in it.
pub(crate) fn install_hook(
    text: &str,
    event: &str,
    entry: &Entry<'_>,
) -> Result<(Option<String>, EntryResult), SetupFault> {
    let json = Json::parse(text, entry.client.reads_comments)?;
    let steps = [JsonStep::Member(HOOKS), JsonStep::Member(event), JsonStep::Element];
    let Some(root) = root(&json, text)? else {
        return Ok((Some(json.insert(&[], &steps, &hook(event, entry))), EntryResult::Added));
    };
    let Some((at, hooks)) = member_object(text, root, HOOKS)? else {
        return Ok((Some(json.insert(&[], &steps, &hook(event, entry))), EntryResult::Added));
    };
    let Some((event_at, groups)) = member_array(text, hooks, event)? else {
        return Ok((Some(json.insert(&[at], &steps[1..], &hook(event, entry))), EntryResult::Added));
    };
    match find_hook(groups, event, entry.client) {
        Some(found) => {
            if let Some(matcher) = found.earlier_matcher(entry.client) {
                let (text, _) = put(text, matcher, matcher_of(event, entry.client));
                let (newer, done) = install_hook(&text, event, entry)?;
                let from = match done {
                    EntryResult::Updated { from } => from,
                    _ => matcher.value.to_string(),
                };
                return Ok((Some(newer.unwrap_or(text)), EntryResult::Updated { from }));
            }
            let rest = ours::with_stats(found.rest(), entry.stats);
            let command = if found.has_arguments {
                // The program and its arguments are separate; there is no command line for a shell.
                if rest != found.rest() {
                    return Err(SetupFault::spelling(text, found.command.start(), "our hook"));
                }
                entry.program.to_owned()
            } else {
                ours::hook_command(entry.client, entry.program, &rest)
            };
            let same = !found.has_arguments && found.words[0] == entry.program && rest == found.rest();
            if same { Ok((None, EntryResult::Already)) } else { Ok(put_command(text, found.command, &command)) }
        }
        None => Ok((Some(json.insert(&[at, event_at], &steps[2..], &hook(event, entry))), EntryResult::Added)),
    }
}

/// The text without one hook of ours for `event`; `None` if nothing else was in the file.
pub(crate) fn remove_hook(
    text: &str,
    event: &str,
    client: &Client,
) -> Result<(Option<String>, EntryResult), SetupFault> {
    let json = Json::parse(text, client.reads_comments)?;
    let absent = || Ok((Some(text.to_owned()), EntryResult::Absent));
    let Some(root) = root(&json, text)? else { return absent() };
    let Some((at, hooks)) = member_object(text, root, HOOKS)? else { return absent() };
    let Some((event_at, groups)) = member_array(text, hooks, event)? else { return absent() };
    let Some(found) = find_hook(groups, event, client) else { return absent() };
    let path = [at, event_at, found.group, found.hooks_at, found.index];
    // If the group has no other hook, it is removed as a whole.
    Ok((json.remove(if found.alone { &path[..3] } else { &path }), EntryResult::Removed))
}

fn server_steps(client: &Client) -> [JsonStep<'static>; 2] {
    [JsonStep::Member(client.servers), JsonStep::Member(SERVER)]
}

fn server(entry: &Entry<'_>) -> String {
    let program = string(entry.program);
    match entry.client.entry {
        EntryForm::Plain | EntryForm::Extension | EntryForm::Listed => {
            format!("{{\"command\": {program}, \"args\": [\"mcp\"]}}")
        }
        EntryForm::Typed => format!("{{\"type\": \"stdio\", \"command\": {program}, \"args\": [\"mcp\"]}}"),
        EntryForm::OneList => format!("{{\"type\": \"local\", \"command\": [{program}, \"mcp\"]}}"),
    }
}

/// The regular expression for the tools of `event`.
fn matcher_of(event: &str, client: &Client) -> &'static str {
    let events = client.hooks.events;
    events.iter().find(|(known, _)| *known == event).map_or("", |(_, matcher)| matcher)
}

fn hook(event: &str, entry: &Entry<'_>) -> String {
    let hooks = &entry.client.hooks;
    let command = ours::hook_command(entry.client, entry.program, &ours::with_stats(&[], entry.stats));
    format!(
        "{{\"matcher\": {}, \"hooks\": [{{\"type\": \"command\", \"command\": {}, \"timeout\": {}}}]}}",
        string(matcher_of(event, entry.client)),
        string(&command),
        json!(hooks.timeout)
    )
}

/// The same as a value, for a command line.
pub(crate) fn hook_value(event: &str, client: &Client, command: &str) -> serde_json::Value {
    let hook = json!({ "type": "command", "command": command, "timeout": client.hooks.timeout });
    json!({ "matcher": matcher_of(event, client), "hooks": [hook] })
}

/// The text with `new` in the place of a string, unless that is already its value.
fn put_command(text: &str, old: &StringLit<'_>, new: &str) -> (Option<String>, EntryResult) {
    if old.value == new {
        return (None, EntryResult::Already);
    }
    let (text, from) = put(text, old, new);
    (Some(text), EntryResult::Updated { from })
}

/// The text with `new` in the place of a string, and the old value of the string.
fn put(text: &str, old: &StringLit<'_>, new: &str) -> (String, String) {
    let (start, end) = (old.start(), old.end());
    (format!("{}{}{}", &text[..start], string(new), &text[end..]), old.value.to_string())
}

/// The command of a server entry, if the entry is ours.
pub(crate) fn server_command<'v, 't>(entry: &'v Value<'t>) -> Option<&'v StringLit<'t>> {
    let entry = entry.as_object()?;
    let (_, command) = last(entry, "command")?;
    let (command, arguments) = match command {
        Value::Array(words) => words.elements.split_first()?,
        _ => {
            (command, last(entry, "args").and_then(|(_, args)| args.as_array()).map_or(&[][..], |args| &args.elements))
        }
    };
    let (command, first) = (command.as_string_lit()?, arguments.first().and_then(Value::as_string_lit));
    ours::is_server(&command.value, first.map(|first| first.value.as_ref())).then_some(command)
}

/// What a person has written into an entry of our server.
fn persons(entry: &Value<'_>) -> Option<String> {
    let entry = entry.as_object()?;
    let is_empty = |value: &Value<'_>| value.as_object().is_some_and(|object| object.properties.is_empty());
    let keys = entry.properties.iter().map(|member| (member.name.as_str(), is_empty(&member.value)));
    let words = ["args", "command"].into_iter().filter_map(|key| last(entry, key)?.1.as_array());
    let words =
        words.flat_map(|words| &words.elements).filter_map(|word| Some(word.as_string_lit()?.value.to_string()));
    ours::persons(keys, words)
}

/// The place of our hook in the groups of an event.
struct FoundHook<'v, 't> {
    group: usize,
    /// The index of the list of hooks in the members of the group.
    hooks_at: usize,
    index: usize,
    /// It is the only hook of its group.
    alone: bool,
    event: &'v str,
    /// The tools of its group.
    matcher: Option<&'v StringLit<'t>>,
    command: &'v StringLit<'t>,
    /// The program, `hook`, the client, and further arguments.
    words: Vec<String>,
    /// The words after the program are in a list of their own.
    has_arguments: bool,
}

impl<'v, 't> FoundHook<'v, 't> {
    fn rest(&self) -> &[String] {
        &self.words[3..]
    }

    /// The matcher of our group, if an earlier version wrote it.
    fn earlier_matcher(&self, client: &Client) -> Option<&'v StringLit<'t>> {
        let earlier = |matcher: &&StringLit<'_>| {
            let known = client.hooks.earlier.contains(&matcher.value.as_ref());
            self.alone && known && matcher.value != matcher_of(self.event, client)
        };
        self.matcher.filter(earlier)
    }
}

fn find_hook<'v, 't>(groups: &'v Array<'t>, event: &'v str, client: &Client) -> Option<FoundHook<'v, 't>> {
    for (group, value) in groups.elements.iter().enumerate() {
        let Some(members) = value.as_object() else { continue };
        let matcher = last(members, "matcher").and_then(|(_, matcher)| matcher.as_string_lit());
        let Some((hooks_at, hooks)) = last(members, HOOKS) else { continue };
        let Some(hooks) = hooks.as_array() else { continue };
        for (index, hook) in hooks.elements.iter().enumerate() {
            let Some(hook) = hook.as_object() else { continue };
            let Some(command) = last(hook, "command").and_then(|(_, command)| command.as_string_lit()) else {
                continue;
            };
            let arguments = last(hook, "args").and_then(|(_, arguments)| arguments.as_array());
            let words = match arguments {
                Some(arguments) => {
                    let words = arguments.elements.iter().filter_map(|word| word.as_string_lit());
                    let words: Vec<String> = words.map(|word| word.value.to_string()).collect();
                    ours::argument_words(client, &command.value, words)
                }
                None => ours::hook_words(client, &command.value),
            };
            if let Some(words) = words {
                let alone = hooks.elements.len() == 1;
                let has_arguments = arguments.is_some();
                return Some(FoundHook {
                    group,
                    hooks_at,
                    index,
                    alone,
                    event,
                    matcher,
                    command,
                    words,
                    has_arguments,
                });
            }
        }
    }
    None
}

pub(crate) fn root<'v, 't>(json: &'v Json<'t>, text: &str) -> Result<Option<&'v Object<'t>>, SetupFault> {
    match &json.root {
        None => Ok(None),
        Some(Value::Object(root)) => Ok(Some(root)),
        Some(other) => Err(SetupFault::shape(text, other.start(), "the file", "an object")),
    }
}

/// The value of the last member with this key, which overrides earlier ones, and its index.
pub(crate) fn last<'v, 't>(object: &'v Object<'t>, key: &str) -> Option<(usize, &'v Value<'t>)> {
    let found = object.properties.iter().enumerate().rev().find(|(_, member)| member.name.as_str() == key)?;
    Some((found.0, &found.1.value))
}

pub(crate) fn member_object<'v, 't>(
    text: &str,
    object: &'v Object<'t>,
    key: &str,
) -> Result<Option<(usize, &'v Object<'t>)>, SetupFault> {
    member(text, object, key, "an object", Value::as_object)
}

pub(crate) fn member_array<'v, 't>(
    text: &str,
    object: &'v Object<'t>,
    key: &str,
) -> Result<Option<(usize, &'v Array<'t>)>, SetupFault> {
    member(text, object, key, "an array", Value::as_array)
}

/// The member with this key and its index, or an error if its value has another type.
fn member<'v, 't, T>(
    text: &str,
    object: &'v Object<'t>,
    key: &str,
    expected: &'static str,
    take: impl Fn(&'v Value<'t>) -> Option<&'v T>,
) -> Result<Option<(usize, &'v T)>, SetupFault> {
    let Some((at, value)) = last(object, key) else { return Ok(None) };
    match take(value) {
        Some(value) => Ok(Some((at, value))),
        None => Err(SetupFault::shape(text, value.start(), format!("`{key}`"), expected)),
    }
}
