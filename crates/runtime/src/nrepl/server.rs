//! Starting an nREPL server with the programs of the machine.
//!
//! The choice is deterministic: the tool that the project's files are for, if it is installed, else `java` with the
//! jars of the distribution, else the first installed tool. The process is started, watched and ended like every
//! worker.

use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lispwright_platform::innermost;
use lispwright_project::{Links, read_regular};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::Pid;
use tokio::io::AsyncReadExt as _;
use tokio::process::{ChildStdin, ChildStdout};

use super::build_file::Build;
use super::class_path::ClassPath;
use super::functions;
use super::image::Image;
use super::port_file::{PORT_FILE, port_in};
use crate::capture::{Capture, Printed};
use crate::config::Config;
use crate::environment::find_program;
use crate::factory::Household;
use crate::guard::Guard;
use crate::marks::sweep;
use crate::process::{self, Launch, Ward};
use crate::remote::connection::Connection;
use crate::sandbox::{Confined, Pipes};
use crate::stop::Death;
use crate::watch::{Bounds, Excess, Watch};
use crate::worker::{last_lines, status_text};

/// The time for a server to print its port. A first start may have to fetch dependencies.
const START_LIMIT: Duration = Duration::from_secs(120);

/// The number of bytes that a server may print before its port.
const LONGEST_START: usize = 1 << 20;

/// The directory of jars in Debian and Ubuntu.
const JARS: &str = "/usr/share/java";

/// The names of the jars of a server.
const NEEDED: [&str; 4] = ["nrepl.jar", "clojure.jar", "spec.alpha.jar", "core.specs.alpha.jar"];

/// The dependency of a server for the command-line tool of Clojure.
const DEPENDENCY: &str = r#"{:deps {nrepl/nrepl {:mvn/version "1.3.1"}}}"#;

/// The code that starts a server.
const SERVER: &str = include_str!("../../../../images/clojure/server.clj");

/// The connection to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaks {
    /// A port of the loopback interface.
    AtPort,
    /// Its standard input and output: in the sandbox no port can be reached from outside.
    ThroughPipes,
}

impl Speaks {
    /// The connection to servers with the configuration `config`.
    pub(crate) fn of(config: &Config) -> Self {
        if config.sandbox.is_some() { Self::ThroughPipes } else { Self::AtPort }
    }
}

/// A tool that can start a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    Java,
    Clojure,
    Leiningen,
    Babashka,
    Nbb,
}

/// A way to start a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    tool: Tool,
    /// The program.
    pub(crate) program: PathBuf,
    /// The class path of the project, if the tool is only a JVM.
    class_path: ClassPath,
    /// What the project's build file says, if the tool reads it.
    build: Build,
}

/// The way to start a server for the project at `root` with such a connection.
pub(crate) fn find(root: &Path, speaks: Speaks) -> Option<Way> {
    choose(root, speaks, find_program)
}

fn choose(root: &Path, speaks: Speaks, program: impl Fn(&str) -> Option<PathBuf>) -> Option<Way> {
    let has = |name: &str| root.join(name).is_file();
    let way = |tool| -> Option<Way> {
        if speaks == Speaks::ThroughPipes && !matches!(tool, Tool::Java | Tool::Clojure) {
            // Their servers only support ports.
            return None;
        }
        let program = match tool {
            Tool::Java => Some(program("java")?).filter(|_| jars().all(|jar| jar.is_file())),
            Tool::Clojure => program("clojure").filter(|path| fetches_dependencies(path)),
            Tool::Leiningen => program("lein"),
            Tool::Babashka => program("bb"),
            Tool::Nbb => program("nbb").or_else(|| {
                let local = root.join("node_modules/.bin/nbb");
                local.is_file().then_some(local)
            }),
        }?;
        Some(Way { tool, program, class_path: ClassPath::default(), build: Build::default() })
    };
    let of_project = [
        ("deps.edn", Tool::Clojure),
        ("project.clj", Tool::Leiningen),
        ("bb.edn", Tool::Babashka),
        ("nbb.edn", Tool::Nbb),
    ];
    let named = of_project.into_iter().find(|(file, tool)| has(file) && way(*tool).is_some());
    if let Some((_, tool)) = named {
        return way(tool).map(|way| Way { build: Build::of(root, true), ..way });
    }
    let mut found =
        [Tool::Java, Tool::Clojure, Tool::Leiningen, Tool::Babashka, Tool::Nbb].into_iter().find_map(way)?;
    if found.tool == Tool::Java {
        found.class_path = ClassPath::of(root);
    }
    Some(found)
}

/// All of `before` is in `now`, in the same order.
fn is_part<T: PartialEq>(before: &[T], now: &[T]) -> bool {
    let mut rest = now.iter();
    before.iter().all(|one| rest.any(|other| other == one))
}

/// A longer launcher, in bytes, is not a script.
const LONGEST_LAUNCHER: u64 = 1 << 20;

/// Whether the program called `clojure` is the tool that reads `deps.edn`, and not a mere launcher of the REPL.
fn fetches_dependencies(path: &Path) -> bool {
    read_regular(path, LONGEST_LAUNCHER, Links::Followed)
        .is_ok_and(|text| memchr::memmem::find(&text, b"-Sdeps").is_some())
}

impl Way {
    /// The started tool, in a few words.
    pub(crate) fn describe(&self) -> &'static str {
        match self.tool {
            Tool::Java => "java with the jars in /usr/share/java",
            Tool::Clojure => "clojure",
            Tool::Leiningen => "lein",
            Tool::Babashka => "bb",
            Tool::Nbb => "nbb",
        }
    }

    /// A server that was started in this way has nothing on its class path that one started in the way of `now` has not.
    /// What only that one has is missed by code that fails.
    pub(crate) fn is_within(&self, now: &Self) -> bool {
        (self.tool, &self.program) == (now.tool, &now.program)
            && is_part(&self.class_path.entries, &now.class_path.entries)
            && is_part(&self.build.paths, &now.build.paths)
            && is_part(&self.build.extra_paths, &now.build.extra_paths)
            && is_part(&self.build.dependencies, &now.build.dependencies)
    }

    /// The class path of the project, as far as it is known here.
    pub(crate) fn class_path(&self) -> &ClassPath {
        &self.class_path
    }

    /// The versions that are known without starting a JVM.
    pub(crate) async fn version(&self) -> Option<String> {
        match self.tool {
            Tool::Java => {
                let version = |jar: &str| {
                    let file = std::fs::canonicalize(Path::new(JARS).join(jar)).ok()?;
                    let stem = file.file_stem()?.to_str()?;
                    Some(stem.rsplit_once('-')?.1.to_owned())
                };
                let clojure = version("clojure.jar").unwrap_or_default();
                Some(format!("Clojure {clojure}, nREPL {}", version("nrepl.jar").unwrap_or_default()))
            }
            _ => {
                let said = process::first_line(&self.program, "--version").await?;
                Some(if said.starts_with(|first: char| first.is_ascii_digit()) || said.starts_with('v') {
                    format!("{} {said}", self.describe())
                } else {
                    said
                })
            }
        }
    }

    /// The command line. A JVM does not read the environment for its temporary directory. The classes in `archive` come
    /// before the sources of the same code.
    fn arguments(&self, heap: u32, scratch: Option<&Path>, archive: Option<PathBuf>) -> Vec<OsString> {
        let scratch = |option: &str| {
            scratch.map(|path| {
                let mut word = OsString::from(format!("{option}-Djava.io.tmpdir="));
                word.push(path);
                word
            })
        };
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        match self.tool {
            Tool::Java => {
                let path = class_path(archive.into_iter().chain(jars()).chain(self.class_path.entries.iter().cloned()));
                // Clojure keeps classes by soft references, which last this many milliseconds for each free megabyte of
                // the heap; by default a second.
                let mut arguments = words(&["-XX:+UseSerialGC", "-XX:SoftRefLRUPolicyMSPerMB=20"]);
                arguments.push(format!("-Xmx{heap}m").into());
                arguments.extend(scratch("").into_iter().flat_map(|word| [word, "-XX:-UsePerfData".into()]));
                arguments.extend(["-cp".into(), path]);
                arguments.extend(words(&["clojure.main", "-e", SERVER]));
                arguments
            }
            Tool::Clojure => {
                let mut arguments = words(&["-Sdeps", DEPENDENCY]);
                arguments.push(format!("-J-Xmx{heap}m").into());
                arguments.extend(scratch("-J"));
                arguments.extend(words(&["-M", "-e", SERVER]));
                arguments
            }
            Tool::Leiningen => words(&["repl", ":headless", ":host", "127.0.0.1", ":port", "0"]),
            Tool::Babashka => words(&["nrepl-server", "127.0.0.1:0"]),
            Tool::Nbb => words(&["nrepl-server", ":port", "0"]),
        }
    }
}

/// The jars of a server.
pub(super) fn jars() -> impl Iterator<Item = PathBuf> {
    NEEDED.iter().map(|jar| Path::new(JARS).join(jar))
}

/// The class path with those entries. A path with a colon cannot be on it.
pub(super) fn class_path(entries: impl Iterator<Item = PathBuf>) -> OsString {
    let has_colon = |path: &PathBuf| path.as_os_str().as_encoded_bytes().contains(&b':');
    std::env::join_paths(entries.filter(|path| !has_colon(path))).unwrap_or_default()
}

/// A server that was started here. Dropping it kills its process group.
pub(crate) struct Server {
    child: Ward,
    pid: Pid,
    /// The number of the image's process, without processes that confine it.
    image: i32,
    mark: String,
    guard: Arc<Guard>,
    stdout: Capture,
    stderr: Capture,
    watch: Watch,
    /// Its sandbox, which lives as long as the server.
    _confined: Option<Arc<Confined>>,
    root: PathBuf,
    link: Link,
}

/// The connection to a server.
enum Link {
    Port(u16),
    /// Taken when the conversation begins.
    Pipes(Option<(ChildStdin, ChildStdout)>),
}

impl Server {
    /// Starts a server for the project of `config` and waits until it prints its port.
    pub(crate) async fn start(way: &Way, config: &Config, household: &Household) -> Result<Self, String> {
        let archive = Self::find_archive(way, config, household).await;
        match Self::start_with(way, config, household, archive.clone()).await {
            Err(error) if archive.is_some() => {
                tracing::warn!(error, "the server does not start with its compiled classes");
                Self::start_with(way, config, household, None).await
            }
            result => result,
        }
    }

    /// Finds or makes the archive of its classes.
    async fn find_archive(way: &Way, config: &Config, household: &Household) -> Option<PathBuf> {
        if way.tool != Tool::Java {
            return None;
        }
        let find = || async {
            let (java, mark, _guard) = (way.program.clone(), household.next_mark(), household.guard(config));
            let cache = config.cache_directory();
            let found = tokio::task::spawn_blocking(move || functions::archive(&java, cache.as_deref(), &mark));
            found.await.ok().flatten()
        };
        household.archive.get_or_init(find).await.clone()
    }

    async fn start_with(
        way: &Way,
        config: &Config,
        household: &Household,
        archive: Option<PathBuf>,
    ) -> Result<Self, String> {
        let (mark, guard, root) = (household.next_mark(), household.guard(config), &config.root);
        let output_limit = config.output_limit;
        let program = way.program.display();
        let speaks = Speaks::of(config);
        let confined = household.confined(config, &mark, Pipes::Moved)?;
        let scratch = confined.as_ref().map(|confined| confined.scratch.as_path());
        let launch = Launch {
            program: way.program.clone(),
            arguments: way.arguments(config.heap_megabytes, scratch, archive),
            keeper: config.keeper.clone(),
            launcher: Vec::new(),
            signals: &[],
            reads_when_signalled: false,
            confined,
            scratch: None,
            directory: root.to_owned(),
            mark,
        };
        let spawned = launch.spawn().await.map_err(|error| format!("{program} could not be started: {error}"))?;
        guard.watch(spawned.pid);
        let family = Watch::new(spawned.child.family(spawned.pid), &launch.mark, Bounds::of(config));
        let watch = |error: std::io::Error| error.to_string();
        // Its standard input is not needed otherwise, so it is closed for code that reads from it.
        let requests = Some(spawned.requests).filter(|_| speaks == Speaks::ThroughPipes);
        let mut process = Server {
            child: spawned.child,
            pid: spawned.pid,
            image: spawned.pid.as_raw_nonzero().get(),
            mark: launch.mark,
            guard,
            stdout: Capture::start(spawned.stdout, output_limit).map_err(watch)?,
            stderr: Capture::start(spawned.stderr, output_limit).map_err(watch)?,
            watch: family,
            _confined: launch.confined.clone(),
            root: root.to_owned(),
            link: Link::Pipes(None),
        };
        let mut answers = spawned.answers;
        let mut said = Vec::new();
        let listening = async {
            loop {
                let line = announcement(&said);
                let port = match speaks {
                    Speaks::AtPort => line.as_deref().and_then(port_of),
                    Speaks::ThroughPipes => line.map(|_| 0),
                };
                if port.is_some() {
                    return port;
                }
                if said.len() > LONGEST_START || answers.read_buf(&mut said).await.ok()? == 0 {
                    return None;
                }
            }
        };
        let Some(port) = tokio::time::timeout(START_LIMIT, listening).await.unwrap_or_default() else {
            let death = process.bury(process.child.id().is_none()).await;
            let words = cause_of(&(String::from_utf8_lossy(&said).into_owned() + "\n" + &process.take_output().1.head));
            let words = if words.is_empty() { String::new() } else { format!("; it said:\n{words}") };
            return Err(format!("{program} did not become an nREPL server: {}{words}", death.status));
        };
        process.link = match requests {
            Some(requests) => Link::Pipes(Some((requests, answers))),
            None => {
                // The output on descriptor 1 was read for the port first.
                let pipe: OwnedFd = answers.into_owned_fd().map_err(watch)?;
                let nonblocking = fcntl_getfl(&pipe).and_then(|flags| fcntl_setfl(&pipe, flags | OFlags::NONBLOCK));
                nonblocking.map_err(|error| watch(error.into()))?;
                process.stdout = Capture::start(pipe, output_limit).map_err(watch)?;
                Link::Port(port)
            }
        };
        if launch.confined.is_some() {
            process.image = innermost(process.image);
        }
        // The output of its start belongs to no call.
        process.take_output();
        Ok(process)
    }

    /// Begins the conversation with it.
    pub(crate) async fn converse(&mut self, output_limit: u64) -> Result<Image, String> {
        match &mut self.link {
            Link::Port(port) => Image::open(SocketAddr::from((Ipv4Addr::LOCALHOST, *port)), output_limit).await,
            Link::Pipes(ends) => {
                let (requests, answers) = ends.take().expect("a server is spoken with once");
                let name = "the nREPL server that was started here".to_owned();
                Image::begin(Connection::through(requests, answers), name, output_limit).await
            }
        }
    }

    /// The connection in words.
    pub(crate) fn describe_link(&self) -> String {
        match self.link {
            Link::Port(port) => format!("listening on {}:{port}", Ipv4Addr::LOCALHOST),
            Link::Pipes(_) => "spoken with through a pipe".to_owned(),
        }
    }

    /// The number of the image's process, without processes that confine it.
    pub(crate) fn pid(&self) -> i32 {
        self.image
    }

    /// Whether the process still runs.
    pub(crate) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// The output to the descriptors, past the REPL, since the last time.
    pub(crate) fn take_output(&self) -> (Printed, Printed) {
        (self.stdout.take(), self.stderr.take())
    }

    /// Waits until a call has printed more than the limit to the descriptors.
    pub(crate) async fn overflow(&self) {
        tokio::select! {
            () = self.stdout.overflow() => {}
            () = self.stderr.overflow() => {}
        }
    }

    /// A call begins.
    pub(crate) fn begin(&self) {
        self.watch.begin();
    }

    /// The watch over its memory and processes.
    pub(crate) fn watch(&self) -> Watch {
        self.watch.clone()
    }

    /// Waits until the process, with all that it has started, exceeds its limits.
    pub(crate) async fn excess(&self) -> Excess {
        self.watch.excess(None).await
    }

    /// Removes the file by which some tools tell editors about the server: this server is not for editors. The file is
    /// written after the port is printed and before the first question is answered, and stays when the tool is killed.
    pub(crate) fn forget_port_file(&self) {
        let path = self.root.join(PORT_FILE);
        let Link::Port(port) = self.link else { return };
        let forget = move || {
            if port_in(&path) == Some(port) {
                let _ = std::fs::remove_file(path);
            }
        };
        // A task that waits for the file to go checks again.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(forget)),
            Err(_) => forget(),
        }
    }

    /// Ends the process and all that it started; returns how it ended.
    pub(crate) async fn bury(&mut self, killed: bool) -> Death {
        let natural = if killed {
            None
        } else {
            tokio::time::timeout(Duration::from_secs(2), self.child.wait()).await.ok().and_then(Result::ok)
        };
        process::end(&mut self.child, self.pid, &self.watch, &self.mark).await;
        self.guard.forget(self.pid);
        self.forget_port_file();
        let exited = natural.is_some_and(|status| status.code().is_some());
        let status = if killed { "killed by the server".to_owned() } else { status_text(natural) };
        Death { status, exited, killed }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.child.id().is_some() {
            process::kill_family(&mut self.child, self.pid, &self.watch);
            self.guard.forget(self.pid);
            self.forget_port_file();
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                let mark = std::mem::take(&mut self.mark);
                runtime.spawn(async move { sweep(&mark).await });
            }
        }
    }
}

/// The lines of an output that say why a JVM did not become a server: what it said first, and the causes of its exception, not
/// the calls that led there; without an exception the last lines.
fn cause_of(said: &str) -> String {
    let is_call = |line: &str| {
        let line = line.trim_start();
        line.starts_with("at ") || (line.starts_with("... ") && line.ends_with(" more"))
    };
    if !said.lines().any(is_call) {
        return last_lines(said);
    }
    let lines = said.lines().filter(|line| !line.trim().is_empty() && !is_call(line) && !line.starts_with("WARNING"));
    let (causes, others): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with("Caused by:"));
    let causes = causes.iter().rev().take(2).rev();
    others.iter().take(3).chain(causes).copied().collect::<Vec<_>>().join("\n")
}

/// The first whole line about an nREPL server.
fn announcement(said: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(said);
    let whole = &text[..=text.rfind('\n')?];
    whole.lines().find(|line| line.to_ascii_lowercase().contains("nrepl server")).map(str::to_owned)
}

/// The port in such a line.
fn port_of(line: &str) -> Option<u16> {
    let after = match line.split_once("port ") {
        Some((_, after)) => after,
        None => line.rsplit_once(':')?.1,
    };
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|port| *port != 0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn said(text: &[u8]) -> Option<u16> {
        announcement(text).as_deref().and_then(port_of)
    }

    #[test]
    fn the_port_of_every_tool_is_found() {
        for line in [
            "nREPL server started on port 4711 on host localhost - nrepl://localhost:4711\n",
            "WARNING: something: 17\nnREPL server started on port 4711\n",
            "Started nREPL server at 127.0.0.1:4711\nFor more info visit: https://docs.cider.mx\n",
        ] {
            assert_eq!(said(line.as_bytes()), Some(4711), "{line}");
        }
        assert_eq!(said(b"nREPL server started on port 47"), None, "the line may go on");
        assert_eq!(said(b"Retrieving nrepl.jar\n"), None);
    }

    #[test]
    fn the_cause_of_a_dead_start_is_told_and_not_the_calls() {
        let said = "WARNING: old\nSyntax error macroexpanding at (user.clj:1:1).\n\tat a.b(C.java:3)\n\tat user$eval138.invoke(user.clj:1)\n\
                    Caused by: java.io.FileNotFoundException: Could not locate some/tool.clj on classpath.\n\tat x.y(Z.java:1)\n\
                    \t... 6 more\n";
        assert_eq!(
            cause_of(said),
            "Syntax error macroexpanding at (user.clj:1:1).\nCaused by: java.io.FileNotFoundException: Could not locate \
             some/tool.clj on classpath."
        );
        assert_eq!(cause_of("one\n\ntwo\n"), "one\ntwo");
    }

    #[test]
    fn the_tool_of_the_project_comes_first() {
        let root = tempfile::tempdir().unwrap();
        let everything = |name: &str| (name != "clojure").then(|| PathBuf::from("/opt").join(name));
        let nothing = |_: &str| None;
        assert_eq!(choose(root.path(), Speaks::AtPort, nothing), None);
        let chosen =
            |speaks, has: &dyn Fn(&str) -> Option<PathBuf>| choose(root.path(), speaks, has).map(|way| way.tool);
        let tool = |has: &dyn Fn(&str) -> Option<PathBuf>| chosen(Speaks::AtPort, has);
        let only_nbb = |name: &str| (name == "nbb").then(|| PathBuf::from("/opt/nbb"));
        assert_eq!(tool(&only_nbb), Some(Tool::Nbb));
        std::fs::write(root.path().join("bb.edn"), "{}").unwrap();
        assert_eq!(tool(&everything), Some(Tool::Babashka));
        assert_eq!(tool(&only_nbb), Some(Tool::Nbb));
        std::fs::write(root.path().join("project.clj"), "").unwrap();
        assert_eq!(tool(&everything), Some(Tool::Leiningen));
        assert_eq!(chosen(Speaks::ThroughPipes, &only_nbb), None);
    }

    #[test]
    fn a_way_is_within_one_that_has_more_on_its_class_path() {
        let root = tempfile::tempdir().unwrap();
        let way = |text: &str| {
            std::fs::write(root.path().join("project.clj"), text).unwrap();
            choose(root.path(), Speaks::AtPort, |name| Some(PathBuf::from("/opt").join(name))).unwrap()
        };
        let first = way("(defproject a \"1\" :source-paths [\"src\"] :dependencies [[b \"1\"]])");
        let is_within = |text: &str| first.is_within(&way(text));
        assert!(is_within("(defproject a \"2\"\n :source-paths [\"src\"] :dependencies [[b \"1\"]])"));
        assert!(is_within("(defproject a \"1\" :source-paths [\"lib\" \"src\"] :dependencies [[b \"1\"] [c \"1\"]])"));
        assert!(!is_within("(defproject a \"1\" :source-paths [\"src\"] :dependencies [[b \"2\"]])"));
        assert!(!is_within("(defproject a \"1\" :source-paths [\"lib\"] :dependencies [[b \"1\"]])"));
    }
}
