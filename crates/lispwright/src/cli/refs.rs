//! `lispwright refs`: who uses a name of the project.

use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_tools::Answer;
use lispwright_tools::code_find_references::{CodeFindReferences, Direction, code_find_references};

use super::dashed::dashed;
use super::live::on_files;
use super::outcome::{failed, show};
use super::surroundings::Surroundings;

/// Who uses a name, and which tests reach it; or what its definition uses
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lispwright refs post-transaction\n  lispwright refs ledger:post --kind call --depth 2\n  lispwright refs main --callees\n\n\
    Exit code: 0, 1 when there is no such name, 2 when nothing could be read."
)]
pub(crate) struct Args {
    /// Name: foo, pkg:foo, class.slot, :ns/kw
    #[arg(allow_hyphen_values = true, value_parser = dashed)]
    name: String,

    /// Its package, module or namespace
    #[arg(long, value_name = "NAME")]
    package: Option<String>,

    /// Only in this file or directory
    #[arg(long, value_name = "PATH")]
    path: Option<String>,

    /// call, macro, value, binding, assignment, method, quoted, export or template; repeatable
    #[arg(long = "kind", value_name = "KIND")]
    kinds: Vec<String>,

    /// What its definition uses, instead of who uses it
    #[arg(long)]
    callees: bool,

    /// Steps from user to user, 1-5
    #[arg(long, value_name = "STEPS", default_value_t = 1)]
    depth: u32,

    /// Only in tests
    #[arg(long)]
    tests: bool,

    /// May it be deleted? Uses, possible uses, mentions, exports, tests, and one word
    #[arg(long)]
    verdict: bool,

    /// Show at most so many forms
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    limit: u32,

    /// Skip so many forms
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
    let asked = CodeFindReferences {
        symbol: args.name,
        package: args.package,
        path: args.path.map(|path| Surroundings::new(&args.root).path(&path)),
        kinds: args.kinds,
        direction: args.callees.then_some(Direction::Callees),
        depth: Some(args.depth),
        tests_only: args.tests,
        verdict: args.verdict,
        project_only: None,
        limit: Some(args.limit),
        offset: args.offset,
        session: None,
    };
    let answered = on_files(&args.root, |workshop| async move {
        code_find_references(&workshop, asked, &workshop.context("lispwright refs")).await.map(Answer::from)
    });
    match answered {
        Ok(reply) => show(reply, args.json),
        Err(why) => failed("refs", args.json, why),
    }
}
