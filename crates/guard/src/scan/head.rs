//! What the first bytes of a Scheme text decide about the rest of it.
//!
//! Two things in a Scheme file reach further than any token. Some text near its start says that `|` quotes in symbols
//! and that braces are brackets. And a file that begins with `#!` begins with a block comment if `!#` comes anywhere
//! later, and with one comment line if it does not. A scan cannot look ahead, so it watches the bytes go by: [`Head::next_event`] names the next place
//! at which something changes, and the scan is cut there, whatever pieces the text came in.

use lispwright_syntax::dialects::Marks;
use memchr::memmem;

/// A change in how what follows is read.
pub(super) enum Event {
    /// The first mark ends here, `end` bytes into the text ahead.
    Mark { end: usize },
    /// The comment that the whole text began with ends here.
    HeaderEnd { end: usize },
}

/// What has been seen of the marks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    /// A mark has come: `|` quotes in the tokens that begin behind it.
    pub(super) bars: bool,
    /// The token that the mark ends in goes on, and is read as it began.
    pub(super) in_mark: bool,
    /// Bytes seen, up to the reach of the marks and the rest of a character.
    pub(super) seen: usize,
    /// The last bytes seen that may begin a mark.
    pub(super) recent: String,
    /// The text began with `#!` and what came since may still turn out to be a comment; true when `!` was the last byte.
    pub(super) header: Option<bool>,
}

impl Head {
    /// `text` is what a mark begins with, without being one.
    pub(super) fn begins_mark(text: &str, marks: &Marks) -> bool {
        marks.words.iter().any(|mark| mark.len() > text.len() && mark.starts_with(text))
    }

    /// No mark can come any more.
    pub(super) fn is_far(&self, marks: &Marks) -> bool {
        !self.bars && self.seen >= marks.reach
    }

    /// Puts before a piece, as the beginning of a text, what makes the reader take it as what has been seen says. False when
    /// that is nothing.
    pub(super) fn write_lead(&self, marks: &Marks, buffer: &mut String) -> bool {
        if self.bars && !self.in_mark {
            buffer.extend([";", marks.words[0], "\n"]);
        } else if self.is_far(marks) {
            // White space for as far as marks count.
            buffer.extend(std::iter::repeat_n(' ', marks.reach));
        }
        !buffer.is_empty()
    }

    /// How many bytes of the text ahead can be read with what is known: marks count in them, or they do not.
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

    /// Where the first mark ends that does not end before the text ahead.
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

    /// `text` has gone by.
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

    /// A mark has just gone by; `in_token` when it did not end a token.
    pub(super) fn mark_seen(&mut self, in_token: bool) {
        self.recent.clear();
        self.bars = true;
        self.in_mark = in_token;
    }
}
