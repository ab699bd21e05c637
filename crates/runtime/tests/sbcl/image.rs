//! Saved images: made once, replaced when broken, and not needed where none can be saved.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use lispwright_runtime::*;

use crate::lab::*;

fn cores(directory: &Path) -> Vec<PathBuf> {
    let mut cores: Vec<PathBuf> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "core"))
        .collect();
    cores.sort();
    cores
}

/// An image that `broken` has damaged is saved again.
async fn check_broken(broken: impl FnOnce(&[u8]) -> &[u8]) {
    let (cache, core, whole) = broken_image(lab(), broken).await;
    let lab = lab_with(|config| config.cache = Some(cache.path().to_owned()));
    assert_eq!(lab.values("(+ 1 2)").await, "3");
    assert_eq!(lab.status().workers[0].saved_image.as_deref(), Some(core.as_path()));
    assert!(core.metadata().unwrap().len() > whole / 2 + 1);
    lab.shutdown().await;
    assert_eq!(cores(cache.path()), [core], "nothing unfinished is left");
}

#[tokio::test]
async fn a_file_that_is_no_image_is_replaced() {
    check_broken(|_| b"not a core").await;
}

#[tokio::test]
async fn an_empty_image_is_saved_again() {
    check_broken(|_| b"").await;
}

#[tokio::test]
async fn half_an_image_is_saved_again() {
    check_broken(|whole| &whole[..whole.len() / 2]).await;
}

#[tokio::test]
async fn an_image_that_was_changed_is_not_run() {
    let (cache, core, whole) = broken_image(lab(), |whole| whole).await;
    // The image would start with one more byte, too.
    let mut more = std::fs::OpenOptions::new().append(true).open(&core).unwrap();
    std::io::Write::write_all(&mut more, b"x").unwrap();
    let lab = lab_with(|config| config.cache = Some(cache.path().to_owned()));
    assert_eq!(lab.values("(+ 1 2)").await, "3");
    assert_eq!(lab.status().workers[0].saved_image.as_deref(), Some(core.as_path()));
    assert_ne!(core.metadata().unwrap().len(), whole + 1, "it was saved again");
}

#[tokio::test]
async fn without_a_place_for_images_workers_start_plain_and_say_so() {
    let file = tempfile::NamedTempFile::new().unwrap();
    // A file instead of the directory: not even the superuser can write below it.
    let lab = lab_with(|config| config.cache = Some(file.path().join("images")));
    lab.mark_state().await;
    let status = lab.status();
    let workers = &status.workers[0];
    assert_eq!(workers.saved_image, None);
    assert!(workers.plain_start.as_ref().is_some_and(|why| why.contains("no image could be saved")));
    let report = lab.within(0.3, "(princ 'partial) (loop)").await;
    assert!(matches!(report.ending, Ending::Stopped { .. }), "{report:#?}");
    assert_eq!(report.stdout.head, "PARTIAL");
    lab.assert_state_kept().await;
    let (error, _) = lab.error("(error \"x\")").await;
    assert!(error.restarts.is_empty(), "only what the code offers: {error:#?}");
    assert!(error.frames.is_empty(), "only the code's own: {error:#?}");
}

#[tokio::test]
async fn two_servers_share_one_image() {
    let cache = tempfile::tempdir().unwrap();
    let labs: Vec<Lab> = (0..3).map(|_| lab_with(|config| config.cache = Some(cache.path().to_owned()))).collect();
    // Time enough to wait for the process that saves it.
    let (a, b, c) = tokio::join!(labs[0].within(100.0, "1"), labs[1].within(100.0, "2"), labs[2].within(100.0, "3"));
    for report in [a, b, c] {
        assert!(matches!(report.ending, Ending::Values(_)), "{report:#?}");
    }
    assert_eq!(cores(cache.path()).len(), 1);
    for lab in &labs {
        assert!(lab.status().workers[0].saved_image.is_some());
    }
}

/// The path and the lock of the image that the lab saves, in a new cache that has neither.
async fn unsaved(cache: &Path) -> (PathBuf, PathBuf) {
    let lab = lab();
    lab.report("1").await;
    let saved = lab.status().workers[0].saved_image.clone().expect("an image was saved");
    let image = cache.join(saved.file_name().unwrap());
    (image.clone(), image.with_extension("lock"))
}

#[tokio::test]
async fn an_image_that_another_process_keeps_locked_is_waited_for_in_the_time_of_the_call_alone() {
    let cache = tempfile::tempdir().unwrap();
    let (image, lock) = unsaved(cache.path()).await;
    let held = std::fs::File::create(&lock).unwrap();
    held.lock().unwrap();
    let lab = lab_with(|config| config.cache = Some(cache.path().to_owned()));
    let report = lab.within(1.0, "(+ 1 2)").await;
    assert!(matches!(report.ending, Ending::Values(_)), "{report:#?}");
    assert!(lab.status().workers[0].plain_start.as_ref().is_some_and(|why| why.contains("keeps its lock")));
    assert!(!image.exists());
}

#[tokio::test]
async fn pipes_in_place_of_the_image_and_its_lock_are_not_waited_for() {
    let cache = tempfile::tempdir().unwrap();
    let (image, lock) = unsaved(cache.path()).await;
    let pipe = |path: &Path| rustix::fs::mkfifoat(rustix::fs::CWD, path, 0o600.into()).unwrap();
    pipe(&image);
    let lab = lab_with(|config| config.cache = Some(cache.path().to_owned()));
    assert_eq!(lab.values("(+ 1 2)").await, "3");
    assert!(image.is_file(), "the pipe was replaced");
    lab.shutdown().await;
    std::fs::remove_file(&image).unwrap();
    std::fs::remove_file(&lock).unwrap();
    pipe(&lock);
    let lab = lab_with(|config| config.cache = Some(cache.path().to_owned()));
    assert_eq!(lab.values("(+ 1 2)").await, "3");
}

#[tokio::test]
async fn nobody_else_can_write_where_images_are_kept() {
    let place = tempfile::tempdir().unwrap();
    let cache = place.path().join("deep/cache");
    std::fs::create_dir_all(&cache).unwrap();
    // As made by a server without an umask.
    std::fs::set_permissions(&cache, std::fs::Permissions::from_mode(0o777)).unwrap();
    let lab = lab_with(|config| config.cache = Some(cache.clone()));
    lab.report("1").await;
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&cache) & 0o022, 0);
    let image = cores(&cache).remove(0);
    assert_eq!((mode(&image), mode(&image.with_extension("lock"))), (0o600, 0o600));
}

#[tokio::test]
async fn a_worker_behind_a_launcher() {
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("launch");
    std::fs::write(&script, "#!/bin/sh\nexec \"$@\"\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let lab = lab_with(|config| config.launcher = vec![script.to_str().unwrap().to_owned()]);
    lab.mark_state().await;
    let report = lab.report("(princ 'out) (sb-ext:run-program \"/bin/echo\" '(\"child\") :output t) 1").await;
    assert!(matches!(report.ending, Ending::Values(_)), "{report:#?}");
    assert_eq!(report.stderr.head, "OUTchild\n", "one pipe carries both: {report:#?}");
    let report = lab.within(0.3, "(loop)").await;
    assert!(matches!(report.ending, Ending::Stopped { .. }), "interrupts travel through the pipe: {report:#?}");
    lab.assert_state_kept().await;
}

#[tokio::test]
async fn credentials_do_not_reach_the_code() {
    let directory = tempfile::tempdir().unwrap();
    let seen = directory.path().join("seen");
    let code = format!(
        "(with-open-file (s {seen:?} :direction :output :if-exists :supersede)
           (format s \"~{{~A~%~}}\" (sb-ext:posix-environ)) (princ \"END\" s))"
    );
    let server = Server::start(directory.path(), &code, &[("TEST_SERVICE_TOKEN", "hush"), ("TEST_PLAIN", "yes")]);
    let mut environment = String::new();
    until("the code has run", async || {
        environment = std::fs::read_to_string(&seen).unwrap_or_default();
        environment.ends_with("END")
    })
    .await;
    drop(server);
    assert!(environment.contains("TEST_PLAIN=yes") && !environment.contains("hush"), "{environment}");
}

#[tokio::test]
async fn a_runtime_that_is_not_installed() {
    let lab = lab_with(|config| config.programs = [("sbcl", "/nonexistent/sbcl".into())].into());
    let refused = lab.eval(MAIN, EvalRequest::new("1"), &Default::default()).await;
    assert!(matches!(&refused, Err(SessionError::Start(why)) if why.contains("/nonexistent/sbcl")), "{refused:?}");
    let lab = lab_with(|config| config.programs = [("sbcl", "/bin/false".into())].into());
    let refused = lab.eval(MAIN, EvalRequest::new("1"), &Default::default()).await;
    assert!(matches!(&refused, Err(SessionError::Start(why)) if why.contains("exit code 1")), "{refused:?}");
}

#[tokio::test]
async fn what_saves_an_image_ends_with_the_server() {
    let cache = tempfile::tempdir().unwrap();
    let (program, said) = (cache.path().join("sbcl"), cache.path().join("said"));
    std::fs::write(&program, format!("#!/bin/sh\necho $$ END > {}\nexec sleep 1000\n", said.display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let lab = lab_with(|config| {
        config.programs.insert("sbcl", program);
        config.cache = Some(cache.path().join("images"));
    });
    let sessions = lab.sessions.clone();
    tokio::spawn(async move { sessions.eval(MAIN, EvalRequest::new("1"), &Default::default()).await });
    let mut process = String::new();
    until("it saves", async || {
        process = std::fs::read_to_string(&said).unwrap_or_default();
        process.contains("END")
    })
    .await;
    lab.shutdown().await;
    let process = format!("/proc/{}", process.split(' ').next().unwrap());
    until("it is gone", async || !Path::new(&process).exists()).await;
}

#[tokio::test]
async fn the_agents_own_tests_pass() {
    let images = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../images");
    let output = std::process::Command::new("sbcl")
        .args(["--noinform", "--no-sysinit", "--no-userinit", "--disable-debugger"])
        .args(["--load".as_ref(), images.join("tests/common-lisp.lisp").as_os_str()])
        .args(["--eval", "(sb-ext:exit)"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("all passed"),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
