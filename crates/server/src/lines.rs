//! Lines of bounded length from a byte stream.
//!
//! A peer that sends a gigabyte without a newline must cost the server neither the memory nor the connection: bytes
//! beyond the limit are scanned, dropped, and reported.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

use crate::salvage::Salvage;

/// Longest line accepted, in bytes, without its newline.
pub(crate) const LONGEST_LINE: usize = 4 * 1024 * 1024;

/// One line of input.
#[derive(Debug)]
pub(crate) enum Line<'a> {
    /// The line, without its newline. The last line of the stream needs none.
    Whole(&'a [u8]),
    /// A line longer than [`LONGEST_LINE`], already skipped, and the members that were read from it.
    TooLong(Salvage),
}

/// Splits a stream into lines.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    source: R,
    line: Vec<u8>,
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, line: Vec::new() }
    }

    /// The stream after the lines so far.
    pub(crate) fn source(&mut self) -> &mut R {
        &mut self.source
    }

    /// The next line, or `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        // One long line must not hold its memory for the rest of the connection.
        self.line.shrink_to(64 * 1024);
        let mut skipped: Option<Salvage> = None;
        loop {
            let piece = match self.source.fill_buf().await {
                Ok(piece) => piece,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if piece.is_empty() {
                return Ok(match skipped {
                    Some(salvage) => Some(Line::TooLong(salvage)),
                    None if self.line.is_empty() => None,
                    None => Some(Line::Whole(&self.line)),
                });
            }
            let end = newline(piece);
            let part = &piece[..end.unwrap_or(piece.len())];
            match &mut skipped {
                Some(salvage) => salvage.push(part),
                None if self.line.len() + part.len() > LONGEST_LINE => {
                    let mut salvage = Salvage::default();
                    salvage.push(&self.line);
                    salvage.push(part);
                    self.line = Vec::new();
                    skipped = Some(salvage);
                }
                None => self.line.extend_from_slice(part),
            }
            let used = part.len() + usize::from(end.is_some());
            self.source.consume(used);
            if end.is_some() {
                return Ok(Some(match skipped {
                    Some(salvage) => Line::TooLong(salvage),
                    None => Line::Whole(&self.line),
                }));
            }
        }
    }
}

fn newline(piece: &[u8]) -> Option<usize> {
    piece.iter().position(|byte| *byte == b'\n')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    async fn all(input: &[u8], chunk: usize) -> Vec<String> {
        let mut lines = Lines::new(tokio::io::BufReader::with_capacity(chunk, input));
        let mut found = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            found.push(match line {
                Line::Whole(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                Line::TooLong(salvage) => format!("too long, id {:?}", salvage.id().map(|id| id.into_json_value())),
            });
        }
        found
    }

    #[tokio::test]
    async fn lines_do_not_depend_on_the_pieces_they_come_in() {
        for chunk in [1, 2, 7, 100] {
            assert_eq!(all(b"one\n\nthree\r\nlast", chunk).await, ["one", "", "three\r", "last"]);
            assert_eq!(all(b"", chunk).await, Vec::<String>::new());
        }
    }

    #[tokio::test]
    async fn a_long_line_is_skipped_and_the_next_one_read() {
        let mut input = br#"{"params":""#.to_vec();
        input.resize(LONGEST_LINE + 100, b'x');
        input.extend_from_slice(b"\",\"id\":8}\nnext\n");
        assert_eq!(all(&input, 64 * 1024).await, ["too long, id Some(Number(8))", "next"]);
    }

    #[tokio::test]
    async fn a_line_of_exactly_the_limit_is_whole() {
        let mut input = vec![b'x'; LONGEST_LINE];
        input.push(b'\n');
        assert_eq!(all(&input, 64 * 1024).await[0].len(), LONGEST_LINE);
    }
}
