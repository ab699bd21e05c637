//! The permission to call our tools without asking, in a client's JSON file.
//!
//! Claude Code has a list of permissions, in which `mcp__lispwright` means every tool of the server. Gemini CLI
//! has a key in the server's own entry.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged as _;

use crate::EntryResult;
use crate::clients::Client;
use crate::entries::{last, member_array, member_object, root, server_command};
use crate::fault::SetupFault;
use crate::json::{Json, JsonStep, string};

const PERMISSIONS: &str = "permissions";
const ALLOW: &str = "allow";
/// Every tool of the server named `lispwright`, in Claude Code's rules.
const ALL_TOOLS: &str = "mcp__lispwright";
const TRUST: &str = "trust";

/// The text with our tools in the list of permissions.
pub(crate) fn install_permission(text: &str, client: &Client) -> Result<(Option<String>, EntryResult), SetupFault> {
    let json = Json::parse(text, client.reads_comments)?;
    let steps = [JsonStep::Member(PERMISSIONS), JsonStep::Member(ALLOW), JsonStep::Element];
    let leaf = string(ALL_TOOLS);
    let added = |text| Ok((Some(text), EntryResult::Added));
    let Some(root) = root(&json, text)? else { return added(json.insert(&[], &steps, &leaf)) };
    let Some((at, permissions)) = member_object(text, root, PERMISSIONS)? else {
        return added(json.insert(&[], &steps, &leaf));
    };
    let Some((allow_at, allowed)) = member_array(text, permissions, ALLOW)? else {
        return added(json.insert(&[at], &steps[1..], &leaf));
    };
    if allowed.elements.iter().any(is_permission) {
        return Ok((None, EntryResult::Already));
    }
    added(json.insert(&[at, allow_at], &steps[2..], &leaf))
}

/// The text without our tools in the list of permissions; `None` if nothing else was in the file.
pub(crate) fn remove_permission(text: &str, client: &Client) -> Result<(Option<String>, EntryResult), SetupFault> {
    let json = Json::parse(text, client.reads_comments)?;
    let absent = || Ok((Some(text.to_owned()), EntryResult::Absent));
    let Some(root) = root(&json, text)? else { return absent() };
    let Some((at, permissions)) = member_object(text, root, PERMISSIONS)? else { return absent() };
    let Some((allow_at, allowed)) = member_array(text, permissions, ALLOW)? else { return absent() };
    match allowed.elements.iter().position(is_permission) {
        Some(index) => Ok((json.remove(&[at, allow_at, index]), EntryResult::Removed)),
        None => absent(),
    }
}

fn is_permission(element: &Value<'_>) -> bool {
    element.as_string_lit().is_some_and(|rule| rule.value == ALL_TOOLS)
}

/// The text with our server trusted. Without an entry of our server, nothing changes.
pub(crate) fn install_trust(text: &str, client: &Client) -> Result<(Option<String>, EntryResult), SetupFault> {
    let json = Json::parse(text, client.reads_comments)?;
    let Some((path, server)) = our_server(&json, text, client)? else { return Ok((None, EntryResult::Absent)) };
    match last(server, TRUST) {
        None => Ok((Some(json.insert(&path, &[JsonStep::Member(TRUST)], "true")), EntryResult::Added)),
        Some((_, value)) => {
            let (start, end) = (value.start(), value.end());
            let from = &text[start..end];
            if from == "true" {
                return Ok((None, EntryResult::Already));
            }
            let changed = format!("{}true{}", &text[..start], &text[end..]);
            Ok((Some(changed), EntryResult::Updated { from: from.to_owned() }))
        }
    }
}

/// The text without the trust in our server.
pub(crate) fn remove_trust(text: &str, client: &Client) -> Result<(Option<String>, EntryResult), SetupFault> {
    let json = Json::parse(text, client.reads_comments)?;
    let absent = || Ok((Some(text.to_owned()), EntryResult::Absent));
    let Some((mut path, server)) = our_server(&json, text, client)? else { return absent() };
    let Some((at, _)) = last(server, TRUST) else { return absent() };
    path.push(at);
    Ok((json.remove(&path), EntryResult::Removed))
}

/// Our server's entry and the indices that lead there.
fn our_server<'v, 't>(
    json: &'v Json<'t>,
    text: &str,
    client: &Client,
) -> Result<Option<(Vec<usize>, &'v Object<'t>)>, SetupFault> {
    let Some(root) = root(json, text)? else { return Ok(None) };
    let Some((at, servers)) = member_object(text, root, client.servers)? else { return Ok(None) };
    let ours = servers.properties.iter().position(|member| server_command(&member.value).is_some());
    Ok(ours.and_then(|index| Some((vec![at, index], servers.properties[index].value.as_object()?))))
}
