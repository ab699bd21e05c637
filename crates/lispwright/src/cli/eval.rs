//! `lispwright eval`: evaluates code in an image that lives as long as the command.

use std::path::PathBuf;
use std::process::ExitCode;

use lispwright_syntax::Dialect;
use lispwright_tools::load_system::{LoadSystem, load_system};
use lispwright_tools::repl_eval::{ReplEval, repl_eval};
use lispwright_tools::{Answer, runtime_of_file};
use lispwright_words::Skin;

use super::call::{Connection, given};
use super::complaint::Complaint;
use super::live::with_workshop;
use super::load::system_or_path;
use super::outcome::{could_not, failed, show};
use super::surroundings::Surroundings;
use super::transcript::command_line;

/// Evaluate code and print its values.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lispwright eval -e '(+ 1 2)'\n  lispwright eval script.lisp\n  echo '(room)' | lispwright eval -\n  \
    lispwright eval --runtime guile -e '(iota 5)'\n  lispwright eval --load my-app -e '(my-app:main)'\n  \
    lispwright eval --connect 127.0.0.1:7001 --session main -e '(in-the-agents-image)'\n\n\
    Exit code: 0 when the code ran to its end, 1 on an error or a timeout, 2 when nothing could be run."
)]
pub(crate) struct Args {
    /// Code to evaluate
    #[arg(
        short = 'e',
        long = "eval",
        value_name = "CODE",
        allow_hyphen_values = true,
        conflicts_with = "file",
        required_unless_present = "file"
    )]
    code: Option<String>,

    /// File with the code; - for standard input
    file: Option<PathBuf>,

    /// sbcl, ecl, clisp, guile, chez, racket, clojure or emacs; default: by FILE, else by the files below the root
    #[arg(long, value_name = "NAME")]
    runtime: Option<String>,

    /// Package or module to begin in
    #[arg(long, value_name = "NAME")]
    package: Option<String>,

    /// Seconds until the code is interrupted
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0)]
    timeout: f64,

    /// Directory the image works in
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,

    /// Load this system or file first
    #[arg(long, value_name = "SYSTEM")]
    load: Option<String>,

    #[command(flatten)]
    connection: Connection,

    #[command(flatten)]
    transcript: super::transcript::TranscriptArgs,

    /// One JSON document with values, output, warnings and error
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let mut runtime = args.runtime;
    let code = match (args.code, args.file) {
        (Some(code), _) => code,
        (None, Some(file)) => match text_of(&file) {
            Ok(code) => {
                let usual = runtime_of_file(&file, &code);
                let name = file.to_string_lossy();
                let unknown = Dialect::detect(&name, code.as_bytes()).filter(|_| usual.is_none() && runtime.is_none());
                if let Some(dialect) = unknown {
                    let why = format_args!("{} has no live image here", dialect.name());
                    return failed("eval", args.json, Complaint::at(name.into_owned(), why));
                }
                runtime = runtime.or_else(|| usual.map(str::to_owned));
                without_script_line(code)
            }
            Err(error) => {
                let name = file.display().to_string();
                let hint = if name.contains('(') { ". Code is given with -e" } else { "" };
                return failed("eval", args.json, Complaint::at(name, format_args!("{error}{hint}")));
            }
        },
        (None, None) => return could_not("eval", &"give code with -e, or a file"),
    };
    let arguments = given(&[
        ("code", code.as_str().into()),
        ("runtime", runtime.clone().into()),
        ("package", args.package.clone().into()),
        ("timeout_seconds", args.timeout.into()),
    ]);
    if let Some(code) = args.connection.call("eval", args.json, "repl_eval", arguments) {
        return code;
    }
    let here = Surroundings::new(&args.root);
    here.tell();
    let first = args.load.map(|target| {
        let (system, path) = system_or_path(target, args.root.first());
        let path = path.map(|path| here.path(&path));
        LoadSystem { system, path, runtime: runtime.clone(), ..LoadSystem::default() }
    });
    let request = ReplEval {
        code,
        runtime,
        package: args.package,
        timeout_seconds: Some(args.timeout),
        max_output_length: Some(40_000),
        ..ReplEval::default()
    };
    let transcript = args.transcript.open("eval", Skin::Shell);
    let answered = with_workshop(here.roots(), transcript, |workshop| async move {
        let context = workshop.context(&command_line());
        if let Some(first) = first {
            match load_system(&workshop, first, &context).await {
                Ok(answer) if !answer.is_error() => {}
                answer => return (answer.map(Answer::from), true),
            }
        }
        let reply = repl_eval(&workshop, request, &context).await;
        let has_run = reply.as_ref().is_ok_and(|answer| answer.execution_status != "not-executed");
        (reply.map(Answer::from), has_run)
    });
    match answered {
        Ok((reply, has_run)) => {
            let code = show(reply, args.json);
            if has_run { code } else { ExitCode::from(2) }
        }
        Err(why) => failed("eval", args.json, why),
    }
}

/// `code` with its `#!` line emptied, as `sbcl --script` skips it. The line stays if it begins one of Guile's comments.
/// The line end stays in any case, so that line numbers are right.
fn without_script_line(code: String) -> String {
    if !code.starts_with("#!/") || code.contains("!#") {
        return code;
    }
    code.split_once('\n').map(|(_, rest)| format!("\n{rest}")).unwrap_or_default()
}

fn text_of(file: &std::path::Path) -> std::io::Result<String> {
    if file.as_os_str() == "-" { std::io::read_to_string(std::io::stdin()) } else { std::fs::read_to_string(file) }
}
