//! What operations answer: facts with names, and nothing in words.
//!
//! Each operation has an answer type of its own, a struct with public fields whose names are those of the contract. The
//! schema that clients see is derived from it ([`fields_schema`]), and `lispwright-words` puts it into sentences.
//! [`Answer`] is the choice among them, for a catalogue that holds all tools in one list.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::arguments::schema_of;
use crate::lisp_check_parens::CheckAnswer;
use crate::lisp_edit_form::EditAnswer;
use crate::lisp_read_file::FileAnswer;
use crate::lisp_read_form::FormAnswer;
use crate::live_answer::LiveAnswer;
use crate::refusal::Refusal;

/// What a call came to.
pub type Reply = Result<Answer, Refusal>;

/// The answer of any operation.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A file is shown.
    File(Box<FileAnswer>),
    /// A form is shown.
    Form(Box<FormAnswer>),
    /// A text balances, or does not.
    Checked(Box<CheckAnswer>),
    /// A file was edited by form, or would have been.
    Edited(Box<EditAnswer>),
    /// Live images were asked or controlled.
    Live(LiveAnswer),
    /// An answer of a protocol that words itself.
    Protocol(ProtocolAnswer),
}

/// An answer whose protocol says how it is written, as a text and as a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProtocolAnswer {
    /// As the protocol writes it.
    pub text: String,
    /// The same, read.
    pub fields: Map<String, Value>,
    /// The protocol calls it a success.
    pub ok: bool,
}

impl Answer {
    /// The requested thing did not happen.
    pub fn is_error(&self) -> bool {
        match self {
            Self::File(_) | Self::Form(_) | Self::Checked(_) | Self::Edited(_) => false,
            Self::Live(answer) => answer.is_error(),
            Self::Protocol(answer) => !answer.ok,
        }
    }

    /// The fields that the contract names; what is absent is left out.
    pub fn document(&self) -> Map<String, Value> {
        match self {
            Self::File(answer) => fields(answer),
            Self::Form(answer) => fields(answer),
            Self::Checked(answer) => fields(answer),
            Self::Edited(answer) => fields(answer),
            Self::Live(answer) => answer.document(),
            Self::Protocol(answer) => answer.fields.clone(),
        }
    }
}

impl From<FileAnswer> for Answer {
    fn from(answer: FileAnswer) -> Self {
        Self::File(Box::new(answer))
    }
}

impl From<FormAnswer> for Answer {
    fn from(answer: FormAnswer) -> Self {
        Self::Form(Box::new(answer))
    }
}

impl From<CheckAnswer> for Answer {
    fn from(answer: CheckAnswer) -> Self {
        Self::Checked(Box::new(answer))
    }
}

impl From<EditAnswer> for Answer {
    fn from(answer: EditAnswer) -> Self {
        Self::Edited(Box::new(answer))
    }
}

impl From<ProtocolAnswer> for Answer {
    fn from(answer: ProtocolAnswer) -> Self {
        Self::Protocol(answer)
    }
}

/// The fields of an answer.
pub(crate) fn fields<A: Serialize>(answer: &A) -> Map<String, Value> {
    match serde_json::to_value(answer).expect("answers have texts as keys and nothing that fails") {
        Value::Object(fields) => fields,
        _ => unreachable!("every answer is a struct with names"),
    }
}

/// The schema of an answer's fields, of which none has to be there: an error has others. Only types are told, since a model
/// reads the answer and not its schema.
pub fn fields_schema<A: JsonSchema>() -> Map<String, Value> {
    let mut schema = schema_of::<A>();
    schema.remove("additionalProperties");
    bare(&mut schema);
    schema
}

/// Takes out what is not about types. The depth is that of a Rust type.
fn bare(schema: &mut Map<String, Value>) {
    for wordy in ["description", "required", "minimum", "maximum", "default"] {
        schema.remove(wordy);
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().filter_map(Value::as_object_mut).for_each(bare);
    }
    if let Some(Value::Object(items)) = schema.get_mut("items") {
        bare(items);
    }
}
