//! Every sentence that somebody reads, in one place: typed answers and refusals become a text and a document.
//!
//! The operations of `lispwright-tools` answer with facts. What they are called where they are read differs: a client of the
//! server knows tools and arguments, a person at a shell commands and options. [`render`] takes the facts and the
//! [`Skin`] and gives both forms of the answer; one module for each family of answers has the words.
//!
//! **Invariant:** nothing below this crate names a tool or a command.

mod call;
mod edited;
mod fence;
mod refusal;
mod rendering;

pub use call::spoken;
pub use rendering::Rendering;

use lispwright_tools::{Answer, Reply};

/// Who reads an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skin {
    /// A model, through a client of the server: tools and their arguments.
    Client,
    /// A person or a script: commands and their options.
    Shell,
}

/// The answer in words for `skin`, and the facts as a document.
#[must_use]
pub fn render(reply: Reply, skin: Skin) -> Rendering {
    match reply {
        Ok(answer) => {
            let (is_error, fields) = (answer.is_error(), answer.document());
            Rendering { text: text(&answer), fields, is_error }
        }
        Err(refusal) => refusal::render(&refusal, skin),
    }
}

/// An answer in words.
fn text(answer: &Answer) -> String {
    match answer {
        Answer::Edited(edited) => rendering::visible(&edited::text(edited)),
        Answer::Protocol(protocol) => protocol.text.clone(),
        Answer::Worded(outcome) => outcome.text.clone(),
    }
}
