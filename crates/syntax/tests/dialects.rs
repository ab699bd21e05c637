//! Nothing outside of `dialects/` asks which dialect it has: what it wants to know is in the table.

mod sources;

use std::fs;

/// The line compares a dialect with one that it names.
fn asks_for_a_dialect(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    code.match_indices("Dialect::").any(|(at, name)| {
        let (before, after) = (code[..at].trim_end(), &code[at + name.len()..]);
        let variant = after.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        let is_variant = after.starts_with(|c: char| c.is_ascii_uppercase()) && !after.starts_with("ALL");
        let compared = before.ends_with("==") || before.ends_with("!=") || before.ends_with('|');
        let matched = [" =>", ") =>", " |", ", "].iter().any(|next| variant.starts_with(next));
        let is_pattern = matched && (variant.contains("=>") || before.is_empty() || before.contains("matches!("));
        is_variant && (compared || is_pattern)
    })
}

#[test]
fn only_the_tables_know_dialects_by_name() {
    let files = sources::sources();
    assert!(files.len() > 100, "{} files", files.len());
    let mut asking = Vec::new();
    for path in files.iter().filter(|path| !path.ends_with("src/dialects.rs")) {
        let text = fs::read_to_string(path).expect("sources are UTF-8");
        let product = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = product.lines().enumerate().filter(|(_, line)| asks_for_a_dialect(line));
        asking.extend(lines.map(|(number, line)| format!("{}:{}: {line}", path.display(), number + 1)));
    }
    assert_eq!(asking, [] as [String; 0], "ask Dialect::table() instead");
}

#[test]
fn questions_are_recognised() {
    for line in [
        "if dialect == Dialect::Scheme {",
        "    Dialect::Clojure | Dialect::Edn => 2,",
        "(Dialect::Scheme, _) => 1,",
        "matches!(dialect, Dialect::Clojure | Dialect::Edn)",
    ] {
        assert!(asks_for_a_dialect(line), "{line}");
    }
    for line in ["let tree = read(text, Dialect::Clojure);", "    dialect: Dialect::Scheme,", "Dialect::ALL.len()"] {
        assert!(!asks_for_a_dialect(line), "{line}");
    }
}
