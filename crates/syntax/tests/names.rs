//! A bare noun is the name of one public type in the workspace.

mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The name of the public type that a line declares.
fn declared(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub ")?;
    let (kind, rest) = rest.split_once(' ')?;
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    ["struct", "enum", "trait", "type"].contains(&kind).then(|| &rest[..end])
}

/// One file may declare a type once for each system. The binary is left out: each of its commands has an `Args` of its
/// own, and nothing depends on it.
#[test]
fn no_two_public_types_share_a_name() {
    let mut types: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in sources::sources().iter().filter(|path| !path.to_string_lossy().contains("crates/lispwright/")) {
        let text = fs::read_to_string(path).expect("sources are UTF-8");
        for name in text.lines().filter_map(declared) {
            types.entry(name.to_owned()).or_default().insert(path.display().to_string());
        }
    }
    assert!(types.len() > 300, "{} types", types.len());
    types.retain(|_, places| places.len() > 1);
    assert_eq!(types, BTreeMap::new(), "name the type after what it is in its crate");
}

#[test]
fn declarations_are_recognised() {
    assert_eq!(declared("pub struct Edit<'a> {"), Some("Edit"));
    assert_eq!(declared("pub type Names = Vec<String>;"), Some("Names"));
    assert_eq!(declared("pub(crate) enum Step {"), None);
    assert_eq!(declared("pub fn edit() {}"), None);
}
