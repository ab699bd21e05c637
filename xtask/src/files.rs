//! Walking and copying directories.

use std::fs;
use std::path::{Path, PathBuf};

use crate::step::{About, Failure};

/// Every regular file below a directory; links are not followed.
pub(crate) fn below(directory: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    let mut pending = vec![directory.to_path_buf()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory).about(&directory)? {
            let entry = entry.about(&directory)?;
            let kind = entry.file_type().about(&entry.path())?;
            if kind.is_dir() {
                pending.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
    }
    Ok(files)
}

/// Copies the regular files below a directory.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    for file in below(from)? {
        let inside = file.strip_prefix(from).expect("it lies below the directory");
        let copy = to.join(inside);
        let parent = copy.parent().expect("a joined path has a parent");
        fs::create_dir_all(parent).about(parent)?;
        fs::copy(&file, &copy).about(&copy)?;
    }
    Ok(())
}

/// A temporary directory that is removed with the value.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(purpose: &str) -> Result<Self, Failure> {
        let path = std::env::temp_dir().join(format!("lispwright-{purpose}-{}", std::process::id()));
        fs::create_dir_all(&path).about(&path)?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
