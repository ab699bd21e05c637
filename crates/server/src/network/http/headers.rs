//! What the headers of a request say.

use hyper::HeaderMap;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use rmcp::model::{ClientRequest, ProtocolVersion};

use crate::network::Token;

/// The header of a session of the handshake revisions.
pub(crate) const SESSION: &str = "mcp-session-id";
/// The header of the protocol version.
pub(crate) const VERSION: &str = "mcp-protocol-version";
/// The header of the last event that a client has seen.
pub(crate) const LAST_EVENT: &str = "last-event-id";

/// The kinds of response that a client takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Accepted {
    /// `application/json`.
    pub(crate) json: bool,
    /// `text/event-stream`.
    pub(crate) events: bool,
}

impl Accepted {
    /// What `Accept` says; without it, everything.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut accepted = Self { json: false, events: false };
        let mut named = false;
        for value in headers.get_all(ACCEPT) {
            named = true;
            for range in value.to_str().unwrap_or_default().split(',') {
                let mut parts = range.split(';').map(str::trim);
                let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
                let is_refused = parts.any(|part| {
                    let weight = part.strip_prefix("q=").or_else(|| part.strip_prefix("Q="));
                    weight.is_some_and(|weight| weight.parse() == Ok(0.0))
                });
                if is_refused {
                    continue;
                }
                accepted.json |= ["application/json", "application/*", "*/*"].contains(&kind.as_str());
                accepted.events |= ["text/event-stream", "text/*", "*/*"].contains(&kind.as_str());
            }
        }
        if named { accepted } else { Self { json: true, events: true } }
    }
}

/// Whether the body is JSON.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let kind = text(headers, CONTENT_TYPE.as_str()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

/// The token in `Authorization: Bearer TOKEN` (RFC 6750).
pub(crate) fn bearer(headers: &HeaderMap) -> Option<Token> {
    let (scheme, token) = text(headers, AUTHORIZATION.as_str())?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| Token::new(token.trim()))
}

/// The value of a header that is there once and is text.
pub(crate) fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() {
        return None;
    }
    value.to_str().ok()
}

/// Whether a header names a revision without a handshake, or one that is newer than all known ones.
pub(crate) fn names_modern(headers: &HeaderMap) -> bool {
    let is_date = |version: &&str| version.len() == 10 && version.starts_with(|c: char| c.is_ascii_digit());
    text(headers, VERSION).filter(is_date).is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Whether the version that a header names, if any, is a known one.
pub(crate) fn is_known_version(headers: &HeaderMap) -> bool {
    if !headers.contains_key(VERSION) {
        return true;
    }
    text(headers, VERSION)
        .is_some_and(|named| ProtocolVersion::KNOWN_VERSIONS.iter().any(|known| known.as_str() == named))
}

/// Compares the headers of a request that names its version itself with its body (revision 2026-07-28, Streamable
/// HTTP): a proxy that reads only the headers must not be misled. An error says what differs.
pub(crate) fn mirror(headers: &HeaderMap, request: &ClientRequest, version: &str) -> Result<(), String> {
    let once = |name: &'static str| -> Result<Option<&str>, String> {
        match headers.get_all(name).iter().count() {
            0 => Ok(None),
            1 => text(headers, name).map(Some).ok_or_else(|| format!("{name} has characters that no header may have")),
            _ => Err(format!("{name} is there more than once")),
        }
    };
    let same = |name: &'static str, body: &str| match once(name)? {
        None => Err(format!("{name} is missing; the body has `{body}`")),
        Some(header) => match decoded(header) {
            Some(header) if header == body => Ok(()),
            _ => Err(format!("{name} is `{header}`; the body has `{body}`")),
        },
    };
    same(VERSION, version)?;
    if version < ProtocolVersion::STANDARD_HEADERS.as_str() {
        return Ok(());
    }
    same("mcp-method", request.method())?;
    match named(request) {
        Some(name) => same("mcp-name", name),
        None => Ok(()),
    }
}

/// The name that a request is about.
fn named(request: &ClientRequest) -> Option<&str> {
    Some(match request {
        ClientRequest::CallToolRequest(call) => &call.params.name,
        ClientRequest::GetPromptRequest(get) => &get.params.name,
        ClientRequest::ReadResourceRequest(read) => &read.params.uri,
        ClientRequest::SubscribeRequest(subscribe) => &subscribe.params.uri,
        ClientRequest::UnsubscribeRequest(unsubscribe) => &unsubscribe.params.uri,
        _ => return None,
    })
}

/// A value, of which `=?base64?…?=` holds what no header may hold.
fn decoded(value: &str) -> Option<std::borrow::Cow<'_, str>> {
    match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        None => Some(value.into()),
        Some(coded) => String::from_utf8(from_base64(coded)?).ok().map(Into::into),
    }
}

/// Decodes base64 with its padding (RFC 4648, section 4).
fn from_base64(coded: &str) -> Option<Vec<u8>> {
    let (digits, padding) = coded.split_at(coded.trim_end_matches('=').len());
    if padding.len() > 2 || !coded.len().is_multiple_of(4) {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    let (mut bits, mut count) = (0u32, 0);
    for digit in digits.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    (bits & ((1 << count) - 1) == 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use hyper::header::{HeaderName, HeaderValue};
    use rmcp::model::{CallToolRequest, CallToolRequestParams, ListToolsRequest};

    use super::*;

    fn headers(lines: &[(&str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn accept_says_what_a_client_takes() {
        let accepted = |lines: &[&str]| {
            let lines: Vec<(&str, &str)> = lines.iter().map(|line| ("accept", *line)).collect();
            let Accepted { json, events } = Accepted::of(&headers(&lines));
            (json, events)
        };
        assert_eq!(accepted(&[]), (true, true));
        assert_eq!(accepted(&["*/*"]), (true, true));
        assert_eq!(accepted(&["application/json, text/event-stream"]), (true, true));
        assert_eq!(accepted(&["application/json", "TEXT/Event-Stream;q=0.5"]), (true, true));
        assert_eq!(accepted(&["application/json;charset=utf-8"]), (true, false));
        assert_eq!(accepted(&["text/*, application/json;q=0"]), (false, true));
        assert_eq!(accepted(&["text/html"]), (false, false));
        assert_eq!(accepted(&[""]), (false, false));
    }

    #[test]
    fn a_bearer_token_is_found() {
        let of = |value: &str| bearer(&headers(&[("authorization", value)]));
        assert!(of("Bearer abc").unwrap().is(&Token::new("abc")));
        assert!(of("bearer  abc").unwrap().is(&Token::new("abc")));
        for value in ["abc", "Basic abc", "Bearer", ""] {
            assert!(of(value).is_none(), "{value}");
        }
        assert!(bearer(&headers(&[("authorization", "Bearer a"), ("authorization", "Bearer b")])).is_none());
    }

    #[test]
    fn headers_mirror_the_body() {
        let call = ClientRequest::CallToolRequest(CallToolRequest::new(CallToolRequestParams::new("\u{e9}cho")));
        let list = ClientRequest::ListToolsRequest(ListToolsRequest::default());
        let version = ("MCP-Protocol-Version", "2026-07-28");
        let check = |request: &ClientRequest, lines: &[(&str, &str)]| {
            mirror(&headers(lines), request, "2026-07-28").map_err(|why| why.split(' ').next().unwrap().to_owned())
        };
        assert_eq!(check(&list, &[version, ("Mcp-Method", "tools/list")]), Ok(()));
        let name = ("MCP-NAME", "=?base64?w6ljaG8=?=");
        assert_eq!(check(&call, &[version, ("Mcp-Method", "tools/call"), name]), Ok(()));
        for (request, lines, wrong) in [
            (&list, &[("Mcp-Method", "tools/list")][..], "mcp-protocol-version"),
            (&list, &[("MCP-Protocol-Version", "2025-11-25"), ("Mcp-Method", "tools/list")], "mcp-protocol-version"),
            (&list, &[version], "mcp-method"),
            (&list, &[version, ("Mcp-Method", "TOOLS/LIST")], "mcp-method"),
            (&list, &[version, ("Mcp-Method", "tools/list"), ("Mcp-Method", "tools/list")], "mcp-method"),
            (&call, &[version, ("Mcp-Method", "tools/call")], "mcp-name"),
            (&call, &[version, ("Mcp-Method", "tools/call"), ("Mcp-Name", "=?base64?w6ljaG8?=")], "mcp-name"),
            (&call, &[version, ("Mcp-Method", "tools/call"), ("Mcp-Name", "echo")], "mcp-name"),
        ] {
            assert_eq!(check(request, lines), Err(wrong.to_owned()), "{lines:?}");
        }
    }

    #[test]
    fn base64_is_decoded_as_the_standard_has_it() {
        for (coded, plain) in
            [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("+/+/", "")]
        {
            let bytes = from_base64(coded).unwrap();
            assert!(bytes == plain.as_bytes() || coded == "+/+/" && bytes == [0xfb, 0xff, 0xbf], "{coded}");
        }
        for coded in ["Zg", "Zg=", "Z===", "Zm9v=", "Zh==", "Zm 9v", "Zm9_", "====", "Zg==Zg=="] {
            assert_eq!(from_base64(coded), None, "{coded}");
        }
    }
}
