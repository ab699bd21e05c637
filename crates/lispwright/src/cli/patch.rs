//! `lispwright patch`: changes text inside one form.

use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_tools::Reply;

use super::address::Address;
use super::call::{self, given};
use super::complaint::Complaint;
use super::outcome::{failed, show};
use super::text::from_here;

/// Change text inside one form, and nothing outside of it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lispwright patch src/shapes.lisp area --old '(* pi r r)' --new '(* pi (expt r 2))'\n  \
    lispwright patch src/shapes.lisp --line 12 --old r --new radius --replace-all --dry-run\n\n\
    Exit code: 0, 1 when the patch was refused, 2 when it could not be tried."
)]
pub(crate) struct Args {
    /// The file, which must be below the root
    path: String,

    #[command(flatten)]
    form: Address,

    /// Exact text inside the form or its header comment; must occur once
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    old: String,

    /// The text to put there
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    new: String,

    /// Change every occurrence in the form
    #[arg(long)]
    replace_all: bool,

    /// Digest of the form as it was read; the patch is refused if it has changed since
    #[arg(long, value_name = "DIGEST")]
    digest: Option<String>,

    /// Show the diff, write nothing
    #[arg(long)]
    dry_run: bool,

    /// Refuse new text that does not balance, instead of repairing it where the repair is certain
    #[arg(long)]
    no_repair: bool,

    #[arg(long, hide = true, conflicts_with = "no_repair")]
    repair: bool,

    /// Write it only if the changed system or file compiles, or passes its tests
    #[arg(long, value_parser = ["compile", "tests"])]
    verify: Option<String>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// Directory whose files may be written; default: that of the nearest project around
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let json = args.json;
    match attempt(args) {
        Ok(reply) => show(reply, json),
        Err(error) => failed("patch", json, error),
    }
}

fn attempt(args: Args) -> Result<Reply, Complaint> {
    let runs_code = args.verify.is_some();
    let arguments = given(&[
        ("path", from_here(&args.path)?.into()),
        ("name", args.form.name.into()),
        ("old_text", args.old.into()),
        ("new_text", args.new.into()),
        ("form_type", args.form.form_type.into()),
        ("index", args.form.index.into()),
        ("line", args.form.line.into()),
        ("replace_all", args.replace_all.into()),
        ("digest", args.digest.into()),
        ("dry_run", args.dry_run.into()),
        ("repair", (args.repair || !args.no_repair).into()),
        ("verify", args.verify.into()),
    ]);
    call::edit("lisp_patch_form", arguments, &args.root, runs_code)
}
