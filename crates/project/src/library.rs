//! Places of libraries: directories that the server knows by itself, whose files may be read and never written.
//!
//! They are opened when a path first leads out of the roots, and only those that may be read at that moment. A place is
//! taken only if no link leads to it: otherwise whoever may write beside it could put a link to any other directory there.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Error;
use crate::root::{Root, Roots};

/// A directory of libraries, as a program knows it without looking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryPlace {
    /// It may be a link, or be reached through links.
    base: PathBuf,
    /// Below it, nothing may be one.
    below: PathBuf,
}

/// Finds the places that may be read at this moment.
#[derive(Clone)]
pub(crate) struct Libraries(Arc<dyn Fn() -> Vec<LibraryPlace> + Send + Sync>);

impl LibraryPlace {
    /// The place with an absolute path, or one in the home directory: `~/lib`. `None` if there is no home directory.
    #[must_use]
    pub fn new(path: &str, home: Option<&Path>) -> Option<Self> {
        if let Some(below) = path.strip_prefix("~/") {
            let home = home.filter(|home| home.is_absolute())?;
            return Some(Self { base: home.to_owned(), below: below.into() });
        }
        let path = Path::new(path);
        Some(Self { base: path.parent()?.to_owned(), below: path.file_name()?.into() })
    }

    /// Opens it, unless nothing is there, or something that is no place of libraries.
    fn open(&self) -> Option<Root> {
        let real = self.base.canonicalize().ok()?.join(&self.below);
        let root = Root::open_library(&real).ok()?;
        (root.real == real && root.is_present()).then_some(root)
    }
}

impl Libraries {
    pub(crate) fn new(places: impl Fn() -> Vec<LibraryPlace> + Send + Sync + 'static) -> Self {
        Self(Arc::new(places))
    }

    pub(crate) fn open(&self) -> Vec<Root> {
        (self.0)().iter().filter_map(LibraryPlace::open).collect()
    }
}

impl fmt::Debug for Libraries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Libraries")
    }
}

/// The path, absolute and without links, of a directory that [`Roots::add_read_only`] takes.
///
/// Errors: those with which it refuses others.
pub fn library_at(path: &Path) -> Result<PathBuf, Error> {
    Root::open_library(path).map(|root| root.real)
}

impl Roots {
    /// Adds the places that `places` gives at this moment; whether any of them is new.
    pub(crate) fn open_libraries(&self) -> bool {
        let Some(libraries) = &self.shared.libraries else { return false };
        let mut is_any_new = false;
        for root in libraries.open() {
            is_any_new |= self.add(root);
        }
        is_any_new
    }
}
