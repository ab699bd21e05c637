//! What must hold for any bytes, as functions that panic when it does not.
//!
//! One module for each target of `fuzz/`: [`reader`], [`repair`], [`edit`], [`guard_scan`]. A fuzzer calls them with
//! bytes of its own making; the tests of this crate call them with the seeds of `fuzz/seeds` and with random text, so
//! that a run without a fuzzer checks the same. [`input`] says how bytes become arguments,
//! [`mutate`] makes inputs of others.

pub mod edit;
pub mod guard_scan;
pub mod input;
pub mod mutate;
pub mod reader;
pub mod repair;

/// Panics when something does not hold for these bytes.
pub type Property = fn(&[u8]);

/// Every property, by the name of its fuzz target.
pub const TARGETS: [(&str, Property); 4] =
    [("reader", reader::holds), ("repair", repair::holds), ("edit", edit::holds), ("guard_scan", guard_scan::holds)];
