//! The names of the delimiter guard's protocol.

use super::{SurfaceRow, same};

pub(super) const ROWS: &[SurfaceRow] = &[
    same("sexp.guard.pushDelimiter"),
    same("sexp.guard.popDelimiter"),
    same("sexp.guard.setSentinel"),
    same("sexp.guard.balanceAndResume"),
    same("sexp.guard.pushMany"),
    same("sexp.guard.popMany"),
    same("sexp.guard.batch"),
    same("sexp.guard.scan"),
];
