//! The event streams of a session of the handshake revisions (2025-11-25, Streamable HTTP, Resumability).
//!
//! Each request has a stream, which ends with its answer; messages that belong to none go to the stream that a client
//! opens with `GET`. A stream is read by a response, and when that is lost, from the event after the last one that the
//! client has seen, by another. So the events stay for a while after they were sent, within bounds.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::wire::{Outlet, Part};

/// The stream that belongs to no request.
const ALONE: u64 = 0;
/// Events of one stream that are kept; of more, the oldest go.
const MOST_EVENTS: usize = 256;
/// Streams that are kept after their end.
const MOST_ENDED: usize = 64;
/// The bytes of all streams that are kept after their end.
const MOST_BYTES: usize = 8 * 1024 * 1024;
/// The time for which a stream is kept after its end.
const KEPT: Duration = Duration::from_secs(300);

/// The streams of a session; clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Streams(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    streams: BTreeMap<u64, Stream>,
    of_request: HashMap<i64, u64>,
    last: u64,
    /// Nothing comes any more.
    closed: bool,
}

#[derive(Debug, Default)]
struct Stream {
    request: Option<i64>,
    events: VecDeque<Event>,
    /// The number of events that are no longer kept.
    gone: u64,
    ended: Option<Instant>,
    /// Counts the readers; only the last one goes on.
    readers: u64,
    /// The last one is still there.
    is_read: bool,
    changed: Arc<Notify>,
}

/// One message.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// The id by which a client resumes after it.
    pub(crate) id: String,
    /// JSON without a newline.
    pub(crate) message: Arc<Vec<u8>>,
    /// It is the answer to the request of the stream.
    pub(crate) is_answer: bool,
}

impl Default for State {
    fn default() -> Self {
        let streams = BTreeMap::from([(ALONE, Stream::default())]);
        Self { streams, of_request: HashMap::new(), last: ALONE, closed: false }
    }
}

impl State {
    /// The stream of a request, which begins now if there is none.
    fn of_request(&mut self, number: i64) -> u64 {
        *self.of_request.entry(number).or_insert_with(|| {
            self.last += 1;
            self.streams.insert(self.last, Stream { request: Some(number), ..Stream::default() });
            self.last
        })
    }

    fn end(&mut self, stream: u64, now: Instant) {
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.ended = Some(now);
            stream.changed.notify_waiters();
        }
        self.forget(now);
    }

    /// Drops streams that have ended: those from long ago, and the oldest of too many.
    fn forget(&mut self, now: Instant) {
        let mut ended: Vec<(Instant, u64)> =
            self.streams.iter().filter_map(|(number, stream)| Some((stream.idle()?, *number))).collect();
        ended.sort_unstable();
        let (mut count, mut bytes) = (0, 0);
        for (at, number) in ended.into_iter().rev() {
            count += 1;
            bytes += self.streams[&number].events.iter().map(|event| event.message.len()).sum::<usize>();
            // The last one has just ended, and may not have a reader yet.
            let fits = count <= MOST_ENDED && bytes <= MOST_BYTES && now.duration_since(at) < KEPT;
            if count > 1 && !fits {
                self.remove(number);
            }
        }
    }

    fn remove(&mut self, number: u64) {
        if let Some(stream) = self.streams.remove(&number) {
            if let Some(request) = stream.request {
                self.of_request.remove(&request);
            }
            stream.changed.notify_waiters();
        }
    }
}

impl Stream {
    /// The time when it ended, unless somebody still reads it.
    fn idle(&self) -> Option<Instant> {
        self.ended.filter(|_| !self.is_read)
    }
}

impl Streams {
    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is complete before the lock is left, so a panic elsewhere does not spoil the state.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the stream of a request from its beginning.
    pub(crate) fn of_request(&self, number: i64) -> Reader {
        let mut state = self.state();
        let stream = state.of_request(number);
        self.reader(&mut state, stream, 0)
    }

    /// Reads what belongs to no request, from now on.
    pub(crate) fn alone(&self) -> Reader {
        let mut state = self.state();
        let next = state.streams.get(&ALONE).map_or(0, |stream| stream.gone + stream.events.len() as u64);
        // What came while nobody was there has not been seen either.
        let next = if state.streams[&ALONE].readers == 0 { 0 } else { next };
        self.reader(&mut state, ALONE, next)
    }

    /// Reads on after the event with this id. `None` if there is no such stream any more, or events after it are gone.
    pub(crate) fn after(&self, id: &str) -> Option<Reader> {
        let (stream, seen) = id.split_once('-')?;
        let (stream, seen): (u64, u64) = (stream.parse().ok()?, seen.parse().ok()?);
        let mut state = self.state();
        let known = state.streams.get(&stream)?;
        let is_there = seen >= known.gone && seen <= known.gone + known.events.len() as u64;
        is_there.then(|| self.reader(&mut state, stream, seen))
    }

    fn reader(&self, state: &mut State, stream: u64, next: u64) -> Reader {
        let mut turn = 0;
        if let Some(stream) = state.streams.get_mut(&stream) {
            stream.readers += 1;
            stream.is_read = true;
            turn = stream.readers;
            // The reader before it ends.
            stream.changed.notify_waiters();
        }
        Reader { streams: self.clone(), stream, turn, next }
    }

    /// Ends all streams.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        for stream in state.streams.values() {
            stream.changed.notify_waiters();
        }
    }

    /// Drops streams that ended long ago.
    pub(crate) fn forget_old(&self) {
        self.state().forget(Instant::now());
    }

    fn put(&self, number: Option<i64>, message: Vec<u8>, is_answer: bool) -> io::Result<()> {
        let mut state = self.state();
        if state.closed {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let number = match number {
            Some(number) => state.of_request(number),
            None => ALONE,
        };
        let Some(stream) = state.streams.get_mut(&number) else { return Ok(()) };
        let id = format!("{number}-{}", stream.gone + stream.events.len() as u64 + 1);
        stream.events.push_back(Event { id, message: Arc::new(message), is_answer });
        if stream.events.len() > MOST_EVENTS {
            stream.events.pop_front();
            stream.gone += 1;
        }
        stream.changed.notify_waiters();
        if is_answer {
            state.end(number, Instant::now());
        }
        Ok(())
    }
}

impl Outlet for Streams {
    async fn send(&self, message: Vec<u8>, part: Part) -> io::Result<()> {
        match part {
            Part::Answer(number) => self.put(Some(number), message, true),
            Part::During(number) => self.put(Some(number), message, false),
            Part::Alone => self.put(None, message, false),
        }
    }

    fn withdrawn(&self, number: i64) {
        let mut state = self.state();
        let stream = state.of_request(number);
        state.end(stream, Instant::now());
    }
}

/// Reads one stream. A later reader of the same stream takes its place.
#[derive(Debug)]
pub(crate) struct Reader {
    streams: Streams,
    stream: u64,
    turn: u64,
    /// The number of events before the next one.
    next: u64,
}

impl Reader {
    /// The next event; `None` after the last one.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            let changed = {
                let state = self.streams.state();
                let stream = state.streams.get(&self.stream)?;
                if stream.readers != self.turn {
                    return None;
                }
                self.next = self.next.max(stream.gone);
                if let Some(event) = stream.events.get((self.next - stream.gone) as usize) {
                    self.next += 1;
                    return Some(event.clone());
                }
                if stream.ended.is_some() || state.closed {
                    return None;
                }
                stream.changed.clone()
            };
            let mut notified = std::pin::pin!(changed.notified());
            notified.as_mut().enable();
            if self.is_waiting() {
                notified.await;
            }
        }
    }

    /// Whether there is still nothing to read.
    fn is_waiting(&self) -> bool {
        let state = self.streams.state();
        let Some(stream) = state.streams.get(&self.stream) else { return false };
        let has_more = stream.gone + stream.events.len() as u64 > self.next;
        !has_more && stream.readers == self.turn && stream.ended.is_none() && !state.closed
    }

    /// The id from which a client resumes that has seen nothing.
    pub(crate) fn beginning(&self) -> String {
        format!("{}-{}", self.stream, self.next)
    }

    /// Drops the stream: its answer is sent in another way.
    pub(crate) fn finish(self) {
        self.streams.state().remove(self.stream);
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = self.streams.state();
        if let Some(stream) = state.streams.get_mut(&self.stream)
            && stream.readers == self.turn
        {
            stream.is_read = false;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use futures::FutureExt as _;

    use super::*;

    fn put(streams: &Streams, text: &str, part: Part) {
        streams.send(text.into(), part).now_or_never().unwrap().unwrap();
    }

    /// What can be read at once, and `.` at the end of the stream.
    fn read(reader: &mut Reader) -> String {
        let mut text = String::new();
        while let Some(next) = reader.next().now_or_never() {
            match next {
                Some(event) => text += std::str::from_utf8(&event.message).unwrap(),
                None => return text + ".",
            }
        }
        text
    }

    #[test]
    fn a_request_has_a_stream_that_ends_with_its_answer() {
        let streams = Streams::default();
        let mut reader = streams.of_request(5);
        assert_eq!(read(&mut reader), "");
        put(&streams, "a", Part::During(5));
        put(&streams, "x", Part::Alone);
        put(&streams, "o", Part::During(6));
        put(&streams, "b", Part::Answer(5));
        assert_eq!(read(&mut reader), "ab.");
        assert_eq!(read(&mut streams.of_request(6)), "o");
        assert_eq!(read(&mut streams.alone()), "x");
    }

    #[tokio::test]
    async fn a_reader_waits_for_what_comes() {
        let streams = Streams::default();
        let mut reader = streams.of_request(1);
        let (event, ()) = tokio::join!(reader.next(), async { put(&streams, "a", Part::Answer(1)) });
        assert!(event.unwrap().is_answer);
        assert!(reader.next().await.is_none());
    }

    #[test]
    fn a_lost_stream_is_resumed_after_the_last_event() {
        let streams = Streams::default();
        let mut lost = streams.of_request(1);
        let beginning = lost.beginning();
        put(&streams, "a", Part::During(1));
        put(&streams, "b", Part::During(1));
        let seen = lost.next().now_or_never().unwrap().unwrap().id;
        let mut resumed = streams.after(&seen).unwrap();
        assert_eq!(read(&mut lost), ".", "it has been replaced");
        put(&streams, "c", Part::Answer(1));
        assert_eq!(read(&mut resumed), "bc.");
        assert_eq!(read(&mut streams.after(&beginning).unwrap()), "abc.");
        for unknown in ["", "1", "1-9", "7-0", "x-y", "1-1-1", "-1"] {
            assert!(streams.after(unknown).is_none(), "{unknown}");
        }
    }

    #[test]
    fn what_is_kept_is_bounded_and_the_answer_stays() {
        let streams = Streams::default();
        for _ in 0..3 * MOST_EVENTS {
            put(&streams, "p", Part::During(1));
        }
        put(&streams, "!", Part::Answer(1));
        let text = read(&mut streams.of_request(1));
        assert_eq!((text.len(), text.ends_with("p!.")), (MOST_EVENTS + 1, true));
        assert!(streams.after("1-1").is_none(), "what came after it is gone");
        let mut slow = streams.of_request(2);
        for number in 2..200 {
            put(&streams, "!", Part::Answer(number));
        }
        // The stream of no request, and the one that somebody still reads.
        assert_eq!(streams.state().streams.len(), MOST_ENDED + 2);
        assert_eq!(streams.state().of_request.len(), MOST_ENDED + 1);
        assert_eq!(read(&mut slow), "!.");
        drop(slow);
        let long = "l".repeat(MOST_BYTES / 2);
        for number in 200..203 {
            put(&streams, &long, Part::Answer(number));
        }
        assert_eq!(streams.state().streams.len(), 2 + 1);
    }

    #[test]
    fn a_withdrawn_request_and_a_closed_session_end_their_streams() {
        let streams = Streams::default();
        let (mut first, mut second) = (streams.of_request(1), streams.of_request(2));
        streams.withdrawn(1);
        assert_eq!((read(&mut first), read(&mut second)), (".".into(), String::new()));
        streams.close();
        assert_eq!(read(&mut second), ".");
        assert!(streams.send(b"x".to_vec(), Part::Answer(2)).now_or_never().unwrap().is_err());
    }
}
