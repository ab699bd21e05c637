//! `lispwright docs`: what the manual of the language says of a name.

use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_tools::docs_lookup::{DocsLookup, docs_lookup, docs_without_project};
use lispwright_tools::{Answer, CallContext};

use super::dashed::dashed;
use super::live::{event_loop, on_files};
use super::outcome::{failed, show};

/// What the manual of the language says of a name: HyperSpec, Guile, Emacs, Clojure; docstrings of the project
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lispwright docs handler-case\n  lispwright docs 22.3.1 --dialect common-lisp\n  \
    lispwright docs call/cc --dialect scheme\n  lispwright docs str/join --brief\n\n\
    A copy of the HyperSpec is found in the usual directories, or where LISPWRIGHT_HYPERSPEC says.\n\n\
    Exit code: 0, 1 when nothing is known, 2 when nothing could be read.")]
pub(crate) struct Args {
    /// A name; for Common Lisp also a section, ~A, #', `loop for`, `glossary fresh`
    #[arg(allow_hyphen_values = true, value_parser = dashed)]
    query: String,

    /// Its dialect; else those of the project, else all
    #[arg(long, value_name = "NAME")]
    dialect: Option<String>,

    /// Only syntax and arguments, or the first paragraph
    #[arg(long)]
    brief: bool,

    /// Only where it stands, without the text
    #[arg(long)]
    no_content: bool,

    /// Show at most so many characters
    #[arg(long, value_name = "COUNT", default_value_t = 10_000)]
    limit: u32,

    /// Skip so many characters
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
    let asked = DocsLookup {
        query: args.query,
        dialect: args.dialect,
        include_content: Some(!args.no_content),
        brief: args.brief,
        offset: args.offset,
        limit: Some(args.limit),
    };
    let again = asked.clone();
    let answered = on_files(&args.root, |workshop| async move {
        docs_lookup(&workshop, asked, &workshop.context("lispwright docs")).await.map(Answer::from)
    });
    // A home directory is no project, but a place to ask from.
    let answered = answered.or_else(|why| match args.root.is_empty() {
        true => Ok(event_loop()?.block_on(docs_without_project(again, &CallContext::default())).map(Answer::from)),
        false => Err(why),
    });
    match answered {
        Ok(reply) => show(reply, args.json),
        Err(why) => failed("docs", args.json, why),
    }
}
