//! Answers of operations on live images.

use lispwright_tools::LiveAnswer;
use serde_json::{Map, Value};

use crate::{Skin, covered, drift, evaluated, expanded, held, loaded, names, object, sessions, tested, waited};

/// The answer in words.
pub(crate) fn text(answer: &LiveAnswer, skin: Skin) -> String {
    let text = match answer {
        LiveAnswer::Inspected(inspected) => object::text(inspected, skin),
        LiveAnswer::Expanded(expanded) => expanded::text(expanded, skin),
        LiveAnswer::Described(described) => names::described(described, skin),
        LiveAnswer::Found(found) => names::found(found, skin),
        LiveAnswer::Referred(references) => names::references(references, skin),
        LiveAnswer::Exported(exports) => names::exports(exports, skin),
        LiveAnswer::Evaluated(evaluated) => evaluated::text(evaluated, skin),
        LiveAnswer::Loaded(loaded) => loaded::text(loaded, skin),
        LiveAnswer::Tested(tested) => tested::text(tested, skin),
        LiveAnswer::Covered(found) => covered::text(found, skin),
        LiveAnswer::Levels(levels) => held::levels(levels, skin),
        LiveAnswer::Frames(frames) => held::frames(frames, skin),
        LiveAnswer::Locals(locals) => held::locals(locals, skin),
        LiveAnswer::Status(status) => sessions::status(status, skin),
        LiveAnswer::Session(session) => sessions::session(session, skin),
        LiveAnswer::Acted(acted) => sessions::acted(acted),
        LiveAnswer::Waited(waited) => waited::text(waited, skin),
        LiveAnswer::Compared(compared) => drift::text(compared, skin),
    };
    text.trim_end().to_owned()
}

/// Adds fields that are sentences: messages of errors for which an image has none, and the answer that is repeated.
pub(crate) fn add_fields(answer: &LiveAnswer, skin: Skin, fields: &mut Map<String, Value>) {
    match answer {
        LiveAnswer::Evaluated(evaluated) => evaluated::add_fields(evaluated, skin, fields),
        LiveAnswer::Loaded(loaded) => loaded::add_fields(loaded, skin, fields),
        LiveAnswer::Tested(tested) => tested::add_fields(tested, skin, fields),
        LiveAnswer::Covered(found) => covered::add_fields(found, skin, fields),
        LiveAnswer::Waited(waited) => waited::add_fields(waited, skin, fields),
        _ => {}
    }
}
