//! Our server in Codex's `config.toml`.
//!
//! The entry is a table of its own at the end of the file, after an empty line. It has a final line end if the file had
//! one before, so its removal restores the old bytes. Entries in other spellings (inside `[mcp_servers]`, in an inline
//! table) are recognised, updated and removed, too.

use std::ops::Range;

use toml_edit::{Document, InlineTable, Item, TableLike, Value};

use crate::fault::SetupFault;
use crate::json::newline_of;
use crate::ours;
use crate::{Entry, EntryResult, SERVER};

const SERVERS: &str = "mcp_servers";

/// The key that allows Codex to call a server's tools without asking, and its value.
const APPROVAL: (&str, &str) = ("default_tools_approval_mode", "approve");

/// The text with our server in it. `is_new` says that there is no file yet.
pub(crate) fn install_server(
    text: &str,
    is_new: bool,
    entry: &Entry<'_>,
) -> Result<(Option<String>, EntryResult), SetupFault> {
    let document = parse(text)?;
    let servers = match document.get(SERVERS) {
        None => return Ok((Some(append(text, is_new, entry)), EntryResult::Added)),
        Some(servers) => servers,
    };
    let table = as_servers(text, servers)?;
    if let Some((_, server)) = table.iter().find(|(_, server)| is_ours(server)) {
        let command = server.get("command").and_then(Item::as_value);
        let (Some(command), Some(range)) = (command.and_then(Value::as_str), command.and_then(Value::span)) else {
            return Err(spelling(text, servers));
        };
        if command == entry.program {
            return Ok((None, EntryResult::Already));
        }
        let changed = format!("{}{}{}", &text[..range.start], string(entry.program), &text[range.end..]);
        return Ok((Some(changed), EntryResult::Updated { from: command.to_owned() }));
    }
    if table.contains_key(SERVER) {
        return Ok((None, EntryResult::Foreign));
    }
    let changed = match servers.as_inline_table() {
        Some(inline) => insert_inline(text, inline, entry).ok_or_else(|| spelling(text, servers))?,
        None => append(text, is_new, entry),
    };
    // A spelling that this module does not expect must not become a broken file.
    match parse(&changed) {
        Ok(_) => Ok((Some(changed), EntryResult::Added)),
        Err(_) => Err(spelling(text, servers)),
    }
}

/// The text without one server of ours; `None` if nothing else was in the file.
pub(crate) fn remove_server(text: &str) -> Result<(Option<String>, EntryResult), SetupFault> {
    let document = parse(text)?;
    let Some(servers) = document.get(SERVERS) else { return Ok((Some(text.to_owned()), EntryResult::Absent)) };
    let table = as_servers(text, servers)?;
    let own = || table.iter().filter(|(_, server)| is_ours(server));
    let Some((name, server)) = own().find(|(_, server)| persons(server).is_none()) else {
        let done = match own().find_map(|(_, server)| persons(server)) {
            Some(more) => EntryResult::Kept { more },
            None if table.contains_key(SERVER) => EntryResult::Foreign,
            None => EntryResult::Absent,
        };
        return Ok((Some(text.to_owned()), done));
    };
    if let Some(inline) = servers.as_inline_table() {
        let without = remove_inline(text, inline, name).ok_or_else(|| spelling(text, servers))?;
        return Ok((Some(without), EntryResult::Removed));
    }
    let mut blocks = blocks(text, table, name, server).ok_or_else(|| spelling(text, servers))?;
    blocks.sort_by_key(|block| block.start);
    let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else { return Err(spelling(text, servers)) };
    let has_header = text[first.clone()].starts_with('[');
    let ends_open = last.end == text.len() && !text.ends_with('\n');
    let mut kept = text[..first.start].to_owned();
    if has_header {
        // The empty line before the table was inserted with it, and so was the final line end that the file lacked.
        for _ in 0..if ends_open { 2 } else { 1 } {
            let blank = kept.ends_with("\n\n") || kept.ends_with("\n\r\n") || (ends_open && kept.ends_with('\n'));
            if blank {
                kept.pop();
                if kept.ends_with('\r') && newline_of(text) == "\r\n" {
                    kept.pop();
                }
            }
        }
    }
    let mut at = first.end;
    for block in &blocks[1..] {
        if block.start > at {
            kept.push_str(&text[at..block.start]);
        }
        at = at.max(block.end);
    }
    kept.push_str(&text[at..]);
    let gone = kept.is_empty() && !ends_open;
    parse(&kept).map_err(|_| spelling(text, servers))?;
    Ok(((!gone).then_some(kept), EntryResult::Removed))
}

/// The text with our server's tools approved. Without an entry of our server, nothing changes.
pub(crate) fn install_approval(text: &str) -> Result<(Option<String>, EntryResult), SetupFault> {
    let document = parse(text)?;
    let Some(servers) = document.get(SERVERS) else { return Ok((None, EntryResult::Absent)) };
    let Some((_, server)) = as_servers(text, servers)?.iter().find(|(_, server)| is_ours(server)) else {
        return Ok((None, EntryResult::Absent));
    };
    let (key, value) = (APPROVAL.0, string(APPROVAL.1));
    if let Some(present) = server.get(key) {
        let range = present.span().ok_or_else(|| spelling(text, servers))?;
        let from = &text[range.clone()];
        if present.as_str() == Some(APPROVAL.1) {
            return Ok((None, EntryResult::Already));
        }
        let changed = format!("{}{value}{}", &text[..range.start], &text[range.end..]);
        return Ok((Some(changed), EntryResult::Updated { from: from.to_owned() }));
    }
    let end = server.get("args").and_then(Item::span).ok_or_else(|| spelling(text, servers))?.end;
    let changed = if server.is_inline_table() {
        format!("{}, {key} = {value}{}", &text[..end], &text[end..])
    } else {
        let end = line_end(text, end);
        let (before, after) = (&text[..end], &text[end..]);
        let newline = newline_of(text);
        match before.strip_suffix(newline) {
            Some(line) => format!("{line}{newline}{key} = {value}{newline}{after}"),
            None => format!("{before}{newline}{key} = {value}{after}"),
        }
    };
    // A spelling that this module does not expect must not become a broken file, nor an entry of another table.
    let approved = parse(&changed).is_ok_and(|document| {
        let servers = document.get(SERVERS).and_then(Item::as_table_like);
        servers.is_some_and(|servers| servers.iter().any(|(_, server)| is_ours(server) && server.get(key).is_some()))
    });
    if approved { Ok((Some(changed), EntryResult::Added)) } else { Err(spelling(text, servers)) }
}

/// The text with our server's tools no longer approved.
pub(crate) fn remove_approval(text: &str) -> Result<(Option<String>, EntryResult), SetupFault> {
    let document = parse(text)?;
    let absent = || Ok((Some(text.to_owned()), EntryResult::Absent));
    let Some(servers) = document.get(SERVERS) else { return absent() };
    let Some((_, server)) = as_servers(text, servers)?.iter().find(|(_, server)| is_ours(server)) else {
        return absent();
    };
    let Some(value) = server.get(APPROVAL.0) else { return absent() };
    let without = if let Some(inline) = server.as_inline_table() {
        remove_inline(text, inline, APPROVAL.0).ok_or_else(|| spelling(text, servers))?
    } else {
        let end = value.span().ok_or_else(|| spelling(text, servers))?.end;
        let (start, end) = (line_start(text, end), line_end(text, end));
        let (before, after) = (&text[..start], &text[end..]);
        // At the end of a file without a final line end, the line end before the key was inserted with it.
        let before = if text[start..end].ends_with('\n') { before } else { before.trim_end_matches(['\r', '\n']) };
        format!("{before}{after}")
    };
    parse(&without).map_err(|_| spelling(text, servers))?;
    Ok((Some(without), EntryResult::Removed))
}

fn parse(text: &str) -> Result<Document<&str>, SetupFault> {
    Document::parse(text).map_err(|error| {
        SetupFault::syntax(text, error.span().map_or(0, |span| span.start), error.message().to_owned())
    })
}

fn as_servers<'d>(text: &str, item: &'d Item) -> Result<&'d dyn TableLike, SetupFault> {
    item.as_table_like().ok_or_else(|| {
        SetupFault::shape(text, item.span().map_or(0, |span| span.start), format!("`{SERVERS}`"), "a table")
    })
}

fn spelling(text: &str, servers: &Item) -> SetupFault {
    SetupFault::spelling(text, servers.span().map_or(0, |span| span.start), format!("`{SERVERS}`"))
}

fn is_ours(server: &Item) -> bool {
    let Some(server) = server.as_table_like() else { return false };
    let first = server.get("args").and_then(Item::as_array).and_then(|arguments| arguments.get(0)?.as_str());
    server.get("command").and_then(Item::as_str).is_some_and(|command| ours::is_server(command, first))
}

/// What a person has written into an entry of our server.
fn persons(server: &Item) -> Option<String> {
    let table = server.as_table_like()?;
    let keys = table.iter().map(|(key, value)| (key, value.as_table_like().is_some_and(TableLike::is_empty)));
    let words = table.get("args").and_then(Item::as_array);
    let words = words.into_iter().flatten().filter_map(|word| Some(word.as_str()?.to_owned()));
    ours::persons(keys, words)
}

fn append(text: &str, is_new: bool, entry: &Entry<'_>) -> String {
    let newline = newline_of(text);
    let closed = is_new || text.ends_with('\n');
    let before = match (text.is_empty(), closed) {
        (true, _) => String::new(),
        (false, true) => newline.to_owned(),
        (false, false) => newline.repeat(2),
    };
    let after = if closed { newline } else { "" };
    let command = string(entry.program);
    format!("{text}{before}[{SERVERS}.{SERVER}]{newline}command = {command}{newline}args = [\"mcp\"]{after}")
}

/// Keys and values of an inline table, as ranges of the text, in their order; `None` if some keys are dotted.
fn inline_items(inline: &InlineTable) -> Option<Vec<Range<usize>>> {
    let mut items = Vec::new();
    for (name, value) in inline.iter() {
        let key = inline.key(name)?.span()?;
        items.push(key.start..value.span()?.end);
    }
    items.sort_by_key(|item| item.start);
    items.windows(2).all(|pair| pair[0].end <= pair[1].start).then_some(items)
}

fn insert_inline(text: &str, inline: &InlineTable, entry: &Entry<'_>) -> Option<String> {
    let item = format!("{SERVER} = {{ command = {}, args = [\"mcp\"] }}", string(entry.program));
    let (at, item) = match inline_items(inline)?.last() {
        Some(last) => (last.end, format!(", {item}")),
        None => (inline.span()?.start + 1, item),
    };
    Some(format!("{}{item}{}", &text[..at], &text[at..]))
}

fn remove_inline(text: &str, inline: &InlineTable, name: &str) -> Option<String> {
    let items = inline_items(inline)?;
    let key = inline.key(name)?.span()?;
    let index = items.iter().position(|item| item.start == key.start)?;
    let range = match index.checked_sub(1) {
        Some(previous) => items[previous].end..items[index].end,
        None => items[index].start..items.get(1).map_or(items[index].end, |next| next.start),
    };
    Some(format!("{}{}", &text[..range.start], &text[range.end..]))
}

/// The lines of the server `name`: one block for each table with a header, one line for each key without one.
fn blocks(text: &str, servers: &dyn TableLike, name: &str, server: &Item) -> Option<Vec<Range<usize>>> {
    let mut blocks = Vec::new();
    // Tables that have not been visited, each with the block of its keys.
    let mut pending: Vec<(&dyn TableLike, Option<usize>)> = Vec::new();
    let enter = |item: &Item, key_start: usize, blocks: &mut Vec<Range<usize>>, block: Option<usize>| {
        let with_header = item.as_table().filter(|table| !table.is_dotted() && !table.is_implicit());
        match (with_header.and_then(toml_edit::Table::span), block) {
            (Some(header), _) => {
                blocks.push(line_start(text, header.start)..line_end(text, header.start));
                Some(Some(blocks.len() - 1))
            }
            (None, _) if item.is_table() => Some(block),
            (None, Some(block)) => {
                blocks[block].end = blocks[block].end.max(line_end(text, item.span()?.end));
                None
            }
            (None, None) => {
                blocks.push(line_start(text, key_start)..line_end(text, item.span()?.end));
                None
            }
        }
    };
    let key = servers.key(name)?.span()?;
    if let Some(block) = enter(server, key.start, &mut blocks, None) {
        pending.push((server.as_table_like()?, block));
    }
    while let Some((table, block)) = pending.pop() {
        for (name, item) in table.iter() {
            if item.is_array_of_tables() {
                return None;
            }
            let key = table.key(name)?.span()?;
            if let Some(block) = enter(item, key.start, &mut blocks, block) {
                pending.push((item.as_table_like()?, block));
            }
        }
    }
    Some(blocks)
}

fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |newline| newline + 1)
}

fn line_end(text: &str, offset: usize) -> usize {
    text[offset..].find('\n').map_or(text.len(), |newline| offset + newline + 1)
}

/// A TOML basic string (TOML 1.0, String) with that value.
fn string(value: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::from("\"");
    for character in value.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\u{0}'..='\u{1f}' | '\u{7f}' => {
                write!(out, "\\u{:04X}", u32::from(character)).expect("writing to a string cannot fail");
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}
