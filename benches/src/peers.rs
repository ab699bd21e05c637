//! Evaluation servers of others with clients of their own protocols: the time of a round trip without this program.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::AsFd as _;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use lispwright_platform::{Here, System as _};

/// The format of requests and answers.
enum Wire {
    /// Messages with their length in front, in hexadecimal.
    Swank,
    /// Bencode, in this session.
    Nrepl(String),
    /// Lines, and a prompt.
    Guile,
}

/// A server, and a connection to it.
pub(crate) struct Peer {
    child: Child,
    /// Kept open: servers continue to write to it.
    _stdout: BufReader<ChildStdout>,
    socket: TcpStream,
    wire: Wire,
    next: u64,
}

impl Peer {
    /// A plain SBCL with the distribution's SWANK; `None` when that is not installed.
    pub(crate) fn swank() -> Option<Self> {
        let program = r#"(progn (require :asdf) (setf *error-output* *standard-output*)
  (handler-bind ((warning (function muffle-warning))) (funcall (intern "LOAD-SYSTEM" :asdf) :swank))
  (funcall (intern "CREATE-SERVER" :swank) :port 0 :style :spawn :dont-close t)
  (loop (sleep 60)))"#;
        let mut command = Command::new("sbcl");
        command.args(["--noinform", "--no-userinit", "--disable-debugger", "--eval", program]);
        Self::start(&mut command, "Swank started at port: ", Wire::Swank)
    }

    /// Clojure with the distribution's nREPL, and a session on it.
    pub(crate) fn nrepl() -> Option<Self> {
        let program = "(require 'nrepl.server) (println \"port\" (:port (nrepl.server/start-server))) @(promise)";
        let mut command = Command::new("java");
        command.args(["-cp", "/usr/share/java/*", "clojure.main", "-e", program]);
        let mut peer = Self::start(&mut command, "port ", Wire::Nrepl(String::new()))?;
        peer.socket.write_all(b"d2:op5:clonee").ok()?;
        let answer = String::from_utf8_lossy(&peer.read_until(b"4:doneee")).into_owned();
        let (_, session) = answer.split_once("11:new-session36:")?;
        peer.wire = Wire::Nrepl(session.get(..36)?.to_owned());
        Some(peer)
    }

    /// Guile with its own REPL server.
    pub(crate) fn guile() -> Option<Self> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).ok()?.local_addr().ok()?.port();
        let program = format!(
            "(use-modules (system repl server)) (let ((socket (make-tcp-server-socket #:port {port})))
               (format #t \"port {port}~%\") (force-output) (run-server socket))"
        );
        let mut command = Command::new("guile");
        command.args(["-q", "-c", &program]);
        let mut peer = Self::start(&mut command, "port ", Wire::Guile)?;
        peer.read_until(b"> ");
        Some(peer)
    }

    /// Starts a server and connects to the port that it prints after `words`.
    fn start(command: &mut Command, words: &str, wire: Wire) -> Option<Self> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        let mut stdout = BufReader::new(child.stdout.take()?);
        let port = stdout.by_ref().lines().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once(words)?;
            port.trim().trim_end_matches('.').parse::<u16>().ok()
        });
        let joined = port.and_then(|port| join(port).ok());
        let Some(socket) = joined else {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        };
        Some(Self { child, _stdout: stdout, socket, wire, next: 1 })
    }

    /// The seconds of one evaluation.
    pub(crate) fn eval(&mut self, code: &str) -> f64 {
        let id = self.next;
        self.next += 1;
        let begin = Instant::now();
        match &self.wire {
            Wire::Swank => {
                let message = format!("(:emacs-rex (swank:eval-and-grab-output {code:?}) \"CL-USER\" t {id})");
                let framed = format!("{:06x}{message}", message.len());
                self.socket.write_all(framed.as_bytes()).expect("SWANK reads");
                while !self.message().starts_with(b"(:return") {}
            }
            Wire::Nrepl(session) => {
                let length = code.len();
                let message = format!("d4:code{length}:{code}2:op4:eval7:session36:{session}e");
                self.socket.write_all(message.as_bytes()).expect("nREPL reads");
                self.read_until(b"4:doneee");
            }
            Wire::Guile => {
                self.socket.write_all(format!("{code}\n").as_bytes()).expect("Guile reads");
                self.read_until(b"> ");
            }
        }
        begin.elapsed().as_secs_f64()
    }

    /// The next message of SWANK's.
    fn message(&mut self) -> Vec<u8> {
        let mut length = [0; 6];
        self.socket.read_exact(&mut length).expect("SWANK answers");
        let length = usize::from_str_radix(&String::from_utf8_lossy(&length), 16).expect("SWANK frames messages");
        let mut message = vec![0; length];
        self.socket.read_exact(&mut message).expect("SWANK answers");
        message
    }

    /// The received bytes up to `end`. They are acknowledged at once: otherwise a server delays the rest by 40 ms.
    fn read_until(&mut self, end: &[u8]) -> Vec<u8> {
        let mut come = Vec::new();
        let mut bytes = [0; 4096];
        while !come.ends_with(end) {
            let count = self.socket.read(&mut bytes).expect("the server answers");
            assert!(count > 0, "the server has ended");
            Here::acknowledge_at_once(self.socket.as_fd());
            come.extend_from_slice(&bytes[..count]);
        }
        come
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection; a server may print its port a moment before it listens.
fn join(port: u16) -> std::io::Result<TcpStream> {
    let until = Instant::now() + Duration::from_secs(2);
    let socket = loop {
        match TcpStream::connect((Ipv4Addr::LOCALHOST, port)) {
            Err(_) if Instant::now() < until => std::thread::sleep(Duration::from_millis(20)),
            joined => break joined?,
        }
    };
    socket.set_nodelay(true)?;
    socket.set_read_timeout(Some(Duration::from_secs(30)))?;
    Ok(socket)
}
