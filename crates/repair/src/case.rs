//! The text under repair with what is known around it.

use std::cell::OnceCell;
use std::ops::Range;

use lispwright_syntax::{Language, LineIndex};

use crate::code::{Token, tokens};
use crate::edit::Edit;
use crate::scope::{Chunk, chunks};

/// A text to repair, and what is known around it.
pub(crate) struct Case<'a> {
    pub(crate) text: &'a str,
    pub(crate) language: Language,
    pub(crate) lines: LineIndex,
    /// The bytes in which the fault is: elsewhere the text is as it was when it balanced.
    pub(crate) free: Option<Range<usize>>,
    /// Nothing else may be changed.
    pub(crate) strict: bool,
    /// Sound text of the same file.
    pub(crate) context: Vec<&'a str>,
    /// Nothing follows the text in its file.
    pub(crate) at_end: bool,
    cut: OnceCell<(Vec<Token>, Vec<Chunk>)>,
}

/// An answer under consideration.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) edits: Vec<Edit>,
    pub(crate) cost: f32,
    pub(crate) why: &'static str,
}

impl<'a> Case<'a> {
    pub(crate) fn new(text: &'a str, language: Language, free: Option<Range<usize>>) -> Self {
        let lines = LineIndex::new(text.as_bytes());
        Self { text, language, lines, free, strict: false, context: Vec::new(), at_end: true, cut: OnceCell::new() }
    }

    /// The tokens of the text, and where its forms begin and end.
    pub(crate) fn cut(&self) -> &(Vec<Token>, Vec<Chunk>) {
        self.cut.get_or_init(|| {
            let tokens = tokens(self.text, &self.language);
            let chunks = chunks(&tokens);
            (tokens, chunks)
        })
    }
}
