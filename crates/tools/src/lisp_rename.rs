//! `lisp_rename`: gives a name of the project another name, in all its files.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use lispwright_index::Refreshed;
use lispwright_project::{MadeDirectories, SetAside, Trial};
use lispwright_refactor::{MentionKind, Rename, RenameRequest, rename_any};
use lispwright_syntax::head;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::code_live::{named, plain_name, within};
use crate::event::Event;
use crate::indexed::{indexed_with, left_out};
use crate::lisp_read_file::{MOST, yes};
use crate::refusal::Refusal;
use crate::rename_image::{self, Told};
use crate::several::{FileDiff, NewFile, shown, write};
use crate::tool::CallContext;
use crate::verify::{Verification, Verify, Wish, settled};
use crate::workshop::Workshop;

/// Mentions that are listed.
const MOST_MENTIONS: usize = 200;

/// Arguments of `lisp_rename`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LispRename {
    /// foo, pkg:foo, class.slot, :ns/kw
    pub symbol: String,
    /// Without package
    pub new_name: String,
    /// Package
    #[serde(default)]
    pub package: Option<String>,
    /// Of its definition
    #[serde(default)]
    pub path: Option<String>,
    /// docstrings, comments, strings, quoted, disabled, keywords
    #[serde(default)]
    pub also: Vec<String>,
    /// False writes
    #[serde(default = "yes")]
    pub dry_run: bool,
    /// Taken back if it fails
    #[serde(default)]
    pub verify: Verify,
    /// What verify loads or tests; default: the systems or files that are changed
    #[serde(default)]
    pub system: Option<String>,
    /// Load
    #[serde(default)]
    pub load: bool,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
    /// Runtime
    #[serde(default)]
    pub runtime: Option<String>,
}

/// The effect of a rename, or of its dry run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RenameAnswer {
    /// The name.
    pub symbol: String,
    /// The new name.
    pub new_name: String,
    /// Its package, module or namespace, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Nothing was written.
    pub dry_run: bool,
    /// The names that change: the name itself, then those that its definition derives.
    pub names: Vec<NameChange>,
    /// The files that change, or would change.
    pub files: Vec<FileDiff>,
    /// Files that get another name, or would get it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<NameChange>,
    /// The number of changed places.
    pub changes: usize,
    /// The changed places.
    pub places: Vec<RenamePlace>,
    /// Places where code makes names from parts, which may be this one; they stay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub possible: Vec<RenamePlace>,
    /// The changed uses by kind.
    pub uses: Vec<UseCount>,
    /// Mentions in texts and data that stay, as many as are listed.
    pub mentions: Vec<MentionFacts>,
    /// How many mentions stay.
    pub mention_count: usize,
    /// The verification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification: Option<Box<Verification>>,
    /// The label of the definition.
    #[serde(skip)]
    pub label: String,
    /// The number of definitions.
    #[serde(skip)]
    pub definitions: usize,
    /// The number of changed mentions.
    #[serde(skip)]
    pub changed_mentions: usize,
    /// Packages outside of the project that have the name for some files.
    #[serde(skip)]
    pub strangers: Vec<String>,
    /// Functions of a slot that are written out, and stay.
    #[serde(skip)]
    pub kept: Vec<String>,
    /// Files that were not looked at.
    #[serde(skip)]
    pub left_out: Vec<String>,
    /// Files and directories that ignore files name.
    #[serde(skip)]
    pub ignored: Vec<String>,
}

/// A place in a file as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RenamePlace {
    /// The file, as calls name it.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// A name and its new name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NameChange {
    /// The name.
    pub from: String,
    /// The new one.
    pub to: String,
}

/// The number of uses of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UseCount {
    /// The kind.
    pub kind: String,
    /// Their number.
    pub count: usize,
}

/// A mention of the name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MentionFacts {
    /// The file, as calls name it.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// Its kind.
    pub kind: String,
    /// The line itself.
    pub text: String,
}

/// Renames, or shows what a rename would change.
pub async fn lisp_rename(
    workshop: &Workshop,
    args: LispRename,
    context: &CallContext,
) -> Result<RenameAnswer, Refusal> {
    let began = SystemTime::now();
    context.turn().await;
    let also = kinds(&args.also)?;
    let is_here = within(workshop, args.path.as_deref())?;
    let symbol = named(args.symbol.clone())?;
    let dry_run = args.dry_run;
    let wish = Wish {
        verify: args.verify,
        system: args.system,
        load: args.load,
        session: args.session,
        runtime: args.runtime,
    };
    let asked = Asked { symbol, package: args.package, new_name: args.new_name.trim().to_owned(), also, dry_run };
    let session = wish.session.as_deref();
    let uses =
        rename_image::uses(workshop, session, plain_name(&asked.symbol), asked.package.as_deref(), context).await?;
    let mut planned = plan(workshop, &asked, is_here.clone(), uses.clone(), Told::new(), context).await;
    if let Err(refusal) = &planned {
        let told = rename_image::told(workshop, session, refusal, context).await?;
        if !told.is_empty() {
            planned = plan(workshop, &asked, is_here, uses, told, context).await;
        }
    }
    let (mut answer, trial, moving) = planned?;
    if let Some(trial) = trial {
        // A file that moves is verified where it is now.
        answer.verification = settled(workshop, trial, &mut answer.files, &wish, context).await?;
        moving.done();
    }
    workshop.shown.of(&mut answer.files, answer.dry_run);
    if !answer.dry_run {
        context.observe(&Event::FilesChanged { began, what: "rename", answer: &answer.clone().into() });
    }
    Ok(answer)
}

/// Files that get another name: the old ones are set aside until it is known that the new ones stay.
#[derive(Default)]
struct Moving {
    aside: Vec<SetAside>,
    made: Vec<MadeDirectories>,
}

impl Moving {
    /// Sets the old files aside, makes the directories of the new ones, and has `files` written at their new places.
    fn begin(workshop: &Workshop, files: &mut [NewFile], moves: &[(PathBuf, PathBuf)]) -> Result<Self, Refusal> {
        let mut moving = Self::default();
        for (from, to) in moves {
            let Some(file) = files.iter_mut().find(|file| file.path == *from) else { continue };
            moving.made.push(workshop.roots.make_directories(to)?);
            let aside = workshop.roots.set_aside(from, &file.old_text)?;
            let path = || from.to_string_lossy().into_owned();
            moving.aside.push(aside.ok_or_else(|| Refusal::ChangedMeanwhile { path: path() })?);
            to.clone_into(&mut file.path);
            file.is_new = true;
            file.old_text.clear();
        }
        Ok(moving)
    }

    /// The new files stay.
    fn done(mut self) {
        self.made.clear();
        self.aside.drain(..).for_each(SetAside::remove);
    }
}

impl Drop for Moving {
    fn drop(&mut self) {
        self.aside.clear();
        self.made.drain(..).for_each(MadeDirectories::undo);
    }
}

/// What is asked.
#[derive(Clone)]
struct Asked {
    symbol: String,
    package: Option<String>,
    new_name: String,
    also: Vec<MentionKind>,
    dry_run: bool,
}

/// Plans the rename, and writes it unless it is a dry run. `uses` and `told` are what a live image knows.
async fn plan(
    workshop: &Workshop,
    asked: &Asked,
    is_here: impl Fn(&str) -> bool + Send + Sync + 'static,
    uses: Vec<(PathBuf, u32, u32)>,
    told: Told,
    context: &CallContext,
) -> Result<(RenameAnswer, Option<Trial>, Moving), Refusal> {
    let (home, asked) = (workshop.clone(), asked.clone());
    indexed_with(workshop, context, move |index, refreshed, language_of| {
        let is_here = |path: &Path| is_here(&path.to_string_lossy());
        let request = RenameRequest {
            symbol: &asked.symbol,
            package: asked.package.as_deref(),
            new_name: &asked.new_name,
            is_here: &is_here,
            told: &|space, written| told.get(&(space.to_owned(), written.to_owned())).copied(),
            also: &asked.also,
            language_of,
        };
        let planned = rename_any(index, &request);
        let planned = planned.and_then(|planned| {
            rename_image::check(index, &planned, &uses)?;
            Ok(planned)
        });
        let planned = planned.map_err(|refusal| {
            let root = home.roots.primary().to_owned();
            Refusal::Rename { symbol: asked.symbol.clone(), refusal: Box::new(refusal), root }
        })?;
        let answer = answer(&home, &planned, refreshed, asked.dry_run);
        if asked.dry_run {
            return Ok((answer, None, Moving::default()));
        }
        let mut files: Vec<NewFile> = planned.files.into_iter().map(NewFile::from).collect();
        let moving = Moving::begin(&home, &mut files, &planned.moves)?;
        let trial = write(&home, &files)?;
        Ok::<_, Refusal>((answer, Some(trial), moving))
    })
    .await?
}

impl From<lispwright_refactor::RemadeFile> for NewFile {
    fn from(file: lispwright_refactor::RemadeFile) -> Self {
        Self { path: file.path, is_new: false, old_text: file.old_text, new_text: file.new_text }
    }
}

/// The kinds of mentions by their names.
fn kinds(names: &[String]) -> Result<Vec<MentionKind>, Refusal> {
    let kind = |name: &String| {
        let name = name.trim();
        if name == "all" {
            return Ok(MentionKind::ALL.to_vec());
        }
        let found = MentionKind::ALL.into_iter().find(|kind| kind.name() == name);
        let known = || MentionKind::ALL.map(MentionKind::name).to_vec();
        found.map(|kind| vec![kind]).ok_or_else(|| Refusal::NoMention { given: name.to_owned(), known: known() })
    };
    let found: Result<Vec<Vec<MentionKind>>, Refusal> = names.iter().map(kind).collect();
    Ok(found?.concat())
}

fn place_facts(workshop: &Workshop, path: &Path, line: u32, column: u32) -> RenamePlace {
    RenamePlace { path: shown(workshop, path), line, column }
}

fn answer(workshop: &Workshop, planned: &Rename, refreshed: &Refreshed, dry_run: bool) -> RenameAnswer {
    let file = |file: &lispwright_refactor::RemadeFile| FileDiff {
        path: shown(workshop, &file.path),
        changes: file.count(),
        diff: head(&file.diff, MOST).0.to_owned(),
        ..FileDiff::default()
    };
    let mut files: Vec<FileDiff> = planned.files.iter().map(file).collect();
    let moves: Vec<NameChange> = planned
        .moves
        .iter()
        .map(|(from, to)| NameChange { from: shown(workshop, from), to: shown(workshop, to) })
        .collect();
    for file in &mut files {
        if let Some(moved) = moves.iter().find(|moved| moved.from == file.path) {
            file.path.clone_from(&moved.to);
        }
    }
    let mut uses: Vec<UseCount> = Vec::new();
    for (kind, count) in planned.files.iter().flat_map(|file| &file.uses) {
        match uses.iter_mut().find(|known| known.kind == kind.name()) {
            Some(known) => known.count += count,
            None => uses.push(UseCount { kind: kind.name().to_owned(), count: *count }),
        }
    }
    let order = |kind: &str| lispwright_index::UseKind::ALL.iter().position(|known| known.name() == kind);
    uses.sort_by_key(|one| order(&one.kind));
    let mention = |one: &lispwright_refactor::NameMention| MentionFacts {
        path: shown(workshop, &one.path),
        line: one.line,
        column: one.column,
        kind: one.kind.name().to_owned(),
        text: head(&one.text, 200).0.to_owned(),
    };
    let (from, to) = planned.names.first().cloned().unwrap_or_default();
    let root = workshop.roots.primary();
    RenameAnswer {
        symbol: from,
        new_name: to,
        package: Some(planned.symbol.space.clone()).filter(|space| !space.is_empty() && !space.starts_with("file:")),
        dry_run,
        names: planned.names.iter().cloned().map(|(from, to)| NameChange { from, to }).collect(),
        places: planned
            .files
            .iter()
            .flat_map(|file| {
                file.places.iter().map(|place| place_facts(workshop, &file.path, place.line, place.column))
            })
            .collect(),
        possible: planned
            .possible
            .iter()
            .map(|spot| place_facts(workshop, &spot.path, spot.line, spot.column))
            .collect(),
        moves,
        changes: files.iter().map(|file| file.changes).sum(),
        files,
        uses,
        mentions: planned.left.iter().take(MOST_MENTIONS).map(mention).collect(),
        mention_count: planned.left.len(),
        label: planned.label.clone(),
        definitions: planned.definitions,
        verification: None,
        changed_mentions: planned.files.iter().map(|file| file.mentions).sum(),
        strangers: planned.strangers.clone(),
        kept: planned.kept.clone(),
        left_out: left_out(&refreshed.left_out, root),
        ignored: left_out(&refreshed.ignored, root),
    }
}
