//! What a rewrite has changed, or would change, and the reasons why one is refused.

use lispwright_index::pattern::BadPattern;
use lispwright_refactor::{Loss, RewriteRefusal, Spot};
use lispwright_syntax::in_a_line;
use lispwright_tools::lisp_rewrite::RewriteAnswer;
use serde_json::{Map, Value, json};

use crate::changed::push_diffs;
use crate::rendering::{counted, first_names};
use crate::{Skin, batched, linted, undone};

/// Files that are named.
const MOST_NAMED: usize = 8;

/// The answer: the counts, the diffs, and what stays.
pub(crate) fn text(done: &RewriteAnswer, skin: Skin) -> String {
    let searched = counted(done.searched, "file");
    let what = format!("{} in {} of {searched}", counted(done.count, "form"), done.files.len());
    let mut text = match (done.dry_run, done.count) {
        (_, 0) => format!("No form of the shape in {searched}; nothing changes."),
        (true, _) => format!("Dry run, nothing was written: {what} would change."),
        (false, _) => format!("Rewritten: {what}."),
    };
    if let Some(expected) = done.expected.filter(|expected| *expected != done.count) {
        text.push_str(&format!(" {expected} were expected."));
    }
    batched::push_verified(&mut text, done.verification.as_deref(), skin);
    push_diffs(&mut text, &done.files, done.dry_run);
    linted::push_new(&mut text, &done.new_problems);
    let also = match skin {
        Skin::Client | Skin::Surface(_) => "\"quoted\": true",
        Skin::Shell => "--quoted",
    };
    if done.in_data > 0 {
        text.push_str(&format!("\n{} in quoted data stay; {also} changes them, too.", counted(done.in_data, "match")));
    }
    if let Some(advice) = &done.advice {
        text.push_str(&format!("\nIn the shape, {}.", in_a_line(advice)));
    }
    if done.steps > 0 {
        text.push_str(&format!(
            "\n{} of threading forms look like the shape and have one argument more; they stay.",
            counted(done.steps, "step")
        ));
    }
    if !done.unclear.is_empty() {
        let places = first_names(&done.unclear, MOST_NAMED);
        text.push_str(&format!(
            "\nStay, because a macro around them may take them apart: {places}; {also} changes them, too."
        ));
    }
    if !done.skipped.is_empty() {
        text.push_str(&format!("\nStay, because something would be lost: {}.", first_names(&done.skipped, MOST_NAMED)));
    }
    if !done.others.is_empty() {
        text.push_str(&format!(
            "\n{} of {} do not have this shape: {}.",
            counted(done.others.len(), "use"),
            in_a_line(&done.head),
            first_names(&done.others, MOST_NAMED)
        ));
    }
    if !done.left_out.is_empty() {
        let names: Vec<String> = done.left_out.iter().map(|(path, code)| format!("{path} ({code})")).collect();
        text.push_str(&format!("\nNot searched: {}.", first_names(&names, MOST_NAMED)));
    }
    if !done.ignored.is_empty() {
        text.push_str(&format!("\nIgnore files leave out {}.", counted(done.ignored.len(), "path")));
    }
    if !done.dry_run && done.count > 0 {
        undone::push_way_back(&mut text, skin);
    }
    if done.dry_run && done.count > 0 {
        text.push_str(&match skin {
            Skin::Client | Skin::Surface(_) => {
                format!("\nCall again with \"dry_run\": false, \"expect_count\": {} to write it.", done.count)
            }
            Skin::Shell => format!("\nRun it again with --write --expect {} to write it.", done.count),
        });
    }
    text
}

/// A refusal: the place, the reason, and what to do instead.
pub(crate) fn refused(refusal: &RewriteRefusal, skin: Skin) -> String {
    use RewriteRefusal as R;
    let shown = |spot: &Spot| {
        format!(
            "{}:{}:{}: `{}`",
            in_a_line(&spot.path.to_string_lossy()),
            spot.line,
            spot.column,
            in_a_line(&spot.text)
        )
    };
    let reason = match refusal {
        R::Shape(bad) => format!("`shape` is not understood{}", wrong(bad)),
        R::Template(bad) => format!("`template` is not understood{}", wrong(bad)),
        R::Guard(bad) => format!("`where` is not understood{}", wrong(bad)),
        R::Unbalanced { spot } => {
            format!(
                "{}. The file has matches and does not balance. Correct it first, or leave it out with `path`",
                shown(spot)
            )
        }
        R::Loss { spot, what, places } => {
            let more = if *places > 1 { format!(" ({} such places in this file)", places) } else { String::new() };
            let why = match what {
                Loss::Comment => {
                    "The comment would be lost: no variable of the template has it. Change the form by hand first, or exclude \
                     it with `where`"
                }
                Loss::Dropped => {
                    "Code that the reader drops would be lost. Remove it first, or exclude the form with `where`"
                }
                Loss::Condition => {
                    "A condition of the reader decides whether the datum is there at all, so the form has another shape \
                     elsewhere. Change it by hand, or exclude it with `where`"
                }
                Loss::Overlap => "Two matches overlap. Make the shape more exact, or exclude one of them with `where`",
            };
            let skip = match skin {
                Skin::Client | Skin::Surface(_) => "\"skip_refused\": true",
                Skin::Shell => "--skip-refused",
            };
            format!("{}{more}. {why}; {skip} leaves such places as they are", shown(spot))
        }
        R::WouldBreak { spot } => format!("{}. The file would read differently there", shown(spot)),
    };
    format!("{reason}. Nothing was changed.")
}

fn wrong(BadPattern { why, column }: &BadPattern) -> String {
    let at = column.map_or(String::new(), |column| format!(", at character {column}"));
    format!("{at}: {}", in_a_line(why))
}

/// The refusal of a count that is missing, or not the present one.
pub(crate) fn other_count(expected: Option<usize>, found: usize, skin: Skin) -> String {
    let forms = counted(found, "form");
    let pass = match skin {
        Skin::Client | Skin::Surface(_) => format!("\"expect_count\": {found}"),
        Skin::Shell => format!("--expect {found}"),
    };
    match expected {
        None => format!(
            "To write, the call has to say how many forms it changes, as a dry run shows them. Now these are {found}: look at \
             them, and pass {pass}. Nothing was changed."
        ),
        Some(expected) => format!(
            "{forms} would change, and the call expects {expected}. Look at a dry run, and pass {pass} if all of them are \
             meant. Nothing was changed."
        ),
    }
}

/// The place of a refusal, as fields.
pub(crate) fn facts(refusal: &RewriteRefusal) -> Map<String, Value> {
    use RewriteRefusal as R;
    let mut facts = Map::new();
    if let R::Unbalanced { spot } | R::Loss { spot, .. } | R::WouldBreak { spot } = refusal {
        let position = json!({ "path": spot.path.to_string_lossy(), "line": spot.line, "column": spot.column });
        facts.insert("position".to_owned(), position);
    }
    facts
}
