//! The command line: one module per command, each with its arguments and a `run` that gives the exit code.
//!
//! To add a command: write `cli/NAME.rs` with a `#[derive(clap::Args)] pub(crate) struct Args` and
//! `pub(crate) fn run(args: Args) -> ExitCode`, and add one variant and one arm below.

mod log;
mod mcp;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A Lisp workshop for coding agents and the people beside them.
#[derive(Debug, Parser)]
#[command(name = "lispwright", version, arg_required_else_help = true, max_term_width = 100)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Mcp(mcp::Args),
}

/// Runs the command the process was started with.
pub(crate) fn run() -> ExitCode {
    match CommandLine::parse().command {
        Command::Mcp(args) => mcp::run(args),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::CommandLine;

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }
}
