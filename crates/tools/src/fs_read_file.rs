//! `fs_read_file`: a part of a text file, by characters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lisp_read_file::{DEFAULT_BUDGET, MOST};
use crate::next_call::NextCall;
use crate::refusal::Refusal;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// Arguments of `fs_read_file`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FsReadFile {
    /// Path
    pub path: String,
    /// Characters to skip
    #[serde(default)]
    pub offset: Option<u64>,
    /// Characters to show (default 10000, at most 40000)
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
}

/// A part of a text file.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TextAnswer {
    /// The file, as the project calls it.
    pub path: String,
    /// The characters.
    pub content: String,
    /// The number of characters before them.
    pub offset: u64,
    /// There are more after them.
    pub truncated: bool,
    /// The offset at which the next part begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    /// The number of characters of the file.
    #[serde(skip)]
    pub total: u64,
    /// The call that shows the next part.
    #[serde(skip)]
    pub next: Option<NextCall>,
    /// The file is Lisp.
    #[serde(skip)]
    pub is_lisp: bool,
}

/// Reads a part of a file.
pub async fn fs_read_file(workshop: &Workshop, args: FsReadFile, context: &CallContext) -> Result<TextAnswer, Refusal> {
    let workshop = workshop.clone();
    context.on_files(move || run(&workshop, &args)).await
}

fn run(workshop: &Workshop, args: &FsReadFile) -> Result<TextAnswer, Refusal> {
    let file = workshop.workspace.read(&args.path)?;
    // A wrong configuration does not matter to a text.
    let is_lisp = workshop.workspace.language_of(&file, None).ok().flatten().is_some();
    let offset = args.offset.unwrap_or(0);
    let limit = args.limit.map_or(DEFAULT_BUDGET as u64, |limit| limit.min(MOST as u64));
    let total = file.text.chars().count() as u64;
    let byte = |at: u64| {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        file.text.char_indices().nth(at).map_or(file.text.len(), |(byte, _)| byte)
    };
    let end = offset.saturating_add(limit);
    let next_offset = (end < total).then_some(end);
    let next = next_offset.map(|next| {
        NextCall::to("fs_read_file")
            .with("path", args.path.as_str())
            .with("offset", next)
            .with_given("limit", args.limit)
    });
    Ok(TextAnswer {
        content: file.text[byte(offset)..byte(end)].to_owned(),
        path: file.path,
        offset,
        truncated: next_offset.is_some(),
        next_offset,
        total,
        next,
        is_lisp,
    })
}
