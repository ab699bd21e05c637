//! Names that macros bind, or make of other names, inside of a form.
//!
//! Where most of a language is macros, the table of its names does not say which of them bind. A name that nobody defines is
//! not told if a form of such a macro has it, or if a definition inside of another form may make it: `(struct order (total))`
//! in a function makes `order-total`.

use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{FormKind, ListId, OperatorKind, Span, TokenKind};

use crate::file::File;

/// Macros of the language whose parts are expressions, and bind nothing.
const EXPRESSIONS: &[&str] = &["and", "or", "when", "unless", "begin", "begin0", "->"];

/// So many words are joined at most to a name of which a definition makes others.
const MOST_WORDS: usize = 5;

impl File<'_, '_> {
    /// A macro may bind the name at a place, or make it.
    pub(crate) fn may_be_of_macro(&self, at: Span) -> bool {
        let Some(outermost) = self.lists_around(at).last() else { return false };
        let span = self.tree.list_span(outermost);
        let written = self.source(at);
        let atoms = self.tree.tokens_within(span).filter(|(kind, _)| *kind == TokenKind::Atom);
        let mut same = atoms.map(|(_, span)| span).filter(|span| self.source(*span) == written);
        same.any(|one| self.is_rest(one) || self.is_given_to_macro(one)) || self.is_made_within(span, written)
    }

    /// The name is written after a dot, or after a comma, where a pattern binds it.
    fn is_rest(&self, at: Span) -> bool {
        let before = self.text()[..at.start as usize].trim_end();
        before.ends_with(" .") || before.ends_with([',', '@'])
    }

    /// The name is written in a form of a macro that may do anything with it.
    fn is_given_to_macro(&self, at: Span) -> bool {
        // What becomes of an argument there is not known.
        if self.facts.unclear.binary_search(&at.start).is_ok() {
            return true;
        }
        let Some(list) = self.list_of(at) else { return false };
        let is_head = self.tree.data(list).next().is_some_and(|head| self.tree.core_span(head) == at);
        match self.tree.list(list).parent().filter(|_| is_head) {
            Some(around) => !self.evaluates(around) && !self.is_judged_form(around),
            None => !is_head && !self.evaluates(list),
        }
    }

    /// The list is a call of a function, a form whose parts are understood, or a part of one: `[name (value)]`.
    fn evaluates(&self, list: ListId) -> bool {
        let is_call = |list: &ListId| {
            let start = self.tree.list_span(*list).start;
            let is_among = |starts: &[u32]| starts.binary_search(&start).is_ok();
            is_among(&self.facts.calls) || is_among(&self.facts.unclear)
        };
        let around = std::iter::successors(Some(list), |list| self.tree.list(*list).parent());
        around.into_iter().find_map(|list| self.says(list).or_else(|| is_call(&list).then_some(false))).unwrap_or(false)
    }

    /// A local name is bound at the place.
    fn is_bound_at(&self, at: Span) -> bool {
        self.facts.bound.binary_search(&(at.start, at.start)).is_ok()
    }

    /// Whether the head of the list says that it evaluates its parts; `None` if it is the head of nothing that is known.
    fn says(&self, list: ListId) -> Option<bool> {
        let Some(head) = self.tree.data(list).next().filter(|head| head.list().is_none()) else { return Some(true) };
        let at = self.tree.core_span(head);
        let word = canonical_head(self.dialect(), self.core(head));
        // Patterns of syntax have heads that bind: `(~seq #:size size)`.
        if word.starts_with('~') {
            return Some(false);
        }
        let evaluates = EXPRESSIONS.contains(&word.as_ref())
            || (self.is_local_function(at) && !self.is_bound_at(at))
            || self.dialect().special_form(&word).is_some()
            || self.dialect().standard_operator(&word).is_some_and(|one| one.kind == OperatorKind::Function)
            || {
                let name = self.name(at);
                let definitions = self.definitions(&name);
                !definitions.is_empty() && !definitions.iter().any(|(_, one)| one.kind == FormKind::Macro)
            };
        evaluates.then_some(true)
    }

    /// The list is a form of the language with forms in it that are evaluated, and no clauses.
    fn is_judged_form(&self, list: ListId) -> bool {
        let Some(head) = self.head_of(list) else { return false };
        let has_clauses = head.contains("instantiate")
            || head.starts_with("interface")
            || head == "struct-copy"
            || head.ends_with("/c");
        self.dialect().standard_operator(&canonical_head(self.dialect(), head)).is_some() && !has_clauses
    }

    /// A definition that is not at top level makes names of words of this one: `(define-vertex-property graph colour)`
    /// makes `colour-set!`.
    fn is_made_within(&self, outermost: Span, name: &str) -> bool {
        let source = self.source(outermost);
        let is_end = |one: char| one.is_whitespace() || "()[]{}".contains(one);
        let words: Vec<(usize, &str)> = {
            let mut at = 0;
            let parts = name.split_inclusive(['-', '?', '/', '!', '>', '*', '=']);
            let placed = |part| {
                let start = at;
                at += str::len(part);
                (start, part)
            };
            parts.map(placed).collect()
        };
        let runs = (0..words.len()).flat_map(|from| {
            let last = words.len().min(from + MOST_WORDS);
            (from..last).map(move |to| (from, to))
        });
        let stems = runs.flat_map(|(from, to)| {
            let stem = &name[words[from].0..words[to].0 + words[to].1.len()];
            [stem, stem.trim_end_matches(['-', '?', '/', '!', '>', '*', '='])]
        });
        stems.filter(|stem| !stem.is_empty()).any(|stem| {
            source.match_indices(stem).any(|(at, _)| {
                let after = source[at + stem.len()..].chars().next();
                if !after.is_none_or(is_end) {
                    return false;
                }
                // It stands after the head, alone or as the head of a list, or after other names.
                let before = source[..at].trim_end_matches(['(', '[', ' ', '\n', '\t']);
                let Some((around, words)) = before.rsplit_once('(') else { return false };
                let head = words.split_whitespace().next().unwrap_or_default();
                let is_flat = !words.contains(['[', ']', '{', '}', ')', '"', ';']);
                let is_head = is_flat && !around.is_empty() && words.starts_with(head);
                is_head && before.len() < at && (head.contains("struct") || is_other_definer(head))
            })
        })
    }
}

/// The word is that of a definition that may make other names than its own.
pub(crate) fn is_other_definer(head: &str) -> bool {
    const PLAIN: &[&str] = &[
        "define",
        "define-values",
        "define-syntax",
        "define-syntaxes",
        "define-syntax-rule",
        "define-for-syntax",
        "define-values-for-syntax",
    ];
    head.contains("def") && !PLAIN.contains(&head)
}
