//! The official Python client library drives the binary, as a client that we did not write.
//!
//! The library is installed once, from the package index, into a virtual environment below the target directory. The
//! scenarios are in `tests/python/drive.py`.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::client::{binary, cache};
use crate::project::Project;

/// The pinned release; it speaks revision 2026-07-28 and the ones with a handshake.
const LIBRARY: &str = "mcp==2.3.0";

/// The Python of an environment that has [`LIBRARY`].
fn python() -> PathBuf {
    let below = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let environment = below.join(LIBRARY.replace("==", "-"));
    let python = environment.join("bin/python");
    // Test processes run side by side; one of them installs.
    let lock = File::create(below.join("python-environment.lock")).unwrap();
    lock.lock().unwrap();
    let complete = environment.join("complete");
    if !complete.exists() {
        let advice = "these tests need python3 with venv and pip (apt-get install python3-venv) and the package index";
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment), advice);
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet", LIBRARY]), advice);
        File::create(complete).unwrap();
    }
    python
}

#[track_caller]
fn run(command: &mut Command, advice: &str) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; {advice}"));
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}; {advice}\n{stdout}\n{stderr}", output.status);
    stdout.into_owned()
}

/// Runs one scenario of the driver on a project of its own.
#[track_caller]
fn check(scenario: &str) {
    let project = Project::new();
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/drive.py");
    let mut command = Command::new(python());
    command.arg(driver).arg(binary()).arg(project.root()).arg(scenario).env("XDG_CACHE_HOME", cache());
    let said = run(&mut command, "see the driver's own words above");
    assert!(said.contains(&format!("{scenario}: done")), "{said}");
}

#[test]
fn lists() {
    check("lists");
}

#[test]
fn every_tool() {
    check("every_tool");
}

#[test]
fn structured() {
    check("structured");
}

#[test]
fn mistakes() {
    check("mistakes");
}

#[test]
fn cancellation() {
    check("cancellation");
}

#[test]
fn sessions() {
    check("sessions");
}

#[test]
fn connections() {
    check("connections");
}

#[test]
fn networks() {
    check("networks");
}
