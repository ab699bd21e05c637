//! `lisp_edit_batch`: several edits of forms in several files, all of them or none.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use lispwright_edit::{Edit, EditRefusal, Edited, FormPatch, Source, Target, edit, patch};
use lispwright_project::{Destination, MadeDirectories, NewText, SourceFile, Trial};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::formatting::{Neighbourhood, laid_out};
use crate::lisp_edit_form::{Changed, Done, EditAnswer, LispEditForm, not_told_twice, vacant};
use crate::lisp_patch_form::LispPatchForm;
use crate::lisp_read_file::yes;
use crate::news::{Rewritten, news};
use crate::problems::Problem;
use crate::refusal::Refusal;
use crate::several::{FileDiff, diff, refused};
use crate::tool::CallContext;
use crate::verify::{Verification, Verify, Wish, settled};
use crate::workshop::{Workshop, read_source};

/// Arguments of `lisp_edit_batch`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LispEditBatch {
    /// In order; each sees those before it
    #[schemars(length(min = 1, max = 200))]
    pub edits: Vec<BatchEdit>,
    /// Show the diffs, write nothing
    #[serde(default)]
    pub dry_run: bool,
    /// Alone: the candidate of a refusal
    #[serde(default)]
    pub accept: Option<String>,
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

/// As for lisp_edit_form or, for a patch, lisp_patch_form
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchEdit {
    /// Path
    pub path: String,
    /// Operation
    pub operation: Done,
    /// Name
    #[serde(default)]
    pub name: Option<String>,
    /// Form type
    #[serde(default)]
    pub form_type: Option<String>,
    /// Index
    #[serde(default)]
    pub index: Option<u32>,
    /// Line
    #[serde(default)]
    pub line: Option<u32>,
    /// Content
    #[serde(default)]
    pub content: Option<String>,
    /// For patch
    #[serde(default)]
    pub old_text: Option<String>,
    /// For patch
    #[serde(default)]
    pub new_text: Option<String>,
    /// Replace all
    #[serde(default)]
    pub replace_all: bool,
    /// Digest
    #[serde(default)]
    pub digest: Option<String>,
    /// Repair
    #[serde(default = "yes")]
    pub repair: bool,
    /// Format
    #[serde(default)]
    pub format: Option<bool>,
}

impl From<LispEditForm> for BatchEdit {
    fn from(args: LispEditForm) -> Self {
        Self {
            operation: args.operation.into(),
            path: args.path,
            name: args.name,
            form_type: args.form_type,
            index: args.index,
            line: args.line,
            content: args.content,
            old_text: None,
            new_text: None,
            replace_all: false,
            digest: args.digest,
            repair: args.repair,
            format: args.format,
        }
    }
}

impl From<LispPatchForm> for BatchEdit {
    fn from(args: LispPatchForm) -> Self {
        Self {
            operation: Done::Patch,
            path: args.path,
            name: args.name,
            form_type: args.form_type,
            index: args.index,
            line: args.line,
            content: None,
            old_text: Some(args.old_text),
            new_text: Some(args.new_text),
            replace_all: args.replace_all,
            digest: args.digest,
            repair: args.repair,
            format: Some(false),
        }
    }
}

/// The effect of several edits, or of their dry run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BatchAnswer {
    /// Nothing was written.
    pub dry_run: bool,
    /// The edits in their order, each as `lisp_edit_form` answers.
    pub edits: Vec<EditAnswer>,
    /// The files that change, or would change.
    pub files: Vec<FileDiff>,
    /// The verification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification: Option<Box<Verification>>,
    /// Problems that were not there before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_problems: Vec<Problem>,
    /// The reader asked for the diffs of what is written, too.
    #[serde(skip)]
    pub shows_diff: bool,
}

/// Makes several edits.
pub async fn lisp_edit_batch(
    workshop: &Workshop,
    args: LispEditBatch,
    context: &CallContext,
) -> Result<BatchAnswer, Refusal> {
    let began = SystemTime::now();
    let wish = Wish {
        verify: args.verify,
        system: args.system,
        load: args.load,
        session: args.session,
        runtime: args.runtime,
    };
    let answer = batch(workshop, args.edits, args.dry_run, &wish, context).await?;
    if !answer.dry_run && !answer.files.is_empty() {
        context.observe(&Event::FilesChanged { began, what: "edits", answer: &answer.clone().into() });
    }
    Ok(answer)
}

/// Makes one edit, with its verification.
pub(crate) async fn edit_verified(
    workshop: &Workshop,
    edit: BatchEdit,
    wish: &Wish,
    context: &CallContext,
) -> Result<EditAnswer, Refusal> {
    let done = batch(workshop, vec![edit], false, wish, context).await;
    let BatchAnswer { mut edits, verification, files, new_problems, .. } = done.map_err(|refusal| match refusal {
        Refusal::InBatch { refusal, .. } => *refusal,
        refusal => refusal,
    })?;
    let mut answer = edits.pop().ok_or_else(|| Refusal::Ended { why: "the edit has no answer".to_owned() })?;
    answer.has_other_names = files.iter().any(|file| file.has_other_names);
    answer.verification = verification;
    answer.new_problems = new_problems;
    Ok(answer)
}

async fn batch(
    workshop: &Workshop,
    edits: Vec<BatchEdit>,
    dry_run: bool,
    wish: &Wish,
    context: &CallContext,
) -> Result<BatchAnswer, Refusal> {
    let home = workshop.clone();
    let (made, trial) = context.on_files(move || make(&home, &edits, dry_run)).await?;
    let Made { edits, mut files, directories, rewritten } = made;
    let verification = match trial {
        Some(trial) => match settled(workshop, trial, &mut files, wish, context).await {
            Ok(verification) => verification,
            Err(mut refusal) => {
                directories.into_iter().for_each(MadeDirectories::undo);
                if let Refusal::NotVerified { repaired, .. } = &mut refusal {
                    let repair = |one: EditAnswer| Some((one.path, one.operation, one.repair?));
                    *repaired = edits.into_iter().filter_map(repair).collect();
                }
                return Err(refusal);
            }
        },
        None => None,
    };
    let home = workshop.clone();
    let mut new_problems = context.on_files(move || Ok(news(&home, rewritten))).await?;
    not_told_twice(&mut new_problems, edits.iter().flat_map(|edit| &edit.remarks));
    Ok(BatchAnswer { dry_run, edits, files, verification, new_problems, shows_diff: false })
}

/// What edits make of their files.
struct Made {
    edits: Vec<EditAnswer>,
    files: Vec<FileDiff>,
    /// The directories that were made for new files.
    directories: Vec<MadeDirectories>,
    /// The texts of the files.
    rewritten: Vec<Rewritten>,
}

/// Makes the edits, and writes the files unless it is a dry run.
fn make(workshop: &Workshop, edits: &[BatchEdit], dry_run: bool) -> Result<(Made, Option<Trial>), Refusal> {
    let mut targets: Vec<Destination> = Vec::new();
    for one in edits {
        let path = PathBuf::from(&one.path);
        if !targets.iter().any(|target| target.path == path) {
            targets.push(Destination { path, may_be_new: one.operation == Done::Append });
        }
    }
    if dry_run {
        let read = |target: &Destination| {
            let vacant = if target.may_be_new { vacant(workshop, &target.path)? } else { None };
            Ok(match vacant {
                Some((file, _)) => file,
                None => workshop.roots.read(&target.path)?,
            })
        };
        let sources = targets.iter().map(read).collect::<Result<Vec<SourceFile>, Refusal>>()?;
        let sources: Vec<&SourceFile> = sources.iter().collect();
        return Ok((texts(workshop, &targets, &sources, edits, true)?.0, None));
    }
    let mut directories = Vec::new();
    let tried = written(workshop, &targets, edits, &mut directories);
    match tried {
        Ok((made, trial)) => Ok((Made { directories, ..made }, Some(trial))),
        Err(refusal) => {
            directories.into_iter().for_each(MadeDirectories::undo);
            Err(refusal)
        }
    }
}

/// Writes what the edits make of the files, with the directories that these need.
fn written(
    workshop: &Workshop,
    targets: &[Destination],
    edits: &[BatchEdit],
    directories: &mut Vec<MadeDirectories>,
) -> Result<(Made, Trial), Refusal> {
    for target in targets.iter().filter(|target| target.may_be_new) {
        directories.push(workshop.roots.make_directories(&target.path)?);
    }
    let mut made = None;
    let trial = workshop.roots.edit_several(targets, |sources| {
        let (done, new) = texts(workshop, targets, sources, edits, false)?;
        made = Some(done);
        Ok(new)
    });
    let trial = trial.map_err(refused)?;
    let made = made.ok_or_else(|| Refusal::Ended { why: "the edits were not tried".to_owned() })?;
    Ok((made, trial))
}

/// The new texts of the files, with what was done.
fn texts(
    workshop: &Workshop,
    targets: &[Destination],
    sources: &[&SourceFile],
    edits: &[BatchEdit],
    dry_run: bool,
) -> Result<(Made, Vec<NewText>), Refusal> {
    let mut present: Vec<SourceFile> = sources.iter().copied().cloned().collect();
    let mut answers = Vec::new();
    for (number, one) in edits.iter().enumerate() {
        let at = targets.iter().position(|target| target.path == Path::new(&one.path)).unwrap_or_default();
        let file = &mut present[at];
        let edited = one.on(workshop, file).map_err(|refusal| Refusal::InBatch {
            edit: number + 1,
            edits: edits.len(),
            refusal: Box::new(refusal),
            others: None,
        })?;
        file.text.clone_from(&edited.text);
        let (path, before) = (file.path.clone(), String::new());
        let changed = Changed { path, edited, before, asking: None, made_beside: None, has_other_names: false };
        answers.push(changed.answer(one.operation, dry_run));
    }
    let (mut files, mut rewritten) = (Vec::new(), Vec::new());
    let mut new = Vec::new();
    for ((source, present), target) in sources.iter().zip(present).zip(targets) {
        if source.text == present.text {
            new.push(NewText::Unchanged);
            continue;
        }
        let changes = answers.iter().filter(|answer| answer.path == source.path && answer.would_change).count();
        files.push(FileDiff {
            path: source.path.clone(),
            changes,
            diff: diff(&source.text, &present.text),
            created: target.may_be_new && source.text.is_empty(),
            ..FileDiff::default()
        });
        let (path, before, after) = (source.path.clone(), source.text.clone(), present.text.clone());
        rewritten.push(Rewritten { path, before, after });
        new.push(NewText::Text(present.text));
    }
    Ok((Made { edits: answers, files, directories: Vec::new(), rewritten }, new))
}

impl BatchEdit {
    /// The edit of a file.
    fn on(&self, workshop: &Workshop, file: &SourceFile) -> Result<Edited, Refusal> {
        let language = workshop.workspace.lisp_language_of(file)?;
        let source = read_source(file, &language);
        self.check()?;
        self.of(workshop, &source).map_err(|fault| Refusal::text(&file.path, fault))
    }

    /// Refuses a patch without its texts.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        let lacks_text = self.old_text.is_none() || self.new_text.is_none();
        match self.operation {
            Done::Patch if lacks_text => {
                Err(Refusal::Misfit { why: "a patch needs `old_text` and `new_text`".to_owned() })
            }
            _ => Ok(()),
        }
    }

    /// The edit of a text, laid out if the edit or the configuration of the project says so.
    pub(crate) fn of(&self, workshop: &Workshop, source: &Source<'_>) -> Result<Edited, EditRefusal> {
        let edited = self.edited(source)?;
        let own = workshop.workspace.absolute(&self.path);
        let known = workshop.workspace.languages_in(own.parent().unwrap_or(&own));
        let formatting = known.map(|languages| languages.formatting()).unwrap_or_default();
        if !self.format.unwrap_or(formatting.edits && self.operation != Done::Patch) {
            return Ok(edited);
        }
        let text_of = |path: &Path| workshop.roots.read(path).ok().map(|file| file.text);
        let language = source.tree.language();
        let around = Neighbourhood::of(own.parent().unwrap_or(&own), language, formatting.style, text_of);
        Ok(laid_out(edited, source, &around.layout_of(&own, source.text, language)))
    }

    fn edited(&self, source: &Source<'_>) -> Result<Edited, EditRefusal> {
        let target = Target {
            name: self.name.as_deref(),
            form_type: self.form_type.as_deref(),
            index: self.index,
            line: self.line,
        };
        let digest = self.digest.as_deref();
        let Some(operation) = self.operation.on_form() else {
            let (old_text, new_text) = (self.old_text.as_deref(), self.new_text.as_deref());
            let (old_text, new_text) = (old_text.unwrap_or_default(), new_text.unwrap_or_default());
            let (replace_all, repair) = (self.replace_all, self.repair);
            return patch(source, &FormPatch { target, old_text, new_text, replace_all, digest, repair });
        };
        edit(source, &Edit { operation, target, content: self.content.as_deref(), digest, repair: self.repair })
    }
}
