//! `lispwright`: one binary for agents (the MCP server) and for the people beside them (the other commands).
//!
//! Each command is a module of [`cli`]; this file only starts the one that is asked for.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
