//! The output of evaluated code, read from the worker's pipes all the time and kept within bounds.
//!
//! The worker's descriptors 1 and 2 are pipes, so Lisp streams, other threads, child processes and foreign code all
//! print into them, and output before a crash is not lost. A task empties the pipe as it fills; [`Capture::take`] takes
//! the rest at the end of a call, so that all output before the answer comes with the answer.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lispwright_platform::{Here, System as _};
use rustix::process::Pid;
use tokio::net::unix::pipe;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::activity::Activity;

/// The number of bytes that are kept from the start of one call's output to one descriptor, and as many from its end.
const KEPT: usize = 192 * 1024;

/// The number of bytes that are read before others may have the lock.
const TURN: u64 = 128 * 1024;

/// The interval between two reads of excessive output while no call runs that could be stopped.
const SLOWLY: Duration = Duration::from_millis(100);

/// Output, without its middle when it was too long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// The start.
    pub head: String,
    /// The number of bytes between head and tail that were not kept.
    pub dropped: u64,
    /// The end; empty when nothing was dropped.
    pub tail: String,
}

impl Printed {
    /// Whether there was no output.
    pub fn is_empty(&self) -> bool {
        self.head.is_empty()
    }
}

/// The start and the end of output until it is taken.
#[derive(Default)]
pub(crate) struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl Kept {
    /// Appends output.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = (KEPT - self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.tail.extend(&bytes[room..]);
        let excess = self.tail.len().saturating_sub(KEPT);
        self.tail.drain(..excess);
    }

    /// Appends output that was captured elsewhere.
    pub(crate) fn add_printed(&mut self, printed: &Printed) {
        self.add(printed.head.as_bytes());
        self.add(printed.tail.as_bytes());
        self.total += printed.dropped;
    }

    /// The number of all printed bytes.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Removes the lines from the start of the output that `wanted` recognizes, and returns their values.
    pub(crate) fn take_lines<T>(&mut self, wanted: impl Fn(&str) -> Option<T>) -> Vec<T> {
        let mut taken = Vec::new();
        let mut left = Vec::with_capacity(self.head.len());
        for line in self.head.split_inclusive(|byte| *byte == b'\n') {
            match wanted(text(line).trim()) {
                Some(found) => taken.push(found),
                None => left.extend_from_slice(line),
            }
        }
        self.total -= (self.head.len() - left.len()) as u64;
        self.head = left;
        taken
    }

    /// The kept output, as text.
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
    printed: Mutex<Counted>,
    limit: u64,
    overflow: Notify,
}

#[derive(Default)]
struct Counted {
    kept: Kept,
    /// The number of bytes since the call began, or since the last one ended.
    count: u64,
    /// The running call.
    call: Option<Activity>,
}

impl Capture {
    /// Starts reading the non-blocking `pipe`; more than `limit` bytes in one call are reported by
    /// [`Capture::overflow`].
    pub(crate) fn start(pipe: OwnedFd, limit: u64) -> io::Result<Self> {
        let pipe = pipe::Receiver::from_owned_fd(pipe)?;
        let shared = Arc::new(Shared { pipe, printed: Mutex::default(), limit, overflow: Notify::new() });
        let pump = tokio::spawn({
            let shared = Arc::clone(&shared);
            async move {
                while shared.pipe.readable().await.is_ok() {
                    if shared.drain(TURN, |buffer| shared.pipe.try_read(buffer)) == Drained::Closed {
                        return;
                    }
                    if shared.is_idly_flooded() {
                        tokio::time::sleep(SLOWLY).await;
                    } else {
                        tokio::task::yield_now().await;
                    }
                }
            }
        });
        Ok(Self { shared, pump })
    }

    /// Begins a call: earlier output does not count against its limit.
    pub(crate) fn begin(&self, call: &Activity) {
        let mut printed = self.shared.printed();
        (printed.count, printed.call) = (0, Some(call.clone()));
    }

    /// Ends a call: the output since the last time, with all that is in the pipe by now.
    pub(crate) fn take(&self) -> Printed {
        // Reads from the descriptor itself: the event loop may not know of the last bytes yet. The number is fixed
        // before, because another process may print faster than this reads.
        let waiting = rustix::io::ioctl_fionread(&self.shared.pipe).unwrap_or(0);
        self.shared.drain(waiting, |buffer| Ok(rustix::io::read(&self.shared.pipe, buffer)?));
        std::mem::take(&mut *self.shared.printed()).kept.printed()
    }

    /// The number of bytes that one call may print.
    pub(crate) fn limit(&self) -> u64 {
        self.shared.limit
    }

    /// Waits until a call has printed more than the limit.
    pub(crate) async fn overflow(&self) {
        loop {
            self.shared.overflow.notified().await;
            // An earlier call may have left the notice.
            let printed = self.shared.printed();
            if printed.call.is_some() && printed.count > self.shared.limit {
                return;
            }
        }
    }

    /// Whether the process `pid` can write to the pipe.
    pub(crate) fn is_open_in(&self, pid: Pid) -> bool {
        Here::has_open(pid, self.shared.pipe.as_fd())
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
    /// There may be more later.
    Open,
    /// Nobody can write to the pipe any more.
    Closed,
}

impl Shared {
    fn printed(&self) -> std::sync::MutexGuard<'_, Counted> {
        self.printed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_idly_flooded(&self) -> bool {
        let printed = self.printed();
        printed.call.is_none() && printed.count > self.limit
    }

    /// Reads the available bytes, at most `most`.
    fn drain(&self, mut most: u64, read: impl Fn(&mut [u8]) -> io::Result<usize>) -> Drained {
        let mut buffer = [0; 16 * 1024];
        let mut printed = self.printed();
        while most > 0 {
            let room = usize::try_from(most).unwrap_or(usize::MAX).min(buffer.len());
            match read(&mut buffer[..room]) {
                Ok(0) => return Drained::Closed,
                Ok(count) => {
                    printed.kept.add(&buffer[..count]);
                    if let Some(call) = &printed.call {
                        call.printed(&buffer[..count]);
                    }
                    printed.count += count as u64;
                    most -= count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => return Drained::Closed,
            }
            if printed.count > self.limit {
                self.overflow.notify_one();
            }
        }
        Drained::Open
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[tokio::test]
    async fn output_before_a_call_does_not_count_against_its_limit() {
        let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::NONBLOCK).unwrap();
        let capture = Capture::start(reader, 1000).unwrap();
        let is_over = async || {
            tokio::select! {
                biased;
                () = capture.overflow() => true,
                () = std::future::ready(()) => false,
            }
        };
        rustix::io::write(&writer, &[b'a'; 5000]).unwrap();
        while capture.shared.printed().count == 0 {
            tokio::task::yield_now().await;
        }
        assert!(!is_over().await);
        capture.begin(&Activity::default());
        assert!(!is_over().await);
        rustix::io::write(&writer, &[b'b'; 1001]).unwrap();
        capture.overflow().await;
        assert_eq!(capture.take().head.len(), 6001);
        assert!(!is_over().await);
    }

    #[test]
    fn short_output_is_kept_whole() {
        let mut kept = Kept::default();
        kept.add(b"one ");
        kept.add(b"two");
        assert_eq!(kept.printed(), Printed { head: "one two".into(), dropped: 0, tail: String::new() });
    }

    #[test]
    fn long_output_keeps_its_start_and_end() {
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
    fn output_that_fits_into_start_and_end_is_kept_whole() {
        let mut kept = Kept::default();
        kept.add(&vec![b'a'; KEPT + 5]);
        let printed = kept.printed();
        assert_eq!((printed.dropped, printed.head.len()), (0, KEPT + 5));
    }
}
