//! A problem that a rule has found, as answers tell it.

use std::path::Path;

use lispwright_index::Document;
use lispwright_lint::{Finding, lasting};
use schemars::JsonSchema;
use serde::Serialize;

use crate::repl_work::relative;

/// A problem at a place of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// The rule.
    pub code: &'static str,
    /// `error`, `warning` or `hint`.
    pub level: &'static str,
    /// The file, as calls name it.
    pub path: String,
    /// Its line, from 1.
    pub line: u32,
    /// Its column, from 1, in characters.
    pub column: u32,
    /// The line of its end.
    pub end_line: u32,
    /// The column after its end.
    pub end_column: u32,
    /// What is wrong.
    pub message: String,
    /// The label of the form around it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub form: String,
    /// The text that can stand there instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// The line of source.
    #[serde(skip)]
    pub source: String,
}

impl Problem {
    /// A finding in a file, for calls that are relative to `root`.
    pub(crate) fn of(document: &Document, finding: &Finding, root: &Path) -> Self {
        let (lines, text) = (document.lines(), document.text.as_bytes());
        let (start, end) = (lines.line_column(text, finding.span.start), lines.line_column(text, finding.span.end));
        let source = lines.line_span(start.line).map_or("", |span| &document.text[span.range()]);
        Self {
            code: finding.rule,
            level: finding.severity.name(),
            path: relative(&document.path.to_string_lossy(), root),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            message: finding.message.clone(),
            form: finding.form.clone(),
            fix: finding.remedy.as_ref().map(|remedy| remedy.text.clone()),
            source: source.trim_end().to_owned(),
        }
    }

    /// It is no mere hint.
    pub fn is_grave(&self) -> bool {
        self.level != "hint"
    }

    /// It fails when it is compiled or run.
    pub fn is_error(&self) -> bool {
        self.level == "error"
    }

    /// What stays of it when other lines change.
    pub fn identity(&self) -> String {
        format!("{}\n{}\n{}\n{}", self.path, self.code, self.form, lasting(&self.message))
    }
}
