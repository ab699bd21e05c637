//! The network transports: TCP and sockets that are files, with the same lines as standard input and output, and
//! Streamable HTTP.
//!
//! Read [`access`] for who is let in, [`clients`] for named tokens, [`limits`] for how much each may take, [`tcp`],
//! [`local`] and [`http`] for the transports.
//!
//! **Invariants:** a token is shown nowhere; one that is revoked counts for no further request; a client that reads slowly, or not at all, delays nobody else; every limit
//! is an answer.

mod access;
mod clients;
mod door;
mod gate;
mod guests;
mod http;
mod limits;
mod listener;
mod local;
mod pace;
mod patient;
mod roll;
mod tcp;
mod token;

pub use access::Admission;
pub use clients::Clients;
pub use limits::Limits;
pub use listener::{Hall, Listener, Transport};
pub use local::LocalListener;
pub use roll::{NamedToken, RollFault, read_roll, roll_with, roll_without};
pub use token::Token;

pub(crate) use door::{Door, Knock};
pub(crate) use gate::Gate;
pub(crate) use patient::Patient;
