//! Names in a live image: their meanings, definitions and references, and the exports of modules.

use lispwright_runtime::MAIN;
use lispwright_tools::code_describe::{DescribeAnswer, Meaning, Sense};
use lispwright_tools::code_exports::{Export, ExportsAnswer};
use lispwright_tools::code_find::{FileHit, FindAnswer};
use lispwright_tools::code_find_references::{
    CallSite, Direction, Mention, PlaceThere, ReferencesAnswer, VerdictThere,
};
use lispwright_tools::eval_answer::output_limit;
use lispwright_tools::image_text::{fence, one_line, start_of_fenced};
use lispwright_tools::{Aside, NextCall, Origin};

use crate::Skin;
use crate::aside::notes;
use crate::call::{spoken, template};
use crate::rendering::counted;

/// Definitions shown.
const MOST_DEFINITIONS: usize = 50;

/// Places shown of one form.
const MOST_SITES: usize = 5;

/// Names of tests that are shown: the nearest.
const MOST_TESTS: usize = 4;

/// Uses that are few enough to tell mentions with them.
const FEW: usize = 5;

/// Possible uses and mentions that are shown.
const MOST_POSSIBLE: usize = 20;
const MOST_MENTIONS: usize = 10;

/// Files that are named in one line.
const MOST_FILES: usize = 20;

/// Forms that are shown with a verdict.
const MOST_WITH_VERDICT: usize = 10;

/// Names of files that were not looked into.
const MOST_LEFT_OUT: usize = 5;

/// Methods listed in a description.
const MOST_METHODS: usize = 30;

/// Characters of the first line of a documentation string in a list.
const DOCUMENTATION: usize = 120;

/// The definitions of a name.
pub(crate) fn found(answer: &FindAnswer, skin: Skin) -> String {
    let name = one_line(&answer.symbol, 200);
    let mut text = match answer.definitions.len() {
        0 if answer.narrowed => format!("{name} is not defined there.\n"),
        0 if answer.aside.is_none() => match &answer.no_package {
            Some(package) => no_package(&name, package, answer.files, &answer.nearest),
            None => undefined(&name, "not defined", answer.files, &answer.nearest),
        },
        0 => {
            let mut kinds: Vec<&str> = answer.kinds.iter().map(String::as_str).collect();
            kinds.dedup();
            let more = match spoken(&NextCall::to("code_describe").with("symbol", name.as_str()), skin) {
                Some(call) => format!(" {call} says what the live image knows."),
                None => String::new(),
            };
            format!(
                "{name} ({}) has no place in a file of the project: it was evaluated, or comes with the runtime.{more}\n",
                one_line(&kinds.join(", "), 200)
            )
        }
        1 => format!("{name} is defined at\n"),
        several => format!("{name} has {several} definitions:\n"),
    };
    let is_mixed = answer.definitions.iter().any(|other| other.source != Origin::Live);
    for FileHit { path, line, label, source, package, .. } in answer.definitions.iter().take(MOST_DEFINITIONS) {
        let alone = if is_mixed && *source == Origin::Live { " (known to the image alone)" } else { "" };
        let package = package.as_deref().filter(|_| answer.definitions.len() > 1);
        let package = package.map(|package| format!("  in {}", one_line(package, 100))).unwrap_or_default();
        text.push_str(&format!("{}: {}{package}{alone}\n", place(path, [*line, None]), one_line(label, 260)));
    }
    if answer.definitions.len() > MOST_DEFINITIONS {
        let more = answer.definitions.len() - MOST_DEFINITIONS;
        text.push_str(&format!("[note] {more} more are left out; narrow them with path.\n"));
    }
    text.push_str(&not_looked_into(&answer.left_out, &answer.ignored));
    text + &answer.aside.as_ref().map(|aside| notes(aside, skin)).unwrap_or_default()
}

/// No file of the project declares the package; the name is defined in `homes`.
fn no_package(name: &str, package: &str, files: usize, homes: &[String]) -> String {
    let homes = match homes {
        [] => format!(" {name} is not defined in the project either."),
        homes => format!(" {name} is defined in {}.", one_line(&homes.join(", "), 300)),
    };
    let package = one_line(package, 100);
    format!("{package} is no package of the project ({}), and no image runs.{homes}\n", counted(files, "file"))
}

/// What the answer does not know of, because it was not read.
pub(crate) fn not_looked_into(left_out: &[String], ignored: &[String]) -> String {
    let named = |names: &[String]| {
        let more = names.len().saturating_sub(MOST_LEFT_OUT);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        one_line(&names[..names.len().min(MOST_LEFT_OUT)].join(", "), 300) + &rest
    };
    let mut parts = Vec::new();
    if !left_out.is_empty() {
        parts.push(format!("{}, too large, no text, or in a notation that is not read by form", named(left_out)));
    }
    if !ignored.is_empty() {
        parts.push(format!("{}, as ignore files say", named(ignored)));
    }
    if parts.is_empty() { String::new() } else { format!("[note] Not looked into: {}.\n", parts.join("; ")) }
}

/// No file of the project defines the name: it is `what` there.
pub(crate) fn undefined(name: &str, what: &str, files: usize, nearest: &[String]) -> String {
    let like = match nearest {
        [] => String::new(),
        names => format!(" Nearest: {}.", one_line(&names.join(", "), 300)),
    };
    format!("{name} is {what} in the project ({}), and no image runs.{like}\n", counted(files, "file"))
}

/// Where a name stands that nothing defines.
fn written(answer: &ReferencesAnswer) -> String {
    match answer.written.as_slice() {
        [] => String::new(),
        places => {
            format!("It is written as a local name, in data or in text: {}.\n", one_line(&places.join(", "), 300))
        }
    }
}

/// `1 file was`, `2 files were`.
fn are(count: usize, what: &str) -> String {
    format!("{} {}", counted(count, what), if count == 1 { "was" } else { "were" })
}

/// The meanings of a name.
pub(crate) fn described(answer: &DescribeAnswer, skin: Skin) -> String {
    let mut text = headline(answer);
    let mut methods = 0;
    for meaning in &answer.meanings {
        let is_method = meaning.sense.kind.as_deref() == Some("method");
        methods += usize::from(is_method);
        if !is_method || methods <= MOST_METHODS {
            text.push_str(&meaning_text(meaning, is_method));
        }
    }
    if methods > MOST_METHODS {
        text.push_str(&format!("[note] {} more methods are left out.\n", methods - MOST_METHODS));
    }
    let (mut text, cut) = start_of_fenced(&text, output_limit(None));
    if cut > 0 {
        text.push_str(&format!("[note] {cut} characters are left out.\n"));
    }
    text + &answer.aside.as_ref().map(|aside| notes(aside, skin)).unwrap_or_default()
}

/// `FARM:AREA, exported`.
fn headline(answer: &DescribeAnswer) -> String {
    let exported = match (&answer.package, answer.exported) {
        (Some(home), Some(true)) => format!(", exported from {}", one_line(home, 100)),
        (Some(home), Some(false)) => format!(", internal to {}", one_line(home, 100)),
        (Some(home), None) => format!(", of {}", one_line(home, 100)),
        (None, _) => String::new(),
    };
    format!("{}{exported}\n", fence(&one_line(&answer.name, 200)))
}

/// A meaning. The name of a method already has its parameters.
fn meaning_text(meaning: &Meaning, is_method: bool) -> String {
    let Sense { kind, arglist, documentation, path, line, facts } = &meaning.sense;
    let mut text = format!("[{}] {}", one_line(kind.as_deref().unwrap_or_default(), 60), one_line(&meaning.name, 200));
    let mut arglists = arglist.iter().filter(|_| !is_method).flat_map(|lists| lists.split('\n'));
    if let Some(first) = arglists.next() {
        text.push_str(&format!(" {}", one_line(first, 500)));
    }
    if let Some(path) = path {
        text.push_str(&format!("  {}", place(path, [*line, None])));
    }
    text.push('\n');
    for more in arglists {
        text.push_str(&format!("or {}\n", one_line(more, 500)));
    }
    for fact in facts {
        text.push_str(&format!("{}: {}\n", one_line(&fact.name, 60), one_line(&fact.text, 600)));
    }
    if let Some(documentation) = documentation {
        text.push_str(&fence(documentation.trim_end()));
        text.push('\n');
    }
    text
}

/// What leaves uses out.
fn filters(skin: Skin, joined: &str) -> String {
    match skin {
        Skin::Shell => format!("--path, --kind {joined} --tests"),
        Skin::Client | Skin::Surface(_) => format!("path, kinds {joined} tests_only"),
    }
}

/// The tests that reach a name: the first that have names of their own, and how many there are.
fn tests_text(answer: &ReferencesAnswer) -> String {
    let Some(first) = answer.tests.first() else { return String::new() };
    let at = place(&first.path, [Some(first.line), None]);
    let mut names: Vec<String> = Vec::new();
    for name in answer.tests.iter().filter(|test| !test.name.is_empty()).map(|test| one_line(&test.name, 80)) {
        if names.len() < MOST_TESTS && !names.contains(&name) {
            names.push(name);
        }
    }
    let names = names.join(", ");
    let count = counted(answer.test_count, "test");
    match (names.is_empty(), answer.test_count) {
        (false, ..=MOST_TESTS) => format!("Tests that reach it: {names} (the first at {at})\n"),
        (false, _) => format!("{count} reach it, nearest: {names} (the first at {at})\n"),
        (true, 1) => format!("1 test reaches it, at {at}\n"),
        (true, _) => format!("{count} reach it (the first at {at})\n"),
    }
}

/// The references to a name, or from it.
pub(crate) fn references(answer: &ReferencesAnswer, skin: Skin) -> String {
    let name = one_line(&answer.symbol, 200);
    let mut text = answer.verdict.as_ref().map(verdict_text).unwrap_or_default();
    text.push_str(&match (answer.count, answer.direction) {
        (0, _) => no_references(answer, &name),
        (count, Direction::Callers) if !answer.from_files && answer.aside.is_none() && answer.thing.is_none() => {
            format!("The project does not define {name}, and uses it in {}:\n", counted(count, "form"))
        }
        (count, Direction::Callers) => {
            let by = if answer.from_files || answer.thing.is_some() { "" } else { ", as the live image knows it" };
            let forms = if answer.places > 1 { format!(" in {}", counted(count, "form")) } else { String::new() };
            format!("{} of {}{forms}{by}:\n", tally(answer), thing_text(answer, &name))
        }
        (count, Direction::Callees) => format!("{name} uses {} of the project:\n", counted(count, "name")),
    });
    let (inside, refs): (Vec<&Mention>, Vec<&Mention>) =
        answer.refs.iter().partition(|one| answer.thing.is_some() && matches!(&*one.kind, "in" | "qualified"));
    let shown = if answer.verdict.is_some() { MOST_WITH_VERDICT } else { refs.len() };
    for mention in refs.iter().take(shown) {
        text.push_str(&mention_text(mention, answer.direction, answer.from_files || answer.thing.is_some()));
    }
    text.push_str(&inside_text(&inside));
    if refs.len() > shown {
        text.push_str(&format!("and {}\n", counted(answer.count - shown, "more form")));
    }
    text.push_str(&doubts_text(answer));
    let (mut text, cut) = start_of_fenced(&text, output_limit(None));
    if answer.truncated && answer.verdict.is_none() {
        let next = NextCall::to("code_find_references").with("symbol", name.as_str()).with("offset", answer.end);
        let next = spoken(&next, skin).map(|call| format!(": {call}")).unwrap_or_default();
        let more = counted(answer.count - answer.end, "more form");
        text.push_str(&format!("[note] {more}{next}; {} narrow them.\n", filters(skin, "and")));
    } else if cut > 0 {
        text.push_str(&format!("[note] More are left out; {} narrow them.\n", filters(skin, "and")));
    }
    text.push_str(&tests_text(answer));
    if answer.filtered > 0 && answer.count > 0 {
        let (uses, filters) = (counted(answer.filtered, "use"), filters(skin, "or"));
        text.push_str(&format!("[note] {uses} did not pass {filters}.\n"));
    }
    if answer.is_also_thing {
        let next = NextCall::to("code_find_references").with("symbol", format!("\"{name}\"").as_str());
        let next = spoken(&next, skin).map(|call| format!(": {call}")).unwrap_or_default();
        text.push_str(&format!("[note] Files also name a package, system or feature so{next}\n"));
    }
    text.push_str(&not_looked_into(&answer.left_out, &answer.ignored));
    let outside = answer.outside_project;
    if outside > 0 {
        text.push_str(&format!("[note] {outside} more outside the project; project_only false shows them.\n"));
    }
    let Some(aside) = &answer.aside else { return text };
    if !answer.from_files {
        text.push_str(&unknown_to_image(answer, aside, skin));
    }
    text + &notes(aside, skin)
}

/// The files that are in a package, and those that write its name before names.
fn inside_text(mentions: &[&Mention]) -> String {
    let mut text = String::new();
    for (kind, head) in [("in", "In it"), ("qualified", "Names written with it")] {
        let mut files: Vec<(&str, usize)> = Vec::new();
        for mention in mentions.iter().filter(|one| one.kind == kind) {
            let path = mention.path.as_deref().unwrap_or_default();
            match files.iter_mut().find(|(known, _)| *known == path) {
                Some((_, count)) => *count += mention.call_sites.len(),
                None => files.push((path, mention.call_sites.len())),
            }
        }
        let named = files.iter().take(MOST_FILES).map(|(path, count)| match count {
            1 => one_line(path, 200),
            count => format!("{} ({count})", one_line(path, 200)),
        });
        let named = named.collect::<Vec<_>>().join(", ");
        let more = files.len().saturating_sub(MOST_FILES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        if !files.is_empty() {
            text.push_str(&format!("{head}, {}: {named}{more}\n", counted(files.len(), "file")));
        }
    }
    text
}

/// `3 uses, 2 possible, 1 mention`: what is not there is said where the rest is little.
fn tally(answer: &ReferencesAnswer) -> String {
    let mut parts = vec![counted(answer.places, "use")];
    let is_little = answer.places <= FEW;
    if answer.unresolved > 0 || answer.places == 0 {
        parts.push(format!("{} possible", answer.unresolved));
    }
    if is_little && (answer.mention_count > 0 || answer.places == 0) {
        parts.push(counted(answer.mention_count, "mention"));
    }
    parts.join(", ")
}

/// The name with what it is, and where it is declared.
fn thing_text(answer: &ReferencesAnswer, name: &str) -> String {
    let Some(thing) = &answer.thing else { return name.to_owned() };
    let declared = match thing.declared.first() {
        Some(first) => format!(" ({})", place(&first.path, [Some(first.line), None])),
        None if thing.kinds == ["keyword"] => String::new(),
        None => " (not declared in the project)".to_owned(),
    };
    format!("{} {name}{declared}", thing.kinds.join(", "))
}

/// The possible uses, and the mentions where there is little else.
fn doubts_text(answer: &ReferencesAnswer) -> String {
    let mut text = String::new();
    let mut list = |head: &str, places: &[PlaceThere], count: usize, most: usize| {
        if count == 0 {
            return;
        }
        text.push_str(&format!("{head}:\n"));
        for one in places.iter().take(most) {
            let at = place(&one.path, [Some(one.line), Some(one.column)]);
            text.push_str(&format!("{at}: {}: {}\n", one.kind, one_line(&one.context, 160)));
        }
        if count > most.min(places.len()) {
            text.push_str(&format!("and {} more\n", count - most.min(places.len())));
        }
    };
    list("Possible uses", &answer.possible, answer.unresolved, MOST_POSSIBLE);
    if answer.places <= FEW || answer.verdict.is_some() {
        list("Mentions", &answer.mentions, answer.mention_count, MOST_MENTIONS);
    }
    text
}

/// `Verdict: used. 12 uses (4 in tests), 1 export, 0 possible, 2 mentions.`
fn verdict_text(verdict: &VerdictThere) -> String {
    let tests = match verdict.test_uses {
        0 => String::new(),
        tests if tests == verdict.uses => " (all in tests)".to_owned(),
        tests => format!(" ({tests} in tests)"),
    };
    let mut parts = vec![format!("{}{tests}", counted(verdict.uses, "use"))];
    parts.extend((verdict.own_uses > 0).then(|| format!("{} in its own definition", verdict.own_uses)));
    parts.push(counted(verdict.exports, "export"));
    parts.push(format!("{} possible", verdict.possible));
    parts.push(counted(verdict.mentions, "mention"));
    parts.extend((verdict.prose > 0).then(|| format!("{} in comments and docstrings", verdict.prose)));
    let mut text = format!("Verdict: {}. {}.", verdict.verdict, parts.join(", "));
    if let Some(role) = verdict.role {
        let what = match role {
            "main" => "a main function",
            "public" => "public",
            "method" => "a method",
            "command" => "a command",
            _ => "a test",
        };
        text.push_str(&format!(" It is {what}."));
    }
    if !verdict.derived.is_empty() {
        let derived = verdict.derived.iter().map(|one| format!("{} {}", one_line(&one.name, 80), one.uses));
        text.push_str(&format!(" Also falls, with uses: {}.", derived.collect::<Vec<_>>().join(", ")));
    }
    text + "\n"
}

/// The places that the image does not know of.
fn unknown_to_image(answer: &ReferencesAnswer, aside: &Aside, skin: Skin) -> String {
    let mut text = String::new();
    if let Some(first) = answer.not_known.first() {
        let next = spoken(&NextCall::to("load_system").with("path", first.as_str()), skin);
        let next = next.map(|call| format!(" {call} compiles one.")).unwrap_or_default();
        text.push_str(&format!(
            "[note] References in these files are not known, because they were not compiled in this image: {}.{next}\n",
            one_line(&answer.not_known.join(", "), 500)
        ));
    }
    let not_looked_at = aside.runtime.words.not_looked_at;
    if !not_looked_at.is_empty() {
        let mentions = template("lisp_read_file", "\"path\": FILE, \"content_pattern\": NAME", MAIN, skin);
        let mentions = mentions.map(|call| format!(" {call} shows mentions in a file.")).unwrap_or_default();
        text.push_str(&format!("[note] Not looked at: {not_looked_at}.{mentions}\n"));
    }
    text
}

/// Why there is nothing to show.
fn no_references(answer: &ReferencesAnswer, name: &str) -> String {
    match answer.direction {
        _ if answer.filtered > 0 => {
            let uses = counted(answer.filtered, "use");
            format!("No use of {name} passes path, kinds and tests_only; without them there would be {uses}.\n")
        }
        _ if !answer.from_files && answer.aside.is_none() && answer.thing.is_none() => match &answer.no_package {
            Some(package) => no_package(name, package, answer.files, &answer.nearest),
            None => undefined(name, "not defined", answer.files, &answer.nearest) + &written(answer),
        },
        Direction::Callers if answer.thing.is_none() && !answer.from_files && answer.outside_project > 0 => {
            format!("The live image knows no reference to {name} in the project.\n")
        }
        Direction::Callers if answer.thing.is_none() && !answer.from_files => {
            format!("The live image knows no reference to {name}, which does not mean that there is none.\n")
        }
        Direction::Callees => format!("{name} uses no name that the project defines.\n"),
        Direction::Callers if answer.unresolved + answer.mention_count > 0 => {
            format!("{} of {}\n", tally(answer), thing_text(answer, name))
        }
        Direction::Callers => {
            let others =
                if answer.texts > 0 { format!(" and {}", counted(answer.texts, "other text")) } else { String::new() };
            let files = counted(answer.files, "Lisp file");
            let what = thing_text(answer, name);
            let same = match answer.others {
                0 => String::new(),
                others => format!("; {} of that spelling mean something else", counted(others, "symbol")),
            };
            let head = match answer.left_out.len() {
                0 => format!("Nothing uses {what}"),
                count => format!("Nothing is known to use {what}, and {} not read", are(count, "file")),
            };
            format!("{head}: 0 possible, 0 mentions in {files}{others}{same}.\n")
        }
    }
}

/// A form on a line; where it has several places, with each on a line of its own.
fn mention_text(mention: &Mention, direction: Direction, from_files: bool) -> String {
    let label = one_line(&mention.label, 200);
    let Some(path) = &mention.path else { return format!("(evaluated, in no file): {} in {label}\n", mention.kind) };
    let step = if mention.depth > 1 { format!(" [step {}]", mention.depth) } else { String::new() };
    if direction == Direction::Callees {
        let via = mention.via.as_ref().map(|name| format!("{} of ", one_line(name, 100))).unwrap_or_default();
        return format!("{}: {via}{label} ({}){step}\n", place(path, [mention.line, None]), mention.kind);
    }
    let origin = if mention.source == Origin::Live && from_files { " (known to the image alone)" } else { "" };
    let via = mention.via.as_ref().map(|name| format!(" of {}", one_line(name, 100))).unwrap_or_default();
    let around = if label.is_empty() { " at top level".to_owned() } else { format!(" in {label}") };
    let shown = |site: &CallSite| if site.context.is_empty() { String::new() } else { format!(": {}", site.context) };
    if let [site] = mention.call_sites.as_slice() {
        let at = place(path, [site.line, site.column]);
        return format!("{at}: {}{via}{around}{step}{origin}{}\n", site.kind, shown(site));
    }
    // Two uses on one line are one line.
    let mut lines: Vec<(&CallSite, String)> = Vec::new();
    for site in &mention.call_sites {
        let column = site.column.map(|column| column.to_string()).unwrap_or_default();
        match lines
            .last_mut()
            .filter(|(last, _)| last.line == site.line && last.kind == site.kind && last.line.is_some())
        {
            Some((_, columns)) => columns.push_str(&format!(",{column}")),
            None => lines.push((site, column)),
        }
    }
    if let [(site, columns)] = lines.as_slice() {
        let at = place(path, [site.line, None]);
        return format!("{at}:{columns}: {}{via}{around}{step}{origin}{}\n", site.kind, shown(site));
    }
    let uses = counted(mention.call_sites.len(), "use");
    let mut text = format!("{}: {uses}{via}{around}{step}{origin}\n", place(path, [mention.line, None]));
    for (site, columns) in lines.iter().take(MOST_SITES) {
        let line = site.line.map(|line| format!("{line}:")).unwrap_or_default();
        text.push_str(&format!("  {line}{columns}: {}{}\n", site.kind, shown(site)));
    }
    if lines.len() > MOST_SITES {
        text.push_str(&format!("  and {} more\n", lines.len() - MOST_SITES));
    }
    text
}

/// The exports of a module.
pub(crate) fn exports(answer: &ExportsAnswer, skin: Skin) -> String {
    let name = one_line(&answer.module, 200);
    let mut text = match answer.total {
        0 => format!("{name} exports nothing.\n"),
        1 => format!("{name} exports 1 name:\n"),
        total => format!("{name} exports {total} names:\n"),
    };
    for export in &answer.exports {
        text.push_str(&export_text(export));
    }
    let (mut text, cut) = start_of_fenced(&text, output_limit(None));
    if cut > 0 {
        text.push_str(&format!("[note] {cut} characters are left out; ask for fewer with limit.\n"));
    } else if answer.truncated {
        let next = NextCall::to("code_exports").with("module", answer.module.as_str()).with("offset", answer.end);
        let next = spoken(&next, skin).map(|call| format!(": {call}")).unwrap_or_default();
        text.push_str(&format!("[note] {} more{next}\n", answer.total - answer.end));
    }
    text + &answer.aside.as_ref().map(|aside| notes(aside, skin)).unwrap_or_default()
}

/// `procedure crop (x)  farm/field.scm:2  Grows one.`
fn export_text(export: &Export) -> String {
    let mut text = format!("{} {}", one_line(&export.kind, 60), one_line(&export.name, 200));
    if let Some(arglist) = &export.arglist {
        let lists: Vec<String> = arglist.split('\n').map(|list| one_line(list, 300)).collect();
        text.push_str(&format!(" {}", lists.join(" or ")));
    }
    if let Some(from) = &export.from {
        text.push_str(&format!("  from {}", one_line(from, 100)));
    }
    if let Some(path) = &export.path {
        text.push_str(&format!("  {}", place(path, [export.line, None])));
    }
    if let Some(documentation) = &export.documentation {
        text.push_str(&format!("  {}", one_line(documentation, DOCUMENTATION)));
    }
    text + "\n"
}

/// `path:line:column` as far as it is known.
fn place(path: &str, numbers: [Option<u32>; 2]) -> String {
    let numbers: String = numbers.into_iter().flatten().map(|number| format!(":{number}")).collect();
    one_line(path, 300) + &numbers
}
