//! `lispwright test`: run the tests of a system, module or file in an image that lives as long as the command.

use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_tools::Refusal;
use lispwright_tools::run_tests::{RunTests, run_tests};
use lispwright_words::{Rendering, Skin, render};
use serde_json::Value;

use super::live::with_workshop;
use super::outcome::{failed, print_rendering};
use super::transcript::command_line;

/// Run tests and say which failed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lispwright test my-app/tests\n  lispwright test tests/all.scm\n  lispwright test '(my-app tests)'\n\n\
    Exit code: 0 when tests passed and none failed, 1 when not or when nobody knows, 2 when nothing could be run."
)]
pub(crate) struct Args {
    /// ASDF system, module or namespace with the tests, or file
    #[arg(value_name = "TESTS")]
    target: String,

    /// Only this test or group; can be given several times
    #[arg(long = "only", value_name = "NAME")]
    only: Vec<String>,

    /// fiveam, rove, parachute, rt, asdf, srfi-64 or clojure.test; left out: the one the tests use
    #[arg(long, value_name = "NAME")]
    framework: Option<String>,

    /// sbcl, ecl, clisp, guile, clojure or emacs; left out: by the file's Lisp
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

/// Whether the tests were looked for and there could have been some: else it is not known how they would go.
fn has_run(outcome: &Rendering) -> bool {
    let field = |name: &str| outcome.fields.get(name);
    let total = field("total").and_then(Value::as_u64);
    let refused = field("execution_status").is_some_and(|status| status == "not-executed");
    let broken = field("code").is_some_and(|code| code != "BAD_ARGUMENT");
    !refused && total.is_some_and(|total| total > 0 || !broken)
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
        timeout_seconds: Some(args.timeout),
    };
    let transcript = args.transcript.open("test");
    let answered = with_workshop(&args.root, transcript, |workshop| async move {
        run_tests(&workshop, request, &workshop.context(&command_line())).await
    });
    match answered {
        Ok(reply) => {
            let mut outcome = render(reply, Skin::Shell);
            // For a script, nothing is a success in which nothing was seen to pass; for an agent these are answers.
            let count = |name: &str| outcome.fields.get(name).and_then(Value::as_u64).unwrap_or_default();
            let succeeded = count("passed") > 0 && count("failed") == 0 && count("unknown") == 0;
            outcome.is_error |= !succeeded || outcome.fields.contains_key("unmatched");
            let ran = has_run(&outcome);
            let code = print_rendering(outcome, args.json);
            if ran { code } else { ExitCode::from(2) }
        }
        Err(why) => failed("test", args.json, Refusal::worded("INTERNAL", why)),
    }
}
