//! What compilers have said in a session before: once told is told.
//!
//! A compiler says the same of a file each time. An answer counts what its session was told in an earlier answer, so that
//! what is new stands out. Lines move with edits: of messages of the same words about the same definition, as many are
//! known as were told before, those in the same lines first.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::repl_work::DiagnosticFacts;

/// What each session was told. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Told(Arc<Mutex<HashMap<String, Known>>>);

/// The lines of each message, in the order of the answer.
type Known = HashMap<Message, Vec<Option<u32>>>;

/// A message without its line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Message {
    path: Option<String>,
    form: Option<String>,
    type_name: String,
    words: String,
}

/// The most messages that are kept of a session.
const MOST: usize = 10_000;

impl Message {
    fn of(said: &DiagnosticFacts) -> Self {
        Self {
            path: said.path.clone(),
            form: said.form.clone(),
            type_name: said.type_name.clone(),
            words: said.message.clone(),
        }
    }
}

impl Told {
    /// Marks those that the session was told before, and keeps them all. Errors and notes are told each time. What is said no more
    /// of one of the `compiled` files is forgotten.
    pub(crate) fn mark(&self, session: &str, said: &mut [DiagnosticFacts], compiled: &[String]) {
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = sessions.entry(session.to_owned()).or_default();
        let mut now = Known::new();
        for one in said.iter().filter(|one| one.severity.ends_with("warning")) {
            now.entry(Message::of(one)).or_default().push(one.line);
        }
        let mut unknown: HashMap<&Message, Vec<Option<u32>>> = HashMap::new();
        for (message, lines) in &now {
            let earlier = known.get(message).map_or(&[][..], Vec::as_slice);
            let surplus = lines.len().saturating_sub(earlier.len());
            let (old, new): (Vec<_>, Vec<_>) = lines.iter().copied().partition(|line| earlier.contains(line));
            unknown.insert(message, new.into_iter().chain(old).take(surplus).collect());
        }
        for one in said.iter_mut().filter(|one| one.severity.ends_with("warning")) {
            let lines = unknown.get_mut(&Message::of(one));
            let at = lines.as_ref().and_then(|lines| lines.iter().position(|line| *line == one.line));
            match (lines, at) {
                (Some(lines), Some(at)) => drop(lines.remove(at)),
                _ => one.is_known = true,
            }
        }
        known.retain(|message, _| message.path.as_ref().is_none_or(|path| !compiled.contains(path)));
        if known.len() > MOST {
            known.clear();
        }
        known.extend(now);
    }

    /// Keeps what an answer has said to the session.
    pub(crate) fn keep(&self, session: &str, said: &[DiagnosticFacts]) {
        self.mark(session, &mut said.to_vec(), &[]);
    }

    /// What was told so far, apart: for a trial whose answer may not be what it says.
    pub(crate) fn apart(&self) -> Self {
        Self(Arc::new(Mutex::new(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone())))
    }

    /// Forgets what the session was told, so that it is told again.
    pub(crate) fn forget(&self, session: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(words: &str, line: u32) -> DiagnosticFacts {
        DiagnosticFacts {
            path: Some("a.lisp".into()),
            line: Some(line),
            column: None,
            severity: "style-warning".into(),
            form: None,
            type_name: "t".into(),
            message: words.into(),
            is_unbalanced: false,
            is_known: false,
        }
    }

    /// The lines that are new to a session.
    fn new(told: &Told, lines: &[u32]) -> Vec<u32> {
        let mut all: Vec<DiagnosticFacts> = lines.iter().map(|line| said("unused", *line)).collect();
        told.mark("main", &mut all, &["a.lisp".to_owned()]);
        all.iter().filter(|one| !one.is_known).filter_map(|one| one.line).collect()
    }

    #[test]
    fn what_was_told_is_known_where_it_stands_now() {
        let told = Told::default();
        assert_eq!(new(&told, &[3, 5]), [3, 5]);
        assert_eq!(new(&told, &[3, 5]), Vec::<u32>::new());
        assert_eq!(new(&told, &[4, 6]), Vec::<u32>::new(), "a line was added above them");
        assert_eq!(new(&told, &[4, 6, 9]), [9]);
        assert_eq!(new(&told, &[4]), Vec::<u32>::new());
        assert_eq!(new(&told, &[4, 6]), [6], "it was gone meanwhile");
        told.forget("main");
        assert_eq!(new(&told, &[4, 6]), [4, 6]);
    }

    #[test]
    fn errors_are_told_each_time() {
        let told = Told::default();
        for _ in 0..2 {
            let mut all = [DiagnosticFacts { severity: "error".into(), ..said("unused", 3) }];
            told.mark("main", &mut all, &[]);
            assert!(!all[0].is_known);
        }
    }
}
