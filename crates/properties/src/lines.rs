//! Every well-formed request among any lines gets exactly one answer, over pipes and over TCP, where nobody is answered
//! who has not shown the token.

use lispwright_server::Transport;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::input::Input;
use crate::served::{answers, call, hall, is_answer, run, secret, server};

/// Any lines, a call after each part.
pub fn holds(data: &[u8]) {
    let word = secret(data);
    let mut input = Input(data);
    let (mut bytes, mut ids) = (Vec::new(), Vec::new());
    while !input.0.is_empty() || ids.is_empty() {
        bytes.extend_from_slice(input.part());
        bytes.push(b'\n');
        let id = format!("{word}-{}", ids.len());
        bytes.extend_from_slice(call(&id, None).to_string().as_bytes());
        bytes.push(b'\n');
        ids.push(id);
    }
    run(async {
        let (mut from, to) = tokio::io::simplex(1024 * 1024);
        let stop = CancellationToken::new();
        let received = async {
            let mut received = Vec::new();
            let read = tokio::io::AsyncReadExt::read_to_end(&mut from, &mut received).await;
            read.expect("a buffer of this process");
            received
        };
        let served = server();
        let ((), received) = tokio::join!(served.serve(&bytes[..], to, &stop), received);
        check(&received, &ids);
        // The door takes the first request with the token, and then the rest.
        let guarded = hall(Some(&word));
        let first = format!("{}\n", call(&word, Some(&word)));
        let received = answers(&guarded, Transport::Tcp, &[first.as_bytes(), &bytes].concat(), |_| true).await;
        ids.push(word.clone());
        check(&received, &ids);
        let received = answers(&guarded, Transport::Tcp, &bytes, |_| true).await;
        let messages = messages(&received);
        assert!(messages.len() <= 1, "a stranger is told why, once: {messages:?}");
        assert!(messages.iter().all(|message| message.get("result").is_none()), "a stranger is served: {messages:?}");
    });
}

fn messages(received: &[u8]) -> Vec<Value> {
    let lines = received.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).expect("an answer is one line of JSON")).collect()
}

fn check(received: &[u8], ids: &[String]) {
    let messages = messages(received);
    assert!(messages.iter().all(|message| message["jsonrpc"] == "2.0"), "{messages:?}");
    for id in ids {
        let of_id: Vec<&Value> = messages.iter().filter(|message| message["id"] == **id).collect();
        assert!(of_id.len() == 1 && is_answer(of_id[0], id), "{id} is answered by {of_id:?}");
    }
}
