//! The actions of `repl_control` that join somebody else's server and leave it.

use lispwright_runtime::{Capability, MAIN, Runtime, SWANK_PORT, ServerAddress, Sessions};

use crate::live_fault::LiveFault;
use crate::refusal::Refusal;
use crate::repl_action::ReplControl;
use crate::repl_control::{ActAnswer, Became, SessionAnswer};
use crate::repl_session::chosen;
use crate::tool::CallContext;

/// Joins the server at the given address. Its protocol is detected unless the runtime or the address names it.
pub(crate) async fn attach(
    sessions: &Sessions,
    args: &ReplControl,
    runtime: Option<Runtime>,
    context: &CallContext,
) -> Result<SessionAnswer, Refusal> {
    let here = format!("127.0.0.1:{SWANK_PORT}");
    let address = match (args.address.as_deref(), runtime) {
        (Some(address), _) => address,
        (None, Some(runtime)) if runtime.is_only_joined() => here.as_str(),
        (None, _) => return Err(LiveFault::NoAddress.into()),
    };
    let address = ServerAddress::read(address).map_err(|error| LiveFault::BadAddress(error.to_string()))?;
    let address = match (runtime, address.runtime) {
        (Some(asked), Some(said)) if asked != said => return Err(LiveFault::TwoRuntimes { asked, said }.into()),
        (Some(other), _) if !other.can(Capability::Attach) => return Err(LiveFault::JoinsNone(other).into()),
        _ => ServerAddress { runtime: runtime.or(address.runtime), ..address },
    };
    // A silent port is waited for, and nobody's files with it.
    context.leaves_files();
    let found = sessions.find_server(address).await?;
    let session = chosen(sessions, args.session.as_deref(), Some(found.runtime()));
    let status = context.in_order(sessions.attach(session, found)).await?;
    Ok(SessionAnswer::new(status, Became::Attached))
}

/// Leaves the server that a session is attached to.
pub(crate) async fn detach(sessions: &Sessions, session: Option<&str>) -> Result<ActAnswer, Refusal> {
    let status = sessions.status();
    let attachable = status.sessions.iter().filter(|session| session.runtime.can(Capability::Attach));
    // Other sessions may have a server of their own.
    let usual = attachable.min_by_key(|session| !session.runtime.is_only_joined());
    let session = session.unwrap_or_else(|| usual.map_or(MAIN, |session| &session.name));
    let server_answers = sessions.detach(session).await?;
    Ok(ActAnswer { detached: Some(true), server_answers, ..ActAnswer::on(session) })
}
