//! `lispwright grammar`: prints a grammar for constrained decoding.

use std::process::ExitCode;

use clap::ValueEnum;
use lispwright_grammar::{Format, Start, grammar};
use lispwright_tools::workshop::named_dialect;

use super::outcome::failed;
use super::text::print;

/// Print a grammar that lets a model write only balanced Lisp.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lispwright grammar --dialect clojure --format gbnf --start form > form.gbnf\n  \
    llama-cli -m model.gguf --grammar-file form.gbnf -p 'A Clojure function that adds two numbers:'")]
pub(crate) struct Args {
    /// common-lisp, scheme, racket, clojure, edn or emacs-lisp
    #[arg(long, value_name = "DIALECT")]
    dialect: String,

    /// lark for llguidance, gbnf for llama.cpp
    #[arg(long, value_enum)]
    format: Notation,

    /// The start symbol of the grammar
    #[arg(long, value_enum, default_value_t = Whole::File)]
    start: Whole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Notation {
    /// Lark, for llguidance and hosted models
    Lark,
    /// GBNF, for llama.cpp
    Gbnf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Whole {
    /// Any number of data
    File,
    /// Exactly one datum
    Form,
}

/// Prints it. The exit code is 2 if there is no such dialect.
pub(crate) fn run(args: Args) -> ExitCode {
    let dialect = match named_dialect(&args.dialect) {
        Ok(dialect) => dialect,
        Err(refusal) => return failed("grammar", false, refusal),
    };
    let format = match args.format {
        Notation::Lark => Format::Lark,
        Notation::Gbnf => Format::Gbnf,
    };
    let start = match args.start {
        Whole::File => Start::File,
        Whole::Form => Start::Form,
    };
    print(&grammar(dialect, start, format));
    ExitCode::SUCCESS
}
