//! Where this user's programs keep what they know from one run to the next.

use std::path::PathBuf;

use lispwright_project::{KeptChanges, Roots};

/// The directory of this program below the user's directory for state (XDG Base Directory Specification); `None` where
/// the environment names none.
pub(crate) fn state_directory() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let state = state.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")));
    state.filter(|path| path.is_absolute()).map(|state| state.join("lispwright"))
}

/// What has been written, so that it can be undone.
pub(crate) fn changes() -> Option<KeptChanges> {
    state_directory().map(|state| KeptChanges::in_directory(&state.join("undo")))
}

/// The same roots; what this process writes through them is kept as one change.
pub(crate) fn recording(roots: Roots) -> Roots {
    changes().map_or_else(|| roots.clone(), |changes| roots.recording(&changes, &command()))
}

/// The command of this process, as the change that it makes is called.
pub(crate) fn command() -> String {
    std::env::args().nth(1).map_or_else(|| "lispwright".to_owned(), |command| format!("lispwright {command}"))
}
