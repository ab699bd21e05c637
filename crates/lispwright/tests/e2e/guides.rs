//! The prompts of a server, in both eras.

use lispwright_words::Guide;
use serde_json::{Value, json};

use crate::client::{Client, server_command};
use crate::project::Project;

fn server(options: &[&str]) -> (Project, Client) {
    let project = Project::new();
    let mut command = server_command(&project.root());
    command.args(options);
    (project, Client::spawn(command))
}

fn initialized(options: &[&str]) -> (Project, Client, Value) {
    let (project, mut client) = server(options);
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "prompts", "version": "1" },
    });
    let opened = client.request("initialize", params);
    (project, client, opened["result"]["capabilities"].clone())
}

fn names(list: &Value) -> Vec<&str> {
    list["result"]["prompts"].as_array().unwrap().iter().map(|prompt| prompt["name"].as_str().unwrap()).collect()
}

/// Parameters of a request in the revision without a handshake.
fn modern(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "prompts", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}

#[test]
fn a_prompt_is_the_guide_with_the_task() {
    let (_project, mut client, capabilities) = initialized(&["--toolsets", "guard"]);
    assert!(capabilities["prompts"].is_object(), "{capabilities}");
    let list = client.request("prompts/list", json!({}));
    assert_eq!(names(&list), Guide::ALL.map(|guide| guide.name));
    for guide in Guide::ALL {
        let got = client.request("prompts/get", json!({ "name": guide.name }));
        let messages = json!([{ "role": "user", "content": { "type": "text", "text": guide.text() } }]);
        assert_eq!(got["result"]["messages"], messages);
        assert_eq!(got["result"]["description"], guide.description);
    }
    let asked = json!({ "name": "repl-clojure", "arguments": { "task": "Add a discount." } });
    let got = client.request("prompts/get", asked);
    let text = got["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.ends_with("\n## The task\n\nAdd a discount.\n"), "{text}");
    for (params, says) in [
        (json!({ "name": "repl-clojur" }), "Nearest: repl-clojure."),
        (json!({ "name": "nothing of the kind" }), "The prompts are: repl-common-lisp, "),
        (json!({ "name": "repl-clojure", "arguments": { "tsak": "x" } }), "no argument `tsak`; it takes `task`"),
        (json!({}), "prompts/get"),
    ] {
        let refused = client.request("prompts/get", params);
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains(says), "{refused}");
    }
    let refused = client.request("prompts/list", json!({ "cursor": "2" }));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

#[test]
fn prompts_need_no_handshake() {
    let (_project, mut client) = server(&[]);
    let discovered = client.request("server/discover", modern(json!({})));
    assert!(discovered["result"]["capabilities"]["prompts"].is_object(), "{discovered}");
    let list = client.request("prompts/list", modern(json!({})));
    assert!(names(&list).contains(&"repl-scheme"));
    for member in ["ttlMs", "cacheScope", "resultType"] {
        assert!(!list["result"][member].is_null(), "{list}");
    }
    let got = client.request("prompts/get", modern(json!({ "name": "repl-scheme" })));
    assert_eq!(got["result"]["resultType"], "complete", "{got}");
    assert!(got["result"]["messages"][0]["content"]["text"].as_str().unwrap().starts_with("# REPL-driven"));
}

#[test]
fn no_prompt_speaks_of_tools_that_are_not_offered() {
    let (_project, mut client, _) = initialized(&[]);
    assert!(!names(&client.request("prompts/list", json!({}))).contains(&"delimiter-guard"));
    let (_project, mut client, _) = initialized(&["--read-only", "--toolsets", "guard"]);
    assert_eq!(names(&client.request("prompts/list", json!({}))), ["delimiter-guard"]);
    for options in [&["--read-only"][..], &["--surface", "cl-mcp"]] {
        let (_project, mut client, capabilities) = initialized(options);
        assert!(capabilities.get("prompts").is_none(), "{capabilities}");
        let refused = client.request("prompts/list", json!({}));
        assert_eq!(refused["error"]["code"], -32601, "{refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains("offers tools/list, tools/call"), "{refused}");
    }
}
