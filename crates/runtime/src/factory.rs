//! The source of workers: started from a saved image if possible, or taken from the spare.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tokio::sync::{Mutex, OnceCell};
use tokio_util::sync::CancellationToken;

use crate::agent::{Agent, Saved, Start};
use crate::backends::Runtime;
use crate::config::Config;
use crate::guard::Guard;
use crate::image::{self, LOCK_LIMIT, Recipe};
use crate::marks::{end_marked, sweep_all};
use crate::process::{Launch, first_line};
use crate::sandbox::{Confined, Pipes, Sandbox};
use crate::scratch::Scratch;
use crate::watch::Bounds;
use crate::worker::Worker;

/// The time after which a starting program is asked for its version.
const PATIENCE: Duration = Duration::from_secs(5);

/// Every system's shell.
const SHELL: &str = "/bin/sh";

/// The reason why there is no worker.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StartError {
    /// The program is not installed.
    #[error("{} is not installed", .0.program)]
    Missing(Runtime),
    /// It is installed and did not start.
    #[error("{0}")]
    Failed(String),
    /// A server that somebody else runs cannot be attached to.
    #[error("{0}")]
    Unreachable(String),
    /// The server that a session on this runtime is attached to no longer answers.
    #[error("{1}")]
    Lost(Runtime, String),
    /// The session has no server, and sessions on this runtime start none.
    #[error("the session is attached to none")]
    Unattached(Runtime),
}

/// The shared parts of all workers of a server: the prefix of their marks, a guard that outlives the server, the
/// sandbox, a directory for temporary files.
pub(crate) struct Household {
    /// The beginning of all marks.
    prefix: String,
    last_mark: AtomicU64,
    guard: OnceLock<Arc<Guard>>,
    /// The sandbox, or the reason why there can be none, after the first use; `None` when none is asked for.
    sandbox: OnceLock<Option<Result<Arc<Sandbox>, String>>>,
    /// The directory for the agents' own temporary files, after the first use; `None` when there is none.
    scratch: OnceLock<Option<Scratch>>,
    /// The archive of classes for servers on a JVM, after the first use; `None` when there is none. What cannot be made is not
    /// tried at each start.
    pub(crate) archive: OnceCell<Option<PathBuf>>,
}

impl Household {
    pub(crate) fn new() -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Self {
            prefix: format!("{}-{}-", std::process::id(), now.as_nanos()),
            last_mark: AtomicU64::new(0),
            guard: OnceLock::new(),
            sandbox: OnceLock::new(),
            scratch: OnceLock::new(),
            archive: OnceCell::new(),
        }
    }

    /// The name of its directory for temporary files.
    fn directory_name(&self) -> String {
        format!("lispwright-{}", self.prefix.trim_end_matches('-'))
    }

    /// A new mark.
    pub(crate) fn next_mark(&self) -> String {
        format!("{}{}", self.prefix, self.last_mark.fetch_add(1, Ordering::Relaxed))
    }

    /// Ends the processes with one of its marks. Without workers these are processes that save an image.
    pub(crate) async fn end_all(&self) {
        if self.guard.get().is_some() {
            sweep_all(&self.prefix).await;
        }
    }

    /// The guard of workers with the configuration `config`, started at the first use.
    pub(crate) fn guard(&self, config: &Config) -> Arc<Guard> {
        let sandbox = self.sandbox(config).and_then(|sandbox| sandbox.as_ref().ok());
        Arc::clone(self.guarded(sandbox.map(|sandbox| sandbox.scratch()).or_else(|| self.scratch(config))))
    }

    /// The guard, which removes the directory when the server is gone, and so is there from the directory's beginning.
    fn guarded(&self, scratch: Option<&Path>) -> &Arc<Guard> {
        self.guard.get_or_init(|| Arc::new(Guard::start(&self.prefix, scratch)))
    }

    /// The directory for temporary files of agents, which their images do not remove when they are killed. A confined
    /// worker has one of its own, and one under a launcher may run on another machine.
    pub(crate) fn scratch(&self, config: &Config) -> Option<&Path> {
        if config.sandbox.is_some() || !config.launcher.is_empty() {
            return None;
        }
        let make = || Scratch::new(std::env::temp_dir().join(self.directory_name())).ok();
        self.scratch.get_or_init(make).as_ref().map(Scratch::path)
    }

    /// The sandbox that `config` asks for, or the reason why no worker can start in it. The first call tries it out.
    pub(crate) fn sandbox(&self, config: &Config) -> Option<&Result<Arc<Sandbox>, String>> {
        let find = || {
            let wanted = config.sandbox.as_ref()?;
            Some(Sandbox::find(wanted, config, &self.directory_name()).map(Arc::new))
        };
        let found = self.sandbox.get_or_init(find).as_ref();
        if let Some(Ok(sandbox)) = found {
            self.guarded(Some(sandbox.scratch()));
        }
        found
    }

    /// The sandbox for the worker with that mark, if one is required.
    pub(crate) fn confined(&self, config: &Config, mark: &str, pipes: Pipes) -> Result<Option<Arc<Confined>>, String> {
        let Some(sandbox) = self.sandbox(config) else { return Ok(None) };
        let confined = sandbox.as_ref().map_err(String::clone)?.confined(mark, pipes)?;
        Ok(Some(Arc::new(confined)))
    }
}

/// Starts workers of one runtime and keeps one in reserve.
pub(crate) struct Factory {
    runtime: Runtime,
    /// The configuration of workers.
    pub(crate) config: Config,
    /// Their shared parts.
    pub(crate) household: Arc<Household>,
    start: Mutex<Option<Start>>,
    /// The end of the wait for another process that saves an image.
    lock_deadline: OnceLock<Instant>,
    spare: Mutex<Option<Worker>>,
    closed: CancellationToken,
}

impl Factory {
    pub(crate) fn new(runtime: Runtime, config: Config, household: Arc<Household>) -> Self {
        Self {
            runtime,
            config,
            household,
            start: Mutex::new(None),
            lock_deadline: OnceLock::new(),
            spare: Mutex::new(None),
            closed: CancellationToken::new(),
        }
    }

    /// The runtime of its workers.
    pub(crate) fn runtime(&self) -> Runtime {
        self.runtime
    }

    /// The program that workers run, if there is one.
    pub(crate) fn program(&self) -> Option<PathBuf> {
        self.config.program(self.runtime)
    }

    /// The way workers start; `None` until the first one has started, and while one starts.
    pub(crate) fn start_mode(&self) -> Option<Start> {
        self.start.try_lock().ok()?.clone()
    }

    /// The spare if it lives, otherwise a new worker. If another process is saving an image, all calls together wait
    /// for it no longer than `patience`.
    pub(crate) async fn obtain(&self, patience: Duration) -> Result<Worker, StartError> {
        self.lock_deadline.get_or_init(|| Instant::now() + patience.min(LOCK_LIMIT));
        if let Some(mut spare) = self.spare.lock().await.take()
            && spare.is_alive()
        {
            return Ok(spare);
        }
        self.start_one().await
    }

    /// Starts a spare when there is none.
    pub(crate) async fn fill_spare(&self) {
        let mut spare = self.spare.lock().await;
        if self.config.spare && spare.is_none() {
            match self.closed.run_until_cancelled(self.start_one()).await {
                Some(Ok(worker)) => *spare = Some(worker),
                Some(Err(error)) => tracing::warn!(%error, "no spare worker"),
                None => {}
            }
        }
    }

    /// The process number of the spare, if there is one.
    pub(crate) fn spare_pid(&self) -> Option<i32> {
        self.spare.try_lock().ok()?.as_ref().map(Worker::pid)
    }

    /// Ends the spare for good, even while it is being started.
    pub(crate) async fn close(&self) {
        self.closed.cancel();
        if let Some(mut spare) = self.spare.lock().await.take() {
            spare.bury(true).await;
        }
    }

    async fn start_one(&self) -> Result<Worker, StartError> {
        let agent = self.runtime.agent().ok_or(StartError::Missing(self.runtime))?;
        let program = self.program().ok_or(StartError::Missing(self.runtime))?;
        if let Some(sandbox) = self.household.sandbox(&self.config) {
            // Checked first, so that a fault of the sandbox is not blamed on the image.
            sandbox.as_ref().map_err(String::clone).and_then(|sandbox| sandbox.check()).map_err(StartError::Failed)?;
        }
        let saving = self.household.next_mark();
        let started = tokio::select! {
            biased;
            started = self.started(agent, &program, &saving) => started,
            why = self.impostor(&program) => {
                // Also ends the process that saves an image, because nobody waits for it any more.
                let _ = tokio::task::spawn_blocking(move || end_marked(&saving)).await;
                Err(why)
            }
        };
        match started {
            Ok(worker) => Ok(worker),
            Err(why) => Err(StartError::Failed(format!("{why}\n{}", self.versions(&program).await))),
        }
    }

    /// Starts a worker in the best way possible. A process that saves an image carries the mark `saving`.
    async fn started(&self, agent: &'static Agent, program: &Path, saving: &str) -> Result<Worker, String> {
        let mut mode = self.start.lock().await;
        let start = match mode.clone() {
            Some(start) => start,
            None => self.find_image(agent, program, saving, None).await,
        };
        let first = self.launch(agent, program, &start).await;
        let (start, result) = match (start, first) {
            (Start::Saved(core), Err(error)) => {
                tracing::warn!(core = %core.display(), %error, "the saved image does not start: saving it again");
                let again = self.find_image(agent, program, saving, image::inode(&core)).await;
                match self.launch(agent, program, &again).await {
                    Err(error) if matches!(again, Start::Saved(_)) => {
                        let plain = Start::Plain(format!("the saved image does not start: {error}"));
                        let result = self.launch(agent, program, &plain).await;
                        (plain, result)
                    }
                    result => (again, result),
                }
            }
            first => first,
        };
        *mode = result.is_ok().then_some(start);
        result
    }

    /// Completes with an error if the program is not the expected one; otherwise it never completes. A program that
    /// takes long to start is asked for its version; with an answer that is not its own it is another program.
    async fn impostor(&self, program: &Path) -> String {
        let name = self.runtime.name;
        tokio::time::sleep(PATIENCE).await;
        let mut is_known = !self.config.launcher.is_empty();
        // On a busy machine one question may time out.
        for _ in 0..3 {
            is_known =
                is_known || self.version(program).await.is_some_and(|said| (self.runtime.is_version)(name, &said));
        }
        if is_known {
            std::future::pending::<()>().await;
        }
        format!(
            "the worker did not start: {} has said nothing for {} s, and is not the program that it should be",
            program.display(),
            PATIENCE.as_secs()
        )
    }

    /// The version that the program reports, if it runs here, and the tested version.
    async fn versions(&self, program: &Path) -> String {
        let tried = format!("what is tried is {} {}", self.runtime, self.runtime.tried);
        if !self.config.launcher.is_empty() {
            return format!("The launcher has to start {} with its libraries; {tried}", program.display());
        }
        match self.version(program).await {
            Some(version) => format!("It says that it is {version}; {tried}"),
            None => format!("It does not say its version; {tried}"),
        }
    }

    async fn version(&self, program: &Path) -> Option<String> {
        first_line(program, self.runtime.version_argument).await
    }

    async fn find_image(&self, agent: &'static Agent, program: &Path, saving: &str, refuse: Option<u64>) -> Start {
        if !self.config.launcher.is_empty() {
            return Start::Plain("workers are started by a launcher".to_owned());
        }
        let cache = self.config.cache_directory();
        let recipe = match agent.saved {
            Saved::Image { extension, arguments } => {
                Recipe { runtime: self.runtime, text: (agent.text)(), extension, arguments }
            }
            Saved::Never(reason) => {
                // Compiled files go there, if possible.
                let _ = cache.as_deref().map(image::make_own);
                return Start::Plain(reason.to_owned());
            }
        };
        let deadline = *self.lock_deadline.get_or_init(|| Instant::now() + LOCK_LIMIT);
        let (program, mark, _guard) = (program.to_owned(), saving.to_owned(), self.household.guard(&self.config));
        tokio::task::spawn_blocking(move || image::saved(&recipe, &program, cache.as_deref(), &mark, refuse, deadline))
            .await
            .unwrap_or_else(|error| Start::Plain(error.to_string()))
    }

    async fn launch(&self, agent: &Agent, program: &Path, start: &Start) -> Result<Worker, String> {
        let mark = self.household.next_mark();
        let confined = self.household.confined(&self.config, &mark, Pipes::Standard)?;
        let compiled = confined.as_ref().map(|confined| confined.cache.as_path());
        let arguments = (agent.start)(start, self.config.heap_megabytes, compiled);
        let (program, arguments) = match self.runtime.shell {
            None => (program.to_owned(), arguments),
            Some(line) => {
                let words = ["-c".into(), line.into(), program.into()];
                (SHELL.into(), words.into_iter().chain(arguments).collect())
            }
        };
        let launch = Launch {
            program,
            arguments,
            signals: self.runtime.signals,
            reads_when_signalled: self.runtime.reads_when_signalled,
            keeper: self.config.keeper.clone(),
            launcher: self.config.launcher.clone(),
            confined,
            scratch: self.household.scratch(&self.config).map(Path::to_owned),
            directory: self.config.root.clone(),
            mark,
        };
        let text = matches!(start, Start::Plain(_)).then(|| (agent.text)());
        let (limit, bounds) = (self.config.output_limit, Bounds::of(&self.config));
        Worker::start(&launch, text.as_deref(), limit, bounds, self.household.guard(&self.config)).await
    }
}
