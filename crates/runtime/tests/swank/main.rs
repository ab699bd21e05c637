//! Images that somebody else runs, over Swank: the distribution's server in a plain SBCL, and servers that misbehave.
#![allow(clippy::unwrap_used)]

mod fake;
mod held;
#[allow(dead_code, reason = "what only the tests on SBCL use")]
#[path = "../sbcl/lab.rs"]
mod lab;
mod load;
mod names;
mod owner;
mod server;
mod strange;
mod suites;
mod values;

use lispwright_runtime::{FoundServer, MAIN};

use lab::{Lab, lab, runtime};
use server::Server;

/// An image with a server, and a session that is attached to it.
async fn attached() -> (Server, Lab) {
    attached_after("").await
}

/// An image that evaluates `setup` first.
async fn attached_after(setup: &str) -> (Server, Lab) {
    let server = Server::start(setup);
    let lab = lab();
    lab.attach(MAIN, FoundServer::known(server.address, runtime("swank"))).await.unwrap();
    (server, lab)
}
