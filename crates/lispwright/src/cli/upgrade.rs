//! `lispwright upgrade`: says how to get a newer version, by the way this one was installed, and how to remove it.

use std::process::ExitCode;

use serde_json::json;

use super::complaint::Complaint;
use super::outcome::failed;
use super::text::{print, print_json, shown};
use super::ways::{RELEASES, Way};

/// Tell how to upgrade and how to remove this program, by the way it was installed; nothing is fetched or changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lispwright upgrade")]
pub(crate) struct Args {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let (program, way) = match Way::here() {
        Ok(here) => here,
        Err(error) => return failed("upgrade", args.json, Complaint::at("the program", error)),
    };
    if args.json {
        print_json(&json!({
            "version": super::VERSION,
            "program": program,
            "installed": way.name,
            "upgrade": way.upgrade,
            "remove": way.remove,
            "releases": RELEASES,
        }));
    } else {
        print(&format!(
            "lispwright {}\n{}, installed {}.\n\nUpgrade: {}\nRemove:  {}\n\
             What it has written into a client's configuration goes first: lispwright setup CLIENT --remove\n\
             Versions: {RELEASES}",
            super::VERSION,
            shown(&program),
            way.by,
            way.upgrade,
            way.remove,
        ));
    }
    ExitCode::SUCCESS
}
