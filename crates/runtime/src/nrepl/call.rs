//! One call of a session on Clojure, from the server to the report.

use std::time::Instant;

use super::remote::{Remote, RemoteImage};
use crate::eval::{Ending, EvalReport};
use crate::request::Request;
use crate::session::{Image, Session, WITHDRAWN, loss};
use crate::sessions::SessionError;
use crate::worker::Controls;

impl Session {
    /// Takes note of the server that the session has now.
    pub(crate) fn set_remote(&self, known: RemoteImage) {
        let mut facts = self.facts();
        facts.image = Some(Image { pid: known.pid.unwrap_or(0), started: known.started, version: known.version });
        if !known.notice.is_empty() {
            let before = facts.notice.take().map(|before| before + " ").unwrap_or_default();
            facts.notice = Some(before + &known.notice);
        }
    }
}

/// Gives a session on Clojure a server if it has none that lives.
pub(crate) async fn ensure_remote(session: &Session, remote: &mut Remote) -> Result<(), SessionError> {
    if let Some((death, words)) = remote.found_dead().await {
        session.count_crash(death.status.clone());
        session.facts().notice = Some(loss(&session.name, "while no call was running", &death, &words));
        if session.facts().stopped {
            return Err(session.stopped_error());
        }
    }
    if let Some(known) = remote.ensure(&session.factory.config, &session.factory.household).await? {
        session.set_remote(known);
    }
    Ok(())
}

/// One call to a server, from the connection to the report.
pub(crate) async fn run_remote(
    session: &Session,
    remote: &mut Remote,
    request: &Request,
    controls: &Controls,
    began: Instant,
) -> Result<EvalReport, SessionError> {
    // A start can take many seconds, none of which count against the code's own.
    tokio::select! {
        biased;
        ensured = ensure_remote(session, remote) => ensured?,
        () = controls.stopping() => return Err(SessionError::Start(WITHDRAWN.to_owned())),
    }
    let called = remote.call(request, controls).await;
    if let Some((death, reason)) = called.death() {
        session.lost(death, reason);
    }
    let mut notices: Vec<String> = session.facts().notice.take().into_iter().collect();
    session.facts().package.clone_from(&called.namespace);
    let evaluated = match called.evaluated {
        Ok(evaluated) => evaluated,
        Err(lost) => Ending::Died { death: lost.death, reason: lost.reason }.into(),
    };
    notices.extend(evaluated.notices);
    Ok(EvalReport {
        session: session.name.clone(),
        runtime: session.factory.runtime(),
        ending: evaluated.ending,
        earlier: evaluated.earlier,
        stdout: called.stdout,
        stderr: called.stderr,
        warnings: Vec::new(),
        object: None,
        held: 0,
        package: called.namespace,
        background: Vec::new(),
        notices,
        stopped: session.facts().stopped,
        diagnostics: evaluated.diagnostics,
        tests: evaluated.tests,
        activity: controls.activity.get(),
        duration: began.elapsed(),
    })
}
