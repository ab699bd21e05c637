//! `code_find_references`: who uses a name, as the files of the project say, and a live image where one runs.
//!
//! Files know every mention, and images what macros have made of them. References are grouped by the form around them,
//! whose name is an address for edits.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use lispwright_index::{EntryRole, UseEvidence};
use lispwright_runtime::{ListReferences, Reference};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aside::Aside;
use crate::code_live::{Files, Origin, Place, ask_besides, dialect_of, dialect_within, named, plain_name, within};
use crate::indexed::{homes, indexed, left_out};
use crate::live_fault::LiveFault;
use crate::references::{Filter, Looking, in_other_texts};
use crate::refusal::Refusal;
use crate::repl_eval::Told;
use crate::repl_work::relative;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// Forms shown when no number is asked for.
const DEFAULT_LIMIT: u32 = 40;

/// Forms shown at most.
const MOST: u32 = 500;

/// Steps from caller to caller at most.
const DEEPEST: u32 = 5;

/// Possible uses that are listed.
const MOST_POSSIBLE: usize = 60;

/// Mentions that are listed.
const MOST_MENTIONS: usize = 40;

/// The kinds there are: of uses of names, and of places that name packages, systems, features and files.
static KINDS: [&str; 18] = [
    "call",
    "macro",
    "value",
    "binding",
    "assignment",
    "method",
    "quoted",
    "export",
    "template",
    "import",
    "in",
    "depends",
    "load",
    "lookup",
    "component",
    "qualified",
    "parameter",
    "keyword",
];

/// Arguments of `code_find_references`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeFindReferences {
    /// Symbol, class.slot, :ns/kw
    pub symbol: String,
    /// Package
    #[serde(default)]
    pub package: Option<String>,
    /// File or directory
    #[serde(default)]
    pub path: Option<String>,
    /// call, macro, value, binding, assignment, method, quoted, export, template
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Default callers
    #[serde(default)]
    pub direction: Option<Direction>,
    /// Steps, 1-5
    #[serde(default)]
    pub depth: Option<u32>,
    /// Only in tests
    #[serde(default)]
    pub tests_only: bool,
    /// Say it
    #[serde(default)]
    pub verdict: bool,
    /// False: libraries too
    #[serde(default)]
    pub project_only: Option<bool>,
    /// Forms, default 40
    #[serde(default)]
    pub limit: Option<u32>,
    /// Forms to skip
    #[serde(default)]
    pub offset: u32,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
}

/// Which way to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Who uses the name.
    #[default]
    Callers,
    /// What its definitions use.
    Callees,
}

/// Who refers to a name.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ReferencesAnswer {
    /// Whether it may be deleted, if that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<VerdictThere>,
    /// Places that may be uses, and nobody can tell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub possible: Vec<PlaceThere>,
    /// Words in strings, docstrings, comments, data and other files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<PlaceThere>,
    /// How many mentions there are.
    pub mention_count: usize,
    /// The forms that refer to it, as many as were asked for.
    pub refs: Vec<Mention>,
    /// How many forms there are.
    pub count: usize,
    /// How many places there are in them.
    pub places: usize,
    /// Not all are here.
    pub truncated: bool,
    /// The first tests that reach the name, also through others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<TestThere>,
    /// How many tests reach it.
    pub test_count: usize,
    /// How many places may be uses.
    pub unresolved: usize,
    /// How many more are outside of the project, when those were left out.
    pub outside_project: usize,
    /// Files that the image did not compile, so that it does not know their references.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_known: Vec<String>,
    /// The session whose image was asked besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The name, as the image prints it, else as it was asked for.
    #[serde(skip)]
    pub symbol: String,
    /// Which way was looked.
    #[serde(skip)]
    pub direction: Direction,
    /// How many definitions of the name the project has.
    #[serde(skip)]
    pub definitions: usize,
    /// The files say who uses the name; otherwise the image alone does.
    #[serde(skip)]
    pub from_files: bool,
    /// Names of the project like this one, where it defines none; the packages that have it, where there is no such package.
    #[serde(skip)]
    pub nearest: Vec<String>,
    /// Places where a name stands that nothing defines.
    #[serde(skip)]
    pub written: Vec<String>,
    /// What the name is, if it is a package, system, feature or file.
    #[serde(skip)]
    pub thing: Option<ThingThere>,
    /// It is also the name of a package, system or feature.
    #[serde(skip)]
    pub is_also_thing: bool,
    /// How many files of the project were looked into.
    #[serde(skip)]
    pub files: usize,
    /// How many symbols are spelled so and are known to be something else.
    #[serde(skip)]
    pub others: usize,
    /// How many files that are no Lisp were searched for mentions.
    #[serde(skip)]
    pub texts: usize,
    /// How many forms `path`, `kinds` or `tests_only` left out.
    #[serde(skip)]
    pub filtered: usize,
    /// The package that was asked for, if no file of the project declares or uses it.
    #[serde(skip)]
    pub no_package: Option<String>,
    /// Files that are too large or no text, so that their uses are not known.
    #[serde(skip)]
    pub left_out: Vec<String>,
    /// Files and directories that ignore files leave out.
    #[serde(skip)]
    pub ignored: Vec<String>,
    /// Forms up to the end of those that were asked for.
    #[serde(skip)]
    pub end: usize,
    /// What the session tells besides.
    #[serde(skip)]
    pub aside: Option<Aside>,
}

/// A form that refers to a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Mention {
    /// The file, as calls name it; absent for evaluated code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Line of the first place, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The head of the form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form_type: Option<String>,
    /// The line itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// What the form is called.
    pub form_name: String,
    /// What it does with the name in the first place.
    pub kind: String,
    /// Who says so.
    pub source: Origin,
    /// Every place in the form.
    pub call_sites: Vec<CallSite>,
    /// The form is a test.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// How many steps it is away from the name; 1 refers to it itself.
    pub depth: u32,
    /// The name that it uses, where that is another one that the definition makes: an accessor, a constructor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// How the form is spoken of.
    #[serde(skip)]
    pub label: String,
    /// First and last line of the form, by which those of the image and of the files are compared.
    #[serde(skip)]
    pub(crate) lines: (u32, u32),
}

/// A place that is told by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlaceThere {
    /// The file, as calls name it.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// What is there, or why it may be a use.
    pub kind: String,
    /// The line itself.
    pub context: String,
}

/// A package, system, feature or file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThingThere {
    /// What it is: `namespace`, `system`.
    pub kinds: Vec<String>,
    /// Where it is declared.
    pub declared: Vec<PlaceThere>,
}

/// Whether a definition may be deleted, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VerdictThere {
    /// `safe`, `exported`, `possible` or `used`.
    pub verdict: String,
    /// Uses outside of its own definition, with those of derived names.
    pub uses: usize,
    /// Those of them in tests.
    pub test_uses: usize,
    /// Uses in its own definition.
    pub own_uses: usize,
    /// Exports and declarations.
    pub exports: usize,
    /// Possible uses.
    pub possible: usize,
    /// Mentions in data, strings and other files.
    pub mentions: usize,
    /// Mentions in comments and docstrings.
    pub prose: usize,
    /// The names that its definition makes besides, each with its uses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<DerivedName>,
    /// What calls it by rule: it is a test, a method, a command, or where a program begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'static str>,
}

/// A name that a definition makes besides its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DerivedName {
    /// The name.
    pub name: String,
    /// Its uses outside of the definition.
    pub uses: usize,
}

/// A place that refers to a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CallSite {
    /// Line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// What it does with the name.
    pub kind: String,
    /// The line itself.
    #[serde(skip)]
    pub context: String,
}

/// A test that reaches a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TestThere {
    /// The file, as it is written in calls.
    pub path: String,
    /// Its line, from 1.
    pub line: u32,
    /// What it is called; empty for an assertion without a name.
    pub name: String,
}

/// Finds the references in the files of the project, and asks the image where one runs. Cancelling the context interrupts it.
pub async fn code_find_references(
    workshop: &Workshop,
    args: CodeFindReferences,
    context: &CallContext,
) -> Result<ReferencesAnswer, Refusal> {
    // An earlier call may start the image.
    context.turn().await;
    let filter = Filter { kinds: kinds(&args.kinds)?, tests_only: args.tests_only };
    let is_wanted = within(workshop, args.path.as_deref())?;
    let direction = args.direction.unwrap_or_default();
    let symbol = named(args.symbol)?;
    let depth = args.depth.unwrap_or(1).clamp(1, DEEPEST);
    let root = workshop.roots.primary().to_owned();
    let dialect = dialect_within(args.path.as_deref()).or_else(|| dialect_of(workshop, args.session.as_deref()));
    let roots: Vec<PathBuf> = workshop.roots.writable().map(Path::to_owned).collect();
    let (known, texts, is_also_thing) = {
        let (symbol, package, filter, is_wanted) =
            (symbol.clone(), args.package.clone(), filter.clone(), is_wanted.clone());
        indexed(workshop, context, move |index, refreshed| {
            let shown = |path: &str| relative(path, &root);
            let looking = Looking { index, filter: &filter, is_wanted: &is_wanted, shown: &shown };
            let mut known = looking.look(plain_name(&symbol), package.as_deref(), direction, depth, dialect);
            known.no_package = package.filter(|package| index.spaces(package).is_empty());
            if known.no_package.is_some() && known.definitions == 0 {
                known.nearest = homes(index, plain_name(&symbol));
            }
            let is_open = known.evidence.as_ref().is_some_and(|evidence| evidence.uses == 0) || known.thing.is_some();
            let texts = if is_open && direction == Direction::Callers {
                in_other_texts(index, &roots, &mut known, &is_wanted, &shown)
            } else {
                0
            };
            let is_also_thing = known.definitions > 0 && index.names_thing(plain_name(&symbol));
            known.left_out = left_out(&refreshed.left_out, &root);
            known.ignored = left_out(&refreshed.ignored, &root);
            (known, texts, is_also_thing)
        })
        .await?
    };
    let dialect = dialect.or(known.dialect);
    let question = ListReferences { name: symbol.clone(), package: args.package };
    let only = known.mentions.is_empty() && known.definitions == 0;
    let asked = match direction {
        Direction::Callers if known.thing.is_some() => None,
        Direction::Callers => ask_besides(workshop, args.session.as_deref(), dialect, question, context, only).await?,
        Direction::Callees => None,
    };
    let mut answer = ReferencesAnswer {
        verdict: None,
        unresolved: known.possible.len(),
        mention_count: known.words.len(),
        possible: known.possible,
        mentions: known.words,
        thing: known.thing,
        is_also_thing,
        texts,
        others: known.others,
        written: known.written,
        refs: known.mentions,
        count: 0,
        places: 0,
        truncated: false,
        tests: known.tests,
        test_count: known.test_count,
        outside_project: 0,
        not_known: Vec::new(),
        session: None,
        symbol,
        direction,
        definitions: known.definitions,
        from_files: known.definitions > 0,
        nearest: known.nearest,
        files: known.files,
        filtered: known.filtered,
        no_package: known.no_package,
        left_out: known.left_out,
        ignored: known.ignored,
        end: 0,
        aside: None,
    };
    if let Some(told) = asked {
        let project_only = args.project_only.unwrap_or(true);
        let anywhere = args.path.is_none();
        join(workshop, &mut answer, told, &filter, |file| file.map_or(anywhere, &is_wanted), project_only);
    }
    let order = |one: &Mention| (one.depth, one.via.is_some(), one.path.clone(), one.line);
    answer.refs.sort_by_cached_key(order);
    answer.verdict = known.evidence.filter(|_| args.verdict).map(|evidence| verdict(evidence, &answer));
    answer.possible.truncate(MOST_POSSIBLE);
    answer.mentions.truncate(MOST_MENTIONS);
    answer.count = answer.refs.len();
    answer.places = answer.refs.iter().map(|mention| mention.call_sites.len()).sum();
    let limit = args.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MOST) as usize;
    let offset = args.offset as usize;
    answer.refs = answer.refs.into_iter().skip(offset).take(limit).collect();
    answer.end = offset + answer.refs.len();
    answer.truncated = answer.end < answer.count;
    Ok(answer)
}

/// Adds what an image knows to what the files say.
fn join(
    workshop: &Workshop,
    answer: &mut ReferencesAnswer,
    told: Told<lispwright_runtime::References>,
    filter: &Filter,
    is_here: impl Fn(Option<&str>) -> bool,
    project_only: bool,
) {
    let Told { answer: references, aside, .. } = told;
    let mut files = Files::new(workshop);
    let mut by_line: HashMap<(Option<String>, u32), usize> = HashMap::new();
    for (at, mention) in answer.refs.iter().enumerate() {
        for line in mention.lines.0..=mention.lines.1 {
            by_line.insert((mention.path.clone(), line), at);
        }
    }
    let mut seen = HashSet::new();
    for reference in &references.references {
        let kind = kind_of_image(&reference.kind);
        if !is_here(reference.file.as_deref()) || !filter.takes(kind, false) {
            continue;
        }
        if project_only && reference.file.as_deref().is_some_and(|file| !files.is_of_project(file)) {
            answer.outside_project += 1;
            continue;
        }
        let mention = mention(reference, files.reference(&references.name, reference), kind);
        // What a macro makes of one mention can be dozens.
        if mention.path.is_some() && !seen.insert((mention.path.clone(), mention.line, kind)) {
            continue;
        }
        let place = mention.line.and_then(|line| by_line.get(&(mention.path.clone(), line)));
        match place.copied().filter(|_| mention.path.is_some()) {
            Some(at) => {
                let known = &mut answer.refs[at];
                if known.source == Origin::Static {
                    known.source = Origin::Both;
                }
                let is_new = |site: &CallSite| match known.source {
                    Origin::Live => (site.line, site.column, &*site.kind) != (mention.line, mention.column, kind),
                    // Macros may put a mention elsewhere on its line.
                    Origin::Static | Origin::Both => site.line != mention.line,
                };
                if known.call_sites.iter().all(is_new) && mention.column.is_some() {
                    known.call_sites.extend(mention.call_sites);
                }
            }
            None => {
                if let (Some(_), Some(line)) = (&mention.path, mention.line) {
                    by_line.insert((mention.path.clone(), line), answer.refs.len());
                }
                answer.refs.push(mention);
            }
        }
    }
    let root = workshop.roots.primary();
    answer.not_known = references.not_noted.iter().map(|file| relative(file, root)).collect();
    answer.session = Some(aside.session.clone());
    answer.symbol.clone_from(&references.name);
    answer.aside = Some(aside);
}

/// The verdict about a definition; the image may know of uses that the files do not show.
fn verdict(mut evidence: UseEvidence, answer: &ReferencesAnswer) -> VerdictThere {
    let is_of_image = |one: &&Mention| one.source == Origin::Live && one.kind != "export";
    evidence.uses += answer.refs.iter().filter(is_of_image).count();
    let is_text = |one: &&PlaceThere| one.kind == "text";
    evidence.mentions += answer.mentions.iter().filter(is_text).count();
    let derived = evidence.derived.iter().map(|(name, uses)| DerivedName { name: name.to_lowercase(), uses: *uses });
    VerdictThere {
        verdict: evidence.verdict().name().to_owned(),
        uses: evidence.uses,
        test_uses: evidence.tests,
        own_uses: evidence.own,
        exports: evidence.exports,
        possible: evidence.possible,
        mentions: evidence.mentions,
        prose: evidence.prose,
        derived: derived.collect(),
        role: evidence.role.map(role),
    }
}

/// What calls a definition by rule.
pub(crate) const fn role(role: EntryRole) -> &'static str {
    match role {
        EntryRole::Test => "test",
        EntryRole::Method => "method",
        EntryRole::Command => "command",
        EntryRole::Main => "main",
        EntryRole::Public => "public",
    }
}

fn mention(reference: &Reference, place: Option<Place>, kind: &str) -> Mention {
    let label = place.as_ref().map_or_else(|| reference.name.clone(), |place| place.label(&reference.name));
    let (path, context) = place.as_ref().map(|place| (place.path.clone(), place.context.clone())).unzip();
    let Place { line, column, form_type, form_name, .. } = place.unwrap_or_default();
    let at = line.unwrap_or_default();
    Mention {
        path,
        line,
        column,
        form_type,
        form_name: form_name.unwrap_or_else(|| reference.name.clone()),
        kind: kind.to_owned(),
        source: Origin::Live,
        call_sites: vec![CallSite {
            line,
            column,
            kind: kind.to_owned(),
            context: context.clone().map(|line| line.trim().to_owned()).unwrap_or_default(),
        }],
        context,
        test: false,
        depth: 1,
        via: None,
        label,
        lines: (at, at),
    }
}

/// What an image calls a kind.
fn kind_of_image(kind: &str) -> &'static str {
    match kind {
        "macroexpansion" => "macro",
        "reference" => "value",
        "specialization" => "method",
        other => KINDS.into_iter().find(|known| *known == other).unwrap_or("value"),
    }
}

/// The requested kinds, by their own names or those of other tools.
fn kinds(asked: &[String]) -> Result<Vec<&'static str>, Refusal> {
    let known = |asked: &String| {
        let name = match asked.as_str() {
            "calls" => "call",
            "macroexpands" | "macroexpansion" | "macroexpand" => "macro",
            "references" | "reference" | "function" => "value",
            "sets" | "set" => "assignment",
            "binds" | "bind" => "binding",
            "specializes" | "specialization" => "method",
            other => other,
        };
        let kind = KINDS.into_iter().find(|kind| *kind == name);
        kind.ok_or_else(|| LiveFault::NoKind { asked: asked.clone(), kinds: &KINDS }.into())
    };
    asked.iter().map(known).collect()
}
