//! `lispwright exports`: what a package, module or namespace gives to others.

use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_tools::Answer;
use lispwright_tools::code_exports::{CodeExports, code_exports};

use super::dashed::dashed;
use super::live::on_files;
use super::outcome::{failed, show};
use super::surroundings::Surroundings;

/// What a package, module or namespace exports
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lispwright exports ledger\n  lispwright exports '(my app)'\n  lispwright exports src/package.lisp\n\n\
    Exit code: 0, 1 when there is no such name, 2 when nothing could be read."
)]
pub(crate) struct Args {
    /// Its name, or the file that defines it
    #[arg(allow_hyphen_values = true, value_parser = dashed)]
    module: String,

    /// Show at most so many names
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    limit: u32,

    /// Skip so many names
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    offset: u32,

    /// Directory of the project
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let is_file = args.root.first().cloned().unwrap_or_default().join(&args.module).is_file();
    let asked = CodeExports {
        path: is_file.then(|| Surroundings::new(&args.root).path(&args.module)),
        module: (!is_file).then_some(args.module),
        offset: args.offset,
        limit: Some(args.limit),
        session: None,
    };
    let answered = on_files(&args.root, |workshop| async move {
        code_exports(&workshop, asked, &workshop.context("lispwright exports")).await.map(Answer::from)
    });
    match answered {
        Ok(reply) => show(reply, args.json),
        Err(why) => failed("exports", args.json, why),
    }
}
