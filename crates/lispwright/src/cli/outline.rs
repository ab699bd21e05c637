//! `lispwright outline`: shows the definitions of files, one line for each form.

use std::path::Path;
use std::process::ExitCode;

use lispwright_edit::{Source, ViewOptions};
use lispwright_syntax::address::MethodKey;
use lispwright_syntax::{Form, Span, in_a_line};
use lispwright_tools::lisp_read_file::FileAnswer;
use serde::Serialize;
use serde_json::{Value, json};

use super::below::Below;
use super::complaint::Complaint;
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

    /// Show forms of at most this many lines whole
    #[arg(long, value_name = "LINES", default_value_t = 1)]
    whole: u32,

    /// Include files that .gitignore and .ignore name
    #[arg(long)]
    no_ignore: bool,

    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// common-lisp, scheme, racket, clojure, edn or emacs-lisp; default: detected
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
        let found = Below::new(path, !args.no_ignore);
        for why in &found.unreadable {
            files.push(unreadable("outline", path, Complaint::new("FILE_NOT_FOUND", in_a_line(why))));
            exit = ExitCode::from(2);
        }
        if found.files.is_empty() && !args.json {
            print(&format!(
                "{}: no file below it has the extension of a Lisp{}.",
                in_a_line(path),
                found.passed_over()
            ));
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
            let facts = serde_json::to_value(FileFacts::new(&text.path, &source));
            files.push(facts.expect("it has texts as keys and nothing that fails"));
        } else {
            if several {
                print(&format!("{}:", text.shown()));
            }
            print(&paint::view(&in_words(answer(&text.path, &source, args.whole)).text));
        }
    }
    if args.json {
        print_json(&json!({"files": files}));
    }
    exit
}

/// The outline of the whole file.
fn answer(path: &str, source: &Source<'_>, whole: u32) -> FileAnswer {
    let options = ViewOptions {
        collapsed: true,
        whole,
        name_pattern: None,
        content_pattern: None,
        offset: 0,
        limit: None,
        budget: usize::MAX,
        heads: usize::MAX,
    };
    FileAnswer::of(path, source, &options).expect("a view without patterns cannot be refused")
}

/// A file and its forms, as a document.
#[derive(Serialize)]
struct FileFacts<'a> {
    path: &'a str,
    dialect: &'static str,
    total_lines: u32,
    total_forms: usize,
    forms: Vec<FormFacts<'a>>,
    diagnostics: Value,
}

/// A form and its place. Only methods have the last three.
#[derive(Serialize)]
struct FormFacts<'a> {
    form_type: Option<&'a str>,
    name: Option<&'a str>,
    label: String,
    start_line: u32,
    end_line: u32,
    depth: u32,
    parameters: Vec<&'a str>,
    conditions: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dispatch: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    qualifiers: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    specializers: Option<Vec<String>>,
}

impl<'a> FileFacts<'a> {
    fn new(path: &'a str, source: &'a Source<'a>) -> Self {
        Self {
            path,
            dialect: source.dialect().name(),
            total_lines: source.lines.line_count(),
            total_forms: source.forms.top_level().count(),
            forms: source.forms.iter().map(|(_, form)| FormFacts::new(source, form)).collect(),
            diagnostics: in_words(answer(path, source, 1)).fields["diagnostics"].take(),
        }
    }
}

impl<'a> FormFacts<'a> {
    fn new(source: &'a Source<'a>, form: &'a Form) -> Self {
        let slices = |spans: &[Span]| spans.iter().map(|span| source.slice(*span)).collect();
        let dispatch = form.method.as_ref().and_then(|method| method.dispatch.as_deref());
        let method = form.method.as_ref().filter(|_| dispatch.is_none());
        Self {
            form_type: form.head.map(|head| source.slice(head)),
            name: form.name.as_deref(),
            label: form.label(source.text),
            start_line: source.lines.line(form.outer.start),
            end_line: source.lines.line(form.outer.end.saturating_sub(1)),
            depth: form.depth,
            parameters: slices(&form.signature),
            conditions: slices(&form.conditions),
            dispatch,
            qualifiers: method.map(|_| form.qualifiers(source.text).collect()),
            specializers: method.map(MethodKey::shown_specializers),
        }
    }
}
