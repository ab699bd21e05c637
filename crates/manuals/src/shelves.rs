//! The directories in which manuals are looked for.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use lispwright_project::Links;

/// Entries of a directory that are looked at.
const MOST_ENTRIES: usize = 1_000;

/// A directory that may hold a copy of the HyperSpec: the one with `Body` in it, or one above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy {
    /// The directory.
    pub directory: PathBuf,
    /// The links that are followed to its files.
    pub links: Links,
}

/// The directories of manuals, in the order in which they are looked into. Missing ones are passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shelves {
    /// Copies of the HyperSpec.
    pub hyperspec: Vec<Copy>,
    /// Directories of Info files; those directly below them count too.
    pub info: Vec<PathBuf>,
    /// Directories of Emacs, `/usr/share/emacs/28.2`: with `etc/DOC` and `lisp` in them.
    pub emacs: Vec<PathBuf>,
    /// Directories of packages for Emacs, with sources somewhere below.
    pub emacs_packages: Vec<PathBuf>,
    /// Jars of Clojure.
    pub jars: Vec<PathBuf>,
}

impl Shelves {
    /// The usual places of this system, and those of the environment: `LISPWRIGHT_HYPERSPEC`, `INFOPATH` and `HOME`.
    pub fn of_system(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let home = variable("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        let at_home = |name: &str| home.as_ref().map(|home| home.join(name));
        let prefixes = ["/usr", "/usr/local", "/opt/homebrew"].map(Path::new);
        let below = |name: &str| prefixes.map(|prefix| prefix.join(name));

        let mut hyperspec: Vec<PathBuf> = variable("LISPWRIGHT_HYPERSPEC").map(PathBuf::from).into_iter().collect();
        hyperspec.extend(["share/doc/hyperspec", "share/doc/HyperSpec"].iter().flat_map(|name| below(name)));
        let homely = ["HyperSpec", "lib/HyperSpec", "Documents/HyperSpec", ".local/share/HyperSpec"];
        hyperspec.extend(homely.iter().filter_map(|name| at_home(name)));
        let software = at_home("quicklisp/dists/quicklisp/software");
        let clhs = software.map(|software| newest(&software, |name| name.starts_with("clhs-"))).unwrap_or_default();
        hyperspec.extend(clhs.into_iter().map(|one| one.join("HyperSpec-7-0")));

        let paths = variable("INFOPATH").unwrap_or_default();
        let mut info: Vec<PathBuf> = std::env::split_paths(&paths).filter(|path| path.is_absolute()).collect();
        // Only an empty element of the variable stands for the usual directories (Info manual, "Invoking Info").
        if paths.is_empty() || std::env::split_paths(&paths).any(|path| path.as_os_str().is_empty()) {
            info.extend(below("share/info"));
            info.extend(at_home(".local/share/info"));
        }

        let is_version = |name: &str| name.starts_with(|c: char| c.is_ascii_digit());
        let emacs = below("share/emacs").iter().flat_map(|all| newest(all, is_version)).collect();

        let mut emacs_packages = below("share/emacs/site-lisp").to_vec();
        emacs_packages.extend([".emacs.d/elpa", ".config/emacs/elpa"].iter().filter_map(|name| at_home(name)));

        let mut jars: Vec<PathBuf> = prefixes[..2].iter().map(|prefix| prefix.join("share/java/clojure.jar")).collect();
        let versions = at_home(".m2/repository/org/clojure/clojure").map(|all| newest(&all, is_version));
        jars.extend(versions.into_iter().flatten().flat_map(|version| {
            let is_jar = |name: &str| name.starts_with("clojure-") && name.ends_with(".jar");
            newest(&version, is_jar)
        }));
        let followed = |directory| Copy { directory, links: Links::Followed };
        Self { hyperspec: hyperspec.into_iter().map(followed).collect(), info, emacs, emacs_packages, jars }
    }
}

/// The entries of a directory whose names `is_meant` picks; of versions the newest first.
pub(crate) fn newest(directory: &Path, is_meant: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten().take(MOST_ENTRIES);
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| is_meant(name));
    let numbers =
        |name: &str| -> Vec<u64> { name.split(['.', '-', '_']).filter_map(|part| part.parse().ok()).collect() };
    names.sort_by(|one, other| numbers(other).cmp(&numbers(one)).then_with(|| one.cmp(other)));
    names.into_iter().map(|name| directory.join(name)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn places(variables: &[(&str, &str)]) -> Shelves {
        Shelves::of_system(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn the_environment_comes_first() {
        let found = places(&[("LISPWRIGHT_HYPERSPEC", "/a/clhs"), ("INFOPATH", "/b:/c")]);
        assert_eq!(found.hyperspec[0].directory, Path::new("/a/clhs"));
        assert_eq!(found.info, ["/b", "/c"].map(PathBuf::from));
        let with_usual = places(&[("INFOPATH", "/b:")]);
        assert_eq!(with_usual.info[..2], ["/b", "/usr/share/info"].map(PathBuf::from));
        assert!(places(&[("INFOPATH", "relative:")]).info.iter().all(|path| path.is_absolute()));
    }

    #[test]
    fn newer_versions_come_first() {
        let temp = tempfile::tempdir().unwrap();
        for name in ["9.1", "28.2", "28.10", "site-lisp"] {
            fs::create_dir(temp.path().join(name)).unwrap();
        }
        let found = newest(temp.path(), |name| name.starts_with(|c: char| c.is_ascii_digit()));
        assert_eq!(found, ["28.10", "28.2", "9.1"].map(|name| temp.path().join(name)));
    }
}
