//! Evaluation: round trips, and a fresh session up to its first value.

use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use crate::Setting;
use crate::client::Client;
use crate::peers::Peer;
use crate::table::{Row, median, milliseconds, times};

/// The number of round trips of one server before another takes its turn.
const CALLS: usize = 50;
const TURNS: usize = 10;

pub(crate) fn rows(setting: &Setting) -> Vec<Row> {
    let root = tempfile::tempdir().expect("a temporary folder");
    let (mut client, _) = Client::start(&setting.binary, root.path());
    let given = json!({"code": "(+ 1 2)", "timeout_seconds": 10});
    let default = json!({"code": "(+ 1 2)"});
    let (ours, swank) = in_turns(&mut client, &[given, default], Peer::swank(), 50);
    let [given, default] = ours[..] else { unreachable!("two were measured") };
    let baseline = |ours: f64| beside("SWANK on TCP", swank, ours);
    vec![
        Row {
            what: "eval `(+ 1 2)` on SBCL through the server, timeout given".into(),
            measured: milliseconds(given),
            baseline: baseline(given),
            elsewhere: "cl-mcp 51 ms, SWANK 0.18 ms",
            target: "under 0.2 ms",
            met: given < 0.0002,
        },
        Row {
            what: "the same with the default timeout".into(),
            measured: milliseconds(default),
            baseline: baseline(default),
            elsewhere: "cl-mcp 0.15 ms",
            target: "under 0.2 ms",
            met: default < 0.0002,
        },
        fresh(&mut client),
        first(setting),
        guile(&mut client),
        clojure(&mut client),
    ]
}

/// The seconds of evaluations with each of `arguments`, and of a peer's own, which take turns, so that other load on
/// the machine slows all of them. Each has made `warm` calls before.
fn in_turns(client: &mut Client, arguments: &[Value], mut peer: Option<Peer>, warm: usize) -> (Vec<f64>, Option<f64>) {
    let mut ours = vec![Vec::new(); arguments.len()];
    let mut theirs = Vec::new();
    for turn in 0..=TURNS {
        let calls = if turn == 0 { warm } else { CALLS };
        for (arguments, times) in arguments.iter().zip(&mut ours) {
            times.extend(client.time_calls(calls, "repl_eval", |_| arguments.clone()));
        }
        if let Some(peer) = &mut peer {
            theirs.extend((0..calls).map(|_| peer.eval("(+ 1 2)")));
        }
        if turn == 0 {
            ours.iter_mut().for_each(Vec::clear);
            theirs.clear();
        }
    }
    (ours.into_iter().map(median).collect(), peer.map(|_| median(theirs)))
}

/// The time of a server by itself, compared with the time through this program.
fn beside(name: &str, peer: Option<f64>, ours: f64) -> String {
    peer.map_or_else(
        || format!("{name} is not installed"),
        |peer| format!("{name} {}, {}", milliseconds(peer), times(peer, ours)),
    )
}

/// The same round trip to a server of Clojure's on a socket.
fn clojure(client: &mut Client) -> Row {
    let plus = json!({"code": "(+ 1 2)", "runtime": "clojure", "timeout_seconds": 10});
    // The JVM compiles frequent code.
    let (ours, peer) = in_turns(client, &[plus], Peer::nrepl(), 1000);
    Row {
        what: "eval `(+ 1 2)` on Clojure over nREPL through the server".into(),
        measured: milliseconds(ours[0]),
        baseline: beside("a plain client of nREPL, quick to acknowledge,", peer, ours[0]),
        elsewhere: "a plain nREPL client 44 ms",
        target: "under 1.5 ms",
        met: ours[0] < 0.0015,
    }
}

/// The same round trip to a session on Guile.
fn guile(client: &mut Client) -> Row {
    let plus = json!({"code": "(+ 1 2)", "runtime": "guile", "timeout_seconds": 10});
    let (ours, peer) = in_turns(client, &[plus], Peer::guile(), 50);
    Row {
        what: "eval `(+ 1 2)` on Guile through the server, timeout given".into(),
        measured: milliseconds(ours[0]),
        baseline: beside("Guile's REPL server", peer, ours[0]),
        elsewhere: "Guile's REPL server on a socket 1.1 ms",
        target: "under 0.3 ms",
        met: ours[0] < 0.0003,
    }
}

/// The first call of a server that has just started, which has no spare image yet: the image starts from the saved
/// core.
fn first(setting: &Setting) -> Row {
    let root = tempfile::tempdir().expect("a temporary folder");
    let seconds = (0..15).map(|_| {
        let (mut client, _) = Client::start(&setting.binary, root.path());
        let begin = Instant::now();
        client.call("repl_eval", &json!({"code": "(+ 1 2)"}));
        begin.elapsed().as_secs_f64()
    });
    let ours = median(seconds.collect());
    Row {
        what: "the same as the first call of a server, without a spare image".into(),
        measured: milliseconds(ours),
        baseline: "-".into(),
        elsewhere: "cl-mcp 1.5-2.6 s",
        target: "under 30 ms",
        met: ours < 0.03,
    }
}

/// A new session each time, up to its first value; the session is killed afterwards.
fn fresh(client: &mut Client) -> Row {
    let mut seconds = Vec::new();
    for index in 0..20 {
        let session = format!("fresh-{index}");
        // Gives the spare image time to be ready again, as for a user.
        client.time_calls(20, "repl_eval", |_| json!({"code": "(loop repeat 3000000)"}));
        let begin = Instant::now();
        client.call("repl_eval", &json!({"code": "(+ 1 2)", "session": session}));
        seconds.push(begin.elapsed().as_secs_f64());
        client.call("repl_control", &json!({"action": "kill", "session": session}));
    }
    let ours = median(seconds);
    let plain = median(
        (0..10)
            .map(|_| {
                let begin = Instant::now();
                let _ = Command::new("sbcl")
                    .args(["--noinform", "--no-sysinit", "--no-userinit", "--eval", "(print (+ 1 2))", "--quit"])
                    .output();
                begin.elapsed().as_secs_f64()
            })
            .collect(),
    );
    Row {
        what: "fresh SBCL session to first value, with the spare image that is kept".into(),
        measured: milliseconds(ours),
        baseline: format!("plain `sbcl --eval` {}, {}", milliseconds(plain), times(plain, ours)),
        elsewhere: "cl-mcp 1.5-2.6 s",
        target: "under 30 ms",
        met: ours < 0.03,
    }
}
