//! The clients of this machine: the places of their configuration, the planned changes, and carrying them out.
//!
//! `setup` and `doctor` share this file, so that they agree on whether a client is configured.

use std::path::{Path, PathBuf};

use lispwright_platform::{Here, System as _};
use lispwright_project::{
    EditError, Error, NewText, SourceFile, create_anywhere, edit_anywhere, read_anywhere, remove_anywhere,
};
use lispwright_setup::{
    Client, ConfigDirectories, ConfigFile, Entry, EntryReport, EntryResult, FileChange, Part, Scope, Skill, install,
    remove,
};

use lispwright_words::{SkillPage, skill};

use super::text::shown;

/// The task of `setup` for one client.
pub(crate) struct Order {
    pub(crate) client: &'static Client,
    pub(crate) scope: Scope,
    pub(crate) remove: bool,
    pub(crate) hooks: bool,
    pub(crate) server: bool,
    pub(crate) skills: bool,
    /// The client may call our tools without asking.
    pub(crate) approve: bool,
    pub(crate) stats: Option<String>,
    /// The file that tells that the client has our plugin: then it gets nothing a second time.
    pub(crate) plugin: Option<PathBuf>,
}

/// A file with its planned change.
pub(crate) struct Plan {
    pub(crate) path: PathBuf,
    /// `None` if it does not exist.
    pub(crate) before: Option<SourceFile>,
    pub(crate) change: FileChange,
    /// The directory that is removed with the file if it is empty then.
    pub(crate) directory: Option<PathBuf>,
}

impl Plan {
    /// The file will change, be created or be removed.
    pub(crate) fn changes(&self) -> bool {
        self.before.as_ref().map(|file| &file.text) != self.change.text.as_ref()
    }

    /// An entry in the file was left alone.
    pub(crate) fn is_left(&self) -> bool {
        let left = |step: &EntryReport| matches!(step.done, EntryResult::Foreign | EntryResult::Kept { .. });
        self.change.steps.iter().any(left)
    }
}

/// The plans for all files of an order, or the reason why one of them cannot be edited; then none should be.
pub(crate) fn plan(order: &Order) -> Result<Vec<Plan>, String> {
    if order.plugin.is_some() && !order.remove {
        return Ok(Vec::new());
    }
    let places = places(order.client, order.scope)?;
    let program = program()?;
    let wanted = |part: &Part| match part {
        Part::Hooks | Part::Plugin(_) => order.hooks,
        Part::Grant => order.server && (order.approve || order.remove),
        Part::JsonServer | Part::TomlServer | Part::YamlServer => order.server,
        Part::Skill => order.skills,
    };
    let mut plans = Vec::new();
    let files = order.client.files(order.scope, &places).into_iter().map(|file| (file, None, None));
    let pages = skill();
    let directory = order.client.skill_directory(order.scope, &places);
    let skill_files = directory.iter().flat_map(|directory| {
        let file = |page: &SkillPage| ConfigFile { path: directory.join(&page.file), parts: vec![Part::Skill] };
        pages.iter().map(move |page| (file(page), Some(directory.clone()), Some(page)))
    });
    for (ConfigFile { path, mut parts }, directory, skill) in files.chain(skill_files) {
        parts.retain(wanted);
        if parts.is_empty() {
            continue;
        }
        let before = match read_anywhere(&path) {
            Ok(file) => Some(file),
            Err(Error::Missing { .. }) => None,
            Err(error) => return Err(error.to_string()),
        };
        if before.as_ref().is_some_and(|file| file.bom) && !order.client.reads_byte_order_mark(&parts) {
            let title = order.client.title;
            let path = shown(&path);
            return Err(format!("{path}: starts with a byte order mark, which {title} does not read; remove it first"));
        }
        let text = before.as_ref().map(|file| file.text.as_str());
        let change = match (order.remove, text) {
            (false, text) => {
                let stats = order.stats.as_deref();
                let entry = Entry { client: order.client, program: &program, stats, skill: skill.map(page) };
                install(text, &parts, &entry)
            }
            (true, Some(text)) => remove(text, &parts, order.client),
            (true, None) => Ok(FileChange { text: None, steps: Vec::new() }),
        };
        let change =
            change.map_err(|fault| format!("{}: {fault}. Nothing was changed; mend the file first", shown(&path)))?;
        plans.push(Plan { path, before, change, directory });
    }
    if order.skills {
        plans.extend(order.client.earlier_skill_files(order.scope, &places).into_iter().filter_map(|path| {
            let before = read_anywhere(&path).ok()?;
            let change = remove(&before.text, &[Part::Skill], order.client).ok()?;
            let directory = path.parent().map(Path::to_owned);
            change.text.is_none().then_some(Plan { path, before: Some(before), change, directory })
        }));
    }
    Ok(plans)
}

/// A page as `setup` writes it.
pub(crate) fn page(page: &SkillPage) -> Skill<'_> {
    Skill { file: &page.file, description: page.description.as_deref(), text: &page.text }
}

/// Carries out the plan of a file, if the file has not changed since the plan was made.
pub(crate) fn carry_out(plan: &Plan) -> Result<(), String> {
    let overtaken = || format!("{}: another program changed this file meanwhile; run it again", shown(&plan.path));
    let done = match (&plan.before, &plan.change.text) {
        _ if !plan.changes() => return Ok(()),
        (None, Some(text)) => create_anywhere(&plan.path, text).map(drop),
        (Some(before), None) => remove_anywhere(&plan.path, &before.digest()).inspect(|()| {
            if let Some(directory) = &plan.directory {
                // It fails for one that holds anything else.
                let _ = std::fs::remove_dir(directory);
            }
        }),
        (Some(before), Some(text)) => {
            let edit = |now: &SourceFile| {
                if now.digest() == before.digest() { Ok(NewText::Text(text.clone())) } else { Err(overtaken()) }
            };
            match edit_anywhere(&plan.path, edit) {
                Ok(_) => Ok(()),
                Err(EditError::Project(error)) => Err(error),
                Err(EditError::Refused(why)) => return Err(why),
            }
        }
        (None, None) => Ok(()),
    };
    done.map_err(|error| error.to_string())
}

/// The file that tells that a client has our plugin, if it has.
pub(crate) fn plugin(client: &'static Client, scope: Scope) -> Option<PathBuf> {
    let mut places = places(client, scope).ok()?;
    if let Ok(here) = std::env::current_dir() {
        places.project = here;
    }
    let tells = |path: &PathBuf| read_anywhere(path).is_ok_and(|file| client.has_plugin(&file.text));
    client.plugin_records(&places).into_iter().find(tells)
}

/// The files that have something of ours beside the plugin.
pub(crate) fn doubled(order: &Order) -> Vec<PathBuf> {
    let all = Order { remove: true, hooks: true, server: true, skills: true, stats: None, plugin: None, ..*order };
    let plans = plan(&all).unwrap_or_default();
    plans.into_iter().filter(Plan::changes).map(|plan| plan.path).collect()
}

/// The state of configuration of a client.
pub(crate) struct Status {
    pub(crate) client: &'static Client,
    /// `configured`, `configured twice`, `partly configured`, `not configured` or `unreadable`.
    pub(crate) state: &'static str,
    /// The missing or wrong parts, in a few words; empty if there are none.
    pub(crate) detail: String,
    /// The files that have something of ours, without those of skills.
    pub(crate) files: Vec<PathBuf>,
}

/// The clients whose program or directory is found.
pub(crate) fn found() -> Vec<&'static Client> {
    Client::ALL.into_iter().filter(|client| is_found(client)).collect()
}

fn is_found(client: &'static Client) -> bool {
    !client.program.is_empty() && on_path(client.program).is_some()
        || places(client, Scope::User).is_ok_and(|places| client.directory(&places).is_dir())
}

/// The state of a client in the user's configuration.
pub(crate) fn status(client: &'static Client) -> Status {
    let order = Order {
        client,
        scope: Scope::User,
        remove: false,
        hooks: true,
        server: true,
        skills: true,
        approve: false,
        stats: None,
        plugin: plugin(client, Scope::User),
    };
    if let Some(record) = &order.plugin {
        let mut files = doubled(&order);
        let (state, detail) = match files.is_empty() {
            true => ("configured", "by its plugin".to_owned()),
            false => ("configured twice", format!("by its plugin, too: {}", shown(record))),
        };
        files.push(record.clone());
        return Status { client, state, detail, files };
    }
    let plans = match plan(&order) {
        Ok(plans) => plans,
        Err(why) => return Status { client, state: "unreadable", detail: why, files: Vec::new() },
    };
    let mut missing = Vec::new();
    let mut there = 0;
    for step in plans.iter().flat_map(|plan| &plan.change.steps) {
        match &step.done {
            EntryResult::Added => missing.push(format!("no {}", step.entry)),
            EntryResult::Updated { from } => missing.push(format!("{} runs {from}", step.entry)),
            EntryResult::Foreign => missing.push(format!("{} of our name runs something else", step.entry)),
            EntryResult::Removed => missing.push("skills of an earlier version".to_owned()),
            EntryResult::Absent => missing.push(format!("no file for the {}", step.entry)),
            EntryResult::Already | EntryResult::Kept { .. } => there += 1,
        }
    }
    let state = match (missing.is_empty(), there) {
        (true, _) => "configured",
        (false, 0) => "not configured",
        (false, _) => "partly configured",
    };
    missing.dedup();
    let is_there = |step: &EntryReport| matches!(step.done, EntryResult::Already | EntryResult::Updated { .. });
    let own = plans.iter().filter(|plan| plan.directory.is_none() && plan.change.steps.iter().any(is_there));
    let files = own.map(|plan| plan.path.clone()).collect();
    Status { client, state, detail: missing.join(", "), files }
}

fn places(client: &'static Client, scope: Scope) -> Result<ConfigDirectories, String> {
    let directory = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let variable = if client.variable.is_empty() { None } else { directory(client.variable) };
    let home = directory("HOME");
    let home = match (home, &variable, scope) {
        (Some(home), ..) => home,
        // Then nothing below the home directory is used.
        (None, Some(_), _) | (None, _, Scope::Project) => PathBuf::new(),
        (None, None, Scope::User) => {
            let or = if client.variable.is_empty() { String::new() } else { format!(" or {}", client.variable) };
            return Err(format!("HOME is not set, so {}'s configuration cannot be found; set HOME{or}", client.title));
        }
    };
    let project = match scope {
        Scope::User => PathBuf::new(),
        Scope::Project => std::env::current_dir().map_err(|error| format!("the working directory: {error}"))?,
    };
    let applications = home.join(Here::APPLICATION_SETTINGS);
    Ok(ConfigDirectories { home, applications, variable, project })
}

/// The word with which a client starts this program: its name if `PATH` leads to it, else its path.
pub(crate) fn program() -> Result<String, String> {
    let here = std::env::current_exe()
        .and_then(|path| path.canonicalize())
        .map_err(|error| format!("the path of this program cannot be found: {error}"))?;
    if on_path("lispwright").and_then(|path| path.canonicalize().ok()).as_ref() == Some(&here) {
        return Ok("lispwright".to_owned());
    }
    match here.to_str() {
        Some(path) => Ok(path.to_owned()),
        None => Err(format!("{}: the path of this program is not text; install it elsewhere", shown(&here))),
    }
}

/// The file that a shell would start for `name`.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(name)).find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}
