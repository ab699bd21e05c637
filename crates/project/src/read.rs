//! Reading one regular file, whole and as it was at one moment.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::MAX_FILE_BYTES;
use crate::error::{Error, NotRegular};
use crate::regular::{AT_ONCE, only_regular};
use crate::root::Roots;
use crate::text::{Encoding, SourceFile, decoded};
use crate::walk::Place;
use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{OpenOptions, OpenOptionsExt as _};

/// The number of attempts to read a file that changes meanwhile.
const MAX_ATTEMPTS: u32 = 6;

/// Longer than the clock tick of any file system, including those that keep whole seconds.
const CLOCK_TICK: Duration = Duration::from_secs(3);

/// The properties that are equal when two reads have seen one version: inode, length, and times in seconds and
/// nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    pub(crate) dev: u64,
    pub(crate) ino: u64,
    pub(crate) len: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Version {
    pub(crate) fn of(metadata: &std::fs::Metadata) -> Self {
        Self {
            dev: metadata.dev(),
            ino: metadata.ino(),
            len: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// The version of the file that a path leads to now.
    ///
    /// Errors: those of the system, such as [`io::ErrorKind::NotFound`].
    pub fn at(path: &Path) -> io::Result<Self> {
        std::fs::metadata(path).map(|metadata| Self::of(&metadata))
    }

    /// The last change is so long before `now` that the next one cannot get the same time from the system's clock.
    #[must_use]
    pub fn is_settled(&self, now: SystemTime) -> bool {
        let seconds = u64::try_from(self.changed.0).unwrap_or(0);
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        now.duration_since(changed).is_ok_and(|age| age > CLOCK_TICK)
    }
}

impl Roots {
    /// Reads the regular file that `path` names: relative to the first root, or absolute inside any root.
    ///
    /// Links that stay inside the roots are followed. Errors: see [`Error`]; nothing but a regular file of at most
    /// [`MAX_FILE_BYTES`](crate::MAX_FILE_BYTES) bytes is read.
    pub fn read(&self, path: &Path) -> Result<SourceFile, Error> {
        let place = self.locate(path)?;
        let file = open(&place)?;
        let (bytes, _) = read_stable(&place.path, &file)?;
        SourceFile::decode(&place.path, bytes)
    }
}

/// Reads any regular file of the system, for a person who names it on a command line. Links are followed; the limits
/// are those of [`Roots::read`].
pub fn read_anywhere(path: &Path) -> Result<SourceFile, Error> {
    let (shown, bytes) = bytes_anywhere(path)?;
    SourceFile::decode(&shown, bytes)
}

/// The text of any regular file of the system, read as by [`read_anywhere`] but without the digest, which takes longer
/// than the reading. For callers that do not write it.
pub fn read_text_anywhere(path: &Path) -> Result<String, Error> {
    read_encoded_anywhere(path).map(|(text, _)| text)
}

/// [`read_text_anywhere`], with the encoding of the bytes.
pub fn read_encoded_anywhere(path: &Path) -> Result<(String, Encoding), Error> {
    let (shown, bytes) = bytes_anywhere(path)?;
    decoded(&shown, bytes).map(|(text, encoding, _)| (text, encoding))
}

/// The path as it is shown, and the bytes there.
fn bytes_anywhere(path: &Path) -> Result<(String, Vec<u8>), Error> {
    use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
    let shown = path.display().to_string();
    let opened = std::fs::OpenOptions::new().read(true).custom_flags(AT_ONCE.bits().cast_signed()).open(path);
    let file = opened.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::Missing { path: shown.clone() },
        _ => Error::reading(&shown, "open it", error),
    })?;
    let metadata = file.metadata().map_err(|error| Error::reading(&shown, "look at it", error))?;
    let kind = metadata.file_type();
    if kind.is_dir() {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        let mut holds: Vec<String> = entries.take(200).map(|entry| entry.path().display().to_string()).collect();
        holds.sort();
        holds.truncate(5);
        return Err(Error::IsDirectory { path: shown, holds });
    }
    if !kind.is_file() {
        let kind = if kind.is_fifo() { NotRegular::Fifo } else { NotRegular::Device };
        return Err(Error::NotRegular { path: shown, kind });
    }
    let (bytes, _) = read_stable_while(&shown, &file, Version::of(&metadata), || {})?;
    Ok((shown, bytes))
}

/// Opens the regular file at `place` for reading, never anything else and never through a link.
pub(crate) fn open(place: &Place) -> Result<File, Error> {
    if !place.exists {
        return Err(place.not_found());
    }
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).custom_flags(AT_ONCE.bits().cast_signed());
    let file = match place.dir.open_with(&place.name, &options) {
        Ok(file) => file.into_std(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(place.not_found()),
        Err(error) => return Err(Error::reading(&place.path, "open it", error)),
    };
    only_regular(file).map_err(|_| Error::NotRegular { path: place.path.clone(), kind: NotRegular::Unknown })
}

/// All bytes of `file`, and the version they belong to.
pub(crate) fn read_stable(path: &str, file: &File) -> Result<(Vec<u8>, Version), Error> {
    let first = Version::of(&file.metadata().map_err(|error| Error::reading(path, "read it", error))?);
    read_stable_while(path, file, first, || {})
}

/// The same for a file whose version was `first` a moment ago. `meanwhile` runs after each read of the bytes: it stands for
/// the other programs that run at that moment.
fn read_stable_while(
    path: &str,
    file: &File,
    first: Version,
    mut meanwhile: impl FnMut(),
) -> Result<(Vec<u8>, Version), Error> {
    let failed = |error| Error::reading(path, "read it", error);
    let too_large = |size| Error::TooLarge { path: path.to_owned(), size, limit: MAX_FILE_BYTES };
    for attempt in 0..MAX_ATTEMPTS {
        if attempt > 0 {
            std::thread::sleep(Duration::from_millis(1 << attempt));
        }
        let before = if attempt == 0 { first } else { Version::of(&file.metadata().map_err(failed)?) };
        if before.len > MAX_FILE_BYTES {
            return Err(too_large(before.len));
        }
        let bytes = read_from_start(file, before.len).map_err(failed)?;
        meanwhile();
        let after = Version::of(&file.metadata().map_err(failed)?);
        if after.len > MAX_FILE_BYTES {
            return Err(too_large(after.len));
        }
        if before != after || bytes.len() as u64 != after.len {
            continue;
        }
        if after.is_settled(SystemTime::now()) || read_from_start(file, after.len).map_err(failed)? == bytes {
            return Ok((bytes, after));
        }
    }
    Err(Error::Changing { path: path.to_owned() })
}

/// The `expected` number of bytes; more would be another version. Files that the system makes up say that they have none,
/// and of these at most one byte more than the limit, so that none can fill the memory.
fn read_from_start(file: &File, expected: u64) -> io::Result<Vec<u8>> {
    let expected = usize::try_from(expected).unwrap_or(0);
    if expected > 0 {
        let mut bytes = vec![0; expected];
        let mut filled = 0;
        while filled < expected {
            match file.read_at(&mut bytes[filled..], filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        bytes.truncate(filled);
        return Ok(bytes);
    }
    let mut bytes = Vec::new();
    FromStart { file, at: 0 }.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a file from its start without moving the position that other handles share.
struct FromStart<'f> {
    file: &'f File,
    at: u64,
}

impl io::Read for FromStart<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Reads a file on which `change` is done after the first `changes` times that its bytes were read.
    fn read_while_changing(changes: usize, change: impl Fn(&File, usize)) -> Result<Vec<u8>, Error> {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("busy.lisp");
        std::fs::write(&path, "(a)\n").unwrap();
        let writer = File::options().write(true).open(&path).unwrap();
        let mut reads = 0;
        let meanwhile = || {
            reads += 1;
            if reads <= changes {
                change(&writer, reads);
            }
        };
        let file = File::open(&path).unwrap();
        let first = Version::of(&file.metadata().unwrap());
        read_stable_while("busy.lisp", &file, first, meanwhile).map(|(bytes, _)| bytes)
    }

    fn grow(file: &File, reads: usize) {
        file.write_all_at(b" ", 3 + reads as u64).unwrap();
    }

    /// Keeps the length, and within one tick of the clock the time.
    fn overwrite(file: &File, reads: usize) {
        file.write_all_at(&[b'a' + reads as u8], 1).unwrap();
    }

    #[test]
    fn a_file_that_settles_is_read_as_it_is_then() {
        assert_eq!(read_while_changing(0, grow).unwrap(), b"(a)\n");
        assert_eq!(read_while_changing(1, grow).unwrap(), b"(a)\n ");
        assert_eq!(read_while_changing(2, overwrite).unwrap(), b"(c)\n");
    }

    #[test]
    fn a_file_that_keeps_changing_is_reported() {
        for change in [grow, overwrite] {
            let error = read_while_changing(usize::MAX, change).unwrap_err();
            assert!(matches!(error, Error::Changing { .. }), "{error:?}");
            assert_eq!((error.code(), error.retryable()), ("CONFLICT", true));
        }
    }
}
