//! `lisp_undo`: takes back what a call or command has written.

use std::time::SystemTime;

use lispwright_project::{KeptChange, SourceFile, Undo, UndoRefusal, UndoneFile, Which};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::refusal::Refusal;
use crate::several::{FileDiff, diff};
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// The most changes that are listed.
const MOST_LISTED: usize = 20;

/// Arguments of `lisp_undo`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LispUndo {
    /// Its number; default: the last
    #[serde(default)]
    pub change: Option<u64>,
    /// Show the diffs, write nothing
    #[serde(default)]
    pub dry_run: bool,
    /// Only list the changes
    #[serde(default)]
    pub list: bool,
}

/// A change that is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangeFacts {
    /// Its number.
    pub change: u64,
    /// The tool or command that made it.
    pub by: String,
    /// Its age in seconds.
    pub seconds_ago: u64,
    /// Its files, as calls name them.
    pub files: Vec<String>,
}

/// The effect of taking a change back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UndoAnswer {
    /// Nothing was written.
    pub dry_run: bool,
    /// The change that was taken back, or would be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone: Option<ChangeFacts>,
    /// The files that have their old bytes, or would have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileDiff>,
    /// The files among them that are gone, or would be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// The change before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earlier: Option<ChangeFacts>,
    /// The changes that are kept, the youngest first, at most 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ChangeFacts>,
    /// The number of all that are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<usize>,
}

/// Takes the last change back, or the one of a number; or lists them.
pub async fn lisp_undo(workshop: &Workshop, args: LispUndo, context: &CallContext) -> Result<UndoAnswer, Refusal> {
    let which = args.change.map_or(Which::LastOfUs, Which::Number);
    undo(workshop, args, which, context).await
}

/// The same for a person, whose last change is also that of an agent at work.
pub async fn undo_last(workshop: &Workshop, args: LispUndo, context: &CallContext) -> Result<UndoAnswer, Refusal> {
    let which = args.change.map_or(Which::Last, Which::Number);
    undo(workshop, args, which, context).await
}

async fn undo(workshop: &Workshop, args: LispUndo, which: Which, context: &CallContext) -> Result<UndoAnswer, Refusal> {
    let began = SystemTime::now();
    let home = workshop.clone();
    let answer = context.on_files(move || run(&home, &args, which)).await?;
    if !answer.dry_run {
        context.observe(&Event::FilesChanged { began, what: "undo", answer: &answer.clone().into() });
    }
    Ok(answer)
}

fn run(workshop: &Workshop, args: &LispUndo, which: Which) -> Result<UndoAnswer, Refusal> {
    let refused = |refusal| match refusal {
        UndoRefusal::Project(error) => Refusal::from(*error),
        refusal => Refusal::Undo { refusal: refusal.into(), root: workshop.roots.primary().to_owned() },
    };
    let changes = workshop.changes.as_ref().ok_or_else(|| refused(UndoRefusal::NothingKept))?;
    let facts = |change: &KeptChange| ChangeFacts::new(workshop, change);
    if args.list {
        let kept = workshop.roots.kept_changes(changes);
        let changes = kept.iter().take(MOST_LISTED).map(facts).collect();
        return Ok(UndoAnswer { changes, kept: Some(kept.len()), dry_run: true, ..UndoAnswer::default() });
    }
    let Undo { change, files, earlier } = workshop.roots.undo(changes, which, args.dry_run).map_err(refused)?;
    let removed = files.iter().filter(|file| file.to.is_none()).map(|file| file.path.clone()).collect();
    Ok(UndoAnswer {
        dry_run: args.dry_run,
        undone: Some(facts(&change)),
        removed,
        files: files.iter().map(shown).collect(),
        earlier: earlier.as_ref().map(facts),
        ..UndoAnswer::default()
    })
}

impl ChangeFacts {
    /// The facts of a change, with paths as calls name them.
    fn new(workshop: &Workshop, change: &KeptChange) -> Self {
        Self {
            change: change.number,
            by: change.what.clone(),
            seconds_ago: change.at.elapsed().map_or(0, |age| age.as_secs()),
            files: change.files.iter().map(|file| crate::several::shown(workshop, &file.path)).collect(),
        }
    }
}

/// The diff of a file; none of one that comes or goes.
fn shown(file: &UndoneFile) -> FileDiff {
    let text = |bytes: &Option<Vec<u8>>| {
        let file = bytes.as_ref().and_then(|bytes| SourceFile::decode(&file.path, &bytes[..]).ok());
        file.map(|file| file.text).unwrap_or_default()
    };
    let is_there = file.from.is_some() && file.to.is_some();
    FileDiff {
        path: file.path.clone(),
        changes: 1,
        diff: if is_there { diff(&text(&file.from), &text(&file.to)) } else { String::new() },
        created: file.from.is_none(),
        ..FileDiff::default()
    }
}
