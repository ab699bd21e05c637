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

/// Makes a choice of [`Answer`] from what it holds.
macro_rules! answers {
    ($($name:ident($answer:ty),)*) => {
        $(impl From<$answer> for Answer {
            fn from(answer: $answer) -> Self {
                Self::$name(answer.into())
            }
        })*
    };
}

answers! {
    File(FileAnswer),
    Form(FormAnswer),
    Checked(CheckAnswer),
    Edited(EditAnswer),
    Protocol(ProtocolAnswer),
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

/// The schema of the fields of any of several answers: a field of which they say different things may be anything.
pub(crate) fn any_fields_schema(answers: impl IntoIterator<Item = Map<String, Value>>) -> Map<String, Value> {
    let mut all = Map::new();
    for mut schema in answers {
        let Some(Value::Object(fields)) = schema.remove("properties") else { continue };
        for (name, field) in fields {
            let known = all.entry(name).or_insert_with(|| field.clone());
            if *known != field {
                *known = Value::Object(Map::new());
            }
        }
    }
    Map::from_iter([("type".to_owned(), "object".into()), ("properties".to_owned(), Value::Object(all))])
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
