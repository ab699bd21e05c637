//! `[lint]` of `lispwright.toml`: which rules are asked, of which files, and what is known already.
//!
//! ```toml
//! [lint]
//! rules = { unused-binding = "off", odd-pairs = "hint" }
//! exclude = ["vendor"]
//! baseline = "lint-baseline.txt"
//! edits = false
//! ```

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use lispwright_lint::kondo::KondoConfig;
use lispwright_lint::{Chosen, Severity, rules};
use lispwright_project::up_to_project;
use serde::Deserialize;

use crate::languages::{ConfigFault, FILE_NAME};
use crate::workshop::Workshop;
use crate::workspace::Workspace;

/// The table as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LintTable {
    rules: BTreeMap<String, String>,
    exclude: Vec<String>,
    baseline: Option<String>,
    edits: Option<bool>,
}

/// How a project wants its files judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linting {
    /// The levels of rules that have another than their own; `None` is off.
    levels: Vec<(&'static str, Option<Severity>)>,
    /// Files and directories that are not judged, relative to the project.
    exclude: Vec<String>,
    /// The file with the problems that are known, relative to the project.
    pub baseline: Option<String>,
    /// Edits do not tell what is new by them.
    pub is_silent_on_edits: bool,
    /// What the project says to clj-kondo.
    kondo: Option<Arc<KondoConfig>>,
}

impl Linting {
    /// What a table says.
    ///
    /// Errors: there is no such rule or level.
    pub(crate) fn of(table: LintTable) -> Result<Self, ConfigFault> {
        let levels = table.rules.iter().map(|(code, level)| {
            let rule = rules::with_code(code).ok_or_else(|| ConfigFault::Rule(code.clone()))?;
            let level = match level.as_str() {
                "off" => None,
                "on" => Some(rule.about().severity),
                name => Some(
                    Severity::from_name(name)
                        .ok_or_else(|| ConfigFault::Level { rule: code.clone(), level: name.to_owned() })?,
                ),
            };
            Ok((rule.about().code, level))
        });
        Ok(Self {
            levels: levels.collect::<Result<_, _>>()?,
            exclude: table.exclude,
            baseline: table.baseline,
            is_silent_on_edits: table.edits == Some(false),
            kondo: None,
        })
    }

    /// The rules that are on, with their levels.
    pub(crate) fn chosen(&self) -> Chosen {
        Chosen::default().with(&self.levels).with_kondo(self.kondo.clone())
    }

    /// A file of the project is not judged; its path is relative to the project.
    pub(crate) fn excludes(&self, path: &Path) -> bool {
        self.exclude.iter().any(|excluded| path.starts_with(excluded.trim_end_matches('/')))
    }
}

/// What clj-kondo is told of a project, relative to the project.
pub(crate) const KONDO_CONFIG: &str = ".clj-kondo/config.edn";

/// How the files below the first root are judged. A configuration that is wrong is told elsewhere.
pub(crate) fn linting(workshop: &Workshop) -> Linting {
    linting_in(&workshop.workspace, workshop.roots.primary())
}

/// How the files below a directory are judged.
pub(crate) fn linting_in(workspace: &Workspace, root: &Path) -> Linting {
    let languages = workspace.languages_in(root);
    let mut linting = languages.map(|languages| languages.linting().clone()).unwrap_or_default();
    linting.kondo = workspace.kondo_in(root, SystemTime::now());
    linting
}

/// The directory that is configured around a file: where its `lispwright.toml` or what clj-kondo is told stands, else its
/// own.
pub(crate) fn configured_around(path: &Path) -> &Path {
    let directory = path.parent().unwrap_or(path);
    let is_configured = |one: &&Path| one.join(FILE_NAME).is_file() || one.join(KONDO_CONFIG).is_file();
    up_to_project(directory).find(is_configured).unwrap_or(directory)
}
