//! Reading a text: its tokens, its broken forms, its differences from the earlier text, and edits of it.

pub(crate) mod align;
pub(crate) mod code;
pub(crate) mod conflict;
pub(crate) mod edit;
pub(crate) mod line_change;
pub(crate) mod marks;
pub(crate) mod pieces;
pub(crate) mod plain;
pub(crate) mod scope;
pub(crate) mod window;
pub(crate) mod wrappers;
