//! A cache of what the current token does to the open lists of the readings.
//!
//! Readings that differ in earlier edits are often in the same list now, and adding a token to it costs all of them the
//! same. The cache has a fixed number of places; a list may overwrite the entry of another.

use lispwright_syntax::{Delimiter, TokenKind};

use crate::witnesses::nesting::ListId;

/// The binary logarithm of the number of places.
const PLACES: u32 = 9;

/// A list, and the datum added to it: its column, its first token, and whether it begins a line.
pub(crate) type Datum = (ListId, i32, TokenKind, bool);

/// The list around an opener, the column of the opener, and its kind.
pub(crate) type Opened = (ListId, i32, Delimiter);

/// One entry: at token number `token`, `from` gave `to`.
#[derive(Clone, Copy)]
struct Kept<From, To> {
    token: u32,
    from: From,
    to: To,
}

/// The entries for the current token.
pub(crate) struct Steps {
    /// The number of the current token, from 1.
    token: u32,
    data: Vec<Kept<Datum, (ListId, f32)>>,
    opened: Vec<Kept<Opened, ListId>>,
    /// The lists that the current token opened, each once.
    new: Vec<ListId>,
}

impl Default for Steps {
    fn default() -> Self {
        let data = Kept { token: 0, from: (0, 0, TokenKind::Atom, false), to: (0, 0.0) };
        let opened = Kept { token: 0, from: (0, 0, Delimiter::Paren), to: 0 };
        Self { token: 1, data: vec![data; 1 << PLACES], opened: vec![opened; 1 << PLACES], new: Vec::new() }
    }
}

fn place(list: ListId, column: i32) -> usize {
    let mixed = (list ^ column.cast_unsigned().rotate_left(20)).wrapping_mul(0x9E37_79B9);
    (mixed >> (u32::BITS - PLACES)) as usize
}

impl Steps {
    /// Begins the next token, for which the cache is empty.
    pub(crate) fn clear(&mut self) {
        self.new.clear();
        self.token = self.token.wrapping_add(1);
        if self.token == 0 {
            *self = Self::default();
        }
    }

    /// The list after adding a datum, and the cost of that, if known.
    pub(crate) fn datum(&self, from: Datum) -> Option<(ListId, f32)> {
        let kept = &self.data[place(from.0, from.1)];
        (kept.token == self.token && kept.from == from).then_some(kept.to)
    }

    pub(crate) fn keep_datum(&mut self, from: Datum, to: (ListId, f32)) {
        self.data[place(from.0, from.1)] = Kept { token: self.token, from, to };
    }

    /// The list that opens, if known.
    pub(crate) fn opened(&self, from: Opened) -> Option<ListId> {
        let kept = &self.opened[place(from.0, from.1)];
        (kept.token == self.token && kept.from == from).then_some(kept.to)
    }

    pub(crate) fn keep_opened(&mut self, from: Opened, to: ListId) {
        self.opened[place(from.0, from.1)] = Kept { token: self.token, from, to };
        if !self.new.contains(&to) {
            self.new.push(to);
        }
    }

    /// All lists that the current token opened.
    pub(crate) fn all_opened(&self) -> impl Iterator<Item = ListId> {
        self.new.iter().copied()
    }
}
