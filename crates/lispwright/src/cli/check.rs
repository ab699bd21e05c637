//! `lispwright check`: do these files balance?

use std::process::ExitCode;

use lispwright_tools::lisp_check_parens::verdict;
use serde_json::{Value, json};

use super::outcome::could_not;
use super::text::{Text, print, print_json};

/// Check files for missing or extra delimiters, open strings and comments.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lispwright check src/*.lisp\n\n\
    Exit code: 0 everything balances, 1 something does not, 2 something could not be read.")]
pub(crate) struct Args {
    /// Files to check; - is standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// common-lisp, scheme, clojure, edn or emacs-lisp; found out by itself when absent
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<String>,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let (mut balanced, mut readable) = (true, true);
    let mut files = Vec::new();
    for path in &args.paths {
        let text = match Text::read(path, args.dialect.as_deref()) {
            Ok(text) => text,
            Err(why) => {
                readable = false;
                could_not("check", &why);
                files.push(json!({"path": path, "error": why}));
                continue;
            }
        };
        let outcome = verdict(&text.path, &text.text, &text.language, 0, None);
        balanced &= outcome.fields["ok"] == true;
        if args.json {
            let mut fields = outcome.fields;
            fields.shift_insert(0, "path".into(), text.path.into());
            files.push(Value::Object(fields));
        } else {
            print(&outcome.text);
        }
    }
    if args.json {
        print_json(&json!({"ok": balanced && readable, "files": files}));
    }
    match (readable, balanced) {
        (false, _) => ExitCode::from(2),
        (true, false) => ExitCode::from(1),
        (true, true) => ExitCode::SUCCESS,
    }
}
