//! `lispwright confine`: the program with which a worker under `--sandbox` starts. Not for users.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_runtime::{Confinement, Surroundings, WritablePlace, become_confined, live_apart};

/// Give up writing outside some directories, the network, other processes and all capabilities, for good, and become
/// another program.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lispwright confine --write /tmp/x -- sbcl\n\n\
    Exit code: that of the program, or 126 when the kernel cannot do what is asked; then nothing was started.")]
pub(crate) struct Args {
    /// Directory below which files may be written; repeatable. With DEVICE:INODE in front it must be that one
    #[arg(long, value_name = "DIR")]
    write: Vec<OsString>,

    /// File or directory that it does not see; repeatable
    #[arg(long, value_name = "PATH")]
    hide: Vec<PathBuf>,

    /// This runs in a bubblewrap with its own processes, network and devices
    #[arg(long)]
    in_bubblewrap: bool,

    /// Only make namespaces, and run the program as their first process
    #[arg(long, conflicts_with_all = ["write", "hide", "in_bubblewrap", "in_namespaces", "conversation", "env"])]
    apart: bool,

    /// This is that first process
    #[arg(long, conflicts_with = "in_bubblewrap")]
    in_namespaces: bool,

    /// Move standard input and output to descriptors that the environment names
    #[arg(long)]
    conversation: bool,

    /// Variable for the program only, NAME=VALUE; repeatable
    #[arg(long, value_name = "VARIABLE")]
    env: Vec<OsString>,

    /// The program and its arguments
    #[arg(last = true, required = true)]
    program: Vec<OsString>,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let write = args.write.iter().map(|word| WritablePlace::parse(word)).collect();
    let surroundings = match (args.in_bubblewrap, args.in_namespaces) {
        (true, _) => Surroundings::Bubblewrap,
        (_, true) => Surroundings::Namespaces,
        (false, false) => Surroundings::Shared,
    };
    let confinement = Confinement {
        write,
        hide: args.hide,
        surroundings,
        conversation: args.conversation,
        environment: args.env.iter().filter_map(|word| variable(word)).collect(),
    };
    let (program, arguments) = args.program.split_first().expect("clap requires a program");
    let ended =
        if args.apart { live_apart(program, arguments) } else { become_confined(&confinement, program, arguments) };
    let code = ended.unwrap_or_else(|why| {
        let _ = writeln!(std::io::stderr(), "lispwright confine: {why}");
        126
    });
    ExitCode::from(code)
}

fn variable(word: &OsStr) -> Option<(OsString, OsString)> {
    let bytes = word.as_bytes();
    let (name, value) = bytes.split_at(bytes.iter().position(|byte| *byte == b'=')?);
    Some((OsStr::from_bytes(name).into(), OsStr::from_bytes(&value[1..]).into()))
}
