//! `lispwright batch`: several edits of forms, all of them or none.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_tools::Reply;
use serde_json::{Map, Value};

use super::call::{self, given};
use super::complaint::Complaint;
use super::outcome::{failed, show};
use super::text::from_here;

/// Make several edits and patches in one step: all of them or none.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lispwright batch --verify tests <<'END'\n  \
    [{\"path\": \"shop.lisp\", \"operation\": \"patch\", \"name\": \"tax\", \"old_text\": \"2\", \"new_text\": \"3\"},\n   \
    {\"path\": \"shop.lisp\", \"operation\": \"append\", \"content\": \"(defun vat (x) x)\"}]\n  END\n\n\
    Operations: replace, insert_before, insert_after, append (content), delete, patch (old_text, new_text). Each sees what \
    those before it have made of its file.\n\n\
    Exit code: 0, 1 when an edit was refused, 2 when it could not be tried.")]
pub(crate) struct Args {
    /// File with the edits, a JSON array; - or nothing for standard input
    file: Option<PathBuf>,

    /// Show the diffs, write nothing
    #[arg(long)]
    dry_run: bool,

    /// Write them only if what they change compiles, or passes its tests
    #[arg(long, value_parser = ["compile", "tests"])]
    verify: Option<String>,

    /// What is compiled or tested; default: the systems or files that are changed
    #[arg(long, value_name = "NAME", requires = "verify")]
    system: Option<String>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// Directory whose files may be written; default: that of the nearest project around
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let json = args.json;
    match attempt(args) {
        Ok(reply) => show(reply, json),
        Err(error) => failed("batch", json, error),
    }
}

fn attempt(args: Args) -> Result<Reply, Complaint> {
    let wrong = |what: String| Complaint::new("BAD_ARGUMENT", what);
    let text = match args.file.as_deref().filter(|file| file.as_os_str() != "-") {
        Some(file) => std::fs::read_to_string(file).map_err(|error| Complaint::at(file.display(), error))?,
        None => {
            let mut text = String::new();
            let read = std::io::stdin().lock().read_to_string(&mut text);
            read.map_err(|error| wrong(format!("standard input: {error}")))?;
            text
        }
    };
    let read: Value = serde_json::from_str(&text).map_err(|error| wrong(format!("the edits are no JSON: {error}")))?;
    let mut arguments: Map<String, Value> = match read {
        Value::Object(call) if call.contains_key("edits") => call,
        Value::Object(_) => given(&[("edits", vec![read].into())]),
        Value::Array(_) => given(&[("edits", read)]),
        _ => return Err(wrong("the edits are no array of objects; --help shows one".to_owned())),
    };
    for edit in arguments.get_mut("edits").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(path) = edit.get_mut("path") {
            let here = path.as_str().map(from_here).transpose()?;
            *path = here.into();
        }
    }
    let runs_code = args.verify.is_some();
    let dry_run = if args.dry_run { Value::from(true) } else { Value::Null };
    arguments.extend(given(&[("dry_run", dry_run), ("verify", args.verify.into()), ("system", args.system.into())]));
    call::checked_edit("lisp_edit_batch", arguments, &args.root, runs_code)
}
