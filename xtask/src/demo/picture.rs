//! The demo as a moving picture: some of its calls with their answers, one after the other, in an SVG that every browser
//! plays without a script.

use std::fmt::Write as _;

/// A call and its answer.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// What the agent wants.
    pub(crate) goal: String,
    /// The tool and its arguments.
    pub(crate) call: Vec<String>,
    /// The lines of the answer.
    pub(crate) answer: Vec<String>,
    pub(crate) refused: bool,
}

/// The seconds that a frame is seen, and those before its answer comes.
const SEEN: usize = 8;
const WAITS: usize = 2;
/// The characters of a line, and the lines of an answer.
const COLUMNS: usize = 104;
const LINES: usize = 16;
/// A character's width and a line's height.
const CELL: (f64, usize) = (7.8, 19);

/// The picture of these frames.
pub(crate) fn picture(frames: &[Frame]) -> String {
    let whole = frames.len().max(1) * SEEN;
    let rows = frames.iter().map(|frame| 3 + frame.call.len() + frame.answer.len().min(LINES + 1)).max().unwrap_or(1);
    let (width, height) = ((COLUMNS as f64 * CELL.0) as usize + 32, rows * CELL.1 + 32);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"ui-monospace, Menlo, Consolas, \
         monospace\" font-size=\"13\">\n<title>A coding agent's calls and their answers</title>\n<style>\n.goal{{fill:#8b949e;font-style:italic}}.call{{fill:#79c0ff}}.text{{fill:#e6edf3}}\
         .done{{fill:#7ee787}}.refused{{fill:#ff7b72}}\n"
    );
    let percent = |seconds: usize| seconds as f64 * 100.0 / whole as f64;
    for (number, _) in frames.iter().enumerate() {
        let (start, end) = (number * SEEN, (number + 1) * SEEN);
        for (name, from) in [("f", start), ("a", start + WAITS)] {
            let (from, to) = (percent(from), percent(end));
            let _ = writeln!(
                out,
                "@keyframes {name}{number}{{0%{{opacity:{}}}{from:.3}%{{opacity:1}}{to:.3}%{{opacity:0}}100%{{opacity:0}}}}\
                 .{name}{number}{{opacity:0;animation:{name}{number} {whole}s step-end infinite}}",
                u8::from(from == 0.0)
            );
        }
    }
    let _ = writeln!(out, "</style>\n<rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#0d1117\"/>");
    for (number, frame) in frames.iter().enumerate() {
        let mut row = 0;
        let mut line = |out: &mut String, class: &str, text: &str| {
            row += 1;
            let _ = writeln!(
                out,
                "<text class=\"{class}\" x=\"16\" y=\"{}\" xml:space=\"preserve\">{}</text>",
                16 + row * CELL.1,
                escaped(text)
            );
        };
        let _ = writeln!(out, "<g class=\"f{number}\">");
        line(&mut out, "goal", &frame.goal);
        for (index, text) in frame.call.iter().enumerate() {
            line(&mut out, if index == 0 { "call" } else { "text" }, text);
        }
        let _ = writeln!(out, "<g class=\"a{number}\">");
        let (class, verdict) = if frame.refused { ("refused", "<-- refused") } else { ("done", "<-- answer") };
        line(&mut out, class, verdict);
        for text in frame.answer.iter().take(LINES) {
            line(&mut out, "text", &format!("    {text}"));
        }
        if frame.answer.len() > LINES {
            line(&mut out, "goal", "    ...");
        }
        out.push_str("</g>\n</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// The text as XML, cut to a line of the picture.
fn escaped(text: &str) -> String {
    let mut line: String = text.chars().take(COLUMNS).collect();
    if text.chars().nth(COLUMNS).is_some() {
        line.pop();
        line.push('…');
    }
    line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_frame_is_seen_in_its_turn() {
        let frame = |goal: &str, refused| Frame {
            goal: goal.into(),
            call: vec!["--> repl_eval".into(), "      code: (< 1 & 2)".into()],
            answer: (0..20).map(|number| format!("{number} {}", "x".repeat(200))).collect(),
            refused,
        };
        let text = picture(&[frame("one", false), frame("two", true)]);
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"), "{text}");
        assert!(text.contains("(&lt; 1 &amp; 2)") && text.contains("&lt;-- refused"), "{text}");
        assert!(text.contains("@keyframes f0{0%{opacity:1}0.000%{opacity:1}50.000%{opacity:0}"), "{text}");
        assert!(text.contains("@keyframes a1{0%{opacity:0}62.500%{opacity:1}100.000%"), "{text}");
        assert_eq!(text.matches(">    15 ").count(), 2);
        assert_eq!(text.matches(">    16 ").count(), 0);
        assert!(text.lines().all(|line| line.chars().count() < 320), "{text}");
    }
}
