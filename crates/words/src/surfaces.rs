//! The answers of tools in the terms of a surface: another server's names, arguments and fields.
//!
//! A client that was given the names of a surface can call no others. So a next call is spoken in these names
//! ([`SurfaceTerms`]), or not at all; and where the document of a surface says what an answer contains, a [`Recast`]
//! gives the answer that form. The facts are those of the tool: a recast renames, counts and arranges.

pub mod cl_mcp;
pub mod evaluate_lisp;
pub mod guile;

use lispwright_tools::{Answer, LiveAnswer, NextCall, Reply};
use serde_json::{Map, Value, json};

use crate::Rendering;
use crate::terms::Terms;

/// The names that a surface has for tools and their arguments.
#[derive(Debug, PartialEq, Eq)]
pub struct SurfaceTerms {
    pub(crate) terms: Terms,
    pub(crate) calls: &'static [SurfaceCall],
}

/// A tool under its name on a surface.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SurfaceCall {
    /// The tool.
    pub(crate) tool: &'static str,
    /// Its name on the surface.
    pub(crate) name: &'static str,
    /// Arguments that the name implies.
    pub(crate) implied: &'static [(&'static str, &'static str)],
    /// The arguments that can be given, each with its name on the surface.
    pub(crate) arguments: &'static [(&'static str, &'static str)],
}

impl SurfaceTerms {
    /// The call in the names of the surface; `None` if it has no name or argument for it.
    pub(crate) fn spoken(&self, call: &NextCall) -> Option<String> {
        self.calls.iter().filter(|row| row.tool == call.tool).find_map(|row| row.spoken(call))
    }

    /// The same for arguments with placeholders, `"path": FILE, "limit": N`.
    pub(crate) fn template(&self, tool: &str, arguments: &str) -> Option<String> {
        let row = self.calls.iter().find(|row| row.tool == tool && row.implied.is_empty())?;
        let mut theirs = Vec::new();
        for argument in arguments.split(", ") {
            let (name, value) = argument.strip_prefix('"')?.split_once("\": ")?;
            let (_, renamed) = row.arguments.iter().find(|(own, _)| *own == name)?;
            theirs.push(format!("\"{renamed}\": {value}"));
        }
        Some(format!("{} {{{}}}", row.name, theirs.join(", ")))
    }

    /// Every call that can be spoken, as a name and the names of its arguments.
    pub fn names(&self) -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
        self.calls.iter().map(|row| (row.name, row.arguments.iter().map(|(_, theirs)| *theirs).collect()))
    }
}

impl SurfaceCall {
    /// A tool whose name implies no arguments.
    pub(crate) const fn plain(
        tool: &'static str,
        name: &'static str,
        arguments: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self { tool, name, implied: &[], arguments }
    }

    fn spoken(&self, call: &NextCall) -> Option<String> {
        let is_implied = |(name, value): &(&str, Value)| {
            self.implied.iter().any(|(argument, implied)| argument == name && value == implied)
        };
        if !self.implied.iter().all(|(argument, _)| call.arguments.iter().any(|(name, _)| name == argument)) {
            return None;
        }
        let mut arguments = Vec::new();
        for argument in call.arguments.iter().filter(|argument| !is_implied(argument)) {
            let (_, theirs) = self.arguments.iter().find(|(own, _)| *own == argument.0)?;
            arguments.push(format!("\"{theirs}\": {}", argument.1));
        }
        Some(format!("{} {{{}}}", self.name, arguments.join(", ")))
    }
}

/// A call that was made under a name of a surface, and what the tool made of it.
#[derive(Clone, Copy, Debug)]
pub struct Called<'c> {
    /// The arguments, as the surface names them.
    pub arguments: &'c Map<String, Value>,
    /// The reply of the tool.
    pub reply: &'c Reply,
}

impl<'c> Called<'c> {
    /// The answer about a live image, if it is one.
    fn live(self) -> Option<&'c LiveAnswer> {
        match self.reply {
            Ok(Answer::Live(answer)) => Some(answer),
            _ => None,
        }
    }

    /// A boolean argument.
    fn flag(self, name: &str, default: bool) -> bool {
        self.arguments.get(name).and_then(Value::as_bool).unwrap_or(default)
    }

    /// An argument that is a text.
    fn text(self, name: &str) -> &'c str {
        self.arguments.get(name).and_then(Value::as_str).unwrap_or_default()
    }
}

/// Gives the rendered answer of a tool the form that the document of a surface describes.
pub type Recast = fn(Called<'_>, &mut Rendering);

/// Adds a field, or replaces it.
fn set(rendering: &mut Rendering, name: &str, value: impl Into<Value>) {
    rendering.fields.insert(name.to_owned(), value.into());
}

/// Milliseconds as a whole number.
fn whole_milliseconds(rendering: &mut Rendering) {
    if let Some(milliseconds) = rendering.fields.get("duration_ms").and_then(Value::as_f64) {
        set(rendering, "duration_ms", milliseconds.round() as u64);
    }
}

/// Warnings as a Lisp prints them, from lines that begin with the type of a condition.
fn printed_warnings(told: &str) -> String {
    let mut text = String::new();
    for line in told.lines() {
        let kind = line.split_once(": ").map(|(kind, rest)| (kind.rsplit(':').next().unwrap_or(kind), rest));
        match kind {
            Some((kind, rest)) if kind.ends_with("STYLE-WARNING") => text.push_str(&format!("STYLE-WARNING: {rest}")),
            Some((kind, rest)) if kind.ends_with("WARNING") => text.push_str(&format!("WARNING: {rest}")),
            _ => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

/// Standard error with the warnings after it, where a Lisp prints them.
fn with_warnings(stderr: &str, told_warnings: &str) -> String {
    let gap = if stderr.is_empty() || stderr.ends_with('\n') || told_warnings.is_empty() { "" } else { "\n" };
    format!("{stderr}{gap}{}", printed_warnings(told_warnings))
}

/// The text without the number in front of each line, as a view of a file has it.
fn without_line_numbers(view: &str) -> String {
    let bare = |line: &str| -> String {
        let text = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix("| ");
        text.unwrap_or(line).to_owned() + "\n"
    };
    view.lines().map(bare).collect()
}

/// A field that is `null` when it is absent.
fn or_null(value: Option<impl Into<Value>>) -> Value {
    value.map_or(json!(null), Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_spoken_in_names_of_the_surface_or_not_at_all() {
        let spoken = |call: NextCall| cl_mcp::TERMS.spoken(&call).unwrap_or_default();
        let read = NextCall::to("lisp_read_file").with("path", "a.lisp").with("collapsed", false).with("offset", 3);
        assert_eq!(spoken(read), r#"lisp-read-file {"path": "a.lisp", "collapsed": false, "offset": 3}"#);
        assert_eq!(spoken(NextCall::to("repl_control").with("action", "kill")), "pool-kill-worker {}");
        assert_eq!(spoken(NextCall::to("repl_control").with("action", "frames")), "");
        assert_eq!(spoken(NextCall::to("lisp_read_form").with("path", "a.lisp").with("name", "f")), "");
    }

    #[test]
    fn warnings_read_as_they_are_printed() {
        let told = "SIMPLE-WARNING: Careful\nSB-INT:SIMPLE-STYLE-WARNING: unused: x\n  more\n";
        assert_eq!(with_warnings("e", told), "e\nWARNING: Careful\nSTYLE-WARNING: unused: x\n  more\n");
    }

    #[test]
    fn line_numbers_are_taken_off() {
        assert_eq!(without_line_numbers(" 9| (a)\n10|   1| b\n11| \n"), "(a)\n  1| b\n\n");
    }
}
