//! What a process gives up before it becomes a worker: writing outside a few directories, by Landlock; every capability; and
//! the calls that [`filter`](crate::filter) refuses.
//!
//! The server cannot restrict a child between fork and exec without unsafe code in a process with threads, so a child is
//! first this program again, which restricts itself and then becomes the worker. See [`sandbox`](crate::sandbox) for who
//! asks for it, and the kernel's `userspace-api/landlock` for what the rights mean.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::{IntoRawFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::process::Pid;
use rustix::thread::{CapabilitySet, CapabilitySets};

use crate::filter;
use crate::keeper::outlive;
use crate::namespaces::furnish;
use crate::place::WritablePlace;
use crate::process::CAPTURE;

/// Devices that programs write to as a matter of course.
pub(crate) const DEVICES: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// What makes terminals.
const TERMINALS: &str = "/dev/ptmx";

/// What is written to as well where it was made for this process alone. Otherwise the terminals of the user are among the
/// first, and everybody's memory in the second.
const OWN_DEVICES: [&str; 2] = ["/dev/pts", "/dev/shm"];

/// The revision that restricts files, signals and abstract sockets.
const NEEDED: ABI = ABI::V6;

/// The newest revision whose rights are asked for when the kernel has them.
const NEWEST: ABI = ABI::V9;

/// What a worker finds its two ends of the conversation by, when they are not its standard input and output.
pub(crate) const CONVERSATION: &str = "LISPWRIGHT_CONVERSATION";

/// What a process sees of the machine before it is confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surroundings {
    /// What its user sees. Landlock alone bounds it.
    Shared,
    /// Namespaces that bubblewrap has made and furnished. Landlock is only asked to help as far as it can.
    Bubblewrap,
    /// Namespaces that it is the first process of, which are yet to be furnished; see [`live_apart`](crate::live_apart).
    Namespaces,
}

/// What a process keeps when it is confined. Reading and running files is not restricted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confinement {
    /// The directories below which it may write. One that does not exist gives nothing.
    pub write: Vec<WritablePlace>,
    /// Where it is.
    pub surroundings: Surroundings,
    /// Its standard input and output are moved to descriptors that nobody takes for those, which the environment names.
    pub conversation: bool,
    /// Variables that only the program is told.
    pub environment: Vec<(OsString, OsString)>,
}

/// Whether the Landlock of this kernel can restrict what has to be restricted.
pub(crate) fn landlock_works() -> bool {
    ruleset(CompatLevel::HardRequirement).and_then(Ruleset::create).is_ok()
}

/// Restricts this process as `confinement` says and becomes `program`; as the first process of namespaces it starts that and
/// gives its exit code. Else returns only what was in the way.
///
/// Everything that is asked for is enforced, or the program does not run.
pub fn become_confined(confinement: &Confinement, program: &OsString, arguments: &[OsString]) -> Result<u8, String> {
    let mut command = Command::new(program);
    command.args(arguments).envs(confinement.environment.iter().map(|(name, value)| (name, value)));
    let moved = if confinement.conversation { move_conversation(&mut command) } else { Ok(()) };
    moved
        .and_then(|()| restrict(confinement))
        .map_err(|why| format!("the sandbox could not be set up, so nothing was started: {why}"))?;
    let started = match confinement.surroundings {
        Surroundings::Namespaces => command.spawn(),
        Surroundings::Shared | Surroundings::Bubblewrap => Err(command.exec()),
    };
    let child = started.map_err(|error| format!("{} could not be started: {error}", Path::new(program).display()))?;
    Ok(outlive(Pid::from_child(&child)))
}

fn restrict(confinement: &Confinement) -> Result<(), String> {
    let is_apart = confinement.surroundings != Surroundings::Shared;
    let level = if is_apart { CompatLevel::BestEffort } else { CompatLevel::HardRequirement };
    let places = confinement.write.iter().filter_map(|place| place.open().transpose());
    let places = places.collect::<Result<Vec<_>, String>>()?;
    if confinement.surroundings == Surroundings::Namespaces {
        furnish(&places).map_err(|error| format!("mounts: {error}"))?;
    }
    let places = places.into_iter().map(|(_, place)| (place, AccessFs::from_write(NEWEST) & !nodes()));
    let own = OWN_DEVICES.iter().filter(|_| is_apart);
    let devices = DEVICES
        .iter()
        .chain([&TERMINALS])
        .chain(own)
        .filter_map(|path| Some((device(path).ok()?, rights(Path::new(path)))));
    let rules = places.chain(devices).map(|(handle, rights)| PathBeneath::new(handle, rights));
    match landlock(level, rules) {
        Ok(RulesetStatus::NotEnforced) if !is_apart => Err("this kernel does not enforce Landlock".to_owned()),
        Ok(_) => Ok(()),
        Err(error) => Err(format!("Landlock: {error}")),
    }?;
    give_up_capabilities().map_err(|error| format!("capabilities: {error}"))?;
    filter::install(is_apart).map_err(|error| format!("the filter of system calls: {error}"))
}

fn ruleset(level: CompatLevel) -> Result<Ruleset, RulesetError> {
    Ruleset::default()
        .set_compatibility(level)
        .handle_access(AccessFs::from_write(NEEDED))?
        .scope(Scope::from_all(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_write(NEWEST))
}

fn landlock(
    level: CompatLevel,
    rules: impl Iterator<Item = PathBeneath<OwnedFd>>,
) -> Result<RulesetStatus, RulesetError> {
    let mut created = ruleset(level)?.create()?.set_compatibility(CompatLevel::BestEffort);
    for rule in rules {
        created = created.add_rule(rule)?;
    }
    Ok(created.restrict_self()?.ruleset)
}

fn device(path: &str) -> rustix::io::Result<OwnedFd> {
    openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
}

/// Making device nodes, which would reach the devices past all directories.
fn nodes() -> BitFlags<AccessFs> {
    AccessFs::MakeBlock | AccessFs::MakeChar
}

/// The rights that are given at `path`: those for its entries make sense for a directory only.
fn rights(path: &Path) -> BitFlags<AccessFs> {
    let all = AccessFs::from_write(NEWEST) & !nodes();
    if path.is_dir() { all } else { all & AccessFs::from_file(NEWEST) }
}

/// Gives up every capability, for good.
fn give_up_capabilities() -> rustix::io::Result<()> {
    rustix::thread::set_no_new_privs(true)?;
    rustix::thread::clear_ambient_capability_set()?;
    for bit in 0..u64::BITS {
        // One that the kernel does not know, or that this process may not forbid. Nobody gets one back anyway once there are
        // no new privileges.
        let _ = rustix::thread::remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << bit));
    }
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
}

/// Moves standard input and output to other descriptors, which `command` finds in its environment. In their places come the
/// end of all input and what the server captures.
fn move_conversation(command: &mut Command) -> Result<(), String> {
    let capture = std::env::var(CAPTURE).map_err(|_| "nobody captures what is printed".to_owned())?;
    let mut moved = || -> std::io::Result<()> {
        let ends = [rustix::io::dup(std::io::stdin())?, rustix::io::dup(std::io::stdout())?];
        rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
        rustix::stdio::dup2_stdout(File::options().write(true).open(format!("/proc/self/fd/{capture}"))?)?;
        let [input, output] = ends.map(IntoRawFd::into_raw_fd);
        command.env(CONVERSATION, format!("{input} {output}"));
        Ok(())
    };
    moved().map_err(|error| format!("standard input and output: {error}"))
}
