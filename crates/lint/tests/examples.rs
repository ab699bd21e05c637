//! Each example of each rule: the wrong code has findings of this rule alone, the right code has none.

mod common;

use common::found;
use lispwright_lint::rules;

#[test]
fn each_example_holds() {
    let mut wrong = Vec::new();
    for rule in rules::ALL {
        let about = rule.about();
        assert!(!about.examples.is_empty(), "{} has no example", about.code);
        // A rule that is off is asked alone.
        let asked = if about.is_default { rules::defaults() } else { vec![*rule] };
        for example in about.examples {
            let findings = found(example.dialect, example.wrong, &asked);
            if findings.is_empty() || findings.iter().any(|one| one.rule != about.code) {
                wrong.push(format!("{}: {}\n{findings:?}", about.code, example.wrong));
            }
            let findings = found(example.dialect, example.right, &asked);
            if !findings.is_empty() {
                wrong.push(format!("{}, right: {}\n{findings:?}", about.code, example.right));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn codes_are_in_order_and_each_once() {
    let codes: Vec<_> = rules::ALL.iter().map(|rule| rule.about().code).collect();
    assert!(codes.is_sorted() && codes.windows(2).all(|pair| pair[0] != pair[1]), "{codes:?}");
}
