//! One call of a worker: its request, its answer, and the steps by which it is stopped.
//!
//! When its time is up, when it prints too much, or when somebody asks, the worker is interrupted and keeps its state;
//! it is killed only if it does not respond within [`GRACE`]. Time that it spends waiting for a processor does not
//! count.

use std::time::{Duration, Instant};

use lispwright_platform::{Here, System as _};
use rustix::process::Signal;
use tokio::io::AsyncWriteExt as _;

use super::{Worker, head};
use crate::children::EndedChildren;
use crate::copies::{RETURN_LIMIT, Return};
use crate::exchange::{Event, Supervision};
use crate::process;
use crate::starved::OwnTime;
use crate::stop::{Controls, Death, StopReason};
use crate::watch::Excess;
use crate::wire::{self, Value, keyed};

/// The time from the request to stop until a signal is sent as well.
const SIGNAL_AFTER: Duration = Duration::from_millis(250);

/// The time from the request to stop until the worker is killed, without its waits for a processor.
const GRACE: Duration = Duration::from_millis(2000);

/// The time from the request to stop until the worker is killed, with those waits.
const MOST_GRACE: Duration = Duration::from_secs(16);

/// The time from the end of processes that the worker waits for until the next signal.
const AFTER_CHILDREN: Duration = Duration::from_millis(20);

/// The additional grace when the worker may have waited for processes that were ended then.
const CHILD_GRACE: Duration = Duration::from_millis(1500);

/// The end of a call.
pub(crate) enum Ended {
    /// The agent's answer, and the reason if the call was asked to stop.
    Answered(Value, Option<StopReason>),
    /// The process is gone, and its checkpoint continues.
    Returned(Return, Option<StopReason>),
    /// The worker is gone.
    Died(Death, Option<StopReason>),
}

/// The loss of a worker before it read a request.
pub(crate) enum Lost {
    /// It is gone.
    Died(Death),
    /// It has returned to a checkpoint.
    Returned(Return),
}

/// The outcome of a call.
type Outcome = Result<Ended, Lost>;

/// A test that the image has begun, and others after it.
struct TestInHand {
    /// Its name, as the image says it.
    name: String,
    /// The time from which on it is asked to leave it, for the others to run.
    until: Instant,
}

/// A step of the conversation.
enum Step {
    /// The test in hand has had its time.
    TestOverdue,
    /// A message, or the end of the pipe.
    Heard(Option<Value>),
    /// The number of bytes of the request that were written.
    Sent(std::io::Result<usize>),
}

/// The steps of stopping a call.
struct Stopping {
    /// The time since the request to stop.
    time: OwnTime,
    killed: bool,
    /// The excess that it is stopped for, in words.
    excess: Option<String>,
}

impl Stopping {
    /// It could use `limit` of processor time to stop in, or far more time has passed.
    fn has_had(&mut self, limit: Duration) -> bool {
        self.time.used() >= limit || self.time.passed() >= MOST_GRACE.max(limit)
    }
}

impl Worker {
    /// Sends `operation` with `arguments` and waits for its answer, at most `limit`.
    ///
    /// `trial` is the mark of the copy that the request makes for itself, if it makes one. An error is the loss of a
    /// worker that had not read the request.
    pub(crate) async fn call(
        &mut self,
        operation: &str,
        arguments: Vec<Value>,
        trial: Option<&str>,
        limit: Duration,
        controls: &Controls,
    ) -> Result<Ended, Lost> {
        while let Some(message) = self.answers.poll() {
            if head(&message) == Some("RETURNED") {
                return Err(Lost::Returned(self.take_return(&message).await));
            }
        }
        Conversation::begin(self, operation, arguments, trial, limit, controls).run().await
    }

    /// Ends the processes that the worker has started since `began`, so that it need not wait for them any more.
    /// Otherwise the worker would be killed next, and they with it.
    fn end_awaited(&mut self, began: Instant) {
        let mut started = self.watch.started_by_code(self.copies.running());
        started.retain(|pid| Here::is_young(*pid, began.elapsed()));
        self.ended_children = EndedChildren::end(started, EndedChildren::Awaited);
    }

    /// Ends the processes that can print and were started since `began` or have written too much themselves: the worker
    /// was stopped because of the output, but they were not.
    fn end_printers(&mut self, began: Instant) {
        if !self.local {
            return;
        }
        let mut started = self.watch.started_by_code(self.copies.running());
        started.retain(|pid| {
            let floods = || Here::written_by(*pid).is_some_and(|bytes| bytes > self.stdout.limit());
            let prints = || self.stdout.is_open_in(*pid) || self.stderr.is_open_in(*pid);
            (Here::is_young(*pid, began.elapsed()) || floods()) && prints()
        });
        self.ended_children = EndedChildren::end(started, EndedChildren::Printing).or(self.ended_children);
    }

    /// The number of bytes of requests that are still unread.
    fn unread(&self) -> usize {
        rustix::io::ioctl_fionread(&self.requests).ok().and_then(|count| usize::try_from(count).ok()).unwrap_or(0)
    }
}

/// A call that is under way.
struct Conversation<'w, 'c> {
    worker: &'w mut Worker,
    controls: &'c Controls,
    supervision: Supervision<'c>,
    /// The number of the request.
    id: i64,
    /// The mark of the copy that the request makes for itself.
    trial: Option<&'c str>,
    /// What is sent to the worker, of which `written` bytes have been.
    outgoing: Vec<u8>,
    written: usize,
    began: Instant,
    /// When its time is up.
    deadline: Instant,
    test: Option<TestInHand>,
    stopping: Option<Stopping>,
    /// The worker has said that it ends itself.
    is_exiting: bool,
}

impl<'w, 'c> Conversation<'w, 'c> {
    fn begin(
        worker: &'w mut Worker,
        operation: &str,
        arguments: Vec<Value>,
        trial: Option<&'c str>,
        limit: Duration,
        controls: &'c Controls,
    ) -> Self {
        worker.last_id += 1;
        worker.ended_children = None;
        worker.stdout.begin(&controls.activity);
        worker.stderr.begin(&controls.activity);
        worker.watch.begin();
        let id = worker.last_id;
        let mut request = vec![Value::keyword(operation), Value::keyword("ID"), Value::Integer(id)];
        request.extend(arguments);
        let mut outgoing = if std::mem::take(&mut worker.resync) { vec![wire::VOID] } else { Vec::new() };
        outgoing.extend(Value::List(request).frame());
        let began = Instant::now();
        Self {
            worker,
            controls,
            supervision: Supervision::new(controls, began + limit),
            id,
            trial,
            outgoing,
            written: 0,
            began,
            deadline: began + limit,
            test: None,
            stopping: None,
            is_exiting: false,
        }
    }

    async fn run(mut self) -> Outcome {
        loop {
            let outcome = match self.event().await {
                Event::Came(Step::Heard(Some(message))) => self.heard(message).await,
                Event::Came(Step::Heard(None)) => Some(self.pipe_ended().await),
                Event::Came(Step::Sent(sent)) => self.sent(sent).await,
                Event::Came(Step::TestOverdue) => {
                    self.skip_test();
                    None
                }
                Event::Kill => Some(Ok(Ended::Died(self.worker.bury(true).await, Some(StopReason::Killed)))),
                Event::Stop(reason) => {
                    self.stop(reason);
                    None
                }
                Event::Excess(excess) => self.exceeded(excess).await,
                Event::NextStep => {
                    self.press();
                    None
                }
            };
            if let Some(outcome) = outcome {
                return outcome;
            }
        }
    }

    async fn event(&mut self) -> Event<Step> {
        let is_killed = self.is_killed();
        let overdue = self.test.as_ref().filter(|_| self.stopping.is_none()).map(|test| test.until);
        let worker = &mut *self.worker;
        let (answers, requests, rest) = (&mut worker.answers, &mut worker.requests, &self.outgoing[self.written..]);
        let conversation = async {
            tokio::select! {
                biased;
                answer = answers.next() => Step::Heard(answer),
                sent = requests.write(rest), if !rest.is_empty() => Step::Sent(sent),
                () = sleep_until(overdue) => Step::TestOverdue,
            }
        };
        let overflow = async {
            tokio::select! {
                () = worker.stdout.overflow() => {}
                () = worker.stderr.overflow() => {}
            }
        };
        let excess = async {
            if is_killed { std::future::pending().await } else { worker.watch.excess(worker.copies.running()).await }
        };
        self.supervision.event(conversation, overflow, excess).await
    }

    /// The worker, or the copy that answers, has been killed.
    fn is_killed(&self) -> bool {
        self.stopping.as_ref().is_some_and(|stopping| stopping.killed)
    }

    /// The excess that the call is stopped for, in words, to be told once.
    fn excess(&mut self) -> Option<String> {
        self.stopping.as_mut().and_then(|stopping| stopping.excess.take())
    }

    async fn heard(&mut self, mut message: Value) -> Option<Outcome> {
        let is_mine = message.get_integer("ID") == Some(self.id);
        match head(&message) {
            Some("EXIT") => self.is_exiting = true,
            Some("PROGRESS") if is_mine => {
                self.controls.activity.set(message.get_text("TEXT").unwrap_or_default());
                self.test = message.get_text("TEST").map(|name| {
                    let now = Instant::now();
                    let left = self.deadline.saturating_duration_since(now);
                    TestInHand { name: name.to_owned(), until: now + left / 2 }
                });
            }
            Some("FORKED") => {
                if let Some(branch) = self.trial {
                    let copy = self.worker.copy_of(&message);
                    self.worker.copies.start_trial(copy, branch.to_owned());
                }
            }
            Some("RETURNED") => {
                let mut back = self.worker.take_return(&message).await;
                if let Some(excess) = self.excess() {
                    back.status = excess;
                }
                let has_not_read = message.get_integer("REQUEST").is_some_and(|read| read < self.id);
                return Some(if self.stopping.is_none() && has_not_read {
                    Err(Lost::Returned(back))
                } else {
                    Ok(Ended::Returned(back, self.supervision.reason))
                });
            }
            Some("DONE" | "FAULT" | "UNSUPPORTED") if is_mine => {
                self.worker.copies.end_trial().await;
                if self.supervision.reason == Some(StopReason::Output) {
                    self.worker.end_printers(self.began);
                }
                let died = message.get("OUTCOME").and_then(Value::as_keyword) == Some("DIED");
                self.worker.resync |= died;
                if died && let Some(excess) = self.excess() {
                    message.set_text("STATUS", excess);
                }
                return Some(Ok(Ended::Answered(message, self.supervision.reason)));
            }
            _ => {}
        }
        None
    }

    async fn pipe_ended(&mut self) -> Outcome {
        let has_read = self.written == self.outgoing.len() && self.worker.unread() == 0;
        if self.stopping.is_none() && !has_read {
            return Err(Lost::Died(self.worker.bury(false).await));
        }
        let mut death = self.worker.bury(self.is_killed()).await;
        death.exited = self.is_exiting && !death.killed;
        if let Some(excess) = self.excess() {
            death.status = excess;
        }
        Ok(Ended::Died(death, self.supervision.reason))
    }

    async fn sent(&mut self, sent: std::io::Result<usize>) -> Option<Outcome> {
        match sent {
            Ok(count) => self.written += count,
            Err(_) if self.stopping.is_none() => return Some(Err(Lost::Died(self.worker.bury(false).await))),
            // The pipe of the answers ends too; its end gives the reason.
            Err(_) => self.written = self.outgoing.len(),
        }
        None
    }

    /// Asks the worker to stop.
    fn stop(&mut self, reason: StopReason) {
        let time = OwnTime::of(self.worker.local.then(|| self.worker.pid()));
        self.stopping = Some(Stopping { time, killed: false, excess: None });
        self.supervision.stop(reason, Instant::now() + SIGNAL_AFTER);
        let interrupt = vec![Value::keyword("INTERRUPT"), Value::keyword("ID"), Value::Integer(self.id)];
        self.outgoing.extend(Value::List(interrupt).frame());
    }

    /// Asks the worker to leave the test in hand and to go on with the others. A test gets half of the time that is left
    /// when it begins, so any number of tests that hang leaves time for the others. A worker that is deaf goes on with it.
    fn skip_test(&mut self) {
        let Some(test) = self.test.take() else { return };
        let skip = keyed([("ID", Value::Integer(self.id)), ("TEST", Value::text(&test.name))]);
        let skip = [Value::keyword("SKIP")].into_iter().chain(skip).collect();
        self.outgoing.extend(Value::List(skip).frame());
        if self.worker.local && self.worker.reads_when_signalled {
            process::send_interrupt(self.worker.pid, self.worker.signals);
        }
    }

    /// Ends what takes too much: the copy that answers if that suffices, otherwise the worker.
    async fn exceeded(&mut self, Excess { reason, text, copy_suffices }: Excess) -> Option<Outcome> {
        let copy_ended = copy_suffices && self.worker.copies.signal(Signal::KILL);
        if !copy_ended {
            let mut death = self.worker.bury(true).await;
            death.status = text;
            return Some(Ok(Ended::Died(death, Some(reason))));
        }
        // Its checkpoint answers next.
        self.stopping = Some(Stopping { time: OwnTime::of(None), killed: true, excess: Some(text) });
        self.supervision.stop(reason, Instant::now() + RETURN_LIMIT);
        None
    }

    /// The next step with a worker that was asked to stop and has not: the end of what it waits for, a signal, its end.
    fn press(&mut self) {
        let worker = &mut *self.worker;
        let stopping = self.stopping.as_mut().expect("a step is waited for only while stopping");
        let is_overdue = stopping.has_had(GRACE);
        self.supervision.wait(Instant::now() + SIGNAL_AFTER);
        if is_overdue && worker.ended_children.is_none() && !stopping.killed && worker.local {
            worker.end_awaited(self.began);
            if worker.ended_children.is_some() {
                // The worker reads again once it knows that they have ended.
                self.supervision.wait(Instant::now() + AFTER_CHILDREN);
                return;
            }
        }
        let has_more_time = worker.ended_children.is_some() && !stopping.has_had(GRACE + CHILD_GRACE);
        if !is_overdue || has_more_time {
            // A second signal would interrupt the handling of the first, so a worker that only waits for a processor
            // gets none.
            let may_be_signalled = worker.local && stopping.has_had(SIGNAL_AFTER / 2);
            if may_be_signalled && !worker.signals.first().is_some_and(|signal| worker.copies.signal(*signal)) {
                process::send_interrupt(worker.pid, worker.signals);
            }
        } else if !stopping.killed && worker.local && worker.copies.signal(Signal::KILL) {
            // Its checkpoint answers next.
            stopping.killed = true;
            self.supervision.wait(Instant::now() + RETURN_LIMIT);
        } else {
            stopping.killed = true;
            // The pipe ends next.
            let _ = rustix::process::kill_process_group(worker.pid, Signal::KILL);
        }
    }
}

/// Waits until `time`, for ever without one.
async fn sleep_until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time.into()).await,
        None => std::future::pending().await,
    }
}
