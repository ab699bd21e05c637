//! What a program keeps for its user alone: a secret in a file of its own, and other private files.

use std::fs::{DirBuilder, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::Path;

use crate::anywhere::edit_anywhere;
use crate::error::{EditError, Error};
use crate::regular::{Access, Links, open_regular, read_regular};
use crate::text::SourceFile;
use crate::write::{NewText, Written};

/// The longest secret, in bytes.
const LONGEST: u64 = 4096;

/// The longest private file that is read, in bytes.
const LONGEST_FILE: u64 = 256 * 1024;

/// The secret in the file at `path`, and whether it is new: an empty or missing file gets what `make` returns, once,
/// also when several processes start at the same time. Missing directories are made. Links are followed.
///
/// Fails when others than the owner could read or change the file, or when it is not the user's.
pub fn keep_secret(path: &Path, make: impl FnOnce() -> std::io::Result<String>) -> Result<(String, bool), Error> {
    let shown = path.display().to_string();
    let failed = |doing: &'static str| {
        let shown = shown.clone();
        move |error| Error::writing(&shown, doing, error)
    };
    let file = open_private(path)?;
    file.lock().map_err(failed("lock it"))?;
    let known = read_regular(path, LONGEST, Links::Followed).map_err(failed("read it"))?;
    let known = String::from_utf8(known).map_err(|error| failed("read it")(std::io::Error::other(error)))?;
    if !known.trim().is_empty() {
        return Ok((known, false));
    }
    let secret = make().map_err(failed("make a secret for it"))?;
    (&file).write_all(format!("{secret}\n").as_bytes()).map_err(failed("write it"))?;
    file.sync_all().map_err(failed("write it"))?;
    Ok((secret, true))
}

/// The bytes of the file at `path`, of at most 256 KiB; `None` if there is no file. Links are followed.
///
/// Fails when others than the owner could read or change the file, or when it is not the user's.
pub fn read_private(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    let failed = |error| Error::reading(&path.display().to_string(), "read it", error);
    let file = match open_regular(path, Access::Read, Links::Followed) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    refuse_shared(&file).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(LONGEST_FILE + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LONGEST_FILE {
        return Err(failed(std::io::Error::other(format!("it has more than {LONGEST_FILE} bytes"))));
    }
    Ok(Some(bytes))
}

/// Replaces the text of the file at `path` by what `edit` makes of it, atomically, with the file locked against other
/// processes. A missing file and missing directories are made, for the user alone. Links are followed.
///
/// Fails as [`read_private`] does.
pub fn edit_private<E>(
    path: &Path,
    edit: impl FnOnce(&SourceFile) -> Result<NewText, E>,
) -> Result<Written, EditError<E>> {
    drop(open_private(path)?);
    edit_anywhere(path, edit)
}

/// Opens a file that is the user's alone, to add to it; it is made if it is missing, with its directories.
fn open_private(path: &Path) -> Result<File, Error> {
    let failed = |doing: &'static str| move |error| Error::writing(&path.display().to_string(), doing, error);
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        DirBuilder::new().recursive(true).mode(0o700).create(parent).map_err(failed("make its directory"))?;
    }
    let file = open_regular(path, Access::Append, Links::Followed).map_err(failed("open it"))?;
    refuse_shared(&file).map_err(failed("keep a secret in it"))?;
    Ok(file)
}

fn refuse_shared(file: &File) -> std::io::Result<()> {
    let metadata = file.metadata()?;
    let why = if metadata.uid() != rustix::process::geteuid().as_raw() {
        "it belongs to another user".to_owned()
    } else if metadata.mode() & 0o077 != 0 {
        format!("others may read or change it (mode {:03o}); run chmod 600 on it", metadata.mode() & 0o777)
    } else {
        return Ok(());
    };
    Err(std::io::Error::other(why))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_secret_is_made_once_and_only_its_owner_reads_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a/b/secret");
        let made: Vec<(String, bool)> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|n| {
                    scope.spawn({
                        let path = &path;
                        move || keep_secret(path, || Ok(format!("s{n}"))).unwrap()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(made.iter().filter(|(_, new)| *new).count(), 1, "{made:?}");
        assert!(made.iter().all(|(secret, _)| secret.trim() == made[0].0.trim()), "{made:?}");
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
        assert_eq!(path.parent().unwrap().metadata().unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_file_that_others_may_read_keeps_no_secret() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("secret");
        std::fs::write(&path, "known").unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        let error = keep_secret(&path, || panic!("it is there")).unwrap_err().to_string();
        assert!(error.contains("chmod 600") && !error.contains("known"), "{error}");
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        assert_eq!(keep_secret(&path, || panic!("it is there")).unwrap(), ("known".to_owned(), false));
    }
    #[test]
    fn a_private_file_keeps_what_all_have_added_and_its_mode() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a/private");
        assert_eq!(read_private(&path).unwrap(), None);
        std::thread::scope(|scope| {
            for number in 0..8 {
                let path = &path;
                scope.spawn(move || {
                    let add = |file: &SourceFile| Ok::<_, Error>(format!("{}{number}\n", file.text).into());
                    edit_private(path, add).unwrap();
                });
            }
        });
        let text = String::from_utf8(read_private(&path).unwrap().unwrap()).unwrap();
        assert_eq!(text.lines().collect::<std::collections::BTreeSet<_>>().len(), 8, "{text}");
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
        std::fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        let changed = edit_private(&path, |_| Ok::<_, Error>("x".to_owned().into()));
        for why in [read_private(&path).unwrap_err().to_string(), changed.unwrap_err().to_string()] {
            assert!(why.contains("chmod 600"), "{why}");
        }
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        assert_eq!(read_private(&path).unwrap().unwrap(), text.as_bytes());
    }
}
