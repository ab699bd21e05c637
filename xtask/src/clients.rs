//! `cargo xtask clients`: the real coding agents from npm, set up by `lispwright setup`, with a scripted model.
//!
//! Hooks and servers are only as useful as clients make them, and clients change every week. Here each client runs in a
//! home directory of its own that only `lispwright setup` has configured, against a stand-in for its model's API on the
//! loopback interface. The stand-in writes Lisp with a lost parenthesis through the client's own edit tools; the
//! resulting files and the model's input are checked. Some 1.5 GB below `target/clients`; a client that cannot be
//! installed is skipped with a line that says so.

mod claude_code;
mod codex;
mod copilot;
mod gemini;
mod model;
mod opencode;
mod qwen;
mod speech;
mod story;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use model::Model;
use serde_json::Value;
use speech::Speech;
use story::{Scene, Tools};

use crate::files::Scratch;
use crate::step::{About, Failure, Step, say};
use crate::{cargo, npm, target};

/// The time limit of a client for the whole story.
const PATIENCE: Duration = Duration::from_secs(180);

/// What the client is asked to do.
const PROMPT: &str = "Play your part.";

/// A coding agent: one file for each.
struct Client {
    name: &'static str,
    package: &'static str,
    /// The last version that is known to work; a newer one is a change of this line.
    version: &'static str,
    program: &'static str,
    speech: Speech,
    acts: &'static [Act],
    /// Its plugin of ours, if it has plugins.
    plugin: Option<Plugin>,
    /// A file below the home directory that a user of this client has, with its text.
    settings: Option<(&'static str, &'static str)>,
    /// Its own tools, and how it names ours.
    tools: Tools,
    /// Says how it is started without a terminal.
    start: fn(&mut Command, &Model, Act),
}

/// How a client installs a plugin.
struct Plugin {
    /// What the client puts before the names of the tools of the plugin's server.
    prefix: &'static str,
    /// Its command lines, with `{}` for the directory that `lispwright setup --plugin` has written.
    install: &'static [&'static [&'static str]],
}

/// The part of the story in one run of a client.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    /// The whole story.
    Story,
    /// The calls of our server, where the client keeps its own tools in a sandbox. The sandbox needs rights that
    /// containers often lack, so its own tools are not called.
    Sandboxed,
    /// A broken write, where the program that the setup named is gone: nothing may be in the way.
    Uninstalled,
    /// The whole story with the plugin in the place of a setup.
    Plugin,
}

const CLIENTS: &[&Client] =
    &[&claude_code::CLIENT, &codex::CLIENT, &gemini::CLIENT, &opencode::CLIENT, &copilot::CLIENT, &qwen::CLIENT];

/// Plays the story in every client, or in the named one.
pub(crate) fn run(only: Option<&str>) -> Result<(), Failure> {
    let chosen: Vec<&&Client> = CLIENTS.iter().filter(|client| only.is_none_or(|only| only == client.name)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
        return Err(Failure::new(format!("there is no such client; take one of {}", names.join(", "))));
    }
    say("building lispwright");
    cargo().args(["build", "--package", "lispwright"]).run()?;
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for client in chosen {
        say(format_args!("{} {}", client.name, client.version));
        let program = match install(client) {
            Ok(program) => program,
            Err(failure) => {
                println!("skipped: {} cannot be installed: {failure}", client.name);
                skipped += 1;
                continue;
            }
        };
        for act in client.acts {
            let checked = play(client, *act, &program)
                .unwrap_or_else(|failure| vec![("the run".to_owned(), Err(failure.to_string()))]);
            for (what, result) in checked {
                match result {
                    Ok(()) => passed += 1,
                    Err(why) => {
                        println!("failed: {}: {what}: {why}", client.name);
                        failed += 1;
                    }
                }
            }
        }
    }
    println!("clients: {passed} passed, {failed} failed, {skipped} skipped");
    if failed > 0 { Err(Failure::new("a client does not do what it should")) } else { Ok(()) }
}

/// The client's program, installed below `target/clients` unless that version is there.
fn install(client: &Client) -> Result<PathBuf, Failure> {
    let place = target().join("clients");
    npm::ensure(&place, client.package, client.version)?;
    Ok(place.join("node_modules/.bin").join(client.program))
}

type Checked = (String, Result<(), String>);

/// Runs one client from an empty home directory to the end of the story, and checks every scene.
fn play(client: &Client, act: Act, program: &Path) -> Result<Vec<Checked>, Failure> {
    let scratch = Scratch::new(&format!("client-{}", client.name))?;
    let (home, project) = (scratch.path().join("home"), scratch.path().join("project"));
    fs::create_dir_all(&home).about(&home)?;
    fs::create_dir_all(&project).about(&project)?;
    if let Some((name, text)) = client.settings {
        let settings = home.join(name);
        fs::create_dir_all(settings.parent().unwrap_or(&home)).about(&settings)?;
        fs::write(&settings, text).about(&settings)?;
    }
    let binary = target().join("debug/lispwright");
    let installed = if act == Act::Uninstalled { home.join("lispwright") } else { binary.clone() };
    if act == Act::Uninstalled {
        fs::copy(&binary, &installed).about(&installed)?;
    }
    let mut tools = client.tools;
    match (act, &client.plugin) {
        (Act::Plugin, Some(plugin)) => {
            tools.prefix = plugin.prefix;
            plug_in(client, plugin, program, &home, scratch.path())?;
        }
        _ => Step::new(&installed)
            .args(["setup", client.name, "--approve"])
            .env("HOME", &home)
            .inside(&project)
            .run_quietly(&[0])?,
    }
    let scenes = match act {
        Act::Story | Act::Plugin => story::scenes(&tools, &project),
        Act::Sandboxed => {
            for name in ["area.lisp", "whole.lisp"] {
                let path = project.join(name);
                fs::write(&path, story::WHOLE).about(&path)?;
            }
            story::calls_of_the_server(&tools)
        }
        Act::Uninstalled => {
            fs::remove_file(&installed).about(&installed)?;
            story::without_us(&tools, &project)
        }
    };
    let model = Model::start(client.speech, scenes.iter().map(|scene| scene.call.clone()).collect())?;
    let log = target().join(format!("clients/{}.log", client.name));
    let ended = converse(client, act, program, &home, &project, &model, &log)?;
    let heard = model.heard();
    let record = target().join(format!("clients/{}.json", client.name));
    let pretty: Vec<String> = heard.iter().map(|request| format!("{request:#}\n")).collect();
    fs::write(&record, pretty.concat()).about(&record)?;

    let mut checked = vec![("ends by itself".to_owned(), ended)];
    for (number, scene) in scenes.iter().enumerate() {
        checked.push((what(scene), judge(client.speech, scene, number, &scenes, &project, &heard)));
    }
    checked.push(match act {
        Act::Plugin => ("setup beside the plugin".to_owned(), beside(client, &binary, &home, &project)),
        _ => ("setup --remove".to_owned(), undo(client, &binary, &home, &project)),
    });
    if checked.iter().any(|(_, result)| result.is_err()) {
        println!("what the client said: {}\nwhat the model read: {}", log.display(), record.display());
    }
    Ok(checked)
}

/// Has the client install our plugin.
fn plug_in(client: &Client, plugin: &Plugin, program: &Path, home: &Path, scratch: &Path) -> Result<(), Failure> {
    let market = scratch.join("market");
    let binary = target().join("debug/lispwright");
    Step::new(&binary).args(["setup", "--plugin"]).arg(&market).silent().run_quietly(&[0])?;
    for arguments in plugin.install {
        let mut step = Step::new(program);
        step.args(arguments.iter().map(|word| word.replace("{}", &market.display().to_string())));
        // No client asks on a terminal that is not there; this one would.
        step.env("GEMINI_CLI_TRUST_WORKSPACE", "true").env("HOME", home).inside(scratch);
        step.silent().run_quietly(&[0])?;
    }
    match Step::new(&binary).args(["setup", client.name, "--status"]).env("HOME", home).answer() {
        Some(said) if said.contains("configured (by its plugin)") => Ok(()),
        other => Err(Failure::new(format!("setup does not see the plugin: {other:?}"))),
    }
}

/// A setup changes nothing of a client that has our plugin.
fn beside(client: &Client, binary: &Path, home: &Path, project: &Path) -> Result<(), String> {
    let setup = Step::new(binary).args(["setup", client.name, "--json"]).env("HOME", home).inside(project).answer();
    let document: Option<Value> = setup.and_then(|text| serde_json::from_str(&text).ok());
    match document {
        Some(document) if document["changed"] == false && document["plugin"].is_string() => Ok(()),
        other => Err(format!("a setup writes beside the plugin: {other:?}")),
    }
}

/// Removes our entries from the files, which the client may have rewritten, and checks that none is left.
fn undo(client: &Client, binary: &Path, home: &Path, project: &Path) -> Result<(), String> {
    let setup = || {
        let mut step = Step::new(binary);
        step.args(["setup", client.name, "--remove", "--json"]).env("HOME", home).inside(project);
        step
    };
    let (first, second) = (setup().answer(), setup().answer());
    let changed = |answer: Option<String>| {
        let document: Option<Value> = answer.and_then(|text| serde_json::from_str(&text).ok());
        document.and_then(|document| document["changed"].as_bool())
    };
    match (changed(first), changed(second)) {
        (Some(true), Some(false)) => {}
        other => return Err(format!("removing twice changes files as {other:?}, instead of the first time only")),
    }
    match client.settings {
        Some((name, text)) if fs::read_to_string(home.join(name)).ok().as_deref() != Some(text) => {
            Err(format!("{name} is not what it was before the setup"))
        }
        _ => Ok(()),
    }
}

fn what(scene: &Scene) -> String {
    let file = scene.file.map_or("the server", |(name, _)| name);
    format!("{} {file}", scene.call.tool)
}

/// Starts the client without a terminal and waits for it; its output goes into `log`.
fn converse(
    client: &Client,
    act: Act,
    program: &Path,
    home: &Path,
    project: &Path,
    model: &Model,
    log: &Path,
) -> Result<Result<(), String>, Failure> {
    let output = fs::File::create(log).about(log)?;
    let errors = output.try_clone().about(log)?;
    let mut command = Command::new(program);
    command.env_clear().env("HOME", home).env("TERM", "dumb").env("TMPDIR", home);
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Where a plugin finds the program; what a setup wrote names it.
    let built = (act == Act::Plugin).then(|| target().join("debug"));
    let path = std::env::join_paths(built.into_iter().chain(std::env::split_paths(&path)));
    command.env("PATH", path.map_err(|error| Failure::new(format!("PATH: {error}")))?);
    command.current_dir(project).stdin(Stdio::null()).stdout(output).stderr(errors);
    (client.start)(&mut command, model, act);
    let failed = |error: std::io::Error| Failure::new(format!("{} could not be started: {error}", program.display()));
    let mut child = command.spawn().map_err(failed)?;
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Ok(if status.success() { Ok(()) } else { Err(format!("it ended with {status}")) });
        }
        if began.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return Ok(Err(format!("it did not end within {} s", PATIENCE.as_secs())));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Whether a scene left the right file and gave the model the right text.
fn judge(
    speech: Speech,
    scene: &Scene,
    number: usize,
    scenes: &[Scene],
    project: &Path,
    heard: &[Value],
) -> Result<(), String> {
    if let Some((name, wanted)) = scene.file {
        // The last scene about a file states its final content; earlier scenes are checked by the model's input.
        let last = scenes.iter().rposition(|other| other.file.is_some_and(|(other, _)| other == name)) == Some(number);
        let found = fs::read_to_string(project.join(name)).ok();
        if last && found.as_deref() != wanted {
            return Err(format!("the file holds {found:?} instead of {wanted:?}"));
        }
    }
    let request = |results: usize| heard.iter().find(|request| speech.results(request) == results);
    let (Some(before), Some(after)) = (request(number), request(number + 1)) else {
        return Err("the client did not report a result to the model".to_owned());
    };
    let (before, after) = (told(speech, before), told(speech, after));
    let new: String = after.iter().filter(|text| !before.contains(text)).map(|text| format!("{text}\n")).collect();
    if let Some(missing) = scene.told.iter().find(|wanted| !new.contains(**wanted)) {
        return Err(format!("the model does not read {missing:?}; it reads:\n{new}"));
    }
    if let Some(unwanted) = scene.untold.iter().find(|unwanted| new.contains(**unwanted)) {
        return Err(format!("the model reads {unwanted:?}:\n{new}"));
    }
    Ok(())
}

/// Every text of a conversation except the model's own calls.
fn told(speech: Speech, request: &Value) -> Vec<String> {
    let mut texts = Vec::new();
    let mut pending = vec![speech.conversation(request)];
    while let Some(value) = pending.pop() {
        match value {
            Value::String(text) => texts.push(text.clone()),
            Value::Array(items) => pending.extend(items),
            Value::Object(fields) => {
                let own = ["tool_use", "custom_tool_call", "function_call", "function"];
                let own = own.iter().any(|kind| value["type"] == *kind);
                if !own {
                    pending.extend(fields.iter().filter(|(key, _)| *key != "functionCall").map(|(_, value)| value));
                }
            }
            _ => {}
        }
    }
    texts
}
