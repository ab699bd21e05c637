//! Our server in a client's YAML file: in a mapping of servers by their names, or in a list of them.
//!
//! A file that is not there is not created: these clients take their first start from its absence. In one that is there, the
//! entry is a block of lines of its own, after the last of the others; the collection is created at the end of the file if
//! there is none. A collection in another style is not edited. What was inserted is removed again before it is answered, so
//! that nothing is written whose removal would not give the old bytes.

use std::ops::Range;

use saphyr_parser::{Event, Marker, Parser};

use crate::clients::EntryForm;
use crate::fault::SetupFault;
use crate::json::{newline_of, string};
use crate::ours;
use crate::{Client, Entry, EntryResult, SERVER};

/// The text with our server in it.
pub(crate) fn install_server(
    text: &str,
    is_new: bool,
    entry: &Entry<'_>,
) -> Result<(Option<String>, EntryResult), SetupFault> {
    if is_new {
        return Ok((None, EntryResult::Absent));
    }
    let file = File::parse(text, entry.client)?;
    if let Some(server) = file.servers.iter().find(|server| server.is_ours(entry.client)) {
        let Some(Value::Text(command, place)) = server.get(command_key(entry.client)) else {
            return Err(file.spelling(entry.client));
        };
        if command == entry.program {
            return Ok((None, EntryResult::Already));
        }
        let changed = format!("{}{}{}", &text[..place.start], string(entry.program), &text[place.end..]);
        return Ok((Some(changed), EntryResult::Updated { from: command.clone() }));
    }
    if file.servers.iter().any(|server| server.name.as_deref() == Some(SERVER)) {
        return Ok((None, EntryResult::Foreign));
    }
    let changed = file.with(entry)?;
    match remove_server(&changed, entry.client) {
        Ok((Some(back), EntryResult::Removed)) if back == text => Ok((Some(changed), EntryResult::Added)),
        _ => Err(file.spelling(entry.client)),
    }
}

/// The text without our server.
pub(crate) fn remove_server(text: &str, client: &Client) -> Result<(Option<String>, EntryResult), SetupFault> {
    let file = File::parse(text, client)?;
    let ours = || file.servers.iter().enumerate().filter(|(_, server)| server.is_ours(client));
    let Some((index, _)) = ours().find(|(_, server)| server.persons().is_none()) else {
        let done = match ours().find_map(|(_, server)| server.persons()) {
            Some(more) => EntryResult::Kept { more },
            None if file.servers.iter().any(|server| server.name.as_deref() == Some(SERVER)) => EntryResult::Foreign,
            None => EntryResult::Absent,
        };
        return Ok((Some(text.to_owned()), done));
    };
    let Some(block) = file.block(index) else { return Err(file.spelling(client)) };
    // The collection of a lone entry was created with it.
    let start = if file.servers.len() == 1 { file.key_line.unwrap_or(block.start) } else { block.start };
    let range = line_place(text, start)..line_place(text, block.end);
    let mut kept = text[..range.start].to_owned();
    if range.end == text.len() && !text.ends_with('\n') {
        // So was the line end before it.
        kept.truncate(kept.trim_end_matches('\n').len().max(kept.len().saturating_sub(1)));
        if newline_of(text) == "\r\n" && kept.ends_with('\r') {
            kept.pop();
        }
    }
    kept.push_str(&text[range.end..]);
    File::parse(&kept, client).map_err(|_| file.spelling(client))?;
    Ok((Some(kept), EntryResult::Removed))
}

/// The key of the program in an entry.
fn command_key(client: &Client) -> &'static str {
    if client.entry == EntryForm::Extension { "cmd" } else { "command" }
}

/// The lines of an entry, without their indentation.
fn lines(entry: &Entry<'_>) -> Vec<String> {
    let program = string(entry.program);
    if entry.client.entry == EntryForm::Extension {
        vec![
            format!("{SERVER}:"),
            "  enabled: true".into(),
            "  type: stdio".into(),
            format!("  name: {SERVER}"),
            "  description: Read, edit and run Lisp".into(),
            format!("  cmd: {program}"),
            "  args: [mcp]".into(),
            "  envs: {}".into(),
        ]
    } else {
        vec![format!("- name: {SERVER}"), format!("  command: {program}"), "  args: [mcp]".into()]
    }
}

/// A value of an entry.
#[derive(Debug)]
enum Value {
    /// A scalar and its place, which is within one line.
    Text(String, Range<usize>),
    /// A list of scalars.
    List(Vec<String>),
    /// Anything else; whether it is empty.
    Other(bool),
}

/// An entry of the collection.
#[derive(Debug)]
struct Server {
    name: Option<String>,
    /// Its first line, from 0.
    line: usize,
    members: Vec<(String, Value)>,
}

impl Server {
    fn get(&self, key: &str) -> Option<&Value> {
        self.members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    fn arguments(&self) -> &[String] {
        match self.get("args") {
            Some(Value::List(words)) => words,
            _ => &[],
        }
    }

    fn is_ours(&self, client: &Client) -> bool {
        let Some(Value::Text(command, _)) = self.get(command_key(client)) else { return false };
        ours::is_server(command, self.arguments().first().map(String::as_str))
    }

    /// What a person has written into it.
    fn persons(&self) -> Option<String> {
        let is_empty = |value: &Value| match value {
            Value::List(words) => words.is_empty(),
            Value::Text(text, _) => text.is_empty() || text == "null" || text == "~",
            Value::Other(is_empty) => *is_empty,
        };
        let keys = self.members.iter().map(|(key, value)| (key.as_str(), is_empty(value)));
        ours::persons(keys, self.arguments().iter().cloned())
    }
}

/// What is known of a file.
struct File<'t> {
    text: &'t str,
    /// The line of the collection's key, from 0; `None` if there is none.
    key_line: Option<usize>,
    /// The column of the entries.
    indent: usize,
    servers: Vec<Server>,
    /// The collection is not a block below its key.
    is_odd: bool,
}

type Events<'t> = Vec<(Event<'t>, Range<Marker>)>;

impl<'t> File<'t> {
    fn parse(text: &'t str, client: &Client) -> Result<Self, SetupFault> {
        let mut events: Events<'t> = Vec::new();
        for event in Parser::new_from_str(text) {
            let (event, span) = event.map_err(|error| SetupFault::Syntax {
                line: error.marker().line(),
                column: error.marker().col() + 1,
                message: error.info().to_owned(),
            })?;
            events.push((event, span.start..span.end));
        }
        let mut file = Self { text, key_line: None, indent: 2, servers: Vec::new(), is_odd: false };
        let Some(root) = events.iter().position(|(event, _)| matches!(event, Event::DocumentStart(_))).map(|at| at + 1)
        else {
            return Ok(file);
        };
        let documents = events.iter().filter(|(event, _)| matches!(event, Event::DocumentStart(_))).count();
        let Some((Event::MappingStart(..), start)) = events.get(root) else {
            // Nothing but comments is an empty value.
            file.is_odd = documents != 1
                || !matches!(&events[root].0, Event::Scalar(value, ..) if value == "~" || value.is_empty());
            return Ok(file);
        };
        file.is_odd = documents != 1 || start.start.col() != 0 || is_flow(text, &start.start);
        let mut at = root + 1;
        while let Some((Event::Scalar(key, ..), place)) = events.get(at) {
            let value = at + 1;
            if *key == client.servers {
                file.key_line = Some(place.start.line() - 1);
                file.read_servers(&events, value, client);
            }
            at = after(&events, value);
        }
        Ok(file)
    }

    /// Reads the collection whose first event is at `at`.
    fn read_servers(&mut self, events: &Events<'t>, at: usize, client: &Client) {
        let Some((event, place)) = events.get(at) else { return };
        let is_list = match event {
            Event::MappingStart(..) => false,
            Event::SequenceStart(..) => true,
            _ => {
                self.is_odd = true;
                return;
            }
        };
        self.is_odd |= is_flow(self.text, &place.start) || is_list != (client.entry == EntryForm::Listed);
        let mut at = at + 1;
        while let Some((event, place)) = events.get(at) {
            if matches!(event, Event::MappingEnd | Event::SequenceEnd) {
                break;
            }
            let (name, value) = match event {
                Event::Scalar(name, ..) if !is_list => (Some(name.to_string()), at + 1),
                _ => (None, at),
            };
            let line = place.start.line().saturating_sub(1);
            let members = members(self.text, events, value);
            let named = members.iter().find_map(|(key, value)| match value {
                Value::Text(text, _) if key == "name" => Some(text.clone()),
                _ => None,
            });
            // The mark of a list's item is before it, in its first line.
            let first = self.text.lines().nth(line).unwrap_or_default();
            let indent = first.len() - first.trim_start_matches(' ').len();
            self.is_odd |= !self.servers.is_empty() && indent != self.indent;
            self.indent = indent;
            self.servers.push(Server { name: name.or(named), line, members });
            at = after(events, value);
        }
        self.is_odd |= self.servers.is_empty();
    }

    /// The lines of an entry, without blank lines and comments after it; `None` if they are not its alone.
    fn block(&self, index: usize) -> Option<Range<usize>> {
        let start = self.servers.get(index).filter(|_| !self.is_odd)?.line;
        let lines: Vec<&str> = self.text.lines().collect();
        let is_inside =
            |line: &str| line.trim().is_empty() || line.len() - line.trim_start_matches(' ').len() > self.indent;
        let mut end = start + 1;
        while lines.get(end).is_some_and(|line| is_inside(line)) {
            end += 1;
        }
        while end > start + 1 && (lines[end - 1].trim().is_empty() || lines[end - 1].trim_start().starts_with('#')) {
            end -= 1;
        }
        Some(start..end)
    }

    /// The text with the entry after the last one.
    fn with(&self, entry: &Entry<'_>) -> Result<String, SetupFault> {
        if self.is_odd {
            return Err(self.spelling(entry.client));
        }
        let newline = newline_of(self.text);
        let indent = " ".repeat(self.indent);
        let mut block: Vec<String> = lines(entry).iter().map(|line| format!("{indent}{line}")).collect();
        let place = match self.servers.len().checked_sub(1).map(|last| self.block(last)) {
            Some(Some(last)) => line_place(self.text, last.end),
            Some(None) => return Err(self.spelling(entry.client)),
            None => {
                block.insert(0, format!("{}:", entry.client.servers));
                self.text.len()
            }
        };
        let (before, after) = self.text.split_at(place);
        let block = block.join(newline);
        Ok(match before.is_empty() || before.ends_with('\n') {
            true => format!("{before}{block}{newline}{after}"),
            false => format!("{before}{newline}{block}"),
        })
    }

    fn spelling(&self, client: &Client) -> SetupFault {
        SetupFault::Spelling { line: self.key_line.map_or(1, |line| line + 1), place: format!("`{}`", client.servers) }
    }
}

/// The members of the mapping whose first event is at `at`.
fn members(text: &str, events: &Events<'_>, at: usize) -> Vec<(String, Value)> {
    let mut members = Vec::new();
    let Some((Event::MappingStart(..), _)) = events.get(at) else { return members };
    let mut at = at + 1;
    while let Some((Event::Scalar(key, ..), _)) = events.get(at) {
        let (value, next) = (at + 1, after(events, at + 1));
        let read = match events.get(value) {
            Some((Event::Scalar(scalar, ..), place)) if place.start.line() == place.end.line() => {
                Value::Text(scalar.to_string(), byte(text, &place.start)..byte(text, &place.end))
            }
            Some((Event::SequenceStart(..), _)) => {
                let items = &events[value + 1..next.saturating_sub(1).max(value + 1)];
                let word = |(event, _): &(Event<'_>, Range<Marker>)| match event {
                    Event::Scalar(word, ..) => Some(word.to_string()),
                    _ => None,
                };
                items.iter().map(word).collect::<Option<Vec<String>>>().map_or(Value::Other(false), Value::List)
            }
            _ => Value::Other(next == value + 2),
        };
        members.push((key.to_string(), read));
        at = next;
    }
    members
}

/// The index after the value whose first event is at `at`.
fn after(events: &Events<'_>, mut at: usize) -> usize {
    let mut depth = 0_usize;
    while let Some((event, _)) = events.get(at) {
        at += 1;
        match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => depth += 1,
            Event::MappingEnd | Event::SequenceEnd => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// The collection that starts there is written with brackets.
fn is_flow(text: &str, start: &Marker) -> bool {
    text[byte(text, start)..].starts_with(['{', '['])
}

/// The byte offset of a place.
fn byte(text: &str, place: &Marker) -> usize {
    let start = line_place(text, place.line().saturating_sub(1));
    let line = text[start..].split('\n').next().unwrap_or_default();
    start + line.char_indices().nth(place.col()).map_or(line.len(), |(offset, _)| offset)
}

/// The byte offset of a line, which counts from 0.
fn line_place(text: &str, line: usize) -> usize {
    match line.checked_sub(1) {
        None => 0,
        Some(before) => text.match_indices('\n').nth(before).map_or(text.len(), |(at, _)| at + 1),
    }
}
