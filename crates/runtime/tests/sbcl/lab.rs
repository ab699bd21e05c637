//! A place to evaluate in: sessions with a saved image that all tests share.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lispwright_runtime::*;
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;

/// Sessions below a directory of their own.
pub(crate) struct Lab {
    pub(crate) sessions: Sessions,
    pub(crate) directory: tempfile::TempDir,
}

impl Deref for Lab {
    type Target = Sessions;

    fn deref(&self) -> &Sessions {
        &self.sessions
    }
}

/// The directory of saved images for the tests.
pub(crate) fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("images")
}

pub(crate) fn config(directory: &Path) -> Config {
    assert!(find_program("sbcl").is_some(), "these tests need sbcl on PATH: apt-get install sbcl");
    Config { cache: Some(cache()), spare: false, ..Config::new(directory) }
}

#[allow(dead_code, reason = "what only the tests on other runtimes use")]
pub(crate) fn runtime(name: &str) -> Runtime {
    Runtime::named(name).unwrap()
}

pub(crate) fn lab() -> Lab {
    lab_with(|_| {})
}

pub(crate) fn lab_with(change: impl FnOnce(&mut Config)) -> Lab {
    let directory = tempfile::tempdir().unwrap();
    let mut config = config(directory.path());
    change(&mut config);
    Lab { sessions: Sessions::new(config), directory }
}

impl Lab {
    /// Evaluates in the main session.
    pub(crate) async fn report(&self, code: &str) -> EvalReport {
        self.request(EvalRequest::new(code)).await
    }

    pub(crate) async fn request(&self, request: EvalRequest) -> EvalReport {
        self.sessions.eval(MAIN, request, &CancellationToken::new()).await.unwrap()
    }

    /// Evaluates for at most `limit` seconds before it is interrupted.
    pub(crate) async fn within(&self, limit: f64, code: &str) -> EvalReport {
        self.request(EvalRequest { timeout: Duration::from_secs_f64(limit).into(), ..EvalRequest::new(code) }).await
    }

    /// The values, as one line.
    pub(crate) async fn values(&self, code: &str) -> String {
        let report = self.report(code).await;
        let Ending::Values(values) = &report.ending else { panic!("{code}: {report:#?}") };
        values.iter().map(|value| value.text.as_str()).collect::<Vec<_>>().join(" ; ")
    }

    /// The error of the code, and its place.
    pub(crate) async fn error(&self, code: &str) -> (LispError, CurrentForm) {
        let report = self.report(code).await;
        let Ending::Error { error, place } = report.ending else { panic!("{code}: {report:#?}") };
        (error, place)
    }

    /// The session still answers, from the image that knows `*here*`.
    pub(crate) async fn assert_state_kept(&self) {
        assert_eq!(self.values("*here*").await, "42");
    }

    pub(crate) async fn mark_state(&self) {
        assert_eq!(self.values("(defvar *here* 42)").await, "*HERE*");
    }

    pub(crate) async fn pid(&self) -> i32 {
        self.status().sessions[0].pid.expect("the session has an image")
    }
}

/// A new cache with the part of the image of `lab` that `broken` leaves, as if that had been saved; the path of the
/// image there, and the length of the whole one.
pub(crate) async fn broken_image(lab: Lab, broken: impl FnOnce(&[u8]) -> &[u8]) -> (tempfile::TempDir, PathBuf, u64) {
    lab.report("1").await;
    let runtime = lab.status().sessions[0].runtime;
    let whole = lab.status().workers_of(runtime).unwrap().saved_image.clone().expect("an image was saved");
    lab.shutdown().await;
    let bytes = std::fs::read(&whole).unwrap();
    let cache = tempfile::tempdir().unwrap();
    let image = cache.path().join(whole.file_name().unwrap());
    let left = broken(&bytes);
    std::fs::write(&image, left).unwrap();
    std::fs::write(image.with_extension("sha256"), Sha256::digest(left)).unwrap();
    (cache, image, bytes.len() as u64)
}

/// Waits until `done`, at most a minute.
pub(crate) async fn until(what: &str, mut done: impl AsyncFnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !done().await {
        assert!(Instant::now() < deadline, "in vain: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Whether a process with that number exists and is not just waiting to be reaped.
pub(crate) fn alive(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        let state = stat.rsplit(") ").next().unwrap_or_default();
        !state.starts_with('Z') && !state.starts_with('X')
    })
}

/// A server in a process of its own that evaluates some code and then waits to be killed, at the latest when dropped.
pub(crate) struct Server(std::process::Child);

impl Server {
    pub(crate) fn start(root: &Path, code: &str, environment: &[(&str, &str)]) -> Self {
        let test = std::env::current_exe().unwrap();
        let program = test.parent().unwrap().with_file_name("examples").join("one_session");
        let mut command = std::process::Command::new(program);
        command.args([root.as_os_str(), cache().as_os_str(), code.as_ref()]).envs(environment.iter().copied());
        Self(command.stdin(std::process::Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}
