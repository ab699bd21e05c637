//! The evidence for and against a change: the earlier text, the columns given the habits of the file, the shapes of
//! forms.

pub(crate) mod agreement;
pub(crate) mod arity;
pub(crate) mod cached_habits;
pub(crate) mod earlier;
pub(crate) mod guard;
pub(crate) mod habits;
pub(crate) mod learn;
pub(crate) mod nesting;
pub(crate) mod operators;
pub(crate) mod pairs;
pub(crate) mod question;
pub(crate) mod rows;
pub(crate) mod shape;
