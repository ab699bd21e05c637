//! Saved images: what makes a fresh session start in milliseconds.
//!
//! An SBCL with the agent loaded is saved once per SBCL program and agent text, in the user's cache directory. Starting
//! from it maps the file, so workers share its pages. Without a usable cache a worker starts plain and is fed the agent
//! through its standard input, which costs a few seconds and needs no file on the other side of a launcher either.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// The agent: what is SBCL's own, then the portable parts.
const AGENT: [&str; 5] = [
    include_str!("../../../images/common-lisp-sbcl.lisp"),
    include_str!("../../../images/common-lisp.lisp"),
    include_str!("../../../images/common-lisp-objects.lisp"),
    include_str!("../../../images/common-lisp-expand.lisp"),
    include_str!("../../../images/common-lisp-held.lisp"),
];

/// Reads the agent's forms from standard input up to `:END`.
const LOAD: &str = "(with-compilation-unit () (loop for form = (read) until (eq form :end) do (eval form)))";

/// How long saving an image may take before it is given up.
const SAVE_LIMIT: Duration = Duration::from_secs(120);

/// Images that nobody has used for so long are removed when a new one is saved.
const UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How a worker is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// From a saved image.
    Saved(PathBuf),
    /// From the implementation's own image, the agent fed through standard input; with the reason for it.
    Plain(String),
}

/// The text that a plain start is fed.
pub(crate) fn agent_text() -> String {
    format!("{}\n:end\n", AGENT.join("\n"))
}

/// The arguments that run `start` with SBCL and a heap of `heap` megabytes.
pub(crate) fn arguments(start: &Start, heap: u32) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = Vec::new();
    if let Start::Saved(core) = start {
        arguments.extend(["--core".into(), core.into()]);
    }
    let heap = format!("{heap}MB");
    arguments.extend(
        ["--noinform", "--disable-ldb", "--no-merge-core-pages", "--dynamic-space-size", &heap].map(OsString::from),
    );
    if let Start::Plain(_) = start {
        arguments.extend(
            ["--no-sysinit", "--no-userinit", "--disable-debugger", "--eval", LOAD, "--eval"].map(OsString::from),
        );
        arguments.push("(funcall (intern \"MAIN\" \"LISPWRIGHT.AGENT\"))".into());
    }
    arguments
}

/// The directory for saved images when the configuration names none.
pub(crate) fn default_cache() -> Option<PathBuf> {
    let base = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    Some(base.join("lispwright"))
}

/// Finds or saves the image for the SBCL at `program` below `cache`. Blocks.
///
/// `refuse` is the inode of an image that turned out not to start; it is replaced, by this server or another.
pub(crate) fn saved(program: &Path, cache: Option<&Path>, refuse: Option<u64>) -> Start {
    let Some(cache) = cache else { return Start::Plain("there is no cache directory".into()) };
    match find_or_save(program, cache, refuse) {
        Ok(core) => Start::Saved(core),
        Err(error) => Start::Plain(format!("no image could be saved below {}: {error}", cache.display())),
    }
}

/// The inode of a file: a new image is a new file.
pub(crate) fn inode(path: &Path) -> Option<u64> {
    path.metadata().ok().map(|data| data.ino())
}

fn find_or_save(program: &Path, cache: &Path, refuse: Option<u64>) -> io::Result<PathBuf> {
    let core = cache.join(format!("sbcl-{:016x}.core", key(program)?));
    let usable = || inode(&core).is_some_and(|inode| Some(inode) != refuse);
    if !usable() {
        std::fs::create_dir_all(cache)?;
        let lock = OpenOptions::new().create(true).append(true).open(core.with_extension("lock"))?;
        lock.lock()?;
        // Another server may have saved it in the meantime.
        if !usable() {
            save(program, &core)?;
            remove_unused(cache, &core);
        }
    }
    // The time of the last use; only the removal of old images asks for it.
    let _ = File::open(&core).and_then(|file| file.set_modified(SystemTime::now()));
    Ok(core)
}

/// Distinguishes SBCL installations and versions of the agent (FNV-1a).
fn key(program: &Path) -> io::Result<u64> {
    let program = program.canonicalize()?;
    let data = program.metadata()?;
    let identity = format!("{} {} {} {}", program.display(), data.len(), data.mtime(), data.mtime_nsec());
    let bytes = identity.bytes().chain(AGENT.iter().flat_map(|part| part.bytes()));
    Ok(bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)))
}

fn save(program: &Path, core: &Path) -> io::Result<()> {
    let unfinished = core.with_extension(format!("new-{}", std::process::id()));
    let lisp_path = unfinished.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
    tracing::info!(core = %core.display(), "saving an image");
    let mut child = Command::new(program)
        .args(["--noinform", "--disable-ldb", "--no-sysinit", "--no-userinit", "--disable-debugger", "--eval", LOAD])
        .args(["--eval", &format!("(funcall (intern \"SAVE\" \"LISPWRIGHT.AGENT\") \"{lisp_path}\")")])
        .env_clear()
        .envs(std::env::vars_os().filter(|(name, _)| !crate::process::is_secret(name)))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut requests = child.stdin.take().expect("standard input was asked for as a pipe");
    let errors = child.stderr.take().expect("standard error was asked for as a pipe");
    let feeding = std::thread::spawn(move || requests.write_all(agent_text().as_bytes()));
    let listening = std::thread::spawn(move || io::read_to_string(errors).unwrap_or_default());
    let deadline = Instant::now() + SAVE_LIMIT;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() > deadline {
            let _ = child.kill();
            break child.wait()?;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let _ = feeding.join();
    let said = listening.join().unwrap_or_default();
    if status.success() && unfinished.exists() {
        std::fs::rename(&unfinished, core)
    } else {
        let _ = std::fs::remove_file(&unfinished);
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
        Err(io::Error::other(format!("SBCL ended with {status} ({last})")))
    }
}

fn remove_unused(cache: &Path, current: &Path) {
    let Ok(entries) = std::fs::read_dir(cache) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let old = path
            .metadata()
            .and_then(|data| data.modified())
            .is_ok_and(|used| used.elapsed().is_ok_and(|age| age > UNUSED));
        if old && path != current && path.extension().is_some_and(|extension| extension == "core") {
            let _ = std::fs::remove_file(path);
        }
    }
}
