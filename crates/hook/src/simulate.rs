//! Carries a call out in memory.
//!
//! As the clients do: a file is taken with line feeds for line ends, a text to replace has to be there, and only once
//! unless all of them are meant. Where the client would refuse the call itself there is nothing to judge.

use std::ops::Range;
use std::path::Path;

use crate::change::{Change, Written};
use crate::event::{Event, Proposal, Replacement, Rewritable};
use crate::files::{Files, Found};

/// More occurrences than this are not followed.
const MOST_PLACES: usize = 10_000;

/// The files of a call as they are and as it would leave them. Empty when there is nothing to judge.
pub(crate) fn changes(event: &Event, files: &dyn Files) -> Vec<Change> {
    let read = |path: &str| files.read(&Path::new(&event.directory).join(path));
    let change = match &event.proposal {
        Proposal::Write { path, content } => match read(path) {
            Found::Unreadable => None,
            Found::Missing => Some(write(path, None, content)),
            Found::Text(text) => Some(write(path, Some(text), content)),
        },
        Proposal::Replace { path, replacements } => match read(path) {
            Found::Unreadable => None,
            Found::Missing => replace(path, None, replacements),
            Found::Text(text) => replace(path, Some(line_feeds(text)), replacements),
        },
    };
    change.into_iter().collect()
}

/// `text` with line feeds for line ends.
pub(crate) fn line_feeds(text: String) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n") } else { text }
}

fn write(path: &str, before: Option<String>, content: &Rewritable) -> Change {
    let before = if content.text.contains('\r') { before } else { before.map(line_feeds) };
    let whole = Written { span: 0..content.text.len(), source: 0 };
    Change { path: path.to_owned(), before, after: content.text.clone(), written: vec![whole] }
}

/// A text with the places that the call wrote so far.
struct Draft {
    text: String,
    written: Vec<Written>,
}

fn replace(path: &str, before: Option<String>, replacements: &[Replacement]) -> Option<Change> {
    let mut draft = Draft { text: before.clone().unwrap_or_default(), written: Vec::new() };
    for (source, replacement) in replacements.iter().enumerate() {
        draft.apply(source, replacement, before.is_some() || source > 0)?;
    }
    Some(Change { path: path.to_owned(), before, after: draft.text, written: draft.written })
}

impl Draft {
    fn apply(&mut self, source: usize, replacement: &Replacement, exists: bool) -> Option<()> {
        let (old, new) = (line_feeds(replacement.old.clone()), line_feeds(replacement.new.text.clone()));
        if old.is_empty() {
            // The way to make a file. In one that holds something the clients refuse it.
            if !self.text.trim().is_empty() {
                return None;
            }
            self.written = vec![Written { span: 0..new.len(), source }];
            self.text = new;
            return Some(());
        }
        if !exists || old == new {
            return None;
        }
        let most = if replacement.all { MOST_PLACES } else { 2 };
        let places: Vec<usize> = self.text.match_indices(&old).take(most).map(|(at, _)| at).collect();
        if places.is_empty() || (places.len() > 1 && !replacement.all) || places.len() == MOST_PLACES {
            return None;
        }
        for at in places.into_iter().rev() {
            self.put(source, at..at + old.len(), &new);
        }
        self.written.sort_by_key(|written| written.span.start);
        Some(())
    }

    /// Puts `new` in place of `range`. What was written there before is the call's no longer.
    fn put(&mut self, source: usize, range: Range<usize>, new: &str) {
        self.text.replace_range(range.clone(), new);
        self.written.retain(|written| written.span.end <= range.start || written.span.start >= range.end);
        for written in self.written.iter_mut().filter(|written| written.span.start >= range.end) {
            let moved = |at: usize| at - range.len() + new.len();
            written.span = moved(written.span.start)..moved(written.span.end);
        }
        self.written.push(Written { span: range.start..range.start + new.len(), source });
    }
}
