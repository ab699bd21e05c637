//! The system or file that a project is, for a load that names none.

use std::path::Path;

use lispwright_runtime::Runtime;

use crate::code_map::{CodeMap, MapPlace, code_parts};
use crate::refusal::Refusal;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// What a whole project can be loaded by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadCandidate {
    /// A system, by its name.
    System(String),
    /// A file, by its path.
    File(String),
}

impl LoadCandidate {
    /// The arguments `system` and `path` for it.
    pub(crate) fn arguments(&self) -> (Option<String>, Option<String>) {
        match self {
            Self::System(name) => (Some(name.clone()), None),
            Self::File(path) => (None, Some(path.clone())),
        }
    }
}

/// The largest number of candidates.
const MOST: usize = 8;

/// What the project can be loaded by: the systems that no other of its systems needs, without those of tests and parts of others; where there
/// are no systems, the files with an entry point, or else those with packages, modules or libraries.
///
/// Errors: those of the index.
pub(crate) async fn load_candidates(workshop: &Workshop, context: &CallContext) -> Result<Vec<LoadCandidate>, Refusal> {
    let map = code_parts(workshop, CodeMap { limit: Some(u32::MAX), ..CodeMap::default() }, context).await?;
    // `ledger/fiveam` belongs to `ledger`.
    let is_part = |name: &str| {
        let primary = name.split_once('/').map(|(primary, _)| primary);
        primary.is_some_and(|primary| map.systems.first.iter().any(|other| other.name == primary))
    };
    let is_system =
        |place: &&MapPlace| !is_configuration(&place.name) && !place.name.contains("test") && !is_part(&place.name);
    let systems: Vec<&MapPlace> = map.systems.first.iter().filter(is_system).collect();
    let is_needed = |name: &str| {
        let mut others = systems.iter().filter(|other| other.name != name);
        others.any(|other| other.depends_on.iter().any(|needed| needed == name))
    };
    let mut found: Vec<LoadCandidate> = Vec::new();
    let mains = systems.iter().filter(|system| !is_needed(&system.name));
    add(&mut found, mains.map(|system| LoadCandidate::System(system.name.clone())));
    for places in [&map.entry_points.first, &map.packages.first] {
        if systems.is_empty() && found.is_empty() {
            let files = places.iter().filter(|place| !is_configuration(&place.path) && !place.path.contains("test"));
            add(&mut found, files.map(|place| LoadCandidate::File(place.path.clone())));
        }
    }
    found.truncate(MOST);
    Ok(found)
}

/// Adds those that are not there yet.
fn add(found: &mut Vec<LoadCandidate>, more: impl Iterator<Item = LoadCandidate>) {
    for one in more {
        if !found.contains(&one) {
            found.push(one);
        }
    }
}

/// The file is a build tool's, and holds data.
fn is_configuration(name: &str) -> bool {
    name.ends_with(".edn") || Runtime::of_project_file(Path::new(name)).is_some()
}
