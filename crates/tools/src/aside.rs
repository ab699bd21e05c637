//! Notes of a session that come with any answer: events in it that the call did not ask about.

use lispwright_runtime::{EvalReport, LispError, Notice, Runtime};

/// The notes of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Aside {
    /// The session.
    pub session: String,
    /// Its runtime.
    pub runtime: Runtime,
    /// The image belongs to somebody else.
    pub theirs: bool,
    /// Errors of other threads since the last answer.
    pub background: Vec<LispError>,
    /// Code that was interrupted still runs in the image.
    pub runs_on: bool,
    /// Events of the session, oldest first, without those that repeat others.
    pub notices: Vec<Notice>,
    /// The resources whose limits code has set to 0 for the image.
    pub used_up: Vec<&'static str>,
}

impl From<&EvalReport> for Aside {
    fn from(report: &EvalReport) -> Self {
        let mut notices: Vec<Notice> = Vec::new();
        for notice in &report.notices {
            if !notices.iter().any(|earlier| notice.repeats(earlier)) {
                notices.push(notice.clone());
            }
        }
        Self {
            session: report.session.clone(),
            runtime: report.runtime,
            theirs: report.theirs,
            background: report.background.clone(),
            runs_on: report.runs_on,
            notices,
            used_up: report.used_up.clone(),
        }
    }
}
