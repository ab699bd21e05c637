//! `lispwright check`: checks whether files balance.

use std::convert::Infallible;
use std::path::Path;
use std::process::ExitCode;

use lispwright_syntax::in_a_line;
use lispwright_tools::lisp_check_parens::CheckAnswer;
use lispwright_words::Rendering;
use serde_json::{Value, json};

use super::below::Below;
use super::complaint::Complaint;
use super::outcome::{failed, in_words, unreadable};
use super::paint;
use super::staged::{StagedFile, staged_files};
use super::text::{Page, Text, Texts, print, print_json};

/// Check files, and the Lisp files in directories, for missing or extra delimiters, open strings and comments.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lispwright check src/*.lisp\n  lispwright check .\n  lispwright check --staged\n\n\
    Below a directory, files that balance are only counted, unless something in them is seldom meant; names that begin \
    with a dot and what ignore files name are passed over.\n\
    Of a page of Markdown or Org that is named, the blocks of Lisp are checked.\n\
    What balances and is seldom meant, such as a definition inside of another one, is noted.\n\
    Exit code: 0 everything balances, 1 something does not, 2 something could not be read."
)]
pub(crate) struct Args {
    /// Files and directories to check; - is standard input
    #[arg(required_unless_present = "staged", value_name = "PATH")]
    paths: Vec<String>,

    /// Check what Git would commit, as it is staged; with PATH, only what is at or below it
    #[arg(long, conflicts_with = "no_ignore")]
    staged: bool,

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
    let texts = match Texts::new(args.dialect.as_deref()) {
        Ok(texts) => texts,
        Err(error) => return failed("check", args.json, error),
    };
    let mut report = Report {
        args: &args,
        texts,
        balanced: true,
        readable: true,
        files: Vec::new(),
        ignored: Vec::new(),
        outside: Vec::new(),
    };
    if args.staged
        && let Err(error) = report.staged()
    {
        return failed("check", args.json, error);
    }
    for path in args.paths.iter().filter(|_| !args.staged) {
        if path != "-" && Path::new(path).is_dir() {
            report.directory(path);
        } else if !report.page(path)
            && let Some(verdict) = report.file(path)
        {
            report.print(&verdict.text, verdict.is_sound);
        }
    }
    let Report { balanced, readable, files, ignored, outside, .. } = report;
    if args.json {
        let mut document = json!({"ok": balanced && readable, "files": files});
        for (key, paths) in [("ignored", ignored), ("links_out", outside)] {
            if !paths.is_empty() {
                document[key] = paths.into();
            }
        }
        print_json(&document);
    }
    match (readable, balanced) {
        (false, _) => ExitCode::from(2),
        (true, false) => ExitCode::from(1),
        (true, true) => ExitCode::SUCCESS,
    }
}

/// The verdict on a file.
struct Verdict {
    /// In words.
    text: String,
    /// It balances.
    is_sound: bool,
    /// It balances, and nothing in it is seldom meant.
    is_silent: bool,
}

/// The results so far.
struct Report<'a> {
    args: &'a Args,
    texts: Texts,
    balanced: bool,
    readable: bool,
    /// The fields of each file.
    files: Vec<Value>,
    /// Entries that ignore files name.
    ignored: Vec<String>,
    /// Links that were not followed.
    outside: Vec<String>,
}

impl Report<'_> {
    /// Checks a file. If it cannot be read, `None` and a message on standard error.
    fn file(&mut self, path: &str) -> Option<Verdict> {
        let text = self.texts.read(path);
        self.verdict(path, text)
    }

    /// Checks a text of `@`-forms, or the blocks of Lisp in a page of Markdown or Org; false if the file is none.
    fn page(&mut self, path: &str) -> bool {
        if let Some(text) = self.texts.at_forms(path) {
            let answer = CheckAnswer::of_at_forms(path, &text);
            let told = answer.map(|answer| self.told(answer));
            told.iter().for_each(|verdict| self.print(&verdict.text, verdict.is_sound));
            return told.is_some();
        }
        let Page { text, blocks, languages } = match self.texts.page(path) {
            Ok(Some(page)) => page,
            Ok(None) => return false,
            Err(error) => {
                self.unreadable(path, error);
                return true;
            }
        };
        let language = |dialect| Ok::<_, Infallible>(languages.of(dialect));
        let mut sound = 0;
        let mut checked = Vec::new();
        for block in &blocks {
            let Ok(answer) = CheckAnswer::of_block(&text.path, &text.text, block, language);
            sound += usize::from(answer.ok);
            let is_sound = answer.ok;
            let dialect = answer.dialect;
            let Rendering { text: verdict, mut fields, .. } = in_words(answer);
            fields.shift_insert(0, "line".into(), block.line.into());
            fields.shift_insert(1, "dialect".into(), dialect.into());
            checked.push(Value::Object(fields));
            if !is_sound {
                self.print(&verdict, false);
            }
        }
        let is_sound = sound == blocks.len();
        self.balanced &= is_sound;
        let name = text.shown();
        let said = match (blocks.len(), sound) {
            (0, _) => format!("{name}: no block of Lisp."),
            (1, 1) => format!("{name}: its block of Lisp is balanced."),
            (count, _) => format!("{name}: {sound} of {count} blocks of Lisp are balanced."),
        };
        self.print(&said, is_sound);
        self.files.push(json!({"path": text.path, "ok": is_sound, "blocks": checked}));
        true
    }

    fn verdict(&mut self, path: &str, text: Result<Text, Complaint>) -> Option<Verdict> {
        let text = match text {
            Ok(text) => text,
            Err(error) => {
                self.unreadable(path, error);
                return None;
            }
        };
        Some(self.told(CheckAnswer::of(&text.path, &text.text, &text.language, 0, None)))
    }

    /// The verdict in words.
    fn told(&mut self, answer: CheckAnswer) -> Verdict {
        let (is_sound, is_silent) = (answer.ok, answer.ok && answer.unexpected.is_empty());
        self.balanced &= is_sound;
        let path = answer.path.clone();
        let Rendering { text, mut fields, .. } = in_words(answer);
        fields.shift_insert(0, "path".into(), path.into());
        self.files.push(Value::Object(fields));
        Verdict { text, is_sound, is_silent }
    }

    fn print(&self, verdict: &str, is_sound: bool) {
        if !self.args.json {
            print(&paint::verdict(verdict, is_sound));
        }
    }

    /// Prints a verdict, unless there is nothing to tell; whether the file balances.
    fn tells(&self, verdict: &Verdict) -> bool {
        if !verdict.is_silent {
            self.print(&verdict.text, verdict.is_sound);
        }
        verdict.is_sound
    }

    fn unreadable(&mut self, path: &str, error: Complaint) {
        self.readable = false;
        self.files.push(unreadable("check", path, error));
    }

    /// Checks the Lisp files that are staged.
    fn staged(&mut self) -> Result<(), Complaint> {
        let found = staged_files(&self.args.paths)?;
        let (mut sound, count) = (0, found.len());
        for StagedFile { path, place, file } in found {
            let text = file.and_then(|file| self.texts.text(&path, &place.to_string_lossy(), file));
            sound += usize::from(self.verdict(&path, text).is_some_and(|verdict| self.tells(&verdict)));
        }
        if !self.args.json {
            print(&match count {
                0 => "No file of Lisp is staged.".to_owned(),
                1 => format!("Staged: {sound} of 1 file is balanced."),
                count => format!("Staged: {sound} of {count} files are balanced."),
            });
        }
        Ok(())
    }

    /// Checks the Lisp files below a directory, in the order of their names.
    fn directory(&mut self, path: &str) {
        let found = Below::new(path, !self.args.no_ignore);
        for why in &found.unreadable {
            self.unreadable(path, Complaint::new("FILE_NOT_FOUND", in_a_line(why)));
        }
        let mut sound = 0;
        for file in &found.files {
            sound += usize::from(self.file(file).is_some_and(|verdict| self.tells(&verdict)));
        }
        if !self.args.json {
            let (shown, passed_over) = (in_a_line(path), found.passed_over());
            print(&match found.files.len() {
                0 => format!("{shown}: no file below it has the extension of a Lisp{passed_over}."),
                1 => format!("{shown}: {sound} of 1 file is balanced{passed_over}."),
                count => format!("{shown}: {sound} of {count} files are balanced{passed_over}."),
            });
        }
        self.ignored.extend(found.ignored);
        self.outside.extend(found.outside);
    }
}
