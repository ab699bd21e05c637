//! `code_find_references`: who uses a name, as the files of the project say, and a live image where one runs.
//!
//! Files know every mention, and images what macros have made of them. References are grouped by the form around them,
//! whose name is an address for edits.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use lispwright_index::{Document, Hit, Index, Symbol, Use, UseIndex, UseKind};
use lispwright_runtime::{ListReferences, Reference};
use lispwright_syntax::{Dialect, FormKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aside::Aside;
use crate::code_live::{Files, Origin, Place, ask_besides, dialect_of, dialect_within, named, plain_name, within};
use crate::image_text::one_line;
use crate::indexed::{homes, indexed, left_out};
use crate::live_fault::LiveFault;
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

/// Forms that are looked at from caller to caller.
const MOST_FORMS: usize = 2_000;

/// Tests that are named.
const MOST_TESTS: usize = 50;

/// Characters of a line that is shown.
const CONTEXT: usize = 160;

/// Names that are offered when nothing is called as asked.
const MOST_NEAREST: usize = 5;

/// The kinds there are.
static KINDS: [&str; 9] = ["call", "macro", "value", "binding", "assignment", "method", "quoted", "export", "template"];

/// Arguments of `code_find_references`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeFindReferences {
    /// Symbol
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
    /// Places with the name of which files alone do not say what they mean.
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
    /// How many files of the project were looked into.
    #[serde(skip)]
    pub files: usize,
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
    /// How the form is spoken of.
    #[serde(skip)]
    pub label: String,
    /// First and last line of the form, by which those of the image and of the files are compared.
    #[serde(skip)]
    lines: (u32, u32),
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

/// What is asked, apart from the name.
#[derive(Clone)]
struct Filter {
    kinds: Vec<&'static str>,
    tests_only: bool,
}

impl Filter {
    fn takes(&self, kind: &str, is_test: bool) -> bool {
        (self.kinds.is_empty() || self.kinds.contains(&kind)) && (!self.tests_only || is_test)
    }
}

/// What the files of the project say.
#[derive(Default)]
struct Known {
    mentions: Vec<Mention>,
    tests: Vec<TestThere>,
    test_count: usize,
    unresolved: usize,
    filtered: usize,
    definitions: usize,
    dialect: Option<Dialect>,
    nearest: Vec<String>,
    files: usize,
    no_package: Option<String>,
    left_out: Vec<String>,
    ignored: Vec<String>,
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
    let known = {
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
            known.left_out = left_out(&refreshed.left_out, &root);
            known.ignored = left_out(&refreshed.ignored, &root);
            known
        })
        .await?
    };
    let dialect = dialect.or(known.dialect);
    let question = ListReferences { name: symbol.clone(), package: args.package };
    let only = known.mentions.is_empty() && known.definitions == 0;
    let asked = match direction {
        Direction::Callers => ask_besides(workshop, args.session.as_deref(), dialect, question, context, only).await?,
        Direction::Callees => None,
    };
    let mut answer = ReferencesAnswer {
        refs: known.mentions,
        count: 0,
        places: 0,
        truncated: false,
        tests: known.tests,
        test_count: known.test_count,
        unresolved: known.unresolved,
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
    answer.refs.sort_by(|a, b| (a.depth, &a.path, a.line).cmp(&(b.depth, &b.path, b.line)));
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

/// The file, and where the form around a use begins in it, in bytes; the use itself outside of forms.
fn place_of<'q>(hit: &Hit<'q>) -> (&'q Path, u32) {
    (&hit.document.path, hit.form.map_or(hit.used.start, |form| form.span.start))
}

/// A look at the files of the project.
struct Looking<'q> {
    index: &'q Index,
    filter: &'q Filter,
    is_wanted: &'q dyn Fn(&str) -> bool,
    shown: &'q dyn Fn(&str) -> String,
}

impl<'q> Looking<'q> {
    fn look(
        &self,
        symbol: &str,
        package: Option<&str>,
        direction: Direction,
        depth: u32,
        dialect: Option<Dialect>,
    ) -> Known {
        let wanted = self.index.documents().filter(|document| (self.is_wanted)(&document.path.to_string_lossy()));
        let here: HashSet<Dialect> = wanted.map(|document| document.dialect).collect();
        let is_here = |of: Dialect| here.contains(&of) && dialect.is_none_or(|dialect| dialect == of);
        let is_meant = |of: Dialect| of.has_special_forms() && is_here(of);
        let mut found = self.index.definitions(symbol, package);
        found.retain(|(document, _)| is_here(document.dialect));
        let definitions = found.iter().filter(|(document, _)| is_meant(document.dialect)).count();
        let mut known = Known { definitions, files: self.index.documents().count(), ..Known::default() };
        let mut dialects: Vec<Dialect> = found.iter().map(|(document, _)| document.dialect).collect();
        dialects.sort_by_key(|dialect| dialect.name());
        dialects.dedup();
        dialects.retain(|dialect| is_meant(*dialect));
        known.dialect = dialects.first().copied().filter(|_| dialects.len() == 1);
        if found.is_empty() {
            known.nearest = self.index.nearest(symbol, MOST_NEAREST);
            for dialect in Dialect::ALL.into_iter().filter(|dialect| is_meant(*dialect)) {
                let hits = self.index.question(dialect).mentions(symbol);
                self.add(&mut known, hits, 1, |_| false);
            }
            return known;
        }
        for dialect in dialects {
            let question = self.index.question(dialect);
            let here = found.iter().filter(|(document, _)| document.dialect == dialect);
            let is_macro = here.clone().any(|(_, one)| one.kind == FormKind::Macro);
            let mut symbols: Vec<Symbol> = here.clone().map(|(_, one)| one.symbol()).collect();
            symbols.sort();
            symbols.dedup();
            match direction {
                Direction::Callers => self.callers(&mut known, &question, symbols, depth, is_macro),
                Direction::Callees => self.callees(&mut known, &question, symbols, depth),
            }
        }
        known
    }

    fn callers(&self, known: &mut Known, question: &UseIndex<'q>, symbols: Vec<Symbol>, depth: u32, is_macro: bool) {
        let tests = question.tests_reaching(&symbols);
        known.test_count += tests.len();
        known.tests.extend(tests.iter().filter_map(|hit| self.test(hit)).take(MOST_TESTS));
        let mut seen: HashSet<Symbol> = symbols.iter().cloned().collect();
        let mut layer = symbols;
        // The forms of the steps before.
        let mut shown: HashSet<(&Path, u32)> = HashSet::new();
        for step in 1..=depth {
            let mut next = Vec::new();
            let mut hits = Vec::new();
            for symbol in &layer {
                let uses = question.uses(symbol);
                if step == 1 {
                    known.unresolved += uses.unresolved.len();
                }
                hits.extend(uses.hits.into_iter().filter(Hit::is_reference));
            }
            if step > 1 {
                // A method of a caller calls nothing by that, nor does its export.
                let calls = |hit: &Hit<'_>| !matches!(hit.used.kind, UseKind::Method | UseKind::Export);
                hits.retain(|hit| calls(hit) && !shown.contains(&place_of(hit)));
                hits.sort_by_key(|hit| (&*hit.document.path, hit.used.start));
            }
            if step < depth && seen.len() < MOST_FORMS {
                let around = hits.iter().flat_map(|hit| question.defined_around(hit));
                next.extend(around.filter(|symbol| seen.insert(symbol.clone())));
            }
            shown.extend(hits.iter().map(place_of));
            self.add(known, hits, step, |kind| is_macro && step == 1 && kind == UseKind::Call);
            layer = next;
        }
    }

    /// What the definitions of the symbols use, and what the definitions of that use, in so many steps.
    fn callees(&self, known: &mut Known, question: &UseIndex<'q>, symbols: Vec<Symbol>, depth: u32) {
        let mut seen: HashSet<Symbol> = symbols.iter().cloned().collect();
        let mut layer = symbols;
        for step in 1..=depth {
            let mut next = Vec::new();
            for symbol in layer {
                let definitions = question.definitions(&symbol);
                for (document, one) in definitions {
                    let span = document.facts.forms[one.form as usize].span;
                    for (used, place) in question.used_in(document, span) {
                        if seen.len() < MOST_FORMS && seen.insert(used.clone()) {
                            self.callee(known, question, (document, place), &used, step);
                            next.push(used);
                        }
                    }
                }
            }
            layer = next;
        }
    }

    /// Adds a definition that is used at a place.
    fn callee(
        &self,
        known: &mut Known,
        question: &UseIndex<'q>,
        (document, used): (&'q Document, Use),
        symbol: &Symbol,
        depth: u32,
    ) {
        let definitions = question.definitions(symbol);
        let Some((there, one)) = definitions.first() else { return };
        let form = &there.facts.forms[one.form as usize];
        let line = there.line(form.span.start);
        let path = there.path.to_string_lossy();
        if !(self.is_wanted)(&path) || !self.filter.takes(used.kind.name(), false) {
            known.filtered += 1;
            return;
        }
        let site = self.site(document, used.start, used.kind.name());
        known.mentions.push(Mention {
            path: Some((self.shown)(&path)),
            line: Some(line),
            form_type: Some(form.head.clone()),
            form_name: form.called().to_owned(),
            kind: used.kind.name().to_owned(),
            call_sites: vec![site],
            depth,
            label: form.label.clone(),
            lines: (line, line),
            ..Mention::default()
        });
    }

    /// Adds the places to the forms around them.
    fn add(&self, known: &mut Known, hits: Vec<Hit<'q>>, depth: u32, is_macro: impl Fn(UseKind) -> bool) {
        let mut forms: HashMap<(String, u32), usize> = HashMap::new();
        for hit in hits {
            let path = hit.document.path.to_string_lossy();
            let kind = if is_macro(hit.used.kind) { "macro" } else { hit.used.kind.name() };
            if !(self.is_wanted)(&path) || !self.filter.takes(kind, hit.is_test()) {
                known.filtered += 1;
                continue;
            }
            let site = self.site(hit.document, hit.used.start, kind);
            let span = hit.form.map_or(hit.used.span(), |form| form.span);
            let path = (self.shown)(&path);
            let at = *forms.entry((path.clone(), span.start)).or_insert(known.mentions.len());
            if at == known.mentions.len() {
                let lines = (hit.document.line(span.start), hit.document.line(span.end.saturating_sub(1)));
                known.mentions.push(Mention {
                    path: Some(path),
                    line: site.line,
                    column: site.column,
                    form_type: hit.form.map(|form| form.head.clone()).filter(|head| !head.is_empty()),
                    context: Some(site.context.clone()),
                    form_name: hit.form.map(|form| form.called().to_owned()).unwrap_or_default(),
                    kind: kind.to_owned(),
                    source: Origin::Static,
                    call_sites: Vec::new(),
                    test: hit.is_test(),
                    depth,
                    label: hit.form.map(|form| form.label.clone()).unwrap_or_default(),
                    lines,
                });
            }
            known.mentions[at].call_sites.push(site);
        }
    }

    fn site(&self, document: &Document, offset: u32, kind: &str) -> CallSite {
        let place = document.lines().line_column(document.text.as_bytes(), offset);
        let line = document.lines().line_span(place.line).map_or("", |span| &document.text[span.range()]);
        CallSite {
            line: Some(place.line),
            column: Some(place.column),
            kind: kind.to_owned(),
            context: one_line(line.trim(), CONTEXT),
        }
    }

    fn test(&self, hit: &Hit<'_>) -> Option<TestThere> {
        let form = hit.form?;
        Some(TestThere {
            path: (self.shown)(&hit.document.path.to_string_lossy()),
            line: hit.document.line(form.span.start),
            name: if form.has_name() { form.called().to_owned() } else { String::new() },
        })
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
