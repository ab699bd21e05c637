//! `lispwright describe`: what a name of the project is.

use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_tools::Answer;
use lispwright_tools::code_describe::{CodeDescribe, code_describe};

use super::dashed::dashed;
use super::live::on_files;
use super::outcome::{failed, show};

/// What a name is: kind, parameters, documentation, place
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lispwright describe make-account\n  lispwright describe ledger:post\n\n\
    Exit code: 0, 1 when there is no such name, 2 when nothing could be read.")]
pub(crate) struct Args {
    /// Name: foo, pkg:foo, (setf foo), or a package, module or namespace
    #[arg(allow_hyphen_values = true, value_parser = dashed)]
    name: String,

    /// Its package, module or namespace
    #[arg(long, value_name = "NAME")]
    package: Option<String>,

    /// Directory of the project
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let asked = CodeDescribe { symbol: args.name, package: args.package, session: None };
    let answered = on_files(&args.root, |workshop| async move {
        code_describe(&workshop, asked, &workshop.context("lispwright describe")).await.map(Answer::from)
    });
    match answered {
        Ok(reply) => show(reply, args.json),
        Err(why) => failed("describe", args.json, why),
    }
}
