//! A server that answers by a script.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};

/// The server's answer to a message.
pub(crate) enum Say {
    /// Sends these payloads, framed.
    Messages(Vec<String>),
    /// Sends these bytes.
    Bytes(Vec<u8>),
    /// Sends these bytes one by one.
    Slowly(Vec<u8>),
    /// Sends these bytes and closes the connection.
    Last(Vec<u8>),
    /// Sends nothing.
    Nothing,
}

/// Serves connections for as long as the test runs; `script` gets each payload and the number of its call.
pub(crate) fn serve(script: impl Fn(i64, &str) -> Say + Send + Sync + Clone + 'static) -> SocketAddr {
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

fn converse(mut connection: TcpStream, script: &impl Fn(i64, &str) -> Say) -> Option<()> {
    connection.set_nodelay(true).unwrap();
    loop {
        let mut header = [0; 6];
        connection.read_exact(&mut header).ok()?;
        let length = usize::from_str_radix(std::str::from_utf8(&header).ok()?, 16).ok()?;
        let mut payload = vec![0; length];
        connection.read_exact(&mut payload).ok()?;
        let payload = String::from_utf8(payload).ok()?;
        let id = payload.trim_end_matches(')').rsplit(' ').next().and_then(|id| id.parse().ok()).unwrap_or(0);
        match script(id, &payload) {
            Say::Messages(messages) => {
                connection.write_all(&messages.iter().flat_map(|one| frame(one)).collect::<Vec<_>>())
            }
            Say::Bytes(bytes) => connection.write_all(&bytes),
            Say::Slowly(bytes) => bytes.iter().try_for_each(|byte| connection.write_all(&[*byte])),
            Say::Last(bytes) => {
                let _ = connection.write_all(&bytes);
                return None;
            }
            Say::Nothing => Ok(()),
        }
        .ok()?;
    }
}

/// A message with its length in front.
pub(crate) fn frame(payload: &str) -> Vec<u8> {
    [format!("{:06x}", payload.len()).as_bytes(), payload.as_bytes()].concat()
}

/// The value `value` for the call `id`.
pub(crate) fn returned(id: i64, value: &str) -> String {
    format!("(:return (:ok {value}) {id})")
}

/// The agent's answer to the call `id`, with these fields.
pub(crate) fn done(id: i64, fields: &str) -> String {
    let answer = format!("(:DONE :ID {id} {fields})");
    returned(id, &format!("\"{}\"", answer.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// Answers the questions before any request as a Swank of that version, and leaves the requests to `attend`.
pub(crate) fn polite(version: &str, id: i64, payload: &str, attend: impl Fn(i64, &str) -> Say) -> Say {
    if payload.contains("connection-info") {
        let info = format!(
            "(:pid 7 :style :spawn :lisp-implementation (:type \"FAKE\" :version \"1\") :version \"{version}\")"
        );
        Say::Messages(vec![returned(id, &info)])
    } else if payload.contains("cl:find-package") {
        Say::Messages(vec![returned(id, "t")])
    } else if payload.contains(":greet)") {
        Say::Messages(vec![returned(id, "nil")])
    } else {
        attend(id, payload)
    }
}
