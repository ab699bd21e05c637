//! `lispwright setup`: adds the server, the hooks and the skills to a client's configuration, and removes them again.

use std::process::ExitCode;

use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use lispwright_edit::unified;
use lispwright_setup::{Client, EntryReport, EntryResult, Scope, When};
use lispwright_syntax::{Span, in_a_line};
use serde_json::{Value, json};

use super::clients::{Order, Plan, carry_out, plan, program};
use super::complaint::Complaint;
use super::outcome::failed;
use super::text::{print, print_json, shown};
use super::ways::Way;

/// Configure a coding agent: its MCP server entry, its hooks and its skills; --remove takes them out again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lispwright setup claude-code\n  lispwright setup codex --diff\n  \
    lispwright setup gemini --scope project --no-hooks\n  lispwright setup claude-code --remove\n\n\
    Whatever else the files hold stays byte for byte. A second run changes nothing. --remove gives the old bytes again.\n\
    Exit code: 0 done, or nothing to do; 1 an entry of that name runs something else and was left alone; 2 a file could \
    not be read or written.")]
pub(crate) struct Args {
    /// Its name
    #[arg(value_parser = PossibleValuesParser::new(Client::ALL.map(|client| client.name)))]
    client: String,

    /// Whose configuration: yours, or that of the project in the working directory
    #[arg(long, value_enum, default_value_t = ScopeName::User)]
    scope: ScopeName,

    /// Take our entries out
    #[arg(long)]
    remove: bool,

    /// Let the client call lispwright's tools without asking, including those that run code and write files
    #[arg(long, conflicts_with_all = ["remove", "no_server"])]
    approve: bool,

    /// Leave hooks alone
    #[arg(long, conflicts_with = "no_server")]
    no_hooks: bool,

    /// Leave the server entry alone
    #[arg(long)]
    no_server: bool,

    /// Leave the skill files alone
    #[arg(long)]
    no_skills: bool,

    /// Show what would change, write nothing
    #[arg(long, visible_alias = "diff")]
    dry_run: bool,

    /// Let the hooks record statistics in this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["remove", "no_hooks"])]
    stats: Option<String>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ScopeName {
    User,
    Project,
}

pub(crate) fn run(args: Args) -> ExitCode {
    match attempt(&args) {
        Ok(code) => code,
        Err(why) => failed("setup", args.json, Complaint::new("BAD_ARGUMENT", why)),
    }
}

fn attempt(args: &Args) -> Result<ExitCode, String> {
    if let Some((way, install)) = Way::here().ok().and_then(|(_, way)| Some((way.by.clone(), way.to_stay()?)))
        && !args.remove
    {
        return Err(format!(
            "this lispwright was installed {way}: a client's entry would name a place that is emptied some day. First: {install}"
        ));
    }
    let order = Order {
        client: Client::from_name(&args.client).ok_or("no such client")?,
        scope: match args.scope {
            ScopeName::User => Scope::User,
            ScopeName::Project => Scope::Project,
        },
        remove: args.remove,
        hooks: !args.no_hooks,
        server: !args.no_server,
        skills: !args.no_skills,
        approve: args.approve,
        stats: args.stats.as_deref().map(absolute).transpose()?,
    };
    let plans = plan(&order)?;
    if !args.dry_run {
        for (index, plan) in plans.iter().enumerate() {
            carry_out(plan).map_err(|why| match index {
                0 => why,
                _ => format!("{why}\nWritten before that: {}", paths(&plans[..index])),
            })?;
        }
    }
    if args.json {
        print_json(&document(args, &order, &plans)?);
    } else {
        print(&report(args, &order, &plans));
    }
    let foreign = plans.iter().flat_map(|plan| &plan.change.steps).any(|step| step.done == EntryResult::Foreign);
    Ok(if foreign { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// An absolute path, because hooks run in other directories than this command.
fn absolute(path: &str) -> Result<String, String> {
    let path = std::path::absolute(path).map_err(|error| format!("{path}: {error}"))?;
    path.into_os_string().into_string().map_err(|path| format!("{}: not text", in_a_line(&path.to_string_lossy())))
}

fn paths(plans: &[Plan]) -> String {
    plans.iter().map(|plan| shown(&plan.path)).collect::<Vec<_>>().join(", ")
}

fn report(args: &Args, order: &Order, plans: &[Plan]) -> String {
    let mut out = String::new();
    if order.approve {
        out.push_str(&format!("Grant: {}.\n", order.client.grant.writes));
    }
    for plan in plans {
        out.push_str(&format!("{}: {}\n", shown(&plan.path), summary(plan)));
        if args.dry_run {
            out.push_str(&diff(plan));
        }
    }
    if args.dry_run {
        out.push_str("Nothing was written; run it again without --dry-run.\n");
        return out;
    }
    if !plans.iter().any(Plan::changes) {
        out.push_str(if order.remove {
            "There was nothing to remove.\n"
        } else {
            "Already configured; nothing was written.\n"
        });
    }
    for line in advice(order) {
        out.push_str(&format!("{line}\n"));
    }
    out
}

fn summary(plan: &Plan) -> String {
    match (&plan.before, &plan.change.text) {
        (None, None) => return "does not exist".to_owned(),
        (Some(_), None) => return "removed, since nothing else was in it".to_owned(),
        _ => {}
    }
    let created = if plan.before.is_none() { "created: " } else { "" };
    let steps: Vec<String> = plan.change.steps.iter().map(step_text).collect();
    format!("{created}{}", steps.join(", "))
}

fn step_text(EntryReport { entry, done }: &EntryReport) -> String {
    if (*entry, done) == ("skill file", &EntryResult::Foreign) {
        return "a skill file of our name is somebody else's and was left alone; rename or remove it".to_owned();
    }
    let entry = if entry.contains(' ') { (*entry).to_owned() } else { format!("{entry} hook") };
    match done {
        EntryResult::Added => format!("{entry} added"),
        EntryResult::Updated { from } => format!("{entry} updated (it was {from})"),
        EntryResult::Already => format!("{entry} is there"),
        EntryResult::Removed => format!("{entry} removed"),
        EntryResult::Absent => format!("no {entry}"),
        EntryResult::Foreign => {
            format!("{entry} of our name runs something else and was left alone; rename or remove it")
        }
    }
}

/// The word for scripts.
fn word(done: &EntryResult) -> &'static str {
    match done {
        EntryResult::Added => "added",
        EntryResult::Updated { .. } => "updated",
        EntryResult::Already => "already",
        EntryResult::Removed => "removed",
        EntryResult::Absent => "absent",
        EntryResult::Foreign => "foreign",
    }
}

/// The next steps of the user.
fn advice(order: &Order) -> Vec<String> {
    let client = order.client;
    let project = order.scope == Scope::Project;
    let title = client.title;
    let scope = if project { " --scope project" } else { "" };
    if order.remove {
        return vec![format!("Next: restart {title}; sessions that run keep what they started with.")];
    }
    let mut lines = vec![format!("Next: restart {title}.")];
    if order.server && !order.approve && client.grant.is_needed() {
        let (name, asks) = (client.name, client.grant.asks);
        lines.push(format!("{asks} To allow them all: lispwright setup {name}{scope} --approve"));
    }
    let applies = |when: &When| match when {
        When::Always => true,
        When::Project => project,
        When::Hooks => order.hooks,
    };
    lines.extend(client.advice.iter().filter(|(when, _)| applies(when)).map(|(_, said)| (*said).to_owned()));
    lines.push(format!("Check: {}.", client.check));
    lines.push(format!("Undo: lispwright setup {}{scope} --remove", client.name));
    if project && program().is_ok_and(|program| program.contains('/')) {
        lines.push(
            "These files name this machine's path of lispwright; others need it on their PATH to share them."
                .to_owned(),
        );
    }
    lines
}

fn document(args: &Args, order: &Order, plans: &[Plan]) -> Result<Value, String> {
    let files: Vec<Value> = plans
        .iter()
        .map(|plan| {
            let entries: Vec<Value> = plan
                .change
                .steps
                .iter()
                .map(|step| {
                    let from = if let EntryResult::Updated { from } = &step.done { Some(from) } else { None };
                    json!({"entry": step.entry, "done": word(&step.done), "from": from})
                })
                .collect();
            json!({
                "path": plan.path.display().to_string(),
                "existed": plan.before.is_some(),
                "exists": if args.dry_run { plan.before.is_some() } else { plan.change.text.is_some() },
                "would_change": plan.changes(),
                "entries": entries,
                "diff": diff(plan),
            })
        })
        .collect();
    Ok(json!({
        "client": order.client.name,
        "scope": if order.scope == Scope::User { "user" } else { "project" },
        "program": program()?,
        "dry_run": args.dry_run,
        "changed": !args.dry_run && plans.iter().any(Plan::changes),
        "files": files,
        "next": advice(order),
    }))
}

/// The change of a file as a unified diff; empty if it does not change.
fn diff(plan: &Plan) -> String {
    let old = plan.before.as_ref().map_or("", |file| file.text.as_str());
    let new = plan.change.text.as_deref().unwrap_or_default();
    let same = |pair: &(char, char)| pair.0 == pair.1;
    let start: usize = old.chars().zip(new.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let end: usize =
        old_rest.chars().rev().zip(new_rest.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let Ok(span_start) = u32::try_from(start) else { return String::new() };
    let Ok(span_end) = u32::try_from(old.len() - end) else { return String::new() };
    unified(old, new, Span::new(span_start, span_end), new.len() - end - start)
}
