//! `code_describe`: the meanings of a name, as the files of the project say, and a live image where one runs.

use lispwright_edit::{Source, parameters};
use lispwright_index::{Definition, Document, Exports, Space};
use lispwright_runtime::{Describe, ImageRefusal, NameMeaning};
use lispwright_syntax::{Dialect, FormKind, Span, unquoted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aside::Aside;
use crate::code_live::{Files, Origin, ask_besides, dialect_of, named, plain_name};
use crate::indexed::indexed;
use crate::live_fault::LiveFault;
use crate::refusal::Refusal;
use crate::repl_eval::Told;
use crate::repl_work::relative;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// Characters of a documentation string that the image sends.
const DOCUMENTATION: usize = 4_000;

/// Names that are offered when nothing is called as asked.
const MOST_NEAREST: usize = 5;

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
    /// The session whose image was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The source of this fact.
    pub source: Origin,
    /// Notes of the session.
    #[serde(skip)]
    pub aside: Option<Aside>,
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

/// Describes the name. Where an image runs, it has the last word; printing values may run code of the user, and
/// cancelling the context interrupts that.
pub async fn code_describe(
    workshop: &Workshop,
    args: CodeDescribe,
    context: &CallContext,
) -> Result<DescribeAnswer, Refusal> {
    // An earlier call may start the image.
    context.turn().await;
    let symbol = named(args.symbol)?;
    let dialect = dialect_of(workshop, args.session.as_deref());
    let known = from_files(workshop, context, symbol.clone(), args.package.clone(), dialect).await?;
    let question = Describe { name: symbol.clone(), package: args.package, limit: DOCUMENTATION };
    let session = args.session.as_deref();
    // Without a session, the image of the Lisp that the files have the name in is meant.
    let of = known.dialect.filter(|_| session.is_none());
    let only = known.answer.is_none();
    let asked = match ask_besides(workshop, session, of, question, context, true).await {
        Ok(asked) => asked,
        Err(refusal) if only || is_ambiguous(&refusal, &symbol) => return Err(with_nearest(refusal, known.nearest)),
        Err(_) => None,
    };
    let Some(Told { answer: description, aside, .. }) = asked else {
        let undefined =
            LiveFault::Undefined { name: symbol, is_module: false, files: known.files, nearest: known.nearest };
        return known.answer.ok_or(undefined.into());
    };
    let mut files = Files::new(workshop);
    let meanings: Vec<Meaning> = description.meanings.iter().map(|known| meaning(known, &mut files)).collect();
    Ok(DescribeAnswer {
        name: description.name.clone(),
        first: meanings.first().map(|first| first.sense.clone()).unwrap_or_default(),
        package: description.home.clone(),
        exported: description.exported,
        meanings,
        session: Some(aside.session.clone()),
        source: if only { Origin::Live } else { Origin::Both },
        aside: Some(aside),
    })
}

/// The refusal of an image that has no such name and knows none like it, with those that the files have.
fn with_nearest(mut refusal: Refusal, nearest: Vec<String>) -> Refusal {
    if let Refusal::Image { refusal: ImageRefusal::NoName { candidates, .. }, .. } = &mut refusal
        && candidates.is_empty()
    {
        *candidates = nearest;
    }
    refusal
}

/// The image has the name in several packages.
fn is_ambiguous(refusal: &Refusal, symbol: &str) -> bool {
    let Refusal::Image { refusal: ImageRefusal::NoName { candidates, .. }, .. } = refusal else { return false };
    let plain = |name: &str| name.rsplit([':', '/']).next().unwrap_or_default().to_lowercase();
    candidates.iter().filter(|candidate| plain(candidate) == plain(symbol)).count() > 1
}

/// What the files of the project say of a name.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) answer: Option<DescribeAnswer>,
    /// The dialect of the first meaning.
    pub(crate) dialect: Option<Dialect>,
    /// The dialects of all files.
    pub(crate) dialects: Vec<Dialect>,
    pub(crate) nearest: Vec<String>,
    pub(crate) files: usize,
}

/// The meanings of a name in the files, of one dialect if it is given.
pub(crate) async fn from_files(
    workshop: &Workshop,
    context: &CallContext,
    symbol: String,
    package: Option<String>,
    of: Option<Dialect>,
) -> Result<Known, Refusal> {
    let root = workshop.roots.primary().to_owned();
    indexed(workshop, context, move |index, _| {
        let place =
            |document: &Document, at: u32| (relative(&document.path.to_string_lossy(), &root), document.line(at));
        let is_meant = |document: &Document| of.is_none_or(|of| of == document.dialect);
        let mut found = index.definitions(plain_name(&symbol), package.as_deref());
        // A package is described by what it declares.
        found.retain(|(document, one)| is_meant(document) && one.kind != FormKind::Package);
        let mut meanings: Vec<Meaning> = found.iter().map(|(document, one)| defined(document, one, &place)).collect();
        meanings.dedup();
        let home = found.first().map(|(document, one)| (*document, one.package().unwrap_or_default().to_owned()));
        let mut spaces = index.spaces(symbol.trim().trim_start_matches("#:").trim_start_matches(':'));
        spaces.retain(|(document, _)| is_meant(document));
        meanings.extend(spaces.iter().map(|(document, space)| declared(document, space, &place)));
        let dialect = home.as_ref().map(|(document, _)| document.dialect).or_else(|| Some(spaces.first()?.0.dialect));
        let exported = home.as_ref().filter(|(_, space)| !space.is_empty()).and_then(|(_, home)| {
            let declared = index.spaces(home);
            let name = &found.first()?.1.name;
            (!declared.is_empty()).then(|| declared.iter().any(|(_, space)| space.exports(name)))
        });
        let answer = meanings.first().cloned().map(|first| DescribeAnswer {
            name: first.name,
            first: first.sense,
            package: home.map(|(_, space)| space).filter(|space| !space.is_empty()),
            exported,
            meanings,
            session: None,
            source: Origin::Static,
            aside: None,
        });
        let nearest = if answer.is_none() { index.nearest(&symbol, MOST_NEAREST) } else { Vec::new() };
        let has = |dialect: &Dialect| index.documents().any(|document| document.dialect == *dialect);
        let dialects = Dialect::ALL.into_iter().filter(has).collect();
        Known { answer, dialect, dialects, nearest, files: index.documents().count() }
    })
    .await
}

/// A definition in a file.
fn defined(document: &Document, one: &Definition, place: &dyn Fn(&Document, u32) -> (String, u32)) -> Meaning {
    let form = &document.facts.forms[one.form as usize];
    let slice = |span: Span| document.text[span.range()].to_owned();
    let (path, line) = place(document, form.span.start);
    let kind = if one.made { format!("made by {}", form.label) } else { one.kind.name().to_owned() };
    Meaning {
        name: if one.made { as_written(&one.name, document.dialect) } else { form.called().to_owned() },
        sense: Sense {
            kind: Some(kind),
            arglist: arglist(document, one),
            documentation: form.docstring.filter(|_| !one.made).map(|span| unquoted(&slice(span))),
            path: Some(path),
            line: Some(line),
            facts: Vec::new(),
        },
    }
}

/// The parameters of a definition; if it has several lists, each on a line.
pub(crate) fn arglist(document: &Document, one: &Definition) -> Option<String> {
    if one.made || !one.kind.has_parameters() {
        return None;
    }
    let form = &document.facts.forms[one.form as usize];
    let source = Source::read(&document.text[form.span.range()], document.dialect);
    let (_, form) = source.forms.iter().next()?;
    let lists = parameters(&source, form);
    (!lists.is_empty()).then(|| lists.join("\n"))
}

/// A package, module or namespace in a file.
fn declared(document: &Document, space: &Space, place: &dyn Fn(&Document, u32) -> (String, u32)) -> Meaning {
    let (path, line) = place(document, space.at);
    let fact = |name: &str, text: String| Fact { name: name.to_owned(), text };
    let mut facts = Vec::new();
    if let Exports::Names(names) = &space.exports
        && !names.is_empty()
    {
        let names: Vec<String> = names.iter().map(|name| as_written(name, document.dialect)).collect();
        facts.push(fact("exports", names.join(" ")));
    }
    let imports: Vec<&str> =
        space.imports.iter().filter(|import| !import.is_implicit).map(|import| &*import.from).collect();
    if !imports.is_empty() {
        facts.push(fact("uses", imports.join(" ")));
    }
    Meaning {
        name: space.name.clone(),
        sense: Sense {
            kind: Some("package".to_owned()),
            arglist: None,
            documentation: space.docstring.clone(),
            path: Some(path),
            line: Some(line),
            facts,
        },
    }
}

/// A name as people write it: in small letters where the reader makes them large.
pub(crate) fn as_written(name: &str, dialect: Dialect) -> String {
    let is_folded = dialect.folds_case() && !name.contains(|c: char| c.is_lowercase());
    if is_folded { name.to_lowercase() } else { name.to_owned() }
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
