//! Work in a fresh image, where the one that was kept is no judge.
//!
//! An image that has seen earlier versions of the files can refuse what a fresh one loads: a structure with another slot,
//! a constant with another value, a name that it has interned before its package exported it. So when work does not load
//! in an image that has been used, it is done once more in a fresh one. If it loads there, that image takes the place of the
//! session's own; if it does not, what the fresh image says is the answer.

use std::collections::HashSet;

use lispwright_runtime::{
    CompilerDiagnostic, Ending, EvalReport, Fresh, LoadTarget, Notice, Project, Renewal, Request,
};

use crate::image_text::one_line;
use crate::refusal::Refusal;
use crate::renewal::Prepared;
use crate::repl_eval::Visiting;
use crate::repl_work::Done;
use crate::tool::CallContext;
use crate::unbound::unbound_in;
use crate::workshop::Workshop;

/// Characters of the reason why a session was renewed.
const REASON: usize = 300;

/// The end of the name of a session that has an earlier image.
const EARLIER: &str = "before";

/// Does in a fresh image what the image that is visited did not load, and lets the session go on there if it loads.
///
/// The result is the report of the fresh image; `None` if there can be none, or if its work did not come to its end.
pub(crate) async fn renewed(
    workshop: &Workshop,
    visit: &mut Visiting<'_>,
    kept: &Done,
    target: &LoadTarget,
    project: &Project,
    request: &impl Fn(LoadTarget, Project) -> Request,
    context: &CallContext,
) -> Result<Option<Done>, Refusal> {
    let session = visit.session().to_owned();
    let Ok(fresh) = workshop.sessions.fresh(&session) else { return Ok(None) };
    let project = Project { renewal: Renewal::default(), ..project.clone() };
    let asked = request(target.clone(), project);
    let mut other = Visiting::in_fresh(&fresh, &asked, context).await?;
    let prepared = Prepared::for_fresh(workshop, context).await?;
    let mut report = other.ask(asked).await?;
    report.notices.splice(0..0, kept.report.notices.iter().cloned());
    match has_loaded(&report) {
        None => return Ok(None),
        Some(false) => {
            let unbound = unbound_in(workshop, &report, HashSet::new(), context).await?;
            return Ok(Some(Done { report, changes: kept.changes.clone(), unbound, files: kept.files.clone() }));
        }
        Some(true) => {}
    }
    let evaluations = workshop.sessions.evaluations(&session);
    visit.exchange(&mut other);
    drop(other);
    let earlier = kept_aside(workshop, fresh, &session, evaluations).await;
    let (files, _) = prepared.note(workshop, &report, visit.pid());
    report.notices.push(Notice::Renewed { reason: reason(&kept.report), evaluations, earlier });
    let unbound = unbound_in(workshop, &report, workshop.ledger.files_of(&session), context).await?;
    Ok(Some(Done { report, changes: kept.changes.clone(), unbound, files }))
}

/// Keeps an image that somebody has worked in as a session of its own, whose name is returned.
pub(crate) async fn kept_aside(workshop: &Workshop, image: Fresh, session: &str, evaluations: u64) -> Option<String> {
    if evaluations == 0 {
        image.end().await;
        return None;
    }
    let name = format!("{session}-{EARLIER}");
    // The one before it was told, too.
    let _ = workshop.sessions.kill(&name).await;
    image.keep_as(&name).await.then_some(name)
}

/// Whether what was asked for is loaded; `None` if the work was stopped or its image lost.
pub(crate) fn has_loaded(report: &EvalReport) -> Option<bool> {
    match report.ending {
        Ending::Loaded { .. } | Ending::Tested => Some(true),
        // Tests that ran were loaded.
        Ending::Error { .. } => Some(report.tests.as_ref().is_some_and(|tests| tests.total() > 0)),
        _ => None,
    }
}

/// A fresh image may load what this one did not: only a fresh one can, or this one has been used and the text can be read.
pub(crate) fn may_load_elsewhere(report: &EvalReport, was_used: bool) -> bool {
    let is_unread = |one: &CompilerDiagnostic| one.severity == "error" && is_of_reading(&one.type_name);
    report.renewed.needs_fresh.is_some()
        || (was_used
            && has_loaded(report) == Some(false)
            && !report.renewed.as_fresh
            && !report.diagnostics.iter().any(is_unread))
}

/// The condition types of SBCL, ECL, CLISP, Guile, Chez, Racket, Clojure and Emacs for a file that does not read.
const OF_READING: [&str; 12] = [
    "READ-ERROR",
    "READER-ERROR",
    "INPUT-ERROR-IN-LOAD",
    "END-OF-FILE",
    "COMPILER-INTERNAL-ERROR",
    "read-error",
    "exn:fail:read",
    "exn:fail:read:eof",
    "end-of-file",
    "invalid-read-syntax",
    "&i/o-read",
    "&lexical",
];

/// The mistake is that a file does not read.
pub(crate) fn is_of_reading(type_name: &str) -> bool {
    OF_READING.iter().any(|name| type_name.ends_with(name))
}

/// The first line of what the image that was kept said.
fn reason(kept: &EvalReport) -> String {
    if let Some(reason) = &kept.renewed.needs_fresh {
        return one_line(reason, REASON);
    }
    let error = kept.diagnostics.iter().find(|one| one.severity == "error").map(|one| one.message.as_str());
    let ended = match &kept.ending {
        Ending::Error { error, .. } => Some(error.message.as_str()),
        _ => None,
    };
    let said = error.or(ended).unwrap_or_default();
    one_line(said.lines().next().unwrap_or_default(), REASON)
}
