//! A connection of lines: standard input and output, or a socket.

use std::sync::Arc;

use rmcp::model::ServerCapabilities;
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio_util::sync::CancellationToken;

use crate::envelope::{self, INVALID_REQUEST, Incoming};
use crate::host::Host;
use crate::intake;
use crate::lines::{LONGEST_LINE, Line, Lines};
use crate::network::{Door, Knock};
use crate::wire::{LineOutlet, Part, Wire};

/// Serves a connection until its input ends, its output is closed, or `stop` is cancelled.
///
/// After that, running calls have two and a half seconds to finish; then they are cancelled, and those that still do
/// not answer are answered with an error. A connection with a door is served only after it has passed it.
pub(crate) async fn serve<R, W>(
    host: &Arc<dyn Host>,
    reader: R,
    writer: W,
    door: Option<Door>,
    stop: &CancellationToken,
) where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (transport, mut intake) = intake::open(LineOutlet::new(writer));
    let wire = intake.wire.clone();
    let lines = Lines::new(BufReader::with_capacity(64 * 1024, reader));
    let mut entrance = Entrance { lines, offers: host.offers(), wire: wire.clone(), door, stop };
    let mut next = entrance.next().await;
    // Who is served is known with the first message that passes the door.
    if next.is_some() {
        let (visitor, closing) = entrance.door.as_ref().map_or_else(Default::default, Door::opened);
        // The intake checks the order of the handshake itself: no line may end the process.
        let running = rmcp::service::serve_directly(host.handler(closing.clone(), visitor), transport, None);
        while let Some(incoming) = next {
            if intake.take(incoming).await.is_err() {
                break;
            }
            next = entrance.next().await;
        }
        intake.finish(closing.clone()).await;
        closing.cancel();
        drop(running);
    }
    wire.outlet.close().await;
}

/// The side of a connection on which messages come in.
struct Entrance<'s, R, W> {
    lines: Lines<BufReader<R>>,
    offers: Arc<ServerCapabilities>,
    wire: Arc<Wire<LineOutlet<W>>>,
    door: Option<Door>,
    stop: &'s CancellationToken,
}

impl<R, W> Entrance<'_, R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// The next message that passes the door; `None` when the connection is to end.
    async fn next(&mut self) -> Option<Incoming> {
        loop {
            let line = tokio::select! {
                line = self.lines.next() => line,
                () = self.wire.broken.cancelled() => return None,
                () = self.stop.cancelled() => return None,
                refusal = Door::closes(self.door.as_mut()) => {
                    self.wire.send(refusal.json(), Part::Alone).await;
                    return None;
                }
            };
            let incoming = match line {
                Ok(Some(Line::Whole(line))) => envelope::read(line, &self.offers),
                Ok(Some(Line::TooLong(salvage))) => envelope::refuse_salvaged(
                    &salvage,
                    INVALID_REQUEST,
                    format!("Invalid request: a line of more than {LONGEST_LINE} bytes was skipped; send less at once"),
                ),
                Ok(None) => return None,
                Err(error) => {
                    tracing::debug!(%error, "input failed");
                    return None;
                }
            };
            let Some(door) = &mut self.door else { return Some(incoming) };
            match door.knock(&incoming).await {
                Knock::Passes => return Some(incoming),
                Knock::Ignored => {}
                Knock::Refused(refusal) => {
                    self.wire.send(refusal.json(), Part::Alone).await;
                    return None;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::net::{IpAddr, Ipv4Addr};
    use std::sync::Arc;
    use std::time::Duration;

    use lispwright_project::{NewText, edit_private};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
    use tokio::time::Instant;
    use tokio_util::sync::CancellationToken;

    use crate::{Admission, Clients, Limits, NamedToken, Options, Server, Token, Transport, roll_with};

    #[tokio::test(start_paused = true)]
    async fn a_revoked_token_is_refused_with_the_next_request_of_its_connection() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("clients");
        let write = |text: String| edit_private(&path, |_| Ok::<_, String>(NewText::Text(text))).unwrap();
        let secret = "0123456789abcdef";
        let ci = NamedToken::new("ci", false, "today".to_owned(), &Token::new(secret)).unwrap();
        write(roll_with("", &ci));
        let clients = Some(Arc::new(Clients::open(&path).unwrap()));
        let access = Admission { token: Some(Token::new("of the owner")), clients, ..Admission::default() };
        // Nothing looks into the file of its own accord.
        let hall = Server::new(Options::new(Vec::new())).hall(access, Limits::default());
        let (ours, theirs) = duplex(1 << 16);
        let talk = async {
            let (mut reader, mut writer) = tokio::io::split(ours);
            let modern = "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
                          \"io.modelcontextprotocol/clientCapabilities\":{}";
            let list = |id: u32, token: &str| {
                let meta = format!("{{{modern}{token}}}");
                format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/list\",\"params\":{{\"_meta\":{meta}}}}}\n"
                )
            };
            let mut said = [0; 1 << 12];
            writer.write_all(list(1, &format!(",\"token\":\"{secret}\"")).as_bytes()).await.unwrap();
            let length = reader.read(&mut said).await.unwrap();
            let said = String::from_utf8_lossy(&said[..length]);
            assert!(said.contains("\"id\":1,") && said.contains("\"tools\":[]"), "{said}");
            write("# nobody\n".to_owned());
            writer.write_all(list(2, "").as_bytes()).await.unwrap();
            let mut rest = String::new();
            reader.read_to_string(&mut rest).await.unwrap();
            assert!(rest.contains("\"id\":2,") && rest.contains("was revoked") && rest.lines().count() == 1, "{rest}");
        };
        let stop = CancellationToken::new();
        tokio::join!(hall.serve_stream(Transport::Tcp, theirs, IpAddr::V4(Ipv4Addr::LOCALHOST), &stop), talk);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_no_answer_is_left_after_a_minute() {
        let server = Server::new(Options::new(Vec::new()));
        let (input, mut asking) = duplex(1 << 20);
        // Nobody reads from the other end, which stays open, as the input does.
        let (output, _unread) = duplex(64);
        let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
        asking.write_all(ping.repeat(1000).as_bytes()).await.unwrap();
        let began = Instant::now();
        server.serve(input, output, &CancellationToken::new()).await;
        let took = began.elapsed();
        assert!((Duration::from_secs(60)..Duration::from_secs(130)).contains(&took), "{took:?}");
    }
}
