//! `lispwright repair`: balances a text if there is one certain answer, and otherwise reports the fault.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lispwright_edit::{CheckReport, check_block, explain, unified};
use lispwright_project::{EditError, NewText, Roots};
use lispwright_repair::{Earlier, Evidence, Outcome, Repair, TextEdit, TouchedForm, apply, repair};
use lispwright_syntax::{LineIndex, Span, read, unknown_notation, unknown_readtable};
use lispwright_tools::lisp_check_parens::CheckAnswer;
use lispwright_words::Rendering;
use serde_json::{Map, Value, json};

use super::complaint::Complaint;
use super::kept;
use super::outcome::{failed, in_words};
use super::paint::painted;
use super::surroundings::Surroundings;
use super::text::{Page, Text, Texts, from_here, print, print_json};

/// Repair missing, extra and wrong delimiters, or say which line to fix.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lispwright repair broken.lisp\n  lispwright repair --against HEAD.lisp --diff broken.lisp\n  \
    lispwright repair --write src/broken.clj\n\n\
    Of a page of Markdown or Org, the blocks of Lisp are repaired: all that need it, or none.\n\
    What balances is never changed. What is changed is told on standard error.\n\
    Exit code: 0 nothing to do, or repaired; 1 refused, nothing printed or written; 2 something could not be read or written."
)]
pub(crate) struct Args {
    /// The file; - is standard input
    path: String,

    /// The file as it was before it broke: the best evidence
    #[arg(long, value_name = "OLD")]
    against: Option<String>,

    /// Write the result into the file, which must be below a root
    #[arg(long, conflicts_with = "json")]
    write: bool,

    /// Print the changes instead of the text
    #[arg(long, conflicts_with = "json")]
    diff: bool,

    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// common-lisp, scheme, racket, clojure, edn or emacs-lisp; default: detected
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<String>,

    /// With --write: a directory whose files may be written; default: that of the nearest project around
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,
}

pub(crate) fn run(args: Args) -> ExitCode {
    match attempt(&args) {
        Ok(code) => code,
        Err(error) => failed("repair", args.json, error),
    }
}

fn attempt(args: &Args) -> Result<ExitCode, Complaint> {
    let mut texts = Texts::new(args.dialect.as_deref())?;
    if let Some(page) = texts.page(&args.path)? {
        return of_page(args, page);
    }
    let text = texts.read(&args.path)?;
    let old = args.against.as_deref().map(|old| Text::read(old, Some(text.language.dialect().name()))).transpose()?;
    let earlier = Earlier { text: old.as_ref().map(|old| old.text.as_str()), edited: None };
    let tree = read(&text.text, &text.language);
    if let Some(notation) = unknown_notation(&tree, &text.text).or_else(|| unknown_readtable(&tree, &text.text)) {
        return Err(Complaint::new("UNKNOWN_NOTATION", format_args!("{}: not repaired: {notation}.", text.shown())));
    }
    let outcome = repair(&text.text, &text.language, &earlier);
    if args.json {
        let code = if matches!(outcome, Outcome::Refused(_)) { ExitCode::FAILURE } else { ExitCode::SUCCESS };
        print_json(&document(&text, outcome));
        return Ok(code);
    }
    conclude(args, &text, outcome)
}

/// Repairs the blocks of Lisp in a page: all that need it, or none.
fn of_page(args: &Args, Page { text, blocks, languages }: Page) -> Result<ExitCode, Complaint> {
    if args.against.is_some() {
        return Err(Complaint::new("BAD_ARGUMENT", "--against is not for pages of Markdown or Org"));
    }
    let mut whole: Option<Repair> = None;
    for block in &blocks {
        let (language, report) = check_block(&text.text, block, |dialect| languages.of(dialect));
        let Some(found) = &report.diagnosis else { continue };
        let is_certain = found.doubt.is_empty();
        let code = &text.text[block.span.range()];
        let certain = match repair(code, &language, &Earlier { text: None, edited: None }) {
            Outcome::Repaired(done) if is_certain => done,
            _ => {
                let answer = CheckAnswer { repaired_source: None, ..CheckAnswer::new(&text.path, &language, report) };
                let Rendering { text: said, mut fields, .. } = in_words(answer);
                if args.json {
                    fields.insert("status".into(), "refused".into());
                    print_json(&Value::Object(fields));
                } else {
                    tell(&said);
                }
                return Ok(ExitCode::FAILURE);
            }
        };
        let whole = whole.get_or_insert_with(|| Repair {
            edits: Vec::new(),
            text: String::new(),
            evidence: Vec::new(),
            forms: Vec::new(),
            margin: certain.margin,
        });
        let at = |edit: TextEdit| TextEdit { at: edit.at + block.span.start, ..edit };
        whole.edits.extend(certain.edits.into_iter().map(at));
        let line = |line: u32| line + block.line - 1;
        let told = |one: Evidence| Evidence { form_line: one.form_line.map(line), ..one };
        whole.evidence.extend(certain.evidence.into_iter().map(told));
        whole.forms.extend(certain.forms.into_iter().map(|form| TouchedForm { line: line(form.line), ..form }));
        whole.margin = whole.margin.min(certain.margin);
    }
    let outcome = match whole {
        None => Outcome::Balanced,
        Some(mut done) => {
            done.text = apply(&text.text, &done.edits);
            Outcome::Repaired(done)
        }
    };
    if args.json {
        let mut document = json!({"path": text.path, "ok": true, "blocks": blocks.len()});
        for (key, value) in made(&text, &outcome) {
            document[key] = value;
        }
        print_json(&document);
        return Ok(ExitCode::SUCCESS);
    }
    conclude(args, &text, outcome)
}

/// Prints or writes what came out.
fn conclude(args: &Args, text: &Text, outcome: Outcome) -> Result<ExitCode, Complaint> {
    match outcome {
        Outcome::Balanced if args.write || args.diff => tell(&format!("{}: balanced; nothing to do", text.shown())),
        Outcome::Balanced => text.print_changed(&text.text)?,
        Outcome::Refused(_) => {
            tell(&checked(text, outcome).text);
            return Ok(ExitCode::FAILURE);
        }
        Outcome::Repaired(done) => {
            if args.write {
                write(args, text, &done)?;
            }
            tell(&repaired(text, &done));
            if args.diff {
                print(&painted(&diff(&text.text, &done)));
            } else if !args.write {
                text.print_changed(&done.text)?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Replaces the text of the file by the repaired one, if the file has not changed.
fn write(args: &Args, text: &Text, done: &Repair) -> Result<(), Complaint> {
    let path = from_here(&args.path)?;
    let roots = kept::recording(Roots::from_environment(Surroundings::new(&args.root).roots())?);
    let written = roots.edit(Path::new(&path), |file| {
        if file.text == text.text { Ok(NewText::Text(done.text.clone())) } else { Err("the file changed meanwhile") }
    });
    written.map(|_| ()).map_err(|error| match error {
        EditError::Project(error) => error.into(),
        EditError::Refused(why) => Complaint::new("STALE", format_args!("{}: {why}; run it again", text.shown())),
    })
}

/// Prints a line on standard error; the text itself goes to standard output.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn repaired(text: &Text, done: &Repair) -> String {
    let lines = LineIndex::new(text.text.as_bytes());
    let mut out = format!("{}: repaired", text.shown());
    for edit in &done.edits {
        let at = lines.line_column(text.text.as_bytes(), edit.at);
        let change = match (edit.removed.is_empty(), edit.inserted.is_empty()) {
            (true, _) => format!("added `{}`", edit.inserted),
            (_, true) => format!("removed `{}`", edit.removed),
            _ => format!("`{}` became `{}`", edit.removed, edit.inserted),
        };
        out.push_str(&format!("\n{}:{}:{}: {change}", text.shown(), at.line, at.column));
    }
    for sentence in &done.evidence {
        out.push_str(&format!("\n  {sentence}"));
    }
    out
}

/// The rendering of `lispwright check` for the text, with this answer of the repairer.
fn checked(text: &Text, outcome: Outcome) -> Rendering {
    let tree = read(&text.text, &text.language);
    let lines = LineIndex::new(text.text.as_bytes()).line_count();
    let diagnosis = explain(&text.text, &tree, outcome);
    let report = CheckReport { diagnosis, unexpected: Vec::new(), forms: tree.top_level().count(), lines };
    in_words(CheckAnswer::new(&text.path, &text.language, report))
}

fn diff(text: &str, done: &Repair) -> String {
    let (Some(first), Some(last)) = (done.edits.first(), done.edits.last()) else { return String::new() };
    let span = Span::new(first.at, last.at + last.removed.len() as u32);
    let kept_behind = text.len() - span.end as usize;
    unified(text, &done.text, span, done.text.len() - kept_behind - span.start as usize)
}

/// The fields of `lispwright check --json`, and the repair.
fn document(text: &Text, outcome: Outcome) -> Value {
    let own = made(text, &outcome);
    let repaired = !matches!(outcome, Outcome::Refused(_));
    let mut document = json!({"path": text.path});
    for (key, value) in checked(text, outcome).fields.into_iter().chain(own) {
        document[key] = value;
    }
    // It balances now.
    document["ok"] = repaired.into();
    document
}

/// The fields of a repair.
fn made(text: &Text, outcome: &Outcome) -> Map<String, Value> {
    let own = match outcome {
        Outcome::Balanced => json!({"status": "balanced"}),
        Outcome::Repaired(done) => json!({
            "status": "repaired", "repaired_source": done.text, "diff": diff(&text.text, done),
            "edits": done.edits.iter().map(|edit| {
                json!({"start": edit.at, "end": edit.at as usize + edit.removed.len(), "text": edit.inserted})
            }).collect::<Vec<_>>(),
            "forms": done.forms.iter().map(|form| json!({"line": form.line, "text": form.first_line})).collect::<Vec<_>>(),
            "evidence": done.evidence.iter().map(ToString::to_string).collect::<Vec<_>>(),
        }),
        Outcome::Refused(refusal) => json!({"status": "refused", "reason": refusal.reason.to_string()}),
    };
    own.as_object().cloned().unwrap_or_default()
}
