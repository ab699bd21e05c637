//! Forms that nobody writes, by which an answer is not the likeliest whatever the columns say: a list that the answer opens
//! around a literal or around a word that is never called, and code under a condition that is read only without it.

use lispwright_syntax::dialects::Square;
use lispwright_syntax::{Dialect, TokenKind};

use super::Mended;
use crate::text::code::Token;
use crate::witnesses::habits::Habits;
use crate::witnesses::nesting::{Nesting, ROOT};

/// An open list.
struct Open {
    at: usize,
    children: u32,
    /// It or a list around it is quoted.
    quoted: bool,
    /// It may begin with a list.
    may_begin: bool,
}

impl Mended {
    /// Nobody writes the form like that.
    pub(crate) fn is_unwritten(&self, dialect: Dialect, habits: &Habits) -> bool {
        let maps = dialect.table().square == Square::Bindings;
        self.opens_oddly(habits)
            || self.has_dead_condition()
            || self.declares_a_call(habits)
            || (maps && self.opens_in_a_map())
    }

    /// A list that the answer opens leaves a map with a key that has no value.
    fn opens_in_a_map(&self) -> bool {
        let mut open: Vec<(usize, u32, bool)> = Vec::new();
        for (index, token) in self.tokens.iter().enumerate().filter(|(_, token)| !token.kind.is_prefix()) {
            if token.kind.is_close() {
                let Some((at, children, opened)) = open.pop() else { return false };
                let map = &self.tokens[at];
                let is_map = map.kind == TokenKind::OpenBrace && map.end - map.start == 1;
                if is_map && opened && children % 2 == 1 {
                    return true;
                }
                continue;
            }
            if let Some((_, children, opened)) = open.last_mut().filter(|_| !(token.aside || token.several)) {
                *children += 1;
                *opened |= self.opened.contains(&token.start);
            }
            if token.kind.is_open() {
                open.push((index, 0, false));
            }
        }
        false
    }

    /// A declaration that the answer changes holds a line that is a call.
    fn declares_a_call(&self, habits: &Habits) -> bool {
        let mut open: Vec<usize> = Vec::new();
        for (index, token) in self.tokens.iter().enumerate() {
            if token.kind.is_close() {
                open.pop();
            } else if token.kind.is_open() {
                let called = self.tokens.get(index + 1).filter(|head| head.is_symbol());
                let calls = || called.is_some_and(|head| habits.is_operator(head.name) || habits.is_called(head.name));
                let inside = |list: &usize| {
                    let head = &self.tokens[list + 1];
                    head.kind == TokenKind::Atom && self.taken.contains(&head.line) && habits.is_declaration(head.name)
                };
                if token.opens_line && open.last().is_some_and(inside) && calls() {
                    return true;
                }
                open.push(index);
            }
        }
        false
    }

    /// A list that the answer opens begins with a literal, holds nothing but a call, or is a call without arguments of a word
    /// that is no operator.
    fn opens_oddly(&self, habits: &Habits) -> bool {
        if self.opened.is_empty() {
            return false;
        }
        let Some(first) = self.tokens.first() else { return false };
        let mut nesting = Nesting::new(habits, first.column);
        let mut top = ROOT;
        let mut open: Vec<Open> = Vec::new();
        for (index, token) in self.tokens.iter().enumerate().filter(|(_, token)| !token.kind.is_prefix()) {
            if token.kind.is_close() {
                let Some(list) = open.pop() else { return false };
                if self.opened.contains(&self.tokens[list.at].start) && self.is_odd_list(&list, index, habits) {
                    return true;
                }
                top = nesting.leave(top);
                continue;
            }
            if let Some(list) = open.last_mut().filter(|_| !token.aside) {
                list.children += 1;
            }
            nesting.pass(top, token);
            if let Some(delimiter) = token.delimiter().filter(|_| token.kind.is_open()) {
                top = nesting.open(top, delimiter, token, index as u32, 0);
                let quoted = open.last().is_some_and(|list| list.quoted) || self.is_quoted(index);
                open.push(Open { at: index, children: 0, quoted, may_begin: nesting.may_begin_with_list(top) });
            }
        }
        false
    }

    fn is_odd_list(&self, list: &Open, close: usize, habits: &Habits) -> bool {
        let [opener, first] = [&self.tokens[list.at], &self.tokens[list.at + 1]];
        if opener.kind != TokenKind::OpenParen || list.quoted {
            return false;
        }
        let text = &self.text[first.start as usize..first.end as usize];
        let is_number = first.kind == TokenKind::Atom && text.starts_with(|c: char| c.is_ascii_digit());
        match first.kind {
            // A row of a table begins with a string.
            TokenKind::String => !opener.opens_line || text.contains('\n'),
            TokenKind::Atom if is_number => !opener.opens_line && !list.may_begin,
            TokenKind::Atom if list.children == 1 && close == list.at + 2 && !opener.opens_line => {
                first.is_symbol() && self.is_plain_word(list.at + 1, habits)
            }
            kind if kind.is_open() => list.children == 1 && !list.may_begin,
            _ => false,
        }
    }

    /// The word is used elsewhere, and never called.
    fn is_plain_word(&self, at: usize, habits: &Habits) -> bool {
        let name = self.tokens[at].name;
        let mut others =
            self.tokens.windows(2).enumerate().filter(|(before, pair)| before + 1 != at && pair[1].name == name);
        let mut elsewhere = habits.seen(name) > 0.0;
        let called = others.any(|(_, pair)| {
            elsewhere = true;
            pair[0].kind == TokenKind::OpenParen
        });
        elsewhere && !called && !habits.is_called(name) && !habits.is_operator(name)
    }

    /// A list is read under a condition, and something in it only without that: `#+x '(a b #-x nil)`.
    fn has_dead_condition(&self) -> bool {
        // The conditions of the open lists: the sign and the feature.
        let mut open: Vec<Option<(u8, &str)>> = Vec::new();
        let mut pending: Option<(u8, &str)> = None;
        for (index, token) in self.tokens.iter().enumerate() {
            if token.kind == TokenKind::Annotation {
                pending = self.condition(index);
                let dead = |outer: &(u8, &str)| pending.is_some_and(|own| own.1 == outer.1 && own.0 != outer.0);
                if open.iter().flatten().any(dead) {
                    return true;
                }
            } else if token.aside || (token.kind.is_prefix() && token.kind != TokenKind::Discard) {
                continue;
            } else if token.kind.is_open() {
                open.push(pending.take());
            } else if token.kind.is_close() {
                open.pop();
                pending = None;
            } else {
                pending = None;
            }
        }
        false
    }

    /// The condition that the mark at `index` begins, if it is one feature.
    fn condition(&self, index: usize) -> Option<(u8, &str)> {
        let spelt = |token: &Token| &self.text[token.start as usize..token.end as usize];
        let sign = match spelt(&self.tokens[index]).as_bytes() {
            [b'#', sign @ (b'+' | b'-')] => *sign,
            _ => return None,
        };
        let feature = self.tokens.get(index + 1).filter(|token| token.kind == TokenKind::Atom)?;
        Some((sign, spelt(feature)))
    }
}
