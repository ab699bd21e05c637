//! What a confined worker does not see: places of keys, passwords and browsers, which no code needs to be built or tested.

use std::path::{Path, PathBuf};

/// Places below the home directory that are hidden unless they are asked for.
const SECRETS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".config/gcloud",
    ".config/gh",
    ".config/hub",
    ".netrc",
    ".authinfo",
    ".authinfo.gpg",
    ".git-credentials",
    ".config/git/credentials",
    ".npmrc",
    ".pypirc",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".config/keepassxc",
    ".mozilla",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    ".config/opera",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".local/state/lispwright",
];

/// What to hide beside the usual, and what of it to show.
#[derive(Clone, Debug, Default)]
pub struct Hiding {
    /// Further files and directories to hide.
    pub hide: Vec<PathBuf>,
    /// Places to show: no hidden one that is the same, lies inside or around it stays hidden.
    pub show: Vec<PathBuf>,
}

impl Hiding {
    /// The hidden places that exist now, without links in their names, none of them inside another.
    pub(crate) fn places(&self, home: Option<&Path>) -> Vec<PathBuf> {
        let shown: Vec<PathBuf> = self.show.iter().map(real).collect();
        let usual = home.into_iter().flat_map(|home| SECRETS.iter().map(move |name| home.join(name)));
        let real_home = home.map(real);
        // A link can lead to a directory that holds more than secrets.
        let usual = usual.filter_map(|path| path.canonicalize().ok());
        let usual = usual.filter(|path| !real_home.as_ref().is_some_and(|home| home.starts_with(path)));
        let usual = usual.filter(|path| !shown.iter().any(|one| one.starts_with(path) || path.starts_with(one)));
        let asked = self.hide.iter().filter_map(|path| path.canonicalize().ok());
        let mut all: Vec<PathBuf> = usual.chain(asked).filter(|path| path.parent().is_some()).collect();
        all.sort();
        all.dedup_by(|later, kept| later.starts_with(kept));
        all
    }
}

fn real(path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref();
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use super::*;

    #[test]
    fn what_exists_is_hidden_unless_it_is_shown() {
        let place = tempfile::tempdir().unwrap();
        let home = place.path().canonicalize().unwrap();
        for directory in [".ssh", ".aws", ".docker/machine", "keys/deep", "project"] {
            fs::create_dir_all(home.join(directory)).unwrap();
        }
        fs::write(home.join(".netrc"), "machine").unwrap();
        std::os::unix::fs::symlink(home.join("keys"), home.join(".gnupg")).unwrap();
        std::os::unix::fs::symlink(&home, home.join(".kube")).unwrap();
        let hidden = |hide: &[&str], show: &[&str]| {
            let below = |names: &[&str]| names.iter().map(|name| home.join(name)).collect();
            let places = Hiding { hide: below(hide), show: below(show) }.places(Some(&home));
            let names = places.iter().map(|path| path.strip_prefix(&home).unwrap().to_str().unwrap().to_owned());
            names.collect::<Vec<_>>()
        };
        assert_eq!(hidden(&[], &[]), [".aws", ".docker", ".netrc", ".ssh", "keys"]);
        assert_eq!(
            hidden(&["keys/deep", "project", "missing"], &[".ssh"]),
            [".aws", ".docker", ".netrc", "keys", "project"]
        );
        assert_eq!(hidden(&[], &[".docker/machine", ".gnupg", ".netrc"]), [".aws", ".ssh"]);
        assert_eq!(hidden(&[".ssh"], &["."]), [".ssh"]);
    }
}
