//! `lispwright lint`: what a compiler would say of files, without one.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lispwright_tools::lint::{Lint, lint};
use lispwright_tools::workspace::project_around;
use lispwright_words::{github, sarif};

use super::live::on_files;
use super::outcome::{failed, in_words};
use super::paint;
use super::surroundings::Surroundings;
use super::text::absolute;
use super::text::{print, print_json};

/// Find what a compiler would say of Lisp files, without one: wrong calls, names that nobody defines, dead code.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lispwright lint\n  lispwright lint src --since main\n  lispwright lint --rule duplicate-definition\n  \
    lispwright lint --format sarif > lint.sarif\n  lispwright lint --fix\n\n\
    Exit code: 0 no errors or warnings, 1 some, 2 something could not be read."
)]
pub(crate) struct Args {
    /// Files and directories; default: the whole project
    #[arg(value_name = "PATH")]
    paths: Vec<String>,

    /// How problems are written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Only what is new since a revision of git
    #[arg(long, value_name = "REVISION")]
    since: Option<String>,

    /// Only this rule, whether or not it is on; repeatable
    #[arg(long = "rule", value_name = "RULE")]
    rules: Vec<String>,

    /// Make the safe changes that the rules know
    #[arg(long)]
    fix: bool,

    /// Write what is found into the baseline; it is not told from then on
    #[arg(long, conflicts_with_all = ["since", "rules", "paths", "fix"])]
    write_baseline: bool,

    /// Directory of the project
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,
}

/// How problems are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A line for each, with its line of source
    Text,
    /// One JSON document
    Json,
    /// Commands of a workflow on GitHub
    Github,
    /// A document of SARIF 2.1.0
    Sarif,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let Args { paths, format, since, rules, fix, write_baseline, root } = args;
    let here = Surroundings::new(&root);
    let (root, paths) = match around(&paths, &here).filter(|_| root.is_empty()) {
        Some(project) => {
            let whole = |path: String| absolute(&path).map_or(path, |path| path.display().to_string());
            (vec![project], paths.into_iter().map(whole).collect())
        }
        None => (root, paths.iter().map(|path| here.path(path)).collect()),
    };
    let asked = Lint { paths, since, rules, fix, write_baseline };
    let answered =
        on_files(&root, |workshop| async move { lint(&workshop, asked, &workshop.context("lispwright lint")).await });
    let answer = match answered {
        Ok(Ok(answer)) => answer,
        Ok(Err(refusal)) => return failed("lint", format == Format::Json, refusal),
        Err(why) => return failed("lint", format == Format::Json, why),
    };
    let is_clean = !answer.problems.iter().any(lispwright_tools::problems::Problem::is_grave);
    match format {
        Format::Text => print(&paint::problems(&in_words(answer).text)),
        Format::Json => print_json(&serde_json::Value::Object(in_words(answer).fields)),
        Format::Github => print(&github(&answer)),
        Format::Sarif => print_json(&sarif(&answer, env!("CARGO_PKG_VERSION"))),
    }
    if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The project of a path outside of that of the command: the nearest around it, or its own directory.
fn around(paths: &[String], here: &Surroundings) -> Option<PathBuf> {
    let path = paths.first().and_then(|path| Path::new(path).canonicalize().ok())?;
    let here = here.roots().first().cloned().or_else(|| std::env::current_dir().ok());
    // The directory of all files is no project.
    if here.is_some_and(|here| here.parent().is_some() && path.starts_with(here)) {
        return None;
    }
    let directory = if path.is_dir() { path.as_path() } else { path.parent().unwrap_or(&path) };
    Some(project_around(directory).unwrap_or_else(|| directory.to_owned()))
}
