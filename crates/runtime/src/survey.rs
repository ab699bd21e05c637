//! Which runtime a project is for, from the names of its files.

use std::collections::VecDeque;
use std::path::Path;

use crate::backend::Runtime;

/// Names looked at before the count is taken as it is.
const MOST_NAMES: usize = 2_000;

/// Extensions of files that only one of the runtimes reads.
const EXTENSIONS: [(Runtime, &[&str]); 3] = [
    (Runtime::Sbcl, &["lisp", "lsp", "cl", "asd"]),
    (Runtime::Guile, &["scm", "sld", "sls", "ss"]),
    (Runtime::Clojure, &["clj", "cljc", "cljs", "bb"]),
];

/// What a project of Clojure has at its root before it has any source.
const CLOJURE_PROJECT: [&str; 5] = ["deps.edn", "bb.edn", "nbb.edn", "shadow-cljs.edn", ".nrepl-port"];

/// The runtime that most of the source files below `root` are for. Where there are as many for each it is SBCL, and Clojure
/// when there are none and a file says so.
///
/// Directories near the root come first, hidden ones are left out, and links are not followed.
pub(crate) fn usual_runtime(root: &Path) -> Runtime {
    let winner = |counts: [usize; EXTENSIONS.len()]| {
        let is_clojure =
            counts.iter().all(|count| *count == 0) && CLOJURE_PROJECT.iter().any(|name| root.join(name).is_file());
        if is_clojure { Runtime::Clojure } else { winner(counts) }
    };
    let mut counts = [0_usize; EXTENSIONS.len()];
    let mut directories = VecDeque::from([root.to_owned()]);
    let mut left = MOST_NAMES;
    while let Some(directory) = directories.pop_front() {
        let Ok(entries) = std::fs::read_dir(directory) else { continue };
        for entry in entries.flatten() {
            if left == 0 {
                return winner(counts);
            }
            left -= 1;
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => directories.push_back(entry.path()),
                Ok(kind) if kind.is_file() => count(&entry.path(), &mut counts),
                _ => {}
            }
        }
    }
    winner(counts)
}

fn count(path: &Path, counts: &mut [usize; EXTENSIONS.len()]) {
    let Some(extension) = path.extension().and_then(|extension| extension.to_str()) else { return };
    for (count, (_, extensions)) in counts.iter_mut().zip(EXTENSIONS) {
        *count += usize::from(extensions.contains(&extension));
    }
}

fn winner(counts: [usize; EXTENSIONS.len()]) -> Runtime {
    let mut best = 0;
    for (index, count) in counts.iter().enumerate() {
        if *count > counts[best] {
            best = index;
        }
    }
    EXTENSIONS[best].0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_majority_of_the_source_files_decides() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(usual_runtime(root.path()), Runtime::Sbcl);
        let write = |name: &str| {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        };
        write("notes.txt");
        write("deps.edn");
        assert_eq!(usual_runtime(root.path()), Runtime::Clojure);
        write("src/deep/a.scm");
        assert_eq!(usual_runtime(root.path()), Runtime::Guile);
        write("a.lisp");
        assert_eq!(usual_runtime(root.path()), Runtime::Sbcl);
        write("b.scm");
        write(".git/c.lisp");
        write(".git/d.lisp");
        assert_eq!(usual_runtime(root.path()), Runtime::Guile);
        for name in ["c.clj", "d.cljc", "e.cljs"] {
            write(name);
        }
        assert_eq!(usual_runtime(root.path()), Runtime::Clojure);
        assert_eq!(usual_runtime(Path::new("/nonexistent")), Runtime::Sbcl);
    }
}
