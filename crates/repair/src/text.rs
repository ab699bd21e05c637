//! What is read of a text: its tokens, the forms that are broken, what differs from the text before, and edits of it.

pub(crate) mod align;
pub(crate) mod code;
pub(crate) mod conflict;
pub(crate) mod edit;
pub(crate) mod line_change;
pub(crate) mod marks;
pub(crate) mod plain;
pub(crate) mod scope;
pub(crate) mod window;
