//! `lispwright fmt`: lays files out as their project does.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lispwright_edit::{changed_lines, unified};
use lispwright_layout::{Layout, Lines, NotLaidOut, Style};
use lispwright_project::{EditError, NewText, Revision, Roots, SourceFile, read_anywhere};
use lispwright_syntax::{Dialect, LineIndex, Span, in_a_line};
use lispwright_tools::formatting::Neighbourhood;
use serde_json::{Value, json};

use super::below::Below;
use super::complaint::Complaint;
use super::kept;
use super::outcome::{failed, unreadable};
use super::paint::painted;
use super::surroundings::Surroundings;
use super::text::{Text, Texts, absolute, from_here, print, print_json};

/// Lay out files as their project does: indentation, space at the ends of lines, closers that stand alone.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lispwright fmt --check .\n  lispwright fmt --diff src/core.lisp\n  \
    lispwright fmt --write --since HEAD .\n  lispwright fmt --lines 10:40 src/core.lisp\n\n\
    Only white space changes: tokens, comments, strings and line breaks in code stay. Without an option, the new text of \
    one file is printed.\n\
    Exit code: 0 laid out or written; 1 --check or --diff found something, or a file does not balance; 2 something could \
    not be read or written.")]
pub(crate) struct Args {
    /// Files and directories; - is standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,

    /// Say which files are not laid out
    #[arg(long, conflicts_with_all = ["diff", "write"])]
    check: bool,

    /// Print the changes
    #[arg(long, conflicts_with_all = ["write", "json"])]
    diff: bool,

    /// Write the files, which must be below a root
    #[arg(long)]
    write: bool,

    /// Only these lines of one file, from 1
    #[arg(long, value_name = "A:B", value_parser = lines)]
    lines: Option<(u32, u32)>,

    /// Only lines that a revision of git has not
    #[arg(long, value_name = "REV", conflicts_with = "lines")]
    since: Option<String>,

    /// learned, emacs or cljfmt; default: fmt.style in lispwright.toml, else learned
    #[arg(long, value_name = "STYLE", value_parser = style)]
    style: Option<Style>,

    /// Include files that .gitignore and .ignore name
    #[arg(long)]
    no_ignore: bool,

    /// With --check or --write, print one JSON document
    #[arg(long)]
    json: bool,

    /// common-lisp, scheme, racket, clojure, edn or emacs-lisp; default: detected
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<String>,

    /// With --write: a directory whose files may be written; default: that of the nearest project around
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,
}

/// Reads `A:B`.
fn lines(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once(':').and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
    parts
        .filter(|(first, last)| 1 <= *first && first <= last)
        .ok_or_else(|| "not two line numbers such as 10:40".into())
}

fn style(name: &str) -> Result<Style, String> {
    Style::from_name(name).ok_or_else(|| format!("use one of {}", Style::ALL.map(|(name, _)| name).join(", ")))
}

pub(crate) fn run(args: Args) -> ExitCode {
    match attempt(&args) {
        Ok(code) => code,
        Err(error) => failed("fmt", args.json, error),
    }
}

fn attempt(args: &Args) -> Result<ExitCode, Complaint> {
    let asked = |what: &str| Complaint::new("BAD_ARGUMENT", what);
    let is_one = matches!(&args.paths[..], [path] if path == "-" || !Path::new(path).is_dir());
    if !(is_one || args.check || args.diff || args.write) {
        return Err(asked("several files: say --check, --diff or --write"));
    }
    if !is_one && args.lines.is_some() {
        return Err(asked("--lines is for one file"));
    }
    if args.json && !(args.check || args.write) {
        return Err(asked("--json goes with --check or --write"));
    }
    if args.write && args.paths.iter().any(|path| path == "-") {
        return Err(asked("standard input cannot be written: leave --write out"));
    }
    let roots = args
        .write
        .then(|| Roots::from_environment(Surroundings::new(&args.root).roots()).map(kept::recording))
        .transpose()?;
    let mut run =
        Run { args, roots, texts: Texts::new(args.dialect.as_deref())?, around: None, report: Report::default() };
    for path in &args.paths {
        if path != "-" && Path::new(path).is_dir() {
            run.directory(path);
        } else {
            run.file(path);
        }
    }
    Ok(run.end())
}

/// What was found so far.
#[derive(Default)]
struct Report {
    files: usize,
    changed: usize,
    unbalanced: bool,
    unreadable: bool,
    documents: Vec<Value>,
}

struct Run<'a> {
    args: &'a Args,
    roots: Option<Roots>,
    texts: Texts,
    /// What the project shows of the files of a directory, in a dialect and style.
    around: Option<((PathBuf, Dialect, Style), Neighbourhood)>,
    report: Report,
}

impl Run<'_> {
    /// The files below a directory, in the order of their names.
    fn directory(&mut self, path: &str) {
        let found = Below::new(path, !self.args.no_ignore);
        for why in &found.unreadable {
            self.unreadable(path, Complaint::new("FILE_NOT_FOUND", in_a_line(why)));
        }
        for file in &found.files {
            self.file(file);
        }
    }

    fn file(&mut self, path: &str) {
        if let Err(error) = self.lay_out(path) {
            self.unreadable(path, error);
        }
    }

    fn unreadable(&mut self, path: &str, error: Complaint) {
        self.report.unreadable = true;
        self.report.documents.push(unreadable("fmt", path, error));
    }

    fn lay_out(&mut self, path: &str) -> Result<(), Complaint> {
        let text = self.texts.read(path)?;
        self.report.files += 1;
        let place = absolute(path)?;
        let style = match self.args.style {
            Some(style) => style,
            None => self.texts.formatting(path)?.style,
        };
        let lines = match (self.args.lines, &self.args.since) {
            (Some(range), _) => Lines::of(vec![range]),
            (None, Some(revision)) => Lines::of(since(&place, revision, &text.text)?),
            (None, None) => Lines::ALL,
        };
        let laid = self.layout(&place, &text, style).laid_out(&text.text, &text.language, &lines);
        match laid {
            Ok(laid) => self.give(path, &text, &laid),
            Err(why) => {
                self.refuse(&text, why);
                Ok(())
            }
        }
    }

    /// What the project of a file shows.
    fn layout(&mut self, place: &Path, text: &Text, style: Style) -> Layout {
        let directory = place.parent().unwrap_or(place);
        let key = (directory.to_owned(), text.language.dialect(), style);
        if self.around.as_ref().is_none_or(|(known, _)| *known != key) {
            let text_of = |path: &Path| read_anywhere(path).ok().map(|file| file.text);
            self.around = Some((key, Neighbourhood::of(directory, &text.language, style, text_of)));
        }
        let around = self.around.as_ref().map(|(_, around)| around.layout_of(place, &text.text, &text.language));
        around.unwrap_or_default()
    }

    /// A text that is left as it is.
    fn refuse(&mut self, text: &Text, why: NotLaidOut) {
        self.report.unbalanced = true;
        let at = |offset| LineIndex::new(text.text.as_bytes()).line_column(text.text.as_bytes(), offset);
        let (at, what) = match why {
            NotLaidOut::Unbalanced(span) => {
                (at(span.start), "does not balance, so it stays as it is; lispwright check says more")
            }
            NotLaidOut::Different(offset) => (at(offset), "would read differently, so it stays as it is"),
        };
        let sentence = format!("{}:{}:{}: {what}", text.shown(), at.line, at.column);
        self.report.documents.push(json!({"path": text.path, "error": sentence, "code": "UNBALANCED"}));
        tell(&sentence);
    }

    /// Checks, prints or writes the new text.
    fn give(&mut self, path: &str, text: &Text, laid: &str) -> Result<(), Complaint> {
        let Args { check, diff, write, .. } = *self.args;
        if !(check || diff || write) {
            return text.print_changed(laid);
        }
        let changed = if laid == text.text { Vec::new() } else { changed_lines(laid, &text.text) };
        let lines: u32 = changed.iter().map(|(first, last)| last - first + 1).sum();
        self.report.documents.push(json!({"path": text.path, "changed": laid != text.text, "lines": changed}));
        if laid == text.text {
            return Ok(());
        }
        self.report.changed += 1;
        if write {
            self.write(path, text, laid)?;
        }
        if diff {
            let whole = Span::new(0, text.text.len() as u32);
            let shown = text.shown();
            print(&painted(&format!("--- {shown}\n+++ {shown}\n{}", unified(&text.text, laid, whole, laid.len()))));
        } else if !self.args.json {
            let first = changed.first().map_or(1, |(first, _)| *first);
            let what = if write { "laid out" } else { "not laid out" };
            print(&format!("{}:{first}: {what}: {lines} line{}", text.shown(), if lines == 1 { "" } else { "s" }));
        }
        Ok(())
    }

    /// Replaces the text of the file, if it has not changed.
    fn write(&self, path: &str, text: &Text, laid: &str) -> Result<(), Complaint> {
        let Some(roots) = &self.roots else { return Ok(()) };
        let place = from_here(path)?;
        let written = roots.edit(Path::new(&place), |file: &SourceFile| {
            if file.text == text.text { Ok(NewText::Text(laid.to_owned())) } else { Err("the file changed meanwhile") }
        });
        written.map(|_| ()).map_err(|error| match error {
            EditError::Project(error) => error.into(),
            EditError::Refused(why) => Complaint::new("STALE", format_args!("{}: {why}; run it again", text.shown())),
        })
    }

    /// The last line, and the exit code.
    fn end(self) -> ExitCode {
        let Report { files, changed, unbalanced, unreadable, documents } = self.report;
        let Args { check, diff, write, json, .. } = *self.args;
        let is_clean = !(unbalanced || (changed > 0 && !write));
        if json {
            print_json(&json!({"ok": is_clean && !unreadable, "files": documents}));
        } else if check || write {
            let all = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
            let good = files - changed;
            print(&if write { format!("{changed} of {all} written.") } else { format!("{good} of {all} laid out.") });
        }
        match (unreadable, is_clean || !(check || diff || unbalanced)) {
            (true, _) => ExitCode::from(2),
            (false, true) => ExitCode::SUCCESS,
            (false, false) => ExitCode::FAILURE,
        }
    }
}

/// The lines of a file that a revision has not.
fn since(place: &Path, name: &str, text: &str) -> Result<Vec<(u32, u32)>, Complaint> {
    let wrong = |error: lispwright_project::RevisionError| Complaint::new("BAD_ARGUMENT", error);
    let place = place.canonicalize().unwrap_or_else(|_| place.to_owned());
    let revision = Revision::open(place.parent().unwrap_or(&place), name).map_err(wrong)?;
    let mut before = String::new();
    let mut keep = |_: &Path, bytes: Vec<u8>| {
        before = SourceFile::decode(name, bytes).map(|file| file.text).unwrap_or_default();
    };
    revision.each(&[&place], &mut keep).map_err(wrong)?;
    Ok(changed_lines(&before, text))
}

/// Prints a line on standard error.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
