//! `lispwright rewrite`: changes all forms of a shape into another.

use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_tools::Answer;
use lispwright_tools::lisp_rewrite::{LispRewrite, Where, lisp_rewrite};
use lispwright_tools::verify::Verify;

use super::condition::condition;
use super::dashed::dashed;
use super::live::on_files;
use super::outcome::{failed, show};
use super::surroundings::Surroundings;

/// Rewrite all forms of a shape, in all files
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lispwright rewrite '(if ?c (progn ?*body))' '(when ?c ?*body)'\n  \
    lispwright rewrite '(equal ?x nil)' '(null ?x)' src --write --expect 3\n\n\
    ?x stands for one form, ?*x for any number, ?+x for one or more. Write ,x ,@x for Emacs Lisp.\n\
    The line breaks of the template stay.\n\
    Without --write nothing is written. With it all files are, or none.\n\
    Exit code: 0, 1 when the rewrite was refused, 2 when it could not be tried.")]
pub(crate) struct Args {
    /// The form to find
    #[arg(allow_hyphen_values = true, value_parser = dashed)]
    shape: String,

    /// The form instead, with the same variables
    #[arg(allow_hyphen_values = true, value_parser = dashed)]
    template: String,

    /// File or directory
    path: Option<String>,

    /// Condition of a match, may be repeated: '?x kind=number', '?x text=REGEX', '?f refers=pkg:name', 'inside=SHAPE',
    /// 'not_inside=SHAPE'; without a variable it is about the whole match
    #[arg(long = "where", value_name = "CONDITION", value_parser = condition)]
    conditions: Vec<Where>,

    /// In quoted data, too
    #[arg(long)]
    quoted: bool,

    /// A place that would lose a comment stays, instead of all
    #[arg(long)]
    skip_refused: bool,

    /// Write the files, instead of showing the diffs
    #[arg(long, requires = "expect")]
    write: bool,

    /// The number of forms that the dry run has shown
    #[arg(long, value_name = "N")]
    expect: Option<usize>,

    /// Directory of the project; default: that of the nearest project around
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let asked = LispRewrite {
        shape: args.shape,
        template: args.template,
        r#where: args.conditions,
        path: args.path.map(|path| Surroundings::new(&args.root).path(&path)),
        quoted: args.quoted,
        skip_refused: args.skip_refused,
        dry_run: !args.write,
        verify: Verify::None,
        system: None,
        load: false,
        session: None,
        runtime: None,
        expect_count: args.expect,
    };
    let answered = on_files(&args.root, |workshop| async move {
        lisp_rewrite(&workshop, asked, &workshop.context("lispwright rewrite")).await.map(Answer::from)
    });
    match answered {
        Ok(reply) => show(reply, args.json),
        Err(why) => failed("rewrite", args.json, why),
    }
}
