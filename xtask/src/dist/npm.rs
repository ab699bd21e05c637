//! npm: a launcher and a package for each platform, of which npm installs the one that fits. No script runs at
//! installation: newer versions of npm do not run any.

use std::process::Command;

use serde_json::{Map, Value, json};

use super::bench::{Bench, Seen};
use super::payload::File;
use super::release::Release;
use super::targets::{TARGETS, Target};
use super::{tar, trial};
use crate::step::{About, Failure, Step};
use crate::workspace;

/// The package with a platform's binary.
pub(crate) fn platform(target: &Target) -> String {
    format!("@lispwright/{}-{}", target.npm.0, target.npm.1)
}

/// The file that npm's own `pack` would give that package.
fn file(package: &str, version: &str) -> String {
    format!("npm/{}-{version}.tgz", package.trim_start_matches('@').replace('/', "-"))
}

/// What the manifests of all packages say alike.
fn manifest(name: &str, release: &Release, summary: &str) -> Value {
    json!({
        "name": name,
        "version": release.version,
        "description": summary,
        "license": release.license,
        "homepage": release.repository,
        "repository": {"type": "git", "url": format!("git+{}.git", release.repository)},
        "bugs": format!("{}/issues", release.repository),
    })
}

fn document(value: &Value) -> String {
    let text = serde_json::to_string_pretty(value).expect("a document of strings can be written");
    text + "\n"
}

/// Packs them; the launcher names the packages of all targets, made here or not.
pub(crate) fn make(bench: &Bench) -> Result<Vec<String>, Failure> {
    let release = &bench.release;
    let mut names = Vec::new();
    let licences: Vec<File> =
        bench.payload.documents.iter().filter(|file| file.path.starts_with("LICENSE")).cloned().collect();
    for binary in &bench.binaries {
        let target = binary.target;
        let package = platform(target);
        let mut manifest = manifest(&package, release, &format!("The binary of lispwright for {}", target.title));
        manifest["os"] = json!([target.npm.0]);
        manifest["cpu"] = json!([target.npm.1]);
        let mut files = vec![
            File::new("package.json", document(&manifest)),
            File::program("bin/lispwright", binary.bytes.as_slice()),
            binary.licenses.clone(),
        ];
        files.extend(licences.iter().cloned());
        let name = file(&package, &release.version);
        bench.leave(&name, &tar::packed(&files, "package/", release.time)?)?;
        names.push(name);
    }
    let mut launcher = manifest("lispwright", release, &release.summary);
    let optional: Map<String, Value> =
        TARGETS.iter().map(|target| (platform(target), json!(release.version))).collect();
    launcher["bin"] = json!({"lispwright": "bin/lispwright.js"});
    launcher["optionalDependencies"] = Value::Object(optional);
    launcher["engines"] = json!({"node": ">=18"});
    launcher["keywords"] = json!(["mcp", "lisp", "common-lisp", "scheme", "clojure", "emacs-lisp", "racket"]);
    // The registry of MCP servers reads whose package this is.
    launcher["mcpName"] = json!(super::registry::name(release));
    let path = workspace().join("packaging/npm/lispwright.js");
    let mut files = vec![
        File::new("package.json", document(&launcher)),
        File::program("bin/lispwright.js", std::fs::read(&path).about(&path)?),
    ];
    files.extend(bench.payload.documents.iter().filter(|file| file.path == "README.md").cloned());
    files.extend(licences);
    let name = file("lispwright", &release.version);
    bench.leave(&name, &tar::packed(&files, "package/", release.time)?)?;
    names.push(name);
    Ok(names)
}

/// Installs launcher and platform from their files, without a registry, runs `lispwright`, and removes it.
pub(crate) fn try_out(bench: &Bench) -> Result<Vec<Seen>, Failure> {
    let Some(binary) = bench.here() else { return Ok(vec![Seen::Made("no binary for this machine".into())]) };
    if !Step::new("npm").arg("--version").succeeds() {
        return Ok(vec![Seen::Made("npm is not installed".into())]);
    }
    let prefix = bench.prefix("npm")?;
    let npm = |arguments: &[&str]| {
        let mut step = Step::new("npm");
        step.args(arguments).args(["--global", "--offline", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]);
        step.arg(prefix.path());
        step
    };
    let version = &bench.release.version;
    let mut install = npm(&["install"]);
    for package in [platform(binary.target), "lispwright".to_owned()] {
        install.arg(bench.place.join(file(&package, version)));
    }
    install.run_quietly(&[0])?;
    let program = prefix.path().join("bin/lispwright");
    let says = [version.as_str(), binary.target.triple];
    trial::run(|| Command::new(&program), &says, prefix.path())?;
    npm(&["uninstall", "lispwright"]).silent().run_quietly(&[0])?;
    if program.exists() {
        return Err(Failure::new("npm left the program"));
    }
    Ok(vec![Seen::Ran(format!("{}: installed from the files without a registry, run, removed", binary.target.title))])
}
