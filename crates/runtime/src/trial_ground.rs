//! A sandbox without an image: the same confinement, for a program that tries to get out of it.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use crate::config::Config;
use crate::sandbox::{Confined, Pipes, Sandbox, SandboxConfig};

/// A sandbox that works here, around programs that are not images.
#[derive(Debug)]
pub struct TrialGround {
    confined: Confined,
    mechanism: &'static str,
}

impl TrialGround {
    /// A sandbox in which files may be written below `root`, with its caches in `cache`.
    ///
    /// Errors: the mechanism does not work here, or what the sandbox needs cannot be made; in words for a person.
    pub fn new(wanted: &SandboxConfig, root: &Path, cache: &Path) -> Result<Self, String> {
        let config = Config { cache: Some(cache.to_owned()), ..Config::new(root) };
        let wanted = SandboxConfig { writable: vec![root.to_owned()], ..wanted.clone() };
        let name = format!("lispwright-trial-{}", std::process::id());
        let sandbox = Arc::new(Sandbox::find(&wanted, &config, &name)?);
        let confined = sandbox.confined("1", Pipes::Standard)?;
        Ok(Self { confined, mechanism: sandbox.name() })
    }

    /// The name of the mechanism.
    pub fn mechanism(&self) -> &'static str {
        self.mechanism
    }

    /// A command that runs `program` inside.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut words = self.confined.prefix.iter().map(AsRef::as_ref).chain([program.as_ref()]);
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).envs(self.confined.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}
