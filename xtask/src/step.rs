//! Running another program: shown before it runs, with no standard input, and with its failure explained.

use std::ffi::{OsStr, OsString};
use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The time to wait for output after a program has ended.
const GRACE: Duration = Duration::from_secs(2);

/// The reason why a command of the repository cannot continue.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Adds the name of the file to an input or output error.
pub(crate) trait About<T> {
    fn about(self, path: &Path) -> Result<T, Failure>;
}

impl<T> About<T> for std::io::Result<T> {
    fn about(self, path: &Path) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(format!("{}: {error}", path.display())))
    }
}

/// Announces the next piece of work.
pub(crate) fn say(text: impl fmt::Display) {
    println!("==> {text}");
}

/// One call of another program.
pub(crate) struct Step {
    command: Command,
}

impl Step {
    pub(crate) fn new(program: impl Into<OsString>) -> Self {
        let mut command = Command::new(program.into());
        command.stdin(Stdio::null());
        Self { command }
    }

    pub(crate) fn arg(&mut self, argument: impl AsRef<OsStr>) -> &mut Self {
        self.command.arg(argument);
        self
    }

    pub(crate) fn args<A: AsRef<OsStr>>(&mut self, arguments: impl IntoIterator<Item = A>) -> &mut Self {
        self.command.args(arguments);
        self
    }

    pub(crate) fn env(&mut self, name: &str, value: impl AsRef<OsStr>) -> &mut Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn inside(&mut self, directory: &Path) -> &mut Self {
        self.command.current_dir(directory);
        self
    }

    /// Takes the program's standard input from a file.
    pub(crate) fn input(&mut self, file: File) -> &mut Self {
        self.command.stdin(file);
        self
    }

    /// Drops everything that the program prints.
    pub(crate) fn silent(&mut self) -> &mut Self {
        self.command.stdout(Stdio::null()).stderr(Stdio::null());
        self
    }

    /// Writes the program's output to a file.
    pub(crate) fn output(&mut self, file: File) -> &mut Self {
        self.command.stdout(file);
        self
    }

    /// Writes what the program prints as its errors to a file.
    pub(crate) fn errors(&mut self, file: File) -> &mut Self {
        self.command.stderr(file);
        self
    }

    /// The call as one would type it in the workspace, shortened when it is long.
    fn shown(&self) -> String {
        let program = Path::new(self.command.get_program());
        let mut shown = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
        let workspace = format!("{}/", crate::workspace().display());
        for argument in self.command.get_args() {
            let argument = argument.to_string_lossy().replace(&workspace, "");
            let quote = if argument.contains([' ', '(', '"']) { "'" } else { "" };
            write!(shown, " {quote}{argument}{quote}").expect("writing to a string cannot fail");
        }
        match shown.char_indices().nth(280) {
            Some((cut, _)) => format!("{} ...", &shown[..cut]),
            None => shown,
        }
    }

    /// Runs the program with its output on the terminal; any other exit code than 0 is a failure.
    pub(crate) fn run(&mut self) -> Result<(), Failure> {
        println!("$ {}", self.shown());
        self.run_quietly(&[0])
    }

    /// Runs the program without announcing it; an exit code outside `accepted` is a failure.
    pub(crate) fn run_quietly(&mut self, accepted: &[i32]) -> Result<(), Failure> {
        let status = self.command.status().map_err(|error| self.unstarted(&error))?;
        match status.code() {
            Some(code) if accepted.contains(&code) => Ok(()),
            _ => Err(Failure::new(format!("`{}` ended with {status}", self.shown()))),
        }
    }

    /// The program's standard output, for any exit code; `None` when it cannot be started.
    pub(crate) fn answer(&mut self) -> Option<String> {
        let output = self.command.stderr(Stdio::null()).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Whether the program can be started and succeeds.
    pub(crate) fn succeeds(&mut self) -> bool {
        self.command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    }

    /// Runs the program with both outputs on the terminal and passes each line of them to `see` as well. Returns
    /// whether it succeeded.
    pub(crate) fn watch(&mut self, mut see: impl FnMut(&str)) -> Result<bool, Failure> {
        println!("$ {}", self.shown());
        let (reader, writer) = std::io::pipe().map_err(|error| Failure::new(format!("no pipe: {error}")))?;
        let second = writer.try_clone().map_err(|error| Failure::new(format!("no pipe: {error}")))?;
        let mut child = self.command.stdout(writer).stderr(second).spawn().map_err(|error| self.unstarted(&error))?;
        // The command holds the write ends; the pipe ends only when they are closed.
        self.command.stdout(Stdio::null()).stderr(Stdio::null());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(reader).split(b'\n').map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut ended: Option<(ExitStatus, Instant)> = None;
        loop {
            match lines.recv_timeout(Duration::from_millis(100)) {
                Ok(line) => {
                    let line = String::from_utf8_lossy(&line);
                    println!("{line}");
                    see(&line);
                }
                Err(RecvTimeoutError::Disconnected) => break,
                // A process that outlives the program keeps the pipe open; its output does not matter.
                Err(RecvTimeoutError::Timeout) if ended.is_some_and(|(_, at)| at.elapsed() > GRACE) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if ended.is_none() {
                ended =
                    child.try_wait().map_err(|error| self.unstarted(&error))?.map(|status| (status, Instant::now()));
            }
        }
        match ended {
            Some((status, _)) => Ok(status.success()),
            None => child.wait().map(|status| status.success()).map_err(|error| self.unstarted(&error)),
        }
    }

    fn unstarted(&self, error: &std::io::Error) -> Failure {
        Failure::new(format!("`{}` could not be started: {error}", self.shown()))
    }
}
