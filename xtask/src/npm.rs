//! The packages of npm, each of one pinned version in a directory of its own.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::step::{About, Failure, Step};

/// Installs `package` of exactly `version` into `place`, unless it is there.
pub(crate) fn ensure(place: &Path, package: &str, version: &str) -> Result<(), Failure> {
    fs::create_dir_all(place).about(place)?;
    let manifest = place.join("node_modules").join(package).join("package.json");
    let installed = || -> Option<String> {
        let manifest: Value = serde_json::from_slice(&fs::read(&manifest).ok()?).ok()?;
        Some(manifest["version"].as_str()?.to_owned())
    };
    if installed().as_deref() != Some(version) {
        let mut npm = Step::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--save-exact", "--prefix"]).arg(place);
        npm.arg(format!("{package}@{version}")).run()?;
    }
    match installed() {
        Some(there) if there == version => Ok(()),
        other => Err(Failure::new(format!("npm installed {package} {other:?} instead of {version}"))),
    }
}
