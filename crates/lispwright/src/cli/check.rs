//! `lispwright check`: do these files balance?

use std::io;
use std::path::Path;
use std::process::ExitCode;

use lispwright_syntax::Dialect;
use lispwright_tools::Outcome;
use lispwright_tools::lisp_check_parens::verdict;
use serde_json::{Value, json};

use super::outcome::could_not;
use super::text::{Text, print, print_json};

/// Check files, and the Lisp files in directories, for missing or extra delimiters, open strings and comments.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lispwright check src/*.lisp\n  lispwright check .\n\n\
    Below a directory, files that balance are only counted; names that begin with a dot are passed over.\n\
    Exit code: 0 everything balances, 1 something does not, 2 something could not be read.")]
pub(crate) struct Args {
    /// Files and directories to check; - is standard input
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
    let mut report = Report { args: &args, balanced: true, readable: true, files: Vec::new() };
    for path in &args.paths {
        if path != "-" && Path::new(path).is_dir() {
            report.directory(path);
        } else if let Some(outcome) = report.file(path)
            && !args.json
        {
            print(&outcome.text);
        }
    }
    let Report { balanced, readable, files, .. } = report;
    if args.json {
        print_json(&json!({"ok": balanced && readable, "files": files}));
    }
    match (readable, balanced) {
        (false, _) => ExitCode::from(2),
        (true, false) => ExitCode::from(1),
        (true, true) => ExitCode::SUCCESS,
    }
}

/// What has been found so far.
struct Report<'a> {
    args: &'a Args,
    balanced: bool,
    readable: bool,
    /// The fields of each file.
    files: Vec<Value>,
}

impl Report<'_> {
    /// Checks a file. `None`, and said on standard error, when it cannot be read.
    fn file(&mut self, path: &str) -> Option<Outcome> {
        let text = match Text::read(path, self.args.dialect.as_deref()) {
            Ok(text) => text,
            Err(why) => {
                self.unreadable(path, &why);
                return None;
            }
        };
        let outcome = verdict(&text.path, &text.text, &text.language, 0, None);
        self.balanced &= outcome.fields["ok"] == true;
        let mut fields = outcome.fields.clone();
        fields.shift_insert(0, "path".into(), text.path.into());
        self.files.push(Value::Object(fields));
        Some(outcome)
    }

    fn unreadable(&mut self, path: &str, why: &str) {
        self.readable = false;
        could_not("check", &why);
        self.files.push(json!({"path": path, "error": why}));
    }

    /// Checks the Lisp files below a directory, in the order of their names.
    fn directory(&mut self, path: &str) {
        let found = lisp_files(Path::new(path));
        for (path, why) in &found.unreadable {
            self.unreadable(path, why);
        }
        if found.files.is_empty() {
            self.unreadable(path, &format!("{path}: no file below it has the extension of a Lisp"));
            return;
        }
        let mut sound = 0;
        for file in &found.files {
            let Some(outcome) = self.file(file) else { continue };
            if outcome.fields["ok"] == true {
                sound += 1;
            } else if !self.args.json {
                print(&outcome.text);
            }
        }
        if !self.args.json {
            let count = found.files.len();
            print(&format!(
                "{path}: {sound} of {count} {} balanced.",
                if count == 1 { "file is" } else { "files are" }
            ));
        }
    }
}

/// The files below a directory, and what could not be looked at.
#[derive(Default)]
struct Found {
    files: Vec<String>,
    unreadable: Vec<(String, String)>,
}

/// Walks below `top`, not into names that begin with a dot, and not through links to directories.
fn lisp_files(top: &Path) -> Found {
    let mut found = Found::default();
    let mut pending = vec![top.to_owned()];
    while let Some(directory) = pending.pop() {
        let entries = std::fs::read_dir(&directory).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                let name = directory.display().to_string();
                found.unreadable.push((name.clone(), format!("{name}: {error}")));
                continue;
            }
        };
        for entry in entries {
            let path = entry.path();
            let name = path.display().to_string();
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            // Pipes and devices are no files, and a link counts as what it leads to.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                pending.push(path);
            } else if path.is_file() && Dialect::detect(&name, b"").is_some() {
                found.files.push(name.strip_prefix("./").map_or(name.clone(), str::to_owned));
            }
        }
    }
    found.files.sort_unstable();
    found
}
