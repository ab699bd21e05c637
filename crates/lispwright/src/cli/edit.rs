//! `lispwright edit`: edits a file by form.

use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use lispwright_tools::Reply;
use serde_json::{Value, json};

use super::address::Address;
use super::call::{self, given};
use super::complaint::Complaint;
use super::outcome::{failed, show};
use super::text::from_here;

/// Replace, insert, append or delete a form by name.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  echo '(defun area (r) (* pi r r))' | lispwright edit src/shapes.lisp replace area\n  \
    lispwright edit src/shapes.lisp delete area --dry-run\n  \
    lispwright edit --accept c1\n\n\
    New source is read from standard input. Exit code: 0, 1 when the edit was refused, 2 when it could not be tried."
)]
pub(crate) struct Args {
    /// The file, which must be below the root
    #[arg(required_unless_present = "accept")]
    path: Option<String>,

    /// The operation
    #[arg(required_unless_present = "accept")]
    operation: Option<Operation>,

    #[command(flatten)]
    form: Address,

    /// Digest of the form as it was read; the edit is refused if it has changed since
    #[arg(long, value_name = "DIGEST")]
    digest: Option<String>,

    /// Show the diff, write nothing
    #[arg(long)]
    dry_run: bool,

    /// Refuse new source that does not balance, even if its repair is certain
    #[arg(long)]
    no_repair: bool,

    /// Lay out what is written as the project does; default: fmt.edits in lispwright.toml
    #[arg(long)]
    format: bool,

    /// Make the refused edit or patch with this candidate (c1), without its source; kept for 20 minutes
    #[arg(long, value_name = "CANDIDATE", conflicts_with_all = ["path", "operation", "no_repair"])]
    accept: Option<String>,

    /// Write it only if the changed system or file compiles, or passes its tests
    #[arg(long, value_parser = ["compile", "tests"])]
    verify: Option<String>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// Directory whose files may be written; default: that of the nearest project around
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Operation {
    /// Put one form in its place, with those that it needs before and after it
    Replace,
    /// Put forms before it
    #[value(alias = "insert_before")]
    InsertBefore,
    /// Put forms after it
    #[value(alias = "insert_after")]
    InsertAfter,
    /// Put forms at the end of the file
    Append,
    /// Remove it
    Delete,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let json = args.json;
    match attempt(args) {
        Ok(reply) => show(reply, json),
        Err(error) => failed("edit", json, error),
    }
}

fn attempt(args: Args) -> Result<Reply, Complaint> {
    let mut content = None;
    if args.operation.is_some_and(|operation| operation != Operation::Delete) {
        let mut text = String::new();
        let read = std::io::stdin().lock().read_to_string(&mut text);
        read.map_err(|error| Complaint::new("BAD_ARGUMENT", format_args!("standard input: {error}")))?;
        content = Some(text);
    }
    let operation = args.operation.map(|operation| match operation {
        Operation::Replace => "replace",
        Operation::InsertBefore => "insert_before",
        Operation::InsertAfter => "insert_after",
        Operation::Append => "append",
        Operation::Delete => "delete",
    });
    let runs_code = args.verify.is_some() || args.accept.is_some();
    let arguments = given(&[
        ("path", args.path.as_deref().map(from_here).transpose()?.into()),
        ("operation", operation.into()),
        ("name", args.form.name.into()),
        ("form_type", args.form.form_type.into()),
        ("index", args.form.index.into()),
        ("line", args.form.line.into()),
        ("content", content.into()),
        ("digest", args.digest.into()),
        ("dry_run", args.dry_run.into()),
        ("repair", if args.no_repair { json!(false) } else { Value::Null }),
        ("format", if args.format { json!(true) } else { Value::Null }),
        ("accept", args.accept.into()),
        ("verify", args.verify.into()),
    ]);
    call::edit("lisp_edit_form", arguments, &args.root, runs_code)
}
