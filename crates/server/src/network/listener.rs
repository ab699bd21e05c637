//! The sockets that clients connect to.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::gate::Gate;
use super::http::{self, Http};
use super::local::LocalListener;
use super::tcp;
use crate::host::Host;

/// The pause after a connection could not be accepted, for example because the process has no descriptor left.
pub(super) const PAUSE: Duration = Duration::from_millis(100);

/// The time for all connections to end.
const END: Duration = Duration::from_secs(5);

/// A network transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// One JSON object a line, as on standard input and output.
    Tcp,
    /// Streamable HTTP at `/mcp`.
    Http,
}

impl Transport {
    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::Http => "http",
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
    async fn accept(self, hall: Arc<Hall>, stop: CancellationToken, tasks: TaskTracker) {
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
            // A socket that has gone already has no address.
            let Ok(local) = stream.local_addr() else { continue };
            let (hall, stop, most) = (hall.clone(), stop.clone(), hall.gate.limits.connections);
            match (hall.gate.enter(), self.transport) {
                (Some(guest), Transport::Tcp) => {
                    let ends = stream.into_split();
                    tasks.spawn(tcp::serve(hall.host.clone(), hall.gate.clone(), ends, guest, stop))
                }
                (Some(guest), Transport::Http) => tasks.spawn(hall.http.clone().serve(stream, local.ip(), guest, stop)),
                (None, Transport::Tcp) => tasks.spawn(tcp::turn_away(stream, most)),
                (None, Transport::Http) => tasks.spawn(http::turn_away(stream, most)),
            };
        }
    }
}

/// What all connections of a network share.
pub struct Hall {
    host: Arc<dyn Host>,
    gate: Arc<Gate>,
    http: Arc<Http>,
}

impl std::fmt::Debug for Hall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hall").field("gate", &self.gate).finish_non_exhaustive()
    }
}

impl Hall {
    /// Serves a connection that the caller has accepted at the address `local`, until it ends or `stop` is cancelled.
    /// One too many ends at once.
    pub async fn serve_stream(
        &self,
        transport: Transport,
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        local: IpAddr,
        stop: &CancellationToken,
    ) {
        let Some(guest) = self.gate.enter() else { return };
        match transport {
            Transport::Tcp => {
                let ends = tokio::io::split(stream);
                tcp::serve(self.host.clone(), self.gate.clone(), ends, guest, stop.clone()).await;
            }
            Transport::Http => self.http.clone().serve(stream, local, guest, stop.clone()).await,
        }
    }

    pub(crate) fn new(host: Arc<dyn Host>, gate: Gate) -> Self {
        let gate = Arc::new(gate);
        Self { http: Arc::new(Http::new(host.clone(), gate.clone())), host, gate }
    }

    /// Serves the connections of all sockets until `stop` is cancelled; their end takes less than five seconds.
    pub(crate) async fn serve(self, listeners: Vec<Listener>, locals: Vec<LocalListener>, stop: &CancellationToken) {
        let tasks = TaskTracker::new();
        if listeners.iter().any(|listener| listener.transport == Transport::Http) {
            tasks.spawn(self.http.clone().keep(stop.clone()));
        }
        let (gate, stopped) = (self.gate.clone(), stop.clone());
        tasks.spawn(async move {
            tokio::select! { () = gate.watch() => {}, () = stopped.cancelled() => {} }
        });
        let hall = Arc::new(self);
        let accepting =
            listeners.into_iter().map(|listener| listener.accept(hall.clone(), stop.clone(), tasks.clone()));
        let (host, limits) = (hall.host.clone(), hall.gate.limits);
        let local = locals.into_iter().map(|local| local.accept(host.clone(), limits, stop.clone(), tasks.clone()));
        futures::join!(futures::future::join_all(accepting), futures::future::join_all(local));
        tasks.close();
        if tokio::time::timeout(END, tasks.wait()).await.is_err() {
            tracing::debug!(left = tasks.len(), "connections did not end in time");
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Without it each answer of two parts waits for an acknowledgement, some 40 milliseconds (RFC 896, RFC 1122 4.2.3.2).
    #[tokio::test]
    async fn small_messages_are_sent_at_once() {
        let listener = Listener::bind(Transport::Http, "127.0.0.1:0".parse().unwrap()).unwrap();
        let (client, accepted) = tokio::join!(TcpStream::connect(listener.address), listener.socket.accept());
        let (stream, _) = accepted.unwrap();
        assert!(!stream.nodelay().unwrap());
        prepare(&stream);
        assert!(stream.nodelay().unwrap());
        assert!(rustix::net::sockopt::socket_keepalive(&stream).unwrap());
        drop(client);
    }
}
