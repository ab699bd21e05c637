//! `lispwright change-signature`: gives a function of the project other parameters, and all calls of it other arguments.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_tools::Answer;
use lispwright_tools::lisp_change_signature::{LispChangeSignature, lisp_change_signature};
use lispwright_tools::verify::Verify;

use super::dashed::dashed;
use super::live::on_files;
use super::outcome::{failed, show};
use super::surroundings::Surroundings;

/// Add, drop, move and rename parameters of a function; its methods and all calls follow
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lispwright change-signature pay '(account amount &key note)'\n  \
    lispwright change-signature pay '(account currency amount)' --value currency=:usd --write\n  \
    lispwright change-signature shop:pay --rename amount=sum\n\n\
    A bare name keeps its default value and type; a parameter that is missing in the list goes.\n\
    Without --write nothing is written. With it all files are, or none.\n\
    Exit code: 0, 1 when the change was refused, 2 when it could not be tried.")]
pub(crate) struct Args {
    /// Name: foo, pkg:foo
    #[arg(allow_hyphen_values = true, value_parser = dashed)]
    symbol: String,

    /// The whole new list, as the language writes it; default: the present one, with --rename
    #[arg(allow_hyphen_values = true, value_parser = dashed)]
    parameters: Option<String>,

    /// A parameter and its new name; repeatable
    #[arg(long, value_name = "OLD=NEW", value_parser = pair)]
    rename: Vec<(String, String)>,

    /// A new parameter and what calls pass for it; repeatable
    #[arg(long, value_name = "NAME=FORM", value_parser = pair)]
    value: Vec<(String, String)>,

    /// Of several lists that with so many required parameters
    #[arg(long, value_name = "N")]
    arity: Option<usize>,

    /// Its package, module or namespace
    #[arg(long, value_name = "NAME")]
    package: Option<String>,

    /// File or directory of its definition
    #[arg(long, value_name = "PATH")]
    path: Option<String>,

    /// Write although places cannot be followed; they stay
    #[arg(long)]
    skip_refused: bool,

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

/// Two texts with `=` between them.
fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| "it has no =".to_owned())?;
    Ok((name.to_owned(), value.to_owned()))
}

pub(crate) fn run(args: Args) -> ExitCode {
    let asked = LispChangeSignature {
        symbol: args.symbol,
        parameters: args.parameters,
        rename: BTreeMap::from_iter(args.rename),
        values: BTreeMap::from_iter(args.value),
        arity: args.arity,
        package: args.package,
        path: args.path.map(|path| Surroundings::new(&args.root).path(&path)),
        skip_refused: args.skip_refused,
        dry_run: !args.write,
        verify: Verify::None,
        system: None,
        load: false,
        session: None,
        runtime: None,
    };
    let answered = on_files(&args.root, |workshop| async move {
        let context = workshop.context("lispwright change-signature");
        lisp_change_signature(&workshop, asked, &context).await.map(Answer::from)
    });
    match answered {
        Ok(reply) => show(reply, args.json),
        Err(why) => failed("change-signature", args.json, why),
    }
}
