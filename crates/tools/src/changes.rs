//! What a load has changed in an image besides its target, for whoever asked for the load.

use std::collections::HashSet;
use std::path::Path;

use lispwright_index::{Hit, Index};
use lispwright_runtime::EvalReport;
use schemars::JsonSchema;
use serde::Serialize;

use crate::by_hand::ByHand;
use crate::indexed::indexed;
use crate::refusal::Refusal;
use crate::repl_work::relative;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// The uses of a forgotten definition that are told.
const MOST_USES: usize = 3;

/// The changes of an image that a load has made besides its target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImageChanges {
    /// Definitions that no file has any more, which the image has forgotten.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forgotten: Vec<Forgotten>,
    /// Variables that keep a value which is not that of their definition.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
    /// Changed files that do not load and that the target does not use, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<LeftFile>,
    /// Definitions by hand that files rely on and do not have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_hand: Vec<ByHand>,
    /// Definitions by hand whose places those of the files have taken.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<ByHand>,
    /// Settings of the image that the work had changed and that were put back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub restored: Vec<String>,
}

/// A definition that no file has any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Forgotten {
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The file that had it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The first places in the files that still use the name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub still_used: Vec<StillUsed>,
    /// The number of further ones.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
}

/// A use of a name that nothing defines any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StillUsed {
    /// The form around it.
    pub form: String,
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
}

impl StillUsed {
    /// The use at a place.
    pub(crate) fn of(hit: &Hit<'_>, root: &Path) -> Self {
        Self {
            form: hit.form().map_or_else(String::new, |form| form.called().to_owned()),
            path: relative(&hit.document.path.to_string_lossy(), root),
            line: hit.document.line(hit.used.start),
        }
    }
}

/// A file that was not loaded again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftFile {
    /// The file.
    pub path: String,
    /// The reason.
    pub reason: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl ImageChanges {
    /// There is nothing to tell.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds those of another load.
    pub(crate) fn add(&mut self, other: Self) {
        fn add<T: PartialEq>(all: &mut Vec<T>, more: Vec<T>) {
            for one in more {
                if !all.contains(&one) {
                    all.push(one);
                }
            }
        }
        add(&mut self.forgotten, other.forgotten);
        add(&mut self.kept, other.kept);
        add(&mut self.by_hand, other.by_hand);
        add(&mut self.replaced, other.replaced);
        add(&mut self.left, other.left);
        add(&mut self.restored, other.restored);
    }

    /// Leaves out what has only changed in a copy of the image, and is no reason to act.
    pub(crate) fn keep_what_outlasts_a_copy(&mut self) {
        self.forgotten.retain(|one| !one.still_used.is_empty());
        self.restored.clear();
    }

    /// What an image that had definitions `by_hand` has done, with the places that still use what it has forgotten.
    pub(crate) async fn of(
        workshop: &Workshop,
        report: &EvalReport,
        by_hand: &[ByHand],
        context: &CallContext,
    ) -> Result<Self, Refusal> {
        let (renewed, dialect) = (&report.renewed, report.runtime.dialect);
        let root = workshop.roots.primary().to_owned();
        let is_loaded = |file: &Path| renewed.loaded.iter().any(|one| Path::new(one) == file);
        let (replaced, by_hand): (Vec<&ByHand>, Vec<&ByHand>) =
            by_hand.iter().partition(|one| one.file.as_deref().is_some_and(is_loaded));
        let files = workshop.ledger.files_of(&report.session);
        let files: HashSet<String> = files.iter().map(|file| relative(&file.to_string_lossy(), &root)).collect();
        let left =
            renewed.left.iter().map(|(path, reason)| LeftFile { path: relative(path, &root), reason: reason.clone() });
        let changes = Self {
            forgotten: Vec::new(),
            kept: renewed.kept.clone(),
            by_hand: by_hand.into_iter().filter_map(|one| one.relied_on(&files)).collect(),
            replaced: replaced.into_iter().cloned().collect(),
            left: left.collect(),
            restored: renewed.restored.clone(),
        };
        if renewed.removed.is_empty() {
            return Ok(changes);
        }
        let removed = renewed.removed.clone();
        let find = move |index: &Index| {
            let question = index.question(dialect);
            let forgotten = removed.into_iter().map(|one| {
                let name = one.name.trim_start_matches("(setf ").trim_end_matches(')');
                let hits: Vec<Hit<'_>> = question.mentions(name).into_iter().filter(Hit::is_reference).collect();
                Forgotten {
                    still_used: hits.iter().take(MOST_USES).map(|hit| StillUsed::of(hit, &root)).collect(),
                    more: hits.len().saturating_sub(MOST_USES),
                    path: one.file.map(|file| relative(&file, &root)),
                    kind: one.kind,
                    name: one.name,
                }
            });
            forgotten.collect()
        };
        let forgotten = indexed(workshop, context, move |index, _| find(index)).await?;
        Ok(Self { forgotten, ..changes })
    }
}
