//! From a worker's bytes to frames, even if a process has died in the middle of one and another continues in its place.

use crate::wire::{self, Value, WireError};

/// The bytes that have arrived and are not a whole frame yet.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    buffer: Vec<u8>,
    /// The number of bytes at the start of the buffer that are known to contain no [`wire::VOID`].
    searched: usize,
}

impl Frames {
    /// The buffer for new bytes.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Takes the next whole frame, after the bytes that were declared void; `None` until more bytes come.
    pub(crate) fn next(&mut self) -> Result<Option<Value>, WireError> {
        loop {
            let end = match self.buffer.first_chunk() {
                Some(header) if !header.contains(&wire::VOID) => wire::HEADER + wire::payload_length(header)?,
                Some(_) => wire::HEADER,
                // Bytes that cannot become a header are an error at once.
                None => wire::header_start(&self.buffer)?,
            };
            let there = end.min(self.buffer.len());
            let from = self.searched.min(there);
            if let Some(at) = memchr::memrchr(wire::VOID, &self.buffer[from..there]) {
                self.buffer.drain(..=from + at);
                self.searched = 0;
                continue;
            }
            self.searched = there;
            if there < end {
                return Ok(None);
            }
            let value = Value::decode(&self.buffer[wire::HEADER..end]);
            self.buffer.drain(..end);
            self.searched = 0;
            return value.map(Some);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// The frames that come out when the bytes arrive in pieces of `size`.
    fn frames(bytes: &[u8], size: usize) -> Vec<String> {
        let mut frames = Frames::default();
        let mut found = Vec::new();
        for piece in bytes.chunks(size) {
            frames.buffer().extend_from_slice(piece);
            while let Some(value) = frames.next().unwrap() {
                found.push(value.encode());
            }
        }
        found
    }

    fn check(bytes: &[u8], expected: &[&str]) {
        for size in 1..=bytes.len() {
            assert_eq!(frames(bytes, size), expected, "in pieces of {size}");
        }
    }

    #[test]
    fn frames_are_complete_for_pieces_of_any_size() {
        check("000004\"λ\"000005(:A".as_bytes(), &["\"λ\""]);
        check(b"000004(:A)000001T", &["(:A)", "T"]);
    }

    #[test]
    fn void_bytes_are_skipped_wherever_they_end() {
        let whole = b"000004(:A)";
        let next = b"000004(:B)";
        for cut in 0..whole.len() {
            let bytes = [&whole[..cut], &[wire::VOID], next].concat();
            check(&bytes, &["(:B)"]);
        }
        check(&[whole, &[wire::VOID][..], next].concat(), &["(:A)", "(:B)"]);
        check(&[&whole[..5], &[wire::VOID, wire::VOID][..], next].concat(), &["(:B)"]);
        // The incomplete frame is long: its length reaches beyond the next one.
        check(&[b"00ffff(:LONG", &[wire::VOID][..], next].concat(), &["(:B)"]);
    }

    #[test]
    fn bytes_of_another_protocol_are_an_error() {
        let mut frames = Frames::default();
        frames.buffer().extend_from_slice(b"hello world");
        assert_eq!(frames.next(), Err(WireError::Header));
    }

    #[test]
    fn bytes_that_cannot_become_a_header_are_an_error() {
        for bytes in ["hi\n", "0000Z", "\n", " 0000"] {
            let mut frames = Frames::default();
            frames.buffer().extend_from_slice(bytes.as_bytes());
            assert_eq!(frames.next(), Err(WireError::Header), "{bytes:?}");
        }
    }
}
