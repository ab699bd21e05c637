//! Named tokens: given, shown in the transcript, read-only, revoked.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::client::{Client, PATIENCE, binary, cache, server_command, state};
use crate::http::{Head, Request};
use crate::network::{Served, admitted, called, lines};
use crate::project::Project;
use crate::socket::{Socket, call, initialize, text};

/// Runs `lispwright token`: its exit code, standard output and standard error.
fn token(project: &Project, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(binary());
    command.arg("token").args(arguments).arg("--token-file").arg(project.beside("token"));
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// A token for a client of this name.
fn add(project: &Project, arguments: &[&str]) -> String {
    let (code, token, said) = token(project, &[&["add"], arguments].concat());
    assert_eq!(code, Some(0), "{said}");
    token.strip_suffix('\n').unwrap().to_owned()
}

fn clients(project: &Project) -> PathBuf {
    project.beside("token.clients")
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// The head and the body of a request by itself with this token.
fn asked(http: u16, token: &str, message: &Value) -> (Head, Value) {
    let mut socket = Socket::connect(http);
    let head = socket.request(&admitted(token, Request::modern(message)));
    let (answer, _) = socket.answer_in(&head);
    (head, answer)
}

fn list() -> Value {
    json!({ "jsonrpc": "2.0", "id": "list", "method": "tools/list", "params": {} })
}

/// The names of the tools that a client with this token is offered.
fn offered(http: u16, token: &str) -> Vec<String> {
    let (_, answer) = asked(http, token, &list());
    let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_token_is_shown_once_and_its_digest_is_kept_for_its_owner_alone() {
    let project = Project::new();
    let (code, shown, said) = token(&project, &["add", "ci", "--read-only"]);
    let ci = shown.trim();
    assert!(code == Some(0) && ci.len() == 64 && ci.bytes().all(|digit| digit.is_ascii_hexdigit()), "{shown} {said}");
    assert!(said.contains("`ci`") && said.contains("run no code") && !said.contains(ci), "{said}");
    let kept = fs::read_to_string(clients(&project)).unwrap();
    assert!(!kept.contains(ci) && kept.contains("\nci read-only sha256:"), "{kept}");
    assert_eq!(mode(&clients(&project)), 0o600);
    let dev = add(&project, &["dev"]);
    assert!(dev != ci && mode(&clients(&project)) == 0o600);
    let (code, told, _) = token(&project, &["list"]);
    assert!(
        code == Some(0) && told.contains("ci   read-only  since 20") && told.contains("dev  all tools  since 20"),
        "{told}"
    );
    assert!(!told.contains(ci) && !told.contains(&dev), "{told}");
    let (_, told, _) = token(&project, &["list", "--json"]);
    let told: Value = serde_json::from_str(&told).unwrap();
    let names: Vec<_> =
        told["tokens"].as_array().unwrap().iter().map(|one| (&one["name"], &one["read_only"])).collect();
    assert_eq!(names, [(&json!("ci"), &json!(true)), (&json!("dev"), &json!(false))]);
    let (_, told, _) = token(&project, &["add", "third", "--json"]);
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!((&told["name"], told["token"].as_str().map(str::len)), (&json!("third"), Some(64)));
}

#[test]
fn names_are_plain_and_each_is_there_once() {
    let project = Project::new();
    let (code, told, _) = token(&project, &["list"]);
    assert!(code == Some(0) && told.contains("no named token") && told.contains("token add NAME"), "{told}");
    let (code, _, said) = token(&project, &["revoke", "ci"]);
    assert!(code == Some(1) && said.contains("no token `ci`") && !clients(&project).exists(), "{said}");
    for name in ["", "a b", "a/b", "é", ".a", "owner", "Owner", "a\nb", &"x".repeat(65)] {
        let (code, told, said) = token(&project, &["add", name]);
        assert!(code == Some(2) && told.is_empty() && said.contains("name"), "{name}: {said}");
    }
    add(&project, &["claude-code.2"]);
    let before = fs::read(clients(&project)).unwrap();
    for name in ["claude-code.2", "Claude-Code.2"] {
        let (code, told, said) = token(&project, &["add", name]);
        assert!(code == Some(1) && told.is_empty() && said.contains("token revoke claude-code.2"), "{said}");
    }
    let (code, _, said) = token(&project, &["revoke", "claude-code.3"]);
    assert!(code == Some(1) && said.contains("did you mean `claude-code.2`?"), "{said}");
    assert_eq!(fs::read(clients(&project)).unwrap(), before);
    let (code, told, _) = token(&project, &["revoke", "claude-code.2"]);
    assert!(code == Some(0) && told.contains("Images"), "{told}");
    assert!(token(&project, &["list"]).1.contains("no named token"));
    add(&project, &["claude-code.2"]);
}

#[test]
fn processes_that_add_at_once_lose_nothing() {
    let project = Project::new();
    let names: Vec<String> = (0..12).map(|number| format!("client-{number}")).collect();
    std::thread::scope(|scope| {
        for name in &names {
            let project = &project;
            scope.spawn(move || add(project, &[name]));
        }
    });
    let (_, told, _) = token(&project, &["list"]);
    assert!(told.lines().count() == 12 && names.iter().all(|name| told.contains(&format!("{name} "))), "{told}");
    assert_eq!(mode(&clients(&project)), 0o600);
    std::thread::scope(|scope| {
        for name in &names[1..] {
            let project = &project;
            scope.spawn(move || token(project, &["revoke", name]));
        }
    });
    let (_, told, _) = token(&project, &["list"]);
    assert!(told.starts_with("client-0  all tools") && told.lines().count() == 1, "{told}");
}

#[test]
fn a_damaged_file_is_told_by_its_line_and_admits_nobody() {
    let served = Served::start(&[]);
    let (http, project) = (served.http, &served.project);
    let dev = add(project, &["dev"]);
    let gone = add(project, &["gone"]);
    token(project, &["revoke", "gone"]);
    assert_eq!(asked(http, &dev, &list()).0.status, 200);
    let whole = fs::read_to_string(clients(project)).unwrap();
    let (_, unknown) = asked(http, &"0".repeat(64), &list());
    for damaged in
        [whole.replace("all-tools", "read-onyl"), whole[..whole.len() - 60].to_owned(), format!("{whole}{whole}")]
    {
        fs::write(clients(project), damaged).unwrap();
        // Nobody learns from a refusal which names there are, or that something is wrong.
        for refused in [&dev, &gone] {
            let (head, answer) = asked(http, refused, &list());
            assert_eq!((head.status, &answer), (401, &unknown));
        }
        assert_eq!(asked(http, &served.token, &list()).0.status, 200);
        for arguments in [&["list"][..], &["add", "other"], &["revoke", "dev"]] {
            let (code, told, said) = token(project, arguments);
            assert!(code == Some(2) && told.is_empty() && said.contains("token.clients:"), "{said}");
            assert!(said.contains("correct or remove the line"), "{said}");
        }
        let mut command = server_command(&project.root());
        command.args(["--transport", "http", "--listen", "127.0.0.1:0", "--token-file"]).arg(project.beside("token"));
        let output = command.stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains("token.clients:"), "{said}");
    }
    fs::write(clients(project), &whole).unwrap();
    assert_eq!(asked(http, &dev, &list()).0.status, 200);
    fs::set_permissions(clients(project), fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(asked(http, &dev, &list()).0.status, 401);
    let (code, _, said) = token(project, &["list"]);
    assert!(code == Some(2) && said.contains("chmod 600"), "{said}");
}

#[test]
fn a_revoked_token_ends_all_that_its_client_has_open() {
    let served = Served::start(&[]);
    let (http, project) = (served.http, &served.project);
    let [dev, other] = ["dev", "other"].map(|name| add(project, &[name]));
    let define = json!({ "code": "(defvar *kept* 41)", "session": "shared" });
    assert!(!called(http, &dev, "repl_eval", define).is_error);
    let open = |token: &str| {
        let mut socket = Socket::connect(http);
        let (head, _) = socket.exchange(&admitted(token, Request::post(initialize(None).to_string())));
        head.header("mcp-session-id").unwrap().to_owned()
    };
    let (session, others) = (open(&dev), open(&other));
    let ping = json!({ "jsonrpc": "2.0", "id": "ping", "method": "ping" });
    let pinged = |token: &str, session: &str| {
        Socket::connect(http).exchange(&admitted(token, Request::legacy(session, &ping))).0.status
    };
    assert_eq!([pinged(&dev, &session), pinged(&other, &others)], [200, 200]);
    // A session is of the token that has begun it.
    assert_eq!([pinged(&other, &session), pinged(&served.token, &session), pinged(&dev, &others)], [404; 3]);
    let delete = admitted(&other, Request::new("DELETE").with("Mcp-Session-Id", &session));
    assert_eq!(Socket::connect(http).exchange(&delete).0.status, 404);

    let started = ["one", "two"].map(|name| project.beside(name));
    let stuck = |at: usize| {
        let code = format!("(progn (open {:?} :direction :probe :if-does-not-exist :create) (loop))", started[at]);
        call(at, "repl_eval", json!({ "code": code, "session": format!("stuck-{at}") }))
    };
    let listen = Request::new("GET").with("Mcp-Session-Id", &session).with("Accept", "text/event-stream");
    let requests = [
        admitted(&dev, Request::legacy(&session, &stuck(0))),
        admitted(&dev, Request::modern(&stuck(1))),
        admitted(&dev, listen),
    ];
    let mut streams = requests.map(|request| {
        let mut socket = Socket::connect(http);
        let head = socket.request(&request);
        assert_eq!(head.status, 200);
        (socket, head)
    });
    let mut kept_open = Socket::connect(http);
    assert_eq!(kept_open.exchange(&admitted(&dev, Request::legacy(&session, &ping))).0.status, 200);
    let mut line = Socket::connect(served.tcp);
    assert!(line.initialize(Some(&dev))["result"].is_object());
    let mut others_line = Socket::connect(served.tcp);
    assert!(others_line.initialize(Some(&other))["result"].is_object());
    let deadline = Instant::now() + PATIENCE;
    while !started.iter().all(|path| path.exists()) {
        assert!(Instant::now() < deadline, "the code does not run");
        std::thread::yield_now();
    }

    assert_eq!(token(project, &["revoke", "dev"]).0, Some(0));
    // The very next requests are refused, in sessions and outside.
    let (head, answer) = asked(http, &dev, &list());
    assert!(head.status == 401 && !answer.to_string().contains("dev"), "{answer}");
    assert_eq!(pinged(&dev, &session), 401);
    // A connection that is kept open keeps no place.
    let head = kept_open.request(&admitted(&dev, Request::legacy(&session, &ping)));
    assert_eq!((head.status, head.header("connection")), (401, Some("close")));
    kept_open.body(&head);
    assert_eq!(kept_open.rest(), "");
    // What was open ends, also of those that say nothing.
    for (socket, head) in &mut streams {
        socket.body(head);
    }
    let said = line.rest();
    assert!(said.contains("the token of this connection was revoked"), "{said}");
    // Others go on, and so do the images, whose calls were cancelled.
    assert_eq!([pinged(&other, &others), pinged(&served.token, &session)], [200, 404]);
    assert!(others_line.ask(&ping)["result"].is_object());
    assert_eq!(
        called(http, &other, "repl_eval", json!({ "code": "(1+ *kept*)", "session": "shared" })).fields["values"],
        json!(["42"])
    );
    for session in ["stuck-0", "stuck-1"] {
        let answer = served.call("repl_eval", json!({ "code": "(+ 40 2)", "session": session }));
        assert!(answer.text.contains("42"), "{}", answer.text);
    }
}

#[test]
fn a_read_only_token_reads_and_does_nothing_else() {
    let served = Served::start(&["--toolsets", "all"]);
    let (http, project) = (served.http, &served.project);
    project.file("a.lisp", "(defun f (x) (* 2 x))\n(defun g () (f 1))\n");
    project.file("broken.lisp", "(defun h (x\n");
    let [reader, dev] = [&["ci", "--read-only"][..], &["dev"]].map(|arguments| add(project, arguments));
    let all = offered(http, &served.token);
    assert_eq!(offered(http, &dev), all);
    let may = offered(http, &reader);
    let (_, answer) = asked(http, &reader, &list());
    for tool in answer["result"]["tools"].as_array().unwrap() {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
    }
    // Others may have other tools.
    assert_eq!(answer["result"]["cacheScope"], "private");
    let before = project.snapshot();
    // Every tool that is not among them, of each class: it writes, it runs code, it looks into an image, it sets the root.
    let mut refused = 0;
    for tool in all.iter().filter(|tool| !may.contains(tool)) {
        let given = json!({ "path": "a.lisp", "name": "f", "symbol": "f", "code": "(f 1)", "operation": "delete", "content": "x" });
        let (head, answer) = asked(http, &reader, &call(1, tool, given));
        let why = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{tool}: {answer}"));
        assert_eq!((head.status, &answer["error"]["code"]), (200, &json!(-32602)), "{answer}");
        assert!(why.contains("read-only") && why.contains("lispwright token add NAME"), "{tool}: {why}");
        refused += 1;
    }
    for class in [
        "lisp_edit_form",
        "fs_write_file",
        "repl_eval",
        "run_tests",
        "code_describe",
        "fs_set_project_root",
        "lisp_undo",
    ] {
        assert!(all.iter().any(|tool| tool == class) && !may.iter().any(|tool| tool == class), "{class}: {may:?}");
    }
    assert!(refused > 20 && may.len() > 8, "{refused} {may:?}");
    // Other spellings and other names of them lead nowhere else.
    for alias in ["repl-eval", "lisp-edit-form", "eval_lisp"] {
        let (_, answer) = asked(http, &reader, &call(1, alias, json!({ "code": "(f 1)" })));
        assert!(answer["error"].is_object(), "{alias}: {answer}");
    }
    // Those that it has are called with all that could do more.
    for tool in &may {
        let given = json!({
            "path": "a.lisp", "name": "f", "symbol": "f", "pattern": "f", "fix": true, "write": true, "repair": true,
            "verify": "tests", "load": true, "session": "main", "code": "(f 1)"
        });
        let (head, answer) = asked(http, &reader, &call(1, tool, given));
        assert!(head.status == 200 && answer["result"].is_object(), "{tool}: {answer}");
    }
    let broken = called(http, &reader, "lisp_check_parens", json!({ "path": "broken.lisp" }));
    assert!(broken.text.contains("broken.lisp"), "{}", broken.text);
    assert_eq!(project.snapshot(), before);
    let status = served.call("repl_control", json!({ "action": "status" }));
    assert_eq!(status.fields["sessions"], json!([]), "{}", status.text);
    // The same in a session, and over TCP; and a session of somebody else gives no more.
    let begin = |token: &str| {
        let (head, _) = Socket::connect(http).exchange(&admitted(token, Request::post(initialize(None).to_string())));
        head.header("mcp-session-id").unwrap().to_owned()
    };
    let eval = call(1, "repl_eval", json!({ "code": "(+ 1 2)" }));
    let in_session =
        |token: &str, session: &str| Socket::connect(http).exchange(&admitted(token, Request::legacy(session, &eval)));
    let (head, answer) = in_session(&reader, &begin(&reader));
    assert!(head.status == 200 && answer["error"]["message"].as_str().unwrap().contains("read-only"), "{answer}");
    assert_eq!(in_session(&reader, &begin(&served.token)).0.status, 404);
    let mut line = Socket::connect(served.tcp);
    let mut hello = initialize(Some(&reader));
    hello["params"]["capabilities"] = json!({ "roots": {} });
    assert!(line.ask(&hello)["result"].is_object());
    assert!(line.ask(&eval)["error"]["message"].as_str().unwrap().contains("read-only"));
    let read = line.ask(&call(2, "lisp_read_form", json!({ "path": "a.lisp", "name": "f" })));
    assert!(text(&read).contains("(* 2 x)"), "{read}");
    assert!(in_session(&dev, &begin(&dev)).1["result"].is_object());
}

#[test]
fn a_transcript_tells_whose_token_a_call_has_shown() {
    let project = Project::new();
    let transcript = project.beside("transcript.lisp");
    let served = Served::start(&["--transcript", transcript.to_str().unwrap()]);
    served.project.file("a.lisp", "(defun f () 1)\n");
    let [ci, dev] = [&["ci", "--read-only"][..], &["dev"]].map(|arguments| add(&served.project, arguments));
    called(served.http, &dev, "repl_eval", json!({ "code": "(list :of-dev)" }));
    served.call("repl_eval", json!({ "code": "(list :of-owner)" }));
    called(served.http, &ci, "lisp_read_form", json!({ "path": "a.lisp", "name": "f" }));
    let Served { client, token, .. } = served;
    assert!(client.finish().success());
    let written = fs::read_to_string(&transcript).unwrap();
    assert!(written.contains("  [dev] t 1  main (sbcl)\n(list :of-dev)\n"), "{written}");
    assert!(written.contains("  t 1  main (sbcl)\n(list :of-owner)\n"), "{written}");
    assert!(written.contains(" ms, [ci]; a.lisp f\n"), "{written}");
    for secret in [&ci, &dev, &token] {
        assert!(!written.contains(secret.as_str()), "{written}");
    }
    let cost = Command::new(binary()).args(["cost", "--json"]).arg(&transcript).output().unwrap();
    let cost: Value = serde_json::from_slice(&cost.stdout).unwrap();
    let calls: Vec<_> = cost["clients"].as_array().unwrap().iter().map(|one| (&one["client"], &one["calls"])).collect();
    assert_eq!(calls, [(&Value::Null, &json!(1)), (&json!("ci"), &json!(1)), (&json!("dev"), &json!(1))], "{cost}");
}

#[test]
fn a_client_that_may_only_read_does_not_choose_the_root() {
    let project = Project::new();
    project.file("a.lisp", "(defun f () 1)\n");
    let reader = add(&project, &["ci", "--read-only"]);
    let worker = add(&project, &["dev"]);
    for (token, is_asked) in [(reader, false), (worker, true)] {
        let mut command = Command::new(binary());
        command.stderr(Stdio::piped());
        command.args(["mcp", "--transport", "tcp", "--listen", "127.0.0.1:0", "--token-file"]);
        command.arg(project.beside("token")).current_dir(project.root());
        command.env("XDG_STATE_HOME", state()).env("XDG_CACHE_HOME", cache());
        for variable in ["LISPWRIGHT_ROOT", "MCP_PROJECT_ROOT", "CLAUDE_PROJECT_DIR"] {
            command.env_remove(variable);
        }
        let mut server = Client::spawn(command);
        let said = lines(server.stderr());
        let line: Value = serde_json::from_str(&said.recv_timeout(PATIENCE).unwrap()).unwrap();
        let mut line = Socket::connect(u16::try_from(line["port"].as_u64().unwrap()).unwrap());
        let mut hello = initialize(Some(&token));
        hello["params"]["capabilities"] = json!({ "roots": {} });
        assert!(line.ask(&hello)["result"].is_object());
        line.send(&call(1, "lisp_read_file", json!({ "path": "a.lisp" })));
        let first = line.line().unwrap();
        assert_eq!(first["method"] == "roots/list", is_asked, "{first}");
    }
}
