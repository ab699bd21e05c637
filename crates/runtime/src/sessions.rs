//! Named sessions: one image each, one call at a time, and an account of every image that is lost.
//!
//! A session is a name. Its calls run in the order in which they came. Its image starts with the first call and is
//! replaced when it dies; the caller learns this once, with the answer of the call that was running or with the next
//! one. Three images lost within five minutes stop the session until somebody resets it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::backends::{Capability, Runtime};
use crate::call::{Call, Given};
use crate::config::Config;
use crate::eval::EvalReport;
use crate::factory::{Factory, Household};
use crate::idle;
use crate::name;
use crate::notice::Notice;
use crate::queue::CurrentForm;
use crate::remote::address::ServerAddress;
use crate::remote::{FoundServer, Protocol};
use crate::request::{EvalRequest, Request};
use crate::session::{CRASH_WINDOW, Facts, Session, ensure_unless_stopped};
use crate::session_error::SessionError;
use crate::slot::Slot;
use crate::status::{SessionStatus, State, Status, memory_kb, sandbox_of, workers_of};
use crate::stop::Controls;
use crate::survey::usual_runtime;
use crate::time_limit::{START_LIMIT, TimeLimit};

/// The session of calls that name none.
pub const MAIN: &str = "main";

/// All sessions of a server. A clone is another handle to the same sessions; the last one ends them.
#[derive(Clone)]
pub struct Sessions(Arc<Inner>);

struct Inner {
    /// One for each runtime that sessions can use; the others are refused.
    factories: Vec<Arc<Factory>>,
    root: PathBuf,
    /// The runtime of a session that is made without one, once it is known.
    runtime: OnceLock<Runtime>,
    max_sessions: usize,
    max_idle: Option<Duration>,
    /// The configuration of images.
    config: Config,
    /// A lower bound for new object numbers, above every number used so far, so that no session uses one twice.
    next_object: AtomicI64,
    sessions: Mutex<BTreeMap<String, Arc<Session>>>,
}

impl Sessions {
    /// Starts nothing; the first call does.
    pub fn new(config: Config) -> Self {
        if let Some(sandbox) = &config.sandbox {
            sandbox.distrust_roots();
        }
        let household = Arc::new(Household::new());
        Self(Arc::new(Inner {
            max_sessions: config.max_sessions,
            max_idle: config.max_idle,
            root: config.root.clone(),
            runtime: config.runtime.map(OnceLock::from).unwrap_or_default(),
            factories: Runtime::all()
                .filter(|runtime| runtime.can(Capability::Eval))
                .map(|runtime| Arc::new(Factory::new(runtime, config.clone(), Arc::clone(&household))))
                .collect(),
            next_object: AtomicI64::new(1),
            sessions: Mutex::default(),
            config,
        }))
    }

    fn sessions(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Session>>> {
        self.0.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn factory(&self, runtime: Runtime) -> Option<&Arc<Factory>> {
        self.0.factories.iter().find(|factory| factory.runtime() == runtime)
    }

    /// The runtime that the session `name` has, or would have when it is made without one.
    pub fn runtime_of(&self, name: &str) -> Runtime {
        self.existing(name).map_or_else(|_| self.runtime_for(name), |session| session.factory.runtime())
    }

    /// The runtime of a new session for which none is named.
    fn runtime_for(&self, name: &str) -> Runtime {
        let namesake = Runtime::named(name).filter(|runtime| runtime.can(Capability::Eval));
        namesake.unwrap_or_else(|| *self.0.runtime.get_or_init(|| self.installed(usual_runtime(&self.0.root))))
    }

    /// `runtime`, or another of its dialect when it is not installed.
    fn installed(&self, runtime: Runtime) -> Runtime {
        let there = |runtime: Runtime| self.factory(runtime).is_some_and(|factory| factory.program().is_some());
        if there(runtime) { runtime } else { Runtime::preferred(runtime.dialect, there).unwrap_or(runtime) }
    }

    /// Makes sure that there is a session `name` and that it runs `runtime`, if one is given. Returns its runtime.
    ///
    /// The session keeps its runtime until it is killed. A session that is made without a runtime runs the one with the
    /// same name as the session, or else the one for the project.
    pub fn open(&self, name: &str, runtime: Option<Runtime>) -> Result<Runtime, SessionError> {
        let session = self.session_running(name, runtime)?;
        let runs = session.factory.runtime();
        match runtime {
            Some(asked) if asked != runs => Err(SessionError::OtherRuntime { session: name.to_owned(), runs, asked }),
            _ => Ok(runs),
        }
    }

    /// The session of that name; a new one if there is room.
    fn session(&self, name: &str) -> Result<Arc<Session>, SessionError> {
        self.session_running(name, None)
    }

    fn session_running(&self, name: &str, runtime: Option<Runtime>) -> Result<Arc<Session>, SessionError> {
        if let Ok(session) = self.existing(name) {
            return Ok(session);
        }
        name::check("session", name)?;
        let runtime = runtime.unwrap_or_else(|| self.runtime_for(name));
        let mut sessions = self.sessions();
        if let Some(session) = sessions.get(name) {
            return Ok(Arc::clone(session));
        }
        let factory = Arc::clone(self.factory(runtime).ok_or(SessionError::Unsupported(runtime))?);
        if sessions.len() >= self.0.max_sessions {
            // A session whose image was ended because nobody used it need not keep its place.
            let ended = sessions.iter().find(|(_, session)| session.is_empty()).map(|(name, _)| name.clone());
            ended.and_then(|name| sessions.remove(&name));
        }
        if sessions.len() >= self.0.max_sessions {
            return Err(SessionError::TooMany(sessions.len()));
        }
        let facts = Facts { next_object: self.0.next_object.load(Ordering::Relaxed), ..Facts::default() };
        let session = Session::new(name, factory, Slot::of(runtime), facts);
        sessions.insert(name.to_owned(), Arc::clone(&session));
        Ok(session)
    }

    /// A session of that name with an image that runs. Fails, and gives the image back, if there is no room for one or
    /// the name is taken.
    pub(crate) fn insert(
        &self,
        name: &str,
        factory: Arc<Factory>,
        slot: Slot,
        facts: Facts,
    ) -> Result<Arc<Session>, Slot> {
        let mut sessions = self.sessions();
        if sessions.len() >= self.0.max_sessions || sessions.contains_key(name) {
            return Err(slot);
        }
        let session = Session::new(name, factory, slot, facts);
        sessions.insert(name.to_owned(), Arc::clone(&session));
        Ok(session)
    }

    pub(crate) fn existing(&self, name: &str) -> Result<Arc<Session>, SessionError> {
        self.sessions().get(name).cloned().ok_or_else(|| SessionError::Unknown(name.to_owned()))
    }

    /// Evaluates in the session `name`: [`Sessions::call`] with an evaluation.
    pub async fn eval(
        &self,
        name: &str,
        request: EvalRequest,
        cancel: &CancellationToken,
    ) -> Result<EvalReport, SessionError> {
        self.call(name, Request::Eval(request), cancel).await
    }

    /// Sends `request` to the image of the session `name`: [`Sessions::queue`], then [`Call::answer`].
    pub async fn call(
        &self,
        name: &str,
        request: Request,
        cancel: &CancellationToken,
    ) -> Result<EvalReport, SessionError> {
        self.queue(name, request)?.answer(cancel).await
    }

    /// Puts `request` after all earlier calls of the session `name`; its image starts with its first evaluation.
    ///
    /// Fails when too many calls wait already, or when the running call has taken longer than this one may, and half a
    /// minute.
    pub fn queue(&self, name: &str, request: Request) -> Result<Call, SessionError> {
        if let Request::Checkpoint(checkpoint) = &request {
            name::check("checkpoint", checkpoint)?;
        }
        let session = if request.is_about_present_image() { self.existing(name) } else { self.session(name) }?;
        let runtime = session.factory.runtime();
        if !runtime.can(request.needs()) {
            return Err(SessionError::Lacks(runtime, request.needs()));
        }
        Call::new(self.clone(), session, request)
    }

    /// The current activity of the session `name`, in words; `None` when it runs nothing.
    pub fn doing(&self, name: &str) -> Option<String> {
        self.existing(name).ok()?.doing()
    }

    /// Waits until the current call of the session `name` is over. Returns the last answer that was given there.
    pub async fn wait(&self, name: &str) -> Result<Option<Given>, SessionError> {
        let session = self.existing(name)?;
        let first = session.queue.calls().first().map_or(0, |call| call.number);
        let mut over = session.over.subscribe();
        let over = over.wait_for(|over| over.number >= first).await;
        Ok(over.ok().and_then(|over| over.given.clone()))
    }

    /// Watches the image of the session: ends it when nobody uses it for too long, or when it exceeds its limits.
    pub(crate) fn watch_idle(&self, session: &Arc<Session>) {
        if session.facts().excess_watcher.is_none() {
            let watcher = idle::watch_excess(session);
            session.facts().excess_watcher = Some(watcher);
        }
        if let Some(limit) = self.0.max_idle
            && session.facts().watcher.is_none()
        {
            // The caller holds the slot, so there is no other watcher.
            let watcher = idle::watch(session, limit);
            session.facts().watcher = Some(watcher);
        }
    }

    /// Makes sure that the session has an image, after the calls that wait for one. After `limit`, 100 seconds when it is
    /// `None`, the start goes on for the next call.
    pub async fn start(&self, name: &str, limit: Option<Duration>) -> Result<SessionStatus, SessionError> {
        let session = self.session(name)?;
        let place = session.join("starting".to_owned(), Duration::ZERO)?;
        self.start_at(&session, place, false, limit.unwrap_or(START_LIMIT)).await
    }

    /// Gives the session an image when its turn at `place` has come; with `afresh`, a new one.
    async fn start_at(
        &self,
        session: &Arc<Session>,
        place: CurrentForm,
        afresh: bool,
        limit: Duration,
    ) -> Result<SessionStatus, SessionError> {
        let number = place.number;
        let controls = Controls::default();
        let started = async {
            let mut turn = session.enter(place, &controls).await?;
            if afresh {
                turn.slot.leave().await;
                session.facts().forget_image();
                session.facts().renew();
            }
            if session.facts().stopped {
                return Err(session.stopped_error());
            }
            self.watch_idle(session);
            ensure_unless_stopped(session, &mut turn.slot, TimeLimit::named(limit), &controls).await
        };
        let started = started.await;
        session.over(number, None);
        started.map(|()| self.status_of(session))
    }

    /// Interrupts the running call of the session; false when nothing runs.
    pub fn interrupt(&self, name: &str) -> Result<bool, SessionError> {
        let session = self.existing(name)?;
        let facts = session.facts();
        if let Some((_, controls)) = &facts.running {
            controls.interrupt.cancel();
        }
        Ok(facts.running.is_some())
    }

    /// Ends the session, its image and the calls that wait for it; false when it had no image. The next call under that
    /// name starts afresh.
    pub async fn kill(&self, name: &str) -> Result<bool, SessionError> {
        let session = self.existing(name)?;
        session.must_be_ours()?;
        self.forget(&session);
        Ok(end_image(&session).await)
    }

    /// Gives the session a fresh image and forgets what it lost before; the calls that wait for the old one are ended.
    /// `limit` is that of [`Self::start`].
    pub async fn reset(&self, name: &str, limit: Option<Duration>) -> Result<SessionStatus, SessionError> {
        let session = self.session(name)?;
        session.must_be_ours()?;
        session.end_calls();
        let place = session.join("starting afresh".to_owned(), Duration::ZERO)?;
        self.start_at(&session, place, true, limit.unwrap_or(START_LIMIT)).await
    }

    /// Removes the session, so that later calls by its name get a new one.
    fn forget(&self, session: &Session) {
        self.0.next_object.fetch_max(session.facts().next_object, Ordering::Relaxed);
        self.sessions().remove(&session.name);
    }

    /// The server that listens at `address`, with its protocol.
    pub async fn find_server(&self, address: ServerAddress) -> Result<FoundServer, SessionError> {
        Ok(FoundServer::find(address, &self.0.root, self.0.config.output_limit).await?)
    }

    /// Attaches the session `name` to a server, which stays its owner's. An image that the session started itself is
    /// ended.
    pub async fn attach(&self, name: &str, found: FoundServer) -> Result<SessionStatus, SessionError> {
        let is_new = self.existing(name).is_err();
        self.open(name, Some(found.runtime()))?;
        let session = self.existing(name)?;
        let runtime = session.factory.runtime();
        let protocol = runtime.protocol.ok_or(SessionError::Lacks(runtime, Capability::Attach))?;
        let place = session.join("attaching".to_owned(), Duration::ZERO)?;
        let number = place.number;
        let mut turn = session.enter(place, &Controls::default()).await?;
        let attached = turn.slot.attach(protocol, found, &session.factory.config).await;
        if is_new && attached.is_err() {
            self.forget(&session);
        }
        session.over(number, None);
        let mut known = attached?;
        if session.factory.config.sandbox.is_some() {
            known.notice = Some(Notice::Unconfined);
        }
        session.facts().renew();
        session.set_remote(known);
        drop(turn);
        Ok(self.status_of(&session))
    }

    /// Detaches the session `name` from its server, and removes the session. True when the server still listens:
    /// nothing done here ends it.
    pub async fn detach(&self, name: &str) -> Result<bool, SessionError> {
        let session = self.existing(name)?;
        let is_theirs = session.facts().image.as_ref().map(|image| image.ours.is_none());
        let is_joined = match is_theirs {
            Some(is_theirs) => is_theirs,
            // The connection may be lost while the session is still attached to the server.
            None => session.factory.runtime().is_only_joined() || session.slot.lock().await.joined().is_some(),
        };
        if !is_joined {
            return Err(SessionError::NotAttached(name.to_owned()));
        }
        self.forget(&session);
        session.end_calls();
        let mut slot = session.slot.lock().await;
        let listener = slot.joined();
        slot.leave().await;
        Ok(match listener {
            Some(listener) => listener.listens().await,
            None => false,
        })
    }

    /// The number of evaluations that the session's image has been asked for.
    pub fn evaluations(&self, name: &str) -> u64 {
        self.existing(name).map_or(0, |session| session.facts().evaluations)
    }

    /// The notices that wait for the next answer of the session, which no longer has them.
    pub fn take_notices(&self, name: &str) -> Vec<Notice> {
        self.existing(name).map(|session| std::mem::take(&mut session.facts().notices)).unwrap_or_default()
    }

    /// Adds a notice to the next answer of the session, if there is one of that name.
    pub fn tell(&self, name: &str, notice: Notice) {
        if let Ok(session) = self.existing(name) {
            session.facts().tell(notice);
        }
    }

    /// The sessions that have an image now or are about to have one, by name, each with its runtime.
    pub fn living(&self) -> Vec<(String, Runtime)> {
        let sessions: Vec<Arc<Session>> = self.sessions().values().cloned().collect();
        let living = sessions.iter().filter(|session| session.facts().image.is_some() || !session.queue.is_empty());
        living.map(|session| (session.name.clone(), session.factory.runtime())).collect()
    }

    /// The state of all sessions. Does not wait for any of them.
    pub fn status(&self) -> Status {
        let sessions: Vec<Arc<Session>> = self.sessions().values().cloned().collect();
        Status {
            root: self.0.root.clone(),
            sessions: sessions.iter().map(|session| self.status_of(session)).collect(),
            max_sessions: self.0.max_sessions,
            max_idle: self.0.max_idle,
            heap_megabytes: self.0.config.heap_megabytes,
            memory_limit: self.0.config.memory_limit(),
            max_processes: self.0.config.max_processes,
            sandbox: self.0.factories.first().and_then(|factory| sandbox_of(factory)),
            workers: self.0.factories.iter().map(|factory| workers_of(factory)).collect(),
            launcher: self.0.config.launcher.clone(),
        }
    }

    /// The version that the program of `runtime` reports, on one line; `None` when the program does not run.
    pub async fn version(&self, runtime: Runtime) -> Option<String> {
        if runtime.protocol == Some(Protocol::Nrepl) {
            let speaks = crate::nrepl::Speaks::of(&self.0.config);
            return crate::nrepl::find(&self.0.root, speaks)?.version().await;
        }
        let program = match self.factory(runtime) {
            Some(factory) => factory.program(),
            None => runtime.find(),
        };
        crate::process::first_line(&program?, runtime.version_argument).await
    }

    /// Ends every image, all at the same time, and waits until they are gone.
    pub async fn shutdown(&self) {
        let sessions = std::mem::take(&mut *self.sessions());
        let mut ends: JoinSet<()> = sessions
            .into_values()
            .map(|session| async move {
                end_image(&session).await;
            })
            .collect();
        for factory in &self.0.factories {
            let factory = factory.clone();
            ends.spawn(async move { factory.close().await });
        }
        while ends.join_next().await.is_some() {}
        if let Some(factory) = self.0.factories.first() {
            factory.household.end_all().await;
        }
    }

    fn status_of(&self, session: &Session) -> SessionStatus {
        let doing = session.doing();
        let waiting = session.queue.calls().into_iter().skip(1).map(|call| (call.what, call.came.elapsed())).collect();
        let facts = session.facts();
        let state = match session.slot.try_lock() {
            _ if facts.running.is_some() => State::Busy,
            Err(_) => State::Busy,
            Ok(_) if facts.stopped => State::Stopped,
            Ok(_) if facts.image.is_some() => State::Idle,
            Ok(slot) if slot.is_starting() => State::Starting,
            Ok(_) => State::NoImage,
        };
        let pid = facts.image.as_ref().and_then(|image| Some(image.ours.as_ref()?.pid));
        SessionStatus {
            name: session.name.clone(),
            runtime: session.factory.runtime(),
            state,
            pid,
            version: facts.image.as_ref().map(|image| image.version.clone()),
            uptime: facts.image.as_ref().map(|image| image.started.elapsed()),
            memory_kb: pid.and_then(memory_kb),
            evaluations: facts.evaluations,
            package: facts.package.clone(),
            held: facts.held,
            runs_on: facts.runs_on,
            checkpoints: facts.checkpoints.clone(),
            running_for: facts.running_for(),
            doing,
            waiting,
            crashes: facts.crashes.iter().filter(|time| time.elapsed() < CRASH_WINDOW).count(),
        }
    }
}

/// Ends the session's calls and its image, also during a call; false when it had no image.
pub(crate) async fn end_image(session: &Session) -> bool {
    let had_image = session.facts().image.is_some();
    session.end_calls();
    session.slot.lock().await.leave().await;
    session.facts().forget_image();
    had_image
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::time::Instant;

    use super::*;

    #[tokio::test]
    async fn a_call_is_refused_if_the_running_one_has_exceeded_its_time_limit() {
        let directory = tempfile::tempdir().unwrap();
        let sessions = Sessions::new(Config::new(directory.path()));
        sessions.open(MAIN, Runtime::named("sbcl")).unwrap();
        let session = sessions.existing(MAIN).unwrap();
        let _running = session.join("evaluating (loop)".to_owned(), Duration::ZERO).unwrap();
        let waits = |limit| session.join(String::new(), Duration::from_secs(limit)).is_ok();
        let controls = Controls::default();
        let has_run_for = |seconds| {
            session.facts().running =
                Instant::now().checked_sub(Duration::from_secs(seconds)).zip(Some(controls.clone()));
        };
        has_run_for(20);
        assert!(waits(1));
        has_run_for(40);
        assert!(!waits(10) && waits(50));
        // A call that was asked to stop will end soon.
        controls.interrupt.cancel();
        assert!(waits(10));
    }

    #[tokio::test]
    async fn no_image_waits_for_the_end_of_another() {
        let directory = tempfile::tempdir().unwrap();
        let sessions = Sessions::new(Config::new(directory.path()));
        let [first, second] = ["a", "b"].map(|name| {
            sessions.open(name, Runtime::named("sbcl")).unwrap();
            sessions.existing(name).unwrap()
        });
        second.facts().held = 1;
        let busy = first.slot.lock().await;
        let all = sessions.clone();
        let end = tokio::spawn(async move { all.shutdown().await });
        let second_ends = async {
            while second.facts().held > 0 {
                tokio::task::yield_now().await;
            }
        };
        assert!(tokio::time::timeout(Duration::from_secs(10), second_ends).await.is_ok());
        assert!(!end.is_finished());
        drop(busy);
        end.await.unwrap();
    }
}
