//! For any configuration file: installing and then removing our entries changes no byte.
#![allow(clippy::unwrap_used, missing_docs)]

use lispwright_setup::{Client, Entry, EntryResult, Part, install, remove};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

/// White space and comments of JSON with comments.
fn trivia() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => Just(String::new()),
        3 => Just(" ".to_owned()),
        3 => Just("\n  ".to_owned()),
        1 => Just("\r\n\t".to_owned()),
        1 => Just("\n".to_owned()),
        1 => Just("// note , } \"  \n".to_owned()),
        1 => Just("/* , { \n */".to_owned()),
        1 => Just("/**/".to_owned()),
    ];
    proptest::collection::vec(piece, 0..3).prop_map(|pieces| pieces.concat())
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("\"mcpServers\"".to_owned()),
        Just("\"hooks\"".to_owned()),
        Just("\"BeforeTool\"".to_owned()),
        Just("\"AfterTool\"".to_owned()),
        Just("\"h\\u006foks\"".to_owned()),
        Just("\"permissions\"".to_owned()),
        Just("\"allow\"".to_owned()),
        "\"[a-zé]{0,3}\"",
    ]
}

/// The text of a container around `items`.
fn container(open: char, close: char, items: &[(String, String, String)], inside: &str) -> String {
    let mut text = format!("{open}{inside}");
    for (index, (before, item, after)) in items.iter().enumerate() {
        let between = if index + 1 == items.len() { "" } else { "," };
        text.push_str(&format!("{before}{item}{after}{between}"));
    }
    text.push(close);
    text
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("-1.5e3".to_owned()),
        Just("\"a\\\"{\"".to_owned()),
        Just("{\"type\": \"command\", \"command\": \"lint\"}".to_owned()),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let items = proptest::collection::vec((trivia(), inner, trivia()), 0..4).boxed();
        let array = (items.clone(), trivia()).prop_map(|(items, inside)| container('[', ']', &items, &inside));
        let members = proptest::collection::vec(key(), 4);
        let object = (items, members, trivia()).prop_map(|(items, keys, inside)| {
            let items: Vec<_> = items
                .into_iter()
                .zip(keys)
                .map(|((before, item, after), key)| (before, format!("{key}{after}: {item}"), String::new()))
                .collect();
            container('{', '}', &items, &inside)
        });
        prop_oneof![1 => array, 2 => object]
    })
}

fn document() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (trivia(), value(), trivia()).prop_map(|(before, value, after)| format!("{before}{value}{after}")),
        1 => trivia(),
    ]
}

fn toml_line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("# note".to_owned()),
        Just("a = 1 # x".to_owned()),
        Just("b = \"\"\"\n[mcp_servers.lispwright]\n\"\"\"".to_owned()),
        Just("mcp_servers = {}".to_owned()),
        Just("mcp_servers = { x = { url = \"u\" }, y = {} }".to_owned()),
        Just("mcp_servers.x.url = \"u\"".to_owned()),
        Just("[mcp_servers]".to_owned()),
        Just("[mcp_servers.x]".to_owned()),
        Just("[mcp_servers.\"y z\".env]".to_owned()),
        Just("[t]".to_owned()),
        Just("[[t2]]".to_owned()),
        Just("  c = [1,\n  2]".to_owned()),
    ]
}

fn toml_document() -> impl Strategy<Value = String> {
    let line = (toml_line(), prop_oneof![4 => Just("\n"), 1 => Just("\r\n")]);
    (proptest::collection::vec(line, 0..8), any::<bool>()).prop_map(|(lines, closed)| {
        let mut text: String = lines.iter().map(|(line, end)| format!("{line}{end}")).collect();
        if !closed && text.ends_with('\n') {
            text.pop();
            if text.ends_with('\r') {
                text.pop();
            }
        }
        text
    })
}

fn yaml_line() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just(""),
        Just("# note"),
        Just("a: 1 # x"),
        Just("b: |"),
        Just("  text: {"),
        Just("extensions:"),
        Just("  dev:"),
        Just("    cmd: é"),
        Just("    args: [a, 'b c']"),
        Just("  other: {cmd: x}"),
        Just("mcpServers:"),
        Just("- name: x"),
        Just("  - name: y"),
        Just("    command: z"),
        Just("c: {d: 1}"),
        Just("..."),
    ]
}

fn yaml_document() -> impl Strategy<Value = String> {
    let line = (yaml_line(), prop_oneof![4 => Just("\n"), 1 => Just("\r\n")]);
    (proptest::collection::vec(line, 0..8), any::<bool>()).prop_map(|(lines, closed)| {
        let text: String = lines.iter().map(|(line, end)| format!("{line}{end}")).collect();
        if closed { text } else { text.trim_end().to_owned() }
    })
}

/// Checks the properties for one text; `false` if it is refused.
fn check(text: &str, parts: &[Part], client: &'static Client) -> Result<bool, TestCaseError> {
    let entry = Entry { client, program: "/opt/it's/lispwright", stats: Some("/s"), skill: None };
    let Ok(installed) = install(Some(text), parts, &entry) else { return Ok(false) };
    let after = installed.text.expect("a file that is there stays");
    prop_assert!(installed.steps.iter().all(|step| step.done == EntryResult::Added));
    let again = install(Some(&after), parts, &entry).unwrap();
    prop_assert_eq!(again.text.as_deref(), Some(&*after));
    prop_assert!(again.steps.iter().all(|step| step.done == EntryResult::Already));
    let removed = remove(&after, parts, client).unwrap();
    prop_assert_eq!(removed.text.as_deref(), Some(text));
    let nothing = remove(text, parts, client).unwrap();
    prop_assert_eq!(nothing.text.as_deref(), Some(text));
    Ok(true)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_global_rejects: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn json(text in document()) {
        let both = check(&text, &[Part::JsonServer, Part::Grant, Part::Hooks], Client::GEMINI)?;
        let server = check(&text, &[Part::JsonServer], Client::CLAUDE_CODE)?;
        let grant = check(&text, &[Part::Grant, Part::Hooks], Client::CLAUDE_CODE)?;
        prop_assume!(both || server || grant);
    }

    #[test]
    fn toml(text in toml_document()) {
        prop_assume!(check(&text, &[Part::TomlServer], Client::CODEX)?);
        prop_assert!(check(&text, &[Part::TomlServer, Part::Grant], Client::CODEX)?);
    }

    #[test]
    fn yaml(text in yaml_document()) {
        let goose = check(&text, &[Part::YamlServer], Client::from_name("goose").unwrap())?;
        let list = check(&text, &[Part::YamlServer], Client::from_name("continue").unwrap())?;
        prop_assume!(goose || list);
    }

    #[test]
    fn any_text(text in any::<String>()) {
        check(&text, &[Part::JsonServer, Part::Grant, Part::Hooks], Client::GEMINI)?;
        check(&text, &[Part::TomlServer, Part::Grant], Client::CODEX)?;
        check(&text, &[Part::YamlServer], Client::from_name("goose").unwrap())?;
    }
}
