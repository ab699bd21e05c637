//! The files of a project that define systems, so that a system is found by its name.

use std::path::{Path, PathBuf};

use lispwright_project::{Below, Ignored, Seen};

/// The number of names after which the search ends.
const MOST_NAMES: usize = 50_000;

/// The most definition files that are returned.
const MOST_FILES: usize = 1_000;

/// Directories where ocicl keeps libraries, possibly several versions of one; each with the list beside it that
/// identifies it.
const LIBRARIES: [(&str, &str); 2] = [("ocicl", "ocicl.csv"), ("systems", "systems.csv")];

/// The `.asd` files below `root`, those in directories near it first, each directory's in the order of names.
/// Those that ignore files name come after all others: a copy of a system must not win over the system, and an ignored
/// library is still found.
///
/// Hidden directories and those of ocicl's libraries are left out, and links are not followed. The search ends after
/// 50,000 names.
pub fn definition_files(root: &Path) -> Vec<PathBuf> {
    let defines = |seen| match seen {
        Seen::File(path) if path.extension().is_some_and(|extension| extension == "asd") => Some(path),
        _ => None,
    };
    Below::new(root, Ignored::Last, MOST_NAMES).without(holds_libraries).filter_map(defines).take(MOST_FILES).collect()
}

/// Whether ocicl keeps libraries in a directory.
fn holds_libraries(directory: &Path) -> bool {
    LIBRARIES.iter().any(|(name, list)| directory.ends_with(name) && directory.with_file_name(list).is_file())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn files_near_the_root_come_first_and_hidden_ones_not_at_all() {
        let root = tempfile::tempdir().unwrap();
        for name in ["b/z.asd", "a/deep/x.asd", "a/y.asd", ".git/h.asd", "top.asd", "a/y.lisp", "a/copy/top.asd"] {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        std::fs::write(root.path().join(".gitignore"), "copy\n").unwrap();
        let found = definition_files(root.path());
        let names: Vec<_> =
            found.iter().map(|path| path.strip_prefix(root.path()).unwrap().display().to_string()).collect();
        assert_eq!(names, ["top.asd", "a/y.asd", "b/z.asd", "a/deep/x.asd", "a/copy/top.asd"]);
        std::fs::rename(root.path().join("a"), root.path().join("ocicl")).unwrap();
        assert_eq!(definition_files(root.path()).len(), 5);
        std::fs::write(root.path().join("ocicl.csv"), "").unwrap();
        assert_eq!(definition_files(root.path()).len(), 2);
        assert!(definition_files(Path::new("/nonexistent")).is_empty());
    }
}
