//! The man pages, and the completions of five shells, made from the definitions of the commands.
//!
//! They are made beside the tests, so that the binary carries none of the code that makes them. With
//! `LISPWRIGHT_REFERENCE=DIR` they are written into `DIR/man` and `DIR/completions`; `cargo xtask dist` does that.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_complete::{Generator, Shell};
use clap_complete_nushell::Nushell;

use super::CommandLine;

/// The command line with the bare version: the pages are the same for every system.
fn definitions() -> Command {
    CommandLine::command().version(env!("CARGO_PKG_VERSION"))
}

/// The names of the commands that a user is told of.
fn names() -> Vec<String> {
    let shown = definitions();
    shown.get_subcommands().filter(|command| !command.is_hide_set()).map(|command| command.get_name().into()).collect()
}

fn write(directory: &Path) {
    let man = directory.join("man");
    let completions = directory.join("completions");
    fs::create_dir_all(&man).unwrap();
    fs::create_dir_all(&completions).unwrap();
    let mut all = definitions();
    all.build();
    write_page(&all, &man);
    for command in all.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help") {
        write_page(command, &man);
        command.get_subcommands().for_each(|part| write_page(part, &man));
    }
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell] {
        complete(shell, &completions);
    }
    complete(Nushell, &completions);
}

/// One page, named as `lispwright-NAME`. What follows the options of a command begins with examples.
fn write_page(command: &Command, directory: &Path) {
    let version = concat!("lispwright ", env!("CARGO_PKG_VERSION"));
    let page = clap_mangen::Man::new(command.clone()).source(version).manual("Lispwright");
    let mut text = Vec::new();
    page.render(&mut text).unwrap();
    // The pages have no date.
    let text = String::from_utf8(text).unwrap().replace(".SH EXTRA", ".SH EXAMPLES").replacen("1  \"", "1 \"\" \"", 1);
    fs::write(directory.join(page.get_filename()), text).unwrap();
}

fn complete(generator: impl Generator, directory: &Path) {
    clap_complete::generate_to(generator, &mut definitions(), "lispwright", directory).unwrap();
}

#[test]
fn every_command_has_a_man_page_and_is_completed_in_every_shell() {
    let scratch = tempfile::tempdir().unwrap();
    let chosen = std::env::var_os("LISPWRIGHT_REFERENCE").map(Into::into);
    let directory = chosen.unwrap_or_else(|| scratch.path().to_path_buf());
    write(&directory);

    let main = fs::read_to_string(directory.join("man/lispwright.1")).unwrap();
    for name in names() {
        let page = fs::read_to_string(directory.join(format!("man/lispwright-{name}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS") && page.contains(".SH EXAMPLES"), "{name}: {page}");
        assert!(main.contains(&name.replace('-', "\\-")), "{name}: {main}");
    }
    for file in ["lispwright.bash", "_lispwright", "lispwright.fish", "_lispwright.ps1", "lispwright.nu"] {
        let completion = fs::read_to_string(directory.join("completions").join(file)).unwrap();
        for name in names() {
            assert!(completion.contains(&name), "{file}: {name}");
        }
    }
}
