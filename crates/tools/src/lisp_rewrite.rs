//! `lisp_rewrite`: changes all forms of a shape into another, in all files.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use lispwright_index::each;
use lispwright_index::pattern::advice;
use lispwright_index::pattern::guard::{DatumSort, GuardSource};
use lispwright_index::pattern::names::Meanings;
use lispwright_project::Trial;
use lispwright_refactor::{RewriteRefusal, RewriteRequest, RewrittenText, check_rewrite, rewrite};
use lispwright_syntax::head;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::indexed::indexed;
use crate::lisp_read_file::{MOST, yes};
use crate::lisp_search::check_names;
use crate::news::{Rewritten, news};
use crate::problems::Problem;
use crate::refusal::Refusal;
use crate::several::{FileDiff, NewFile, shown, write};
use crate::tool::CallContext;
use crate::verify::{Verification, Verify, Wish, settled};
use crate::workshop::Workshop;
use crate::workspace::Files;

/// Arguments of `lisp_rewrite`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LispRewrite {
    /// The form to find, as for lisp_search: (if ?c (progn ?*body))
    pub shape: String,
    /// The form instead, with the same variables; its line breaks stay: (when ?c ?*body)
    pub template: String,
    /// Conditions, all of which a match meets
    #[serde(default)]
    pub r#where: Vec<Where>,
    /// File or directory
    #[serde(default)]
    pub path: Option<String>,
    /// Quoted data, too
    #[serde(default)]
    pub quoted: bool,
    /// A place that would lose something stays, instead of all
    #[serde(default)]
    pub skip_refused: bool,
    /// Default true: show the diffs, write nothing
    #[serde(default = "yes")]
    pub dry_run: bool,
    /// The count of the dry run; needed to write
    #[serde(default)]
    pub expect_count: Option<usize>,
    /// Taken back if it fails
    #[serde(default)]
    pub verify: Verify,
    /// What verify loads or tests; default: the systems or files that are changed
    #[serde(default)]
    pub system: Option<String>,
    /// The session gets the new code
    #[serde(default)]
    pub load: bool,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
    /// Runtime
    #[serde(default)]
    pub runtime: Option<String>,
}

/// A condition of a match.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Where {
    /// ?x, which kind, text and refers are about; else the whole match
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// Its kind
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<WhereKind>,
    /// Regex in its source
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Name that it refers to: pkg:f
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refers: Option<String>,
    /// Shape of a form around the match
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
    /// Shape of a form that is not around it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_inside: Option<String>,
}

/// The kind of a datum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhereKind {
    /// A symbol.
    Symbol,
    /// A keyword.
    Keyword,
    /// A number.
    Number,
    /// A string.
    String,
    /// A character.
    Character,
    /// A list.
    List,
    /// A vector.
    Vector,
    /// A map or set.
    Map,
}

/// The effect of a rewrite, or of its dry run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct RewriteAnswer {
    /// Nothing was written.
    pub dry_run: bool,
    /// The number of forms that change.
    pub count: usize,
    /// The files that change, or would change.
    pub files: Vec<FileDiff>,
    /// The verification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification: Option<Box<Verification>>,
    /// Problems that were not there before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_problems: Vec<Problem>,
    /// The number of matches in quoted data, which stay.
    pub in_data: usize,
    /// The number of steps of threading forms that look like the shape and have one argument more; they stay.
    #[serde(skip_serializing_if = "is_none")]
    pub steps: usize,
    /// Arguments of macros whose definitions do not show what becomes of them, which stay: `path:line`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unclear: Vec<String>,
    /// Places that would have lost something, and stay: `path:line`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
    /// Uses of the head that do not have the shape: `path:line`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// The head whose uses these are.
    #[serde(skip)]
    pub head: String,
    /// What the shape may have been meant to say, where it matches nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// The number of files that were searched.
    pub searched: usize,
    /// Files that were not searched, each with the code of the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<(String, String)>,
    /// Files and directories that ignore files name.
    #[serde(skip)]
    pub ignored: Vec<String>,
    /// The number of matches that the call expects.
    #[serde(skip)]
    pub expected: Option<usize>,
}

/// Rewrites, or shows what a rewrite would change.
pub async fn lisp_rewrite(
    workshop: &Workshop,
    args: LispRewrite,
    context: &CallContext,
) -> Result<RewriteAnswer, Refusal> {
    let began = SystemTime::now();
    let (home, cancel) = (workshop.clone(), context.cancel.clone());
    let wish = Wish {
        verify: args.verify,
        system: args.system.clone(),
        load: args.load,
        session: args.session.clone(),
        runtime: args.runtime.clone(),
    };
    let look = move |index: &_, _: &_| run(&home, &args, &Meanings::new(index), || cancel.is_cancelled());
    let (mut answer, trial, rewritten) = indexed(workshop, context, look).await??;
    if let Some(trial) = trial {
        answer.verification = settled(workshop, trial, &mut answer.files, &wish, context).await?;
    }
    let home = workshop.clone();
    answer.new_problems = context.on_files(move || Ok(news(&home, rewritten))).await?;
    workshop.shown.of(&mut answer.files, answer.dry_run);
    if !answer.dry_run && !answer.files.is_empty() {
        context.observe(&Event::FilesChanged { began, what: "rewrite", answer: &answer.clone().into() });
    }
    Ok(answer)
}

/// A file and its rewrite.
struct Outcome {
    path: String,
    old_text: String,
    done: Result<RewrittenText, RewriteRefusal>,
}

fn run(
    workshop: &Workshop,
    args: &LispRewrite,
    meanings: &Meanings<'_>,
    is_over: impl Fn() -> bool + Sync,
) -> Result<(RewriteAnswer, Option<Trial>, Vec<Rewritten>), Refusal> {
    let workspace = &workshop.workspace;
    check_names(&args.r#where, Some(meanings))?;
    let guards: Vec<GuardSource> = args.r#where.iter().map(Where::source).collect();
    let request = RewriteRequest {
        shape: &args.shape,
        template: &args.template,
        guards: &guards,
        in_data: args.quoted,
        skips: args.skip_refused,
    };
    let Files { files, ignored, .. } = workspace.files(args.path.as_deref(), true)?;
    let outcomes = each(&files, |path| {
        if is_over() {
            return None;
        }
        Some(workspace.open_lisp(path).map(|(file, language)| {
            let known = meanings.of(&workspace.absolute(path), &file.text);
            let done = rewrite(Path::new(&file.path), &file.text, &language, &request, known);
            Outcome { path: file.path, old_text: file.text, done }
        }))
    });
    let mut answer =
        RewriteAnswer { dry_run: args.dry_run, ignored, expected: args.expect_count, ..RewriteAnswer::default() };
    let mut new = Vec::new();
    let mut unread = None;
    let mut matched: HashSet<(PathBuf, u32)> = HashSet::new();
    for (path, outcome) in files.iter().zip(outcomes) {
        let outcome = outcome.ok_or_else(|| Refusal::Ended { why: "it was cancelled".to_owned() })?;
        let Outcome { path, old_text, done } = match outcome {
            Ok(outcome) => outcome,
            Err(refusal) => {
                answer.left_out.push((path.clone(), refusal.code().to_owned()));
                unread = unread.or(Some(refusal));
                continue;
            }
        };
        match done {
            Ok(done) => {
                answer.searched += 1;
                answer.in_data += done.in_data;
                answer.steps += done.steps;
                answer.unclear.extend(done.unclear.iter().map(|spot| format!("{path}:{}", spot.line)));
                answer.unclear.dedup();
                answer.skipped.extend(done.skipped.iter().map(|spot| format!("{path}:{}", spot.line)));
                let absolute = workspace.absolute(&path);
                matched.extend(done.heads.iter().map(|head| (absolute.clone(), *head)));
                answer.count += done.count;
                if done.count > 0 {
                    let diff = head(&done.diff, MOST).0.to_owned();
                    answer.files.push(FileDiff {
                        path: path.clone(),
                        changes: done.count,
                        diff,
                        ..FileDiff::default()
                    });
                    new.push(NewFile { path: PathBuf::from(path), is_new: false, old_text, new_text: done.text });
                }
            }
            // Files of other dialects, in which the shape is no form.
            Err(RewriteRefusal::Shape(bad)) if bad.column.is_some() => {
                let refusal = Refusal::Rewrite(Box::new(RewriteRefusal::Shape(bad)));
                answer.left_out.push((path, refusal.code().to_owned()));
                unread = unread.or(Some(refusal));
            }
            Err(refusal) => return Err(Refusal::Rewrite(Box::new(refusal))),
        }
    }
    if let Some(refusal) = unread.filter(|_| answer.searched == 0) {
        return Err(refusal);
    }
    if answer.count > 0 {
        let wanted: HashSet<PathBuf> = files.iter().map(|path| workspace.absolute(path)).collect();
        others(&mut answer, &args.shape, meanings, &matched, &|path| wanted.contains(path), &|path| {
            shown(workshop, path)
        });
    }
    if answer.count == 0 {
        let language = files.iter().find_map(|path| workspace.open_lisp(path).ok()).map(|(_, language)| language);
        answer.advice = language.and_then(|language| advice(&args.shape, language));
        // A mistake in what was not needed is told, too.
        let language = files.iter().find_map(|path| workspace.open_lisp(path).ok()).map(|(_, language)| language);
        let checked = language.map_or(Ok(()), |language| check_rewrite(&language, &request));
        checked.map_err(|refusal| Refusal::Rewrite(Box::new(refusal)))?;
    }
    if !args.dry_run && args.expect_count != Some(answer.count) {
        return Err(Refusal::OtherCount { expected: args.expect_count, found: answer.count });
    }
    let trial = (!args.dry_run).then(|| write(workshop, &new)).transpose()?;
    Ok((answer, trial, new.iter().map(Rewritten::from).collect()))
}

/// Adds the uses of the head that do not have the shape.
fn others(
    answer: &mut RewriteAnswer,
    shape: &str,
    meanings: &Meanings<'_>,
    matched: &HashSet<(PathBuf, u32)>,
    is_wanted: &dyn Fn(&Path) -> bool,
    shown: &dyn Fn(&Path) -> String,
) {
    let head = shape.trim_start().trim_start_matches('(').split([' ', ')', '\n']).next().unwrap_or_default();
    if head.is_empty() || head.starts_with(['?', ',', '(']) {
        return;
    }
    head.clone_into(&mut answer.head);
    for (path, start) in meanings.uses(head) {
        if is_wanted(path) && !matched.contains(&(path.to_owned(), start)) {
            let line = meanings.line(path, start).unwrap_or(1);
            answer.others.push(format!("{}:{line}", shown(path)));
        }
    }
    answer.others.dedup();
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

impl Where {
    pub(crate) fn source(&self) -> GuardSource {
        GuardSource {
            variable: self.variable.clone(),
            kind: self.kind.map(|kind| match kind {
                WhereKind::Symbol => DatumSort::Symbol,
                WhereKind::Keyword => DatumSort::Keyword,
                WhereKind::Number => DatumSort::Number,
                WhereKind::String => DatumSort::String,
                WhereKind::Character => DatumSort::Character,
                WhereKind::List => DatumSort::List,
                WhereKind::Vector => DatumSort::Vector,
                WhereKind::Map => DatumSort::Map,
            }),
            text: self.text.clone(),
            refers: self.refers.clone(),
            inside: self.inside.clone(),
            not_inside: self.not_inside.clone(),
        }
    }
}
