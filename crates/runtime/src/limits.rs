//! Limits that code has set for its own image. With none of a resource left hardly anything works any more, and the errors
//! that follow do not say why.

/// The resources that an image cannot do without, as the kernel names them in `/proc/PID/limits`, and in our words.
const NEEDED: [(&str, &str); 5] = [
    ("Max open files", "open files"),
    ("Max address space", "memory"),
    ("Max data size", "memory for data"),
    ("Max file size", "bytes in a file"),
    ("Max processes", "processes"),
];

/// What process `pid` may not have any more, in words; nothing when it may have some of everything.
pub(crate) fn used_up(pid: i32) -> Option<String> {
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).ok()?;
    let none = none_left(&limits);
    (!none.is_empty()).then(|| {
        format!(
            "Code has set limits of its own image to 0 (setrlimit: {}), so that hardly anything works in it. A fresh image has \
             its limits again: repl_control {{\"action\": \"reset\"}}.",
            none.join(", ")
        )
    })
}

fn none_left(limits: &str) -> Vec<&'static str> {
    let soft = |line: &str, name: &str| Some(line.strip_prefix(name)?.split_whitespace().next()? == "0");
    let is_none = |name: &str| limits.lines().any(|line| soft(line, name) == Some(true));
    NEEDED.iter().filter(|(name, _)| is_none(name)).map(|(_, words)| *words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_nothing_is_found() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max core file size        0                    unlimited            bytes     \n\
                      Max open files            0                    4096                 files     \n\
                      Max processes             30                   30                   processes \n";
        assert_eq!(none_left(limits), ["open files"]);
        assert_eq!(used_up(std::process::id().try_into().unwrap_or(0)), None);
    }
}
