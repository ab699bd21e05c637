//! What could be meant: delimiters by a search over all changes, quotes, closers of another dialect; and the order in
//! which it is offered.

pub(crate) mod beam;
pub(crate) mod delimiters;
pub(crate) mod foreign;
pub(crate) mod glued;
pub(crate) mod quotes;
pub(crate) mod rank;
pub(crate) mod search;
pub(crate) mod steps;
