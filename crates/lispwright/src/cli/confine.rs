//! `lispwright confine`: the first thing that a worker under `--sandbox` is. Not for people.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use lispwright_runtime::{Confinement, Network, become_confined};

/// Give up writing outside some directories and the network, for good, and become another program.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lispwright confine --network none --write /tmp/x -- sbcl\n\n\
    Exit code: that of the program, or 126 when the kernel cannot do what is asked; then nothing was started.")]
pub(crate) struct Args {
    /// Directory below which files may be written; can be given several times
    #[arg(long, value_name = "DIR")]
    write: Vec<PathBuf>,

    /// What the program may do over TCP; listen: accept connections at ports that the kernel chooses
    #[arg(long, default_value = "none", value_parser = PossibleValuesParser::new(Network::ALL.map(|(_, word)| word)))]
    network: String,

    /// Send no signals, and connect to no abstract sockets, outside
    #[arg(long)]
    scoped: bool,

    /// The program and its arguments
    #[arg(last = true, required = true)]
    program: Vec<OsString>,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let network =
        Network::ALL.into_iter().find(|(_, word)| *word == args.network).map_or(Network::None, |(network, _)| network);
    let confinement = Confinement { write: args.write, network, scoped: args.scoped };
    let (program, arguments) = args.program.split_first().expect("clap requires a program");
    let why = become_confined(&confinement, program, arguments);
    let _ = writeln!(std::io::stderr(), "lispwright confine: {why}");
    ExitCode::from(126)
}
