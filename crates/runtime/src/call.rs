//! One call of a session, from its place in the queue to its answer, and the notices about it.
//!
//! A call runs in a task of its own, which completes it even if nobody waits any more. The next answer of the session
//! then reports the call; and the last answer of a session is kept, for a client that gave up waiting without a word.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::OwnedMutexGuard;
use tokio_util::sync::CancellationToken;

use crate::activity::Activity;
use crate::capture::Printed;
use crate::eval::{Ending, EvalReport, LispError};
use crate::notice::{During, Notice, UnheardEnd};
use crate::queue::CurrentForm;
use crate::request::Request;
use crate::session::{Facts, Running, Session, run};
use crate::session_error::SessionError;
use crate::sessions::Sessions;
use crate::slot::Slot;
use crate::stop::Controls;

/// A waiting call is never refused before the running one has taken this long.
const PATIENCE: Duration = Duration::from_secs(30);

/// The number of printed lines in the notice of a call whose answer nobody read.
const LAST_LINES: usize = 3;

/// The number of their characters.
const LAST_WORDS: usize = 300;

/// A call in its session's queue. Dropping it leaves the queue.
pub struct Call {
    sessions: Sessions,
    place: CurrentForm,
    request: Request,
    ticket: Ticket,
}

/// A handle to a call that outlives it: its queue, and the place for its answer. Clones refer to the same call.
#[derive(Clone)]
pub struct Ticket {
    pub(crate) session: Arc<Session>,
    number: u64,
    what: String,
    activity: Activity,
}

/// The last answer of a session, in the type of its caller.
#[derive(Clone, Debug)]
pub struct Given {
    /// A short description of the call.
    pub what: String,
    /// The time of the answer.
    pub at: Instant,
    /// The answer, in the type in which it was stored.
    pub answer: Arc<dyn Any + Send + Sync>,
}

/// The finished calls of a session.
#[derive(Debug, Default)]
pub(crate) struct Over {
    /// The number of the last one.
    pub(crate) number: u64,
    /// The last answer.
    pub(crate) given: Option<Given>,
}

impl Call {
    pub(crate) fn new(sessions: Sessions, session: Arc<Session>, request: Request) -> Result<Self, SessionError> {
        let what = request.words();
        let place = session.join(what.clone(), request.timeout())?;
        let ticket = Ticket { session, number: place.number, what, activity: Activity::default() };
        Ok(Self { sessions, place, request, ticket })
    }

    /// The handle that outlives the call.
    pub fn ticket(&self) -> Ticket {
        self.ticket.clone()
    }

    /// Waits for the turn, and for the answer. The time limit counts from the turn.
    ///
    /// Cancelling `cancel`, or dropping the future, removes a waiting call from the queue and interrupts a running one.
    /// The session's state is kept.
    pub async fn answer(self, cancel: &CancellationToken) -> Result<EvalReport, SessionError> {
        let request = self.request.clone();
        self.begin(cancel).await?.ask(request, cancel).await
    }

    /// Waits for the turn, in which any requests can be made. Cancelling `cancel`, or dropping the future, removes the call
    /// from the queue.
    pub async fn begin(self, cancel: &CancellationToken) -> Result<Visit, SessionError> {
        let Self { sessions, place, ticket, .. } = self;
        let controls =
            Controls { cancel: cancel.child_token(), activity: ticket.activity.clone(), ..Controls::default() };
        let turn = ticket.session.enter(place, &controls).await?;
        sessions.watch_idle(&ticket.session);
        Ok(Visit { ticket, turn: Some(turn), background: Vec::new() })
    }
}

/// A call that has its turn: no other call of its session comes between its requests.
pub struct Visit {
    pub(crate) ticket: Ticket,
    /// `None` while a request is answered, and after one whose answer was not waited for.
    pub(crate) turn: Option<Turn>,
    /// Errors of other threads that came with answers which nobody asked for by themselves.
    background: Vec<LispError>,
}

impl Visit {
    /// The session has an image.
    pub fn has_image(&self) -> bool {
        self.ticket.session.facts().image.is_some()
    }

    /// The process of the image, if it was started here.
    pub fn pid(&self) -> Option<i32> {
        self.ticket.session.facts().image.as_ref()?.ours.as_ref().map(|ours| ours.pid)
    }

    /// Makes a request and waits for its answer.
    ///
    /// Cancelling `cancel`, or dropping the future, interrupts it; in the second case the visit is over.
    pub async fn ask(&mut self, request: Request, cancel: &CancellationToken) -> Result<EvalReport, SessionError> {
        let without_answer = || SessionError::Start("the call ended without an answer".to_owned());
        let Ticket { session, what, activity, .. } = self.ticket.clone();
        let mut turn = self.turn.take().ok_or_else(without_answer)?;
        let controls = Controls { cancel: cancel.child_token(), activity, ..Controls::default() };
        // Dropping this future drops the guard, which interrupts the task.
        let _interrupt = controls.cancel.clone().drop_guard();
        session.controlled_by(&controls);
        let (stands, is_aside) = (request.branch_key() != Some("TRIAL"), request.is_aside());
        let (answer, answered) = tokio::sync::oneshot::channel();
        tokio::spawn(async move {
            let result = run(&session, &mut turn.slot, request, &controls, Instant::now()).await;
            // Recorded before the next call has its turn.
            if let Ok(report) = &result
                && controls.cancel.is_cancelled()
            {
                session.facts().note_untold(report, &what, stands);
            }
            let _ = answer.send((result, turn));
        });
        let (result, turn) = answered.await.map_err(|_| without_answer())?;
        self.turn = Some(turn);
        let mut report = result?;
        if is_aside {
            self.background.append(&mut report.background);
        } else {
            report.background.splice(0..0, self.background.drain(..));
        }
        Ok(report)
    }
}

impl Ticket {
    /// The activity of the call, or of the one that it waits for.
    pub fn doing(&self) -> String {
        let calls = self.session.queue.calls();
        let before = calls.iter().position(|call| call.number == self.number).unwrap_or(0);
        let first = || calls.first().map_or(&self.what, |call| &call.what).clone();
        let now = self.session.doing().unwrap_or_else(first);
        let doing = match before {
            0 => now,
            1 => format!("waiting behind a call; now {now}"),
            more => format!("waiting behind {more} calls; now {now}"),
        };
        format!("session {}: {doing}", self.session.name)
    }

    /// Stores the answer of the call, which is kept until another call of the session is answered.
    pub fn answered(&self, answer: Arc<dyn Any + Send + Sync>) {
        let given = Given { what: self.what.clone(), at: Instant::now(), answer };
        self.session.over(self.number, Some(given));
    }

    /// Records that the call is over and had no effect.
    pub fn came_to_nothing(&self) {
        self.session.over(self.number, None);
    }
}

/// A session's image during a call.
pub(crate) struct Turn {
    // The fields are dropped in this order: the next call finds nothing running, and the image free.
    _running: Running,
    pub(crate) slot: OwnedMutexGuard<Slot>,
    _place: CurrentForm,
}

impl Session {
    /// A place for a call with the time `limit`. Fails when too many calls wait, or when the running one has taken
    /// longer than both that and half a minute.
    pub(crate) fn join(&self, what: String, limit: Duration) -> Result<CurrentForm, SessionError> {
        let (running_for, is_stopping) = {
            let facts = self.facts();
            let is_stopping = facts.running.as_ref().is_none_or(|(_, controls)| controls.is_stopping());
            (facts.running_for().unwrap_or_default(), is_stopping)
        };
        let joined = if is_stopping || running_for <= limit.max(PATIENCE) { self.queue.join(what) } else { None };
        joined.ok_or_else(|| SessionError::Busy {
            session: self.name.clone(),
            doing: self.doing().unwrap_or_default(),
            waiting: self.queue.calls().len().saturating_sub(1),
        })
    }

    /// Waits at `place` for the image.
    pub(crate) async fn enter(self: &Arc<Self>, place: CurrentForm, controls: &Controls) -> Result<Turn, SessionError> {
        let ended = || SessionError::Ended(self.name.clone());
        let image = async {
            if !place.reached().await {
                return Err(ended());
            }
            // A task that ends or watches the image may hold the slot.
            let slot = Arc::clone(&self.slot).lock_owned().await;
            if place.is_kept() { Ok(slot) } else { Err(ended()) }
        };
        let slot = tokio::select! {
            biased;
            () = controls.cancel.cancelled() => return Err(SessionError::Withdrawn(self.name.clone())),
            slot = image => slot?,
        };
        self.facts().running = Some((Instant::now(), controls.clone()));
        Ok(Turn { _running: Running(Arc::clone(self)), slot, _place: place })
    }

    /// Records what stops the request that the present call makes.
    fn controlled_by(&self, controls: &Controls) {
        if let Some((_, running)) = &mut self.facts().running {
            *running = controls.clone();
        }
    }

    /// The activity of the call that has its turn, and how long it has run, in words.
    pub(crate) fn doing(&self) -> Option<String> {
        let first = self.queue.calls().into_iter().next();
        let facts = self.facts();
        let (_, controls) = facts.running.as_ref()?;
        let what = match (&facts.image, controls.activity.get()) {
            (None, _) => "building the image".to_owned(),
            (Some(_), Some(said)) => said,
            (Some(_), None) => first.map(|call| call.what).unwrap_or_default(),
        };
        let printed = controls.activity.last_line().map(|line| format!("; printed last: {line}")).unwrap_or_default();
        Some(format!("{what} for {} s{printed}", facts.running_for()?.as_secs()))
    }

    /// Records that the call of this number is over, with its answer `given`.
    pub(crate) fn over(&self, number: u64, given: Option<Given>) {
        self.over.send_modify(|over| {
            over.number = over.number.max(number);
            over.given = given.or(over.given.take());
        });
    }
}

impl Facts {
    /// The time since the call began, or since its image was built.
    pub(crate) fn running_for(&self) -> Option<Duration> {
        let (since, _) = self.running.as_ref()?;
        let began = self.image.as_ref().map_or(*since, |image| image.started.max(*since));
        Some(began.elapsed())
    }

    /// Records an answer that nobody waits for: the next one repeats its notices and reports the call. The effects of
    /// the call remain (`stands`) unless a copy of the image ran it.
    fn note_untold(&mut self, report: &EvalReport, what: &str, stands: bool) {
        for notice in &report.notices {
            self.tell(notice.clone());
        }
        self.tell(untold(report, what, stands));
    }
}

/// The notice about a call whose client gave up waiting for it.
fn untold(report: &EvalReport, call: &str, stands: bool) -> Notice {
    let last_words = last_words(report);
    let end = match &report.ending {
        Ending::Died { death, .. } if !report.theirs => {
            return Notice::Died { during: During::UnheardCall, status: death.status.clone(), last_words };
        }
        Ending::Stopped { place, .. } if place.index > 0 => {
            UnheardEnd::StoppedIn { form: place.index, of: place.total }
        }
        Ending::Stopped { .. } => UnheardEnd::Stopped,
        _ => UnheardEnd::Answered,
    };
    Notice::Unheard { call: call.to_owned(), end, took: report.duration, stands, last_words }
}

/// The end of the call's output, on one line.
fn last_words(report: &EvalReport) -> String {
    let end = |printed: &Printed| {
        let end = if printed.tail.is_empty() { &printed.head } else { &printed.tail };
        let mut lines: Vec<String> = end
            .lines()
            .rev()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .take(LAST_LINES)
            .map(str::to_owned)
            .collect();
        lines.reverse();
        lines
    };
    let words = [end(&report.stdout), end(&report.stderr)].concat().join(" | ");
    let excess = words.chars().count().saturating_sub(LAST_WORDS);
    words.chars().skip(excess).collect()
}
