//! Matches a pattern with the parts of a text.
//!
//! A variable for any number of data first takes as few as possible, and one more each time the rest of the pattern
//! fails. The rest depends only on the place, unless it repeats a variable: so a place that has failed is not tried
//! twice, and the work is limited by the product of pattern and text. Otherwise it is limited by a number of steps.

use rustc_hash::FxHashSet;

use lispwright_syntax::Span;

use super::parts::Parts;
use super::{BadPattern, Op};

/// The maximal number of retries for one text.
const MOST_RETRIES: usize = 1_000_000;

/// A place in the pattern and in the text.
#[derive(Clone, Copy)]
struct State {
    op: usize,
    at: usize,
    /// The list or prefix around `at`.
    around: Option<usize>,
}

/// A variable that could take more data.
struct Choice {
    /// The state before it.
    start: State,
    /// The end of the data that it has so far.
    end: usize,
    /// How many variables had a value before.
    known: usize,
}

pub(super) struct Machine<'p> {
    ops: &'p [Op],
    parts: &'p Parts<'p>,
    /// The value of each variable, as a range of parts.
    values: Vec<Option<(usize, usize)>>,
    /// The variables with a value, in the order in which they got it.
    known: Vec<usize>,
    choices: Vec<Choice>,
    failed: FxHashSet<(usize, usize, Option<usize>)>,
    retries: usize,
}

impl<'p> Machine<'p> {
    pub(super) fn new(ops: &'p [Op], variables: usize, parts: &'p Parts<'p>) -> Self {
        let (known, choices, failed) = (Vec::new(), Vec::new(), FxHashSet::default());
        Self { ops, parts, values: vec![None; variables], known, choices, failed, retries: 0 }
    }

    /// The pattern matches the part.
    pub(super) fn fits(&mut self, root: usize) -> Result<bool, BadPattern> {
        self.forget(0);
        self.choices.clear();
        self.failed.clear();
        let mut state = Some(State { op: 0, at: root, around: self.parts.all[root].parent });
        loop {
            let next = match state {
                Some(state) => Some(state),
                None => self.retry()?,
            };
            let Some(here) = next else { return Ok(false) };
            let Some(op) = self.ops.get(here.op) else { return Ok(true) };
            state = self.step(op, here);
        }
    }

    /// The values of the variables.
    pub(super) fn values(&self) -> Vec<Span> {
        let all = &self.parts.all;
        let span = |(start, end): (usize, usize)| {
            let inside = all[start..end].iter().map(|part| part.span.end).max();
            inside.map_or(Span::new(0, 0), |last| Span::new(all[start].span.start, last))
        };
        self.values.iter().map(|value| value.map_or(Span::new(0, 0), span)).collect()
    }

    fn step(&mut self, op: &Op, here: State) -> Option<State> {
        let State { op: number, at, around } = here;
        let is_inside = at < self.parts.end_of(around);
        let next = |at: usize, around: Option<usize>| Some(State { op: number + 1, at, around });
        match op {
            Op::Leaf(kind, text) if is_inside && self.parts.is_leaf(at, *kind, text) => next(at + 1, around),
            Op::Head(text) if is_inside && self.parts.is_head(at, text) => next(at + 1, around),
            Op::Enter(kind, text) if is_inside && self.parts.opens(at, *kind, text) => next(at + 1, Some(at)),
            Op::Leave if !is_inside => next(at, around.and_then(|around| self.parts.all[around].parent)),
            Op::One(variable) if is_inside => {
                let end = self.parts.all[at].end;
                self.give(*variable, at, end).then_some(())?;
                next(end, around)
            }
            Op::Many { variable, least, .. } => {
                if let Some((start, end)) = variable.and_then(|variable| self.values[variable]) {
                    let own = at + end - start;
                    let is_room = own <= self.parts.end_of(around) && end - start >= *least;
                    return (is_room && self.parts.are_same(start, at, end - start))
                        .then_some(())
                        .and_then(|()| next(own, around));
                }
                let mut end = at;
                for _ in 0..*least {
                    end = self.parts.all.get(end).filter(|_| is_inside)?.end;
                }
                self.take(Choice { start: here, end, known: self.known.len() })
            }
            _ => None,
        }
    }

    /// Gives a variable its value; false if it has another one already.
    fn give(&mut self, variable: Option<usize>, start: usize, end: usize) -> bool {
        let Some(variable) = variable else { return true };
        match self.values[variable] {
            Some((first, last)) => {
                self.retries += last - first;
                last - first == end - start && self.parts.are_same(first, start, end - start)
            }
            None => {
                self.values[variable] = Some((start, end));
                self.known.push(variable);
                true
            }
        }
    }

    /// Continues after a variable with the data that it has so far.
    fn take(&mut self, choice: Choice) -> Option<State> {
        let State { op, at, around } = choice.start;
        let Op::Many { variable, is_asked, .. } = self.ops[op] else { return None };
        let end = choice.end;
        if !is_asked && !self.failed.insert((op, end, around)) {
            return None;
        }
        self.choices.push(choice);
        self.give(variable, at, end);
        Some(State { op: op + 1, at: end, around })
    }

    /// Gives one more datum to the last variable that could take more.
    fn retry(&mut self) -> Result<Option<State>, BadPattern> {
        while let Some(choice) = self.choices.pop() {
            self.retries += 1;
            if self.retries > MOST_RETRIES {
                let why = "its repeated variables can match this text in too many ways".to_owned();
                return Err(BadPattern { why, column: None });
            }
            self.forget(choice.known);
            if choice.end < self.parts.end_of(choice.start.around) {
                let end = self.parts.all[choice.end].end;
                if let Some(state) = self.take(Choice { end, ..choice }) {
                    return Ok(Some(state));
                }
            }
        }
        Ok(None)
    }

    /// Forgets all values but the first `kept`.
    fn forget(&mut self, kept: usize) {
        for variable in self.known.drain(kept..) {
            self.values[variable] = None;
        }
    }
}
