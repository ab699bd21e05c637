//! A name that a module of Racket provides and that it neither defines nor requires.

use lispwright_index::UseKind;
use lispwright_syntax::{Span, TokenKind};

use super::Search;
use crate::identity::near_it;

/// The forms between a module and a name that it provides.
const SPECIFICATIONS: &[&str] = &[
    "provide",
    "combine-out",
    "except-out",
    "prefix-out",
    "protect-out",
    "rename-out",
    "struct-out",
    "contract-out",
    "begin",
    "module",
    "module*",
    "module+",
];

impl Search<'_, '_, '_> {
    /// The places where a module names what it provides, in code that is no template.
    pub(super) fn provided(&self) -> Vec<Span> {
        let file = self.file;
        let is_here = |at: &Span| {
            file.lists_around(*at).all(|list| {
                let head = file.tree.data(list).next().map(|head| file.tree.core_span(head));
                // `[name contract]`, `[name name]`
                let is_pair = head == Some(*at);
                !file.is_prefixed(list)
                    && (is_pair || head.is_some_and(|head| SPECIFICATIONS.contains(&file.source(head))))
            })
        };
        let used = file.uses().filter(|used| used.kind == UseKind::Export && !used.hidden);
        let used = used.filter(|used| file.facts.owner_of(**used).is_none());
        used.map(|used| used.span()).filter(is_here).collect()
    }

    /// What is wrong with a name that a module provides.
    pub(super) fn of_provided(&mut self, at: Span) -> Option<String> {
        let file = self.file;
        let written = file.source(at);
        let name = file.name(at);
        let home = file.document.facts.space_at(at.start).to_owned();
        let dialect = file.dialect();
        let is_known = !file.definitions(&name).is_empty()
            || dialect.standard_operator(written).is_some()
            || dialect.special_form(written).is_some()
            || dialect.is_standard(written)
            || file.tree.language().is_stated(written);
        // What else has the name in the file may define it.
        let is_same = |(kind, span): &(TokenKind, Span)| *kind == TokenKind::Atom && file.source(*span) == written;
        let is_alone = || file.tree.tokens().filter(is_same).nth(1).is_none();
        if is_known
            || !self.is_plain(written, false)
            || file.is_broken(at)
            || file.is_in_branch(at)
            || !is_alone()
            || !self.is_without(&home, written)
        {
            return None;
        }
        let near = match file.meant(at, &name.symbol.name, false) {
            Some(meant) => near_it(&meant),
            None => self.near(&home, &name.symbol.name),
        };
        Some(format!("nobody defines `{written}`{near}"))
    }
}
