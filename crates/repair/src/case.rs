//! The text under repair, with everything that is known about it.

use std::cell::OnceCell;
use std::ops::Range;

use lispwright_syntax::{Language, LineIndex, Tree};

use crate::doubts::{Doubt, Doubts};
use crate::text::align::{Alignment, align};
use crate::text::code::{Token, tokens_of};
use crate::text::plain::Plain;
use crate::text::scope::{Chunk, chunks};
use crate::witnesses::arity::Arities;
use crate::witnesses::habits::Habits;
use crate::witnesses::learn::{Learnt, learn};
use crate::witnesses::pairs::Pairs;
use crate::witnesses::rows::Rows;

/// An earlier text that shares fewer of its words, from 0 to 1, counts as another text.
const MUCH_IN_COMMON: f32 = 0.3;

/// A text to repair, with everything that is known about it.
pub(crate) struct Case<'a> {
    pub(crate) text: &'a str,
    /// The tree of the text.
    pub(crate) tree: &'a Tree,
    pub(crate) language: &'a Language,
    /// An earlier text that balances.
    pub(crate) before: Option<&'a str>,
    /// The bytes that contain the fault: outside them, the text is the same as when it balanced.
    pub(crate) free: Option<Range<usize>>,
    /// Only the bytes `free` may be changed.
    pub(crate) strict: bool,
    /// Only faults whose repair the earlier text makes certain are repaired.
    pub(crate) certain_only: bool,
    /// The earlier text is known.
    pub(crate) known: bool,
    /// Sound text of the same file.
    pub(crate) context: Context<'a>,
    /// Nothing follows the text in its file.
    pub(crate) at_end: bool,
    /// The doubts to ignore.
    pub(crate) without: Doubts,
    lines: OnceCell<LineIndex>,
    cut: OnceCell<(Vec<Token>, Vec<Chunk>)>,
    rows: OnceCell<Rows>,
    others: OnceCell<Learnt>,
    /// `None` if the earlier text adds nothing to what is learnt from the others.
    habits: OnceCell<Option<Habits>>,
    pairs: OnceCell<Option<Pairs>>,
    alignment: OnceCell<Option<Alignment>>,
}

/// Sound texts of the file around a text under repair.
#[derive(Clone, Copy, Default)]
pub(crate) struct Context<'a> {
    /// The earlier texts of the parts of the file that are under repair, in order.
    pub(crate) parts: &'a [&'a str],
    /// The index of the part that is the earlier text of this one: it does not count as context.
    pub(crate) own: usize,
    /// The text around those parts, nearest first.
    pub(crate) around: &'a [&'a str],
    /// All of the file as it is now, if the text under repair is a part of it.
    pub(crate) whole: Option<&'a str>,
}

impl<'a> Context<'a> {
    /// The texts to learn from, nearest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let Self { parts, own, around, .. } = *self;
        let beside = (1..=parts.len()).flat_map(move |distance| [own.checked_sub(distance), own.checked_add(distance)]);
        beside.flatten().filter_map(|index| parts.get(index)).chain(around).copied()
    }
}

impl<'a> Case<'a> {
    pub(crate) fn new(read: Plain<'a>, without: Doubts) -> Self {
        Self {
            text: read.text,
            tree: read.tree,
            language: read.tree.language(),
            before: None,
            free: None,
            strict: false,
            certain_only: false,
            known: false,
            context: Context::default(),
            at_end: true,
            without,
            lines: OnceCell::new(),
            cut: OnceCell::new(),
            rows: OnceCell::new(),
            others: OnceCell::new(),
            habits: OnceCell::new(),
            pairs: OnceCell::new(),
            alignment: OnceCell::new(),
        }
    }

    /// The same case as if the earlier text were not known.
    pub(crate) fn alone(&self) -> Self {
        let mut alone = Self::new(Plain { text: self.text, tree: self.tree }, self.without);
        (alone.free, alone.strict, alone.at_end) = (self.free.clone(), self.strict, self.at_end);
        (alone.context, alone.cut, alone.others) = (self.context, self.cut.clone(), self.others.clone());
        alone
    }

    /// The lines of the text.
    pub(crate) fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(self.text.as_bytes()))
    }

    /// The tokens of the text, and where its forms begin and end.
    pub(crate) fn cut(&self) -> &(Vec<Token>, Vec<Chunk>) {
        self.cut.get_or_init(|| {
            let tokens = tokens_of(self.text, self.tree);
            let chunks = chunks(&tokens);
            (tokens, chunks)
        })
    }

    /// The lines of the text that have tokens.
    pub(crate) fn rows(&self) -> &Rows {
        self.rows.get_or_init(|| Rows::of(&self.cut().0))
    }

    /// What is learnt from everything around the first broken form but the earlier text.
    fn others(&self) -> &Learnt {
        self.others.get_or_init(|| {
            let (tokens, chunks) = self.cut();
            let around = chunks.iter().position(|chunk| !chunk.healthy).unwrap_or(0);
            let mut learnt = learn(self.text, (tokens, chunks), around, self.context.iter(), self.language);
            if !self.without.contains(Doubt::Arity) {
                let broken = chunks.iter().filter(|chunk| !chunk.healthy).map(|chunk| &tokens[chunk.tokens.clone()]);
                let whole = self.context.whole.unwrap_or(self.text);
                learnt.habits.arities = Arities::of((self.text, whole), broken, &learnt.habits, self.language);
            }
            learnt
        })
    }

    /// The habits of the file, from everything around the first broken form.
    pub(crate) fn habits(&self) -> &Habits {
        let others = self.others();
        let habits = self.habits.get_or_init(|| others.and(self.before?, self.language));
        habits.as_ref().unwrap_or(&others.habits)
    }

    /// What the earlier text says about the ends of lists, if it is a version of this one.
    pub(crate) fn pairs(&self) -> Option<&Pairs> {
        let pairs = self.pairs.get_or_init(|| {
            let (alignment, before) = self.version().zip(self.before)?;
            let (tokens, _) = self.cut();
            // Its own layout would explain every line of the earlier text.
            let others = &self.others().habits;
            Some(Pairs::of(before, (self.text, tokens), alignment, others, self.language))
        });
        pairs.as_ref()
    }

    /// The words of the earlier text matched with those of this one.
    pub(crate) fn alignment(&self) -> Option<&Alignment> {
        self.alignment.get_or_init(|| self.before.map(|before| align(before, self.text))).as_ref()
    }

    /// [`Case::alignment`], if the two are versions of one text.
    pub(crate) fn version(&self) -> Option<&Alignment> {
        self.alignment().filter(|alignment| alignment.common > MUCH_IN_COMMON)
    }
}
