//! What modules of installed libraries export, where only their implementation can say it.
//!
//! A process of the implementation is asked for all of them at once. It loads what is compiled and runs none of it; a
//! module that would have to be compiled first is not known.

use std::io::{self, Read as _, Write as _};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use lispwright_syntax::Dialect;

use crate::backends::Runtime;
use crate::environment::{distrusts, entrust};

/// So long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// At most so many bytes of an answer are read.
const MOST_BYTES: u64 = 64 << 20;

/// What each of the modules exports, in their order; `None` of one that is not installed or not compiled, and `None` of all
/// where the language has no implementation here that can be asked, or that gives no answer. Waits for a process of that, for
/// 10 s at most.
#[must_use]
pub fn library_exports(dialect: Dialect, modules: &[String]) -> Option<Vec<Option<Vec<String>>>> {
    let runtime = Runtime::for_dialect(dialect)?;
    let told = match ask(runtime, modules)? {
        Ok(told) => told,
        Err(error) => {
            tracing::warn!(runtime = runtime.name, %error, "what libraries export is not known");
            return None;
        }
    };
    let mut lines = told.lines();
    let names = |line: &str| line.split(' ').map(str::to_owned).collect();
    Some(modules.iter().map(|_| lines.next().filter(|line| !line.is_empty()).map(names)).collect())
}

/// What the implementation prints: a line for each module, with the names that it exports; empty for one that is not known.
fn ask(runtime: Runtime, modules: &[String]) -> Option<io::Result<String>> {
    let arguments = runtime.exports?;
    let program = runtime.find()?;
    let mut command = Command::new(program);
    entrust(&mut command);
    // The user's libraries can be links to the project.
    command.args(arguments(!distrusts())).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let asked: String = modules.iter().map(|module| module.replace('\n', " ") + "\n").collect();
    Some(converse(command, asked))
}

fn converse(mut command: Command, asked: String) -> io::Result<String> {
    let mut child = command.spawn()?;
    let mut input = child.stdin.take().expect("standard input was asked for as a pipe");
    let output = child.stdout.take().expect("standard output was asked for as a pipe");
    let (done, answer) = mpsc::channel();
    let reading = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.take(MOST_BYTES).read_to_end(&mut bytes);
        drop(done.send(read.map(|_| bytes)));
    });
    // The end of its input, which the end of the server is, too, ends the process. One that does not read is not waited for.
    let writing = std::thread::spawn(move || input.write_all(asked.as_bytes()));
    let read = answer.recv_timeout(PATIENCE);
    if read.is_err() {
        drop(child.kill());
    }
    let status = child.wait()?;
    drop((reading.join(), writing.join()));
    let bytes = read.map_err(|_| io::Error::other(format!("it took more than {} s", PATIENCE.as_secs())))??;
    match status.success() {
        true => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        false => Err(io::Error::other(format!("it ended with {status}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_that_is_not_there_is_not_known_and_hides_no_other() {
        let modules =
            ["racket/string.rkt", "no/such\nthing.rkt", "", "no/such\rthing.rkt", "racket/list.rkt"].map(str::to_owned);
        let told = library_exports(Dialect::Racket, &modules).unwrap_or_default();
        let has = |at: usize, name: &str| told[at].as_ref().is_some_and(|all| all.iter().any(|one| one == name));
        assert!(has(0, "string-join") && has(4, "first") && !has(0, "first"));
        assert_eq!((told.len(), &told[1..4]), (5, &[None, None, None][..]));
    }

    #[test]
    fn a_language_without_such_an_implementation_has_no_answer() {
        assert_eq!(library_exports(Dialect::Clojure, &["clojure.set".to_owned()]), None);
    }
}
