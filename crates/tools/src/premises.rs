//! The workshop of a server that may not know yet which project it serves.
//!
//! Clients start servers anywhere: in the home directory, in `/`, in the project of yesterday. A server that ended
//! there would be a tool that is silently missing, so it goes on, and each call that needs the project answers what is
//! wrong and how to correct it. A root from the command line or the environment is final, and so is every root while
//! images are confined to it. The working directory is only a guess: a client that knows its roots may send them until
//! the first call has used the guess, and a call may name the root as long as nobody else works in the present one.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lispwright_project::{RootSource, Roots};

use crate::arrival::Arrivals;
use crate::refusal::Refusal;
use crate::tool::CallContext;
use crate::workshop::Workshop;
use crate::workspace::project_around;

/// A workshop, or the reason why there is none yet. Clones share it.
#[derive(Clone)]
pub struct Premises(Arc<Mutex<State>>);

struct State {
    workshop: Result<Workshop, Refusal>,
    /// Makes a workshop of roots.
    furnish: Furnish,
    source: RootSource,
    /// The connections whose calls have used the workshop.
    users: Users,
}

type Furnish = Box<dyn Fn(Roots) -> Workshop + Send>;

/// The connections whose calls have used a workshop.
#[derive(Clone, Debug, Default)]
enum Users {
    #[default]
    None,
    One(Option<Arrivals>),
    Several,
}

impl Users {
    /// Those and the connection of one more call.
    fn and(&self, call: &CallContext) -> Self {
        let connection = call.arrival.as_ref().map(|arrival| arrival.arrivals().clone());
        match self {
            Self::None => Self::One(connection),
            Self::One(_) if self.are_only(call) => self.clone(),
            Self::One(_) | Self::Several => Self::Several,
        }
    }

    /// No connection but that of the call has used the workshop.
    fn are_only(&self, call: &CallContext) -> bool {
        match (self, call.arrival.as_ref().map(|arrival| arrival.arrivals())) {
            (Self::None, _) => true,
            (Self::One(Some(one)), Some(other)) => one.are_of_one_connection(other),
            (Self::One(None), None) => true,
            (Self::One(_), _) | (Self::Several, _) => false,
        }
    }
}

/// The root after a call that names one.
pub(crate) enum RootChange {
    /// It is the named directory now; the earlier workshop, if there was one, is to be closed.
    Changed(Option<Workshop>),
    /// It stays, since it is the named directory or has it inside.
    Stays,
}

impl Premises {
    /// The premises for the roots of the command line, else those of the environment, else the nearest project at or above
    /// the working directory, else that; `furnish` makes the workshop. Fails only for roots of the command line.
    pub fn new(
        explicit: &[PathBuf],
        furnish: impl Fn(Roots) -> Workshop + Send + 'static,
    ) -> Result<Self, lispwright_project::Error> {
        let source = RootSource::from_environment(explicit);
        let workshop = match Roots::guessed(explicit, project_around) {
            Ok(roots) => Ok(furnish(roots)),
            Err(error) if source == RootSource::Explicit => return Err(error),
            Err(error) => Err(Refusal::NoRoot(Arc::new(error))),
        };
        let furnish = Box::new(furnish);
        Ok(Self(Arc::new(Mutex::new(State { workshop, furnish, source, users: Users::None }))))
    }

    /// The workshop for a call that uses it, or the refusal of that call.
    pub fn workshop(&self, call: &CallContext) -> Result<Workshop, Refusal> {
        let mut state = self.state();
        if state.workshop.is_ok() {
            state.users = state.users.and(call);
        }
        state.workshop.clone()
    }

    /// The present workshop, for uses outside of calls.
    pub fn present(&self) -> Option<Workshop> {
        self.state().workshop.clone().ok()
    }

    /// The source of the present root.
    pub(crate) fn source(&self) -> RootSource {
        self.state().source
    }

    /// The roots of a client would still be taken.
    pub fn is_guessed(&self) -> bool {
        self.state().is_guessed()
    }

    /// Works in the directories that a client calls its roots, unless a root has been named or used by now. If none of
    /// them can be a root, nothing changes.
    pub fn take_roots(&self, paths: Vec<PathBuf>) {
        let mut state = self.state();
        let known = |path: &Path| state.workshop.as_ref().is_ok_and(|workshop| workshop.roots.primary() == path);
        if !state.is_guessed() || paths.is_empty() || paths.first().is_some_and(|path| known(path)) {
            return;
        }
        match Roots::of_client(&paths) {
            Ok(roots) => {
                state.workshop = Ok((state.furnish)(roots));
                state.source = RootSource::Client;
            }
            Err(error) if state.workshop.is_err() => state.workshop = Err(Refusal::NoRoot(Arc::new(error))),
            Err(error) => tracing::info!(%error, "the client's roots were not taken"),
        }
    }

    /// Works in the directory that a call names, unless the root was named before, or others work in the present one.
    pub(crate) fn set_root(&self, path: &Path, call: &CallContext) -> Result<RootChange, Refusal> {
        let mut state = self.state();
        let present = state.workshop.as_ref().ok().cloned();
        let base = match &present {
            Some(workshop) => workshop.roots.primary().to_owned(),
            None => std::env::current_dir().unwrap_or_default(),
        };
        let roots = Roots::of_call(&base.join(path));
        let asked = || base.join(path).display().to_string();
        if let Some(workshop) = &present {
            let real = base.join(path).canonicalize().ok();
            let is_in = |root: &Path| real.as_deref().is_some_and(|real| real.starts_with(root));
            let is_final = state.is_final();
            let stays = match is_final {
                true => workshop.roots.writable().any(is_in),
                false => real.as_deref() == Some(workshop.roots.primary()),
            };
            if stays {
                state.users = state.users.and(call);
                return Ok(RootChange::Stays);
            }
            let root = workshop.roots.primary().display().to_string();
            if is_final {
                return Err(Refusal::RootIsNamed { asked: asked(), root, source: state.final_source() });
            }
            // A directory that cannot be a root is no reason to look at who works in the present one.
            let roots = roots?;
            if !state.users.are_only(call) {
                return Err(Refusal::RootIsShared { asked: asked(), root });
            }
            let images = workshop.sessions.status().sessions;
            let images: Vec<String> =
                images.into_iter().filter(|session| session.pid.is_some()).map(|session| session.name).collect();
            if !images.is_empty() {
                return Err(Refusal::RootHasImages { asked: asked(), root, images });
            }
            state.workshop = Ok((state.furnish)(roots));
        } else {
            state.workshop = Ok((state.furnish)(roots?));
        }
        state.source = RootSource::Call;
        state.users = Users::None.and(call);
        Ok(RootChange::Changed(present))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The workshop is changed before what is known about it, so a panic elsewhere does no harm.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The root is a guess that no call has used.
    fn is_guessed(&self) -> bool {
        let is_open = matches!(self.source, RootSource::WorkingDirectory | RootSource::Client);
        self.workshop.is_err() || is_open && matches!(self.users, Users::None)
    }

    /// The root was named by whoever started the server, or images are confined to it.
    fn is_final(&self) -> bool {
        matches!(self.source, RootSource::Explicit | RootSource::Variable(_)) || self.is_confined()
    }

    fn is_confined(&self) -> bool {
        self.workshop.as_ref().is_ok_and(|workshop| workshop.sessions.status().sandbox.is_some())
    }

    /// What makes the root final.
    fn final_source(&self) -> &'static str {
        match self.source {
            RootSource::Explicit | RootSource::Variable(_) => self.source.name(),
            _ => "--sandbox",
        }
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
        let (furnish, source) = (Box::new(move |_| furnished.clone()), RootSource::Explicit);
        Self(Arc::new(Mutex::new(State { workshop, furnish, source, users: Users::None })))
    }
}
