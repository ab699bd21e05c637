//! Connections of TCP: lines, as on standard input and output, after a door.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio_util::sync::CancellationToken;

use super::door::Door;
use super::gate::Gate;
use super::guests::Guest;
use super::patient::Patient;
use crate::connection;
use crate::envelope::{INTERNAL_ERROR, Refusal};
use crate::host::Host;

/// The time to tell a client that there are too many.
const FAREWELL: Duration = Duration::from_secs(1);

/// Serves one connection, whose two directions these are.
pub(crate) async fn serve(
    host: Arc<dyn Host>,
    gate: Arc<Gate>,
    (reader, writer): (impl AsyncRead + Send + Unpin, impl AsyncWrite + Send + Unpin + 'static),
    guest: Guest,
    stop: CancellationToken,
) {
    let writer = Patient::new(writer, gate.limits.patience);
    let door = Door::new(gate, guest);
    connection::serve(&host, reader, writer, Some(door), &stop).await;
}

/// Tells a client that there are too many connections.
pub(crate) async fn turn_away(stream: impl AsyncRead + AsyncWrite + Unpin, most: usize) {
    refuse(stream, format!("the server has {most} connections, and takes no more; close one")).await;
}

/// Tells a client why it is not served, and closes its connection.
pub(crate) async fn refuse(mut stream: impl AsyncRead + AsyncWrite + Unpin, why: String) {
    let mut line = Refusal::new(None, INTERNAL_ERROR, why).json();
    line.push(b'\n');
    say_farewell(&mut stream, &line).await;
}

/// Sends the last bytes of a connection, and takes what the client has sent until it has closed its end: a socket that is
/// closed with bytes that nobody has taken loses what its peer has not taken yet.
pub(crate) async fn say_farewell(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), last: &[u8]) {
    let farewell = async {
        stream.write_all(last).await?;
        stream.shutdown().await?;
        tokio::io::copy(stream, &mut tokio::io::sink()).await
    };
    // A client that does not listen is not told.
    let _ = tokio::time::timeout(FAREWELL, farewell).await;
}
