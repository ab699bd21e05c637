//! Problems as commands of a workflow on GitHub, which shows them beside the lines.

use lispwright_tools::lint::LintAnswer;

/// A line for each problem.
#[must_use]
pub fn github(answer: &LintAnswer) -> String {
    let mut text = String::new();
    for one in &answer.problems {
        let command = match one.level {
            "hint" => "notice",
            level => level,
        };
        let (path, title) = (property(&one.path), property(one.code));
        let (line, end_line) = (one.line, one.end_line);
        // A range of columns is only for one line.
        let columns = match line == end_line {
            true => format!(",col={},endColumn={}", one.column, one.end_column),
            false => String::new(),
        };
        text.push_str(&format!(
            "::{command} file={path},line={line},endLine={end_line}{columns},title={title}::{}\n",
            data(&one.message)
        ));
    }
    text
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use lispwright_tools::problems::Problem;

    use super::*;

    #[test]
    fn what_would_end_a_command_is_written_out() {
        let problem = Problem {
            code: "some-rule",
            level: "hint",
            path: "a,b:c.lisp".into(),
            line: 3,
            column: 2,
            end_line: 3,
            end_column: 5,
            message: "100 % wrong\n::error::".into(),
            ..Problem::default()
        };
        let answer = LintAnswer { problems: vec![problem], ..LintAnswer::default() };
        assert_eq!(
            github(&answer),
            "::notice file=a%2Cb%3Ac.lisp,line=3,endLine=3,col=2,endColumn=5,title=some-rule::100 %25 wrong%0A::error::\n"
        );
    }
}
