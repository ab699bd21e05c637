//! Places in a text: byte spans for programs, lines and columns for people.

use std::ops::Range;

/// A range of byte offsets, `start` included and `end` not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to `end`, in bytes.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// Length in bytes.
    pub const fn len(self) -> u32 {
        self.end - self.start
    }

    /// It contains no byte.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// `offset` is inside.
    pub const fn contains(self, offset: u32) -> bool {
        self.start <= offset && offset < self.end
    }

    /// All of `other` is inside.
    pub const fn encloses(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// For slicing a text: `&text[span.range()]`.
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A place for people: both numbers count from 1, and columns count Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// Line, from 1. Lines end at `\n`.
    pub line: u32,
    /// Column, from 1, in scalar values; a tab counts as one.
    pub column: u32,
}

/// Turns byte offsets of one text into lines and columns, and back.
///
/// Building it scans the text once; a look-up is a binary search.
#[derive(Clone, Debug)]
pub struct LineIndex {
    /// Offset of the first byte of each line.
    starts: Vec<u32>,
    /// Length of the text in bytes.
    len: u32,
}

impl LineIndex {
    /// Finds the line starts of `text`.
    pub fn new(text: &[u8]) -> Self {
        let mut starts = Vec::with_capacity(text.len() / 24 + 1);
        starts.push(0);
        let mut words = text.chunks_exact(size_of::<u64>());
        let mut at = 0;
        // Lines are short, so a search for each single line end would be slower than eight bytes at once.
        for word in words.by_ref() {
            let mut found = line_ends(u64::from_le_bytes(word.try_into().expect("chunks are of eight bytes")));
            while found != 0 {
                starts.push(at + found.trailing_zeros() / 8 + 1);
                found &= found - 1;
            }
            at += size_of::<u64>() as u32;
        }
        let rest = words.remainder().iter().zip(at + 1..);
        starts.extend(rest.filter(|(byte, _)| **byte == b'\n').map(|(_, after)| after));
        Self { starts, len: text.len() as u32 }
    }

    /// How many lines the text has; a final newline does not open another one.
    pub fn line_count(&self) -> u32 {
        let last_is_empty = self.starts.last() == Some(&self.len);
        self.starts.len() as u32 - u32::from(last_is_empty)
    }

    /// The line of a byte offset, from 1. Offsets past the end belong to the last line.
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|&start| start <= offset) as u32
    }

    /// The bytes of a line, from 1, with its line ending; `None` past the last line.
    pub fn line_span(&self, line: u32) -> Option<Span> {
        let index = (line as usize).checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let end = self.starts.get(index + 1).copied().unwrap_or(self.len);
        Some(Span::new(start, end))
    }

    /// Line and column of a byte offset in `text`, the text this index was built from.
    pub fn line_column(&self, text: &[u8], offset: u32) -> LineColumn {
        let offset = offset.min(self.len);
        let line = self.line(offset);
        let start = self.starts[line as usize - 1];
        let column = scalars(&text[start as usize..offset as usize]) + 1;
        LineColumn { line, column }
    }
}

/// The number of line ends in `text`. For one place this is faster than a [`LineIndex`].
pub fn count_line_ends(text: impl AsRef<[u8]>) -> u32 {
    memchr::memchr_iter(b'\n', text.as_ref()).count() as u32
}

/// The whole lines that `bytes` of `text` are on, without the last line feed.
pub fn whole_lines(text: impl AsRef<[u8]>, bytes: Range<usize>) -> Range<usize> {
    let text = text.as_ref();
    let start = memchr::memrchr(b'\n', &text[..bytes.start]).map_or(0, |before| before + 1);
    let end = memchr::memchr(b'\n', &text[bytes.end..]).map_or(text.len(), |after| bytes.end + after);
    start..end
}

/// The eight bytes of `word` with the highest bit set in each that was a line feed; all other bits are zero.
fn line_ends(word: u64) -> u64 {
    const EACH: u64 = u64::MAX / 0xFF;
    let other = word ^ (EACH * b'\n' as u64);
    let low = (other & (EACH * 0x7F)) + EACH * 0x7F;
    !(low | other) & (EACH * 0x80)
}

/// The lines and columns of many offsets of a text. If they are asked for in ascending order, the characters of a line
/// are counted once, not once for each offset.
#[derive(Debug)]
pub struct Places<'t> {
    text: &'t [u8],
    lines: LineIndex,
    offset: u32,
    place: LineColumn,
}

impl<'t> Places<'t> {
    /// The places in `text`.
    pub fn new(text: &'t [u8]) -> Self {
        Self { text, lines: LineIndex::new(text), offset: 0, place: LineColumn { line: 1, column: 1 } }
    }

    /// Line and column of `offset`, as by [`LineIndex::line_column`].
    pub fn at(&mut self, offset: u32) -> LineColumn {
        let offset = offset.min(self.text.len() as u32);
        self.place = if offset >= self.offset && self.lines.line(offset) == self.place.line {
            let between = &self.text[self.offset as usize..offset as usize];
            LineColumn { column: self.place.column + scalars(between), ..self.place }
        } else {
            self.lines.line_column(self.text, offset)
        };
        self.offset = offset;
        self.place
    }
}

/// The number of Unicode scalar values in `bytes`; in text that is not UTF-8, every byte that could begin a character
/// counts as one.
pub fn scalars(bytes: &[u8]) -> u32 {
    // Sums of single bytes are added many at a time.
    let in_part = |part: &[u8]| u32::from(part.iter().map(|byte| u8::from(byte & 0xC0 != 0x80)).sum::<u8>());
    bytes.chunks(255).map(in_part).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_scalar_values() {
        let text = "(λ x)\n  é".as_bytes();
        let index = LineIndex::new(text);
        assert_eq!(index.line_column(text, 3), LineColumn { line: 1, column: 3 });
        assert_eq!(index.line_column(text, text.len() as u32), LineColumn { line: 2, column: 4 });
    }

    #[test]
    fn every_line_end_is_found() {
        let text: Vec<u8> = (0..4_000u32).map(|at| [b'\n', 0x8A, 0x0B, 0, 0xFF][(at * at / 7 % 5) as usize]).collect();
        for len in [0, 1, 7, 8, 9, 4_000] {
            let ends = text[..len].iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            let starts: Vec<u32> = [0].into_iter().chain(ends.map(|(at, _)| at as u32 + 1)).collect();
            assert_eq!(LineIndex::new(&text[..len]).starts, starts, "{len} bytes");
        }
    }

    #[test]
    fn places_agree_with_the_index_in_any_order() {
        let text = "(λ x)\n  é\n\n(a)".as_bytes();
        let (index, mut places) = (LineIndex::new(text), Places::new(text));
        for offset in [0, 1, 3, 3, 5, 6, 7, 8, 10, 4, 12, 13, 99, 0] {
            assert_eq!(places.at(offset), index.line_column(text, offset), "at {offset}");
        }
    }

    #[test]
    fn a_final_newline_opens_no_line() {
        assert_eq!(LineIndex::new(b"a\nb\n").line_count(), 2);
        assert_eq!(LineIndex::new(b"a\nb").line_count(), 2);
        assert_eq!(LineIndex::new(b"").line_count(), 0);
        assert_eq!(LineIndex::new(b"a\nb\n").line_span(2), Some(Span::new(2, 4)));
    }
}
