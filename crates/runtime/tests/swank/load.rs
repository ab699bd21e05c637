//! Loading files and systems into the owner's image, with its compiler's messages.

use std::time::Duration;

use lispwright_runtime::*;

use crate::attached;
use crate::lab::Lab;

async fn load(lab: &Lab, target: LoadTarget, force: bool) -> EvalReport {
    let root = lab.directory.path();
    let project = Project {
        roots: vec![root.display().to_string()],
        definitions: definition_files(root).iter().map(|path| path.display().to_string()).collect(),
        renewal: Renewal::default(),
    };
    let request = Request::Load {
        target,
        project,
        force,
        clear: false,
        in_system: false,
        timeout: Duration::from_secs(60).into(),
    };
    lab.call(MAIN, request, &Default::default()).await.unwrap()
}

fn write(lab: &Lab, name: &str, text: &str) -> String {
    let path = lab.directory.path().join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[tokio::test]
async fn a_file_is_loaded_and_its_mistakes_are_located() {
    let (_server, lab) = attached().await;
    let path = write(
        &lab,
        "some.lisp",
        "(defun one (x) x)\n\n(defun two (a b)\n  (list a))\n\n(defun three ()\n  (+ 1 (nowhere)))\n(print :loading)\n",
    );
    let report = load(&lab, LoadTarget::Path(path.clone()), true).await;
    assert_eq!(report.ending, Ending::Loaded { unchanged: false, exit: None }, "{report:#?}");
    assert_eq!(report.stdout.head.trim(), ":LOADING");
    assert_eq!(lab.values("(one 7)").await, "7");
    let unused = report.diagnostics.iter().find(|one| one.message.contains("never used")).unwrap();
    assert_eq!((unused.severity.as_str(), unused.line), ("style-warning", Some(3)));
    assert_eq!(unused.file.as_deref(), Some(path.as_str()));
    assert!(report.diagnostics.iter().any(|one| one.message.contains("NOWHERE")), "{:#?}", report.diagnostics);
}

#[tokio::test]
async fn a_file_that_does_not_compile_is_not_loaded() {
    let (_server, lab) = attached().await;
    lab.mark_state().await;
    let path = write(&lab, "broken.lisp", "(setf *here* 0)\n\n(let ((x)) (car))\n(defun f (\n");
    let report = load(&lab, LoadTarget::Path(path.clone()), true).await;
    let Ending::Error { error, .. } = &report.ending else { panic!("{report:#?}") };
    assert!(error.type_name.contains("ERROR"), "{error:?}");
    assert!(report.diagnostics.iter().any(|one| one.severity == "error"), "{:#?}", report.diagnostics);
    lab.assert_state_kept().await;
    let report = load(&lab, LoadTarget::Path("/nonexistent/x.lisp".into()), true).await;
    assert!(matches!(report.ending, Ending::Error { .. }), "{report:#?}");
}

#[tokio::test]
async fn a_system_of_the_project_is_found_and_loaded_again_when_it_is_forced() {
    let (_server, lab) = attached().await;
    write(&lab, "shop.asd", "(defsystem \"shop\" :components ((:file \"shop\")))");
    write(&lab, "shop.lisp", "(defvar cl-user::*times* 0)\n(incf cl-user::*times*)\n(defun cl-user::f (x y) x)\n");
    let shop = || LoadTarget::System("shop".into());
    let report = load(&lab, shop(), true).await;
    assert_eq!(report.ending, Ending::Loaded { unchanged: false, exit: None }, "{report:#?}");
    assert_eq!(report.diagnostics[0].line, Some(3), "{:#?}", report.diagnostics);
    load(&lab, shop(), true).await;
    load(&lab, shop(), false).await;
    assert_eq!(lab.values("*times*").await, "2");
    let report = load(&lab, LoadTarget::System("shp".into()), true).await;
    let Ending::Refused(ImageRefusal::NoSystem { name, nearest }) = &report.ending else { panic!("{report:#?}") };
    assert_eq!((name.as_str(), nearest.first().map(String::as_str)), ("shp", Some("shop")));
}

#[tokio::test]
async fn a_load_that_never_ends_is_interrupted() {
    let (_server, lab) = attached().await;
    let path = write(&lab, "endless.lisp", "(loop)\n");
    let project = Project::default();
    let timeout = Duration::from_secs(1).into();
    let request =
        Request::Load { target: LoadTarget::Path(path), project, force: true, clear: false, in_system: false, timeout };
    let report = lab.call(MAIN, request, &Default::default()).await.unwrap();
    assert!(matches!(report.ending, Ending::Stopped { reason: StopReason::Timeout, .. }), "{report:#?}");
    assert_eq!(lab.values("(+ 1 2)").await, "3");
}
