//! The workshop of a server that may not know yet which project it serves.
//!
//! Clients start servers anywhere: in the home directory, in `/`, in the project of yesterday. A server that ended
//! there would be a tool that is silently missing, so it goes on, and each call that needs the project answers what is
//! wrong and how to correct it. A root from the command line or the environment is final. The working directory is only
//! a guess: a client that knows its roots may send them until the first call has used the guess.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lispwright_project::{RootSource, Roots};

use crate::refusal::Refusal;
use crate::workshop::Workshop;

/// A workshop, or the reason why there is none yet. Clones share it.
#[derive(Clone)]
pub struct Premises(Arc<Mutex<State>>);

struct State {
    workshop: Result<Workshop, Refusal>,
    /// Makes a workshop of roots.
    furnish: Furnish,
    /// The root is a guess that no call has used.
    guessed: bool,
}

type Furnish = Box<dyn Fn(Roots) -> Workshop + Send>;

impl Premises {
    /// The premises for the roots of the command line, else those of the environment, else the working directory;
    /// `furnish` makes the workshop. Fails only for roots of the command line.
    pub fn new(
        explicit: &[PathBuf],
        furnish: impl Fn(Roots) -> Workshop + Send + 'static,
    ) -> Result<Self, lispwright_project::Error> {
        let source = RootSource::from_environment(explicit);
        let workshop = match Roots::from_environment(explicit) {
            Ok(roots) => Ok(furnish(roots)),
            Err(error) if source == RootSource::Explicit => return Err(error),
            Err(error) => Err(Refusal::NoRoot(Arc::new(error))),
        };
        let guessed = source == RootSource::WorkingDirectory || workshop.is_err();
        Ok(Self(Arc::new(Mutex::new(State { workshop, furnish: Box::new(furnish), guessed }))))
    }

    /// The workshop for a call that uses it, or the refusal of that call.
    pub fn workshop(&self) -> Result<Workshop, Refusal> {
        let mut state = self.state();
        if state.workshop.is_ok() {
            state.guessed = false;
        }
        state.workshop.clone()
    }

    /// The present workshop, for uses outside of calls.
    pub fn present(&self) -> Option<Workshop> {
        self.state().workshop.clone().ok()
    }

    /// The roots of a client would still be taken.
    pub fn is_guessed(&self) -> bool {
        self.state().guessed
    }

    /// Works in the directories that a client calls its roots, unless a root has been named or used by now. If none of
    /// them can be a root, nothing changes.
    pub fn take_roots(&self, paths: Vec<PathBuf>) {
        let mut state = self.state();
        let known = |path: &Path| state.workshop.as_ref().is_ok_and(|workshop| workshop.roots.primary() == path);
        if !state.guessed || paths.is_empty() || paths.first().is_some_and(|path| known(path)) {
            return;
        }
        match Roots::of_client(&paths) {
            Ok(roots) => state.workshop = Ok((state.furnish)(roots)),
            Err(error) if state.workshop.is_err() => state.workshop = Err(Refusal::NoRoot(Arc::new(error))),
            Err(error) => tracing::info!(%error, "the client's roots were not taken"),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change above is one assignment, so a panic elsewhere does not spoil the state.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Premises {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Premises").field("guessed", &self.is_guessed()).finish_non_exhaustive()
    }
}

impl From<&Workshop> for Premises {
    fn from(workshop: &Workshop) -> Self {
        let (workshop, furnished) = (Ok(workshop.clone()), workshop.clone());
        let furnish = Box::new(move |_| furnished.clone());
        Self(Arc::new(Mutex::new(State { workshop, furnish, guessed: false })))
    }
}
