//! Fedora, openSUSE and their kin: a package made by `rpmbuild`.

use std::fs;

use super::bench::{Bench, Seen};
use super::payload::write;
use super::runner::Runner;
use super::targets::{System, Target};
use super::{deb, template, trial};
use crate::step::{About, Failure, Step};

fn file(version: &str, machine: &str) -> String {
    format!("lispwright-{version}-1.{machine}.rpm")
}

/// Has a package built for each Linux.
pub(crate) fn make(bench: &Bench) -> Result<Vec<String>, Failure> {
    if !Step::new("rpmbuild").arg("--version").succeeds() {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for binary in bench.binaries.iter().filter(|binary| binary.target.system == System::Linux) {
        let machine = binary.target.machine;
        let work = bench.prefix(&format!("rpm-build-{machine}"))?;
        let tree = work.path().join("tree");
        let files = deb::tree(bench, binary)?;
        write(&files, &tree)?;
        let mut listed: Vec<String> = files
            .iter()
            .map(|file| match &file.path {
                path if path.contains("/share/man/") => format!("%doc /{path}"),
                path if path.contains("/share/doc/") => format!("%doc /{path}"),
                path => format!("/{path}"),
            })
            .collect();
        listed.push("%dir /usr/share/doc/lispwright".into());
        let mut words = bench.release.words();
        words.push(("tree", tree.display().to_string()));
        words.push(("files", listed.join("\n")));
        let spec = work.path().join("lispwright.spec");
        fs::write(&spec, template::fill("rpm.spec.in", &words)?).about(&spec)?;
        let mut step = Step::new("rpmbuild");
        step.args(["-bb", "--quiet", "--target", &format!("{machine}-linux")]);
        step.env("SOURCE_DATE_EPOCH", bench.release.time.to_string());
        step.arg("--define").arg(format!("_topdir {}", work.path().display()));
        step.arg("--define").arg(format!("_rpmdir {}", bench.place.display()));
        step.arg("--define").arg("_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm");
        step.arg(&spec).run_quietly(&[0])?;
        names.push(file(&bench.release.version, machine));
    }
    Ok(names)
}

/// Installs with rpm into an empty root, runs, and erases.
pub(crate) fn try_out(bench: &Bench) -> Result<Vec<Seen>, Failure> {
    if !Step::new("rpmbuild").arg("--version").succeeds() {
        return Ok(vec![Seen::Made("not made: rpmbuild is not installed".into())]);
    }
    let mut seen = Vec::new();
    for binary in bench.binaries.iter().filter(|binary| binary.target.system == System::Linux) {
        seen.push(try_one(bench, binary.target)?);
    }
    Ok(seen)
}

fn try_one(bench: &Bench, target: &'static Target) -> Result<Seen, Failure> {
    let package = bench.place.join(file(&bench.release.version, target.machine));
    if Step::new("id").arg("-u").answer().is_none_or(|id| id.trim() != "0") {
        return Ok(Seen::Made(format!("{}: not installed: rpm asks for root's rights", target.title)));
    }
    let prefix = bench.prefix(&format!("rpm-{}", target.machine))?;
    let root = prefix.path().join("root");
    fs::create_dir_all(&root).about(&root)?;
    let rpm = |arguments: &[&str]| {
        let mut step = Step::new("rpm");
        step.arg("--root").arg(&root).args(arguments);
        step
    };
    rpm(&["--initdb"]).run_quietly(&[0])?;
    rpm(&["--install", "--ignorearch"]).arg(&package).run_quietly(&[0])?;
    let program = root.join("usr/bin/lispwright");
    let Some(runner) = Runner::of(target, &program) else {
        return Ok(Seen::Made(format!("{}: installed, and not run: no such machine here, no emulator", target.title)));
    };
    trial::run(|| runner.command(), &[&bench.release.version, target.triple], prefix.path())?;
    rpm(&["--erase", "lispwright"]).run_quietly(&[0])?;
    if program.exists() || root.join("usr/share/doc/lispwright").exists() {
        return Err(Failure::new("rpm left files"));
    }
    Ok(Seen::Ran(format!("{}: installed with rpm into an empty root, {}, erased", target.title, runner.how())))
}
