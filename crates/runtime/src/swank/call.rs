//! One request of a session in an attached image: from the call of the agent to its answer, with the messages in
//! between.

use std::future::pending;
use std::time::{Duration, Instant};

use super::image::Image;
use super::message::Message;
use crate::eval::{Answer, CurrentForm, Ending, LispError, Phase};
use crate::exchange::{Event, Supervision};
use crate::remote::Lost;
use crate::request::Request;
use crate::stop::{Controls, Death, StopReason};
use crate::wire::{Value, keyed};

/// The time between two requests to stop: code that was printing its stack is asked again.
const AGAIN: Duration = Duration::from_secs(1);

/// The time from the first request to stop until the server is given up.
const GRACE: Duration = Duration::from_secs(5);

impl Image {
    /// Sends `request` to the agent and waits for its answer, which comes soon after the time limit or a request to
    /// stop.
    pub(crate) async fn request(
        &mut self,
        request: &Request,
        next_object: i64,
        controls: &Controls,
    ) -> Result<Answer, Lost> {
        let deadline = Instant::now() + request.timeout();
        self.printed.call = controls.activity.clone();
        let form = self.form(request, next_object);
        let main = self.call(&form, self.holder);
        let mut is_over = false;
        // An earlier interrupt would reach a thread that is not evaluating yet.
        let mut has_begun = false;
        let mut supervision = Supervision::new(controls, deadline);
        // The time of the request to stop.
        let mut since = Instant::now();
        loop {
            // Its output comes as messages, and its memory is the owner's concern.
            let event = supervision.event(self.connection.next(), pending(), pending()).await;
            let reason = supervision.reason;
            match event {
                Event::Came(Ok(Message::Return { id, result })) => {
                    let asked = self.questions.iter().position(|(question, _)| *question == id);
                    let debug = asked.map(|asked| self.questions.remove(asked).1);
                    self.open_calls.retain(|open| *open != id);
                    is_over |= id == main;
                    match result {
                        Ok(Value::Text(text)) => {
                            if let Some(answer) =
                                Value::decode(text.as_bytes()).ok().filter(|answer| is_about(answer, main))
                            {
                                let reason = reason.or(self.printed.is_too_much().then_some(StopReason::Output));
                                return Ok(self.answered(
                                    &answer,
                                    reason,
                                    debug.map(|debug| debug.thread),
                                    main,
                                    is_over,
                                ));
                            }
                        }
                        // The answer for a thread of another session is its name.
                        Ok(Value::List(name)) => {
                            if let Some(debug) = debug {
                                self.note_background(debug, name.first().and_then(Value::as_text));
                            }
                        }
                        _ => {}
                    }
                    if is_over && self.open_calls.is_empty() {
                        return Ok(self.left());
                    }
                }
                Event::Came(Ok(Message::Begins)) => {
                    if reason.is_some() && !has_begun {
                        since = Instant::now();
                        self.interrupt();
                    }
                    has_begun = true;
                }
                Event::Came(Ok(Message::Debug(debug))) => self.question(debug, reason.is_some()),
                Event::Came(Ok(Message::ReaderError(why))) => {
                    return Ok(self.unasked(Ending::AgentFault(why)));
                }
                Event::Came(Ok(Message::NoThread(id))) => {
                    self.questions.retain(|(question, _)| *question != id);
                    if id == main {
                        // Somebody has ended the thread that held a stack.
                        self.holder = None;
                        self.open_calls.clear();
                        return Ok(self.left());
                    }
                }
                Event::Came(Ok(message)) => {
                    self.respond(message);
                    if self.printed.is_too_much() && reason.is_none() {
                        // The agent stops by itself; otherwise it is asked to.
                        since = Instant::now();
                        supervision.stop(StopReason::Output, since + AGAIN);
                    }
                }
                Event::Came(Err(why)) => return Err(self.lost(&why, reason)),
                Event::Kill | Event::Stop(_) | Event::Excess(_) => {
                    let reason = match event {
                        Event::Stop(reason) => reason,
                        _ => StopReason::Killed,
                    };
                    since = Instant::now();
                    supervision.stop(reason, since + AGAIN);
                    if has_begun {
                        self.interrupt();
                    }
                }
                Event::NextStep => {
                    if since.elapsed() >= GRACE {
                        let why = "it does not stop its evaluation; it belongs to somebody else and was left alone";
                        return Err(self.lost(why, reason));
                    }
                    supervision.wait(Instant::now() + AGAIN);
                    if has_begun {
                        self.interrupt();
                    }
                }
            }
        }
    }

    /// The call of the agent for `request`.
    fn form(&self, request: &Request, next_object: i64) -> String {
        let mut message = vec![Value::keyword(request.operation().name())];
        // The number of this call, which is the next one.
        message.extend(keyed([("ID", Value::Integer(self.next_id())), ("NEXT-OBJECT", Value::Integer(next_object))]));
        message.extend(request.arguments());
        format!("({}:attend '{} {})", self.agent, Value::List(message).encode(), self.printed.limit())
    }

    /// Records what an answer says about the session. `thread` gave it from inside a stack that is held now.
    fn answered(
        &mut self,
        answer: &Value,
        reason: Option<StopReason>,
        thread: Option<i64>,
        main: i64,
        is_over: bool,
    ) -> Answer {
        let mut answer = Answer::read(answer, reason);
        if let Some(thread) = thread {
            self.holder = Some(thread);
            if !is_over {
                self.open_calls.push(main);
            }
        }
        if answer.held == 0 {
            self.holder = None;
            self.open_calls.clear();
        }
        self.held = answer.held;
        self.package.clone_from(&answer.package);
        answer.background.append(&mut self.background);
        answer
    }

    /// An answer that is made here and leaves the session unchanged.
    pub(crate) fn unasked(&self, ending: Ending) -> Answer {
        Answer { held: self.held, package: self.package.clone(), ..Answer::without_image(ending) }
    }

    /// The answer when every call has ended without one.
    fn left(&mut self) -> Answer {
        self.holder = None;
        self.held = 0;
        let error = LispError {
            type_name: "ABORT".to_owned(),
            message: "The code ended the thread that it ran in.".to_owned(),
            ..LispError::default()
        };
        let place =
            CurrentForm { phase: Phase::Eval, index: 1, total: None, start: (1, 1), at: None, text: String::new() };
        let mut answer = self.unasked(Ending::Error { error, place });
        answer.background.append(&mut self.background);
        answer
    }

    pub(crate) fn lost(&self, why: &str, reason: Option<StopReason>) -> Lost {
        let status = format!("the Swank server at {}: {why}", self.address);
        Lost { death: Death { status, exited: false, killed: false }, reason }
    }
}

/// Whether the agent's value `answer` is the answer to this `call`.
fn is_about(answer: &Value, call: i64) -> bool {
    answer.get_integer("ID") == Some(call)
}
