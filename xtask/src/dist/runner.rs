//! Running a program that was made for a target: by itself, or under QEMU.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::targets::Target;

/// How a program is run here.
pub(crate) struct Runner {
    program: PathBuf,
    emulator: Option<PathBuf>,
}

impl Runner {
    /// The way to run `program` here, if there is one.
    pub(crate) fn of(target: &Target, program: &Path) -> Option<Self> {
        let emulator = if target.is_here() { None } else { Some(emulator(target)?) };
        Some(Self { program: program.to_owned(), emulator })
    }

    /// The beginning of a call.
    pub(crate) fn command(&self) -> Command {
        match &self.emulator {
            None => Command::new(&self.program),
            Some(emulator) => {
                let mut command = Command::new(emulator);
                command.arg(&self.program);
                command
            }
        }
    }

    /// For people.
    pub(crate) fn how(&self) -> &'static str {
        if self.emulator.is_some() { "run under QEMU" } else { "run" }
    }
}

/// The emulator, installed or unpacked beside the compiler.
fn emulator(target: &Target) -> Option<PathBuf> {
    let name = target.emulator.filter(|_| target.system.is_here())?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let unpacked = crate::target().join("cross/sysroot/usr/bin");
    std::env::split_paths(&path).chain([unpacked]).map(|folder| folder.join(name)).find(|program| program.is_file())
}
