//! Finds the runtime that a project is for, from the names of its files.

use std::path::Path;

use lispwright_project::{Below, Ignored, Seen};

use crate::backends::Runtime;

/// The most names that are counted.
const MOST_NAMES: usize = 2_000;

/// The runtime for most of the source files below `root`. Of several with equal counts it is the first in the list;
/// without source files it is the one that a file at the root indicates.
///
/// Directories near the root come first. Hidden and ignored names are left out, and links are not followed.
pub(crate) fn usual_runtime(root: &Path) -> Runtime {
    let mut counts: Vec<(Runtime, usize)> = Runtime::all().map(|runtime| (runtime, 0)).collect();
    for seen in Below::new(root, Ignored::LeftOut, MOST_NAMES) {
        if let Seen::File(path) = seen {
            count(&path, &mut counts);
        }
    }
    winner(&counts, root)
}

fn count(path: &Path, counts: &mut [(Runtime, usize)]) {
    let Some(extension) = path.extension().and_then(|extension| extension.to_str()) else { return };
    for (runtime, count) in counts {
        *count += usize::from(runtime.extensions.contains(&extension));
    }
}

fn winner(counts: &[(Runtime, usize)], root: &Path) -> Runtime {
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let speaks_for = |runtime: &Runtime| runtime.project_files.iter().any(|name| root.join(name).is_file());
    let said = counts.iter().map(|(runtime, _)| *runtime).find(|runtime| most == 0 && speaks_for(runtime));
    let counted = counts.iter().find(|(_, count)| *count == most).map(|(runtime, _)| *runtime);
    said.or(counted).expect("there are runtimes")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_majority_of_the_source_files_decides() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(usual_runtime(root.path()).name, "sbcl");
        let write = |name: &str| {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        };
        write("notes.txt");
        write("deps.edn");
        assert_eq!(usual_runtime(root.path()).name, "clojure");
        write("src/deep/a.scm");
        assert_eq!(usual_runtime(root.path()).name, "guile");
        write("a.lisp");
        assert_eq!(usual_runtime(root.path()).name, "sbcl");
        write("b.scm");
        write(".git/c.lisp");
        write(".git/d.lisp");
        std::fs::write(root.path().join(".gitignore"), "/build\n").unwrap();
        write("build/e.lisp");
        assert_eq!(usual_runtime(root.path()).name, "guile");
        for name in ["c.clj", "d.cljc", "e.cljs"] {
            write(name);
        }
        assert_eq!(usual_runtime(root.path()).name, "clojure");
        assert_eq!(usual_runtime(Path::new("/nonexistent")).name, "sbcl");
    }
}
