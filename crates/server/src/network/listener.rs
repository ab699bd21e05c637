//! The sockets that clients connect to.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::gate::Gate;
use super::tcp;
use crate::host::Host;

/// The pause after a connection could not be accepted, for example because the process has no descriptor left.
const PAUSE: Duration = Duration::from_millis(100);

/// A network transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// One JSON object a line, as on standard input and output.
    Tcp,
}

impl Transport {
    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
        }
    }
}

/// A bound socket.
#[derive(Debug)]
pub struct Listener {
    /// The transport of its connections.
    pub transport: Transport,
    /// Its address; the port is the one that it got.
    pub address: SocketAddr,
    socket: TcpListener,
}

impl Listener {
    /// Binds a socket; port 0 takes a free one. Must run inside a tokio runtime.
    pub fn bind(transport: Transport, address: SocketAddr) -> io::Result<Self> {
        let socket = std::net::TcpListener::bind(address)?;
        socket.set_nonblocking(true)?;
        let socket = TcpListener::from_std(socket)?;
        Ok(Self { transport, address: socket.local_addr()?, socket })
    }

    /// Accepts connections until `stop` is cancelled.
    pub(crate) async fn accept(
        self,
        host: Arc<dyn Host>,
        gate: Arc<Gate>,
        stop: CancellationToken,
        tasks: TaskTracker,
    ) {
        loop {
            let accepted = tokio::select! {
                accepted = self.socket.accept() => accepted,
                () = stop.cancelled() => return,
            };
            let stream = match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, transport = self.transport.name(), "a connection could not be accepted");
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            };
            prepare(&stream);
            let (host, gate, stop) = (host.clone(), gate.clone(), stop.clone());
            match (gate.enter(), self.transport) {
                (Some(guest), Transport::Tcp) => tasks.spawn(tcp::serve(host, gate, stream, guest, stop)),
                (None, Transport::Tcp) => tasks.spawn(tcp::turn_away(stream, gate.limits.connections)),
            };
        }
    }
}

/// Sends small messages at once, and notices a peer that has gone without a word.
fn prepare(stream: &TcpStream) {
    let prepared =
        stream.set_nodelay(true).and_then(|()| Ok(rustix::net::sockopt::set_socket_keepalive(stream, true)?));
    if let Err(error) = prepared {
        tracing::debug!(%error, "the options of a socket could not be set");
    }
}
