//! `code_find`: where a name is defined, as the files of the project say, and a live image where one runs.

use lispwright_runtime::Describe;
use lispwright_syntax::Dialect;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aside::Aside;
use crate::code_live::{Files, Origin, ask_besides, dialect_of, dialect_within, named, plain_name, within};
use crate::indexed::{homes, indexed, left_out};
use crate::refusal::Refusal;
use crate::repl_eval::Told;
use crate::repl_work::relative;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// Names that are offered when nothing is called as asked.
const MOST_NEAREST: usize = 5;

/// Arguments of `code_find`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeFind {
    /// Symbol
    pub symbol: String,
    /// Package
    #[serde(default)]
    pub package: Option<String>,
    /// File or directory
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
    pub definitions: Vec<FileHit>,
    /// The session whose image was asked besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The name, as the image prints it, else as it was asked for.
    #[serde(skip)]
    pub symbol: String,
    /// What kinds of things it names in the image, those in no file too.
    #[serde(skip)]
    pub kinds: Vec<String>,
    /// The search was restricted to some files.
    #[serde(skip)]
    pub narrowed: bool,
    /// Names of the project like this one, where it defines none.
    #[serde(skip)]
    pub nearest: Vec<String>,
    /// How many files of the project were looked into.
    #[serde(skip)]
    pub files: usize,
    /// The package that was asked for, if no file of the project declares or uses it.
    #[serde(skip)]
    pub no_package: Option<String>,
    /// Files that are too large or no text, so that their definitions are not known.
    #[serde(skip)]
    pub left_out: Vec<String>,
    /// Files and directories that ignore files leave out.
    #[serde(skip)]
    pub ignored: Vec<String>,
    /// What the session tells besides.
    #[serde(skip)]
    pub aside: Option<Aside>,
}

/// A definition in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileHit {
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

/// Finds the definitions in the files of the project, and asks the image where one runs. Cancelling the context interrupts it.
pub async fn code_find(workshop: &Workshop, args: CodeFind, context: &CallContext) -> Result<FindAnswer, Refusal> {
    // An earlier call may start the image.
    context.turn().await;
    let is_wanted = within(workshop, args.path.as_deref())?;
    let narrowed = args.path.is_some();
    let symbol = named(args.symbol)?;
    let dialect = dialect_within(args.path.as_deref()).or_else(|| dialect_of(workshop, args.session.as_deref()));
    let meant = Meant { symbol: symbol.clone(), package: args.package.clone(), dialect };
    let mut known = source_definitions(workshop, context, meant, is_wanted.clone()).await?;
    let question = Describe { name: symbol.clone(), package: args.package, limit: 0 };
    let asked =
        ask_besides(workshop, args.session.as_deref(), known.dialect, question, context, known.is_empty()).await?;
    let mut definitions = std::mem::take(&mut known.definitions);
    let Some(Told { answer: description, aside, .. }) = asked else {
        let Known { nearest, files, no_package, left_out, ignored, .. } = known;
        return Ok(FindAnswer {
            definitions,
            session: None,
            symbol,
            kinds: Vec::new(),
            narrowed,
            nearest,
            files,
            no_package,
            left_out,
            ignored,
            aside: None,
        });
    };
    let mut files = Files::new(workshop);
    for meaning in &description.meanings {
        if let Some(file) = meaning.file.as_deref().filter(|file| is_wanted(file)) {
            let place = files.definition(&meaning.name, file, meaning.line);
            // A structure is its constructor and accessors, too.
            let is_it = |other: &&mut FileHit| other.path == place.path && other.line == place.line;
            match definitions.iter_mut().find(is_it) {
                Some(same) => {
                    same.source = if same.source == Origin::Static { Origin::Both } else { same.source };
                    same.package = description.home.clone();
                }
                None => definitions.push(FileHit {
                    label: place.label(&meaning.name),
                    path: place.path,
                    line: place.line,
                    end_line: place.end_line,
                    form_type: place.form_type,
                    name: place.form_name.unwrap_or_else(|| meaning.name.clone()),
                    package: description.home.clone(),
                    source: Origin::Live,
                }),
            }
        }
    }
    Ok(FindAnswer {
        definitions,
        session: Some(aside.session.clone()),
        symbol: description.name.clone(),
        kinds: description.meanings.iter().map(|meaning| meaning.kind.clone()).collect(),
        narrowed,
        nearest: Vec::new(),
        files: known.files,
        no_package: None,
        left_out: known.left_out,
        ignored: known.ignored,
        aside: Some(aside),
    })
}

/// What the files of the project say of a name.
struct Known {
    definitions: Vec<FileHit>,
    dialect: Option<Dialect>,
    nearest: Vec<String>,
    files: usize,
    no_package: Option<String>,
    left_out: Vec<String>,
    ignored: Vec<String>,
}

impl Known {
    fn is_empty(&self) -> bool {
        self.definitions.is_empty()
    }
}

/// The name that is meant, as far as the call says.
struct Meant {
    symbol: String,
    package: Option<String>,
    dialect: Option<Dialect>,
}

async fn source_definitions(
    workshop: &Workshop,
    context: &CallContext,
    meant: Meant,
    is_wanted: impl Fn(&str) -> bool + Send + 'static,
) -> Result<Known, Refusal> {
    let root = workshop.roots.primary().to_owned();
    indexed(workshop, context, move |index, refreshed| {
        let Meant { symbol, package, dialect: of } = meant;
        let mut found = index.definitions(plain_name(&symbol), package.as_deref());
        found.retain(|(document, _)| of.is_none_or(|of| of == document.dialect));
        let here = found.iter().filter(|(document, _)| is_wanted(&document.path.to_string_lossy()));
        let mut definitions: Vec<FileHit> = Vec::new();
        let mut dialect = None;
        for (document, one) in here {
            let form = &document.facts.forms[one.form as usize];
            let (line, end) = (document.line(form.span.start), document.line(form.span.end.saturating_sub(1)));
            let path = relative(&document.path.to_string_lossy(), &root);
            dialect = Some(document.dialect);
            if definitions.iter().any(|other| other.path == path && other.line == Some(line)) {
                continue;
            }
            definitions.push(FileHit {
                path,
                line: Some(line),
                end_line: Some(end),
                form_type: Some(form.head.clone()),
                name: form.called().to_owned(),
                package: one.package().map(str::to_owned),
                source: Origin::Static,
                label: form.label.clone(),
            });
        }
        let no_package = package.filter(|package| index.spaces(package).is_empty());
        let nearest = match &no_package {
            _ if !definitions.is_empty() => Vec::new(),
            Some(_) => homes(index, plain_name(&symbol)),
            None => index.nearest(&symbol, MOST_NEAREST),
        };
        let (left_out, ignored) = (left_out(&refreshed.left_out, &root), left_out(&refreshed.ignored, &root));
        Known { definitions, dialect, nearest, files: index.documents().count(), no_package, left_out, ignored }
    })
    .await
}
