//! The socket to a server.
//!
//! Servers write an answer in several small pieces without asking their system to send each at once, so it waits for ours
//! to acknowledge the one before; an acknowledgement that is put off costs 40 ms for each evaluation. Ours are not put off.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

/// How long a server on this machine may take to accept.
const CONNECT_LIMIT: Duration = Duration::from_secs(2);

/// Bytes that there is room for in each reading, so that a message rarely takes two.
const ROOM: usize = 4 << 10;

/// Makes messages of bytes.
pub(crate) trait Decode: Default {
    /// What comes.
    type Message;

    /// The protocol's name.
    const PROTOCOL: &'static str;

    /// Where bytes are added.
    fn buffer(&mut self) -> &mut Vec<u8>;

    /// The next message, or `None` when more bytes are needed. After an error, in words, nothing more can be had.
    fn next(&mut self) -> Result<Option<Self::Message>, String>;
}

/// Messages in both directions.
pub(crate) struct Connection<D> {
    pub(crate) incoming: Incoming<D>,
    pub(crate) outgoing: Outgoing,
}

/// What the server sends. Giving up in the middle loses nothing.
pub(crate) struct Incoming<D> {
    half: OwnedReadHalf,
    decoder: D,
}

/// What the server is sent. Giving up in the middle loses nothing.
pub(crate) struct Outgoing {
    half: OwnedWriteHalf,
    bytes: Vec<u8>,
    written: usize,
}

impl<D: Decode> Connection<D> {
    /// Connects to `address`.
    pub(crate) async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = tokio::time::timeout(CONNECT_LIMIT, TcpStream::connect(address)).await??;
        stream.set_nodelay(true)?;
        let (read, write) = stream.into_split();
        let incoming = Incoming { half: read, decoder: D::default() };
        incoming.acknowledge_at_once();
        Ok(Self { incoming, outgoing: Outgoing { half: write, bytes: Vec::new(), written: 0 } })
    }
}

impl<D: Decode> Incoming<D> {
    /// The next message; an error says why there will be none.
    pub(crate) async fn next(&mut self) -> Result<D::Message, String> {
        loop {
            match self.decoder.next() {
                Ok(Some(message)) => return Ok(message),
                Ok(None) => {}
                Err(error) => return Err(format!("it does not speak {}: {error}", D::PROTOCOL)),
            }
            let buffer = self.decoder.buffer();
            buffer.reserve(ROOM);
            match self.half.read_buf(buffer).await {
                Ok(0) => return Err("it closed the connection".to_owned()),
                Ok(_) => self.acknowledge_at_once(),
                Err(error) => return Err(format!("the connection broke: {error}")),
            }
        }
    }

    /// Asks for it again, because the system forgets.
    fn acknowledge_at_once(&self) {
        #[cfg(target_os = "linux")]
        // Without it everything works, slowly.
        let _ = rustix::net::sockopt::set_tcp_quickack(self.half.as_ref(), true);
    }
}

impl Outgoing {
    /// Puts a message behind those that wait.
    pub(crate) fn push(&mut self, message: &[u8]) {
        self.bytes.extend_from_slice(message);
    }

    /// Whether something waits to be sent.
    pub(crate) fn is_waiting(&self) -> bool {
        self.written < self.bytes.len()
    }

    /// Sends some of what waits.
    pub(crate) async fn send(&mut self) -> io::Result<()> {
        self.written += self.half.write(&self.bytes[self.written..]).await?;
        if !self.is_waiting() {
            self.bytes.clear();
            self.written = 0;
        }
        Ok(())
    }
}
