//! The session of a call that names a session, a runtime, both or neither.

use lispwright_runtime::{Capability, MAIN, Runtime, SessionError, Sessions};

use crate::live_fault::LiveFault;
use crate::refusal::Refusal;

/// The session for `session` and `runtime`, which is created if it does not exist.
///
/// A session keeps its runtime. A runtime without a session means the main session if that runs it, else the session
/// with the runtime's name.
pub(crate) fn open(sessions: &Sessions, session: Option<&str>, runtime: Option<&str>) -> Result<String, Refusal> {
    let runtime = runtime.map(named_runtime).transpose()?;
    let name = chosen(sessions, session, runtime);
    sessions.open(name, runtime)?;
    Ok(name.to_owned())
}

/// The name of that session, which need not exist.
pub(crate) fn chosen<'a>(sessions: &Sessions, session: Option<&'a str>, runtime: Option<Runtime>) -> &'a str {
    match (session, runtime) {
        (Some(session), _) => session,
        (None, Some(runtime)) if sessions.runtime_of(MAIN) != runtime => runtime.name,
        (None, _) => MAIN,
    }
}

/// The runtime of that name, if sessions can run it.
pub(crate) fn named_runtime(name: &str) -> Result<Runtime, Refusal> {
    match Runtime::named(name) {
        Some(runtime) if runtime.can(Capability::Eval) => Ok(runtime),
        Some(runtime) => Err(SessionError::Unsupported(runtime).into()),
        None => Err(LiveFault::NoRuntime(name.to_owned()).into()),
    }
}
