//! Carries out a call in memory, and reverts one.
//!
//! The rules are those of the clients: a file is read with line feeds for line ends, and a text to replace has to occur
//! exactly once unless all occurrences are meant. A call that the client itself would refuse is not judged.

use std::path::Path;
use std::time::Duration;

use crate::change::{ChangedFile, WrittenBytes};
use crate::event::{HookEvent, Proposal, Replacement, Rewritable};
use crate::files::{FileSource, Found};
use crate::patch::{Action, Patch, PatchDirection};

/// The longest time between the end of a command and its hook.
const LATE: Duration = Duration::from_secs(2);
/// The assumed duration of a command if the client does not give it.
const UNKNOWN: Duration = Duration::from_secs(30);

/// A replacement of more occurrences is not simulated.
const MOST_PLACES: usize = 10_000;

/// The files of a call as they are and as it would leave them. Empty if it changes none.
pub(crate) fn changes(event: &HookEvent, files: &dyn FileSource) -> Vec<ChangedFile> {
    let read = |path: &str| files.read(&Path::new(&event.directory).join(path));
    let change = match &event.proposal {
        Proposal::Write { path, content } => read(path).text().map(|before| write(path, before, content)),
        Proposal::Replace { path, replacements } => {
            read(path).text().and_then(|before| replace(path, before, replacements))
        }
        Proposal::Patch(patch) => return patched(patch, read).unwrap_or_default(),
        Proposal::Command { .. } => None,
    };
    change.into_iter().collect()
}

/// The files of a call after it: path, text, and the earlier text if it is known.
pub(crate) fn results(event: &HookEvent, files: &dyn FileSource) -> Vec<(String, String, Option<String>)> {
    let read = |path: &str| files.read(&Path::new(&event.directory).join(path)).text().flatten();
    match &event.proposal {
        Proposal::Write { path, .. } => {
            read(path).map(|now| (path.clone(), now, event.original.clone())).into_iter().collect()
        }
        Proposal::Replace { path, replacements } => {
            let Some(now) = read(path) else { return Vec::new() };
            let before = event.original.clone().or_else(|| undone(&now, replacements));
            vec![(path.clone(), now, before)]
        }
        // The earlier texts are unknown.
        Proposal::Command { ran } => {
            let within = ran.map_or(UNKNOWN, |ran| ran + LATE);
            let changed = files.changed(Path::new(&event.directory), within).into_iter();
            changed
                .filter_map(|path| path.to_str().and_then(|path| Some((path.to_owned(), read(path)?, None))))
                .collect()
        }
        Proposal::Patch(patch) => patch
            .files()
            .filter_map(|(_, path, action)| {
                let path = patch.located(path);
                let now = read(&path)?;
                let before = match action {
                    Action::Update { .. } => action
                        .apply(&patch.text, &line_feeds(now.clone()), PatchDirection::Backward)
                        .map(|done| done.text),
                    _ => None,
                };
                Some((path, now, before))
            })
            .collect(),
    }
}

impl Found {
    /// The text, `Some(None)` for a missing file, `None` when it is unreadable.
    fn text(self) -> Option<Option<String>> {
        match self {
            Self::Text(text) | Self::Encoded(text, _) => Some(Some(text)),
            Self::Missing => Some(None),
            Self::Unreadable => None,
        }
    }
}

/// `text` with line feeds for line ends.
pub(crate) fn line_feeds(text: String) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n") } else { text }
}

fn write(path: &str, before: Option<String>, content: &Rewritable) -> ChangedFile {
    let before = if content.text.contains('\r') { before } else { before.map(line_feeds) };
    let whole = WrittenBytes { span: 0..content.text.len(), source: 0 };
    ChangedFile { path: path.to_owned(), before, after: content.text.clone(), written: vec![whole], by_line: false }
}

/// A text with the places that the call has written so far.
struct Draft {
    text: String,
    written: Vec<WrittenBytes>,
}

fn replace(path: &str, before: Option<String>, replacements: &[Replacement]) -> Option<ChangedFile> {
    let before = before.map(line_feeds);
    let mut draft = Draft { text: before.clone().unwrap_or_default(), written: Vec::new() };
    for (source, replacement) in replacements.iter().enumerate() {
        draft.apply(source, replacement, before.is_some() || source > 0)?;
    }
    Some(ChangedFile { path: path.to_owned(), before, after: draft.text, written: draft.written, by_line: false })
}

impl Draft {
    fn apply(&mut self, source: usize, replacement: &Replacement, exists: bool) -> Option<()> {
        let (mut old, new) = (line_feeds(replacement.old.clone()), line_feeds(replacement.new.text.clone()));
        if old.is_empty() {
            // This creates a file. The clients refuse it if the file is not empty.
            if !self.text.trim().is_empty() {
                return None;
            }
            self.written = vec![WrittenBytes { span: 0..new.len(), source }];
            self.text = new;
            return Some(());
        }
        if !exists || old == new {
            return None;
        }
        let most = if replacement.all { MOST_PLACES } else { 2 };
        let count = self.text.matches(&old).take(most).count();
        if count == 0 || (count > 1 && !replacement.all) || count == MOST_PLACES {
            return None;
        }
        if replacement.with_line_feed && new.is_empty() && self.text.contains(&format!("{old}\n")) {
            old.push('\n');
        }
        self.put(source, &old, &new);
        Some(())
    }

    /// Puts `new` in place of every `old`. Overwritten places of earlier texts are dropped.
    fn put(&mut self, source: usize, old: &str, new: &str) {
        let places: Vec<usize> = self.text.match_indices(old).map(|(at, _)| at).collect();
        let mut text = String::with_capacity(self.text.len() + places.len() * new.len());
        let mut written = Vec::with_capacity(self.written.len() + places.len());
        let mut earlier = std::mem::take(&mut self.written).into_iter().peekable();
        let mut from = 0;
        for at in places.iter().copied().chain([self.text.len()]) {
            // Texts wholly before this place stay, and move with it.
            while let Some(next) = earlier.next_if(|next| next.span.start < at) {
                if next.span.start >= from && next.span.end <= at {
                    let moved = |place: usize| place - from + text.len();
                    written
                        .push(WrittenBytes { span: moved(next.span.start)..moved(next.span.end), source: next.source });
                }
            }
            text.push_str(&self.text[from..at]);
            if at < self.text.len() {
                written.push(WrittenBytes { span: text.len()..text.len() + new.len(), source });
                text.push_str(new);
                from = at + old.len();
            }
        }
        (self.text, self.written) = (text, written);
    }
}

/// The text before the replacements that led to `now`, if each new text occurs only once or all occurrences were meant.
fn undone(now: &str, replacements: &[Replacement]) -> Option<String> {
    let mut text = line_feeds(now.to_owned());
    for replacement in replacements.iter().rev() {
        let (old, new) = (line_feeds(replacement.old.clone()), line_feeds(replacement.new.text.clone()));
        let count = if new.is_empty() { 0 } else { text.matches(&new).take(2).count() };
        if count == 0 || (count > 1 && !replacement.all) {
            return None;
        }
        text = text.replace(&new, &old);
    }
    Some(text)
}

/// The changes of a patch; `None` if a part of it does not fit, since then the client refuses all of it.
fn patched(patch: &Patch, read: impl Fn(&str) -> Found) -> Option<Vec<ChangedFile>> {
    let mut changes: Vec<ChangedFile> = Vec::new();
    for (from, to, action) in patch.files() {
        let (from, to) = (patch.located(from), patch.located(to));
        if changes.iter().any(|change| change.path == from || change.path == to) {
            return None;
        }
        let before = read(&from).text()?.map(line_feeds);
        let done = match (action, &before) {
            (Action::Update { .. }, None) => return None,
            (action, before) => {
                action.apply(&patch.text, before.as_deref().unwrap_or_default(), PatchDirection::Forward)?
            }
        };
        changes.push(ChangedFile { path: to, before, after: done.text, written: done.written, by_line: true });
    }
    Some(changes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::ops::Range;

    use super::*;

    fn spans(change: &ChangedFile) -> Vec<(Range<usize>, usize)> {
        change.written.iter().map(|written| (written.span.clone(), written.source)).collect()
    }

    fn replacement(old: &str, new: &str, all: bool) -> Replacement {
        let new = Rewritable { text: new.to_owned(), pointer: String::new() };
        Replacement { old: old.to_owned(), new, all, with_line_feed: true }
    }

    #[track_caller]
    fn check(
        before: Option<&str>,
        replacements: &[Replacement],
        after: Option<&str>,
        written: &[(Range<usize>, usize)],
    ) {
        let change = replace("a.lisp", before.map(str::to_owned), replacements);
        assert_eq!(change.as_ref().map(|change| &*change.after), after);
        if let Some(change) = change {
            assert_eq!(spans(&change), written);
        }
    }

    #[test]
    fn a_text_that_occurs_once_is_replaced() {
        check(Some("a b c"), &[replacement("b", "xx", false)], Some("a xx c"), &[(2..4, 0)]);
        check(Some("a b b"), &[replacement("b", "x", false)], None, &[]);
        check(Some("a b"), &[replacement("c", "x", false)], None, &[]);
        check(Some("a b"), &[replacement("b", "b", false)], None, &[]);
        check(None, &[replacement("b", "c", false)], None, &[]);
        check(Some("a\r\nb\r\n"), &[replacement("a\nb", "x\ny", false)], Some("x\ny\n"), &[(0..3, 0)]);
    }

    #[test]
    fn all_occurrences_are_replaced_on_request() {
        check(Some("b a b"), &[replacement("b", "xy", true)], Some("xy a xy"), &[(0..2, 0), (5..7, 0)]);
    }

    #[test]
    fn later_replacements_move_and_overwrite_earlier_ones() {
        let both = [replacement("c", "zz", false), replacement("a", "yyy", false)];
        check(Some("a b c"), &both, Some("yyy b zz"), &[(0..3, 1), (6..8, 0)]);
        let over = [replacement("b", "(q", false), replacement("a (q", "n", false)];
        check(Some("a b c"), &over, Some("n c"), &[(0..1, 1)]);
    }

    #[test]
    fn an_empty_old_text_creates_a_file() {
        check(None, &[replacement("", "(a)", false)], Some("(a)"), &[(0..3, 0)]);
        check(Some("\n"), &[replacement("", "(a)", false)], Some("(a)"), &[(0..3, 0)]);
        check(Some("(b)"), &[replacement("", "(a)", false)], None, &[]);
        check(None, &[replacement("", "(a)", false), replacement("a", "b", false)], Some("(b)"), &[(1..2, 1)]);
    }

    #[test]
    fn a_deleted_text_loses_its_line_feed() {
        check(Some("; x\n(a)\n"), &[replacement("x", "", false)], Some("; (a)\n"), &[(2..2, 0)]);
        check(Some("; x y\n"), &[replacement("x", "", false)], Some(";  y\n"), &[(2..2, 0)]);
    }

    #[test]
    fn replacements_can_be_undone() {
        assert_eq!(undone("a xx c", &[replacement("b", "xx", false)]).as_deref(), Some("a b c"));
        assert_eq!(undone("xx xx c", &[replacement("b", "xx", false)]), None);
    }
}
