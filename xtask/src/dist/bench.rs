//! The bench that packages are made on, and what a packager says of its work.

use std::fs;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::compile::Binary;
use super::payload::{File, Payload};
use super::release::Release;
use crate::files::Scratch;
use crate::step::{About, Failure};

/// All that packages are made of.
pub(crate) struct Bench {
    /// The directory in which the packages are left.
    pub(crate) place: PathBuf,
    pub(crate) release: Release,
    pub(crate) payload: Payload,
    pub(crate) binaries: Vec<Binary>,
}

/// How far the packages of one packager were tried, a line for each.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Installed from the file, run and, where the package manager can, removed.
    Ran(String),
    /// Made, and not run: with what is missing for that.
    Made(String),
}

impl Bench {
    /// A file that is released beside others, in the directory of packages.
    pub(crate) fn leave(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Failure> {
        let path = self.place.join(name);
        let parent = path.parent().expect("a joined path has a parent");
        fs::create_dir_all(parent).about(parent)?;
        fs::write(&path, bytes).about(&path)?;
        Ok(path)
    }

    /// The bytes of a file that was left.
    pub(crate) fn left(&self, name: &str) -> Result<Vec<u8>, Failure> {
        let path = self.place.join(name);
        fs::read(&path).about(&path)
    }

    /// The SHA-256 of a file that was left, in hexadecimal digits.
    pub(crate) fn sum(&self, name: &str) -> Result<String, Failure> {
        Ok(hex(&sha256(&self.left(name)?)))
    }

    /// What is in the archive of a target beside its binary; the paths are those of the archive.
    pub(crate) fn companions(&self, binary: &Binary) -> Vec<File> {
        let mut files = self.payload.documents.clone();
        files.extend([binary.licenses.clone(), binary.bill.clone()]);
        files
    }

    /// The binary that this machine can run by itself.
    pub(crate) fn here(&self) -> Option<&Binary> {
        self.binaries.iter().find(|binary| binary.target.is_here())
    }

    /// An empty directory to install into.
    pub(crate) fn prefix(&self, purpose: &str) -> Result<Scratch, Failure> {
        Scratch::new(&format!("dist-{purpose}"))
    }
}

/// The SHA-256 of some bytes.
pub(crate) fn sha256(bytes: &[u8]) -> Vec<u8> {
    Sha256::digest(bytes).to_vec()
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
