//! Signs of half an edit around old code: a list put around it without its end, or taken from it without its end.

use lispwright_syntax::TokenKind;

use super::shapes::{Outline, often_ends, usually_ends};
use super::{Considered, Mended};
use crate::text::code::Token;
use crate::text::edit::{CLOSERS, OPENERS};
use crate::witnesses::habits::Habits;

/// A line right after one that loses a closer is doubtful if it costs more than this, as a natural logarithm.
const ODD_BEHIND: f32 = 3.0;

/// An open list, for the columns of its arguments.
struct Arguments {
    /// The index of its opener.
    at: usize,
    /// The column of the first argument on the line of the opener.
    first: Option<i32>,
    /// The number of arguments on the line of the opener.
    count: u32,
    /// A datum in it began a line.
    has_lines: bool,
}

impl Mended {
    /// The line after one that loses a closer begins in an odd column, or belongs to a list now whose arguments do not
    /// begin there.
    ///
    /// If the earlier text is `known`, only a line of it counts.
    pub(super) fn takes_in_an_odd_line(&self, known: bool, habits: &Habits) -> bool {
        let counts = |token: &Token| token.opens_line && (token.old || !known);
        let follows = |token: &Token| counts(token) && self.taken.iter().any(|line| line + 1 == token.line);
        self.costly().any(|(token, cost)| follows(token) && cost > ODD_BEHIND && !self.is_value(token))
            || self.continues_oddly(known, habits)
    }

    fn continues_oddly(&self, known: bool, habits: &Habits) -> bool {
        let mut open: Vec<Arguments> = Vec::new();
        let mut line_before = u32::MAX;
        for (index, token) in self.tokens.iter().enumerate().filter(|(_, token)| !token.kind.is_prefix()) {
            if token.kind.is_close() {
                open.pop();
            } else if let Some(list) = open.last_mut() {
                let taken_in = token.opens_line
                    && (token.old || !known)
                    && line_before < token.line
                    && self.taken.contains(&line_before);
                if taken_in && self.is_odd_argument(list, token, habits) {
                    return true;
                }
                if token.opens_line {
                    list.has_lines = true;
                } else if token.line == self.tokens[list.at].line && index > list.at + 1 {
                    list.first.get_or_insert(token.column);
                    list.count += 1;
                }
            }
            line_before = token.line;
            if token.kind.is_open() {
                open.push(Arguments { at: index, first: None, count: 0, has_lines: false });
            }
        }
        false
    }

    /// The datum that begins a line in the list is left of the list; or it is not below the first argument of the call,
    /// and such calls have no body: they have several arguments before it, or usually end there.
    fn is_odd_argument(&self, list: &Arguments, datum: &Token, habits: &Habits) -> bool {
        let (opener, head) = (&self.tokens[list.at], &self.tokens[list.at + 1]);
        let call = opener.kind == TokenKind::OpenParen && head.kind == TokenKind::Atom && head.line == opener.line;
        let elsewhere = !list.has_lines && list.first.is_some_and(|column| column != datum.place);
        let ends = || usually_ends(head.head, list.count, habits) || often_ends(head.head, list.count, habits);
        let bodiless = || !habits.hangs(head.head) && (list.count > 1 || ends());
        (opener.opens_line && datum.place <= opener.place) || (call && elsewhere && bodiless())
    }
}

impl Considered<'_> {
    /// The form, a part of a file, is on one line, which the answer ends, and a form follows in its column on the next line; forms with
    /// its head seldom end so.
    pub(super) fn hangs_over_a_form(&self) -> bool {
        let (own, case) = (self.form.own, self.case);
        let (first, last) = (&own[0], &own[own.len() - 1]);
        let alone = !(self.is_among_others() || case.known);
        if alone || first.line != last.line || !self.edits().iter().any(|edit| edit.adds(CLOSERS)) {
            return false;
        }
        let mut lines = case.text[last.end as usize..].split('\n').skip(1);
        let follows = match (lines.next(), lines.next()) {
            // The form that follows is in the next part of the text.
            (Some(next), None) if next.trim().is_empty() => !case.at_end,
            (Some(next), _) => next.starts_with('('),
            (None, _) => false,
        };
        let (habits, dialect) = (self.form.habits, case.language.dialect());
        let outline = || Outline::of(&self.mended().tokens, dialect, habits);
        follows
            && outline().is_some_and(|form| form.children <= 2 && !usually_ends(form.head, form.children - 1, habits))
    }

    /// A comment of the form begins with code that opens a list and does not end it, and the answer removes a closer.
    pub(super) fn comments_out_an_opener(&self) -> bool {
        let own = self.form.own;
        if !self.edits().iter().any(|edit| edit.takes(CLOSERS)) {
            return false;
        }
        // The number of lists that the comment has open.
        let mut open = 0;
        let mark = self.case.language.dialect().comment();
        for line in self.case.text[own[0].start as usize..own[own.len() - 1].end as usize].lines() {
            let comment = line.trim_start().strip_prefix(mark).map(|rest| rest.trim_start_matches(mark).trim_start());
            match comment {
                Some(code) if open > 0 || code.starts_with(OPENERS) => {
                    open = (open + code.matches(OPENERS).count()).saturating_sub(code.matches(CLOSERS).count());
                }
                Some(_) => {}
                None if open > 0 => return true,
                None => {}
            }
        }
        false
    }
}
