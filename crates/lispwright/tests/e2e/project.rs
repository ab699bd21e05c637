//! A project directory that can be compared with what it was.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// `project/` is the root of the server; `secret.lisp` is beside it.
pub(crate) struct Project {
    temp: tempfile::TempDir,
}

/// Text of the file beside the project.
pub(crate) const SECRET: &str = "(defparameter *secret* 42)\n";

/// Files up to this many bytes are compared byte for byte, longer ones by length and time of change.
const COMPARED_WHOLE: u64 = 32 * 1024 * 1024;

/// The state of one name in the project.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    Directory { mode: u32 },
    File { mode: u32, inode: u64, bytes: Vec<u8> },
    Long { mode: u32, inode: u64, len: u64, changed: (i64, i64) },
    Link(PathBuf),
    Special,
}

impl Project {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        fs::set_permissions(temp.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(temp.path().join("project")).unwrap();
        fs::write(temp.path().join("secret.lisp"), SECRET).unwrap();
        Self { temp }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.temp.path().join("project")
    }

    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Writes a file, with the directories it needs.
    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn link(&self, name: &str, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.at(name)).unwrap();
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.at(name)).unwrap()
    }

    #[track_caller]
    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    pub(crate) fn set_mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.at(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Names in the project's top directory, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .root()
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Everything below the directory that holds the project, by path.
    pub(crate) fn snapshot(&self) -> BTreeMap<PathBuf, Entry> {
        let mut entries = BTreeMap::new();
        let mut pending = vec![self.temp.path().to_owned()];
        while let Some(path) = pending.pop() {
            let metadata = fs::symlink_metadata(&path).unwrap();
            let (mode, inode) = (metadata.mode(), metadata.ino());
            let kind = metadata.file_type();
            let entry = if kind.is_dir() {
                pending.extend(path.read_dir().unwrap().map(|entry| entry.unwrap().path()));
                Entry::Directory { mode }
            } else if kind.is_symlink() {
                Entry::Link(fs::read_link(&path).unwrap())
            } else if kind.is_fifo() || kind.is_socket() || kind.is_char_device() {
                Entry::Special
            } else if metadata.len() > COMPARED_WHOLE {
                Entry::Long { mode, inode, len: metadata.len(), changed: (metadata.ctime(), metadata.ctime_nsec()) }
            } else {
                Entry::File { mode, inode, bytes: fs::read(&path).unwrap() }
            };
            entries.insert(path, entry);
        }
        entries
    }
}
