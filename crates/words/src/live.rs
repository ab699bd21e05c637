//! What operations on live images answered.

use lispwright_tools::LiveAnswer;

use crate::{Skin, expanded, names, object, waited};

/// The answer in words.
pub(crate) fn text(answer: &LiveAnswer, skin: Skin) -> String {
    let text = match answer {
        LiveAnswer::Inspected(inspected) => object::text(inspected, skin),
        LiveAnswer::Expanded(expanded) => expanded::text(expanded),
        LiveAnswer::Described(described) => names::described(described),
        LiveAnswer::Found(found) => names::found(found, skin),
        LiveAnswer::Referred(references) => names::references(references, skin),
        LiveAnswer::Exported(exports) => names::exports(exports, skin),
        LiveAnswer::Waited(waited) => waited::text(waited, skin),
    };
    text.trim_end().to_owned()
}
