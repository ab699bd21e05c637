//! How workers are run: what the whole server decides once.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::backends::Runtime;
use crate::sandbox::SandboxConfig;

/// How workers are run.
#[derive(Clone, Debug)]
pub struct Config {
    /// The working directory of the images: the project root.
    pub root: PathBuf,
    /// Where saved images are kept; the user's cache directory when absent.
    pub cache: Option<PathBuf>,
    /// Programs in place of those on `PATH`, by the names of their runtimes.
    pub programs: BTreeMap<&'static str, PathBuf>,
    /// The runtime of a session that is asked for without one; the one that most source files below the root are for
    /// when absent.
    pub runtime: Option<Runtime>,
    /// A command in front of every worker that carries its standard input and output (`ssh host`, `bwrap ...`).
    pub launcher: Vec<String>,
    /// This program, which can be started as the keeper of a worker; workers have none when absent.
    pub keeper: Option<PathBuf>,
    /// What keeps workers in; nothing when absent.
    pub sandbox: Option<SandboxConfig>,
    /// How many sessions there may be at once.
    pub max_sessions: usize,
    /// How long an image may be idle before it is ended; for ever when absent.
    pub max_idle: Option<Duration>,
    /// The heap of an image in megabytes. All processes of an image together may take more by [`Config::memory_limit`].
    pub heap_megabytes: u32,
    /// How many processes an image and what it started may be.
    pub max_processes: u32,
    /// Bytes that one call may print to one descriptor before it is interrupted.
    pub output_limit: u64,
    /// Keep a worker ready once the first session has started.
    pub spare: bool,
}

impl Config {
    /// The defaults: 8 sessions, twelve hours, heaps of 2 GB, 512 processes, 8 MB of output, no sandbox, a
    /// spare.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            cache: None,
            programs: BTreeMap::new(),
            runtime: None,
            launcher: Vec::new(),
            keeper: None,
            sandbox: None,
            max_sessions: 8,
            max_idle: Some(Duration::from_secs(12 * 3600)),
            heap_megabytes: 2048,
            max_processes: 512,
            output_limit: 8 << 20,
            spare: true,
        }
    }

    /// Megabytes that an image, its copies and what they started may take together: what a full heap needs, and a quarter
    /// of it and 256 MB more for all that is not heap.
    pub fn memory_limit(&self) -> u64 {
        let heap = u64::from(self.heap_megabytes);
        heap + heap / 4 + 256
    }

    /// The program that runs `runtime`, if there is one.
    pub(crate) fn program(&self, runtime: Runtime) -> Option<PathBuf> {
        self.programs.get(runtime.name).cloned().or_else(|| runtime.find())
    }
}
