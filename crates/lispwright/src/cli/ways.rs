//! How this binary was installed, by the place that it is in, and so how it is upgraded and removed.

use std::path::{Path, PathBuf};

/// The releases, for people.
pub(crate) const RELEASES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/releases");

/// What installed the binary, in words, and its commands.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Way {
    /// A stable name.
    pub(crate) name: &'static str,
    /// The end of "installed ...".
    pub(crate) by: String,
    pub(crate) upgrade: String,
    pub(crate) remove: String,
}

impl Way {
    fn new(name: &'static str, by: &str, upgrade: impl Into<String>, remove: impl Into<String>) -> Self {
        Self { name, by: by.to_owned(), upgrade: upgrade.into(), remove: remove.into() }
    }

    /// The binary that runs, and its way.
    pub(crate) fn here() -> std::io::Result<(PathBuf, Self)> {
        let program = std::env::current_exe()?.canonicalize()?;
        let way = Self::of(&program, Path::exists);
        Ok((program, way))
    }

    /// For a binary in a cache that is emptied some day: what installs it for good.
    pub(crate) fn to_stay(&self) -> Option<&'static str> {
        match self.name {
            "npx" => Some("npm install --global lispwright"),
            "uvx" => Some("uv tool install lispwright"),
            _ => None,
        }
    }

    /// The way of the binary at `program`, a path without links. `exists` tells whether a file is there.
    pub(crate) fn of(program: &Path, exists: impl Fn(&Path) -> bool) -> Self {
        let path = program.to_string_lossy().replace('\\', "/");
        let has = |part: &str| path.contains(part);
        let folder = program.parent().unwrap_or(Path::new("/"));
        if has("/_npx/") {
            return Self::new("npx", "by npx, for a while", "npx lispwright@latest", "npm cache clean --force");
        }
        if let Some((before, _)) = path.split_once("/node_modules/@lispwright/") {
            // A launcher beside the platform's package is global below `lib`, else it is a project's.
            let project = !before.ends_with("/lib") && exists(&Path::new(before).join("package.json"));
            let (global, by) = if project { ("", "by npm, in a project") } else { ("--global ", "by npm") };
            return Self::new(
                "npm",
                by,
                format!("npm install {global}lispwright@latest"),
                format!("npm uninstall {global}lispwright"),
            );
        }
        if has("/uv/tools/lispwright/") {
            return Self::new("uv", "by uv", "uv tool upgrade lispwright", "uv tool uninstall lispwright");
        }
        if has("/uv/archive-v") || has("/.cache/uv/") {
            return Self::new("uvx", "by uvx, for a while", "uvx lispwright@latest", "uv cache clean lispwright");
        }
        if has("/pipx/venvs/lispwright/") {
            return Self::new("pipx", "by pipx", "pipx upgrade lispwright", "pipx uninstall lispwright");
        }
        if has("/Cellar/lispwright/") {
            return Self::new("homebrew", "by Homebrew", "brew upgrade lispwright", "brew uninstall lispwright");
        }
        if has("/nix/store/") {
            return Self::new("nix", "by Nix", "nix profile upgrade lispwright", "nix profile remove lispwright");
        }
        if has("/gnu/store/") {
            return Self::new("guix", "by Guix", "guix package -f lispwright.scm", "guix remove lispwright");
        }
        if exists(&folder.join("../pyvenv.cfg")) {
            let pip = folder.join("pip").display().to_string();
            let upgrade = format!("{pip} install --upgrade lispwright");
            return Self::new("pip", "by pip", upgrade, format!("{pip} uninstall lispwright"));
        }
        if exists(&folder.join("../manifest.json")) && folder.ends_with("server") {
            let client = "in the client's own list of extensions";
            return Self::new("mcpb", "by an MCP bundle", client, client);
        }
        if has("/target/release/") || has("/target/debug/") {
            return Self::new(
                "sources",
                "by nothing: it is where cargo built it",
                "git pull && cargo install --path crates/lispwright",
                "cargo clean",
            );
        }
        if has("/.cargo/bin/") {
            let repository = env!("CARGO_PKG_REPOSITORY");
            return Self::new(
                "cargo",
                "by cargo",
                format!("cargo binstall lispwright, or cargo install --locked --git {repository} lispwright"),
                "cargo uninstall lispwright",
            );
        }
        if folder == Path::new("/usr/bin") {
            if exists(Path::new("/var/lib/dpkg/info/lispwright.list")) {
                let upgrade = format!("apt install ./lispwright_VERSION_{}.deb, from {RELEASES}", DEBIAN);
                return Self::new("deb", "by a Debian package", upgrade, "apt remove lispwright");
            }
            let databases = ["/usr/lib/sysimage/rpm", "/var/lib/rpm"].map(PathBuf::from);
            if databases.iter().any(|database| exists(database)) {
                let upgrade =
                    format!("dnf install ./lispwright-VERSION-1.{}.rpm, from {RELEASES}", std::env::consts::ARCH);
                return Self::new(
                    "rpm",
                    "by an RPM package",
                    upgrade,
                    "dnf remove lispwright, or rpm --erase lispwright",
                );
            }
        }
        let archive = format!("lispwright-VERSION-{}.tar.gz", env!("LISPWRIGHT_TARGET"));
        Self::new(
            "archive",
            "by hand",
            format!("unpack {archive} from {RELEASES} and put its lispwright in the place of {path}"),
            format!("rm {path}"),
        )
    }
}

/// Debian's name for this processor.
const DEBIAN: &str = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(program: &str, files: &[&str], name: &str, upgrade: &str) {
        let way = Way::of(Path::new(program), |file| files.iter().any(|there| Path::new(there) == file));
        assert_eq!((way.name, way.upgrade.as_str()), (name, upgrade));
    }

    #[test]
    fn the_place_of_the_binary_shows_what_installed_it() {
        let npm = "/usr/lib/node_modules/lispwright/node_modules/@lispwright/linux-x64/bin/lispwright";
        check(npm, &[], "npm", "npm install --global lispwright@latest");
        let npm = "/usr/local/lib/node_modules/@lispwright/linux-x64/bin/lispwright";
        check(npm, &[], "npm", "npm install --global lispwright@latest");
        let npm = "/home/a/app/node_modules/@lispwright/linux-x64/bin/lispwright";
        check(npm, &["/home/a/app/package.json"], "npm", "npm install lispwright@latest");
        let npx = "/home/a/.npm/_npx/1f/node_modules/@lispwright/linux-x64/bin/lispwright";
        check(npx, &[], "npx", "npx lispwright@latest");
        let uv = "/home/a/.local/share/uv/tools/lispwright/bin/lispwright";
        check(uv, &["/home/a/.local/share/uv/tools/lispwright/bin/../pyvenv.cfg"], "uv", "uv tool upgrade lispwright");
        check("/home/a/.cache/uv/archive-v0/x/bin/lispwright", &[], "uvx", "uvx lispwright@latest");
        let pipx = "/home/a/.local/share/pipx/venvs/lispwright/bin/lispwright";
        check(pipx, &[], "pipx", "pipx upgrade lispwright");
        let pip = "/venv/bin/lispwright";
        check(pip, &["/venv/bin/../pyvenv.cfg"], "pip", "/venv/bin/pip install --upgrade lispwright");
        check("/opt/homebrew/Cellar/lispwright/0.1.0/bin/lispwright", &[], "homebrew", "brew upgrade lispwright");
        check("/nix/store/x-lispwright-0.1.0/bin/lispwright", &[], "nix", "nix profile upgrade lispwright");
        let bundle = "/home/a/extensions/lispwright/server/lispwright";
        let manifest = "/home/a/extensions/lispwright/server/../manifest.json";
        check(bundle, &[manifest], "mcpb", "in the client's own list of extensions");
        let passing = Way::of(Path::new(npx), |_| false);
        assert_eq!(passing.to_stay(), Some("npm install --global lispwright"));
        let way = |program: &str, file: &str| Way::of(Path::new(program), |there| there == Path::new(file)).name;
        assert_eq!(way("/home/a/lispwright/target/debug/lispwright", ""), "sources");
        assert_eq!(way("/home/a/.cargo/bin/lispwright", ""), "cargo");
        assert_eq!(way("/usr/bin/lispwright", "/var/lib/dpkg/info/lispwright.list"), "deb");
        assert_eq!(way("/usr/bin/lispwright", "/var/lib/rpm"), "rpm");
        assert_eq!(way("/usr/bin/lispwright", ""), "archive");
        assert_eq!(way("/home/a/bin/lispwright", "/var/lib/dpkg/info/lispwright.list"), "archive");
    }
}
