//! `lispwright setup`: adds the server, the hooks and the skills to a client's configuration, and removes them again.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use lispwright_edit::unified;
use lispwright_setup::{Client, EntryReport, EntryResult, Scope, When};
use lispwright_syntax::{Span, in_a_line};
use serde_json::{Value, json};

use super::clients::{self, Order, Plan, Status, carry_out, plan, program};
use super::complaint::Complaint;
use super::market;
use super::outcome::failed;
use super::text::{print, print_json, shown};
use super::ways::Way;

/// Configure coding agents: their MCP server entry, their hooks and their skills; --remove takes them out again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lispwright setup                # shows what each agent found here would get\n  \
    lispwright setup --yes\n  lispwright setup claude-code\n  lispwright setup codex --diff\n  \
    lispwright setup gemini --scope project --no-hooks\n  lispwright setup claude-code --remove\n  \
    lispwright setup --status\n  lispwright setup --plugin ~/lispwright-plugins\n\n\
    Whatever else the files hold stays byte for byte. A second run changes nothing. --remove gives the old bytes again.\n\
    Exit code: 0 done, or nothing to do; 1 an entry was left alone, \
    since it runs something else or somebody has written into it; 2 a file could \
    not be read or written.")]
pub(crate) struct Args {
    /// Its name; without one, all that are found here
    #[arg(value_parser = PossibleValuesParser::new(Client::ALL.map(|client| client.name)))]
    client: Option<String>,

    /// Without CLIENT: write it, too
    #[arg(long, short, conflicts_with_all = ["client", "dry_run"])]
    yes: bool,

    /// Tell what is set up, and where
    #[arg(long, conflicts_with_all = ["remove", "yes", "approve", "no_hooks", "no_server", "no_skills", "dry_run", "stats"])]
    status: bool,

    /// Write plugins for Claude Code, Codex, Copilot CLI and Gemini CLI into this directory, which they install from
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = [
            "client", "remove", "yes", "approve", "no_hooks", "no_server", "no_skills", "dry_run", "stats", "status", "scope",
        ],
    )]
    plugin: Option<PathBuf>,

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
    if let Some(directory) = &args.plugin {
        return market::write(directory, args.json);
    }
    if let Some((way, install)) = Way::here().ok().and_then(|(_, way)| Some((way.by.clone(), way.to_stay()?)))
        && !args.remove
    {
        return Err(format!(
            "this lispwright was installed {way}: a client's entry would name a place that is emptied some day. First: {install}"
        ));
    }
    let clients = match &args.client {
        Some(name) => vec![Client::from_name(name).ok_or("no such client")?],
        None => clients::found(),
    };
    if clients.is_empty() {
        let names = Client::ALL.map(|client| client.name).join(", ");
        return Err(format!(
            "no coding agent is found here; name one: {names}. Any other client gets the server whose command is: lispwright mcp"
        ));
    }
    if args.status {
        return Ok(tell_status(&clients, args.json));
    }
    let writes = !args.dry_run && (args.client.is_some() || args.yes);
    let mut orders = Vec::new();
    for client in clients {
        let order = order(args, client)?;
        // A project has no files for some of them.
        let plans = plan(&order)?;
        match (&args.client, plans.is_empty() && order.plugin.is_none()) {
            (_, false) => orders.push((order, plans)),
            (Some(_), true) => return Err(format!("{} reads no configuration of a project", client.title)),
            (None, true) => {}
        }
    }
    if writes {
        let mut written: Vec<&Plan> = Vec::new();
        for plan in orders.iter().flat_map(|(_, plans)| plans) {
            carry_out(plan).map_err(|why| match written.is_empty() {
                true => why,
                false => format!("{why}\nWritten before that: {}", paths(&written)),
            })?;
            written.push(plan);
        }
    }
    if args.json {
        let documents = orders.iter().map(|(order, plans)| document(writes, order, plans));
        let mut documents = documents.collect::<Result<Vec<Value>, _>>()?;
        print_json(&match &args.client {
            Some(_) => documents.swap_remove(0),
            None => json!({ "clients": documents }),
        });
    } else if let (Some(_), [(order, plans)]) = (&args.client, &orders[..]) {
        print(&report(args, order, plans));
    } else {
        print(&survey(writes, args, &orders));
    }
    let mut steps = orders.iter().flat_map(|(_, plans)| plans).flat_map(|plan| &plan.change.steps);
    let foreign = steps.any(|step| matches!(step.done, EntryResult::Foreign | EntryResult::Kept { .. }));
    Ok(if foreign { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn order(args: &Args, client: &'static Client) -> Result<Order, String> {
    let scope = match args.scope {
        ScopeName::User => Scope::User,
        ScopeName::Project => Scope::Project,
    };
    Ok(Order {
        client,
        scope,
        plugin: clients::plugin(client, scope),
        remove: args.remove,
        hooks: !args.no_hooks,
        server: !args.no_server,
        skills: !args.no_skills,
        approve: args.approve,
        stats: args.stats.as_deref().map(absolute).transpose()?,
    })
}

/// What is done, or would be, for each client that is found.
fn survey(writes: bool, args: &Args, orders: &[(Order, Vec<Plan>)]) -> String {
    let mut out = String::new();
    for (order, plans) in orders {
        let changed: Vec<&Plan> = plans.iter().filter(|plan| plan.changes()).collect();
        let (client, again) = (order.client, if order.remove { "nothing to remove" } else { "already configured" });
        if let Some(said) = by_plugin(order) {
            out.push_str(&said);
            continue;
        }
        if changed.is_empty() {
            if let Some(said) = without_file(order, plans) {
                out.push_str(&said);
                continue;
            }
            let kept: Vec<String> = plans.iter().filter(|plan| plan.is_left()).map(summary).collect();
            let said = if kept.is_empty() { again.to_owned() } else { kept.join(", ") };
            out.push_str(&format!("{}: {said}\n", client.title));
            continue;
        }
        out.push_str(&format!("{}:\n", client.title));
        // Skills are a file each.
        let is_skill = |plan: &&&Plan| plan.directory.is_some();
        for plan in changed.iter().filter(|plan| !is_skill(plan)) {
            out.push_str(&format!("  {}: {}\n", shown(&plan.path), summary(plan)));
        }
        let skills = changed.iter().filter(is_skill).count();
        if skills > 0 {
            let what = if order.remove { "removed" } else { "written" };
            out.push_str(&format!("  {skills} skill files {what}\n"));
        }
        if writes && !order.remove {
            told(order).for_each(|said| out.push_str(&format!("  {said}\n")));
        }
    }
    let changes = orders.iter().flat_map(|(_, plans)| plans).any(Plan::changes);
    let remove = if args.remove { " --remove" } else { "" };
    match (changes, writes) {
        (false, _) => {}
        (true, true) => {
            out.push_str("Next: restart them.\n");
            if !args.remove && !args.approve {
                out.push_str("Most ask before they call a tool. To allow it: lispwright setup CLIENT --approve\n");
            }
        }
        (true, false) => out.push_str(&format!(
            "Nothing was written. All of this: lispwright setup{remove} --yes. One of them: lispwright setup {}{remove}\n",
            orders.first().map_or("CLIENT", |(order, _)| order.client.name)
        )),
    }
    out
}

/// What is said instead of a setup for a client whose file is not there, and is made by the client alone.
fn without_file(order: &Order, plans: &[Plan]) -> Option<String> {
    let lacks = |plan: &&Plan| plan.before.is_none() && plan.change.text.is_none() && !order.remove;
    let plan = plans.iter().find(lacks)?;
    let title = order.client.title;
    Some(format!("{title} has no {} yet, which it makes when you set it up: nothing is written.\n", shown(&plan.path)))
}

/// What is said instead of a setup for a client that has our plugin.
fn by_plugin(order: &Order) -> Option<String> {
    let record = order.plugin.as_ref().filter(|_| !order.remove)?;
    let client = order.client;
    let mut said = format!(
        "{} has the plugin lispwright, which brings the server, the hooks and the skills ({}): nothing is written.\n",
        client.title,
        shown(record)
    );
    let doubled = clients::doubled(order);
    if !doubled.is_empty() {
        let files = doubled.iter().map(|path| shown(path)).collect::<Vec<_>>().join(", ");
        let scope = if order.scope == Scope::Project { " --scope project" } else { "" };
        said.push_str(&format!(
            "These have them a second time: {files}. Next: lispwright setup {}{scope} --remove\n",
            client.name
        ));
    }
    Some(said)
}

/// Tells what is set up, and where.
fn tell_status(clients: &[&'static Client], as_json: bool) -> ExitCode {
    let mut out = String::new();
    let mut documents = Vec::new();
    for client in clients {
        let Status { state, detail, files, .. } = clients::status(client);
        let detail =
            if detail.is_empty() || state == "not configured" { String::new() } else { format!(" ({detail})") };
        out.push_str(&format!("{}: {state}{detail}\n", client.title));
        for file in &files {
            out.push_str(&format!("  {}\n", shown(file)));
        }
        documents.push(json!({
            "client": client.name,
            "state": state,
            "detail": detail.trim(),
            "files": files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
        }));
    }
    if as_json {
        print_json(&json!({ "clients": documents }));
    } else {
        print(&out);
    }
    ExitCode::SUCCESS
}

/// An absolute path, because hooks run in other directories than this command.
fn absolute(path: &str) -> Result<String, String> {
    let path = std::path::absolute(path).map_err(|error| format!("{path}: {error}"))?;
    path.into_os_string().into_string().map_err(|path| format!("{}: not text", in_a_line(&path.to_string_lossy())))
}

fn paths(plans: &[&Plan]) -> String {
    plans.iter().map(|plan| shown(&plan.path)).collect::<Vec<_>>().join(", ")
}

fn report(args: &Args, order: &Order, plans: &[Plan]) -> String {
    if let Some(said) = by_plugin(order).or_else(|| without_file(order, plans)) {
        return said;
    }
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
        EntryResult::Kept { more } => {
            format!("{entry} was left: it has {more}, which setup does not write; take it out yourself")
        }
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
        EntryResult::Kept { .. } => "kept",
    }
}

/// What a person has to know or do after this setup.
fn told(order: &Order) -> impl Iterator<Item = &'static str> {
    let applies = |when: &When| match when {
        When::Always => true,
        When::Project => order.scope == Scope::Project,
        When::Hooks => order.hooks,
    };
    order.client.advice.iter().filter(move |(when, _)| applies(when)).map(|(_, said)| *said)
}

/// The next steps of the user.
fn advice(order: &Order) -> Vec<String> {
    let client = order.client;
    let project = order.scope == Scope::Project;
    let title = client.title;
    let scope = if project { " --scope project" } else { "" };
    if order.remove {
        let mut lines = vec![format!("Next: restart {title}; sessions that run keep what they started with.")];
        if order.plugin.is_some() {
            lines.push(format!("The plugin lispwright is still there: {title} takes that out itself."));
        }
        return lines;
    }
    let mut lines = vec![format!("Next: restart {title}.")];
    if order.server && !order.approve && client.grant.is_needed() {
        let (name, asks) = (client.name, client.grant.asks);
        lines.push(format!("{asks} To allow them all: lispwright setup {name}{scope} --approve"));
    }
    lines.extend(told(order).map(str::to_owned));
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

fn document(writes: bool, order: &Order, plans: &[Plan]) -> Result<Value, String> {
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
                "exists": if !writes { plan.before.is_some() } else { plan.change.text.is_some() },
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
        "dry_run": !writes,
        "changed": writes && plans.iter().any(Plan::changes),
        "plugin": order.plugin.as_ref().map(|record| record.display().to_string()),
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
