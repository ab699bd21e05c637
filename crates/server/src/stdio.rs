//! Standard input and output for the event loop, without a thread that waits.
//!
//! The flags of inherited descriptors are shared with other processes, so they stay unchanged: a pipe is opened once
//! more, and on a socket each call is made non-blocking. A file, a terminal or a pipe that cannot be opened again is
//! left to threads, because the event loop cannot wait for it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use lispwright_platform::{Here, System as _};
use rustix::fs::{FileType, OFlags, fcntl_getfl, fcntl_setfl, fstat};
use rustix::net::{RecvFlags, SendFlags, recv, send};
use rustix::stdio::{stdin, stdout};
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};

/// Standard input.
pub(crate) fn input() -> Box<dyn AsyncRead + Send + Unpin> {
    match Waited::new(stdin(), OFlags::RDONLY, Interest::READABLE) {
        Ok(waited) => Box::new(waited),
        Err(_) => {
            let_wait(stdin());
            Box::new(tokio::io::stdin())
        }
    }
}

/// Standard output.
pub(crate) fn output() -> Box<dyn AsyncWrite + Send + Unpin> {
    match Waited::new(stdout(), OFlags::WRONLY, Interest::WRITABLE) {
        Ok(waited) => Box::new(waited),
        Err(_) => {
            let_wait(stdout());
            Box::new(tokio::io::stdout())
        }
    }
}

/// Makes an inherited non-blocking descriptor blocking, for threads that wait for it.
fn let_wait(end: BorrowedFd<'_>) {
    if let Ok(flags) = fcntl_getfl(end)
        && flags.contains(OFlags::NONBLOCK)
    {
        // A descriptor that cannot be changed fails at its first use, which ends the connection.
        let _ = fcntl_setfl(end, flags - OFlags::NONBLOCK);
    }
}

/// One direction of a pipe or of a socket.
#[derive(Debug)]
struct Waited {
    end: AsyncFd<OwnedFd>,
    is_socket: bool,
}

impl Waited {
    fn new(end: BorrowedFd<'_>, access: OFlags, interest: Interest) -> io::Result<Self> {
        let kind = FileType::from_raw_mode(fstat(end)?.st_mode);
        let own = match kind {
            FileType::Fifo => Here::open_again(end, access | OFlags::NONBLOCK | OFlags::CLOEXEC)?,
            FileType::Socket => end.try_clone_to_owned()?,
            _ => return Err(io::ErrorKind::Unsupported.into()),
        };
        // SAFETY: an `OwnedFd` has the same open descriptor for as long as it lives, and nobody else gets it.
        let end = unsafe { AsyncFd::register_with_interest(own, interest)? };
        Ok(Self { end, is_socket: kind == FileType::Socket })
    }

    fn receive(&self, bytes: &mut [u8]) -> io::Result<usize> {
        let end = self.end.as_fd();
        let count =
            if self.is_socket { recv(end, bytes, RecvFlags::DONTWAIT)?.0 } else { rustix::io::read(end, bytes)? };
        Ok(count)
    }

    fn send(&self, bytes: &[u8]) -> io::Result<usize> {
        let end = self.end.as_fd();
        let count =
            if self.is_socket { send(end, bytes, SendFlags::DONTWAIT)? } else { rustix::io::write(end, bytes)? };
        Ok(count)
    }
}

impl AsyncRead for Waited {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            let mut ready = ready!(self.end.poll_read_ready(context))?;
            match ready.try_io(|_| self.receive(buffer.initialize_unfilled())) {
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(received) => return Poll::Ready(received.map(|count| buffer.advance(count))),
                // Nothing is available any more: the next round waits.
                Err(_) => {}
            }
        }
    }
}

impl AsyncWrite for Waited {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            let mut ready = ready!(self.end.poll_write_ready(context))?;
            match ready.try_io(|_| self.send(bytes)) {
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(sent) => return Poll::Ready(sent),
                Err(_) => {}
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
