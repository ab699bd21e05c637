//! Problems as a document of SARIF 2.1.0, the exchange format of static analysis.

use std::collections::HashMap;

use lispwright_edit::digest_of;
use lispwright_tools::lint::{LintAnswer, NotExaminedWhy};
use lispwright_tools::problems::Problem;
use serde_json::{Value, json};

/// The schema of the format.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The document. The fingerprint of a problem stays when lines above it change.
#[must_use]
pub fn sarif(answer: &LintAnswer, version: &str) -> Value {
    let rules: Vec<Value> = answer
        .rules
        .iter()
        .map(|rule| {
            json!({
                "id": rule.code,
                "shortDescription": {"text": rule.what},
                "fullDescription": {"text": rule.why},
                "defaultConfiguration": {"level": level(rule.level)},
            })
        })
        .collect();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let results: Vec<Value> = answer
        .problems
        .iter()
        .map(|problem| {
            let count = seen.entry(problem.identity()).or_default();
            *count += 1;
            result(problem, answer.rules.iter().position(|rule| rule.code == problem.code), *count)
        })
        .collect();
    let notes: Vec<Value> = answer
        .not_examined
        .iter()
        .filter(|one| one.why != NotExaminedWhy::Data)
        .map(|one| {
            let text = match one.why {
                NotExaminedWhy::Broken => "Forms that do not balance were not examined.",
                _ => "The file was not examined.",
            };
            json!({
                "level": "warning",
                "message": {"text": text},
                "locations": [{"physicalLocation": {"artifactLocation": artifact(&one.path)}}],
            })
        })
        .collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "lispwright", "semanticVersion": version, "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "invocations": [{"executionSuccessful": true, "toolExecutionNotifications": notes}],
            "results": results,
        }],
    })
}

fn level(name: &str) -> &str {
    if name == "hint" { "note" } else { name }
}

/// The `count`-th problem with its identity.
fn result(problem: &Problem, rule: Option<usize>, count: usize) -> Value {
    let fingerprint = digest_of(&format!("{}\n{count}", problem.identity()));
    let mut result = json!({
        "ruleId": problem.code,
        "level": level(problem.level),
        "message": {"text": problem.message},
        "locations": [{"physicalLocation": {
            "artifactLocation": artifact(&problem.path),
            "region": {
                "startLine": problem.line,
                "startColumn": problem.column,
                "endLine": problem.end_line,
                "endColumn": problem.end_column,
            },
        }}],
        "partialFingerprints": {"lispwright/v1": fingerprint},
    });
    if let Some(rule) = rule {
        result["ruleIndex"] = rule.into();
    }
    result
}

/// A file: relative to the root, which the reader knows, or absolute.
fn artifact(path: &str) -> Value {
    let uri = encoded(path);
    match path.starts_with('/') {
        true => json!({"uri": format!("file://{uri}")}),
        false => json!({"uri": uri, "uriBaseId": "%SRCROOT%"}),
    }
}

/// A path with the characters that a URI cannot have as their bytes.
fn encoded(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprints(lines: &[(u32, &str)]) -> Vec<String> {
        let problems = lines.iter().map(|(line, message)| Problem {
            code: "some-rule",
            level: "warning",
            path: "src/a b.lisp".into(),
            form: "defun f".into(),
            line: *line,
            column: 1,
            end_line: *line,
            end_column: 2,
            message: (*message).to_owned(),
            ..Problem::default()
        });
        let answer = LintAnswer { problems: problems.collect(), ..LintAnswer::default() };
        let document = sarif(&answer, "1.0.0");
        let results = document["runs"][0]["results"].as_array().expect("results");
        let uri = &results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert_eq!(uri, "src/a%20b.lisp");
        results.iter().map(|one| one["partialFingerprints"]["lispwright/v1"].to_string()).collect()
    }

    #[test]
    fn a_fingerprint_stays_when_lines_move_and_differs_for_each_problem() {
        let before = fingerprints(&[(3, "see line 9"), (4, "see line 9"), (5, "other")]);
        let after = fingerprints(&[(13, "see line 19"), (14, "see line 19"), (15, "other")]);
        assert_eq!(before, after);
        assert!(before[0] != before[1] && before[1] != before[2] && before[0] != before[2], "{before:?}");
    }
}
