//! The place where a runtime is tested: a session on it, and the record of the behaviours that fail.

use std::sync::Arc;
use std::time::Duration;

use lispwright_runtime::*;
use tokio::task::LocalSet;

use crate::BACKENDS;
use crate::behaviours::Behaviour;
use crate::lab::{Lab, lab_with, runtime};
use crate::owner::Server;
use crate::phrases::Phrases;

/// A row of the table: a runtime, its language, and the behaviours that it lacks, with reasons.
pub(crate) struct Backend {
    pub(crate) name: &'static str,
    pub(crate) phrases: &'static Phrases,
    pub(crate) lacks: &'static [(&'static str, &'static str)],
}

/// A session on the runtime, in a directory of its own.
pub(crate) struct Bench {
    lab: Lab,
    pub(crate) phrases: &'static Phrases,
    /// The image that somebody else runs, if sessions only attach to the runtime.
    owner: Option<Server>,
}

impl std::ops::Deref for Bench {
    type Target = Lab;

    fn deref(&self) -> &Lab {
        &self.lab
    }
}

impl Bench {
    async fn new(backend: &Backend) -> Self {
        let chosen = runtime(backend.name);
        let lab = lab_with(|config| {
            config.runtime = Some(chosen);
            config.heap_megabytes = 256;
        });
        let owner = chosen.is_only_joined().then(|| Server::start(""));
        if let Some(owner) = &owner {
            lab.attach(MAIN, FoundServer::known(owner.address, chosen)).await.unwrap();
        }
        Self { lab, phrases: backend.phrases, owner }
    }

    /// Fails at once where the runtime does not declare this capability.
    pub(crate) fn needs(&self, capability: Capability) {
        let runtime = self.runtime_of(MAIN);
        assert!(runtime.can(capability), "{runtime} says that it cannot {}", capability.as_str());
    }

    pub(crate) async fn ask(&self, request: Request) -> EvalReport {
        self.call(MAIN, request, &Default::default()).await.unwrap_or_else(|refused| panic!("{refused}"))
    }

    /// Evaluates with the default request after `change`.
    pub(crate) async fn eval_with(&self, code: &str, change: impl FnOnce(&mut EvalRequest)) -> EvalReport {
        let mut request = EvalRequest::new(code);
        change(&mut request);
        self.ask(Request::Eval(request)).await
    }

    /// The image is somebody else's, who alone starts it again.
    pub(crate) fn is_joined(&self) -> bool {
        self.owner.is_some()
    }

    /// Defines the variable that [`Self::is_kept`] checks.
    pub(crate) async fn mark(&self) {
        self.values(self.phrases.define_here).await;
    }

    /// The session still answers, from the image that knows `here`.
    pub(crate) async fn is_kept(&self) {
        assert_eq!(self.values(self.phrases.here).await, "42");
    }

    /// Writes a file below the root; returns its path.
    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.directory.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.canonicalize().unwrap().display().to_string()
    }

    pub(crate) fn project(&self) -> Project {
        let root = self.directory.path();
        Project {
            roots: vec![root.canonicalize().unwrap().display().to_string()],
            definitions: definition_files(root).iter().map(|path| path.display().to_string()).collect(),
            renewal: Renewal::default(),
        }
    }

    pub(crate) async fn load(&self, target: LoadTarget, force: bool) -> EvalReport {
        let (project, timeout) = (self.project(), Duration::from_secs(100).into());
        self.ask(Request::Load { target, project, force, clear: false, in_system: false, timeout }).await
    }

    pub(crate) async fn test(&self, target: LoadTarget, tests: &[&str]) -> EvalReport {
        self.test_for(target, tests, Duration::from_secs(100)).await
    }

    pub(crate) async fn test_for(&self, target: LoadTarget, tests: &[&str], time: Duration) -> EvalReport {
        let (project, timeout) = (self.project(), time.into());
        let tests = tests.iter().map(|name| (*name).to_owned()).collect();
        self.ask(Request::RunTests { target, project, framework: None, tests, timeout }).await
    }
}

/// Tests the runtime called `name` on `behaviours`; fails with the names of those that differ from its row.
pub(crate) async fn conforms(name: &str, behaviours: &[Behaviour]) {
    let backend = BACKENDS.iter().find(|backend| backend.name == name).expect("each test has its row");
    let chosen = runtime(name);
    assert!(chosen.is_only_joined() || chosen.find().is_some(), "this test needs {}", chosen.package);
    let mut wrong = Vec::new();
    let mut bench = Arc::new(Bench::new(backend).await);
    for behaviour in behaviours {
        let local = LocalSet::new();
        let holds = local.spawn_local((behaviour.holds)(Arc::clone(&bench)));
        let failed = local.run_until(holds).await.is_err();
        let lacks = backend.lacks.iter().any(|(lacked, _)| *lacked == behaviour.name);
        match (failed, lacks) {
            (true, false) => wrong.push(format!("{}: does not hold", behaviour.name)),
            (false, true) => wrong.push(format!("{}: holds, and is said to be lacking", behaviour.name)),
            _ => {}
        }
        if failed {
            // It may have left anything behind.
            bench.shutdown().await;
            bench = Arc::new(Bench::new(backend).await);
        }
    }
    bench.shutdown().await;
    assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
}
