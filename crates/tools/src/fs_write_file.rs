//! `fs_write_file`: a whole file, new or in the place of one that is not Lisp.
//!
//! A Lisp file that is there is edited by form: whoever writes it as a whole loses what they have not read, and models
//! lose delimiters in long texts. So it is refused here. A new Lisp file is checked as new source of an edit is.

use std::path::Path;
use std::time::SystemTime;

use lispwright_edit::{Edit, EditRefusal, FormOperation, Source, Target, edit};
use lispwright_project::{EditError, Error, NewText, SourceFile, Written};
use lispwright_syntax::Language;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::facts::LineChangeFacts;
use crate::lisp_edit_form::{RepairFacts, vacant};
use crate::news::{Rewritten, news};
use crate::problems::Problem;
use crate::refusal::Refusal;
use crate::runs_later::runs_later;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// Arguments of `fs_write_file`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FsWriteFile {
    /// Path; directories are made
    pub path: String,
    /// The whole text
    pub content: String,
    /// Alone: the candidate of a refusal
    #[serde(default)]
    pub accept: Option<String>,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WriteAnswer {
    /// It was written, or has the text already.
    pub success: bool,
    /// The file, as the project calls it.
    pub path: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// It is a new file.
    pub created: bool,
    /// Its text is another than before.
    pub changed: bool,
    /// The repair of a new Lisp file that did not balance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<RepairFacts>,
    /// The dialect of a new Lisp file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialect: Option<&'static str>,
    /// Its number of characters.
    #[serde(skip)]
    pub characters: usize,
    /// Existing files whose names resemble that of the new one.
    #[serde(skip)]
    pub beside: Vec<String>,
    /// The file has other names, which keep the old text.
    #[serde(skip)]
    pub has_other_names: bool,
    /// The program that runs what is there, without anybody asking for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs_later: Option<&'static str>,
    /// Problems of a new Lisp file, and those that it causes elsewhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_problems: Vec<Problem>,
}

/// Writes a file.
pub async fn fs_write_file(
    workshop: &Workshop,
    args: FsWriteFile,
    context: &CallContext,
) -> Result<WriteAnswer, Refusal> {
    let (workshop, began) = (workshop.clone(), SystemTime::now());
    let answer = context.on_files(move || run(&workshop, &args)).await?;
    if answer.changed {
        context.observe(&Event::FileWritten { began, answer: &answer });
    }
    Ok(answer)
}

fn run(workshop: &Workshop, args: &FsWriteFile) -> Result<WriteAnswer, Refusal> {
    let path = Path::new(&args.path);
    match vacant(workshop, path) {
        Ok(None) => overwrite(workshop, args),
        Ok(Some((file, beside))) => create(workshop, args, file, beside),
        Err(Error::NotFound { .. }) => create(workshop, args, SourceFile::decode(&args.path, b"")?, Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// Replaces a file that is not Lisp.
fn overwrite(workshop: &Workshop, args: &FsWriteFile) -> Result<WriteAnswer, Refusal> {
    let written = workshop.roots.edit(Path::new(&args.path), |file| {
        if file.text == args.content {
            return Ok(NewText::Unchanged);
        }
        match workshop.workspace.language_of(file, None)? {
            Some(_) => Err(Refusal::LispExists { path: file.path.clone() }),
            None => Ok(NewText::Text(args.content.clone())),
        }
    });
    match written {
        Ok(Written { path, changed, len, other_names }) => Ok(WriteAnswer {
            runs_later: runs_later(&path).filter(|_| changed),
            success: true,
            path,
            bytes: len,
            created: false,
            changed,
            repair: None,
            dialect: None,
            characters: args.content.chars().count(),
            beside: Vec::new(),
            has_other_names: other_names > 0,
            new_problems: Vec::new(),
        }),
        Err(EditError::Refused(refusal)) => Err(refusal),
        Err(EditError::Project(error)) => Err(error.into()),
    }
}

/// Creates a file, with the directories that it needs.
fn create(
    workshop: &Workshop,
    args: &FsWriteFile,
    mut file: SourceFile,
    beside: Vec<String>,
) -> Result<WriteAnswer, Refusal> {
    file.text.clone_from(&args.content);
    let language = workshop.workspace.language_of(&file, None)?;
    let (text, repair) = match &language {
        Some(language) => sound(&file, language)?,
        None => (args.content.clone(), None),
    };
    let path = Path::new(&args.path);
    let made = workshop.roots.make_directories(path)?;
    match workshop.roots.create_new(path, &text) {
        Ok(written) => Ok(WriteAnswer {
            new_problems: match &language {
                Some(_) => {
                    let (path, before, after) = (written.path.clone(), String::new(), text.clone());
                    news(workshop, vec![Rewritten { path, before, after }])
                }
                None => Vec::new(),
            },
            runs_later: runs_later(&written.path),
            success: true,
            path: written.path,
            bytes: written.len,
            created: true,
            changed: true,
            repair,
            dialect: language.map(|language| language.dialect().name()),
            characters: text.chars().count(),
            beside,
            has_other_names: false,
        }),
        Err(error) => {
            made.undo();
            match error {
                // Somebody else has created it meanwhile: this call comes after theirs.
                Error::AlreadyExists { .. } => overwrite(workshop, args),
                error => Err(error.into()),
            }
        }
    }
}

/// The text of a new Lisp file: as it is, or repaired.
///
/// Errors: it does not balance and no repair is certain, or it is wrapped in what does not belong into a file.
fn sound(file: &SourceFile, language: &Language) -> Result<(String, Option<RepairFacts>), Refusal> {
    let source = Source::read("", language);
    let target = Target { name: None, form_type: None, index: None, line: None };
    let request =
        Edit { operation: FormOperation::Append, target, content: Some(&file.text), digest: None, repair: true };
    match edit(&source, &request) {
        Ok(edited) => Ok(match edited.repair {
            Some(mended) => {
                let lines = mended.lines.iter().map(LineChangeFacts::from).collect();
                (edited.text, Some(RepairFacts { lines, evidence: mended.evidence }))
            }
            None => (file.text.clone(), None),
        }),
        // Comments alone are a file, too.
        Err(EditRefusal::NoForm) => Ok((file.text.clone(), None)),
        Err(fault) => Err(Refusal::text(&file.path, fault)),
    }
}
