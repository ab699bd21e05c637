//! The limits on one request. A request beyond one is answered with `BAD_INPUT` and the number of the limit.

/// Deepest stack, in delimiters.
pub const MAX_DEPTH: usize = 4_096;

/// Most operations in one request, whether listed or found in a slice.
pub const MAX_OPS: usize = 10_000;

/// Longest `docSlice.text`, in bytes of UTF-8.
pub const MAX_SLICE: usize = 256 * 1024;

/// Longest `text` of one scan, in bytes of UTF-8. Longer texts are sent in pieces.
pub const MAX_PIECE: usize = 1024 * 1024;

/// Longest `state`, in characters. Those that a scan returns are shorter.
pub const MAX_STATE: usize = 128 * 1024;

/// Deepest nesting of block comments that a scan can be interrupted in.
pub const MAX_COMMENT_NESTING: u32 = 4_096;

/// Longest terminator of a `#<<` string that a scan can be interrupted in, in bytes.
pub const MAX_HERE_MARK: usize = 256;

/// Highest cursor, in code points: the largest integer that every JSON reader keeps exact.
pub const MAX_CURSOR: u64 = (1 << 53) - 1;
