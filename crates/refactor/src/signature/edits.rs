//! Small changes of a text, which can be inside of each other: an argument that moves takes the changes inside of it
//! along.

use std::collections::BTreeMap;

use lispwright_edit::{Change, Changes, column, moved_by};
use lispwright_syntax::{Language, Span, TokenKind, Tree};

use super::follow::Piece;

/// A change.
#[derive(Clone, Debug)]
struct Small {
    text: String,
    /// The list that becomes another datum by it; `None` for a name.
    owner: Option<Span>,
}

/// The changes of one text that do not overlap, by their places.
pub(crate) struct Edits<'t> {
    pub(crate) tree: &'t Tree,
    pub(crate) text: &'t str,
    language: Language,
    all: BTreeMap<(u32, u32), Small>,
}

impl<'t> Edits<'t> {
    pub(crate) fn new(tree: &'t Tree, text: &'t str, language: Language) -> Self {
        Self { tree, text, language, all: BTreeMap::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// A name becomes another.
    pub(crate) fn name(&mut self, span: Span, text: String) {
        self.all.insert((span.start, span.end), Small { text, owner: None });
    }

    /// A part of the list `owner` becomes another text, with which the changes inside of it are done.
    pub(crate) fn part(&mut self, owner: Span, span: Span, text: String) {
        self.forget(span);
        self.all.insert((span.start, span.end), Small { text, owner: Some(owner) });
    }

    fn inside(&self, span: Span) -> impl Iterator<Item = (Span, &Small)> {
        let spans = self.all.range((span.start, 0)..).map(|((start, end), one)| (Span::new(*start, *end), one));
        spans.take_while(move |(inner, _)| inner.start <= span.end).filter(move |(inner, _)| {
            // Nothing that is inserted beside it.
            span.encloses(*inner) && !(inner.is_empty() && (inner.start == span.start || inner.start == span.end))
        })
    }

    fn forget(&mut self, span: Span) {
        let inside: Vec<(u32, u32)> = self.inside(span).map(|(inner, _)| (inner.start, inner.end)).collect();
        for place in inside {
            self.all.remove(&place);
        }
    }

    /// The new source of a part.
    pub(crate) fn rendered(&self, span: Span) -> String {
        let mut new = String::new();
        let mut from = span.start;
        for (inner, one) in self.inside(span) {
            new.push_str(&self.text[from as usize..inner.start as usize]);
            new.push_str(&one.text);
            from = inner.end;
        }
        new.push_str(&self.text[from as usize..span.end as usize]);
        new
    }

    /// The column of a place, from 0.
    fn column(&self, at: u32) -> usize {
        let before = &self.text[..at as usize];
        column(&before[before.rfind('\n').map_or(0, |newline| newline + 1)..])
    }

    /// The new source of a part that moves to another column.
    fn moved(&self, span: Span, to: usize) -> String {
        let columns = to as isize - self.column(span.start) as isize;
        moved_by(&self.rendered(span), self.language.clone(), columns)
    }

    /// The arguments of a call become others. `head` is what is before the first argument.
    pub(crate) fn arguments(&mut self, owner: Span, head: Span, old: &[Option<Span>], new: &[Piece]) {
        let is_same = |piece: &Piece, at: usize| *piece == Piece::Old(at);
        let before = new.iter().enumerate().take_while(|(at, piece)| *at < old.len() && is_same(piece, *at)).count();
        let most = old.len().min(new.len()) - before;
        let behind = (0..most).take_while(|at| is_same(&new[new.len() - 1 - at], old.len() - 1 - at)).count();
        let (gone, come) = (&old[before..old.len() - behind], &new[before..new.len() - behind]);
        let source = |edits: &Self, piece: &Piece, column: usize| match piece {
            Piece::Old(at) => old[*at].map(|span| edits.moved(span, column)),
            Piece::New(text) => Some(text.clone()),
        };
        let spans: Vec<Span> = gone.iter().flatten().copied().collect();
        let mut texts: Vec<String> = Vec::new();
        // The column in the new text of what comes next.
        let mut at = self.column(spans.first().map_or(head.end, |span| span.start));
        for piece in come {
            let Some(text) = source(self, piece, at) else { continue };
            let number = texts.len();
            let gap = match (spans.get(number), spans.get(number + 1)) {
                (Some(this), Some(next)) => &self.text[this.end as usize..next.start as usize],
                _ => " ",
            };
            at = after(after(at, &text), gap);
            texts.push(text);
        }
        let both = spans.len().min(texts.len());
        for (span, text) in spans.iter().zip(&texts) {
            self.part(owner, *span, text.clone());
        }
        for span in &spans[both..] {
            let (from, to) = (self.blank_before(*span), span.end);
            self.part(owner, Span::new(from, to), String::new());
        }
        let rest = texts.split_off(both);
        if rest.is_empty() {
            return;
        }
        let kept_before = old[..before].iter().flatten().last().copied();
        let last = spans.get(..both).and_then(|spans| spans.last().copied()).or(kept_before);
        let next = old[old.len() - behind..].iter().flatten().next().copied();
        let own_line = |span: Span| {
            let from = self.blank_before(span);
            let blank = &self.text[from as usize..span.start as usize];
            blank.contains('\n').then(|| blank.to_owned())
        };
        let is_first = |span: Span| old.iter().flatten().next() == Some(&span);
        match (last, next) {
            // One below the other.
            (last, Some(next))
                if own_line(next).is_some() && last.is_none_or(|last| is_first(last) || own_line(last).is_some()) =>
            {
                let blank = own_line(next).unwrap_or_default();
                let text: String = rest.iter().map(|one| format!("{one}{blank}")).collect();
                self.insert(owner, next.start, text);
            }
            (Some(last), None) if own_line(last).is_some() => {
                let blank = own_line(last).unwrap_or_default();
                let text: String = rest.iter().map(|one| format!("{blank}{one}")).collect();
                self.insert(owner, last.end, text);
            }
            (last, _) => {
                let text: String = rest.iter().map(|one| format!(" {one}")).collect();
                self.insert(owner, last.unwrap_or(head).end, text);
            }
        }
    }

    /// Text comes between what is there.
    pub(crate) fn insert(&mut self, owner: Span, at: u32, text: String) {
        self.all.insert((at, at), Small { text, owner: Some(owner) });
    }

    /// A datum goes, with the white space before it.
    pub(crate) fn remove(&mut self, owner: Span, span: Span) {
        let from = self.blank_before(span);
        self.part(owner, Span::new(from, span.end), String::new());
    }

    /// The start of the white space before a datum, if there is no comment in it and something is before it.
    fn blank_before(&self, span: Span) -> u32 {
        let Some(token) = self.tree.token_at(span.start).and_then(|token| token.checked_sub(1)) else {
            return span.start;
        };
        let before = token.checked_sub(1).map(|token| self.tree.kind(token));
        let is_comment = before.is_some_and(|kind| kind.is_trivia() && kind != TokenKind::Blank);
        let is_blank = self.tree.kind(token) == TokenKind::Blank && !is_comment;
        if is_blank { self.tree.token_span(token).start } else { span.start }
    }

    /// The changes as the reader of the whole text checks them: lists, and names outside of them.
    pub(crate) fn changes(&self) -> Vec<Change> {
        let mut owners: Vec<Span> = self.all.values().filter_map(|one| one.owner).collect();
        owners.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        let mut outer: Vec<Span> = Vec::new();
        for span in owners {
            if outer.last().is_none_or(|last| !last.encloses(span)) {
                outer.push(span);
            }
        }
        let names = self.all.iter().map(|((start, end), one)| (Span::new(*start, *end), one));
        let names = names.filter(|(span, _)| !outer.iter().any(|outer| outer.encloses(*span)));
        let mut changes: Vec<Change> =
            names.map(|(span, one)| Change { span, text: one.text.clone(), changes: Changes::Name }).collect();
        let lists =
            outer.iter().map(|span| Change { span: *span, text: self.rendered(*span), changes: Changes::Datum });
        changes.extend(lists);
        changes.sort_by_key(|change| change.span.start);
        changes
    }
}

/// The column after a text that begins in a column.
fn after(start: usize, text: &str) -> usize {
    match text.rfind('\n') {
        Some(newline) => column(&text[newline + 1..]),
        None => start + text.chars().count(),
    }
}
