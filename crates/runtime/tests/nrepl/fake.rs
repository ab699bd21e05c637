//! A server that answers by a script.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};

/// The server's answer to a request.
pub(crate) enum Say {
    /// Sends these bytes.
    Bytes(Vec<u8>),
    /// Sends them one by one.
    Slowly(Vec<u8>),
    /// Sends these and closes the connection.
    Last(Vec<u8>),
    /// Sends nothing.
    Nothing,
}

/// Serves connections for as long as the test runs; `script` gets the number and the text of each request.
pub(crate) fn serve(script: impl Fn(&str, &str) -> Say + Send + Sync + Clone + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let script = script.clone();
            std::thread::spawn(move || converse(connection, &script));
        }
    });
    address
}

fn converse(mut connection: TcpStream, script: &impl Fn(&str, &str) -> Say) {
    connection.set_nodelay(true).unwrap();
    let mut buffer = [0; 65536];
    loop {
        let Ok(count @ 1..) = connection.read(&mut buffer) else { return };
        let request = String::from_utf8_lossy(&buffer[..count]).into_owned();
        let sent = match script(&field(&request, "id"), &request) {
            Say::Bytes(bytes) => connection.write_all(&bytes),
            Say::Slowly(bytes) => bytes.iter().try_for_each(|byte| connection.write_all(&[*byte])),
            Say::Last(bytes) => {
                let _ = connection.write_all(&bytes);
                return;
            }
            Say::Nothing => Ok(()),
        };
        if sent.is_err() {
            return;
        }
    }
}

/// The string at `key` in a request.
pub(crate) fn field(request: &str, key: &str) -> String {
    let marker = format!("{}:{key}", key.len());
    let Some((_, rest)) = request.split_once(&marker) else { return String::new() };
    let Some((length, rest)) = rest.split_once(':') else { return String::new() };
    rest.chars().take(length.parse().unwrap_or(0)).collect()
}

/// A dictionary of strings, with the statuses given.
pub(crate) fn message(entries: &[(&str, &str)], statuses: &[&str]) -> Vec<u8> {
    let mut text = "d".to_owned();
    for (key, value) in entries {
        text.push_str(&format!("{}:{key}{}:{value}", key.len(), value.len()));
    }
    if !statuses.is_empty() {
        text.push_str("6:statusl");
        for status in statuses {
            text.push_str(&format!("{}:{status}", status.len()));
        }
        text.push('e');
    }
    text.push('e');
    text.into_bytes()
}

/// Answers the questions that come before any code, and leaves the code to `eval`.
pub(crate) fn polite(id: &str, request: &str, eval: impl Fn(&str, &str) -> Say) -> Say {
    match field(request, "op").as_str() {
        "describe" => Say::Bytes(
            format!("d2:id{}:{id}3:opsd5:clonede4:evaldee8:versionsd4:fake3:1.0e6:statusl4:doneee", id.len())
                .into_bytes(),
        ),
        "clone" => Say::Bytes(message(&[("id", id), ("new-session", "s")], &["done"])),
        "close" => Say::Bytes(message(&[("id", id)], &["done"])),
        _ => eval(id, request),
    }
}
