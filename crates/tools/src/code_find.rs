//! `code_find`: the definitions of a name in a live image.

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

/// The definitions of a name.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FindAnswer {
    /// The definitions that are in files.
    pub definitions: Vec<Definition>,
    /// The session that was asked.
    pub session: String,
    /// The name as the image prints it.
    #[serde(skip)]
    pub symbol: String,
    /// The kinds of its definitions, including those in no file.
    #[serde(skip)]
    pub kinds: Vec<String>,
    /// The search was restricted to some files.
    #[serde(skip)]
    pub narrowed: bool,
    /// Notes of the session.
    #[serde(skip)]
    pub aside: Aside,
}

/// A definition in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Definition {
    /// The file, as calls name it.
    pub path: String,
    /// First line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// The head of the form, if the file is readable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form_type: Option<String>,
    /// The name of the form in the file, else its name in the image.
    pub name: String,
    /// The home package or module of the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// The source of this fact.
    pub source: Origin,
    /// The label of the definition in answers.
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
            // A structure has the place of its constructor and accessors.
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
