//! Counts the bytes that this thread has cut into tokens, for tests that limit how often a text is read.
//!
//! It exists only in builds with debug assertions.

use std::cell::Cell;

use crate::lexer::Lexer;

thread_local! {
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

/// The bytes that this thread has cut into tokens so far; a byte counts each time it is read.
#[must_use]
pub fn bytes_read() -> usize {
    BYTES.get()
}

impl Drop for Lexer<'_> {
    fn drop(&mut self) {
        BYTES.set(BYTES.get() + self.offset() - self.begin);
    }
}
