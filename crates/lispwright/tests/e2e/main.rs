//! The real binary, driven from outside: by raw JSON lines, and by the official Python client library.
//!
//! Each test starts its own server on its own project directory. A refused call must leave every byte of the project as
//! it was; `Session::refused` checks that on the whole directory.
#![allow(clippy::unwrap_used)]

mod addressing;
mod attached;
mod attacks;
mod batches;
mod chez;
mod client;
mod clojure_tests;
mod commands;
mod content;
mod copies;
mod crowd;
mod describe;
mod detached;
mod disk;
mod distribution;
mod documents;
mod emacs;
mod endurance;
mod evaluation;
mod excess;
mod expansion;
mod files;
mod guides;
mod guile;
mod guile_code;
mod guile_copies;
mod guile_suites;
mod held;
mod household;
#[allow(dead_code, reason = "what only the tests of the server use")]
#[path = "../../../server/tests/listening/http.rs"]
mod http;
mod implementations;
mod inferred;
mod launchers;
mod libraries;
mod library_sources;
mod manuals;
mod misfits;
#[path = "../../../runtime/tests/nrepl/nbb_install.rs"]
mod nbb_install;
mod network;
mod newer_asdf;
mod nrepl;
mod objects;
mod orphans;
mod premises;
mod probes;
mod project;
mod protocol;
mod queue;
mod racket;
mod renames;
mod repairs;
mod rewrites;
mod rivals;
mod sandbox;
mod sdk;
mod search;
mod signals;
mod signatures;
mod soak;
#[allow(dead_code, reason = "what only the tests of the server use")]
#[path = "../../../server/tests/listening/socket.rs"]
mod socket;
mod surfaces;
#[allow(dead_code, reason = "what only the tests of the runtime use")]
#[path = "../../../runtime/tests/swank/server.rs"]
mod swank_server;
mod systems;
mod test_ops;
mod tokens;
mod transcript;
mod undo;
mod whole_files;
mod workers;
