//! The files below a directory that belong to the project, as its ignore files say.
//!
//! Build output, dependencies and what version control hides are not what anybody asks about. `.gitignore`, `.ignore`, the
//! excludes of Git and hidden names are left out, inside a repository or not, and links are not followed. A file that is
//! named is never looked up here, so nothing that is ignored is out of reach.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

/// The regular files below `directory`, each directory's entries in the order of their names. What cannot be read is passed
/// over; the walk goes on as far as it is asked.
pub fn files_below(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let walk = WalkBuilder::new(directory).require_git(false).sort_by_file_name(Ord::cmp).build();
    walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())).map(ignore::DirEntry::into_path)
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
    }
}
