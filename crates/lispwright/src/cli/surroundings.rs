//! The project of a command: that of the directory in which it is run, unless a root is named.
//!
//! A command means the same in each directory of a project: who asks in `src/` who uses a name asks the whole project.
//! Paths on the command line begin in the shell's directory all the same; those in answers begin at the project's.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Once;

use lispwright_project::RootSource;
use lispwright_tools::workspace::project_around;

use super::text::shown;

/// The roots of a command, and how its paths are called there.
pub(crate) struct Surroundings {
    roots: Vec<PathBuf>,
    /// The shell's directory, if the root is one above it.
    below: Option<PathBuf>,
}

impl Surroundings {
    /// `explicit` are the roots of the command line. Without them, and without one in the environment, the root is the
    /// directory of the nearest project at or above the shell's.
    pub(crate) fn new(explicit: &[PathBuf]) -> Self {
        let usual = || Self { roots: explicit.to_vec(), below: None };
        if RootSource::from_environment(explicit) != RootSource::WorkingDirectory {
            return usual();
        }
        let Some(here) = std::env::current_dir().ok().and_then(|here| here.canonicalize().ok()) else { return usual() };
        match project_around(&here).filter(|project| *project != here) {
            Some(project) => Self { roots: vec![project], below: Some(here) },
            None => usual(),
        }
    }

    /// The roots to open; none for those that the environment names.
    pub(crate) fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// The name below the root of what is called `path` in the shell's directory.
    pub(crate) fn path(&self, path: &str) -> String {
        let Some(here) = &self.below else { return path.to_owned() };
        renamed(&self.roots[0], here, path)
    }

    /// Tells a person, once, to what the paths of answers are relative, where that is not the shell's directory.
    pub(crate) fn tell(&self) {
        static TOLD: Once = Once::new();
        if let (Some(_), [project]) = (&self.below, &self.roots[..]) {
            TOLD.call_once(|| {
                let _ = writeln!(std::io::stderr(), "Paths are relative to the project, {}.", shown(project));
            });
        }
    }
}

/// The name below `root` of what is called `path` in `here`, which is below it, both without links.
fn renamed(root: &Path, here: &Path, path: &str) -> String {
    let (mut base, mut rest) = (here, Path::new(path));
    if rest.is_absolute() {
        return path.to_owned();
    }
    loop {
        if let Ok(inner) = rest.strip_prefix("..") {
            // Above the highest directory is that directory.
            base = base.parent().unwrap_or(base);
            rest = inner;
        } else if let Ok(inner) = rest.strip_prefix(".") {
            rest = inner;
        } else {
            break;
        }
    }
    let whole = base.join(rest);
    let below = whole.strip_prefix(root).unwrap_or(&whole);
    if below.as_os_str().is_empty() { ".".to_owned() } else { below.display().to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_named_from_the_root() {
        let check = |path: &str, expected: &str| {
            assert_eq!(renamed(Path::new("/p"), Path::new("/p/src/deep"), path), expected, "{path}");
        };
        check("a.lisp", "src/deep/a.lisp");
        check("./x/../a.lisp", "src/deep/x/../a.lisp");
        check(".", "src/deep");
        check("..", "src");
        check("../a.lisp", "src/a.lisp");
        check("../../..", "/");
        check("../..", ".");
        check("../../../b/a.lisp", "/b/a.lisp");
        check("/q/a.lisp", "/q/a.lisp");
    }
}
