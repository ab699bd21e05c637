//! The rights that a process gives up before it becomes a worker: writing outside a few directories, and reading what is
//! hidden from it, by Landlock; every capability; and the calls that [`filter`](super::filter) refuses. See the kernel's `userspace-api/landlock` for the
//! rights.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::thread::{CapabilitySet, CapabilitySets};

use super::filter;
use super::namespaces::furnish;
use crate::Surroundings;

/// Devices that programs write to as a matter of course.
pub(super) const DEVICES: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// The device that creates terminals.
const TERMINALS: &str = "/dev/ptmx";

/// Directories that are also writable if they were made for this process alone. Otherwise the first contains the
/// terminals of the user, and the second everybody's shared memory.
const OWN_DEVICES: [&str; 2] = ["/dev/pts", "/dev/shm"];

/// The Landlock version that restricts files, signals and abstract sockets.
const NEEDED: ABI = ABI::V6;

/// The newest version whose rights are requested if the kernel has them.
const NEWEST: ABI = ABI::V9;

/// Whether the Landlock of this kernel can enforce all necessary restrictions.
pub(super) fn landlock_works() -> bool {
    ruleset(CompatLevel::HardRequirement, false).and_then(Ruleset::create).is_ok()
}

pub(super) fn restrict(
    places: Vec<(PathBuf, OwnedFd)>,
    hidden: &[PathBuf],
    surroundings: Surroundings,
) -> Result<(), String> {
    let is_apart = surroundings != Surroundings::Shared;
    let level = if is_apart { CompatLevel::BestEffort } else { CompatLevel::HardRequirement };
    if surroundings == Surroundings::Namespaces {
        furnish(&places, hidden).map_err(|error| format!("mounts: {error}"))?;
    }
    // Other processes' mounts are the same; without mounts of its own, it gets no right to read what is hidden.
    let hidden = if is_apart { &[] } else { hidden };
    let reading = if hidden.is_empty() { BitFlags::EMPTY } else { AccessFs::ReadFile.into() };
    let readable = siblings(hidden).into_iter().filter_map(|path| Some((device(path.to_str()?).ok()?, reading)));
    let places = places.into_iter().map(|(_, place)| (place, (AccessFs::from_write(NEWEST) & !nodes()) | reading));
    let own = OWN_DEVICES.iter().filter(|_| is_apart);
    let devices = DEVICES
        .iter()
        .chain([&TERMINALS])
        .chain(own)
        .filter_map(|path| Some((device(path).ok()?, rights(Path::new(path)) | reading)));
    let rules = places.chain(devices).chain(readable).map(|(handle, rights)| PathBeneath::new(handle, rights));
    match landlock(level, !hidden.is_empty(), rules) {
        Ok(RulesetStatus::NotEnforced) if !is_apart => Err("this kernel does not enforce Landlock".to_owned()),
        Ok(_) => Ok(()),
        Err(error) => Err(format!("Landlock: {error}")),
    }?;
    give_up_capabilities().map_err(|error| format!("capabilities: {error}"))?;
    filter::install(is_apart).map_err(|error| format!("the filter of system calls: {error}"))
}

fn ruleset(level: CompatLevel, reads: bool) -> Result<Ruleset, RulesetError> {
    let reading = if reads { AccessFs::ReadFile.into() } else { BitFlags::EMPTY };
    Ruleset::default()
        .set_compatibility(level)
        .handle_access(AccessFs::from_write(NEEDED) | reading)?
        .scope(Scope::from_all(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_write(NEWEST))
}

fn landlock(
    level: CompatLevel,
    reads: bool,
    rules: impl Iterator<Item = PathBeneath<OwnedFd>>,
) -> Result<RulesetStatus, RulesetError> {
    let mut created = ruleset(level, reads)?.create()?.set_compatibility(CompatLevel::BestEffort);
    for rule in rules {
        created = created.add_rule(rule)?;
    }
    Ok(created.restrict_self()?.ruleset)
}

/// What is readable when `hidden` is not: everything beside the hidden places and the directories above them, as it is
/// now. Links are left out: what they lead to has its own place.
fn siblings(hidden: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut directories: Vec<PathBuf> = Vec::new();
    directories.extend((!hidden.is_empty()).then(|| PathBuf::from("/")));
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if hidden.contains(&path) || entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                continue;
            }
            if hidden.iter().any(|one| one.starts_with(&path)) {
                directories.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found
}

fn device(path: &str) -> rustix::io::Result<OwnedFd> {
    openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
}

/// The right to create device nodes, by which devices could be reached in any directory.
fn nodes() -> BitFlags<AccessFs> {
    AccessFs::MakeBlock | AccessFs::MakeChar
}

/// The rights that are granted at `path`: only a directory can have those for its entries.
fn rights(path: &Path) -> BitFlags<AccessFs> {
    let all = AccessFs::from_write(NEWEST) & !nodes();
    if path.is_dir() { all } else { all & AccessFs::from_file(NEWEST) }
}

/// Gives up every capability, permanently.
fn give_up_capabilities() -> rustix::io::Result<()> {
    rustix::thread::set_no_new_privs(true)?;
    rustix::thread::clear_ambient_capability_set()?;
    for bit in 0..u64::BITS {
        // Fails for a capability that the kernel does not know, or that this process may not remove. Without new
        // privileges nobody gets one back anyway.
        let _ = rustix::thread::remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << bit));
    }
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
}
