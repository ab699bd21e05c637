//! `lispwright mcp`: the server.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use lispwright_platform::{Here, System as _};
use lispwright_project::{Error, Roots, library_at};
use lispwright_server::{Options, Results, Server, Surface, ToolSelection};
use lispwright_tools::{Observer, Premises, Workshop, catalogue};
use lispwright_words::Skin;

use super::kept;
use super::live::event_loop;
use super::log;

/// Serve lispwright's tools over the Model Context Protocol.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  claude mcp add lispwright -- lispwright mcp --root ~/src/my-project\n\n\
    The root is --root, else LISPWRIGHT_ROOT, MCP_PROJECT_ROOT, CLAUDE_PROJECT_DIR, else what the client calls its root,\n\
    else the project that the working directory is part of, else that directory. Without one the server stays, and\n\
    each call says what is wrong.\n\
    The server ends when its standard input does. One that listens on a network only ends with SIGTERM or SIGINT.\n\
    With MCP_LOG_FILE=server.log in the environment, logs also go to a new server-TIME-PID.log.")]
pub(crate) struct Args {
    /// Directory whose files may be read and written; repeatable
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,

    /// Directory of libraries whose files may be read, never written; repeatable. The usual ones can be read while an
    /// image of their Lisp runs
    #[arg(long, value_name = "DIR")]
    library: Vec<PathBuf>,

    #[command(flatten)]
    network: super::network::NetworkArgs,

    /// Tool names of this server: lispwright, cl-mcp, guile, evaluate-lisp, sexp-guard. Another surface than lispwright
    /// replaces the default set; --toolsets adds to it, --tools and --exclude-tools take its names as well
    #[arg(long, value_name = "NAME", default_value = "lispwright")]
    surface: Surface,

    /// Sets of tools beside the default one: fs, docs, refactor, debug, guard, all
    #[arg(long, value_name = "SETS", value_delimiter = ',')]
    toolsets: Vec<String>,

    /// Offer exactly these tools
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    tools: Vec<String>,

    /// Leave these tools out
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    exclude_tools: Vec<String>,

    /// Leave out every tool that writes files or runs code
    #[arg(long)]
    read_only: bool,

    /// Do not run tests that were run in a kept image once more in a fresh one, in the background
    #[arg(long)]
    no_confirm: bool,

    /// Send results as text, or also as structured content with output schemas
    #[arg(long, value_name = "text|structured", default_value = "text")]
    results: Results,

    #[command(flatten)]
    images: super::images::ImageArgs,

    #[command(flatten)]
    transcript: super::transcript::TranscriptArgs,

    /// error, warn, info, debug, trace, or a filter; logs go to standard error
    #[arg(long, value_name = "LEVEL", env = "MCP_LOG_LEVEL", default_value = "warn")]
    log_level: String,

    /// Append logs to this file instead
    #[arg(long, value_name = "FILE")]
    log_file: Option<PathBuf>,
}

/// Serves until the end. The exit code is 0 then, and 2 if the server could not start.
pub(crate) fn run(args: Args) -> ExitCode {
    match start(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            complain(&why);
            ExitCode::from(2)
        }
    }
}

/// Prints the one line for the user who started the server; if standard error is closed, the exit code remains.
fn complain(why: &str) {
    let _ = writeln!(std::io::stderr(), "lispwright mcp: {why}");
}

fn start(args: Args) -> Result<(), String> {
    Here::keep_little_free_memory();
    log::start(&args.log_level, args.log_file.as_deref())?;
    tracing::info!(version = env!("CARGO_PKG_VERSION"), pid = std::process::id(), "lispwright serves");
    let event_loop = event_loop().map_err(|why| why.to_string())?;
    let inside = event_loop.enter();
    lispwright_runtime::shield();
    let selection = ToolSelection {
        surface: args.surface,
        sets: args.toolsets,
        only: args.tools,
        without: args.exclude_tools,
        read_only: args.read_only,
    };
    let images = args.images.change(&args.root)?;
    let transcript = args.transcript.open("mcp", Skin::Client);
    let observer = transcript.clone().map(|transcript| Arc::new(transcript) as Arc<dyn Observer>);
    let watched = observer.clone();
    let libraries: Result<Vec<PathBuf>, Error> = args.library.iter().map(|library| library_at(library)).collect();
    let libraries = libraries.map_err(|error| error.to_string())?;
    let named = libraries.clone();
    let (confirms, read_only) = (!args.no_confirm, args.read_only);
    let furnish = move |roots: Roots| {
        for library in &named {
            if let Err(error) = roots.add_read_only(library) {
                tracing::warn!(%error, "a library is gone");
            }
        }
        let mut workshop =
            Workshop::in_roots(roots, images.clone()).keeping(kept::changes()).watched_by(observer.clone());
        if !read_only {
            workshop.roots.settle();
            workshop = workshop.looking_ahead();
        }
        if confirms { workshop.confirming() } else { workshop }
    };
    let premises = Premises::new(&args.root, furnish).map_err(|error| error.to_string())?;
    let offer = selection.pick(catalogue(premises.clone())).map_err(|error| error.to_string())?;
    let reading = selection.pick_for_readers(catalogue(premises.clone())).map_err(|error| error.to_string())?;
    let server = Server::new(Options {
        reading: Some(reading),
        results: args.results,
        observer: watched,
        ..Options::in_premises(offer, premises.clone())
    });
    let present = premises.present();
    let roots = present.iter().flat_map(|workshop| workshop.roots.writable());
    let readable: Vec<&Path> = roots.chain(libraries.iter().map(PathBuf::as_path)).collect();
    let doors = args.network.open(&readable)?;
    event_loop.block_on(async {
        doors.serve(&server).await;
        if let Some(workshop) = premises.present() {
            workshop.sessions.shutdown().await;
        }
    });
    if let Some(transcript) = &transcript {
        transcript.finish();
    }
    drop(inside);
    // A thread may still wait in a read of the terminal; the process ends without it.
    event_loop.shutdown_background();
    Ok(())
}
