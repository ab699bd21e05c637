//! PyPI: a wheel for each platform with the binary as its script, so that `uvx lispwright` and `pipx` run it. It contains
//! no Python; one static binary serves glibc and musl.

use std::fmt::Write as _;
use std::process::Command;

use super::bench::{Bench, Seen, sha256};
use super::payload::File;
use super::release::Release;
use super::targets::Target;
use super::{trial, zip};
use crate::step::{Failure, Step};

fn file(version: &str, target: &Target) -> String {
    format!("wheels/lispwright-{version}-py3-none-{}.whl", target.wheel)
}

/// `METADATA`, core metadata 2.4. The registry of MCP servers reads in the description whose package this is.
fn metadata(release: &Release, readme: &str, licences: &[File]) -> String {
    let mut text = format!(
        "Metadata-Version: 2.4\nName: lispwright\nVersion: {}\nSummary: {}\nLicense-Expression: {}\n",
        release.version, release.summary, release.license
    );
    for file in licences {
        let _ = writeln!(text, "License-File: {}", file.path);
    }
    let _ = write!(
        text,
        "Project-URL: Source, {}\nRequires-Python: >=3.7\nDescription-Content-Type: text/markdown\n\n{readme}\n\
         <!-- mcp-name: {} -->\n",
        release.repository,
        super::registry::name(release)
    );
    text
}

/// Writes a wheel for each binary.
pub(crate) fn make(bench: &Bench) -> Result<Vec<String>, Failure> {
    let release = &bench.release;
    let version = &release.version;
    let document = |name: &str| bench.payload.documents.iter().find(|file| file.path == name);
    let readme = document("README.md").map(|file| String::from_utf8_lossy(&file.bytes)).unwrap_or_default();
    let mut names = Vec::new();
    for binary in &bench.binaries {
        let target = binary.target;
        let mut licences: Vec<File> =
            bench.payload.documents.iter().filter(|file| file.path.starts_with("LICENSE")).cloned().collect();
        licences.push(binary.licenses.clone());
        let info = format!("lispwright-{version}.dist-info");
        let mut tags = String::new();
        for platform in target.wheel.split('.') {
            let _ = writeln!(tags, "Tag: py3-none-{platform}");
        }
        let mut files = vec![
            File::program(format!("lispwright-{version}.data/scripts/lispwright"), binary.bytes.as_slice()),
            File::new(format!("{info}/METADATA"), metadata(release, &readme, &licences)),
            File::new(
                format!("{info}/WHEEL"),
                format!("Wheel-Version: 1.0\nGenerator: lispwright ({version})\nRoot-Is-Purelib: false\n{tags}"),
            ),
        ];
        files.extend(licences.iter().map(|file| file.at(format!("{info}/licenses/{}", file.path))));
        let mut record = String::new();
        for file in &files {
            let _ = writeln!(record, "{},sha256={},{}", file.path, base64(&sha256(&file.bytes)), file.bytes.len());
        }
        let _ = writeln!(record, "{info}/RECORD,,");
        files.push(File::new(format!("{info}/RECORD"), record));
        let name = file(version, target);
        bench.leave(&name, &zip::packed(&files)?)?;
        names.push(name);
    }
    Ok(names)
}

/// Base64 with the alphabet for addresses and without padding, as `RECORD` has it.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..=group.len() {
            text.push(char::from(ALPHABET[(bits >> (18 - 6 * place) & 63) as usize]));
        }
    }
    text
}

/// Installs the wheel into a virtual environment with pip, and runs it once more with uvx, if that is there.
pub(crate) fn try_out(bench: &Bench) -> Result<Vec<Seen>, Failure> {
    let Some(binary) = bench.here() else { return Ok(vec![Seen::Made("no binary for this machine".into())]) };
    let wheel = bench.place.join(file(&bench.release.version, binary.target));
    let says = [bench.release.version.as_str(), binary.target.triple];
    let title = binary.target.title;
    let mut seen = Vec::new();
    let prefix = bench.prefix("wheel")?;
    let environment = prefix.path().join("venv");
    if Step::new("python3").args(["-m", "venv"]).arg(&environment).silent().succeeds() {
        let pip = || Step::new(environment.join("bin/pip"));
        pip()
            .args(["install", "--quiet", "--no-index", "--disable-pip-version-check"])
            .arg(&wheel)
            .run_quietly(&[0])?;
        let program = environment.join("bin/lispwright");
        trial::run(|| Command::new(&program), &says, prefix.path())?;
        pip().args(["uninstall", "--quiet", "--yes", "lispwright"]).run_quietly(&[0])?;
        if program.exists() {
            return Err(Failure::new("pip left the program"));
        }
        seen.push(Seen::Ran(format!("{title}: installed from the file with pip, run, removed")));
    } else {
        seen.push(Seen::Made("Python's venv is not installed".into()));
    }
    if Step::new("uvx").arg("--version").succeeds() {
        let command = || {
            let mut command = Command::new("uvx");
            command.args(["--offline", "--quiet", "--from"]).arg(&wheel).arg("lispwright");
            command.env("UV_CACHE_DIR", prefix.path().join("uv"));
            command
        };
        trial::run(command, &says, prefix.path())?;
        seen.push(Seen::Ran(format!("{title}: run from the file with uvx")));
    } else {
        seen.push(Seen::Made("uvx is not installed".into()));
    }
    Ok(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        for (plain, coded) in
            [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("~~~?", "fn5-Pw")]
        {
            assert_eq!(base64(plain.as_bytes()), coded, "{plain}");
        }
    }
}
