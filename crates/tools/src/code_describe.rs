//! `code_describe`: the meanings of a name in a live image.

use lispwright_runtime::{Describe, NameMeaning};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aside::Aside;
use crate::code_live::{Files, Origin, ask_living, named};
use crate::refusal::Refusal;
use crate::repl_eval::Told;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// Characters of a documentation string that the image sends.
const DOCUMENTATION: usize = 4_000;

/// Arguments of `code_describe`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeDescribe {
    /// foo, pkg:foo, (setf foo), a package
    pub symbol: String,
    /// Package
    #[serde(default)]
    pub package: Option<String>,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
}

/// The meanings of a name.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DescribeAnswer {
    /// The name as the image prints it.
    pub name: String,
    /// The facts of its first meaning.
    #[serde(flatten)]
    pub first: Sense,
    /// Its home package or module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Its home exports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exported: Option<bool>,
    /// All its meanings.
    pub meanings: Vec<Meaning>,
    /// The session that was asked.
    pub session: String,
    /// The source of this fact.
    pub source: Origin,
    /// Notes of the session.
    #[serde(skip)]
    pub aside: Aside,
}

/// One meaning of a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Meaning {
    /// Its name in the image, such as a method with its qualifiers and specializers.
    pub name: String,
    /// Its facts.
    #[serde(flatten)]
    pub sense: Sense,
}

/// The facts of a meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Sense {
    /// Its kind.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its parameters; if it has several lists, each on a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arglist: Option<String>,
    /// Its documentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<String>,
    /// The file of its definition, as calls name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line there, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Facts that belong to its kind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
}

/// A fact from an image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fact {
    /// Its subject.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Describes the name. Printing values may run code of the user; cancelling the context interrupts that.
pub async fn code_describe(
    workshop: &Workshop,
    args: CodeDescribe,
    context: &CallContext,
) -> Result<DescribeAnswer, Refusal> {
    let question = Describe { name: named(args.symbol)?, package: args.package, limit: DOCUMENTATION };
    let Told { answer: description, aside, .. } =
        ask_living(&workshop.sessions, args.session.as_deref(), None, question, context).await?;
    let mut files = Files::new(workshop);
    let meanings: Vec<Meaning> = description.meanings.iter().map(|known| meaning(known, &mut files)).collect();
    Ok(DescribeAnswer {
        name: description.name.clone(),
        first: meanings.first().map(|first| first.sense.clone()).unwrap_or_default(),
        package: description.home.clone(),
        exported: description.exported,
        meanings,
        session: aside.session.clone(),
        source: Origin::Live,
        aside,
    })
}

fn meaning(known: &NameMeaning, files: &mut Files<'_>) -> Meaning {
    let place = known.file.as_deref().map(|file| files.definition(&known.name, file, known.line));
    let (path, line) = place.map(|place| (place.path, place.line)).unzip();
    let facts = known.facts.iter().map(|(name, text)| Fact { name: name.clone(), text: text.clone() }).collect();
    Meaning {
        name: known.name.clone(),
        sense: Sense {
            kind: Some(known.kind.clone()),
            arglist: known.arglist.clone(),
            documentation: known.documentation.clone(),
            path,
            line: line.flatten(),
            facts,
        },
    }
}
