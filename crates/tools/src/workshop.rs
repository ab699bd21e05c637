//! The state that the operations share: the files of the project and its live sessions.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use lispwright_edit::Source;
use lispwright_index::{Index, Libraries};
use lispwright_project::{KeptChanges, LibraryPlace, Roots, SourceFile};
use lispwright_runtime::{Config, Runtime, Sessions, library_exports};
use lispwright_syntax::{Dialect, Language};

use crate::confirm::Confirmations;
use crate::event::Observer;
use crate::news::News;
use crate::offers::Offers;
use crate::refusal::Refusal;
use crate::renewal::ImageLedger;
use crate::shown::ShownDiffs;
use crate::test_history::TestHistory;
use crate::told::Told;
use crate::tool::CallContext;
use crate::verify::TestMemory;
use crate::workspace::Workspace;

/// The project and the sessions that a catalogue of tools works on. Clones share both.
#[derive(Clone)]
pub struct Workshop {
    /// The directories whose files may be read and written, or only read.
    pub roots: Roots,
    /// Those files and their languages.
    pub workspace: Workspace,
    /// What those files define and use, as a question last found them.
    pub index: Arc<Mutex<Index>>,
    /// The live images.
    pub sessions: Sessions,
    /// The files as those images have loaded them.
    pub ledger: ImageLedger,
    /// The tests that failed when they were last run.
    pub memory: TestMemory,
    /// The comparisons of kept images with fresh ones.
    pub confirmations: Confirmations,
    /// What their runs of tests have shown.
    pub history: TestHistory,
    /// What compilers have said to the sessions.
    pub told: Told,
    /// The diffs that dry runs have shown.
    pub shown: ShownDiffs,
    /// The candidates of refused edits, which can be accepted.
    pub offers: Offers,
    /// Who is asked which problems are new by an edit.
    pub news: News,
    /// Where what is written is kept, so that it can be undone.
    pub changes: Option<KeptChanges>,
    /// The observer of events, if any.
    pub observer: Option<Arc<dyn Observer>>,
}

impl Workshop {
    /// Opens the roots of the command line, else those of the environment, else the working directory; the sessions run
    /// in the first of them.
    pub fn open(roots: &[PathBuf]) -> Result<Self, lispwright_project::Error> {
        Self::open_with(roots, |config| config)
    }

    /// Like [`Workshop::open`], with a configuration of images that `configure` changes.
    pub fn open_with(
        roots: &[PathBuf],
        configure: impl FnOnce(Config) -> Config,
    ) -> Result<Self, lispwright_project::Error> {
        Ok(Self::in_roots(Roots::from_environment(roots)?, configure))
    }

    /// A workshop in open roots, with a configuration of images that `configure` changes. While an image lives, files in
    /// the places where its Lisp has libraries become readable.
    pub fn in_roots(roots: Roots, configure: impl FnOnce(Config) -> Config) -> Self {
        let mut config = configure(Config::new(roots.primary()));
        if let Some(sandbox) = &mut config.sandbox {
            sandbox.writable = roots.writable().map(Path::to_owned).collect();
        }
        let sessions = Sessions::new(config);
        let roots = roots.with_libraries({
            let sessions = sessions.clone();
            move || library_places(&sessions)
        });
        Self {
            workspace: Workspace::within(roots.clone()),
            index: Arc::new(Mutex::new(Index::with_libraries(libraries()))),
            roots,
            sessions,
            ledger: ImageLedger::default(),
            memory: TestMemory::default(),
            confirmations: Confirmations::default(),
            history: TestHistory::default(),
            told: Told::default(),
            shown: ShownDiffs::default(),
            offers: Offers::default(),
            news: News::default(),
            changes: None,
            observer: None,
        }
    }

    /// The same workshop, where tests in images that were kept are run in fresh ones, too.
    #[must_use]
    pub fn confirming(self) -> Self {
        Self { confirmations: Confirmations::new(true), ..self }
    }

    /// The same workshop for somebody who stays: what an edit needs to know of the project is looked up when a file is
    /// read.
    #[must_use]
    pub fn looking_ahead(self) -> Self {
        Self { news: News::ahead(), ..self }
    }

    /// The same workshop, which keeps what calls write in `changes`, if that is known.
    #[must_use]
    pub fn keeping(self, changes: Option<KeptChanges>) -> Self {
        Self { changes, ..self }
    }

    /// The same workshop for one call: all that it writes is one change, made by `what`, unless it belongs to a larger one.
    #[must_use]
    pub fn for_one(self, what: &str) -> Self {
        match &self.changes {
            Some(changes) if !self.roots.is_recording() => Self { roots: self.roots.recording(changes, what), ..self },
            _ => self,
        }
    }

    /// The same workshop, watched by `observer`.
    #[must_use]
    pub fn watched_by(self, observer: Option<Arc<dyn Observer>>) -> Self {
        Self { observer, ..self }
    }

    /// The context of a call by `caller`.
    pub fn context(&self, caller: &str) -> CallContext {
        let root = Some(self.roots.primary().into());
        CallContext { caller: Some(caller.into()), observer: self.observer.clone(), root, ..CallContext::default() }
    }
}

/// The places of libraries of all Lisps that have an image. They are the server's own knowledge: evaluated code could name
/// any directory.
fn library_places(sessions: &Sessions) -> Vec<LibraryPlace> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let places = sessions.living().into_iter().flat_map(|(_, runtime)| runtime.libraries);
    places.filter_map(|place| LibraryPlace::new(place, home.as_deref())).collect()
}

/// The libraries of all Lisps, whether or not they have an image: what rules ask of them is no text of theirs.
fn libraries() -> Libraries {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let places =
        Runtime::all().flat_map(|runtime| runtime.libraries.iter().map(move |place| (runtime.dialect, *place)));
    let absolute = |(dialect, place): (Dialect, &str)| match place.strip_prefix("~/") {
        Some(below) => Some((dialect, home.as_ref()?.join(below))),
        None => Some((dialect, PathBuf::from(place))),
    };
    let mut places: Vec<(Dialect, PathBuf)> = places.filter_map(absolute).collect();
    places.sort_by(|one, other| one.1.cmp(&other.1));
    places.dedup();
    Libraries::new(places).asking(Box::new(library_exports))
}

/// The dialect of that name, or a refusal that lists all of them.
pub fn named_dialect(name: &str) -> Result<Dialect, Refusal> {
    Dialect::from_name(name).ok_or_else(|| Refusal::NoDialect { given: name.to_owned() })
}

/// The source of a file.
pub(crate) fn read_source<'t>(file: &'t SourceFile, language: &Language) -> Source<'t> {
    Source::read(&file.text, language)
}
