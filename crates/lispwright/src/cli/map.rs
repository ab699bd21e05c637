//! `lispwright map`: a project at a glance.

use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_tools::Answer;
use lispwright_tools::code_map::{CodeMap, code_map};

use super::live::on_files;
use super::outcome::{failed, show};
use super::surroundings::Surroundings;

/// A project at a glance: systems, packages, entry points, tests, hot spots, problems.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lispwright map\n  lispwright map src --limit 20\n  lispwright map --changed\n  lispwright map --changed=main~3 src\n\n\
    Exit code: 0, or 2 when nothing could be read."
)]
pub(crate) struct Args {
    /// Only this file or directory
    path: Option<String>,

    /// Show at most so many entries of each part
    #[arg(long, value_name = "COUNT", default_value_t = 8)]
    limit: u32,

    /// Only what has changed since a revision of git: forms, who uses them, tests that reach them
    #[arg(long, value_name = "REVISION", num_args = 0..=1, default_missing_value = "HEAD", require_equals = true)]
    changed: Option<String>,

    /// Directory of the project
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let asked = CodeMap {
        path: args.path.map(|path| Surroundings::new(&args.root).path(&path)),
        limit: Some(args.limit),
        changed: args.changed,
    };
    let answered = on_files(&args.root, |workshop| async move {
        code_map(&workshop, asked, &workshop.context("lispwright map")).await.map(Answer::from)
    });
    match answered {
        Ok(reply) => show(reply, args.json),
        Err(why) => failed("map", args.json, why),
    }
}
