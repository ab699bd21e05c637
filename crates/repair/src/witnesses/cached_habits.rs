//! The habits of a file, with a cache of their answers.
//!
//! The readings of a form ask the same few questions about the same few heads over and over, and an answer takes two or
//! three look-ups and a logarithm. The cache has a fixed number of places; a question may overwrite the entry of
//! another.

use std::cell::Cell;

use crate::witnesses::habits::{Habits, Place, Setting};
use crate::witnesses::question::{MOST_ARGUMENTS, QUESTIONS, Question};

/// The binary logarithm of the number of places.
const PLACES: u32 = 10;

/// A question without its head: one number for each method of [`CachedHabits`] and its small arguments; 0 for an empty place.
type Asked = u32;

const SHAPE: Asked = 1;
const BREAKS: Asked = SHAPE + 2 * QUESTIONS as Asked;
const NAME: Asked = BREAKS + 2 * QUESTIONS as Asked;
const CROWDS: Asked = NAME + 2;
const DOCSTRING: Asked = CROWDS + MOST_ARGUMENTS + 1;
const ATOM: Asked = DOCSTRING + MOST_ARGUMENTS + 1;
const PARTS: Asked = ATOM + 1;
const PLACE: Asked = PARTS + 2 * (MOST_ARGUMENTS + 1);

#[derive(Clone, Copy, Default)]
struct Kept {
    head: u64,
    asked: Asked,
    answer: f32,
}

/// Habits with a cache; they do not change meanwhile.
pub(crate) struct CachedHabits<'h> {
    habits: &'h Habits,
    /// All places of the cache; empty if nothing is cached.
    kept: Vec<Cell<Kept>>,
}

impl<'h> CachedHabits<'h> {
    pub(crate) fn new(habits: &'h Habits) -> Self {
        Self { habits, kept: Vec::new() }
    }

    /// Caches answers from now on, which pays if there are many questions.
    pub(crate) fn remember(&mut self) {
        self.kept.resize(1 << PLACES, Cell::default());
    }

    pub(crate) fn habits(&self) -> &'h Habits {
        self.habits
    }

    fn recall(&self, head: u64, asked: Asked, answer: impl FnOnce() -> f32) -> f32 {
        let mixed = (head ^ u64::from(asked) << 40).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let Some(place) = self.kept.get((mixed >> (u64::BITS - PLACES)) as usize) else { return answer() };
        let kept = place.get();
        if kept.head == head && kept.asked == asked {
            return kept.answer;
        }
        let answer = answer();
        place.set(Kept { head, asked, answer });
        answer
    }

    fn recall_whether(&self, head: u64, asked: Asked, answer: impl FnOnce() -> bool) -> bool {
        self.recall(head, asked, || f32::from(u8::from(answer()))) > 0.0
    }

    /// As [`Habits::shape`].
    pub(crate) fn shape(&self, question: Question, head: u64, yes: bool) -> f32 {
        let asked = SHAPE + 2 * question as Asked + Asked::from(yes);
        self.recall(head, asked, || self.habits.shape(question, head, yes))
    }

    /// As [`Habits::breaks`].
    pub(crate) fn breaks(&self, question: Question, head: u64, yes: bool) -> bool {
        let asked = BREAKS + 2 * question as Asked + Asked::from(yes);
        self.recall_whether(head, asked, || self.habits.breaks(question, head, yes))
    }

    /// As [`Habits::name`].
    pub(crate) fn name(&self, name: u64, first: bool) -> f32 {
        self.recall(name, NAME + Asked::from(first), || self.habits.name(name, first))
    }

    /// As [`Habits::place`].
    pub(crate) fn place(&self, setting: Setting, place: Place) -> f32 {
        let situation = Asked::from(setting.call) << 4 | Asked::from(setting.sibling) << 3 | place as Asked;
        self.recall(setting.head, PLACE + situation, || self.habits.place(setting, place))
    }

    /// As [`Habits::crowds`].
    pub(crate) fn crowds(&self, head: u64, index: u32) -> bool {
        self.recall_whether(head, CROWDS + index.min(MOST_ARGUMENTS), || self.habits.crowds(head, index))
    }

    /// As [`Habits::has_docstring`].
    pub(crate) fn has_docstring(&self, head: u64, index: u32) -> bool {
        self.recall_whether(head, DOCSTRING + index.min(MOST_ARGUMENTS), || self.habits.has_docstring(head, index))
    }

    /// As [`Habits::depends_on_atom`].
    pub(crate) fn depends_on_atom(&self, head: u64) -> bool {
        self.recall_whether(head, ATOM, || self.habits.depends_on_atom(head))
    }

    /// As [`Habits::has_parts`].
    pub(crate) fn has_parts(&self, head: u64, index: u32, inner: bool) -> bool {
        let asked = PARTS + 2 * index.min(MOST_ARGUMENTS) + Asked::from(inner);
        self.recall_whether(head, asked, || self.habits.has_parts(head, index, inner))
    }
}
