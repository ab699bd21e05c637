//! Candidates for source that does not balance, kept so that a caller can accept one by its name.
//!
//! A refused edit costs its whole source again for one delimiter. So the server keeps the call with each candidate
//! applied, and the digests of the files that it was judged in; `accept` makes that call. It is made as any other: what
//! else is wrong with it is told then.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use futures::FutureExt as _;
use lispwright_edit::{Corrected, EditRefusal};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::answer::Reply;
use crate::arguments::ACCEPT;
use crate::premises::Premises;
use crate::refusal::Refusal;
use crate::tool::{CallContext, Run, Tool};
use crate::workshop::Workshop;

/// The time for which a candidate is kept.
const KEPT: Duration = Duration::from_secs(20 * 60);

/// The most candidates that are kept.
const MOST_KEPT: usize = 24;

/// The candidates of a refusal that are kept; as many as its text shows.
const MOST_OF_ONE: usize = 3;

/// Arguments of the accepting call that count, beside those of the refused one.
const SETTINGS: &[&str] = &["dry_run", "verify", "load", "system", "session", "runtime"];

/// The candidates of the refused calls of a workshop. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Offers(Arc<Mutex<Shelf>>);

/// Kept candidates, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shelf {
    /// The number of the last candidate.
    last: u64,
    offers: VecDeque<Offer>,
}

/// A call with a candidate applied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Offer {
    number: u64,
    made: SystemTime,
    tool: String,
    arguments: Map<String, Value>,
    /// The files of the call with the digests of their texts; none for a file that does not exist.
    files: Vec<(String, Option<String>)>,
}

/// The edits of a refused batch that can be made without those that do not balance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherEdits {
    /// The numbers of the edits that would not be made at all, from 1.
    pub held: Vec<usize>,
    /// The labels of the forms that would be left out of edits that would be made, with the numbers of these.
    pub forms: Vec<(usize, String)>,
    /// The name by which the rest can be accepted.
    pub offer: String,
}

/// The reason why a candidate cannot be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAccepted {
    /// There is none of that name, or none any more.
    Unknown {
        /// The given name.
        given: String,
        /// The names of those that there are, the newest last.
        known: Vec<String>,
    },
    /// A file has another text than the one the candidate was made for.
    Changed {
        /// The name of the candidate.
        name: String,
        /// The file.
        path: String,
    },
}

impl Offers {
    /// The kept candidates, to be kept elsewhere.
    #[must_use]
    pub fn shelf(&self) -> Shelf {
        self.lock().clone()
    }

    /// Continues with candidates that were kept elsewhere.
    pub fn restore(&self, shelf: Shelf) {
        *self.lock() = shelf;
    }

    fn lock(&self) -> MutexGuard<'_, Shelf> {
        // A change of the shelf is one step.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a call and gives the name of its candidate.
    fn keep(&self, tool: &str, arguments: Map<String, Value>, files: Vec<(String, Option<String>)>) -> String {
        let mut shelf = self.lock();
        shelf.last += 1;
        let offer = Offer { number: shelf.last, made: SystemTime::now(), tool: tool.to_owned(), arguments, files };
        shelf.offers.push_back(offer);
        let surplus = shelf.offers.len().saturating_sub(MOST_KEPT);
        shelf.offers.drain(..surplus);
        name_of(shelf.last)
    }

    /// The candidate of that name.
    fn find(&self, given: &str) -> Result<Offer, Refusal> {
        let shelf = self.lock();
        let is_fresh = |offer: &&Offer| offer.made.elapsed().is_ok_and(|age| age < KEPT);
        let number: Option<u64> = given.trim().trim_start_matches(['c', 'C']).parse().ok();
        let found = shelf.offers.iter().filter(is_fresh).find(|offer| Some(offer.number) == number);
        found.cloned().ok_or_else(|| {
            let known = shelf.offers.iter().filter(is_fresh).map(|offer| name_of(offer.number)).collect();
            Refusal::NotAccepted(NotAccepted::Unknown { given: given.to_owned(), known })
        })
    }
}

fn name_of(number: u64) -> String {
    format!("c{number}")
}

/// The tools among which those that take `accept` offer and accept candidates, of each other as well.
pub(crate) fn offering(premises: &Premises, tools: Vec<Tool>) -> Vec<Tool> {
    let takes = |tool: &Tool| TAKERS.contains(&tool.name);
    let runs: Arc<[(&'static str, Run)]> =
        tools.iter().filter(|tool| takes(tool)).map(|tool| (tool.name, tool.run.clone())).collect();
    let with = |tool: Tool| {
        if !takes(&tool) {
            return tool;
        }
        let (premises, runs, name) = (premises.clone(), runs.clone(), tool.name);
        let run: Run = Arc::new(move |arguments, context| {
            let (premises, runs) = (premises.clone(), runs.clone());
            async move { answer(&premises, &runs, name, arguments, context).await }.boxed()
        });
        Tool { run, ..tool }
    };
    tools.into_iter().map(with).collect()
}

/// The tools that offer and accept candidates.
const TAKERS: &[&str] = &["lisp_edit_form", "lisp_patch_form", "lisp_edit_batch", "fs_write_file"];

/// Runs the tool `name`; with `accept`, the call that the candidate is for.
async fn answer(
    premises: &Premises,
    runs: &[(&'static str, Run)],
    name: &'static str,
    mut arguments: Map<String, Value>,
    context: CallContext,
) -> Reply {
    let mut tool = name.to_owned();
    if let Some(given) = arguments.shift_remove(ACCEPT) {
        let workshop = premises.workshop(&context)?;
        let offer = workshop.offers.find(given.as_str().unwrap_or_default())?;
        let (number, files) = (offer.number, offer.files);
        context.on_files(move || unchanged(&workshop, number, &files)).await?;
        let settings = arguments.into_iter().filter(|(name, _)| SETTINGS.contains(&name.as_str()));
        arguments = offer.arguments.into_iter().chain(settings).collect();
        tool = offer.tool;
    }
    let Some((_, run)) = runs.iter().find(|(name, _)| *name == tool) else {
        return Err(Refusal::Misfit { why: format!("no {tool} is offered here") });
    };
    match run(arguments.clone(), context.clone()).await {
        Err(refusal) if doubtful(&refusal).is_some() => {
            let workshop = premises.workshop(&context)?;
            let (home, name, call) = (workshop.clone(), tool.clone(), arguments.clone());
            let refusal = context.on_files(move || Ok(offered(&home, &name, &call, refusal))).await?;
            Err(with_the_rest(&workshop, (&tool, run), arguments, refusal, &context).await)
        }
        reply => reply,
    }
}

/// The text that does not balance, with the number of its edit in a batch, from 0.
fn doubtful(refusal: &Refusal) -> Option<(Option<usize>, &EditRefusal)> {
    let (edit, refusal) = match refusal {
        Refusal::InBatch { edit, refusal, .. } => (Some(edit - 1), &**refusal),
        refusal => (None, refusal),
    };
    match refusal {
        Refusal::Text { fault, .. } if fault.is_unbalanced() => Some((edit, fault)),
        _ => None,
    }
}

/// The refusal with the name of a call that makes everything else, if there is such a call.
async fn with_the_rest(
    workshop: &Workshop,
    (tool, run): (&str, &Run),
    arguments: Map<String, Value>,
    mut refusal: Refusal,
    context: &CallContext,
) -> Refusal {
    let Some((edit, fault)) = doubtful(&refusal) else { return refusal };
    if edit.is_none() {
        let Some(rest) = fault.rest() else { return refusal };
        let content = rest.content.clone();
        let call: Map<String, Value> = arguments.into_iter().chain([("content".to_owned(), content.into())]).collect();
        if run(dry(&call), context.clone()).await.is_ok() {
            let files = files_of(workshop, &call, false);
            let name = workshop.offers.keep(tool, call, files);
            if let Refusal::Text { fault, .. } = &mut refusal
                && let Some(rest) = fault.rest_mut()
            {
                rest.offer = Some(name);
            }
        }
        return refusal;
    }
    let Some(edits) = arguments.get("edits").and_then(Value::as_array) else { return refusal };
    let mut left: Vec<(usize, Value)> = edits.iter().cloned().enumerate().map(|(at, one)| (at + 1, one)).collect();
    let (mut held, mut forms): (Vec<usize>, Vec<(usize, String)>) = (Vec::new(), Vec::new());
    let mut found = Some(refusal.clone());
    while let Some(now) = found.take() {
        let Some((Some(at), fault)) = doubtful(&now) else { return refusal };
        let Some((number, one)) = left.get_mut(at) else { return refusal };
        match fault.rest() {
            Some(rest) if forms.iter().all(|(known, _)| known != number) => {
                one["content"] = rest.content.clone().into();
                forms.extend(rest.held.iter().map(|(_, label)| (*number, label.clone())));
            }
            _ => {
                let number = *number;
                forms.retain(|(known, _)| *known != number);
                held.push(number);
                left.remove(at);
            }
        }
        if left.is_empty() {
            return refusal;
        }
        let rest: Vec<Value> = left.iter().map(|(_, one)| one.clone()).collect();
        let call: Map<String, Value> =
            arguments.clone().into_iter().chain([("edits".to_owned(), rest.into())]).collect();
        match run(dry(&call), context.clone()).await {
            Ok(_) => {
                let files = files_of(workshop, &arguments, true);
                let offer = workshop.offers.keep(tool, call, files);
                if let Refusal::InBatch { others, .. } = &mut refusal {
                    *others = Some(OtherEdits { held, forms, offer });
                }
                return refusal;
            }
            Err(next) => found = Some(next),
        }
    }
    refusal
}

/// The call as a dry run.
fn dry(call: &Map<String, Value>) -> Map<String, Value> {
    call.clone().into_iter().chain([("dry_run".to_owned(), true.into())]).collect()
}

/// Refuses a candidate whose files have changed.
fn unchanged(workshop: &Workshop, number: u64, files: &[(String, Option<String>)]) -> Result<(), Refusal> {
    match files.iter().find(|(path, digest)| digest_of(workshop, path) != *digest) {
        None => Ok(()),
        Some((path, _)) => {
            Err(Refusal::NotAccepted(NotAccepted::Changed { name: name_of(number), path: path.clone() }))
        }
    }
}

fn digest_of(workshop: &Workshop, path: &str) -> Option<String> {
    workshop.roots.read(Path::new(path)).ok().map(|file| file.digest())
}

/// The candidates for a text, with the number of its edit in a batch, from 0.
fn unbalanced(refusal: &Refusal) -> Option<(Option<usize>, Vec<Corrected>)> {
    let (edit, fault) = doubtful(refusal)?;
    let corrected = fault.corrected();
    (!corrected.is_empty()).then_some((edit, corrected))
}

/// The files of a call, or of a batch, with the digests of their texts.
fn files_of(workshop: &Workshop, arguments: &Map<String, Value>, is_batch: bool) -> Vec<(String, Option<String>)> {
    let paths = match arguments.get("edits").and_then(Value::as_array).filter(|_| is_batch) {
        Some(edits) => edits.iter().filter_map(|edit| edit["path"].as_str()).collect(),
        None => arguments.get("path").and_then(Value::as_str).into_iter().collect::<Vec<&str>>(),
    };
    let mut files: Vec<(String, Option<String>)> = Vec::new();
    for path in paths {
        if !files.iter().any(|(known, _)| known == path) {
            files.push((path.to_owned(), digest_of(workshop, path)));
        }
    }
    files
}

/// The refusal with the names under which its candidates are kept.
fn offered(workshop: &Workshop, tool: &str, arguments: &Map<String, Value>, mut refusal: Refusal) -> Refusal {
    let Some((edit, corrected)) = unbalanced(&refusal) else { return refusal };
    let files = files_of(workshop, arguments, edit.is_some());
    let mut names = Vec::new();
    for corrected in corrected.into_iter().take(MOST_OF_ONE) {
        let mut arguments = arguments.clone();
        let place = match edit {
            Some(edit) => arguments.get_mut("edits").and_then(|edits| edits.get_mut(edit)?.as_object_mut()),
            None => Some(&mut arguments),
        };
        let Some(place) = place else { return refusal };
        match corrected {
            Corrected::Content(content) => {
                place.insert("content".to_owned(), content.into());
            }
            Corrected::Patch { old_text, new_text } => {
                place.insert("old_text".to_owned(), old_text.into());
                place.insert("new_text".to_owned(), new_text.into());
                place.shift_remove("replace_all");
            }
        }
        names.push(workshop.offers.keep(tool, arguments, files.clone()));
    }
    let inner = match &mut refusal {
        Refusal::InBatch { refusal, .. } => &mut **refusal,
        refusal => refusal,
    };
    if let Refusal::Text { fault, .. } = inner {
        for (fix, name) in fault.fixes_mut().iter_mut().zip(names) {
            fix.offer = Some(name);
        }
    }
    refusal
}
