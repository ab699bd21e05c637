//! One call of a session, from its place in the queue to its answer, and what is told of it meanwhile and afterwards.
//!
//! A call runs in a task of its own, which sees it to its end whether or not somebody still waits. Of one that nobody waits
//! for any more, the next answer of the session tells; and the last answer of a session is kept, for a client that gave up
//! waiting without a word.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::OwnedMutexGuard;
use tokio_util::sync::CancellationToken;

use crate::activity::Activity;
use crate::capture::Printed;
use crate::eval::{Ending, EvalReport};
use crate::queue::Place;
use crate::request::Request;
use crate::session::{Facts, Running, Session, loss, run};
use crate::session_error::SessionError;
use crate::sessions::Sessions;
use crate::slot::Slot;
use crate::stop::Controls;

/// What a call may take however little it asks for, before another that wants to wait for it is refused.
const PATIENCE: Duration = Duration::from_secs(30);

/// Lines of what a call printed that are told when nobody has read its answer.
const LAST_LINES: usize = 3;

/// Characters of them.
const LAST_WORDS: usize = 300;

/// A call that stands in its session's queue. Dropping it leaves the queue.
pub struct Call {
    sessions: Sessions,
    place: Place,
    request: Request,
    ticket: Ticket,
}

/// What one keeps of a call: where it stands, and where its answer is left. Clones are about the same call.
#[derive(Clone)]
pub struct Ticket {
    session: Arc<Session>,
    number: u64,
    what: String,
    activity: Activity,
}

/// The last answer of a session, as whoever gave it left it.
#[derive(Clone, Debug)]
pub struct Given {
    /// What the call was to do.
    pub what: String,
    /// When it was answered.
    pub at: Instant,
    /// The answer, of the type that it was left in.
    pub answer: Arc<dyn Any + Send + Sync>,
}

/// Which calls of a session are over.
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

    /// What is kept of it.
    pub fn ticket(&self) -> Ticket {
        self.ticket.clone()
    }

    /// Waits for its turn, and for the answer. Its time counts from its turn on.
    ///
    /// Cancelling `cancel`, or dropping the future, takes a call that waits out of the queue, interrupts one that runs, and
    /// keeps the session's state.
    pub async fn answer(self, cancel: &CancellationToken) -> Result<EvalReport, SessionError> {
        let Self { sessions, place, request, ticket: Ticket { session, what, activity, .. } } = self;
        let controls = Controls { cancel: cancel.child_token(), activity, ..Controls::default() };
        // Dropping this future drops the guard, which interrupts the task.
        let _interrupt = controls.cancel.clone().drop_guard();
        let mut turn = session.enter(place, &controls).await?;
        sessions.watch_idle(&session);
        let stands = request.branch_key() != Some("TRIAL");
        let (answer, answered) = tokio::sync::oneshot::channel();
        tokio::spawn(async move {
            let result = run(&session, &mut turn.slot, request, &controls, Instant::now()).await;
            // Before anybody else has a turn.
            if let Ok(report) = &result
                && controls.cancel.is_cancelled()
            {
                session.facts().note_untold(report, &what, stands);
            }
            drop(turn);
            let _ = answer.send(result);
        });
        answered.await.unwrap_or_else(|_| Err(SessionError::Start("the call ended without an answer".to_owned())))
    }
}

impl Ticket {
    /// What the call is doing, or what it waits for.
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

    /// The call was answered; the answer is kept until another call of the session is.
    pub fn answered(&self, answer: Arc<dyn Any + Send + Sync>) {
        let given = Given { what: self.what.clone(), at: Instant::now(), answer };
        self.session.over(self.number, Some(given));
    }

    /// The call is over and did nothing.
    pub fn came_to_nothing(&self) {
        self.session.over(self.number, None);
    }
}

/// A session's image for as long as a call has its turn.
pub(crate) struct Turn {
    // Dropped in this order: the next one finds nobody running, and the image free.
    _running: Running,
    pub(crate) slot: OwnedMutexGuard<Slot>,
    _place: Place,
}

impl Session {
    /// A place for a call that may take `limit`; none when too many wait, or when what runs has taken longer than both that
    /// and half a minute.
    pub(crate) fn join(&self, what: String, limit: Duration) -> Result<Place, SessionError> {
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
    pub(crate) async fn enter(self: &Arc<Self>, place: Place, controls: &Controls) -> Result<Turn, SessionError> {
        let ended = || SessionError::Ended(self.name.clone());
        let image = async {
            if !place.reached().await {
                return Err(ended());
            }
            // One who ends or watches the image may have it.
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

    /// What the call that has its turn is doing, with how long it has run, in words.
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

    /// The call of that number is over, and was answered with `given`.
    pub(crate) fn over(&self, number: u64, given: Option<Given>) {
        self.over.send_modify(|over| {
            over.number = over.number.max(number);
            over.given = given.or(over.given.take());
        });
    }
}

impl Facts {
    /// How long a call has run, or has waited for its image to be built.
    pub(crate) fn running_for(&self) -> Option<Duration> {
        let (since, _) = self.running.as_ref()?;
        let began = self.image.as_ref().map_or(*since, |image| image.started.max(*since));
        Some(began.elapsed())
    }

    /// Takes note of an answer that nobody waits for: the next one tells what it would have told of the session, and of it.
    /// What the call did `stands` unless a copy of the image did it.
    fn note_untold(&mut self, report: &EvalReport, what: &str, stands: bool) {
        for notice in &report.notices {
            self.tell(notice.clone());
        }
        self.tell(untold(report, what, stands));
    }
}

/// What is said of a call whose client gave up waiting for it.
fn untold(report: &EvalReport, what: &str, stands: bool) -> String {
    let how = match &report.ending {
        Ending::Died { death, .. } if !report.theirs => {
            return loss(&report.session, "during a call that was withdrawn", death, &last_words(report));
        }
        Ending::Stopped { place, .. } if place.index > 0 => {
            let of = place.total.map(|total| format!(" of {total}")).unwrap_or_default();
            format!("stopped by its client after {:.1} s, in form {}{of}", report.duration.as_secs_f64(), place.index)
        }
        Ending::Stopped { .. } => format!("stopped by its client after {:.1} s", report.duration.as_secs_f64()),
        _ => format!("at its end after {:.1} s when its client had given it up", report.duration.as_secs_f64()),
    };
    let words = last_words(report);
    let words = if words.is_empty() { words } else { format!(" It printed last: {words}") };
    let stands = if stands { "; what it did stands" } else { "" };
    format!("The call before ({what}) was {how}{stands}.{words}")
}

/// The end of what a call printed, on one line.
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
