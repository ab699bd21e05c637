//! `lispwright read`: one form of a file, as it stands there.

use std::process::ExitCode;

use lispwright_edit::{Source, Target, locate};
use serde_json::json;

use super::outcome::could_not;
use super::text::{Text, print, print_json};

/// Print one form by name, with its header comment and condition.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lispwright read src/shapes.lisp area\n  \
    lispwright read src/shapes.lisp 'print-object (circle t)'\n\n\
    Exit code: 0, 1 when no form or more than one fits, 2 when the file could not be read.")]
pub(crate) struct Args {
    /// The file; - is standard input
    path: String,

    /// What the form defines: foo, '(setf foo)', 'area :around (circle)'
    name: String,

    /// Head symbol, such as defun
    #[arg(long = "type", value_name = "HEAD")]
    form_type: Option<String>,

    /// Which of several matches, from 1
    #[arg(long, value_name = "N")]
    index: Option<u32>,

    /// A line of the form
    #[arg(long, value_name = "LINE")]
    line: Option<u32>,

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
        Err(why) => {
            return could_not("read", &why);
        }
    };
    let source = Source::read(&text.text, &text.language);
    let target =
        Target { name: Some(&args.name), form_type: args.form_type.as_deref(), index: args.index, line: args.line };
    let id = match locate(&source, &target) {
        Ok(id) => id,
        Err(refusal) => {
            could_not("read", &format!("{}: {refusal}", text.path));
            return ExitCode::FAILURE;
        }
    };
    let found = source.form_text(id);
    if args.json {
        let form = source.forms.get(id);
        print_json(&json!({
            "path": text.path,
            "form_type": form.head.map(|head| source.slice(head)),
            "name": form.name,
            "start_line": found.start_line,
            "end_line": found.end_line,
            "digest": found.digest,
            "content": found.content,
        }));
    } else {
        print(found.content);
    }
    ExitCode::SUCCESS
}
