//! What a process does before it becomes a worker under `--sandbox`: it gives up what the system can take from it.
//!
//! The server cannot restrict a child between fork and exec without unsafe code in a process with threads, so a child is
//! first this program again, which restricts itself and then becomes the worker. See [`sandbox`](crate::sandbox) for who
//! asks for it, and [`System::restrict`] for what is given up.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::IntoRawFd;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use lispwright_platform::{Here, Surroundings, System};
use rustix::process::Pid;

use crate::keeper::outlive;
use crate::place::WritablePlace;
use crate::process::CAPTURE;

/// What a worker finds its two ends of the conversation by, when they are not its standard input and output.
pub(crate) const CONVERSATION: &str = "LISPWRIGHT_CONVERSATION";

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

/// Runs `program` as the first process of namespaces of its own, where it may mount, and waits for its end. Gives its exit
/// code, or why it has no namespaces; then nothing was started. This process has to have one thread.
pub fn live_apart(program: &OsString, arguments: &[OsString]) -> Result<u8, String> {
    Here::enter_namespaces().map_err(|error| format!("namespaces: {error}"))?;
    let child = Command::new(program).args(arguments).spawn();
    let child = child.map_err(|error| format!("{} could not be started: {error}", Path::new(program).display()))?;
    Ok(outlive(Pid::from_child(&child)))
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
    let places = confinement.write.iter().filter_map(|place| place.open().transpose());
    Here::restrict(places.collect::<Result<_, _>>()?, confinement.surroundings)
}

/// Moves standard input and output to other descriptors, which `command` finds in its environment. In their places come the
/// end of all input and what the server captures.
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
