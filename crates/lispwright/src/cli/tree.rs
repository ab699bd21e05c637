//! `lispwright tree`: prints the reader's view of a file.

use std::process::ExitCode;

use lispwright_syntax::{Places, TokenKind, dump, read};
use serde_json::{Value, json};

use super::outcome::failed;
use super::text::{Text, print, print_json};

/// Print the reader's tokens, forms and diagnostics, for debugging.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  echo \"(list #+x 1 '(2))\" | lispwright tree -")]
pub(crate) struct Args {
    /// The file; - is standard input
    path: String,

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
        Err(error) => return failed("tree", args.json, error),
    };
    let tree = read(&text.text, &text.language).learning(&text.text);
    if !args.json {
        print(&dump::dump(&tree, &text.text));
        return ExitCode::SUCCESS;
    }
    let mut places = Places::new(text.text.as_bytes());
    let mut place = |offset: u32| {
        let at = places.at(offset);
        json!({"line": at.line, "column": at.column})
    };
    let tokens: Vec<Value> = tree
        .tokens()
        .filter(|(kind, _)| *kind != TokenKind::Blank)
        .map(|(kind, span)| {
            let mut token = place(span.start);
            token["kind"] = dump::name(kind).into();
            token["text"] = text.text[span.range()].into();
            token
        })
        .collect();
    let diagnostics: Vec<Value> = tree
        .diagnostics()
        .iter()
        .map(|diagnostic| {
            let mut found = place(diagnostic.span.start);
            found["kind"] = diagnostic.kind.code().into();
            found["message"] = diagnostic.kind.to_string().into();
            found
        })
        .collect();
    let dialect = tree.dialect().name();
    print_json(&json!({"path": text.path, "dialect": dialect, "tokens": tokens, "diagnostics": diagnostics}));
    ExitCode::SUCCESS
}
