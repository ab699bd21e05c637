#![allow(clippy::unwrap_used)]
use lispwright_runtime::{Config, Sessions};
use lispwright_tools::repl_control::{ReplControl, repl_control};
use lispwright_tools::repl_eval::{ReplEval, repl_eval};
use lispwright_tools::CallContext;
#[tokio::test]
async fn show() {
    let cache = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("images");
    let s = Sessions::new(Config { cache: Some(cache), ..Config::new("/tmp") });
    for code in std::fs::read_to_string("/tmp/rt/show.txt").unwrap().split("\n---\n") {
        let o = repl_eval(&s, ReplEval{code: code.into(), timeout_seconds: Some(3.0), ..Default::default()}, &CallContext::default()).await;
        println!("> {code}\n{}\n", o.text);
    }
    let o = repl_control(&s, ReplControl::default(), &CallContext::default()).await;
    println!("{}\n{}", o.text, serde_json::to_string(&o.fields).unwrap());
    println!("{}", serde_json::to_string(&lispwright_tools::arguments::schema_of::<ReplEval>()).unwrap());
    println!("{}", serde_json::to_string(&lispwright_tools::arguments::schema_of::<ReplControl>()).unwrap());
    s.shutdown().await;
}
