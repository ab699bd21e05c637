//! Answers of operations: named facts without sentences.
//!
//! Each operation has an answer type of its own, a struct with public fields whose names are those of the contract. The
//! schema that clients see is derived from it ([`fields_schema`]), and `lispwright-words` has its sentences.
//! [`Answer`] is the union of them, for a catalogue that holds all tools in one list.

use lispwright_project::TakenBack;
use lispwright_runtime::Notice;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::arguments::schema_of;
use crate::code_map::MapAnswer;
use crate::docs_lookup::DocsAnswer;
use crate::fs_list_directory::ListAnswer;
use crate::fs_project::ProjectAnswer;
use crate::fs_read_file::TextAnswer;
use crate::fs_write_file::WriteAnswer;
use crate::lint::LintAnswer;
use crate::lisp_change_signature::SignatureAnswer;
use crate::lisp_check_parens::CheckAnswer;
use crate::lisp_edit_batch::BatchAnswer;
use crate::lisp_edit_form::EditAnswer;
use crate::lisp_read_file::FileAnswer;
use crate::lisp_read_form::FormAnswer;
use crate::lisp_rename::RenameAnswer;
use crate::lisp_rewrite::RewriteAnswer;
use crate::lisp_search::SearchAnswer;
use crate::lisp_undo::UndoAnswer;
use crate::live_answer::LiveAnswer;
use crate::refusal::Refusal;
use crate::unused::UnusedAnswer;

/// The result of a call.
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
    /// A name was given another, or would have been.
    Renamed(Box<RenameAnswer>),
    /// Several edits were made in one call, or would have been.
    Batched(Box<BatchAnswer>),
    /// Forms were rewritten, or would have been.
    Rewritten(Box<RewriteAnswer>),
    /// A function got other parameters, or would have got them.
    Resigned(Box<SignatureAnswer>),
    /// A change was taken back, or would have been.
    Undone(Box<UndoAnswer>),
    /// Files were searched.
    Found(Box<SearchAnswer>),
    /// A project was drawn in its main parts.
    Mapped(Box<MapAnswer>),
    /// What nobody uses was listed.
    Unused(Box<UnusedAnswer>),
    /// Files were examined for problems.
    Linted(Box<LintAnswer>),
    /// Manuals were looked into.
    Documented(Box<DocsAnswer>),
    /// A part of a text file is shown.
    Text(Box<TextAnswer>),
    /// A file was written as a whole.
    Wrote(Box<WriteAnswer>),
    /// A directory was listed.
    Listed(Box<ListAnswer>),
    /// The root of the project was told or set.
    Project(Box<ProjectAnswer>),
    /// A live image answered, or was controlled.
    Live(LiveAnswer),
    /// An answer of a protocol that has its own text.
    Protocol(ProtocolAnswer),
    /// Another answer, with what its reader has to know about a session, or about files.
    Noted(Box<NotedAnswer>),
}

/// An answer with notes about sessions and files.
#[derive(Clone, Debug)]
pub struct NotedAnswer {
    /// The answer.
    pub answer: Answer,
    /// The sessions, with what is to be known.
    pub notes: Vec<(String, Notice)>,
    /// Changes of several files that an earlier process left half done, and that were taken back.
    pub taken_back: Vec<TakenBack>,
}

/// An answer whose protocol prescribes its text and its document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProtocolAnswer {
    /// The text of the protocol.
    pub text: String,
    /// The same as a document.
    pub fields: Map<String, Value>,
    /// The protocol calls it a success.
    pub ok: bool,
}

impl Answer {
    /// The requested thing did not happen.
    pub fn is_error(&self) -> bool {
        match self {
            Self::File(_)
            | Self::Form(_)
            | Self::Checked(_)
            | Self::Edited(_)
            | Self::Found(_)
            | Self::Mapped(_)
            | Self::Unused(_)
            | Self::Linted(_)
            | Self::Documented(_)
            | Self::Text(_)
            | Self::Wrote(_)
            | Self::Listed(_)
            | Self::Project(_)
            | Self::Renamed(_)
            | Self::Rewritten(_)
            | Self::Resigned(_)
            | Self::Undone(_)
            | Self::Batched(_) => false,
            Self::Live(answer) => answer.is_error(),
            Self::Protocol(answer) => !answer.ok,
            Self::Noted(noted) => noted.answer.is_error(),
        }
    }

    /// The fields that the contract names, without absent ones.
    pub fn document(&self) -> Map<String, Value> {
        match self {
            Self::File(answer) => fields(answer),
            Self::Form(answer) => fields(answer),
            Self::Checked(answer) => fields(answer),
            Self::Edited(answer) => fields(answer),
            Self::Renamed(answer) => fields(answer),
            Self::Rewritten(answer) => fields(answer),
            Self::Resigned(answer) => fields(answer),
            Self::Undone(answer) => fields(answer),
            Self::Batched(answer) => fields(answer),
            Self::Found(answer) => fields(answer),
            Self::Mapped(answer) => fields(answer),
            Self::Unused(answer) => fields(answer),
            Self::Linted(answer) => fields(answer),
            Self::Documented(answer) => fields(answer),
            Self::Text(answer) => fields(answer),
            Self::Wrote(answer) => fields(answer),
            Self::Listed(answer) => fields(answer),
            Self::Project(answer) => fields(answer),
            Self::Live(answer) => answer.document(),
            Self::Protocol(answer) => answer.fields.clone(),
            Self::Noted(noted) => noted.answer.document(),
        }
    }
}

/// Implements the conversions into [`Answer`].
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
    Renamed(RenameAnswer),
    Rewritten(RewriteAnswer),
    Resigned(SignatureAnswer),
    Undone(UndoAnswer),
    Batched(BatchAnswer),
    Found(SearchAnswer),
    Mapped(MapAnswer),
    Unused(UnusedAnswer),
    Linted(LintAnswer),
    Documented(DocsAnswer),
    Text(TextAnswer),
    Wrote(WriteAnswer),
    Listed(ListAnswer),
    Project(ProjectAnswer),
    Protocol(ProtocolAnswer),
}

/// The fields of an answer, without those that are absent.
pub(crate) fn fields<A: Serialize>(answer: &A) -> Map<String, Value> {
    let mut document = serde_json::to_value(answer).expect("answers have texts as keys and nothing that fails");
    leave_out_absent(&mut document);
    match document {
        Value::Object(fields) => fields,
        _ => unreachable!("every answer is a struct with names"),
    }
}

/// Takes out fields that are `null`. The depth is that of a Rust type, or of the request for an object.
fn leave_out_absent(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(leave_out_absent);
        }
        Value::Array(elements) => elements.iter_mut().for_each(leave_out_absent),
        _ => {}
    }
}

/// The schema of an answer's fields. None is required, because an error has others. It has only types, because a model
/// reads the answer rather than its schema.
pub fn fields_schema<A: JsonSchema>() -> Map<String, Value> {
    let mut schema = schema_of::<A>();
    schema.remove("additionalProperties");
    bare(&mut schema);
    schema
}

/// The schema of the fields of any of several answers; a field with different types in them may be anything.
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

/// Removes the keywords that are not about types. The depth is that of a Rust type.
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
