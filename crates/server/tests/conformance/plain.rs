//! Tools that answer with text, as the product's own do.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use lispwright_tools::{Annotations, CallContext, LiveFault, ProtocolAnswer, Reply, Schema, Tool, ToolSet};
use serde_json::{Map, Value, json};

/// The time between two messages of a call.
pub(super) const PAUSE: Duration = Duration::from_millis(50);

pub(super) fn tools() -> Vec<Tool> {
    vec![
        tool("test_simple_text", |_| async { said("This is a simple text response for testing.") }.boxed()),
        tool("test_error_handling", |_| async { Err(LiveFault::WaitWithdrawn.into()) }.boxed()),
        tool("test_tool_with_progress", |context| {
            async move {
                for step in [0.0, 50.0, 100.0] {
                    if let Some(progress) = &context.progress {
                        progress(step, "on the way");
                    }
                    tokio::time::sleep(PAUSE).await;
                }
                said("done")
            }
            .boxed()
        }),
    ]
}

fn said(text: &str) -> Reply {
    Ok(ProtocolAnswer { text: text.to_owned(), fields: Map::new(), ok: true }.into())
}

fn tool(name: &'static str, run: impl Fn(CallContext) -> BoxFuture<'static, Reply> + Send + Sync + 'static) -> Tool {
    let schema = || json!({ "type": "object", "properties": {} }).as_object().cloned().unwrap_or_default();
    Tool {
        name,
        title: "Fixture",
        description: "A tool that the conformance suite calls.",
        set: ToolSet::Default,
        annotations: Annotations::READS,
        input_schema: Schema::new(schema),
        output_schema: Schema::new(schema),
        run: Arc::new(move |_: Map<String, Value>, context| run(context)),
    }
}
