//! Compiling for systems that this machine is not.
//!
//! Where rustup has the target's library, the project's own compiler is used. On Debian and Ubuntu, without that, it is
//! the distribution's current compiler, which comes with the source of the library and makes it for the target. What
//! links is Zig, from PyPI, through `cargo-zigbuild`: it has the headers and libraries of all these systems. All of it is
//! unpacked below `target/cross`; nothing is installed.

use std::fs;
use std::path::{Path, PathBuf};

use super::targets::{System, Target};
use crate::apt::{self, Install};
use crate::step::{About, Failure, Step, say};
use crate::target as build_directory;

/// The distribution's compiler, its library as a binary and as source, and what runs programs for other processors.
const COMPILER: [&str; 4] = ["rustc-web", "libstd-rust-web-dev", "rust-web-src", "qemu-user-static"];

/// The linker and cargo's way to it, from PyPI.
const LINKER: [&str; 2] = ["ziglang==0.17.1", "cargo-zigbuild==0.24.1"];

/// The means to compile for one target.
pub(crate) struct Toolchain {
    /// Set when the target's library has to be made from source: the directory that the compiler is unpacked in.
    compiler: Option<PathBuf>,
    /// The directory of a Python environment with the linker, where the system's own will not do.
    linker: Option<PathBuf>,
}

impl Toolchain {
    /// What it takes here, fetched if need be; `None` if it takes more than the toolchain that is installed, and that is
    /// not wanted.
    pub(crate) fn of(target: &Target, may_fetch: bool, install: Install) -> Result<Option<Self>, Failure> {
        let is_installed = has_library(target);
        let links_here = target.is_here() || target.system == System::Mac && target.system.is_here();
        if is_installed && links_here {
            return Ok(Some(Self { compiler: None, linker: None }));
        }
        if !may_fetch {
            return Ok(None);
        }
        let place = build_directory().join("cross");
        let compiler = if is_installed { None } else { Some(compiler(&place, install)?) };
        Ok(Some(Self { compiler, linker: Some(linker(&place)?) }))
    }

    /// The call of cargo that builds the binary in a directory; its arguments after `--target` are still to come.
    pub(crate) fn build(&self, target: &Target) -> Result<Step, Failure> {
        let mut step = match &self.linker {
            None => {
                let mut step = crate::cargo();
                step.arg("build");
                step
            }
            Some(linker) => {
                let mut step = Step::new(linker.join("bin/cargo-zigbuild"));
                step.inside(crate::workspace()).arg("zigbuild");
                step.env("CARGO_ZIGBUILD_ZIG_PATH", zig(linker)?);
                step
            }
        };
        if let Some(compiler) = &self.compiler {
            step.env("RUSTC", compiler.join("usr/bin/rustc")).env("RUSTC_BOOTSTRAP", "1");
            step.env("LD_LIBRARY_PATH", compiler.join("usr/lib/x86_64-linux-gnu"));
            step.arg("-Zbuild-std=std,panic_unwind");
        }
        let variable = format!("CARGO_TARGET_{}_RUSTFLAGS", target.triple.replace('-', "_").to_uppercase());
        step.env(&variable, self.flags(target).join(" "));
        Ok(step)
    }

    /// The compiler's flags for a target.
    fn flags(&self, target: &Target) -> Vec<String> {
        // A package tells nothing of the machine that it is made on.
        let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let home = home.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cargo")));
        let mut flags = vec![format!("--remap-path-prefix={}=.", crate::workspace().display())];
        if let Some(home) = home {
            flags.push(format!("--remap-path-prefix={}=cargo", home.display()));
        }
        if let Some(compiler) = &self.compiler {
            flags.push(format!("--remap-path-prefix={}=rust", compiler.join("usr/src").display()));
        }
        if target.system == System::Linux {
            // At a fixed address: a hook is a process for each edit, and does not have to correct its addresses first.
            flags.push("-Crelocation-model=static".into());
        }
        if self.linker.is_some() && target.system == System::Linux {
            // Zig brings the start files and musl.
            flags.push("-Clink-self-contained=no".into());
        }
        if self.compiler.is_some() && target.system == System::Mac {
            // Nothing here strips a Mac's binary after it was linked.
            flags.push("-Cstrip=none".into());
        }
        flags
    }
}

/// Whether the installed toolchain has the library of a target.
fn has_library(target: &Target) -> bool {
    let said = Step::new("rustc").args(["--print", "target-libdir", "--target", target.triple]).answer();
    said.is_some_and(|said| Path::new(said.trim()).is_dir() && !said.trim().is_empty())
}

/// The distribution's compiler, unpacked.
fn compiler(place: &Path, install: Install) -> Result<PathBuf, Failure> {
    let root = place.join("sysroot");
    let done = root.join("usr/bin/rustc");
    if done.exists() {
        return Ok(root);
    }
    say("fetching a compiler with the source of its library, some 200 MB");
    let packages = place.join("packages");
    fs::create_dir_all(&packages).about(&packages)?;
    let mut wanted: Vec<String> = COMPILER.map(str::to_owned).to_vec();
    wanted.extend(libraries()?);
    let names: Vec<&str> = wanted.iter().map(String::as_str).collect();
    let absent = apt::download(&names, &packages, install)?;
    if !absent.is_empty() {
        return Err(Failure::new(format!("the distribution has no {}", absent.join(", no "))));
    }
    for entry in fs::read_dir(&packages).about(&packages)? {
        let package = entry.about(&packages)?.path();
        Step::new("dpkg").arg("-x").arg(package).arg(&root).run_quietly(&[0])?;
    }
    fs::remove_dir_all(&packages).about(&packages)?;
    if done.exists() { Ok(root) } else { Err(Failure::new("the package rustc-web has no usr/bin/rustc")) }
}

/// The packages of the libraries that the distribution's compiler is linked with; their names have its versions in them.
fn libraries() -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for package in ["rustc-web", "libstd-rust-web-dev"] {
        let said = Step::new("apt-cache")
            .env("LC_ALL", "C")
            .args(["depends", "--no-recommends", "--no-suggests", package])
            .answer();
        for line in said.unwrap_or_default().lines() {
            let name = line.trim().strip_prefix("Depends: ").unwrap_or_default();
            if name.starts_with("libstd-rust-web-1") || name.starts_with("libllvm") {
                found.push(name.to_owned());
            }
        }
    }
    // The library for LLVM is named by what is itself a dependency.
    let known = found.iter().find(|name| name.starts_with("libstd-rust-web-1")).cloned();
    if let Some(library) = known {
        let said = Step::new("apt-cache").env("LC_ALL", "C").args(["depends", &library]).answer().unwrap_or_default();
        let names = said.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
        found.extend(names.filter(|name| name.starts_with("libllvm")).map(str::to_owned));
    }
    found.sort();
    found.dedup();
    if found.len() < 2 {
        return Err(Failure::new(format!("apt does not say what rustc-web is linked with: {found:?}")));
    }
    Ok(found)
}

/// A Python environment with the linker.
fn linker(place: &Path) -> Result<PathBuf, Failure> {
    let root = place.join("py");
    if !root.join("bin/cargo-zigbuild").exists() {
        say("fetching Zig, which links for other systems, some 100 MB");
        Step::new("python3").args(["-m", "venv"]).arg(&root).run()?;
        Step::new(root.join("bin/pip")).args(["install", "--quiet"]).args(LINKER).run()?;
    }
    Ok(root)
}

/// The program `zig` of that environment.
fn zig(linker: &Path) -> Result<PathBuf, Failure> {
    let mut step = Step::new(linker.join("bin/python"));
    let said = step.args(["-c", "import os, ziglang; print(os.path.dirname(ziglang.__file__))"]).answer();
    let folder = said.map(|said| PathBuf::from(said.trim())).filter(|folder| folder.is_dir());
    folder.map(|folder| folder.join("zig")).ok_or_else(|| Failure::new("the package ziglang cannot be found"))
}
