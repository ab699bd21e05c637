//! Names that are similar to a mistyped name.

use std::cmp::Reverse;

use cap_std::fs::Dir;

/// At most this many names in one directory are compared.
const MAX_NAMES: usize = 10_000;

/// At most this many names are offered.
const MAX_OFFERED: usize = 5;

/// Names in `dir` that look like `name`, best first: by number of single-character slips, letter case ignored.
pub(crate) fn nearest_names(dir: &Dir, name: &str) -> Vec<String> {
    let wanted: Vec<char> = name.to_lowercase().chars().collect();
    let allowed = (wanted.len() / 3).max(2);
    let mut scored: Vec<(usize, String)> = names(dir)
        .filter_map(|candidate| {
            let chars: Vec<char> = candidate.to_lowercase().chars().collect();
            let same_stem = stem(&candidate).eq_ignore_ascii_case(stem(name));
            let slips = slips(&wanted, &chars, allowed.max(3));
            match slips {
                Some(n) if n <= allowed => Some((n, candidate)),
                _ if same_stem => Some((allowed, candidate)),
                _ => None,
            }
        })
        .collect();
    scored.sort();
    scored.into_iter().map(|(_, name)| name).take(MAX_OFFERED).collect()
}

/// Some visible names in `dir`, files with a suffix first.
pub(crate) fn some_names(dir: &Dir) -> Vec<String> {
    let mut all: Vec<String> = names(dir).filter(|name| !name.starts_with('.')).collect();
    all.sort_by_key(|name| (Reverse(name.contains('.')), name.clone()));
    all.truncate(MAX_OFFERED);
    all
}

fn names(dir: &Dir) -> impl Iterator<Item = String> {
    dir.entries()
        .into_iter()
        .flatten()
        .take(MAX_NAMES)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| !crate::stage::is_staging_name(name))
}

fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`; `None` above `limit`.
fn slips(a: &[char], b: &[char], limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &ca) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        for (j, &cb) in b.iter().enumerate() {
            let mut cost = (last[j] + usize::from(ca != cb)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && ca == b[j - 1] && a[i - 1] == cb {
                cost = cost.min(before[j - 1] + 1);
            }
            row.push(cost);
        }
        before = std::mem::replace(&mut last, row);
    }
    let total = last[b.len()];
    (total <= limit).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::slips;

    #[track_caller]
    fn check(a: &str, b: &str, expected: Option<usize>) {
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        assert_eq!(slips(&a, &b, 3), expected);
        assert_eq!(slips(&b, &a, 3), expected);
    }

    #[test]
    fn counts_single_character_slips() {
        check("main.lisp", "main.lisp", Some(0));
        check("main.lisp", "mian.lisp", Some(1));
        check("main.lisp", "man.lisp", Some(1));
        check("main.lisp", "nain.lips", Some(2));
        check("main.lisp", "other.scm", None);
        check("", "abc", Some(3));
    }
}
