//! The prompts and resources of a server, in both eras.

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

#[test]
fn the_resources_are_the_tools_the_configuration_and_the_grammars() {
    let (project, mut client, capabilities) = initialized(&[]);
    assert!(capabilities["resources"].is_object(), "{capabilities}");
    let list = client.request("resources/list", json!({}));
    let addresses: Vec<&str> =
        list["result"]["resources"].as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap()).collect();
    assert_eq!(addresses, ["lispwright://tools", "lispwright://lispwright.toml"]);
    let templates = client.request("resources/templates/list", json!({}));
    let template = &templates["result"]["resourceTemplates"][0]["uriTemplate"];
    assert_eq!(template, "lispwright://grammar/{dialect}/{format}");
    let read = |client: &mut Client, uri: &str| {
        let answer = client.request("resources/read", json!({ "uri": uri }));
        let contents = answer["result"]["contents"][0].clone();
        assert_eq!(contents["uri"], uri, "{answer}");
        contents["text"].as_str().unwrap().to_owned()
    };
    let tools = read(&mut client, addresses[0]);
    assert!(tools.contains("## `lisp_edit_form`") && tools.contains("| `operation`* | string |"), "{tools}");
    assert!(!tools.contains("sexp_guard"), "only what this server offers");
    assert!(read(&mut client, addresses[1]).starts_with("# There is no lispwright.toml"));
    let configuration = "[common-lisp.definers]\ndefroute = \"defun\"\n";
    project.file("lispwright.toml", configuration);
    assert_eq!(read(&mut client, addresses[1]), configuration);
    for dialect in ["common-lisp", "scheme", "racket", "clojure", "edn", "emacs-lisp"] {
        for format in ["lark", "gbnf"] {
            let grammar = read(&mut client, &format!("lispwright://grammar/{dialect}/{format}"));
            let mut command = std::process::Command::new(crate::client::binary());
            let printed = command.args(["grammar", "--dialect", dialect, "--format", format]).output().unwrap();
            assert_eq!(grammar.as_bytes(), printed.stdout, "{dialect} {format}");
        }
    }
    project.link("secret", "../secret.lisp");
    for uri in [
        "lispwright://nothing",
        "lispwright://grammar/cobol/lark",
        "lispwright://grammar/edn/yacc",
        "lispwright://../secret.lisp",
        "file:///etc/passwd",
        "",
    ] {
        let refused = client.request("resources/read", json!({ "uri": uri }));
        assert_eq!(refused["error"]["code"], -32002, "{refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains("lispwright://tools"), "{refused}");
    }
    // A link out of the project is not followed.
    std::fs::remove_file(project.at("lispwright.toml")).unwrap();
    project.link("lispwright.toml", "../secret.lisp");
    let refused = client.request("resources/read", json!({ "uri": addresses[1] }));
    assert!(refused["error"]["message"].as_str().unwrap().contains("outside"), "{refused}");
}

#[test]
fn resources_need_no_handshake() {
    let (_project, mut client) = server(&["--surface", "guile", "--read-only"]);
    let discovered = client.request("server/discover", modern(json!({})));
    assert!(discovered["result"]["capabilities"]["resources"].is_object(), "{discovered}");
    for (method, params) in [
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({ "uri": "lispwright://tools" })),
    ] {
        let answer = client.request(method, modern(params));
        for member in ["ttlMs", "cacheScope", "resultType"] {
            assert!(!answer["result"][member].is_null(), "{method}: {answer}");
        }
    }
    let tools = client.request("resources/read", modern(json!({ "uri": "lispwright://tools" })));
    let text = tools["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("## `read_module`") && !text.contains("## `lisp_read_file`"), "{text}");
    let refused = client.request("resources/read", modern(json!({ "uri": "lispwright://nothing" })));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert_eq!(refused["error"]["data"]["uri"], "lispwright://nothing");
}
