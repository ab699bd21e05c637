//! `lispwright read`: prints one form of a file, as it is there.

use std::process::ExitCode;

use lispwright_edit::Source;
use lispwright_tools::lisp_read_form::FormAnswer;

use super::address::Address;
use super::outcome::{failed, say, show};
use super::text::Text;

/// Print one form by name, with its header comment and condition.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lispwright read src/shapes.lisp area\n  \
    lispwright read src/shapes.lisp 'print-object (circle t)'\n  lispwright read src/shapes.lisp --line 12\n\n\
    Exit code: 0, 1 when no form or more than one fits, 2 when the file could not be read.")]
pub(crate) struct Args {
    /// The file; - is standard input
    path: String,

    #[command(flatten)]
    form: Address,

    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// common-lisp, scheme, racket, clojure, edn or emacs-lisp; default: detected
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<String>,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let text = match Text::read(&args.path, args.dialect.as_deref()) {
        Ok(text) => text,
        Err(error) => return failed("read", args.json, error),
    };
    let source = Source::read(&text.text, &text.language);
    let form = match FormAnswer::of(&text.path, &source, &args.form.target(), usize::MAX) {
        Ok(form) => form,
        Err(refusal) => {
            failed("read", args.json, refusal);
            return ExitCode::FAILURE;
        }
    };
    if !form.balanced && !args.json {
        say("read", &format!("{}: this form does not balance; lispwright check says where", text.shown()));
    }
    show(Ok(form.into()), args.json)
}
