//! Saved images: what makes a fresh session start in milliseconds.
//!
//! What a runtime starts from is saved once per program and agent text, in the user's cache directory: for SBCL a core
//! with the agent loaded, for Guile the compiled agent. Starting from it maps the file, so workers share its pages.
//! Without a usable cache a worker starts plain and is fed the agent through its standard input, which costs a few
//! seconds and needs no file on the other side of a launcher either. The command lines are in `agent`.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use crate::agent::{Agent, Start};
use crate::environment;
use crate::marks::{MARK, end_marked};

/// How long saving an image may take before it is given up.
const SAVE_LIMIT: Duration = Duration::from_secs(120);

/// Images that nobody has used for so long are removed when a new one is saved.
const UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What a server that ended while it saved has left is removed after so long.
const UNFINISHED: Duration = Duration::from_secs(60 * 60);

/// Finds or saves the image that `agent` starts from with the implementation at `program`, below `cache`. Blocks.
///
/// `mark` is that of the process which saves, so that it ends with this one. `refuse` is the inode of an image that turned
/// out not to start; it is replaced, by this server or another.
pub(crate) fn saved(agent: &Agent, program: &Path, cache: Option<&Path>, mark: &str, refuse: Option<u64>) -> Start {
    let Some(cache) = cache else { return Start::Plain("there is no cache directory".into()) };
    match find_or_save(agent, program, cache, mark, refuse) {
        Ok(core) => Start::Saved(core),
        Err(error) => Start::Plain(format!("no image could be saved below {}: {error}", cache.display())),
    }
}

/// The inode of a file: a new image is a new file.
pub(crate) fn inode(path: &Path) -> Option<u64> {
    path.metadata().ok().map(|data| data.ino())
}

fn find_or_save(agent: &Agent, program: &Path, cache: &Path, mark: &str, refuse: Option<u64>) -> io::Result<PathBuf> {
    let core = cache.join(format!("{}-{:016x}.{}", agent.runtime, key(agent, program)?, agent.extension));
    let usable = || inode(&core).is_some_and(|inode| Some(inode) != refuse);
    if !usable() {
        std::fs::create_dir_all(cache)?;
        let lock = OpenOptions::new().create(true).append(true).open(core.with_extension("lock"))?;
        lock.lock()?;
        // Another server may have saved it in the meantime.
        if !usable() {
            save(agent, program, mark, &core)?;
            remove_unused(agent, cache, &core);
        }
    }
    // The time of the last use; only the removal of old images asks for it.
    let _ = File::open(&core).and_then(|file| file.set_modified(SystemTime::now()));
    Ok(core)
}

/// Distinguishes installations of the implementation and versions of the agent.
fn key(agent: &Agent, program: &Path) -> io::Result<u64> {
    let program = program.canonicalize()?;
    let data = program.metadata()?;
    let identity = format!("{} {} {} {}", program.display(), data.len(), data.mtime(), data.mtime_nsec());
    Ok(hash(identity.bytes().chain(agent.text().bytes())))
}

/// Tells versions apart (FNV-1a).
pub(crate) fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

fn save(agent: &Agent, program: &Path, mark: &str, core: &Path) -> io::Result<()> {
    let unfinished = core.with_extension(format!("new-{}", std::process::id()));
    tracing::info!(core = %core.display(), "saving an image");
    let mut child = Command::new(program)
        .args(agent.save_arguments(&unfinished))
        .env_clear()
        .envs(environment::told())
        .env(MARK, mark)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut requests = child.stdin.take().expect("standard input was asked for as a pipe");
    let errors = child.stderr.take().expect("standard error was asked for as a pipe");
    let text = agent.text();
    let feeding = std::thread::spawn(move || requests.write_all(text.as_bytes()));
    let listening = std::thread::spawn(move || last_words(errors));
    let deadline = Instant::now() + SAVE_LIMIT;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() > deadline {
            // With what it has started, which may hold its pipes.
            end_marked(mark);
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
        Err(io::Error::other(format!("{} ended with {status} ({last})", agent.runtime)))
    }
}

/// The end of what a process says, as text; of endless words no more is kept.
fn last_words(mut pipe: impl io::Read) -> String {
    let mut kept = Vec::new();
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = pipe.read(&mut bytes) {
        kept.extend_from_slice(&bytes[..count]);
        kept.drain(..kept.len().saturating_sub(bytes.len()));
    }
    String::from_utf8_lossy(&kept).into_owned()
}

fn remove_unused(agent: &Agent, cache: &Path, current: &Path) {
    let Ok(entries) = std::fs::read_dir(cache) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let age = path.metadata().and_then(|data| data.modified()).ok().and_then(|used| used.elapsed().ok());
        let limit = match path.extension().and_then(OsStr::to_str) {
            Some(extension) if extension == agent.extension => UNUSED,
            Some(extension) if extension.starts_with("new-") => UNFINISHED,
            _ => continue,
        };
        if age.is_some_and(|age| age > limit) && path != current {
            let _ = std::fs::remove_file(path);
        }
    }
}
