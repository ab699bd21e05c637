//! `lispwright lint`: what a compiler would say of the files of a project, from the files alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lispwright_index::{Document, Index, LanguageOf, Refreshed, UseIndex, each};
use lispwright_lint::{Chosen, Finding, new_since, rules};
use lispwright_project::Trial;
use lispwright_syntax::{Dialect, nearest};
use schemars::JsonSchema;
use serde::Serialize;

use crate::baseline::Baseline;
use crate::code_changed::Old;
use crate::fs_write_file::{FsWriteFile, fs_write_file};
use crate::indexed::indexed_with;
use crate::lint_table::{Linting, linting};
use crate::mend::mended;
use crate::problems::Problem;
use crate::refusal::Refusal;
use crate::repl_work::relative;
use crate::several::{NewFile, write};
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// What is to be looked at.
#[derive(Clone, Debug, Default)]
pub struct Lint {
    /// Files and directories; without any the whole project.
    pub paths: Vec<String>,
    /// A revision of git: only what is new since then.
    pub since: Option<String>,
    /// The codes of the rules that are asked; without any those that are on.
    pub rules: Vec<String>,
    /// Make the safe changes that the rules know.
    pub fix: bool,
    /// Write what is found into the baseline, instead of telling it.
    pub write_baseline: bool,
}

/// The file with the problems that are known, unless the configuration names another.
const BASELINE: &str = "lint-baseline.txt";

/// The problems of some files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LintAnswer {
    /// The problems, in the order of files and lines.
    pub problems: Vec<Problem>,
    /// The number of files that were examined.
    pub files: usize,
    /// What was not examined.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_examined: Vec<NotExamined>,
    /// Files that were changed, each with the number of problems that are gone by it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<FixedFile>,
    /// The number of problems that the baseline knows.
    #[serde(skip_serializing_if = "crate::changes::is_zero")]
    pub known: usize,
    /// The baseline that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// The revision since which these problems are new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The rules that were asked.
    #[serde(skip)]
    pub rules: Vec<RuleFacts>,
}

/// A file that was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FixedFile {
    /// The file, as calls name it.
    pub path: String,
    /// The problems that are gone.
    pub problems: usize,
}

/// A file that was not examined, or only in part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NotExamined {
    /// The file, as calls name it.
    pub path: String,
    /// The reason.
    pub why: NotExaminedWhy,
}

/// Why a file was not examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotExaminedWhy {
    /// Some of its forms do not balance; the others were examined.
    Broken,
    /// It is too large or no text, or in a notation that is not read by form.
    NotRead,
    /// It holds data.
    Data,
    /// It is no Lisp, or an ignore file names it.
    NoLisp,
    /// A directory that an ignore file leaves out.
    Ignored,
}

/// A rule that was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleFacts {
    /// Its code.
    pub code: &'static str,
    /// The level of what it finds.
    pub level: &'static str,
    /// What it finds.
    pub what: &'static str,
    /// Why that is wrong.
    pub why: &'static str,
}

/// Examines files.
///
/// Errors: there is no such file, rule or revision.
pub async fn lint(workshop: &Workshop, asked: Lint, context: &CallContext) -> Result<LintAnswer, Refusal> {
    let linting = linting(workshop);
    let chosen = chosen(&asked.rules, &linting)?;
    let root = workshop.roots.primary().to_owned();
    let wanted: Vec<PathBuf> = asked
        .paths
        .iter()
        .map(|path| workshop.roots.absolute_or_directory(Path::new(path)))
        .collect::<Result<_, _>>()?;
    let is_wanted = {
        let (wanted, root, linting) = (wanted.clone(), root.clone(), linting.clone());
        move |path: &Path| {
            let is_excluded = path.strip_prefix(&root).is_ok_and(|path| linting.excludes(path));
            !is_excluded && (wanted.is_empty() || wanted.iter().any(|one| path.starts_with(one)))
        }
    };
    let old = match asked.since.clone() {
        Some(name) => {
            let workshop = workshop.clone();
            Some(context.on_files(move || Old::read(&workshop, &name, &|_| true)).await?)
        }
        None => None,
    };
    let is_fixing = asked.fix;
    let (mut answer, new_files) = indexed_with(workshop, context, move |index, refreshed, language_of| {
        let now = found(index, &chosen, &is_wanted);
        let mut answer = LintAnswer {
            files: now.len(),
            not_examined: not_examined(index, refreshed, &wanted, &is_wanted, &root),
            since: asked.since,
            rules: facts(&chosen),
            ..LintAnswer::default()
        };
        let before = old.map(|old| findings_then(index, &old, &chosen, &is_wanted, language_of)).unwrap_or_default();
        let mut new_files = Vec::new();
        for (path, (document, findings)) in &now {
            let known = before.get(*path).map_or(&[][..], Vec::as_slice);
            let mut new: Vec<Finding> = new_since(known, findings).into_iter().cloned().collect();
            if is_fixing && let Some((text, left)) = mended(document, &new) {
                let path = relative(&document.path.to_string_lossy(), &root);
                answer.fixed.push(FixedFile { path, problems: new.len() - left.len() });
                let (path, old_text) = (document.path.clone(), document.text.clone());
                new_files.push(NewFile { path, is_new: false, old_text, new_text: text });
                new = left;
            }
            answer.problems.extend(new.iter().map(|finding| Problem::of(document, finding, &root)));
        }
        (answer, new_files)
    })
    .await?;
    if !new_files.is_empty() {
        let workshop = workshop.clone();
        context.on_files(move || write(&workshop, &new_files).map(Trial::keep)).await?;
    }
    if asked.write_baseline {
        let baseline = linting.baseline.as_deref().unwrap_or(BASELINE);
        let content = Baseline::of(&answer.problems).text();
        let file = FsWriteFile { path: baseline.to_owned(), content, accept: None };
        fs_write_file(workshop, file, context).await?;
        answer.known = std::mem::take(&mut answer.problems).len();
        answer.baseline = Some(baseline.to_owned());
    } else {
        answer.known = baseline_of(workshop, &linting).take_out(&mut answer.problems);
    }
    Ok(answer)
}

/// The problems that the project knows.
pub(crate) fn baseline_of(workshop: &Workshop, linting: &Linting) -> Baseline {
    let file = workshop.workspace.read(linting.baseline.as_deref().unwrap_or(BASELINE));
    file.map(|file| Baseline::read(&file.text)).unwrap_or_default()
}

/// The rules that are asked.
fn chosen(codes: &[String], linting: &Linting) -> Result<Chosen, Refusal> {
    if codes.is_empty() {
        return Ok(linting.chosen());
    }
    Chosen::only(codes).map_err(|unknown| {
        let known = rules::ALL.iter().map(|rule| rule.about().code);
        let near = nearest(unknown, known, 3);
        let near = if near.is_empty() { String::new() } else { format!("; near it: {}", near.join(", ")) };
        Refusal::Misfit { why: format!("there is no rule `{unknown}`{near}") }
    })
}

fn facts(chosen: &Chosen) -> Vec<RuleFacts> {
    let facts = |(rule, level): &(&dyn lispwright_lint::Rule, lispwright_lint::Severity)| {
        let about = rule.about();
        RuleFacts { code: about.code, level: level.name(), what: about.what, why: about.why }
    };
    chosen.rules().iter().map(facts).collect()
}

/// The findings of files.
type Found<'i> = BTreeMap<&'i Path, (&'i Document, Vec<Finding>)>;

/// What the rules find in the files of an index that are wanted.
pub(crate) fn found<'i>(index: &'i Index, chosen: &Chosen, is_wanted: &dyn Fn(&Path) -> bool) -> Found<'i> {
    let mut found = Found::new();
    for dialect in Dialect::ALL.into_iter().filter(|dialect| dialect.has_special_forms()) {
        let is_code = |one: &&Document| one.dialect == dialect && !one.is_data() && !one.has_at_forms();
        let own: Vec<&Document> = index.documents().filter(is_code).filter(|one| is_wanted(&one.path)).collect();
        if own.is_empty() {
            continue;
        }
        let question: UseIndex<'i> = index.question(dialect);
        let all = each(&own, |document| chosen.findings(&question, document));
        found.extend(own.into_iter().zip(all).map(|(document, all)| (document.path.as_path(), (document, all))));
    }
    found
}

/// What the rules found in the files as a revision has them.
fn findings_then(
    index: &Index,
    old: &Old,
    chosen: &Chosen,
    is_wanted: &dyn Fn(&Path) -> bool,
    language_of: LanguageOf<'_>,
) -> BTreeMap<PathBuf, Vec<Finding>> {
    let texts = old.differing.iter().filter_map(|(path, text)| {
        let language = language_of(path, text)?;
        Some((path.clone(), text.clone(), language))
    });
    let then = index.without(|path| !old.names.contains(path)).with(texts);
    let found = found(&then, chosen, is_wanted).into_iter();
    found.map(|(path, (_, findings))| (path.to_owned(), findings)).collect()
}

/// The files that are wanted and were not examined, or only in part.
fn not_examined(
    index: &Index,
    refreshed: &Refreshed,
    wanted: &[PathBuf],
    is_wanted: &dyn Fn(&Path) -> bool,
    root: &Path,
) -> Vec<NotExamined> {
    let why = |document: &Document| match () {
        () if document.has_at_forms() => Some(NotExaminedWhy::NotRead),
        () if document.is_data() || !document.dialect.has_special_forms() => Some(NotExaminedWhy::Data),
        () if !document.is_balanced => Some(NotExaminedWhy::Broken),
        () => None,
    };
    let known = index.documents().filter_map(|document| Some((document.path.as_path(), why(document)?)));
    let left_out = refreshed.left_out.iter().map(|path| (path.as_path(), NotExaminedWhy::NotRead));
    let is_known = |path: &Path| index.document(path).is_some() || refreshed.left_out.iter().any(|one| one == path);
    let others = wanted.iter().map(PathBuf::as_path).filter(|path| !path.is_dir() && !is_known(path));
    let others = others.map(|path| (path, NotExaminedWhy::NoLisp));
    let is_ignored = |path: &&Path| path.is_dir() && refreshed.ignored.iter().any(|one| path.starts_with(one));
    // Without a path the whole project is wanted, which may have nothing else.
    let is_nothing_else = wanted.is_empty() && index.documents().next().is_none();
    let asked = if is_nothing_else { &refreshed.ignored } else { wanted };
    let ignored = asked.iter().map(PathBuf::as_path).filter(is_ignored).map(|path| (path, NotExaminedWhy::Ignored));
    let all = known.chain(left_out).filter(|(path, _)| is_wanted(path)).chain(others).chain(ignored);
    let named = |(path, why): (&Path, _)| NotExamined { path: relative(&path.to_string_lossy(), root), why };
    let mut all: Vec<NotExamined> = all.map(named).collect();
    all.sort_by(|a, b| (a.why, &a.path).cmp(&(b.why, &b.path)));
    all
}
