//! Work in a fresh image, where the one that was kept is no judge.
//!
//! An image that has seen earlier versions of the files can refuse what a fresh one loads: a structure with another slot,
//! a constant with another value, a name that it has interned before its package exported it. So when work does not load
//! in an image that has been used, it is done once more in a fresh one. If it loads there, that image takes the place of the
//! session's own; if it does not, what the fresh image says is the answer, unless it lacks what the session was given.

use std::path::Path;
use std::time::Duration;

use lispwright_runtime::{
    CompilerDiagnostic, Ending, EvalReport, EvalRequest, Fresh, ListHeld, LoadTarget, Notice, Project, Renewal, Request,
};

use crate::given::Given;
use crate::image_text::one_line;
use crate::load_system;
use crate::refusal::Refusal;
use crate::renewal::ImageLedger;
use crate::repl_eval::Visiting;
use crate::repl_work::{Done, Work};
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// Characters of the reason why a session was renewed.
const REASON: usize = 300;

/// The time limit of a form that a fresh image is given.
const LIMIT: Duration = Duration::from_secs(120);

/// The end of the name of a session that has an earlier image.
const EARLIER: &str = "before";

/// Does in a fresh image what the image that is visited did not load, and lets the session go on there if it loads.
///
/// A file may need what was loaded before it, and not say so: where a fresh image does not come as far with the file,
/// another one loads that first. Where this does not come as far either, the file needs what was done by hand, and no
/// fresh image is a judge.
///
/// The result is what happened in the fresh image; `None` if there can be none, if its work did not come to its end, or if
/// it is no judge.
pub(crate) async fn renewed(
    workshop: &Workshop,
    visit: &mut Visiting<'_>,
    kept: &Done,
    mut work: Work,
    request: &impl Fn(LoadTarget, Project) -> Request,
    context: &CallContext,
) -> Result<Option<Done>, Refusal> {
    let session = visit.session().to_owned();
    let evaluations = workshop.sessions.evaluations(&session);
    let given = workshop.ledger.given(&session, &[&work.target]);
    work.project.renewal = Renewal::default();
    let comes_as_far = |other: &Done| reach(&other.report, &work.target) >= reach(&kept.report, &work.target);
    let Some(mut other) = Afresh::new(workshop, &session, context).await? else { return Ok(None) };
    let mut done = other.does(work.clone(), request, context).await?;
    if has_loaded(&done.report) == Some(false) && !comes_as_far(&done) {
        if !given.is_empty() {
            drop(other);
            let Some(again) = Afresh::new(workshop, &session, context).await? else { return Ok(None) };
            other = again;
            other.is_given(&given, &work, context).await?;
            done = other.does(work.clone(), request, context).await?;
        }
        if evaluations > 0 && has_loaded(&done.report) == Some(false) && !comes_as_far(&done) {
            return Ok(None);
        }
    }
    let has_loaded = has_loaded(&done.report);
    done.report.notices.splice(0..0, kept.report.notices.iter().cloned());
    done.changes.clone_from(&kept.changes);
    match has_loaded {
        None => Ok(None),
        Some(false) => Ok(Some(done)),
        Some(true) => {
            visit.exchange(&mut other.visit);
            workshop.ledger.take_over(&other.workshop.ledger, &session, visit.pid());
            drop(other.visit);
            let earlier = kept_aside(workshop, other.image, &session, evaluations).await;
            done.report.notices.push(Notice::Renewed { reason: reason(&kept.report), evaluations, earlier });
            Ok(Some(done))
        }
    }
}

/// How far work came that did not load: the line of the last mistake in the file, or, with a system, whether a mistake has a
/// place.
fn reach(report: &EvalReport, target: &LoadTarget) -> u32 {
    let errors = report.diagnostics.iter().filter(|one| one.severity == "error");
    let lines = errors.map(|one| match target {
        LoadTarget::Path(path) => one.line.filter(|_| one.file.as_ref() == Some(path)).unwrap_or(0),
        LoadTarget::System(_) => u32::from(one.line.is_some()),
    });
    lines.max().unwrap_or(0)
}

/// A fresh image beside that of a session, with an account of its own.
pub(crate) struct Afresh<'c> {
    pub(crate) image: Fresh,
    pub(crate) visit: Visiting<'c>,
    /// Where the image's files are accounted for.
    pub(crate) workshop: Workshop,
}

impl<'c> Afresh<'c> {
    /// Starts one; `None` if there can be none.
    pub(crate) async fn new(
        workshop: &Workshop,
        session: &str,
        context: &'c CallContext,
    ) -> Result<Option<Self>, Refusal> {
        let Ok(image) = workshop.sessions.fresh(session) else { return Ok(None) };
        let visit = Visiting::in_fresh(&image, &Request::Held(ListHeld), context).await?;
        let workshop = Workshop { ledger: ImageLedger::default(), ..workshop.clone() };
        Ok(Some(Self { image, visit, workshop }))
    }

    /// Loads what the image of a session was given, as far as that loads.
    pub(crate) async fn is_given(
        &mut self,
        given: &[Given],
        like: &Work,
        context: &CallContext,
    ) -> Result<(), Refusal> {
        for one in given {
            let loaded = self.workshop.ledger.files_of(&like.session);
            match one {
                Given::Target(LoadTarget::Path(path)) if loaded.contains(Path::new(path)) => {}
                Given::Target(target) => {
                    let work = Work { target: target.clone(), ..like.clone() };
                    self.does(work, &load_system::request(false, false), context).await?;
                }
                Given::Form { text, package } => {
                    let request =
                        EvalRequest { package: package.clone(), timeout: LIMIT.into(), ..EvalRequest::new(text) };
                    self.visit.ask(Request::Eval(request)).await?;
                }
            }
        }
        Ok(())
    }

    async fn does(
        &mut self,
        work: Work,
        request: &impl Fn(LoadTarget, Project) -> Request,
        context: &CallContext,
    ) -> Result<Done, Refusal> {
        work.done_here(&mut self.visit, &self.workshop, request, context).await
    }
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
