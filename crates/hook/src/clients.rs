//! The clients whose calls are judged, one file for each.
//!
//! All of them run a hook with one JSON object: the event, the tool, its arguments, the directory. A [`HookClient`] is the
//! row of one: the names in its JSON, and the form of its answers. To add one, write its file and name it twice below;
//! `crates/setup` has the row for its configuration files.

mod claude_code;
mod codex;
mod copilot;
mod gemini;
mod opencode;
mod qwen;

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::answer::HookAnswer;
use crate::event::{HookEvent, Moment, Proposal, Replacement, Rewritable};

/// A program whose edit tools are watched.
#[derive(Debug)]
pub struct HookClient {
    /// The name used on the command line and in statistics.
    pub name: &'static str,
    /// Its events before and after a call of a tool.
    before: &'static str,
    after: &'static str,
    /// Reads the edit or command of a call; `None` for any other call.
    proposal: fn(&Call<'_>) -> Option<Proposal>,
    /// After a call: the JSON pointer (RFC 6901) to the earlier text of the file in the result.
    original: Option<&'static str>,
    /// Before a call its model can only be given a refusal, so other messages follow after the call.
    told_after: bool,
    /// Before a call its arguments can be changed; otherwise a call that would be mended is refused.
    takes_changes: bool,
    /// Its edit tools find out how a file is encoded and keep it; otherwise they read and write UTF-8.
    keeps_encodings: bool,
    /// Writes an answer as JSON of the client.
    answer: fn(&HookEvent, HookAnswer) -> Value,
}

impl HookClient {
    /// Claude Code.
    pub const CLAUDE_CODE: &'static Self = &claude_code::CLIENT;
    /// Codex.
    pub const CODEX: &'static Self = &codex::CLIENT;
    /// Gemini CLI.
    pub const GEMINI: &'static Self = &gemini::CLIENT;
    /// opencode.
    pub const OPENCODE: &'static Self = &opencode::CLIENT;
    /// GitHub Copilot CLI.
    pub const COPILOT: &'static Self = &copilot::CLIENT;
    /// Qwen Code.
    pub const QWEN: &'static Self = &qwen::CLIENT;
    /// Every client, in the order of lists for people.
    pub const ALL: [&'static Self; 6] =
        [Self::CLAUDE_CODE, Self::CODEX, Self::GEMINI, Self::OPENCODE, Self::COPILOT, Self::QWEN];

    /// The client with a name.
    pub fn from_name(name: &str) -> Option<&'static Self> {
        Self::ALL.into_iter().find(|client| client.name == name)
    }

    /// Reads a hook's input; `None` for everything that is neither an edit nor a command.
    pub(crate) fn event(&self, document: &Map<String, Value>) -> Option<HookEvent> {
        let event_name = text_at(document, "hook_event_name")?;
        let moment = [(self.before, Moment::Before), (self.after, Moment::After)];
        let (_, moment) = moment.into_iter().find(|(name, _)| *name == event_name)?;
        let (tool, input) = (text_at(document, "tool_name")?, document.get("tool_input")?.as_object()?);
        let response = document.get("tool_response");
        let original = response.and_then(|response| response.pointer(self.original?)?.as_str());
        let proposal = (self.proposal)(&Call { moment, tool, input, document })?;
        let directory = text_at(input, "workdir").or_else(|| text_at(document, "cwd")).unwrap_or_default();
        Some(HookEvent {
            moment,
            event_name: event_name.to_owned(),
            tool: tool.to_owned(),
            directory: directory.to_owned(),
            input: input.clone(),
            proposal,
            original: original.map(str::to_owned),
            told_after: self.told_after,
            takes_changes: self.takes_changes,
            keeps_encodings: self.keeps_encodings,
        })
    }

    /// Writes an answer as JSON of the client.
    pub(crate) fn answer(&self, event: &HookEvent, answer: HookAnswer) -> Value {
        (self.answer)(event, answer)
    }
}

/// A call as a client passes it.
struct Call<'d> {
    moment: Moment,
    /// The client's name of the tool.
    tool: &'d str,
    /// The arguments.
    input: &'d Map<String, Value>,
    /// The whole input of the hook.
    document: &'d Map<String, Value>,
}

impl Call<'_> {
    /// The file of the argument `path` gets the text of the argument `content`.
    fn write(&self, path: &str, content: &str) -> Option<Proposal> {
        let path = text_at(self.input, path)?.to_owned();
        Some(Proposal::Write { path, content: Rewritable::at(self.input, "", content)? })
    }

    /// One piece of the file of the argument `path` is replaced.
    fn replace(&self, path: &str, names: &Names) -> Option<Proposal> {
        let path = text_at(self.input, path)?.to_owned();
        Some(Proposal::Replace { path, replacements: vec![names.replacement(self.input, "")?] })
    }

    /// After a call of a shell: the command, with its duration if the client gives it.
    fn command(&self) -> Option<Proposal> {
        let ran = self.document.get("duration_ms").and_then(Value::as_u64).map(Duration::from_millis);
        (self.moment == Moment::After).then_some(Proposal::Command { ran })
    }
}

/// The names of the arguments of a tool that replaces pieces of a file.
struct Names {
    old: &'static str,
    new: &'static str,
    all: &'static str,
}

impl Names {
    /// The replacement in an object of arguments, which is at `pointer` in those of the call.
    fn replacement(&self, object: &Map<String, Value>, pointer: &str) -> Option<Replacement> {
        Some(Replacement {
            old: text_at(object, self.old)?.to_owned(),
            new: Rewritable::at(object, pointer, self.new)?,
            all: object.get(self.all).and_then(Value::as_bool).unwrap_or(false),
            with_line_feed: false,
        })
    }
}

impl Rewritable {
    /// The text at a key of an object, which is at `pointer` in the arguments.
    fn at(object: &Map<String, Value>, pointer: &str, key: &str) -> Option<Self> {
        Some(Self { text: text_at(object, key)?.to_owned(), pointer: format!("{pointer}/{key}") })
    }
}

/// The text at a key.
fn text_at<'v>(object: &'v Map<String, Value>, key: &str) -> Option<&'v str> {
    object.get(key)?.as_str()
}

/// The output of a hook for this event.
fn specific(event: &HookEvent, fields: Value) -> Value {
    let mut said = json!({"hookEventName": event.event_name});
    if let (Value::Object(said), Value::Object(fields)) = (&mut said, fields) {
        said.extend(fields);
    }
    json!({"hookSpecificOutput": said})
}

/// Lets a call be, and informs the model.
fn tell(event: &HookEvent, told: String) -> Value {
    specific(event, json!({"additionalContext": told}))
}
