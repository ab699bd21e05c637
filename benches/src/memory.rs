//! The memory of the server and its images: proportional set size, which counts shared pages by their share.

use std::fs;

use serde_json::json;

use crate::Setting;
use crate::client::Client;
use crate::table::Row;

pub(crate) fn rows(setting: &Setting) -> Vec<Row> {
    let root = tempfile::tempdir().expect("a temporary folder");
    let (mut client, _) = Client::start(&setting.binary, root.path());
    let server = client.pid();
    let idle = pss(server);
    for session in ["one", "two", "three", "four"] {
        client.call("repl_eval", &json!({"code": "(+ 1 2)", "session": session}));
    }
    let workers: Vec<f64> = descendants(server).into_iter().map(pss).filter(|&size| size > 1.0).collect();
    let each = workers.iter().sum::<f64>() / workers.len().max(1) as f64;
    vec![
        Row {
            what: "memory of the idle server (PSS)".into(),
            measured: format!("{idle:.1} MB"),
            baseline: "-".into(),
            elsewhere: "cl-mcp 118 MB",
            target: "under 15 MB",
            met: idle < 15.0,
        },
        Row {
            what: format!("memory of each SBCL image, {} running (PSS)", workers.len()),
            measured: format!("{each:.1} MB"),
            baseline: "-".into(),
            elsewhere: "cl-mcp 84 MB",
            target: "under 40 MB",
            met: each < 40.0,
        },
    ]
}

/// Megabytes of a process by `smaps_rollup`.
pub(crate) fn pss(pid: u32) -> f64 {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").trim().parse::<f64>().ok())
        .map_or(0.0, |kb| kb * 1024.0 / 1e6)
}

/// Every process below `pid`.
pub(crate) fn descendants(pid: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let mut open = vec![pid];
    while let Some(parent) = open.pop() {
        for task in fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten() {
            let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            for child in children.split_whitespace().filter_map(|child| child.parse().ok()) {
                found.push(child);
                open.push(child);
            }
        }
    }
    found
}
