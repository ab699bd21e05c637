//! Every well-formed request over HTTP gets exactly one answer, whatever bodies come before and after it on its connection;
//! and a connection on which anything comes disturbs no other.

use lispwright_server::Transport;
use serde_json::Value;

use crate::input::Input;
use crate::served::{answers, call, hall, is_answer, run, secret};

/// Any bodies, a call after each; then the same bytes as a connection.
pub fn holds(data: &[u8]) {
    let word = secret(data);
    let mut input = Input(data);
    let (mut bytes, mut ids) = (Vec::new(), Vec::new());
    while !input.0.is_empty() || ids.is_empty() {
        bytes.extend(request(input.part(), "", &word));
        let id = format!("{word}-{}", ids.len());
        bytes.extend(good_request(&id, &word));
        ids.push(id);
    }
    run(async {
        let hall = hall(Some(&word));
        // A client that closes before it has all responses withdraws the rest.
        let all = |received: &[u8]| responses(received).len() >= 2 * ids.len();
        let responses_there = responses(&answers(&hall, Transport::Http, &bytes, all).await);
        assert_eq!(responses_there.len(), 2 * ids.len(), "each request has one response");
        for (id, pair) in ids.iter().zip(responses_there.chunks(2)) {
            assert!(pair[1].0 == 200 && is_answer(&pair[1].1, id), "{id}: {:?}", pair[1]);
            assert!([200, 202, 400, 404].contains(&pair[0].0), "{:?}", pair[0]);
        }
        let strange = answers(&hall, Transport::Http, data, |_| true).await;
        assert!(!String::from_utf8_lossy(&strange).contains("\"result\""), "a stranger is served");
        let one = |received: &[u8]| !responses(received).is_empty();
        let received = answers(&hall, Transport::Http, &good_request("after", &word), one).await;
        assert!(matches!(&responses(&received)[..], [(200, answer)] if is_answer(answer, "after")));
    });
}

fn good_request(id: &str, token: &str) -> Vec<u8> {
    let mirror = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n";
    request(call(id, None).to_string().as_bytes(), mirror, token)
}

fn request(body: &[u8], headers: &str, token: &str) -> Vec<u8> {
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Accept: application/json\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// The status and the document of each response that is there as a whole.
fn responses(mut received: &[u8]) -> Vec<(u16, Value)> {
    let mut found = Vec::new();
    while !received.is_empty() {
        let Some(end) = received.windows(4).position(|four| four == b"\r\n\r\n") else { return found };
        let head = String::from_utf8_lossy(&received[..end]).to_ascii_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
        let length: usize = length.map_or(0, |length| length.parse().expect("a length"));
        let Some(body) = received.get(end + 4..end + 4 + length) else { return found };
        let document = if body.is_empty() { Value::Null } else { serde_json::from_slice(body).expect("JSON") };
        found.push((status, document));
        received = &received[end + 4 + length..];
    }
    found
}
