//! The command line: one module per command, each with its arguments and a `run` that gives the exit code.
//!
//! To add a command: write `cli/NAME.rs` with a `#[derive(clap::Args)] pub(crate) struct Args` and
//! `pub(crate) fn run(args: Args) -> ExitCode`, and add one variant and one arm below.

mod address;
mod batch;
mod below;
mod bridge;
mod call;
mod change_signature;
mod check;
mod clients;
mod complaint;
mod condition;
mod confine;
mod cost;
mod dashed;
mod describe;
mod docs;
mod doctor;
mod edit;
mod eval;
mod exports;
mod fmt;
mod grammar;
mod hook;
mod images;
mod init;
mod keep;
mod kept;
mod lint;
mod live;
mod load;
mod log;
mod map;
mod market;
mod mcp;
mod network;
mod outcome;
mod outline;
mod paint;
mod patch;
mod read;
#[cfg(test)]
mod reference;
mod refs;
mod rename;
mod repair;
mod rewrite;
mod search;
mod selftest;
mod setup;
#[cfg(test)]
mod shown;
mod staged;
mod stats;
mod surroundings;
mod test;
mod text;
mod token;
mod token_file;
mod transcript;
mod tree;
mod undo;
mod unused;
mod upgrade;
mod ways;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use self::text::written;

/// The version, the commit that it was built from, and the system that it was built for.
pub(crate) const VERSION: &str =
    concat!(env!("CARGO_PKG_VERSION"), " (", env!("LISPWRIGHT_ORIGIN"), ", ", env!("LISPWRIGHT_TARGET"), ")");

/// A Lisp workshop for coding agents and people.
#[derive(Debug, Parser)]
#[command(name = "lispwright", version = VERSION, arg_required_else_help = true, max_term_width = 100)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Mcp(mcp::Args),
    Bridge(bridge::Args),
    Token(token::Args),
    Check(check::Args),
    Lint(lint::Args),
    Repair(repair::Args),
    Fmt(fmt::Args),
    Hook(hook::Args),
    Stats(stats::Args),
    Cost(cost::Args),
    Outline(outline::Args),
    Read(read::Args),
    Search(search::Args),
    Map(map::Args),
    Refs(refs::Args),
    Unused(unused::Args),
    Describe(describe::Args),
    Docs(docs::Args),
    Exports(exports::Args),
    Edit(edit::Args),
    Patch(patch::Args),
    Batch(batch::Args),
    Rename(rename::Args),
    Rewrite(rewrite::Args),
    ChangeSignature(change_signature::Args),
    Undo(undo::Args),
    Tree(tree::Args),
    Eval(eval::Args),
    Load(load::Args),
    Setup(setup::Args),
    Init(init::Args),
    Grammar(grammar::Args),
    Test(test::Args),
    Doctor(doctor::Args),
    Selftest(selftest::Args),
    Upgrade(upgrade::Args),
    #[command(hide = true)]
    Confine(confine::Args),
}

/// A command line that begins with `hook`. It is parsed alone, because a process for each edit has no time to build the
/// others.
#[derive(Debug, Parser)]
#[command(name = "lispwright", version = VERSION, max_term_width = 100)]
struct HookLine {
    #[command(subcommand)]
    command: Hook,
}

#[derive(Debug, Subcommand)]
enum Hook {
    Hook(hook::Args),
}

/// Runs the command of the process.
pub(crate) fn run() -> ExitCode {
    if let Some(code) = keep::run() {
        return code;
    }
    match parse() {
        Command::Mcp(args) => mcp::run(args),
        Command::Bridge(args) => bridge::run(args),
        Command::Token(args) => token::run(args),
        Command::Check(args) => check::run(args),
        Command::Lint(args) => lint::run(args),
        Command::Repair(args) => repair::run(args),
        Command::Fmt(args) => fmt::run(args),
        Command::Hook(args) => hook::run(args),
        Command::Stats(args) => stats::run(args),
        Command::Cost(args) => cost::run(args),
        Command::Outline(args) => outline::run(args),
        Command::Read(args) => read::run(args),
        Command::Search(args) => search::run(args),
        Command::Map(args) => map::run(args),
        Command::Refs(args) => refs::run(args),
        Command::Unused(args) => unused::run(args),
        Command::Describe(args) => describe::run(args),
        Command::Docs(args) => docs::run(args),
        Command::Exports(args) => exports::run(args),
        Command::Edit(args) => edit::run(args),
        Command::Patch(args) => patch::run(args),
        Command::Batch(args) => batch::run(args),
        Command::Rename(args) => rename::run(args),
        Command::Rewrite(args) => rewrite::run(args),
        Command::ChangeSignature(args) => change_signature::run(args),
        Command::Undo(args) => undo::run(args),
        Command::Tree(args) => tree::run(args),
        Command::Eval(args) => eval::run(args),
        Command::Load(args) => load::run(args),
        Command::Setup(args) => setup::run(args),
        Command::Init(args) => init::run(args),
        Command::Grammar(args) => grammar::run(args),
        Command::Test(args) => test::run(args),
        Command::Doctor(args) => doctor::run(args),
        Command::Selftest(args) => selftest::run(args),
        Command::Upgrade(args) => upgrade::run(args),
        Command::Confine(args) => confine::run(args),
    }
}

/// The command line; ends the process if it is wrong, or asks only for help.
fn parse() -> Command {
    let is_hook = std::env::args_os().nth(1).is_some_and(|command| command == "hook");
    if !is_hook {
        return CommandLine::try_parse().map_or_else(|error| leave(&dashed::whole(error)), |line| line.command);
    }
    match HookLine::try_parse() {
        Ok(HookLine { command: Hook::Hook(args) }) => Command::Hook(args),
        Err(error) if error.exit_code() != 0 => {
            // Clients of hooks take the usual exit code 2 for a refusal of the edit.
            let _ = error.print();
            std::process::exit(1);
        }
        Err(error) => leave(&error),
    }
}

/// Prints what is wrong with the command line, or the help that it asks for, and ends the process.
fn leave(error: &clap::Error) -> ! {
    let printed = error.print();
    if error.exit_code() == 0 {
        written(printed);
    }
    std::process::exit(error.exit_code())
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
