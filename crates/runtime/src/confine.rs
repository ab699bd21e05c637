//! What a process gives up before it becomes a worker: writing outside a few directories, and the network, by Landlock.
//!
//! The server cannot restrict a child between fork and exec without unsafe code in a process with threads, so a child is
//! first this program again, which restricts itself and then becomes the worker. See [`sandbox`](crate::sandbox) for who
//! asks for it, and the kernel's `userspace-api/landlock` for what the rights mean.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, NetPort, PathBeneath, PathFd,
    Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};

/// Devices that programs write to as a matter of course.
const DEVICES: [&str; 8] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts"];

/// The oldest revision that keeps files outside from being truncated.
const FILES: ABI = ABI::V3;

/// The revision that restricts TCP.
const NETWORK: ABI = ABI::V4;

/// The revision that restricts signals and abstract sockets.
const SCOPES: ABI = ABI::V6;

/// The newest revision whose rights are asked for when the kernel has them.
const NEWEST: ABI = ABI::V9;

/// What a confined process may do on the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// Anything: the kernel cannot restrict it.
    Open,
    /// Accept TCP connections at ports that the kernel chooses, and connect to nothing over TCP.
    Listen,
    /// Neither listen nor connect over TCP.
    None,
}

impl Network {
    /// The words of the command line.
    pub const ALL: [(Self, &str); 3] = [(Self::Open, "open"), (Self::Listen, "listen"), (Self::None, "none")];

    /// The word of the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Listen => "listen",
            Self::None => "none",
        }
    }
}

/// What a process keeps when it is confined. Reading and running files is not restricted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confinement {
    /// The directories below which it may write. One that does not exist gives nothing.
    pub write: Vec<PathBuf>,
    /// What it may do on the network.
    pub network: Network,
    /// It may send no signals, and connect to no abstract sockets, outside the sandbox.
    pub scoped: bool,
}

/// What the Landlock of this kernel can restrict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    /// TCP.
    pub(crate) network: bool,
    /// Signals and abstract sockets.
    pub(crate) scopes: bool,
}

/// Asks the kernel what its Landlock can restrict; `None` when it has none or one that cannot protect files.
pub(crate) fn reach() -> Option<Reach> {
    let strict = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let has = |ruleset: Result<Ruleset, RulesetError>| ruleset.and_then(Ruleset::create).is_ok();
    has(strict().handle_access(AccessFs::from_write(FILES))).then(|| Reach {
        network: has(strict().handle_access(AccessNet::from_all(NETWORK))),
        scopes: has(strict().scope(Scope::from_all(SCOPES))),
    })
}

/// Restricts this process as `confinement` says and becomes `program`; returns only what was in the way.
///
/// Everything that is asked for is enforced, or the program does not run.
pub fn become_confined(confinement: &Confinement, program: &OsString, arguments: &[OsString]) -> String {
    match restrict(confinement) {
        Ok(()) => {
            let error = Command::new(program).args(arguments).exec();
            format!("{} could not be started: {error}", Path::new(program).display())
        }
        Err(why) => format!("the sandbox could not be set up, so nothing was started: {why}"),
    }
}

fn restrict(confinement: &Confinement) -> Result<(), String> {
    match rules(confinement) {
        Ok(RulesetStatus::NotEnforced) => Err("this kernel does not enforce Landlock".to_owned()),
        Ok(_) => Ok(()),
        Err(error) => Err(format!("Landlock: {error}")),
    }
}

fn rules(confinement: &Confinement) -> Result<RulesetStatus, RulesetError> {
    let Confinement { write, network, scoped } = confinement;
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(FILES))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_write(NEWEST))?
        .set_compatibility(CompatLevel::HardRequirement);
    if *network != Network::Open {
        ruleset = ruleset.handle_access(AccessNet::from_all(NETWORK))?;
    }
    if *scoped {
        ruleset = ruleset.scope(Scope::from_all(SCOPES))?;
    }
    let mut created = ruleset.create()?.set_compatibility(CompatLevel::BestEffort);
    for path in write.iter().map(PathBuf::as_path).chain(DEVICES.iter().map(Path::new)) {
        let Ok(place) = PathFd::new(path) else { continue };
        created = created.add_rule(PathBeneath::new(place, rights(path)))?;
    }
    if *network == Network::Listen {
        // Binding to port 0, which is a request for any.
        created = created.add_rule(NetPort::new(0, AccessNet::BindTcp))?;
    }
    Ok(created.restrict_self()?.ruleset)
}

/// The rights that are given at `path`: those for its entries make sense for a directory only.
fn rights(path: &Path) -> BitFlags<AccessFs> {
    let all = AccessFs::from_write(NEWEST);
    if path.is_dir() { all } else { all & AccessFs::from_file(NEWEST) }
}
