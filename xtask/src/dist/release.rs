//! The facts that every package states: taken from `Cargo.toml` and Git, typed nowhere twice.

use std::path::PathBuf;

use serde_json::Value;

use crate::step::{Failure, Step};
use crate::{cargo, workspace};

/// What is released.
pub(crate) struct Release {
    /// The version of the workspace.
    pub(crate) version: String,
    /// One line for lists of packages.
    pub(crate) summary: String,
    /// An SPDX expression.
    pub(crate) license: String,
    /// The address of the repository, without `.git`.
    pub(crate) repository: String,
    /// The commit, with `-dirty` if files differ from it.
    pub(crate) commit: String,
    /// The time of that commit, in seconds since 1970. Every file in a package has it, so that one commit makes the same
    /// packages at any time.
    pub(crate) time: u64,
    /// The same as RFC 5322 has it.
    pub(crate) date: String,
}

impl Release {
    /// Reads the facts.
    pub(crate) fn read() -> Result<Self, Failure> {
        let metadata = metadata(None)?;
        let packages = metadata["packages"].as_array().into_iter().flatten();
        let package = packages
            .filter(|package| package["source"].is_null())
            .find(|package| package["name"] == "lispwright")
            .ok_or_else(|| Failure::new("cargo metadata lists no package lispwright"))?;
        let fact = |name: &str| -> Result<String, Failure> {
            let fact = package[name].as_str().filter(|fact| !fact.is_empty());
            fact.map(str::to_owned).ok_or_else(|| Failure::new(format!("the package lispwright has no {name}")))
        };
        let (commit, time, date) = commit();
        Ok(Self {
            version: fact("version")?,
            summary: fact("description")?,
            license: fact("license")?,
            repository: fact("repository")?.trim_end_matches('/').to_owned(),
            commit,
            time,
            date,
        })
    }

    /// `owner/name` of the repository.
    pub(crate) fn slug(&self) -> &str {
        self.repository.splitn(4, '/').nth(3).unwrap_or(&self.repository)
    }

    /// The address from which a file of this release is downloaded.
    pub(crate) fn address(&self, file: &str) -> String {
        format!("{}/releases/download/v{}/{file}", self.repository, self.version)
    }

    /// The facts that templates name, without those of a file.
    pub(crate) fn words(&self) -> Vec<(&'static str, String)> {
        vec![
            ("version", self.version.clone()),
            ("summary", self.summary.clone()),
            ("synopsis", self.summary.trim_start_matches("A ").to_owned()),
            ("license", self.license.clone()),
            ("repository", self.repository.clone()),
            ("date", self.date.clone()),
            ("slug", self.slug().to_owned()),
            ("owner", self.slug().split('/').next().unwrap_or_default().to_owned()),
        ]
    }
}

/// The commit of the work tree and its time; a work tree without one is told so in every package.
fn commit() -> (String, u64, String) {
    let git = |arguments: &[&str]| Step::new("git").inside(workspace()).args(arguments).answer();
    let line = |arguments: &[&str]| git(arguments).map(|said| said.trim().to_owned()).filter(|said| !said.is_empty());
    let Some(commit) = line(&["rev-parse", "--short=12", "HEAD"]) else {
        return ("not built from a commit".into(), 0, "Thu, 1 Jan 1970 00:00:00 +0000".into());
    };
    let time = line(&["show", "-s", "--format=%ct", "HEAD"]).and_then(|time| time.parse().ok()).unwrap_or_default();
    let dirt = if line(&["status", "--porcelain", "--untracked-files=no"]).is_some() { "-dirty" } else { "" };
    let date = line(&["show", "-s", "--format=%cD", "HEAD"]).unwrap_or_default();
    (commit + dirt, time, date)
}

/// What cargo knows of the workspace, and of its dependencies on a target.
pub(crate) fn metadata(triple: Option<&str>) -> Result<Value, Failure> {
    let mut step = cargo();
    step.args(["metadata", "--format-version", "1", "--locked"]);
    match triple {
        Some(triple) => step.args(["--filter-platform", triple]),
        None => step.arg("--no-deps"),
    };
    let said = step.answer().unwrap_or_default();
    serde_json::from_str(&said).map_err(|error| Failure::new(format!("cargo metadata: {error}")))
}

/// The directory in which the packages are left.
pub(crate) fn place() -> PathBuf {
    crate::target().join("dist")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_facts_are_those_of_the_workspace() {
        let release = Release::read().unwrap();
        assert_eq!(release.version, env!("CARGO_PKG_VERSION"));
        assert_eq!(release.slug().split('/').count(), 2);
        assert!(release.summary.len() > 10 && !release.summary.ends_with('.'), "{}", release.summary);
        // The place from which `cargo binstall` downloads is typed in the package's `Cargo.toml`.
        let manifest = std::fs::read_to_string(workspace().join("crates/lispwright/Cargo.toml")).unwrap();
        let address = release.address("lispwright-{ version }-{ target }.tar.gz");
        let address = address.replace(&release.repository, "{ repo }").replace(&release.version, "{ version }");
        assert!(manifest.contains(&format!("pkg-url = \"{address}\"")), "{address}");
    }
}
