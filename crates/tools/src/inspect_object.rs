//! `inspect_object`: look into an object of a live image by its number.

use lispwright_runtime::{Ending, EvalReport, MAIN, Node, Request, Sessions};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::Reply;
use crate::outcome::Outcome;
use crate::repl_eval::ask;
use crate::repl_node::{node_fields, node_text};
use crate::repl_refused::session_argument;
use crate::repl_report::{answer, notes, output_limit};
use crate::tool::CallContext;

/// Levels of parts when none are asked for.
const DEFAULT_DEPTH: u32 = 1;

/// Parts of each object when none are asked for.
const DEFAULT_ELEMENTS: u32 = 50;

/// Parts of each object at most.
const MOST_ELEMENTS: u32 = 1000;

/// Characters of a long string in one answer.
const STRING: u32 = 8000;

/// Arguments of `inspect_object`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InspectObject {
    /// Id
    pub id: i64,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
    /// Levels of parts: 0 for a summary, at most 8 (default 1)
    #[serde(default)]
    pub max_depth: Option<u32>,
    /// Parts shown of each object (default 50, at most 1000)
    #[serde(default)]
    pub max_elements: Option<u32>,
    /// Parts to skip; of a string, characters
    #[serde(default)]
    pub offset: Option<u64>,
}

/// Describes the object. Printing its parts may run code of the user; cancelling the context interrupts that.
pub async fn inspect_object(sessions: &Sessions, args: InspectObject, context: &CallContext) -> Reply {
    let session = args.session.as_deref().unwrap_or(MAIN);
    let request = Request::Inspect {
        object: args.id,
        depth: args.max_depth.unwrap_or(DEFAULT_DEPTH).min(8),
        count: args.max_elements.unwrap_or(DEFAULT_ELEMENTS).min(MOST_ELEMENTS),
        offset: args.offset.unwrap_or(0),
        limit: STRING,
    };
    match ask(sessions, session, request, context).await {
        Ok(report) => match &report.ending {
            Ending::Inspected(node) => inspected(node, &report).into(),
            _ => answer(&report, output_limit(None)).into(),
        },
        Err(refusal) => Err(refusal),
    }
}

fn inspected(node: &Node, report: &EvalReport) -> Outcome {
    let (mut text, shown) = node_text(node, output_limit(Some(u32::MAX)));
    let next = node.offset + shown.unwrap_or_else(|| node.shown());
    match shown {
        Some(0) => text.push_str(
            "[note] The first part alone is too long for one answer; ask for fewer levels, or for it by its number.\n",
        ),
        None if !node.has_more() => {}
        _ => {
            let of = node.total.map(|total| format!(" of {total}")).unwrap_or_default();
            let session = session_argument(&report.session);
            let id = node.id.unwrap_or_default();
            text.push_str(&format!(
                "[note] Shown are {} to {}{of}; the next: inspect_object {{\"id\": {id}, \"offset\": {next}{session}}}\n",
                node.offset,
                next.saturating_sub(1),
            ));
        }
    }
    text.push_str(&notes(report));
    Outcome { text: text.trim_end().to_owned(), fields: node_fields(node), is_error: false }
}
