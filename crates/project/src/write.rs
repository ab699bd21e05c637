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
use std::time::Instant;

use cap_std::fs::MetadataExt as _;
use rustix::fs::{Access, AtFlags};

use crate::MAX_FILE_BYTES;
use crate::error::{EditError, Error, ReadOnlyWhy};
use crate::identity::identity_of;
use crate::lock::{self, Flock};
use crate::read::{self, Version};
use crate::root::Roots;
use crate::stage;
use crate::text::SourceFile;
use crate::walk::Place;

/// The result of the function that edits a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewText {
    /// The file stays as it is and is not written.
    Unchanged,
    /// The whole new text, without a byte order mark.
    Text(String),
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
        if !place.exists {
            return Err(place.not_found().into());
        }
        if !place.root.writable {
            return Err(Error::ReadOnly { path: place.path, why: ReadOnlyWhy::Library }.into());
        }
        let started = Instant::now();
        let deadline = started + self.shared.lock_wait;
        let locked_out = || Error::Locked { path: place.path.clone(), waited: started.elapsed() };
        let directory =
            identity_of(&place.dir).map_err(|error| Error::reading(&place.path, "look at its directory", error))?;
        let _turn = self.shared.locks.take((directory, place.name.clone()), deadline).ok_or_else(locked_out)?;
        let file = lock_current(&place, deadline)?.ok_or_else(locked_out)?;
        check_writable(&place, &file)?;

        let (old, version) = read::read_stable(&place.path, &file)?;
        let source = SourceFile::decode(&place.path, &old)?;
        let new = match edit(&source).map_err(EditError::Refused)? {
            NewText::Unchanged => None,
            NewText::Text(text) => Some(source.encode(&text)?).filter(|new| *new != old),
        };
        let Some(new) = new else {
            return Ok(Written { path: source.path, changed: false, len: source.len, other_names: 0 });
        };
        if new.len() as u64 > MAX_FILE_BYTES {
            return Err(Error::TooLarge { path: source.path, size: new.len() as u64, limit: MAX_FILE_BYTES }.into());
        }
        let names = file.metadata().map_or(1, |metadata| metadata.nlink());
        replace(&place, &file, &new, |now| is_same(now, version, &old))?;
        let other_names = names.saturating_sub(1);
        Ok(Written { path: source.path, changed: true, len: new.len() as u64, other_names })
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
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(Error::TooLarge { path: place.path, size: bytes.len() as u64, limit: MAX_FILE_BYTES });
        }
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => Error::AlreadyExists { path: place.path.clone() },
            _ => Error::writing(&place.path, "create it", error),
        };
        stage::stage(&place.dir, &place.name, &bytes, None).and_then(stage::Staged::create).map_err(failed)?;
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

/// Replaces `old` by `new`, if `still_same` says of the file that has the name at the last moment that it is the old
/// one.
fn replace(place: &Place, old: &File, new: &[u8], still_same: impl Fn(&File) -> bool) -> Result<(), Error> {
    let failed = |error| Error::writing(&place.path, "write the new version", error);
    let overtaken = || Error::Overtaken { path: place.path.clone() };
    stage::remove_abandoned(&place.dir, &place.name);
    let mut staged = stage::stage(&place.dir, &place.name, new, Some(old)).map_err(failed)?;
    if !staged.is_owned_like(old).map_err(failed)? {
        return Err(Error::ReadOnly { path: place.path.clone(), why: ReadOnlyWhy::OtherOwner });
    }
    staged.give_name().map_err(failed)?;
    if !read::open(place).is_ok_and(|now| still_same(&now)) {
        return Err(overtaken());
    }
    staged.replace().map_err(|error| match error.kind() {
        // A program without the lock has replaced the file, and the next writer of that one has removed this version.
        io::ErrorKind::NotFound => overtaken(),
        _ => failed(error),
    })?;
    sync(place)
}

/// `now` is the inode that was read and has the same bytes. Times alone can miss a change within one clock tick.
fn is_same(now: &File, version: Version, old: &[u8]) -> bool {
    let same_inode = now.metadata().is_ok_and(|metadata| {
        let now = Version::of(&metadata);
        (now.dev, now.ino, now.len) == (version.dev, version.ino, version.len)
    });
    same_inode && read::read_stable("", now).is_ok_and(|(bytes, _)| bytes == old)
}

fn sync(place: &Place) -> Result<(), Error> {
    stage::sync_directory(&place.dir).map_err(|source| Error::NotDurable { path: place.path.clone(), source })
}
