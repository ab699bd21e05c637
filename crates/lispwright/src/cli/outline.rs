//! `lispwright outline`: what files define, one line for each form.

use std::path::Path;
use std::process::ExitCode;

use lispwright_edit::{Source, ViewOptions};
use lispwright_syntax::{Form, Span};
use lispwright_tools::Refusal;
use lispwright_tools::lisp_read_file::FileAnswer;
use serde_json::{Value, json};

use super::below::Below;
use super::outcome::{failed, in_words, unreadable};
use super::paint;
use super::text::{Texts, print, print_json};

/// Show one line per form: true line numbers, names, parameters.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lispwright outline src/parser.lisp\n  lispwright outline src\n\n\
    Below a directory, names that begin with a dot and what ignore files name are passed over.\n\
    Exit code: 0, or 2 when a file could not be read. A file that does not balance is shown as far as it reads.")]
pub(crate) struct Args {
    /// Files and directories to show; - is standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,

    /// Show forms of at most so many lines whole
    #[arg(long, value_name = "LINES", default_value_t = 1)]
    whole: u32,

    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// common-lisp, scheme, racket, clojure, edn or emacs-lisp; found out by itself when absent
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<String>,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let mut exit = ExitCode::SUCCESS;
    let mut texts = match Texts::new(args.dialect.as_deref()) {
        Ok(texts) => texts,
        Err(error) => return failed("outline", args.json, error),
    };
    let (mut paths, mut files) = (Vec::new(), Vec::new());
    for path in &args.paths {
        if path == "-" || !Path::new(path).is_dir() {
            paths.push(path.clone());
            continue;
        }
        let found = Below::new(path, true);
        for why in &found.unreadable {
            files.push(unreadable("outline", path, Refusal::worded("FILE_NOT_FOUND", why.clone())));
            exit = ExitCode::from(2);
        }
        if found.files.is_empty() && !args.json {
            print(&format!("{path}: no file below it has the extension of a Lisp{}.", found.ignored_in_words()));
        }
        paths.extend(found.files);
    }
    let several = paths.len() > 1 || args.paths != paths;
    for path in &paths {
        let text = match texts.read(path) {
            Ok(text) => text,
            Err(error) => {
                files.push(unreadable("outline", path, error));
                exit = ExitCode::from(2);
                continue;
            }
        };
        let source = Source::read(&text.text, &text.language);
        if args.json {
            files.push(fields(&text.path, &source));
        } else {
            if several {
                print(&format!("{}:", text.path));
            }
            print(&paint::view(&in_words(answer(&text.path, &source, args.whole)).text));
        }
    }
    if args.json {
        print_json(&json!({"files": files}));
    }
    exit
}

/// The whole file at a glance.
fn answer(path: &str, source: &Source<'_>, whole: u32) -> FileAnswer {
    let options = ViewOptions {
        collapsed: true,
        whole,
        name_pattern: None,
        content_pattern: None,
        offset: 0,
        limit: None,
        budget: usize::MAX,
    };
    FileAnswer::of(path, source, &options).expect("a view without patterns cannot be refused")
}

fn fields(path: &str, source: &Source<'_>) -> Value {
    let forms: Vec<Value> = source.forms.iter().map(|(_, form)| form_fields(source, form)).collect();
    json!({
        "path": path,
        "dialect": source.dialect().name(),
        "total_lines": source.lines.line_count(),
        "total_forms": source.forms.top_level().count(),
        "forms": forms,
        "diagnostics": in_words(answer(path, source, 1)).fields["diagnostics"],
    })
}

fn form_fields(source: &Source<'_>, form: &Form) -> Value {
    let slices = |spans: &[Span]| -> Vec<&str> { spans.iter().map(|span| source.slice(*span)).collect() };
    let mut fields = json!({
        "form_type": form.head.map(|head| source.slice(head)),
        "name": form.name,
        "label": form.label(source.text),
        "start_line": source.lines.line(form.outer.start),
        "end_line": source.lines.line(form.outer.end.saturating_sub(1)),
        "depth": form.depth,
        "parameters": slices(&form.signature),
        "conditions": slices(&form.conditions),
    });
    match &form.method {
        Some(method) if method.dispatch.is_some() => fields["dispatch"] = method.dispatch.clone().into(),
        Some(method) => {
            fields["qualifiers"] = form.qualifiers(source.text).collect();
            fields["specializers"] = method.shown_specializers().into();
        }
        None => {}
    }
    fields
}
