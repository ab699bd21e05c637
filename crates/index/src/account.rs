//! Accounts for every place that holds a name: what the name is there, for the callers that change names.
//!
//! Questions about uses look at the uses. A change of a name must know that nothing else holds it: so it looks at every
//! symbol of a text that is spelled so, and asks what the walk has found there, a use, a local name, a slot, a word, or
//! nothing.

use std::ops::Range;

use lispwright_syntax::{Dialect, Element, FormKind, Span, TokenKind, Tree};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dialects::rules;
use crate::facts::{Facts, Mark, MarkRole, Use, UseKind};
use crate::index::Document;
use crate::notes::is_symbol;
use crate::question::UseIndex;
use crate::resolve::{Referent, Symbol, Written};

/// A place that holds a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePlace {
    /// The name itself, without a qualifier or quotes.
    pub span: Span,
    /// The symbol or string that holds it.
    pub written: Span,
    /// What it is there.
    pub holds: Holds,
    /// What the name means there if it is a symbol.
    pub meaning: Referent,
    /// Where functions and variables have namespaces of their own: the namespace of the place, if it tells.
    pub namespace: Option<Namespace>,
}

/// The kind of names that a place can have, in a dialect that tells functions from variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Namespace {
    /// Functions and macros.
    Functions,
    /// Variables.
    Variables,
}

/// What a name is in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// A use.
    Use(UseKind),
    /// Not a use.
    Role(MarkRole),
    /// A keyword, or a symbol without a package, which has the same name.
    Keyword,
    /// A name in the declaration of a package, module or system.
    Declaration,
    /// It is in data that the reader drops.
    Discarded,
    /// It is known to be nothing of these.
    Unknown,
}

/// The bytes of the name in a written symbol or string: `foo` in `a:foo`, in `#:foo` and in `a/foo`.
pub fn name_in(dialect: Dialect, written: &str) -> Range<usize> {
    let name = Written::of(dialect, written).name;
    let is_name = |start: &usize| {
        let rest = Written::of(dialect, &written[*start..]);
        rest.qualifier.is_none() && rest.name == name
    };
    let start = written.char_indices().map(|(at, _)| at).rev().find(is_name).unwrap_or(0);
    start..written.len()
}

/// The name of a written symbol as the dialect's reader interns it, without its qualifier.
pub fn symbol_name(dialect: Dialect, written: &str) -> String {
    Written::of(dialect, written).name
}

/// A name as it is usually written: in lower case where the reader makes upper case of it.
pub fn spelled(dialect: Dialect, name: &str) -> String {
    let is_plain = dialect.folds_case() && name.chars().all(|c| !c.is_lowercase() && !"|\\ ".contains(c));
    if is_plain { name.to_lowercase() } else { name.to_owned() }
}

/// A text is a symbol that can name a function or variable: neither a number nor a keyword nor a constant.
pub fn is_name(dialect: Dialect, text: &str) -> bool {
    let rules = rules(dialect);
    is_symbol(dialect, text) && !(rules.is_made_up)(text) && (rules.name_in)(text) == text
}

/// Quoted symbols are names of functions and variables, or may be: `(mapcar 'foo x)`.
pub fn data_are_names(dialect: Dialect) -> bool {
    rules(dialect).data_are_names
}

/// A variable that a file defines is dynamic wherever it is bound, so that no binding hides it.
pub fn variables_are_special(dialect: Dialect) -> bool {
    rules(dialect).variables_are_special
}

/// Functions and variables have separate namespaces.
pub fn has_function_namespace(dialect: Dialect) -> bool {
    rules(dialect).two_namespaces
}

/// A name as the dialect's reader interns it, if it is written without a qualifier.
pub fn plain_name(dialect: Dialect, written: &str) -> Option<String> {
    let written = Written::of(dialect, written);
    written.qualifier.is_none().then_some(written.name)
}

impl<'i> UseIndex<'i> {
    /// The places in a file that hold one of `names`, in source order. `facts` are those of the file with marks.
    pub fn places(&self, document: &Document, tree: &Tree, facts: &Facts, names: &FxHashSet<String>) -> Vec<NamePlace> {
        self.places_of(document, tree, facts, |name| names.contains(name))
    }

    /// The same for all names that are wanted.
    pub(crate) fn places_of(
        &self,
        document: &Document,
        tree: &Tree,
        facts: &Facts,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Vec<NamePlace> {
        let mut uses: FxHashMap<u32, Vec<Use>> = FxHashMap::default();
        for used in facts.uses.iter().filter(|used| self.counts(document, **used)) {
            uses.entry(used.start).or_default().push(*used);
        }
        let discarded = discarded(tree);
        let mut found = Vec::new();
        for (kind, token) in tree.tokens() {
            if !matches!(kind, TokenKind::Atom | TokenKind::String) {
                continue;
            }
            let written = &document.text[token.range()];
            let name = Written::of(self.dialect(), written).name;
            let used = uses.get(&token.start).and_then(|all| all.first());
            let first = facts.marks.partition_point(|mark| mark.span.start < token.start);
            let inside = facts.marks[first..].iter().take_while(|mark| mark.span.start < token.end);
            let mark = inside.copied().find(|mark| token.encloses(mark.span));
            // A use or a mark can be of a part of the symbol.
            let part = used.map(|used| used.span()).or(mark.map(|mark| mark.span));
            let part = part.filter(|part| token.encloses(*part)).unwrap_or(token);
            let is_held = |span: Span| is_wanted(&Written::of(self.dialect(), &document.text[span.range()]).name);
            if kind == TokenKind::Atom {
                let inner = self.inner_uses(document, facts, token).filter(|place| is_held(place.span));
                found.extend(inner);
            }
            if !is_wanted(&name) && !is_held(part) {
                continue;
            }
            if kind == TokenKind::String && used.is_none() {
                continue;
            }
            let name = name_in(self.dialect(), &document.text[part.range()]);
            let mut span = Span::new(part.start + name.start as u32, part.start + name.end as u32);
            if kind == TokenKind::String {
                span = Span::new(token.start + 1, token.end - 1);
            }
            let holds = self.held(document, facts, token, used.copied(), mark, &discarded);
            let meaning = match used {
                Some(used) => self.meaning(document, *used),
                None => self.meaning_at(document, part),
            };
            let namespace = self.namespace(document, token, holds, mark);
            found.push(NamePlace { span, written: token, holds, meaning, namespace });
        }
        found
    }

    /// The uses that are a part of a symbol, after its begin: `class` of the pattern `name:class`.
    fn inner_uses<'f>(
        &'f self,
        document: &'f Document,
        facts: &'f Facts,
        token: Span,
    ) -> impl Iterator<Item = NamePlace> + use<'f, 'i> {
        let first = facts.uses.partition_point(|used| used.start <= token.start);
        let inner = facts.uses[first..].iter().take_while(move |used| used.start < token.end);
        let counted = inner.filter(move |used| token.encloses(used.span()) && self.counts(document, **used));
        counted.map(move |used| NamePlace {
            span: used.span(),
            written: used.span(),
            holds: Holds::Use(used.kind),
            meaning: self.meaning(document, *used),
            namespace: None,
        })
    }

    /// A name as it is usually written.
    pub fn spelled(&self, name: &str) -> String {
        spelled(self.dialect(), name)
    }

    /// The namespace of a use or local name, by its place.
    fn namespace(&self, document: &Document, token: Span, holds: Holds, mark: Option<Mark>) -> Option<Namespace> {
        if !rules(self.dialect()).two_namespaces {
            return None;
        }
        let before = &document.text[..token.start as usize];
        let is_named_so = mark.is_some_and(|mark| mark.role == MarkRole::Function);
        let is_function = before.ends_with("#'") || before.ends_with('(') || is_named_so;
        let is_data = before.ends_with('\'') && !is_function;
        let is_type = mark.is_some_and(|mark| mark.role == MarkRole::Type);
        match holds {
            Holds::Use(UseKind::Call) | Holds::Role(MarkRole::LocalFunction) => Some(Namespace::Functions),
            Holds::Use(UseKind::Value | UseKind::Template | UseKind::Assignment) if is_function => {
                Some(Namespace::Functions)
            }
            Holds::Use(UseKind::Value | UseKind::Template) if is_data || is_type => None,
            Holds::Use(UseKind::Value | UseKind::Template | UseKind::Binding | UseKind::Assignment)
            | Holds::Role(MarkRole::Local) => Some(Namespace::Variables),
            _ => None,
        }
    }

    fn held(
        &self,
        document: &Document,
        facts: &Facts,
        token: Span,
        used: Option<Use>,
        mark: Option<Mark>,
        discarded: &[Span],
    ) -> Holds {
        let text = &document.text[token.range()];
        let is_declared = || {
            facts.form_at(token.start).is_some_and(|form| {
                matches!(facts.forms[form as usize].kind, FormKind::Package | FormKind::System | FormKind::Directive)
            })
        };
        match (used, mark) {
            (Some(used), _) => Holds::Use(used.kind),
            // A quoted symbol is no local name.
            (None, Some(mark))
                if mark.role == MarkRole::Local && document.text[..token.start as usize].ends_with('\'') =>
            {
                Holds::Unknown
            }
            (None, Some(mark)) if mark.role == MarkRole::Type => Holds::Unknown,
            (None, Some(mark)) => Holds::Role(mark.role),
            _ if discarded.iter().any(|span| span.encloses(token)) => Holds::Discarded,
            _ if text.starts_with(':') || text.starts_with("#:") => Holds::Keyword,
            _ if is_declared() => Holds::Declaration,
            // Such a name is no local one, whatever a macro makes of it.
            _ if rules(self.dialect()).data_names_are_qualified
                && Written::of(self.dialect(), text).qualifier.is_some() =>
            {
                Holds::Use(UseKind::Value)
            }
            _ => Holds::Unknown,
        }
    }

    /// The spaces that a space imports and the project does not declare, although files of the project are in them: what
    /// they export is not known, and may be names of the project.
    pub fn undeclared(&self, space: &str) -> Vec<String> {
        let entered: FxHashSet<&str> =
            self.documents().iter().flat_map(|one| one.facts.current.iter().map(|(_, space)| space.as_str())).collect();
        let imported = self.imported(space).into_iter();
        let is_project = |from: &str| entered.contains(from) && !self.declares(from) && !is_language(from);
        imported.filter(|from| is_project(from)).collect()
    }

    /// The space is declared in the project, or files of the project are in it.
    pub fn is_of_project(&self, space: &str) -> bool {
        let entered = || {
            let all = self.documents().iter().flat_map(|document| &document.facts.current);
            all.map(|(_, current)| self.proper_space(current).to_owned()).collect()
        };
        self.declares(space) || self.entered.get_or_init(entered).contains(space)
    }

    /// All names that a space imports are known: it is declared, and imports only from the project and from `others`.
    pub fn is_closed(&self, space: &str, others: &[&str]) -> bool {
        let is_known = |from: &String| others.contains(&from.as_str()) || self.declares(from);
        let is_declared = self.spaces().any(|one| !one.adds && self.is_space(&one.name, space));
        is_declared && !self.imports_implicitly(space) && self.imported(space).iter().all(is_known)
    }

    /// `name` is a name of the space, its own or another one.
    pub fn is_space(&self, name: &str, space: &str) -> bool {
        let known = |name: &str| self.proper_space(name) == self.proper_space(space);
        known(name) || (self.dialect().folds_case() && known(&name.to_lowercase()))
    }

    /// The spaces outside of the project that a space imports.
    pub fn outside(&self, space: &str) -> Vec<String> {
        self.imported(space).into_iter().filter(|from| !self.declares(from)).collect()
    }

    /// Code in a space can write the symbol without a qualifier.
    pub fn sees(&self, space: &str, symbol: &Symbol) -> bool {
        self.meaning_in(space, &symbol.name) == Referent::Is(symbol.clone())
    }

    /// The spaces whose code can write the symbol without a qualifier.
    pub fn spaces_that_see(&self, symbol: &Symbol) -> Vec<String> {
        let mut names: Vec<&str> =
            self.spaces().map(|space| space.name.as_str()).chain([symbol.space.as_str()]).collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().filter(|space| self.sees(space, symbol)).map(str::to_owned).collect()
    }

    /// The symbol that a space has under a name: its own, if it defines one, or one that it imports.
    pub fn defined_in(&self, space: &str, name: &str) -> Option<Symbol> {
        match self.meaning_in(space, name) {
            Referent::Is(symbol) => {
                let is_imported = symbol.space != self.proper_space(space);
                (is_imported || self.defines(&symbol)).then_some(symbol)
            }
            Referent::Unknown(_) => None,
        }
    }
}

/// The space is that of the language itself, also for files that are in it.
fn is_language(space: &str) -> bool {
    matches!(space, "cl" | "common-lisp" | "clojure.core")
}

/// The data that the reader drops.
pub(crate) fn discarded(tree: &Tree) -> Vec<Span> {
    let mut found = Vec::new();
    let lists = (0..tree.lists().len() as u32).map(|list| tree.elements(list));
    for element in std::iter::once(tree.top_elements()).chain(lists).flatten() {
        if let Element::Discarded(datum) = element {
            found.push(tree.datum_span(datum));
        }
    }
    found
}
