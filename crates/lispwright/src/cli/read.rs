//! `lispwright read`: one form of a file, as it stands there.

use std::process::ExitCode;

use lispwright_edit::{Source, locate};
use lispwright_tools::Refusal;
use serde_json::json;

use super::address::Address;
use super::outcome::{failed, say};
use super::text::{Text, print, print_json};

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

    /// common-lisp, scheme, clojure, edn or emacs-lisp; found out by itself when absent
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<String>,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let text = match Text::read(&args.path, args.dialect.as_deref()) {
        Ok(text) => text,
        Err(error) => return failed("read", args.json, error),
    };
    let source = Source::read(&text.text, &text.language);
    let id = match locate(&source, &args.form.target()) {
        Ok(id) => id,
        Err(error) => {
            failed("read", args.json, Refusal::text(&text.path, error));
            return ExitCode::FAILURE;
        }
    };
    let found = source.form_text(id);
    let form = source.forms.get(id);
    if args.json {
        let mut document = json!({
            "path": text.path,
            "form_type": form.head.map(|head| source.slice(head)),
            "name": form.name,
            "start_line": found.start_line,
            "end_line": found.end_line,
            "digest": found.digest,
            "content": found.content,
        });
        if form.broken {
            document["balanced"] = false.into();
        }
        print_json(&document);
        return ExitCode::SUCCESS;
    }
    if form.broken {
        say("read", &format!("{}: this form does not balance; lispwright check says where", text.path));
    }
    print(found.content);
    ExitCode::SUCCESS
}
