//! Makes a hook's output from its input.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lispwright_syntax::{Dialect, Language, read_plain};
use serde_json::{Map, Value, json};

use crate::answer::HookAnswer;
use crate::change::Rewritten;
use crate::clients::HookClient;
use crate::event::{HookEvent, Moment, Proposal};
use crate::files::{Committed, FileSource, Found, Mistake};
use crate::judge::{ChangeVerdict, Trees, is_broken, judge, judge_after, judge_read};
use crate::wording::About;
use crate::{encodings, input, lisp, page, simulate, wording};

/// The most broken files that are described after a call; further ones are counted.
const MOST_TOLD: usize = 3;

/// The output of a hook, and its verdicts.
#[derive(Clone, Debug, Default)]
pub struct Response {
    /// The one JSON document to print; `None` is silence.
    pub output: Option<Value>,
    /// The verdicts, file by file. Empty when the call did not concern Lisp.
    pub judged: Vec<Judged>,
}

/// The verdict on one file of a call.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Before or after the call.
    pub moment: Moment,
    /// The client's name of the tool.
    pub tool: String,
    /// The text after the last dot of the file's name.
    pub extension: Option<String>,
    /// Its dialect.
    pub dialect: Dialect,
    /// The verdict.
    pub verdict: ChangeVerdict,
}

/// Answers the hook of `client` that was run with `input`. Input that is not understood is answered by silence.
pub fn respond(client: &HookClient, input: &str, files: &dyn FileSource) -> Response {
    let Some(event) = input::parse(input).and_then(|document| client.event(&document)) else {
        return Response::default();
    };
    let said = match event.moment {
        Moment::Before => before(&event, files),
        Moment::After => after(&event, files),
    };
    let mut output = said.answer.map(|answer| client.answer(&event, answer));
    if let Some(warning) = said.warning {
        // Every client shows this only to its user.
        output.get_or_insert_with(|| json!({}))["systemMessage"] = warning.into();
    }
    Response { output, judged: said.judged }
}

/// The messages about a call.
struct Reply {
    /// The answer to the client.
    answer: Option<HookAnswer>,
    judged: Vec<Judged>,
    /// The message to the user.
    warning: Option<String>,
}

fn before(event: &HookEvent, files: &dyn FileSource) -> Reply {
    let (mut judged, mut warning) = (Vec::new(), None);
    let mut texts: Vec<Rewritten> = Vec::new();
    let (mut refused, mut told) = (Vec::new(), Vec::new());
    if let Some(losing) = encodings::losing(event, files) {
        let told = wording::would_lose(&about(event, &losing.path, 1), &losing.kept, losing.is_written);
        return Reply { answer: Some(HookAnswer::Refuse { told }), judged, warning };
    }
    for change in simulate::changes(event, files) {
        let language = match language(event, &change.path, &change.after, files) {
            Some(Ok(language)) => language,
            Some(Err(why)) => {
                warning = Some(wording::not_checked(&about(event, &change.path, 1), &why));
                continue;
            }
            None => continue,
        };
        let trees = Trees::of(&change, &language);
        let mut verdict = judge_read(&change, &trees);
        let about = about(event, &change.path, change.written.len());
        match &verdict {
            ChangeVerdict::Pass => {}
            ChangeVerdict::Renested(found, others) => {
                told.push(wording::renested(&about, &change.after, found, others));
            }
            ChangeVerdict::Unexpected(found) => told.push(wording::unexpected(&about, &change.after, found)),
            ChangeVerdict::Noted(found) => told.push(wording::still_broken(&about, &change.after, found)),
            ChangeVerdict::Unknown(found) => told.push(wording::unknown(&about, found)),
            ChangeVerdict::Denied { found, undoes } => {
                refused.push(wording::denied(&about, &change, found, *undoes, &trees));
            }
            ChangeVerdict::Repaired(done) if !event.takes_changes => {
                refused.push(wording::repairable(&about, &change, done));
                verdict = ChangeVerdict::Denied { found: done.found.clone(), undoes: false };
            }
            ChangeVerdict::Repaired(done) => {
                told.push(wording::repaired(&about, &change, done));
                texts.extend(done.texts.iter().cloned());
            }
        }
        judged.push(record(event, &change.path, &language, verdict));
    }
    let answer = if !refused.is_empty() {
        Some(HookAnswer::Refuse { told: refused.join("\n\n") })
    } else if !texts.is_empty() {
        rewritten(event, &texts).map(|input| HookAnswer::Change { input, told: told.join("\n\n") })
    } else {
        (!told.is_empty() && !event.told_after).then(|| HookAnswer::Tell { told: told.join("\n\n") })
    };
    Reply { answer, judged, warning }
}

/// Judges files after a call. The user has been warned of a wrong configuration before it.
fn after(event: &HookEvent, files: &dyn FileSource) -> Reply {
    let mut told = Vec::new();
    let mut judged = Vec::new();
    let mut more = 0;
    for (path, now, before) in simulate::results(event, files) {
        if let Some(before) = earlier(event, before.as_deref()).filter(|_| page::is_page(&path)) {
            let language = |dialect| files.language(&Path::new(&event.directory).join(&path), dialect).ok();
            let about = about(event, &path, 1);
            told.extend(page::broken(&path, before, &now, language).map(|found| wording::block(&about, &now, &found)));
            continue;
        }
        if let Some(before) = earlier(event, before.as_deref())
            && let Some(found) = page::broken_at_forms(before, &now)
        {
            told.push(wording::now_broken(&about(event, &path, 1), &now, &found));
            continue;
        }
        let Some(Ok(language)) = language(event, &path, &now, files) else { continue };
        let lost = encodings::lost(event, &path, &now, files);
        told.extend(lost.map(|lost| wording::has_lost(&about(event, &path, 1), &lost)));
        let late = if event.told_after { told_late(event, &now, files, &language) } else { None };
        if late.is_some() {
            told.extend(late);
            continue;
        }
        if told.len() == MOST_TOLD {
            more += usize::from(is_broken(&read_plain(&now, &language)));
            continue;
        }
        let verdict = judge_after(before.as_deref(), &now, &language);
        if verdict == ChangeVerdict::Pass
            && let Some(before) = earlier(event, before.as_deref())
        {
            let problems = files.problems(&Path::new(&event.directory).join(&path), before, &now, &language);
            told.extend((!problems.is_empty()).then(|| wording::problems(&about(event, &path, 1), &problems)));
        }
        told.extend(verdict.diagnosis().map(|found| wording::now_broken(&about(event, &path, 1), &now, found)));
        judged.push(record(event, &path, &language, verdict));
    }
    if more > 0 {
        told.push(wording::more_broken(more));
    }
    let answer = (!told.is_empty()).then(|| HookAnswer::Tell { told: told.join("\n\n") });
    Reply { answer, judged, warning: None }
}

/// The text of a file before the call, if that is known. A file that is written whole, and has no earlier text, is new.
fn earlier<'t>(event: &HookEvent, before: Option<&'t str>) -> Option<&'t str> {
    before.or_else(|| matches!(event.proposal, Proposal::Write { .. }).then_some(""))
}

/// The message that could not be given before the call: the file as it was is judged once more.
fn told_late(event: &HookEvent, now: &str, files: &dyn FileSource, language: &Language) -> Option<String> {
    let earlier = Earlier { original: event.original.as_deref(), files };
    simulate::changes(event, &earlier).iter().find_map(|change| {
        let about = about(event, &change.path, change.written.len());
        match judge(change, language) {
            ChangeVerdict::Repaired(done) if same_lines(now, &done.applied(&change.after)) => {
                Some(wording::repaired(&about, change, &done))
            }
            ChangeVerdict::Renested(found, others) if same_lines(now, &change.after) => {
                Some(wording::renested(&about, &change.after, &found, &others))
            }
            ChangeVerdict::Unexpected(found) if same_lines(now, &change.after) => {
                Some(wording::unexpected(&about, &change.after, &found))
            }
            ChangeVerdict::Noted(found) if same_lines(now, &change.after) => {
                Some(wording::still_broken(&about, &change.after, &found))
            }
            ChangeVerdict::Unknown(found) if same_lines(now, &change.after) => Some(wording::unknown(&about, &found)),
            _ => None,
        }
    })
}

/// The subject of a message to the model. Files below the directory of the call are named relative to it.
fn about<'a>(event: &HookEvent, path: &'a str, places: usize) -> About<'a> {
    let below = path.strip_prefix(event.directory.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
    let (texts, places) = match &event.proposal {
        Proposal::Write { .. } => ("The text", 1),
        Proposal::Replace { replacements, .. } if replacements.len() == 1 => ("`new_string`", places),
        Proposal::Replace { .. } => ("The edits together", 1),
        Proposal::Patch(_) => ("The patch", 1),
        Proposal::Command { .. } => ("The command", 1),
    };
    About { path: below.filter(|_| !event.directory.is_empty()).unwrap_or(path), texts, places }
}

fn same_lines(a: &str, b: &str) -> bool {
    a.lines().eq(b.lines())
}

/// The disk, with the file of a call as it was before it.
struct Earlier<'a> {
    original: Option<&'a str>,
    files: &'a dyn FileSource,
}

impl FileSource for Earlier<'_> {
    fn read(&self, _: &Path) -> Found {
        self.original.map_or(Found::Missing, |text| Found::Text(text.to_owned()))
    }

    fn committed(&self, path: &Path) -> Option<Committed> {
        self.files.committed(path)
    }

    fn changed(&self, directory: &Path, within: Duration) -> Vec<PathBuf> {
        self.files.changed(directory, within)
    }

    fn language(&self, path: &Path, dialect: Dialect) -> Result<Language, String> {
        self.files.language(path, dialect)
    }

    fn problems(&self, path: &Path, before: &str, now: &str, language: &Language) -> Vec<Mistake> {
        self.files.problems(path, before, now, language)
    }
}

/// The language of `text` at `path`; `None` if it is not Lisp.
fn language(event: &HookEvent, path: &str, text: &str, files: &dyn FileSource) -> Option<Result<Language, String>> {
    let dialect = lisp::dialect(path, text)?;
    Some(files.language(&Path::new(&event.directory).join(path), dialect))
}

fn record(event: &HookEvent, path: &str, language: &Language, verdict: ChangeVerdict) -> Judged {
    Judged {
        moment: event.moment,
        tool: event.tool.clone(),
        extension: lisp::extension(path),
        dialect: language.dialect(),
        verdict,
    }
}

/// The arguments of the call with some of its texts changed.
fn rewritten(event: &HookEvent, texts: &[Rewritten]) -> Option<Map<String, Value>> {
    let mut input = Value::Object(event.input.clone());
    if let Proposal::Patch(patch) = &event.proposal {
        *input.pointer_mut(&patch.pointer)? = Value::String(patch.with(texts));
    }
    for text in texts {
        let place = match &event.proposal {
            Proposal::Write { content, .. } => content,
            Proposal::Replace { replacements, .. } => &replacements.get(text.source)?.new,
            Proposal::Patch(_) | Proposal::Command { .. } => continue,
        };
        *input.pointer_mut(&place.pointer)? = Value::String(text.text.clone());
    }
    match input {
        Value::Object(input) => Some(input),
        _ => None,
    }
}
