//! The Rust sources of the workspace, for tests of rules that hold for all crates.

use std::fs;
use std::path::{Path, PathBuf};

/// Paths of the sources of all crates, without their tests.
pub(crate) fn sources() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a crate is beside the others");
    let mut folders = vec![crates.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the folder is part of the repository") {
            let path = entry.expect("it can be listed").path();
            let is_test = path.ends_with("tests") || path.ends_with("target");
            match path.is_dir() {
                true if !is_test => folders.push(path),
                false if path.extension().is_some_and(|ending| ending == "rs") => found.push(path),
                _ => {}
            }
        }
    }
    found
}
