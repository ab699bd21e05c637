//! Unusual machines: programs with wrong names, low limits, secrets in the environment.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use serde_json::json;

use crate::client::{Client, Session, binary, cache, server_command};
use crate::project::Project;

const ALL: [&str; 4] = ["sbcl", "guile", "ecl", "clisp"];

/// `PATH` with a shell script called `name` in front.
fn path_with(project: &Project, name: &str, script: &str) -> String {
    let directory = project.beside("bin");
    std::fs::create_dir_all(&directory).unwrap();
    let program = directory.join(name);
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:{}", directory.display(), std::env::var("PATH").unwrap())
}

#[test]
fn a_program_with_a_wrong_name_is_detected() {
    let project = Project::new();
    let path = path_with(&project, "sbcl", "printf 'Lisp\\033[31m\\007 '; exec tr '\\0' x </dev/zero");
    let mut command = server_command(&project.root());
    command.env("PATH", path).env("XDG_CACHE_HOME", project.beside("cache"));
    let mut session = Session { client: Client::connect(command), project };
    let answer = session.client.call("repl_eval", json!({ "code": "1", "runtime": "sbcl" }));
    assert!(answer.is_error && answer.text.contains("not the program that it should be"), "{}", answer.text);
    // Its endless output is cut, and has no terminal escapes.
    for text in [answer.text, session.ok("repl_control", json!({ "action": "status" })).text] {
        assert!(text.len() < 3_000 && !text.contains(['\u{1b}', '\u{7}']), "{text:?}");
    }
}

#[test]
fn images_start_where_few_files_may_be_open() {
    let project = Project::new();
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 48; exec \"$0\" mcp --results structured --root \"$1\""]);
    command.arg(binary()).arg(project.root()).env("XDG_CACHE_HOME", cache());
    let mut session = Session { client: Client::connect(command), project };
    for runtime in ALL {
        let answer = session.ok("repl_eval", json!({ "code": "(+ 1 2)", "runtime": runtime }));
        assert!(answer.text.contains("=> 3"), "{runtime}: {}", answer.text);
        session.ok("repl_control", json!({ "action": "kill", "session": answer.fields["session"] }));
    }
}

#[test]
fn code_gets_no_credentials_in_its_environment() {
    let project = Project::new();
    let mut command = server_command(&project.root());
    for name in ["GITHUB_TOKEN", "PGPASSWORD", "SMTP_PASS", "MYSQL_PWD", "githubToken"] {
        command.env(name, "s3cr3t");
    }
    command.env("DATABASE_URL", "postgres://me:s3cr3t@db/shop").env("CACHE_URL", "redis://cache/1");
    let mut session = Session { client: Client::connect(command), project };
    for (runtime, code) in [
        (
            "sbcl",
            "(list (some (lambda (entry) (search \"s3cr3t\" entry)) (sb-ext:posix-environ)) (sb-posix:getenv \"CACHE_URL\"))",
        ),
        (
            "guile",
            "(list (or-map (lambda (entry) (string-contains entry \"s3cr3t\")) (environ)) (getenv \"CACHE_URL\"))",
        ),
        ("ecl", "(list (some (lambda (entry) (search \"s3cr3t\" entry)) (ext:environ)) (ext:getenv \"CACHE_URL\"))"),
        (
            "clisp",
            "(list (some (lambda (entry) (search \"s3cr3t\" (cdr entry))) (ext:getenv)) (ext:getenv \"CACHE_URL\"))",
        ),
    ] {
        let answer = session.ok("repl_eval", json!({ "code": code, "runtime": runtime }));
        let value = answer.fields["values"][0].as_str().unwrap().to_ascii_lowercase();
        assert!(["(nil \"redis://cache/1\")", "(#f \"redis://cache/1\")"].contains(&value.as_str()), "{}", answer.text);
    }
}
