//! The systems that binaries are made for, with the names that each package manager has for them.
//!
//! Windows is not among them: `crates/platform` knows Unix systems. There, the binaries for Linux run in WSL.

use crate::step::Failure;

/// A system and processor.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Rust's name.
    pub(crate) triple: &'static str,
    /// For people.
    pub(crate) title: &'static str,
    pub(crate) system: System,
    /// The processor as `uname -m` of Linux has it.
    pub(crate) machine: &'static str,
    /// `os` and `cpu` of npm's `package.json`, and of Node's `process`.
    pub(crate) npm: (&'static str, &'static str),
    /// The platform tags of its wheel.
    pub(crate) wheel: &'static str,
    /// Debian's architecture.
    pub(crate) deb: Option<&'static str>,
    /// The emulator that runs it on other processors, as the package `qemu-user-static` names it.
    pub(crate) emulator: Option<&'static str>,
}

/// An operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    Linux,
    Mac,
}

/// Every target, the most common system first. The binaries for Linux are linked statically, and so are for any
/// distribution.
pub(crate) const TARGETS: [Target; 4] = [
    Target {
        triple: "x86_64-unknown-linux-musl",
        title: "Linux, x86-64",
        system: System::Linux,
        machine: "x86_64",
        npm: ("linux", "x64"),
        wheel: "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
        deb: Some("amd64"),
        emulator: Some("qemu-x86_64-static"),
    },
    Target {
        triple: "aarch64-unknown-linux-musl",
        title: "Linux, ARM64",
        system: System::Linux,
        machine: "aarch64",
        npm: ("linux", "arm64"),
        wheel: "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
        deb: Some("arm64"),
        emulator: Some("qemu-aarch64-static"),
    },
    Target {
        triple: "aarch64-apple-darwin",
        title: "macOS, Apple silicon",
        system: System::Mac,
        machine: "aarch64",
        npm: ("darwin", "arm64"),
        wheel: "macosx_11_0_arm64",
        deb: None,
        emulator: None,
    },
    Target {
        triple: "x86_64-apple-darwin",
        title: "macOS, Intel",
        system: System::Mac,
        machine: "x86_64",
        npm: ("darwin", "x64"),
        wheel: "macosx_10_12_x86_64",
        deb: None,
        emulator: None,
    },
];

impl Target {
    /// The target of that name, or of that title.
    pub(crate) fn named(triple: &str) -> Result<&'static Self, Failure> {
        TARGETS.iter().find(|target| target.triple == triple).ok_or_else(|| {
            let known: Vec<&str> = TARGETS.iter().map(|target| target.triple).collect();
            Failure::new(format!("{triple} is no target of `dist`; these are: {}", known.join(", ")))
        })
    }

    /// Whether this machine is such a system with such a processor.
    pub(crate) fn is_here(&self) -> bool {
        self.system.is_here() && self.machine == std::env::consts::ARCH
    }
}

impl System {
    /// Whether this machine has that system.
    pub(crate) fn is_here(self) -> bool {
        let name = match self {
            Self::Linux => "linux",
            Self::Mac => "macos",
        };
        name == std::env::consts::OS
    }
}
