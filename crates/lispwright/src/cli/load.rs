//! `lispwright load`: loads a system or file, and says what the compiler has to say.

use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_tools::Answer;
use lispwright_tools::load_system::{LoadSystem, load_system};
use lispwright_words::Skin;

use super::call::{Connection, given};
use super::dashed::dashed;
use super::live::with_workshop;
use super::outcome::{failed, show};
use super::surroundings::Surroundings;
use super::transcript::command_line;

/// Load a system, module or file: warnings and errors with their places.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lispwright load\n  lispwright load my-app\n  lispwright load src/shapes.lisp\n  lispwright load '(my-app main)'\n  \
    lispwright load my-app --connect 127.0.0.1:7001\n\n\
    Exit code: 0 when it was loaded, 1 otherwise, 2 when nothing could be run."
)]
pub(crate) struct Args {
    /// ASDF system, module, namespace, or file; without one, that of the project if there is one
    #[arg(value_name = "SYSTEM", allow_hyphen_values = true, value_parser = dashed)]
    target: Option<String>,

    /// sbcl, ecl, clisp, guile, chez, racket, clojure or emacs; default: by the file's Lisp
    #[arg(long, value_name = "NAME")]
    runtime: Option<String>,

    /// Seconds until it is interrupted
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0)]
    timeout: f64,

    /// Directory the image works in
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,

    #[command(flatten)]
    connection: Connection,

    #[command(flatten)]
    transcript: super::transcript::TranscriptArgs,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let named = args.target.map(|target| system_or_path(target, args.root.first()));
    let (system, path) = named.unwrap_or_default();
    let arguments = given(&[
        ("system", system.clone().into()),
        ("path", path.clone().into()),
        ("runtime", args.runtime.clone().into()),
        ("timeout_seconds", args.timeout.into()),
    ]);
    if let Some(code) = args.connection.call("load", args.json, "load_system", arguments) {
        return code;
    }
    let here = Surroundings::new(&args.root);
    here.tell();
    let request = LoadSystem {
        system,
        path: path.map(|path| here.path(&path)),
        runtime: args.runtime,
        timeout_seconds: Some(args.timeout),
        ..LoadSystem::default()
    };
    let transcript = args.transcript.open("load", Skin::Shell);
    let answered = with_workshop(here.roots(), transcript, |workshop| async move {
        load_system(&workshop, request, &workshop.context(&command_line())).await
    });
    match answered {
        Ok(reply) => show(reply.map(Answer::from), args.json),
        Err(why) => failed("load", args.json, why),
    }
}

/// The target as a system, or as the path of a file that is there.
pub(crate) fn system_or_path(target: String, root: Option<&PathBuf>) -> (Option<String>, Option<String>) {
    let root = root.cloned().unwrap_or_default();
    if root.join(&target).is_file() { (None, Some(target)) } else { (Some(target), None) }
}
