//! Installing and removing entries in the text of each client's files.
#![allow(clippy::unwrap_used, missing_docs)]

use lispwright_setup::{Client, Entry, EntryResult, FileChange, Part, install, remove};

const BOTH: &[Part] = &[Part::JsonServer, Part::Hooks];
const SERVER: &[Part] = &[Part::JsonServer];
const HOOKS: &[Part] = &[Part::Hooks];
const YAML: &[Part] = &[Part::YamlServer];
const TOML: &[Part] = &[Part::TomlServer];
const GRANT: &[Part] = &[Part::Grant];

fn entry(client: &'static Client) -> Entry<'static> {
    Entry { client, program: "lispwright", stats: None, skill: None }
}

/// Installing turns `before` into `after`, installing again changes nothing, and removing restores `before`.
#[track_caller]
fn check(client: &'static Client, parts: &[Part], before: Option<&str>, after: &str) {
    let installed = install(before, parts, &entry(client)).unwrap();
    assert_eq!(installed.text.as_deref(), Some(after));
    let again = install(Some(after), parts, &entry(client)).unwrap();
    assert_eq!(again.text.as_deref(), Some(after));
    assert!(again.steps.iter().all(|step| step.done == EntryResult::Already), "{:?}", again.steps);
    let removed = remove(after, parts, client).unwrap();
    assert_eq!(removed.text.as_deref(), before);
    assert!(removed.steps.iter().all(|step| step.done == EntryResult::Removed), "{:?}", removed.steps);
}

#[track_caller]
fn done(change: &FileChange) -> Vec<EntryResult> {
    change.steps.iter().map(|step| step.done.clone()).collect()
}

#[test]
fn files_that_do_not_exist_are_created() {
    check(
        Client::CLAUDE_CODE,
        HOOKS,
        None,
        r#"{
  "hooks": {
    "PreToolUse": [
      {"matcher": "Write|Edit|MultiEdit", "hooks": [{"type": "command", "command": "lispwright hook claude-code", "timeout": 10}]}
    ],
    "PostToolUse": [
      {"matcher": "Write|Edit|MultiEdit|Bash", "hooks": [{"type": "command", "command": "lispwright hook claude-code", "timeout": 10}]}
    ]
  }
}
"#,
    );
    check(
        Client::GEMINI,
        BOTH,
        None,
        r#"{
  "mcpServers": {
    "lispwright": {"command": "lispwright", "args": ["mcp"]}
  },
  "hooks": {
    "BeforeTool": [
      {"matcher": "write_file|replace", "hooks": [{"type": "command", "command": "lispwright hook gemini", "timeout": 10000}]}
    ],
    "AfterTool": [
      {"matcher": "write_file|replace|run_shell_command", "hooks": [{"type": "command", "command": "lispwright hook gemini", "timeout": 10000}]}
    ]
  }
}
"#,
    );
    check(Client::CODEX, TOML, None, "[mcp_servers.lispwright]\ncommand = \"lispwright\"\nargs = [\"mcp\"]\n");
}

#[test]
fn the_failure_of_a_hook_is_hidden_from_a_client_that_would_refuse_the_call() {
    let command = "lispwright hook copilot --stats /s || true";
    let after = |command: &str| {
        let hook = |tools| {
            let hooks = format!("[{{\"type\": \"command\", \"command\": \"{command}\", \"timeout\": 10}}]");
            format!("[ {{\"matcher\": \"{tools}\", \"hooks\": {hooks}}} ]")
        };
        let (before, after) = (hook("create|edit"), hook("create|edit|bash"));
        format!("{{\"hooks\": {{ \"PreToolUse\": {before}, \"PostToolUse\": {after} }}}}")
    };
    check(Client::COPILOT, HOOKS, Some("{}"), &after("lispwright hook copilot || true"));
    let with = Entry { stats: Some("/s"), ..entry(Client::COPILOT) };
    let old = after(&command.replace("lisp", "/old/lisp").replace(" --stats /s", ""));
    assert_eq!(install(Some(&old), HOOKS, &with).unwrap().text, Some(after(command)));
}

#[test]
fn program_and_arguments_in_one_list() {
    let server = |program| format!("{{\"type\": \"local\", \"command\": [\"{program}\", \"mcp\"]}}");
    let with = |server: &str| {
        format!("{{\"mcp\": {{\"x\": {{\"type\": \"local\", \"command\": [\"y\"]}}{server}}}}} // mine\n")
    };
    let after = with(&format!(", \"lispwright\": {}", server("lispwright")));
    check(Client::OPENCODE, SERVER, Some(&with("")), &after);
    let old = with(&format!(", \"l\": {}", server("/old/lispwright")));
    let change = install(Some(&old), SERVER, &entry(Client::OPENCODE)).unwrap();
    assert_eq!(change.text.as_deref(), Some(&*old.replace("/old/", "")));
    assert_eq!(done(&change), [EntryResult::Updated { from: "/old/lispwright".to_owned() }]);
    for foreign in ["[]", "[1]", "[\"other\", \"mcp\"]", "\"lispwright\""] {
        let text = with(&format!(", \"lispwright\": {{\"command\": {foreign}}}"));
        let change = install(Some(&text), SERVER, &entry(Client::OPENCODE)).unwrap();
        assert_eq!((change.text.as_deref(), done(&change)), (Some(&*text), vec![EntryResult::Foreign]), "{foreign}");
    }
}

#[test]
fn the_permission_to_call_tools() {
    let claude = |before, after| check(Client::CLAUDE_CODE, GRANT, before, after);
    claude(None, "{\n  \"permissions\": {\n    \"allow\": [\n      \"mcp__lispwright\"\n    ]\n  }\n}\n");
    claude(
        Some("{\"permissions\": {\"allow\": [\"Bash(ls)\"], \"deny\": []}}"),
        "{\"permissions\": {\"allow\": [\"Bash(ls)\", \"mcp__lispwright\"], \"deny\": []}}",
    );
    claude(
        Some("{\"permissions\": {\"deny\": [\"x\"]}}"),
        "{\"permissions\": {\"deny\": [\"x\"], \"allow\": [ \"mcp__lispwright\" ]}}",
    );
    check(
        Client::GEMINI,
        &[Part::JsonServer, Part::Grant],
        Some("{}"),
        "{\"mcpServers\": { \"lispwright\": {\"command\": \"lispwright\", \"args\": [\"mcp\"], \"trust\": true} }}",
    );
    let server = "[mcp_servers.lispwright]\ncommand = \"lispwright\"\nargs = [\"mcp\"]";
    for before in [
        format!("{server}\n"),
        server.to_owned(),
        format!("{server}\nenv_vars = [\"LISPWRIGHT_ROOT\"]\n\n[other]\na = 1\n"),
    ] {
        let grant = "args = [\"mcp\"]\ndefault_tools_approval_mode = \"approve\"";
        check(Client::CODEX, GRANT, Some(&before), &before.replace("args = [\"mcp\"]", grant));
    }
    let inline = "mcp_servers = { lispwright = { command = \"lispwright\", args = [\"mcp\"] } }\n";
    let grant = "args = [\"mcp\"], default_tools_approval_mode = \"approve\"";
    check(Client::CODEX, GRANT, Some(inline), &inline.replace("args = [\"mcp\"]", grant));
}

#[test]
fn a_permission_needs_our_server_and_is_updated() {
    let grant = |client, text| install(Some(text), GRANT, &entry(client)).unwrap();
    for (client, text) in [
        (Client::CODEX, "[mcp_servers.lispwright]\ncommand = \"other\"\nargs = [\"mcp\"]\n"),
        (Client::GEMINI, "{\"mcpServers\": {\"lispwright\": {\"command\": \"other\"}}}"),
    ] {
        let change = grant(client, text);
        assert_eq!((change.text.as_deref(), done(&change)), (Some(text), vec![EntryResult::Absent]));
    }
    let prompts = "[mcp_servers.lispwright]\ncommand = \"lispwright\"\nargs = [\"mcp\"]\ndefault_tools_approval_mode = \"prompt\"\n";
    let change = grant(Client::CODEX, prompts);
    assert_eq!(change.text.as_deref(), Some(&*prompts.replace("\"prompt\"", "\"approve\"")));
    assert_eq!(done(&change), [EntryResult::Updated { from: "\"prompt\"".to_owned() }]);
    let distrusted = "{\"mcpServers\": {\"l\": {\"command\": \"lispwright\", \"args\": [\"mcp\"], \"trust\": false}}}";
    let change = grant(Client::GEMINI, distrusted);
    assert_eq!(change.text.as_deref(), Some(&*distrusted.replace("false", "true")));
}

#[test]
fn a_server_is_inserted_beside_others() {
    let item = r#""lispwright": {"command": "lispwright", "args": ["mcp"]}"#;
    for (before, after) in [
        ("", "{\n  \"mcpServers\": {\n    ITEM\n  }\n}"),
        (" \n// mine\n", " \n// mine\n{\n  \"mcpServers\": {\n    ITEM\n  }\n}"),
        ("{}", "{\"mcpServers\": { ITEM }}"),
        ("{ }\n", "{\"mcpServers\": { ITEM } }\n"),
        ("{\n}\n", "{\"mcpServers\": { ITEM }\n}\n"),
        ("{\"a\":1}", "{\"a\":1, \"mcpServers\": { ITEM }}"),
        ("{ // a\n}", "{\"mcpServers\": { ITEM } // a\n}"),
        ("{\"mcpServers\":{}}", "{\"mcpServers\":{ITEM}}"),
        (
            "{\n    \"mcpServers\": {\n        \"x\": {}\n    }\n}\n",
            "{\n    \"mcpServers\": {\n        \"x\": {},\n        ITEM\n    }\n}\n",
        ),
        (
            "{\r\n\t\"mcpServers\": {\r\n\t\t\"x\": {} // one\r\n\t}\r\n}\r\n",
            "{\r\n\t\"mcpServers\": {\r\n\t\t\"x\": {}, // one\r\n\t\tITEM\r\n\t}\r\n}\r\n",
        ),
        (
            "{\n  \"a\": [1] // one\n  /* two */\n}",
            "{\n  \"a\": [1], // one\n  \"mcpServers\": {\n    ITEM\n  }\n  /* two */\n}",
        ),
        ("{\n  \"a\": 1 /* x */ // y   \n}", "{\n  \"a\": 1, /* x */ // y   \n  \"mcpServers\": {\n    ITEM\n  }\n}"),
        ("{\"a\": 1 // c\n}", "{\"a\": 1, // c\n\"mcpServers\": { ITEM }\n}"),
        ("{\"mcpServers\": {}, \"mcpServers\": {\"x\": 1}}", "{\"mcpServers\": {}, \"mcpServers\": {\"x\": 1, ITEM}}"),
    ] {
        check(Client::GEMINI, SERVER, Some(before), &after.replace("ITEM", item));
    }
}

#[test]
fn hooks_are_inserted_beside_others() {
    let group = r#"{"matcher": "Write|Edit|MultiEdit", "hooks": [{"type": "command", "command": "lispwright hook claude-code", "timeout": 10}]}"#;
    let after_group = group.replace("MultiEdit", "MultiEdit|Bash");
    let before = r#"{
  "model": "opus",
  "hooks": {
    "Stop": [],
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]}
    ]
  },
  "env": {}
}"#;
    let after = r#"{
  "model": "opus",
  "hooks": {
    "Stop": [],
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]},
      GROUP
    ],
    "PostToolUse": [
      AFTER
    ]
  },
  "env": {}
}"#;
    check(Client::CLAUDE_CODE, HOOKS, Some(before), &after.replace("GROUP", group).replace("AFTER", &after_group));
    let empty = r#"{"hooks": {"PreToolUse": []}}"#;
    check(
        Client::CLAUDE_CODE,
        HOOKS,
        Some(empty),
        &r#"{"hooks": {"PreToolUse": [GROUP], "PostToolUse": [ AFTER ]}}"#.replace("GROUP", group).replace("AFTER", &after_group),
    );
}

#[test]
fn the_matcher_of_an_earlier_version_is_updated() {
    let earlier = |matcher: &str, beside: &str| {
        let ours = r#"{"type": "command", "command": "lispwright hook gemini", "timeout": 10000}"#;
        let group = |matcher: &str| format!(r#"{{"matcher": "{matcher}", "hooks": [{ours}{beside}]}}"#);
        let before = group("write_file|replace");
        format!(r#"{{"hooks": {{"BeforeTool": [{before}], "AfterTool": [{}]}}}}"#, group(matcher))
    };
    let now = "write_file|replace|run_shell_command";
    let change = install(Some(&earlier("write_file|replace", "")), HOOKS, &entry(Client::GEMINI)).unwrap();
    assert_eq!(change.text.as_deref(), Some(&*earlier(now, "")));
    assert_eq!(done(&change), [EntryResult::Already, EntryResult::Updated { from: "write_file|replace".to_owned() }]);
    // A matcher or group that the user has changed stays.
    for text in
        [earlier("write_file", ""), earlier("write_file|replace", r#", {"type": "command", "command": "lint"}"#)]
    {
        let change = install(Some(&text), HOOKS, &entry(Client::GEMINI)).unwrap();
        assert_eq!(
            (change.text.as_deref(), done(&change)),
            (Some(&*text), vec![EntryResult::Already, EntryResult::Already])
        );
    }
}

#[test]
fn a_toml_table_is_inserted_beside_others() {
    let table = "[mcp_servers.lispwright]\ncommand = \"lispwright\"\nargs = [\"mcp\"]";
    for (before, after) in [
        ("", "TABLE"),
        ("\n", "\n\nTABLE\n"),
        ("# mine", "# mine\n\nTABLE"),
        ("model = \"o5\"\n", "model = \"o5\"\n\nTABLE\n"),
        ("a = 1\n\n\n# end\n", "a = 1\n\n\n# end\n\nTABLE\n"),
        ("[mcp_servers]\n", "[mcp_servers]\n\nTABLE\n"),
        ("[mcp_servers.x]\nurl = \"u\"\n", "[mcp_servers.x]\nurl = \"u\"\n\nTABLE\n"),
        ("mcp_servers.x.url = \"u\"\n", "mcp_servers.x.url = \"u\"\n\nTABLE\n"),
        ("[[p]]\nx = 1\r\n", "[[p]]\nx = 1\r\n\nTABLE\n"),
    ] {
        check(Client::CODEX, TOML, Some(before), &after.replace("TABLE", table));
    }
    let crlf = table.replace('\n', "\r\n");
    check(Client::CODEX, TOML, Some("a = 1\r\n"), &format!("a = 1\r\n\r\n{crlf}\r\n"));
    check(Client::CODEX, TOML, Some("a = 1\r\nb = 2"), &format!("a = 1\r\nb = 2\r\n\r\n{crlf}"));
    let inline = "lispwright = { command = \"lispwright\", args = [\"mcp\"] }";
    for (before, after) in [
        ("mcp_servers = {}\na = 1\n", "mcp_servers = {ITEM}\na = 1\n"),
        ("mcp_servers = { x = { url = \"u\" } }\n", "mcp_servers = { x = { url = \"u\" }, ITEM }\n"),
    ] {
        check(Client::CODEX, TOML, Some(before), &after.replace("ITEM", inline));
    }
}

#[test]
fn an_older_path_is_updated_in_its_place() {
    let old = r#"{"hooks":{"PreToolUse":[{"matcher":"Write","hooks":[{"command":"'/old place/lispwright' hook claude-code --stats /s","type":"command","timeout":3}]}]},
 "mcpServers":{"lisp":{"env":{},"args":["mcp","--toolsets","all"],"command":"/old place/lispwright"}}}"#;
    let change = install(Some(old), BOTH, &entry(Client::CLAUDE_CODE)).unwrap();
    let text = change.text.unwrap();
    assert!(
        text.contains(r#""command":"lispwright hook claude-code --stats /s","type":"command","timeout":3}"#),
        "{text}"
    );
    assert!(text.contains(r#"["mcp","--toolsets","all"],"command":"lispwright"}"#), "{text}");
    assert_eq!(
        done(&FileChange { text: None, steps: change.steps }),
        [
            EntryResult::Updated { from: "/old place/lispwright".into() },
            EntryResult::Updated { from: "'/old place/lispwright' hook claude-code --stats /s".into() },
            EntryResult::Added
        ]
    );
    let codex = "[mcp_servers.lw] # mine\ncommand = '/old/lispwright' # here\nargs = ['mcp', '--read-only']\n";
    let change = install(Some(codex), TOML, &entry(Client::CODEX)).unwrap();
    assert_eq!(change.text.unwrap(), codex.replace("'/old/lispwright'", "\"lispwright\""));
}

#[test]
fn statistics_are_written_and_kept() {
    let with = Entry { client: Client::GEMINI, program: "/a b/lispwright", stats: Some("/s t"), skill: None };
    let first = install(None, HOOKS, &with).unwrap().text.unwrap();
    assert_eq!(first.matches(r#""'/a b/lispwright' hook gemini --stats '/s t'""#).count(), 2, "{first}");
    let again = install(Some(&first), HOOKS, &Entry { stats: None, ..with }).unwrap();
    assert_eq!((again.text.as_deref(), done(&again)), (Some(&*first), vec![EntryResult::Already; 2]));
}

#[test]
fn other_entries_with_our_name_are_left_alone() {
    let json = r#"{"mcpServers": {"lispwright": {"url": "http://localhost"}}}"#;
    let change = install(Some(json), SERVER, &entry(Client::GEMINI)).unwrap();
    assert_eq!((change.text.as_deref(), done(&change)), (Some(json), vec![EntryResult::Foreign]));
    let change = remove(json, SERVER, Client::GEMINI).unwrap();
    assert_eq!((change.text.as_deref(), done(&change)), (Some(json), vec![EntryResult::Foreign]));
    let toml = "[mcp_servers.lispwright]\nurl = \"http://localhost\"\n";
    let change = install(Some(toml), TOML, &entry(Client::CODEX)).unwrap();
    assert_eq!((change.text.as_deref(), done(&change)), (Some(toml), vec![EntryResult::Foreign]));
    let change = remove(toml, TOML, Client::CODEX).unwrap();
    assert_eq!((change.text.as_deref(), done(&change)), (Some(toml), vec![EntryResult::Foreign]));
}

#[test]
fn entries_of_others_beside_ours_stay() {
    // The client has written the file anew, and the user has added a hook to our group.
    let text = r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Write|Edit",
        "hooks": [
          {
            "type": "command",
            "command": "lispwright hook claude-code"
          },
          {
            "type": "command",
            "command": "mine"
          }
        ]
      }
    ],
    "PostToolUse": [
      {
        "hooks": [
          {
            "command": "/x/lispwright hook claude-code"
          }
        ]
      }
    ]
  },
  "mcpServers": {
    "lispwright": {
      "type": "stdio",
      "command": "lispwright",
      "args": [
        "mcp"
      ],
      "env": {}
    }
  }
}
"#;
    let kept = r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Write|Edit",
        "hooks": [
          {
            "type": "command",
            "command": "mine"
          }
        ]
      }
    ]
  }
}
"#;
    assert_eq!(remove(text, BOTH, Client::CLAUDE_CODE).unwrap().text.as_deref(), Some(kept));
    let toml = "# top\n[mcp_servers.lispwright]\ncommand = \"lispwright\"\nargs = [\n  \"mcp\",\n]\n# note\n\n[mcp_servers.lispwright.env]\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n\n[mcp_servers.lispwright.tools.eval]\nx = 1\n";
    let kept = "# top\n# note\n\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n\n";
    assert_eq!(remove(toml, TOML, Client::CODEX).unwrap().text.as_deref(), Some(kept));
    for (before, after) in [
        ("[mcp_servers]\nl = {command = \"lispwright\", args = [\"mcp\"]}\nx = 1\n", "[mcp_servers]\nx = 1\n"),
        ("mcp_servers.l.command = \"lispwright\"\nmcp_servers.l.args = [\"mcp\"] # c\nx = 1\n", "x = 1\n"),
        ("mcp_servers = {l = {command = \"lispwright\", args = [\"mcp\"]}, x = {}}", "mcp_servers = {x = {}}"),
    ] {
        assert_eq!(remove(before, TOML, Client::CODEX).unwrap().text.as_deref(), Some(after));
    }
}

#[test]
fn comments_of_the_user_stay_after_the_removal() {
    let text = "{\n  \"mcpServers\": {\n    // my servers\n    \"lispwright\": {\"command\": \"lispwright\", \"args\": [\"mcp\"]}\n  }\n}\n";
    let kept = "{\n  \"mcpServers\": {\n    // my servers\n  }\n}\n";
    assert_eq!(remove(text, SERVER, Client::GEMINI).unwrap().text.as_deref(), Some(kept));
}

#[test]
fn broken_files_are_refused_with_the_place() {
    let refused = |text: &str, parts: &[Part]| {
        let installing = install(Some(text), parts, &entry(Client::GEMINI)).unwrap_err();
        assert_eq!(remove(text, parts, Client::GEMINI).unwrap_err(), installing);
        installing.to_string()
    };
    assert_eq!(
        refused("{\n  \"a\": 1,\n  \"b\" 2\n}", BOTH),
        "line 3, column 7: Expected colon after the string or word in object property"
    );
    assert_eq!(refused("{\"a\": 1,}", BOTH), "line 1, column 8: Trailing commas are not allowed");
    let commented = install(Some("{} // mine"), HOOKS, &entry(Client::CLAUDE_CODE)).unwrap_err();
    assert_eq!(commented.to_string(), "line 1, column 4: Comments are not allowed");
    assert!(refused("{\"a\": 'x'}", BOTH).starts_with("line 1, column 7: "));
    assert!(refused("{\"a\": 1 \"b\": 2}", BOTH).starts_with("line 1, column "));
    assert!(refused("{} {}", BOTH).starts_with("line 1, column 4: "));
    assert!(refused(&"[".repeat(100_000), BOTH).contains("depth"));
    assert_eq!(refused("[]", SERVER), "line 1, column 1: the file should be an object, but something else is there");
    assert_eq!(
        refused("{\"mcpServers\": []}", SERVER),
        "line 1, column 16: `mcpServers` should be an object, but something else is there"
    );
    assert_eq!(
        refused("{\"hooks\": {\"BeforeTool\": {}}}", HOOKS),
        "line 1, column 26: `BeforeTool` should be an array, but something else is there"
    );
    assert!(refused("a = 1\na = 2\n", TOML).starts_with("line 2, column 1: "), "{}", refused("a = 1\na = 2\n", TOML));
    assert!(refused("[a\n", TOML).starts_with("line 1, column "));
    assert!(refused(&format!("a = {}", "[".repeat(100_000)), TOML).starts_with("line 1, column "));
    assert_eq!(
        refused("mcp_servers = 1\n", TOML),
        "line 1, column 15: `mcp_servers` should be a table, but something else is there"
    );
}

#[test]
fn an_entry_that_somebody_has_written_is_not_removed() {
    let kept = |more: &str| vec![EntryResult::Kept { more: more.to_owned() }];
    for (entry, more) in [
        (r#"{"command": "lispwright", "args": ["mcp", "--root", "/p"], "env": {}}"#, "--root, /p"),
        (r#"{"command": "lispwright", "args": ["mcp"], "env": {"A": "1"}, "timeout": 3}"#, "`env`, `timeout`"),
        (r#"{"type": "local", "command": ["lispwright", "mcp", "--read-only"]}"#, "--read-only"),
    ] {
        let text = format!("{{\"mcpServers\": {{\"lispwright\": {entry}}}}}");
        let change = remove(&text, SERVER, Client::CLAUDE_CODE).unwrap();
        assert_eq!((change.text.as_deref(), done(&change)), (Some(&*text), kept(more)), "{entry}");
        // Ours beside it goes.
        let ours = r#"{"command": "lispwright", "args": ["mcp"]}"#;
        let both = format!("{{\"mcpServers\": {{\"lispwright\": {entry}, \"l\": {ours}}}}}");
        assert_eq!(remove(&both, SERVER, Client::CLAUDE_CODE).unwrap().text.as_deref(), Some(&*text));
    }
    for (lines, more) in [
        ("args = [\"mcp\"]\nstartup_timeout_sec = 20\n", "`startup_timeout_sec`"),
        ("args = [\"mcp\", \"--read-only\"]\n\n[mcp_servers.lispwright.env]\nA = \"1\"\n", "`env`, --read-only"),
    ] {
        let text = format!("[mcp_servers.lispwright]\ncommand = \"lispwright\"\n{lines}");
        let change = remove(&text, TOML, Client::CODEX).unwrap();
        assert_eq!((change.text.as_deref(), done(&change)), (Some(&*text), kept(more)), "{lines}");
    }
}

fn client(name: &str) -> &'static Client {
    Client::from_name(name).unwrap()
}

const EXTENSION: &str = "lispwright:\n    enabled: true\n    type: stdio\n    name: lispwright\n    description: Read, edit and run Lisp\n    \
                         cmd: \"lispwright\"\n    args: [mcp]\n    envs: {}";
const ITEM: &str = "- name: lispwright\n    command: \"lispwright\"\n    args: [mcp]";

#[test]
fn a_yaml_file_gets_a_block_after_the_others() {
    let goose = client("goose");
    for before in ["", "# mine\n", "GOOSE_MODEL: m\n", "---\na: |\n  x: {\n\nb: \"é\"\n"] {
        check(goose, YAML, Some(before), &format!("{before}extensions:\n  {EXTENSION}\n"));
    }
    check(goose, YAML, Some("a: 1"), &format!("a: 1\nextensions:\n  {EXTENSION}"));
    let others = "extensions: # mine\n  dev:\n    enabled: true\n    # its end\n";
    let text = |ours: &str| format!("{others}{ours}\n  # the end\nGOOSE_MODEL: m # c\n");
    let with = text(&format!("  {EXTENSION}\n")).replacen("    # its end\n", "", 1);
    let with = with.replacen(&format!("  {EXTENSION}\n"), &format!("  {EXTENSION}\n    # its end\n"), 1);
    check(goose, YAML, Some(&text("")), &with);
    let crlf = "extensions:\r\n    dev: {enabled: true}\r\n";
    let wide = format!("{crlf}    {}\r\n", EXTENSION.replace("\n", "\r\n  "));
    check(goose, YAML, Some(crlf), &wide);

    let lists = client("continue");
    check(lists, YAML, Some("name: x\n"), &format!("name: x\nmcpServers:\n  {ITEM}\n"));
    for indent in ["", "  ", "      "] {
        let before = format!("name: x\nmcpServers:\n{indent}- name: y\n{indent}  command: z\n\nmodels: []\n");
        let ours = format!("{indent}{}\n", ITEM.replace("\n    ", &format!("\n{indent}  ")));
        check(lists, YAML, Some(&before), &before.replace("\n\nmodels", &format!("\n{ours}\nmodels")));
    }
}

#[test]
fn a_yaml_file_is_not_created_and_what_is_not_ours_stays() {
    let goose = client("goose");
    let change = install(None, YAML, &entry(goose)).unwrap();
    assert_eq!((change.text.as_deref(), done(&change)), (None, vec![EntryResult::Absent]));
    let old = "extensions:\n  lisp:\n    cmd: /old/lispwright\n    args:\n      - mcp\n    timeout: null\n";
    let change = install(Some(old), YAML, &entry(goose)).unwrap();
    assert_eq!(change.text, Some(old.replace("/old/lispwright", "\"lispwright\"")));
    assert_eq!(done(&change), [EntryResult::Updated { from: "/old/lispwright".to_owned() }]);
    assert_eq!(remove(&format!("a: 1\n{old}"), YAML, goose).unwrap().text.as_deref(), Some("a: 1\n"));
    let theirs = old.replace("lisp:", "lispwright:").replace("/old/lispwright", "other");
    for change in [install(Some(&theirs), YAML, &entry(goose)), remove(&theirs, YAML, goose)] {
        let change = change.unwrap();
        assert_eq!((change.text.as_deref(), done(&change)), (Some(&*theirs), vec![EntryResult::Foreign]));
    }
    let person = old.replace("null", "30");
    let change = remove(&person, YAML, goose).unwrap();
    let kept = vec![EntryResult::Kept { more: "`timeout`".to_owned() }];
    assert_eq!((change.text.as_deref(), done(&change)), (Some(&*person), kept));
    for odd in
        ["extensions: {}\n", "extensions:\n", "extensions: 3\n", "{a: 1}\n", "- a\n", "a: 1\n---\nb: 2\n", "  a: 1\n"]
    {
        let fault = install(Some(odd), YAML, &entry(goose)).unwrap_err().to_string();
        assert!(fault.contains("`extensions` is written in a way that cannot be edited safely"), "{odd}: {fault}");
        assert_eq!(remove(odd, YAML, goose).unwrap().text.as_deref(), Some(odd));
    }
    let broken = install(Some("a: [1\n"), YAML, &entry(goose)).unwrap_err().to_string();
    assert!(broken.starts_with("line "), "{broken}");
    assert!(install(Some(&"[".repeat(100_000)), YAML, &entry(goose)).is_err());
}
