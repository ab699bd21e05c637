//! Saved images: made once, replaced when broken, and not needed where none can be saved.

use std::os::unix::fs::PermissionsExt as _;

use lispwright_runtime::*;

use crate::lab::{broken_image, runtime};
use crate::{guile, guile_with};

/// An image that `broken` has damaged is saved again.
async fn check_broken(broken: impl FnOnce(&[u8]) -> &[u8]) {
    let (cache, image, whole) = broken_image(guile(), broken).await;
    let lab = guile_with(|config| config.cache = Some(cache.path().to_owned()));
    assert_eq!(lab.values("(+ 1 2)").await, "3");
    assert_eq!(image.metadata().unwrap().len(), whole);
}

#[tokio::test]
async fn a_file_that_is_no_image_is_replaced() {
    check_broken(|_| b"not an image").await;
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
async fn without_a_place_for_images_workers_start_plain_and_say_so() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let lab = guile_with(|config| config.cache = Some(file.path().join("images")));
    lab.define_here().await;
    let status = lab.status();
    let workers = status.workers_of(runtime("guile")).unwrap();
    assert!(workers.plain_start.as_ref().is_some_and(|why| why.contains("no image could be saved")), "{workers:?}");
    let report = lab.within(0.3, "(display 'partial) (let loop () (loop))").await;
    assert!(matches!(report.ending, Ending::Stopped { .. }), "{report:#?}");
    assert_eq!(report.stdout.head, "partial");
    lab.assert_here().await;
    let (error, _) = lab.error("(error \"x\")").await;
    assert!(error.frames.is_empty(), "only the code's own: {error:#?}");
}

#[tokio::test]
async fn a_worker_behind_a_launcher() {
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("launch");
    std::fs::write(&script, "#!/bin/sh\nexec \"$@\"\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let lab = guile_with(|config| config.launcher = vec![script.to_str().unwrap().to_owned()]);
    lab.define_here().await;
    let report = lab.report("(display 'out) (system* \"echo\" \"child\")").await;
    assert_eq!(report.stderr.head, "outchild\n", "one pipe carries both: {report:#?}");
    let report = lab.within(0.3, "(let loop () (loop))").await;
    assert!(matches!(report.ending, Ending::Stopped { .. }), "interrupts travel through the pipe: {report:#?}");
    lab.assert_here().await;
}

#[tokio::test]
async fn a_runtime_that_is_not_installed() {
    for (program, why) in [("/nonexistent/guile", "/nonexistent/guile"), ("/bin/false", "exit code 1")] {
        let lab = guile_with(|config| config.programs = [("guile", program.into())].into());
        let refused = lab.eval(MAIN, EvalRequest::new("1"), &Default::default()).await;
        assert!(matches!(&refused, Err(SessionError::Start(said)) if said.contains(why)), "{refused:?}");
    }
}

#[tokio::test]
async fn a_load_has_the_values_of_the_last_form() {
    let lab = guile_with(|_| {});
    std::fs::write(lab.directory.path().join("a.scm"), "(define x 1)\n(values x 2)\n").unwrap();
    for _ in 0..2 {
        assert_eq!(lab.values("(call-with-values (lambda () (load \"a.scm\")) list)").await, "(1 2)");
    }
}

#[tokio::test]
async fn the_users_init_file_is_not_loaded_and_the_root_is_on_the_load_path() {
    let lab = guile_with(|_| {});
    let root = lab.directory.path().canonicalize().unwrap();
    assert_eq!(lab.values("(car %load-path)").await, format!("{:?}", root.to_str().unwrap()));
    assert_eq!(lab.values("(getcwd)").await, format!("{:?}", root.to_str().unwrap()));
    assert_eq!(lab.values("(module-name (current-module))").await, "(guile-user)");
}
