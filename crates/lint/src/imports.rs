//! The names that a file asks for one by one from other modules, and those that it uses.

use lispwright_syntax::{Datum, ListId, Span, TokenKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dialects::call_words;
use crate::file::File;
use crate::finding::Remedy;

mod clojure;
mod common_lisp;
mod modules;

pub(crate) use clojure::clojure;
pub(crate) use common_lisp::common_lisp;
pub(crate) use modules::{racket, scheme};

/// What a declaration asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImportedKind {
    /// Another name of a namespace, which stands before a slash.
    Alias,
    /// A name.
    Name,
    /// A class of Java.
    Class,
}

/// A name that a declaration asks for.
#[derive(Debug)]
pub(crate) struct Imported<'i> {
    /// Its place.
    pub(crate) at: Span,
    /// What code here calls it.
    pub(crate) name: &'i str,
    pub(crate) kind: ImportedKind,
    /// The change without it.
    pub(crate) remedy: Option<Remedy>,
}

/// What the declarations of a file ask for.
#[derive(Debug, Default)]
pub(crate) struct Imports<'i> {
    pub(crate) names: Vec<Imported<'i>>,
    /// The declarations: what stands there is no use.
    pub(crate) clauses: Vec<Span>,
}

/// How a dialect asks for single names.
pub(crate) type ReadImports = for<'i> fn(&File<'_, 'i>) -> Imports<'i>;

impl<'i> File<'_, 'i> {
    /// The names that it asks for and does not use.
    pub(crate) fn unused_imports(&self) -> Vec<Imported<'i>> {
        let words = call_words(self.dialect());
        // What is a part of this file elsewhere may use them.
        if words.includes.iter().any(|include| self.text().contains(include)) || !self.document.is_balanced {
            return Vec::new();
        }
        let Imports { mut names, clauses } = (words.imports)(self);
        if names.is_empty() {
            return names;
        }
        let mentioned = Mentioned::of(self, &clauses);
        names.retain(|one| !mentioned.has(one));
        names
    }

    /// The head of a list, if that is a symbol.
    pub(crate) fn head_of(&self, list: ListId) -> Option<&'i str> {
        let head = self.tree.data(list).next().filter(|head| head.list().is_none() && head.is_bare())?;
        Some(self.core(head))
    }

    /// Something stands before the list that makes it something else: a quote, a condition, a discard.
    pub(crate) fn is_prefixed(&self, list: ListId) -> bool {
        let open = self.tree.list(list).open();
        let mut before = (0..open).rev().map(|token| self.tree.kind(token)).filter(|kind| !kind.is_trivia());
        let opener = self.source(self.tree.token_span(open));
        opener.starts_with("#?") || matches!(before.next(), Some(TokenKind::Prefix | TokenKind::Discard))
    }

    /// The change that takes a datum out of its list, with the blank before it, or after it if it is the first.
    pub(crate) fn without(&self, list: ListId, datum: Datum) -> Remedy {
        let span = self.tree.datum_span(datum);
        let text = self.text();
        let is_blank = |next: char| next.is_whitespace() || next == ',';
        let before = text[..span.start as usize].trim_end_matches(is_blank);
        let after = text[span.end as usize..].trim_start_matches(is_blank);
        let is_first = self.tree.data(list).next() == Some(datum);
        let is_commented = before.rsplit('\n').next().is_some_and(|line| line.contains(';'));
        let span = if is_first && !after.starts_with([')', ']', '}', ';']) {
            Span::new(span.start, (text.len() - after.len()) as u32)
        } else if is_commented {
            span
        } else {
            Span::new(before.len() as u32, span.end)
        };
        Remedy { span, text: String::new() }
    }
}

/// What the code of a file mentions.
#[derive(Default)]
pub(crate) struct Mentioned<'i> {
    /// The symbols, and the parts of them.
    words: FxHashSet<&'i str>,
    /// What stands before a slash.
    qualifiers: FxHashSet<&'i str>,
    /// The symbols that are no local names.
    free: FxHashSet<&'i str>,
}

/// The symbol or prefix in its parts: what is before and after a slash, without marks before it and dots after it.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split('/').flat_map(|part| {
        let plain = part.trim_start_matches(['#', ':', '\'', '^', '@', '~', '`', ',', '.']);
        [part, plain, plain.trim_end_matches(['.', '{', '(']), plain.trim_end_matches(['.', '#', '^'])]
            .into_iter()
            .chain(plain.split([':', '.', '$', '\'', '#', '^', '@']))
    })
}

impl<'i> Mentioned<'i> {
    /// What is mentioned outside of the `clauses`, each with how often.
    fn of(file: &File<'_, 'i>, clauses: &[Span]) -> Self {
        let mut mentioned = Self::default();
        let has_keywords = lispwright_index::keywords_are_qualified(file.dialect());
        let mut bound = file.facts.bound.iter().map(|(place, _)| *place).peekable();
        for (kind, span) in file.tree.tokens() {
            if !may_mention(kind) || clauses.iter().any(|clause| clause.encloses(span)) {
                continue;
            }
            let text = file.source(span);
            // A keyword without a namespace is no name.
            if has_keywords && text.starts_with(':') && !text.contains('/') {
                continue;
            }
            while bound.next_if(|place| *place < span.start).is_some() {}
            if bound.peek() != Some(&span.start) {
                mentioned.free.insert(text);
            }
            mentioned.words.insert(text);
            if text.contains(|next: char| !next.is_alphanumeric() && next != '-') {
                mentioned.words.extend(parts(text));
                let plain = text.trim_start_matches(['#', ':', '\'', '^', '@', '~', '`']).trim_end_matches('{');
                mentioned.qualifiers.insert(plain.split('/').next().unwrap_or(plain));
            }
        }
        mentioned
    }

    fn has(&self, one: &Imported<'_>) -> bool {
        match one.kind {
            ImportedKind::Alias => self.qualifiers.contains(one.name) || self.free.contains(one.name),
            ImportedKind::Name | ImportedKind::Class => self.words.contains(one.name),
        }
    }
}

/// A token of this kind can have a name in it.
fn may_mention(kind: TokenKind) -> bool {
    use TokenKind as K;
    matches!(kind, K::Atom | K::Prefix | K::Annotation | K::OpenBrace | K::OpenParen | K::OpenBracket)
}

impl File<'_, '_> {
    /// Which of some names no token has in it outside of the form that is beside each.
    pub(crate) fn unmentioned(&self, names: &[(&str, Span)]) -> Vec<bool> {
        let mut of_name: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (at, (name, _)) in names.iter().enumerate() {
            of_name.entry(*name).or_default().push(at);
        }
        let mut is_free = vec![true; names.len()];
        let mut mention = |word: &str, span: Span| {
            let all = of_name.get(word).into_iter().flatten();
            all.filter(|at| !names[**at].1.encloses(span)).for_each(|at| is_free[*at] = false);
        };
        for (kind, span) in self.tree.tokens() {
            let text = self.source(span);
            match kind {
                // A name that is looked up as a text.
                TokenKind::String => mention(text.trim_matches('"'), span),
                kind if may_mention(kind) => {
                    mention(text, span);
                    if text.contains(|next: char| !next.is_alphanumeric() && next != '-') {
                        parts(text).for_each(|part| mention(part, span));
                    }
                }
                _ => {}
            }
        }
        is_free
    }
}
