//! Text that is read with a readtable which is not known here.
//!
//! A file can say that another readtable holds from a place on, whose characters only its project knows. What does not
//! balance there may well be sound, so nothing is mended: the doubt names the readtable and the place to declare its
//! characters.

use lispwright_syntax::Language;

/// Readtables that have the characters of the language.
const KNOWN: &[&str] = &["nil", "standard", "common-lisp", "modern", "current"];

/// The doubt about fixes in texts, the later after the earlier, that select an unknown readtable. A project that has
/// declared its characters is believed.
pub(crate) fn doubt(texts: [&str; 2], language: &Language) -> Option<String> {
    if language.has_own_characters() {
        return None;
    }
    let name = texts.into_iter().flat_map(str::lines).filter_map(selected).next_back()?;
    let is_known = KNOWN.iter().any(|known| name.eq_ignore_ascii_case(known));
    (!is_known).then(|| {
        format!(
            "the file selects {name}, whose characters are not known here, so what does not balance may be sound; declare \
             them in lispwright.toml, [common-lisp.dispatch]"
        )
    })
}

/// The readtable or syntax that a form at the beginning of a line selects.
fn selected(line: &str) -> Option<&str> {
    let mut words = line.strip_prefix('(')?.split([' ', '\t', ')']).filter(|word| !word.is_empty());
    let head = words.next()?;
    let plain = head.rsplit(':').next()?.to_ascii_lowercase();
    if plain == "in-readtable" {
        return words.next().map(|name| name.trim_start_matches(['#', ':', '\'', '"']).trim_end_matches('"'));
    }
    (plain.starts_with("enable-") && plain.ends_with("-syntax")).then_some(head)
}

#[cfg(test)]
mod tests {
    use lispwright_syntax::Dialect;

    use super::*;

    #[test]
    fn the_last_readtable_that_is_selected_counts() {
        let doubt = |front: &str, text: &str| doubt([front, text], &Dialect::CommonLisp.into());
        let unknown = doubt("(in-package :a)\n(named-readtables:in-readtable :interpol-syntax)\n", "(f #?/(/)");
        assert!(unknown.is_some_and(|why| why.contains("selects interpol-syntax, ")), "the front selects it");
        let enabled = doubt("", "(cl-interpol:enable-interpol-syntax)\n(f #?/(/)");
        assert!(enabled.is_some_and(|why| why.contains("selects cl-interpol:enable-interpol-syntax, ")));
        let own = doubt("(in-readtable mine:syntax)", "");
        assert!(own.is_some_and(|why| why.contains("selects mine:syntax, ")));
        for known in
            ["(in-readtable :standard)\n", "(in-readtable nil)", "  (in-readtable :mine)", "; (in-readtable :mine)", ""]
        {
            assert_eq!(doubt(known, "(f"), None, "{known}");
        }
        assert_eq!(doubt("(in-readtable :mine)\n(in-readtable :standard)\n", "(f"), None);
    }
}
