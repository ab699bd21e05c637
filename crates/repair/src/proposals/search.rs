//! The likeliest ways to make one broken form balance.
//!
//! All readings of the form are followed at once, token by token. A reading may add closers at the end of a line, leave
//! closers out, change a closer's kind, add or drop an opener. The cost of such an edit is higher if the fault is
//! rarer; the cost of a line is higher if its column is rarer in the file for the lists that are open there
//! ([`crate::witnesses::habits`]). The cheapest readings are kept. Cost is `-ln` of a probability, so the difference
//! between the best two says how much likelier the best is.
//!
//! Readings with the same open lists are still different answers, so a few are kept for every stack.

use lispwright_syntax::{Delimiter, TokenKind};

use crate::proposals::beam::{Beam, WINDOW};
use crate::text::code::Token;
use crate::witnesses::guard::Guard;
use crate::witnesses::habits::Habits;
use crate::witnesses::nesting::{Nesting, NodeId, ROOT};

/// The cost of any fault, and the additional cost of each sort: `-ln` of its share among the faults found in the
/// histories of public projects, nearly all of which are closers at line ends. A fault that is possible in many places
/// has its share divided between them.
const FAULT: f32 = 3.0;
const CLOSER_LOST_AT_FORM_END: f32 = 0.9;
const CLOSER_LOST_AT_LINE_END: f32 = 2.1;
const CLOSER_EXTRA_AT_FORM_END: f32 = 1.6;
const CLOSER_EXTRA_AT_LINE_END: f32 = 1.4;
const OPENER_LOST: f32 = 3.3;
const OPENER_EXTRA: f32 = 3.2;
const CLOSER_IN_LINE: f32 = 5.5;
const WRONG_KIND: f32 = 3.7;
/// The cost of each further closer at the same place.
const CLOSE_AGAIN: f32 = 1.5;
const DROP_AGAIN: f32 = 2.5;
/// The additional cost of dropping an opener that no other opener touches.
const DROP_SINGLE: f32 = 5.5;
/// The additional cost of dropping a closer after white space, one that does not match, and one that is both.
const DROP_APART: f32 = 3.0;
const DROP_MISFIT: f32 = 2.5;
const DROP_APART_MISFIT: f32 = 2.0;
/// The additional cost of dropping a closer right after a prefix, which then belongs to the datum that follows.
const DROP_AFTER_PREFIX: f32 = 6.0;
/// The additional cost of a delimiter that an empty list lost, where white space or a prefix shows the place.
const EMPTIED: f32 = 1.0;

/// The costs of the edits of one form, which depend on the number of places for each.
#[derive(Clone, Copy)]
struct Prices {
    close_at_end: f32,
    close_at_line_end: f32,
    drop_at_end: f32,
    drop_at_line_end: f32,
    add_opener: f32,
    drop_opener: f32,
    in_line: f32,
    kind: f32,
    /// The closer of an empty list, between its opener and white space; and the opener of one, between white space or a
    /// prefix and its closer.
    close_empty: f32,
    open_empty: f32,
}

impl Prices {
    fn of(tokens: &[Token]) -> Self {
        let share = |count: usize| (count.max(2) as f32).ln();
        let lines = share(tokens.iter().filter(|token| token.last).count());
        let openers = share(tokens.iter().filter(|token| token.kind.is_open()).count());
        let places = share(tokens.iter().filter(|token| !token.kind.is_close()).count());
        let in_line = FAULT + CLOSER_IN_LINE + places;
        let add_opener = FAULT + OPENER_LOST + places;
        let spaced = |inside: fn(&[Token]) -> bool| {
            let blank = |pair: &&[Token]| pair[0].end < pair[1].start && !pair[1].first && inside(pair);
            tokens.windows(2).filter(blank).nth(1).is_some()
        };
        Self {
            close_at_end: FAULT + CLOSER_LOST_AT_FORM_END,
            close_at_line_end: FAULT + CLOSER_LOST_AT_LINE_END + lines,
            drop_at_end: FAULT + CLOSER_EXTRA_AT_FORM_END,
            drop_at_line_end: FAULT + CLOSER_EXTRA_AT_LINE_END + lines,
            add_opener,
            drop_opener: FAULT + OPENER_EXTRA + openers,
            in_line,
            kind: FAULT + WRONG_KIND,
            // Where others have white space there, it is no sign.
            close_empty: match spaced(|pair| pair[0].kind.is_open()) {
                true => in_line,
                false => FAULT + CLOSER_LOST_AT_FORM_END + EMPTIED,
            },
            open_empty: match spaced(|pair| pair[1].kind.is_close()) {
                true => add_opener,
                false => FAULT + OPENER_LOST + EMPTIED,
            },
        }
    }
}

/// The number of closers that are added at one line end, at most.
const MOST_CLOSERS: u32 = 12;
/// In tokens: for longer forms it pays to cache the answers of the habits.
const LONG: usize = 300;
/// The initial [`Search::room`].
const NODES: usize = 8_192;

/// An edit that a reading makes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Action {
    /// Adds a closer after token `at`.
    Close { at: u32, with: Delimiter },
    /// Adds an opener before token `at`.
    Open { at: u32, with: Delimiter },
    /// Removes token `at`.
    Drop { at: u32 },
    /// Changes token `at`, a closer, into another.
    Change { at: u32, to: Delimiter },
}

/// A way to read the form so that it balances.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) cost: f32,
    pub(crate) actions: Vec<Action>,
}

/// A reading up to some token.
#[derive(Clone, Copy)]
pub(crate) struct State {
    pub(crate) top: NodeId,
    pub(crate) cost: f32,
    /// The last action, as an index into the trail; 0 for none.
    trail: u32,
    edits: u8,
    /// By how many columns the rest of the line is too far left, because of delimiters added or dropped on it.
    shift: i8,
    /// The token before the current one is a closer that was dropped.
    dropping: bool,
    /// An opener that began the line was dropped: the next token begins it, one column further left.
    begins: bool,
    /// How many lists end elsewhere than in the earlier text, up to 1.
    moved: u8,
    /// An edit restored the earlier text.
    restoring: bool,
}

/// The limits of a search.
pub(crate) struct Limits<'a> {
    /// The places that are known to be right.
    pub(crate) guard: &'a Guard,
    /// The number of readings followed at once.
    pub(crate) beam: usize,
    /// Edits inside lines are tried too.
    pub(crate) everywhere: bool,
    /// The kinds of openers that are tried.
    pub(crate) brackets: &'a [Delimiter],
}

struct Search<'a> {
    tokens: &'a [Token],
    nesting: Nesting<'a>,
    limits: Limits<'a>,
    trail: Vec<(u32, Action)>,
    prices: Prices,
    /// The first token of the run of closers that ends the form.
    final_run: u32,
    beam: Beam,
    /// Readings of the current token that cost more would be given up.
    bound: f32,
    /// The difference between `bound` and the cost of the best reading.
    window: f32,
    /// The first value of `window`, and the one to use if that leaves too few readings.
    windows: [f32; 2],
    /// Readings of the current token were not followed because of `bound`, and how many at least.
    leaves_out: bool,
    left_out: usize,
    /// The number of nodes beyond which those that no reading needs are removed.
    room: usize,
}

/// The likeliest readings of `tokens`, best first; at most `count`.
pub(crate) fn search(tokens: &[Token], habits: &Habits, limits: Limits<'_>, count: usize) -> Vec<Reading> {
    match tokens.first() {
        Some(first) => Search::new(tokens, Nesting::of_many(habits, first.column), limits).run(count),
        None => Vec::new(),
    }
}

/// The cost of each token of a text without edits; `None` if it does not balance. `strict` adds a cost for shapes that
/// are wrong in the language.
pub(crate) fn costs_as_it_is(tokens: &[Token], habits: &Habits, strict: bool) -> Option<Vec<f32>> {
    let mut nesting = Nesting::new(habits, tokens.first()?.column);
    (nesting.checks, nesting.shapes_only) = (strict, strict);
    if tokens.len() > LONG {
        nesting.remember();
    }
    let (mut top, mut costs) = (ROOT, vec![0.0; tokens.len()]);
    for (index, token) in tokens.iter().enumerate() {
        // A template has gaps that are filled with other code.
        nesting.checks &= !token.template;
        match token.kind {
            kind if kind.is_prefix() => {}
            kind if kind.is_close() => {
                let node = nesting.node(top);
                if node.depth == 0 || Some(node.delimiter) != token.delimiter() {
                    return None;
                }
                let (around, more) = nesting.close(top);
                costs[index] = more;
                top = around;
            }
            kind => {
                let (inside, more) = nesting.datum(top, token, 0);
                costs[index] = more;
                top = inside;
                if kind.is_open() {
                    let delimiter = token.delimiter().expect("openers are delimiters");
                    top = nesting.open(top, delimiter, token, index as u32, 0);
                }
            }
        }
    }
    (nesting.node(top).depth == 0).then_some(costs)
}

impl<'a> Search<'a> {
    fn new(tokens: &'a [Token], nesting: Nesting<'a>, limits: Limits<'a>) -> Self {
        let closers = tokens.iter().rev().take_while(|token| token.kind.is_close() && token.trailing).count();
        Self {
            tokens,
            nesting,
            beam: Beam::new(limits.beam),
            limits,
            trail: vec![(0, Action::Drop { at: 0 })],
            prices: Prices::of(tokens),
            final_run: (tokens.len() - closers) as u32,
            bound: f32::INFINITY,
            window: WINDOW,
            windows: [WINDOW, f32::INFINITY],
            leaves_out: false,
            left_out: 0,
            room: NODES,
        }
    }

    fn run(&mut self, count: usize) -> Vec<Reading> {
        let mut states = vec![State {
            top: ROOT,
            cost: 0.0,
            trail: 0,
            edits: 0,
            shift: 0,
            dropping: false,
            begins: false,
            moved: 0,
            restoring: false,
        }];
        let (mut next, mut most_nodes) = (Vec::new(), self.room);
        for index in 0..self.tokens.len() as u32 {
            if self.tokens[index as usize].first && index > 0 {
                self.close_at_line_end(&mut states, index - 1);
                for state in &mut states {
                    state.shift = 0;
                    state.dropping = false;
                    state.begins = false;
                }
            }
            self.advance(&states, index, &mut next);
            std::mem::swap(&mut states, &mut next);
            self.beam.prune(&mut states, self.left_out, &self.nesting);
            if self.nesting.len() > most_nodes {
                let mut tops: Vec<NodeId> = states.iter().map(|state| state.top).collect();
                self.nesting.keep_only(&mut tops);
                states.iter_mut().zip(tops).for_each(|(state, top)| state.top = top);
                most_nodes = self.room.max(2 * self.nesting.len());
            }
        }
        let last = self.tokens.len() as u32 - 1;
        self.close_at_line_end(&mut states, last);
        states.retain(|state| self.nesting.node(state.top).depth == 0);
        states.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        states.truncate(count);
        states.iter().map(|state| Reading { cost: state.cost, actions: self.actions(state.trail) }).collect()
    }

    /// Adds token `index` to all readings.
    ///
    /// Readings that the beam would give up are not followed, unless there are so few that it gives up none.
    fn advance(&mut self, states: &[State], index: u32, next: &mut Vec<State>) {
        let tokens = self.tokens;
        let token = &tokens[index as usize];
        self.nesting.next_token();
        for window in self.windows {
            next.clear();
            (self.bound, self.window) = (f32::INFINITY, window);
            (self.leaves_out, self.left_out) = (false, 0);
            for state in states {
                if state.cost <= self.bound {
                    self.step(*state, index, token, next);
                } else {
                    self.leave_out(usize::from(!token.kind.is_close()));
                }
            }
            if !self.leaves_out || self.beam.prunes(next.len() + self.left_out) {
                return;
            }
        }
    }

    /// Notes that at least `count` possible readings of the current token are not followed.
    fn leave_out(&mut self, count: usize) {
        self.leaves_out = true;
        self.left_out += count;
    }

    /// Keeps a reading of the current token.
    fn offer(&mut self, state: State, out: &mut Vec<State>) {
        self.bound = self.bound.min(state.cost + self.window);
        out.push(state);
    }

    fn actions(&self, mut trail: u32) -> Vec<Action> {
        let mut actions = Vec::new();
        while trail != 0 {
            let (before, action) = self.trail[trail as usize];
            actions.push(action);
            trail = before;
        }
        actions.reverse();
        actions
    }

    /// The reading after `action`; `None` if it costs too much to be followed.
    fn acted(&mut self, state: &State, action: Action, cost: f32) -> Option<State> {
        if state.cost + self.limits.guard.cost(action, cost, state.restoring) > self.bound {
            self.leave_out(1);
            return None;
        }
        let mut acted = *state;
        self.act(&mut acted, action, cost);
        Some(acted)
    }

    fn act(&mut self, state: &mut State, action: Action, cost: f32) {
        state.cost += self.limits.guard.cost(action, cost, state.restoring);
        state.restoring |= self.limits.guard.restores(action);
        state.edits += 1;
        self.trail.push((state.trail, action));
        state.trail = self.trail.len() as u32 - 1;
    }

    /// Closes the innermost list right after token `at`.
    fn close(&self, state: &mut State, at: u32) {
        let opener = self.nesting.node(state.top).opener;
        let elsewhere = self.limits.guard.ending(opener, at, state.moved);
        state.moved |= u8::from(elsewhere > 0.0);
        let (around, cost) = self.nesting.close(state.top);
        state.top = around;
        state.cost += cost + elsewhere;
    }

    fn close_at_line_end(&mut self, states: &mut Vec<State>, at: u32) {
        let best = states.iter().map(|state| state.cost).fold(f32::MAX, f32::min);
        let ends_text = at as usize + 1 == self.tokens.len();
        let may_close = |state: &State| state.edits < 24 && !state.dropping;
        let depths = states.iter().filter(|state| may_close(state)).map(|state| self.nesting.node(state.top).depth);
        // After the last token all lists are closed, unless there are so many ways that the beam would give some up.
        let ways = states.len() + depths.map(|depth| depth as usize).sum::<usize>();
        let window = match ends_text {
            true if self.beam.prunes(ways) => self.windows[0],
            true => f32::INFINITY,
            false => WINDOW,
        };
        for index in 0..states.len() {
            let mut state = states[index];
            if !may_close(&state) {
                continue;
            }
            let open = self.nesting.node(state.top).depth;
            let most = if ends_text { open } else { open.min(MOST_CLOSERS) };
            for number in 0..most {
                let with = self.nesting.node(state.top).delimiter;
                let first = if ends_text { self.prices.close_at_end } else { self.prices.close_at_line_end };
                let cost = if number == 0 { first } else { CLOSE_AGAIN };
                if state.cost + cost > best + window {
                    break;
                }
                self.act(&mut state, Action::Close { at, with }, cost);
                state.edits = states[index].edits + 1;
                self.close(&mut state, at);
                states.push(state);
            }
        }
        let left_out = ways.saturating_sub(states.len());
        self.beam.prune(states, if ends_text { left_out } else { 0 }, &self.nesting);
    }

    /// Adds a token to a reading, in every way that is worth following.
    fn step(&mut self, state: State, index: u32, token: &Token, out: &mut Vec<State>) {
        if token.kind.is_prefix() {
            self.offer(state, out);
            return;
        }
        if token.kind.is_close() {
            self.step_close(state, index, token, out);
            return;
        }
        let tokens = self.tokens;
        let may_edit = self.limits.everywhere && state.edits < 3;
        // A closer was lost before the token, in the middle of a line.
        let before = index.checked_sub(1).map(|before| &tokens[before as usize]);
        let marks = tokens[..index as usize].iter().rev().take_while(|mark| mark.kind.is_prefix()).count();
        let begins = index - marks as u32;
        let behind = begins.checked_sub(1).map(|before| &tokens[before as usize]);
        let behind = behind.filter(|behind| behind.end < tokens[begins as usize].start);
        if may_edit
            && !token.opens_line
            && let Some(behind) = behind
            && self.nesting.node(state.top).depth > 0
        {
            let with = self.nesting.node(state.top).delimiter;
            let price = if behind.kind.is_open() { self.prices.close_empty } else { self.prices.in_line };
            if let Some(mut closed) = self.acted(&state, Action::Close { at: begins - 1, with }, price) {
                self.close(&mut closed, begins - 1);
                closed.shift += 1;
                self.take(closed, index, token, out);
            }
        }
        if may_edit {
            for number in 0..self.limits.brackets.len() {
                let with = self.limits.brackets[number];
                let cost = self.prices.add_opener + number as f32;
                let Some(mut opened) = self.acted(&state, Action::Open { at: index, with }, cost) else { continue };
                let as_opener = Token { kind: TokenKind::OpenParen, ..*token };
                let (top, cost) = self.nesting.datum(opened.top, &as_opener, i32::from(opened.shift));
                opened.cost += cost;
                // The list opens in the column of this token, which was one column further right before the opener was
                // lost.
                opened.top = self.nesting.open(top, with, token, index | 1 << 31, i32::from(opened.shift));
                opened.shift += 1;
                let inner = Token { first: false, opens_line: false, place: token.column, ..*token };
                self.take(opened, index, &inner, out);
            }
            if token.kind.is_open() {
                let touches = |a: Option<&Token>, b: Option<&Token>| {
                    a.zip(b).is_some_and(|(a, b)| a.kind.is_open() && a.kind == b.kind && a.end == b.start)
                };
                let next = tokens.get(index as usize + 1);
                let doubled = touches(Some(token), next) || touches(before, Some(token));
                let price = self.prices.drop_opener + if doubled { 0.0 } else { DROP_SINGLE };
                if let Some(mut dropped) = self.acted(&state, Action::Drop { at: index }, price) {
                    dropped.shift -= 1;
                    dropped.begins |= token.opens_line;
                    self.offer(dropped, out);
                }
            }
        }
        self.take(state, index, token, out);
    }

    /// Adds a datum or an opener to a reading, without an edit.
    fn take(&mut self, mut state: State, index: u32, token: &Token, out: &mut Vec<State>) {
        if state.cost > self.bound {
            self.leave_out(1);
            return;
        }
        let shift = i32::from(state.shift);
        let (top, cost) = if state.begins {
            let begins = Token { opens_line: true, place: token.place + shift, ..*token };
            self.nesting.datum(state.top, &begins, shift)
        } else {
            self.nesting.datum(state.top, token, shift)
        };
        state.begins = false;
        state.top = top;
        state.cost += cost;
        state.dropping = false;
        if token.kind.is_open() {
            let delimiter = token.delimiter().expect("openers are delimiters");
            state.top = self.nesting.open(top, delimiter, token, index, shift);
        }
        self.offer(state, out);
    }

    fn step_close(&mut self, state: State, index: u32, token: &Token, out: &mut Vec<State>) {
        let found = token.delimiter().expect("closers are delimiters");
        let node = *self.nesting.node(state.top);
        let fits = node.depth > 0 && node.delimiter == found;
        let before = index.checked_sub(1).map(|before| &self.tokens[before as usize]);
        // A prefix before it has lost its datum, or at least the opener of that.
        let bare = before.is_some_and(|before| before.kind.is_prefix());
        if fits && !bare {
            let mut closed = State { dropping: false, ..state };
            self.close(&mut closed, index);
            // In a run of equal closers only the last ones are dropped, so no kept closer follows a dropped one.
            if !(state.dropping && token.trailing && self.same_as_before(index)) {
                self.offer(closed, out);
            }
        }
        if state.edits >= 6 {
            return;
        }
        // A closer after white space, or one that does not match, has usually lost its opener.
        let apart = !token.first && before.is_some_and(|before| before.end < token.start);
        let misfit = !fits && node.depth > 0;
        let odd = if apart { DROP_APART } else { 0.0 }
            + if misfit { DROP_MISFIT } else { 0.0 }
            + if apart && misfit { DROP_APART_MISFIT } else { 0.0 }
            + if bare { DROP_AFTER_PREFIX } else { 0.0 };
        let cost = odd
            + match (token.trailing, state.dropping) {
                (true, true) => DROP_AGAIN,
                (true, false) if index >= self.final_run => self.prices.drop_at_end,
                (true, false) => self.prices.drop_at_line_end,
                (false, _) => self.prices.in_line,
            };
        if (token.trailing || self.limits.everywhere || !fits)
            && let Some(mut dropped) = self.acted(&state, Action::Drop { at: index }, cost)
        {
            dropped.dropping = true;
            dropped.shift += 1;
            self.offer(dropped, out);
        }
        // An empty list that lost its opener.
        if (apart || bare) && node.depth > 0 && self.limits.everywhere && state.edits < 3 {
            let kept = State { dropping: false, ..state };
            let action = Action::Open { at: index, with: found };
            if let Some(mut opened) = self.acted(&kept, action, self.prices.open_empty) {
                let list = Token { kind: TokenKind::OpenParen, ..*token };
                let (top, cost) = self.nesting.datum(opened.top, &list, i32::from(opened.shift));
                (opened.top, opened.cost) = (top, opened.cost + cost);
                opened.shift += 1;
                self.offer(opened, out);
            }
        }
        if fits || bare || node.depth == 0 {
            return;
        }
        let action = Action::Change { at: index, to: node.delimiter };
        if let Some(mut changed) = self.acted(&state, action, self.prices.kind) {
            self.close(&mut changed, index);
            self.offer(changed, out);
        }
        // Closers that are missing before this one.
        let mut inserted = state;
        let mut number = 0;
        while number < MOST_CLOSERS && self.nesting.node(inserted.top).depth > 0 {
            if inserted.cost > self.bound {
                self.leave_out(0);
                break;
            }
            let with = self.nesting.node(inserted.top).delimiter;
            if with == found {
                self.close(&mut inserted, index);
                self.offer(inserted, out);
                break;
            }
            let first = match token.trailing {
                true if index >= self.final_run => self.prices.close_at_end,
                true => self.prices.close_at_line_end,
                false => self.prices.in_line,
            };
            let cost = if number == 0 { first } else { CLOSE_AGAIN };
            self.act(&mut inserted, Action::Close { at: index - 1, with }, cost);
            self.close(&mut inserted, index);
            number += 1;
        }
    }

    /// The token before `index` is the same closer.
    fn same_as_before(&self, index: u32) -> bool {
        index > 0 && self.tokens[index as usize - 1].kind == self.tokens[index as usize].kind
    }
}

#[cfg(test)]
mod tests {
    use lispwright_syntax::Dialect;

    use super::*;
    use crate::text::code::tokens;

    const BRACKETS: [Delimiter; 3] = [Delimiter::Paren, Delimiter::Bracket, Delimiter::Brace];

    /// Lines of Clojure with one fault or many, another text for each seed.
    fn broken(seed: u32) -> String {
        let lines = ["  (let [a (g x)", "        b {:k a}]", "    (when (> a b)", "      [a b])", "    (h))"];
        let mut random = seed.wrapping_mul(0x9E37_79B9) | 1;
        let mut next = |below: usize| {
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            random as usize % below
        };
        let line = |at: usize, any: usize| lines[if seed.is_multiple_of(3) { any } else { at % lines.len() }];
        let body: String = (0..5 * next(10)).map(|at| format!("{}\n", line(at, next(lines.len())))).collect();
        let mut text = format!("(defn f [x]\n{body}  x)\n");
        let at = next(text.len());
        text.insert_str(at, ["", ")", "(", "]", " [", "))"][next(6)]);
        text
    }

    /// The readings of a search without shortcuts, which follows everything and removes no nodes, and of the real one.
    fn both_ways(text: &str, beam: usize) -> [Vec<Reading>; 2] {
        let tokens = tokens(text, &Dialect::Clojure.into());
        let (habits, guard) = (Habits::knowing(&Dialect::Clojure.into()), Guard::none(tokens.len()));
        [(f32::INFINITY, usize::MAX), (WINDOW, 1)].map(|(window, room)| {
            let limits = Limits { guard: &guard, beam, everywhere: true, brackets: &BRACKETS };
            let mut search = Search::new(&tokens, Nesting::of_many(&habits, 0), limits);
            (search.windows[0], search.room) = (window, room);
            search.run(24)
        })
    }

    #[test]
    fn the_shortcuts_do_not_change_the_readings() {
        let mut found = 0;
        for seed in 0..90 {
            let text = broken(seed);
            for beam in [8, 32, 192] {
                let [all, followed] = both_ways(&text, beam);
                let shown = |readings: Vec<Reading>| -> Vec<(u32, Vec<Action>)> {
                    readings.into_iter().map(|reading| (reading.cost.to_bits(), reading.actions)).collect()
                };
                found += all.len();
                assert_eq!(shown(all), shown(followed), "{text}");
            }
        }
        assert!(found > 1_000, "{found}");
    }
}
