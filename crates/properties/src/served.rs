//! A server within this process, and the requests that have to be answered whatever surrounds them.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use lispwright_server::{Admission, Hall, Limits, Options, Server, Token, Transport};
use lispwright_tools::{Annotations, ProtocolAnswer, Schema, Tool, ToolSet};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

/// A server that is silent for longer hangs.
const PATIENCE: Duration = Duration::from_secs(60);

thread_local! {
    static EVENT_LOOP: Runtime = Builder::new_current_thread().enable_all().build().expect("an event loop");
}

/// Runs `work`, which has to end.
pub(crate) fn run<T>(work: impl Future<Output = T>) -> T {
    EVENT_LOOP.with(|event_loop| {
        event_loop.block_on(async { tokio::time::timeout(PATIENCE, work).await.expect("the server answers") })
    })
}

/// A server with one tool, which says what it is given.
pub(crate) fn server() -> Server {
    let schema = || {
        let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
        schema.as_object().cloned().unwrap_or_default()
    };
    let echo = Tool {
        name: "echo",
        title: "Echo",
        description: "Says what it is given.",
        set: ToolSet::Default,
        annotations: Annotations::READS,
        input_schema: Schema::new(schema),
        output_schema: Schema::new(schema),
        run: Arc::new(|given, _| {
            let text = given.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
            async { Ok(ProtocolAnswer { text, fields: Map::new(), ok: true }.into()) }.boxed()
        }),
    };
    Server::new(Options::new(vec![echo]))
}

/// The same for clients of a network.
pub(crate) fn hall(token: Option<&str>) -> Hall {
    server().hall(Admission { token: token.map(Token::new), ..Admission::default() }, Limits::default())
}

/// What a server sends back on a connection on which these bytes come; and the end, when it has sent what `suffices`.
pub(crate) async fn answers(
    hall: &Hall,
    transport: Transport,
    bytes: &[u8],
    suffices: impl Fn(&[u8]) -> bool,
) -> Vec<u8> {
    let (client, stream) = tokio::io::duplex(64 * 1024);
    let (mut from, mut to) = tokio::io::split(client);
    let stop = CancellationToken::new();
    let serving = hall.serve_stream(transport, stream, IpAddr::V4(Ipv4Addr::LOCALHOST), &stop);
    let enough = CancellationToken::new();
    let sending = async {
        // A server may close a connection before it has read all of it.
        let _ = to.write_all(bytes).await;
        enough.cancelled().await;
        let _ = to.shutdown().await;
    };
    let receiving = async {
        let mut received = Vec::new();
        loop {
            if suffices(&received) {
                enough.cancel();
            }
            if from.read_buf(&mut received).await.is_ok_and(|count| count > 0) {
                continue;
            }
            enough.cancel();
            return received;
        }
    };
    let ((), (), received) = tokio::join!(serving, sending, receiving);
    received
}

/// A word that does not occur in `data`, or nothing does.
pub(crate) fn secret(data: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    data.hash(&mut hasher);
    format!("{:016x}{:016x}", hasher.finish(), !hasher.finish())
}

/// A call that has to be answered with its own id as the text.
pub(crate) fn call(id: &str, token: Option<&str>) -> Value {
    let mut meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}
    });
    if let Some(token) = token {
        meta["token"] = token.into();
    }
    let params = json!({ "name": "echo", "arguments": { "text": id }, "_meta": meta });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

/// Whether `message` is the answer to that call.
pub(crate) fn is_answer(message: &Value, id: &str) -> bool {
    message["id"] == id && message["result"]["content"][0]["text"] == id
}
