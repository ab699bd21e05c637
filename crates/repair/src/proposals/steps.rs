//! What one token makes of the lists that the readings stand in.
//!
//! Readings that differ far behind agree on the list that they are in now, and a token that one has taken into it costs the
//! others the same. Each list has one place for what was made of it, until another comes to lie there.

use lispwright_syntax::{Delimiter, TokenKind};

use crate::witnesses::nesting::ListId;

/// There are two to this power of places.
const PLACES: u32 = 9;

/// A list, the column of what is taken in, how it begins, and whether it begins a line.
pub(crate) type Datum = (ListId, i32, TokenKind, bool);

/// The list around, the column of the opener, and the opener.
pub(crate) type Opened = (ListId, i32, Delimiter);

/// What was done at the token of this number, and what came of it.
#[derive(Clone, Copy)]
struct Kept<From, To> {
    token: u32,
    from: From,
    to: To,
}

/// What was done at the current token.
pub(crate) struct Steps {
    /// Counts tokens, from 1.
    token: u32,
    data: Vec<Kept<Datum, (ListId, f32)>>,
    opened: Vec<Kept<Opened, ListId>>,
    /// Lists that were opened, each once.
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
    /// Another token is next.
    pub(crate) fn clear(&mut self) {
        self.new.clear();
        self.token = self.token.wrapping_add(1);
        if self.token == 0 {
            *self = Self::default();
        }
    }

    /// The list that a datum makes of another, and what it costs, if known.
    pub(crate) fn datum(&self, from: Datum) -> Option<(ListId, f32)> {
        let kept = &self.data[place(from.0, from.1)];
        (kept.token == self.token && kept.from == from).then_some(kept.to)
    }

    pub(crate) fn keep_datum(&mut self, from: Datum, to: (ListId, f32)) {
        self.data[place(from.0, from.1)] = Kept { token: self.token, from, to };
    }

    /// The list that opens there, if known.
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
