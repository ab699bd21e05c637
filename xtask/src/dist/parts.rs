//! The crates that a binary consists of, as cargo tells them: for the list of their licences and the bill of materials.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::payload::File;
use super::release::{Release, metadata};
use super::targets::Target;
use crate::step::{About, Failure};
use crate::workspace;

/// A crate of somebody else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) version: String,
    /// An SPDX expression; old crates have `/` for `OR`.
    pub(crate) license: String,
    pub(crate) authors: Vec<String>,
    pub(crate) repository: String,
    /// The SHA-256 of its package.
    sum: Option<String>,
    folder: PathBuf,
}

/// The crates that are linked into the binary for a target, or run while it is built: what the resolver reaches by
/// dependencies that are not for tests.
pub(crate) fn parts(target: &Target) -> Result<Vec<Part>, Failure> {
    let metadata = metadata(Some(target.triple))?;
    let packages: BTreeMap<&str, &Value> =
        list(&metadata["packages"]).filter_map(|package| Some((package["id"].as_str()?, package))).collect();
    let nodes: BTreeMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).filter_map(|node| Some((node["id"].as_str()?, node))).collect();
    let root = packages.iter().find(|(_, package)| package["name"] == "lispwright" && package["source"].is_null());
    let (root, _) = root.ok_or_else(|| Failure::new("cargo metadata lists no package lispwright"))?;
    let mut pending = vec![*root];
    let mut seen = BTreeSet::from([*root]);
    while let Some(id) = pending.pop() {
        for dependency in nodes.get(id).into_iter().flat_map(|node| list(&node["deps"])) {
            let counts = list(&dependency["dep_kinds"]).any(|kind| kind["kind"] != "dev");
            if let Some(id) = dependency["pkg"].as_str().filter(|_| counts)
                && seen.insert(id)
            {
                pending.push(id);
            }
        }
    }
    let sums = checksums()?;
    let foreign = seen.iter().filter_map(|id| packages.get(id)).filter(|package| !package["source"].is_null());
    let mut parts: Vec<Part> = foreign.map(|package| part(package, &sums)).collect::<Result<_, _>>()?;
    parts.sort();
    Ok(parts)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn part(package: &Value, sums: &BTreeMap<(String, String), String>) -> Result<Part, Failure> {
    let text = |name: &str| package[name].as_str().unwrap_or_default().to_owned();
    let manifest = PathBuf::from(text("manifest_path"));
    let license = text("license");
    if license.is_empty() {
        return Err(Failure::new(format!("the crate {} states no licence", text("name"))));
    }
    Ok(Part {
        name: text("name"),
        version: text("version"),
        license,
        authors: list(&package["authors"]).filter_map(|author| author.as_str()).map(str::to_owned).collect(),
        repository: text("repository"),
        sum: sums.get(&(text("name"), text("version"))).cloned(),
        folder: manifest.parent().map(Path::to_owned).unwrap_or_default(),
    })
}

/// `THIRD-PARTY-LICENSES.txt`: every crate with its licence, and each text of a licence once.
pub(crate) fn licenses(parts: &[Part]) -> Result<File, Failure> {
    let mut text = String::from(
        "The program lispwright contains the Rust standard library (MIT or Apache-2.0; https://www.rust-lang.org),\n\
         on Linux musl (MIT; https://musl.libc.org), and these crates. The texts of their licences follow.\n\n",
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for part in parts {
        let authors = if part.authors.is_empty() { String::new() } else { format!("; {}", part.authors.join(", ")) };
        text.push_str(&format!("{} {}: {}{authors}\n", part.name, part.version, part.license));
        for file in license_files(&part.folder)? {
            let bytes = fs::read(&file).about(&file)?;
            let words = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
            texts.entry(words.trim_end().to_owned()).or_default().push(format!("{} {}", part.name, part.version));
        }
    }
    let mut texts: Vec<(String, Vec<String>)> = texts.into_iter().collect();
    texts.sort_by(|(_, one), (_, other)| one.cmp(other));
    for (words, names) in texts {
        text.push_str(&format!("\n{}\n{}\n\n{words}\n", "=".repeat(80), names.join(", ")));
    }
    Ok(File::new("THIRD-PARTY-LICENSES.txt", text))
}

/// The texts of licences in a crate's folder.
fn license_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).about(folder)? {
        let path = entry.about(folder)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        let begins =
            ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"].iter().any(|begin| name.starts_with(begin));
        if begins && path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// A bill of materials in CycloneDX 1.5.
pub(crate) fn bill(parts: &[Part], release: &Release, target: &Target) -> File {
    let own = format!("pkg:github/{}@v{}", release.slug(), release.version);
    let reference = |part: &Part| format!("pkg:cargo/{}@{}", part.name, part.version);
    let components: Vec<Value> = parts
        .iter()
        .map(|part| {
            let mut component = json!({
                "type": "library",
                "bom-ref": reference(part),
                "name": part.name,
                "version": part.version,
                "scope": "required",
                "licenses": [{"expression": part.license.replace('/', " OR ").replace("  ", " ")}],
                "purl": reference(part),
            });
            if let Some(sum) = &part.sum {
                component["hashes"] = json!([{"alg": "SHA-256", "content": sum}]);
            }
            if part.repository.starts_with("https://") {
                component["externalReferences"] = json!([{"type": "vcs", "url": part.repository}]);
            }
            component
        })
        .collect();
    let bill = json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": "lispwright",
                "version": release.version,
                "description": release.summary,
                "licenses": [{"expression": release.license}],
                "purl": own,
            },
            "properties": [
                {"name": "lispwright:target", "value": target.triple},
                {"name": "lispwright:commit", "value": release.commit},
            ],
        },
        "components": components,
        "dependencies": [{"ref": own, "dependsOn": parts.iter().map(reference).collect::<Vec<_>>()}],
    });
    let text = serde_json::to_string_pretty(&bill).expect("a document of strings can be written");
    File::new("lispwright.cdx.json", text + "\n")
}

/// The checksums of `Cargo.lock`, by name and version.
fn checksums() -> Result<BTreeMap<(String, String), String>, Failure> {
    let path = workspace().join("Cargo.lock");
    let lock = fs::read_to_string(&path).about(&path)?;
    let mut sums = BTreeMap::new();
    for package in lock.split("[[package]]") {
        let field = |name: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \""));
            line.and_then(|rest| rest.strip_suffix('"')).map(str::to_owned)
        };
        if let (Some(name), Some(version), Some(sum)) = (field("name"), field("version"), field("checksum")) {
            sums.insert((name, version), sum);
        }
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::targets::TARGETS;
    use super::*;

    #[test]
    fn every_crate_of_the_binary_has_a_licence_and_a_checksum() {
        let parts = parts(&TARGETS[0]).unwrap();
        assert!(parts.iter().any(|part| part.name == "clap"), "{parts:?}");
        assert!(parts.iter().all(|part| part.name != "proptest" && !part.name.starts_with("lispwright")));
        for part in &parts {
            assert!(part.sum.is_some() && !part.license.is_empty(), "{part:?}");
        }
    }
}
