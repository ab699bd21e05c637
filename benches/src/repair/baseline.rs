//! Repair methods to compare with, each as published elsewhere or as anyone would write it in an hour.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use lispwright_syntax::{Delimiter, Dialect, TokenKind, read_plain};

/// A text made to balance, or `None` when the method gives up.
pub(crate) type Method = fn(&str, Dialect) -> Option<String>;

/// The methods that need no other program: closers at the end, column-0 anchor, parser position.
pub(crate) const METHODS: [Method; 3] = [at_end, column_0, parser_position];

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
    balanced(closed_at_end(text, open), dialect)
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

/// Inserts the delimiter that the parser expects at its error, and drops the one that it does not expect.
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
    balanced(closed_at_end(&out, open), dialect)
}

/// `text` with closers for the open delimiters before the white space at its end.
fn closed_at_end(text: &str, open: Vec<Delimiter>) -> String {
    let code = text.trim_end();
    let closers: String = open.into_iter().rev().map(Delimiter::close).collect();
    format!("{code}{closers}{}", &text[code.len()..])
}

fn balanced(text: String, dialect: Dialect) -> Option<String> {
    read_plain(&text, dialect).diagnostics().is_empty().then_some(text)
}

/// A script with one line of input for each line of output.
const PARINFER: &str = include_str!("parinfer.js");
const MANIFEST: &str = include_str!("parinfer/package.json");
const LOCK: &str = include_str!("parinfer/package-lock.json");

/// Parinfer's indent mode, as its reference implementation runs it in Node.
pub(crate) struct Parinfer {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Parinfer {
    /// Puts the package, in the version of the lock file, into `folder`.
    pub(crate) fn install(folder: &Path) -> Result<(), String> {
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).map_err(|error| error.to_string());
        let version = folder.join("node_modules/parinfer/package.json");
        let same = |name: &str, text: &str| std::fs::read_to_string(folder.join(name)).is_ok_and(|found| found == text);
        if !Command::new("node").arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success()) {
            return Err("there is no node on the PATH".to_owned());
        }
        if version.is_file() && same("package-lock.json", LOCK) {
            return Ok(());
        }
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        write("package.json", MANIFEST)?;
        write("package-lock.json", LOCK)?;
        let call = ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
        let output = Command::new("npm").args(call).current_dir(folder).stdin(Stdio::null()).output();
        match output {
            Ok(output) if output.status.success() => Ok(()),
            Ok(output) => Err(format!("npm ci: {}", String::from_utf8_lossy(&output.stderr).trim())),
            Err(error) => Err(format!("npm: {error}")),
        }
    }

    /// Starts it from the `folder` of [`Self::install`].
    pub(crate) fn start(folder: &Path) -> Option<Self> {
        let mut child = Command::new("node")
            .args(["-e", PARINFER])
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let requests = child.stdin.take()?;
        let answers = BufReader::new(child.stdout.take()?);
        Some(Self { child, requests, answers })
    }

    /// A text made to balance; the outer `None` means that Node has ended.
    pub(crate) fn answer(&mut self, text: &str, dialect: Dialect) -> Option<Option<String>> {
        let mut request = serde_json::json!([text, dialect.name()]).to_string();
        request.push('\n');
        self.requests.write_all(request.as_bytes()).ok()?;
        self.requests.flush().ok()?;
        let mut line = String::new();
        self.answers.read_line(&mut line).ok()?;
        let answer: Option<String> = serde_json::from_str(&line).ok()?;
        Some(answer.and_then(|text| balanced(text, dialect)))
    }
}

impl Drop for Parinfer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_method_does_what_it_is_known_for() {
        let text = "(a (b c)\n(d (e\n";
        let lisp = Dialect::CommonLisp;
        assert_eq!(at_end(text, lisp).as_deref(), Some("(a (b c)\n(d (e)))\n"));
        assert_eq!(column_0(text, lisp).as_deref(), Some("(a (b c))\n(d (e))\n"));
        assert_eq!(parser_position(text, lisp).as_deref(), Some("(a (b c)\n(d (e)))\n"));
        assert_eq!(at_end("(a))", lisp), None);
        assert_eq!(column_0("(a))\n(b)", lisp).as_deref(), Some("(a)\n(b)"));
        assert_eq!(parser_position("[a (b]", Dialect::Clojure).as_deref(), Some("[a (b)]"));
    }
}
