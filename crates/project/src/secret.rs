//! A secret that a program keeps for its user in a file of its own.

use std::fs::{DirBuilder, File};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::Path;

use crate::error::Error;
use crate::regular::{Access, Links, open_regular, read_regular};

/// The longest secret, in bytes.
const LONGEST: u64 = 4096;

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
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        DirBuilder::new().recursive(true).mode(0o700).create(parent).map_err(failed("make its directory"))?;
    }
    let file = open_regular(path, Access::Append, Links::Followed).map_err(failed("open it"))?;
    refuse_shared(&file).map_err(failed("keep a secret in it"))?;
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
}
