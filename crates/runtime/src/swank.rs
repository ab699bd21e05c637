//! The owner's own Common Lisp image: a client of Swank and Slynk servers, which editors talk to.
//!
//! [`remote`] is what a session holds, `image` the conversation with one server, `call` one request of a session in it,
//! `message` what crosses the socket, and `agent` the Lisp that the image is given to answer with: the agent of our own
//! workers, on top of what the server offers. Its files in `images/` say how the two halves talk.

mod agent;
mod call;
mod image;
mod message;
mod remote;

pub(crate) use image::{Image, Refusal};
pub(crate) use remote::Swank;
