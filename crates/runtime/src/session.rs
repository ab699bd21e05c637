//! One session: its image, its shared state, and one call from the image to the report.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lispwright_platform::{Here, System as _};
use rustix::process::{Pid, setpriority_pgrp};
use tokio::sync::{OwnedMutexGuard, watch};
use tokio_util::task::AbortOnDropHandle;

use crate::call::Over;
use crate::capture::Printed;
use crate::copies::Return;
use crate::eval::{Answer, Ending, EvalReport};
use crate::factory::Factory;
use crate::notice::{During, Notice};
use crate::queue::Queue;
use crate::remote::{ensure_remote, run_remote};
use crate::request::Request;
use crate::session_error::SessionError;
use crate::slot::Slot;
use crate::start::Starting;
use crate::status::CheckpointStatus;
use crate::stop::{Controls, Death, StopReason};
use crate::time_limit::TimeLimit;
use crate::watch::Watch;
use crate::wire::{Value, keyed};
use crate::worker::{Ended, Lost, Worker, last_lines};

/// This many lost images ...
const CRASHES: usize = 3;

/// ... within this time stop a session.
pub(crate) const CRASH_WINDOW: Duration = Duration::from_secs(300);

/// The niceness of processes that all others go before.
const LAST: i32 = 19;

/// The most notices that are kept for the next answer.
const MOST_NOTICES: usize = 8;

/// A name, and the image that it refers to.
pub(crate) struct Session {
    pub(crate) name: String,
    pub(crate) factory: Arc<Factory>,
    /// The call that has its turn, and the waiting ones.
    pub(crate) queue: Queue,
    /// The finished calls.
    pub(crate) over: watch::Sender<Over>,
    /// Held for as long as a call runs.
    pub(crate) slot: Arc<tokio::sync::Mutex<Slot>>,
    pub(crate) facts: Mutex<Facts>,
}

/// The state of a session that can be read while a call runs.
#[derive(Default)]
pub(crate) struct Facts {
    pub(crate) image: Option<Image>,
    pub(crate) evaluations: u64,
    pub(crate) package: Option<String>,
    /// The number of stacks that are held in the image.
    pub(crate) held: u32,
    /// Interrupted code still runs in the image.
    pub(crate) runs_on: bool,
    /// Oldest first.
    pub(crate) checkpoints: Vec<CheckpointStatus>,
    /// The number of the next object, in this image or a later one.
    pub(crate) next_object: i64,
    pub(crate) running: Option<(Instant, Controls)>,
    /// The time when the last call ended.
    pub(crate) last_used: Option<Instant>,
    /// The task that measures how long the image is idle, if there is one.
    pub(crate) watcher: Option<AbortOnDropHandle<()>>,
    /// The task that measures memory and processes of the image while it is idle.
    pub(crate) excess_watcher: Option<AbortOnDropHandle<()>>,
    /// The reason why the copy after a checkpoint was ended while no call ran, until it is reported.
    pub(crate) ended_for: Option<String>,
    pub(crate) crashes: Vec<Instant>,
    pub(crate) last_crash: String,
    pub(crate) stopped: bool,
    /// Other processes go before those of the image.
    pub(crate) gives_way: bool,
    /// Notices for the next answer, oldest first.
    pub(crate) notices: Vec<Notice>,
}

impl Facts {
    /// Adds a notice to the next answer. Of too many, the last are kept.
    pub(crate) fn tell(&mut self, notice: Notice) {
        if self.notices.len() == MOST_NOTICES {
            self.notices.remove(0);
        }
        self.notices.push(notice);
    }

    /// Resets the session. The number of the next object and the call that resets stay.
    pub(crate) fn renew(&mut self) {
        let (next_object, running) = (self.next_object, self.running.take());
        *self = Self { next_object, running, ..Self::default() };
    }

    /// Removes everything that is known about the image, which has ended.
    pub(crate) fn forget_image(&mut self) {
        self.image = None;
        self.package = None;
        self.held = 0;
        self.runs_on = false;
        self.checkpoints.clear();
    }
}

/// The current image of a session.
#[derive(Clone)]
pub(crate) struct Image {
    /// `None` for an image that somebody else runs.
    pub(crate) ours: Option<Ours>,
    pub(crate) started: Instant,
    /// Its implementation and version, and its owner.
    pub(crate) version: String,
}

/// The process of an image that was started here.
#[derive(Clone)]
pub(crate) struct Ours {
    pub(crate) pid: i32,
    /// Its memory and processes.
    pub(crate) watch: Watch,
}

impl Image {
    /// Records the number of the process that continues.
    fn goes_on_as(&mut self, pid: i32) {
        if let Some(ours) = &mut self.ours {
            ours.pid = pid;
        }
    }
}

impl Session {
    /// A session with the content of its slot, and what is known about that.
    pub(crate) fn new(name: &str, factory: Arc<Factory>, slot: Slot, facts: Facts) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_owned(),
            factory,
            queue: Queue::default(),
            over: watch::Sender::default(),
            slot: Arc::new(tokio::sync::Mutex::new(slot)),
            facts: Mutex::new(facts),
        })
    }

    /// The time since the last call; zero during a call.
    pub(crate) fn idle_for(&self) -> Duration {
        let facts = self.facts();
        match (&facts.running, facts.last_used) {
            (None, Some(last)) => last.elapsed(),
            _ => Duration::ZERO,
        }
    }

    /// The slot, when no call runs.
    pub(crate) fn free_now(&self) -> Option<OwnedMutexGuard<Slot>> {
        Arc::clone(&self.slot).try_lock_owned().ok()
    }

    /// Records that the image was ended because nobody had used it.
    pub(crate) fn ended_idle(&self, idle: Duration) {
        let mut facts = self.facts();
        facts.forget_image();
        facts.tell(Notice::EndedIdle(idle));
    }

    /// The watch over an image that is idle.
    pub(crate) fn idle_watch(&self) -> Option<Watch> {
        let facts = self.facts();
        if facts.running.is_some() {
            return None;
        }
        Some(facts.image.as_ref()?.ours.as_ref()?.watch.clone())
    }

    /// Ends the image because it exceeds its limits, unless a call has begun: calls are watched separately. The next
    /// call reports it.
    pub(crate) async fn end_excess(&self) {
        let Some(mut slot) = self.free_now() else { return };
        if let Some(worker) = slot.worker() {
            // Measured again: with the slot held, no call can begin meanwhile. The copy alone is ended where that is
            // enough.
            let Some(excess) = worker.glance().await else { return };
            if excess.copy_suffices && worker.end_copy() {
                self.facts().ended_for = Some(excess.text);
                return;
            }
            let death = Death { status: excess.text, ..worker.bury(true).await };
            // The next call also reports a stopped session.
            let _ = lost_while_idle(self, &mut slot, &death);
            return;
        }
        let Some(watch) = self.idle_watch() else { return };
        let Some(excess) = watch.glance(None, false).await else { return };
        if slot.end_ours().await {
            let death = Death { status: excess.text, exited: false, killed: true };
            self.count_crash(death.status.clone());
            self.facts().tell(loss(&death, String::new()));
        }
    }

    /// It has no image, runs nothing, and is not stopped.
    pub(crate) fn is_empty(&self) -> bool {
        let facts = self.facts();
        facts.image.is_none() && self.queue.is_empty() && facts.last_used.is_some() && !facts.stopped
    }

    /// Stops measuring how long the image is idle.
    pub(crate) fn unwatched(&self) {
        self.facts().watcher = None;
    }

    /// Ends the running call and the waiting ones.
    pub(crate) fn end_calls(&self) {
        self.queue.clear();
        if let Some((_, controls)) = &self.facts().running {
            controls.kill.cancel();
        }
    }

    /// Fails for an image that somebody else runs: it must not be ended here.
    pub(crate) fn must_be_ours(&self) -> Result<(), SessionError> {
        let is_theirs = self.facts().image.as_ref().is_some_and(|image| image.ours.is_none());
        if is_theirs { Err(SessionError::Theirs(self.name.clone())) } else { Ok(()) }
    }

    pub(crate) fn facts(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn stopped_error(&self) -> SessionError {
        let facts = self.facts();
        SessionError::Stopped {
            session: self.name.clone(),
            crashes: facts.crashes.len(),
            last: facts.last_crash.clone(),
        }
    }

    /// Counts a lost image; too many stop the session.
    pub(crate) fn count_crash(&self, how: String) {
        let mut facts = self.facts();
        facts.forget_image();
        facts.last_crash = how;
        facts.crashes.retain(|time| time.elapsed() < CRASH_WINDOW);
        facts.crashes.push(Instant::now());
        facts.stopped = facts.crashes.len() >= CRASHES;
    }

    /// Records an image that ended, by itself or not.
    pub(crate) fn lost(&self, death: &Death, reason: Option<StopReason>) {
        if death.exited || reason == Some(StopReason::Killed) {
            let mut facts = self.facts();
            facts.forget_image();
        } else {
            self.count_crash(death.status.clone());
        }
    }

    /// Records that the process `kept` sleeps as a checkpoint and `pid` continues.
    pub(crate) fn checkpointed(&self, name: &str, kept: i32, pid: i32) {
        let mut facts = self.facts();
        facts.checkpoints.retain(|checkpoint| checkpoint.name != name);
        facts.checkpoints.push(CheckpointStatus { name: name.to_owned(), pid: kept, made: Instant::now() });
        if let Some(image) = &mut facts.image {
            image.goes_on_as(pid);
        }
    }

    /// Records that a checkpoint continues as the process `pid` after another has ended.
    pub(crate) fn returned(&self, back: &Return, pid: i32) {
        let mut facts = self.facts();
        facts.package.clone_from(&back.package);
        facts.held = back.held;
        facts.checkpoints.retain(|checkpoint| back.checkpoints.contains(&checkpoint.name));
        if let Some(image) = &mut facts.image {
            image.goes_on_as(pid);
        }
    }

    /// The report of a call that began at `began`, with the notices of the session.
    pub(crate) fn report(
        &self,
        answer: Answer,
        (stdout, stderr): (Printed, Printed),
        controls: &Controls,
        began: Instant,
    ) -> EvalReport {
        let mut facts = self.facts();
        EvalReport {
            session: self.name.clone(),
            runtime: self.factory.runtime(),
            ending: answer.ending,
            earlier: Vec::new(),
            stdout,
            stderr,
            theirs: false,
            warnings: answer.warnings,
            diagnostics: answer.diagnostics,
            tests: answer.tests,
            renewed: answer.renewed,
            activity: controls.activity.get(),
            object: answer.object,
            held: answer.held,
            runs_on: answer.runs_on,
            package: answer.package,
            background: answer.background,
            notices: std::mem::take(&mut facts.notices),
            used_up: Vec::new(),
            stopped: facts.stopped,
            duration: began.elapsed(),
        }
    }

    pub(crate) fn set_image(&self, worker: &Worker) {
        let word = |name| worker.hello.get_text(name).unwrap_or_default();
        let mut facts = self.facts();
        if facts.gives_way {
            give_way(worker.pid());
        }
        facts.image = Some(Image {
            ours: Some(Ours { pid: worker.pid(), watch: worker.watch() }),
            started: worker.started,
            version: format!("{} {}", word("IMPLEMENTATION"), word("VERSION")),
        });
    }
}

/// Lets other processes go before those of the image with this process.
pub(crate) fn give_way(pid: i32) {
    // An image leads a group, which its child processes and its threads belong to. A system that refuses it is slower.
    let _ = Pid::from_raw(pid).map(|pid| setpriority_pgrp(Some(pid), LAST));
}

/// Marks a session as running for as long as it lives.
pub(crate) struct Running(pub(crate) Arc<Session>);

impl Drop for Running {
    fn drop(&mut self) {
        let mut facts = self.0.facts();
        facts.running = None;
        facts.last_used = Some(Instant::now());
    }
}

/// Gives the session an image if it has no live one. A notice tells the caller about a lost image. `patience` is the
/// time to wait for another server that saves an image.
pub(crate) async fn ensure_image(session: &Session, slot: &mut Slot, patience: Duration) -> Result<(), SessionError> {
    // Boxed, because a start is rare and its state would enlarge every caller's.
    if let Some(remote) = slot.server() {
        return Box::pin(ensure_remote(session, remote)).await;
    }
    if let Some(worker) = slot.worker()
        && !worker.is_alive()
    {
        let death = worker.bury(false).await;
        lost_while_idle(session, slot, &death)?;
    }
    if matches!(slot, Slot::Empty) {
        let factory = Arc::clone(&session.factory);
        *slot = Slot::Starting(Starting::begin(async move { factory.obtain(patience).await }));
    }
    if let Slot::Starting(start) = slot {
        // The caller may give up here; then the start goes on for the next call.
        let started = start.result().await;
        *slot = Slot::Empty;
        let worker = started?;
        session.set_image(&worker);
        *slot = Slot::Worker(Box::new(worker));
        let factory = Arc::clone(&session.factory);
        tokio::spawn(async move { factory.fill_spare().await });
    }
    Ok(())
}

/// Like [`ensure_image`], but ends when somebody gives the start up, or after the time that `limit` has for a start. The start itself goes on in the
/// second case.
pub(crate) async fn ensure_unless_stopped(
    session: &Session,
    slot: &mut Slot,
    limit: TimeLimit,
    controls: &Controls,
) -> Result<(), SessionError> {
    // A plain start has to fit in as well.
    let patience = limit.time.min(limit.start / 2);
    let start = tokio::time::timeout(limit.start, ensure_image(session, slot, patience));
    let start = async { start.await.unwrap_or(Err(SessionError::Starting(limit.start))) };
    let ensured = unless_given_up(session, controls, start).await;
    if let Err(SessionError::Withdrawn(_)) = ensured {
        slot.give_up_start();
    }
    ensured
}

/// Runs `start` until somebody interrupts or ends the session. A call that is withdrawn meanwhile does not run; the
/// start goes on, because the next call needs the image as well. With a launcher it may never end, so there it is given
/// up with the call.
pub(crate) async fn unless_given_up(
    session: &Session,
    controls: &Controls,
    start: impl Future<Output = Result<(), SessionError>>,
) -> Result<(), SessionError> {
    let withdrawn = || Err(SessionError::Withdrawn(session.name.clone()));
    let goes_on = session.factory.config.launcher.is_empty();
    let had_image = session.facts().image.is_some();
    tokio::select! {
        biased;
        started = start => started?,
        () = controls.interrupt.cancelled() => return withdrawn(),
        () = controls.kill.cancelled() => return withdrawn(),
        () = controls.cancel.cancelled(), if !goes_on => return withdrawn(),
    }
    if !had_image && controls.cancel.is_cancelled() { withdrawn() } else { Ok(()) }
}

/// Records an image that was found dead before a call ran in it.
fn lost_while_idle(session: &Session, slot: &mut Slot, death: &Death) -> Result<(), SessionError> {
    let words = slot.take_worker().map(|worker| last_lines(&worker.take_output().1.head)).unwrap_or_default();
    session.count_crash(death.status.clone());
    session.facts().tell(loss(death, words));
    if session.facts().stopped { Err(session.stopped_error()) } else { Ok(()) }
}

/// One call, from the image to the report.
pub(crate) async fn run(
    session: &Session,
    slot: &mut Slot,
    request: Request,
    controls: &Controls,
    began: Instant,
) -> Result<EvalReport, SessionError> {
    if session.facts().stopped {
        return Err(session.stopped_error());
    }
    session.facts().evaluations += u64::from(matches!(request, Request::Eval(_)));
    if let Some(remote) = slot.server() {
        return run_remote(session, remote, &request, controls).await;
    }
    let mut arguments = keyed([("NEXT-OBJECT", Value::Integer(session.facts().next_object))]);
    arguments.extend(request.arguments());
    // The loop ends when an image has read the request, or when the session has lost too many images.
    let (ended, branch) = loop {
        if request.is_about_present_image() && matches!(slot, Slot::Empty) {
            return Err(SessionError::NoImage(session.name.clone()));
        }
        ensure_unless_stopped(session, slot, request.limit(), controls).await?;
        let worker = slot.worker().expect("the session was given an image");
        let mut arguments = arguments.clone();
        let branch = request.branch_key().map(|key| {
            let branch = worker.new_branch();
            arguments.extend(keyed([(key, Value::text(&branch))]));
            branch
        });
        match worker.call(request.operation().name(), arguments, branch.as_deref(), request.timeout(), controls).await {
            Ok(ended) => break (ended, branch),
            Err(Lost::Died(death)) => lost_while_idle(session, slot, &death)?,
            Err(Lost::Returned(back)) => {
                session.returned(&back, worker.pid());
                let mut facts = session.facts();
                let why = facts.ended_for.take().unwrap_or_else(|| back.status.clone());
                facts.tell(Notice::WentBack { status: why, checkpoint: back.name.clone() });
            }
        }
    };
    let worker = slot.worker().expect("the session was given an image");
    let clean = session.factory.runtime().without_own_reports;
    let is_aside = request.is_aside() && matches!(ended, Ended::Answered(..));
    let (stdout, stderr) = if is_aside { <(Printed, Printed)>::default() } else { worker.take_output() };
    let (stdout, stderr) = (clean(stdout), clean(stderr));
    let ended_children = if is_aside { None } else { worker.ended_children().map(Notice::EndedChildren) };
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
                // The copy's objects and package are gone with the copy.
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
            *slot = Slot::Empty;
            session.lost(&death, reason);
            Answer::without_image(Ending::Died { death, reason })
        }
    };
    let is_failure = matches!(&answer.ending, Ending::Error { .. } | Ending::AgentFault(_));
    let used_up = slot.worker().filter(|_| is_failure).map(|worker| Here::used_up(worker.pid())).unwrap_or_default();
    let mut report = session.report(answer, (stdout, stderr), controls, began);
    if is_aside {
        session.facts().notices.append(&mut report.notices);
    }
    report.notices.extend(ended_children);
    Ok(EvalReport { used_up, ..report })
}

/// The notice of a death while no call was running.
pub(crate) fn loss(death: &Death, last_words: String) -> Notice {
    Notice::Died { during: During::Rest, status: death.status.clone(), last_words }
}
