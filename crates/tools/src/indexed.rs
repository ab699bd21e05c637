//! What the files of the project define and use, up to date for each question.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use lispwright_index::{Index, LanguageOf, Refreshed};
use lispwright_project::root_around;
use lispwright_syntax::{Dialect, Language};

use crate::refusal::Refusal;
use crate::repl_work::relative;
use crate::tool::CallContext;
use crate::workshop::Workshop;
use crate::workspace::Workspace;

/// What `look` finds in the index, which has seen every change of the files, also by calls that came before.
pub(crate) async fn indexed<T: Send + 'static>(
    workshop: &Workshop,
    context: &CallContext,
    look: impl FnOnce(&Index, &Refreshed) -> T + Send + 'static,
) -> Result<T, Refusal> {
    indexed_with(workshop, context, |index, refreshed, _| look(index, refreshed)).await
}

/// The language of a file in the index, which also knows what the code between prose means. If its configuration is wrong,
/// it is read as its dialect reads it, without the additions.
pub(crate) fn language_of(workspace: &Workspace, path: &Path, text: &str) -> Option<Language> {
    let path = path.to_string_lossy();
    let extended = |dialect: Dialect| workspace.extended(dialect, Some(&path)).unwrap_or_else(|_| dialect.into());
    if let Some(dialect) = Dialect::detect(&path, text.as_bytes()) {
        return Some(extended(dialect));
    }
    Language::of_at_forms(&path, text).map(|language| extended(language.dialect()).with_at_forms())
}

/// The index of the project around a file or directory, for a command: what is below the root that would be opened, or
/// else below the directory.
pub(crate) fn index_around(workspace: &Workspace, path: &str) -> Index {
    let path = workspace.absolute(path);
    let directory = if path.is_dir() { &path } else { path.parent().unwrap_or(&path) };
    let root = directory.canonicalize().ok().and_then(|directory| root_around(&directory));
    let mut index = Index::default();
    index.refresh([root.as_deref().unwrap_or(directory)], &|path, text| language_of(workspace, path, text));
    index
}

/// The names of files and directories that the index leaves out, as calls name them.
pub(crate) fn left_out(paths: &[PathBuf], root: &Path) -> Vec<String> {
    let mut names: Vec<String> = paths.iter().map(|path| relative(&path.to_string_lossy(), root)).collect();
    names.sort();
    names
}

/// The packages, modules and namespaces in which a name is defined.
pub(crate) fn homes(index: &Index, name: &str) -> Vec<String> {
    let found = index.definitions(name, None);
    let mut names: Vec<String> = found.iter().filter_map(|(_, one)| one.package()).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

/// The same; `look` is also told how the language of a file is found.
pub(crate) async fn indexed_with<T: Send + 'static>(
    workshop: &Workshop,
    context: &CallContext,
    look: impl FnOnce(&Index, &Refreshed, LanguageOf<'_>) -> T + Send + 'static,
) -> Result<T, Refusal> {
    let workshop = workshop.clone();
    context
        .on_files(move || {
            let language = |path: &Path, text: &str| language_of(&workshop.workspace, path, text);
            // The files are compared again on each question, so a panic elsewhere leaves nothing wrong in the index.
            let mut index = workshop.index.lock().unwrap_or_else(PoisonError::into_inner);
            let refreshed = index.refresh(workshop.roots.writable(), &language);
            Ok(look(&index, &refreshed, &language))
        })
        .await
}
