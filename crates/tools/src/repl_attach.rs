//! The actions of `repl_control` that join a server of somebody else's and leave it.

use lispwright_runtime::nrepl::loopback;
use lispwright_runtime::{Runtime, Sessions};
use serde_json::json;

use crate::repl_control::{ReplControl, outcome, session_outcome};
use crate::repl_refused::session_error;
use crate::repl_session::chosen;
use crate::tool::{Outcome, ToolError};

/// Joins the nREPL server at the address given.
pub(crate) async fn attach(sessions: &Sessions, args: &ReplControl) -> Result<Outcome, ToolError> {
    let Some(address) = args.address.as_deref() else {
        return Err(ToolError::new(
            "BAD_ARGUMENT",
            "attach needs the address of a running nREPL server: repl_control {\"action\": \"attach\", \"address\": \
             \"127.0.0.1:7888\"}. A file .nrepl-port in the project is found without it. Swank and Slynk cannot be joined.",
        ));
    };
    let address = loopback(address).map_err(|error| ToolError::new("BAD_ARGUMENT", format!("{error}.")))?;
    let session = chosen(sessions, args.session.as_deref(), Some(Runtime::Clojure));
    let status = sessions.attach(session, address).await.map_err(session_error)?;
    let text = format!(
        "Session {session:?} is attached. The server is its owner's: code runs in the owner's image, and nothing done here \
         ends it. To leave: repl_control {{\"action\": \"detach\", \"session\": {session:?}}}."
    );
    Ok(session_outcome(&text, &status))
}

/// Leaves the server that a session is attached to.
pub(crate) async fn detach(sessions: &Sessions, session: Option<&str>) -> Result<Outcome, ToolError> {
    let session = chosen(sessions, session, Some(Runtime::Clojure));
    sessions.detach(session).await.map_err(session_error)?;
    let text = format!(
        "Session {session:?} is forgotten; the server it was attached to goes on, with what was defined there."
    );
    Ok(outcome(text, json!({"session": session, "detached": true})))
}
