//! `lispwright bridge`: standard input and output joined to a server on TCP or at a socket.

use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_server::Bridge;

use super::live::event_loop;
use super::{outcome, token_file};

/// Join standard input and output to a server on TCP or at a socket, for a client that speaks nothing else.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  lispwright bridge --connect 127.0.0.1:12345 --token-file ~/.local/state/lispwright/token\n\n\
    It may be idle for ever, and ends with its input, or with the server (exit code 1)."
)]
pub(crate) struct Args {
    /// Host and port of the server, or the path of its socket
    #[arg(long, value_name = "HOST:PORT|PATH")]
    connect: String,

    /// File with the token of the server, which the first request then shows
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

/// The exit code is 0 after the end of the input, 1 if the server is gone, and 2 if the bridge could not start.
pub(crate) fn run(args: Args) -> ExitCode {
    let token = match args.token_file.as_deref().map(token_file::known).transpose() {
        Ok(token) => token,
        Err(why) => {
            outcome::say("bridge", &why);
            return ExitCode::from(2);
        }
    };
    let event_loop = match event_loop() {
        Ok(event_loop) => event_loop,
        Err(why) => {
            outcome::say("bridge", &why);
            return ExitCode::from(2);
        }
    };
    let ended = event_loop.block_on(Bridge { address: args.connect, token }.run());
    // A thread may still wait in a read of the terminal; the process ends without it.
    event_loop.shutdown_background();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            outcome::say("bridge", &error);
            ExitCode::FAILURE
        }
    }
}
