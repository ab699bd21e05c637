//! The definers that a project adds to those of its dialect: what its configuration says, and what its macros say.
//!
//! [`Definers::of`] are those of one text. A reader opens no files: whoever knows others of the same project hands them to a
//! [`crate::Language`] with [`crate::Language::with`].

use std::collections::BTreeMap;

use crate::definer::{FormKind, Shape};
use crate::tree::Tree;

/// Heads of definitions that the table of the dialect does not know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definers {
    /// By canonical head.
    rows: BTreeMap<String, Definer>,
}

/// What a head defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Definer {
    pub(crate) kind: FormKind,
    pub(crate) shape: Shape,
    /// The known head whose forms have the same parts in the same places, canonical.
    pub(crate) like: Option<String>,
    /// The configuration says so, and nothing else counts.
    pub(crate) stated: bool,
}

impl Definers {
    /// What the macros of `text` define, which was read as `tree`: those that hand one of their arguments on as the name in a
    /// definition.
    pub fn of(tree: &Tree, text: impl AsRef<[u8]>) -> Self {
        crate::macros::definers(tree, text.as_ref())
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The heads, canonical.
    pub fn heads(&self) -> impl Iterator<Item = &str> {
        self.rows.keys().map(String::as_str)
    }

    /// Adds those of `others`; where both know a head, `others` do, unless the configuration says otherwise.
    pub fn extend(&mut self, others: &Self) {
        for (head, definer) in &others.rows {
            self.add(head.clone(), definer.clone());
        }
    }

    pub(crate) fn add(&mut self, head: String, definer: Definer) {
        if definer.stated || !self.get(&head).is_some_and(|known| known.stated) {
            self.rows.insert(head, definer);
        }
    }

    pub(crate) fn get(&self, head: &str) -> Option<&Definer> {
        self.rows.get(head)
    }
}
