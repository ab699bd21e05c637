//! `--transcript`: a record of evaluations for a person.

use std::path::PathBuf;

use lispwright_words::{Skin, Transcript};

use super::outcome::say;

/// The option for the file of the transcript.
#[derive(Debug, clap::Args)]
pub(crate) struct TranscriptArgs {
    /// Append every evaluation to this file: caller, code, answer, time
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
}

impl TranscriptArgs {
    /// Opens the file. If that fails, a message says so, and the command goes on without it.
    pub(crate) fn open(&self, command: &str, skin: Skin) -> Option<Transcript> {
        let path = self.transcript.as_deref()?;
        match Transcript::open(path, skin) {
            Ok(transcript) => Some(transcript),
            Err(error) => {
                say(command, &format!("no transcript is written: {error}"));
                None
            }
        }
    }
}

/// The command line of this process, for the transcript.
pub(crate) fn command_line() -> String {
    let words: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    format!("lispwright {}", words.join(" "))
}
