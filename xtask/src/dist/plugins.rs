//! The plugins of Claude Code, Codex, Copilot CLI and Gemini CLI: the directory that `lispwright setup --plugin`
//! writes, for those who install from a file. It has no binary, and so is the same for every target.

use std::fs;

use super::bench::{Bench, Seen};
use super::payload::File;
use super::tar;
use crate::files::below;
use crate::step::{About, Failure, Step};
use crate::workspace;

/// What the directory consists of, in the repository as well.
const PARTS: [&str; 2] = [".claude-plugin", "plugins"];

fn name(version: &str) -> String {
    format!("lispwright-plugins-{version}.tar.gz")
}

/// The files of the repository, which a test compares with those that the program writes.
fn files() -> Result<Vec<File>, Failure> {
    let top = &workspace();
    let mut files = Vec::new();
    for part in PARTS {
        let mut paths = below(&top.join(part))?;
        paths.sort();
        for path in paths {
            let bytes = fs::read(&path).about(&path)?;
            let inside = path.strip_prefix(top).expect("it lies below").to_string_lossy().into_owned();
            let is_program = bytes.starts_with(b"#!");
            files.push(File { path: inside, bytes, is_program });
        }
    }
    Ok(files)
}

/// Packs the directory.
pub(crate) fn make(bench: &Bench) -> Result<Vec<String>, Failure> {
    let name = name(&bench.release.version);
    let root = format!("{}/", name.trim_end_matches(".tar.gz"));
    bench.leave(&name, &tar::packed(&files()?, &root, bench.release.time)?)?;
    Ok(vec![name])
}

/// Unpacks the archive and has the program find nothing to write there.
pub(crate) fn try_out(bench: &Bench) -> Result<Vec<Seen>, Failure> {
    let name = name(&bench.release.version);
    let prefix = bench.prefix("plugins")?;
    Step::new("tar").arg("-xzf").arg(bench.place.join(&name)).arg("-C").arg(prefix.path()).run_quietly(&[0])?;
    let unpacked = prefix.path().join(name.trim_end_matches(".tar.gz"));
    let Some(binary) = bench.here() else {
        return Ok(vec![Seen::Made("unpacked; no program for this machine to compare it with".into())]);
    };
    super::payload::write(&[File::program("lispwright", binary.bytes.as_slice())], prefix.path())?;
    let mut step = Step::new(prefix.path().join("lispwright"));
    step.args(["setup", "--json", "--plugin"]).arg(&unpacked);
    let said = step.answer().unwrap_or_default();
    match serde_json::from_str::<serde_json::Value>(&said) {
        Ok(document) if document["written"] == 0 => {
            Ok(vec![Seen::Ran("unpacked; the program finds every file as it writes them".into())])
        }
        _ => Err(Failure::new(format!("the archive differs from what the program writes: {said}"))),
    }
}
