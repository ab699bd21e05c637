//! `lisp_patch_form`: changes text inside one form.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::lisp_edit_form::{EditAnswer, edit_alone};
use crate::lisp_read_file::yes;
use crate::refusal::Refusal;
use crate::tool::CallContext;
use crate::verify::{Verify, Wish};
use crate::workshop::Workshop;

/// Arguments of `lisp_patch_form`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LispPatchForm {
    /// Path
    pub path: String,
    /// Name
    #[serde(default)]
    pub name: Option<String>,
    /// In the form, exact but for white space; once
    pub old_text: String,
    /// New text
    pub new_text: String,
    /// Form type
    #[serde(default)]
    pub form_type: Option<String>,
    /// Index
    #[serde(default)]
    pub index: Option<u32>,
    /// Line
    #[serde(default)]
    pub line: Option<u32>,
    /// Every occurrence
    #[serde(default)]
    pub replace_all: bool,
    /// Digest
    #[serde(default)]
    pub digest: Option<String>,
    /// Dry run
    #[serde(default)]
    pub dry_run: bool,
    /// Repair
    #[serde(default = "yes")]
    pub repair: bool,
    /// Accept
    #[serde(default)]
    pub accept: Option<String>,
    /// Verify
    #[serde(default)]
    pub verify: Verify,
    /// Load
    #[serde(default)]
    pub load: bool,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
    /// Runtime
    #[serde(default)]
    pub runtime: Option<String>,
}

/// Patches a form.
pub async fn lisp_patch_form(
    workshop: &Workshop,
    args: LispPatchForm,
    context: &CallContext,
) -> Result<EditAnswer, Refusal> {
    let wish = Wish {
        verify: args.verify,
        load: args.load,
        session: args.session.clone(),
        runtime: args.runtime.clone(),
        ..Wish::default()
    };
    let dry_run = args.dry_run;
    edit_alone(workshop, args.into(), dry_run, &wish, context).await
}
