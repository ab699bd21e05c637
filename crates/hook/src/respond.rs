//! From a hook's input to its output.

use std::path::Path;

use lispwright_syntax::{Dialect, Language};
use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::change::{Change, Rewritten};
use crate::event::{Client, Event, Moment, Proposal};
use crate::files::{Files, Found};
use crate::judge::{Verdict, is_broken, judge, judge_after};
use crate::{claude_code, lisp, simulate, wording};

/// What a hook prints, and what it thought.
#[derive(Clone, Debug, Default)]
pub struct Response {
    /// The one JSON document to print; `None` is silence.
    pub output: Option<Value>,
    /// What was judged, file by file. Empty when the call was none of our business.
    pub judged: Vec<Judged>,
}

/// What was thought of one file of a call.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Before or after the call.
    pub moment: Moment,
    /// The client's name of the tool.
    pub tool: String,
    /// What follows the last dot of the file's name.
    pub extension: Option<String>,
    /// What it was read as.
    pub dialect: Dialect,
    /// What was decided.
    pub verdict: Verdict,
}

/// Answers the hook of `client` that was run with `input`. Whatever is not understood is answered by silence.
pub fn respond(client: Client, input: &str, files: &dyn Files) -> Response {
    let Ok(Value::Object(document)) = serde_json::from_str(input) else { return Response::default() };
    let event = match client {
        Client::ClaudeCode => claude_code::parse(&document),
    };
    let Some(event) = event else { return Response::default() };
    let (answer, judged) = match event.moment {
        Moment::Before => before(&event, files),
        Moment::After => after(&event, files),
    };
    let output = answer.map(|answer| match client {
        Client::ClaudeCode => claude_code::render(&event, answer),
    });
    Response { output, judged }
}

fn before(event: &Event, files: &dyn Files) -> (Option<Answer>, Vec<Judged>) {
    let mut judged = Vec::new();
    let mut texts: Vec<Rewritten> = Vec::new();
    let (mut refused, mut told) = (Vec::new(), Vec::new());
    for change in simulate::changes(event, files) {
        let Some(language) = language(event, &change.path, &change.after, files) else { continue };
        let verdict = judge(&change, &language);
        match &verdict {
            Verdict::Pass => {}
            Verdict::Noted(fault) => told.push(wording::still_broken(&change, fault)),
            Verdict::Denied(fault) => refused.push(wording::denied(&change, fault, was_broken(&change, &language))),
            Verdict::Repaired(done) => {
                told.push(wording::repaired(&change, done));
                texts.extend(done.texts.iter().cloned());
            }
        }
        judged.push(record(event, &change.path, &language, verdict));
    }
    let answer = if !refused.is_empty() {
        Some(Answer::Refuse { told: refused.join("\n\n") })
    } else if !texts.is_empty() {
        rewritten(event, &texts).map(|input| Answer::Change { input, told: told.join("\n\n") })
    } else {
        (!told.is_empty()).then(|| Answer::Tell { told: told.join("\n\n") })
    };
    (answer, judged)
}

fn after(event: &Event, files: &dyn Files) -> (Option<Answer>, Vec<Judged>) {
    let (Proposal::Write { path, .. } | Proposal::Replace { path, .. }) = &event.proposal;
    let Found::Text(text) = files.read(&Path::new(&event.directory).join(path)) else { return (None, Vec::new()) };
    let Some(language) = language(event, path, &text, files) else { return (None, Vec::new()) };
    let verdict = judge_after(event.original.as_deref(), &text, &language);
    let answer = verdict.fault().map(|fault| Answer::Tell { told: wording::now_broken(path, &text, fault) });
    (answer, vec![record(event, path, &language, verdict)])
}

fn language(event: &Event, path: &str, text: &str, files: &dyn Files) -> Option<Language> {
    let dialect = lisp::dialect(path, text)?;
    files.language(&Path::new(&event.directory).join(path), dialect)
}

fn was_broken(change: &Change, language: &Language) -> bool {
    let before = change.before.as_deref().unwrap_or_default();
    is_broken(&lispwright_syntax::read_plain(before, language))
}

fn record(event: &Event, path: &str, language: &Language, verdict: Verdict) -> Judged {
    Judged {
        moment: event.moment,
        tool: event.tool.clone(),
        extension: lisp::extension(path),
        dialect: language.dialect(),
        verdict,
    }
}

/// The arguments of the call with some of its texts changed.
fn rewritten(event: &Event, texts: &[Rewritten]) -> Option<Map<String, Value>> {
    let mut input = Value::Object(event.input.clone());
    for text in texts {
        let place = match &event.proposal {
            Proposal::Write { content, .. } => content,
            Proposal::Replace { replacements, .. } => &replacements.get(text.source)?.new,
        };
        *input.pointer_mut(&place.pointer)? = Value::String(text.text.clone());
    }
    match input {
        Value::Object(input) => Some(input),
        _ => None,
    }
}
