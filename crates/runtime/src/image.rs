//! Saved images: with them a fresh session starts in milliseconds.
//!
//! A start image is saved once per program and agent text, in the user's cache directory: for SBCL a core with the
//! agent loaded, for Guile the compiled agent. Starting from it maps the file, so workers share its pages. Its digest
//! is saved beside it, and a server compares the two once before it runs the image. Without a usable cache a worker
//! starts plain and reads the agent from its standard input, which takes a few seconds and also works where a launcher
//! runs it on another machine. The command lines are in `backends`.

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use lispwright_project::{Access, Links, open_regular, read_regular};
use rustix::fs::OFlags;
use rustix::process::geteuid;
use sha2::{Digest as _, Sha256};

use crate::agent::Start;
use crate::backends::Runtime;
use crate::environment;
use crate::marks::{MARK, end_marked};
use crate::process::unblock_signals;

/// The time to wait for another process that saves an image.
pub(crate) const LOCK_LIMIT: Duration = Duration::from_secs(60);

/// The time to save an image.
const SAVE_LIMIT: Duration = Duration::from_secs(120);

/// Images that nobody has used for this long are removed when a new one is saved, and caches of confined images when a
/// server starts one.
pub(crate) const UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The mode bits by which others than the owner may write.
const OTHERS_WRITE: u32 = 0o022;

/// The extension of the file beside an image that holds its SHA-256 digest.
const DIGEST: &str = "sha256";

/// Unfinished files of a server that ended while it saved are removed after this time.
const UNFINISHED: Duration = Duration::from_secs(60 * 60);

/// An image that may be saved.
pub(crate) struct Recipe {
    pub(crate) runtime: Runtime,
    /// The standard input of the process that saves it.
    pub(crate) text: String,
    /// The extension of its file.
    pub(crate) extension: &'static str,
    /// The arguments that write it to a path.
    pub(crate) arguments: fn(&Path) -> Vec<OsString>,
}

/// Finds or saves the image of `recipe` with the implementation at `program`, below `cache`. Blocks.
///
/// `mark` is that of the saving process, so that it ends with this one. `refuse` is the inode of an image that failed
/// to start; it is replaced, by this server or another. If another process is saving, this waits for it until
/// `deadline`.
pub(crate) fn saved(
    recipe: &Recipe,
    program: &Path,
    cache: Option<&Path>,
    mark: &str,
    refuse: Option<u64>,
    deadline: Instant,
) -> Start {
    let Some(cache) = cache else { return Start::Plain("there is no cache directory".into()) };
    match find_or_save(recipe, program, cache, mark, refuse, deadline) {
        Ok(core) => Start::Saved(core),
        Err(error) => Start::Plain(format!("no image could be saved below {}: {error}", cache.display())),
    }
}

/// The inode of a file: a new image is a new file.
pub(crate) fn inode(path: &Path) -> Option<u64> {
    path.metadata().ok().filter(|data| data.is_file()).map(|data| data.ino())
}

fn find_or_save(
    recipe: &Recipe,
    program: &Path,
    cache: &Path,
    mark: &str,
    refuse: Option<u64>,
    deadline: Instant,
) -> io::Result<PathBuf> {
    let core = cache.join(format!("{}-{:016x}.{}", recipe.runtime, key(recipe, program)?, recipe.extension));
    make_own(cache)?;
    let usable = || inode(&core).is_some_and(|inode| Some(inode) != refuse) && is_as_saved(&core);
    if !usable() {
        // It may be a pipe: do not wait for its other end.
        let nonblocking = OFlags::NONBLOCK.bits().cast_signed();
        let mut options = OpenOptions::new();
        options.create(true).append(true).mode(0o600).custom_flags(nonblocking);
        let lock = options.open(core.with_extension("lock"))?;
        lock_until(&lock, deadline)?;
        // Another server may have saved it in the meantime.
        if !usable() {
            save(recipe, program, mark, &core)?;
            remove_unused(recipe.extension, cache, &core);
        }
    }
    mark_used(&core);
    Ok(core)
}

/// Sets the time of the last use of a file or directory, by which old ones are removed.
pub(crate) fn mark_used(path: &Path) {
    let _ = File::open(path).and_then(|file| file.set_modified(SystemTime::now()));
}

/// The time since the last use of a file or directory; `None` where it is not known.
pub(crate) fn unused_for(path: &Path) -> Option<Duration> {
    path.symlink_metadata().and_then(|data| data.modified()).ok().and_then(|used| used.elapsed().ok())
}

/// Makes the directory, if need be, and denies others writing there: the files in it are run.
pub(crate) fn make_own(cache: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(cache)?;
    let data = cache.metadata()?;
    if data.uid() != geteuid().as_raw() {
        return Err(io::Error::other(format!("it belongs to user {}", data.uid())));
    }
    if data.mode() & OTHERS_WRITE == 0 {
        Ok(())
    } else {
        std::fs::set_permissions(cache, Permissions::from_mode(data.mode() & !OTHERS_WRITE))
    }
}

/// Whether an image has the digest that was saved with it, and nobody else could have written either file. An image
/// that fails this is not run, and is replaced.
fn is_as_saved(core: &Path) -> bool {
    let beside = core.with_extension(DIGEST);
    let saved = read_regular(&beside, Sha256::output_size() as u64, Links::OnTheWay).unwrap_or_default();
    let fault = if !is_own(core) || beside.exists() && !is_own(&beside) {
        "others may have written the saved image"
    } else if !digest(core).is_ok_and(|digest| digest == saved) {
        "the saved image is not what was saved"
    } else {
        return true;
    };
    tracing::warn!(core = %core.display(), "{fault}: saving it again");
    false
}

/// Whether this is a file that nobody else could have written.
fn is_own(file: &Path) -> bool {
    let own = |data: Metadata| data.is_file() && data.uid() == geteuid().as_raw() && data.mode() & OTHERS_WRITE == 0;
    file.symlink_metadata().is_ok_and(own)
}

fn digest(core: &Path) -> io::Result<Vec<u8>> {
    let mut hasher = Sha256::new();
    io::copy(&mut open_regular(core, Access::Read, Links::OnTheWay)?, &mut hasher)?;
    Ok(hasher.finalize().to_vec())
}

/// Locks the file once no other process has it locked.
fn lock_until(file: &File, deadline: Instant) -> io::Result<()> {
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(20)),
            Err(TryLockError::WouldBlock) => return Err(io::Error::other("another process keeps its lock")),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// A key for the installation of the implementation and the version of the agent.
fn key(recipe: &Recipe, program: &Path) -> io::Result<u64> {
    let program = program.canonicalize()?;
    let data = program.metadata()?;
    let identity = format!("{} {} {} {}", program.display(), data.len(), data.mtime(), data.mtime_nsec());
    Ok(hash(identity.bytes().chain(recipe.text.bytes())))
}

/// A hash (FNV-1a) to tell versions apart.
pub(crate) fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

fn save(recipe: &Recipe, program: &Path, mark: &str, core: &Path) -> io::Result<()> {
    let unfinished = core.with_extension(format!("new-{}", std::process::id()));
    tracing::info!(core = %core.display(), "saving an image");
    let mut command = Command::new(program);
    environment::entrust(&mut command);
    command
        .args((recipe.arguments)(&unfinished))
        .env(MARK, mark)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    // SAFETY: the closure makes only a system call, which is allowed between fork and exec.
    unsafe {
        command.pre_exec(unblock_signals);
    }
    let mut child = command.spawn()?;
    let mut requests = child.stdin.take().expect("standard input was asked for as a pipe");
    let errors = child.stderr.take().expect("standard error was asked for as a pipe");
    let text = recipe.text.clone();
    let feeding = std::thread::spawn(move || requests.write_all(text.as_bytes()));
    let listening = std::thread::spawn(move || last_words(errors));
    let deadline = Instant::now() + SAVE_LIMIT;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() > deadline {
            // Ends its children as well, which may hold its pipes.
            end_marked(mark);
            let _ = child.kill();
            break child.wait()?;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let _ = feeding.join();
    let said = listening.join().unwrap_or_default();
    if status.success() && unfinished.exists() {
        std::fs::set_permissions(&unfinished, Permissions::from_mode(0o600))?;
        let saved = core.with_extension(DIGEST);
        let _ = std::fs::remove_file(&saved);
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(saved)?.write_all(&digest(&unfinished)?)?;
        std::fs::rename(&unfinished, core)
    } else {
        let _ = std::fs::remove_file(&unfinished);
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
        Err(io::Error::other(format!("{} ended with {status} ({last})", recipe.runtime)))
    }
}

/// The end of a process's output, as text, within bounds.
fn last_words(mut pipe: impl io::Read) -> String {
    let mut kept = Vec::new();
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = pipe.read(&mut bytes) {
        kept.extend_from_slice(&bytes[..count]);
        kept.drain(..kept.len().saturating_sub(bytes.len()));
    }
    String::from_utf8_lossy(&kept).into_owned()
}

fn remove_unused(own: &str, cache: &Path, current: &Path) {
    let Ok(entries) = std::fs::read_dir(cache) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let limit = match path.extension().and_then(OsStr::to_str) {
            Some(extension) if extension == own => UNUSED,
            Some(extension) if extension.starts_with("new-") => UNFINISHED,
            _ => continue,
        };
        if unused_for(&path).is_some_and(|age| age > limit) && path != current {
            let _ = std::fs::remove_file(path.with_extension(DIGEST));
            let _ = std::fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn an_image_that_others_may_have_written_is_not_run() {
        let root = tempfile::tempdir().unwrap();
        let (cache, core) = (root.path().join("a/b"), root.path().join("a/b/core"));
        make_own(&cache).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().mode() & 0o777;
        assert_eq!(mode(&cache), 0o700);
        std::fs::set_permissions(&cache, Permissions::from_mode(0o777)).unwrap();
        make_own(&cache).unwrap();
        assert_eq!(mode(&cache), 0o755);
        assert!(!is_own(&core), "there is none");
        std::fs::write(&core, "").unwrap();
        for (mode, own) in [(0o600, true), (0o644, true), (0o664, false), (0o602, false)] {
            std::fs::set_permissions(&core, Permissions::from_mode(mode)).unwrap();
            assert_eq!(is_own(&core), own, "{mode:o}");
        }
        std::os::unix::fs::symlink(&core, cache.join("link")).unwrap();
        assert!(!is_own(&cache.join("link")));
    }

    #[test]
    fn an_image_that_was_changed_is_not_run() {
        let root = tempfile::tempdir().unwrap();
        let core = root.path().join("a.core");
        let write = |path: &Path, bytes: &[u8]| {
            std::fs::write(path, bytes).unwrap();
            std::fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
        };
        write(&core, b"saved");
        assert!(!is_as_saved(&core), "there is no digest");
        let beside = core.with_extension(DIGEST);
        write(&beside, &digest(&core).unwrap());
        assert!(is_as_saved(&core));
        write(&core, b"other");
        assert!(!is_as_saved(&core));
        write(&core, b"saved");
        assert!(is_as_saved(&core));
        std::fs::set_permissions(&beside, Permissions::from_mode(0o660)).unwrap();
        assert!(!is_as_saved(&core), "others may have written the digest");
        write(&beside, b"");
        assert!(!is_as_saved(&core));
    }
}
