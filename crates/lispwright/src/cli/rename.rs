//! `lispwright rename`: gives a name of the project another name, in all its files.

use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_tools::Answer;
use lispwright_tools::lisp_rename::{LispRename, lisp_rename};
use lispwright_tools::verify::Verify;

use super::dashed::dashed;
use super::live::on_files;
use super::outcome::{failed, show};
use super::surroundings::Surroundings;

/// Rename a function, variable, type or macro: its definition and all that means it, in all files
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lispwright rename area surface\n  lispwright rename ledger:post post-entry --write\n  \
    lispwright rename account.balance amount\n  lispwright rename total sum --package farm --also docstrings --also comments\n\n\
    Without --write nothing is written. With it all files are, or none.\n\
    Exit code: 0, 1 when the rename was refused, 2 when it could not be tried."
)]
pub(crate) struct Args {
    /// Name: foo, pkg:foo, class.slot, :ns/kw
    #[arg(allow_hyphen_values = true, value_parser = dashed)]
    symbol: String,

    /// The new name, without package
    #[arg(allow_hyphen_values = true, value_parser = dashed)]
    new_name: String,

    /// Its package, module or namespace
    #[arg(long, value_name = "NAME")]
    package: Option<String>,

    /// File or directory of its definition
    #[arg(long, value_name = "PATH")]
    path: Option<String>,

    /// Change mentions, too: docstrings, comments, strings, quoted, disabled, keywords or all; repeatable
    #[arg(long, value_name = "KIND")]
    also: Vec<String>,

    /// Write the files, instead of showing the diffs
    #[arg(long)]
    write: bool,

    /// Directory of the project; default: that of the nearest project around
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let asked = LispRename {
        symbol: args.symbol,
        new_name: args.new_name,
        package: args.package,
        path: args.path.map(|path| Surroundings::new(&args.root).path(&path)),
        also: args.also,
        dry_run: !args.write,
        verify: Verify::None,
        system: None,
        load: false,
        session: None,
        runtime: None,
    };
    let answered = on_files(&args.root, |workshop| async move {
        lisp_rename(&workshop, asked, &workshop.context("lispwright rename")).await.map(Answer::from)
    });
    match answered {
        Ok(reply) => show(reply, args.json),
        Err(why) => failed("rename", args.json, why),
    }
}
