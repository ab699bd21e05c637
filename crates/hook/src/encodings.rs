//! Files that are not in UTF-8, which most clients read and write as if they were: what cannot be decoded becomes U+FFFD,
//! in the whole file, whatever the call changes.
//!
//! Such a call is refused before it loses anything. If it got through, or a command did the same, the last commit says
//! what the lines were.

use std::collections::HashMap;
use std::path::Path;

use crate::event::{HookEvent, Proposal};
use crate::files::{FileSource, Found};
use crate::lisp;
use crate::patch::Action;
use crate::wording::{Kept, Lost};

/// A file whose characters a call would lose.
#[derive(Debug)]
pub(crate) struct Losing {
    /// The file.
    pub(crate) path: String,
    /// The characters.
    pub(crate) kept: Kept,
    /// The text of the call itself has lost them.
    pub(crate) is_written: bool,
}

/// The file of a call, before it, whose characters it would lose.
pub(crate) fn losing(event: &HookEvent, files: &dyn FileSource) -> Option<Losing> {
    if event.keeps_encodings {
        return None;
    }
    let losing = |path: &str, is_written: bool| {
        let Found::Encoded(text, encoding) = files.read(&Path::new(&event.directory).join(path)) else { return None };
        lisp::dialect(path, &text)?;
        let (line, first) = (1..).zip(text.lines()).find(|(_, line)| !line.is_ascii())?;
        let count = text.chars().filter(|character| !character.is_ascii()).count();
        let kept = Kept { encoding, count, line, first: first.to_owned() };
        Some(Losing { path: path.to_owned(), kept, is_written })
    };
    match &event.proposal {
        // A whole text in UTF-8 that has all of its characters converts the file.
        Proposal::Write { path, content } => {
            content.text.contains(char::REPLACEMENT_CHARACTER).then(|| losing(path, true))?
        }
        Proposal::Replace { path, .. } => losing(path, false),
        Proposal::Patch(patch) => {
            let updated = patch.files().filter(|(_, _, action)| matches!(action, Action::Update { .. }));
            updated.map(|(from, ..)| patch.located(from)).find_map(|from| losing(&from, false))
        }
        Proposal::Command { .. } => None,
    }
}

/// The lines of the text `now` of a file, after a call, that have lost characters since the last commit.
pub(crate) fn lost(event: &HookEvent, path: &str, now: &str, files: &dyn FileSource) -> Option<Lost> {
    if !now.contains(char::REPLACEMENT_CHARACTER) {
        return None;
    }
    let committed = files.committed(&Path::new(&event.directory).join(path))?;
    let Found::Encoded(text, encoding) = committed.found else { return None };
    let as_read = String::from_utf8_lossy(&committed.bytes);
    let was: HashMap<&str, &str> = as_read.lines().zip(text.lines()).filter(|(_, line)| !line.is_ascii()).collect();
    let lines: Vec<(u32, String)> =
        (1..).zip(now.lines()).filter_map(|(number, line)| Some((number, (*was.get(line)?).to_owned()))).collect();
    (!lines.is_empty()).then_some(Lost { encoding, lines })
}
