//! Clojure as a live image: a client of nREPL servers, its own and those that somebody else runs.
//!
//! [`remote`] decides which server a session talks to, `server` starts one from what the machine has, `evaluate` turns
//! calls into nREPL's operations, `image` is the conversation about one of them, and `bencode` what crosses the socket or pipe.
//! `sources` says which directories of a project are on the class path, `forms` takes code apart, `details` asks what an error
//! was, and `python` reads what one says that cannot be asked.

mod bencode;
mod details;
mod evaluate;
mod forms;
mod image;
mod load;
mod port_file;
mod python;
mod remote;
mod server;
mod sources;

pub(crate) use port_file::{PORT_FILE, port_in};
pub(crate) use remote::Nrepl;
pub(crate) use server::{Speaks, find};

/// The program that a server would be started with where no project says otherwise.
pub(crate) fn program() -> Option<std::path::PathBuf> {
    find(std::path::Path::new("/nonexistent"), Speaks::AtPort).map(|way| way.program)
}
