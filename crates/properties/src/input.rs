//! Arguments from a fuzzer's bytes.
//!
//! The first bytes choose a dialect, an operation and numbers. The rest is text, in parts separated by a byte 0xFF,
//! which does not occur in UTF-8. So a seed is a short header and a source file, and it keeps its meaning when a fuzzer
//! cuts or joins bytes.

use std::borrow::Cow;

use lispwright_syntax::Dialect;

/// Bytes that have not been used yet.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    /// The next byte, or 0 at the end.
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// The next two bytes as a number, the low one first.
    pub fn number(&mut self) -> usize {
        usize::from(self.byte()) | usize::from(self.byte()) << 8
    }

    /// A dialect.
    pub fn dialect(&mut self) -> Dialect {
        Dialect::ALL[usize::from(self.byte()) % Dialect::ALL.len()]
    }

    /// The bytes up to the next separator or the end.
    pub fn part(&mut self) -> &'a [u8] {
        let at = self.0.iter().position(|&byte| byte == 0xFF);
        let (part, rest) = match at {
            Some(at) => (&self.0[..at], &self.0[at + 1..]),
            None => (self.0, &self.0[self.0.len()..]),
        };
        self.0 = rest;
        part
    }

    /// The next part as text; invalid UTF-8 becomes U+FFFD.
    pub fn text(&mut self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.part())
    }
}

/// The last character boundary of `text` at or before byte `at`.
pub fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}
