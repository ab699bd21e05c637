//! Images on another machine: behind `ssh` to a server of this test on the loopback interface.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, geteuid, kill_process};
use serde_json::{Value, json};

use crate::client::{Answer, Client, server_command};
use crate::household::{comes, numbers_in, tested};
use crate::project::Project;

/// The program of the server, which has to be started by its whole path.
const SSHD: &str = "/usr/sbin/sshd";

/// A server of ssh that lets in whoever runs the test, and a launcher that goes there.
struct Host {
    sshd: Child,
    launcher: String,
}

impl Host {
    /// Starts a server whose keys are beside the project; `None` where none is installed.
    fn start(project: &Project) -> Option<Self> {
        let has = |program: &str| Command::new(program).arg("-V").stderr(Stdio::null()).status().is_ok();
        if !Path::new(SSHD).exists() || !has("ssh") {
            tested("nothing, for openssh-server and openssh-client are not installed");
            return None;
        }
        let at = |name: &str| project.beside(name).display().to_string();
        for key in ["host-key", "user-key"] {
            let mut keygen = Command::new("ssh-keygen");
            assert!(keygen.args(["-q", "-t", "ed25519", "-N", "", "-f", &at(key)]).status().unwrap().success());
        }
        let directory = Path::new("/run/sshd");
        if geteuid().is_root() && !directory.exists() {
            fs::create_dir(directory).unwrap();
            fs::set_permissions(directory, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let config = at("sshd_config");
        let log = at("sshd.log");
        // Another process may take the port before the server does.
        for _ in 0..10 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let lines = format!(
                "Port {port}\nListenAddress 127.0.0.1\nHostKey {}\nAuthorizedKeysFile {}\nStrictModes no\nUsePAM no\n\
                 PasswordAuthentication no\nPidFile none\nMaxStartups 100\n",
                at("host-key"),
                at("user-key.pub")
            );
            fs::write(&config, lines).unwrap();
            let mut sshd = Command::new(SSHD).args(["-D", "-f", &config, "-E", &log]).spawn().unwrap();
            let listens = || fs::read_to_string(&log).is_ok_and(|log| log.contains(&format!("port {port}.")));
            if comes(|| listens() || numbers_in(&format!("/proc/{}/task", sshd.id())).is_empty()) && listens() {
                let launcher = format!(
                    "ssh -T -F none -i {} -p {port} -o BatchMode=yes -o LogLevel=ERROR -o StrictHostKeyChecking=no \
                     -o UserKnownHostsFile=/dev/null 127.0.0.1",
                    at("user-key")
                );
                return Some(Self { sshd, launcher });
            }
            let _ = sshd.kill();
            sshd.wait().unwrap();
        }
        panic!("the server of ssh does not start: {}", fs::read_to_string(&log).unwrap_or_default());
    }

    /// The processes that serve its connections: those of its name below it.
    fn connections(&self) -> Vec<Pid> {
        let is_below = |pid: i32| {
            std::iter::successors(Some(pid), |pid| parent(*pid)).any(|pid| pid.cast_unsigned() == self.sshd.id())
        };
        let serves = |pid: &i32| {
            let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            name.starts_with("sshd") && pid.cast_unsigned() != self.sshd.id() && is_below(*pid)
        };
        numbers_in("/proc").into_iter().filter(serves).filter_map(Pid::from_raw).collect()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        for connection in self.connections() {
            let _ = kill_process(connection, Signal::KILL);
        }
        let _ = self.sshd.kill();
        let _ = self.sshd.wait();
    }
}

fn parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok().filter(|parent| *parent > 0)
}

/// The clients of ssh that a server has started.
fn links(server: i32) -> Vec<Pid> {
    let is_link = |pid: &i32| {
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        name.trim() == "ssh" && std::iter::successors(Some(*pid), |pid| parent(*pid)).any(|pid| pid == server)
    };
    numbers_in("/proc").into_iter().filter(is_link).filter_map(Pid::from_raw).collect()
}

/// Code for a runtime: its process number, a loop without end, a definition, the defined value, the directory.
const LISPS: [(&str, [&str; 5]); 2] = [
    ("sbcl", ["(sb-posix:getpid)", "(loop)", "(defvar *kept* 42)", "*kept*", "(truename \".\")"]),
    ("guile", ["(getpid)", "(let loop () (loop))", "(define kept 42)", "kept", "(getcwd)"]),
];

fn eval(client: &mut Client, runtime: &str, code: &str, seconds: f64) -> Answer {
    client.call("repl_eval", arguments(runtime, code, seconds))
}

fn arguments(runtime: &str, code: &str, seconds: f64) -> Value {
    json!({ "code": code, "runtime": runtime, "session": runtime, "timeout_seconds": seconds })
}

/// The number of the image's process, on the other machine, which is this one.
#[track_caller]
fn pid(client: &mut Client, runtime: &str, code: &str) -> i32 {
    let answer = eval(client, runtime, code, 100.0);
    answer.fields["values"][0]
        .as_str()
        .and_then(|number| number.parse().ok())
        .unwrap_or_else(|| panic!("{}", answer.text))
}

#[track_caller]
fn assert_gone(pid: i32) {
    assert!(comes(|| !Path::new(&format!("/proc/{pid}")).exists()), "the image {pid} is left on the other machine");
}

#[test]
fn images_run_behind_ssh() {
    let project = Project::new();
    project.file("a.lisp", "(defun area (r) (* 3 r r))\n");
    let Some(host) = Host::start(&project) else { return };
    let mut command = server_command(&project.root());
    command.args(["--launcher", &host.launcher]);
    let mut client = Client::connect(command);
    for (runtime, [_, endless, define, kept, directory]) in LISPS {
        let defined = eval(&mut client, runtime, define, 100.0);
        assert!(!defined.is_error, "{}", defined.text);
        let stopped = eval(&mut client, runtime, endless, 0.5);
        assert_eq!(stopped.fields["execution_status"], "interrupted", "{}", stopped.text);
        let kept = eval(&mut client, runtime, kept, 100.0);
        assert_eq!(kept.fields["values"], json!(["42"]), "{}", kept.text);
        let directory = eval(&mut client, runtime, directory, 100.0);
        assert!(directory.text.contains(project.root().to_str().unwrap()), "{}", directory.text);
    }
    let loaded = client.call("load_system", json!({ "path": "a.lisp", "session": "sbcl" }));
    assert!(!loaded.is_error, "{}", loaded.text);
    assert!(eval(&mut client, "sbcl", "(area 2)", 100.0).text.contains("=> 12"));
    let status = client.call("repl_control", json!({ "action": "status", "detail": true }));
    assert!(status.text.contains("Launched by: ssh -T"), "{}", status.text);
    assert!(client.finish().success());
}

#[test]
fn a_dead_link_is_a_lost_session() {
    let project = Project::new();
    let Some(host) = Host::start(&project) else { return };
    let mut command = server_command(&project.root());
    command.args(["--launcher", &host.launcher]);
    let mut client = Client::connect(command);
    for (runtime, [number, endless, ..]) in LISPS {
        // The link breaks while code runs.
        let image = pid(&mut client, runtime, number);
        let started = project.beside(&format!("{runtime}-runs"));
        let touch = match runtime {
            "sbcl" => format!("(open {started:?} :direction :probe :if-does-not-exist :create)"),
            _ => format!("(close (open-output-file {started:?}))"),
        };
        let code = format!("{touch} {endless}");
        let call =
            client.start("tools/call", json!({ "name": "repl_eval", "arguments": arguments(runtime, &code, 600.0) }));
        assert!(comes(|| started.exists()), "the code does not run");
        for link in links(client.pid()) {
            kill_process(link, Signal::KILL).unwrap();
        }
        let answer = Answer::of(&client.answer_to(call));
        assert_eq!(answer.fields["code"], "SESSION_LOST", "{}", answer.text);
        assert_gone(image);
        // It is silent, as when a cable is pulled.
        let image = pid(&mut client, runtime, number);
        let connections = host.connections();
        assert!(!connections.is_empty());
        for connection in &connections {
            kill_process(*connection, Signal::STOP).unwrap();
        }
        let answer = eval(&mut client, runtime, number, 0.5);
        assert_eq!(answer.fields["code"], "SESSION_LOST", "{}", answer.text);
        assert!(answer.text.contains("The next call starts a fresh image"), "{}", answer.text);
        for connection in connections {
            // It may have ended with its client.
            let _ = kill_process(connection, Signal::CONT);
        }
        assert_gone(image);
        let image = pid(&mut client, runtime, number);
        assert!(!client.call("repl_control", json!({ "action": "kill", "session": runtime })).is_error);
        assert_gone(image);
    }
}

#[test]
fn images_behind_ssh_end_with_a_killed_server() {
    let project = Project::new();
    let Some(host) = Host::start(&project) else { return };
    let mut command = server_command(&project.root());
    command.args(["--launcher", &host.launcher]);
    let mut client = Client::connect(command);
    let images = LISPS.map(|(runtime, [number, ..])| pid(&mut client, runtime, number));
    client.start("tools/call", json!({ "name": "repl_eval", "arguments": arguments("sbcl", "(loop)", 600.0) }));
    client.kill();
    images.into_iter().for_each(assert_gone);
}
