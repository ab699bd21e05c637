//! Limits that code has set for its own image. With none of a resource left hardly anything works any more, and the errors
//! that follow do not say why.

use lispwright_platform::{Here, System as _};

/// What process `pid` may not have any more, in words; nothing when it may have some of everything.
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
