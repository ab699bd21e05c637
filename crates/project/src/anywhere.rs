//! Writing a person's configuration files, which lie outside any project.
//!
//! The person names the program's client on a command line, and the files follow from that; so there is no root that
//! bounds them. Everything else holds as for source files: locked, atomic, durable, with mode and encoding kept. Such
//! files are often links into a repository of dotfiles: the link stays and its target is written, even if the target
//! does not exist yet.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, RwLock};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::error::{EditError, Error};
use crate::identity::identity_of;
use crate::journal::News;
use crate::lock::Locks;
use crate::root::{Root, Roots, Shared};
use crate::text::SourceFile;
use crate::write::{NewText, Written};

/// As many links as Linux follows.
const MAX_LINKS: usize = 40;

/// Replaces the text of any file by what `edit` makes of it, as [`Roots::edit`] does below a root.
pub fn edit_anywhere<E>(
    path: &Path,
    edit: impl FnOnce(&SourceFile) -> Result<NewText, E>,
) -> Result<Written, EditError<E>> {
    let real = real(path)?;
    beside(&real)?.edit(&real, edit)
}

/// Creates a file with `text` where nothing is yet, with the directories above it. Only its owner may read it: clients
/// keep secrets in such files.
pub fn create_anywhere(path: &Path, text: &str) -> Result<Written, Error> {
    let real = real(path)?;
    if let Some(parent) = real.parent() {
        std::fs::create_dir_all(parent)
            .map_err(|error| Error::writing(&parent.display().to_string(), "make this directory", error))?;
    }
    let written = beside(&real)?.create_new(&real, text)?;
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o600))
        .map_err(|error| Error::writing(&written.path, "make it private", error))?;
    Ok(written)
}

/// Removes the file that `path` leads to, if it still has the digest `digest`; and its directory, if that is hidden and
/// then empty.
pub fn remove_anywhere(path: &Path, digest: &str) -> Result<(), Error> {
    let real = real(path)?;
    let shown = real.display().to_string();
    // The edit changes nothing. It waits for other writers and checks whether the file may be written.
    let mut found = None;
    let looked = beside(&real)?.edit(&real, |file| {
        found = Some(file.digest());
        Ok::<_, std::convert::Infallible>(NewText::Unchanged)
    });
    looked.map_err(|error| match error {
        EditError::Project(error) => error,
        EditError::Refused(never) => match never {},
    })?;
    if found.as_deref() != Some(digest) {
        return Err(Error::Overtaken { path: shown });
    }
    std::fs::remove_file(&real).map_err(|error| Error::writing(&shown, "remove it", error))?;
    if let Some(directory) = real.parent().filter(|directory| is_hidden(directory)) {
        // Fails for a directory that holds anything else.
        let _ = std::fs::remove_dir(directory);
    }
    Ok(())
}

fn is_hidden(directory: &Path) -> bool {
    directory.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// The target of `path`: absolute, with the links of its last component followed one by one. The last link may lead to
/// nothing.
fn real(path: &Path) -> Result<PathBuf, Error> {
    let shown = || path.display().to_string();
    let mut here = std::path::absolute(path).map_err(|error| Error::reading(&shown(), "find it", error))?;
    for _ in 0..MAX_LINKS {
        match std::fs::read_link(&here) {
            Ok(target) => here = here.parent().unwrap_or(Path::new("/")).join(target),
            Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::NotFound) => {
                return Ok(here);
            }
            Err(error) => return Err(Error::reading(&shown(), "find it", error)),
        }
    }
    Err(Error::TooManyLinks { path: shown() })
}

/// Roots that consist of the directory of one file.
fn beside(real: &Path) -> Result<Roots, Error> {
    let parent = real.parent().unwrap_or(Path::new("/"));
    let shown = real.display().to_string();
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Error::Missing { path: shown.clone() },
        _ => Error::reading(&shown, "open its directory", error),
    };
    let dir = Dir::open_ambient_dir(parent, ambient_authority()).map_err(failed)?;
    let identity = identity_of(&dir).map_err(failed)?;
    let root = Root {
        real: parent.canonicalize().map_err(failed)?,
        spelled: parent.to_owned(),
        dir,
        identity,
        writable: true,
        is_settled: AtomicBool::new(true),
    };
    let shared = Shared {
        writable: vec![Arc::new(root)],
        readable: RwLock::default(),
        libraries: None,
        locks: Locks::default(),
        lock_wait: Roots::LOCK_WAIT,
        show_absolute: true,
        news: News::default(),
    };
    Ok(Roots { shared: Arc::new(shared), recorder: None })
}
