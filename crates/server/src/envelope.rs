//! The meaning of one line from the client: a request to serve, a cancellation, a line to ignore, or one to refuse.
//!
//! Pure: bytes in, [`Incoming`] out. The rules follow JSON-RPC 2.0 and the MCP base protocol (revisions 2024-11-05 to
//! 2026-07-28). Two of them keep the peer alive: a refusal carries the request's id if the id can be read, so no caller
//! waits for an answer that never comes; and responses and notifications are never answered, so two programs connected
//! by mistake cannot keep each other talking.

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, CustomRequest, GetExtensions,
    InitializeRequest, InitializeRequestParams, ListToolsRequest, PaginatedRequestParams, ProtocolVersion, RequestId,
    RequestMetaObject, ServerCapabilities,
};
use serde_json::{Map, Value, json};

use crate::network::Token;
use crate::request_id::request_id;
use crate::salvage::Salvage;

/// JSON-RPC: the line is not JSON.
pub(crate) const PARSE_ERROR: i32 = -32700;
/// JSON-RPC: the JSON is not a request.
pub(crate) const INVALID_REQUEST: i32 = -32600;
/// JSON-RPC: the parameters do not fit the method.
pub(crate) const INVALID_PARAMS: i32 = -32602;
/// JSON-RPC: the server cannot finish the request.
pub(crate) const INTERNAL_ERROR: i32 = -32603;

/// An error answer that needs no dispatch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    /// The request's id, if it could be read.
    pub(crate) id: Option<RequestId>,
    /// One of the JSON-RPC codes above.
    pub(crate) code: i32,
    /// The fault, and what to send instead.
    pub(crate) message: String,
    /// The id was read from a line that could not be parsed; it may be that of a running call.
    pub(crate) salvaged: bool,
}

impl Refusal {
    pub(crate) fn new(id: Option<RequestId>, code: i32, message: impl Into<String>) -> Self {
        Self { id, code, message: message.into(), salvaged: false }
    }

    /// The answer as JSON on one line. An unknown id is left out, as MCP's schema requires.
    pub(crate) fn json(&self) -> Vec<u8> {
        let mut answer = Map::new();
        answer.insert("jsonrpc".into(), "2.0".into());
        if let Some(id) = &self.id {
            answer.insert("id".into(), id.clone().into_json_value());
        }
        answer.insert("error".into(), json!({ "code": self.code, "message": self.message }));
        Value::Object(answer).to_string().into_bytes()
    }
}

/// One parsed message.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A well-formed request.
    Request {
        /// The client's id.
        id: RequestId,
        /// The request.
        request: Box<ClientRequest>,
        /// It names its protocol version itself (revision 2026-07-28), opens a session, or is a ping.
        self_contained: bool,
        /// The token that it presents, which nothing further in sees.
        token: Option<Token>,
    },
    /// The client withdraws a request.
    Cancelled(RequestId),
    /// The client's roots have changed.
    RootsChanged,
    /// A response, perhaps to a request of this server with this number.
    Response {
        /// The number.
        id: i64,
        /// The whole message.
        message: Box<ClientJsonRpcMessage>,
    },
    /// A blank line, or a notification that needs no action.
    Ignored,
    /// A line that is answered with an error.
    Refused(Refusal),
}

/// Parses one message: a line without its newline, or the body of a request. `offers` are the capabilities of the
/// server, which decide what methods there are.
pub(crate) fn read(line: &[u8], offers: &ServerCapabilities) -> Incoming {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if line.iter().all(u8::is_ascii_whitespace) {
        return Incoming::Ignored;
    }
    let value: Value = match std::str::from_utf8(line) {
        Ok(text) => match serde_json::from_str(text) {
            Ok(value) => value,
            Err(error) => return unreadable(line, &format!("the message is not valid JSON ({error})")),
        },
        Err(error) => return unreadable(line, &format!("the message is not UTF-8 (byte {})", error.valid_up_to() + 1)),
    };
    match value {
        Value::Object(members) => read_object(members, offers),
        Value::Array(_) => refuse(None, INVALID_REQUEST, "batches are not part of MCP: send one object at a time"),
        _ => refuse(None, INVALID_REQUEST, "a message is a JSON object with \"jsonrpc\", \"id\" and \"method\""),
    }
}

/// The answer to a line that cannot be parsed. The members that could be read decide whether there is one.
fn unreadable(line: &[u8], why: &str) -> Incoming {
    let mut salvage = Salvage::default();
    salvage.push(line);
    refuse_salvaged(&salvage, PARSE_ERROR, format!("Parse error: {why}; send one JSON object, on one line."))
}

/// The answer to a line that was not parsed, from the members that could be read.
pub(crate) fn refuse_salvaged(salvage: &Salvage, code: i32, message: String) -> Incoming {
    if salvage.is_response() || salvage.is_notification() {
        return Incoming::Ignored;
    }
    Incoming::Refused(Refusal { id: salvage.id(), code, message, salvaged: true })
}

fn refuse(id: Option<RequestId>, code: i32, message: impl Into<String>) -> Incoming {
    Incoming::Refused(Refusal::new(id, code, message))
}

fn read_object(mut members: Map<String, Value>, offers: &ServerCapabilities) -> Incoming {
    let id_member = members.get("id");
    let id = id_member.and_then(request_id);
    let answers = members.contains_key("result") || members.contains_key("error");
    let Some(method) = members.get("method") else {
        if answers {
            return read_response(members);
        }
        return refuse(id, INVALID_REQUEST, "Invalid request: \"method\" is missing");
    };
    let Some(method) = method.as_str().map(str::to_owned) else {
        return refuse(id, INVALID_REQUEST, "Invalid request: \"method\" must be a string");
    };
    if id_member.is_none() {
        return read_notification(&method, &members);
    }
    let Some(id) = id else {
        return refuse(None, INVALID_REQUEST, "Invalid request: \"id\" must be a string or a 64-bit integer");
    };
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return refuse(Some(id), INVALID_REQUEST, "Invalid request: \"jsonrpc\" must be \"2.0\"");
    }
    let params = match members.get_mut("params").map(Value::take) {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return refuse(Some(id), INVALID_PARAMS, "Invalid params: \"params\" must be an object"),
    };
    match read_request(method, params, offers) {
        Ok(Read { request, self_contained, token }) => {
            Incoming::Request { id, request: Box::new(request), self_contained, token }
        }
        Err(why) => refuse(Some(id), INVALID_PARAMS, format!("Invalid params: {why}")),
    }
}

/// A response to a request that this server may have sent. Anything similar to a response is not answered either.
fn read_response(members: Map<String, Value>) -> Incoming {
    let Some(RequestId::Number(id)) = members.get("id").and_then(request_id) else { return Incoming::Ignored };
    match serde_json::from_value(Value::Object(members)) {
        Ok(message) => Incoming::Response { id, message: Box::new(message) },
        Err(_) => Incoming::Ignored,
    }
}

fn read_notification(method: &str, members: &Map<String, Value>) -> Incoming {
    match method {
        "notifications/cancelled" => {}
        "notifications/roots/list_changed" => return Incoming::RootsChanged,
        _ => return Incoming::Ignored,
    }
    let withdrawn = members.get("params").and_then(|params| params.get("requestId")).and_then(request_id);
    withdrawn.map_or(Incoming::Ignored, Incoming::Cancelled)
}

/// A typed request.
struct Read {
    request: ClientRequest,
    /// It can be served without a session.
    self_contained: bool,
    token: Option<Token>,
}

/// The typed request; an error describes the fault of its parameters.
fn read_request(method: String, mut params: Map<String, Value>, offers: &ServerCapabilities) -> Result<Read, String> {
    let mut meta = match params.shift_remove("_meta") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(meta)) => meta,
        Some(_) => return Err("\"_meta\" must be an object".into()),
    };
    // A token must not reach a log.
    let token = match meta.shift_remove("token") {
        Some(Value::String(token)) => Some(Token::new(token)),
        _ => None,
    };
    let meta = RequestMetaObject::from(meta);
    let version = meta.protocol_version();
    let names_its_version = version.is_some();
    // Some methods belong to the revisions with a handshake, one to that without.
    let has_handshake = version.is_none_or(|version| version.has_initialize());
    let (mut request, self_contained) = match method.as_str() {
        "initialize" if has_handshake => {
            (ClientRequest::InitializeRequest(InitializeRequest::new(initialize_params(&params)?)), true)
        }
        "tools/call" => (ClientRequest::CallToolRequest(CallToolRequest::new(call_params(params)?)), names_its_version),
        "tools/list" => {
            let cursor = match params.get("cursor") {
                None | Some(Value::Null) => None,
                Some(Value::String(cursor)) => Some(cursor.clone()),
                Some(_) => return Err("\"cursor\" must be a string".into()),
            };
            let request = ListToolsRequest::with_param(PaginatedRequestParams::default().with_cursor(cursor));
            (ClientRequest::ListToolsRequest(request), names_its_version)
        }
        "ping" => (ClientRequest::PingRequest(rmcp::model::PingRequest::default()), true),
        "server/discover" => (ClientRequest::DiscoverRequest(rmcp::model::DiscoverRequest::default()), true),
        _ if is_offered(&method, offers, has_handshake) => (offered(&method, params)?, names_its_version),
        // Other methods are undeclared, with any parameters: the dispatcher lists the supported ones.
        _ => (ClientRequest::CustomRequest(CustomRequest::new(method, None)), true),
    };
    request.extensions_mut().insert(meta);
    Ok(Read { request, self_contained, token })
}

/// Whether a method, other than those of every server, belongs to a capability that the server has declared.
fn is_offered(method: &str, offers: &ServerCapabilities, has_handshake: bool) -> bool {
    let changes = [
        offers.tools.as_ref().and_then(|tools| tools.list_changed),
        offers.prompts.as_ref().and_then(|prompts| prompts.list_changed),
        offers.resources.as_ref().and_then(|resources| resources.list_changed),
        offers.resources.as_ref().and_then(|resources| resources.subscribe),
    ];
    match method {
        "prompts/list" | "prompts/get" => offers.prompts.is_some(),
        "resources/list" | "resources/templates/list" | "resources/read" => offers.resources.is_some(),
        "resources/subscribe" | "resources/unsubscribe" => has_handshake && changes[3] == Some(true),
        "subscriptions/listen" => !has_handshake && changes.contains(&Some(true)),
        "completion/complete" => offers.completions.is_some(),
        "logging/setLevel" => has_handshake && offers.logging.is_some(),
        _ => false,
    }
}

/// A request of such a method, as the SDK reads it.
fn offered(method: &str, params: Map<String, Value>) -> Result<ClientRequest, String> {
    let message = match params.is_empty() {
        true => json!({ "method": method }),
        false => json!({ "method": method, "params": params }),
    };
    match serde_json::from_value(message) {
        // The SDK takes what fits no method for a method of somebody's own.
        Ok(ClientRequest::CustomRequest(_)) | Err(_) => Err(format!("the parameters do not fit {method}")),
        Ok(request) => Ok(request),
    }
}

fn call_params(mut params: Map<String, Value>) -> Result<CallToolRequestParams, String> {
    let name = match params.get("name") {
        Some(Value::String(name)) => name.clone(),
        Some(_) => return Err("\"name\" must be a string, the name of a tool from tools/list".into()),
        None => return Err("\"name\" is missing: give the name of a tool from tools/list".into()),
    };
    let arguments = match params.get_mut("arguments").map(Value::take) {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(arguments)) => arguments,
        Some(_) => return Err(format!("\"arguments\" of {name} must be an object")),
    };
    let mut call = CallToolRequestParams::new(name).with_arguments(arguments);
    // What a client sends that has been asked for more, in revision 2026-07-28.
    match params.get_mut("inputResponses").map(Value::take) {
        None | Some(Value::Null) => {}
        Some(Value::Object(responses)) => call.input_responses = Some(responses.into_iter().collect()),
        Some(_) => return Err("\"inputResponses\" must be an object".into()),
    }
    match params.get_mut("requestState").map(Value::take) {
        None | Some(Value::Null) => {}
        Some(Value::String(state)) => call.request_state = Some(state),
        Some(_) => return Err("\"requestState\" must be a string".into()),
    }
    Ok(call)
}

/// The opening of a legacy session. A person or a script leaves out parts of it, or all, so a missing part is an empty one, and
/// a missing version the newest. Unusual values are dropped, because an unknown capability of a client is no reason to reject
/// it. Only a version that is not a string is wrong.
fn initialize_params(params: &Map<String, Value>) -> Result<InitializeRequestParams, String> {
    let version = match params.get("protocolVersion") {
        None | Some(Value::Null) => ProtocolVersion::LATEST_WITH_INITIALIZE.as_str(),
        Some(Value::String(version)) => version,
        Some(_) => return Err("\"protocolVersion\" must be a string".to_owned()),
    };
    let client = params.get("clientInfo");
    let told = |key: &str| client.and_then(|info| info.get(key)).and_then(Value::as_str);
    let named = json!({ "name": told("name").unwrap_or("unknown"), "version": told("version").unwrap_or("0") });
    let opening = |capabilities: &Value, client: &Value| json!({ "protocolVersion": version, "capabilities": capabilities, "clientInfo": client });
    let none = json!({});
    let capabilities = params.get("capabilities").unwrap_or(&none);
    // With all that the client says of itself, as far as it has the right form.
    [opening(capabilities, client.unwrap_or(&named)), opening(capabilities, &named)]
        .into_iter()
        .find_map(|whole| serde_json::from_value(whole).ok())
        .map_or_else(|| serde_json::from_value(opening(&none, &named)).map_err(|error| error.to_string()), Ok)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// The kind of a line, in one word or two: the column of expectations below.
    fn taken(line: impl AsRef<[u8]>) -> String {
        match read(line.as_ref(), &ServerCapabilities::default()) {
            Incoming::Request { id, request, .. } => format!("request {} {}", id.into_json_value(), request.method()),
            Incoming::Cancelled(id) => format!("cancelled {}", id.into_json_value()),
            Incoming::Ignored => "ignored".into(),
            Incoming::RootsChanged => "roots changed".into(),
            Incoming::Response { id, .. } => format!("response {id}"),
            Incoming::Refused(refusal) => match refusal.id {
                Some(id) => format!("refused {} {}", refusal.code, id.into_json_value()),
                None => format!("refused {}", refusal.code),
            },
        }
    }

    fn nested(levels: usize) -> String {
        format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"x","arguments":{{"a":{}{}}}}}}}"#,
            "[".repeat(levels),
            "]".repeat(levels)
        )
    }

    #[test]
    fn requests_are_read() {
        assert_eq!(taken(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), "request 1 ping");
        assert_eq!(taken("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}\r"), "request \"a\" ping");
        assert_eq!(taken(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#), "request 1 ping");
        assert_eq!(taken(r#"{"jsonrpc":"2.0","id":-9,"method":"tools/list"}"#), "request -9 tools/list");
        assert_eq!(taken(r#"{"jsonrpc":"2.0","id":1,"method":"prompts/list"}"#), "request 1 prompts/list");
        assert_eq!(taken(nested(100)), "request 7 tools/call");
        assert_eq!(
            taken(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":null}}"#),
            "request 1 tools/call"
        );
    }

    #[test]
    fn an_opening_without_some_of_its_parts_is_taken() {
        for params in [
            "",
            r#","params":{}"#,
            r#","params":{"_meta":{"token":"t"}}"#,
            r#","params":{"protocolVersion":"2025-06-18"}"#,
            r#","params":{"clientInfo":{"name":"n"}}"#,
            r#","params":{"capabilities":null,"clientInfo":7,"protocolVersion":null}"#,
            r#","params":{"capabilities":{},"clientInfo":{"name":"n","version":1}}"#,
        ] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize"{params}}}"#);
            assert_eq!(taken(line), "request 1 initialize", "{params}");
        }
    }

    #[test]
    fn odd_client_capabilities_do_not_close_the_door() {
        let line = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",
            "capabilities":{"roots":7},"clientInfo":{"name":"n","version":"1","icons":3}}}"#
            .replace('\n', "");
        assert_eq!(taken(line), "request 1 initialize");
    }

    #[test]
    fn a_request_that_names_a_revision_without_a_handshake_opens_none() {
        let line = |version: &str| {
            let meta = format!(r#""_meta":{{"io.modelcontextprotocol/protocolVersion":"{version}"}}"#);
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},
                "clientInfo":{{"name":"n","version":"1"}},{meta}}}}}"#
            )
        };
        let opens = |version: &str| match read(line(version).as_bytes(), &ServerCapabilities::default()) {
            Incoming::Request { request, .. } => matches!(*request, ClientRequest::InitializeRequest(_)),
            other => panic!("{other:?}"),
        };
        assert!(opens("2025-11-25") && !opens("2026-07-28"));
    }

    #[test]
    fn nothing_is_answered_to_what_asks_nothing() {
        for line in [
            "",
            " \t\r",
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.5}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
            r#"{"method":"anything","params":[1]}"#,
            r#"{"jsonrpc":"2.0","id":"r","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":3,"result":4,"error":5}"#,
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#,
            "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"text\":\"\\ud800\"}}",
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"a\":\"\\ud800\"}}",
        ] {
            assert_eq!(taken(line), "ignored", "{line}");
        }
        // A response is not answered either: only the connection knows whether it was asked for.
        for line in
            [r#"{"jsonrpc":"2.0","id":3,"result":{}}"#, r#"{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"m"}}"#]
        {
            assert_eq!(taken(line), "response 3", "{line}");
        }
        let changed = r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#;
        assert_eq!(taken(changed), "roots changed");
        let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"r"}}"#;
        assert_eq!(taken(cancelled), "cancelled \"r\"");
    }

    #[test]
    fn broken_json_is_answered_with_the_id_when_it_shows() {
        assert_eq!(taken("nonsense"), "refused -32700");
        assert_eq!(taken(r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"na"#), "refused -32700 5");
        assert_eq!(taken(b"{\"id\":\"q\",\"method\":\"ping\",\"x\":\"\xff\"}"), "refused -32700 \"q\"");
        assert_eq!(taken(b"{\"id\":4,\"method\":\"ping\",\"x\":\"\x00\"}"), "refused -32700 4");
        assert_eq!(taken(r#"{"params":{"id":9,"a":"\ud800"},"id":4,"method":"ping"}"#), "refused -32700 4");
        assert_eq!(taken(nested(100_000)), "refused -32700 7");
        assert_eq!(taken("[".repeat(1_000_000)), "refused -32700");
        assert_eq!(taken(r#"{"id":1.5,"method":"ping""#), "refused -32700");
    }

    #[test]
    fn wrong_envelopes_are_refused() {
        assert_eq!(taken(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#), "refused -32600");
        assert_eq!(taken("17"), "refused -32600");
        assert_eq!(taken("null"), "refused -32600");
        assert_eq!(taken("{}"), "refused -32600");
        assert_eq!(taken(r#"{"id":1,"method":"ping"}"#), "refused -32600 1");
        assert_eq!(taken(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#), "refused -32600 1");
        assert_eq!(taken(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#), "refused -32600");
        assert_eq!(taken(r#"{"jsonrpc":"2.0","id":1.0,"method":"ping"}"#), "refused -32600");
        assert_eq!(taken(r#"{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}"#), "refused -32600");
        assert_eq!(taken(r#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"ping"}"#), "refused -32600");
        assert_eq!(taken(r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#), "refused -32600");
        assert_eq!(taken(r#"{"jsonrpc":"2.0","id":1,"method":5}"#), "refused -32600 1");
        assert_eq!(taken(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#), "refused -32602 1");
        assert_eq!(taken(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":3}}"#), "refused -32602 1");
    }

    #[test]
    fn wrong_parameters_of_known_methods_are_invalid_params() {
        let call = |params: &str| taken(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call"{params}}}"#));
        assert_eq!(call(""), "refused -32602 1");
        assert_eq!(call(r#","params":{"arguments":{}}"#), "refused -32602 1");
        assert_eq!(call(r#","params":{"name":7}"#), "refused -32602 1");
        assert_eq!(call(r#","params":{"name":"x","arguments":[1]}"#), "refused -32602 1");
        assert_eq!(call(r#","params":{"name":"x","arguments":"{}"}"#), "refused -32602 1");
        let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":4}}"#;
        assert_eq!(taken(list), "refused -32602 1");
        let line = br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":7}}"#;
        let Incoming::Refused(refusal) = read(line, &ServerCapabilities::default()) else { panic!("taken as good") };
        assert_eq!(refusal.code, INVALID_PARAMS);
        assert!(refusal.message.contains("protocolVersion"), "{}", refusal.message);
    }

    #[test]
    fn methods_of_declared_capabilities_are_read_with_their_types() {
        let offers = ServerCapabilities::builder().enable_prompts().build();
        let line = |method: &str, params: &str| {
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#).into_bytes()
        };
        let is_custom = |line: Vec<u8>| match read(&line, &offers) {
            Incoming::Request { request, .. } => matches!(*request, ClientRequest::CustomRequest(_)),
            other => panic!("{other:?}"),
        };
        assert!(!is_custom(line("prompts/list", "{}")));
        assert!(!is_custom(line("prompts/get", r#"{"name":"p","_meta":{"progressToken":1}}"#)));
        assert!(is_custom(line("resources/list", "{}")));
        let Incoming::Refused(refusal) = read(&line("prompts/get", r#"{"name":5}"#), &offers) else { panic!("taken") };
        assert_eq!((refusal.code, refusal.message.contains("prompts/get")), (INVALID_PARAMS, true));
    }

    #[test]
    fn a_token_is_taken_out_of_the_request() {
        let line = br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"token":"hush","other":1}}}"#;
        let incoming = read(line, &ServerCapabilities::default());
        assert!(!format!("{incoming:?}").contains("hush"), "{incoming:?}");
        let Incoming::Request { token: Some(token), .. } = incoming else { panic!("{incoming:?}") };
        assert!(token.is(&Token::new("hush".to_owned())));
    }

    #[test]
    fn a_refusal_is_one_line_of_json() {
        let refusal = Refusal::new(Some(RequestId::String("a\nb".into())), PARSE_ERROR, "two\nlines");
        assert!(!refusal.json().contains(&b'\n'));
        let without = Refusal::new(None, PARSE_ERROR, "m").json();
        assert_eq!(without, b"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"m\"}}");
    }
}
