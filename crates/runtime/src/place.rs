//! A directory that confined workers may write below, identified by its inode and not only by its name.
//!
//! A name can refer to another directory for the next worker: a process that may write beside it can swap it for a
//! link. So the server holds each directory open from the start, and passes its device and inode with its name; the
//! process that opens the name later refuses another directory. While the directory is open no other can get the same
//! inode.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use lispwright_platform::{Here, System as _};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

/// The device and the inode of a directory.
type DirectoryId = (u64, u64);

/// A place as an argument of the process that opens it: `DEVICE:INODE/PATH`, or the path alone for any directory there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WritablePlace {
    path: PathBuf,
    identity: Option<DirectoryId>,
}

impl WritablePlace {
    /// Parses a word of a command line.
    pub fn parse(word: &OsStr) -> Self {
        let bytes = word.as_bytes();
        let (before, path) = bytes.split_at(bytes.iter().position(|byte| *byte == b'/').unwrap_or(0));
        let numbers = std::str::from_utf8(before).ok().and_then(|before| before.split_once(':'));
        let identity =
            numbers.and_then(|(device, inode)| Some((device.parse::<u64>().ok()?, inode.parse::<u64>().ok()?)));
        match identity {
            Some(identity) => Self { path: OsStr::from_bytes(path).into(), identity: Some(identity) },
            None => Self { path: word.into(), identity: None },
        }
    }

    /// Its name with the open directory, if that is the expected one; `None` when nothing has the name. Something else
    /// in place of an expected directory is an error.
    pub(crate) fn open(&self) -> Result<Option<(PathBuf, OwnedFd)>, String> {
        let directory = open(&self.path);
        let found = directory.as_ref().ok().and_then(|directory| identity(directory).ok());
        match directory {
            Ok(directory) if self.identity.is_none() || self.identity == found => {
                Ok(Some((self.path.clone(), directory.into())))
            }
            Err(error) if self.identity.is_none() || error == Errno::NOENT => Ok(None),
            // Another directory, or a link or a file in its place.
            _ => Err(format!(
                "{} is not the directory any more that it was when the server began to use it. Start the server again",
                self.path.display()
            )),
        }
    }
}

/// A place that the server holds open.
#[derive(Debug)]
pub(crate) struct Held {
    /// Its name, without links in it.
    pub(crate) path: PathBuf,
    identity: Option<DirectoryId>,
    _directory: Option<File>,
}

impl Held {
    /// Opens the directory that `path` names now.
    pub(crate) fn new(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        let directory = open(&path)?;
        Ok(Self { identity: Some(identity(&directory)?), path, _directory: Some(directory) })
    }

    /// A path that exists on another machine only.
    pub(crate) fn elsewhere(path: &Path) -> Self {
        Self { path: path.to_owned(), identity: None, _directory: None }
    }

    /// Fails when its name refers to something else. A missing name is fine.
    pub(crate) fn check(&self) -> Result<(), String> {
        WritablePlace { path: self.path.clone(), identity: self.identity }.open().map(drop)
    }

    /// The argument for it on a command line.
    pub(crate) fn word(&self) -> OsString {
        let mut word = self.identity.map_or_else(OsString::new, |(device, inode)| format!("{device}:{inode}").into());
        word.push(&self.path);
        word
    }
}

fn open(path: &Path) -> rustix::io::Result<File> {
    let flags = Here::HOLD | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(CWD, path, flags, Mode::empty()).map(File::from)
}

fn identity(directory: &File) -> io::Result<DirectoryId> {
    let data = directory.metadata()?;
    Ok((data.dev(), data.ino()))
}

/// The paths that are below no other of them. A path below another needs no right of its own, and with one it could be
/// swapped by a process that may write beside it.
pub(crate) fn outermost(paths: &[PathBuf]) -> Vec<&PathBuf> {
    paths.iter().filter(|path| around(path, paths).is_none()).collect()
}

/// The one of `paths` that `path` lies below.
pub(crate) fn around<'p>(path: &Path, paths: &'p [PathBuf]) -> Option<&'p PathBuf> {
    paths.iter().find(|other| path != *other && path.starts_with(other))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_place_is_opened_only_while_it_is_the_same() {
        let root = tempfile::tempdir().unwrap();
        let place = root.path().join("place");
        std::fs::create_dir(&place).unwrap();
        let held = Held::new(&place).unwrap();
        let told = WritablePlace::parse(&held.word());
        assert_eq!(told.path, place.canonicalize().unwrap());
        assert!(told.open().unwrap().is_some() && held.check().is_ok());
        std::fs::rename(&place, root.path().join("moved")).unwrap();
        assert!(told.open().unwrap().is_none());
        std::os::unix::fs::symlink("/", &place).unwrap();
        assert!(held.check().is_err(), "a link is not followed");
        assert!(WritablePlace::parse(place.as_os_str()).open().unwrap().is_none());
        std::fs::remove_file(&place).unwrap();
        std::fs::create_dir(&place).unwrap();
        assert!(told.open().unwrap_err().contains("Start the server again") && held.check().is_err());
        let anything = WritablePlace::parse(place.as_os_str());
        assert_eq!(anything, WritablePlace { path: place, identity: None });
        assert!(anything.open().unwrap().is_some());
    }

    #[test]
    fn paths_below_others_are_left_out() {
        let paths = ["/a", "/a/b", "/ab", "/c/d", "/c/d/e/f"].map(PathBuf::from);
        assert_eq!(outermost(&paths), [&paths[0], &paths[2], &paths[3]]);
    }
}
