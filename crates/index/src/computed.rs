//! Names that code makes while it runs or is expanded: `(intern (format nil "HANDLE-~A" kind))`. What they mean is not
//! known; that a name may be one of them is.

use lispwright_syntax::{Data, Datum, Span, TokenKind};

use crate::dialects::rules;
use crate::walk::Walk;

/// Functions that make a symbol from text, or find one.
pub(crate) const MAKERS: &[&str] = &[
    "intern",
    "intern*",
    "intern-soft",
    "find-symbol",
    "find-symbol*",
    "symbolicate",
    "format-symbol",
    "ensure-symbol",
    "symbol",
    "symb",
    "make-symbol",
    "string->symbol",
    "symbol-append",
    "format-id",
    "resolve",
    "ns-resolve",
    "requiring-resolve",
    "read-from-string",
    "funcall-by-name",
    "ns-publics",
    "ns-interns",
    "ns-map",
];

/// Functions of Clojure that give the names of a namespace.
const READERS: &[&str] = &["ns-publics", "ns-interns", "ns-map"];

/// Letters that the known parts of a computed name have at least, unless both ends are known: `~A-~A` may be anything.
const FEWEST: usize = 3;

/// A text calls a function that makes a symbol.
pub(crate) fn makes_names(text: &str) -> bool {
    MAKERS.iter().any(|maker| {
        text.match_indices(maker).any(|(at, _)| {
            let after = text[at + maker.len()..].chars().next();
            text[..at].ends_with('(') && after.is_none_or(|after| after.is_whitespace() || after == ')')
        })
    })
}

/// A name of which only parts are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Computed {
    /// The call that makes it.
    pub span: Span,
    /// The known parts in their order; empty parts at the ends stand for what is not known there.
    pub parts: Vec<String>,
    /// The parts are too few letters to tell a name by them, and nothing is known at one end.
    pub is_short: bool,
    /// The namespace whose names it reads, all of them: `(ns-publics *ns*)`.
    pub of_space: Option<String>,
}

impl Computed {
    /// A name of a space may be this one.
    pub fn may_be(&self, name: &str, space: &str, folds_case: bool) -> bool {
        if self.of_space.as_deref().is_some_and(|of| of != space) {
            return false;
        }
        if folds_case { self.fits(&name.to_lowercase()) } else { self.fits(name) }
    }

    /// The same for a name in lower case, where case does not count.
    pub(crate) fn fits(&self, name: &str) -> bool {
        if self.is_short {
            return false;
        }
        let Some((first, rest)) = self.parts.split_first() else { return false };
        let Some(mut left) = name.strip_prefix(first.as_str()) else { return false };
        let Some((last, middle)) = rest.split_last() else { return left.is_empty() };
        for part in middle {
            let Some(at) = left.find(part.as_str()) else { return false };
            left = &left[at + part.len()..];
        }
        left.ends_with(last.as_str())
    }
}

impl<'t> Walk<'t> {
    /// Notes the name that a call makes from text, if parts of it are written there.
    pub(crate) fn note_computed(&mut self, call: Datum, arguments: Data<'t>) {
        if self.learning.is_some() {
            return;
        }
        let head = call.list().and_then(|list| self.data(list).next()).map(|head| self.source(head));
        if head.is_some_and(|head| READERS.contains(&head)) {
            return self.note_read(call, arguments);
        }
        let folds = self.dialect.folds_case();
        let directive = rules(self.dialect).directive;
        // Literal strings and quoted symbols, in the order in which they are written; `None` for what is computed.
        let mut pieces: Vec<Option<String>> = Vec::new();
        let head = head.map_or("", |head| head.rsplit([':', '/']).next().unwrap_or(head));
        let joins_symbols = ["symbol-append", "symbolicate", "symb"].contains(&head);
        // Each with whether it is formatted.
        let mut waiting = self.spelling(head, arguments.collect());
        waiting.reverse();
        while let Some((datum, is_formatted)) = waiting.pop() {
            let text = self.source(datum);
            let before = self.symbol(datum).filter(|_| datum.list().is_none());
            match (datum.list(), self.tree.kind(datum.core)) {
                (Some(list), _) => {
                    let mut inner: Vec<Datum> = self.data(list).collect();
                    let head = inner.first().map_or("", |head| self.source(*head));
                    let head = head.rsplit(':').next().unwrap_or_default();
                    if ["concat", "concatenate", "str", "format", "string-append", "string", "strcat", "quote"]
                        .contains(&head)
                    {
                        inner.remove(0);
                        let inner = self.spelling(head, inner);
                        waiting.extend(inner.into_iter().rev());
                    } else {
                        pieces.push(None);
                    }
                }
                (None, TokenKind::String) => {
                    let mut rest = text.trim_matches('"');
                    while let Some(at) = rest.find(directive).filter(|_| is_formatted) {
                        pieces.push(Some(rest[..at].to_owned()));
                        pieces.push(None);
                        rest = rest.get(at + 2..).unwrap_or_default();
                    }
                    pieces.push(Some(rest.to_owned()));
                }
                (None, _) if !datum.is_bare() && before.is_some() && (pieces.is_empty() || joins_symbols) => {
                    // `(concatenate 'string …)` says only what is made.
                    if !["string", "simple-string"].contains(&text) {
                        pieces.push(Some(text.to_owned()));
                    }
                }
                (None, _) if text.starts_with([':', '#']) || ["nil", "t"].contains(&text) => {}
                (None, _) => pieces.push(None),
            }
        }
        if !pieces.iter().any(Option::is_none) {
            return;
        }
        let fold = |piece: &str| if folds { piece.to_lowercase() } else { piece.to_owned() };
        let mut parts: Vec<String> =
            pieces.iter().flatten().filter(|piece| !piece.is_empty()).map(|one| fold(one)).collect();
        if pieces.first().is_none_or(|first| first.as_ref().is_none_or(String::is_empty)) {
            parts.insert(0, String::new());
        }
        if pieces.last().is_none_or(|last| last.as_ref().is_none_or(String::is_empty)) {
            parts.push(String::new());
        }
        let letters: usize = parts.iter().map(|part| part.chars().filter(|c| c.is_alphabetic()).count()).sum();
        // `*~A*` is a special variable.
        let has_ends =
            parts.len() > 1 && parts.first().zip(parts.last()).is_some_and(|(a, b)| !a.is_empty() && !b.is_empty());
        let is_short = letters < FEWEST && !has_ends;
        if !is_short || parts.len() == 2 && parts.iter().any(|part| !part.is_empty()) {
            self.facts.computed.push(Computed { span: self.tree.core_span(call), parts, is_short, of_space: None });
        }
    }

    /// The arguments of a function that spell what it makes: not the package, nor what a control string formats.
    /// Each is with whether directives in it are formatted.
    fn spelling(&self, head: &str, mut arguments: Vec<Datum>) -> Vec<(Datum, bool)> {
        let directive = rules(self.dialect).directive;
        let has_directives =
            |datum: &Datum| self.tree.kind(datum.core) == TokenKind::String && self.source(*datum).contains(directive);
        let most = match head {
            "intern" | "intern*" | "intern-soft" | "find-symbol" | "find-symbol*" => Some(1),
            head if head.starts_with("format") => arguments.iter().position(has_directives).map(|at| at + 1),
            _ => None,
        };
        arguments.truncate(most.unwrap_or(arguments.len()));
        arguments.into_iter().map(|datum| (datum, head.starts_with("format"))).collect()
    }

    /// Notes that a call reads the names of a namespace that is written there: `*ns*` or `'shop.core`.
    fn note_read(&mut self, call: Datum, mut arguments: Data<'t>) {
        let Some(datum) = arguments.next().filter(|datum| datum.list().is_none()) else { return };
        let span = self.tree.core_span(call);
        let name = self.source(datum);
        let of_space = match name {
            "*ns*" => self.facts.space_at(span.start).to_owned(),
            name if !datum.is_bare() => name.to_owned(),
            _ => return,
        };
        let parts = vec![String::new(); 2];
        self.facts.computed.push(Computed { span, parts, is_short: false, of_space: Some(of_space) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_parts_are_in_their_order() {
        let check = |parts: &[&str], name: &str, expected: bool| {
            let parts = parts.iter().map(|part| (*part).to_owned()).collect();
            assert_eq!(
                Computed { span: Span::new(0, 0), parts, is_short: false, of_space: None }.may_be(name, "", true),
                expected,
                "{name}"
            );
        };
        check(&["handle-", ""], "HANDLE-CLICK", true);
        check(&["handle-", ""], "rehandle-click", false);
        check(&["", "-mode"], "text-mode", true);
        check(&["", "-mode"], "text-modes", false);
        check(&["evil-", "-state"], "evil-normal-state", true);
        check(&["evil-", "-state", ""], "evil-normal-state-map", true);
        check(&["evil-", "-state"], "evil-normal-states", false);
    }
}
