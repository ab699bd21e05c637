//! `code_map`: what a newcomer asks first about a project, as its files say.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use lispwright_index::{Document, FormRow, Index, Refreshed, Space, UseIndex, files_are_modules};
use lispwright_syntax::{Datum, Dialect, FormKind, Span, Tree, read};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::baseline::Baseline;
use crate::code_changed::{Changed, changed};
use crate::code_live::within;
use crate::image_text::one_line;
use crate::indexed::{indexed, left_out};
use crate::lint::{baseline_of, found};
use crate::lint_table::{Linting, linting};
use crate::problems::Problem;
use crate::refusal::Refusal;
use crate::repl_work::relative;
use crate::test_goals::is_test;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// Entries of each list when no number is asked for.
const DEFAULT_LIMIT: u32 = 8;

/// Entries of each list at most.
const MOST: u32 = 200;

/// Characters of a purpose.
const PURPOSE: usize = 160;

/// Lines from which on a form is large.
const LARGE: u32 = 40;

/// Bytes of source in which problems are counted, at most: some tenths of a second.
const MOST_LINTED: usize = 4 << 20;

/// Arguments of `code_map`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeMap {
    /// Path
    #[serde(default)]
    pub path: Option<String>,
    /// Rows, default 8
    #[serde(default)]
    pub limit: Option<u32>,
    /// Since git revision
    #[serde(default)]
    pub changed: Option<String>,
}

/// A project in its main parts. Lists are cut to the limit; the counts are those of all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MapAnswer {
    /// What has changed since a revision; then there is nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<Changed>,
    /// What the files are written in, the dialect with most lines first.
    pub dialects: Vec<DialectShare>,
    /// Systems of build tools.
    pub systems: MapPart<MapPlace>,
    /// Packages, modules, libraries and namespaces; for Emacs Lisp, the libraries.
    pub packages: MapPart<MapPlace>,
    /// Where programs begin: main functions, scripts, commands that are autoloaded.
    pub entry_points: MapPart<MapPlace>,
    /// The number of tests.
    pub test_count: usize,
    /// Files with tests, most tests first.
    pub tests: MapPart<MapPlace>,
    /// The problems that the rules find; absent where there is too much source to look for them in this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problems: Option<MapProblems>,
    /// The definitions that the project uses most.
    pub most_used: MapPart<MapPlace>,
    /// The largest definitions.
    pub largest: MapPart<MapPlace>,
    /// Files in which delimiters do not balance.
    pub unbalanced: MapPart<MapPlace>,
    /// Files that are too large or no text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Files and directories that ignore files leave out, where no file is read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
}

/// The first entries of a list, and the number of all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MapPart<T> {
    /// The number of all entries.
    pub count: usize,
    /// The first of them.
    pub first: Vec<T>,
}

impl<T> Default for MapPart<T> {
    fn default() -> Self {
        Self { count: 0, first: Vec::new() }
    }
}

impl<T> MapPart<T> {
    fn of(mut all: Vec<T>, limit: usize) -> Self {
        let count = all.len();
        all.truncate(limit);
        Self { count, first: all }
    }
}

/// The problems of a project, without hints and those of its baseline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MapProblems {
    /// What fails when it is compiled or run.
    pub errors: usize,
    /// Mistakes, and code that does nothing.
    pub warnings: usize,
    /// Files with problems, most problems first, each with the line of its first one.
    pub files: MapPart<MapPlace>,
}

/// How much of a project is written in a dialect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DialectShare {
    /// The dialect.
    pub name: String,
    /// Its files.
    pub files: usize,
    /// Their lines.
    pub lines: usize,
    /// What they define.
    pub definitions: usize,
}

/// An entry of the map and its place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MapPlace {
    /// Its name, as edits take it where it is a form.
    pub name: String,
    /// The file, as calls name it.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// What it is for, in a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Exports of a package, tests of a file, uses of a name, or lines of a form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// Systems that a system depends on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
}

/// Draws the map from the files of the project.
pub async fn code_map(workshop: &Workshop, args: CodeMap, context: &CallContext) -> Result<MapAnswer, Refusal> {
    let root = workshop.roots.primary().to_owned();
    let linting = linting(workshop);
    let baseline = baseline_of(workshop, &linting);
    let judging = Judging { root, linting, baseline };
    drawn(workshop, args, Some(judging), context).await
}

/// The same without the problems.
pub(crate) async fn code_parts(
    workshop: &Workshop,
    args: CodeMap,
    context: &CallContext,
) -> Result<MapAnswer, Refusal> {
    drawn(workshop, args, None, context).await
}

async fn drawn(
    workshop: &Workshop,
    args: CodeMap,
    judging: Option<Judging>,
    context: &CallContext,
) -> Result<MapAnswer, Refusal> {
    let is_wanted = within(workshop, args.path.as_deref().filter(|path| !path.is_empty()))?;
    if let Some(name) = args.changed.as_deref().filter(|name| !["", "false"].contains(name)) {
        let changed = Some(changed(workshop, name, is_wanted, context).await?);
        return Ok(MapAnswer { changed, ..MapAnswer::default() });
    }
    let root = workshop.roots.primary().to_owned();
    let limit = args.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MOST) as usize;
    indexed(workshop, context, move |index, refreshed| {
        let mut documents: Vec<&Document> =
            index.documents().filter(|document| is_wanted(&document.path.to_string_lossy())).collect();
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        let shown = |document: &Document| relative(&document.path.to_string_lossy(), &root);
        let survey = Survey { index, documents, shown: &shown, limit };
        let ignored = if survey.documents.is_empty() { left_out(&refreshed.ignored, &root) } else { Vec::new() };
        MapAnswer { problems: judging.and_then(|judging| survey.problems(&judging)), ignored, ..survey.map(refreshed) }
    })
    .await
}

/// What is a problem of a project.
struct Judging {
    root: PathBuf,
    linting: Linting,
    baseline: Baseline,
}

/// The files to draw, and how.
struct Survey<'i> {
    index: &'i Index,
    documents: Vec<&'i Document>,
    shown: &'i dyn Fn(&Document) -> String,
    limit: usize,
}

impl<'i> Survey<'i> {
    fn map(&self, refreshed: &Refreshed) -> MapAnswer {
        let part = |entries| MapPart::of(entries, self.limit);
        let tests = self.tests();
        MapAnswer {
            changed: None,
            dialects: self.dialects(),
            systems: part(self.systems()),
            packages: part(self.packages()),
            entry_points: part(self.entry_points()),
            test_count: tests.iter().filter_map(|file| file.count).sum(),
            tests: part(tests),
            most_used: part(self.most_used()),
            largest: part(self.largest()),
            unbalanced: part(self.unbalanced()),
            problems: None,
            left_out: refreshed.left_out.iter().map(|path| path.display().to_string()).collect(),
            ignored: Vec::new(),
        }
    }

    fn dialects(&self) -> Vec<DialectShare> {
        let mut shares: BTreeMap<&str, DialectShare> = BTreeMap::new();
        for document in &self.documents {
            let name = document.dialect.name();
            let share =
                shares.entry(name).or_insert_with(|| DialectShare { name: name.to_owned(), ..DialectShare::default() });
            share.files += 1;
            share.lines += document.text.lines().count();
            share.definitions += document.facts.definitions.len();
        }
        let mut shares: Vec<DialectShare> = shares.into_values().collect();
        shares.sort_by_key(|share| Reverse(share.lines));
        shares
    }

    /// The forms of all files, each with its file.
    fn forms(&self) -> impl Iterator<Item = (&'i Document, &'i FormRow)> {
        self.documents.iter().flat_map(|&document| document.facts.forms.iter().map(move |form| (document, form)))
    }

    fn place(&self, document: &Document, name: &str, at: u32) -> MapPlace {
        MapPlace {
            name: one_line(name, 120),
            path: (self.shown)(document),
            line: document.line(at),
            ..MapPlace::default()
        }
    }

    fn systems(&self) -> Vec<MapPlace> {
        let mut found = Vec::new();
        for &document in &self.documents {
            let tree = || read(&document.text, document.dialect);
            for form in document.facts.forms.iter().filter(|form| form.kind == FormKind::System) {
                let options = Options { tree: &tree(), text: &document.text, form: form.span };
                let name = form.designated();
                found.push(MapPlace {
                    purpose: form.docstring.and_then(|span| purpose(&document.text[span.range()])),
                    depends_on: options.names(":depends-on"),
                    ..self.place(document, name, form.span.start)
                });
            }
            let is_deps = document.path.file_name().is_some_and(|name| name == "deps.edn");
            if is_deps {
                let options = Options { tree: &tree(), text: &document.text, form: Span::new(0, 0) };
                let aliases = options.keys(":aliases");
                let purpose = (!aliases.is_empty()).then(|| format!("aliases {}", aliases.join(" ")));
                found.push(MapPlace { purpose, ..self.place(document, "deps.edn", 0) });
            }
        }
        found
    }

    fn packages(&self) -> Vec<MapPlace> {
        let mut questions: BTreeMap<&str, UseIndex<'_>> = BTreeMap::new();
        let mut seen = HashSet::new();
        let mut places = Vec::new();
        let mut add = |document: &Document, space: &Space, is_addition: bool| {
            if space.adds != is_addition || seen.contains(&(document.dialect.name(), space.name.clone())) {
                return;
            }
            // In some dialects a file is a module, and has others inside.
            if space.is_file() && (space.name.contains('#') || !files_are_modules(document.dialect)) {
                return;
            }
            let names = space.nicknames.iter().chain([&space.name]);
            seen.extend(names.map(|name| (document.dialect.name(), name.clone())));
            let question =
                questions.entry(document.dialect.name()).or_insert_with(|| self.index.question(document.dialect));
            let count = question.exported(&space.name).map_or(0, |exported| exported.len());
            let name = if space.is_file() { (self.shown)(document) } else { space.name.clone() };
            places.push(MapPlace {
                purpose: space.docstring.as_deref().and_then(purpose),
                count: Some(count).filter(|count| *count > 0),
                ..self.place(document, &name, space.at)
            });
        };
        // What a file adds to a package, `export` for example, counts where the package is declared.
        for is_addition in [false, true] {
            for document in &self.documents {
                document.facts.spaces.iter().for_each(|space| add(document, space, is_addition));
            }
        }
        for &document in &self.documents {
            if let Some((name, summary)) = library(&document.text) {
                places.push(MapPlace { purpose: purpose(summary), ..self.place(document, name, 0) });
            }
        }
        // The main ones give most out.
        places.sort_by_key(|package| Reverse(package.count));
        places
    }

    fn entry_points(&self) -> Vec<MapPlace> {
        let mut found = Vec::new();
        for &document in &self.documents {
            if document.text.starts_with("#!/") {
                let name = document.path.file_name().unwrap_or_default().to_string_lossy();
                found.push(MapPlace { purpose: Some("a script".to_owned()), ..self.place(document, &name, 0) });
            }
        }
        for (document, form) in self.forms() {
            let is_main = match form.kind {
                FormKind::Function => ["main", "-main"].contains(&&*form.called().to_lowercase()),
                _ => files_are_modules(document.dialect) && is_submodule(form, "main"),
            };
            let line = document.line(form.span.start);
            let is_command = line > 1
                && document
                    .lines()
                    .line_span(line - 1)
                    .is_some_and(|span| document.text[span.range()].starts_with(";;;###autoload"));
            if is_main || (is_command && form.kind == FormKind::Function) {
                let docstring = form.docstring.and_then(|span| purpose(&document.text[span.range()]));
                let place = self.place(document, &form.label, form.span.start);
                found.push(MapPlace { purpose: docstring, ..place });
            }
        }
        found
    }

    fn tests(&self) -> Vec<MapPlace> {
        let mut counts: BTreeMap<&Path, (usize, &Document, &FormRow)> = BTreeMap::new();
        for (document, form) in self.forms().filter(|(document, form)| is_test(document, form)) {
            // They are around tests.
            let is_group = ["test-begin", "test-group"].contains(&&*form.head);
            counts.entry(&document.path).or_insert((0, document, form)).0 += usize::from(!is_group);
        }
        for (document, form) in self.forms() {
            if files_are_modules(document.dialect) && is_submodule(form, "test") {
                counts.entry(&document.path).or_insert((1, document, form));
            }
        }
        let mut found: Vec<MapPlace> = counts
            .into_values()
            .map(|(count, document, form)| MapPlace {
                count: Some(count.max(1)),
                ..self.place(document, &form.head, form.span.start)
            })
            .collect();
        found.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.path.cmp(&b.path)));
        found
    }

    fn most_used(&self) -> Vec<MapPlace> {
        let mut dialects: Vec<Dialect> = self.documents.iter().map(|document| document.dialect).collect();
        dialects.sort_by_key(|dialect| dialect.name());
        dialects.dedup();
        let mut found = Vec::new();
        for dialect in dialects.into_iter().filter(|dialect| dialect.has_special_forms()) {
            let question = self.index.question(dialect);
            // Of a part of the files, what is used most is further down.
            let most = if self.documents.len() < self.index.documents().count() { usize::MAX } else { self.limit };
            for (symbol, count) in question.most_used(most) {
                let mut definitions = question.definitions(&symbol);
                definitions.retain(|(document, one)| {
                    one.kind != FormKind::Method && self.documents.iter().any(|here| here.path == document.path)
                });
                // Of several, one of a known kind says more than another macro's mention of the name.
                if let Some((document, one)) =
                    definitions.into_iter().min_by_key(|(_, one)| one.kind == FormKind::Definition)
                {
                    let form = &document.facts.forms[one.form as usize];
                    let label = if one.made { format!("{} of {}", one.name, form.label) } else { form.label.clone() };
                    let place = self.place(document, &label, form.span.start);
                    found.push(MapPlace { count: Some(count), ..place });
                }
            }
        }
        found.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
        found.dedup_by(|a, b| a.path == b.path && a.line == b.line);
        found
    }

    fn largest(&self) -> Vec<MapPlace> {
        let lines = |document: &Document, form: &FormRow| {
            document.line(form.span.end.saturating_sub(1)) - document.line(form.span.start) + 1
        };
        let mut found: Vec<MapPlace> = self
            .forms()
            .filter(|(_, form)| form.kind.defines() && !matches!(form.kind, FormKind::Package | FormKind::System))
            .map(|(document, form)| (lines(document, form), document, form))
            .filter(|(lines, ..)| *lines >= LARGE)
            .map(|(lines, document, form)| MapPlace {
                count: Some(lines as usize),
                ..self.place(document, &form.label, form.span.start)
            })
            .collect();
        found.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| (&a.path, a.line).cmp(&(&b.path, b.line))));
        found
    }

    /// The problems of the files; `None` if they have too much source.
    fn problems(&self, judging: &Judging) -> Option<MapProblems> {
        let wanted: HashSet<&Path> = self
            .documents
            .iter()
            .map(|document| document.path.as_path())
            .filter(|path| path.strip_prefix(&judging.root).is_ok_and(|path| !judging.linting.excludes(path)))
            .collect();
        let bytes: usize = self.documents.iter().map(|document| document.text.len()).sum();
        if bytes > MOST_LINTED {
            return None;
        }
        let found = found(self.index, &judging.linting.chosen(), &|path| wanted.contains(path));
        let all = found.values().flat_map(|(document, findings)| {
            findings.iter().map(|finding| Problem::of(document, finding, &judging.root))
        });
        let mut all: Vec<Problem> = all.filter(Problem::is_grave).collect();
        judging.baseline.take_out(&mut all);
        let errors = all.iter().filter(|problem| problem.is_error()).count();
        let mut files: Vec<MapPlace> = Vec::new();
        for problem in &all {
            match files.last_mut().filter(|file| file.path == problem.path) {
                Some(file) => file.count = file.count.map(|count| count + 1),
                None => files.push(MapPlace {
                    path: problem.path.clone(),
                    line: problem.line,
                    count: Some(1),
                    ..MapPlace::default()
                }),
            }
        }
        files.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.path.cmp(&b.path)));
        Some(MapProblems { errors, warnings: all.len() - errors, files: MapPart::of(files, self.limit) })
    }

    fn unbalanced(&self) -> Vec<MapPlace> {
        let broken = self.documents.iter().filter(|document| !document.is_balanced);
        broken.map(|document| self.place(document, "", 0)).collect()
    }
}

/// The options of a form: keywords, each before its value.
struct Options<'t> {
    tree: &'t Tree,
    text: &'t str,
    form: Span,
}

impl Options<'_> {
    /// The value of an option.
    fn value(&self, name: &str) -> Option<Datum> {
        let is_there = |datum: &Datum| self.tree.core_span(*datum).contains(self.form.start);
        let top = self.tree.top_level().find(is_there)?.list()?;
        let mut data = self.tree.data(top);
        data.find(|datum| self.source(*datum).eq_ignore_ascii_case(name))?;
        data.next()
    }

    fn source(&self, datum: Datum) -> &str {
        &self.text[self.tree.core_span(datum).range()]
    }

    /// The names in a list; of `(:version "a" "1")`, what comes after the keyword.
    fn names(&self, name: &str) -> Vec<String> {
        let Some(list) = self.value(name).and_then(Datum::list) else { return Vec::new() };
        let named = |datum: Datum| match datum.list() {
            None => Some(datum),
            Some(list) => self.tree.data(list).nth(1).filter(|datum| datum.list().is_none()),
        };
        let names = self.tree.data(list).filter_map(named).map(|datum| self.source(datum));
        names.map(|name| name.trim_start_matches("#:").trim_start_matches(':').trim_matches('"').to_owned()).collect()
    }

    /// The keys of a map.
    fn keys(&self, name: &str) -> Vec<String> {
        let Some(list) = self.value(name).and_then(Datum::list) else { return Vec::new() };
        self.tree.data(list).step_by(2).map(|datum| self.source(datum).to_owned()).collect()
    }
}

/// The first line of a docstring.
fn purpose(docstring: &str) -> Option<String> {
    let line = docstring.trim_matches('"').lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(one_line(line.trim_end_matches('"'), PURPOSE))
}

/// The form is a module of that name inside of the module that a file is.
fn is_submodule(form: &FormRow, name: &str) -> bool {
    matches!(&*form.head, "module" | "module+" | "module*") && form.called() == name
}

/// The name and the summary in the first line of a library of Emacs Lisp: `;;; name.el --- summary  -*- … -*-`.
fn library(text: &str) -> Option<(&str, &str)> {
    let line = text.lines().next()?.strip_prefix(";;;")?;
    let (name, summary) = line.split_once("---").filter(|(name, _)| name.trim().ends_with(".el"))?;
    let summary = summary.split("-*-").next()?.trim();
    Some((name.trim(), summary))
}
