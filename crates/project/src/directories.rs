//! The entries of a directory, and directories for a new file.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::fs::Dir;

use crate::error::{Error, ReadOnlyWhy};
use crate::root::Roots;
use crate::stage::{is_staging_name, sync_directory};

/// The most entries of one directory that are looked at.
const MOST: usize = 100_000;

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A directory, or a link to one that may be read.
    Directory,
    /// A regular file, or a link to one that may be read.
    File,
    /// A link that leads nowhere, or out of the roots.
    Link,
    /// A pipe, a socket or a device.
    Other,
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedEntry {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: EntryKind,
}

/// Directories that were made for a file, to be removed again if it is not written.
#[derive(Debug, Default)]
pub struct MadeDirectories(Vec<(Dir, OsString)>);

impl MadeDirectories {
    /// Removes those that are still empty.
    pub fn undo(self) {
        for (dir, name) in self.0.iter().rev() {
            // One that is not empty has got a file of somebody else.
            let _ = dir.remove_dir(name);
        }
    }
}

impl Roots {
    /// The path of a directory for people, and its entries by name. Versions of files that are being written are left out.
    ///
    /// Errors: those of [`Roots::read`] about a path, and [`Error::NotADirectory`].
    pub fn list(&self, path: &Path) -> Result<(String, Vec<ListedEntry>), Error> {
        let here = self.locate_directory(path)?;
        let failed = |error| Error::reading(&here.path, "list it", error);
        let mut entries = Vec::new();
        for entry in here.dir.entries().map_err(failed)?.take(MOST) {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let shown = name.to_string_lossy().into_owned();
            if is_staging_name(&shown) {
                continue;
            }
            let kind = match entry.file_type() {
                Ok(kind) if kind.is_dir() => EntryKind::Directory,
                Ok(kind) if kind.is_file() => EntryKind::File,
                Ok(kind) if kind.is_symlink() => self.behind_link(&here.real.join(&name)),
                Ok(_) => EntryKind::Other,
                // It was removed meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(failed(error)),
            };
            entries.push(ListedEntry { name: shown, kind });
        }
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        // A root itself is shown as the dot, or without a slash at its end.
        let shown = here.path.trim_end_matches('/');
        Ok((if shown.is_empty() { "." } else { shown }.to_owned(), entries))
    }

    /// What a link leads to, as far as it may be read.
    fn behind_link(&self, link: &Path) -> EntryKind {
        match self.absolute_or_directory(link) {
            Ok(real) if real.is_dir() => EntryKind::Directory,
            Ok(_) => EntryKind::File,
            Err(_) => EntryKind::Link,
        }
    }

    /// Makes the directories in which the file at `path` is to be, as far as they are missing.
    ///
    /// Each is made in the directory before it, which was walked to; so none is made outside of the writable roots. On an
    /// error, those that were made are removed.
    pub fn make_directories(&self, path: &Path) -> Result<MadeDirectories, Error> {
        let mut made = MadeDirectories::default();
        let mut whole = PathBuf::new();
        let parts: Vec<Component<'_>> = path.parent().into_iter().flat_map(Path::components).collect();
        for part in parts {
            whole.push(part);
            let inside = matches!(part, Component::Normal(_)) && !self.is_above(&whole);
            match if inside { self.make_one(&whole) } else { Ok(None) } {
                Ok(new) => made.0.extend(new),
                Err(error) => {
                    made.undo();
                    return Err(error);
                }
            }
        }
        Ok(made)
    }

    /// An absolute path that has a root below it, or leads to one.
    fn is_above(&self, path: &Path) -> bool {
        path.is_absolute()
            && self.all().iter().any(|root| root.real.starts_with(path) || root.spelled.starts_with(path))
    }

    /// Makes one directory, unless it is there.
    fn make_one(&self, path: &Path) -> Result<Option<(Dir, OsString)>, Error> {
        let Some(place) = self.locate_for_directory(path)? else { return Ok(None) };
        if !place.root.writable {
            return Err(Error::ReadOnly { path: place.path, why: ReadOnlyWhy::Library });
        }
        match place.dir.create_dir(&place.name) {
            Ok(()) => {}
            // Another program has made it meanwhile; it is walked through with the next part.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            Err(error) => return Err(Error::writing(&place.path, "make this directory", error)),
        }
        sync_directory(&place.dir).map_err(|source| Error::NotDurable { path: place.path.clone(), source })?;
        Ok(Some((place.dir, place.name)))
    }
}
