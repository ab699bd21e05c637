//! A second implementation of nREPL: nbb, ClojureScript on Node, which cannot interrupt and prints without limits.

use std::net::SocketAddr;
use std::process::Command;

use lispwright_runtime::*;

use crate::clojure;
use crate::lab::{Lab, runtime};
use crate::nbb_install::nbb;

/// A project for nbb, which has nbb installed by npm.
fn project() -> Lab {
    let lab = clojure();
    std::fs::write(lab.directory.path().join("nbb.edn"), "{}").unwrap();
    std::os::unix::fs::symlink(nbb().join("node_modules"), lab.directory.path().join("node_modules")).unwrap();
    lab
}

#[tokio::test]
async fn nbb_is_started_for_its_projects_and_ended_with_them() {
    let lab = project();
    let report = lab.report("(ns my.app) (println \"hi\") (def x 1) (inc x)").await;
    let Ending::Values(values) = &report.ending else { panic!("{report:#?}") };
    assert_eq!((values[0].text.as_str(), report.stdout.head.as_str()), ("2", "hi\n"));
    assert!(matches!(report.notices[0], Notice::Started { with: "nbb", .. }), "{:?}", report.notices);
    assert_eq!(lab.values("x").await, "1");
    assert!(!lab.directory.path().join(".nrepl-port").exists(), "the server is ours alone");

    let (error, place) = lab.error("1\n(throw (ex-info \"boom\" {:a 1}))").await;
    assert_eq!((error.type_name.as_str(), place.index), ("ExceptionInfo", 2));
    assert_eq!(error.message, "boom\nex-data: {:a 1}");
    let report = lab.report("(nope)").await;
    assert!(report.stderr.is_empty(), "an error is not told twice: {report:#?}");
    let short = EvalRequest { print_length: Some(2), ..EvalRequest::new("[1 2 3]") };
    let report = lab.request(short).await;
    assert!(matches!(&report.ending, Ending::Values(values) if values[0].text == "[1 2 ...]"), "{report:#?}");
    assert!(lab.values("(range)").await.ends_with("...)"));

    let report = lab.within(1.0, "(while true)").await;
    let Ending::Died { death, reason } = &report.ending else { panic!("{report:#?}") };
    assert!(
        death.killed && *reason == Some(StopReason::Timeout),
        "it cannot be interrupted, and it is ours: {death:?}"
    );
    assert_eq!(lab.values("(+ 1 2)").await, "3");
}

#[tokio::test]
async fn an_attached_nbb_is_never_killed() {
    let directory = tempfile::tempdir().unwrap();
    let mut node = Command::new(nbb().join("node_modules/.bin/nbb"));
    node.args(["nrepl-server", ":port", "0"]).current_dir(directory.path()).stdout(std::process::Stdio::piped());
    let mut node = node.spawn().unwrap();
    let mut said = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(node.stdout.take().unwrap()), &mut said).unwrap();
    let port: String = said.split("port ").nth(1).unwrap().chars().take_while(char::is_ascii_digit).collect();
    let address = SocketAddr::from(([127, 0, 0, 1], port.parse().unwrap()));

    let lab = clojure();
    lab.attach(MAIN, FoundServer::known(address, runtime("clojure"))).await.unwrap();
    assert_eq!(lab.values("(def theirs 7)").await, "#'user/theirs");
    lab.detach(MAIN).await.unwrap();
    lab.attach(MAIN, FoundServer::known(address, runtime("clojure"))).await.unwrap();
    assert_eq!(lab.values("theirs").await, "7");
    let report = lab.within(0.5, "(while true)").await;
    let Ending::Died { death, .. } = &report.ending else { panic!("{report:#?}") };
    assert!(!death.killed && death.status.contains("left alone"), "{death:?}");
    lab.shutdown().await;
    assert!(node.try_wait().unwrap().is_none(), "it goes on");
    node.kill().unwrap();
    node.wait().unwrap();
}
