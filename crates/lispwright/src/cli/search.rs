//! `lispwright search`: where files have a text, and in which forms, or forms of a certain shape.

use std::process::ExitCode;

use lispwright_tools::lisp_rewrite::Where;
use lispwright_tools::lisp_search::{In, LispSearch, SearchAnswer};
use lispwright_words::Rendering;
use serde_json::Value;

use super::condition::condition;
use super::dashed::dashed;
use super::outcome::{failed, in_words};
use super::paint;
use super::text::{print, print_json};

/// Search Lisp files; each match with the form around it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lispwright search 'with-open-\\w+' src\n  lispwright search --in comments TODO\n  \
    lispwright search --shape '(setq ?x (1+ ?x))' --where '?x text=^\\*'\n\n\
    Below a directory, names that begin with a dot and what ignore files name are passed over.\n\
    Exit code: 0 found, 1 nothing found, 2 the search could not begin."
)]
pub(crate) struct Args {
    /// Regular expression; ^ and $ are the ends of lines
    #[arg(allow_hyphen_values = true, value_parser = dashed)]
    pattern: String,

    /// The pattern is a form: ?x is one datum in it, ?*x any number, ?+x some, ?_ anything; ,x and ,@x in Emacs Lisp
    #[arg(long)]
    shape: bool,

    /// Condition of a match, may be repeated: '?x kind=number', '?x text=REGEX', '?f refers=pkg:name', 'inside=SHAPE',
    /// 'not_inside=SHAPE'; without a variable it is about the whole match
    #[arg(long = "where", value_name = "CONDITION", value_parser = condition, requires = "shape")]
    conditions: Vec<Where>,

    /// File or directory
    #[arg(default_value = ".")]
    path: String,

    /// The part of the source: all, code, comments or strings
    #[arg(long = "in", value_name = "PART", default_value = "all", value_parser = ["all", "code", "comments", "strings"])]
    part: String,

    /// Ignore case
    #[arg(long, short)]
    ignore_case: bool,

    /// Only in forms with this head, such as defun; may be repeated
    #[arg(long = "type", value_name = "HEAD")]
    form_types: Vec<String>,

    /// Show each form
    #[arg(long)]
    forms: bool,

    /// Show at most so many matches
    #[arg(long, value_name = "COUNT", default_value_t = 1000)]
    limit: usize,

    /// Skip so many matches
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    offset: usize,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let (pattern, shape) = if args.shape { (None, Some(args.pattern)) } else { (Some(args.pattern), None) };
    let search = LispSearch {
        pattern,
        shape,
        r#where: args.conditions,
        path: Some(args.path),
        recursive: true,
        case_insensitive: args.ignore_case,
        form_types: args.form_types,
        r#in: match args.part.as_str() {
            "code" => In::Code,
            "comments" => In::Comments,
            "strings" => In::Strings,
            _ => In::All,
        },
        include_form: args.forms,
        limit: Some(args.limit),
        offset: Some(args.offset),
    };
    let found = match SearchAnswer::anywhere(&search) {
        Ok(found) => found,
        Err(refusal) => return failed("search", args.json, refusal),
    };
    let exit = if found.count == 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    let Rendering { text, fields, .. } = in_words(found);
    if args.json {
        print_json(&Value::Object(fields));
    } else {
        print(&paint::found(&text));
    }
    exit
}
