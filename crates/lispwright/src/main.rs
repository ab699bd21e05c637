//! `lispwright`: one binary for agents (the MCP server) and for people (the other commands).
//!
//! Each command is a file of `cli/`; `cli/mod.rs` lists them and says how to add one. `cli/text.rs` reads and prints
//! texts, `cli/live.rs` starts images for a command, `cli/outcome.rs` prints answers, and `cli/clients.rs` finds the
//! configuration of coding agents for `setup` and `doctor`. The commands have no logic of their own: they call the
//! operations of `lispwright-tools` and `lispwright-words` renders the answers.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
