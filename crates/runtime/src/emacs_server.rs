//! The owner's own Emacs: a client of the server that `emacsclient` talks to.
//!
//! Each request is a connection of its own: it sends a form and receives the printed value. The form is a call of the
//! agent of our own workers, which is loaded into the Emacs when a session attaches (`images/emacs-lisp/joined.el`).
//!
//! An Emacs does one thing at a time, and only its owner can quit it. The agent stops code that waits when its time is
//! up; a busy loop continues, with the connection closed.

use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lispwright_project::{Links, read_regular};
use rustix::process::geteuid;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpStream, UnixStream};

use crate::backends::{Runtime, emacs};
use crate::capture::{Kept, Printed};
use crate::eval::Answer;
use crate::factory::StartError;
use crate::image::hash;
use crate::remote::{Called, Lost, Protocol, Reached};
use crate::request::Request;
use crate::session::Image;
use crate::stop::{Controls, Death, StopReason};
use crate::wire::{Value, keyed};

/// The time for an idle Emacs to answer a small question.
const HELLO_LIMIT: Duration = Duration::from_secs(30);

/// The time for it to read the agent.
const DEFINE_LIMIT: Duration = Duration::from_secs(120);

/// The extra time for an Emacs, which stops waiting code by itself, after the time of the code.
const GRACE: Duration = Duration::from_secs(2);

/// The number of bytes that are read of a file with a port and a key.
const MOST_OF_FILE: u64 = 4096;

/// The number of bytes that are read of an answer.
const MOST: u64 = 64 << 20;

/// The server of one session.
#[derive(Default)]
pub(crate) struct EmacsServer {
    /// The file of the server that the session is attached to: a socket, or a text with a port and a key.
    attached: Option<PathBuf>,
    /// The Emacs has loaded the agent.
    is_ready: bool,
    last_id: i64,
}

/// Both directions of a connection.
trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

impl EmacsServer {
    /// The file of the server that the session is attached to, even if the connection is lost.
    pub(crate) fn joined(&self) -> Option<&Path> {
        self.attached.as_deref()
    }

    /// Attaches to the server whose file is `path`, instead of the earlier one.
    pub(crate) async fn attach(&mut self, path: PathBuf) -> Result<Reached, StartError> {
        let known = prepare(&path).await?;
        self.attached = Some(path);
        self.is_ready = true;
        Ok(known)
    }

    /// Attaches again to the session's server after the connection was lost.
    pub(crate) async fn ensure(&mut self) -> Result<Option<Reached>, StartError> {
        if self.is_ready {
            return Ok(None);
        }
        let path = self.attached.as_ref().ok_or_else(|| StartError::Unattached(Runtime::speaking(Protocol::Emacs)))?;
        let known = prepare(path).await?;
        self.is_ready = true;
        Ok(Some(known))
    }

    /// Sends a request to the server; the session must have one.
    pub(crate) async fn call(&mut self, request: &Request, next_object: i64, controls: &Controls) -> Called {
        self.last_id += 1;
        let path = self.attached.clone().expect("the session is attached");
        let began = Instant::now();
        let mut message = vec![Value::keyword(request.operation().name())];
        message.extend(keyed([("ID", Value::Integer(self.last_id)), ("NEXT-OBJECT", Value::Integer(next_object))]));
        message.extend(request.arguments());
        let seconds = request.timeout().as_secs_f64();
        let call = format!("(lispwright-attend {} {seconds})", Value::text(Value::List(message).encode()).encode());
        let limit = request.timeout() + GRACE;
        let result = tokio::select! {
            answer = evaluate(&path, &call, limit) => answer.map_err(|failure| match failure {
                EvaluationFailure::Time => (Some(StopReason::Timeout), "it does not stop its evaluation".to_owned()),
                EvaluationFailure::Other(why) => (None, why),
            }),
            () = controls.kill.cancelled() => Err((Some(StopReason::Killed), "it was not asked to stop".to_owned())),
            () = controls.cancel.cancelled() => Err((Some(StopReason::Cancelled), "it was not asked to stop".to_owned())),
            () = controls.interrupt.cancelled() => {
                Err((Some(StopReason::Interrupted), "only its owner can quit, with C-g".to_owned()))
            }
        };
        let is_late = began.elapsed() >= request.timeout();
        let answer = result.and_then(|text| {
            let answer = Value::decode(unquoted(&text).as_bytes());
            answer.map_err(|error| (None, format!("its answer cannot be read: {error}")))
        });
        let text = |name| answer.as_ref().ok().and_then(|answer| answer.get_text(name));
        let (stdout, stderr) = (printed(text("STDOUT")), printed(text("STDERR")));
        let answer = match answer {
            Ok(answer) => Ok(Answer::read(&answer, is_late.then_some(StopReason::Timeout))),
            Err((reason, why)) => {
                self.is_ready = false;
                let status =
                    format!("the Emacs at {}: {why}; it belongs to somebody else and was left alone", path.display());
                Err(Lost { death: Death { status, exited: false, killed: false }, reason })
            }
        };
        Called { answer, earlier: Vec::new(), notices: Vec::new(), stdout, stderr, theirs: true, tests: None }
    }
}

fn printed(text: Option<&str>) -> Printed {
    let mut kept = Kept::default();
    kept.add(text.unwrap_or_default().as_bytes());
    kept.printed()
}

/// The file of the server called `name`, found like by `emacsclient`; a path is returned unchanged.
pub(crate) fn file_of(name: &str) -> Result<PathBuf, String> {
    let candidates: Vec<PathBuf> = if name.starts_with('/') {
        vec![name.into()]
    } else {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let temporary = variable("TMPDIR").unwrap_or_else(|| "/tmp".into());
        let home = variable("HOME");
        let configuration = variable("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
        [
            variable("XDG_RUNTIME_DIR").map(|directory| directory.join("emacs")),
            Some(temporary.join(format!("emacs{}", geteuid().as_raw()))),
            home.map(|home| home.join(".emacs.d/server")),
            configuration.map(|directory| directory.join("emacs/server")),
        ]
        .into_iter()
        .flatten()
        .map(|directory| directory.join(name))
        .collect()
    };
    let is_own = |path: &&PathBuf| path.metadata().is_ok_and(|data| data.uid() == geteuid().as_raw());
    candidates.iter().find(is_own).cloned().ok_or_else(|| {
        let places: Vec<String> = candidates.iter().map(|path| path.display().to_string()).collect();
        format!(
            "no Emacs of this user has a server called {name:?} (looked at {}). In the Emacs to join, M-x server-start starts \
             one; the variable server-name has its name",
            places.join(", ")
        )
    })
}

/// Whether the server whose file is `path` answers.
pub(crate) async fn listens(path: &Path) -> bool {
    connect(path).await.is_ok()
}

/// Asks the Emacs at `path` for its version and loads the agent into it if needed.
async fn prepare(path: &Path) -> Result<Reached, StartError> {
    let unusable = |failure: EvaluationFailure| {
        let why = match failure {
            EvaluationFailure::Time => "it does not answer in time, and may be busy".to_owned(),
            EvaluationFailure::Other(why) => why,
        };
        StartError::Unreachable(format!("the Emacs at {} cannot be joined: {why}", path.display()))
    };
    let text = emacs::joined_text();
    let version = hash(text.bytes()).to_string();
    let who = evaluate(path, "(format \"GNU Emacs %s (process %d)\" emacs-version (emacs-pid))", HELLO_LIMIT).await;
    let who = who.map_err(unusable)?;
    let question = "(format \"%s\" (get 'lispwright-attend 'lispwright-text))";
    if evaluate(path, question, HELLO_LIMIT).await.map_err(unusable)? != version {
        let definition = format!(
            "(progn (with-temp-buffer (insert {}) (eval-buffer)) (put 'lispwright-attend 'lispwright-text {version:?}) \"\")",
            Value::text(text).encode()
        );
        evaluate(path, &definition, DEFINE_LIMIT).await.map_err(unusable)?;
    }
    Ok(Reached {
        image: Image { ours: None, started: Instant::now(), version: format!("{who}, attached to {}", path.display()) },
        notice: None,
    })
}

/// The reason why there is no value.
#[derive(Debug)]
enum EvaluationFailure {
    /// It did not come in time.
    Time,
    /// In words.
    Other(String),
}

/// The string that `form` evaluates to in the Emacs at `path`, within `limit`.
async fn evaluate(path: &Path, form: &str, limit: Duration) -> Result<String, EvaluationFailure> {
    let broken = |error: std::io::Error| EvaluationFailure::Other(format!("the connection broke: {error}"));
    let exchange = async {
        let (mut stream, key) = connect(path).await.map_err(|error| EvaluationFailure::Other(error.to_string()))?;
        let line = format!("{key}-eval {} \n", quoted(form));
        stream.write_all(line.as_bytes()).await.map_err(broken)?;
        let mut bytes = Vec::new();
        stream.take(MOST).read_to_end(&mut bytes).await.map_err(broken)?;
        value_of(&String::from_utf8_lossy(&bytes)).map_err(EvaluationFailure::Other)
    };
    tokio::time::timeout(limit, exchange).await.unwrap_or(Err(EvaluationFailure::Time))
}

/// A connection to the server whose file is `path`, and the text that has to be sent first.
async fn connect(path: &Path) -> std::io::Result<(Box<dyn Stream>, String)> {
    if path.metadata()?.file_type().is_socket() {
        return Ok((Box::new(UnixStream::connect(path).await?), String::new()));
    }
    // `server-use-tcp`: the address and the number of the process, then the key.
    let bytes =
        read_regular(path, MOST_OF_FILE, Links::Followed).map_err(|error| std::io::Error::other(error.to_string()))?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines();
    let address = lines.next().and_then(|line| line.split(' ').next()).and_then(|address| address.parse().ok());
    let address: SocketAddr = address
        .filter(|address: &SocketAddr| address.ip().is_loopback())
        .ok_or_else(|| std::io::Error::other("the file names no address of this machine"))?;
    let key = lines.next().unwrap_or_default();
    Ok((Box::new(TcpStream::connect(address).await?), format!("-auth {key} ")))
}

/// The string whose printed form a server has sent, or its error.
fn value_of(answer: &str) -> Result<String, String> {
    let mut printed = String::new();
    for line in answer.lines() {
        if let Some(text) = line.strip_prefix("-print ").or_else(|| line.strip_prefix("-print-nonl ")) {
            printed.push_str(&unquoted(text));
        } else if let Some(text) = line.strip_prefix("-error ") {
            return Err(unquoted(text).trim().to_owned());
        }
    }
    match Value::decode(printed.as_bytes()) {
        Ok(Value::Text(text)) => Ok(text),
        _ => Err("it has closed the connection without an answer".to_owned()),
    }
}

/// `text` as an argument of `emacsclient`'s protocol (`server-quote-arg`).
fn quoted(text: &str) -> String {
    let quoted = text.replace('&', "&&").replace('\n', "&n").replace(' ', "&_");
    if quoted.starts_with('-') { format!("&{quoted}") } else { quoted }
}

/// The inverse of [`quoted`].
fn unquoted(text: &str) -> String {
    let mut characters = text.chars();
    let mut out = String::with_capacity(text.len());
    while let Some(character) = characters.next() {
        out.push(match character {
            '&' => match characters.next() {
                Some('n') => '\n',
                Some('_') => ' ',
                Some(other) => other,
                None => break,
            },
            other => other,
        });
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn unquoting_is_the_inverse_of_quoting() {
        for text in ["", "-a b", "a & b\n&n_-", "λ"] {
            assert_eq!(unquoted(&quoted(text)), text);
        }
        assert_eq!(quoted("-a b"), "&-a&_b");
    }

    #[test]
    fn an_answer_may_come_in_pieces_or_be_an_error() {
        assert_eq!(value_of("-emacs-pid 7\n-print \"a&_\n-print-nonl b\\\\\"&n\n"), Ok("a b\\".to_owned()));
        assert_eq!(value_of("-emacs-pid 7\n-error *ERROR*:&_no\n"), Err("*ERROR*: no".to_owned()));
        assert!(value_of("-emacs-pid 7\n").is_err());
    }
}
