//! `--transcript`: writing evaluations down for the person who watches.

use std::path::PathBuf;

use lispwright_words::{Skin, Transcript};

use super::outcome::say;

/// Where evaluations are written down.
#[derive(Debug, clap::Args)]
pub(crate) struct TranscriptArgs {
    /// Add every evaluation to this file: who, the code, the answer, the time
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
}

impl TranscriptArgs {
    /// Opens the file. One that cannot be opened is told of, and done without.
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

/// The command that this process was given, for a person.
pub(crate) fn command_line() -> String {
    let words: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    format!("lispwright {}", words.join(" "))
}
