//! May a definition be deleted? What speaks for it and against it, and one word.

use std::path::Path;

use lispwright_syntax::{FormKind, SpecialForm};
use rustc_hash::FxHashSet;

use crate::dialects::rules;
use crate::facts::{Definition, UseKind};
use crate::index::Document;
use crate::ledger::Ledger;
use crate::mention::MentionKind;
use crate::question::{Hit, UseIndex};
use crate::resolve::{Symbol, Written};
use crate::space::{Exports, Provide, Provided, Space};

/// Whether a definition may be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UseVerdict {
    /// No token of the project uses it, or may use it.
    Safe,
    /// Nothing in the project uses it, but others may: it is exported, a command, or where a program begins.
    Exported,
    /// A place may use it.
    Possible,
    /// It is used, or run by its framework.
    Used,
}

impl UseVerdict {
    /// The word in answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Exported => "exported",
            Self::Possible => "possible",
            Self::Used => "used",
        }
    }
}

/// What is known of the uses of a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UseEvidence {
    /// Uses outside of its own definition, those of derived names included; exports and declarations apart.
    pub uses: usize,
    /// Those of them that are in tests.
    pub tests: usize,
    /// Uses in its own definition.
    pub own: usize,
    /// Exports and declarations.
    pub exports: usize,
    /// Possible uses.
    pub possible: usize,
    /// Mentions in data and in strings that are no documentation.
    pub mentions: usize,
    /// Mentions in comments and docstrings.
    pub prose: usize,
    /// The names that its definition derives from it, each with its uses outside of the definition.
    pub derived: Vec<(String, usize)>,
    /// Others call it by rule: it is a test, a method, a command, or where a program begins.
    pub role: Option<EntryRole>,
}

/// What others do with a definition by rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryRole {
    /// A test, which its framework runs.
    Test,
    /// Only methods, which the function of a library may call.
    Method,
    /// A command, or an autoloaded function, of Emacs Lisp.
    Command,
    /// A program begins there.
    Main,
    /// Nothing in the language says what others may use, and its name is not marked as private.
    Public,
}

impl UseEvidence {
    /// The one word.
    pub fn verdict(&self) -> UseVerdict {
        match self.role {
            _ if self.uses > 0 => UseVerdict::Used,
            Some(EntryRole::Test | EntryRole::Method) => UseVerdict::Used,
            _ if self.possible > 0 || self.mentions > 0 => UseVerdict::Possible,
            Some(EntryRole::Command | EntryRole::Main | EntryRole::Public) => UseVerdict::Exported,
            _ if self.exports > 0 => UseVerdict::Exported,
            None => UseVerdict::Safe,
        }
    }
}

/// A definition that nothing is known to use.
#[derive(Clone, Debug)]
pub struct Unused<'i> {
    /// Its file.
    pub document: &'i Document,
    /// The definition.
    pub definition: &'i Definition,
    /// What is known of its uses.
    pub evidence: UseEvidence,
    /// The ledger of its name.
    pub ledger: Ledger<'i>,
}

impl<'i> UseIndex<'i> {
    /// The other names that the definitions of some symbols derive from them: accessors, constructors, predicates.
    pub fn derived(&self, symbols: &[Symbol]) -> Vec<Symbol> {
        let mut found = Vec::new();
        for (document, one) in symbols.iter().flat_map(|symbol| self.definitions(symbol)) {
            let form = &document.facts.forms[one.form as usize];
            let is_type = matches!(form.kind, FormKind::Structure | FormKind::Class | FormKind::Condition);
            let definitions = &document.facts.definitions;
            let from = definitions.partition_point(|other| other.form < one.form);
            let same = definitions[from..].iter().take_while(|other| other.form == one.form);
            // What a macro of the project makes of a form goes with the form, whose name is the first.
            let is_first = form.kind == FormKind::Definition
                && Written::of(document.dialect, &document.text[form.name.range()]).name == one.name;
            let goes_with = |other: &&Definition| other.made || is_type || is_first;
            let others = same.filter(|other| !one.made && goes_with(other) && other.name != one.name);
            found.extend(others.map(|other| self.proper(&other.symbol())));
        }
        found.sort();
        found.dedup();
        found.retain(|symbol| !symbols.contains(symbol));
        found
    }

    /// What is known of the uses of some symbols of one name, whose ledger is given.
    pub fn evidence(&self, symbols: &[Symbol], ledger: &Ledger<'i>) -> UseEvidence {
        let mut symbols: Vec<Symbol> = symbols.iter().map(|symbol| self.proper(symbol)).collect();
        symbols.dedup();
        let mut evidence = UseEvidence { possible: ledger.possible.len(), ..UseEvidence::default() };
        for hit in ledger.uses.iter().filter(|hit| hit.is_reference()) {
            match hit.used.kind {
                UseKind::Export => evidence.exports += 1,
                // A macro around the definition takes it as data.
                UseKind::Quoted if is_name_of_definition(hit) => evidence.possible += 1,
                _ if self.is_in_own_definition(hit, &symbols) => evidence.own += 1,
                _ => {
                    evidence.uses += 1;
                    evidence.tests += usize::from(hit.is_test());
                }
            }
        }
        for mention in &ledger.mentions {
            match mention.kind {
                MentionKind::Comment | MentionKind::Docstring | MentionKind::Disabled => evidence.prose += 1,
                MentionKind::String | MentionKind::Quoted | MentionKind::Keyword => evidence.mentions += 1,
            }
        }
        for other in self.derived(&symbols) {
            let uses = self.uses(&other).hits;
            evidence.exports += uses.iter().filter(|hit| hit.used.kind == UseKind::Export).count();
            let outside = |hit: &&Hit<'i>| hit.is_reference() && hit.used.kind != UseKind::Export;
            let outside = uses.iter().filter(outside).filter(|hit| !self.is_in_own_definition(hit, &symbols));
            let (count, tests) = outside.fold((0, 0), |(n, tests), hit| (n + 1, tests + usize::from(hit.is_test())));
            evidence.uses += count;
            evidence.tests += tests;
            evidence.derived.push((other.name, count));
        }
        let definitions: Vec<_> = symbols.iter().flat_map(|symbol| self.definitions(symbol)).collect();
        // With no other place that says so: `define-public`, `require/typed/provide`.
        let exports_itself = |(document, one): &(&Document, &Definition)| {
            let is_named = |space: &Space| matches!(&space.exports, Exports::Names(names) if names.contains(&one.name));
            document.facts.spaces.iter().any(|space| space.name == one.space && is_named(space))
        };
        evidence.exports += usize::from(evidence.exports == 0 && definitions.iter().any(exports_itself));
        evidence.role = role(&definitions);
        evidence
    }

    /// The definitions in the files that are wanted that nothing is known to use, or that only names use that may mean
    /// something else, in the order of files and lines. Methods, packages and systems are none.
    pub fn unused(&self, is_wanted: impl Fn(&Path) -> bool) -> Vec<Unused<'i>> {
        let mut seen = FxHashSet::default();
        let mut candidates: Vec<(&'i Document, &'i Definition, Vec<Symbol>)> = Vec::new();
        for &document in self.documents().iter().filter(|document| is_wanted(&document.path)) {
            for one in &document.facts.definitions {
                let is_other = matches!(
                    one.kind,
                    FormKind::Method | FormKind::Package | FormKind::System | FormKind::Test | FormKind::Addition
                );
                let form = &document.facts.forms[one.form as usize];
                let is_other = is_other || rules(document.dialect).members.contains(&form.head.as_str());
                // An advice changes what others define.
                let is_other = is_other || document.dialect.special_form(&form.head) == Some(SpecialForm::Advice);
                // What documentation shows is there to be seen: `@sample[(define x 1)]`.
                let is_other = is_other || document.has_at_forms() && form.kind == FormKind::Expression;
                let symbol = self.proper(&one.symbol());
                if is_other || one.made || !seen.insert(symbol.clone()) {
                    continue;
                }
                let symbols = vec![symbol];
                let names: Vec<Symbol> = symbols.iter().cloned().chain(self.derived(&symbols)).collect();
                let is_use = |hit: &Hit<'i>| {
                    hit.is_reference() && hit.used.kind != UseKind::Export && !self.is_in_own_definition(hit, &symbols)
                };
                if !names.iter().any(|name| self.uses(name).hits.iter().any(is_use)) {
                    candidates.push((document, one, symbols));
                }
            }
        }
        let symbols: Vec<Vec<Symbol>> = candidates.iter().map(|(_, _, symbols)| symbols.clone()).collect();
        let ledgers = self.ledgers(&symbols);
        let unused = candidates.into_iter().zip(ledgers).map(|((document, definition, symbols), ledger)| {
            let evidence = self.evidence(&symbols, &ledger);
            Unused { document, definition, evidence, ledger }
        });
        unused.filter(|one| one.evidence.verdict() != UseVerdict::Used).collect()
    }
}

/// The place is that of the name in a definition.
fn is_name_of_definition(hit: &Hit<'_>) -> bool {
    hit.form().is_some_and(|form| form.kind.defines() && form.name.start == hit.used.start)
}

/// What others do with the definitions by rule.
fn role(definitions: &[(&Document, &Definition)]) -> Option<EntryRole> {
    let is_kind = |kind| definitions.iter().any(|(_, one)| one.kind == kind);
    if is_kind(FormKind::Test) {
        return Some(EntryRole::Test);
    }
    let is_method = |(document, one): &(&Document, &Definition)| {
        let head = document.facts.forms[one.form as usize].head.as_str();
        one.kind == FormKind::Method || rules(document.dialect).members.contains(&head)
    };
    if !definitions.is_empty() && definitions.iter().all(is_method) {
        return Some(EntryRole::Method);
    }
    if definitions.iter().any(|(_, one)| matches!(one.name.as_str(), "-main" | "main" | "MAIN")) {
        return Some(EntryRole::Main);
    }
    let is_command = |(document, one): &(&Document, &Definition)| {
        let span = document.facts.forms[one.form as usize].span;
        let before = document.text[..span.start as usize].trim_end();
        let line = before.rfind('\n').map_or(before, |at| &before[at + 1..]);
        let has_commands = rules(document.dialect).variables_are_dynamic;
        line.starts_with(";;;###autoload") || (has_commands && document.text[span.range()].contains("(interactive"))
    };
    if definitions.iter().any(is_command) {
        return Some(EntryRole::Command);
    }
    let is_public = |(document, one): &(&Document, &Definition)| {
        let head = document.facts.forms[one.form as usize].head.as_str();
        if rules(document.dialect).for_others.contains(&head) {
            return true;
        }
        if rules(document.dialect).variables_are_dynamic {
            return !one.name.contains("--");
        }
        if rules(document.dialect).giving_out.iter().any(|text| document.text.contains(text)) {
            return true;
        }
        let is_given = |provide: &Provide| provide.what == Provided::Defined && !provide.except.contains(&one.name);
        let gives_defined = |space: &Space| space.name == one.space && space.provides.iter().any(is_given);
        if document.facts.spaces.iter().any(gives_defined) {
            return true;
        }
        let gives_all = |space: &Space| space.name == one.space && space.exports == Exports::All;
        document.facts.spaces.iter().any(gives_all)
            && document.facts.public_definitions(&document.text).any(|other| std::ptr::eq(other, *one))
    };
    definitions.iter().any(is_public).then_some(EntryRole::Public)
}
