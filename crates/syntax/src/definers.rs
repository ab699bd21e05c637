//! The definers that a project adds to those of its dialect, by its configuration and by its macros.
//!
//! [`Definers::of`] finds those of one text. The reader opens no files: callers add the definers of other files of the
//! project to a [`crate::Language`] with [`crate::Language::with`].

use std::collections::BTreeMap;

use crate::definer::{FormKind, Shape};
use crate::tree::Tree;

/// Heads of definitions that are not in the table of the dialect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definers {
    /// By canonical head.
    rows: BTreeMap<String, Definer>,
}

/// The definitions of one head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Definer {
    pub(crate) kind: FormKind,
    pub(crate) shape: Shape,
    /// The known head, canonical, whose forms have the same parts in the same places.
    pub(crate) like: Option<String>,
    /// It comes from the configuration, which overrides the macros.
    pub(crate) stated: bool,
}

impl Definers {
    /// The definers among the macros of `text`, from which `tree` was read: macros that use one of their arguments as
    /// the name in a definition.
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

    /// Adds those of `others`, which override these, except those from the configuration.
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
