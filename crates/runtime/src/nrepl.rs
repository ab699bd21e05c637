//! Clojure as a live image: a client of nREPL servers, both those started here and those that somebody else runs.
//!
//! [`remote`] chooses the server of a session, `server` starts one with the programs of the machine, `evaluate` turns
//! calls into nREPL's operations, `image` is the conversation about one of them, and `bencode` the encoding on the
//! socket or pipe. `build_file` and `class_path` find the class path of a project, `forms` splits code, `details` asks for the
//! details of an error, `renewal` brings the image to the state of the files, and `python` reads the errors of a Clojure that cannot be asked.

mod bencode;
mod build_file;
mod class_path;
mod details;
mod evaluate;
mod forms;
mod functions;
mod image;
mod load;
mod port_file;
mod python;
mod remote;
mod renewal;
mod server;

pub(crate) use port_file::{PORT_FILE, port_in};
pub(crate) use remote::Nrepl;
pub(crate) use server::{Speaks, find};

/// The program that starts a server where no project names another.
pub(crate) fn program() -> Option<std::path::PathBuf> {
    find(std::path::Path::new("/nonexistent"), Speaks::AtPort).map(|way| way.program)
}
