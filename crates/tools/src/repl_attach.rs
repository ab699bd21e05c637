//! The actions of `repl_control` that join a server of somebody else's and leave it.

use lispwright_runtime::{Address, Capability, MAIN, Runtime, SWANK_PORT, Sessions};
use serde_json::json;

use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::repl_action::ReplControl;
use crate::repl_refused::session_error;
use crate::repl_session::chosen;
use crate::repl_status::{outcome, session_outcome};
use crate::tool::CallContext;

/// Joins the server at the address given. What it speaks is found out, unless the runtime or the address says it.
pub(crate) async fn attach(
    sessions: &Sessions,
    args: &ReplControl,
    runtime: Option<Runtime>,
    context: &CallContext,
) -> Result<Outcome, Refusal> {
    let here = format!("127.0.0.1:{SWANK_PORT}");
    let address = match (args.address.as_deref(), runtime) {
        (Some(address), _) => address,
        (None, Some(runtime)) if runtime.is_only_joined() => here.as_str(),
        (None, _) => {
            return Err(Refusal::worded(
                "BAD_ARGUMENT",
                format!(
                    "attach needs the address of a running Swank, Slynk, nREPL or Emacs server: repl_control {{\"action\": \
                     \"attach\", \"address\": \"{here}\"}}. In a Common Lisp image, (swank:create-server :dont-close t) starts \
                     one on that port; a file .nrepl-port in the project is found without it."
                ),
            ));
        }
    };
    let bad = |what: String| Refusal::worded("BAD_ARGUMENT", what);
    let address = Address::read(address).map_err(|error| bad(format!("{error}.")))?;
    let address = match (runtime, address.runtime) {
        (Some(asked), Some(said)) if asked != said => {
            return Err(bad(format!("The address says {said} and runtime says {asked}. Leave one of them out.")));
        }
        (Some(other), _) if !other.can(Capability::Attach) => {
            return Err(bad(format!(
                "A session on {other} starts its own images and joins none. Give runtime swank for a Common Lisp image with a \
                 Swank or Slynk server, clojure for an nREPL server, or leave it out."
            )));
        }
        _ => Address { runtime: runtime.or(address.runtime), ..address },
    };
    let found = sessions.find_server(address).await.map_err(session_error)?;
    let runtime = found.runtime();
    let session = chosen(sessions, args.session.as_deref(), Some(runtime));
    let status = context.in_order(sessions.attach(session, found)).await.map_err(session_error)?;
    let about = (runtime.words.attached)(status.version.as_deref().unwrap_or_default());
    let about = if about.is_empty() { String::new() } else { format!(" {about}") };
    let text = format!(
        "Session {session:?} is attached. The server is its owner's: code runs in the owner's image, and nothing done here \
         ends it.{about} To evaluate there: repl_eval {{\"session\": {session:?}, \"code\": ...}}; to leave: repl_control \
         {{\"action\": \"detach\", \"session\": {session:?}}}."
    );
    Ok(session_outcome(&text, &status))
}

/// Leaves the server that a session is attached to.
pub(crate) async fn detach(sessions: &Sessions, session: Option<&str>) -> Result<Outcome, Refusal> {
    let status = sessions.status();
    let attachable = status.sessions.iter().filter(|session| session.runtime.can(Capability::Attach));
    // Other sessions may have a server of their own.
    let usual = attachable.min_by_key(|session| !session.runtime.is_only_joined());
    let session = session.unwrap_or_else(|| usual.map_or(MAIN, |session| &session.name));
    let became = match sessions.detach(session).await.map_err(session_error)? {
        true => "goes on, with what was defined there",
        false => "does not answer any more",
    };
    let text = format!("Session {session:?} is forgotten; the server it was attached to {became}.");
    Ok(outcome(text, json!({"session": session, "detached": true})))
}
