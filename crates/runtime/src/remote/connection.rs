//! The socket to a server, or the pipes to one that has none.
//!
//! Servers write an answer in several small pieces without asking their system to send each at once, so it waits for ours
//! to acknowledge the one before; an acknowledgement that is put off costs 40 ms for each evaluation. Ours are not put off.

use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd as _;
use std::time::Duration;

use lispwright_platform::{Here, System as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::{ChildStdin, ChildStdout};

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
    incoming: Incoming<D>,
    pub(crate) outgoing: Outgoing,
}

/// What the server sends.
struct Incoming<D> {
    end: ReadEnd,
    decoder: D,
}

/// What is read from.
enum ReadEnd {
    Socket(OwnedReadHalf),
    Pipe(ChildStdout),
}

/// What is written to.
enum WriteEnd {
    Socket(OwnedWriteHalf),
    Pipe(ChildStdin),
}

/// What the server is sent. Giving up in the middle loses nothing.
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

    /// Speaks with a process through its standard input and output.
    pub(crate) fn through(requests: ChildStdin, answers: ChildStdout) -> Self {
        Self::new(ReadEnd::Pipe(answers), WriteEnd::Pipe(requests))
    }

    /// The next message, for as long as what waits is sent; an error says why there will be none. Giving up in the middle
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

    /// Asks for it again, because the system forgets.
    fn acknowledge_at_once(&self) {
        if let ReadEnd::Socket(half) = &self.end {
            Here::acknowledge_at_once(half.as_ref().as_fd());
        }
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
