//! The command lines that documents show are ones that the program takes: README.md, `docs/`, the pages of the plugins,
//! and the examples of `--help`.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Command, CommandFactory};

use super::CommandLine;

/// Names that follow `lispwright` in prose and are no commands: a process is called so.
const NO_COMMANDS: &[&str] = &["keep"];

/// The commands of a script for a shell, each with its words.
#[derive(Default)]
struct Script {
    commands: Vec<Vec<String>>,
    words: Vec<String>,
    word: Option<String>,
    /// The next word is the file of a redirection, or the end of a here-document.
    redirected: Option<bool>,
    /// The lines that end here-documents, which begin on the next line.
    ends: Vec<String>,
}

impl Script {
    fn read(text: &str) -> Vec<Vec<String>> {
        let mut script = Self::default();
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            let all = rest;
            rest = &rest[character.len_utf8()..];
            match character {
                ' ' | '\t' => script.end_word(),
                '\n' => {
                    script.end_command();
                    for end in std::mem::take(&mut script.ends) {
                        let body = rest.split_inclusive('\n').take_while(|line| line.trim_end() != end);
                        let read = body.map(str::len).sum::<usize>();
                        rest = rest[read..].split_once('\n').map_or("", |(_, rest)| rest);
                    }
                }
                ';' | '|' | '&' => script.end_command(),
                '<' | '>' => {
                    script.end_word();
                    script.redirected = Some(all.starts_with("<<"));
                    rest = rest.trim_start_matches(['<', '>', '&']);
                }
                '#' if script.word.is_none() => rest = &rest[rest.find('\n').unwrap_or(rest.len())..],
                '\\' if rest.starts_with('\n') => rest = &rest[1..],
                '\\' => {
                    let escaped = rest.chars().next();
                    script.word.get_or_insert_default().extend(escaped);
                    rest = &rest[escaped.map_or(0, char::len_utf8)..];
                }
                '\'' | '"' => {
                    let end = rest.find(character).unwrap_or(rest.len());
                    script.word.get_or_insert_default().push_str(&rest[..end]);
                    rest = rest.get(end + 1..).unwrap_or_default();
                }
                other => script.word.get_or_insert_default().push(other),
            }
        }
        script.end_command();
        script.commands
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match self.redirected.take() {
            None => self.words.push(word),
            Some(true) => self.ends.push(word),
            Some(false) => {}
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        let words = std::mem::take(&mut self.words);
        self.commands.extend((!words.is_empty()).then_some(words));
    }
}

/// The arguments of this program in a command that runs it, also through another program.
fn arguments(words: &[String]) -> Option<&[String]> {
    let is_ours = |word: &String| word == "lispwright";
    let begun = words.iter().position(|word| !word.contains('='))?;
    match words[begun].as_str() {
        "lispwright" => Some(&words[begun + 1..]),
        "npx" | "uvx" => words.get(begun + 1).filter(|word| is_ours(word)).map(|_| &words[begun + 2..]),
        // `claude mcp add lispwright -- lispwright mcp`
        _ => {
            let after = words.iter().position(|word| word == "--")? + 1;
            words.get(after).filter(|word| is_ours(word)).map(|_| &words[after + 1..])
        }
    }
}

/// A word that stands for another.
fn is_placeholder(word: &str) -> bool {
    let word = word.trim_matches(['\'', '(', ')']);
    word.contains(['…', '[']) || word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase() || "-_:|".contains(c))
}

/// What the program says against a command line. In prose, commands are also named without what they need.
fn fault(arguments: &[String], in_prose: bool) -> Option<String> {
    if in_prose && arguments.first().is_some_and(|name| NO_COMMANDS.contains(&name.as_str())) {
        return None;
    }
    let words = std::iter::once("lispwright").chain(arguments.iter().map(|word| match word.split_once("[=") {
        // `--changed[=REVISION]`
        Some((option, _)) => option,
        None => word.as_str(),
    }));
    let error = CommandLine::command().try_get_matches_from(words).err()?;
    let is_loose = in_prose || arguments.iter().any(|word| is_placeholder(word));
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => None,
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand => Some(error.to_string()),
        // A name that looks like an option.
        ErrorKind::ValueValidation if error.to_string().contains("no such option") => Some(error.to_string()),
        _ if is_loose => None,
        _ => Some(error.to_string()),
    }
}

/// The command lines of a page of Markdown: those of its blocks for a shell, and those in its prose, told apart.
fn of_page(text: &str) -> Vec<(Vec<String>, bool)> {
    let (mut found, mut prose) = (Vec::new(), String::new());
    let mut add = |script: &str, in_prose| {
        let commands = Script::read(script);
        found.extend(commands.iter().filter_map(|words| Some((arguments(words)?.to_vec(), in_prose))));
    };
    let mut block: Option<(&str, String)> = None;
    for line in text.lines() {
        let fence = line.trim_start().strip_prefix("```");
        match (&mut block, fence) {
            (None, Some(kind)) => block = Some((kind.split_whitespace().next().unwrap_or_default(), String::new())),
            (None, None) => prose.push_str(&format!("{line}\n")),
            (Some((_, text)), None) => text.push_str(&format!("{line}\n")),
            (Some((kind, text)), Some(_)) => {
                match *kind {
                    "sh" => add(text, false),
                    "console" | "text" | "" => add(&typed(text), false),
                    _ => {}
                }
                block = None;
            }
        }
    }
    prose.split('`').skip(1).step_by(2).filter(|span| span.starts_with("lispwright ")).for_each(|span| add(span, true));
    found
}

/// What is typed in a conversation with a shell: what follows `$ `, with its here-documents.
fn typed(text: &str) -> String {
    let mut lines = text.lines();
    let mut out = String::new();
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("$ ") else { continue };
        out.push_str(&format!("{command}\n"));
        if let Some((_, end)) = command.split_once("<<") {
            let end = end.trim_matches(['\'', '"', ' ']);
            for line in lines.by_ref() {
                out.push_str(&format!("{line}\n"));
                if line == end {
                    break;
                }
            }
        }
    }
    out
}

fn pages() -> Vec<PathBuf> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pending = ["docs", "plugins", "examples", "images"].map(|name| top.join(name)).to_vec();
    let mut found = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"].map(|name| top.join(name)).to_vec();
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_script_is_read_as_a_shell_reads_it() {
    let read = |text: &str| {
        let commands = Script::read(text);
        commands.iter().map(|words| words.join("|")).collect::<Vec<_>>()
    };
    assert_eq!(read("a 'b c' \\\n  d  # e\nf && g; h \"i\" > j"), ["a|b c|d", "f", "g", "h|i"]);
    assert_eq!(read("a <<'END' b\nc\nEND\nd < e"), ["a|b", "d"]);
    assert_eq!(read("a '' b#c"), ["a||b#c"]);
}

#[test]
fn every_command_line_of_the_documents_is_taken() {
    let (mut seen, mut wrong) = (0, Vec::new());
    for page in pages() {
        for (arguments, in_prose) in of_page(&fs::read_to_string(&page).unwrap()) {
            seen += 1;
            let said = fault(&arguments, in_prose);
            wrong.extend(said.map(|said| format!("{}: lispwright {}\n{said}", page.display(), arguments.join(" "))));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 150, "only {seen} command lines are found");
    let page =
        "`lispwright refs --bogus`\n```sh\nlispwright setup nobody\n```\n```text\n$ lispwright frobnicate\n```\n";
    let faults = of_page(page).iter().filter(|(arguments, in_prose)| fault(arguments, *in_prose).is_some()).count();
    assert_eq!(faults, 3);
}

#[test]
fn every_example_of_the_help_is_taken() {
    fn examples(command: &Command, found: &mut Vec<String>) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        found.extend(help.lines().filter(|line| line.starts_with("  ")).map(str::to_owned));
        command.get_subcommands().for_each(|command| examples(command, found));
    }
    let mut lines = Vec::new();
    examples(&CommandLine::command(), &mut lines);
    let (mut seen, mut wrong) = (0, Vec::new());
    for line in &lines {
        for words in Script::read(line) {
            let Some(arguments) = arguments(&words) else { continue };
            seen += 1;
            wrong.extend(fault(arguments, false).map(|said| format!("{line}\n{said}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 40, "only {seen} examples are found");
}
