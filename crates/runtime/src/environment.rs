//! The environment of the server: the places of programs and caches, and the variables that it keeps from the code it
//! runs.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{PoisonError, RwLock};

/// Directories whose programs are not run outside of the sandbox, because images may write below them. Like `PATH`,
/// they belong to the whole process.
static DISTRUSTED: RwLock<Vec<PathBuf>> = RwLock::new(Vec::new());

/// Prevents programs below these directories from being run outside of the sandbox.
pub(crate) fn distrust(directories: &[PathBuf]) {
    DISTRUSTED.write().unwrap_or_else(PoisonError::into_inner).extend_from_slice(directories);
}

/// Whether a file or directory lies where images may write, after its links are resolved.
fn is_distrusted(path: &Path) -> bool {
    let distrusted = DISTRUSTED.read().unwrap_or_else(PoisonError::into_inner);
    if distrusted.is_empty() {
        return false;
    }
    // A relative path depends on the working directory, so it is not trusted.
    let canonical = path.canonicalize().unwrap_or_default();
    let inside = |path: &Path| distrusted.iter().any(|directory| path.starts_with(directory));
    !path.is_absolute() || inside(path) || inside(&canonical)
}

/// The directories of `PATH`: those where programs are searched, and those that are left out because images may write
/// there.
pub(crate) fn search_path() -> (Vec<PathBuf>, Vec<PathBuf>) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).partition(|directory| !is_distrusted(directory))
}

/// The variable `PATH` for programs that the server runs by itself.
pub(crate) fn trusted_path() -> OsString {
    // They come from such a variable, so they can be joined.
    std::env::join_paths(search_path().0).unwrap_or_default()
}

/// Prepares a `command` that the server runs outside of the sandbox: its environment and working directory lead to no
/// file that images may write.
pub(crate) fn entrust(command: &mut Command) {
    command.env_clear().envs(told().filter(|(_, value)| !mentions_distrusted(value))).env("PATH", trusted_path());
    if distrusts() {
        // Relative directories in a list cannot refer to the project there.
        command.current_dir("/");
    }
}

/// Whether there are directories where images may write.
pub(crate) fn distrusts() -> bool {
    !DISTRUSTED.read().unwrap_or_else(PoisonError::into_inner).is_empty()
}

/// Whether a value contains the path of a directory where images may write.
fn mentions_distrusted(value: &OsStr) -> bool {
    let distrusted = DISTRUSTED.read().unwrap_or_else(PoisonError::into_inner);
    let names = |directory: &PathBuf| {
        memchr::memmem::find(value.as_encoded_bytes(), directory.as_os_str().as_encoded_bytes()).is_some()
    };
    distrusted.iter().any(names)
}

/// A variable of the dynamic linker: before a process has confined itself, it could load a library that images have
/// written.
pub(crate) fn is_for_linker(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b"LD_")
}

/// The first executable file called `name` in the directories of `PATH`; under `--sandbox`, only in those that images
/// may not write to.
pub fn find_program(name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let executable =
        |path: &Path| path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0);
    let candidates = search_path().0.into_iter().map(|directory| directory.join(name));
    candidates.into_iter().find(|path| executable(path) && !is_distrusted(path))
}

/// The directory for saved images when the configuration names none.
pub(crate) fn default_cache() -> Option<PathBuf> {
    let base = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    Some(base.join("lispwright"))
}

/// The variables of the server's environment for evaluated code: all but credentials.
pub(crate) fn told() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(|(name, value)| !is_secret(name) && !holds_password(value))
}

/// Whether the name of an environment variable is typical of credentials: by a word in it (`API_KEY`), or by the end of
/// one (`PGPASSWORD`).
fn is_secret(name: &OsStr) -> bool {
    const WORDS: [&str; 17] = [
        "TOKEN",
        "TOKENS",
        "KEY",
        "KEYS",
        "APIKEY",
        "SECRET",
        "SECRETS",
        "PASSWORD",
        "PASSWD",
        "PASS",
        "PASSPHRASE",
        "PAT",
        "AUTH",
        "CREDENTIAL",
        "CREDENTIALS",
        "COOKIE",
        "JWT",
    ];
    const ENDS: [&str; 5] = ["TOKEN", "APIKEY", "SECRET", "PASSWORD", "PASSWD"];
    let name = name.to_string_lossy().to_ascii_uppercase();
    // PWD and OLDPWD are directories.
    name.ends_with("_PWD")
        || name
            .split(['_', '-', '.', ':', '/'])
            .any(|word| WORDS.contains(&word) || ENDS.iter().any(|end| word.ends_with(end)))
}

/// Whether a value is an address with a password in it, `scheme://user:password@host`.
fn holds_password(value: &OsStr) -> bool {
    let value = value.to_string_lossy();
    value.split("://").skip(1).any(|rest| {
        let host = rest.split(['/', '?', '#', ' ']).next().unwrap_or_default();
        host.rsplit_once('@')
            .and_then(|(user, _)| user.split_once(':'))
            .is_some_and(|(_, password)| !password.is_empty())
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn programs_that_images_may_write_are_not_run() {
        let root = tempfile::tempdir().unwrap();
        let (inside, beside) = (root.path().join("root"), root.path().join("beside"));
        std::fs::create_dir_all(inside.join("bin")).unwrap();
        std::fs::create_dir(&beside).unwrap();
        std::os::unix::fs::symlink(inside.join("bin"), beside.join("link")).unwrap();
        assert!(!is_distrusted(&inside));
        distrust(&[inside.canonicalize().unwrap()]);
        for path in [inside.clone(), inside.join("bin"), beside.join("link"), "bin".into(), "".into()] {
            assert!(is_distrusted(&path), "{path:?}");
        }
        assert!(!is_distrusted(&beside) && !is_distrusted(&beside.join("nothing")));
        assert!(find_program("sh").is_some());
        let list = |path: &Path| std::env::join_paths([Path::new("/usr/lib"), path]).unwrap();
        assert!(mentions_distrusted(&list(&inside.canonicalize().unwrap().join("lib"))));
        assert!(!mentions_distrusted(&list(&beside)));
    }

    #[test]
    fn credentials_are_recognized_by_their_names() {
        for name in
            ["GITHUB_TOKEN", "OPENAI_API_KEY", "aws_secret_access_key", "SSH_AUTH_SOCK", "DB_PASSWORD", "SMTP_PASS"]
        {
            assert!(is_secret(OsStr::new(name)), "{name}");
        }
        for name in ["PGPASSWORD", "MYSQL_PWD", "githubToken", "GH_PAT", "npm_config_//packages.example/:_authToken"] {
            assert!(is_secret(OsStr::new(name)), "{name}");
        }
        for name in
            ["PATH", "HOME", "GIT_AUTHOR_NAME", "KEYBOARD", "LANG", "MONKEY", "PWD", "OLDPWD", "PASSENGER", "COMPASS"]
        {
            assert!(!is_secret(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn passwords_in_addresses_are_recognized() {
        for value in ["postgres://me:secret@db/shop", "http://a:b@proxy:3128", "x=redis://:pw@host", "s://u:a@b@host"] {
            assert!(holds_password(OsStr::new(value)), "{value}");
        }
        for value in
            ["postgres://me@db/shop", "http://proxy:3128", "https://host/@a:b@c", "a:b@c", "s://u:@host", "://", ""]
        {
            assert!(!holds_password(OsStr::new(value)), "{value}");
        }
    }
}
