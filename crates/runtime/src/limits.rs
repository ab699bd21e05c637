//! Limits that code has set for its own image. When a resource is used up, hardly anything works any more, and the
//! errors that follow do not give the reason.

use lispwright_platform::{Here, System as _};

/// The resources that process `pid` has used up, in words, if there are any.
pub(crate) fn used_up(pid: i32) -> Option<String> {
    let none = Here::used_up(pid);
    (!none.is_empty()).then(|| {
        format!(
            "Code has set limits of its own image to 0 (setrlimit: {}), so that hardly anything works in it. A fresh image has \
             its limits again: repl_control {{\"action\": \"reset\"}}.",
            none.join(", ")
        )
    })
}
