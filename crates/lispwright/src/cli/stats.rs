//! `lispwright stats`: reports the judgements that `lispwright hook --stats` has recorded.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_hook::stats::Report;

use super::complaint::Complaint;
use super::outcome::failed;
use super::text::{print, print_json};

/// Report how often agents' edits were broken, repaired and refused.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lispwright stats ~/.cache/lispwright-hooks.jsonl\n\n\
    The file is the one that `lispwright hook CLIENT --stats FILE` appends to.\n\
    Exit code: 0, or 2 when the file could not be read.")]
pub(crate) struct Args {
    /// The file with the statistics
    file: PathBuf,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> ExitCode {
    match read(&args) {
        Ok(report) if args.json => print_json(&report.document()),
        Ok(report) => print(&report.text()),
        Err(error) => return failed("stats", args.json, Complaint::at(args.file.display(), error)),
    }
    ExitCode::SUCCESS
}

fn read(args: &Args) -> std::io::Result<Report> {
    let mut report = Report::default();
    let mut lines = BufReader::new(File::open(&args.file)?);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        report.add(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok(report)
}
