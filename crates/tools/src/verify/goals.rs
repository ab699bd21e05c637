//! What a verification loads and which tests it runs.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use lispwright_index::FormRow;
use lispwright_runtime::{Runtime, definition_files};
use lispwright_syntax::{Dialect, FormKind};

use super::attempt::Attempt;
use super::{Verify, Wish};
use crate::indexed::indexed;
use crate::refusal::Refusal;
use crate::several::shown;
use crate::test_goals::{self, goals};
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// Files with tests that are run although they use nothing of what has changed.
const MOST_TEST_FILES: usize = 20;

/// Something that is loaded or tested.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Goal {
    /// A system or module, by its name.
    System(String),
    /// A file, as calls name it.
    File(String),
    /// The systems that contain a file.
    Containing(String),
}

impl Goal {
    /// The arguments of a tool: a system, or a path.
    pub(crate) fn arguments(&self) -> (Option<&str>, Option<&str>) {
        match self {
            Self::System(system) => (Some(system), None),
            Self::File(path) | Self::Containing(path) => (None, Some(path)),
        }
    }

    /// Its name in texts.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::System(name) | Self::File(name) | Self::Containing(name) => name,
        }
    }
}

impl From<test_goals::Goal> for Goal {
    fn from(goal: test_goals::Goal) -> Self {
        match goal {
            test_goals::Goal::System(name) => Self::System(name),
            test_goals::Goal::File(path) => Self::File(path),
        }
    }
}

/// What is done to verify a change.
pub(crate) struct Plan {
    /// What is loaded, in the order of use; with a file, the one for whose sake it is.
    pub(crate) loads: Vec<(Goal, Option<PathBuf>)>,
    /// The tests.
    pub(crate) tests: Vec<Goal>,
    /// The number of further files with tests, none of which uses a changed file.
    pub(crate) tests_left_out: usize,
    /// The changed files with code, absolute.
    pub(crate) files: Vec<PathBuf>,
}

impl Plan {
    /// The tests up to these alone; without one of them all of it.
    pub(super) fn until(&self, ends: &[&Goal]) -> Self {
        let last = self.tests.iter().rposition(|goal| ends.contains(&goal));
        let tests = match last {
            Some(last) => self.tests[..=last].to_vec(),
            None => self.tests.clone(),
        };
        let loads = if last.is_some() { Vec::new() } else { self.loads.clone() };
        Self { loads, tests, tests_left_out: self.tests_left_out, files: self.files.clone() }
    }

    pub(crate) async fn of(
        workshop: &Workshop,
        files: &[PathBuf],
        wish: &Wish,
        context: &CallContext,
    ) -> Result<Self, Refusal> {
        let code: Vec<PathBuf> = files.iter().filter(|file| is_code(file)).cloned().collect();
        let named = wish.system.as_ref().map(|name| named(workshop, name));
        let loads = match named.clone().filter(|_| wish.verify != Verify::Tests) {
            Some(goal) => vec![(goal, None)],
            None => ordered(workshop, &code, context)
                .await?
                .into_iter()
                .map(|file| {
                    let name = shown(workshop, &file);
                    let is_part = dialect_of(&file) == Some(Dialect::CommonLisp);
                    (if is_part { Goal::Containing(name) } else { Goal::File(name) }, Some(file))
                })
                .collect(),
        };
        let (tests, tests_left_out) = match (wish.verify, named) {
            (Verify::Tests, Some(goal)) => (vec![goal], 0),
            (Verify::Tests, None) => tests(workshop, files, context).await?,
            _ => (Vec::new(), 0),
        };
        if wish.verify == Verify::Tests && tests.is_empty() {
            return Err(Refusal::Misfit {
                why: "no tests were found for the changed files; name their system or file with `system`".to_owned(),
            });
        }
        Ok(Self { loads, tests, tests_left_out, files: code })
    }

    /// The changed files that an attempt has not seen compiled or loaded.
    pub(crate) fn not_seen(&self, attempt: &Attempt) -> Vec<&Path> {
        let is_unseen = |file: &&PathBuf| !attempt.seen.contains(*file);
        self.files.iter().filter(is_unseen).map(PathBuf::as_path).collect()
    }
}

/// A system, or a file, by the name that a caller has given.
fn named(workshop: &Workshop, name: &str) -> Goal {
    match workshop.roots.read(Path::new(name)) {
        Ok(file) => Goal::File(file.path),
        Err(_) => Goal::System(name.to_owned()),
    }
}

fn dialect_of(file: &Path) -> Option<Dialect> {
    Dialect::detect(&file.to_string_lossy(), b"")
}

/// The file has code that can be loaded.
fn is_code(file: &Path) -> bool {
    let extension = file.extension().unwrap_or_default().to_string_lossy();
    let is_of_tool = Runtime::of_project_file(file).is_some();
    dialect_of(file).is_some() && !matches!(&*extension, "asd" | "edn") && !is_of_tool
}

/// The dialect of the code that a file concerns: how a project is built concerns all of it.
fn concerned_by(file: &Path) -> Option<Dialect> {
    Runtime::of_project_file(file).map(|runtime| runtime.dialect).or_else(|| dialect_of(file))
}

/// The files, each after those of them that it uses.
async fn ordered(workshop: &Workshop, files: &[PathBuf], context: &CallContext) -> Result<Vec<PathBuf>, Refusal> {
    if files.len() < 2 {
        return Ok(files.to_vec());
    }
    let files = files.to_vec();
    indexed(workshop, context, move |index, _| {
        let mut dialects: Vec<Dialect> = files.iter().filter_map(|file| dialect_of(file)).collect();
        dialects.dedup();
        let of = |dialect: Dialect| {
            let own: Vec<PathBuf> = files.iter().filter(|file| dialect_of(file) == Some(dialect)).cloned().collect();
            index.file_order(dialect).ordered(&own)
        };
        let mut ordered: Vec<PathBuf> = Vec::new();
        for file in dialects.into_iter().flat_map(of) {
            if !ordered.contains(&file) {
                ordered.push(file);
            }
        }
        ordered
    })
    .await
}

/// The test systems beside the files, else the project's own tests in the dialects concerned: those that use a changed file,
/// and then others up to [`MOST_TEST_FILES`]. Returns also how many are left out.
async fn tests(workshop: &Workshop, files: &[PathBuf], context: &CallContext) -> Result<(Vec<Goal>, usize), Refusal> {
    let all: Vec<PathBuf> = workshop.roots.writable().flat_map(definition_files).collect();
    let mut definitions: Vec<PathBuf> = Vec::new();
    for path in files.iter().flat_map(|file| definitions_of(&all, file)) {
        if !definitions.contains(path) {
            definitions.push(path.clone());
        }
    }
    let dialects: HashSet<Dialect> = files.iter().filter_map(|file| concerned_by(file)).collect();
    let (changed, of) = (files.to_vec(), dialects.clone());
    let (systems, users) = indexed(workshop, context, move |index, _| {
        let forms = definitions.iter().filter_map(|path| index.document(path)).flat_map(|one| &one.facts.forms);
        let names = forms.filter(|form| form.kind == FormKind::System).map(FormRow::designated);
        let systems: Vec<String> =
            names.filter(|name| name.to_lowercase().contains("test")).map(str::to_owned).collect();
        let users_in = |dialect: Dialect| index.file_order(dialect).users_of(changed.iter().map(PathBuf::as_path));
        let users: HashSet<PathBuf> =
            if systems.is_empty() { of.into_iter().flat_map(users_in).collect() } else { HashSet::new() };
        (systems, users)
    })
    .await?;
    if !systems.is_empty() {
        return Ok((systems.into_iter().map(Goal::System).collect(), 0));
    }
    let is_user = |goal: &Goal| match goal {
        Goal::File(path) => users.contains(&workshop.workspace.absolute(path)),
        Goal::System(_) | Goal::Containing(_) => true,
    };
    let own = goals(workshop, context, None).await?.goals.into_iter();
    let of_dialects = own.filter(|goal| goal.dialect().is_some_and(|dialect| dialects.contains(&dialect)));
    let (mut tests, others): (Vec<Goal>, Vec<Goal>) = of_dialects.map(Goal::from).partition(is_user);
    let room = MOST_TEST_FILES.saturating_sub(tests.len()).min(others.len());
    let left_out = others.len() - room;
    tests.extend(others.into_iter().take(room));
    Ok((tests, left_out))
}

/// The definition files of systems in the nearest directory around a file of Common Lisp that has any.
fn definitions_of<'d>(definitions: &'d [PathBuf], file: &Path) -> Vec<&'d PathBuf> {
    if dialect_of(file) != Some(Dialect::CommonLisp) {
        return Vec::new();
    }
    let is_around = |one: &&PathBuf| one.parent().is_some_and(|directory| file.starts_with(directory));
    let mut around: Vec<&PathBuf> = definitions.iter().filter(is_around).collect();
    let depth = |path: &PathBuf| path.components().count();
    let nearest = around.iter().map(|path| depth(path)).max().unwrap_or(0);
    around.retain(|path| depth(path) == nearest);
    around.sort();
    around
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_for_a_tool_is_no_code() {
        let loaded =
            ["shop.asd", "deps.edn", "a/project.clj", "Cask", "a/Eldev", "a/shop.clj", "b/project.cljs", "c.el"];
        let code: Vec<&str> = loaded.into_iter().filter(|file| is_code(Path::new(file))).collect();
        assert_eq!(code, ["a/shop.clj", "b/project.cljs", "c.el"]);
    }
}
