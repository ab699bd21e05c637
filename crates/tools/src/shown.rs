//! The diffs that dry runs have shown: what was shown is not shown again when it is written.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError};

use crate::several::FileDiff;

/// The diffs that dry runs have shown, each as a hash. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct ShownDiffs(Arc<Mutex<VecDeque<u64>>>);

/// The most diffs that are kept.
const MOST: usize = 2_000;

impl ShownDiffs {
    /// Keeps the diffs of a dry run; marks those of a write that a dry run has shown.
    pub(crate) fn of(&self, files: &mut [FileDiff], dry_run: bool) {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for file in files {
            let mut hasher = DefaultHasher::new();
            (&file.path, &file.diff).hash(&mut hasher);
            let hash = hasher.finish();
            let known = shown.iter().position(|known| *known == hash);
            match (dry_run, known) {
                (true, None) => shown.push_back(hash),
                (true, Some(_)) => {}
                (false, known) => {
                    file.was_shown = known.and_then(|at| shown.remove(at)).is_some();
                }
            }
        }
        let surplus = shown.len().saturating_sub(MOST);
        shown.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_that_a_dry_run_has_shown_is_not_news() {
        let shown = ShownDiffs::default();
        let file = |diff: &str| FileDiff { path: "a.lisp".into(), diff: diff.into(), ..FileDiff::default() };
        let written = |diff: &str| {
            let mut files = [file(diff)];
            shown.of(&mut files, false);
            files[0].was_shown
        };
        assert!(!written("-a\n+b\n"));
        shown.of(&mut [file("-a\n+b\n")], true);
        assert!(!written("-a\n+c\n"), "another change");
        assert!(written("-a\n+b\n"));
        assert!(!written("-a\n+b\n"), "it is written once");
    }
}
