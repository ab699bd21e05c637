//! Repairers to compare with, each as published elsewhere or as anyone would write it in an hour.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use lispwright_syntax::{Delimiter, Dialect, TokenKind, read_plain};

/// A text made to balance, or `None` when the method gives up.
pub(crate) type Method = fn(&str, Dialect) -> Option<String>;

/// The methods that need no other program.
pub(crate) const METHODS: [(&str, Method); 3] =
    [("closers at the end", at_end), ("column-0 anchor", column_0), ("parser position", parser_position)];

/// Closes everything open at the end of the text; gives up on anything else.
fn at_end(text: &str, dialect: Dialect) -> Option<String> {
    let tree = read_plain(text, dialect);
    let mut open = Vec::new();
    for (kind, _) in tree.tokens() {
        let Some(delimiter) = Delimiter::of(kind) else { continue };
        if kind.is_open() {
            open.push(delimiter);
        } else if open.pop() != Some(delimiter) {
            return None;
        }
    }
    let mut out = text.trim_end().to_owned();
    out.extend(open.into_iter().rev().map(Delimiter::close));
    out.push('\n');
    balanced(out, dialect)
}

/// Closes everything open before an opener in column 0, and drops closers that close nothing.
fn column_0(text: &str, dialect: Dialect) -> Option<String> {
    let tree = read_plain(text, dialect);
    let mut out = String::with_capacity(text.len());
    let mut open: Vec<Delimiter> = Vec::new();
    // Length of the output after the last token that is not white space or a comment.
    let mut code = 0;
    for (kind, span) in tree.tokens() {
        let body = &text[span.range()];
        let at = span.range().start;
        let column_0 = at == 0 || text.as_bytes()[at - 1] == b'\n';
        if kind.is_open() && column_0 && !open.is_empty() {
            let closers: String = open.drain(..).rev().map(Delimiter::close).collect();
            out.insert_str(code, &closers);
        }
        match Delimiter::of(kind) {
            Some(delimiter) if kind.is_open() => open.push(delimiter),
            Some(_) => match open.pop() {
                Some(due) => {
                    out.push(due.close());
                    code = out.len();
                    continue;
                }
                None => continue,
            },
            None => {}
        }
        out.push_str(body);
        if !kind.is_trivia() {
            code = out.len();
        }
    }
    let closers: String = open.drain(..).rev().map(Delimiter::close).collect();
    out.insert_str(code, &closers);
    balanced(out, dialect)
}

/// Puts what the parser expects where it complains, and drops what it does not expect.
fn parser_position(text: &str, dialect: Dialect) -> Option<String> {
    let tree = read_plain(text, dialect);
    let mut out = String::with_capacity(text.len());
    let mut open: Vec<Delimiter> = Vec::new();
    for (kind, span) in tree.tokens() {
        match Delimiter::of(kind) {
            Some(delimiter) if kind.is_open() => open.push(delimiter),
            Some(delimiter) => {
                if open.is_empty() {
                    continue;
                }
                while let Some(due) = open.pop_if(|due| *due != delimiter) {
                    out.push(due.close());
                }
                if open.pop().is_none() {
                    continue;
                }
            }
            None => {}
        }
        out.push_str(&text[span.range()]);
        if kind == TokenKind::UnterminatedString {
            out.push('"');
        }
    }
    let mut out = out.trim_end().to_owned();
    out.extend(open.into_iter().rev().map(Delimiter::close));
    out.push('\n');
    balanced(out, dialect)
}

fn balanced(text: String, dialect: Dialect) -> Option<String> {
    read_plain(&text, dialect).diagnostics().is_empty().then_some(text)
}

/// Feeds every text to parinfer's indent mode in one run of Node.
const PARINFER: &str = include_str!("parinfer.js");

/// What parinfer makes of each text; `None` when Node or the package `parinfer` cannot be had.
pub(crate) fn parinfer(texts: &[(String, Dialect)], folder: &Path) -> Option<Vec<Option<String>>> {
    if !folder.join("node_modules/parinfer").is_dir() {
        std::fs::create_dir_all(folder).ok()?;
        let install = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "parinfer@3.13.1"];
        let done = Command::new("npm").args(install).current_dir(folder).stdout(Stdio::null()).status();
        if !done.is_ok_and(|status| status.success()) {
            return None;
        }
    }
    let input: Vec<serde_json::Value> =
        texts.iter().map(|(text, dialect)| serde_json::json!([text, dialect.name()])).collect();
    let mut child = Command::new("node")
        .args(["-e", PARINFER])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    let bytes = serde_json::to_vec(&input).ok()?;
    let writer = std::thread::spawn(move || stdin.write_all(&bytes).is_ok());
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?;
    let answers: Vec<Option<String>> = serde_json::from_slice(&output.stdout).ok()?;
    let sound = answers.into_iter().zip(texts).map(|(answer, (_, dialect))| balanced(answer?, *dialect)).collect();
    Some(sound)
}
