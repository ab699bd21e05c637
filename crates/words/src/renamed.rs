//! What a rename has changed, or would change, and the reasons why one is refused.

use std::path::Path;

use lispwright_index::PossibleReason;
use lispwright_refactor::{Doubt, Namesake, RenameRefusal, Spot};
use lispwright_syntax::in_a_line;
use lispwright_tools::lisp_rename::{MentionFacts, RenameAnswer};
use serde_json::{Map, Value, json};

use crate::changed::push_diffs;
use crate::rendering::{counted, first_names};
use crate::{Skin, batched, undone};

/// Mentions that are shown.
const MOST_MENTIONS: usize = 20;

/// Files, packages and names that are named.
const MOST_NAMED: usize = 8;

/// The answer: the change, its places by kind, the diffs, and what stays.
pub(crate) fn text(done: &RenameAnswer, skin: Skin) -> String {
    let (from, to) = (in_a_line(&done.symbol), in_a_line(&done.new_name));
    let package = done.package.as_ref().map_or(String::new(), |package| format!(" of {}", in_a_line(package)));
    let kinds: Vec<String> = done.uses.iter().map(|one| counted(one.count, word(&one.kind))).collect();
    let mentions = (done.changed_mentions > 0).then(|| counted(done.changed_mentions, "mention"));
    let places = kinds.into_iter().chain(mentions).collect::<Vec<_>>().join(", ");
    let places = if places.is_empty() { places } else { format!(" ({places})") };
    let what = format!(
        "{from}{package} to {to}: {} in {}{places}",
        counted(done.changes, "place"),
        counted(done.files.len(), "file")
    );
    let mut text = match done.dry_run {
        true => format!("Dry run, nothing was written: {what}."),
        false => format!("Renamed {what}."),
    };
    if done.definitions > 1 {
        text.push_str(&format!(" It has {} definitions; all are renamed.", done.definitions));
    }
    if done.names.len() > 1 {
        let names: Vec<String> = done.names.iter().skip(1).map(|one| format!("{} to {}", one.from, one.to)).collect();
        text.push_str(&format!(
            "\n`{}` derives names, which change with it: {}.",
            done.label,
            first_names(&names, MOST_NAMED)
        ));
    }
    if !done.kept.is_empty() {
        text.push_str(&format!(
            "\nIts accessors are written out and stay: {}. Rename them by their names.",
            first_names(&done.kept, MOST_NAMED)
        ));
    }
    for moved in &done.moves {
        let (from, to) = (in_a_line(&moved.from), in_a_line(&moved.to));
        text.push_str(&match done.dry_run {
            true => format!("\n{from} would become {to}."),
            false => format!("\n{from} is now {to}."),
        });
    }
    batched::push_verified(&mut text, done.verification.as_deref(), skin);
    push_diffs(&mut text, &done.files, done.dry_run);
    push_mentions(&mut text, done, skin);
    if !done.possible.is_empty() {
        let places: Vec<String> =
            done.possible.iter().map(|one| format!("{}:{}:{}", in_a_line(&one.path), one.line, one.column)).collect();
        text.push_str(&format!(
            "\nCode makes names that may be {from} or are made from it, and stays: {}.",
            first_names(&places, MOST_NAMED)
        ));
    }
    if !done.strangers.is_empty() {
        text.push_str(&format!(
            "\nSome files import from outside of the project ({}); where they use {from} without defining it, it is taken for \
             theirs and stays.",
            first_names(&done.strangers, MOST_NAMED)
        ));
    }
    let unread = [("could not be read", &done.left_out), ("are ignored (ignore files)", &done.ignored)];
    for (what, paths) in unread.into_iter().filter(|(_, paths)| !paths.is_empty()) {
        text.push_str(&format!("\nNot looked at, because they {what}: {}.", first_names(paths, MOST_NAMED)));
    }
    if done.dry_run {
        text.push_str(match skin {
            Skin::Client | Skin::Surface(_) => "\nCall again with \"dry_run\": false to write it.",
            Skin::Shell => "\nRun it again with --write to write it.",
        });
    } else if skin == Skin::Shell {
        // A server often does not list the tool for it.
        undone::push_way_back(&mut text, skin);
    }
    text
}

/// The mentions that stay.
fn push_mentions(text: &mut String, done: &RenameAnswer, skin: Skin) {
    if done.mention_count == 0 {
        return;
    }
    let mut kinds: Vec<&str> = done.mentions.iter().map(|one| one.kind.as_str()).collect();
    kinds.dedup();
    let also = match skin {
        Skin::Client | Skin::Surface(_) => {
            format!("\"also\": [{}]", kinds.iter().map(|kind| format!("{kind:?}")).collect::<Vec<_>>().join(", "))
        }
        Skin::Shell => kinds.iter().map(|kind| format!("--also {kind}")).collect::<Vec<_>>().join(" "),
    };
    text.push_str(&format!("\nLeft as they are: {} ({also} changes them):", counted(done.mention_count, "mention")));
    for MentionFacts { path, line, column, kind, text: source } in done.mentions.iter().take(MOST_MENTIONS) {
        text.push_str(&format!("\n  {}:{line}:{column} {kind}| {source}", in_a_line(path)));
    }
    if done.mention_count > MOST_MENTIONS {
        text.push_str(&format!("\n  and {} more", done.mention_count - MOST_MENTIONS));
    }
}

/// A kind of use in a word that is counted.
fn word(kind: &str) -> &str {
    match kind {
        "quoted" => "quoted name",
        "template" => "template use",
        kind => kind,
    }
}

/// A refusal: the place, the reason, and what to do instead.
pub(crate) fn refused(symbol: &str, refusal: &RenameRefusal, root: &Path, skin: Skin) -> String {
    use RenameRefusal as R;
    let symbol = in_a_line(symbol);
    let at = |spot: &Spot| place(spot, root);
    let shown = |spot: &Spot| format!("{}: `{}`", place(spot, root), in_a_line(&spot.text));
    let (package, path) = match skin {
        Skin::Client | Skin::Surface(_) => ("\"package\"", "\"path\""),
        Skin::Shell => ("--package", "--path"),
    };
    let reason = match refusal {
        R::NotDefined { nearest } if nearest.is_empty() => {
            format!("no file of the project defines {symbol}. Names of libraries are not renamed")
        }
        R::NotDefined { nearest } => {
            format!("no file of the project defines {symbol}. Nearest names: {}", nearest.join(", "))
        }
        R::Elsewhere(candidates) => {
            let all: Vec<String> = candidates.iter().map(|one| candidate(one, root)).collect();
            format!("{symbol} is not defined there, but as{}\nLeave {path} out, or name that file", all.concat())
        }
        R::Ambiguous(candidates) => {
            let all: Vec<String> = candidates.iter().map(|one| candidate(one, root)).collect();
            format!("{symbol} is defined as several names:{}\nName one with {package} or {path}", all.concat())
        }
        R::IsSpace(one) => format!(
            "{}: {symbol} names a package, module, system, test or group, not a function, variable or type. Files and other files' \
             declarations depend on such names; rename it by hand",
            at(&one.spot)
        ),
        R::Dialect(dialect) => format!(
            "who uses a name is not known for certain in {dialect}, so a rename could miss uses; `refs` lists the uses and the places that may be some"
        ),
        R::BadName { why } => format!("the new name cannot be given: {why}. Pass one symbol"),
        R::SameName => format!("{symbol} has this name already"),
        R::NoClass { spot } => format!(
            "{}: {symbol} is the interface of the protocol there, whose name has letters, digits and `_` alone. Choose such a name",
            at(spot)
        ),
        R::Derived { spot, label, from } => format!(
            "{}: `{}` makes {symbol} from its own name or from a slot, and does not write it. Rename {}, or change the form",
            at(spot),
            in_a_line(label),
            in_a_line(from)
        ),
        R::IsSyntax { spot } => format!(
            "{}: forms that begin with {symbol} are read in a way of their own, which goes by this name. Rename it by hand",
            at(spot)
        ),
        R::OfLibrary { spot } => format!(
            "{}: the project adds to {symbol}, whose definition is in a library or may be. Libraries are not changed",
            at(spot)
        ),
        R::UnknownDefiner { spot, head, dialect } => {
            let head = in_a_line(head);
            format!(
                "{}: no file of the project defines `{head}`, so this may add to a {symbol} of a library. Say in lispwright.toml \
                 what it defines, under [{dialect}.forms]: \"{head}\" = \"...\", where ... is a known form like it",
                at(spot)
            )
        }
        R::Collides { name, spot, symbol: meant } => format!(
            "{}. The name {} is taken there: it means {}. Choose another name",
            shown(spot),
            in_a_line(name),
            meaning(meant)
        ),
        R::Inherited { name, space, symbol: meant } => format!(
            "{} has the name {} already, as {}. Choose another name",
            space_name(space),
            in_a_line(name),
            meaning(meant)
        ),
        R::Captured { name, spot } => format!(
            "{}. There a local binding has the name {}, so the place would mean something else. Choose another name",
            shown(spot),
            in_a_line(name)
        ),
        R::CannotTell { spot, why, more } => {
            let more: Vec<String> = more.others.iter().map(at).collect();
            let more = match more.as_slice() {
                [] => String::new(),
                more => format!(". The same of {}", first_names(more, MOST_NAMED)),
            };
            format!("{}. {}{more}", shown(spot), doubt(why, &symbol, root))
        }
        R::Unbalanced { path } => format!(
            "{}: the file has the name and does not balance, so what it means there is not known. Correct the file first ({})",
            relative(path, root),
            match skin {
                Skin::Client | Skin::Surface(_) => "lisp_check_parens shows the line",
                Skin::Shell => "`lispwright check` shows the line",
            }
        ),
        R::WouldBreak { spot } => format!("{}. The file would read differently there", shown(spot)),
    };
    format!("{reason}. Nothing was changed.")
}

/// The place and the candidates of a refusal, as fields.
pub(crate) fn facts(refusal: &RenameRefusal, root: &Path) -> Map<String, Value> {
    use RenameRefusal as R;
    let mut facts = Map::new();
    let spot: Option<&Spot> = match refusal {
        R::IsSpace(one) => Some(&one.spot),
        R::Derived { spot, .. } | R::IsSyntax { spot } | R::Collides { spot, .. } | R::NoClass { spot } => Some(spot),
        R::OfLibrary { spot }
        | R::UnknownDefiner { spot, .. }
        | R::Captured { spot, .. }
        | R::CannotTell { spot, .. }
        | R::WouldBreak { spot } => Some(spot),
        _ => None,
    };
    if let Some(spot) = spot {
        let position = json!({ "path": relative(&spot.path, root), "line": spot.line, "column": spot.column });
        facts.insert("position".to_owned(), position);
    }
    let candidates: Vec<String> = match refusal {
        R::NotDefined { nearest } => nearest.clone(),
        R::Ambiguous(all) | R::Elsewhere(all) => {
            all.iter().map(|one| format!("{}: {}", space_name(&one.symbol.space), place(&one.spot, root))).collect()
        }
        _ => Vec::new(),
    };
    if !candidates.is_empty() {
        facts.insert("candidates".to_owned(), candidates.into());
    }
    facts
}

/// Why it cannot be told whether a place has to change, and what helps.
fn doubt(why: &Doubt, symbol: &str, root: &Path) -> String {
    match why {
        Doubt::Unplaced => format!(
            "It cannot be told whether this is {symbol}: the place is known neither as a use nor as a local name. Change it by \
             hand, to the new name or to another one, and rename then"
        ),
        Doubt::Undeclared { space } => format!(
            "It cannot be told whether this is {symbol}: the package {} is used there, and no file shows all that it has",
            in_a_line(space)
        ),
        Doubt::OnePlatform => format!(
            "{symbol} is defined for one platform only, and this place is for all: elsewhere it means another {symbol}. Rename it by \
             hand, with a definition for each platform"
        ),
        Doubt::UnderCondition => format!(
            "{symbol} is a name of the language, too, and its definition here is under a condition: where that does not hold, this \
             place means the language's {symbol}. Give the definition a name of its own by hand"
        ),
        Doubt::Read => format!(
            "The code there reads all public names of its namespace, and may do something that depends on the name {symbol}. \
             Rename it by hand, and look at what that code does"
        ),
        Doubt::Image => format!(
            "The live image knows this as a use of {symbol}, and the files do not show that it is one. Change it by hand, and rename then"
        ),
        Doubt::MayMean { reason } => format!(
            "It cannot be told whether this is {symbol}: {}. Change it by hand, to the new name or to another one, and rename then",
            match reason {
                PossibleReason::MayBeLocal => "a macro may bind it there, or do something else with it",
                PossibleReason::Free =>
                    "no file that is known to be loaded there defines it, and another file without a module does",
                PossibleReason::Undeclared => "its package is declared nowhere",
                PossibleReason::Opened =>
                    "code exports names that it computes, so its package may have it from another",
                PossibleReason::Included => "the file of its definition is included in this module, too",
                PossibleReason::InSeveral =>
                    "its file is a part of several modules, and means another name in one of them",
                PossibleReason::Unread =>
                    "the module includes a file here that is not in the project, and that may use the name",
                PossibleReason::Member => "it is a part of a longer name, whose first part is a value or module",
                PossibleReason::OtherSlot =>
                    "the class of the object is not known, and another class has a slot of that name",
                PossibleReason::ByName =>
                    "it is data that may name it, or text; also: quoted, strings changes such places",
                PossibleReason::OfObject => "it is a member of an object, which may be of this class or of another",
                PossibleReason::Taken => "the form takes what has the name that it would give itself",
                PossibleReason::MakesNames => "the macro of its definition makes names from parts",
                PossibleReason::GivenOn =>
                    "a macro at top level takes it from where it is defined, and may define the name there",
                PossibleReason::Kept => "the macro of its definition exports the name, or keeps it as data",
                PossibleReason::UnknownDefiner => "nobody knows what its definer does with the name",
                PossibleReason::MayBeMade => "its definition may make this name, which nobody defines",
                PossibleReason::Computed => "the macro that is called there may make that name of this one",
                PossibleReason::NotUnderstood | PossibleReason::Special => "the form is not understood",
            }
        ),
        Doubt::Keyword => format!(
            "It cannot be told whether this keyword is {symbol} or a word of something else; also: keywords changes all of them"
        ),
        Doubt::Dynamic => format!(
            "It declares variables called {symbol} to be dynamic, and they are not the definition's. Rename those variables first"
        ),
        Doubt::SlotOrName => format!(
            "It cannot be told whether this is {symbol} or the slot of that name. Rename one of both by hand first"
        ),
        Doubt::MayBeDerived { name } => format!(
            "Nobody defines {}, so it may be made from the name {symbol} by its definition or a macro. Define it, or rename it by hand",
            in_a_line(name)
        ),
        Doubt::Free { local } => format!(
            "It is {symbol} as another kind of name than the project defines, which a macro may turn into a local one such as that \
             at {}. Rename the local names first",
            place(local, root)
        ),
        Doubt::InMacro { head } => format!(
            "It is an argument of {}, which may be a macro that binds it or takes it as data; a local variable there has the same \
             name. Rename the variable first",
            in_a_line(head)
        ),
    }
}

fn candidate(one: &Namesake, root: &Path) -> String {
    // Where files are modules, the place says it.
    let space = match one.symbol.space.starts_with("file:") {
        true => String::new(),
        false => format!(" in {}", space_name(&one.symbol.space)),
    };
    format!("\n  {}{space} at {}", in_a_line(&one.label), place(&one.spot, root))
}

/// A symbol in words.
fn meaning(symbol: &lispwright_index::Symbol) -> String {
    if symbol.name.is_empty() {
        return format!("{} itself", space_name(&symbol.space));
    }
    format!("{} in {}", in_a_line(&symbol.name), space_name(&symbol.space))
}

fn space_name(space: &str) -> String {
    match space {
        "" => "the code outside of packages".to_owned(),
        space => in_a_line(space).into_owned(),
    }
}

pub(crate) fn place(spot: &Spot, root: &Path) -> String {
    format!("{}:{}:{}", relative(&spot.path, root), spot.line, spot.column)
}

fn relative(path: &Path, root: &Path) -> String {
    in_a_line(&path.strip_prefix(root).unwrap_or(path).display().to_string()).into_owned()
}
