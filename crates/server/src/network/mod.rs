//! The network transports: TCP and sockets that are files, with the same lines as standard input and output, and
//! Streamable HTTP.
//!
//! Read [`access`] for who is let in, [`limits`] for how much each may take, [`tcp`], [`local`] and [`http`] for the
//! transports.
//!
//! **Invariants:** a token is shown nowhere; a client that reads slowly, or not at all, delays nobody else; every limit
//! is an answer.

mod access;
mod door;
mod gate;
mod guests;
mod http;
mod limits;
mod listener;
mod local;
mod pace;
mod patient;
mod tcp;
mod token;

pub use access::Admission;
pub use limits::Limits;
pub use listener::{Hall, Listener, Transport};
pub use local::LocalListener;
pub use token::Token;

pub(crate) use door::Door;
pub(crate) use gate::Gate;
pub(crate) use patient::Patient;
