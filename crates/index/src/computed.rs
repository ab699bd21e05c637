//! Names that code makes while it runs or is expanded: `(intern (format nil "HANDLE-~A" kind))`. What they mean is not
//! known; that a name may be one of them is.

use lispwright_syntax::{Data, Datum, ListId, Span, TokenKind};

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

/// Functions that make a text of their arguments.
const TEXTS: &[&str] =
    &["concat", "concatenate", "str", "format", "string-append", "string", "strcat", "quote", "name", "symbol-name"];

/// Where a threading form puts what the step before gives.
#[derive(Clone, Copy)]
enum Place {
    First,
    Last,
}

/// Threading forms.
const THREADS: &[(&str, Place)] = &[
    ("->", Place::First),
    ("->>", Place::Last),
    ("some->", Place::First),
    ("some->>", Place::Last),
    ("thread-first", Place::First),
    ("thread-last", Place::Last),
    ("~>", Place::First),
    ("~>>", Place::Last),
];

/// Forms with this head put the value of each step into the next one.
pub(crate) fn is_thread(head: &str) -> bool {
    THREADS.iter().any(|(name, _)| *name == head)
}

/// A part of a text.
enum Part {
    /// This one spells it; its directives are formatted or not.
    Datum(Datum, bool),
    Unknown,
}

/// So many variables are followed to what they hold, for one name.
const MOST_FOLLOWED: usize = 8;

/// Functions of Clojure that give the names of a namespace.
const READERS: &[&str] = &["ns-publics", "ns-interns", "ns-map"];

/// Letters that the known parts of a computed name have at least, unless both ends or the name of a package are known:
/// `~A-~A` may be anything.
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
        let parts = match THREADS.iter().find(|(name, _)| *name == head) {
            Some((_, place)) => match self.threaded_text(arguments.collect(), *place) {
                Some(parts) => parts,
                None => return,
            },
            None => self.spelling(head, arguments.collect()),
        };
        let mut followed = 0;
        let mut waiting = parts;
        waiting.reverse();
        while let Some(part) = waiting.pop() {
            let Part::Datum(datum, is_formatted) = part else {
                pieces.push(None);
                continue;
            };
            let text = self.source(datum);
            let before = self.symbol(datum).filter(|_| datum.list().is_none());
            match (datum.list(), self.tree.kind(datum.core)) {
                (Some(list), _) => {
                    let mut inner: Vec<Datum> = self.data(list).collect();
                    let head = inner.first().map_or("", |head| self.source(*head));
                    let head = head.rsplit(':').next().unwrap_or_default();
                    if TEXTS.contains(&head) {
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
                // `(let ((name (concat "shop-" kind))) (intern name))`
                (None, _) => {
                    match before.filter(|_| followed < MOST_FOLLOWED).and_then(|name| self.text_in(name, call)) {
                        Some(value) => {
                            followed += 1;
                            waiting.push(Part::Datum(value, false));
                        }
                        None => pieces.push(None),
                    }
                }
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
        // `s-~A` is a name of the package `s`.
        let begins_package = parts.first().is_some_and(|first| first.len() > 1 && first.ends_with(['-', '/', ':']));
        let is_short = letters < FEWEST && !has_ends && !begins_package;
        if !is_short || parts.len() == 2 && parts.iter().any(|part| !part.is_empty()) {
            self.facts.computed.push(Computed { span: self.tree.core_span(call), parts, is_short, of_space: None });
        }
    }

    /// The arguments of a function that spell what it makes: not the package, nor what a control string formats.
    /// Each is with whether directives in it are formatted.
    fn spelling(&self, head: &str, mut arguments: Vec<Datum>) -> Vec<Part> {
        let directive = rules(self.dialect).directive;
        let has_directives =
            |datum: &Datum| self.tree.kind(datum.core) == TokenKind::String && self.source(*datum).contains(directive);
        let most = match head {
            "intern" | "intern*" | "intern-soft" | "find-symbol" | "find-symbol*" => Some(1),
            head if head.starts_with("format") => arguments.iter().position(has_directives).map(|at| at + 1),
            _ => None,
        };
        arguments.truncate(most.unwrap_or(arguments.len()));
        // `(symbol "shop.core" name)`, `(ns-resolve 'shop.core name)`: the namespace is no part of the name.
        if ["symbol", "ns-resolve"].contains(&head) && arguments.len() > 1 {
            arguments.drain(..arguments.len() - 1);
        }
        arguments.into_iter().map(|datum| Part::Datum(datum, head.starts_with("format"))).collect()
    }

    /// What spells the text of which a step of a threading form makes a symbol: `(-> (str "shop-" kind) symbol resolve)`.
    fn threaded_text(&self, steps: Vec<Datum>, place: Place) -> Option<Vec<Part>> {
        let called = |step: Datum| match step.list() {
            Some(list) => self.data(list).next().map(|head| self.source(head)),
            None => Some(self.source(step)),
        };
        let makes = |step: &Datum| called(*step).is_some_and(|head| MAKERS.contains(&head));
        let (&first, steps) = steps.split_first()?;
        let until = steps.iter().position(makes)?;
        let mut text = vec![Part::Datum(first, false)];
        for step in &steps[..until] {
            let Some(head) = called(*step).filter(|head| TEXTS.contains(head)) else {
                text = vec![Part::Unknown];
                continue;
            };
            let arguments = step.list().map_or_else(Vec::new, |list| self.data(list).skipping(1).collect());
            let own = self.spelling(head, arguments);
            match place {
                // The text of a control string has a place for the value.
                Place::Last if head.starts_with("format") => text = own,
                Place::Last => text = own.into_iter().chain(text).collect(),
                Place::First => text.extend(own),
            }
        }
        Some(text)
    }

    /// The text that a variable holds at a call, as far as it is written there: a form around the call binds or sets it,
    /// or the file defines it.
    fn text_in(&self, name: &str, call: Datum) -> Option<Datum> {
        let at = self.tree.core_span(call).start;
        let is_text = |value: &Datum| match value.list() {
            Some(list) => self.data(list).next().is_some_and(|head| TEXTS.contains(&self.source(head))),
            None => self.tree.kind(value.core) == TokenKind::String,
        };
        let after = |list: ListId| {
            let data: Vec<Datum> = self.data(list).collect();
            let is_it = |one: &Datum| one.list().is_none() && one.is_bare() && self.source(*one) == name;
            data.windows(2).rev().find(|pair| is_it(&pair[0]) && is_text(&pair[1])).map(|pair| pair[1])
        };
        let top = self.tree.top_level().find(|datum| self.tree.datum_span(*datum).end > at)?.list()?;
        let inside = (top..self.tree.lists().len() as ListId).take_while(|list| self.tree.list_span(*list).start < at);
        let bound = inside.filter_map(after).last();
        bound.or_else(|| {
            let defines =
                |list: &ListId| self.data(*list).next().is_some_and(|head| self.source(head).starts_with("def"));
            self.tree.top_level().filter_map(Datum::list).filter(defines).find_map(|list| {
                let second = self.data(list).nth(1)?;
                (second.list().is_none() && self.source(second) == name).then(|| after(list)).flatten()
            })
        })
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
