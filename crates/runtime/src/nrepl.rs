//! Clojure as a live image: a client of nREPL servers, its own and those that somebody else runs.
//!
//! A Clojure image is asked over a socket and not over a pipe, and it may belong to the user's editor. So it has its own
//! way in: [`remote`] is what a session holds in place of a worker and decides which server it talks to, `server` starts
//! one from what the machine has, `call` is one call from the session to the report, `evaluate` turns calls into nREPL's operations, `image` is the conversation about one of
//! them, `connection` the socket, and `bencode` what crosses it. `forms` takes code apart, and `details` asks what an error was.
//!
//! **Invariant:** a server that was not started here is never killed.

mod address;
mod bencode;
mod call;
mod connection;
mod details;
mod evaluate;
mod forms;
mod image;
mod load;
mod remote;
mod server;

pub use address::{AddressError, loopback};
pub(crate) use call::{ensure_remote, run_remote};
pub(crate) use remote::Remote;
pub(crate) use server::find;

/// The program that a server would be started with where no project says otherwise.
pub(crate) fn program() -> Option<std::path::PathBuf> {
    find(std::path::Path::new("/nonexistent")).map(|way| way.program)
}
