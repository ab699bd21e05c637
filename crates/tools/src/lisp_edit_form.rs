//! `lisp_edit_form`: replaces, inserts, appends and deletes whole forms.

use std::path::Path;

use std::sync::Arc;
use std::time::SystemTime;

use lispwright_edit as text;
use lispwright_edit::{Edited, FormOperation, Source};
use lispwright_project::{EditError, Error, NewText, SourceFile};
use lispwright_syntax::head;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::facts::LineChangeFacts;
use crate::lisp_edit_batch::{BatchEdit, edit_verified};
use crate::lisp_read_file::{MOST, yes};
use crate::news::{Asking, Rewritten, asked};
use crate::problems::Problem;
use crate::refusal::Refusal;
use crate::tool::CallContext;
use crate::verify::{Verification, Verify, Wish};
use crate::workshop::{Workshop, read_source};

/// The operation on a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EditOperation {
    /// Put one form in its place, with those that it needs before and after it.
    Replace,
    /// Put forms before it.
    InsertBefore,
    /// Put forms after it.
    InsertAfter,
    /// Put forms at the end of the file, which is created if it is missing.
    Append,
    /// Remove it.
    Delete,
}

impl From<EditOperation> for FormOperation {
    fn from(operation: EditOperation) -> Self {
        match operation {
            EditOperation::Replace => Self::Replace,
            EditOperation::InsertBefore => Self::InsertBefore,
            EditOperation::InsertAfter => Self::InsertAfter,
            EditOperation::Append => Self::Append,
            EditOperation::Delete => Self::Delete,
        }
    }
}

/// Arguments of `lisp_edit_form`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LispEditForm {
    /// Path
    pub path: String,
    /// Operation
    pub operation: EditOperation,
    /// What the form defines; not for append
    #[serde(default)]
    pub name: Option<String>,
    /// Head, such as defun
    #[serde(default)]
    pub form_type: Option<String>,
    /// Index
    #[serde(default)]
    pub index: Option<u32>,
    /// Line
    #[serde(default)]
    pub line: Option<u32>,
    /// Forms; for replace the new one and its helpers
    #[serde(default)]
    pub content: Option<String>,
    /// From lisp_read_form: refused if changed since
    #[serde(default)]
    pub digest: Option<String>,
    /// Show the diff, write nothing
    #[serde(default)]
    pub dry_run: bool,
    /// Repair
    #[serde(default = "yes")]
    pub repair: bool,
    /// Lay the form out
    #[serde(default)]
    pub format: Option<bool>,
    /// Alone: a candidate of a refusal, such as c1
    #[serde(default)]
    pub accept: Option<String>,
    /// Verify
    #[serde(default)]
    pub verify: Verify,
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

/// The effect of an edit or a patch, or of its dry run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EditAnswer {
    /// The file, as the project calls it.
    pub path: String,
    /// The operation.
    pub operation: Done,
    /// Head of the form, as written.
    pub form_type: String,
    /// Its name, as written; empty if it has none.
    pub form_name: String,
    /// The text has changed, or would change.
    pub would_change: bool,
    /// Unified diff, without file names; at most 40,000 characters of it.
    pub diff: String,
    /// Digest of the edited form or of the first inserted one; absent after a deletion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The scalar values that a patch added, minus those that it removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<i64>,
    /// First line of the new source, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u32>,
    /// Its last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// The repair of new source that did not balance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<RepairFacts>,
    /// Effects that the caller may not expect, a sentence each; empty until the answer is rendered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The same as facts.
    #[serde(skip)]
    pub remarks: Vec<text::Note>,
    /// The file has other names, which keep the old text.
    #[serde(skip)]
    pub has_other_names: bool,
    /// The label of the form in answers and its address.
    #[serde(skip)]
    pub label: String,
    /// The file was created, or would be.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub created: bool,
    /// Existing files whose names resemble that of the new file.
    #[serde(skip)]
    pub beside: Vec<String>,
    /// The whole text, the addressed form as it was, and as it is now.
    #[serde(skip)]
    pub texts: EditedTexts,
    /// The call was a dry run.
    #[serde(skip)]
    pub dry_run: bool,
    /// The reader asked for the diff of what is written, too.
    #[serde(skip)]
    pub shows_diff: bool,
    /// The verification of the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification: Option<Box<Verification>>,
    /// Problems that were not there before the change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_problems: Vec<Problem>,
}

impl EditAnswer {
    /// Reports the changed file to observers.
    pub(crate) fn observed(&self, began: SystemTime, context: &CallContext) {
        if self.would_change && !self.dry_run {
            context.observe(&Event::FileChanged { began, answer: self });
        }
    }
}

/// The texts before and after an edit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditedTexts {
    /// The whole new text of the file.
    pub file: String,
    /// The addressed form as it was; empty when forms are appended.
    pub before: String,
    /// That form, or the first inserted one, as it is now; empty after a deletion.
    pub after: String,
}

/// The operation of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Done {
    /// A form replaced another.
    Replace,
    /// Forms were put before one.
    InsertBefore,
    /// Forms were put after one.
    InsertAfter,
    /// Forms were put at the end.
    Append,
    /// A form was removed.
    Delete,
    /// Text inside a form was changed.
    Patch,
}

impl Done {
    /// The operation on a whole form; `None` for a patch.
    pub(crate) const fn on_form(self) -> Option<FormOperation> {
        Some(match self {
            Self::Replace => FormOperation::Replace,
            Self::InsertBefore => FormOperation::InsertBefore,
            Self::InsertAfter => FormOperation::InsertAfter,
            Self::Append => FormOperation::Append,
            Self::Delete => FormOperation::Delete,
            Self::Patch => return None,
        })
    }
}

impl From<EditOperation> for Done {
    fn from(operation: EditOperation) -> Self {
        match operation {
            EditOperation::Replace => Self::Replace,
            EditOperation::InsertBefore => Self::InsertBefore,
            EditOperation::InsertAfter => Self::InsertAfter,
            EditOperation::Append => Self::Append,
            EditOperation::Delete => Self::Delete,
        }
    }
}

/// The repair of new source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RepairFacts {
    /// The changed lines.
    pub lines: Vec<LineChangeFacts>,
    /// The evidence, a sentence each.
    pub evidence: Vec<String>,
}

/// Edits a file by form.
pub async fn lisp_edit_form(
    workshop: &Workshop,
    args: LispEditForm,
    context: &CallContext,
) -> Result<EditAnswer, Refusal> {
    let wish = Wish {
        verify: args.verify,
        load: args.load,
        session: args.session.clone(),
        runtime: args.runtime.clone(),
        ..Wish::default()
    };
    let dry_run = args.dry_run;
    edit_alone(workshop, args.into(), dry_run, &wish, context).await
}

/// Makes one edit, with its verification, and reports the changed file.
pub(crate) async fn edit_alone(
    workshop: &Workshop,
    edit: BatchEdit,
    dry_run: bool,
    wish: &Wish,
    context: &CallContext,
) -> Result<EditAnswer, Refusal> {
    let began = SystemTime::now();
    let answer = if wish.is_any() && !dry_run {
        edit_verified(workshop, edit, wish, context).await?
    } else {
        let workshop = workshop.clone();
        context.on_files(move || run(&workshop, &edit, dry_run)).await?
    };
    answer.observed(began, context);
    Ok(answer)
}

fn run(workshop: &Workshop, edit: &BatchEdit, dry_run: bool) -> Result<EditAnswer, Refusal> {
    edit.check()?;
    let make = |source: &Source<'_>| edit.of(workshop, source);
    let made = match edit.operation {
        Done::Append => create(workshop, &edit.path, dry_run, make)?,
        _ => None,
    };
    let mut changed = made.map_or_else(|| change(workshop, &edit.path, dry_run, make), Ok)?;
    let (before, asking) = (std::mem::take(&mut changed.before), changed.asking.take());
    let mut answer = changed.answer(edit.operation, dry_run);
    if answer.would_change {
        let now = || Rewritten { path: answer.path.clone(), before, after: answer.texts.file.clone() };
        answer.new_problems = asking.unwrap_or_else(|| asked(workshop, vec![now()])).answer();
        not_told_twice(&mut answer.new_problems, &answer.remarks);
    }
    Ok(answer)
}

/// Takes out the problems that a remark on the edit tells already.
pub(crate) fn not_told_twice<'r>(problems: &mut Vec<Problem>, remarks: impl IntoIterator<Item = &'r text::Note>) {
    let is_told = |remark: &text::Note| matches!(remark, text::Note::Unexpected(text::Unexpected::DefinedTwice { .. }));
    if remarks.into_iter().any(is_told) {
        problems.retain(|problem| problem.code != "duplicate-definition");
    }
}

/// An edit of a file.
pub(crate) struct Changed {
    /// The file, as the project calls it.
    pub(crate) path: String,
    pub(crate) edited: Edited,
    /// The text of the file before.
    pub(crate) before: String,
    /// Where it was written, what is looked for since before.
    pub(crate) asking: Option<Asking>,
    /// For a new file, the existing ones with similar names.
    pub(crate) made_beside: Option<Vec<String>>,
    /// The file has other names, which keep the old text.
    pub(crate) has_other_names: bool,
}

/// Runs `make` on the text of a Lisp file.
fn attempt(
    workshop: &Workshop,
    file: &SourceFile,
    make: impl FnOnce(&Source<'_>) -> Result<Edited, text::EditRefusal>,
) -> Result<Edited, Refusal> {
    let language = workshop.workspace.lisp_language_of(file)?;
    make(&read_source(file, &language)).map_err(|fault| Refusal::text(&file.path, fault))
}

/// The refusal of a file that cannot be edited; a missing one could be created.
fn unusable(error: Error) -> Refusal {
    match error.code() {
        "FILE_NOT_FOUND" => Refusal::NoFile(Arc::new(error)),
        _ => error.into(),
    }
}

/// Runs `make` on an empty text and creates the file with the result, unless it is a dry run; `None` if the file
/// exists.
fn create(
    workshop: &Workshop,
    path: &str,
    dry_run: bool,
    make: impl Fn(&Source<'_>) -> Result<Edited, text::EditRefusal>,
) -> Result<Option<Changed>, Refusal> {
    let Some((file, nearest)) = vacant(workshop, Path::new(path)).map_err(unusable)? else { return Ok(None) };
    let edited = attempt(workshop, &file, make)?;
    let made = |path| {
        let (edited, made_beside) = (edited.clone(), Some(nearest));
        Ok(Some(Changed { path, edited, before: String::new(), asking: None, made_beside, has_other_names: false }))
    };
    if dry_run {
        return made(file.path);
    }
    let directories = workshop.roots.make_directories(Path::new(path))?;
    match workshop.roots.create_new(Path::new(path), &edited.text) {
        Ok(written) => made(written.path),
        // Another process has created it meanwhile.
        Err(Error::AlreadyExists { .. }) => Ok(None),
        Err(error) => {
            directories.undo();
            Err(error.into())
        }
    }
}

/// The file that can be made at a path where nothing is, and existing paths with similar names; `None` if something is
/// there. Directories on the way may be missing.
pub(crate) fn vacant(workshop: &Workshop, path: &Path) -> Result<Option<(SourceFile, Vec<String>)>, Error> {
    match workshop.roots.vacant(path) {
        // A name that resembles one that is there is a slip.
        Err(error @ Error::NotFound { .. }) if error.candidates().is_empty() => {
            Ok(Some((SourceFile::decode(&path.display().to_string(), b"")?, Vec::new())))
        }
        found => found,
    }
}

/// Runs `make` on a file and writes the result, unless it is a dry run.
fn change(
    workshop: &Workshop,
    path: &str,
    dry_run: bool,
    make: impl FnOnce(&Source<'_>) -> Result<Edited, text::EditRefusal>,
) -> Result<Changed, Refusal> {
    if dry_run {
        let file = workshop.roots.read(Path::new(path)).map_err(unusable)?;
        let edited = attempt(workshop, &file, make)?;
        return Ok(Changed {
            path: file.path,
            edited,
            before: file.text,
            asking: None,
            made_beside: None,
            has_other_names: false,
        });
    }
    let mut done = None;
    let written = workshop.roots.edit(Path::new(path), |file| {
        let edited = attempt(workshop, file, make)?;
        let (path, before, after) = (file.path.clone(), file.text.clone(), edited.text.clone());
        // The disk takes its time.
        let asking = edited.changed.then(|| asked(workshop, vec![Rewritten { path, before, after }]));
        let text = if edited.changed { NewText::Text(edited.text.clone()) } else { NewText::Unchanged };
        done = Some((edited, file.text.clone(), asking));
        Ok(text)
    });
    match written {
        Ok(written) => {
            let (edited, before, asking) = done.expect("an edit that succeeds has run");
            let has_other_names = written.other_names > 0;
            Ok(Changed { path: written.path, edited, before, asking, made_beside: None, has_other_names })
        }
        Err(EditError::Refused(refusal)) => Err(refusal),
        Err(EditError::Project(error)) => Err(unusable(error)),
    }
}

impl Changed {
    /// The answer about it.
    pub(crate) fn answer(self, operation: Done, dry_run: bool) -> EditAnswer {
        let Self { path, edited, made_beside, has_other_names, .. } = self;
        let (start_line, end_line) = edited.lines.unzip();
        EditAnswer {
            path,
            operation,
            form_type: edited.form_type,
            form_name: edited.form_name,
            would_change: edited.changed,
            diff: head(&edited.diff, MOST).0.to_owned(),
            digest: edited.digest,
            delta: (operation == Done::Patch).then_some(edited.delta),
            start_line,
            end_line,
            repair: edited.repair.map(|mended| RepairFacts {
                lines: mended.lines.iter().map(LineChangeFacts::from).collect(),
                evidence: mended.evidence,
            }),
            notes: Vec::new(),
            remarks: edited.notes,
            has_other_names,
            label: edited.label,
            created: made_beside.is_some(),
            beside: made_beside.unwrap_or_default(),
            texts: EditedTexts { file: edited.text, before: edited.before, after: edited.after },
            dry_run,
            shows_diff: false,
            verification: None,
            new_problems: Vec::new(),
        }
    }
}
