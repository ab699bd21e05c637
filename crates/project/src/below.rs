//! The files below a directory that belong to the project, as its ignore files say.
//!
//! Build output, dependencies and what version control hides are of no interest. `.gitignore`, `.ignore`, the excludes
//! of Git and hidden names are left out, inside a repository or not, and links are not followed. A file that is named
//! by the caller never comes through here, so an ignored file can still be reached.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

/// The regular files below `directory`, each directory's entries in the order of their names. Unreadable entries are
/// skipped. The walk is lazy.
pub fn files_below(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let walk = WalkBuilder::new(directory).require_git(false).sort_by_file_name(Ord::cmp).build();
    walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())).map(ignore::DirEntry::into_path)
}

/// The entries below a directory, each list in the order of names.
#[derive(Debug, Default)]
pub struct Survey {
    /// The wanted files.
    pub files: Vec<PathBuf>,
    /// Directories, and wanted files, that an ignore file excludes.
    pub ignored: Vec<PathBuf>,
    /// Entries that could not be read, with the reason.
    pub unreadable: Vec<String>,
}

/// The files below `directory` that are `wanted`, including links to files, and the entries that were left out. Without
/// `ignoring`, ignore files have no effect.
pub fn survey(directory: &Path, ignoring: bool, wanted: impl Fn(&Path) -> bool) -> Survey {
    let mut found = Survey::default();
    let (mut directories, mut seen) = (Vec::new(), HashSet::new());
    let mut walk = WalkBuilder::new(directory);
    walk.standard_filters(ignoring).hidden(true).require_git(false);
    for entry in walk.build() {
        match entry {
            Ok(entry) => {
                let kind = entry.file_type();
                let path = entry.into_path();
                if kind.is_some_and(|kind| kind.is_dir()) {
                    directories.push(path.clone());
                } else if wanted(&path) && path.is_file() {
                    found.files.push(path.clone());
                }
                seen.insert(path);
            }
            Err(error) => found.unreadable.push(error.to_string()),
        }
    }
    for entry in directories.iter().flat_map(std::fs::read_dir).flatten().flatten() {
        let path = entry.path();
        let counts = entry.file_type().is_ok_and(|kind| kind.is_dir()) || (wanted(&path) && path.is_file());
        if ignoring && counts && !seen.contains(&path) && !entry.file_name().as_encoded_bytes().starts_with(b".") {
            found.ignored.push(path);
        }
    }
    found.files.sort_unstable();
    found.ignored.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use super::*;

    #[test]
    fn what_is_ignored_hidden_or_linked_is_left_out() {
        let top = tempfile::tempdir().unwrap();
        for (path, text) in [
            (".gitignore", "/target/\n*.fasl.lisp\n"),
            ("b.lisp", ""),
            ("a/x.lisp", ""),
            ("a/.ignore", "skipped\n"),
            ("a/skipped/y.lisp", ""),
            ("target/z.lisp", ""),
            ("c.fasl.lisp", ""),
            (".git/config.lisp", ""),
        ] {
            let path = top.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        std::os::unix::fs::symlink(top.path(), top.path().join("a/loop")).unwrap();
        let found: Vec<PathBuf> = files_below(top.path()).collect();
        assert_eq!(found, ["a/x.lisp", "b.lisp"].map(|path| top.path().join(path)));
        assert_eq!(files_below(&top.path().join("nothing")).count(), 0);
        let lisp = |path: &Path| path.extension().is_some_and(|extension| extension == "lisp");
        let found = survey(top.path(), true, lisp);
        assert_eq!(found.files, ["a/x.lisp", "b.lisp"].map(|path| top.path().join(path)));
        assert_eq!(found.ignored, ["a/skipped", "c.fasl.lisp", "target"].map(|path| top.path().join(path)));
        assert_eq!(survey(top.path(), false, lisp).files.len(), 5);
    }
}
