//! `--sandbox` under attack: confined code tries to escape under each mechanism, as the user of the tests and, if that
//! is the superuser, also as nobody. `attacks.py` of `lispwright selftest` has the attacks; those that could not be tried are printed.

use std::fs;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{SocketAddr as UnixAddress, UnixDatagram, UnixListener};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command};

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::json;

use crate::client::{Client, binary, cache, server_command};
use crate::household::{Household, tested};
use crate::premises::{call, connect};
use crate::project::Project;

const ATTACKS: &str = include_str!("../../src/cli/attacks.py");

/// The user of the server: the user of the tests, or nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum User {
    Own,
    Nobody,
}

const NOBODY: u32 = 65534;

impl User {
    /// Whether a server can be started as this user.
    fn can_be(self) -> bool {
        let can = self == Self::Own || rustix::process::geteuid().is_root();
        if !can {
            tested("nothing as another user: only the superuser can become nobody");
        }
        can
    }

    fn run(self, command: &mut Command) -> &mut Command {
        if self == Self::Nobody {
            command.uid(NOBODY).gid(NOBODY).current_dir("/");
        }
        command
    }

    /// Gives a file to this user.
    fn own(self, path: &Path) {
        if self == Self::Nobody {
            std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
}

/// A process that ends when this is dropped.
struct Victim(Child);

impl Victim {
    fn new(user: User) -> Self {
        Self(user.run(Command::new("sleep").arg("1000")).spawn().unwrap())
    }

    fn lives(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// A server for `user` under `mechanism`, or `None` if that does not work.
fn server(project: Project, user: User, mechanism: &str) -> Option<Household> {
    let cache = if user == User::Own { cache() } else { project.beside("cache") };
    let temporary = project.beside("tmp");
    for directory in [&cache, &temporary, &project.root()] {
        fs::create_dir_all(directory).unwrap();
        user.own(directory);
    }
    // The user nobody can reach this directory as well.
    let copy = project.beside("lispwright");
    fs::copy(binary(), &copy).unwrap();
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(copy);
    command.args(["mcp", "--results", "structured", &format!("--sandbox={mechanism}"), "--root"]).arg(project.root());
    command.env("XDG_CACHE_HOME", &cache).env("TMPDIR", &temporary).env("HOME", project.beside("home"));
    user.run(&mut command);
    let mut household = Household::with(project, command);
    let status = household.call("repl_control", json!({ "action": "status" }));
    if status.fields["isolation"] == mechanism {
        return Some(household);
    }
    assert_eq!(status.fields["isolation"], "none-works", "{}", status.text);
    tested(&format!("nothing under {mechanism} as {user:?}, where it does not work: {}", status.text));
    None
}

fn attack(mechanism: &str, user: User) {
    if !user.can_be() {
        return;
    }
    let project = Project::new();
    let (outside, script) = (project.beside("outside"), project.beside("attacks.py"));
    fs::write(&outside, "untouched").unwrap();
    user.own(&outside);
    fs::write(&script, ATTACKS).unwrap();
    let local = |port| SocketAddr::from(([127, 0, 0, 1], port));
    let (tcp, udp) = (TcpListener::bind(local(0)).unwrap(), UdpSocket::bind(local(0)).unwrap());
    let path = project.beside("socket");
    let datagrams = project.beside("socket.datagrams");
    let (file, datagram) = (UnixListener::bind(&path).unwrap(), UnixDatagram::bind(&datagrams).unwrap());
    for socket in [&path, &datagrams] {
        fs::set_permissions(socket, fs::Permissions::from_mode(0o777)).unwrap();
    }
    let name = project.root().display().to_string();
    let abstract_ = UnixListener::bind_addr(&UnixAddress::from_abstract_name(&name).unwrap()).unwrap();
    let mut victim = Victim::new(user);
    let Some(mut household) = server(project, user, mechanism) else { return };

    let inside = household.project.at("inside");
    fs::write(&inside, "").unwrap();
    user.own(&inside);
    let metadata = if mechanism == "landlock" { "changes" } else { "stays" };
    let (tcp_port, udp_port) = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
    let arguments = [
        script.display().to_string(),
        household.client.pid().to_string(),
        victim.0.id().to_string(),
        tcp_port.to_string(),
        udp_port.to_string(),
        path.display().to_string(),
        name,
        outside.display().to_string(),
        inside.display().to_string(),
        metadata.to_owned(),
    ];
    let words = arguments.map(|word| format!("{word:?}")).join(" ");
    let code = format!(
        "(progn (uiop:run-program '(\"python3\" {words}) :output *standard-output* :error-output *standard-output*)
                nil)"
    );
    let answer = household.eval("main", &code);
    let said = answer.fields["stdout"].as_str().unwrap_or_else(|| panic!("{}", answer.text));
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.last(), Some(&"end"), "{mechanism} as {user:?}: {said}");
    let broken: Vec<&&str> = lines.iter().filter(|line| line.contains("BROKEN")).collect();
    assert!(broken.is_empty(), "{mechanism} as {user:?}: {broken:?}");
    let held = lines.iter().filter(|line| line.ends_with(" held")).count();
    assert!(held > 35, "{said}");
    tested(&format!("{mechanism} as {user:?}: {held} attacks held"));
    for absent in lines.iter().filter_map(|line| line.strip_suffix(" absent")) {
        tested(&format!("not {absent}: there is none to be reached under {mechanism} as {user:?}"));
    }
    assert_eq!(fs::read_to_string(&outside).unwrap(), "untouched");
    assert!(tcp.set_nonblocking(true).is_ok() && tcp.accept().is_err(), "nobody has come by TCP");
    assert!(file.set_nonblocking(true).is_ok() && file.accept().is_err(), "nor to the socket that is a file");
    assert!(abstract_.set_nonblocking(true).is_ok() && abstract_.accept().is_err(), "nor to the abstract one");
    for (nothing, way) in [
        (udp.set_nonblocking(true).is_ok() && udp.recv(&mut [0]).is_err(), "UDP"),
        (datagram.set_nonblocking(true).is_ok() && datagram.recv(&mut [0]).is_err(), "a pair of sockets"),
    ] {
        assert!(nothing, "something was sent by {way}");
    }

    // The server signals only its own workers, whatever number they report.
    let forged = format!(
        "(progn (lispwright.agent::send (list :forked :id lispwright.agent::*pending* :pid {}))
                (sb-sys:without-interrupts (loop)))",
        victim.0.id()
    );
    let trial = json!({ "code": forged, "trial": true, "timeout_seconds": 0.3 });
    let answer = household.call("repl_eval", trial);
    assert!(answer.is_error, "{}", answer.text);
    assert!(victim.lives(), "{mechanism} as {user:?}: the server has killed whom an image named");
}

#[test]
fn landlock_confines_the_user_of_the_tests() {
    attack("landlock", User::Own);
}

#[test]
fn landlock_confines_nobody() {
    attack("landlock", User::Nobody);
}

#[test]
fn namespaces_confine_the_user_of_the_tests() {
    attack("namespaces", User::Own);
}

#[test]
fn namespaces_confine_nobody() {
    attack("namespaces", User::Nobody);
}

#[test]
fn bubblewrap_confines_the_user_of_the_tests() {
    attack("bubblewrap", User::Own);
}

#[test]
fn bubblewrap_confines_nobody() {
    attack("bubblewrap", User::Nobody);
}

#[test]
fn a_named_root_inside_another_is_refused() {
    let project = Project::new();
    project.file("sub/a.lisp", "");
    let (outer, inner) = (project.root().canonicalize().unwrap(), project.at("sub").canonicalize().unwrap());
    for (first, second) in [(&outer, &inner), (&inner, &outer)] {
        let started = server_command(first).arg("--root").arg(second).arg("--sandbox").output().unwrap();
        let said = String::from_utf8(started.stderr).unwrap();
        assert_eq!(started.status.code(), Some(2), "{said}");
        let names = format!("the root {} lies in the root {},", inner.display(), outer.display());
        assert!(said.contains(&names) && said.contains("Give one of the two"), "{said}");
    }
}

#[test]
fn a_declared_root_inside_another_gives_no_access_outside_of_both() {
    for mechanism in ["landlock", "namespaces", "bubblewrap"] {
        let project = Project::new();
        let beside = project.beside("elsewhere");
        fs::create_dir(&beside).unwrap();
        project.file("sub/a.lisp", "");
        let sub = project.at("sub");
        let mut command = Command::new(binary());
        command.args(["mcp", "--results", "structured", &format!("--sandbox={mechanism}")]);
        command.current_dir(&beside).env("XDG_CACHE_HOME", cache());
        let (mut client, _) = connect(command, true);
        let mut eval = |session: &str, code: &str| {
            let arguments = json!({ "code": code, "runtime": "sbcl", "session": session, "timeout_seconds": 200 });
            call(&mut client, "repl_eval", arguments, &[&project.root(), &sub]).0
        };
        let sub = sub.display();
        let swap = format!(
            "(progn (rename-file \"{sub}\" \"{sub}-old\")
                    (uiop:run-program '(\"ln\" \"-s\" {:?} \"{sub}\")))",
            beside.display().to_string()
        );
        let swapped = eval("first", &swap);
        if swapped.fields["code"] == "RUNTIME_MISSING" {
            tested(&format!("nothing under {mechanism}: {}", swapped.text));
            continue;
        }
        assert!(!swapped.is_error, "{}", swapped.text);
        let write = format!("(with-open-file (s \"{sub}/x\" :direction :output) (print 1 s))");
        // The image of the second session may be the spare that was started before.
        for session in ["second", "third", "fourth"] {
            let answer = eval(session, &write);
            assert!(answer.is_error, "{mechanism}: {}", answer.text);
        }
        assert!(!beside.join("x").exists(), "{mechanism}");
    }
}

#[test]
fn a_root_that_was_replaced_is_not_written_to() {
    for mechanism in ["landlock", "namespaces", "bubblewrap"] {
        for by_a_link in [false, true] {
            let project = Project::new();
            let root = project.root();
            let mut household = Household::on(project, &[&format!("--sandbox={mechanism}")]);
            let status = household.call("repl_control", json!({ "action": "status" }));
            if status.fields["isolation"] != mechanism {
                tested(&format!("nothing under {mechanism}: {}", status.text));
                continue;
            }
            let moved = household.project.beside("moved");
            fs::rename(&root, &moved).unwrap();
            if by_a_link {
                std::os::unix::fs::symlink(&moved, &root).unwrap();
            } else {
                fs::create_dir(&root).unwrap();
            }
            let answer = household.eval("main", "1");
            assert!(answer.is_error && answer.text.contains("is not the directory any more"), "{}", answer.text);
        }
    }
}

#[test]
fn the_server_runs_and_removes_only_files_outside_of_the_roots() {
    for (variable, says) in [("XDG_CACHE_HOME", "the cache"), ("TMPDIR", "temporary files")] {
        let project = Project::new();
        let inside = project.at("inside");
        fs::create_dir(&inside).unwrap();
        let mut command = server_command(&project.root());
        command.arg("--sandbox").env(variable, &inside);
        let mut household = Household::with(project, command);
        let answer = household.eval("main", "1");
        assert!(answer.is_error && answer.text.contains(says), "{}", answer.text);
        assert!(answer.text.contains(&format!("set {variable} to")), "{}", answer.text);
    }
}

#[test]
fn no_program_of_a_root_is_run_outside_of_the_sandbox() {
    let project = Project::new();
    let marker = project.beside("ran");
    let path = project.file("bin/guile", format!("#!/bin/sh\necho guile >{:?}\n", marker.display().to_string()));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let bin = project.at("bin").display().to_string();
    let mut command = server_command(&project.root());
    command.arg("--sandbox").env("PATH", format!("{bin}:{}", std::env::var("PATH").unwrap()));
    let mut household = Household::with(project, command);
    let status = household.call("repl_control", json!({ "action": "status", "detail": true }));
    assert!(!marker.exists(), "{}", status.text);
    assert!(status.text.contains(&format!("Programs in {bin} are not run")), "{}", status.text);
}

#[test]
fn programs_outside_of_the_sandbox_get_no_root_in_their_environment() {
    let project = Project::new();
    let programs = project.beside("bin");
    fs::create_dir(&programs).unwrap();
    let heard = project.beside("heard").display().to_string();
    fs::write(programs.join("guile"), format!("#!/bin/sh\nenv >{heard:?}\npwd >>{heard:?}\n")).unwrap();
    fs::set_permissions(programs.join("guile"), fs::Permissions::from_mode(0o755)).unwrap();
    let (root, lib) = (project.root().display().to_string(), project.at("lib").display().to_string());
    let mut command = server_command(&project.root());
    command.arg("--sandbox").current_dir(project.root());
    command.env("PATH", format!("{}:{}", programs.display(), std::env::var("PATH").unwrap()));
    command.env("GUILE_LOAD_COMPILED_PATH", &lib).env("LD_LIBRARY_PATH", &lib).env("OTHER", "kept");
    let mut household = Household::with(project, command);
    household.call("repl_control", json!({ "action": "status" }));
    let said = fs::read_to_string(&heard).unwrap();
    assert!(said.contains("OTHER=kept") && said.lines().last() == Some("/"), "{said}");
    assert!(!said.contains(&root), "{said}");
    // An image gets the variables, but not the program that confines it.
    let told =
        household.eval("main", "(list (uiop:getenv \"LD_LIBRARY_PATH\") (uiop:getenv \"GUILE_LOAD_COMPILED_PATH\"))");
    assert!(told.text.starts_with(&format!("=> ({lib:?} {lib:?})")), "{}", told.text);
    for pid in household.processes() {
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        if name.trim() == "bwrap" {
            assert!(!environment.split(|byte| *byte == 0).any(|entry| entry.starts_with(b"LD_LIBRARY_PATH=")));
        }
    }
}

#[test]
fn no_server_is_joined_without_a_request() {
    let project = Project::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    project.file(".nrepl-port", listener.local_addr().unwrap().port().to_string());
    let programs = project.beside("bin");
    fs::create_dir(&programs).unwrap();
    let mut command = server_command(&project.root());
    // Without a JVM there is no server to start either.
    command.arg("--sandbox").env("PATH", &programs);
    let mut household = Household::with(project, command);
    let answer = household.call("repl_eval", json!({ "code": "1", "runtime": "clojure" }));
    assert!(answer.is_error, "{}", answer.text);
    assert!(listener.set_nonblocking(true).is_ok() && listener.accept().is_err(), "nobody has come");
}

#[test]
fn a_limit_on_files_does_not_end_the_server() {
    let project = Project::new();
    project.file("a.lisp", "(defun f () 1)\n");
    let mut household = Household::on(project, &[]);
    let process = Pid::from_raw(household.client.pid());
    let edit = json!({ "path": "a.lisp", "operation": "replace", "name": "f", "content": "(defun f () 2)" });
    // The first call is answered once everything is in place.
    household.call("lisp_read_form", json!({ "path": "a.lisp", "name": "f" }));
    let before = prlimit(process, Resource::Fsize, Rlimit { current: Some(0), maximum: None }).unwrap();
    let refused = household.call("lisp_edit_form", edit.clone());
    assert!(refused.is_error, "{}", refused.text);
    prlimit(process, Resource::Fsize, before).unwrap();
    let done = household.call("lisp_edit_form", edit);
    assert!(!done.is_error, "{}", done.text);
}

/// Only the superuser sees the environment of the server.
#[test]
fn the_server_keeps_its_environment_to_itself() {
    if rustix::process::geteuid().is_root() {
        tested("nothing: the superuser sees every environment");
        return;
    }
    let project = Project::new();
    let client = Client::connect(server_command(&project.root()));
    assert!(fs::read(format!("/proc/{}/environ", client.pid())).is_err());
}

#[test]
fn the_selftest_attacks_every_mechanism_that_works() {
    let output = Command::new(binary()).args(["selftest", "--sandbox", "--json"]).output().unwrap();
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mechanisms = said["mechanisms"].as_array().unwrap();
    let names: Vec<&str> = mechanisms.iter().map(|one| one["mechanism"].as_str().unwrap()).collect();
    assert_eq!(names, ["bubblewrap", "namespaces", "landlock"]);
    let mut works = false;
    for one in mechanisms {
        if one["works"] == false {
            tested(&format!("nothing under {}, where it does not work: {}", one["mechanism"], one["why"]));
            continue;
        }
        works = true;
        assert_eq!(one["broken"], json!([]), "{said}");
        let held = one["held"].as_array().unwrap();
        assert!(held.len() > 40 && held.contains(&json!("hidden")) && held.contains(&json!("tcp")), "{said}");
    }
    assert_eq!((said["holds"].as_bool(), output.status.success()), (Some(works), works), "{said}");
}
