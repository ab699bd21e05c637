//! The text under repair with what is known around it.

use std::cell::OnceCell;
use std::ops::Range;

use lispwright_syntax::{Language, LineIndex, Tree};

use crate::doubts::Doubts;
use crate::text::code::{Token, tokens_of};
use crate::text::edit::Edit;
use crate::text::scope::{Chunk, chunks};

/// A text to repair, and what is known around it.
pub(crate) struct Case<'a> {
    pub(crate) text: &'a str,
    pub(crate) language: Language,
    pub(crate) lines: LineIndex,
    /// The bytes in which the fault is: elsewhere the text is as it was when it balanced.
    pub(crate) free: Option<Range<usize>>,
    /// Nothing else may be changed.
    pub(crate) strict: bool,
    /// Only what the earlier text is certain of is repaired.
    pub(crate) certain_only: bool,
    /// The text from before is known.
    pub(crate) known: bool,
    /// Sound text of the same file.
    pub(crate) context: Context<'a>,
    /// Nothing follows the text in its file.
    pub(crate) at_end: bool,
    /// What is not doubted.
    pub(crate) without: Doubts,
    cut: OnceCell<(Vec<Token>, Vec<Chunk>)>,
}

/// Sound texts of the file around a text under repair.
#[derive(Clone, Copy, Default)]
pub(crate) struct Context<'a> {
    /// What stood in the place of the texts of the file that are under repair, in order.
    pub(crate) parts: &'a [&'a str],
    /// The one that this text was made of, which is no witness to itself.
    pub(crate) own: usize,
    /// What stands around those, nearest first.
    pub(crate) around: &'a [&'a str],
}

impl<'a> Context<'a> {
    /// The texts that are witnesses, nearest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let Self { parts, own, around } = *self;
        let beside = (1..=parts.len()).flat_map(move |distance| [own.checked_sub(distance), own.checked_add(distance)]);
        beside.flatten().filter_map(|index| parts.get(index)).chain(around).copied()
    }
}

/// An answer under consideration.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) edits: Vec<Edit>,
    pub(crate) cost: f32,
    pub(crate) why: &'static str,
}

impl<'a> Case<'a> {
    pub(crate) fn new(text: &'a str, language: &Language, without: Doubts) -> Self {
        let lines = LineIndex::new(text.as_bytes());
        Self {
            text,
            language: language.clone(),
            lines,
            without,
            free: None,
            strict: false,
            certain_only: false,
            context: Context::default(),
            known: false,
            at_end: true,
            cut: OnceCell::new(),
        }
    }

    /// The tokens of the text, which `tree` was read from, and where its forms begin and end.
    pub(crate) fn cut(&self, tree: &Tree) -> &(Vec<Token>, Vec<Chunk>) {
        self.cut.get_or_init(|| {
            let tokens = tokens_of(self.text, tree);
            let chunks = chunks(&tokens);
            (tokens, chunks)
        })
    }
}
