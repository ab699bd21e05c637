//! The server of a session on an attached Common Lisp image, and reconnecting to it.

use std::net::SocketAddr;
use std::time::Duration;

use super::image::Image;
use crate::backends::Runtime;
use crate::config::Config;
use crate::eval::Ending;
use crate::factory::StartError;
use crate::notice::{Notice, Remaining};
use crate::remote::{Called, Protocol, Reached};
use crate::request::Request;
use crate::session;
use crate::stop::Controls;

/// The time for giving up held stacks.
const LEAVE_LIMIT: Duration = Duration::from_secs(2);

/// The server of one session.
#[derive(Default)]
pub(crate) struct Swank {
    image: Option<Image>,
    /// The address that the session is attached to.
    attached: Option<SocketAddr>,
}

impl Swank {
    /// The address of the server that the session is attached to, even if the connection is lost.
    pub(crate) fn joined(&self) -> Option<SocketAddr> {
        self.attached
    }

    /// Attaches to the server at `address`, instead of the earlier one; `greeted` is a conversation that has begun with
    /// it.
    pub(crate) async fn attach(
        &mut self,
        address: SocketAddr,
        greeted: Option<Image>,
        config: &Config,
    ) -> Result<Reached, StartError> {
        let image = match greeted {
            Some(image) => image.prepared().await,
            None => Image::open(address, config.output_limit).await,
        };
        let image = image.map_err(StartError::Unreachable)?;
        self.leave().await;
        self.attached = Some(address);
        Ok(self.set(image, None))
    }

    /// Attaches again to the session's server after the connection was lost.
    pub(crate) async fn ensure(&mut self, config: &Config) -> Result<Option<Reached>, StartError> {
        if self.image.is_some() {
            return Ok(None);
        }
        let runtime = Runtime::speaking(Protocol::Swank);
        let address = self.attached.ok_or(StartError::Unattached(runtime))?;
        let lost = |why| StartError::Lost(runtime, why);
        let image = Image::open(address, config.output_limit).await.map_err(lost)?;
        Ok(Some(self.set(image, Some(Notice::Reconnected(Remaining::WithoutObjects)))))
    }

    fn set(&mut self, image: Image, notice: Option<Notice>) -> Reached {
        let version = format!("{}, attached to {}", image.version, image.address);
        let known = Reached { image: session::Image { ours: None, started: image.started, version }, notice };
        self.image = Some(image);
        known
    }

    /// Sends a request to the server; the session must have one.
    pub(crate) async fn call(&mut self, request: &Request, next_object: i64, controls: &Controls) -> Called {
        let image = self.image.as_mut().expect("the session was given an image");
        let answer = match request {
            Request::RunTests { .. } => match image.prepare_tests().await {
                Ok(None) => image.request(request, next_object, controls).await,
                Ok(Some(ending)) => Ok(image.unasked(ending)),
                Err(why) => Err(image.lost(&why, None)),
            },
            Request::Checkpoint(_) | Request::Rollback(_) | Request::LoadedFiles(_) => {
                Ok(image.unasked(Ending::NotOffered { operation: request.operation() }))
            }
            request => image.request(request, next_object, controls).await,
        };
        let (stdout, stderr) = if request.is_aside() { Default::default() } else { image.take_output() };
        if answer.is_err() {
            // Only the owner may end the thread that evaluates; the connection can be closed here.
            self.image = None;
        }
        Called { answer, earlier: Vec::new(), notices: Vec::new(), stdout, stderr, theirs: true, tests: None }
    }

    /// Disconnects: gives up the held stacks, and closes the connection. The server goes on.
    pub(crate) async fn leave(&mut self) {
        let Some(mut image) = self.image.take() else { return };
        if image.holder.is_some() {
            let abort = async {
                while image.holder.is_some() {
                    // The answer says how many stacks are left; a failure ends the attempt.
                    if image.request(&Request::Abort, 0, &Controls::default()).await.is_err() {
                        return;
                    }
                }
            };
            let _ = tokio::time::timeout(LEAVE_LIMIT, abort).await;
        }
    }
}
