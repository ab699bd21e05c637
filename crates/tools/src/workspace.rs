//! The files of a project and the languages they are written in: one rule for the server, the commands and the hooks.
//!
//! They differ in the files that they may read: calls of a client only files below open roots, a person at a shell and
//! the hook of an agent any file. The nearest `lispwright.toml` beside or above a file applies to it, up to the directory
//! where its version control begins, wherever the root is: the same command means the same in each directory.
//!
//! A configuration is parsed again only when its file has changed.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use lispwright_index::is_lisp;
use lispwright_lint::kondo::KondoConfig;
use lispwright_project::{
    Error, Roots, SourceFile, Survey, Version, begins_version_control, read_anywhere, read_text_anywhere, survey,
    up_to_project,
};
use lispwright_runtime::Runtime;
use lispwright_syntax::{Dialect, Language};

use crate::languages::{BadConfiguration, ConfigFault, FILE_NAME, Languages};
use crate::lint_table::KONDO_CONFIG;
use crate::refusal::Refusal;

/// Readable files, and their languages. Clones share the known configurations.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// `None` for every file of the system.
    roots: Option<Roots>,
    known: Kept<Result<Arc<Languages>, ConfigFault>>,
    /// What clj-kondo is told.
    kondo: Kept<Arc<KondoConfig>>,
}

/// The most configurations that are kept.
const MOST_KNOWN: usize = 1_000;

/// What was read of some files, each in one version of it.
#[derive(Clone, Debug)]
struct Kept<T>(Arc<Mutex<HashMap<PathBuf, (Version, T)>>>);

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: Clone> Kept<T> {
    // Each change of the map is one call, so a panic elsewhere leaves it whole.
    fn all(&self) -> MutexGuard<'_, HashMap<PathBuf, (Version, T)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was read of this version of a file.
    fn get(&self, path: &Path, version: Option<Version>) -> Option<T> {
        self.all().get(path).filter(|(kept, _)| Some(*kept) == version).map(|(_, read)| read.clone())
    }

    /// Keeps what was read of this version of a file, if the next change of it will have another one.
    fn keep(&self, path: PathBuf, version: Option<Version>, now: SystemTime, read: T) {
        if let Some(version) = version.filter(|version| version.is_settled(now)) {
            let mut all = self.all();
            if all.len() >= MOST_KNOWN {
                all.clear();
            }
            all.insert(path, (version, read));
        }
    }
}

/// A file that has been read.
#[derive(Clone, Debug)]
pub struct Opened {
    /// Its text and encoding.
    pub file: SourceFile,
    /// Its language; `None` if it is not known to be Lisp.
    pub language: Option<Language>,
}

/// The Lisp files below a directory, or the one file that was named instead; paths as they are written in calls.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// The files, in the order of their paths.
    pub files: Vec<String>,
    /// Files and directories that ignore files name.
    pub ignored: Vec<String>,
    /// Entries that could not be read, with the reason.
    pub unreadable: Vec<String>,
}

/// The most names of a directory that are looked through for a system definition.
const MOST_NAMES: usize = 10_000;

/// The size of the largest text that is no Lisp and is searched, in bytes.
const LARGEST_TEXT: u64 = 1 << 20;

impl Workspace {
    /// Every file of the system, for a person or a hook.
    #[must_use]
    pub fn anywhere() -> Self {
        Self::default()
    }

    /// The files below `roots`.
    #[must_use]
    pub fn within(roots: Roots) -> Self {
        Self { roots: Some(roots), ..Self::default() }
    }

    /// Reads a file and finds its language: `dialect`, else that of its name and first lines, with the additions of the
    /// project.
    ///
    /// Errors: those of reading, and of a wrong configuration.
    pub fn open(&self, path: &str, dialect: Option<Dialect>) -> Result<Opened, Refusal> {
        let file = self.read(path)?;
        let language = self.language_of(&file, dialect)?;
        Ok(Opened { file, language })
    }

    /// Reads a file that has to be Lisp.
    pub(crate) fn open_lisp(&self, path: &str) -> Result<(SourceFile, Language), Refusal> {
        let file = self.read(path)?;
        let language = self.lisp_language_of(&file)?;
        Ok((file, language))
    }

    /// The Lisp files below the directory at `path`, or that file; those of the project without a path. Ignore files count
    /// below a directory, and directories inside it only where the search is `recursive`.
    ///
    /// Errors: there is nothing, or it is outside of the roots.
    pub fn files(&self, path: Option<&str>, recursive: bool) -> Result<Files, Refusal> {
        let path = path.filter(|path| !path.is_empty()).unwrap_or(".");
        let top = match &self.roots {
            Some(roots) => roots.absolute_or_directory(Path::new(path))?,
            None => path.into(),
        };
        if !top.is_dir() {
            return Ok(Files { files: vec![path.to_owned()], ..Files::default() });
        }
        let Survey { mut files, ignored, unreadable, .. } = survey(&top, true, is_lisp);
        files.retain(|file| recursive || file.parent() == Some(&top));
        let primary = self.roots.as_ref().map_or(Path::new("."), Roots::primary);
        let shown = |paths: Vec<PathBuf>| -> Vec<String> {
            paths.iter().map(|path| path.strip_prefix(primary).unwrap_or(path).display().to_string()).collect()
        };
        Ok(Files { files: shown(files), ignored: shown(ignored), unreadable })
    }

    /// The texts below the directory at `path` that are no Lisp.
    pub(crate) fn other_texts(&self, path: Option<&str>) -> Vec<String> {
        let top = self.absolute(path.filter(|path| !path.is_empty()).unwrap_or("."));
        let is_other = |path: &Path| !is_lisp(path) && path.metadata().is_ok_and(|at| at.len() <= LARGEST_TEXT);
        let primary = self.roots.as_ref().map_or(Path::new("."), Roots::primary);
        let found = survey(&top, true, is_other).files.into_iter();
        found.map(|path| path.strip_prefix(primary).unwrap_or(&path).display().to_string()).collect()
    }

    /// Reads a file.
    pub(crate) fn read(&self, path: &str) -> Result<SourceFile, Refusal> {
        let path = Path::new(path);
        Ok(self.roots.as_ref().map_or_else(|| read_anywhere(path), |roots| roots.read(path))?)
    }

    /// The language of a file, as [`Workspace::open`] finds it.
    pub(crate) fn language_of(&self, file: &SourceFile, dialect: Option<Dialect>) -> Result<Option<Language>, Refusal> {
        let dialect = dialect.or_else(|| Dialect::detect(&file.path, file.text.as_bytes()));
        dialect.map(|dialect| self.extended(dialect, Some(&file.path))).transpose()
    }

    /// The language of a file that has to be Lisp.
    pub(crate) fn lisp_language_of(&self, file: &SourceFile) -> Result<Language, Refusal> {
        let not_lisp = || Refusal::NotLisp { path: file.path.clone(), may_be_said: false };
        self.language_of(file, None)?.ok_or_else(not_lisp)
    }

    /// A dialect with the additions of the project around the file at `path`; without a path, around relative ones.
    pub fn extended(&self, dialect: Dialect, path: Option<&str>) -> Result<Language, Refusal> {
        let languages = match (path, &self.roots) {
            (Some(path), _) => {
                let file = self.absolute(path);
                self.languages_in(file.parent().unwrap_or(&file))?
            }
            (None, Some(roots)) => self.languages_in(roots.primary())?,
            (None, None) => self.languages_in(Path::new("."))?,
        };
        Ok(languages.of(dialect))
    }

    /// The absolute path of a file. That of a file that does not exist yet is in its directory.
    pub(crate) fn absolute(&self, path: &str) -> PathBuf {
        match &self.roots {
            Some(roots) => roots.absolute(Path::new(path)).unwrap_or_else(|_| roots.primary().join(path)),
            None => std::path::absolute(path).unwrap_or_else(|_| path.into()),
        }
    }

    /// The languages of the files in `directory`, which is absolute.
    ///
    /// Errors: the configuration that applies is wrong.
    pub fn languages_in(&self, directory: &Path) -> Result<Arc<Languages>, BadConfiguration> {
        let real = directory.canonicalize();
        let directory = real.as_deref().unwrap_or(directory);
        let mut found = None;
        for directory in up_to_project(directory) {
            let bad = |fault| BadConfiguration { directory: directory.to_owned(), fault };
            found = self.configuration(directory, SystemTime::now()).map_err(bad)?;
            if found.is_some() {
                break;
            }
        }
        Ok(self.told_by_kondo(directory, found.unwrap_or_default(), SystemTime::now()))
    }

    /// The languages with what the nearest configuration of clj-kondo says of macros.
    fn told_by_kondo(&self, directory: &Path, languages: Arc<Languages>, now: SystemTime) -> Arc<Languages> {
        let Some(kondo) = up_to_project(directory).find_map(|one| self.kondo_in(one, now)) else { return languages };
        let alike: Vec<(&str, &str)> = kondo.alike().collect();
        match alike.as_slice() {
            [] => languages,
            alike => Arc::new(languages.with_alike(KondoConfig::dialects(), alike)),
        }
    }

    /// What clj-kondo is told in a directory, if it has a configuration there that may be read.
    pub(crate) fn kondo_in(&self, directory: &Path, now: SystemTime) -> Option<Arc<KondoConfig>> {
        let path = directory.join(KONDO_CONFIG);
        if !path.is_file() {
            return None;
        }
        let version = Version::at(&path).ok();
        if let Some(kondo) = self.kondo.get(&path, version) {
            return Some(kondo);
        }
        let kondo = Arc::new(KondoConfig::read(&self.text_of_configuration(directory, &path).ok()?));
        self.kondo.keep(path, version, now, kondo.clone());
        Some(kondo)
    }

    /// The text of a configuration that stands in a directory or above it.
    fn text_of_configuration(&self, directory: &Path, path: &Path) -> Result<String, Error> {
        let is_inside = |roots: &&Roots| !roots.writable().any(|root| root != directory && root.starts_with(directory));
        match self.roots.as_ref().filter(is_inside) {
            Some(roots) => roots.read(path).map(|file| file.text),
            None => read_text_anywhere(path),
        }
    }

    /// The configuration in a directory; `None` where there is none, or none that may be read.
    fn configuration(&self, directory: &Path, now: SystemTime) -> Result<Option<Arc<Languages>>, ConfigFault> {
        let path = directory.join(FILE_NAME);
        // The version is taken before the text: if the file changes meanwhile, the next call parses it again.
        let version = match Version::at(&path) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            version => version.ok(),
        };
        if let Some(languages) = self.known.get(&path, version) {
            return languages.map(Some);
        }
        let text = match self.text_of_configuration(directory, &path) {
            Ok(text) => text,
            Err(Error::Missing { .. } | Error::NotFound { .. } | Error::OutsideRoot { .. }) => return Ok(None),
            Err(error) => return Err(ConfigFault::Unreadable(Arc::new(error))),
        };
        let languages = Languages::parse(&text).map(Arc::new);
        self.known.keep(path, version, now, languages.clone());
        languages.map(Some)
    }
}

/// Files that stand where a project begins, beside those that the runtimes know: the second and the third are code.
const PROJECT_FILES: &[&str] = &[FILE_NAME, "info.rkt", "guix.scm"];

/// The directory of the nearest project at or above `directory`, which is absolute and without links: one that has a
/// configuration or a system definition, or in which version control begins. `None` where there is none below a directory
/// that holds several projects.
#[must_use]
pub fn project_around(directory: &Path) -> Option<PathBuf> {
    let names: Vec<&str> = Runtime::all().flat_map(|runtime| runtime.project_files).copied().collect();
    let has_file = |above: &Path| PROJECT_FILES.iter().chain(&names).any(|name| above.join(name).is_file());
    let has_system = |above: &Path| {
        let entries = above.read_dir().into_iter().flatten().flatten();
        entries.take(MOST_NAMES).any(|entry| Path::new(&entry.file_name()).extension().is_some_and(|end| end == "asd"))
    };
    let begins = |above: &Path| begins_version_control(above) || has_file(above) || has_system(above);
    up_to_project(directory).find(|above| begins(above)).map(Path::to_owned)
}

/// Whether the name of a file is that of Lisp.
#[must_use]
pub fn is_lisp_name(path: &Path) -> bool {
    Dialect::detect(&path.to_string_lossy(), b"").is_some()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::time::Duration;

    use super::*;

    #[test]
    fn a_project_is_the_nearest_directory_that_says_so() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        let deep = top.join("lib/src/deep");
        std::fs::create_dir_all(&deep).unwrap();
        assert_eq!(project_around(&deep), None);
        std::fs::create_dir(top.join(".git")).unwrap();
        assert_eq!(project_around(&deep), Some(top.clone()));
        for name in ["lib.asd", "deps.edn", FILE_NAME, "info.rkt"] {
            let file = top.join("lib").join(name);
            std::fs::write(&file, "").unwrap();
            assert_eq!(project_around(&deep), Some(top.join("lib")), "{name}");
            assert_eq!(project_around(&top.join("lib")), Some(top.join("lib")), "{name}");
            std::fs::remove_file(file).unwrap();
        }
    }

    #[test]
    fn a_configuration_is_parsed_again_only_when_its_file_has_changed() {
        let project = tempfile::tempdir().unwrap();
        let directory = project.path().canonicalize().unwrap();
        let write = |text: &str| std::fs::write(directory.join(FILE_NAME), text).unwrap();
        let is_same = |workspace: &Workspace, now| {
            let [first, second] = [(); 2].map(|()| workspace.configuration(&directory, now).unwrap().unwrap());
            Arc::ptr_eq(&first, &second)
        };
        let now = SystemTime::now();
        let later = now + Duration::from_secs(60);
        let roots = Roots::of_client(&[project.path().to_owned()]).unwrap();
        for workspace in [Workspace::anywhere(), Workspace::within(roots)] {
            assert!(workspace.configuration(&directory, later).is_ok_and(|found| found.is_none()));
            write("[scheme]\nbrackets = [\"{}\"]\n");
            assert!(!is_same(&workspace, now), "the next change may get the same time");
            assert!(is_same(&workspace.clone(), later));
            assert!(is_same(&workspace, now));
            write("[scheme]\nbrackets = [\"<>\"]\n");
            assert!(workspace.configuration(&directory, later).is_err());
            assert!(workspace.configuration(&directory, now).is_err());
            std::fs::remove_file(directory.join(FILE_NAME)).unwrap();
            assert!(workspace.configuration(&directory, later).is_ok_and(|found| found.is_none()));
        }
    }
}
