//! `lispwright selftest`: attacks the sandbox from inside, on the kernel of whoever asks.

use std::io::{ErrorKind, Read as _};
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use lispwright_platform::{Here, System as _};
use lispwright_runtime::{Hiding, SandboxChoice, SandboxConfig, TrialGround};
use serde_json::json;
use tempfile::TempDir;

use super::complaint::Complaint;
use super::outcome::failed;
use super::text::{print, print_json};

/// What confined code tries.
const ATTACKS: &str = include_str!("attacks.py");

/// The longest time of the attacks under one mechanism.
const PATIENCE: Duration = Duration::from_secs(120);

/// Attack the sandbox of `lispwright mcp --sandbox` from inside, under each mechanism that works here.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lispwright selftest --sandbox\n\n\
    Needs python3. Nothing outside of a temporary directory is touched, unless an attack succeeds.\n\
    Exit code: 0 when every attack under every mechanism that works here was held, 1 when one was not or none works, 2 when \
    nothing could be tried.")]
pub(crate) struct Args {
    /// Try to write, read, send, signal and mount what the sandbox forbids
    #[arg(long, required = true)]
    sandbox: bool,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// The attacks under one mechanism.
#[derive(Debug, Default)]
struct Tried {
    held: Vec<String>,
    /// Those that succeeded, or failed otherwise than they have to.
    broken: Vec<String>,
    /// Those for which there is nothing to attack.
    absent: Vec<String>,
}

impl Tried {
    /// Reads the lines of the attacks: a name, and `held`, `absent` or `BROKEN` with what happened.
    fn read(said: &str) -> Self {
        let mut tried = Self::default();
        for (name, verdict) in said.lines().filter_map(|line| line.split_once(' ')) {
            match verdict {
                "held" => tried.held.push(name.to_owned()),
                "absent" => tried.absent.push(name.to_owned()),
                _ => tried.broken.push(format!("{name}{}", verdict.trim_start_matches("BROKEN"))),
            }
        }
        tried
    }
}

pub(crate) fn run(args: Args) -> ExitCode {
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => {
            return failed(
                "selftest",
                args.json,
                Complaint::new("FILE_NOT_FOUND", format_args!("this program: {error}")),
            );
        }
    };
    let mut rows = Vec::new();
    for (name, choice) in [
        ("bubblewrap", SandboxChoice::Bubblewrap),
        ("namespaces", SandboxChoice::Namespaces),
        ("landlock", SandboxChoice::Landlock),
    ] {
        match tried(&program, choice) {
            Ok(tried) => rows.push((name, tried)),
            Err(error) => {
                return failed(
                    "selftest",
                    args.json,
                    Complaint::new("RUNTIME_MISSING", format_args!("{name}: {error}")),
                );
            }
        }
    }
    let works = rows.iter().any(|(_, tried)| tried.is_ok());
    let holds = rows.iter().all(|(_, tried)| tried.as_ref().map_or(true, |tried| tried.broken.is_empty()));
    let best = rows.iter().find(|(_, tried)| tried.is_ok()).map(|(name, _)| *name);
    if args.json {
        let mechanisms = rows.iter().map(|(name, tried)| match tried {
            Ok(tried) => json!({
                "mechanism": name, "works": true, "held": tried.held, "broken": tried.broken, "absent": tried.absent
            }),
            Err(why) => json!({ "mechanism": name, "works": false, "why": why }),
        });
        let mechanisms: Vec<_> = mechanisms.collect();
        print_json(&json!({ "holds": works && holds, "used": best, "mechanisms": mechanisms }));
    } else {
        let mut lines: Vec<String> = rows.iter().map(|(name, tried)| line(name, tried.as_ref())).collect();
        lines.push(match (best, holds) {
            (None, _) => "No mechanism works here: with --sandbox no image starts (docs/security.md).".to_owned(),
            (Some(best), true) => format!("`lispwright mcp --sandbox` takes {best} here."),
            (Some(_), false) => {
                "The sandbox does not hold here. Do not run code with it that you do not trust, and please report this with \
                 `uname -a`."
                    .to_owned()
            }
        });
        print(&lines.join("\n"));
    }
    if works && holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The line about one mechanism.
fn line(name: &str, tried: Result<&Tried, &String>) -> String {
    let tried = match tried {
        Ok(tried) => tried,
        Err(why) => return format!("{name}: does not work here: {why}"),
    };
    let mut line = format!("{name}: {} attacks held", tried.held.len());
    if !tried.broken.is_empty() {
        line.push_str(&format!(", {} SUCCEEDED: {}", tried.broken.len(), tried.broken.join(", ")));
    }
    if !tried.absent.is_empty() {
        line.push_str(&format!("; there is nothing to attack for {}", tried.absent.join(", ")));
    }
    line
}

/// A process that ends when this is dropped.
struct Victim(Child);

impl Drop for Victim {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// What listens outside, for whatever gets out.
struct Listeners {
    tcp: TcpListener,
    udp: UdpSocket,
    file: UnixListener,
    datagrams: UnixDatagram,
    /// The one whose name no file has.
    name: Option<UnixListener>,
    /// The socket that is a file; the one for datagrams has `.datagrams` behind its name.
    path: PathBuf,
}

impl Listeners {
    fn new(directory: &Path) -> io::Result<Self> {
        let local = SocketAddr::from(([127, 0, 0, 1], 0));
        let path = directory.join("socket");
        let all = Self {
            tcp: TcpListener::bind(local)?,
            udp: UdpSocket::bind(local)?,
            file: UnixListener::bind(&path)?,
            datagrams: UnixDatagram::bind(directory.join("socket.datagrams"))?,
            name: Here::listen_at_name(directory.as_os_str().as_encoded_bytes())?,
            path,
        };
        all.tcp.set_nonblocking(true)?;
        all.udp.set_nonblocking(true)?;
        all.file.set_nonblocking(true)?;
        all.datagrams.set_nonblocking(true)?;
        all.name.as_ref().map_or(Ok(()), |name| name.set_nonblocking(true))?;
        Ok(all)
    }

    /// Each way, and whether somebody has come by it.
    fn reached(&self) -> [(&'static str, bool); 5] {
        let mut byte = [0];
        [
            ("tcp", self.tcp.accept().is_ok()),
            ("udp", self.udp.recv(&mut byte).is_ok()),
            ("unix-socket", self.file.accept().is_ok()),
            ("unix-datagram", self.datagrams.recv(&mut byte).is_ok()),
            ("abstract-socket", self.name.as_ref().is_some_and(|name| name.accept().is_ok())),
        ]
    }
}

/// Attacks one mechanism; the inner error is why it does not work here.
///
/// Errors: what the attacks need is not there.
fn tried(program: &Path, choice: SandboxChoice) -> io::Result<Result<Tried, String>> {
    let directory = tempfile::Builder::new().prefix("lispwright-selftest-").tempdir()?;
    let at = |name: &str| directory.path().join(name);
    let root = at("root");
    fs::create_dir(&root)?;
    for (path, text) in [(at("outside"), "untouched"), (root.join("inside"), ""), (at("hidden"), "a key")] {
        fs::write(path, text)?;
    }
    let hiding = Hiding { hide: vec![at("hidden")], ..Hiding::default() };
    let wanted = SandboxConfig { choice, program: program.to_owned(), writable: Vec::new(), hiding };
    let ground = match TrialGround::new(&wanted, &root, &at("cache")) {
        Ok(ground) => ground,
        Err(why) => return Ok(Err(why.trim_start_matches("--sandbox: ").to_owned())),
    };
    let listeners = Listeners::new(directory.path())?;
    let victim = Victim(Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn()?);
    let said = attacked(&ground, &directory, &listeners, &victim)?;
    let mut tried = Tried::read(&said);
    for (way, reached) in listeners.reached() {
        if reached { &mut tried.broken } else { &mut tried.held }.push(way.to_owned());
    }
    let untouched = fs::read_to_string(at("outside")).is_ok_and(|text| text == "untouched");
    if !untouched {
        tried.broken.push("file-outside".to_owned());
    }
    Ok(Ok(tried))
}

/// What the attacks say, the last line `end`.
fn attacked(ground: &TrialGround, directory: &TempDir, listeners: &Listeners, victim: &Victim) -> io::Result<String> {
    let at = |name: &str| directory.path().join(name);
    let metadata = if ground.mechanism() == "landlock" { "changes" } else { "stays" };
    let mut command = ground.command("python3");
    command.args(["-I", "-c", ATTACKS]);
    command.args([std::process::id(), victim.0.id()].map(|number| number.to_string()));
    command.arg(listeners.tcp.local_addr()?.port().to_string()).arg(listeners.udp.local_addr()?.port().to_string());
    command.arg(&listeners.path).arg(directory.path()).arg(at("outside")).arg(at("root/inside")).arg(metadata);
    command.arg(at("hidden"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let reader = thread::spawn(move || text(stdout));
    let complaints = thread::spawn(move || text(stderr));
    let began = Instant::now();
    while child.try_wait()?.is_none() {
        if began.elapsed() > PATIENCE {
            drop(child.kill());
            drop(child.wait());
            return Err(io::Error::new(ErrorKind::TimedOut, format!("no end after {} s", PATIENCE.as_secs())));
        }
        thread::sleep(Duration::from_millis(20));
    }
    let said = reader.join().unwrap_or_default();
    if said.lines().last() == Some("end") {
        return Ok(said);
    }
    let complaints = complaints.join().unwrap_or_default();
    let why = complaints.lines().last().unwrap_or("they ended early").to_owned();
    Err(io::Error::other(format!("the attacks, a program for python3, could not be run: {why}")))
}

fn text(pipe: Option<impl io::Read>) -> String {
    let mut bytes = Vec::new();
    pipe.map(|pipe| pipe.take(1 << 20).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn an_attack_that_was_not_held_is_told() {
        let tried = Tried::read("write held\ntruncate BROKEN\nbpf BROKEN EINVAL\nterminal absent\nend\n");
        assert_eq!(
            line("namespaces", Ok(&tried)),
            "namespaces: 1 attacks held, 2 SUCCEEDED: truncate, bpf EINVAL; there is nothing to attack for terminal"
        );
    }

    #[test]
    fn whoever_comes_is_seen() {
        let directory = tempfile::tempdir().unwrap();
        let listeners = Listeners::new(directory.path()).unwrap();
        assert!(listeners.reached().iter().all(|(_, reached)| !reached));
        let guest = std::os::unix::net::UnixStream::connect(&listeners.path).unwrap();
        let reached: Vec<_> = listeners.reached().into_iter().filter(|(_, reached)| *reached).collect();
        assert_eq!(reached, [("unix-socket", true)]);
        drop(guest);
    }
}
