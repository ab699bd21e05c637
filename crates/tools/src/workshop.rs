//! What the operations share: the files of the project and its live sessions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lispwright_edit::Source;
use lispwright_project::{Error, Roots, SourceFile};
use lispwright_runtime::{Config, Sessions};
use lispwright_syntax::{Dialect, Language};

use crate::event::Observer;
use crate::languages::Languages;
use crate::refusal::Refusal;
use crate::tool::CallContext;

/// The project and the sessions that a catalogue of tools works on. Clones share both.
#[derive(Clone)]
pub struct Workshop {
    /// The directories whose files may be read and written.
    pub roots: Roots,
    /// The live images.
    pub sessions: Sessions,
    /// Who watches what happens, if anybody does.
    pub observer: Option<Arc<dyn Observer>>,
}

impl Workshop {
    /// Opens the roots given on the command line, else those that the environment or the working directory name; the
    /// sessions run in the first of them.
    pub fn open(roots: &[PathBuf]) -> Result<Self, lispwright_project::Error> {
        Self::open_with(roots, |config| config)
    }

    /// As [`Workshop::open`], with images run as `configure` says.
    pub fn open_with(
        roots: &[PathBuf],
        configure: impl FnOnce(Config) -> Config,
    ) -> Result<Self, lispwright_project::Error> {
        Ok(Self::in_roots(Roots::from_environment(roots)?, configure))
    }

    /// A workshop in roots that are open, with images run as `configure` says.
    pub fn in_roots(roots: Roots, configure: impl FnOnce(Config) -> Config) -> Self {
        let mut config = configure(Config::new(roots.primary()));
        if let Some(sandbox) = &mut config.sandbox {
            sandbox.writable = roots.writable().map(Path::to_owned).collect();
        }
        let sessions = Sessions::new(config);
        Self { roots, sessions, observer: None }
    }

    /// The same workshop, watched by `observer`.
    #[must_use]
    pub fn watched_by(self, observer: Option<Arc<dyn Observer>>) -> Self {
        Self { observer, ..self }
    }

    /// What a call by `caller` is given besides its arguments.
    pub fn context(&self, caller: &str) -> CallContext {
        CallContext { caller: Some(caller.into()), observer: self.observer.clone(), ..CallContext::default() }
    }

    /// Reads a file below the roots.
    pub(crate) fn read(&self, path: &str) -> Result<SourceFile, Refusal> {
        Ok(self.roots.read(Path::new(path))?)
    }

    /// The language a file is written in: from `dialect` when given, else from its name and first lines, with what
    /// `lispwright.toml` adds. `None` for a file that is not known to be Lisp.
    pub(crate) fn language(&self, file: &SourceFile, dialect: Option<&str>) -> Result<Option<Language>, Refusal> {
        let dialect = match dialect {
            Some(name) => Some(named_dialect(name)?),
            None => Dialect::detect(&file.path, file.text.as_bytes()),
        };
        dialect.map(|dialect| self.extended(dialect, Some(&file.path))).transpose()
    }

    /// A dialect with what the project adds to it where the file at `path` stands, at the first root without one.
    pub(crate) fn extended(&self, dialect: Dialect, path: Option<&str>) -> Result<Language, Refusal> {
        // A file that is about to be made has no place yet, and its directory is the one it is named in.
        let place = |path| self.roots.absolute(Path::new(path)).unwrap_or_else(|_| self.roots.primary().join(path));
        let file = path.map(place);
        let directory = file.as_deref().and_then(Path::parent).unwrap_or_else(|| self.roots.primary());
        let languages = Languages::nearest(directory, |path| match self.roots.read(path) {
            // What lies above the root does not count.
            _ if !path.is_file() => Ok(None),
            Err(Error::OutsideRoot { .. }) => Ok(None),
            read => read.map(|file| Some(file.text)),
        });
        Ok(languages?.of(dialect))
    }

    /// Reads a file that has to be Lisp.
    pub(crate) fn lisp_language(&self, file: &SourceFile) -> Result<Language, Refusal> {
        let not_lisp = || Refusal::NotLisp { path: file.path.clone(), may_be_said: false };
        self.language(file, None)?.ok_or_else(not_lisp)
    }
}

/// The dialect of that name, or a refusal that lists them.
pub fn named_dialect(name: &str) -> Result<Dialect, Refusal> {
    Dialect::from_name(name).ok_or_else(|| Refusal::NoDialect { given: name.to_owned() })
}

/// A file's text, read.
pub(crate) fn read_source<'t>(file: &'t SourceFile, language: &Language) -> Source<'t> {
    Source::read(&file.text, language)
}

/// Runs `work`, which waits for the disk, beside the threads that answer calls.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let ended = |error: tokio::task::JoinError| Err(Refusal::Ended { why: error.to_string() });
    tokio::task::spawn_blocking(work).await.unwrap_or_else(ended)
}
