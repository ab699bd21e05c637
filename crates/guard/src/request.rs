//! The requests of the protocol: every field that it takes. `fields.rs` finds them in what a client sent.
//!
//! The comments on fields are what clients see in the schema, without those that only repeat a name.

use lispwright_syntax::Dialect;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::delimiters::DelimiterType;
use crate::failure::Failure;
use crate::fields::{Fields, delimiter, kind, missing_type, shortened};
use crate::limits::{MAX_CURSOR, MAX_DEPTH, MAX_OPS, MAX_PIECE, MAX_SLICE, MAX_STATE};
use crate::steps::{Op, Step};

/// The notation of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "lowercase")]
pub enum AnswerFormat {
    /// One line of JSON.
    #[default]
    Json,
    /// One line of EDN.
    Edn,
}

/// The treatment of a stack that is not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub enum StackMode {
    /// Refuse it.
    AssertEmpty,
    /// Return the closers that would empty it.
    SuggestFix,
}

/// The treatment of a text that cannot end where a scan is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ScanMode {
    /// Say so.
    #[default]
    Report,
    /// Refuse it.
    AssertEmpty,
    /// Return the text that would close everything.
    SuggestFix,
}

/// Some text of the document.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
pub struct DocSlice {
    /// Text
    pub text: String,
    /// Start
    pub start: Option<u64>,
    /// End
    pub end: Option<u64>,
}

/// A text instead of that between two positions in code points.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(description = "")]
pub struct CodePointEdit {
    /// Start
    pub start: u64,
    /// End
    pub end: u64,
    /// Text
    pub text: String,
}

impl CodePointEdit {
    /// Puts `text` at `place`.
    pub(crate) fn insertion(place: u64, text: String) -> Self {
        Self { start: place, end: place, text }
    }
}

/// The hashes of a document that a client keeps.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Hashes {
    /// Hash of the document before this text
    pub doc_hash: Option<String>,
    /// Hash you expect after it
    pub doc_hash_after: Option<String>,
}

/// What was written for the steps.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct WrittenSteps {
    /// Where the text goes
    #[schemars(range(max = MAX_CURSOR))]
    pub cursor: Option<u64>,
    /// The text written; start and end in code points
    pub doc_slice: Option<DocSlice>,
    /// Insertions, instead of docSlice
    pub edits: Option<Vec<CodePointEdit>>,
    /// Of the text (default clojure)
    #[schemars(with = "Option<String>")]
    pub dialect: Option<Dialect>,
    /// The hashes of the document
    #[schemars(flatten)]
    pub hashes: Hashes,
    /// Format
    #[schemars(with = "Option<AnswerFormat>")]
    pub format: AnswerFormat,
}

/// One opener or one closer.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(extend("additionalProperties" = true))]
pub struct StepRequest {
    /// Open delimiters, outermost first
    #[schemars(length(max = MAX_DEPTH))]
    pub stack: Vec<DelimiterType>,
    /// Type
    #[schemars(rename = "type", required)]
    pub delimiter: Option<DelimiterType>,
    /// What was written
    #[schemars(flatten)]
    pub written: WrittenSteps,
}

/// A run of openers, or of closers.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(extend("additionalProperties" = true))]
pub struct RunRequest {
    /// Open delimiters, outermost first
    #[schemars(length(max = MAX_DEPTH))]
    pub stack: Vec<DelimiterType>,
    /// Openers outermost first, or what closers are expected to close, innermost first
    #[schemars(length(max = MAX_OPS))]
    pub types: Option<Vec<DelimiterType>>,
    /// What was written
    #[schemars(flatten)]
    pub written: WrittenSteps,
}

/// Openers and closers in any order.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(extend("additionalProperties" = true))]
pub struct BatchRequest {
    /// Open delimiters, outermost first
    #[schemars(length(max = MAX_DEPTH))]
    pub stack: Vec<DelimiterType>,
    /// Ops
    #[schemars(length(max = MAX_OPS))]
    pub ops: Option<Vec<Step>>,
    /// What was written
    #[schemars(flatten)]
    pub written: WrittenSteps,
}

/// A place to remember.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(extend("additionalProperties" = true))]
pub struct SentinelRequest {
    /// Where writing goes on
    #[schemars(range(max = MAX_CURSOR))]
    pub cursor: u64,
    /// The hashes of the document
    #[schemars(flatten)]
    pub hashes: Hashes,
    /// Format
    #[schemars(with = "Option<AnswerFormat>")]
    pub format: AnswerFormat,
}

/// Whether anything is open.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "camelCase", extend("additionalProperties" = true))]
pub struct BalanceRequest {
    /// Open delimiters, outermost first
    #[schemars(length(max = MAX_DEPTH))]
    pub stack: Vec<DelimiterType>,
    /// Where writing stopped
    #[schemars(range(max = MAX_CURSOR))]
    pub sentinel: u64,
    /// Mode
    pub mode: StackMode,
    /// Text before the sentinel, already on the stack
    pub doc_slice: Option<DocSlice>,
    /// Of the text (default clojure)
    #[schemars(with = "Option<String>")]
    pub dialect: Option<Dialect>,
    /// The hashes of the document
    #[schemars(flatten)]
    pub hashes: Hashes,
    /// Format
    #[schemars(with = "Option<AnswerFormat>")]
    pub format: AnswerFormat,
}

/// The next piece of a text.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(extend("additionalProperties" = true))]
pub struct ScanRequest {
    /// The next piece
    #[schemars(length(max = MAX_PIECE))]
    pub text: String,
    /// Of the last answer
    #[schemars(length(max = MAX_STATE))]
    pub state: Option<String>,
    /// What is open before the first piece
    #[schemars(length(max = MAX_DEPTH))]
    pub stack: Option<Vec<DelimiterType>>,
    /// Of the text (default clojure)
    #[schemars(with = "Option<String>")]
    pub dialect: Option<Dialect>,
    /// Code point at which the piece begins
    #[schemars(range(max = MAX_CURSOR))]
    pub start: Option<u64>,
    /// Mode
    #[schemars(default)]
    pub mode: ScanMode,
    /// The hashes of the document
    #[schemars(flatten)]
    pub hashes: Hashes,
    /// Format
    #[schemars(with = "Option<AnswerFormat>")]
    pub format: AnswerFormat,
}

impl AnswerFormat {
    pub(crate) fn read(sent: &Fields<'_>) -> Result<Self, Failure> {
        match sent.word("format")? {
            None | Some("json") => Ok(Self::Json),
            Some("edn") => Ok(Self::Edn),
            Some(other) => Err(Failure::input(format!("`format` must be json or edn, not \"{}\".", shortened(other)))),
        }
    }
}

impl DocSlice {
    fn read(sent: &Fields<'_>) -> Result<Option<Self>, Failure> {
        let Some(slice) = sent.object("docSlice")? else { return Ok(None) };
        let Some(text) = slice.text("text")? else {
            return Err(Failure::input("`docSlice.text` is missing. Send the text, or leave docSlice out."));
        };
        check_size("docSlice.text", text)?;
        let place = |name| slice.cursor_called(name, &format!("docSlice.{name}"));
        Ok(Some(Self { text: text.to_owned(), start: place("start")?, end: place("end")? }))
    }
}

impl CodePointEdit {
    fn read(index: usize, sent: &Value) -> Result<Self, Failure> {
        let Value::Object(fields) = sent else {
            return Err(Failure::input(format!("`edits[{index}]` must be an object, not {}.", kind(sent))));
        };
        let edit = Fields::new(fields);
        match (edit.cursor("start")?, edit.cursor("end")?, edit.text("text")?) {
            (Some(start), Some(end), Some(text)) => Ok(Self { start, end, text: text.to_owned() }),
            _ => Err(Failure::input(format!("`edits[{index}]` must have start, end and text."))),
        }
    }
}

impl Hashes {
    fn read(sent: &Fields<'_>) -> Result<Self, Failure> {
        Ok(Self { doc_hash: sent.hash("docHash")?, doc_hash_after: sent.hash("docHashAfter")? })
    }
}

impl WrittenSteps {
    fn read(sent: &Fields<'_>) -> Result<Self, Failure> {
        let cursor = sent.cursor("cursor")?;
        let doc_slice = DocSlice::read(sent)?;
        let edits = sent.list("edits")?.map(|edits| {
            let edits = edits.iter().enumerate().map(|(index, edit)| CodePointEdit::read(index, edit));
            edits.collect::<Result<Vec<_>, _>>()
        });
        let edits = edits.transpose()?;
        let has_text = doc_slice.is_some() || edits.is_some();
        Ok(Self {
            cursor,
            doc_slice,
            edits,
            dialect: if has_text { sent.dialect()? } else { None },
            hashes: Hashes::read(sent)?,
            format: AnswerFormat::read(sent)?,
        })
    }
}

impl StepRequest {
    pub(crate) fn read(sent: &Fields<'_>) -> Result<Self, Failure> {
        Ok(Self { stack: sent.stack()?, delimiter: sent.delimiter("type")?, written: WrittenSteps::read(sent)? })
    }
}

impl RunRequest {
    /// The list has other names, too; lists under two of them must agree.
    pub(crate) fn read(sent: &Fields<'_>, op: Op) -> Result<Self, Failure> {
        // A run of closers may also be named by the expected types.
        let names: &[&str] = if op == Op::Pop { &["types", "expected", "ops"] } else { &["types", "ops"] };
        let mut listed: Option<(&str, Vec<DelimiterType>)> = None;
        for &name in names {
            let Some(elements) = sent.list(name)? else { continue };
            let types = elements.iter().enumerate().map(|(index, element)| match element {
                Value::Object(fields) => {
                    let step = Fields::new(fields);
                    match step.get("op") {
                        Some(_) => step.step().and_then(|step| step.of(op)),
                        None => step.delimiter("type")?.ok_or_else(|| missing_type("type")),
                    }
                    .map_err(|failure| failure.at_op(index))
                }
                element => delimiter(&format!("{name}[{index}]"), element),
            });
            let types = types.collect::<Result<Vec<_>, _>>()?;
            match &listed {
                None => listed = Some((name, types)),
                Some((first, others)) if *others != types => {
                    return Err(Failure::input(format!(
                        "`{first}` and `{name}` differ. Send the steps once, or twice the same."
                    )));
                }
                Some(_) => {}
            }
        }
        Ok(Self { stack: sent.stack()?, types: listed.map(|(_, types)| types), written: WrittenSteps::read(sent)? })
    }
}

impl BatchRequest {
    pub(crate) fn read(sent: &Fields<'_>) -> Result<Self, Failure> {
        let ops = sent.list("ops")?.map(|ops| {
            let step = |(index, op): (usize, &Value)| match op {
                Value::Object(fields) => Fields::new(fields).step().map_err(|failure| failure.at_op(index)),
                other => {
                    Err(Failure::input(format!("`ops[{index}]` must be an object {{op, type}}, not {}.", kind(other))))
                }
            };
            ops.iter().enumerate().map(step).collect::<Result<Vec<_>, _>>()
        });
        Ok(Self { ops: ops.transpose()?, stack: sent.stack()?, written: WrittenSteps::read(sent)? })
    }
}

impl SentinelRequest {
    pub(crate) fn read(sent: &Fields<'_>) -> Result<Self, Failure> {
        let Some(cursor) = sent.cursor("cursor")? else {
            return Err(Failure::cursor("`cursor` is missing. Send the place where writing goes on, in code points."));
        };
        Ok(Self { cursor, hashes: Hashes::read(sent)?, format: AnswerFormat::read(sent)? })
    }
}

impl BalanceRequest {
    pub(crate) fn read(sent: &Fields<'_>) -> Result<Self, Failure> {
        let stack = sent.stack()?;
        let Some(sentinel) = sent.cursor("sentinel")? else {
            return Err(Failure::cursor("`sentinel` is missing. Send the cursor at which writing stopped."));
        };
        let mode = match sent.word("mode")? {
            None | Some("assert-empty") => StackMode::AssertEmpty,
            Some("suggest-fix") => StackMode::SuggestFix,
            Some(other) => {
                return Err(Failure::input(format!(
                    "`mode` must be assert-empty or suggest-fix, not \"{}\".",
                    shortened(other)
                )));
            }
        };
        let doc_slice = DocSlice::read(sent)?;
        let dialect = if doc_slice.is_some() { sent.dialect()? } else { None };
        let (hashes, format) = (Hashes::read(sent)?, AnswerFormat::read(sent)?);
        Ok(Self { stack, sentinel, mode, doc_slice, dialect, hashes, format })
    }
}

impl ScanRequest {
    pub(crate) fn read(sent: &Fields<'_>) -> Result<Self, Failure> {
        let mode = match sent.word("mode")? {
            None | Some("report") => ScanMode::Report,
            Some("assert-empty") => ScanMode::AssertEmpty,
            Some("suggest-fix") => ScanMode::SuggestFix,
            Some(other) => {
                return Err(Failure::input(format!(
                    "`mode` must be report, assert-empty or suggest-fix, not \"{}\".",
                    shortened(other)
                )));
            }
        };
        let Some(text) = sent.text("text")? else {
            return Err(Failure::input("`text` is missing. Send the next piece of the text."));
        };
        if text.len() > MAX_PIECE {
            return Err(Failure::input(format!(
                "`text` has {} bytes; one piece may have {MAX_PIECE}. Send it in pieces, each with the `state` of the \
                 one before.",
                text.len()
            )));
        }
        Ok(Self {
            text: text.to_owned(),
            dialect: sent.dialect()?,
            stack: sent.optional_stack()?,
            start: sent.cursor("start")?,
            hashes: Hashes::read(sent)?,
            state: sent.text("state")?.filter(|state| !state.is_empty()).map(str::to_owned),
            mode,
            format: AnswerFormat::read(sent)?,
        })
    }
}

/// Checks the length of a text that is written at once.
pub(crate) fn check_size(name: &str, text: &str) -> Result<(), Failure> {
    if text.len() <= MAX_SLICE {
        return Ok(());
    }
    Err(Failure::input(format!(
        "`{name}` has {} bytes; a slice may have {MAX_SLICE}. Send only the text near the cursor, or scan a \
         long text.",
        text.len()
    )))
}
