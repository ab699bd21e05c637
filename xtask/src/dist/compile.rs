//! From a target to its binary.

use super::cross::Toolchain;
use super::parts::{bill, licenses, parts};
use super::payload::File;
use super::release::Release;
use super::targets::{System, Target};
use crate::apt::Install;
use crate::step::{About, Failure};

/// A binary.
pub(crate) struct Binary {
    pub(crate) target: &'static Target,
    pub(crate) bytes: Vec<u8>,
    /// The licences of its crates.
    pub(crate) licenses: File,
    /// Its bill of materials.
    pub(crate) bill: File,
}

impl Binary {
    /// The binary with what is known of its crates.
    pub(crate) fn new(target: &'static Target, bytes: Vec<u8>, release: &Release) -> Result<Self, Failure> {
        let parts = parts(target)?;
        Ok(Self { target, bytes, licenses: licenses(&parts)?, bill: bill(&parts, release, target) })
    }
}

/// Builds the release for a target; `None` where that takes more than is installed and nothing may be fetched.
pub(crate) fn compile(
    target: &'static Target,
    release: &Release,
    may_fetch: bool,
    install: Install,
) -> Result<Option<Binary>, Failure> {
    let Some(toolchain) = Toolchain::of(target, may_fetch, install)? else { return Ok(None) };
    let directory = crate::target().join("cross/build");
    let mut step = toolchain.build(target)?;
    step.args(["--release", "--locked", "--package", "lispwright", "--target", target.triple]);
    step.arg("--target-dir").arg(&directory);
    step.env("LISPWRIGHT_COMMIT", &release.commit);
    if target.system == System::Mac {
        let oldest = if target.machine == "aarch64" { "11.0" } else { "10.12" };
        step.env("MACOSX_DEPLOYMENT_TARGET", oldest);
    }
    step.run()?;
    let path = directory.join(target.triple).join("release/lispwright");
    let bytes = std::fs::read(&path).about(&path)?;
    Binary::new(target, bytes, release).map(Some)
}
