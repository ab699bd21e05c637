//! What the environment of the server says: where programs and caches are, and what it must not tell the code it runs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The first executable file called `name` in the directories of `PATH`.
pub fn find_program(name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let executable =
        |path: &Path| path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0);
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|directory| directory.join(name))
        .find(|path| executable(path))
}

/// The directory for saved images when the configuration names none.
pub(crate) fn default_cache() -> Option<PathBuf> {
    let base = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    Some(base.join("lispwright"))
}

/// Whether an environment variable names a credential, which evaluated code has no business with.
pub(crate) fn is_secret(name: &OsStr) -> bool {
    const WORDS: [&str; 14] = [
        "TOKEN",
        "TOKENS",
        "KEY",
        "KEYS",
        "APIKEY",
        "SECRET",
        "SECRETS",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "AUTH",
        "CREDENTIAL",
        "CREDENTIALS",
        "COOKIE",
    ];
    name.to_string_lossy().to_ascii_uppercase().split(['_', '-', '.']).any(|word| WORDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_told_by_their_names() {
        for name in ["GITHUB_TOKEN", "OPENAI_API_KEY", "aws_secret_access_key", "SSH_AUTH_SOCK", "DB_PASSWORD"] {
            assert!(is_secret(OsStr::new(name)), "{name}");
        }
        for name in ["PATH", "HOME", "GIT_AUTHOR_NAME", "KEYBOARD", "LANG", "MONKEY"] {
            assert!(!is_secret(OsStr::new(name)), "{name}");
        }
    }
}
