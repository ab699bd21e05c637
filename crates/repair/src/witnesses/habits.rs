//! The layout of a file as probabilities: where lines begin relative to the list they are in, and what follows what.
//!
//! A column shows where its author believed a line belongs, as far as the author lays code out by a rule. The rules of
//! a file are counted in its healthy forms, starting from the layout of Lisp in general; each head has counts of its
//! own too. The cost of an observation is `-ln` of its probability, so the columns of a file without a rule are no
//! evidence: all of them are about equally likely.

use rustc_hash::{FxHashMap, FxHashSet};

use lispwright_syntax::Language;

use crate::text::code::{LITERAL, name_of};
use crate::witnesses::arity::Arities;
use crate::witnesses::operators::{constants, declarations, operators};
use crate::witnesses::question::{MOST_ARGUMENTS, QUESTIONS, Question, argument, part_of, with_atom};
use crate::witnesses::shape::KnownShapes;

/// Where a line begins, relative to the innermost list around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Below the last datum of the same list that begins a line.
    Sibling,
    /// One column right of the opener.
    One,
    /// Two columns right of the opener.
    Two,
    /// Below the first argument.
    Argument,
    /// Four columns right of the opener.
    Four,
    /// Elsewhere right of the opener.
    Right,
    /// In the opener's column or left of it.
    Left,
}

const PLACES: usize = 7;

/// The situation of a line, each of which is counted separately: the kind of list, and whether an earlier line begins
/// in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    /// The list begins with a symbol.
    pub(crate) call: bool,
    /// An earlier line begins in it.
    pub(crate) sibling: bool,
    /// Hash of the head symbol; 0 when there is none.
    pub(crate) head: u64,
}

/// Probability that an atom is the first of its list, if nothing but its kind is known.
const SYMBOL_FIRST: f32 = 0.25;
const OPERATOR_FIRST: f32 = 0.93;
const LITERAL_FIRST: f32 = 0.04;

/// The weight of an answer: several answers about one datum depend on each other, so each counts for less.
const SHAPE_TRUST: f32 = 0.65;
/// A known shape that is less likely than this is broken, unless the file has it at least once in [`USUAL`] times.
const NEVER: f32 = 0.02;
const USUAL: f32 = 8.0;
/// This many observations of a head show what it always does.
const OFTEN: f32 = 3.0;
/// A known shape that is likelier than this is usual.
const ALLOWED: f32 = 0.3;
/// Weight of general knowledge against the counts of a file, in observations.
const PRIOR_WEIGHT: f32 = 12.0;
/// Weight of the counts of the file against those of one head, in observations.
const HEAD_WEIGHT: f32 = 4.0;

/// For heads with hanging bodies, the initial counts of lines below others and two columns right of the opener.
const HANGING: (f32, f32) = (2.0, 4.0);

/// Probabilities of places in lists without and with a head symbol, each without and with a sibling.
const PRIOR: [[[f32; PLACES]; 2]; 2] = [
    [[0.0, 0.85, 0.05, 0.05, 0.004, 0.0445, 0.0015], [0.985, 0.005, 0.002, 0.002, 0.001, 0.0044, 0.0006]],
    [[0.0, 0.11, 0.54, 0.29, 0.03, 0.0292, 0.0008], [0.94, 0.004, 0.04, 0.004, 0.003, 0.0085, 0.0005]],
];
/// Probability of the answer yes to each question.
const SHAPE_PRIOR: [f32; QUESTIONS] = [0.05, 0.08, 0.04, 0.22, 0.45, 0.35, 0.03, 0.3, 0.5, 0.6, 0.02, 0.5];

/// Counts of one file, and the costs that follow from them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Habits {
    places: [[[f32; PLACES]; 2]; 2],
    by_head: FxHashMap<(u64, bool), [f32; PLACES]>,
    shapes: [[f32; 2]; QUESTIONS],
    shapes_by_head: FxHashMap<(u64, u8), [f32; 2]>,
    /// For each symbol, how often it is not the first of a list, and how often it is.
    names: FxHashMap<u64, [f32; 2]>,
    operators: Option<&'static FxHashSet<u64>>,
    constants: Option<&'static FxHashSet<u64>>,
    declarations: Option<&'static FxHashSet<u64>>,
    shapes_known: KnownShapes,
    /// Calls are often threaded: an argument may come from the form around.
    threads: bool,
    /// How many arguments the heads of the broken form take.
    pub(crate) arities: Arities,
    /// The number of lines seen, and of those that begin left of the list they are in.
    pub(crate) lines: u32,
    pub(crate) stray: u32,
}

impl Habits {
    /// Habits without counts, with the operators and shapes that a dialect has in every file.
    pub(crate) fn knowing(language: &Language) -> Self {
        let dialect = language.dialect();
        let table = dialect.table();
        let mut hanging = [0.0; PLACES];
        (hanging[Place::Sibling as usize], hanging[Place::Two as usize]) = HANGING;
        let heads = table.shapes.hanging.split_whitespace();
        let by_head = heads.map(|head| ((name_of(head.as_bytes()), true), hanging)).collect();
        Self {
            by_head,
            operators: Some(operators(dialect)),
            constants: Some(constants(dialect)),
            declarations: Some(declarations(dialect)),
            shapes_known: KnownShapes::of(language),
            threads: table.threads,
            ..Self::default()
        }
    }

    /// `head` gives its argument `index` (with `inner`: the lists in it) a meaning, so it is no call: bindings, a
    /// clause.
    pub(crate) fn has_parts(&self, head: u64, index: u32, inner: bool) -> bool {
        let question = if inner { Question::ListFirst } else { Question::Ends };
        let key = if inner { argument(head, index) } else { part_of(argument(head, index)) };
        self.shapes_known.get(&(key, question as u8)).is_some_and(|p| p > 0.5)
    }

    /// Argument `index` of `head`, and those after it, belong on lines of their own, with the body.
    pub(crate) fn crowds(&self, head: u64, index: u32) -> bool {
        let key = (argument(head, index), Question::Crowded as u8);
        self.shapes_known.get(&key).is_some()
    }

    /// A string as argument `index` of `head` is its docstring, and the body comes after it.
    pub(crate) fn has_docstring(&self, head: u64, index: u32) -> bool {
        let key = (argument(head, index), Question::Docstring as u8);
        self.shapes_known.get(&key).is_some()
    }

    /// The head means something else when its first argument is an atom.
    pub(crate) fn depends_on_atom(&self, head: u64) -> bool {
        let key = (argument(with_atom(head), 0), Question::Ends as u8);
        self.shapes_known.get(&key).is_some()
    }

    pub(crate) fn see_name(&mut self, name: u64, first: bool) {
        self.names.entry(name).or_default()[usize::from(first)] += 1.0;
    }

    /// How often the file has shown a symbol.
    pub(crate) fn seen(&self, name: u64) -> f32 {
        self.names.get(&name).map_or(0.0, |[elsewhere, first]| elsewhere + first)
    }

    /// `-ln` of the probability that a symbol is the first of a list (`first`), or is not.
    pub(crate) fn name(&self, name: u64, first: bool) -> f32 {
        let known = self.is_operator(name);
        let (weight, prior) = match (name == LITERAL || self.is_constant(name), known) {
            (true, _) => (4.0, LITERAL_FIRST),
            (false, true) => (6.0, OPERATOR_FIRST),
            (false, false) => (2.0, SYMBOL_FIRST),
        };
        let [elsewhere, at_head] = self.names.get(&name).copied().unwrap_or_default();
        let p = (at_head + weight * prior) / (at_head + elsewhere + weight);
        -(if first { p } else { 1.0 - p }).max(0.01).ln()
    }

    pub(crate) fn see_place(&mut self, setting: Setting, place: Place) {
        self.places[usize::from(setting.call)][usize::from(setting.sibling)][place as usize] += 1.0;
        if setting.head != 0 {
            self.by_head.entry((setting.head, setting.sibling)).or_default()[place as usize] += 1.0;
        }
        self.lines += 1;
        self.stray += u32::from(place == Place::Left);
    }

    pub(crate) fn see_shape(&mut self, question: Question, head: u64, yes: bool) {
        self.shapes[question as usize][usize::from(yes)] += 1.0;
        self.shapes_by_head.entry((head, question as u8)).or_default()[usize::from(yes)] += 1.0;
    }

    /// `-ln` of the probability that a line begins there.
    pub(crate) fn place(&self, setting: Setting, place: Place) -> f32 {
        let (call, sibling) = (usize::from(setting.call), usize::from(setting.sibling));
        let counts = &self.places[call][sibling];
        let seen: f32 = counts.iter().sum();
        let prior = PRIOR[call][sibling][place as usize];
        let mut p = (counts[place as usize] + PRIOR_WEIGHT * prior) / (seen + PRIOR_WEIGHT);
        if setting.head != 0
            && let Some(own) = self.by_head.get(&(setting.head, setting.sibling))
        {
            let total: f32 = own.iter().sum();
            p = (own[place as usize] + HEAD_WEIGHT * p) / (total + HEAD_WEIGHT);
        }
        -p.max(2e-4).ln()
    }

    /// The answer breaks the shape of a form of the dialect, and this file does not use the head in another way.
    pub(crate) fn breaks(&self, question: Question, head: u64, yes: bool) -> bool {
        if self.threads && question == Question::Ends {
            return false;
        }
        let chance = |p: f32| if yes { p } else { 1.0 - p };
        let key = (head, question as u8);
        let known = self.shapes_known.get(&key).is_some_and(|p| chance(p) < NEVER);
        let [no, yes_count] = self.shapes_by_head.get(&key).copied().unwrap_or_default();
        known && (if yes { yes_count } else { no }) * USUAL < yes_count + no + USUAL
    }

    /// The file has shown the head often, and never the answer yes.
    pub(crate) fn has_never(&self, question: Question, head: u64) -> bool {
        self.shapes_by_head.get(&(head, question as u8)).is_some_and(|[no, yes]| *no >= OFTEN && *yes == 0.0)
    }

    /// A constant of the language, or the mark of a last clause: `t`, `else`.
    pub(crate) fn is_constant(&self, name: u64) -> bool {
        self.constants.is_some_and(|constants| constants.contains(&name))
    }

    /// The head of a declaration, which is in a body and no part of it: `declare`.
    pub(crate) fn is_declaration(&self, name: u64) -> bool {
        self.declarations.is_some_and(|declarations| declarations.contains(&name))
    }

    /// Argument `index` of `head` is known to be a list.
    pub(crate) fn takes_list(&self, head: u64, index: u32) -> bool {
        let key = (argument(head, index), Question::IsList as u8);
        let known = self.shapes_known.get(&key).is_some_and(|p| p > 0.5);
        known || self.has_parts(head, index, true)
    }

    /// A standard operator of the language.
    pub(crate) fn is_operator(&self, name: u64) -> bool {
        self.operators.is_some_and(|operators| operators.contains(&name))
    }

    /// The file shows the symbol first in a list.
    pub(crate) fn is_called(&self, name: u64) -> bool {
        self.names.get(&name).is_some_and(|[_, first]| *first > 0.0)
    }

    /// In the dialect, the answer is always yes.
    pub(crate) fn always(&self, question: Question, head: u64) -> bool {
        let key = (head, question as u8);
        self.shapes_known.get(&key).is_some_and(|p| 1.0 - p < NEVER)
    }

    /// The answer yes is usual for the head in the dialect, or this file has shown it.
    pub(crate) fn allows(&self, question: Question, head: u64) -> bool {
        let key = (head, question as u8);
        let known = self.shapes_known.get(&key).is_some_and(|p| p > ALLOWED);
        known || self.shapes_by_head.get(&key).is_some_and(|[_, yes]| *yes > 0.0)
    }

    /// The answer yes is usual for the head in the dialect, or this file has shown it as often as the answer no.
    pub(crate) fn is_usual(&self, question: Question, head: u64) -> bool {
        let key = (head, question as u8);
        let known = self.shapes_known.get(&key).is_some_and(|p| p > ALLOWED);
        known || self.shapes_by_head.get(&key).is_some_and(|[no, yes]| *yes > 0.0 && yes >= no)
    }

    /// The file shows lines of such lists two columns right of the opener, or the head is known to have a body.
    pub(crate) fn hangs(&self, head: u64) -> bool {
        let shown =
            |sibling: bool| self.by_head.get(&(head, sibling)).is_some_and(|seen| seen[Place::Two as usize] > 0.0);
        let body = |index: u32| self.crowds(head, index) || self.has_docstring(head, index);
        shown(false) || shown(true) || (0..=MOST_ARGUMENTS).any(body)
    }

    /// How often the file has shown the end of lists after the argument, no and yes.
    pub(crate) fn ends(&self, head: u64) -> [f32; 2] {
        self.shapes_by_head.get(&(head, Question::Ends as u8)).copied().unwrap_or_default()
    }

    /// `-ln` of the probability of an answer.
    pub(crate) fn shape(&self, question: Question, head: u64, yes: bool) -> f32 {
        let [no_count, yes_count] = self.shapes[question as usize];
        let prior = SHAPE_PRIOR[question as usize];
        let known = self.shapes_known.get(&(head, question as u8));
        let general = (yes_count + PRIOR_WEIGHT * prior) / (yes_count + no_count + PRIOR_WEIGHT);
        let mut p = known.unwrap_or(general);
        if let Some([no_own, yes_own]) = self.shapes_by_head.get(&(head, question as u8)) {
            p = (yes_own + HEAD_WEIGHT * p) / (yes_own + no_own + HEAD_WEIGHT);
        }
        let trust = match question {
            Question::ListFirst | Question::AtomAfterLists | Question::Crowded => 1.0,
            _ => SHAPE_TRUST,
        };
        -trust * (if yes { p } else { 1.0 - p }).max(2e-3).ln()
    }
}
