//! Directories for temporary files, which are removed with their owner.

use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// A directory that is removed with this. Only its owner may read it.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Makes the directory; fails if something is there.
    pub(crate) fn new(path: PathBuf) -> io::Result<Self> {
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

/// Removes a directory with everything in it. Links are removed, not followed.
pub(crate) fn remove(directory: &Path) {
    if std::fs::remove_dir_all(directory).is_err() {
        open_up(directory);
        let _ = std::fs::remove_dir_all(directory);
    }
}

/// Gives the owner access to every directory below `directory`, whatever modes code has set.
fn open_up(directory: &Path) {
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        let _ = std::fs::set_permissions(&directory, Permissions::from_mode(0o700));
        let entries = std::fs::read_dir(&directory).into_iter().flatten().flatten();
        let inner = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        open.extend(inner.map(|entry| entry.path()));
    }
}
