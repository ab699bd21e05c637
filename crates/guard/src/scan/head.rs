//! The effects that the first bytes of a Scheme text have on the rest of it.
//!
//! Two things in a Scheme file reach beyond a token. A mark near its start says that `|` quotes in symbols and that
//! braces are brackets. And a file that begins with `#!` begins with a block comment if `!#` comes anywhere later, and
//! with one comment line otherwise. A scan cannot look ahead, so it watches the bytes: [`Head::next_event`] returns the
//! next position at which something changes, and the scan is cut there, independently of the pieces.

use lispwright_syntax::dialects::Marks;
use memchr::memmem;

/// A change in the reading of the text after it.
pub(super) enum Event {
    /// The first mark ends here, `end` bytes into the text ahead.
    Mark { end: usize },
    /// The comment at the beginning of the text ends here.
    HeaderEnd { end: usize },
}

/// The state of the search for marks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    /// A mark was found: `|` quotes in the tokens that begin after it.
    pub(super) bars: bool,
    /// The token at the end of the mark continues, and is read as it began.
    pub(super) in_mark: bool,
    /// The number of bytes seen, up to the reach of the marks and the rest of a character.
    pub(super) seen: usize,
    /// The last bytes seen that may begin a mark.
    pub(super) recent: String,
    /// The text began with `#!` and may still turn out to be a comment; true when the last byte was `!`.
    pub(super) header: Option<bool>,
}

impl Head {
    /// `text` is a proper prefix of a mark.
    pub(super) fn begins_mark(text: &str, marks: &Marks) -> bool {
        marks.words.iter().any(|mark| mark.len() > text.len() && mark.starts_with(text))
    }

    /// No mark can follow.
    pub(super) fn is_far(&self, marks: &Marks) -> bool {
        !self.bars && self.seen >= marks.reach
    }

    /// Puts before a piece the beginning of a text that makes the reader treat it according to this state. False when
    /// none is needed.
    pub(super) fn write_lead(&self, marks: &Marks, buffer: &mut String) -> bool {
        if self.bars && !self.in_mark {
            buffer.extend([";", marks.words[0], "\n"]);
        } else if self.is_far(marks) {
            // White space for as far as marks count.
            buffer.extend(std::iter::repeat_n(' ', marks.reach));
        }
        !buffer.is_empty()
    }

    /// The number of bytes ahead for which it is known whether marks count in them.
    pub(super) fn window(&self, ahead: &str, marks: &Marks) -> usize {
        if self.bars || self.is_far(marks) || ahead.len() <= marks.reach - self.seen {
            return ahead.len();
        }
        (marks.reach - self.seen..=ahead.len()).find(|&end| ahead.is_char_boundary(end)).unwrap_or(ahead.len())
    }

    /// The first change in the text ahead, which is a whole [`Head::window`].
    pub(super) fn next_event(&self, ahead: &str, marks: &Marks) -> Option<Event> {
        let mark = if self.bars || self.is_far(marks) { None } else { self.mark_end(ahead, marks) };
        let header = self.header.and_then(|bang| {
            if bang && ahead.starts_with('#') {
                return Some(1);
            }
            memmem::find(ahead.as_bytes(), b"!#").map(|at| at + 2)
        });
        match (mark, header) {
            (Some(mark), Some(header)) if header < mark => Some(Event::HeaderEnd { end: header }),
            (Some(end), _) => Some(Event::Mark { end }),
            (None, Some(end)) => Some(Event::HeaderEnd { end }),
            (None, None) => None,
        }
    }

    /// The end of the first mark that ends in the text ahead.
    fn mark_end(&self, ahead: &str, marks: &Marks) -> Option<usize> {
        let longest = marks.words.iter().map(|mark| mark.len()).max().unwrap_or(0);
        // A mark that began earlier ends within the first bytes ahead.
        let near: Vec<u8> = self.recent.bytes().chain(ahead.bytes().take(longest)).collect();
        let first = |hay: &[u8]| {
            marks.words.iter().filter_map(|mark| memmem::find(hay, mark.as_bytes()).map(|at| at + mark.len())).min()
        };
        let joined = first(&near).map(|end| end - self.recent.len());
        joined.or_else(|| first(ahead.as_bytes()))
    }

    /// Records that `text` was read.
    pub(super) fn observe(&mut self, text: &str, marks: &Marks) {
        self.seen = self.seen.saturating_add(text.len()).min(marks.reach + 3);
        if let Some(bang) = &mut self.header {
            *bang = text.ends_with('!');
        }
        if self.bars || self.is_far(marks) {
            self.recent.clear();
            return;
        }
        let longest = marks.words.iter().map(|mark| mark.len()).max().unwrap_or(0).saturating_sub(1);
        let mut from = text.len().saturating_sub(longest);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        let last = format!("{}{}", self.recent, &text[from..]);
        let start =
            (0..=last.len()).filter(|&at| last.is_char_boundary(at)).find(|&at| Self::begins_mark(&last[at..], marks));
        self.recent = start.map_or_else(String::new, |at| last[at..].to_owned());
    }

    /// Records a mark; `in_token` when it did not end a token.
    pub(super) fn mark_seen(&mut self, in_token: bool) {
        self.recent.clear();
        self.bars = true;
        self.in_mark = in_token;
    }
}
