//! `lispwright init`: what a project gets once, so that agents and people find the tools: a section in the agents' file,
//! a configuration to fill in, and a hook for Git.
//!
//! Nothing is written before it was shown: the command shows, and writes only with `--write`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lispwright_edit::unified;
use lispwright_project::{Error, read_anywhere};
use lispwright_setup::FileChange;
use lispwright_syntax::{Dialect, Span};
use lispwright_tools::languages::FILE_NAME;
use serde_json::json;

use super::below::Below;
use super::clients::{Plan, carry_out};
use super::complaint::Complaint;
use super::outcome::failed;
use super::staged::hook_file;
use super::text::{print, print_json, shown};

/// Show what a project gets for lispwright, and with --write write it: a section in AGENTS.md or CLAUDE.md,
/// lispwright.toml, a hook for Git.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lispwright init\n  lispwright init --write\n  lispwright init --no-hook --write\n  \
    lispwright init --remove --write\n\n\
    What is there already stays: the section is renewed between its marks, other files and hooks are left alone.\n\
    Exit code: 0 done, or shown; 2 a file could not be read or written."
)]
pub(crate) struct Args {
    /// The project
    #[arg(default_value = ".", value_name = "DIR")]
    directory: String,

    /// Write what is shown
    #[arg(long)]
    write: bool,

    /// Take it out again
    #[arg(long)]
    remove: bool,

    /// Leave AGENTS.md and CLAUDE.md alone
    #[arg(long)]
    no_section: bool,

    /// Leave lispwright.toml alone
    #[arg(long)]
    no_config: bool,

    /// Leave Git's hooks alone
    #[arg(long)]
    no_hook: bool,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const BEGIN: &str = "<!-- lispwright: begin -->";
const END: &str = "<!-- lispwright: end -->";

/// The hook before a commit.
const HOOK: &str = "#!/bin/sh\n# Written by lispwright init: no file of Lisp is committed that does not balance.\n\
    exec lispwright check --staged\n";

/// The first line of the configuration, by which it is known as ours.
const HEAD: &str = "# What this project adds to its Lisps, for lispwright.";

pub(crate) fn run(args: Args) -> ExitCode {
    match attempt(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => failed("init", args.json, Complaint::new("BAD_ARGUMENT", why)),
    }
}

fn attempt(args: &Args) -> Result<(), String> {
    let place = Path::new(&args.directory);
    if !place.is_dir() {
        return Err(format!("{}: there is no such directory", shown(place)));
    }
    let project = Project::of(&args.directory);
    let mut plans = Vec::new();
    let mut notes = Vec::new();
    if project.dialects.is_empty() && !args.remove {
        return Err(format!("{}: no file below it has the extension of a Lisp", shown(place)));
    }
    if !args.no_section {
        let file = ["AGENTS.md", "CLAUDE.md"].map(|name| place.join(name)).into_iter().find(|path| path.is_file());
        let path = file.unwrap_or_else(|| place.join("AGENTS.md"));
        let section = (!args.remove).then(|| project.section());
        plans.push(planned(path, |text| with_section(text, section.as_deref()))?);
    }
    if !args.no_config {
        plans.push(planned(place.join(FILE_NAME), |text| match text {
            Some(text) if args.remove && text == project.configuration() => None,
            None if !args.remove => Some(project.configuration()),
            text => text.map(str::to_owned),
        })?);
    }
    if !args.no_hook {
        match hook_file(place) {
            Ok(path) => {
                let plan = planned(path, |text| match text {
                    Some(HOOK) if args.remove => None,
                    None if !args.remove => Some(HOOK.to_owned()),
                    text => text.map(str::to_owned),
                })?;
                if !args.remove && plan.change.text.as_deref() != Some(HOOK) {
                    let path = shown(&plan.path);
                    notes.push(format!(
                        "{path} is yours and stays; this line in it does the same: lispwright check --staged"
                    ));
                }
                plans.push(plan);
            }
            Err(_) if args.remove => {}
            Err(why) => notes.push(format!("No hook: {why}")),
        }
    }
    if args.write {
        for plan in plans.iter().filter(|plan| plan.changes()) {
            carry_out(plan)?;
            if plan.before.is_none() {
                // Others of the project read them, and Git runs the hook.
                let mode = if plan.change.text.as_deref() == Some(HOOK) { 0o755 } else { 0o644 };
                std::fs::set_permissions(&plan.path, Permissions::from_mode(mode))
                    .map_err(|error| format!("{}: {error}", shown(&plan.path)))?;
            }
        }
    }
    if args.json {
        let files: Vec<_> = plans
            .iter()
            .map(|plan| json!({"path": shown(&plan.path), "state": state(plan), "text": plan.change.text}))
            .collect();
        print_json(&json!({"written": args.write, "files": files, "notes": notes}));
    } else {
        print(&report(args, &plans, &notes));
    }
    Ok(())
}

fn report(args: &Args, plans: &[Plan], notes: &[String]) -> String {
    let mut out = String::new();
    for plan in plans {
        let _ = writeln!(out, "{}: {}", shown(&plan.path), state(plan));
        if plan.changes() && !args.write {
            let before = plan.before.as_ref().map_or("", |file| file.text.as_str());
            let after = plan.change.text.as_deref().unwrap_or_default();
            let end = u32::try_from(before.len()).unwrap_or(u32::MAX);
            out.push_str(&unified(before, after, Span { start: 0, end }, after.len()));
        }
    }
    for note in notes {
        let _ = writeln!(out, "{note}");
    }
    out.push_str(match (args.write, plans.iter().any(Plan::changes)) {
        (_, false) => "There is nothing to do.",
        (false, true) => "Nothing was written. The same with --write writes it; --no-section, --no-config and --no-hook leave a part out.",
        (true, true) if args.remove => "Removed.",
        (true, true) => "Written. Next: lispwright doctor",
    });
    out
}

fn state(plan: &Plan) -> &'static str {
    match (&plan.before, &plan.change.text) {
        (None, None) => "does not exist",
        (None, Some(_)) => "new",
        (Some(_), None) => "removed",
        (Some(_), Some(_)) if plan.changes() => "changed",
        (Some(_), Some(_)) => "stays as it is",
    }
}

/// The plan to make of a file's text what `change` says; `None` stands for no file.
fn planned(path: PathBuf, change: impl FnOnce(Option<&str>) -> Option<String>) -> Result<Plan, String> {
    let before = match read_anywhere(&path) {
        Ok(file) => Some(file),
        Err(Error::Missing { .. }) => None,
        Err(error) => return Err(error.to_string()),
    };
    let text = change(before.as_ref().map(|file| file.text.as_str()));
    Ok(Plan { path, before, change: FileChange { text, steps: Vec::new() }, directory: None })
}

/// A text with the section in the place of the one that it has, or at its end; without a section, it is taken out, and
/// of a file that has nothing else nothing is left.
fn with_section(text: Option<&str>, section: Option<&str>) -> Option<String> {
    let text = text.unwrap_or_default();
    let known = text.find(BEGIN).and_then(|start| Some((start, start + text[start..].find(END)? + END.len())));
    let (before, after) = match known {
        Some((start, end)) => (&text[..start], text[end..].strip_prefix('\n').unwrap_or(&text[end..])),
        None => (text, ""),
    };
    match section {
        Some(section) => {
            let gap = match before {
                "" => "",
                _ if before.ends_with("\n\n") => "",
                _ if before.ends_with('\n') => "\n",
                _ => "\n\n",
            };
            Some(format!("{before}{gap}{BEGIN}\n{section}{END}\n{after}"))
        }
        None if known.is_none() => (!text.is_empty()).then(|| text.to_owned()),
        None => {
            let before = before.strip_suffix("\n\n").map_or_else(|| before.to_owned(), |before| format!("{before}\n"));
            let left = before + after;
            (!left.trim().is_empty()).then_some(left)
        }
    }
}

/// What is in a project.
struct Project {
    /// How many files of each dialect, by its name.
    dialects: BTreeMap<&'static str, usize>,
    /// The ASDF systems, by the names of their files.
    systems: Vec<String>,
}

impl Project {
    fn of(directory: &str) -> Self {
        let mut project = Self { dialects: BTreeMap::new(), systems: Vec::new() };
        for path in Below::new(directory, true).files {
            let Some(dialect) = Dialect::detect(&path, b"") else { continue };
            *project.dialects.entry(dialect.name()).or_default() += 1;
            let path = Path::new(&path);
            if path.extension().is_some_and(|ending| ending == "asd") {
                project.systems.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
            }
        }
        project
    }

    fn section(&self) -> String {
        let counts: Vec<String> = self
            .dialects
            .iter()
            .map(|(name, count)| format!("{name}: {count} {}", if *count == 1 { "file" } else { "files" }))
            .collect();
        let systems = match self.systems.as_slice() {
            [] => String::new(),
            names => format!(
                "\n- Systems: {}. Load one after changes in several files, and run its tests before you are done.",
                names.join(", ")
            ),
        };
        format!(
            "## Lisp ({})\n\n\
             - Read and edit Lisp with lispwright's tools, by form: `lisp_read_file`, `lisp_read_form`, `lisp_edit_form`, `lisp_patch_form`. \
             An edit that would leave a file unbalanced is refused with the place.\n\
             - Try code in the live image (`repl_eval`), load with `load_system`, test with `run_tests`; ask `code_find_references` before a name changes.{systems}\n\
             - Without these tools, in a shell: `lispwright outline FILE`, `lispwright read FILE NAME`, `lispwright edit --help`, `lispwright check .`.\n",
            counts.join(", ")
        )
    }

    fn configuration(&self) -> String {
        let mut text = format!(
            "{HEAD}\n# It needs nothing here to read them: macros that define are understood from their own definitions.\n\
             # Where a macro computes what it defines, say which known head it is like; and name reader macros of your own.\n"
        );
        for name in self.dialects.keys() {
            let example = match *name {
                "common-lisp" => "# defroute = \"defun\"\n\n# [common-lisp.dispatch]\n# \"/\" = \"delimited\"\n",
                "clojure" => "# defroute = \"defn\"\n",
                "fennel" => "# defroute = \"fn\"\n",
                "janet" | "hy" => "# defroute = \"defn\"\n",
                _ => "# define-route = \"define\"\n",
            };
            let _ = write!(text, "\n# [{name}.forms]\n{example}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_added_renewed_and_taken_out_and_the_rest_stays() {
        for text in [None, Some("# Notes\n"), Some("# Notes\n\nNo end of line"), Some("# Notes\n\nMore.\n\n")] {
            let added = with_section(text, Some("one\n")).unwrap_or_default();
            assert!(added.starts_with(text.unwrap_or_default()) && added.contains("one\n"), "{added}");
            let renewed = with_section(Some(&added), Some("two\n")).unwrap_or_default();
            assert_eq!(renewed, added.replace("one\n", "two\n"));
            let left = with_section(Some(&renewed), None);
            assert_eq!(left.as_deref().map(str::trim_end), text.map(str::trim_end));
        }
        let between = with_section(Some(&format!("a\n\n{BEGIN}\nold\n{END}\nb\n")), Some("new\n"));
        assert_eq!(between, Some(format!("a\n\n{BEGIN}\nnew\n{END}\nb\n")));
        assert_eq!(with_section(Some("mine\n"), None).as_deref(), Some("mine\n"));
    }
}
