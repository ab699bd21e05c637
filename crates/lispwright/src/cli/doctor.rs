//! `lispwright doctor`: shows what is installed, what works, and how to correct what does not.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use lispwright_runtime::{Runtime, install_call};
use lispwright_setup::Client;
use lispwright_tools::repl_control::{ReplAction, ReplControl, repl_control};
use lispwright_tools::repl_eval::{ReplEval, repl_eval};
use lispwright_tools::{Answer, CallContext, LiveAnswer, Reply, Workshop};
use lispwright_words::{Rendering, Skin, render};
use serde_json::{Map, Value, json};

use super::clients::{self, Status};
use super::live::with_workshop;
use super::outcome::print_rendering;

/// Report the root, the runtimes found and whether they work, and the coding agents found and whether they are set up.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lispwright doctor --root ~/src/my-project\n\n\
    Exit code: 0 when everything that is installed works, 1 when something needs a correction.")]
pub(crate) struct Args {
    /// Directory to check as a root
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,

    /// One JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let mut outcome = with_workshop(&args.root, None, examine).unwrap_or_else(|why| {
        let mut fields = Map::new();
        fields.insert("problems".into(), json!([why.to_string()]));
        Rendering { text: format!("Root: {why}"), fields, is_error: true }
    });
    let clients: Vec<Status> = clients::found().into_iter().map(clients::status).collect();
    for Status { client, state, detail, .. } in &clients {
        let next = if *state == "configured" { String::new() } else { format!("; run: {}", remedy(client, state)) };
        let detail =
            if detail.is_empty() || *state == "not configured" { String::new() } else { format!(" ({detail})") };
        outcome.text.push_str(&format!("\n{}: {state}{detail}{next}", client.title));
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

async fn examine(workshop: Workshop) -> Rendering {
    let context = CallContext::default();
    let mut verdicts = String::new();
    let mut problems = Vec::new();
    let mut usable = usable_runtimes(repl_control(&workshop, status(), &context).await);
    let install = usable.is_empty().then(|| Runtime::named("sbcl").map(install_call)).flatten();
    if usable.is_empty() {
        // The refusal of a missing one says how to install it.
        usable.push("sbcl");
    }
    for runtime in usable {
        match trial(&workshop, runtime, &context).await {
            Ok(milliseconds) => verdicts.push_str(&format!(
                "{runtime} answers: (+ 1 2) => 3, {milliseconds:.0} ms with the start of its image.\n"
            )),
            Err(problem) => {
                verdicts.push_str(&format!("{runtime} does not answer: {problem}\n"));
                problems.push(problem);
            }
        }
    }
    let status = render(repl_control(&workshop, status(), &context).await, Skin::Shell);
    let root = workshop.roots.primary().display().to_string();
    let mut fields = status.fields;
    fields.insert("version".into(), super::VERSION.into());
    fields.insert("root".into(), root.clone().into());
    if let Some(install) = install {
        fields.insert("install".into(), install.into());
    }
    let is_error = !problems.is_empty();
    fields.insert("problems".into(), problems.into());
    let text = format!("lispwright {}\nRoot: {root}\n{verdicts}{}", super::VERSION, status.text);
    Rendering { text, fields, is_error }
}

fn status() -> ReplControl {
    ReplControl { action: ReplAction::Status, ..ReplControl::default() }
}

/// The runtimes that are installed and that sessions can use.
fn usable_runtimes(status: Reply) -> Vec<&'static str> {
    let Ok(Answer::Live(LiveAnswer::Status(status))) = status else { return Vec::new() };
    status.runtimes.iter().filter(|runtime| runtime.is_usable()).map(|runtime| runtime.name).collect()
}

/// Milliseconds from the start of an image to a value, or the failure.
async fn trial(workshop: &Workshop, runtime: &str, context: &CallContext) -> Result<f64, String> {
    let began = Instant::now();
    let request = ReplEval {
        code: "(+ 1 2)".into(),
        runtime: Some(runtime.into()),
        timeout_seconds: Some(120.0),
        ..ReplEval::default()
    };
    let reply = repl_eval(workshop, request, context).await;
    match &reply {
        Ok(answer) if answer.values == ["3"] => Ok(began.elapsed().as_secs_f64() * 1e3),
        _ => Err(render(reply.map(Answer::from), Skin::Shell).text),
    }
}
