//! `lispwright unused`: what nobody uses.

use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_tools::unused::unused;

use super::live::on_files;
use super::outcome::{failed, in_words, print_rendering};
use super::surroundings::Surroundings;

/// Definitions that nothing uses, each with what speaks against deleting it
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lispwright unused\n  lispwright unused src --json\n\n\
    Exit code: 0 when everything is used, 1 when something may be deleted, 2 when nothing could be read.")]
pub(crate) struct Args {
    /// Only definitions in this file or directory; uses count wherever they are
    path: Option<String>,

    /// Directory of the project
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let path = args.path.map(|path| Surroundings::new(&args.root).path(&path));
    let answered = on_files(&args.root, |workshop| async move {
        unused(&workshop, path.as_deref(), &workshop.context("lispwright unused")).await
    });
    match answered {
        Ok(Ok(answer)) => {
            let is_clean = answer.unused.iter().all(|one| one.verdict != "safe");
            print_rendering(in_words(answer), args.json);
            if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Ok(Err(refusal)) => failed("unused", args.json, refusal),
        Err(why) => failed("unused", args.json, why),
    }
}
