//! Debian and Ubuntu: a package that needs no other, written here: an `ar` archive of two compressed `tar` archives.

use super::bench::{Bench, Seen};
use super::payload::File;
use super::runner::Runner;
use super::targets::Target;
use super::{tar, template, trial};
use crate::step::{About, Failure, Step};

fn file(version: &str, architecture: &str) -> String {
    format!("lispwright_{version}_{architecture}.deb")
}

/// The files of the binary's system, below `/`.
pub(crate) fn tree(bench: &Bench, binary: &super::compile::Binary) -> Result<Vec<File>, Failure> {
    let mut files = vec![File::program("usr/bin/lispwright", binary.bytes.as_slice())];
    files.extend(bench.payload.installed("usr/")?);
    for file in bench.companions(binary) {
        let path = format!("usr/share/doc/lispwright/{}", file.path);
        if files.iter().all(|other| other.path != path) {
            files.push(file.at(path));
        }
    }
    Ok(files)
}

/// What Debian wants besides.
fn papers(bench: &Bench) -> Result<Vec<File>, Failure> {
    let mut words = bench.release.words();
    let changes = template::fill("deb-changelog.in", &words)?;
    let mit = bench.payload.documents.iter().find(|file| file.path == "LICENSE-MIT");
    words.push(("mit", mit.map(|file| String::from_utf8_lossy(&file.bytes).into_owned()).unwrap_or_default()));
    Ok(vec![
        File::new("usr/share/doc/lispwright/copyright", template::fill("deb-copyright.in", &words)?),
        File::new("usr/share/doc/lispwright/changelog.gz", tar::gzipped(changes.as_bytes())?),
        File::new(
            "usr/share/lintian/overrides/lispwright",
            "lispwright: statically-linked-binary [usr/bin/lispwright]\n",
        ),
    ])
}

/// Writes a package for each Linux.
pub(crate) fn make(bench: &Bench) -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for binary in &bench.binaries {
        let Some(architecture) = binary.target.deb else { continue };
        let mut files = tree(bench, binary)?;
        files.extend(papers(bench)?);
        let size: usize = files.iter().map(|file| file.bytes.len().div_ceil(1024)).sum();
        let mut words = bench.release.words();
        words.push(("architecture", architecture.to_owned()));
        words.push(("size", size.to_string()));
        let control = [File::new("control", template::fill("deb-control.in", &words)?)];
        let time = bench.release.time;
        let mut package = b"!<arch>\n".to_vec();
        for (name, bytes) in [
            ("debian-binary", b"2.0\n".to_vec()),
            ("control.tar.gz", tar::packed(&control, "./", time)?),
            ("data.tar.gz", tar::packed(&files, "./", time)?),
        ] {
            let length = bytes.len();
            package.extend(format!("{name:<16}{time:<12}0     0     100644  {length:<10}`\n").into_bytes());
            package.extend(&bytes);
            if length % 2 == 1 {
                package.push(b'\n');
            }
        }
        let name = file(&bench.release.version, architecture);
        bench.leave(&name, &package)?;
        names.push(name);
    }
    Ok(names)
}

/// Installs with dpkg into an empty root, runs, purges; without root's rights, it unpacks.
pub(crate) fn try_out(bench: &Bench) -> Result<Vec<Seen>, Failure> {
    let mut seen = Vec::new();
    for binary in &bench.binaries {
        let Some(architecture) = binary.target.deb else { continue };
        let package = bench.place.join(file(&bench.release.version, architecture));
        if !Step::new("dpkg").arg("--version").succeeds() {
            seen.push(Seen::Made("dpkg is not installed".into()));
            continue;
        }
        seen.push(try_one(bench, binary.target, &package)?);
    }
    Ok(seen)
}

fn try_one(bench: &Bench, target: &'static Target, package: &std::path::Path) -> Result<Seen, Failure> {
    let prefix = bench.prefix(&format!("deb-{}", target.machine))?;
    let root = prefix.path().join("root");
    let program = root.join("usr/bin/lispwright");
    let is_root = Step::new("id").arg("-u").answer().is_some_and(|id| id.trim() == "0");
    let dpkg = |arguments: &[&str]| {
        let mut step = Step::new("dpkg");
        step.arg(format!("--root={}", root.display())).args(["--force-script-chrootless", "--force-architecture"]);
        step.args(arguments);
        step
    };
    if is_root {
        for folder in ["var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log", "tmp"] {
            std::fs::create_dir_all(root.join(folder)).about(&root)?;
        }
        let status = root.join("var/lib/dpkg/status");
        std::fs::write(&status, "").about(&status)?;
        dpkg(&["--install"]).arg(package).silent().run_quietly(&[0])?;
    } else {
        Step::new("dpkg").arg("-x").arg(package).arg(&root).run_quietly(&[0])?;
    }
    let says = [bench.release.version.as_str(), target.triple];
    let Some(runner) = Runner::of(target, &program) else {
        return Ok(Seen::Made(format!("{}: installed, and not run: no such machine here, no emulator", target.title)));
    };
    trial::run(|| runner.command(), &says, prefix.path())?;
    let how = runner.how();
    if !is_root {
        return Ok(Seen::Ran(format!("{}: unpacked with dpkg, {how}", target.title)));
    }
    dpkg(&["--purge", "lispwright"]).silent().run_quietly(&[0])?;
    if program.exists() || root.join("usr/share/doc/lispwright").exists() {
        return Err(Failure::new("dpkg left files"));
    }
    Ok(Seen::Ran(format!("{}: installed with dpkg into an empty root, {how}, purged", target.title)))
}
