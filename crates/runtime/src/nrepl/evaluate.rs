//! The requests of a session as nREPL's operations, and the meaning of their answers.

use std::ops::RangeInclusive;
use std::time::Instant;

use super::bencode::Bencode;
use super::details::{self, Flavour};
use super::forms::Code;
use super::image::{Image, QUESTION_LIMIT, Reply};
use super::python;
use crate::eval::{CurrentForm, Ending, LispError, Phase, Printout, lisp_error};
use crate::naming::{Description, ImageExports};
use crate::nearest::nearest;
use crate::notice::Notice;
use crate::question::{Describe, Expand, ListExports};
use crate::refusal::ImageRefusal;
use crate::remote::Lost;
use crate::renewal::Renewed;
use crate::request::EvalRequest;
use crate::stop::Controls;
use crate::tally::Tally;
use crate::wire::Value;
use crate::work::CompilerDiagnostic;

/// The number of elements of a collection that a server without a limit on characters prints by default.
const NODE_LENGTH: u32 = 1_000;

/// The number of evaluations after which their class loaders are removed: each makes the next evaluation a little
/// slower.
const SHEDDING: u32 = 40;

/// The number for a server that removes them by itself, in case its nREPL works differently.
const SHEDDING_PREPARED: u32 = 1_000;

/// The number of values of forms before the last one that are kept for the answer.
const MOST_EARLIER: usize = 20;

/// The result of an evaluation.
pub(crate) struct Evaluated {
    pub(crate) ending: Ending,
    /// Values of the forms before the last, with their numbers from 1.
    pub(crate) earlier: Vec<(u32, Printout)>,
    /// Further notices for the caller.
    pub(crate) notices: Vec<Notice>,
    /// The messages of the compiler.
    pub(crate) diagnostics: Vec<CompilerDiagnostic>,
    /// The test results.
    pub(crate) tests: Option<Tally>,
    /// What a load has changed besides its target.
    pub(crate) renewed: Renewed,
}

/// A thrown object, and the place of the compiler at that moment.
pub(super) struct Thrown {
    pub(super) error: LispError,
    pub(super) phase: Phase,
    /// Line and column, from 1.
    pub(super) at: Option<(u32, u32)>,
    /// The file that the compiler read, as its name was given: often relative to the class path.
    pub(super) source: Option<String>,
}

impl Evaluated {
    /// Nothing was done, for a `reason` that does not hold in a fresh image.
    pub(crate) fn only_in_fresh(reason: &str) -> Self {
        let error = LispError { message: reason.to_owned(), ..LispError::default() };
        let place =
            CurrentForm { phase: Phase::Eval, index: 0, total: None, start: (1, 1), at: None, text: String::new() };
        let diagnostic = CompilerDiagnostic {
            severity: "error".to_owned(),
            type_name: String::new(),
            message: reason.to_owned(),
            file: None,
            line: None,
            column: None,
            form: None,
        };
        let renewed = Renewed { needs_fresh: Some(reason.to_owned()), ..Renewed::default() };
        Self { renewed, diagnostics: vec![diagnostic], ..Ending::Error { error, place }.into() }
    }
}

impl From<Ending> for Evaluated {
    fn from(ending: Ending) -> Self {
        Self {
            ending,
            earlier: Vec::new(),
            notices: Vec::new(),
            diagnostics: Vec::new(),
            tests: None,
            renewed: Renewed::default(),
        }
    }
}

impl Image {
    /// Evaluates the forms of `request`, one after another.
    pub(crate) async fn eval(&mut self, request: &EvalRequest, controls: &Controls) -> Result<Evaluated, Lost> {
        let deadline = Instant::now() + request.timeout.time;
        let mut code = Code::read(&request.code);
        if request.safe_read {
            code.forbid_read_eval();
        }
        let total = code.fault.is_none().then_some(code.forms.len() as u32);
        let mut namespace = request.package.clone().unwrap_or_else(|| self.namespace.clone());
        let mut values: Vec<(u32, Printout)> = Vec::new();
        let mut notices = Vec::new();
        let forms = code.forms.clone();
        for (index, form) in (1..).zip(forms) {
            let mut place = CurrentForm {
                phase: Phase::Eval,
                index,
                total,
                start: code.position(form.start),
                at: None,
                text: code.excerpt(form.start, form.end),
            };
            self.shed_loaders().await?;
            let message = self.eval_message(code.slice(form), &namespace, place.start, request);
            let mut reply = self.exchange(message, deadline, controls).await?;
            if reply.has("namespace-not-found") {
                if request.package.is_some() || index > 1 {
                    return Ok(self.no_namespace(namespace).await.into());
                }
                // The current namespace was removed.
                namespace = "user".to_owned();
                self.namespace.clone_from(&namespace);
                let message = self.eval_message(code.slice(form), &namespace, place.start, request);
                reply = self.exchange(message, deadline, controls).await?;
            }
            if let Some(after) = &reply.namespace {
                namespace.clone_from(after);
            }
            if request.package.is_none() {
                self.namespace.clone_from(&namespace);
            }
            if reply.wanted_input {
                notices.push(Notice::NoInput);
            }
            let earlier = || values.iter().take(MOST_EARLIER).cloned().collect();
            if let Some(reason) = reply.stopped {
                let ending = Ending::Stopped { reason, frames: reply.frames, place, kept: false };
                return Ok(Evaluated { earlier: earlier(), notices, ..ending.into() });
            }
            if let Some(thrown) = reply.thrown.clone() {
                let Thrown { mut error, phase, at, .. } = self.error(&thrown, &reply).await?;
                let last = code.position(form.end).0;
                error.message = placed_within(error.message, place.start.0..=last);
                place.phase = phase;
                // At the end of the code the JVM counts a line that does not exist.
                let at = at.filter(|(line, _)| *line <= last).unwrap_or(place.start);
                place.at = Some(at).filter(|_| phase == Phase::Read);
                let ending = Ending::Error { error, place };
                return Ok(Evaluated { earlier: earlier(), notices, ..ending.into() });
            }
            if let Some(refused) = refused(&reply) {
                return Ok(Ending::AgentFault(refused).into());
            }
            if let Some((text, cut)) = reply.value {
                values.push((index, limited(text, cut, request.value_limit)));
            }
        }
        if let Some(fault) = &code.fault {
            let error = LispError {
                type_name: "ReaderError".to_owned(),
                message: fault.message.clone(),
                unclosed: fault.unclosed,
                ..LispError::default()
            };
            let place = CurrentForm {
                phase: Phase::Read,
                index: code.forms.len() as u32 + 1,
                total: None,
                start: code.position(fault.form),
                at: Some(code.position(fault.at)),
                text: code.excerpt(fault.form, code.end()),
            };
            let ending = Ending::Error { error, place };
            return Ok(Evaluated { earlier: values, notices, ..ending.into() });
        }
        let last = values.pop();
        values.truncate(MOST_EARLIER);
        let ending = Ending::Values(last.into_iter().map(|(_, value)| value).collect());
        Ok(Evaluated { earlier: values, notices, ..ending.into() })
    }

    /// From time to time removes the class loaders that evaluations on the JVM leave.
    async fn shed_loaders(&mut self) -> Result<(), Lost> {
        self.since_loaders += 1;
        let often = if self.prepared { SHEDDING_PREPARED } else { SHEDDING };
        if self.since_loaders >= often && self.prints_with_limits && self.control.is_some() {
            self.since_loaders = 0;
            self.value_of(&details::loaders_question(&self.session), None).await?;
        }
        Ok(())
    }

    fn eval_message(
        &self,
        code: &str,
        namespace: &str,
        (line, column): (u32, u32),
        request: &EvalRequest,
    ) -> Vec<(&'static str, Bencode)> {
        let mut message = vec![
            ("op", Bencode::text("eval")),
            ("session", Bencode::text(&self.session)),
            ("code", Bencode::text(code)),
            ("ns", Bencode::text(namespace)),
            ("line", Bencode::Integer(line.into())),
            ("column", Bencode::Integer(column.into())),
        ];
        let (level, mut length) = (request.print_level, request.print_length);
        if self.prints_with_limits {
            let quota = i64::try_from(request.value_limit).unwrap_or(i64::MAX);
            message.push(("nrepl.middleware.print/quota", Bencode::Integer(quota)));
            // The error is requested separately, and not printed in between.
            message.push(("nrepl.middleware.caught/caught", Bencode::text("clojure.core/identity")));
        } else if self.flavour == Flavour::Node {
            length = length.or(Some(NODE_LENGTH));
        } else {
            return message;
        }
        if level.is_some() || length.is_some() {
            // Each server has its own printer, and its own names for options.
            let (print, names) = match self.flavour {
                Flavour::Jvm => ("nrepl.util.print/pr", ["print-level", "print-length"]),
                Flavour::Node => ("cider.nrepl.pprint/pprint", ["level", "length"]),
            };
            let options = names.into_iter().zip([level, length]);
            let options = options.filter_map(|(name, limit)| Some((name, Bencode::Integer(limit?.into()))));
            message.push(("nrepl.middleware.print/options", Bencode::dictionary(options)));
            message.push(("nrepl.middleware.print/print", Bencode::text(print)));
        }
        message
    }

    /// The thrown object, in the detail that the server can give.
    pub(super) async fn error(&mut self, thrown: &str, reply: &Reply) -> Result<Thrown, Lost> {
        let question =
            details::error_question(self.flavour, self.control.as_ref().map(|_| self.session.as_str()), self.prepared);
        let answer = match self.value_of(&question, None).await? {
            Some(answer) => Some(answer),
            // Other servers keep their sessions elsewhere.
            None if self.control.is_some() => {
                self.here(&details::error_question(self.flavour, None, self.prepared)).await?
            }
            None => None,
        };
        let Some(answer) = answer else {
            let complaint = reply.complaint.trim();
            let error = python::error(complaint).unwrap_or_else(|| LispError {
                type_name: thrown.strip_prefix("class ").unwrap_or("error").to_owned(),
                message: if complaint.is_empty() { thrown } else { complaint }.to_owned(),
                ..LispError::default()
            });
            return Ok(Thrown { error, phase: Phase::Eval, at: None, source: None });
        };
        let phase = match answer.get("PHASE").and_then(Value::as_keyword).unwrap_or_default() {
            "read-source" | "parse" => Phase::Read,
            "print-eval-result" => Phase::Print,
            _ => Phase::Eval,
        };
        let number = |name| answer.get_integer(name).and_then(|number| u32::try_from(number).ok());
        Ok(Thrown {
            error: lisp_error(&answer),
            phase,
            at: number("LINE").zip(number("COLUMN")),
            source: answer.get_text("SOURCE").map(str::to_owned),
        })
    }

    /// The value of a question, if it has one.
    async fn value_of(&mut self, question: &str, namespace: Option<&str>) -> Result<Option<Value>, Lost> {
        let session = self.control.clone().unwrap_or_else(|| self.session.clone());
        self.value_in(session, question, namespace).await
    }

    async fn here(&mut self, question: &str) -> Result<Option<Value>, Lost> {
        self.value_in(self.session.clone(), question, None).await
    }

    pub(super) async fn value_in(
        &mut self,
        session: String,
        question: &str,
        namespace: Option<&str>,
    ) -> Result<Option<Value>, Lost> {
        let mut message =
            vec![("op", Bencode::text("eval")), ("session", Bencode::text(session)), ("code", Bencode::text(question))];
        message.extend(namespace.map(|namespace| ("ns", Bencode::text(namespace))));
        if self.prints_with_limits {
            message.push(("nrepl.middleware.caught/caught", Bencode::text("clojure.core/identity")));
        }
        let reply = self.exchange(message, Instant::now() + QUESTION_LIMIT, &Controls::default()).await?;
        Ok(reply.value.and_then(|(printed, _)| details::answer(&printed)))
    }

    async fn no_namespace(&mut self, name: String) -> Ending {
        let names = self.value_of(details::NAMESPACES, None).await.ok().flatten();
        let names = names.as_ref().and_then(Value::as_list).unwrap_or_default();
        Ending::NoPackage { nearest: nearest(&name, names), name }
    }

    /// Expands the macros of the one form in `code`.
    pub(crate) async fn expand(&mut self, question: &Expand, controls: &Controls) -> Result<Evaluated, Lost> {
        let Expand { code, package, level, limit, timeout } = question;
        let (namespace, limit, deadline) = (package.as_deref(), *limit, Instant::now() + timeout.time);
        let read = Code::read(code);
        let [form] = read.forms.as_slice() else {
            return Ok(Ending::Refused(ImageRefusal::NotOneForm(read.forms.len() as u64)).into());
        };
        let asked = namespace.is_some();
        let namespace = namespace.unwrap_or(&self.namespace).to_owned();
        let question = details::expansion_question(read.slice(*form), *level);
        let place = CurrentForm {
            phase: Phase::Eval,
            index: 1,
            total: Some(1),
            start: read.position(form.start),
            at: None,
            text: read.excerpt(form.start, form.end),
        };
        let answer = match self.ask_code(question, &namespace, place, deadline, controls).await? {
            Ok(answer) => answer,
            Err(None) if asked => return Ok(self.no_namespace(namespace).await.into()),
            Err(None) => None,
            Err(Some(ending)) => return Ok(ending.into()),
        };
        Ok(match answer {
            Some(answer) => {
                let text = answer.get_text("TEXT").unwrap_or_default().trim_end().to_owned();
                let changed = answer.get_truth("CHANGED");
                Ending::Expanded { expansion: limited(text, false, limit), changed }
            }
            None => Ending::AgentFault("the server gave no expansion".to_owned()),
        }
        .into())
    }

    /// Describes the meanings of a name.
    pub(crate) async fn describe(
        &mut self,
        question: &Describe,
        deadline: Instant,
        controls: &Controls,
    ) -> Result<Evaluated, Lost> {
        let namespace = question.package.as_ref().unwrap_or(&self.namespace).clone();
        let question = details::description_question(&namespace, &question.name, question.limit, self.prepared);
        let nowhere =
            CurrentForm { phase: Phase::Eval, index: 0, total: None, start: (1, 1), at: None, text: String::new() };
        let answer = match self.ask_code(question, "user", nowhere, deadline, controls).await? {
            Ok(answer) => answer,
            Err(ending) => return Ok(ending.unwrap_or_else(|| no_description("it has no namespace user")).into()),
        };
        let Some(answer) = answer else { return Ok(no_description("it gave no answer").into()) };
        if answer.get_truth("NO-SPACE") {
            return Ok(self.no_namespace(namespace).await.into());
        }
        if answer.get_truth("DESCRIBED") {
            return Ok(Ending::Described(Description::read(&answer)).into());
        }
        Ok(ImageRefusal::read(&answer).map_or_else(|| no_description("it gave another answer"), Ending::Refused).into())
    }

    /// Lists the exports of a namespace.
    pub(crate) async fn exports(
        &mut self,
        ListExports { name, offset, count }: &ListExports,
        deadline: Instant,
        controls: &Controls,
    ) -> Result<Evaluated, Lost> {
        let question = details::exports_question(name, *offset, *count, self.prepared);
        let nowhere =
            CurrentForm { phase: Phase::Eval, index: 0, total: None, start: (1, 1), at: None, text: String::new() };
        let answer = match self.ask_code(question, "user", nowhere, deadline, controls).await? {
            Ok(answer) => answer,
            Err(ending) => return Ok(ending.unwrap_or_else(|| no_description("it has no namespace user")).into()),
        };
        let Some(answer) = answer else { return Ok(no_description("it gave no answer").into()) };
        if answer.get_truth("NO-SPACE") {
            return Ok(self.no_namespace(name.clone()).await.into());
        }
        let described = answer.get_list("DESCRIBED").iter().map(Description::read);
        let exports = described.flat_map(|description| description.meanings).collect();
        Ok(Ending::Exports(ImageExports { exports, ..ImageExports::read(&answer) }).into())
    }

    /// Asks a question that may run code of the user, without changing the session's `*1` and `*e`. Returns the answer,
    /// or the ending without one, or `None` when there is no such namespace.
    async fn ask_code(
        &mut self,
        question: String,
        namespace: &str,
        place: CurrentForm,
        deadline: Instant,
        controls: &Controls,
    ) -> Result<Result<Option<Value>, Option<Ending>>, Lost> {
        let session = self.control.clone().unwrap_or_else(|| self.session.clone());
        let mut message = vec![
            ("op", Bencode::text("eval")),
            ("session", Bencode::text(session)),
            ("code", Bencode::text(question)),
            ("ns", Bencode::text(namespace)),
        ];
        if self.prints_with_limits {
            message.push(("nrepl.middleware.caught/caught", Bencode::text("clojure.core/identity")));
        }
        let reply = self.exchange(message, deadline, controls).await?;
        if reply.has("namespace-not-found") {
            return Ok(Err(None));
        }
        if let Some(reason) = reply.stopped {
            return Ok(Err(Some(Ending::Stopped { reason, frames: Vec::new(), place, kept: false })));
        }
        let Some(thrown) = reply.thrown.clone() else {
            return Ok(Ok(reply.value.and_then(|(printed, _)| details::answer(&printed))));
        };
        let error = match self.control.clone() {
            Some(control) => {
                let question = details::error_question(self.flavour, None, self.prepared);
                self.value_in(control, &question, None).await?.map(|answer| lisp_error(&answer))
            }
            None => None,
        };
        let mut error = match error {
            Some(error) => error,
            None => self.error(&thrown, &reply).await?.error,
        };
        // The evaluated code is the question, which contains the caller's form as a datum.
        error.frames.retain(|frame| frame.file.as_deref() != Some("code") || !is_evaluated(&frame.call));
        Ok(Err(Some(Ending::Error { error, place })))
    }
}

/// Whether a function was made for an evaluation, `user/eval`, or is inside of one.
fn is_evaluated(call: &str) -> bool {
    call.split('/').nth(1) == Some("eval")
}

/// A message without the compiler's line if that is none of `lines`: for a form that is not a list, the compiler
/// reports the line of an earlier one.
fn placed_within(message: String, lines: RangeInclusive<u32>) -> String {
    let Some((before, after)) = message.rsplit_once(", line ") else { return message };
    let is_place = before.rsplit('\n').next().is_some_and(|line| line.starts_with("while "));
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    match after[..digits].parse::<u32>() {
        Ok(line) if is_place && !lines.contains(&line) => format!("{before}{}", &after[digits..]),
        _ => message,
    }
}

fn no_description(why: &str) -> Ending {
    Ending::AgentFault(format!("the server gave no description: {why}"))
}

/// The reason why the server refused a request, if it did.
pub(super) fn refused(reply: &Reply) -> Option<String> {
    let is_refused = reply.has("error") || reply.has("unknown-op") || reply.has("unknown-session");
    is_refused.then(|| format!("the nREPL server answers with status {}", reply.statuses.join(", ")))
}

/// The first `limit` characters of a value.
fn limited(text: String, cut: bool, limit: usize) -> Printout {
    match text.char_indices().nth(limit) {
        Some((end, _)) => Printout { text: text[..end].to_owned(), cut: true },
        None => Printout { text: text.trim_end_matches('\n').to_owned(), cut },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_outside_the_form_is_left_out() {
        let placed = |message: &str| placed_within(message.to_owned(), 2..=4);
        assert_eq!(
            placed("No such namespace: x\nwhile compiling, line 3"),
            "No such namespace: x\nwhile compiling, line 3"
        );
        assert_eq!(
            placed("No such\nwhile compiling f, line 7\nex-data: {}"),
            "No such\nwhile compiling f\nex-data: {}"
        );
        assert_eq!(placed("He said, line 7"), "He said, line 7");
        assert_eq!(placed("x\nwhile compiling, line "), "x\nwhile compiling, line ");
    }
}
