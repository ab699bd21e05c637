//! Tools that behave as a server has to tolerate: wait, refuse to stop, panic, report progress, answer at length.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use lispwright_tools::{Annotations, CallContext, LiveFault, ProtocolAnswer, Reply, Schema, Tool, ToolSet};
use serde_json::{Map, Value, json};

type Arguments = Map<String, Value>;

/// The catalogue, in the order in which it is listed.
pub(crate) fn toys() -> Vec<Tool> {
    vec![
        toy("echo", json!({"text": {"type": "string", "description": "What to say"}}), &["text"], |given, _| {
            async move { said(given["text"].as_str().unwrap_or_default()) }.boxed()
        }),
        toy("sleep", json!({"milliseconds": {"type": "integer", "minimum": 0}}), &["milliseconds"], |given, _| {
            async move {
                tokio::time::sleep(Duration::from_millis(given["milliseconds"].as_u64().unwrap_or(0))).await;
                said("rested")
            }
            .boxed()
        }),
        toy("obedient", json!({"name": {"type": "string"}}), &[], |given, context| {
            async move {
                let name = name(&given);
                note(&name, "begun");
                context.cancel.cancelled().await;
                note(&name, "ended");
                Err(LiveFault::WaitWithdrawn.into())
            }
            .boxed()
        }),
        toy("state", json!({"name": {"type": "string"}}), &["name"], |given, _| {
            async move { said(noted().get(&name(&given)).copied().unwrap_or("unknown")) }.boxed()
        }),
        toy("gate", json!({"name": {"type": "string"}}), &["name"], |given, context| {
            async move {
                let name = name(&given);
                if let Some(progress) = &context.progress {
                    progress(1.0, "closed");
                }
                while noted().get(&name) != Some(&"open") {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                said("through")
            }
            .boxed()
        }),
        toy("open", json!({"name": {"type": "string"}}), &["name"], |given, _| {
            note(&name(&given), "open");
            async { said("open") }.boxed()
        }),
        toy("deaf", json!({}), &[], |_, _| std::future::pending().boxed()),
        toy("panic_at_once", json!({}), &[], |_, _| panic!("no future")),
        toy("panic_later", json!({}), &[], |_, _| {
            async {
                tokio::task::yield_now().await;
                panic!("in the middle")
            }
            .boxed()
        }),
        toy("steps", json!({"count": {"type": "integer", "minimum": 0, "maximum": 100}}), &["count"], steps),
        toy("refuse", json!({}), &[], |_, _| {
            async { Err(LiveFault::SeveralImages(vec!["g".to_owned()]).into()) }.boxed()
        }),
        toy("long", json!({"bytes": {"type": "integer", "minimum": 0}}), &["bytes"], |given, _| {
            async move { said(&"λ\n\"".repeat(given["bytes"].as_u64().unwrap_or(0) as usize / 4)) }.boxed()
        }),
        Tool {
            set: ToolSet::Guard,
            ..toy("sexp_guard_balance", json!({"text": {"type": "string"}}), &["text"], |_, _| {
                async { answer("{\"ok\":true}", json!({"ok": true})) }.boxed()
            })
        },
    ]
}

/// What has become of calls, by the names that their clients gave them.
fn noted() -> MutexGuard<'static, HashMap<String, &'static str>> {
    static NOTED: LazyLock<Mutex<HashMap<String, &'static str>>> = LazyLock::new(Mutex::default);
    NOTED.lock().expect("no toy panics here")
}

fn note(name: &str, state: &'static str) {
    noted().insert(name.to_owned(), state);
}

fn name(given: &Arguments) -> String {
    given.get("name").and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn steps(given: Arguments, context: CallContext) -> BoxFuture<'static, Reply> {
    async move {
        let count = given["count"].as_u64().unwrap_or(0);
        for step in 0..count {
            if let Some(progress) = &context.progress {
                // The seconds do not increase, but the sent progress must.
                progress(1.0, &format!("step {step}"));
            }
            tokio::task::yield_now().await;
        }
        // Kept beyond the end of the call, as by a background task.
        if let Some(progress) = context.progress.clone() {
            tokio::spawn(async move {
                for _ in 0..50 {
                    tokio::task::yield_now().await;
                    progress(9.0, "too late");
                }
            });
        }
        said(&format!("{count} steps"))
    }
    .boxed()
}

fn said(text: &str) -> Reply {
    answer(text, json!({ "text": text }))
}

fn answer(text: &str, document: Value) -> Reply {
    Ok(ProtocolAnswer { text: text.to_owned(), fields: fields(document), ok: true }.into())
}

fn fields(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

fn toy(
    name: &'static str,
    properties: Value,
    required: &[&str],
    run: impl Fn(Arguments, CallContext) -> BoxFuture<'static, Reply> + Send + Sync + 'static,
) -> Tool {
    let schema = json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false
    });
    let output = json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] });
    Tool {
        name,
        title: "Toy",
        description: "A tool to test the server with.",
        set: ToolSet::Default,
        annotations: Annotations::READS,
        input_schema: Schema::new(move || fields(schema)),
        output_schema: Schema::new(move || fields(output)),
        run: Arc::new(run),
    }
}
