//! `lisp_edit_form`: replace, insert, append and delete whole forms.

use std::path::Path;

use lispwright_edit::{Edit, Edited, Mended, Operation, Refusal, Source, Target, edit};
use lispwright_project::{EditError, NewText, SourceFile};
use lispwright_syntax::in_a_line;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::fence::head;
use crate::lisp_read_file::{DEFAULT_BUDGET, yes};
use crate::outcome::{Outcome, ToolError};
use crate::refused::line_change;
use crate::tool::CallContext;
use crate::workshop::{Workshop, blocking, read_source};

/// What to do with a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EditOperation {
    /// Put exactly one form in its place.
    Replace,
    /// Put forms before it.
    InsertBefore,
    /// Put forms behind it.
    InsertAfter,
    /// Put forms at the end of the file, which is made when it is not there.
    Append,
    /// Remove it.
    Delete,
}

impl From<EditOperation> for Operation {
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
    /// New source: one form for replace, else one or more; comments allowed
    #[serde(default)]
    pub content: Option<String>,
    /// From lisp_read_form: refuse if the form has changed since
    #[serde(default)]
    pub digest: Option<String>,
    /// Show the diff, write nothing
    #[serde(default)]
    pub dry_run: bool,
    /// Repair content that does not balance when that is certain
    #[serde(default = "yes")]
    pub repair: bool,
}

/// Edits a file by form.
pub async fn lisp_edit_form(workshop: &Workshop, args: LispEditForm, _context: &CallContext) -> Outcome {
    let workshop = workshop.clone();
    blocking(move || run(&workshop, &args)).await.unwrap_or_else(Outcome::from).visible()
}

fn run(workshop: &Workshop, args: &LispEditForm) -> Result<Outcome, ToolError> {
    let operation = Operation::from(args.operation);
    let make = |source: &Source<'_>| {
        let target = Target {
            name: args.name.as_deref(),
            form_type: args.form_type.as_deref(),
            index: args.index,
            line: args.line,
        };
        let (content, digest) = (args.content.as_deref(), args.digest.as_deref());
        edit(source, &Edit { operation, target, content, digest, repair: args.repair })
    };
    let made = if operation == Operation::Append { create(workshop, &args.path, args.dry_run, make)? } else { None };
    let (path, edited) = made.map_or_else(|| change(workshop, &args.path, args.dry_run, make), Ok)?;
    Ok(answer(&path, operation.name(), &edited, args.dry_run))
}

/// The path for people, and the edit.
type Changed = (String, Edited);

/// What `make` does with the text of a Lisp file.
fn attempt(
    workshop: &Workshop,
    file: &SourceFile,
    make: impl FnOnce(&Source<'_>) -> Result<Edited, Refusal>,
) -> Result<Edited, ToolError> {
    let language = workshop.lisp_language(file)?;
    make(&read_source(file, &language)).map_err(|error| workshop.refusal(&file.path, &error))
}

/// Of a file that is not there, how one is made.
fn missing(workshop: &Workshop, error: lispwright_project::Error) -> ToolError {
    let mut error = ToolError::from(error);
    if error.code == "FILE_NOT_FOUND" {
        let stop = if error.message.ends_with('?') { "" } else { "." };
        error.message.push_str(stop);
        let append = workshop.words.append;
        error.message.push_str(&format!(" {append} makes a new file, if its directory is there."));
    }
    error
}

/// Runs `make` on an empty text and makes the file with what comes out, unless it is a dry run; `None` when there is a file.
fn create(
    workshop: &Workshop,
    path: &str,
    dry_run: bool,
    make: impl Fn(&Source<'_>) -> Result<Edited, Refusal>,
) -> Result<Option<Changed>, ToolError> {
    let Some((file, nearest)) = workshop.roots.vacant(Path::new(path)).map_err(|error| missing(workshop, error))?
    else {
        return Ok(None);
    };
    let mut edited = attempt(workshop, &file, make)?;
    let others = if nearest.is_empty() { String::new() } else { format!("; {} is there already", nearest.join(", ")) };
    edited.notes.push(format!("{} is a new file{others}.", in_a_line(&file.path)));
    if dry_run {
        return Ok(Some((file.path, edited)));
    }
    match workshop.roots.create_new(Path::new(path), &edited.text) {
        Ok(written) => Ok(Some((written.path, edited))),
        // Somebody has made it meanwhile.
        Err(lispwright_project::Error::AlreadyExists { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Runs `make` on a file and writes what comes out, unless it is a dry run.
pub(crate) fn change(
    workshop: &Workshop,
    path: &str,
    dry_run: bool,
    make: impl FnOnce(&Source<'_>) -> Result<Edited, Refusal>,
) -> Result<Changed, ToolError> {
    if dry_run {
        let file = workshop.roots.read(Path::new(path)).map_err(|error| missing(workshop, error))?;
        let edited = attempt(workshop, &file, make)?;
        return Ok((file.path, edited));
    }
    let mut done = None;
    let written = workshop.roots.edit(Path::new(path), |file| {
        let edited = attempt(workshop, file, make)?;
        let text = if edited.changed { NewText::Text(edited.text.clone()) } else { NewText::Unchanged };
        done = Some(edited);
        Ok(text)
    });
    match written {
        Ok(written) => {
            let mut edited = done.expect("an edit that succeeds has run");
            if written.other_names > 0 {
                edited.notes.push("The file has other names (hard links), which keep the old text.".to_owned());
            }
            Ok((written.path, edited))
        }
        Err(EditError::Refused(error)) => Err(error),
        Err(EditError::Project(error)) => Err(missing(workshop, error)),
    }
}

/// Characters of the diff shown after an edit that was made: its author knows what it sent.
const SHORT_DIFF: usize = 2_000;

/// The answer to an edit or a patch.
pub(crate) fn answer(path: &str, operation: &str, edited: &Edited, dry_run: bool) -> Outcome {
    let label = if edited.label.is_empty() { "the form" } else { &edited.label };
    let shown = in_a_line(path);
    let place = match edited.lines {
        None => shown.into_owned(),
        Some((first, last)) if first == last => format!("{shown}:{first}"),
        Some((first, last)) => format!("{shown}:{first}-{last}"),
    };
    let digest = edited.digest.as_ref().map_or(String::new(), |digest| format!(", digest {digest}"));
    let did = match operation {
        "replace" => "Replaced",
        "insert_before" => "Inserted before",
        "insert_after" => "Inserted after",
        "append" => "Appended",
        "delete" => "Deleted",
        _ => "Patched",
    };
    let mut text = edited.repair.as_ref().map_or(String::new(), |mended| told(mended, operation));
    text.push_str(&match (edited.changed, dry_run) {
        (false, _) => format!("{place}: {label} is so already; nothing was written{digest}."),
        (true, true) => format!("Dry run of {operation}, nothing was written. {place}: {label}{digest}."),
        (true, false) => format!("{did} {label} in {place}{digest}."),
    });
    for note in &edited.notes {
        text.push('\n');
        text.push_str(note);
    }
    let budget = if dry_run { DEFAULT_BUDGET } else { SHORT_DIFF };
    let (diff, left) = head(&edited.diff, budget);
    if !diff.is_empty() {
        text.push('\n');
        text.push_str(diff.trim_end());
    }
    if left > 0 {
        text.push_str(&format!("\n[{left} more characters of the diff are not shown; read the form to see it]"));
    }

    let mut fields = Map::new();
    fields.insert("path".into(), path.into());
    fields.insert("operation".into(), operation.into());
    fields.insert("form_type".into(), edited.form_type.clone().into());
    fields.insert("form_name".into(), edited.form_name.clone().into());
    fields.insert("would_change".into(), edited.changed.into());
    fields.insert("diff".into(), head(&edited.diff, crate::lisp_read_file::MOST).0.into());
    if let Some(digest) = &edited.digest {
        fields.insert("digest".into(), digest.clone().into());
    }
    if let Some((first, last)) = edited.lines {
        fields.insert("start_line".into(), first.into());
        fields.insert("end_line".into(), last.into());
    }
    if let Some(mended) = &edited.repair {
        let lines: Vec<Value> = mended.lines.iter().map(line_change).collect();
        fields.insert("repair".into(), json!({"lines": lines, "evidence": mended.evidence}));
    }
    if !edited.notes.is_empty() {
        fields.insert("notes".into(), edited.notes.clone().into());
    }
    Outcome { text, fields, is_error: false }
}

/// What was repaired, for the beginning of an answer: before and after of every line, and why.
fn told(mended: &Mended, operation: &str) -> String {
    let what = if operation == "patch" { "the new text (lines of the patched file)" } else { "content" };
    let lines: Vec<String> = mended.lines.iter().map(|change| change.line.to_string()).collect();
    let noun = if lines.len() == 1 { "line" } else { "lines" };
    format!("repaired: {what}, {noun} {}: {}.{}\n", lines.join(", "), mended.evidence.join("; "), mended.shown())
}
