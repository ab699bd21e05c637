//! `lispwright cost`: sums up what the calls of a transcript have cost.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_words::Cost;

use super::complaint::Complaint;
use super::outcome::failed;
use super::text::{print, print_json};

/// Sum up what each tool has cost: the calls of a transcript, their tokens, the dearest
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lispwright cost session.lisp\n\n\
    The file is the one that `lispwright mcp --transcript FILE` appends to. Tokens are estimated: three bytes each.\n\
    Exit code: 0, or 2 when the file could not be read.")]
pub(crate) struct Args {
    /// The transcript
    file: PathBuf,

    /// The form of the answer
    #[arg(long, value_name = "FORMAT", value_parser = ["text", "json"], default_value = "text")]
    format: String,

    /// Print one JSON document, as with --format json
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let json = args.json || args.format == "json";
    match read(&args) {
        Ok(cost) if json => print_json(&cost.document()),
        Ok(cost) => print(&cost.text()),
        Err(error) => return failed("cost", json, Complaint::at(args.file.display(), error)),
    }
    ExitCode::SUCCESS
}

fn read(args: &Args) -> std::io::Result<Cost> {
    let mut cost = Cost::default();
    let mut lines = BufReader::new(File::open(&args.file)?);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        cost.add(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok(cost)
}
