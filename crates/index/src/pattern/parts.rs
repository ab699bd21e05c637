//! A text as an array in which every datum is before the data inside it, and has the index of the next datum outside.
//!
//! A prefix is a part like a list: `'x` contains `x`, and `#+a b` contains `a` and `b`. Comments and discarded data are
//! not parts.

use lispwright_syntax::dialects::Square;
use lispwright_syntax::{Data, Datum, Dialect, Span, TokenId, TokenKind, Tree};

use super::names::Tells;
use super::{Sort, is_plain};
use crate::dialects::rules;
use crate::resolve::Written;

/// A datum, or a prefix with the data that it takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// The kind of its first token.
    pub(super) kind: TokenKind,
    /// All of it.
    pub(super) span: Span,
    /// Its first token: an atom, an opener or a prefix.
    token: Span,
    /// The part around it.
    pub(super) parent: Option<usize>,
    /// The next part that is not inside.
    pub(super) end: usize,
}

impl Part {
    /// It cannot contain other parts.
    pub(super) const fn is_leaf(&self) -> bool {
        !self.kind.is_open() && !self.kind.is_prefix()
    }
}

/// The parts of a text.
pub(super) struct Parts<'t> {
    pub(super) all: Vec<Part>,
    text: &'t str,
    dialect: Dialect,
    here: Option<&'t dyn Tells>,
}

/// A remaining step of the conversion of a text.
enum Step<'t> {
    Data(Data<'t>),
    Datum(Datum),
    Core(Datum),
    Prefix(TokenId, Span),
    End,
}

impl<'t> Parts<'t> {
    pub(super) fn new(tree: &'t Tree, text: &'t str, here: Option<&'t dyn Tells>) -> Self {
        let mut all: Vec<Part> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut steps = vec![Step::Data(tree.top_level())];
        while let Some(step) = steps.pop() {
            let mut part = |token: TokenId, span: Span, open: &[usize]| {
                let parent = open.last().copied();
                let end = all.len() + 1;
                all.push(Part { kind: tree.kind(token), span, token: tree.token_span(token), parent, end });
                all.len() - 1
            };
            match step {
                Step::Data(mut data) => {
                    if let Some(datum) = data.next() {
                        steps.extend([Step::Data(data), Step::Datum(datum)]);
                    }
                }
                Step::Datum(datum) => {
                    let end = tree.core_span(datum).end;
                    let kept: Vec<_> = tree.prefixes(datum).filter(|one| one.kind != TokenKind::Discard).collect();
                    steps.extend(kept.iter().map(|_| Step::End));
                    steps.push(Step::Core(datum));
                    for prefix in kept.into_iter().rev() {
                        steps.extend(prefix.operand.map(Step::Datum));
                        let span = Span::new(tree.token_span(prefix.token).start, end);
                        steps.push(Step::Prefix(prefix.token, span));
                    }
                }
                Step::Prefix(token, span) => open.push(part(token, span, &open)),
                Step::Core(datum) => {
                    let at = part(datum.core, tree.core_span(datum), &open);
                    if let Some(list) = datum.list() {
                        open.push(at);
                        steps.extend([Step::End, Step::Data(tree.data(list))]);
                    }
                }
                Step::End => {
                    let at = open.pop().expect("an end has a start");
                    all[at].end = all.len();
                }
            }
        }
        Self { all, text, dialect: tree.dialect(), here }
    }

    /// The source of a part's first token.
    pub(super) fn source(&self, at: usize) -> &'t str {
        &self.text[self.all[at].token.range()]
    }

    /// One past the last part inside `around`; without it, one past the last part of the text.
    pub(super) fn end_of(&self, around: Option<usize>) -> usize {
        around.map_or(self.all.len(), |around| self.all[around].end)
    }

    /// The variable, if this part of a pattern is one.
    pub(super) fn variable(&self, at: usize) -> Option<(Sort, &'t str)> {
        let part = self.all[at];
        let text = self.source(at);
        let (sort, name) = match part.kind {
            TokenKind::Atom => {
                let name = text.strip_prefix('?')?;
                match name.as_bytes().first()? {
                    b'*' => (Sort::Any, &name[1..]),
                    b'+' => (Sort::Some, &name[1..]),
                    _ => (Sort::One, name),
                }
            }
            TokenKind::Prefix if part.end == at + 2 && self.all[at + 1].kind == TokenKind::Atom => {
                let sort = match text {
                    "," => Sort::One,
                    ",@" => Sort::Any,
                    _ => return None,
                };
                (sort, self.source(at + 1))
            }
            _ => return None,
        };
        let is_name = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
        let mut around = std::iter::successors(part.parent, |&around| self.all[around].parent);
        let is_in_template = part.kind == TokenKind::Prefix && around.any(|around| self.source(around) == "`");
        (is_name && !name.is_empty() && !is_in_template).then_some((sort, name))
    }

    /// A part has the same opener or prefix as one of this kind that begins with `text`.
    pub(super) fn opens(&self, at: usize, kind: TokenKind, text: &str) -> bool {
        let own = self.all[at].kind;
        let squares_are_lists = self.dialect.table().square == Square::Lists;
        let alike = |source: &str| if squares_are_lists { source.replace('[', "(") } else { source.to_owned() };
        let is_function = text == "(" && rules(self.dialect).function_opener == Some(self.source(at));
        (own == kind && self.source(at) == text)
            || is_function
            || (own.is_open() && kind.is_open() && squares_are_lists && alike(self.source(at)) == alike(text))
    }

    /// A part is an atom, string or character that equals `text`.
    pub(super) fn is_leaf(&self, at: usize, kind: TokenKind, text: &str) -> bool {
        let source = self.source(at);
        if self.all[at].kind != kind {
            return false;
        }
        if source == text {
            return true;
        }
        if kind != TokenKind::Atom {
            return false;
        }
        if is_plain(source) && is_plain(text) && !written_name(source).eq_ignore_ascii_case(written_name(text)) {
            return false;
        }
        let is_keyword = |text: &str| text.starts_with([':', '#']);
        if is_keyword(source) != is_keyword(text) {
            return false;
        }
        let (one, other) = (Written::of(self.dialect, source), Written::of(self.dialect, text));
        let one_package = one.qualifier.is_none() || other.qualifier.is_none() || one.qualifier == other.qualifier;
        one.name == other.name && one_package
    }

    /// A part is a symbol that means the same as `text`, as far as that is known; otherwise, that is called so.
    pub(super) fn is_head(&self, at: usize, text: &str) -> bool {
        if self.all[at].kind != TokenKind::Atom {
            return false;
        }
        let is_same = self.is_leaf(at, TokenKind::Atom, text);
        let Some(here) = self.here.filter(|here| is_same || here.may_be(self.source(at), text)) else {
            return is_same;
        };
        here.is_called(self.all[at].token, text).unwrap_or(is_same)
    }

    /// The `count` parts from `one` on equal those from `other` on.
    pub(super) fn are_same(&self, one: usize, other: usize, count: usize) -> bool {
        (0..count).all(|step| {
            let (one, other) = (one + step, other + step);
            let (a, b) = (self.all[one], self.all[other]);
            let same = if a.is_leaf() {
                self.is_leaf(other, a.kind, self.source(one))
            } else {
                self.opens(other, a.kind, self.source(one))
            };
            same && a.end - one == b.end - other
        })
    }
}

/// A plain symbol without its qualifier: `b` of `a:b` and `a/b`.
pub(super) fn written_name(text: &str) -> &str {
    text.rsplit([':', '/']).next().filter(|name| !name.is_empty()).unwrap_or(text)
}
