//! Notes of a session beside its answer.

use lispwright_tools::Aside;
use lispwright_tools::image_text::one_line;

use crate::Skin;
use crate::call::control;
use crate::notice::notice_line;
use crate::stack::error_text;

/// The notes: errors of other threads, interrupted code that still runs, and other notices.
pub(crate) fn notes(aside: &Aside, skin: Skin) -> String {
    let mut text = String::new();
    for error in &aside.background {
        let thread = one_line(error.thread.as_deref().unwrap_or("unnamed"), 60);
        let became =
            if aside.theirs { "waits in the debugger of the image with an error" } else { "ended by an error" };
        text.push_str(&error_text(&format!("[thread {thread:?}] {became}:"), error));
    }
    if aside.runs_on {
        let last = match control(&aside.session, "reset", skin) {
            _ if aside.theirs => "then only its owner can".to_owned(),
            Some(reset) => format!("then a fresh image does: {reset}"),
            None => "then a fresh image does".to_owned(),
        };
        text.push_str(&format!(
            "[note] Interrupted code still runs in the image. nREPL ends it by force within five seconds, unless it catches \
             that as well; {last}.\n"
        ));
    }
    for notice in &aside.notices {
        text.push_str(&format!("[note] {}\n", notice_line(notice, &aside.session)));
    }
    let used_up = used_up(&aside.session, &aside.used_up, skin);
    text + &used_up.map(|why| format!("[note] {why}\n")).unwrap_or_default()
}

/// The note on an image whose code has set its own limits to 0.
pub(crate) fn used_up(session: &str, resources: &[&str], skin: Skin) -> Option<String> {
    let reset = control(session, "reset", skin).map(|call| format!(": {call}")).unwrap_or_default();
    (!resources.is_empty()).then(|| {
        format!(
            "Code has set limits of its own image to 0 (setrlimit: {}), so that hardly anything works in it. A fresh image has \
             its limits again{reset}.",
            resources.join(", ")
        )
    })
}
