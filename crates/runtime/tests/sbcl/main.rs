//! Sessions on a real SBCL: every way in which evaluated code can misbehave, and the answers to the caller.
#![allow(clippy::unwrap_used)]

mod death;
mod errors;
mod image;
mod lab;
mod limits;
mod output;
mod values;
