//! Which session a call means, when it names one, a runtime, both or neither.

use lispwright_runtime::{MAIN, Runtime, Sessions};

use crate::refusal::Refusal;
use crate::repl_refused::{named_runtime, session_error};

/// The session meant by `session` and `runtime`; it is there afterwards, if it can be made.
///
/// A session keeps its runtime. A runtime without a session means the main session when that runs it, else the session
/// that bears the runtime's name.
pub(crate) fn open(sessions: &Sessions, session: Option<&str>, runtime: Option<&str>) -> Result<String, Refusal> {
    let runtime = runtime.map(named_runtime).transpose()?;
    let name = chosen(sessions, session, runtime);
    sessions.open(name, runtime).map_err(session_error)?;
    Ok(name.to_owned())
}

/// The name of the session meant, which need not exist.
pub(crate) fn chosen<'a>(sessions: &Sessions, session: Option<&'a str>, runtime: Option<Runtime>) -> &'a str {
    match (session, runtime) {
        (Some(session), _) => session,
        (None, Some(runtime)) if sessions.runtime_of(MAIN) != runtime => runtime.name,
        (None, _) => MAIN,
    }
}
