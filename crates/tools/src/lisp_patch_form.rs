//! `lisp_patch_form`: changes text inside one form.

use std::time::SystemTime;

use lispwright_edit::{FormPatch, Target, patch};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::lisp_edit_batch::edit_verified;
use crate::lisp_edit_form::{Done, EditAnswer, change};
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
    /// Text in the form, exact but for white space; must occur once
    pub old_text: String,
    /// Replacement; balanced as before
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
    let began = SystemTime::now();
    let wish = Wish {
        verify: args.verify,
        load: args.load,
        session: args.session.clone(),
        runtime: args.runtime.clone(),
        ..Wish::default()
    };
    if wish.is_any() && !args.dry_run {
        let answer = edit_verified(workshop, args.into(), &wish, context).await?;
        answer.observed(began, context);
        return Ok(answer);
    }
    let workshop = workshop.clone();
    let answer = context.on_files(move || run(&workshop, &args)).await?;
    answer.observed(began, context);
    Ok(answer)
}

fn run(workshop: &Workshop, args: &LispPatchForm) -> Result<EditAnswer, Refusal> {
    let changed = change(workshop, &args.path, args.dry_run, |source| {
        let target = Target {
            name: args.name.as_deref(),
            form_type: args.form_type.as_deref(),
            index: args.index,
            line: args.line,
        };
        let (old_text, new_text) = (args.old_text.as_str(), args.new_text.as_str());
        let digest = args.digest.as_deref();
        let (replace_all, repair) = (args.replace_all, args.repair);
        patch(source, &FormPatch { target, old_text, new_text, replace_all, digest, repair })
    })?;
    Ok(changed.answer(Done::Patch, args.dry_run))
}
