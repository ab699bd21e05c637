//! Plays a conversation that people can follow: the agent's goal, its call, the answer, and the check of that.

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::picture::Frame;
use crate::client::{Answer, Client};
use crate::step::{About, Failure, Step};

/// The most lines of one answer that are shown.
const SHOWN_LINES: usize = 32;

/// The expected kind of an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Done,
    Refused,
}

/// A conversation with a server that works below `root`.
pub(crate) struct Day {
    client: Client,
    root: PathBuf,
    ink: Ink,
    calls: u32,
    checks: u32,
    /// The goal of the next call, if the picture has it.
    shows: Option<String>,
    frames: Vec<Frame>,
}

impl Day {
    pub(crate) fn begin(client: Client, root: &Path) -> Self {
        Self {
            client,
            root: root.to_path_buf(),
            ink: Ink::for_terminal(),
            calls: 0,
            checks: 0,
            shows: None,
            frames: Vec::new(),
        }
    }

    /// Prints the agent's goal.
    pub(crate) fn tell(&self, text: &str) {
        println!("\n{}", self.ink.bold(text));
    }

    /// Prints the agent's goal, and has the next call in the picture.
    pub(crate) fn show(&mut self, text: &str) {
        self.tell(text);
        self.shows = Some(text.to_owned());
    }

    /// A plain request.
    pub(crate) fn request(&mut self, method: &str) -> Result<Value, Failure> {
        println!("{} {method}", self.ink.cyan("-->"));
        self.client.request(method, Value::Object(Map::new()))
    }

    /// Prints a line that summarizes an answer.
    pub(crate) fn note(&self, text: &str) {
        println!("{} {text}", self.ink.green("<--"));
    }

    /// Calls a tool, prints call and answer, and checks that it went as wanted and that the answer contains each of
    /// `phrases`, in any letter case.
    pub(crate) fn call(
        &mut self,
        tool: &str,
        arguments: Value,
        wanted: Wanted,
        phrases: &[&str],
    ) -> Result<Answer, Failure> {
        let call = call_lines(tool, &arguments);
        println!("{}", self.ink.cyan(&call[0]));
        call[1..].iter().for_each(|line| println!("{line}"));
        let answer = self.client.call(tool, &arguments)?;
        self.show_answer(&answer);
        if let Some(goal) = self.shows.take() {
            // The place is another one in each run.
            let root = format!("{}/", self.root.display());
            let lines = answer.text.lines().map(|line| line.replace(&root, "")).collect();
            self.frames.push(Frame { goal, call, answer: lines, refused: answer.is_error });
        }
        self.calls += 1;
        let refused = if answer.is_error { Wanted::Refused } else { Wanted::Done };
        self.check(refused == wanted, || {
            let verdict = if answer.is_error { "refused" } else { "carried out" };
            format!("{tool} was {verdict}, which the story does not expect")
        })?;
        let text = answer.text.to_lowercase();
        for phrase in phrases {
            self.check(text.contains(&phrase.to_lowercase()), || format!("the answer of {tool} lacks {phrase:?}"))?;
        }
        Ok(answer)
    }

    /// An action outside of the conversation.
    pub(crate) fn shell(&self, command: &str) -> Result<(), Failure> {
        println!("  $ {command}");
        Step::new("sh").args(["-c", command]).run_quietly(&[0])
    }

    /// The current text of a file below the root.
    pub(crate) fn file(&self, path: &str) -> Result<String, Failure> {
        let path = self.root.join(path);
        fs::read_to_string(&path).about(&path)
    }

    /// Ends the story with `complaint` unless `holds`.
    pub(crate) fn check(&mut self, holds: bool, complaint: impl FnOnce() -> String) -> Result<(), Failure> {
        if holds {
            self.checks += 1;
            Ok(())
        } else {
            Err(Failure::new(complaint()))
        }
    }

    /// Closes the connection, prints the summary, and answers with what the picture has.
    pub(crate) fn end(self) -> Result<Vec<Frame>, Failure> {
        self.client.hang_up()?;
        println!("\n{}", self.ink.bold(&format!("demo: {} calls, {} checks passed", self.calls, self.checks)));
        Ok(self.frames)
    }

    fn show_answer(&self, answer: &Answer) {
        let milliseconds = answer.took.as_secs_f64() * 1e3;
        let verdict = if answer.is_error { self.ink.red("refused") } else { self.ink.green("answer") };
        println!("{} {verdict} in {milliseconds:.1} ms", self.ink.green("<--"));
        let lines: Vec<&str> = answer.text.lines().collect();
        for line in lines.iter().take(SHOWN_LINES) {
            println!("    {} {line}", self.ink.dim("|"));
        }
        if lines.len() > SHOWN_LINES {
            println!(
                "    {} {}",
                self.ink.dim("|"),
                self.ink.dim(&format!("... {} more lines", lines.len() - SHOWN_LINES))
            );
        }
    }
}

/// A call, its tool first.
fn call_lines(tool: &str, arguments: &Value) -> Vec<String> {
    let mut lines = vec![format!("--> {tool}")];
    for (name, value) in arguments.as_object().into_iter().flatten() {
        match value {
            Value::String(text) if text.contains('\n') => {
                lines.push(format!("      {name}:"));
                lines.extend(text.lines().map(|line| format!("        {line}")));
            }
            Value::String(text) => lines.push(format!("      {name}: {text}")),
            other => lines.push(format!("      {name}: {other}")),
        }
    }
    lines
}

/// Colours, on a terminal only.
struct Ink {
    coloured: bool,
}

impl Ink {
    fn for_terminal() -> Self {
        let coloured = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        Self { coloured }
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.coloured { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    fn bold(&self, text: &str) -> String {
        self.paint("1", text)
    }

    fn dim(&self, text: &str) -> String {
        self.paint("2", text)
    }

    fn red(&self, text: &str) -> String {
        self.paint("31", text)
    }

    fn green(&self, text: &str) -> String {
        self.paint("32", text)
    }

    fn cyan(&self, text: &str) -> String {
        self.paint("36", text)
    }
}
