//! `code_find`: where a name is defined, as a live image knows it.

use lispwright_runtime::Describe;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aside::Aside;
use crate::code_live::{Files, Origin, ask_living, named, within};
use crate::refusal::Refusal;
use crate::repl_eval::Told;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// Arguments of `code_find`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeFind {
    /// Symbol
    pub symbol: String,
    /// Package
    #[serde(default)]
    pub package: Option<String>,
    /// Only in this file or directory
    #[serde(default)]
    pub path: Option<String>,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
}

/// Where a name is defined.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FindAnswer {
    /// The definitions that are in files.
    pub definitions: Vec<Definition>,
    /// The session that was asked.
    pub session: String,
    /// The name, as the image prints it.
    #[serde(skip)]
    pub symbol: String,
    /// What kinds of things it names, those in no file too.
    #[serde(skip)]
    pub kinds: Vec<String>,
    /// Only some files counted.
    #[serde(skip)]
    pub narrowed: bool,
    /// What the session tells besides.
    #[serde(skip)]
    pub aside: Aside,
}

/// A definition in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Definition {
    /// The file, as it is written in calls.
    pub path: String,
    /// First line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// The head of the form, where the file could be looked into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form_type: Option<String>,
    /// What the form is called there, else what the image calls it.
    pub name: String,
    /// The home of the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Who says so.
    pub source: Origin,
    /// How the definition is spoken of.
    #[serde(skip)]
    pub label: String,
}

/// Finds the definitions. Cancelling the context interrupts the image.
pub async fn code_find(workshop: &Workshop, args: CodeFind, context: &CallContext) -> Result<FindAnswer, Refusal> {
    let is_wanted = within(workshop, args.path.as_deref())?;
    let question = Describe { name: named(args.symbol)?, package: args.package, limit: 0 };
    let Told { answer: description, aside, .. } =
        ask_living(&workshop.sessions, args.session.as_deref(), None, question, context).await?;
    let mut files = Files::new(workshop);
    let mut definitions: Vec<Definition> = Vec::new();
    for meaning in &description.meanings {
        if let Some(file) = meaning.file.as_deref().filter(|file| is_wanted(file)) {
            let place = files.definition(&meaning.name, file, meaning.line);
            // A structure is its constructor and accessors, too.
            if !definitions.iter().any(|other| other.path == place.path && other.line == place.line) {
                definitions.push(Definition {
                    label: place.label(&meaning.name),
                    path: place.path,
                    line: place.line,
                    end_line: place.end_line,
                    form_type: place.form_type,
                    name: place.form_name.unwrap_or_else(|| meaning.name.clone()),
                    package: description.home.clone(),
                    source: Origin::Live,
                });
            }
        }
    }
    Ok(FindAnswer {
        definitions,
        session: aside.session.clone(),
        symbol: description.name.clone(),
        kinds: description.meanings.iter().map(|meaning| meaning.kind.clone()).collect(),
        narrowed: args.path.is_some(),
        aside,
    })
}
