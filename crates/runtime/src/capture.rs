//! What evaluated code prints, read from the worker's pipes all the time and kept within bounds.
//!
//! The worker's descriptors 1 and 2 are pipes, so Lisp streams, other threads, child processes and foreign code all end
//! up here, and what was printed before a crash is not lost. A task empties the pipe as it fills; [`Capture::take`]
//! empties it once more at the end of a call, so that everything written before the answer comes with the answer.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::net::unix::pipe;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// Bytes kept from the start of what one call prints to one descriptor, and as many from the end.
const KEPT: usize = 192 * 1024;

/// What was printed, with a hole in the middle when it was too much to keep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// From the start.
    pub head: String,
    /// Bytes between head and tail that were not kept.
    pub dropped: u64,
    /// To the end; empty when nothing was dropped.
    pub tail: String,
}

impl Printed {
    /// Whether nothing was printed.
    pub fn is_empty(&self) -> bool {
        self.head.is_empty()
    }
}

/// The ends of what is printed while nobody asks for it.
#[derive(Default)]
pub(crate) struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl Kept {
    /// Adds what was printed next.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = (KEPT - self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.tail.extend(&bytes[room..]);
        let excess = self.tail.len().saturating_sub(KEPT);
        self.tail.drain(..excess);
    }

    /// Adds what was printed next elsewhere.
    pub(crate) fn add_printed(&mut self, printed: &Printed) {
        self.add(printed.head.as_bytes());
        self.add(printed.tail.as_bytes());
        self.total += printed.dropped;
    }

    /// Bytes that were printed in all.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The start of what was printed, as text.
    pub(crate) fn head_text(&self) -> String {
        text(&self.head)
    }

    /// What is kept, as text.
    pub(crate) fn printed(self) -> Printed {
        let (mut head, tail) = (self.head, Vec::from(self.tail));
        let dropped = self.total - (head.len() + tail.len()) as u64;
        if dropped == 0 {
            head.extend_from_slice(&tail);
            return Printed { head: text(&head), dropped: 0, tail: String::new() };
        }
        Printed { head: text(&head), dropped, tail: text(&tail) }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// One captured descriptor of a worker.
pub(crate) struct Capture {
    shared: Arc<Shared>,
    pump: JoinHandle<()>,
}

struct Shared {
    pipe: pipe::Receiver,
    kept: Mutex<Kept>,
    limit: u64,
    overflow: Notify,
}

impl Capture {
    /// Starts reading the non-blocking `pipe`; more than `limit` bytes in one call are reported by
    /// [`Capture::overflow`].
    pub(crate) fn start(pipe: OwnedFd, limit: u64) -> io::Result<Self> {
        let pipe = pipe::Receiver::from_owned_fd(pipe)?;
        let shared = Arc::new(Shared { pipe, kept: Mutex::default(), limit, overflow: Notify::new() });
        let pump = tokio::spawn({
            let shared = Arc::clone(&shared);
            async move {
                while shared.pipe.readable().await.is_ok() {
                    if shared.drain(|buffer| shared.pipe.try_read(buffer)) == Drained::Closed {
                        return;
                    }
                    tokio::task::yield_now().await;
                }
            }
        });
        Ok(Self { shared, pump })
    }

    /// What was printed since the last time, with all that is in the pipe by now.
    pub(crate) fn take(&self) -> Printed {
        // Straight from the descriptor: the event loop may not have heard of the last bytes yet.
        while self.shared.drain(|buffer| Ok(rustix::io::read(&self.shared.pipe, buffer)?)) == Drained::Some {}
        std::mem::take(&mut *self.shared.kept()).printed()
    }

    /// Waits until a call has printed more than the limit.
    pub(crate) async fn overflow(&self) {
        loop {
            self.shared.overflow.notified().await;
            // An earlier call may have left the notice.
            if self.shared.kept().total > self.shared.limit {
                return;
            }
        }
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        // A process that outlives its worker may hold the other end for ever.
        self.pump.abort();
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Drained {
    /// The pipe is empty.
    Empty,
    /// There may be more.
    Some,
    /// Nobody can write to the pipe any more.
    Closed,
}

impl Shared {
    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a few buffers, so that a flood cannot hold the lock.
    fn drain(&self, read: impl Fn(&mut [u8]) -> io::Result<usize>) -> Drained {
        let mut buffer = [0; 16 * 1024];
        let mut kept = self.kept();
        for _ in 0..8 {
            match read(&mut buffer) {
                Ok(0) => return Drained::Closed,
                Ok(count) => kept.add(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Drained::Empty,
                Err(_) => return Drained::Closed,
            }
            if kept.total > self.limit {
                self.overflow.notify_one();
            }
        }
        Drained::Some
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_little_is_kept_whole() {
        let mut kept = Kept::default();
        kept.add(b"one ");
        kept.add(b"two");
        assert_eq!(kept.printed(), Printed { head: "one two".into(), dropped: 0, tail: String::new() });
    }

    #[test]
    fn of_much_the_ends_are_kept() {
        let mut kept = Kept::default();
        kept.add(&vec![b'a'; KEPT]);
        kept.add(&vec![b'b'; KEPT]);
        kept.add(&vec![b'c'; KEPT]);
        let printed = kept.printed();
        assert_eq!(printed.dropped, KEPT as u64);
        assert!(printed.head.bytes().all(|byte| byte == b'a') && printed.head.len() == KEPT);
        assert!(printed.tail.bytes().all(|byte| byte == b'c') && printed.tail.len() == KEPT);
    }

    #[test]
    fn just_over_half_is_still_whole() {
        let mut kept = Kept::default();
        kept.add(&vec![b'a'; KEPT + 5]);
        let printed = kept.printed();
        assert_eq!((printed.dropped, printed.head.len()), (0, KEPT + 5));
    }
}
