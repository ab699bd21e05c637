//! The owner's own Common Lisp image: a client of Swank and Slynk servers, which editors talk to.
//!
//! [`remote`] is the server of a session, `image` the conversation with one server, `call` one request of a session in
//! it, `message` the protocol on the socket, and `agent` the Lisp that answers in the image: the agent of our own
//! workers, on top of Swank's functions. Its files in `images/` say how the two halves talk.

mod agent;
mod call;
mod image;
mod message;
mod remote;

pub(crate) use image::{Image, Refusal};
pub(crate) use remote::Swank;
