//! A connection of lines: standard input and output, or a socket.

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio_util::sync::CancellationToken;

use crate::envelope::{self, INVALID_REQUEST};
use crate::host::Host;
use crate::intake::{self, Intake};
use crate::lines::{LONGEST_LINE, Line, Lines};
use crate::network::Door;
use crate::wire::{LineOutlet, Part};

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
    let closing = CancellationToken::new();
    let (transport, intake) = intake::open(LineOutlet::new(writer));
    let wire = intake.wire.clone();
    // The intake checks the order of the handshake itself: no line may end the process.
    let running = rmcp::service::serve_directly(host.handler(closing.clone()), transport, None);
    let intake = read(host, reader, intake, door, stop).await;
    intake.finish(closing.clone()).await;
    closing.cancel();
    drop(running);
    wire.outlet.close().await;
}

/// Takes lines until the end.
async fn read<R, W>(
    host: &Arc<dyn Host>,
    reader: R,
    mut intake: Intake<LineOutlet<W>>,
    mut door: Option<Door>,
    stop: &CancellationToken,
) -> Intake<LineOutlet<W>>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let offers = host.offers();
    let mut lines = Lines::new(BufReader::with_capacity(64 * 1024, reader));
    loop {
        let line = tokio::select! {
            line = lines.next() => line,
            () = intake.wire.broken.cancelled() => break,
            () = stop.cancelled() => break,
            refusal = Door::closes(door.as_mut()) => {
                intake.wire.send(refusal.json(), Part::Alone).await;
                break;
            }
        };
        let incoming = match line {
            Ok(Some(Line::Whole(line))) => envelope::read(line, &offers),
            Ok(Some(Line::TooLong(salvage))) => envelope::refuse_salvaged(
                &salvage,
                INVALID_REQUEST,
                format!("Invalid request: a line of more than {LONGEST_LINE} bytes was skipped; send less at once"),
            ),
            Ok(None) => break,
            Err(error) => {
                tracing::debug!(%error, "input failed");
                break;
            }
        };
        if let Some(door) = &mut door {
            match door.knock(&incoming).await {
                Ok(true) => {}
                Ok(false) => continue,
                Err(refusal) => {
                    intake.wire.send(refusal.json(), Part::Alone).await;
                    break;
                }
            }
        }
        if intake.take(incoming).await.is_err() {
            break;
        }
    }
    intake
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::time::Duration;

    use tokio::io::{AsyncWriteExt as _, duplex};
    use tokio::time::Instant;
    use tokio_util::sync::CancellationToken;

    use crate::{Options, Server};

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
