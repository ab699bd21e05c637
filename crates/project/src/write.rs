//! Replacing a file: the order of steps that loses nobody's work.
//!
//! 1. Walk to the file; take the turn within this process, then `flock` the file, and check whether the name still leads to
//!    the locked inode (a writer that finished meanwhile has put a new one there).
//! 2. Read it, let the caller make the new text, encode that as the file was encoded.
//! 3. Write the new version beside it and force it to the disk.
//! 4. Check whether the file still has the bytes that were read: editors take no locks.
//! 5. Rename the new version over the file and force the directory to the disk.
//!
//! A reader sees the old version or the new one at every moment. A crash before step 5 leaves the old one. A file with
//! several hard links keeps the old version under its other names; a symbolic link goes on pointing at the file, which
//! has the new version.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

use cap_std::fs::MetadataExt as _;
use rustix::fs::{Access, AtFlags};

use crate::MAX_FILE_BYTES;
use crate::changes::{Intent, KeptBytes};
use crate::error::{EditError, Error, ReadOnlyWhy};
use crate::identity::identity_of;
use crate::journal;
use crate::lock::{self, FileKey, Flock, Taken, Turn};
use crate::read::{self, Version};
use crate::root::Roots;
use crate::stage::{self, Staged};
use crate::text::SourceFile;
use crate::walk::Place;

/// The result of the function that edits a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewText {
    /// The file stays as it is and is not written.
    Unchanged,
    /// The whole new text, without a byte order mark.
    Text(String),
    /// The whole new bytes. A file that is created has these mode bits.
    Bytes(KeptBytes),
    /// The file is removed; only [`Roots::edit_several`] does that.
    Removed,
}

impl From<String> for NewText {
    fn from(text: String) -> Self {
        NewText::Text(text)
    }
}

/// The state of a file after an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The path for people; as in [`SourceFile::path`].
    pub path: String,
    /// The file has other bytes than before.
    pub changed: bool,
    /// The new length in bytes.
    pub len: u64,
    /// The number of other names of the file (hard links), which keep the old bytes.
    pub other_names: u64,
}

impl Roots {
    /// Replaces the text of the file that `path` names by what `edit` makes of it.
    ///
    /// `edit` runs once, with the file locked against other writers. Encoding, byte order mark, mode and owner
    /// stay. Nothing is written when the bytes come out the same, when `edit` says [`NewText::Unchanged`], or
    /// when it fails. On every error but [`Error::NotDurable`] the file has its old bytes, or those of another writer.
    pub fn edit<E>(
        &self,
        path: &Path,
        edit: impl FnOnce(&SourceFile) -> Result<NewText, E>,
    ) -> Result<Written, EditError<E>> {
        let place = self.locate(path)?;
        if place.root.writable {
            journal::settle(self, &place.root);
        }
        let held = Held::new(self, place)?;
        let new = edit(&held.source).map_err(EditError::Refused)?;
        let Some(new) = held.new_bytes(new)? else { return Ok(held.unchanged()) };
        let written = held.written(&new);
        let entry = self.recorder.as_ref().map(|recorder| recorder.begin(&held.intent(Some(&new))));
        let replaced = held.replace(&new);
        if let (Some(entry), Ok(()) | Err(Error::NotDurable { .. })) = (entry, &replaced) {
            entry.done();
        }
        replaced?;
        Ok(written)
    }

    /// Creates a UTF-8 file with `text` where nothing is yet; its directory must exist.
    ///
    /// The file appears whole or not at all. Fails with [`Error::AlreadyExists`] when something has the name, also when it
    /// appears meanwhile.
    pub fn create_new(&self, path: &Path, text: &str) -> Result<Written, Error> {
        let place = self.locate(path)?;
        if place.exists {
            return Err(Error::AlreadyExists { path: place.path });
        }
        if !place.root.writable {
            return Err(Error::ReadOnly { path: place.path, why: ReadOnlyWhy::Library });
        }
        let bytes = SourceFile::decode(&place.path, b"")?.encode(text)?;
        check_size(&place.path, &bytes)?;
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => Error::AlreadyExists { path: place.path.clone() },
            _ => Error::writing(&place.path, "create it", error),
        };
        let intent = Intent { path: &place.real, before: None, after: Some(&bytes) };
        let entry = self.recorder.as_ref().map(|recorder| recorder.begin(&intent));
        stage::stage(&place.dir, &place.name, &bytes, None).and_then(stage::Staged::create).map_err(failed)?;
        if let Some(entry) = entry {
            entry.done();
        }
        sync(&place)?;
        Ok(Written { path: place.path, changed: true, len: bytes.len() as u64, other_names: 0 })
    }

    /// An empty file such as [`Roots::create_new`] would make at `path`, for the caller to fill, and the files beside
    /// it with similar names; `None` when the path exists.
    ///
    /// Fails with [`Error::NotFound`] when its directory does not exist.
    pub fn vacant(&self, path: &Path) -> Result<Option<(SourceFile, Vec<String>)>, Error> {
        let place = self.locate(path)?;
        if place.exists {
            return Ok(None);
        }
        let nearest = place.not_found().candidates().to_vec();
        Ok(Some((SourceFile::decode(&place.path, b"")?, nearest)))
    }
}

/// A file that is locked against other writers of this kind, and the text that it has.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) place: Place,
    /// The file that was read. It stays locked for as long as this is open.
    pub(crate) file: File,
    pub(crate) turn: Turn,
    pub(crate) old: Vec<u8>,
    version: Version,
    pub(crate) source: SourceFile,
}

impl Held {
    /// Locks the file at a place and reads it.
    pub(crate) fn new(roots: &Roots, place: Place) -> Result<Self, Error> {
        if !place.exists {
            return Err(place.not_found());
        }
        if !place.root.writable {
            return Err(Error::ReadOnly { path: place.path, why: ReadOnlyWhy::Library });
        }
        let (turn, deadline) = take_turn(roots, &place)?;
        let started = Instant::now();
        let locked_out = || Error::Locked { path: place.path.clone(), waited: started.elapsed() };
        let file = lock_current(&place, deadline)?.ok_or_else(locked_out)?;
        check_writable(&place, &file)?;
        let (old, version) = read::read_stable(&place.path, &file)?;
        let source = SourceFile::decode(&place.path, &old[..])?;
        Ok(Self { place, file, turn, old, version, source })
    }

    /// The bytes that the file is to get; `None` if they are those that it has.
    pub(crate) fn new_bytes(&self, new: NewText) -> Result<Option<Vec<u8>>, Error> {
        let new = match new {
            NewText::Unchanged | NewText::Removed => None,
            NewText::Text(text) => Some(self.source.encode(&text)?).filter(|new| *new != self.old),
            NewText::Bytes(kept) => Some(kept.bytes).filter(|new| *new != self.old),
        };
        if let Some(new) = &new {
            check_size(&self.source.path, new)?;
        }
        Ok(new)
    }

    /// The state of the file if nothing is written.
    pub(crate) fn unchanged(&self) -> Written {
        Written { path: self.source.path.clone(), changed: false, len: self.source.len, other_names: 0 }
    }

    /// The state of the file after `new` has been written.
    pub(crate) fn written(&self, new: &[u8]) -> Written {
        let names = self.file.metadata().map_or(1, |metadata| metadata.nlink());
        let other_names = names.saturating_sub(1);
        Written { path: self.source.path.clone(), changed: true, len: new.len() as u64, other_names }
    }

    /// What is about to happen to the file.
    fn intent<'b>(&'b self, new: Option<&'b [u8]>) -> Intent<'b> {
        Intent { path: &self.place.real, before: Some((&self.old, mode_of(&self.file))), after: new }
    }

    /// Writes a new version beside the file, complete and, where the file system can do that, without a name.
    pub(crate) fn stage(&self, new: &[u8]) -> Result<Staged, Error> {
        let failed = |error| self.failed(error);
        if self.place.root.is_settled.load(Ordering::Relaxed) {
            stage::remove_abandoned(&self.place.dir, &self.place.name);
        }
        let staged = stage::stage(&self.place.dir, &self.place.name, new, Some(&self.file)).map_err(failed)?;
        if !staged.is_owned_like(&self.file).map_err(failed)? {
            return Err(Error::ReadOnly { path: self.place.path.clone(), why: ReadOnlyWhy::OtherOwner });
        }
        Ok(staged)
    }

    /// The name still leads to the file that was read, and it has the same bytes.
    pub(crate) fn check_same(&self) -> Result<(), Error> {
        let is_same = read::open(&self.place).is_ok_and(|now| is_same(&now, self.version, &self.old));
        is_same.then_some(()).ok_or_else(|| self.overtaken())
    }

    /// The error for a failed rename of a new version.
    pub(crate) fn not_renamed(&self, error: io::Error) -> Error {
        match error.kind() {
            // A program without the lock has replaced the file, and the next writer of that one has removed this
            // version.
            io::ErrorKind::NotFound => self.overtaken(),
            _ => self.failed(error),
        }
    }

    fn replace(&self, new: &[u8]) -> Result<(), Error> {
        let staged = self.stage(new)?;
        self.check_same()?;
        staged.replace().map_err(|error| self.not_renamed(error))?;
        sync(&self.place)
    }

    fn overtaken(&self) -> Error {
        Error::Overtaken { path: self.place.path.clone() }
    }

    fn failed(&self, error: io::Error) -> Error {
        Error::writing(&self.place.path, "write the new version", error)
    }
}

/// The mode bits of a file.
pub(crate) fn mode_of(file: &File) -> u32 {
    file.metadata().map_or(0o600, |metadata| metadata.mode() & 0o7777)
}

/// Takes the turn for a place within this process, and says until when to wait for other processes.
pub(crate) fn take_turn(roots: &Roots, place: &Place) -> Result<(Turn, Instant), Error> {
    let started = Instant::now();
    let deadline = started + roots.shared.lock_wait;
    let turn = roots.shared.locks.take(key_of(place)?, deadline).map_err(|taken| match taken {
        Taken::UntilDeadline => Error::Locked { path: place.path.clone(), waited: started.elapsed() },
        Taken::ForLong => Error::InTrial { path: place.path.clone() },
    })?;
    Ok((turn, deadline))
}

/// The file at a place, by its directory and its name there.
pub(crate) fn key_of(place: &Place) -> Result<FileKey, Error> {
    let directory = identity_of(&place.dir);
    let directory = directory.map_err(|error| Error::reading(&place.path, "look at its directory", error))?;
    Ok((directory, place.name.clone()))
}

/// The bytes are few enough for a file.
pub(crate) fn check_size(path: &str, bytes: &[u8]) -> Result<(), Error> {
    let size = bytes.len() as u64;
    if size > MAX_FILE_BYTES {
        return Err(Error::TooLarge { path: path.to_owned(), size, limit: MAX_FILE_BYTES });
    }
    Ok(())
}

/// Opens and locks the file that has the name now; `None` when other processes held it until `deadline`.
fn lock_current(place: &Place, deadline: Instant) -> Result<Option<File>, Error> {
    let failed = |error| Error::reading(&place.path, "lock it", error);
    loop {
        let file = read::open(place)?;
        if lock::flock_until(&file, deadline).map_err(failed)? == Flock::TimedOut {
            return Ok(None);
        }
        let held = Version::of(&file.metadata().map_err(failed)?);
        match place.dir.symlink_metadata(&place.name) {
            Ok(now) if (now.dev(), now.ino()) == (held.dev, held.ino) => return Ok(Some(file)),
            _ if Instant::now() >= deadline => return Ok(None),
            // It was replaced while this call waited: lock the new file.
            _ => {}
        }
    }
}

/// A rename needs no permission on the file that it replaces, so this checks the file's own mode.
fn check_writable(place: &Place, file: &File) -> Result<(), Error> {
    let read_only = |why| Error::ReadOnly { path: place.path.clone(), why };
    let stat = rustix::fs::fstat(file).map_err(|error| Error::reading(&place.path, "look at it", error.into()))?;
    if stat.st_mode & 0o222 == 0 {
        return Err(read_only(ReadOnlyWhy::ModeBits));
    }
    match rustix::fs::accessat(&place.dir, &place.name, Access::WRITE_OK, AtFlags::EACCESS) {
        Err(rustix::io::Errno::ROFS) => Err(read_only(ReadOnlyWhy::FileSystem)),
        Err(rustix::io::Errno::ACCESS | rustix::io::Errno::PERM) => Err(read_only(ReadOnlyWhy::NotOurs)),
        // Any other fault shows, with its own error, when the new version is written.
        _ => Ok(()),
    }
}

/// `now` is the inode that was read and has the same bytes. Times alone can miss a change within one clock tick.
fn is_same(now: &File, version: Version, old: &[u8]) -> bool {
    let same_inode = now.metadata().is_ok_and(|metadata| {
        let now = Version::of(&metadata);
        (now.dev, now.ino, now.len) == (version.dev, version.ino, version.len)
    });
    same_inode && read::read_stable("", now).is_ok_and(|(bytes, _)| bytes == old)
}

/// Forces the name at a place to the disk.
pub(crate) fn sync(place: &Place) -> Result<(), Error> {
    stage::sync_directory(&place.dir).map_err(|source| Error::NotDurable { path: place.path.clone(), source })
}
