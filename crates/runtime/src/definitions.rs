//! The files of a project that define systems, so that a system is found by its name.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// The number of names after which the search ends.
const MOST_NAMES: usize = 50_000;

/// The most definition files that are returned.
const MOST_FILES: usize = 1_000;

/// Directories where ocicl keeps libraries, possibly several versions of one; each with the list beside it that
/// identifies it.
const LIBRARIES: [(&str, &str); 2] = [("ocicl", "ocicl.csv"), ("systems", "systems.csv")];

/// The `.asd` files below `root`, those in directories near it first, each directory's in the order of names.
///
/// Hidden directories and those of ocicl's libraries are left out, and links are not followed. The search ends after
/// 50,000 names.
pub fn definition_files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut directories = VecDeque::from([root.to_owned()]);
    let mut left = MOST_NAMES;
    while let Some(directory) = directories.pop_front() {
        let Ok(entries) = std::fs::read_dir(&directory) else { continue };
        let mut entries: Vec<_> = entries.flatten().take(left).collect();
        left -= entries.len();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let is_library = |(name, list): &(&str, &str)| entry.file_name() == *name && directory.join(list).is_file();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && LIBRARIES.iter().any(is_library) => {}
                Ok(kind) if kind.is_dir() => directories.push_back(entry.path()),
                Ok(kind) if kind.is_file() && entry.path().extension().is_some_and(|extension| extension == "asd") => {
                    found.push(entry.path());
                }
                _ => {}
            }
        }
        if left == 0 || found.len() >= MOST_FILES {
            break;
        }
    }
    found.truncate(MOST_FILES);
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn files_near_the_root_come_first_and_hidden_ones_not_at_all() {
        let root = tempfile::tempdir().unwrap();
        for name in ["b/z.asd", "a/deep/x.asd", "a/y.asd", ".git/h.asd", "top.asd", "a/y.lisp"] {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let found = definition_files(root.path());
        let names: Vec<_> =
            found.iter().map(|path| path.strip_prefix(root.path()).unwrap().display().to_string()).collect();
        assert_eq!(names, ["top.asd", "a/y.asd", "b/z.asd", "a/deep/x.asd"]);
        std::fs::rename(root.path().join("a"), root.path().join("ocicl")).unwrap();
        assert_eq!(definition_files(root.path()).len(), 4);
        std::fs::write(root.path().join("ocicl.csv"), "").unwrap();
        assert_eq!(definition_files(root.path()).len(), 2);
        assert!(definition_files(Path::new("/nonexistent")).is_empty());
    }
}
