//! The server of a Clojure session, and the choice of it.
//!
//! A session that was attached to an address keeps it. Any other looks for a server that already runs for the project
//! and has a file `.nrepl-port`, and starts one of its own when there is none.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use super::evaluate::Evaluated;
use super::image::Image;
use super::port_file::port_files;
use super::server::{Server, Speaks, Way, find};
use crate::backends::Runtime;
use crate::config::Config;
use crate::eval::{Answer, Ending};
use crate::factory::{Household, StartError};
use crate::notice::{Notice, PassedOver, Remaining};
use crate::remote::{Called, Lost, Protocol, Reached};
use crate::request::Request;
use crate::session::{self, Ours};
use crate::start::Starting;
use crate::stop::{Controls, Death};

/// The server of one session.
#[derive(Default)]
pub(crate) struct Nrepl {
    image: Option<Image>,
    /// The address that the session is attached to.
    attached: Option<SocketAddr>,
    /// A server that is being started.
    starting: Option<Starting<Started>>,
    /// The way in which the server was started, if it was started here.
    way: Option<Way>,
}

/// A server that was started here, how it is reached, and a notice about it.
struct Started {
    image: Image,
    way: Way,
    how: String,
    notice: Notice,
}

/// The reason why an image that has another class path is no judge.
const OUTDATED: &str = "The image has on its class path what the project has not any more.";

impl Nrepl {
    /// Checks for the end of a server that was started here; returns how it ended.
    pub(crate) async fn found_dead(&mut self) -> Option<(Death, String)> {
        let image = self.image.as_mut().filter(|image| image.server.is_some())?;
        if image.is_alive() {
            return None;
        }
        let mut image = self.image.take().expect("it was just there");
        let words = crate::worker::last_lines(&image.take_output().1.head);
        let death = image.server.as_mut().expect("only those are looked at").bury(false).await;
        Some((death, words))
    }

    /// The address of the server that the session is attached to, even if the connection is lost.
    pub(crate) fn joined(&self) -> Option<SocketAddr> {
        let found = self.image.as_ref().filter(|image| image.server.is_none());
        self.attached.or(found.and_then(|image| image.address))
    }

    /// Attaches to the server at `address`, instead of the earlier one.
    pub(crate) async fn attach(&mut self, address: SocketAddr, config: &Config) -> Result<Reached, StartError> {
        let image = Image::open(address, config.output_limit).await.map_err(StartError::Unreachable)?;
        if let Some(before) = self.image.take() {
            before.leave().await;
        }
        self.attached = Some(address);
        self.starting = None;
        Ok(self.set(image, &format!("attached to {address}"), None))
    }

    /// Whether a server is being started, or has been and no call has taken it.
    pub(crate) fn is_starting(&self) -> bool {
        self.starting.is_some()
    }

    /// Ends the start of a server that nobody waits for.
    pub(crate) fn give_up_start(&mut self) {
        self.starting = None;
    }

    /// Finds or starts a server when there is none; returns what is new about it. A start goes on when the caller gives
    /// up waiting.
    pub(crate) async fn ensure(
        &mut self,
        config: &Config,
        household: &Arc<Household>,
    ) -> Result<Option<Reached>, StartError> {
        if self.image.is_some() {
            return Ok(None);
        }
        if self.starting.is_some() {
            return self.ensure_started().await;
        }
        if let Some(address) = self.attached {
            let lost = |why| StartError::Lost(Runtime::speaking(Protocol::Nrepl), why);
            let image = Image::open(address, config.output_limit).await.map_err(lost)?;
            let notice = Notice::Reconnected(Remaining::Unknown);
            return Ok(Some(self.set(image, &format!("attached to {address}"), Some(notice))));
        }
        let root = config.root.clone();
        let files = tokio::task::spawn_blocking(move || port_files(&root)).await.unwrap_or_default();
        let mut passed_over = None;
        for (file, port) in files {
            if config.sandbox.is_some() {
                // Code in the sandbox may have written this file, and the server there is not confined.
                passed_over = Some(PassedOver::Unconfined { file, port });
                continue;
            }
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            match Image::open(address, config.output_limit).await {
                Ok(image) => {
                    let notice = Notice::Attached { address, file };
                    return Ok(Some(self.set(image, &format!("attached to {address}"), Some(notice))));
                }
                Err(why) => passed_over = Some(PassedOver::OutOfDate { file, why }),
            }
        }
        if !config.launcher.is_empty() {
            return Err(StartError::Failed(
                "a Clojure server is reached through a port, which a launcher does not carry; start one and attach to it"
                    .to_owned(),
            ));
        }
        let speaks = Speaks::of(config);
        let way = find(&config.root, speaks).ok_or_else(|| match find(&config.root, Speaks::AtPort) {
            Some(other) if speaks != Speaks::AtPort => StartError::Failed(format!(
                "{} listens at a port, and in the sandbox there is none: install libnrepl-clojure (apt-get) or the command \
                 clojure, which are spoken with through a pipe, or start a server yourself and attach to it",
                other.describe()
            )),
            _ => StartError::Missing(Runtime::speaking(Protocol::Nrepl)),
        })?;
        let (config, household) = (config.clone(), Arc::clone(household));
        self.starting = Some(Starting::begin(async move { start(&way, passed_over, &config, &household).await }));
        self.ensure_started().await
    }

    /// Waits for the server that is being started.
    async fn ensure_started(&mut self) -> Result<Option<Reached>, StartError> {
        let Some(start) = &mut self.starting else { return Ok(None) };
        let started = start.result().await;
        self.starting = None;
        let Started { image, way, how, notice } = started?;
        self.way = Some(way);
        Ok(Some(self.set(image, &how, Some(notice))))
    }

    fn set(&mut self, image: Image, how: &str, notice: Option<Notice>) -> Reached {
        let version = format!("{}, {how}", image.version);
        let known = Reached {
            image: session::Image {
                ours: image.pid().zip(image.server.as_ref()).map(|(pid, server)| Ours { pid, watch: server.watch() }),
                started: image.started,
                version,
            },
            notice,
        };
        self.image = Some(image);
        known
    }

    /// The server was started here, and has what one that is started now has not: a build file, a directory or a dependency
    /// of the project has changed.
    async fn is_outdated(&self, config: &Config) -> bool {
        let is_ours = self.image.as_ref().is_some_and(|image| image.server.is_some());
        let Some(way) = self.way.clone().filter(|_| is_ours) else { return false };
        let (root, speaks) = (config.root.clone(), Speaks::of(config));
        let now = tokio::task::spawn_blocking(move || find(&root, speaks)).await;
        now.is_ok_and(|now| now.is_some_and(|now| !way.is_within(&now)))
    }

    /// Sends a request to the server; the session must have one.
    pub(crate) async fn call(&mut self, request: &Request, config: &Config, controls: &Controls) -> Called {
        let judges = matches!(request, Request::Load { .. } | Request::RunTests { .. });
        let is_outdated = judges && self.is_outdated(config).await;
        let image = self.image.as_mut().expect("the session was given an image");
        let evaluated = match is_outdated {
            true => Ok(Evaluated::only_in_fresh(OUTDATED)),
            false => Self::evaluated(image, request, controls).await,
        };
        let evaluated = match evaluated {
            Ok(evaluated) => image.runs_on().await.map(|runs_on| (evaluated, runs_on)),
            Err(lost) => Err(lost),
        };
        let (stdout, stderr) = if request.is_aside() { Default::default() } else { image.take_output() };
        let theirs = image.server.is_none();
        let namespace = image.namespace.clone();
        let underway = image.underway.take();
        let forgotten =
            std::mem::take(&mut image.was_forgotten).then_some(Notice::Reconnected(Remaining::WithoutHistory));
        let (answer, earlier, notices) = match evaluated {
            Ok((evaluated, runs_on)) => {
                let answer = Answer {
                    package: Some(namespace),
                    diagnostics: evaluated.diagnostics,
                    tests: evaluated.tests,
                    renewed: evaluated.renewed,
                    runs_on,
                    ..Answer::without_image(evaluated.ending)
                };
                (Ok(answer), evaluated.earlier, forgotten.into_iter().chain(evaluated.notices).collect())
            }
            Err(lost) => {
                self.image = None;
                (Err(lost), Vec::new(), Vec::new())
            }
        };
        Called { answer, earlier, notices, stdout, stderr, theirs, tests: underway }
    }

    async fn evaluated(image: &mut Image, request: &Request, controls: &Controls) -> Result<Evaluated, Lost> {
        match request {
            Request::Eval(request) => image.eval(request, controls).await,
            Request::Macroexpand(question) => image.expand(question, controls).await,
            Request::Describe(question) => image.describe(question, Instant::now() + request.timeout(), controls).await,
            Request::Exports(question) => image.exports(question, Instant::now() + request.timeout(), controls).await,
            Request::LoadedFiles(question) => image.loaded_files(&question.project).await,
            Request::Load { target, project, force, timeout, .. } => {
                image.load(target, project, *force, Instant::now() + timeout.time, controls).await
            }
            Request::RunTests { target, project, tests, timeout, .. } => {
                image.test(target, project, tests, Instant::now() + timeout.time, controls).await
            }
            request => Ok(Ending::NotOffered { operation: request.operation() }.into()),
        }
    }

    /// Ends a server that was started here; false when there is none.
    pub(crate) async fn leave_ours(&mut self) -> bool {
        let ours = self.image.take_if(|image| image.server.is_some());
        let was_there = ours.is_some();
        if let Some(image) = ours {
            image.leave().await;
        }
        was_there
    }

    /// Ends a server that was started here; disconnects from another's.
    pub(crate) async fn leave(&mut self) {
        if let Some(image) = self.image.take() {
            image.leave().await;
        }
    }
}

/// Starts a server the `way` that was found; a port file was `passed_over`.
async fn start(
    way: &Way,
    passed_over: Option<PassedOver>,
    config: &Config,
    household: &Household,
) -> Result<Started, StartError> {
    let began = Instant::now();
    let mut server = Server::start(way, config, household).await.map_err(StartError::Failed)?;
    let mut image = server.converse(config.output_limit).await.map_err(StartError::Failed)?;
    server.forget_port_file();
    let how = format!("started here, {}", server.describe_link());
    image.own(server);
    let notice = Notice::Started {
        with: way.describe(),
        took: began.elapsed(),
        passed_over,
        missing: way.class_path().missing.clone(),
        other_versions: way.class_path().others.clone(),
    };
    Ok(Started { image, way: way.clone(), how, notice })
}
