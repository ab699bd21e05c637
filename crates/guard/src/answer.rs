//! The answers of the protocol: every field that it sends.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::delimiters::DelimiterType;
use crate::edn;
use crate::failure::Failure;
use crate::request::{AnswerFormat, CodePointEdit};
use crate::scan::{Open, OpenToken, Position};

/// The answer to a request; `B` has the fields of the operation.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GuardAnswer<B = Body> {
    /// The step is correct.
    pub ok: bool,
    /// Why it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// What the operation found. A refused request has none.
    #[serde(flatten)]
    pub body: Option<B>,
    /// The notation in which it is written.
    #[serde(skip)]
    pub format: AnswerFormat,
}

impl GuardAnswer {
    /// The answer as a document.
    pub fn document(&self) -> Value {
        serde_json::to_value(self).expect("answers have texts as keys and nothing that fails")
    }

    /// The same as one line in its notation.
    pub fn text(&self) -> String {
        let document = self.document();
        match self.format {
            AnswerFormat::Json => document.to_string(),
            AnswerFormat::Edn => edn::render(&document),
        }
    }
}

/// The fields of one of the operations.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Body {
    /// Steps were taken.
    Stack(StackAnswer),
    /// The sentinel was set.
    Sentinel(SentinelAnswer),
    /// The stack was checked.
    Balance(BalanceAnswer),
    /// A piece of text was read.
    Scan(Box<ScanAnswer>),
}

/// The stack after one step or more.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StackAnswer {
    /// Open delimiters, outermost first.
    pub stack: Vec<DelimiterType>,
    /// The hash of the document, if the client keeps one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc_hash: Option<String>,
    /// The text to write for a list of steps that came without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edits: Option<Vec<CodePointEdit>>,
}

/// The position where writing continues.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentinelAnswer {
    /// In code points.
    pub sentinel: u64,
    /// The hash of the document, if the client keeps one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc_hash: Option<String>,
}

/// Whether anything is open at the sentinel.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BalanceAnswer {
    /// Nothing is open.
    pub balanced: bool,
    /// The stack, which is empty: the answer to `assert-empty`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<Vec<DelimiterType>>,
    /// The answer to `suggest-fix`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<ClosingEdit>,
    /// The hash of the document, if the client keeps one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc_hash: Option<String>,
}

/// The edit that closes what is open.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClosingEdit {
    /// The text to write.
    pub edits: Vec<CodePointEdit>,
    /// The stack after it.
    pub new_stack: Vec<DelimiterType>,
    /// The hash of the document after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc_hash: Option<String>,
}

/// The text so far.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScanAnswer {
    /// It could end here.
    pub balanced: bool,
    /// The number of open delimiters.
    pub depth: usize,
    /// Open delimiters, outermost first.
    pub stack: Vec<DelimiterType>,
    /// The outermost and the innermost of them, with their positions.
    pub open: Vec<Open>,
    /// The number of those between.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_omitted: Option<usize>,
    /// The token that contains the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<InsideSince>,
    /// The number of refused closers, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_count: Option<u64>,
    /// The text that closes everything, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closers: Option<String>,
    /// The same as an edit, for `suggest-fix`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<ClosingEdit>,
    /// The end of the text.
    pub end: Position,
    /// The hash of the document, if the client keeps one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc_hash: Option<String>,
    /// What to send along with the next piece.
    pub state: String,
}

/// A token, and its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InsideSince {
    /// The kind of token.
    pub kind: OpenToken,
    /// Its start.
    pub since: Position,
}
