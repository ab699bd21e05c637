//! What a live image adds to a rename: the meaning of names whose packages no file declares, and uses that the files do
//! not show.

use std::collections::HashMap;
use std::path::PathBuf;

use lispwright_index::Index;
use lispwright_refactor::{Doubt, Rename, RenameRefusal, Spot, Untold};
use lispwright_runtime::{Describe, ListReferences};
use lispwright_syntax::Dialect;

use crate::code_live::{Files, ask_besides};
use crate::refusal::Refusal;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// Names that an image is asked about at most.
const MOST_ASKED: usize = 40;

/// What is known of names that are written in packages: that they are the symbol, or are not.
pub(crate) type Told = HashMap<(String, String), bool>;

/// What an image knows of the names that forbid a rename; empty if none runs, or it knows nothing.
pub(crate) async fn told(
    workshop: &Workshop,
    session: Option<&str>,
    refusal: &Refusal,
    context: &CallContext,
) -> Result<Told, Refusal> {
    let mut told = Told::new();
    let Refusal::Rename { refusal, .. } = refusal else { return Ok(told) };
    let RenameRefusal::CannotTell { more, .. } = &**refusal else { return Ok(told) };
    let Untold { asks, symbol, .. } = &**more;
    let ask = async |name: &str, package: &str| {
        let question = Describe { name: name.to_owned(), package: Some(package.to_owned()), limit: 1 };
        ask_besides(workshop, session, Some(Dialect::CommonLisp), question, context, false).await
    };
    if asks.is_empty() || asks.len() > MOST_ASKED {
        return Ok(told);
    }
    let Some(own) = ask(&symbol.name, &symbol.space).await? else { return Ok(told) };
    for (space, written) in asks {
        if let Some(other) = ask(written, space).await? {
            told.insert((space.clone(), written.clone()), other.answer.name == own.answer.name);
        }
    }
    Ok(told)
}

/// The places of the uses that an image knows: absolute path, line and column.
pub(crate) async fn uses(
    workshop: &Workshop,
    session: Option<&str>,
    name: &str,
    package: Option<&str>,
    context: &CallContext,
) -> Result<Vec<(PathBuf, u32, u32)>, Refusal> {
    let question = ListReferences { name: name.to_owned(), package: package.map(str::to_owned) };
    let Some(told) = ask_besides(workshop, session, None, question, context, false).await? else {
        return Ok(Vec::new());
    };
    let mut files = Files::new(workshop);
    let mut places = Vec::new();
    for reference in &told.answer.references {
        let Some(file) = reference.file.as_deref().filter(|file| files.is_of_project(file)) else { continue };
        let place = files.reference(&told.answer.name, reference);
        if let Some((line, column)) = place.and_then(|place| Some((place.line?, place.column?))) {
            places.push((PathBuf::from(file), line, column));
        }
    }
    Ok(places)
}

/// Refuses a plan that changes nothing in a form in which the image knows a use that is written there.
///
/// Errors: the first such place.
pub(crate) fn check(index: &Index, planned: &Rename, uses: &[(PathBuf, u32, u32)]) -> Result<(), RenameRefusal> {
    for (path, line, column) in uses {
        let Some(document) = index.document(path).filter(|one| one.dialect == planned.dialect) else { continue };
        let Some(span) = document.lines().line_span(*line) else { continue };
        let before = document.text[span.range()].char_indices().nth((*column as usize).saturating_sub(1));
        let offset = span.start + before.map_or(0, |(at, _)| at as u32);
        let rest = &document.text[offset as usize..];
        let Some((old, _)) = planned.names.first() else { continue };
        let is_written = rest.get(..old.len()).is_some_and(|word| word.eq_ignore_ascii_case(old));
        let Some(form) = document.facts.form_at(offset).filter(|_| is_written) else { continue };
        let span = document.facts.forms[form as usize].span;
        let file = planned.files.iter().find(|file| file.path == *path);
        let is_changed = file.is_some_and(|file| file.places.iter().any(|place| span.contains(place.offset)));
        if !is_changed {
            let spot = Spot::of(document, offset);
            let more = Box::new(Untold { symbol: planned.symbol.clone(), ..Untold::default() });
            return Err(RenameRefusal::CannotTell { spot, why: Doubt::Image, more });
        }
    }
    Ok(())
}
