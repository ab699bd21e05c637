//! MCP Bundles: one file that desktop clients install by a click. Each has the binary of one target.

use std::process::Command;

use serde_json::json;

use super::bench::{Bench, Seen};
use super::payload::File;
use super::release::Release;
use super::targets::{System, Target};
use super::{trial, zip};
use crate::step::{About, Failure, Step};

/// The tool that validates bundles.
const VALIDATOR: (&str, &str) = ("@anthropic-ai/mcpb", "2.1.2");

/// The file of a target's bundle.
pub(crate) fn name(version: &str, target: &Target) -> String {
    format!("lispwright-{version}-{}.mcpb", target.triple)
}

fn manifest(release: &Release, target: &Target) -> String {
    let platform = match target.system {
        System::Linux => "linux",
        System::Mac => "darwin",
    };
    let manifest = json!({
        "manifest_version": "0.3",
        "name": "lispwright",
        "display_name": "Lispwright",
        "version": release.version,
        "description": release.summary,
        "author": {"name": release.slug().split('/').next().unwrap_or_default(), "url": release.repository},
        "repository": {"type": "git", "url": format!("{}.git", release.repository)},
        "homepage": release.repository,
        "documentation": format!("{}/blob/main/docs/tools.md", release.repository),
        "support": format!("{}/issues", release.repository),
        "license": release.license,
        "keywords": ["lisp", "common-lisp", "scheme", "clojure", "emacs-lisp", "racket", "repl"],
        "server": {
            "type": "binary",
            "entry_point": "server/lispwright",
            "mcp_config": {
                "command": "${__dirname}/server/lispwright",
                "args": ["mcp", "--root", "${user_config.root}"],
            },
        },
        "tools_generated": true,
        "prompts_generated": true,
        "user_config": {
            "root": {
                "type": "directory",
                "title": "Project",
                "description": "The directory in which files are read and written, and Lisps are started.",
                "required": true,
            },
        },
        "compatibility": {"platforms": [platform]},
    });
    serde_json::to_string_pretty(&manifest).expect("a document of strings can be written") + "\n"
}

/// Packs a bundle for each binary.
pub(crate) fn make(bench: &Bench) -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for binary in &bench.binaries {
        let mut files = vec![
            File::new("manifest.json", manifest(&bench.release, binary.target)),
            File::program("server/lispwright", binary.bytes.as_slice()),
            binary.licenses.clone(),
        ];
        files.extend(bench.payload.documents.iter().filter(|file| file.path.starts_with("LICENSE")).cloned());
        let name = name(&bench.release.version, binary.target);
        bench.leave(&name, &zip::packed(&files)?)?;
        names.push(name);
    }
    Ok(names)
}

/// Has each bundle unpacked and its manifest validated by the format's own tool, and runs the one for this machine.
pub(crate) fn try_out(bench: &Bench) -> Result<Vec<Seen>, Failure> {
    let (package, version) = VALIDATOR;
    let tool = crate::target().join("tmp/mcpb");
    if !Step::new("npm").arg("--version").succeeds() {
        return Ok(vec![Seen::Made("not validated: npm is not installed".into())]);
    }
    if let Err(failure) = crate::npm::ensure(&tool, package, version) {
        return Ok(vec![Seen::Made(format!("not validated: {failure}"))]);
    }
    let mut seen = Vec::new();
    for binary in &bench.binaries {
        let target = binary.target;
        let prefix = bench.prefix(&format!("bundle-{}", target.triple))?;
        let unpacked = prefix.path().join("unpacked");
        std::fs::create_dir_all(&unpacked).about(&unpacked)?;
        let mcpb = |arguments: &[&std::ffi::OsStr]| {
            let mut step = Step::new(tool.join("node_modules/.bin/mcpb"));
            step.args(arguments).silent();
            step
        };
        let bundle = bench.place.join(name(&bench.release.version, target));
        mcpb(&["unpack".as_ref(), bundle.as_ref(), unpacked.as_ref()]).run_quietly(&[0])?;
        mcpb(&["validate".as_ref(), unpacked.join("manifest.json").as_ref()]).run_quietly(&[0])?;
        let program = unpacked.join("server/lispwright");
        if target.is_here() {
            trial::run(|| Command::new(&program), &[&bench.release.version, target.triple], prefix.path())?;
            seen.push(Seen::Ran(format!("{}: unpacked and validated with mcpb, run", target.title)));
        } else {
            seen.push(Seen::Made(format!("{}: validated with mcpb, not run", target.title)));
        }
    }
    Ok(seen)
}
