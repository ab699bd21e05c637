//! `lispwright keep`: the process between the server and a worker. Not for users.
//!
//! Its command line is `keep LINK CAPTURE PROGRAM ARGUMENT...`, where the first two are numbers of descriptors and the
//! second may be `-`. It is read without the parser of the other commands: a session waits for it.

use std::ffi::OsString;
use std::process::ExitCode;

use lispwright_runtime::{Keeping, keep};

/// Runs if the process was started as `keep`.
pub(crate) fn run() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != "keep" {
        return None;
    }
    let number = |word: Option<OsString>| word?.to_str()?.parse().ok();
    let (link, capture) = (number(words.next()), number(words.next()));
    let code = link.map_or(2, |link| keep(Keeping { link, capture, words: words.collect() }));
    Some(ExitCode::from(code))
}
