//! What a change of parameters has done, or would do, and the reasons why one is refused.

use std::path::Path;

use lispwright_refactor::{OpenPlace, SignatureRefusal, Spot};
use lispwright_syntax::in_a_line;
use lispwright_tools::lisp_change_signature::{SignatureAnswer, SignaturePlace, open_reason};
use serde_json::{Map, Value, json};

use crate::changed::push_diffs;
use crate::rendering::{counted, first_names};
use crate::{Skin, batched, linted, renamed, undone};

/// Places that are shown.
const MOST_PLACES: usize = 20;

/// Files and places that are named.
const MOST_NAMED: usize = 8;

/// The answer: the counts, what stays, the diffs, and the next call.
pub(crate) fn text(done: &SignatureAnswer, skin: Skin) -> String {
    let mut counts = Vec::new();
    for (count, noun) in [(done.definitions, "definition"), (done.methods, "method")] {
        if count > 0 {
            counts.push(counted(count, noun));
        }
    }
    let files = counted(done.files_of_calls, "file");
    counts.push(match done.calls {
        0 => "no calls".to_owned(),
        calls => format!("{} in {files}", counted(calls, "call")),
    });
    let what = format!(
        "{} {} to {}: {}",
        in_a_line(&done.symbol),
        in_a_line(&done.old_parameters),
        in_a_line(&done.new_parameters),
        counts.join(", ")
    );
    let mut text = match done.dry_run {
        true => format!("Dry run, nothing was written: {what}."),
        false => format!("Changed {what}."),
    };
    batched::push_verified(&mut text, done.verification.as_deref(), skin);
    if !done.open.is_empty() {
        let places = counted(done.open.len(), "place");
        text.push_str(&format!("\n{places} cannot be followed:"));
        push_places(&mut text, &done.open);
    }
    if !done.look_at.is_empty() {
        text.push_str("\nLook at:");
        push_places(&mut text, &done.look_at);
    }
    if !done.reordered.is_empty() {
        text.push_str(&format!(
            "\nArguments that do something are evaluated in another order: {}.",
            first_names(&done.reordered, MOST_NAMED)
        ));
    }
    if !done.dropped.is_empty() {
        text.push_str(&format!(
            "\nAn argument that may do something goes: {}.",
            first_names(&done.dropped, MOST_NAMED)
        ));
    }
    if !done.symbols.is_empty() {
        text.push_str(&format!("\nSymbols in data, which are no calls: {}.", first_names(&done.symbols, MOST_NAMED)));
    }
    push_diffs(&mut text, &done.files, done.dry_run);
    linted::push_new(&mut text, &done.new_problems);
    if !done.left_out.is_empty() {
        text.push_str(&format!(
            "\nNot looked at, because they could not be read: {}.",
            first_names(&done.left_out, MOST_NAMED)
        ));
    }
    if done.dry_run {
        text.push_str(match (skin, done.open.is_empty()) {
            (Skin::Client | Skin::Surface(_), true) => "\nCall again with \"dry_run\": false to write it.",
            (Skin::Client | Skin::Surface(_), false) => {
                "\nChange those places by hand first, or call again with \"dry_run\": false, \"skip_refused\": true."
            }
            (Skin::Shell, true) => "\nRun it again with --write to write it.",
            (Skin::Shell, false) => "\nChange those places by hand first, or run it again with --write --skip-refused.",
        });
    } else {
        undone::push_way_back(&mut text, skin);
    }
    text
}

fn push_places(text: &mut String, places: &[SignaturePlace]) {
    for SignaturePlace { path, line, column, text: source, why } in places.iter().take(MOST_PLACES) {
        text.push_str(&format!("\n  {}:{line}:{column} ({})| {source}", in_a_line(path), in_a_line(why)));
    }
    if places.len() > MOST_PLACES {
        text.push_str(&format!("\n  and {} more", places.len() - MOST_PLACES));
    }
}

/// A refusal: the place, the reason, and what to do instead.
pub(crate) fn refused(symbol: &str, refusal: &SignatureRefusal, root: &Path, skin: Skin) -> String {
    use SignatureRefusal as R;
    let named = in_a_line(symbol);
    let at = |spot: &Spot| renamed::place(spot, root);
    let shown = |spot: &Spot| format!("{}: `{}`", at(spot), in_a_line(&spot.text));
    let (skip, arity, values) = match skin {
        Skin::Client | Skin::Surface(_) => ("\"skip_refused\": true", "\"arity\"", "\"values\""),
        Skin::Shell => ("--skip-refused", "--arity", "--value"),
    };
    let reason = match refusal {
        R::Target(refusal) => return renamed::refused(symbol, refusal, root, skin),
        R::NoParameters { spot } => {
            format!("{}. No definition of {named} has parameters that are known", shown(spot))
        }
        R::Several { lists } => {
            let lists: Vec<String> =
                lists.iter().map(|(list, required)| format!("{} ({required})", in_a_line(list))).collect();
            format!("{named} has several lists of parameters: {}. Say which with {arity}", lists.join(", "))
        }
        R::BadParameters { why } => format!("the new parameters are not understood: {}", in_a_line(why)),
        R::NoParameter { name, known } => {
            format!("{named} has no parameter {}; it has {}", in_a_line(name), in_a_line(&known.join(" ")))
        }
        R::NeedsValue { name } => format!("calls of {named} have to pass {}: say what with {values}", in_a_line(name)),
        R::Same { list } => format!("{named} has these parameters: {}", in_a_line(list)),
        R::StillUsed { name, spots } => {
            let lines: Vec<String> = spots.iter().map(&at).collect();
            format!("{} is used: {}. Change the body first", in_a_line(name), first_names(&lines, MOST_NAMED))
        }
        R::Taken { name, spot } => format!(
            "{}. The name {} means something there already, so a place would mean something else. Choose another name",
            shown(spot),
            in_a_line(name)
        ),
        R::TooLate { name, spot } => {
            format!("{}. A default value needs {}, which would come after it", shown(spot), in_a_line(name))
        }
        R::Comment { spot } => format!("{}. The comment would be lost. Move it first", shown(spot)),
        R::Open(places) => {
            let mut text = format!("{} cannot be followed:", counted(places.len(), "place"));
            for OpenPlace { spot, why } in places.iter().take(MOST_PLACES) {
                let line = in_a_line(&spot.text);
                text.push_str(&format!("\n  {} ({})| {line}", at(spot), in_a_line(&open_reason(why))));
            }
            if places.len() > MOST_PLACES {
                text.push_str(&format!("\n  and {} more", places.len() - MOST_PLACES));
            }
            format!("{text}\nChange them by hand first; or {skip} leaves them as they are")
        }
        R::Unbalanced { path } => {
            let path = path.strip_prefix(root).unwrap_or(path).to_string_lossy();
            format!("{}: the file has the name and does not balance. Correct it first", in_a_line(&path))
        }
        R::WouldBreak { spot } => format!("{}. The file would read differently there", shown(spot)),
    };
    format!("{reason}. Nothing was changed.")
}

/// The places of a refusal, as fields.
pub(crate) fn facts(refusal: &SignatureRefusal, root: &Path) -> Map<String, Value> {
    use SignatureRefusal as R;
    let mut facts = Map::new();
    let position = |spot: &Spot| {
        let path = spot.path.strip_prefix(root).unwrap_or(&spot.path).to_string_lossy().into_owned();
        json!({ "path": path, "line": spot.line, "column": spot.column })
    };
    match refusal {
        R::Target(refusal) => return renamed::facts(refusal, root),
        R::NoParameters { spot }
        | R::Comment { spot }
        | R::Taken { spot, .. }
        | R::TooLate { spot, .. }
        | R::WouldBreak { spot } => {
            facts.insert("position".to_owned(), position(spot));
        }
        R::StillUsed { spots, .. } => {
            facts.insert("places".to_owned(), spots.iter().map(position).collect());
        }
        R::Open(places) => {
            facts.insert("places".to_owned(), places.iter().map(|one| position(&one.spot)).collect());
        }
        _ => {}
    }
    facts
}
