//! `lispwright token`: the named tokens of the clients of a server that listens on a network.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use clap::Subcommand;
use lispwright_project::{EditError, NewText, edit_private, read_private};
use lispwright_server::{NamedToken, read_roll, roll_with, roll_without};
use lispwright_tools::arguments::nearest;
use lispwright_words::timestamp;
use serde_json::{Value, json};

use super::complaint::Complaint;
use super::outcome::{failed, print_rendering};
use super::text::{print, print_json, shown};
use super::token_file;

/// Give each client of a network a token of its own, list them, revoke one.
#[derive(Debug, clap::Args)]
#[command(
    disable_help_subcommand = true,
    after_help = "Examples:\n  lispwright token add claude-code\n  lispwright token add ci --read-only\n  \
    lispwright token list\n  lispwright token revoke ci\n\n\
    A server accepts them beside its own token, without a new start. Each call in a transcript has the name.\n\
    A token is shown once, alone on standard output; a SHA-256 digest of it is kept, in ~/.local/state/lispwright/token.clients.\n\
    Exit code: 0; 1 the name is taken, or there is none; 2 the file could not be read or written."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, Subcommand)]
enum Act {
    /// Make a token, and show it this once
    Add {
        /// Name of the client: letters, digits and . _ -
        name: String,

        /// It may only use the tools that write nothing and run no code
        #[arg(long)]
        read_only: bool,

        #[command(flatten)]
        place: Place,
    },
    /// Show the names, what each may, and since when
    List {
        #[command(flatten)]
        place: Place,
    },
    /// End a token, and what its client has open
    Revoke {
        /// Name of the client
        name: String,

        #[command(flatten)]
        place: Place,
    },
}

/// Where the tokens are, and how the answer is printed.
#[derive(Debug, clap::Args)]
struct Place {
    /// File of the token of the server, beside which they are kept; that of `lispwright mcp --token-file`
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Why nothing was done.
enum Obstacle {
    /// The names do not allow it.
    Names(String),
    /// The command could not be tried.
    Failure(Complaint),
}

impl From<lispwright_project::Error> for Obstacle {
    fn from(error: lispwright_project::Error) -> Self {
        Self::Failure(error.into())
    }
}

pub(crate) fn run(args: Args) -> ExitCode {
    let (done, json) = match args.act {
        Act::Add { name, read_only, place } => (add(&name, read_only, &place), place.json),
        Act::List { place } => (list(&place), place.json),
        Act::Revoke { name, place } => (revoke(&name, &place), place.json),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Obstacle::Names(why)) => print_rendering(Complaint::new("BAD_ARGUMENT", why).0, json),
        Err(Obstacle::Failure(why)) => failed("token", json, why),
    }
}

fn add(name: &str, read_only: bool, place: &Place) -> Result<(), Obstacle> {
    let file = place.file()?;
    let token = token_file::fresh().map_err(|error| fault(format!("no token could be made: {error}")))?;
    let made = NamedToken::new(name, read_only, timestamp(SystemTime::now()), &token).map_err(fault)?;
    change(&file, |known, text| {
        if let Some(other) = known.iter().find(|other| other.name.eq_ignore_ascii_case(name)) {
            let other = &other.name;
            return Err(format!(
                "there is a token `{other}` already; end it with `lispwright token revoke {other}`, or take another name"
            ));
        }
        if known.len() >= NamedToken::MOST {
            return Err(format!("there are {} tokens; revoke some", known.len()));
        }
        Ok(roll_with(text, &made))
    })?;
    if place.json {
        let mut document = facts(&made);
        document["token"] = token.expose().into();
        document["file"] = file.display().to_string().into();
        print_json(&document);
        return Ok(());
    }
    print(token.expose());
    let may = if read_only { "may use the tools that write nothing and run no code" } else { "may use all tools" };
    // What stands on standard output is the token alone, for a file or a variable. A closed standard error is no fault.
    let _ = writeln!(
        std::io::stderr(),
        "`{name}` {may}. This token is not shown again; {} has a digest of it.\n\
         Over HTTP it is shown as: Authorization: Bearer TOKEN. Over TCP: lispwright bridge --token-file FILE, with the token in FILE.",
        shown(&file)
    );
    Ok(())
}

fn list(place: &Place) -> Result<(), Obstacle> {
    let file = place.file()?;
    let text = read_private(&file)?.unwrap_or_default();
    let known = read_roll(&file, &text).map_err(|damage| fault(damage.to_string()))?;
    if place.json {
        let tokens: Vec<Value> = known.iter().map(facts).collect();
        print_json(&json!({ "file": file.display().to_string(), "tokens": tokens }));
        return Ok(());
    }
    let width = known.iter().map(|token| token.name.len()).max().unwrap_or_default();
    let mut lines: Vec<String> = known
        .iter()
        .map(|token| {
            let may = if token.read_only { "read-only" } else { "all tools" };
            format!("{:width$}  {may}  since {}", token.name, token.since)
        })
        .collect();
    if lines.is_empty() {
        let none = "There is no named token here. `lispwright token add NAME` makes one, for";
        lines.push(format!("{none} {}.", shown(&file)));
    }
    print(&lines.join("\n"));
    Ok(())
}

fn revoke(name: &str, place: &Place) -> Result<(), Obstacle> {
    let file = place.file()?;
    let none = |known: &[NamedToken]| {
        let near = nearest(name, known.iter().map(|token| token.name.as_str()));
        let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        format!("there is no token `{name}`; {near}`lispwright token list` shows those that there are")
    };
    if read_private(&file)?.is_none() {
        return Err(Obstacle::Names(none(&[])));
    }
    change(&file, |known, text| {
        known.iter().find(|token| token.name == name).ok_or_else(|| none(known))?;
        Ok(roll_without(text, name))
    })?;
    if place.json {
        print_json(&json!({ "revoked": name, "file": file.display().to_string() }));
        return Ok(());
    }
    print(&format!(
        "`{name}` is revoked. Servers refuse it from now on; what its client has open there ends within two seconds, running \
         calls are cancelled. Images belong to no client and go on: `repl_control` with action kill ends one."
    ));
    Ok(())
}

impl Place {
    /// The file of the named tokens.
    fn file(&self) -> Result<PathBuf, Obstacle> {
        let file = self.token_file.clone().map_or_else(token_file::default_file, Ok);
        file.map(|file| token_file::clients_beside(&file)).map_err(fault)
    }
}

/// Replaces the text of the file of the named tokens; nobody else changes it meanwhile.
fn change(file: &Path, edit: impl FnOnce(&[NamedToken], &str) -> Result<String, String>) -> Result<(), Obstacle> {
    let edited = edit_private(file, |source| {
        let known = read_roll(file, source.text.as_bytes()).map_err(|damage| fault(damage.to_string()))?;
        edit(&known, &source.text).map(NewText::Text).map_err(Obstacle::Names)
    });
    match edited {
        Ok(_) => Ok(()),
        Err(EditError::Refused(why)) => Err(why),
        Err(EditError::Project(error)) => Err(error.into()),
    }
}

fn fault(why: String) -> Obstacle {
    Obstacle::Failure(Complaint::new("BAD_ARGUMENT", why))
}

/// What is known of a token.
fn facts(token: &NamedToken) -> Value {
    json!({ "name": token.name, "read_only": token.read_only, "since": token.since })
}
