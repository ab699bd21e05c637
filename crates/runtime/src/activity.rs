//! The activity of a running call, as its image reports it or prints it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of the last printed bytes that are kept.
const TAIL: usize = 1024;

/// The number of characters of the last line that are shown.
const LINE: usize = 200;

/// The last report and the last output of an image. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Activity(Arc<Mutex<Told>>);

#[derive(Debug, Default)]
struct Told {
    words: Option<String>,
    tail: Vec<u8>,
}

impl Activity {
    fn told(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, text: &str) {
        self.told().words = Some(text.to_owned());
    }

    /// The last report, if there was one.
    pub(crate) fn get(&self) -> Option<String> {
        self.told().words.clone()
    }

    /// Records output.
    pub(crate) fn printed(&self, bytes: &[u8]) {
        let tail = &mut self.told().tail;
        tail.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL)..]);
        let excess = tail.len().saturating_sub(TAIL);
        tail.drain(..excess);
    }

    /// The last line of the output that is not blank, or its end.
    pub(crate) fn last_line(&self) -> Option<String> {
        let tail = String::from_utf8_lossy(&self.told().tail).into_owned();
        let line = tail.split(['\n', '\r']).map(str::trim).rfind(|line| !line.is_empty())?;
        let excess = line.chars().count().saturating_sub(LINE);
        Some(line.chars().skip(excess).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_does_not_depend_on_earlier_output() {
        let activity = Activity::default();
        assert_eq!(activity.last_line(), None);
        activity.printed(b"one\ntw");
        activity.printed(b"o\n \n");
        assert_eq!(activity.last_line().as_deref(), Some("two"));
        activity.printed(b"10 %\r20 %");
        assert_eq!(activity.last_line().as_deref(), Some("20 %"));
        activity.printed(&[b'x'; 5000]);
        assert_eq!(activity.last_line(), Some("x".repeat(LINE)));
    }
}
