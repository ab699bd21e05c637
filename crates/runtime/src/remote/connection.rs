//! The socket to a server, or the pipes to one that has none.
//!
//! Servers write an answer in several small pieces without asking their system to send each at once, so each piece
//! waits for our acknowledgement of the one before. A delayed acknowledgement costs 40 ms for each evaluation, so ours
//! are not delayed.

use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd as _;
use std::time::Duration;

use lispwright_platform::{Here, System as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::{ChildStdin, ChildStdout};

/// The time for a server on this machine to accept.
const CONNECT_LIMIT: Duration = Duration::from_secs(2);

/// The buffer space for each read in bytes, enough for most messages.
const ROOM: usize = 4 << 10;

/// Decodes bytes into messages.
pub(crate) trait Decode: Default {
    /// The decoded message.
    type Message;

    /// The protocol's name.
    const PROTOCOL: &'static str;

    /// The buffer for new bytes.
    fn buffer(&mut self) -> &mut Vec<u8>;

    /// The next message, or `None` when more bytes are needed. After an error, in words, there are no more messages.
    fn next(&mut self) -> Result<Option<Self::Message>, String>;
}

/// Messages in both directions.
pub(crate) struct Connection<D> {
    incoming: Incoming<D>,
    pub(crate) outgoing: Outgoing,
}

/// The receiving side.
struct Incoming<D> {
    end: ReadEnd,
    decoder: D,
}

/// The source of bytes.
enum ReadEnd {
    Socket(OwnedReadHalf),
    Pipe(ChildStdout),
}

/// The destination of bytes.
enum WriteEnd {
    Socket(OwnedWriteHalf),
    Pipe(ChildStdin),
}

/// The sending side. Cancelling a send loses nothing.
pub(crate) struct Outgoing {
    end: WriteEnd,
    bytes: Vec<u8>,
    written: usize,
}

impl<D: Decode> Connection<D> {
    /// Connects to `address`.
    pub(crate) async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = tokio::time::timeout(CONNECT_LIMIT, TcpStream::connect(address)).await??;
        stream.set_nodelay(true)?;
        let (read, write) = stream.into_split();
        Ok(Self::new(ReadEnd::Socket(read), WriteEnd::Socket(write)))
    }

    /// A connection to a process through its standard input and output.
    pub(crate) fn through(requests: ChildStdin, answers: ChildStdout) -> Self {
        Self::new(ReadEnd::Pipe(answers), WriteEnd::Pipe(requests))
    }

    /// The next message; until it comes, queued messages are sent. An error says why there are no more. Cancelling
    /// loses nothing.
    pub(crate) async fn next(&mut self) -> Result<D::Message, String> {
        loop {
            tokio::select! {
                message = self.incoming.next() => return message,
                sent = self.outgoing.send(), if self.outgoing.is_waiting() => {
                    sent.map_err(|error| format!("the connection broke: {error}"))?;
                }
            }
        }
    }

    fn new(read: ReadEnd, write: WriteEnd) -> Self {
        let incoming = Incoming { end: read, decoder: D::default() };
        incoming.acknowledge_at_once();
        Self { incoming, outgoing: Outgoing { end: write, bytes: Vec::new(), written: 0 } }
    }
}

impl<D: Decode> Incoming<D> {
    async fn next(&mut self) -> Result<D::Message, String> {
        loop {
            match self.decoder.next() {
                Ok(Some(message)) => return Ok(message),
                Ok(None) => {}
                Err(error) => return Err(format!("it does not speak {}: {error}", D::PROTOCOL)),
            }
            let buffer = self.decoder.buffer();
            buffer.reserve(ROOM);
            let read = match &mut self.end {
                ReadEnd::Socket(half) => half.read_buf(buffer).await,
                ReadEnd::Pipe(pipe) => pipe.read_buf(buffer).await,
            };
            match read {
                Ok(0) => return Err("it closed the connection".to_owned()),
                Ok(_) => self.acknowledge_at_once(),
                Err(error) => return Err(format!("the connection broke: {error}")),
            }
        }
    }

    /// Has to be repeated, because the system forgets it.
    fn acknowledge_at_once(&self) {
        if let ReadEnd::Socket(half) = &self.end {
            Here::acknowledge_at_once(half.as_ref().as_fd());
        }
    }
}

impl Outgoing {
    /// Queues a message.
    pub(crate) fn push(&mut self, message: &[u8]) {
        self.bytes.extend_from_slice(message);
    }

    /// Whether queued messages are left.
    pub(crate) fn is_waiting(&self) -> bool {
        self.written < self.bytes.len()
    }

    /// Sends some of the queued messages.
    pub(crate) async fn send(&mut self) -> io::Result<()> {
        let waiting = &self.bytes[self.written..];
        self.written += match &mut self.end {
            WriteEnd::Socket(half) => half.write(waiting).await?,
            WriteEnd::Pipe(pipe) => pipe.write(waiting).await?,
        };
        if !self.is_waiting() {
            self.bytes.clear();
            self.written = 0;
        }
        Ok(())
    }
}
