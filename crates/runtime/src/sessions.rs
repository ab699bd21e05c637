//! Named sessions: one image each, one call at a time, and an honest account of what became of them.
//!
//! A session is a name. Its image starts with the first call and is replaced when it dies; the caller is told once,
//! with the answer of the call that was running or with the next one. Three images lost within five minutes stop the
//! session until somebody resets it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::OwnedMutexGuard;
use tokio_util::sync::CancellationToken;

use crate::backend::{BACKENDS, Capability, Runtime};
use crate::config::Config;
use crate::copies::Return;
use crate::eval::{Answer, Ending, EvalReport, EvalRequest};
use crate::factory::{Factory, Household, StartError};
use crate::idle;
use crate::image::Start;
use crate::request::{Request, keyed};
use crate::survey::usual_runtime;
use crate::wire::Value;
use crate::worker::{Controls, Death, Ended, GRACE, Lost, StopReason, Worker, last_lines};

/// The session that is meant when none is named.
pub const MAIN: &str = "main";

/// So many lost images ...
const CRASHES: usize = 3;

/// ... within so long stop a session.
const CRASH_WINDOW: Duration = Duration::from_secs(300);

/// Why a session could not do what was asked. The code did not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// Another call is running.
    #[error("session {session:?} is busy with a call that has run for {} s", .running_for.as_secs())]
    Busy {
        /// The session.
        session: String,
        /// How long the other call has been running.
        running_for: Duration,
    },
    /// Too many images were lost.
    #[error("session {session:?} is stopped: {crashes} images were lost within five minutes, the last one: {last}")]
    Stopped {
        /// The session.
        session: String,
        /// How many.
        crashes: usize,
        /// How the last one ended.
        last: String,
    },
    /// There are as many sessions as there may be.
    #[error("there are {0} sessions already, which is the limit")]
    TooMany(usize),
    /// The runtime is not installed.
    #[error("{} is not installed: no program {:?} on PATH", .0, .0.backend().program)]
    Missing(Runtime),
    /// The runtime is known and cannot be used here.
    #[error("{0} sessions are not available")]
    Unsupported(Runtime),
    /// The session runs another Lisp than the one asked for.
    #[error("session {session:?} runs {runs}, not {asked}")]
    OtherRuntime {
        /// The session.
        session: String,
        /// What it runs.
        runs: Runtime,
        /// What was asked for.
        asked: Runtime,
    },
    /// The session's runtime cannot do that.
    #[error("{} sessions cannot do this: they have no {}", .0, .1.as_str())]
    Lacks(Runtime, Capability),
    /// The image did not start.
    #[error("no image could be started: {0}")]
    Start(String),
    /// The request is about something in an image, and the session has none now.
    #[error("session {0:?} has no image now")]
    NoImage(String),
    /// There is no such session.
    #[error("there is no session {0:?}")]
    Unknown(String),
}

impl From<StartError> for SessionError {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Missing(runtime) => Self::Missing(runtime),
            StartError::Failed(why) => Self::Start(why),
        }
    }
}

/// What a session is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Its image waits for a call.
    Idle,
    /// Its image runs a call, or starts.
    Busy,
    /// It has no image; the next call starts one.
    NoImage,
    /// It lost too many images and waits for a reset.
    Stopped,
}

/// What is known about one session.
#[derive(Clone, Debug)]
pub struct SessionStatus {
    /// Its name.
    pub name: String,
    /// Its runtime.
    pub runtime: Runtime,
    /// What it is doing.
    pub state: State,
    /// The process of its image.
    pub pid: Option<i32>,
    /// Implementation and version, as the image says.
    pub version: Option<String>,
    /// How long its image has run.
    pub uptime: Option<Duration>,
    /// Its share of the memory in kilobytes (PSS, else RSS), where the system tells.
    pub memory_kb: Option<u64>,
    /// How many evaluations were asked of it.
    pub evaluations: u64,
    /// Its package after the last call.
    pub package: Option<String>,
    /// How many stacks of errors and interrupts are held in its image.
    pub held: u32,
    /// What it can be rolled back to, oldest first.
    pub checkpoints: Vec<CheckpointStatus>,
    /// How long the call it is busy with has run.
    pub running_for: Option<Duration>,
    /// Images lost within the last five minutes.
    pub crashes: usize,
}

/// An image that is kept for a rollback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointStatus {
    /// Its name.
    pub name: String,
    /// The process that sleeps.
    pub pid: i32,
    /// When it was made.
    pub made: Instant,
}

impl CheckpointStatus {
    /// Its share of the memory in kilobytes, where the system tells.
    pub fn memory_kb(&self) -> Option<u64> {
        memory_kb(self.pid)
    }
}

/// What is known about the runtime side as a whole.
#[derive(Clone, Debug)]
pub struct Status {
    /// Every session, by name.
    pub sessions: Vec<SessionStatus>,
    /// How many there may be.
    pub max_sessions: usize,
    /// How the workers of each runtime start, in the order of [`BACKENDS`](crate::BACKENDS); only of those that run.
    pub workers: Vec<WorkerStatus>,
    /// How long an image may be idle before it is ended.
    pub max_idle: Option<Duration>,
    /// The heap of an image in megabytes.
    pub heap_megabytes: u32,
    /// The command in front of every worker.
    pub launcher: Vec<String>,
}

/// What is known about the workers of one runtime.
#[derive(Clone, Debug)]
pub struct WorkerStatus {
    /// The runtime.
    pub runtime: Runtime,
    /// The process of the spare worker.
    pub spare_pid: Option<i32>,
    /// The saved image workers start from.
    pub saved_image: Option<PathBuf>,
    /// Why workers start without a saved image, when they do.
    pub plain_start: Option<String>,
}

impl Status {
    /// What is known about the workers of `runtime`.
    pub fn workers_of(&self, runtime: Runtime) -> Option<&WorkerStatus> {
        self.workers.iter().find(|workers| workers.runtime == runtime)
    }
}

/// All sessions of a server. A clone is another handle to the same sessions; the last one ends them.
#[derive(Clone)]
pub struct Sessions(Arc<Inner>);

struct Inner {
    /// One for each runtime that sessions can use, the others being refused.
    factories: Vec<Arc<Factory>>,
    root: PathBuf,
    /// The runtime of a session that is asked for without one, once it is known.
    runtime: OnceLock<Runtime>,
    max_sessions: usize,
    max_idle: Option<Duration>,
    heap_megabytes: u32,
    launcher: Vec<String>,
    /// Above every number that an object was ever given, so that no session uses one again.
    next_object: AtomicI64,
    sessions: Mutex<BTreeMap<String, Arc<Session>>>,
}

pub(crate) struct Session {
    name: String,
    factory: Arc<Factory>,
    /// Held for as long as a call runs.
    slot: Arc<tokio::sync::Mutex<Option<Worker>>>,
    facts: Mutex<Facts>,
}

/// What others may know while a call runs.
#[derive(Default)]
struct Facts {
    image: Option<Image>,
    evaluations: u64,
    package: Option<String>,
    /// How many stacks are held in the image.
    held: u32,
    /// Oldest first.
    checkpoints: Vec<CheckpointStatus>,
    /// The number for the next object, whichever image it will be in.
    next_object: i64,
    running: Option<(Instant, Controls)>,
    /// When the last call ended.
    last_used: Option<Instant>,
    /// Somebody watches how long the image is idle.
    watched: bool,
    crashes: Vec<Instant>,
    last_crash: String,
    stopped: bool,
    /// To be told with the next answer.
    notice: Option<String>,
}

impl Facts {
    /// The image is gone, and what was known about it.
    fn forget_image(&mut self) {
        self.image = None;
        self.package = None;
        self.held = 0;
        self.checkpoints.clear();
    }
}

#[derive(Clone)]
struct Image {
    pid: i32,
    started: Instant,
    version: String,
}

impl Session {
    /// How long no call has run; nothing while one does.
    pub(crate) fn idle_for(&self) -> Duration {
        let facts = self.facts();
        match (&facts.running, facts.last_used) {
            (None, Some(last)) => last.elapsed(),
            _ => Duration::ZERO,
        }
    }

    /// The slot, when no call runs.
    pub(crate) fn free_now(&self) -> Option<OwnedMutexGuard<Option<Worker>>> {
        Arc::clone(&self.slot).try_lock_owned().ok()
    }

    /// The image was ended because nobody had used it.
    pub(crate) fn ended_idle(&self, idle: Duration) {
        let mut facts = self.facts();
        facts.forget_image();
        facts.notice = Some(format!(
            "The image of session {:?} was ended after {} s in which nobody used it: its definitions and other state are \
             lost. This call ran in a fresh image.",
            self.name,
            idle.as_secs()
        ));
    }

    /// It has no image, runs nothing, and is not stopped.
    fn is_empty(&self) -> bool {
        let facts = self.facts();
        facts.image.is_none() && facts.running.is_none() && facts.last_used.is_some() && !facts.stopped
    }

    /// Nobody watches how long the image is idle any more.
    pub(crate) fn unwatched(&self) {
        self.facts().watched = false;
    }

    /// The slot for a call, at once or as soon as a call that was told to stop has done so.
    async fn free_slot(&self) -> Result<OwnedMutexGuard<Option<Worker>>, SessionError> {
        let slot = Arc::clone(&self.slot);
        if let Ok(guard) = slot.clone().try_lock_owned() {
            return Ok(guard);
        }
        let (running_for, is_stopping) = match &self.facts().running {
            Some((since, controls)) => (since.elapsed(), controls.is_stopping()),
            None => (Duration::ZERO, true),
        };
        let busy = SessionError::Busy { session: self.name.clone(), running_for };
        if !is_stopping {
            return Err(busy);
        }
        tokio::time::timeout(GRACE * 2, slot.lock_owned()).await.map_err(|_| busy)
    }

    fn facts(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stopped_error(&self) -> SessionError {
        let facts = self.facts();
        SessionError::Stopped {
            session: self.name.clone(),
            crashes: facts.crashes.len(),
            last: facts.last_crash.clone(),
        }
    }

    /// Counts a lost image; too many stop the session.
    fn count_crash(&self, how: String) {
        let mut facts = self.facts();
        facts.forget_image();
        facts.last_crash = how;
        facts.crashes.retain(|time| time.elapsed() < CRASH_WINDOW);
        facts.crashes.push(Instant::now());
        facts.stopped = facts.crashes.len() >= CRASHES;
    }

    /// Takes note of an image that ended, by itself or not.
    fn lost(&self, death: &Death, reason: Option<StopReason>) {
        if death.exited || reason == Some(StopReason::Killed) {
            let mut facts = self.facts();
            facts.forget_image();
        } else {
            self.count_crash(death.status.clone());
        }
    }

    /// The process `kept` sleeps as a checkpoint, and `pid` goes on.
    fn checkpointed(&self, name: &str, kept: i32, pid: i32) {
        let mut facts = self.facts();
        facts.checkpoints.retain(|checkpoint| checkpoint.name != name);
        facts.checkpoints.push(CheckpointStatus { name: name.to_owned(), pid: kept, made: Instant::now() });
        if let Some(image) = &mut facts.image {
            image.pid = pid;
        }
    }

    /// A checkpoint goes on as the process `pid` in place of one that has ended.
    fn returned(&self, back: &Return, pid: i32) {
        let mut facts = self.facts();
        facts.package.clone_from(&back.package);
        facts.held = back.held;
        facts.checkpoints.retain(|checkpoint| back.checkpoints.contains(&checkpoint.name));
        if let Some(image) = &mut facts.image {
            image.pid = pid;
        }
    }

    fn set_image(&self, worker: &Worker) {
        let word = |name| worker.hello.get_text(name).unwrap_or_default();
        self.facts().image = Some(Image {
            pid: worker.pid(),
            started: worker.started,
            version: format!("{} {}", word("IMPLEMENTATION"), word("VERSION")),
        });
    }
}

/// Marks a session as running for as long as it lives.
struct Running(Arc<Session>);

impl Drop for Running {
    fn drop(&mut self) {
        let mut facts = self.0.facts();
        facts.running = None;
        facts.last_used = Some(Instant::now());
    }
}

impl Sessions {
    /// No session yet; nothing is started before the first call.
    pub fn new(config: Config) -> Self {
        let household = Arc::new(Household::new());
        Self(Arc::new(Inner {
            max_sessions: config.max_sessions,
            max_idle: config.max_idle,
            heap_megabytes: config.heap_megabytes,
            launcher: config.launcher.clone(),
            root: config.root.clone(),
            runtime: config.runtime.map(OnceLock::from).unwrap_or_default(),
            factories: BACKENDS
                .iter()
                .filter(|backend| backend.can(Capability::Eval))
                .map(|backend| Arc::new(Factory::new(backend.runtime, config.clone(), Arc::clone(&household))))
                .collect(),
            next_object: AtomicI64::new(1),
            sessions: Mutex::default(),
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

    /// The runtime of a new session that nobody has named one for.
    fn runtime_for(&self, name: &str) -> Runtime {
        let namesake = Runtime::named(name).filter(|runtime| runtime.backend().can(Capability::Eval));
        namesake.unwrap_or_else(|| *self.0.runtime.get_or_init(|| usual_runtime(&self.0.root)))
    }

    /// Makes sure that there is a session `name` and that it runs `runtime`; what it runs, when that is left open.
    ///
    /// A session that is made here or by its first call keeps its runtime until it is killed. One that is made without
    /// a runtime and has the name of one runs that one, and any other the one the project is for.
    pub fn open(&self, name: &str, runtime: Option<Runtime>) -> Result<Runtime, SessionError> {
        let session = self.session_running(name, runtime)?;
        let runs = session.factory.runtime();
        match runtime {
            Some(asked) if asked != runs => Err(SessionError::OtherRuntime { session: name.to_owned(), runs, asked }),
            _ => Ok(runs),
        }
    }

    /// The session of that name, made if there is room.
    fn session(&self, name: &str) -> Result<Arc<Session>, SessionError> {
        self.session_running(name, None)
    }

    fn session_running(&self, name: &str, runtime: Option<Runtime>) -> Result<Arc<Session>, SessionError> {
        if let Ok(session) = self.existing(name) {
            return Ok(session);
        }
        let runtime = runtime.unwrap_or_else(|| self.runtime_for(name));
        let mut sessions = self.sessions();
        if let Some(session) = sessions.get(name) {
            return Ok(Arc::clone(session));
        }
        let factory = Arc::clone(self.factory(runtime).ok_or(SessionError::Unsupported(runtime))?);
        if sessions.len() >= self.0.max_sessions {
            // One that was ended because nobody used it need not keep its place.
            let ended = sessions.iter().find(|(_, session)| session.is_empty()).map(|(name, _)| name.clone());
            ended.and_then(|name| sessions.remove(&name));
        }
        if sessions.len() >= self.0.max_sessions {
            return Err(SessionError::TooMany(sessions.len()));
        }
        let facts = Facts { next_object: self.0.next_object.load(Ordering::Relaxed), ..Facts::default() };
        let session =
            Arc::new(Session { name: name.to_owned(), factory, slot: Arc::default(), facts: Mutex::new(facts) });
        sessions.insert(name.to_owned(), Arc::clone(&session));
        Ok(session)
    }

    fn existing(&self, name: &str) -> Result<Arc<Session>, SessionError> {
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

    /// Asks the image of the session `name`, which is made with its first evaluation.
    ///
    /// A second call on a busy session is refused, not queued, unless the first has already been told to stop: then it
    /// waits for that. Cancelling `cancel`, or dropping the future, interrupts
    /// the evaluation and keeps the session's state.
    pub async fn call(
        &self,
        name: &str,
        request: Request,
        cancel: &CancellationToken,
    ) -> Result<EvalReport, SessionError> {
        let began = Instant::now();
        let session = if request.is_about_present_image() { self.existing(name) } else { self.session(name) }?;
        let runtime = session.factory.runtime();
        if !runtime.backend().can(request.needs()) {
            return Err(SessionError::Lacks(runtime, request.needs()));
        }
        let slot = session.free_slot().await?;
        let controls = Controls { cancel: cancel.child_token(), ..Controls::default() };
        session.facts().running = Some((began, controls.clone()));
        // Dropping this future drops the guard, which interrupts the task.
        let _interrupt = controls.cancel.clone().drop_guard();
        self.watch_idle(&session);
        let (answer, answered) = tokio::sync::oneshot::channel();
        tokio::spawn(async move {
            let running = Running(Arc::clone(&session));
            let mut slot = slot;
            let result = run(&session, &mut slot, request, &controls, began).await;
            drop(running);
            drop(slot);
            if let Err(Ok(untold)) = answer.send(result)
                && let Ending::Died { death, .. } = &untold.ending
            {
                session.facts().notice = Some(loss(&session.name, "during a call that was withdrawn", death, ""));
            }
        });
        answered.await.unwrap_or_else(|_| Err(SessionError::Start("the call ended without an answer".to_owned())))
    }

    /// Has the image of the session ended when nobody uses it for too long.
    fn watch_idle(&self, session: &Arc<Session>) {
        if let Some(limit) = self.0.max_idle
            && !std::mem::replace(&mut session.facts().watched, true)
        {
            idle::watch(session, limit);
        }
    }

    /// Makes sure the session has an image.
    pub async fn start(&self, name: &str) -> Result<SessionStatus, SessionError> {
        let session = self.session(name)?;
        let mut slot = self.slot(&session)?;
        if session.facts().stopped {
            return Err(session.stopped_error());
        }
        ensure_image(&session, &mut slot).await?;
        drop(slot);
        Ok(self.status_of(&session))
    }

    /// Interrupts what the session is doing; false when it was not doing anything.
    pub fn interrupt(&self, name: &str) -> Result<bool, SessionError> {
        let session = self.existing(name)?;
        let facts = session.facts();
        if let Some((_, controls)) = &facts.running {
            controls.interrupt.cancel();
        }
        Ok(facts.running.is_some())
    }

    /// Ends the session and its image; false when it had no image. The next call under that name starts afresh.
    pub async fn kill(&self, name: &str) -> Result<bool, SessionError> {
        let session = self.existing(name)?;
        let had_image = self.end_image(&session).await;
        self.0.next_object.fetch_max(session.facts().next_object, Ordering::Relaxed);
        self.sessions().remove(name);
        Ok(had_image)
    }

    /// Gives the session a fresh image and forgets what it lost before.
    pub async fn reset(&self, name: &str) -> Result<SessionStatus, SessionError> {
        let session = self.session(name)?;
        self.end_image(&session).await;
        let next_object = session.facts().next_object;
        *session.facts() = Facts { next_object, ..Facts::default() };
        self.start(name).await
    }

    /// What is known about all sessions. Does not wait for any of them.
    pub fn status(&self) -> Status {
        let sessions: Vec<Arc<Session>> = self.sessions().values().cloned().collect();
        Status {
            sessions: sessions.iter().map(|session| self.status_of(session)).collect(),
            max_sessions: self.0.max_sessions,
            max_idle: self.0.max_idle,
            heap_megabytes: self.0.heap_megabytes,
            workers: self.0.factories.iter().map(|factory| workers_of(factory)).collect(),
            launcher: self.0.launcher.clone(),
        }
    }

    /// What the program of `runtime` says about its version, on one line; absent when it does not run.
    pub async fn version(&self, runtime: Runtime) -> Option<String> {
        let program = match self.factory(runtime) {
            Some(factory) => factory.program(),
            None => runtime.backend().find(),
        };
        crate::process::first_line(&program?, runtime.backend().version_argument).await
    }

    /// Ends every image and waits until they are gone.
    pub async fn shutdown(&self) {
        let sessions = std::mem::take(&mut *self.sessions());
        for session in sessions.values() {
            self.end_image(session).await;
        }
        for factory in &self.0.factories {
            factory.close().await;
        }
    }

    fn status_of(&self, session: &Session) -> SessionStatus {
        let facts = session.facts();
        let state = if facts.running.is_some() || session.slot.try_lock().is_err() {
            State::Busy
        } else if facts.stopped {
            State::Stopped
        } else if facts.image.is_some() {
            State::Idle
        } else {
            State::NoImage
        };
        SessionStatus {
            name: session.name.clone(),
            runtime: session.factory.runtime(),
            state,
            pid: facts.image.as_ref().map(|image| image.pid),
            version: facts.image.as_ref().map(|image| image.version.clone()),
            uptime: facts.image.as_ref().map(|image| image.started.elapsed()),
            memory_kb: facts.image.as_ref().and_then(|image| memory_kb(image.pid)),
            evaluations: facts.evaluations,
            package: facts.package.clone(),
            held: facts.held,
            checkpoints: facts.checkpoints.clone(),
            running_for: facts.running.as_ref().map(|(since, _)| since.elapsed()),
            crashes: facts.crashes.iter().filter(|time| time.elapsed() < CRASH_WINDOW).count(),
        }
    }

    fn slot(&self, session: &Session) -> Result<OwnedMutexGuard<Option<Worker>>, SessionError> {
        Arc::clone(&session.slot).try_lock_owned().map_err(|_| SessionError::Busy {
            session: session.name.clone(),
            running_for: session.facts().running.as_ref().map_or(Duration::ZERO, |(since, _)| since.elapsed()),
        })
    }

    /// Kills whatever image the session has, in the middle of a call too.
    async fn end_image(&self, session: &Session) -> bool {
        let had_image = session.facts().image.is_some();
        if let Some((_, controls)) = &session.facts().running {
            controls.kill.cancel();
        }
        let mut slot = Arc::clone(&session.slot).lock_owned().await;
        if let Some(mut worker) = slot.take() {
            worker.bury(true).await;
        }
        let mut facts = session.facts();
        facts.forget_image();
        had_image
    }
}

fn workers_of(factory: &Factory) -> WorkerStatus {
    let (saved_image, plain_start) = match factory.start_mode() {
        Some(Start::Saved(image)) => (Some(image), None),
        Some(Start::Plain(why)) => (None, Some(why)),
        None => (None, None),
    };
    WorkerStatus { runtime: factory.runtime(), spare_pid: factory.spare_pid(), saved_image, plain_start }
}

/// Gives the session an image if it has none that lives; why the caller gets a fresh one, if one was lost.
async fn ensure_image(session: &Session, slot: &mut Option<Worker>) -> Result<(), SessionError> {
    if let Some(worker) = slot
        && !worker.is_alive()
    {
        let death = worker.bury(false).await;
        lost_while_idle(session, slot, &death)?;
    }
    if slot.is_none() {
        let worker = session.factory.obtain().await?;
        session.set_image(&worker);
        *slot = Some(worker);
        let factory = Arc::clone(&session.factory);
        tokio::spawn(async move { factory.fill_spare().await });
    }
    Ok(())
}

/// Takes note of an image that was found dead before a call ran in it.
fn lost_while_idle(session: &Session, slot: &mut Option<Worker>, death: &Death) -> Result<(), SessionError> {
    let words = slot.take().map(|worker| last_lines(&worker.take_output().1.head)).unwrap_or_default();
    session.count_crash(death.status.clone());
    session.facts().notice = Some(loss(&session.name, "while no call was running", death, &words));
    if session.facts().stopped { Err(session.stopped_error()) } else { Ok(()) }
}

/// One call, from the image to the report.
async fn run(
    session: &Session,
    slot: &mut Option<Worker>,
    request: Request,
    controls: &Controls,
    began: Instant,
) -> Result<EvalReport, SessionError> {
    if session.facts().stopped {
        return Err(session.stopped_error());
    }
    session.facts().evaluations += u64::from(matches!(request, Request::Eval(_)));
    let mut arguments = keyed([("NEXT-OBJECT", Value::Integer(session.facts().next_object))]);
    arguments.extend(request.arguments());
    // Ends with an image that has read the request, or with a session that has lost too many.
    let (ended, branch) = loop {
        if request.is_about_present_image() && slot.is_none() {
            return Err(SessionError::NoImage(session.name.clone()));
        }
        ensure_image(session, slot).await?;
        let worker = slot.as_mut().expect("the session was given an image");
        let mut arguments = arguments.clone();
        let branch = request.branch_key().map(|key| {
            let branch = worker.new_branch();
            arguments.extend(keyed([(key, Value::text(&branch))]));
            branch
        });
        match worker.call(request.operation(), arguments, branch.as_deref(), request.timeout(), controls).await {
            Ok(ended) => break (ended, branch),
            Err(Lost::Died(death)) => lost_while_idle(session, slot, &death)?,
            Err(Lost::Returned(back)) => {
                session.returned(&back, worker.pid());
                session.facts().notice = Some(format!(
                    "The image of session {:?} died while no call was running ({}), and the session went back to checkpoint \
                     {:?}: what was done since is lost.",
                    session.name, back.status, back.name
                ));
            }
        }
    };
    let worker = slot.as_mut().expect("the session was given an image");
    let (stdout, stderr) = worker.take_output();
    let answer = match ended {
        Ended::Answered(message, reason) => {
            let mut answer = Answer::read(&message, reason);
            if let (Ending::Checkpointed(name), Some(branch)) = (&answer.ending, branch) {
                let kept = worker.pid();
                worker.checkpointed(&message, branch);
                session.checkpointed(name, kept, worker.pid());
            }
            let is_trial = request.branch_key() == Some("TRIAL");
            let mut facts = session.facts();
            facts.next_object = facts.next_object.max(answer.next_object);
            if is_trial {
                // The copy's objects and package went with it.
                answer.object = None;
                answer.package.clone_from(&facts.package);
            } else {
                facts.package.clone_from(&answer.package);
                facts.held = answer.held;
                facts.checkpoints.retain(|checkpoint| answer.checkpoints.contains(&checkpoint.name));
            }
            drop(facts);
            answer
        }
        Ended::Returned(back, reason) => {
            session.returned(&back, worker.pid());
            let asked = matches!(request, Request::Rollback(_)) && reason.is_none();
            let (held, package) = (back.held, back.package.clone());
            Answer { held, package, ..Answer::without_image(Ending::Returned { back, reason, asked }) }
        }
        Ended::Died(death, reason) => {
            *slot = None;
            session.lost(&death, reason);
            Answer::without_image(Ending::Died { death, reason })
        }
    };
    let notices = session.facts().notice.take().into_iter().collect();
    Ok(EvalReport {
        session: session.name.clone(),
        runtime: session.factory.runtime(),
        ending: answer.ending,
        stdout,
        stderr,
        warnings: answer.warnings,
        diagnostics: answer.diagnostics,
        tests: answer.tests,
        object: answer.object,
        held: answer.held,
        package: answer.package,
        background: answer.background,
        notices,
        stopped: session.facts().stopped,
        duration: began.elapsed(),
    })
}

fn loss(session: &str, when: &str, death: &Death, words: &str) -> String {
    let said = if words.is_empty() { String::new() } else { format!(" Its last words:\n{words}\n") };
    format!(
        "The image of session {session:?} died {when} ({}): its definitions and other state are lost.{said} \
         This call ran in a fresh image.",
        death.status
    )
}

/// How long an interrupt may take to be answered before the image is killed.
pub const INTERRUPT_GRACE: Duration = GRACE;

fn memory_kb(pid: i32) -> Option<u64> {
    let field = |file: &str, name: &str| {
        let text = std::fs::read_to_string(format!("/proc/{pid}/{file}")).ok()?;
        let line = text.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    field("smaps_rollup", "Pss:").or_else(|| field("status", "VmRSS:"))
}
