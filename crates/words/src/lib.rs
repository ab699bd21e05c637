//! The sentences of all answers: typed answers and refusals become a text and a document.
//!
//! The operations of `lispwright-tools` answer with facts. A client of the server knows tools and arguments, a person
//! at a shell knows commands and options: [`render`] takes the facts and the reader's [`Skin`] and gives both forms of
//! the answer.
//!
//! One module for each family of answers has its sentences. Read `call.rs` (a next call in the reader's terms) and
//! `terms.rs` (other terms that differ) first, then a family, such as `loaded.rs`; `refusal.rs` has the refusals,
//! `diagnosis.rs` the mistakes of a text. `transcript.rs` observes what happens and writes it to a file. The hook has
//! sentences of its own for what becomes of a call, because it is below the operations.
//!
//! **Invariant:** no message of a crate below this one names a tool or a command.

mod arguments;
mod aside;
mod batched;
mod bounded;
mod call;
mod changed;
mod changed_forms;
mod changes;
mod checked;
mod configuration;
mod cost;
mod covered;
mod detail;
mod diagnosis;
mod documented;
mod drift;
mod edited;
mod ending;
mod evaluated;
mod expanded;
mod file;
mod files;
mod fix;
mod form;
mod found;
mod guides;
mod held;
mod linted;
mod live;
mod live_fault;
mod loaded;
mod map;
mod names;
mod note;
mod notice;
mod object;
mod refusal;
mod renamed;
mod rendering;
mod rewritten;
mod session_refused;
mod sessions;
mod signature;
mod stack;
pub mod surfaces;
mod terms;
mod tested;
mod transcript;
mod unbound;
mod undone;
mod unused;
mod waited;

pub use call::spoken;
pub use configuration::configuration;
pub use cost::Cost;
pub use guides::{Guide, SkillPage, skill};
pub use linted::{github, sarif};
pub use refusal::refused;
pub use rendering::Rendering;
pub use surfaces::{Called, Recast, SurfaceTerms};
pub use transcript::{Transcript, timestamp};

use lispwright_tools::arguments::AnswerWish;
use lispwright_tools::{Answer, Reply};
use serde_json::{Map, Value};

/// The kind of reader of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Skin {
    /// A model, through a client of the server: tools and their arguments.
    #[default]
    Client,
    /// The same, through a surface: tools and arguments in other names.
    Surface(&'static SurfaceTerms),
    /// A person or a script: commands and their options.
    Shell,
}

impl Skin {
    /// Whether the reader is a client of the server, in whatever names.
    pub(crate) fn is_client(self) -> bool {
        self != Self::Shell
    }
}

/// The answer to a call of a surface, in its terms and in the form that its document describes.
#[must_use]
pub fn render_recast(
    reply: Reply,
    skin: Skin,
    wish: AnswerWish,
    arguments: &Map<String, Value>,
    recast: Recast,
) -> Rendering {
    let answer = bounded::kept(&reply, wish.max_tokens);
    let mut rendering = whole(reply.clone(), skin, wish.detail);
    let reply = reply.map(|answer| match answer {
        Answer::Noted(noted) => noted.answer,
        answer => answer,
    });
    recast(Called { arguments, reply: &reply }, &mut rendering);
    bounded::bounded(rendering, answer.as_ref(), wish.max_tokens, skin)
}

/// The answer in words for `skin`, and the facts as a document.
#[must_use]
pub fn render(reply: Reply, skin: Skin) -> Rendering {
    render_as(reply, skin, AnswerWish::default())
}

/// The same as its reader wishes it.
#[must_use]
pub fn render_as(reply: Reply, skin: Skin, wish: AnswerWish) -> Rendering {
    let answer = bounded::kept(&reply, wish.max_tokens);
    bounded::bounded(whole(reply, skin, wish.detail), answer.as_ref(), wish.max_tokens, skin)
}

/// The whole answer. A person at a shell is told all; a client has sent what is written, and pays for each word.
fn whole(reply: Reply, skin: Skin, in_detail: bool) -> Rendering {
    match reply {
        Ok(mut answer) => {
            if in_detail || skin == Skin::Shell {
                detail::add(&mut answer);
            }
            with_sentences(&mut answer, skin);
            let (is_error, mut fields) = (answer.is_error(), answer.document());
            if let Answer::Live(answer) = innermost(&answer) {
                live::add_fields(answer, skin, &mut fields);
            }
            Rendering { text: text(&answer, skin), fields, is_error }
        }
        Err(refusal) => refusal::render(&refusal, skin),
    }
}

/// Adds the sentences that the document has beside the facts.
fn with_sentences(answer: &mut Answer, skin: Skin) {
    match answer {
        Answer::File(file) => file.diagnostics.iter_mut().for_each(diagnosis::with_sentence),
        Answer::Checked(checked) => checked.diagnosis.iter_mut().for_each(diagnosis::with_sentence),
        Answer::Edited(edited) => edited::with_notes(edited, skin),
        Answer::Project(project) => files::with_status(project),
        Answer::Noted(noted) => with_sentences(&mut noted.answer, skin),
        _ => {}
    }
}

/// An answer in words.
fn text(answer: &Answer, skin: Skin) -> String {
    match answer {
        Answer::File(file) => rendering::visible(&file::text(file, skin)),
        // A pipe gets the source itself.
        Answer::Form(form) if skin == Skin::Shell => form.content.clone(),
        Answer::Form(form) => rendering::visible(&form::text(form, skin)),
        Answer::Checked(checked) => rendering::visible(&checked::text(checked)),
        Answer::Edited(edited) => rendering::visible(&edited::text(edited, skin)),
        Answer::Resigned(done) => rendering::visible(&signature::text(done, skin)),
        Answer::Undone(done) => rendering::visible(&undone::text(done, skin)),
        Answer::Renamed(renamed) => rendering::visible(&renamed::text(renamed, skin)),
        Answer::Batched(batched) => rendering::visible(&batched::text(batched, skin)),
        Answer::Rewritten(rewritten) => rendering::visible(&rewritten::text(rewritten, skin)),
        Answer::Found(found) => rendering::visible(&found::text(found, skin)),
        Answer::Mapped(map) => map::text(map, skin),
        Answer::Unused(unused) => rendering::visible(&unused::text(unused)),
        Answer::Linted(linted) => rendering::visible(&linted::text(linted)),
        Answer::Documented(answer) => documented::text(answer, skin).trim_end().to_owned(),
        Answer::Text(text) => rendering::visible(&files::text(text, skin)),
        Answer::Wrote(wrote) => rendering::visible(&files::wrote(wrote, skin)),
        Answer::Listed(listed) => rendering::visible(&files::listed(listed, skin)),
        Answer::Project(project) => files::project(project),
        Answer::Live(answer) => live::text(answer, skin),
        Answer::Protocol(protocol) => protocol.text.clone(),
        Answer::Noted(noted) => {
            let lines = noted.notes.iter().map(|(session, notice)| notice::notice_line(notice, session));
            let taken_back = noted.taken_back.iter().map(|one| rendering::visible(&files::taken_back(one)));
            let notes: String = lines.chain(taken_back).map(|line| format!("\n[note] {line}")).collect();
            text(&noted.answer, skin).trim_end().to_owned() + &notes
        }
    }
}

/// The answer without the notes beside it.
fn innermost(answer: &Answer) -> &Answer {
    match answer {
        Answer::Noted(noted) => &noted.answer,
        answer => answer,
    }
}
