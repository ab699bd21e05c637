//! Probes: looks at code while it runs, or at what the compiler has made of it.
//!
//! A probe is code for the image (`images/LANGUAGE/probes/`), with `{{code}}` and `{{names}}` in the places of the caller's
//! code and names. These are put in as string literals, which the image reads, so that a text that does not balance is an
//! error of its own and cannot change the probe. It is evaluated as any other code, and its answer is what it prints, and
//! the values of the caller's code. A runtime has the probes in its row; what it leaves out it lacks.

/// A kind of probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Probe {
    /// Print the calls of some functions and what they return, while code runs.
    Trace,
    /// Look at the stack many times a second, while code runs.
    Sample,
    /// Count and time all calls of some functions, while code runs.
    Count,
    /// Note which lines of the project are executed, while tests or other code run. Its names are the kind of the target,
    /// `path` or `system`, the target, and texts of lines: names of tests, the roots, the files that define systems; last, the package of the code. It is
    /// evaluated in a copy of the image, and its values are the findings.
    Cover,
    /// Show the instructions of a function.
    Disassemble,
}

impl Probe {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Trace, Self::Sample, Self::Count, Self::Cover, Self::Disassemble];

    /// Its name, for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Sample => "statistical profile",
            Self::Count => "deterministic profile",
            Self::Cover => "coverage",
            Self::Disassemble => "disassembly",
        }
    }
}

/// The probes of a runtime: each with its code.
#[derive(Clone, Copy, Debug)]
pub struct ProbeCodes {
    pub(crate) codes: &'static [(Probe, &'static str)],
}

impl ProbeCodes {
    pub(crate) const NONE: Self = Self { codes: &[] };

    /// The code of a probe for the caller's code and names; `None` if the runtime lacks the probe.
    #[must_use]
    pub fn code(&self, probe: Probe, code: &str, names: &[String]) -> Option<String> {
        let (_, template) = self.codes.iter().find(|(has, _)| *has == probe)?;
        let names: Vec<String> = names.iter().map(|name| literal(name)).collect();
        // Text that was put in is not looked at again.
        let mut filled = String::new();
        let mut rest = *template;
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((place, after)) = after.split_once("}}") else { break };
            filled.push_str(before);
            match place {
                "code" => filled.push_str(&literal(code)),
                _ => filled.push_str(&names.join(" ")),
            }
            rest = after;
        }
        filled.push_str(rest);
        Some(filled)
    }

    /// Whether the runtime has a probe.
    #[must_use]
    pub fn has(&self, probe: Probe) -> bool {
        self.codes.iter().any(|(has, _)| *has == probe)
    }
}

/// A string literal, as all these languages read it.
fn literal(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_is_a_literal_and_no_place() {
        let codes = ProbeCodes { codes: &[(Probe::Trace, "(trace (list {{names}}) {{code}})")] };
        let names = ["f".to_owned(), "(setf \"g\")".to_owned()];
        let code = codes.code(Probe::Trace, "(f \"{{names}}\\\")", &names);
        assert_eq!(code.as_deref(), Some(r#"(trace (list "f" "(setf \"g\")") "(f \"{{names}}\\\")")"#));
        assert_eq!(codes.code(Probe::Count, "1", &[]), None);
    }
}
