//! `server.json`: the entry in the registry of MCP servers, which points to the packages of npm and PyPI and to the
//! bundles.

use serde_json::{Value, json};

use super::bench::{Bench, Seen};
use super::bundle;
use super::release::Release;
use crate::step::Failure;

/// The schema of the entry.
const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/// The name of the server, whose beginning says who may publish it.
pub(crate) fn name(release: &Release) -> String {
    format!("io.github.{}", release.slug())
}

/// Writes the entry.
pub(crate) fn make(bench: &Bench) -> Result<Vec<String>, Failure> {
    let release = &bench.release;
    let package = |registry: &str| {
        json!({
            "registryType": registry,
            "identifier": "lispwright",
            "version": release.version,
            "transport": {"type": "stdio"},
            "packageArguments": [{"type": "positional", "value": "mcp"}],
        })
    };
    let mut packages = vec![package("npm"), package("pypi")];
    for binary in &bench.binaries {
        let file = bundle::name(&release.version, binary.target);
        // Without the bundles, the entry points to the other packages.
        if let Ok(sum) = bench.sum(&file) {
            packages.push(json!({
                "registryType": "mcpb",
                "identifier": release.address(&file),
                "fileSha256": sum,
                "transport": {"type": "stdio"},
            }));
        }
    }
    let entry: Value = json!({
        "$schema": SCHEMA,
        "name": name(release),
        "title": "Lispwright",
        "description": release.summary,
        "version": release.version,
        "websiteUrl": release.repository,
        "repository": {"url": release.repository, "source": "github"},
        "packages": packages,
    });
    let text = serde_json::to_string_pretty(&entry).expect("a document of strings can be written");
    bench.leave("server.json", (text + "\n").as_bytes())?;
    Ok(vec!["server.json".into()])
}

/// The registry refuses longer descriptions.
const LONGEST_DESCRIPTION: usize = 100;

/// Checks the limits that a document of fixed shape can break.
pub(crate) fn try_out(bench: &Bench) -> Result<Vec<Seen>, Failure> {
    let length = bench.release.summary.chars().count();
    if length > LONGEST_DESCRIPTION {
        return Err(Failure::new(format!("the summary has {length} characters, more than {LONGEST_DESCRIPTION}")));
    }
    Ok(vec![Seen::Made("not published; the registry's own tool does that".into())])
}
