//! The conversations with a shell in README.md and `docs/`, held again: each command of a block ```` ```console ```` is
//! run, and what it prints is what the page shows. The README's script about the example is run to its end.
//!
//! A block has a directory of its own; `cat FILE` makes the file that it shows. Words behind `console` say more:
//! `ledger` begins in a copy of `examples/ledger`, `again` goes on where the block before has ended, and `elsewhere` is not run,
//! because it needs what is not here. A line `...` stands for any number of lines.
#![allow(clippy::unwrap_used, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// One command with what it prints.
#[derive(Debug, Default)]
struct Turn {
    command: String,
    shown: Vec<String>,
}

/// A block of a page.
struct Block {
    /// The page and the line.
    place: String,
    words: Vec<String>,
    turns: Vec<Turn>,
}

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What the commands have in the place of the user's own directories.
fn home() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("console")
}

/// The conversations of a page.
fn blocks(page: &Path) -> Vec<Block> {
    let text = fs::read_to_string(page).unwrap();
    let mut lines = text.lines().enumerate();
    let mut found = Vec::new();
    while let Some((number, line)) = lines.next() {
        let Some(words) = line.strip_prefix("```console") else { continue };
        let words = words.split_whitespace().map(str::to_owned).collect();
        let mut turns: Vec<Turn> = Vec::new();
        let mut end: Option<String> = None;
        for (_, line) in lines.by_ref().take_while(|(_, line)| *line != "```") {
            if let Some(command) = line.strip_prefix("$ ") {
                end = command.split_once("<<").map(|(_, end)| end.trim_matches(['\'', ' ']).to_owned());
                turns.push(Turn { command: command.to_owned(), shown: Vec::new() });
                continue;
            }
            let turn = turns.last_mut().expect("a conversation begins with a command");
            if let Some(last) = &end {
                turn.command.push_str(&format!("\n{line}"));
                end = end.clone().filter(|_| line != last);
            } else {
                turn.shown.push(line.to_owned());
            }
        }
        let place = format!("{}:{}", page.file_name().unwrap().display(), number + 1);
        found.push(Block { place, words, turns });
    }
    found
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, name) = (entry.as_ref().unwrap().path(), entry.unwrap().file_name());
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else {
            fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

/// The lines fit those that are shown.
fn fits(found: &[&str], shown: &[String]) -> bool {
    match shown.split_first() {
        None => found.is_empty(),
        Some((line, rest)) if line == "..." => (0..=found.len()).any(|skipped| fits(&found[skipped..], rest)),
        Some((line, rest)) => found.split_first().is_some_and(|(first, more)| first == line && fits(more, rest)),
    }
}

/// A shell that runs a script in a directory, with the program on its path.
fn shell(script: &str, directory: &Path) -> Command {
    let binary = Path::new(env!("CARGO_BIN_EXE_lispwright")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).current_dir(directory).env("PATH", path).env("HOME", home());
    shell.env("XDG_CACHE_HOME", home().join("cache")).env("XDG_STATE_HOME", home().join("state"));
    for name in ["LISPWRIGHT_ROOT", "MCP_PROJECT_ROOT", "CLAUDE_PROJECT_DIR"] {
        shell.env_remove(name);
    }
    shell
}

/// Holds a conversation again; what went otherwise.
fn hold(block: &Block, directory: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    for Turn { command, shown } in &block.turns {
        if let Some(name) = command.strip_prefix("cat ") {
            fs::write(directory.join(name), format!("{}\n", shown.join("\n"))).unwrap();
            continue;
        }
        let output = shell(command, directory).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<&str> = said.lines().collect();
        // Without lines, it is enough that it succeeds.
        let is_right = if shown.is_empty() { output.status.success() } else { fits(&lines, shown) };
        if !is_right {
            let errors = String::from_utf8_lossy(&output.stderr);
            wrong.push(format!("{}: {command}\n{said}{errors}", block.place));
        }
    }
    wrong
}

#[test]
fn conversations_in_the_documents_go_as_they_are_shown() {
    let mut pages: Vec<PathBuf> =
        fs::read_dir(top().join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    pages.push(top().join("README.md"));
    pages.sort();
    let (mut held, mut wrong) = (0, Vec::new());
    for page in &pages {
        let mut directory = TempDir::new().unwrap();
        for block in blocks(page) {
            let has = |word: &str| block.words.iter().any(|known| known == word);
            if has("elsewhere") {
                continue;
            }
            if !has("again") {
                directory = TempDir::new().unwrap();
            }
            if has("ledger") {
                copy(&top().join("examples/ledger"), directory.path());
            }
            held += 1;
            wrong.extend(hold(&block, directory.path()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(held > 5, "only {held} conversations were held");
}

/// Each command of a script that begins in the example of the repository succeeds, unless it says otherwise.
#[test]
fn scripts_about_the_example_succeed() {
    let text = fs::read_to_string(top().join("README.md")).unwrap();
    let scripts: Vec<&str> = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let begun: Vec<&&str> = scripts.iter().filter(|script| script.starts_with("cd examples/ledger\n")).collect();
    assert!(!begun.is_empty());
    for script in begun {
        let directory = TempDir::new().unwrap();
        copy(&top().join("examples/ledger"), &directory.path().join("examples/ledger"));
        let (first, rest) = script.split_once('\n').unwrap();
        for command in rest.replace("\\\n", " ").lines() {
            let output = shell(&format!("{first} && {command}"), directory.path()).output().unwrap();
            let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            let code = i32::from(command.contains("# exit code 1"));
            assert_eq!(output.status.code(), Some(code), "{command}\n{said}{errors}");
        }
    }
}

#[test]
fn three_dots_stand_for_any_lines() {
    let shown = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(fits(&["a", "b", "c"], &shown("a\n...\nc")));
    assert!(fits(&["a", "c"], &shown("a\n...\nc\n...")));
    assert!(!fits(&["a", "b"], &shown("a\n...\nc")));
    assert!(!fits(&["a", "b"], &shown("a")));
}
