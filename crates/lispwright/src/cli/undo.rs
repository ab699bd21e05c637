//! `lispwright undo`: takes back what a command or a call has written.

use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_tools::Answer;
use lispwright_tools::lisp_undo::{LispUndo, undo_last};

use super::live::on_files;
use super::outcome::{failed, show};

/// Take back the last change that a command or an agent has written
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lispwright undo --dry-run\n  lispwright undo\n  lispwright undo --list\n  \
    lispwright undo --change 12\n\n\
    All files of the change get their old bytes, or none: it is refused when one of them has changed since.\n\
    An undo is a change, too: undone, it is made again.\n\
    The last 100 changes of a project are kept, below ~/.local/state/lispwright/undo.\n\
    Exit code: 0, 1 when it was refused, 2 when it could not be tried.")]
pub(crate) struct Args {
    /// The number of the change; default: the last
    #[arg(long, value_name = "N")]
    change: Option<u64>,

    /// Show the diffs, write nothing
    #[arg(long)]
    dry_run: bool,

    /// List the changes that are kept
    #[arg(long, conflicts_with_all = ["change", "dry_run"])]
    list: bool,

    /// Directory of the project; default: that of the nearest project around
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let asked = LispUndo { change: args.change, dry_run: args.dry_run, list: args.list };
    let answered = on_files(&args.root, |workshop| async move {
        undo_last(&workshop, asked, &workshop.context("lispwright undo")).await.map(Answer::from)
    });
    match answered {
        Ok(reply) => show(reply, args.json),
        Err(why) => failed("undo", args.json, why),
    }
}
