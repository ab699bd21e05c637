//! `cargo xtask conformance`: what others say of a server of MCP, over every transport and in both eras.
//!
//! The official conformance suite, against a server with what the suite calls behind our transports and dispatcher
//! (`crates/server/tests/conformance`) and, where it needs nothing of the kind, against the product; the Inspector; the
//! official TypeScript clients. All from npm, below `target/conformance`; the official Python client is among the Rust tests.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use serde_json::Value;

use crate::files::Scratch;
use crate::step::{About, Failure, Step, say};
use crate::tally::Tally;
use crate::{cargo, npm, target, workspace};

/// The packages; a newer one is a change of its line.
const PACKAGES: [(&str, &str); 4] = [
    ("@modelcontextprotocol/conformance", "0.2.0-alpha.12"),
    ("@modelcontextprotocol/inspector", "2.12.0"),
    ("@modelcontextprotocol/client", "2.4.0"),
    ("@modelcontextprotocol/sdk", "1.32.2"),
];
/// The first Node that they run on, and the one that is installed where there is none.
const NODE: (u32, &str) = (22, "24.21.0");

/// The frozen sets of requirements. No failure is expected in them.
const REQUIREMENTS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// What the suite asks that any server can answer, by the revision.
const OF_ANY_SERVER: [(&str, &[&str]); 2] = [
    (
        "2025-11-25",
        &[
            "server-initialize",
            "ping",
            "tools-list",
            "server-sse-multiple-streams",
            "dns-rebinding-protection",
            "server-session-lifecycle",
        ],
    ),
    (
        "2026-07-28",
        &[
            "tools-list",
            "server-sse-multiple-streams",
            "dns-rebinding-protection",
            "http-header-validation",
            "input-required-result-unsupported-methods",
        ],
    ),
];

/// Runs all of it by itself.
pub(crate) fn run() -> Result<(), Failure> {
    let mut tally = Tally::default();
    check(&mut tally)?;
    tally.report()
}

/// Runs all of it, or says why not.
pub(crate) fn check(tally: &mut Tally) -> Result<(), Failure> {
    say("what others say of the server: conformance, Inspector, TypeScript clients");
    let tools = match Tools::install() {
        Ok(tools) => tools,
        Err(failure) => {
            say(format_args!("not run, because npm does not provide it: {failure}"));
            tally.skip();
            return Ok(());
        }
    };
    cargo().args(["build", "--package", "lispwright"]).run()?;
    let fixture = "lispwright-conformance-server";
    cargo().args(["build", "--package", "lispwright-server", "--features", "conformance", "--bin", fixture]).run()?;
    let debug = target().join("debug");
    let scratch = Scratch::new("conformance")?;
    let project = scratch.path().join("project");
    std::fs::create_dir_all(&project).about(&project)?;
    let file = project.join("a.lisp");
    std::fs::write(&file, "(defun area (r)\n  (* 3 r r))\n").about(&file)?;

    let server = Server::fixture(&debug.join(fixture))?;
    for requirements in REQUIREMENTS {
        let mut step = tools.conformance(&server.url(), scratch.path());
        tally.check(&format!("conformance to {requirements}"), step.args(["--requirements", requirements]));
    }
    drop(server);

    let binary = debug.join("lispwright");
    let server = Server::product(&binary, &project, &["--no-token"])?;
    for (version, scenarios) in OF_ANY_SERVER {
        for scenario in scenarios {
            let mut step = tools.conformance(&server.url(), scratch.path());
            step.args(["--scenario", scenario, "--spec-version", version]);
            tally.check(&format!("{scenario} ({version})"), &mut step);
        }
    }
    drop(server);
    inspect(&tools, tally, &binary, &project, scratch.path())?;
    let mut step = tools.node(&workspace().join("crates/lispwright/tests/node/drive.mjs"));
    step.arg(&binary).arg(&project).arg(&tools.place);
    tally.check_said("TypeScript clients", &mut step, |line| line == "all passed")
}

/// The Inspector lists the tools and calls one, in each era, on standard input and output and over HTTP.
fn inspect(tools: &Tools, tally: &mut Tally, binary: &Path, project: &Path, scratch: &Path) -> Result<(), Failure> {
    let token_file = scratch.join("token");
    let token_option = ["--token-file".as_ref(), token_file.as_os_str()];
    let server = Server::product(binary, project, &token_option)?;
    let token = std::fs::read_to_string(&token_file).about(&token_file)?;
    let mut lists: Vec<(String, usize)> = Vec::new();
    for era in ["legacy", "modern"] {
        for way in ["stdio", "http"] {
            let target = |step: &mut Step| {
                match way {
                    "stdio" => {
                        step.arg(binary).args(["mcp", "--root"]).arg(project);
                    }
                    _ => {
                        let header = format!("Authorization: Bearer {}", token.trim());
                        step.arg(server.url()).args(["--transport", "http", "--header", &header]);
                    }
                }
                step.args(["--protocol-era", era, "--format", "json"]);
            };
            let mut list = tools.inspector();
            target(&mut list);
            let listed = list.args(["--method", "tools/list", "--strict"]).answer().unwrap_or_default();
            let document: Value = serde_json::from_str(&listed).unwrap_or_default();
            let count = document["result"]["tools"].as_array().or(document["tools"].as_array()).map_or(0, Vec::len);
            lists.push((format!("{era}, {way}"), count));
            let mut call = tools.inspector();
            target(&mut call);
            call.args(["--method", "tools/call", "--tool-name", "lisp_check_parens"]);
            call.args(["--tool-args-json", r#"{"path":"a.lisp"}"#]);
            tally.check_said(&format!("Inspector: {era}, {way}"), &mut call, |line| line.contains("balanced"))?;
        }
    }
    let same = lists.iter().all(|(_, count)| *count == lists[0].1 && *count > 10);
    tally.note("Inspector: the same tools everywhere", same, &format!("{lists:?}"));
    Ok(())
}

/// The packages of npm, and a Node that runs them.
struct Tools {
    place: PathBuf,
    node: PathBuf,
}

impl Tools {
    fn install() -> Result<Self, Failure> {
        let place = target().join("conformance");
        let version = Step::new("node").arg("--version").answer().unwrap_or_default();
        let major: Option<u32> =
            version.trim().trim_start_matches('v').split('.').next().and_then(|major| major.parse().ok());
        let node = match major {
            Some(major) if major >= NODE.0 => "node".into(),
            _ => {
                npm::ensure(&place, "node", NODE.1)?;
                place.join("node_modules/node/bin/node")
            }
        };
        for (package, version) in PACKAGES {
            npm::ensure(&place, package, version)?;
        }
        Ok(Self { place, node })
    }

    fn node(&self, script: &Path) -> Step {
        let mut step = Step::new(&self.node);
        step.arg(script)
            .env("XDG_CACHE_HOME", target().join("tmp/cache"))
            .env("XDG_STATE_HOME", target().join("tmp/state"));
        step
    }

    fn conformance(&self, url: &str, scratch: &Path) -> Step {
        let script = self.place.join("node_modules/@modelcontextprotocol/conformance/dist/index.js");
        let mut step = self.node(&script);
        step.args(["server", "--url", url, "--output-dir"]).arg(scratch.join("results"));
        step
    }

    fn inspector(&self) -> Step {
        // The client of the Inspector keeps a catalogue, which is not ours.
        let mut step =
            self.node(&self.place.join("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"));
        step.env("HOME", target().join("tmp")).arg("--cli");
        step
    }
}

/// A server that listens on the loopback interface, until it is dropped.
struct Server {
    child: Child,
    _input: Option<ChildStdin>,
    port: u64,
}

impl Server {
    fn fixture(binary: &Path) -> Result<Self, Failure> {
        let mut child = Command::new(binary).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().about(binary)?;
        let input = child.stdin.take();
        let line = first_line(child.stdout.take());
        let port = line.trim().parse();
        let server = Self { child, _input: input, port: port.unwrap_or(0) };
        server.listens(binary, &line)
    }

    fn product(binary: &Path, project: &Path, options: &[impl AsRef<std::ffi::OsStr>]) -> Result<Self, Failure> {
        let mut command = Command::new(binary);
        command.args(["mcp", "--transport", "http", "--listen", "127.0.0.1:0", "--root"]).arg(project).args(options);
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().about(binary)?;
        let line = first_line(child.stderr.take());
        let document: Value = serde_json::from_str(&line).unwrap_or_default();
        let server = Self { child, _input: None, port: document["port"].as_u64().unwrap_or(0) };
        server.listens(binary, &line)
    }

    fn listens(self, binary: &Path, said: &str) -> Result<Self, Failure> {
        match self.port {
            0 => Err(Failure::new(format!("{} does not listen: {said}", binary.display()))),
            _ => Ok(self),
        }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The first line of a pipe; the rest is read and dropped.
fn first_line(pipe: Option<impl std::io::Read + Send + 'static>) -> String {
    let Some(pipe) = pipe else { return String::new() };
    let mut reader = BufReader::new(pipe);
    let mut line = String::new();
    let _ = reader.read_line(&mut line);
    std::thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()));
    line
}
