//! `lispwright test`: runs the tests of a system, module or file in an image that lives as long as the command.

use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_tools::Answer;
use lispwright_tools::run_tests::{RunTests, TestAnswer, run_tests};
use lispwright_words::{Rendering, Skin, render};

use super::live::with_workshop;
use super::outcome::{failed, print_rendering};
use super::transcript::command_line;

/// Run tests and say which failed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lispwright test my-app/tests\n  lispwright test tests/all.scm\n  lispwright test '(my-app tests)'\n\n\
    Exit code: 0 when tests passed and none failed, 1 otherwise or if that is unknown, 2 when nothing could be run."
)]
pub(crate) struct Args {
    /// ASDF system, module or namespace with the tests, or file
    #[arg(value_name = "TESTS")]
    target: String,

    /// Only this test or group; repeatable
    #[arg(long = "only", value_name = "NAME")]
    only: Vec<String>,

    /// fiveam, rove, parachute, rt, asdf, srfi-64 or clojure.test; default: the one that the tests use
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
    transcript: super::transcript::TranscriptArgs,

    /// One JSON document with counts and failures
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let is_file = args.root.first().cloned().unwrap_or_default().join(&args.target).is_file();
    let request = RunTests {
        path: is_file.then(|| args.target.clone()),
        system: (!is_file).then_some(args.target),
        framework: args.framework,
        test: None,
        tests: Some(args.only),
        session: None,
        runtime: args.runtime,
        fresh: false,
        timeout_seconds: Some(args.timeout),
    };
    let transcript = args.transcript.open("test", Skin::Shell);
    let answered = with_workshop(&args.root, transcript, |workshop| async move {
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
