//! One session: its image, what others may know of it, and one call from the image to the report.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedMutexGuard, watch};
use tokio_util::task::AbortOnDropHandle;

use crate::call::Over;
use crate::capture::Printed;
use crate::children::EndedChildren;
use crate::copies::Return;
use crate::eval::{Answer, Ending, EvalReport};
use crate::factory::Factory;
use crate::limits;
use crate::queue::Queue;
use crate::remote::{ensure_remote, run_remote};
use crate::request::Request;
use crate::session_error::SessionError;
use crate::slot::Slot;
use crate::status::CheckpointStatus;
use crate::stop::{Controls, Death, StopReason};
use crate::watch::Watch;
use crate::wire::{Value, keyed};
use crate::worker::{Ended, Lost, Worker, last_lines};

/// So many lost images ...
const CRASHES: usize = 3;

/// ... within so long stop a session.
pub(crate) const CRASH_WINDOW: Duration = Duration::from_secs(300);

/// Notices that wait to be told.
const MOST_NOTICES: usize = 8;

/// How long an image may take to start, however short the time of the call is that waits for it.
pub(crate) const LEAST_START_LIMIT: Duration = Duration::from_secs(100);

/// A name with the image behind it.
pub(crate) struct Session {
    pub(crate) name: String,
    pub(crate) factory: Arc<Factory>,
    /// The call that has its turn, and those that wait for theirs.
    pub(crate) queue: Queue,
    /// Which of them are over.
    pub(crate) over: watch::Sender<Over>,
    /// Held for as long as a call runs.
    pub(crate) slot: Arc<tokio::sync::Mutex<Slot>>,
    pub(crate) facts: Mutex<Facts>,
}

/// What others may know while a call runs.
#[derive(Default)]
pub(crate) struct Facts {
    pub(crate) image: Option<Image>,
    pub(crate) evaluations: u64,
    pub(crate) package: Option<String>,
    /// How many stacks are held in the image.
    pub(crate) held: u32,
    /// Interrupted code still runs in the image.
    pub(crate) runs_on: bool,
    /// Oldest first.
    pub(crate) checkpoints: Vec<CheckpointStatus>,
    /// The number for the next object, whichever image it will be in.
    pub(crate) next_object: i64,
    pub(crate) running: Option<(Instant, Controls)>,
    /// When the last call ended.
    pub(crate) last_used: Option<Instant>,
    /// Who watches how long the image is idle, if somebody does.
    pub(crate) watcher: Option<AbortOnDropHandle<()>>,
    /// Who watches what the image takes while it is idle.
    pub(crate) excess_watcher: Option<AbortOnDropHandle<()>>,
    /// Why the copy after a checkpoint was ended while no call ran, until that is told.
    pub(crate) ended_for: Option<String>,
    pub(crate) crashes: Vec<Instant>,
    pub(crate) last_crash: String,
    pub(crate) stopped: bool,
    /// To be told with the next answer, oldest first.
    pub(crate) notices: Vec<String>,
}

impl Facts {
    /// Has the next answer tell of something. Of many things, the last are told.
    pub(crate) fn tell(&mut self, notice: String) {
        if self.notices.len() == MOST_NOTICES {
            self.notices.remove(0);
        }
        self.notices.push(notice);
    }

    /// The session begins afresh: what is left is the number of the next object, and the call that does it.
    pub(crate) fn renew(&mut self) {
        let (next_object, running) = (self.next_object, self.running.take());
        *self = Self { next_object, running, ..Self::default() };
    }

    /// The image is gone, and what was known about it.
    pub(crate) fn forget_image(&mut self) {
        self.image = None;
        self.package = None;
        self.held = 0;
        self.runs_on = false;
        self.checkpoints.clear();
    }
}

/// The image that a session has now.
#[derive(Clone)]
pub(crate) struct Image {
    /// Absent of one that somebody else runs.
    pub(crate) ours: Option<Ours>,
    pub(crate) started: Instant,
    /// Who it is, and whose.
    pub(crate) version: String,
}

/// The process of an image that was started here.
#[derive(Clone)]
pub(crate) struct Ours {
    pub(crate) pid: i32,
    /// What it takes.
    pub(crate) watch: Watch,
}

impl Image {
    /// The process that it is from now on.
    fn goes_on_as(&mut self, pid: i32) {
        if let Some(ours) = &mut self.ours {
            ours.pid = pid;
        }
    }
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
    pub(crate) fn free_now(&self) -> Option<OwnedMutexGuard<Slot>> {
        Arc::clone(&self.slot).try_lock_owned().ok()
    }

    /// The image was ended because nobody had used it.
    pub(crate) fn ended_idle(&self, idle: Duration) {
        let mut facts = self.facts();
        facts.forget_image();
        facts.tell(format!(
            "The image of session {:?} was ended after {} s in which nobody used it: its definitions and other state are \
             lost. This call ran in a fresh image.",
            self.name,
            idle.as_secs()
        ));
    }

    /// The watch over an image that no call runs in.
    pub(crate) fn idle_watch(&self) -> Option<Watch> {
        let facts = self.facts();
        if facts.running.is_some() {
            return None;
        }
        Some(facts.image.as_ref()?.ours.as_ref()?.watch.clone())
    }

    /// Ends the image for what it takes while no call runs, unless one has come, which is watched itself. It is told with
    /// the next call.
    pub(crate) async fn end_excess(&self) {
        let Some(mut slot) = self.free_now() else { return };
        if let Some(worker) = slot.worker() {
            // Now that nothing can come between, with the copy that would do.
            let Some(excess) = worker.glance().await else { return };
            if excess.copy_suffices && worker.end_copy() {
                self.facts().ended_for = Some(excess.text);
                return;
            }
            let death = Death { status: excess.text, ..worker.bury(true).await };
            // That the session is stopped, the next call is told as well.
            let _ = lost_while_idle(self, &mut slot, &death);
            return;
        }
        let Some(watch) = self.idle_watch() else { return };
        let Some(excess) = watch.glance(None, false).await else { return };
        if slot.end_ours().await {
            let death = Death { status: excess.text, exited: false, killed: true };
            self.count_crash(death.status.clone());
            self.facts().tell(loss(&self.name, "while no call was running", &death, ""));
        }
    }

    /// It has no image, runs nothing, and is not stopped.
    pub(crate) fn is_empty(&self) -> bool {
        let facts = self.facts();
        facts.image.is_none() && self.queue.is_empty() && facts.last_used.is_some() && !facts.stopped
    }

    /// Nobody watches how long the image is idle any more.
    pub(crate) fn unwatched(&self) {
        self.facts().watcher = None;
    }

    /// Ends the call that runs, and those that wait.
    pub(crate) fn end_calls(&self) {
        self.queue.clear();
        if let Some((_, controls)) = &self.facts().running {
            controls.kill.cancel();
        }
    }

    /// Refuses what ends an image when that is not ours to end.
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

    /// Takes note of an image that ended, by itself or not.
    pub(crate) fn lost(&self, death: &Death, reason: Option<StopReason>) {
        if death.exited || reason == Some(StopReason::Killed) {
            let mut facts = self.facts();
            facts.forget_image();
        } else {
            self.count_crash(death.status.clone());
        }
    }

    /// The process `kept` sleeps as a checkpoint, and `pid` goes on.
    pub(crate) fn checkpointed(&self, name: &str, kept: i32, pid: i32) {
        let mut facts = self.facts();
        facts.checkpoints.retain(|checkpoint| checkpoint.name != name);
        facts.checkpoints.push(CheckpointStatus { name: name.to_owned(), pid: kept, made: Instant::now() });
        if let Some(image) = &mut facts.image {
            image.goes_on_as(pid);
        }
    }

    /// A checkpoint goes on as the process `pid` in place of one that has ended.
    pub(crate) fn returned(&self, back: &Return, pid: i32) {
        let mut facts = self.facts();
        facts.package.clone_from(&back.package);
        facts.held = back.held;
        facts.checkpoints.retain(|checkpoint| back.checkpoints.contains(&checkpoint.name));
        if let Some(image) = &mut facts.image {
            image.goes_on_as(pid);
        }
    }

    /// What a call that began then came to, with what is to be told of the session.
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
            activity: controls.activity.get(),
            object: answer.object,
            held: answer.held,
            runs_on: answer.runs_on,
            package: answer.package,
            background: answer.background,
            notices: std::mem::take(&mut facts.notices),
            stopped: facts.stopped,
            duration: began.elapsed(),
        }
    }

    pub(crate) fn set_image(&self, worker: &Worker) {
        let word = |name| worker.hello.get_text(name).unwrap_or_default();
        self.facts().image = Some(Image {
            ours: Some(Ours { pid: worker.pid(), watch: worker.watch() }),
            started: worker.started,
            version: format!("{} {}", word("IMPLEMENTATION"), word("VERSION")),
        });
    }
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

/// Gives the session an image if it has none that lives; why the caller gets a fresh one, if one was lost.
pub(crate) async fn ensure_image(session: &Session, slot: &mut Slot, patience: Duration) -> Result<(), SessionError> {
    // A start is rare and its state large: it does not lie on the stack of whoever may need one.
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
        let worker = Box::pin(session.factory.obtain(patience)).await?;
        session.set_image(&worker);
        *slot = Slot::Worker(Box::new(worker));
        let factory = Arc::clone(&session.factory);
        tokio::spawn(async move { factory.fill_spare().await });
    }
    Ok(())
}

/// As [`ensure_image`], until somebody gives the start up or the time is up, which is `time` or what a start is given at
/// least: a launcher can keep a start waiting for as long as it likes.
pub(crate) async fn ensure_unless_stopped(
    session: &Session,
    slot: &mut Slot,
    time: Duration,
    controls: &Controls,
) -> Result<(), SessionError> {
    let limit = time.max(LEAST_START_LIMIT);
    let start = tokio::time::timeout(limit, ensure_image(session, slot, time));
    unless_given_up(session, controls, async { start.await.unwrap_or(Err(SessionError::Starting(limit))) }).await
}

/// Lets `start` make an image, until somebody interrupts or ends the session. A call that is withdrawn meanwhile does not
/// run; the start goes on, because the next call needs the image as well. Behind a launcher it may never come to its end,
/// so there it is given up with the call.
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

/// Takes note of an image that was found dead before a call ran in it.
fn lost_while_idle(session: &Session, slot: &mut Slot, death: &Death) -> Result<(), SessionError> {
    let words = slot.take_worker().map(|worker| last_lines(&worker.take_output().1.head)).unwrap_or_default();
    session.count_crash(death.status.clone());
    session.facts().tell(loss(&session.name, "while no call was running", death, &words));
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
    // Ends with an image that has read the request, or with a session that has lost too many.
    let (ended, branch) = loop {
        if request.is_about_present_image() && matches!(slot, Slot::Empty) {
            return Err(SessionError::NoImage(session.name.clone()));
        }
        ensure_unless_stopped(session, slot, request.timeout(), controls).await?;
        let worker = slot.worker().expect("the session was given an image");
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
                let mut facts = session.facts();
                let why = facts.ended_for.take().unwrap_or_else(|| back.status.clone());
                facts.tell(format!(
                    "The image of session {:?} died while no call was running ({why}), and the session went back to checkpoint \
                     {:?}: what was done since is lost.",
                    session.name, back.name
                ));
            }
        }
    };
    let worker = slot.worker().expect("the session was given an image");
    let clean = session.factory.runtime().without_own_reports;
    let (stdout, stderr) = worker.take_output();
    let (stdout, stderr) = (clean(stdout), clean(stderr));
    let ended_children = worker.ended_children().map(EndedChildren::notice);
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
            *slot = Slot::Empty;
            session.lost(&death, reason);
            Answer::without_image(Ending::Died { death, reason })
        }
    };
    let is_failure = matches!(&answer.ending, Ending::Error { .. } | Ending::AgentFault(_));
    let limited = slot.worker().filter(|_| is_failure).and_then(|worker| limits::used_up(worker.pid()));
    let mut report = session.report(answer, (stdout, stderr), controls, began);
    report.notices.extend(ended_children.into_iter().chain(limited));
    Ok(report)
}

pub(crate) fn loss(session: &str, when: &str, death: &Death, words: &str) -> String {
    let said = if words.is_empty() { String::new() } else { format!(" Its last words:\n{words}\n") };
    format!(
        "The image of session {session:?} died {when} ({}): its definitions and other state are lost.{said} \
         This call ran in a fresh image.",
        death.status
    )
}
