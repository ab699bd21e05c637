//! `fs_get_project_info` and `fs_set_project_root`: the root that paths are relative to.

use std::path::PathBuf;

use lispwright_project::RootSource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::premises::{Premises, RootChange};
use crate::refusal::Refusal;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// Arguments of `fs_get_project_info`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FsGetProjectInfo {}

/// Arguments of `fs_set_project_root`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FsSetProjectRoot {
    /// Directory, better absolute
    pub path: String,
}

/// The root of the project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProjectAnswer {
    /// The directory that relative paths start from: absolute, without links.
    pub project_root: String,
    /// The directory in which images run: the same.
    pub cwd: String,
    /// Who named it: `explicit` (the command line, or a call), `env`, `client`, or `guess` (the working directory of the server).
    pub project_root_source: &'static str,
    /// `cwd`, from the root on.
    pub relative_cwd: String,
    /// All directories whose files may be read and written.
    pub roots: Vec<String>,
    /// The root before a call that set it; absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_root: Option<String>,
    /// What a call to set the root has done, in a sentence; empty until the answer is rendered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// What it has done; `None` for a question.
    #[serde(skip)]
    pub became: Option<RootBecame>,
    /// The source of the root.
    #[serde(skip)]
    pub source: RootSource,
}

/// The effect of a call to set the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootBecame {
    /// It is another one.
    Set,
    /// It is the one that was named.
    Same,
    /// It stays, and has the named directory inside, at this path.
    Around(String),
}

/// Tells the root.
pub fn fs_get_project_info(premises: &Premises, workshop: &Workshop, _: FsGetProjectInfo) -> ProjectAnswer {
    ProjectAnswer::of(workshop, premises.source())
}

/// Sets the root for all clients of the server.
///
/// Errors: the directory cannot be a root, the present one was named by whoever started the server, or others work in it.
pub async fn fs_set_project_root(
    premises: &Premises,
    args: FsSetProjectRoot,
    context: &CallContext,
) -> Result<ProjectAnswer, Refusal> {
    let (premises, call) = (premises.clone(), context.clone());
    let before = premises.present();
    let (change, premises, asked) = context
        .on_files(move || {
            let change = premises.set_root(&PathBuf::from(&args.path), &call)?;
            Ok((change, premises, args.path))
        })
        .await?;
    let workshop = premises.workshop(context)?;
    let answer = ProjectAnswer::of(&workshop, premises.source());
    let root = workshop.roots.primary().to_owned();
    let previous = before.map(|workshop| workshop.roots.primary().display().to_string());
    let became = match change {
        RootChange::Changed(earlier) => {
            if let Some(earlier) = earlier {
                // It has no images; a spare one may be on its way.
                earlier.sessions.shutdown().await;
            }
            RootBecame::Set
        }
        RootChange::Stays => {
            let inside = root.join(&asked).canonicalize().ok();
            let below = inside.as_deref().and_then(|inside| inside.strip_prefix(&root).ok());
            match below.filter(|below| !below.as_os_str().is_empty()) {
                Some(below) => RootBecame::Around(below.display().to_string()),
                None => RootBecame::Same,
            }
        }
    };
    Ok(ProjectAnswer { previous_root: previous, status: Some(String::new()), became: Some(became), ..answer })
}

impl ProjectAnswer {
    fn of(workshop: &Workshop, source: RootSource) -> Self {
        let root = workshop.roots.primary().display().to_string();
        Self {
            cwd: root.clone(),
            project_root: root,
            project_root_source: match source {
                RootSource::Explicit | RootSource::Call => "explicit",
                RootSource::Variable(_) => "env",
                RootSource::Client => "client",
                RootSource::WorkingDirectory => "guess",
            },
            relative_cwd: ".".to_owned(),
            roots: workshop.roots.writable().map(|root| root.display().to_string()).collect(),
            previous_root: None,
            status: None,
            became: None,
            source,
        }
    }
}
