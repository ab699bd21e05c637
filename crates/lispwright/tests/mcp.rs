//! `lispwright mcp` as a client starts it: options, exit codes, and only protocol on standard output.

#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// Runs the server with the given input to its end.
fn serve(arguments: &[&str], environment: &[(&str, &str)], input: &str) -> Output {
    let mut process = Command::new(env!("CARGO_BIN_EXE_lispwright"))
        .arg("mcp")
        .args(arguments)
        .env_remove("MCP_LOG_LEVEL")
        .env_remove("MCP_LOG_FILE")
        .envs(environment.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A server that refuses its options does not read its input.
    let _ = process.stdin.take().unwrap().write_all(input.as_bytes());
    process.wait_with_output().unwrap()
}

fn opening() -> String {
    let initialize = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } }
    });
    format!("{initialize}\n{}\n", json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }))
}

fn answers(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn it_serves_and_ends_with_its_input() {
    let output = serve(&[], &[], &opening());
    assert_eq!(output.status.code(), Some(0));
    let answers = answers(&output);
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "lispwright");
    assert!(answers[1]["result"]["tools"].is_array());
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn logs_are_json_lines_on_standard_error() {
    for (arguments, environment) in [(vec!["--log-level", "debug"], vec![]), (vec![], vec![("MCP_LOG_LEVEL", "debug")])]
    {
        let output = serve(&arguments, &environment, &(opening() + "junk\n"));
        assert_eq!(answers(&output).len(), 3);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(!text.is_empty());
        for line in text.lines() {
            assert!(serde_json::from_str::<Value>(line).unwrap().is_object(), "{line}");
        }
    }
}

#[test]
fn impossible_options_are_refused_on_standard_error() {
    for (arguments, words) in [
        (&["--transport", "htpp"][..], "possible values: stdio"),
        (&["--toolsets", "gaurd"], "there are default, fs, "),
        (&["--exclude-tools", "no_such_tool"], "no_such_tool"),
        (&["--results", "yaml"], "structured"),
        (&["--log-level", "=!"], "log level"),
        (&["--log-file", "/nowhere/at/all"], "/nowhere/at/all"),
        // It is a pipe here.
        (&["--log-file", "/dev/stdout"], "not a regular file"),
    ] {
        let output = serve(arguments, &[], "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

#[test]
fn the_server_runs_although_nobody_reads_its_logs() {
    let (reading, writing) = std::io::pipe().unwrap();
    drop(reading);
    let mut process = Command::new(env!("CARGO_BIN_EXE_lispwright"))
        .args(["mcp", "--log-level", "trace"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(writing)
        .spawn()
        .unwrap();
    process.stdin.take().unwrap().write_all(opening().as_bytes()).unwrap();
    let output = process.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(answers(&output).len(), 2);
}
