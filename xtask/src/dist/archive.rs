//! The archive of each target: the binary, its man pages, completions, licences and bill of materials.

use super::bench::{Bench, Seen};
use super::compile::Binary;
use super::payload::File;
use super::runner::Runner;
use super::{tar, trial};
use crate::step::{Failure, Step};

/// The name of a target's archive, which says what is in it to `cargo binstall` and to people.
pub(crate) fn name(version: &str, triple: &str) -> String {
    format!("lispwright-{version}-{triple}.tar.gz")
}

/// Packs an archive for each binary. It unpacks into one directory.
pub(crate) fn make(bench: &Bench) -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for binary in &bench.binaries {
        let triple = binary.target.triple;
        let mut files = vec![File::program("lispwright", binary.bytes.as_slice())];
        files.extend(bench.payload.man.iter().cloned());
        files.extend(bench.payload.completions.iter().cloned());
        files.extend(bench.companions(binary));
        bench.leave(&format!("lispwright-{}-{triple}.cdx.json", bench.release.version), &binary.bill.bytes)?;
        let name = name(&bench.release.version, triple);
        let root = format!("{}/", name.trim_end_matches(".tar.gz"));
        bench.leave(&name, &tar::packed(&files, &root, bench.release.time)?)?;
        names.push(name);
    }
    Ok(names)
}

/// Unpacks each archive with `tar` and runs what is in it, with an emulator if need be.
pub(crate) fn try_out(bench: &Bench) -> Result<Vec<Seen>, Failure> {
    bench.binaries.iter().map(|binary| try_one(bench, binary)).collect()
}

fn try_one(bench: &Bench, binary: &Binary) -> Result<Seen, Failure> {
    let target = binary.target;
    let name = name(&bench.release.version, target.triple);
    let prefix = bench.prefix(&format!("archive-{}", target.triple))?;
    Step::new("tar").arg("-xzf").arg(bench.place.join(&name)).arg("-C").arg(prefix.path()).run_quietly(&[0])?;
    let program = prefix.path().join(name.trim_end_matches(".tar.gz")).join("lispwright");
    let version = [bench.release.version.as_str(), bench.release.commit.as_str(), target.triple];
    let Some(runner) = Runner::of(target, &program) else {
        return Ok(Seen::Made(format!("{}: no such machine here, and no emulator", target.title)));
    };
    trial::run(|| runner.command(), &version, prefix.path())?;
    Ok(Seen::Ran(format!("{}: unpacked, {}", target.title, runner.how())))
}
