//! `lispwright doctor`: shows what is installed and set up, and the next step. With `--deep` it also starts every Lisp.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use lispwright_runtime::{LACKS, Runtime, install_call};
use lispwright_setup::Client;
use lispwright_tools::repl_control::{ReplAction, ReplControl, repl_control};
use lispwright_tools::repl_eval::{ReplEval, repl_eval};
use lispwright_tools::repl_status::{RuntimeFacts, StatusAnswer};
use lispwright_tools::{Answer, CallContext, LiveAnswer, Workshop};
use lispwright_words::{Rendering, Skin, render};
use serde_json::{Map, Value, json};

use super::clients::{self, Status};
use super::live::with_workshop;
use super::outcome::print_rendering;
use super::surroundings::Surroundings;

/// Report the Lisps and the coding agents that are here, what is missing, and the next step.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lispwright doctor\n  lispwright doctor --deep    # starts each Lisp, too\n\n\
    Exit code: 0 when nothing that was looked at needs a correction, 1 when something does.")]
pub(crate) struct Args {
    /// Directory to check as a root
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,

    /// Start an image of every Lisp and evaluate in it; the first time takes seconds for each
    #[arg(long)]
    deep: bool,

    /// One JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let here = Surroundings::new(&args.root);
    let examined = with_workshop(here.roots(), None, |workshop| examine(workshop, args.deep));
    let mut outcome = examined.unwrap_or_else(|why| {
        let mut fields = Map::new();
        fields.insert("problems".into(), json!([why.to_string()]));
        Rendering { text: format!("Root: {why}"), fields, is_error: true }
    });
    let clients: Vec<Status> = clients::found().into_iter().map(clients::status).collect();
    outcome.text.push_str(if clients.is_empty() { "\nAgents: none is found" } else { "\nAgents:" });
    for Status { client, state, detail, .. } in &clients {
        let next = if *state == "configured" { String::new() } else { format!("; run: {}", remedy(client, state)) };
        let detail =
            if detail.is_empty() || *state == "not configured" { String::new() } else { format!(" ({detail})") };
        outcome.text.push_str(&format!("\n  {}: {state}{detail}{next}", client.title));
    }
    outcome.fields.insert("clients".into(), clients.iter().map(document).collect());
    let next = next_step(&outcome, &clients);
    outcome.text.push_str(&format!("\nNext: {next}"));
    outcome.fields.insert("next".into(), next.into());
    print_rendering(outcome, args.json)
}

/// The one thing to do now.
fn next_step(outcome: &Rendering, clients: &[Status]) -> String {
    let unfinished = |status: &&Status| status.state != "configured";
    if let Some(missing) = outcome.fields.get("install").and_then(Value::as_str) {
        return format!("{missing}, to run code; reading and editing work without");
    }
    if outcome.is_error {
        return "correct what is said above, then run lispwright doctor again".into();
    }
    match (clients.iter().find(unfinished), clients.first()) {
        (Some(Status { client, state, .. }), _) => remedy(client, state),
        (None, Some(Status { client, .. })) => format!("start {} in your project", client.title),
        (None, None) => "give your client the server, whose command is: lispwright mcp".into(),
    }
}

/// The command that corrects a client's configuration.
fn remedy(client: &Client, state: &str) -> String {
    let remove = if state == "configured twice" { " --remove" } else { "" };
    format!("lispwright setup {}{remove}", client.name)
}

fn document(Status { client, state, detail, .. }: &Status) -> Value {
    json!({"client": client.name, "state": state, "detail": detail, "next": format!("run: {}", remedy(client, state))})
}

/// What is known of a Lisp after a look, or after a trial.
enum Found {
    /// It is installed.
    There,
    /// It answers, with the milliseconds from the start of an image to a value.
    Answers(f64),
    /// It does not, with the reason.
    Fails(String),
}

async fn examine(workshop: Workshop, deep: bool) -> Rendering {
    let context = CallContext::default();
    let root = workshop.roots.primary().display().to_string();
    let mut text = format!("lispwright {}\nRoot: {root}\nLisps:", super::VERSION);
    let mut fields = Map::new();
    fields.insert("version".into(), super::VERSION.into());
    fields.insert("root".into(), root.into());
    let status = ReplControl { action: ReplAction::Status, ..ReplControl::default() };
    let looked = repl_control(&workshop, status, &context).await;
    let Ok(Answer::Live(LiveAnswer::Status(status))) = looked else {
        let why = render(looked, Skin::Shell);
        fields.insert("problems".into(), json!([why.text]));
        return Rendering { text: format!("{text} {}", why.text), fields, is_error: true };
    };
    let status: &StatusAnswer = &status;
    let mut problems = Vec::new();
    for lisp in &status.runtimes {
        let found = match deep && lisp.is_usable() {
            true => {
                let (number, of) = (position(status, lisp), usable(status).count());
                // Nobody has to read it.
                let _ = writeln!(std::io::stderr(), "{number} of {of}: {} ...", lisp.name);
                trial(&workshop, lisp.name, &context).await
            }
            false => Found::There,
        };
        text.push_str(&format!("\n  {}", line(lisp, &found)));
        if let Found::Fails(why) = found {
            problems.push(why);
        }
    }
    for lack in LACKS {
        text.push_str(&format!("\nNot on this system: {}: {}", lack.name(), lack.consequence()));
    }
    if usable(status).next().is_none()
        && let Some(sbcl) = Runtime::named("sbcl")
    {
        fields.insert("install".into(), install_call(sbcl).into());
    }
    fields.insert("runtimes".into(), json!(status.runtimes));
    fields.insert("isolation".into(), status.isolation.into());
    let is_error = !problems.is_empty() || usable(status).next().is_none();
    fields.insert("problems".into(), problems.into());
    Rendering { text, fields, is_error }
}

/// The Lisps that are installed and that sessions can use.
fn usable(status: &StatusAnswer) -> impl Iterator<Item = &RuntimeFacts> {
    status.runtimes.iter().filter(|runtime| runtime.is_usable())
}

/// The number of a Lisp among those that can be used, from 1.
fn position(status: &StatusAnswer, lisp: &RuntimeFacts) -> usize {
    usable(status).position(|other| other.name == lisp.name).map_or(0, |before| before + 1)
}

/// A Lisp in one line.
fn line(lisp: &RuntimeFacts, found: &Found) -> String {
    let name = lisp.name;
    let Some(path) = &lisp.path else {
        return match lisp.runtime.is_only_joined() {
            true => format!("{name}: joined where it runs"),
            false => format!("{name}: not installed; {}", install_call(lisp.runtime)),
        };
    };
    let what = match lisp.is_usable() {
        true => lisp.version.as_deref().unwrap_or("it does not say its version"),
        false => "sessions cannot use it",
    };
    match found {
        Found::There => format!("{name}: {what}, {path}"),
        Found::Answers(milliseconds) => {
            format!("{name}: {what}, {path}; answers {milliseconds:.0} ms after the start of its image")
        }
        Found::Fails(why) => format!("{name}: {what}, {path}; does not answer: {why}"),
    }
}

/// Starts an image and evaluates in it.
async fn trial(workshop: &Workshop, runtime: &str, context: &CallContext) -> Found {
    let began = Instant::now();
    let request = ReplEval {
        code: "(+ 1 2)".into(),
        runtime: Some(runtime.into()),
        timeout_seconds: Some(120.0),
        ..ReplEval::default()
    };
    let reply = repl_eval(workshop, request, context).await;
    match &reply {
        Ok(answer) if answer.values == ["3"] => Found::Answers(began.elapsed().as_secs_f64() * 1e3),
        _ => Found::Fails(render(reply.map(Answer::from), Skin::Shell).text),
    }
}
