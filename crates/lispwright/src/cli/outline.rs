//! `lispwright outline`: what files define, one line for each form.

use std::process::ExitCode;

use lispwright_edit::{Source, ViewOptions, diagnose, view};
use serde_json::{Value, json};

use super::outcome::could_not;
use super::text::{Text, print, print_json};

/// Show one line per form: true line numbers, names, parameters.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lispwright outline src/parser.lisp\n\n\
    Exit code: 0, or 2 when a file could not be read. A file that does not balance is shown as far as it reads.")]
pub(crate) struct Args {
    /// Files to show; - is standard input
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
    let mut exit = ExitCode::SUCCESS;
    let mut files = Vec::new();
    for path in &args.paths {
        let text = match Text::read(path, args.dialect.as_deref()) {
            Ok(text) => text,
            Err(why) => {
                exit = could_not("outline", &why);
                continue;
            }
        };
        let source = Source::read(&text.text, &text.language);
        if args.json {
            files.push(fields(&text.path, &source));
        } else {
            if args.paths.len() > 1 {
                print(&format!("{}:", text.path));
            }
            print(&lines(&text.path, &source));
        }
    }
    if args.json {
        print_json(&json!({"files": files}));
    }
    exit
}

fn lines(path: &str, source: &Source<'_>) -> String {
    let options = ViewOptions {
        collapsed: true,
        name_pattern: None,
        content_pattern: None,
        offset: 0,
        limit: None,
        budget: usize::MAX,
    };
    let shown = view(source, &options).expect("a view without patterns cannot be refused");
    match shown.diagnosis {
        Some(diagnosis) => format!("{path} does not balance: {diagnosis}\n{}", shown.content),
        None => shown.content,
    }
}

fn fields(path: &str, source: &Source<'_>) -> Value {
    let forms: Vec<Value> = source
        .forms
        .iter()
        .map(|(_, form)| {
            let slices = |spans: &[lispwright_syntax::Span]| -> Vec<&str> {
                spans.iter().map(|span| source.slice(*span)).collect()
            };
            json!({
                "form_type": form.head.map(|head| source.slice(head)),
                "name": form.name,
                "start_line": source.lines.line(form.outer.start),
                "end_line": source.lines.line(form.outer.end.saturating_sub(1)),
                "depth": form.depth,
                "parameters": slices(&form.signature),
                "conditions": slices(&form.conditions),
            })
        })
        .collect();
    let diagnostics: Vec<Value> = diagnose(source.text, &source.tree)
        .map(|diagnosis| {
            let at = diagnosis.opened_at.unwrap_or(diagnosis.position);
            json!({"kind": diagnosis.kind.code(), "line": at.line, "column": at.column, "message": diagnosis.to_string()})
        })
        .into_iter()
        .collect();
    json!({
        "path": path,
        "dialect": source.dialect().name(),
        "total_lines": source.lines.line_count(),
        "total_forms": source.forms.top_level().count(),
        "forms": forms,
        "diagnostics": diagnostics,
    })
}
