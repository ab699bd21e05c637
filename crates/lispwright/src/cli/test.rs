//! `lispwright test`: runs the tests of a system, module or file in an image that lives as long as the command.

use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_tools::Answer;
use lispwright_tools::run_tests::{RunTests, TestAnswer, run_tests};
use lispwright_words::{Rendering, Skin, render};

use super::dashed::dashed;
use super::live::with_workshop;
use super::outcome::{failed, print_rendering};
use super::surroundings::Surroundings;
use super::transcript::command_line;

/// Run tests and say which failed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lispwright test\n  lispwright test my-app/tests\n  lispwright test tests/all.scm\n  lispwright test '(my-app tests)'\n\n\
    Exit code: 0 when tests passed and none failed, 1 otherwise or if that is unknown, 2 when nothing could be run."
)]
pub(crate) struct Args {
    /// ASDF system, module or namespace with the tests, file, or directory; default: all of the project
    #[arg(value_name = "TESTS", allow_hyphen_values = true, value_parser = dashed)]
    target: Option<String>,

    /// Only this test or group; repeatable
    #[arg(long = "only", value_name = "NAME", allow_hyphen_values = true)]
    only: Vec<String>,

    /// fiveam, rt, asdf, srfi-64, clojure.test, rackunit, ert, ...; default: those that the tests use
    #[arg(long, value_name = "NAME")]
    framework: Option<String>,

    /// sbcl, ecl, clisp, guile, chez, racket, clojure or emacs; default: by the file's Lisp
    #[arg(long, value_name = "NAME")]
    runtime: Option<String>,

    /// Seconds until they are interrupted
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0)]
    timeout: f64,

    /// Directory the image works in
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,

    #[command(flatten)]
    connection: super::call::Connection,

    #[command(flatten)]
    transcript: super::transcript::TranscriptArgs,

    /// One JSON document with counts and failures
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let root = args.root.first().cloned().unwrap_or_default();
    let is_path = args.target.as_ref().is_some_and(|target| {
        // A directory often has the name of its system.
        let is_directory = || root.join(target).is_dir() && !root.join(format!("{target}.asd")).exists();
        root.join(target).is_file() || is_directory()
    });
    let arguments = super::call::given(&[
        ("path", args.target.clone().filter(|_| is_path).into()),
        ("system", args.target.clone().filter(|_| !is_path).into()),
        ("framework", args.framework.clone().into()),
        ("tests", if args.only.is_empty() { serde_json::Value::Null } else { args.only.clone().into() }),
        ("runtime", args.runtime.clone().into()),
        ("timeout_seconds", args.timeout.into()),
    ]);
    if let Some(code) = args.connection.call("test", args.json, "run_tests", arguments) {
        return code;
    }
    let here = Surroundings::new(&args.root);
    here.tell();
    let request = RunTests {
        path: args.target.clone().filter(|_| is_path).map(|path| here.path(&path)),
        system: args.target.filter(|_| !is_path),
        framework: args.framework,
        test: None,
        failed: false,
        affected: false,
        tests: Some(args.only),
        session: None,
        runtime: args.runtime,
        fresh: false,
        timeout_seconds: Some(args.timeout),
    };
    let transcript = args.transcript.open("test", Skin::Shell);
    let answered = with_workshop(here.roots(), transcript, |workshop| async move {
        run_tests(&workshop, request, &workshop.context(&command_line())).await
    });
    match answered {
        Ok(reply) => {
            let has_run = reply.as_ref().is_ok_and(TestAnswer::has_run);
            let is_success = reply.as_ref().is_ok_and(TestAnswer::is_success);
            let outcome = render(reply.map(Answer::from), Skin::Shell);
            let code = print_rendering(Rendering { is_error: !is_success, ..outcome }, args.json);
            if has_run { code } else { ExitCode::from(2) }
        }
        Err(why) => failed("test", args.json, why),
    }
}
