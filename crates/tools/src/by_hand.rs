//! What an image has been told by hand: definitions in code that was evaluated and that is in no file.
//!
//! Code that relies on them works in that image alone. They are found in the evaluated text, by the same rules as those
//! of a file.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use lispwright_index::{Document, Hit, Index, Referent, UseIndex};
use lispwright_syntax::{Dialect, FormKind};
use schemars::JsonSchema;
use serde::Serialize;

use crate::changes::{StillUsed, is_zero};
use crate::evaluated::Evaluated;
use crate::repl_work::relative;

/// The places that are told of each name.
const MOST_USES: usize = 3;

/// The definitions that are remembered of an image; then the oldest are forgotten.
const MOST: usize = 2000;

/// A definition that was evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HandMade {
    /// Its name as it is written in code.
    written: String,
    /// Its canonical name.
    name: String,
    /// The package, module or namespace that it is in.
    space: String,
    kind: FormKind,
    /// Its form.
    text: String,
}

/// A definition by hand beside the files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ByHand {
    /// Its name.
    pub name: String,
    /// Its package, module or namespace.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub space: String,
    /// The file that defines the name, in other words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The same, absolute.
    #[serde(skip)]
    pub file: Option<PathBuf>,
    /// The line of that definition, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The first places in files that use a name which no file defines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub used: Vec<StillUsed>,
    /// The number of further ones.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
}

impl ByHand {
    /// The first of `files` that use a name which no file defines.
    pub(crate) fn relied_on(&self, files: &HashSet<String>) -> Option<Self> {
        let used: Vec<StillUsed> = self.used.iter().filter(|one| files.contains(&one.path)).cloned().collect();
        (!used.is_empty()).then(|| Self { used, ..self.clone() })
    }
}

/// All definitions of an image by hand, each the latest of its name.
#[derive(Clone, Debug, Default)]
pub(crate) struct HandBook(Vec<HandMade>);

impl HandBook {
    /// Enters the definitions in code that was evaluated in the space `session`.
    pub(crate) fn enter(&mut self, evaluated: &Evaluated<'_>, session: &str) {
        for one in definitions(evaluated, session) {
            self.0.retain(|other| (&other.space, &other.name, other.kind) != (&one.space, &one.name, one.kind));
            self.0.push(one);
        }
        let surplus = self.0.len().saturating_sub(MOST);
        self.0.drain(..surplus);
    }

    /// A file was loaded: its definitions have taken the places of those by hand.
    pub(crate) fn loaded(&mut self, document: &Document) {
        self.0.retain(|one| !document.facts.definitions.iter().any(|other| one.is_of(&other.space, &other.name)));
    }

    /// Those that differ from the files.
    pub(crate) fn beside(&self, index: &Index, dialect: Dialect, root: &Path) -> Vec<ByHand> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let question = index.question(dialect);
        self.0.iter().filter_map(|one| one.beside(index, dialect, &question, root)).collect()
    }
}

/// The definitions in code that was evaluated.
fn definitions(evaluated: &Evaluated<'_>, session: &str) -> Vec<HandMade> {
    let Evaluated { code, facts, .. } = evaluated;
    let end = evaluated.end();
    let done = facts.definitions.iter().filter(|one| {
        let is_done = facts.forms[one.form as usize].span.start < end;
        is_done && !matches!(one.kind, FormKind::Test | FormKind::Addition) && !one.made
    });
    done.map(|one| HandMade {
        written: facts.forms[one.form as usize].called().to_owned(),
        name: one.name.clone(),
        space: one.package().unwrap_or(session).to_owned(),
        kind: one.kind,
        text: code[facts.forms[one.form as usize].span.range()].to_owned(),
    })
    .collect()
}

impl HandMade {
    fn is_of(&self, space: &str, name: &str) -> bool {
        self.name == name && self.space.eq_ignore_ascii_case(space)
    }

    /// What is to be known of it beside the files; nothing if a file has the same.
    fn beside(&self, index: &Index, dialect: Dialect, question: &UseIndex<'_>, root: &Path) -> Option<ByHand> {
        let Self { written, name, space, .. } = self;
        let told = ByHand {
            name: written.clone(),
            space: space.clone(),
            path: None,
            file: None,
            line: None,
            used: Vec::new(),
            more: 0,
        };
        let space = (!space.is_empty()).then_some(space.as_str());
        let defined = index.definitions(name, space).into_iter().filter(|(document, _)| document.dialect == dialect);
        let mut first = None;
        for (document, one) in defined {
            let span = document.facts.forms[one.form as usize].span;
            if document.text[span.range()].split_whitespace().eq(self.text.split_whitespace()) {
                return None;
            }
            first.get_or_insert((document, span));
        }
        if let Some((document, span)) = first {
            let path = relative(&document.path.to_string_lossy(), root);
            let (file, line) = (Some(document.path.clone()), Some(document.line(span.start)));
            return Some(ByHand { path: Some(path), file, line, ..told });
        }
        let uses: Vec<Hit<'_>> =
            question.mentions(name).into_iter().filter(|hit| self.is_meant(question, hit)).collect();
        Some(ByHand {
            used: uses.iter().take(MOST_USES).map(|hit| StillUsed::of(hit, root)).collect(),
            more: uses.len().saturating_sub(MOST_USES),
            ..told
        })
    }

    /// A use in a file can mean the definition.
    fn is_meant(&self, question: &UseIndex<'_>, hit: &Hit<'_>) -> bool {
        hit.is_reference()
            && match question.meaning(hit.document, hit.used) {
                Referent::Is(symbol) => {
                    let is_there = symbol.package().is_none_or(|space| self.is_of(space, &symbol.name));
                    is_there && !question.defines(&symbol)
                }
                Referent::Unknown(symbol) => !question.defines(&symbol),
            }
    }
}
