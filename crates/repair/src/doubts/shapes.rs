//! Unusual shapes of a mended form, which are signs of another fault in it.
//!
//! Two faults that cancel each other leave a form that balances: only its shape shows them. So the shape is checked if
//! the earlier text is not known.

use std::ops::Range;

use lispwright_syntax::dialects::Square;
use lispwright_syntax::{Delimiter, Dialect, TokenKind};

use super::{Doubt, Doubts, Mended};
use crate::text::code::{Token, name_of};
use crate::witnesses::habits::Habits;
use crate::witnesses::nesting::{Nesting, ROOT};
use crate::witnesses::operators::is_variadic;
use crate::witnesses::question::{MOST_ARGUMENTS, Question, argument};

/// This many words in a row at the beginning of a line of a definition's body are prose.
const PROSE: usize = 4;
/// Lines that were moved into a list may go on at most this many columns left or right of it.
const STEP: i32 = 4;
/// The prefixes of macros that take a body after their first argument.
const BODY_PREFIXES: [&str; 2] = ["with-", "without-"];

/// The properties of a form that are checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// All of them.
    All,
    /// All but the columns.
    Shape,
    /// Only shapes that are always wrong: the earlier text is known and may have the other shapes.
    Known,
}

/// An open list of a mended form.
#[derive(Clone, Copy, Default)]
struct Open {
    at: usize,
    /// The number of data in it.
    children: u32,
    /// The column of the last datum that begins a line in it; -1 for none.
    sibling: i32,
    sibling_is_list: bool,
    /// The line of that datum, the number of data of the list on it, and whether the first is a keyword.
    last_line: u32,
    on_line: u32,
    begins_with_keyword: bool,
    /// It or a list around it is quoted.
    quoted: bool,
    /// Its first datum is a list that touches its opener.
    doubled: bool,
    /// Its first datum is a list, as in a list of bindings or clauses.
    holds_lists: bool,
    /// `doubled` with a call as that list, though a list of lists is not expected there.
    holds_call: bool,
    /// It is a definition with a docstring and a body.
    definer: bool,
    /// The number of data after a dot.
    after_dot: Option<u32>,
}

impl Mended {
    /// The unusual shapes in the form: signs of a fault besides the one that was repaired.
    pub(crate) fn shapes(&self, sight: Sight, dialect: Dialect, habits: &Habits) -> Doubts {
        let (known, whole) = (sight == Sight::Known, sight != Sight::Shape);
        let mut found = Doubts::default();
        let Some(first) = self.tokens.first() else { return found };
        let mut nesting = Nesting::new(habits, first.column);
        let mut top = ROOT;
        let mut open: Vec<Open> = Vec::new();
        // The column of the last datum that began a line, and the number of lists around it.
        let mut line_above: Option<(i32, usize)> = None;
        for (index, token) in self.tokens.iter().enumerate() {
            if token.kind.is_prefix() {
                continue;
            }
            if token.kind.is_close() {
                let Some(list) = open.pop() else { return found };
                let around = open.last().map(|around| (around.at, around.children));
                if let Some(around) = around {
                    let wrong = self.has_another_opener(&list, around, index, dialect, habits);
                    found.add(Doubt::WrongOpener, wrong);
                }
                let vectors = self.tokens[list.at].kind == TokenKind::OpenBracket;
                let doubled = self.is_doubled(&list, index, nesting.may_begin_with_list(top), dialect);
                let doubled = doubled && (!known || (self.is_supplied(index) && !vectors));
                found.add(Doubt::DoubledOpener, doubled || (list.holds_call && list.children == 1));
                let at = around.map(|(at, _)| at);
                let short =
                    self.ends_short(&list, at, index, dialect, habits) || self.leaves_its_lines(&list, at, index);
                found.add(Doubt::NoBody, short);
                found.add(Doubt::Wrap, whole && self.stops_before_its_code(&list, index, habits, known));
                found.add(Doubt::LateEnd, whole && self.may_end_earlier(&list, index, habits));
                found.add(Doubt::DottedPair, !known && list.after_dot == Some(0));
                found.add(Doubt::Arity, nesting.breaks_arity(top) && self.is_changed_between(list.at, index));
                top = nesting.leave(top);
                continue;
            }
            let open_lists = open.len();
            let outside = open.is_empty() && index > 0 && token.opens_line && token.place > first.column;
            found.add(Doubt::FallenOut, outside && sight != Sight::Shape);
            if let Some(list) = open.last_mut().filter(|_| !token.aside) {
                let called = list.children == 0 && !list.quoted && nesting.is_call(top);
                let is_text = token.kind == TokenKind::String && self.tokens[index - 1].end == token.start;
                found.add(Doubt::CalledConstant, called && (is_text || habits.is_constant(token.name)));
                let deeper = sight != Sight::Shape && self.is_deeper(list, token);
                // A new line behind which closers are removed.
                let new = !token.settled && token.opens_line && self.taken.iter().any(|line| *line >= token.line);
                let below = line_above.is_some_and(|(place, depth)| token.place == place && open_lists < depth);
                found.add(Doubt::DeeperLine, deeper && (!known || self.is_supplied(index - 1)));
                found.add(Doubt::DeeperLine, known && new && (deeper || below));
                if !known {
                    found.add(Doubt::TwoOnALine, self.is_second_on_its_line(list, index));
                    found.add(Doubt::TwoOnALine, self.is_bare_binding(list, index));
                    found.add(Doubt::QuotedWord, self.quotes_a_word(index, dialect));
                    found.add(Doubt::Prose, self.begins_with_prose(list, index));
                }
                let twice = list.children == 0 && !list.quoted && self.opens_twice(index);
                let calls = || self.is_call_at(index, habits) || nesting.is_in_definition(top);
                list.holds_call |= twice && !nesting.may_begin_with_list(top) && calls();
                let fits = self.takes_in(list, index, dialect);
                found.add(Doubt::DottedPair, !known && !fits);
            }
            if token.opens_line {
                line_above = Some((token.place, open_lists));
            }
            nesting.pass(top, token);
            if let Some(delimiter) = token.delimiter().filter(|_| token.kind.is_open()) {
                top = nesting.open(top, delimiter, token, index as u32, 0);
                let quoted = open.last().is_some_and(|list| list.quoted) || self.is_quoted(index);
                let head = self.tokens.get(index + 1).filter(|head| head.definer);
                let definer =
                    head.is_some_and(|head| (1..=MOST_ARGUMENTS).any(|at| habits.has_docstring(head.head, at)));
                open.push(Open { at: index, sibling: -1, quoted, definer, ..Open::default() });
            }
        }
        found
    }

    /// Two parentheses in a row.
    fn opens_twice(&self, index: usize) -> bool {
        let [before, own] = [&self.tokens[index - 1], &self.tokens[index]];
        let paren = |token: &Token| token.kind == TokenKind::OpenParen;
        paren(before) && paren(own) && before.end == own.start
    }

    /// The list at `index` begins with a symbol that is called more often than not.
    fn is_call_at(&self, index: usize, habits: &Habits) -> bool {
        let head = self.tokens.get(index + 1).filter(|head| head.kind == TokenKind::Atom);
        head.is_some_and(|head| habits.name(head.name, true) < habits.name(head.name, false))
    }

    fn is_keyword(&self, index: usize) -> bool {
        let token = &self.tokens[index];
        let spelt = &self.text[token.start as usize..token.end as usize];
        token.kind == TokenKind::Atom && (spelt.starts_with(':') || spelt.starts_with("#:"))
    }

    /// The token is after a quote, a backquote or a comma, not `#'`.
    pub(super) fn is_quoted(&self, index: usize) -> bool {
        let before = index.checked_sub(1).map(|before| &self.tokens[before]);
        before.is_some_and(|before| before.kind == TokenKind::Prefix && before.end - before.start == 1)
    }

    /// Adds a datum to its list; false if it is the second after a dot.
    fn takes_in(&self, list: &mut Open, index: usize, dialect: Dialect) -> bool {
        let token = &self.tokens[index];
        let dots = dialect.table().pairs;
        if let Some(count) = &mut list.after_dot {
            *count += 1;
        } else if dots && list.children > 0 && token.kind == TokenKind::Atom && token.head == name_of(b".") {
            list.after_dot = Some(0);
            return true;
        }
        let touches = self.tokens[list.at].end == token.start;
        list.doubled = list.children == 0 && touches && token.kind.is_open() && !list.quoted;
        list.holds_lists |= list.children == 0 && token.kind.is_open() && !list.quoted;
        list.children += 1;
        if token.opens_line {
            (list.sibling, list.sibling_is_list) = (token.place, token.kind.is_open());
            (list.last_line, list.on_line, list.begins_with_keyword) = (token.line, 0, self.is_keyword(index));
        }
        list.on_line += 1;
        list.after_dot.is_none_or(|count| count < 2)
    }

    /// A line of a definition's body begins with prose.
    fn begins_with_prose(&self, list: &Open, index: usize) -> bool {
        list.definer && self.tokens[index].opens_line && list.children > 1 && self.is_prose(index)
    }

    /// A line that loses a closer contains two forms of a body, or a keyword with two values: one of them has lost its
    /// opener.
    fn is_second_on_its_line(&self, list: &Open, index: usize) -> bool {
        let token = &self.tokens[index];
        if token.opens_line || list.last_line != token.line || !self.taken.contains(&token.line) {
            return false;
        }
        let second = list.definer && list.sibling_is_list && list.children > 2;
        // The line has a keyword, its value, and a datum that is no keyword.
        let third = list.begins_with_keyword && list.on_line > 1 && !self.is_keyword(index);
        second || third
    }

    /// A line that loses a closer begins with a binding or a clause without its opener: an atom with something after it,
    /// in a list that begins with a list.
    fn is_bare_binding(&self, list: &Open, index: usize) -> bool {
        let [before, token] = [&self.tokens[index - 1], &self.tokens[index]];
        let is_atom = before.kind == TokenKind::Atom && before.opens_line && before.line == token.line;
        list.holds_lists && list.children > 1 && is_atom && self.taken.contains(&token.line)
    }

    /// A line of a form that loses a closer quotes a keyword, or has a template that is only a word: what was quoted is
    /// a list that has lost its opener.
    fn quotes_a_word(&self, index: usize, dialect: Dialect) -> bool {
        let [before, token] = [&self.tokens[index - 1], &self.tokens[index]];
        let spelt = &self.text[before.start as usize..before.end as usize];
        let odd = match spelt {
            "'" => self.is_keyword(index),
            "`" => dialect.table().square != Square::Bindings,
            _ => false,
        };
        odd && token.kind == TokenKind::Atom && !self.taken.is_empty()
    }

    /// The line that begins at `index` has only words, perhaps after a string.
    fn is_prose(&self, index: usize) -> bool {
        let line = self.tokens[index].line;
        let own = self.tokens[index..].iter().take_while(|token| token.line == line);
        let words = own.skip_while(|token| token.kind == TokenKind::String);
        words.take_while(|token| token.is_symbol()).count() >= PROSE && !self.is_quoted(index)
    }

    /// A line is indented deeper than the list that begins the line above it in the same list, as if it belonged to
    /// that.
    fn is_deeper(&self, list: &Open, token: &Token) -> bool {
        let behind = token.opens_line && list.sibling_is_list && list.sibling >= 0 && token.place > list.sibling;
        behind && !list.quoted && self.tokens[list.at].kind == TokenKind::OpenParen
    }

    /// The list that ends with token `close` contains only a list, and a list of lists is not expected there.
    fn is_doubled(&self, list: &Open, close: usize, may_begin: bool, dialect: Dialect) -> bool {
        if !list.doubled || list.children != 1 || may_begin {
            return false;
        }
        let [outer, inner] = [list.at, list.at + 1].map(|at| self.tokens[at].delimiter());
        let empty = self.tokens[list.at + 2].kind.is_close();
        match (outer, inner) {
            (Some(Delimiter::Paren), Some(Delimiter::Paren)) if empty => true,
            (Some(Delimiter::Paren), Some(Delimiter::Bracket)) if binds_in_vectors(dialect) => true,
            (Some(Delimiter::Paren), Some(Delimiter::Bracket)) if dialect.table().square == Square::Vectors => {
                self.is_supplied(close)
            }
            // If its closer had to be added, its opener may be one too many instead; also if it follows a list that is
            // not a list of one list.
            _ => outer == inner && (self.is_supplied(close) || self.follows_a_list(list.at)),
        }
    }

    /// The list at `at` begins a line, and the datum before it in the same list is a list too.
    fn follows_a_list(&self, at: usize) -> bool {
        self.tokens[at].opens_line && at.checked_sub(1).is_some_and(|before| self.tokens[before].kind.is_close())
    }

    /// A line of the form's own body begins with prose.
    pub(crate) fn holds_prose(&self) -> bool {
        let mut depth = 0i32;
        self.tokens.iter().enumerate().any(|(index, token)| {
            let own = depth == 1 && index > 1 && token.opens_line;
            depth += i32::from(token.kind.is_open()) - i32::from(token.kind.is_close());
            own && self.is_prose(index)
        })
    }

    /// The answer closes a list with a closer that matches its opener, but the form around takes other brackets there,
    /// `(let (a 1] …)`: the opener is wrong.
    fn has_another_opener(
        &self,
        list: &Open,
        (at, children): (usize, u32),
        close: usize,
        dialect: Dialect,
        habits: &Habits,
    ) -> bool {
        let head = &self.tokens[at + 1];
        if head.kind != TokenKind::Atom || !self.is_supplied(close) {
            return false;
        }
        let bindings = children == 2;
        // A list of parameters that begins with a list is one of several arities.
        let begins_with_a_vector = self.tokens[list.at + 1].kind == TokenKind::OpenBracket;
        let function = |row: &str| {
            row.split_once(':')
                .is_some_and(|(name, at)| head.head == name_of(name.as_bytes()) && at.parse() == Ok(children - 1))
        };
        let parameters = || !begins_with_a_vector && dialect.table().shapes.parameters.split_whitespace().any(function);
        let only = || self.tokens.iter().filter(|token| token.kind == TokenKind::OpenBracket).count() == 1;
        match (dialect.table().square, self.tokens[list.at].kind) {
            (Square::Bindings, TokenKind::OpenParen) => {
                parameters() || (bindings && habits.allows(Question::Pairs, argument(head.head, 1)))
            }
            (Square::Vectors, TokenKind::OpenBracket) => bindings && habits.takes_list(head.head, 1),
            (Square::Lists, TokenKind::OpenBracket) => bindings && only() && habits.takes_list(head.head, 1),
            _ => false,
        }
    }

    /// The closer is in the same run as one that the answer adds.
    fn is_supplied(&self, close: usize) -> bool {
        let at = self.tokens[close].start;
        self.supplied.iter().any(|run: &Range<u32>| run.contains(&at))
    }

    /// The answer ends a list after nothing but a head that takes any number of arguments, at the end of a line, though the
    /// next line is deeper than the list around it: what is on that line belongs to the head.
    fn leaves_its_lines(&self, list: &Open, around: Option<usize>, close: usize) -> bool {
        let (open, last) = (&self.tokens[list.at], &self.tokens[close]);
        let call = list.children == 1 && !list.quoted && is_variadic(self.tokens[list.at + 1].head);
        if !call || open.line != last.line || !self.is_supplied(close) {
            return false;
        }
        let next = self.tokens[close..].iter().find(|token| !token.kind.is_close());
        let around = around.map(|at| &self.tokens[at]);
        next.zip(around).is_some_and(|(next, around)| next.line > last.line && next.place > around.column + 1)
    }

    /// The answer supplies the closer at `close`, or takes one out of the list that it ends.
    pub(super) fn is_changed_between(&self, open: usize, close: usize) -> bool {
        let lines = self.tokens[open].line..=self.tokens[close].line;
        self.is_supplied(close) || self.taken.iter().any(|line| lines.contains(line))
    }

    /// A list that the answer closes has no body, although its head takes one.
    fn ends_short(&self, list: &Open, around: Option<usize>, close: usize, dialect: Dialect, habits: &Habits) -> bool {
        if list.quoted || list.children == 0 || !self.is_supplied(close) {
            return false;
        }
        let documents = |head: &Token| (1..=MOST_ARGUMENTS).any(|at| habits.has_docstring(head.head, at));
        let last_is_vector = || self.tokens[close - 1].kind == TokenKind::CloseBracket;
        let Some(head) = self.tokens.get(list.at + 1).filter(|head| head.kind == TokenKind::Atom) else {
            // One of several arities has only parameters.
            let function = around.and_then(|around| self.tokens.get(around + 1)).is_some_and(documents);
            return binds_in_vectors(dialect) && function && list.children == 1 && last_is_vector();
        };
        let name = &self.text[head.start as usize..head.end as usize];
        let with_body = BODY_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        // A body is on lines of its own, or after the first argument.
        let on_line = self.tokens.get(list.at + 2).is_some_and(|first| first.opens_line);
        let ends = argument(head.head, list.children - 1);
        let crowds = binds_in_vectors(dialect) && habits.crowds(head.head, MOST_ARGUMENTS);
        let body = (1..=MOST_ARGUMENTS).find(|at| habits.crowds(head.head, *at));
        (with_body && list.children < 3 && !on_line)
            || (documents(head) && list.children < 3)
            || (documents(head) && binds_in_vectors(dialect) && list.children < 5 && last_is_vector())
            || body.is_some_and(|body| list.children <= body)
            || (crowds && habits.shape(Question::Ends, ends, true) > 2.0)
            || habits.breaks(Question::Ends, ends, true)
    }

    /// A list that the answer ends on its line stands in the column of the code that follows, and its head does not
    /// usually end so: it may have been put around that code. If the earlier text is `known`, only a new list may have.
    fn stops_before_its_code(&self, list: &Open, close: usize, habits: &Habits, known: bool) -> bool {
        let open = &self.tokens[list.at];
        let one_line = self.tokens[close].line == open.line;
        if !open.opens_line || !self.is_supplied(close) || (known && (open.settled || open.old) && !one_line) {
            return false;
        }
        let own = &self.tokens[list.at..close];
        if known && !one_line && self.has_old_lines_in_its_column(list.at, close) {
            return true;
        }
        let Some(first) = self.tokens[close..].iter().find(|token| token.first) else { return false };
        let next = self.tokens[close..].iter().find(|token| token.line == first.line && !token.kind.is_prefix());
        if known && !one_line {
            // A line of old code was moved into the list, and more of it follows; two that were moved show where it ends.
            let moved = own[1..].iter().filter(|token| token.first && token.old && !token.settled).count();
            let old = own[1..].iter().any(|token| token.old);
            return old && moved < 2 && next.is_some_and(|next| next.old && (next.place - open.place).abs() <= STEP);
        }
        let wraps = next.is_some_and(|next| {
            let fits = if known { next.old && next.place >= open.place } else { next.place == open.place };
            !next.kind.is_close() && fits
        });
        // Without an earlier text, only a head with one argument looks like the beginning of a wrapper.
        let may_wrap = known || (!list.quoted && list.children <= 2);
        let bare = known && list.children == 1 && !open.old;
        one_line && may_wrap && wraps && (bare || !self.usually_ends(list, habits))
    }

    /// Several data of the new list are old lines that begin no further right than the list: it was put before them, and
    /// nothing shows around how many of them.
    fn has_old_lines_in_its_column(&self, at: usize, close: usize) -> bool {
        let place = self.tokens[at].place;
        let (mut depth, mut lines) = (0, 0);
        for token in &self.tokens[at + 1..close] {
            depth -= i32::from(token.kind.is_close());
            lines += u32::from(depth == 0 && token.opens_line && token.old && token.place <= place);
            depth += i32::from(token.kind.is_open());
        }
        lines > 1
    }

    /// Lists with this head usually end after as many arguments.
    fn usually_ends(&self, list: &Open, habits: &Habits) -> bool {
        let head = &self.tokens[list.at + 1];
        if list.children == 0 || head.kind != TokenKind::Atom {
            return false;
        }
        usually_ends(head.head, list.children - 1, habits)
    }

    /// A list that the answer ends on the line on which it begins has a head that elsewhere ends after fewer
    /// arguments: it may have lost its closer in the middle of the line.
    fn may_end_earlier(&self, list: &Open, close: usize, habits: &Habits) -> bool {
        let (open, head) = (&self.tokens[list.at], &self.tokens[list.at + 1]);
        let call = head.kind == TokenKind::Atom && !list.quoted && list.children > 1 && !is_variadic(head.head);
        if self.tokens[close].line != open.line || !self.is_supplied(close) || !call {
            return false;
        }
        let beside = self.ends_beside(list.at, head.head);
        let count = |n: u32| habits.ends(argument(head.head, n))[1] + beside[n.min(MOST_ARGUMENTS) as usize];
        let own = list.children - 1;
        let usual = habits.allows(Question::Ends, argument(head.head, own)) || count(own) > 0.0;
        let most = own.min(MOST_ARGUMENTS);
        let takes_fewer = || (0..most).any(|n| habits.always(Question::Ends, argument(head.head, n)));
        !usual && (takes_fewer() || (1..most).map(count).sum::<f32>() >= ENOUGH_ENDS)
    }
}

impl Mended {
    /// How many other lists of the form with this head end after each number of arguments.
    fn ends_beside(&self, own: usize, head: u64) -> [f32; MOST_ARGUMENTS as usize + 1] {
        let mut found = [0.0; MOST_ARGUMENTS as usize + 1];
        let mut open: Vec<(usize, u32)> = Vec::new();
        for (index, token) in self.tokens.iter().enumerate() {
            if token.kind.is_prefix() {
                continue;
            }
            if token.kind.is_close() {
                let Some((at, children)) = open.pop() else { break };
                if at != own && children > 0 && self.tokens[at + 1].head == head {
                    found[(children - 1).min(MOST_ARGUMENTS) as usize] += 1.0;
                }
                continue;
            }
            if let Some((_, children)) = open.last_mut() {
                *children += 1;
            }
            if token.kind.is_open() {
                open.push((index, 0));
            }
        }
        found
    }
}

/// Lists with a head have ended so often after fewer arguments if that is its habit.
const ENOUGH_ENDS: f32 = 3.0;

/// Lists with this head usually end after `count` arguments.
pub(crate) fn usually_ends(head: u64, count: u32, habits: &Habits) -> bool {
    habits.is_usual(Question::Ends, argument(head, count))
}

/// The file has shown several lists with this head that end after `count` arguments.
pub(super) fn often_ends(head: u64, count: u32, habits: &Habits) -> bool {
    habits.ends(argument(head, count))[1] >= ENOUGH_ENDS
}

/// Parameters and bindings are vectors.
fn binds_in_vectors(dialect: Dialect) -> bool {
    dialect.table().square == Square::Bindings
}

/// A form that balances has no body, although its head takes one: `(defun f (x))`, `(eval-when (:execute))`. Docstrings
/// and declarations are no body.
pub(crate) fn lacks_a_body(own: &[Token], dialect: Dialect, habits: &Habits) -> bool {
    let Some(Outline { head, children, last, documents }) = Outline::of(own, dialect, habits) else { return false };
    let bare_vector =
        binds_in_vectors(dialect) && documents && own[last].kind == TokenKind::OpenBracket && children == 3;
    bare_vector || habits.breaks(Question::Ends, argument(head, children - 1), true)
}

/// A form that balances ends where its body would begin, or where forms with the same head in this file never end.
pub(crate) fn stops_before_its_body(own: &[Token], dialect: Dialect, habits: &Habits) -> bool {
    Outline::of(own, dialect, habits).is_some_and(|Outline { head, children, .. }| {
        let begins = habits.crowds(head, children) && !habits.crowds(head, children - 1);
        begins || habits.has_never(Question::Ends, argument(head, children - 1))
    })
}

/// The content of a form with few arguments, without docstrings and declarations.
pub(super) struct Outline {
    pub(super) head: u64,
    /// The number of data in it, with the head.
    pub(super) children: u32,
    /// The index of the token with which the last of them begins.
    last: usize,
    /// The head takes a docstring.
    documents: bool,
}

impl Outline {
    pub(super) fn of(own: &[Token], dialect: Dialect, habits: &Habits) -> Option<Self> {
        let open = own.iter().position(|token| token.kind == TokenKind::OpenParen)?;
        let head = own.get(open + 1).filter(|head| head.kind == TokenKind::Atom)?.head;
        let documents = (1..=MOST_ARGUMENTS).any(|at| habits.has_docstring(head, at));
        let (mut depth, mut children, mut last, mut documented) = (0, 0, open, false);
        for (index, token) in own.iter().enumerate().skip(open + 1) {
            if token.kind.is_prefix() {
                continue;
            }
            if token.aside && depth == 0 {
                depth += i32::from(token.kind.is_open());
                continue;
            }
            if token.kind.is_close() {
                depth -= 1;
                continue;
            }
            let declares = own.get(index + 1).is_some_and(|inner| {
                let mut known = dialect.table().shapes.declarations.split_whitespace();
                token.kind.is_open() && known.any(|head| inner.name == name_of(head.as_bytes()))
            });
            let docstring = !documented && token.kind == TokenKind::String;
            if depth == 0 && documents && children > 1 && docstring {
                documented = true;
            } else if depth == 0 && !(documents && children > 1 && declares) {
                children += 1;
                last = index;
            }
            depth += i32::from(token.kind.is_open());
            if children > MOST_ARGUMENTS {
                return None;
            }
        }
        (children > 0).then_some(Self { head, children, last, documents })
    }
}
