//! Calls of tools from the command line: with the candidates of earlier refusals, and in the images of a server.
//!
//! A process of the command line ends with its answer. So the candidates that a refused edit offers are kept in a file of
//! the user's, where the next command finds them; and a command can make its call in a server that runs on TCP, whose
//! sessions live on.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lispwright_project::{EditError, Error, NewText, create_anywhere, edit_anywhere, read_text_anywhere};
use lispwright_server::Bridge;
use lispwright_tools::arguments::prepare;
use lispwright_tools::offers::Shelf;
use lispwright_tools::{Refusal, Reply, Workshop, catalogue};
use lispwright_words::Rendering;
use serde_json::{Map, Value};

use super::complaint::Complaint;
use super::live::{event_loop, on_files, with_workshop};
use super::outcome::{failed, print_rendering};
use super::surroundings::Surroundings;
use super::token_file;
use super::transcript::command_line;

/// Arguments of a tool without those that have no value.
pub(crate) fn given(arguments: &[(&str, Value)]) -> Map<String, Value> {
    let given = arguments.iter().filter(|(_, value)| !value.is_null());
    given.map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

/// Makes an edit below `roots`, and keeps the candidates that its refusal offers. One that `runs_code` may start images.
pub(crate) fn edit(
    tool: &'static str,
    arguments: Map<String, Value>,
    roots: &[PathBuf],
    runs_code: bool,
) -> Result<Reply, Complaint> {
    let work = move |workshop: Workshop| async move {
        let file = shelf();
        let known = file.as_deref().and_then(|file| read_text_anywhere(file).ok());
        let known = known.and_then(|text| serde_json::from_str::<Shelf>(&text).ok()).unwrap_or_default();
        workshop.offers.restore(known.clone());
        let Some(tool) = catalogue(&workshop).into_iter().find(|known| known.name == tool) else {
            return Err(Refusal::Ended { why: format!("there is no {tool}") });
        };
        let reply = (tool.run)(arguments, workshop.context(&command_line())).await;
        let now = workshop.offers.shelf();
        if let (true, Some(file)) = (now != known, file) {
            // Without the file, the next command says that there is no such candidate.
            let _ = keep(&file, &now);
        }
        reply
    };
    if runs_code { with_workshop(Surroundings::new(roots).roots(), None, work) } else { on_files(roots, work) }
}

/// The same for arguments that a person has written.
pub(crate) fn checked_edit(
    tool: &'static str,
    arguments: Map<String, Value>,
    roots: &[PathBuf],
    runs_code: bool,
) -> Result<Reply, Complaint> {
    let schema = on_files(roots, |workshop| async move {
        catalogue(&workshop).into_iter().find(|known| known.name == tool).map(|tool| Map::clone(&tool.input_schema))
    })?;
    let ready = prepare(tool, &schema.unwrap_or_default(), arguments)?;
    edit(tool, ready, roots, runs_code)
}

/// The file of the candidates, beside that of the token.
fn shelf() -> Option<PathBuf> {
    token_file::default_file().ok().map(|file| file.with_file_name("candidates.json"))
}

fn keep(file: &Path, shelf: &Shelf) -> Result<(), Error> {
    let text = serde_json::to_string(shelf).unwrap_or_default();
    let replaced = edit_anywhere(file, |_| Ok::<_, std::convert::Infallible>(NewText::Text(text.clone())));
    match replaced {
        Ok(_) => Ok(()),
        Err(EditError::Refused(never)) => match never {},
        Err(EditError::Project(_)) => create_anywhere(file, &text).map(drop),
    }
}

/// The options for a server in whose images a command runs.
#[derive(Debug, clap::Args)]
pub(crate) struct Connection {
    /// Work in the images of the server at this address (`lispwright mcp --transport tcp --listen HOST:PORT`, or `--socket PATH`)
    #[arg(long, value_name = "HOST:PORT|PATH")]
    connect: Option<String>,

    /// Session of that server
    #[arg(long, value_name = "NAME", requires = "connect")]
    session: Option<String>,

    /// File with the token of that server; default: the one that it makes
    #[arg(long, value_name = "FILE", requires = "connect")]
    token_file: Option<PathBuf>,
}

impl Connection {
    /// Makes the call in the server, if one is named: prints its answer and gives the exit code.
    pub(crate) fn call(
        &self,
        command: &str,
        json: bool,
        tool: &str,
        mut arguments: Map<String, Value>,
    ) -> Option<ExitCode> {
        let address = self.connect.clone()?;
        if let Some(session) = &self.session {
            arguments.insert("session".to_owned(), session.clone().into());
        }
        let needs_token = !address.contains('/');
        let usual = || token_file::default_file().ok().filter(|file| needs_token && file.exists());
        let file = self.token_file.clone().or_else(usual);
        let token = match file.as_deref().map(token_file::known).transpose() {
            Ok(token) => token,
            Err(why) => return Some(failed(command, json, Complaint::new("BAD_ARGUMENT", why))),
        };
        let called = event_loop().and_then(|event_loop| {
            let called = event_loop.block_on(Bridge { address, token }.call(tool, arguments));
            called.map_err(|error| Complaint::new("RUNTIME_MISSING", error))
        });
        Some(match called {
            Ok(result) => print_rendering(rendering(&result), json),
            Err(why) => failed(command, json, why),
        })
    }
}

/// The result of a call in the protocol, as an answer.
fn rendering(result: &Value) -> Rendering {
    let texts = result["content"].as_array().into_iter().flatten().filter_map(|part| part["text"].as_str());
    let text: String = texts.collect::<Vec<_>>().join("\n");
    let fields = result["structuredContent"].as_object().cloned();
    let fields = fields.unwrap_or_else(|| Map::from_iter([("text".to_owned(), text.clone().into())]));
    Rendering { text, fields, is_error: result["isError"] == true }
}
