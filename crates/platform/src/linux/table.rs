//! The process table, `proc(5)`.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read as _;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use crate::{Process, ThreadTurns};

/// The bytes of an environment that are read: a process may change its own to any length (`PR_SET_MM_MAP`).
const LONGEST: usize = 256 << 10;

/// The time that the kernel may take to replace the program of a process (`execve(2)`).
const LONGEST_START: Duration = Duration::from_millis(500);

/// The time between two questions about such a process.
const PAUSE: Duration = Duration::from_millis(1);

/// The ticks by which the computed age of a process may be too high.
const SLACK: u64 = 5;

/// The number of descriptors that one search covers.
const MOST_DESCRIPTORS: usize = 20_000;

/// The resources that an image needs, with the kernel's names in `/proc/PID/limits` and with ours.
const NEEDED: [(&str, &str); 5] = [
    ("Max open files", "open files"),
    ("Max address space", "memory"),
    ("Max data size", "memory for data"),
    ("Max file size", "bytes in a file"),
    ("Max processes", "processes"),
];

/// A process that has just started another program has no environment yet, so it is asked again.
pub(super) fn carriers(entry: &[u8]) -> Vec<Pid> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let number = |process: std::fs::DirEntry| process.file_name().to_str().and_then(|name| name.parse().ok());
    let mut asked: Vec<Pid> = processes.filter_map(number).filter_map(Pid::from_raw).collect();
    let mut found = Vec::new();
    let mut bytes = vec![0; LONGEST];
    let deadline = Instant::now() + LONGEST_START;
    loop {
        asked.retain(|pid| match environment(*pid, &mut bytes) {
            Some([]) => !has_no_environment(*pid),
            Some(entries) => {
                found.extend(memchr::memmem::find(entries, entry).map(|_| *pid));
                false
            }
            None => false,
        });
        if asked.is_empty() || Instant::now() > deadline {
            return found;
        }
        std::thread::sleep(PAUSE);
    }
}

/// The environment of a process, in `bytes`, by a single read: between two reads it may start another program.
fn environment(pid: Pid, bytes: &mut [u8]) -> Option<&[u8]> {
    let mut file = File::open(format!("/proc/{}/environ", pid.as_raw_nonzero())).ok()?;
    let count = file.read(bytes).ok()?;
    bytes.get(..count)
}

/// Whether a process has no environment until it starts another program. The kernel first makes the memory for a
/// program, then the begin of the environment, then its end; no process sleeps in between.
fn has_no_environment(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    stat.map_or(true, |stat| says_no_environment(&stat))
}

fn says_no_environment(stat: &str) -> bool {
    let Some((_, rest)) = stat.rsplit_once(") ") else { return true };
    let mut fields = rest.split_whitespace();
    let (state, memory) = (fields.next(), fields.nth(19));
    let (start, end) = (fields.nth(26), fields.next());
    memory.is_none_or(|size| size == "0") || state == Some("S") && start == end && end != Some("0")
}

/// The children of all threads of a process, if the kernel lists them.
pub(super) fn children(pid: i32) -> Vec<i32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()).collect()
}

/// The entry of `proc_pid_stat` for a process that has not ended.
pub(super) fn process(pid: i32) -> Option<Process> {
    parse_stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

fn parse_stat(stat: &str) -> Option<Process> {
    // The name, in parentheses, may contain anything.
    let (_, rest) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    if matches!(*fields.first()?, "Z" | "X") {
        return None;
    }
    let pages: u64 = fields.get(21)?.parse().ok()?;
    let page_kb = rustix::param::page_size() as u64 / 1024;
    Some(Process {
        parent: fields.get(1)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
        resident_kb: pages * page_kb,
    })
}

pub(super) fn is_young(pid: Pid, recent: Duration) -> bool {
    let Some(now) = uptime_ticks() else { return false };
    let ticks = recent.as_millis() as u64 * rustix::param::clock_ticks_per_second() / 1000;
    // Both clocks are rounded down to ticks, and were not read at the same moment.
    let since = now.saturating_sub(ticks + SLACK);
    process(pid.as_raw_nonzero().get()).is_some_and(|process| process.started >= since)
}

/// The time since the machine started, in the ticks of `proc_pid_stat`.
fn uptime_ticks() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/uptime").ok()?;
    let (seconds, rest) = text.split_once('.')?;
    let hundredths = rest.split(' ').next()?;
    let milliseconds = seconds.parse::<u64>().ok()? * 1000 + hundredths.parse::<u64>().ok()? * 10;
    Some(milliseconds * rustix::param::clock_ticks_per_second() / 1000)
}

/// Proportional shares (`proc_pid_smaps`), which cost more than the resident set.
pub(super) fn shares_kb(pid: i32) -> Option<(u64, u64)> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let kilobytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let all = kilobytes("Pss:")?;
    Some((all, kilobytes("Pss_Shmem:").unwrap_or(0).min(all)))
}

/// The files of `memfd_create(2)`.
pub(super) fn memory_files_kb(processes: impl Iterator<Item = i32>) -> u64 {
    let open = processes.filter_map(|pid| std::fs::read_dir(format!("/proc/{pid}/fd")).ok()).flatten().flatten();
    let is_in_memory = |link: &PathBuf| {
        std::fs::read_link(link).is_ok_and(|target| target.as_os_str().as_encoded_bytes().starts_with(b"/memfd:"))
    };
    let files = open.take(MOST_DESCRIPTORS).map(|entry| entry.path()).filter(is_in_memory);
    let mut seen = HashSet::new();
    files
        .filter_map(|link| std::fs::metadata(link).ok())
        .filter(|file| seen.insert((file.dev(), file.ino())))
        .map(|file| file.blocks() / 2)
        .sum()
}

/// `proc_pid_io`, if the kernel counts.
pub(super) fn written_by(pid: Pid) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{}/io", pid.as_raw_nonzero())).ok()?;
    text.lines().find_map(|line| line.strip_prefix("wchar: "))?.parse().ok()
}

/// By `/proc/PID/task/TID/schedstat` and `stat`.
pub(super) fn turns(pid: i32) -> HashMap<i32, ThreadTurns> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return HashMap::new() };
    let one = |path: &Path| {
        let thread = path.file_name()?.to_str()?.parse().ok()?;
        let read = |name| std::fs::read_to_string(path.join(name)).ok();
        Some((thread, turns_in(&read("schedstat")?, &read("stat")?)?))
    };
    threads.flatten().filter_map(|entry| one(&entry.path())).collect()
}

fn turns_in(schedstat: &str, stat: &str) -> Option<ThreadTurns> {
    let mut numbers = schedstat.split_ascii_whitespace().map_while(|number| number.parse().ok());
    let (ran, waited) = (numbers.next()?, numbers.next()?);
    Some(ThreadTurns { ran, waited, is_runnable: stat.rsplit_once(") ")?.1.starts_with('R') })
}

pub(super) fn has_open(pid: Pid, end: BorrowedFd<'_>) -> bool {
    let Ok(pipe) = rustix::fs::fstat(end) else { return false };
    let pipe = format!("pipe:[{}]", pipe.st_ino);
    let open = std::fs::read_dir(format!("/proc/{}/fd", pid.as_raw_nonzero())).into_iter().flatten().flatten();
    open.filter_map(|file| std::fs::read_link(file.path()).ok()).any(|target| target.as_os_str() == pipe.as_str())
}

pub(super) fn used_up(pid: i32) -> Vec<&'static str> {
    none_left(&std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap_or_default())
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
    fn a_line_of_the_process_table_is_read_whatever_the_name() {
        let line = "42 (a) b) (c) S 7 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 12345 1000 50 18446744073709551615\n";
        let page_kb = rustix::param::page_size() as u64 / 1024;
        assert_eq!(parse_stat(line), Some(Process { started: 12345, parent: 7, resident_kb: 50 * page_kb }));
        assert_eq!(parse_stat(&line.replace(" S ", " Z ")), None);
        assert_eq!(parse_stat("42 (a"), None);
        assert_eq!(parse_stat(""), None);
    }

    #[test]
    fn a_process_with_memory_gets_an_environment() {
        let line_in = |state, memory, start, end| {
            let unused = ["0"; 26].join(" ");
            format!("42 (a) b) {state}{} {memory} {unused} {start} {end} 0\n", " 0".repeat(19))
        };
        let line = |memory, start, end| line_in("S", memory, start, end);
        assert!(!says_no_environment(&line_in("R", 4096, 10, 10)));
        assert!(!says_no_environment(&line(4096, 0, 0)));
        assert!(!says_no_environment(&line(4096, 10, 20)));
        assert!(says_no_environment(&line(4096, 10, 10)));
        assert!(says_no_environment(&line(0, 0, 0)));
        assert!(says_no_environment("42 (a"));
    }

    #[test]
    fn a_line_of_the_scheduler() {
        let turns = |ran, waited, is_runnable| Some(ThreadTurns { ran, waited, is_runnable });
        assert_eq!(turns_in("1044 2088 3\n", "7 (a) R) R 1 7"), turns(1044, 2088, true));
        assert_eq!(turns_in("1044 2088 3\n", "7 (R) S 1 7"), turns(1044, 2088, false));
        assert_eq!(turns_in("1044", "7 (sbcl) R 1 7"), None);
        assert_eq!(turns_in("", ""), None);
    }

    #[test]
    fn a_limit_of_nothing_is_found() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max core file size        0                    unlimited            bytes     \n\
                      Max open files            0                    4096                 files     \n\
                      Max processes             30                   30                   processes \n";
        assert_eq!(none_left(limits), ["open files"]);
    }

    #[test]
    fn threads_are_counted_here() {
        let own = std::process::id().cast_signed();
        assert!(turns(own).contains_key(&own));
    }
}
