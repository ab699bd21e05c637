//! What the macro of a definition may do with its name besides defining it: make others of it, as `make-account` of `(define-record
//! account ...)`, export it, or keep it for those who look it up.

use lispwright_syntax::{FormKind, Span, SpecialForm, TokenKind};
use rustc_hash::FxHashMap;

use crate::computed::makes_names;
use crate::facts::{Definition, FormRow, Use, UseKind};
use crate::index::Document;
use crate::ledger::{Possible, PossibleReason};
use crate::question::{Hit, UseIndex};
use crate::resolve::{Referent, Symbol};

/// Longer names are not taken apart, in bytes.
const LONGEST: usize = 160;

/// A name whose definition may make others.
#[derive(Clone, Debug)]
pub struct Maker {
    symbol: Symbol,
    /// The part of its name that others may have.
    stem: String,
    /// The language's own forms define it: what they make is known, so an export of another name is one of nothing.
    is_known: bool,
    /// The names that are known to be made of it.
    known: Vec<String>,
}

impl<'i> UseIndex<'i> {
    /// The symbol as one of whose definition only a macro knows what else it makes than the `known` names.
    pub fn maker(&self, symbol: &Symbol, known: Vec<String>) -> Maker {
        let definitions = self.definitions(symbol);
        let is_known = !definitions.is_empty()
            && definitions
                .iter()
                .all(|(document, one)| document.dialect.knows_definer(&document.facts.forms[one.form as usize].head));
        // A macro may make names of `<account>` without the brackets.
        let bare = symbol.name.strip_prefix('<').and_then(|name| name.strip_suffix('>'));
        let stem = bare.filter(|bare| !is_known && !bare.is_empty()).unwrap_or(&symbol.name).to_owned();
        Maker { symbol: symbol.clone(), stem, is_known, known }
    }

    /// For each of the makers the uses of longer names with its stem between ends of words that nobody defines, where its symbol
    /// can be written; in the order of files and places. The names are gone through once.
    pub fn perhaps_made(&self, makers: &[Maker]) -> Vec<Vec<Hit<'i>>> {
        let mut found = vec![Vec::new(); makers.len()];
        let mut by_stem: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (number, maker) in makers.iter().enumerate() {
            by_stem.entry(&maker.stem).or_default().push(number);
        }
        for name in self.used_names().filter(|name| !makers.is_empty() && name.len() <= LONGEST) {
            let mut numbers: Vec<usize> = parts(name).filter_map(|part| by_stem.get(part)).flatten().copied().collect();
            numbers.sort_unstable();
            numbers.dedup();
            for number in numbers {
                let maker = &makers[number];
                if !maker.known.iter().any(|known| known == name) {
                    found[number].extend(self.named(name).filter(|hit| self.may_be_made(hit, maker)));
                }
            }
        }
        for hits in &mut found {
            hits.sort_by_key(Hit::place);
        }
        found
    }

    /// What the macros that define the symbol may do besides, each with a place: that of the macro, or of the definition if nobody in
    /// the project defines the macro.
    pub fn doubts_of_definers(&self, symbol: &Symbol) -> Vec<Possible<'i>> {
        let mut found = Vec::new();
        for (document, one) in self.definitions(symbol) {
            let form = &document.facts.forms[one.form as usize];
            if one.made || !is_by_macro(document, form) {
                continue;
            }
            // A package stands before the name.
            let uses = &document.facts.uses;
            let head = uses.get(uses.partition_point(|used| used.start <= form.span.start));
            let is_head = |used: &&Use| {
                let before = document.text.get(form.span.start as usize..used.start as usize);
                before.is_some_and(|before| !before.contains(char::is_whitespace))
            };
            let Some(&head) = head.filter(is_head) else { continue };
            let (Referent::Is(definer) | Referent::Unknown(definer)) = self.meaning(document, head);
            let macros = self.definitions(&definer);
            // Another macro may have made the definer: its text says nothing.
            let is_told = |(document, one): &(&'i Document, &Definition)| {
                !is_by_macro(document, &document.facts.forms[one.form as usize])
            };
            if !macros.iter().any(is_told) {
                found.push(Possible { document, span: head.span(), reason: PossibleReason::UnknownDefiner });
            }
            for (document, one) in macros {
                let form = &document.facts.forms[one.form as usize];
                let reason = does_besides(&document.text[form.span.range()], form.name.end - form.span.start);
                found.extend(reason.map(|reason| Possible { document, span: form.name, reason }));
            }
        }
        found
    }

    /// The places where a symbol that is a class of syntax is a part of another, which nothing tells to be its use: patterns of
    /// macros that are not understood name it so (`name:class`).
    pub fn parts_of_patterns(&self, symbol: &Symbol) -> Vec<Possible<'i>> {
        let is_class = |(document, one): &(&Document, &Definition)| {
            let head = &document.facts.forms[one.form as usize].head;
            document.dialect.special_form(head) == Some(SpecialForm::SyntaxClass)
        };
        let mut found = Vec::new();
        if !self.definitions(symbol).iter().any(is_class) {
            return found;
        }
        let part = format!(":{}", symbol.name);
        for &document in self.documents().iter().filter(|document| document.text.contains(&part)) {
            let tree = document.tree();
            let atoms = tree.tokens().filter(|(kind, _)| *kind == TokenKind::Atom);
            for (_, span) in atoms.filter(|(_, span)| document.text[span.range()].ends_with(&part)) {
                let span = Span::new(span.end - symbol.name.len() as u32, span.end);
                if document.facts.uses.binary_search_by_key(&span.start, |used| used.start).is_err() {
                    found.push(Possible { document, span, reason: PossibleReason::Member });
                }
            }
        }
        found
    }

    /// The places where the module of a symbol includes a file that is not among those of the project.
    pub fn unread_parts(&self, symbol: &Symbol) -> Vec<Possible<'i>> {
        let mut found = Vec::new();
        for (document, _) in self.definitions(symbol) {
            for &at in self.spaces.unread_in(&document.path) {
                let module = Symbol { space: document.facts.space_at(at).to_owned(), ..symbol.clone() };
                if self.proper(&module) == self.proper(symbol) {
                    let span = Span::new(at, at + 1);
                    found.push(Possible { document, span, reason: PossibleReason::Unread });
                }
            }
        }
        found
    }

    /// A definition of the symbol has a head of which the language knows nothing.
    pub(crate) fn is_made_by_macro(&self, symbol: &Symbol) -> bool {
        let is_one = |(document, one): &(&Document, &Definition)| {
            !one.made && is_by_macro(document, &document.facts.forms[one.form as usize])
        };
        self.definitions(symbol).iter().any(is_one)
    }

    fn may_be_made(&self, hit: &Hit<'i>, maker: &Maker) -> bool {
        let (Referent::Is(symbol) | Referent::Unknown(symbol)) = self.meaning(hit.document, hit.used);
        // What a macro makes can be exported where the name that it is made from is not.
        let imports = || {
            let home = self.proper_space(&maker.symbol.space);
            self.imported(&symbol.space).iter().any(|from| self.proper_space(from) == home)
        };
        let is_near = symbol.space == maker.symbol.space || self.sees(&symbol.space, &maker.symbol) || imports();
        let is_nothing = maker.is_known && hit.used.kind == UseKind::Export;
        is_near && !is_nothing && !self.defines(&symbol)
    }
}

/// The language knows nothing of the head of a definition that is no test.
fn is_by_macro(document: &Document, form: &FormRow) -> bool {
    let dialect = document.dialect;
    let is_one = form.kind.is_definition() && form.kind != FormKind::Test;
    is_one
        && !document.language.is_stated(&form.head)
        && !dialect.knows_definer(&form.head)
        && dialect.special_form(&form.head).is_none()
}

/// What a macro does besides defining its first parameter. `text` is its definition, whose name ends at byte `named`.
fn does_besides(text: &str, named: u32) -> Option<PossibleReason> {
    if makes_names(text) || text.contains("(keyword ") {
        return Some(PossibleReason::MakesNames);
    }
    // `(name &body body)`, `((name &key size) &body body)`, `[name & body]`
    let after = text.get(named as usize..).unwrap_or_default();
    let is_constituent = |c: char| !c.is_whitespace() && !"()[]{}\"';`,".contains(c);
    let start = after.find(is_constituent)?;
    let rest = &after[start..];
    let parameter = &rest[..rest.find(|c| !is_constituent(c)).unwrap_or(rest.len())];
    let quoted = [format!("',{parameter}"), format!("'~{parameter}")];
    let is_whole = |at: usize, len: usize| !text[at + len..].starts_with(is_constituent);
    let is_quoted = quoted.iter().any(|word| text.match_indices(word).any(|(at, _)| is_whole(at, word.len())));
    // The code around a template computes with the name: `,(string name)`.
    let is_inserted = |at: usize| after[..at].ends_with([',', '@', '~', '\\', '"', '|']);
    let is_computed = text.contains('`')
        && after.match_indices(parameter).skip(1).any(|(at, _)| {
            let is_name =
                !after[..at].ends_with(is_constituent) && !after[at + parameter.len()..].starts_with(is_constituent);
            is_name && !is_inserted(at)
        });
    (is_quoted || is_computed || text.contains("(export ")).then_some(PossibleReason::Kept)
}

/// The parts of a name before and after which no letter or digit stands, shorter than the name.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    let is_end = |other: Option<char>| other.is_none_or(|other| !other.is_alphanumeric());
    let starts = || name.char_indices().map(|(at, _)| at).filter(move |at| is_end(name[..*at].chars().next_back()));
    let ends = name.char_indices().map(|(at, one)| at + one.len_utf8());
    let ends: Vec<usize> = ends.filter(|at| is_end(name[*at..].chars().next())).collect();
    starts()
        .flat_map(move |start| {
            let ends: Vec<usize> = ends.iter().copied().filter(|end| *end > start).collect();
            ends.into_iter().map(move |end| &name[start..end])
        })
        .filter(|part| part.len() < name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_names_end_where_words_do() {
        let all: Vec<&str> = parts("make-old?").collect();
        assert_eq!(all, ["make", "make-old", "old", "old?"]);
    }
}
