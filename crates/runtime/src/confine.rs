//! The steps of a process before it becomes a worker under `--sandbox`: it gives up its rights.
//!
//! The server cannot restrict a child between fork and exec without unsafe code in a process with threads. So a child
//! first runs this program again, which restricts itself and then becomes the worker. [`sandbox`](crate::sandbox)
//! starts it, and [`System::restrict`] lists the rights that are given up.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::IntoRawFd;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use lispwright_platform::{Here, Surroundings, System};
use rustix::process::Pid;

use crate::keeper::outlive;
use crate::place::WritablePlace;
use crate::process::CAPTURE;

/// The variable with the two descriptors of the conversation, when they are not standard input and output.
pub(crate) const CONVERSATION: &str = "LISPWRIGHT_CONVERSATION";

/// The rights that a confined process keeps. Reading and running files is restricted only where they are hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confinement {
    /// The directories below which it may write. A missing directory gives no right.
    pub write: Vec<WritablePlace>,
    /// Files and directories that it does not see, without links in their names. A missing one is passed over.
    pub hide: Vec<PathBuf>,
    /// The namespaces that it runs in.
    pub surroundings: Surroundings,
    /// Its standard input and output are moved to other descriptors, which the environment names, so that code cannot
    /// use them by accident.
    pub conversation: bool,
    /// Variables for the program only.
    pub environment: Vec<(OsString, OsString)>,
}

/// Runs `program` as the first process of new namespaces, where it may mount, and waits for its end. Returns its exit
/// code, or the reason why there are no namespaces; then nothing was started. This process must have one thread.
pub fn live_apart(program: &OsString, arguments: &[OsString]) -> Result<u8, String> {
    Here::enter_namespaces().map_err(|error| format!("namespaces: {error}"))?;
    let child = Command::new(program).args(arguments).spawn();
    let child = child.map_err(|error| format!("{} could not be started: {error}", Path::new(program).display()))?;
    Ok(outlive(Pid::from_child(&child)))
}

/// Restricts this process by `confinement` and becomes `program`; as the first process of namespaces it starts
/// `program` and returns its exit code. Otherwise it returns only on failure.
///
/// The program runs only if every restriction is enforced.
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
    let places = confinement.write.iter().filter_map(|place| place.open().transpose());
    Here::restrict(places.collect::<Result<_, _>>()?, &confinement.hide, confinement.surroundings)
}

/// Moves standard input and output to other descriptors, which `command` finds in its environment. Standard input
/// becomes empty, and standard output becomes the captured pipe.
fn move_conversation(command: &mut Command) -> Result<(), String> {
    let capture = std::env::var(CAPTURE).map_err(|_| "nobody captures what is printed".to_owned())?;
    let mut moved = || -> std::io::Result<()> {
        let ends = [rustix::io::dup(std::io::stdin())?, rustix::io::dup(std::io::stdout())?];
        rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
        rustix::stdio::dup2_stdout(File::options().write(true).open(format!("/dev/fd/{capture}"))?)?;
        let [input, output] = ends.map(IntoRawFd::into_raw_fd);
        command.env(CONVERSATION, format!("{input} {output}"));
        Ok(())
    };
    moved().map_err(|error| format!("standard input and output: {error}"))
}
