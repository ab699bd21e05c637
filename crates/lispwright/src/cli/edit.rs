//! `lispwright edit`: edits a file by form.

use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use lispwright_tools::lisp_edit_form::{EditOperation, LispEditForm, lisp_edit_form};
use lispwright_tools::verify::Verify;
use lispwright_tools::{Answer, CallContext, Reply};

use super::address::Address;
use super::complaint::Complaint;
use super::live::on_files;
use super::outcome::{failed, show};
use super::text::from_here;

/// Replace, insert, append or delete a form by name.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  echo '(defun area (r) (* pi r r))' | lispwright edit src/shapes.lisp replace area\n  \
    lispwright edit src/shapes.lisp delete area --dry-run\n\n\
    New source is read from standard input. Exit code: 0, 1 when the edit was refused, 2 when it could not be tried."
)]
pub(crate) struct Args {
    /// The file, which must be below the root
    path: String,

    /// The operation
    operation: Operation,

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

    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// Directory whose files may be written; default: the working directory
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
    if args.operation != Operation::Delete {
        let mut text = String::new();
        let read = std::io::stdin().lock().read_to_string(&mut text);
        read.map_err(|error| Complaint::new("BAD_ARGUMENT", format_args!("standard input: {error}")))?;
        content = Some(text);
    }
    let operation = match args.operation {
        Operation::Replace => EditOperation::Replace,
        Operation::InsertBefore => EditOperation::InsertBefore,
        Operation::InsertAfter => EditOperation::InsertAfter,
        Operation::Append => EditOperation::Append,
        Operation::Delete => EditOperation::Delete,
    };
    let edit = LispEditForm {
        path: from_here(&args.path)?,
        operation,
        name: args.form.name,
        form_type: args.form.form_type,
        index: args.form.index,
        line: args.form.line,
        content,
        digest: args.digest,
        dry_run: args.dry_run,
        repair: !args.no_repair,
        accept: None,
        verify: Verify::None,
        load: false,
        session: None,
        runtime: None,
    };
    on_files(&args.root, |workshop| async move {
        lisp_edit_form(&workshop, edit, &CallContext::default()).await.map(Answer::from)
    })
}
