//! What a worker takes with all that it has started: memory and processes, looked at often while a call runs and now and
//! then while none does.
//!
//! A heap limit bounds what Lisp allocates. Foreign memory, child processes and copies are bounded here: every
//! [`TICK`] the processes are found by their parents, the outermost of which is the keeper. Where there is none, those that
//! have left the family are found every [`SWEEP`], by the mark in their environment. Memory is the resident set first, which is cheap and counts shared pages more than once; only
//! when that is too much is it weighed by proportional shares (`proc_pid_smaps`).

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use rustix::process::Pid;
use rustix::time::{ClockId, clock_gettime};

use crate::config::Config;
use crate::marks::marked;
use crate::stop::StopReason;

/// From one look to the next.
const TICK: Duration = Duration::from_millis(100);

/// From one search of the whole process table to the next.
const SWEEP: Duration = Duration::from_secs(1);

/// Ticks by which a process may seem to be older than it is.
const SLACK: u64 = 5;

/// Descriptors that one look goes over.
const MOST_DESCRIPTORS: usize = 20_000;

/// A look waits this many times as long as the one before has worked, without what it waited for a processor.
const REST: u32 = 20;

/// What a worker may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Megabytes of all processes together.
    pub(crate) megabytes: u64,
    /// How many processes there may be.
    pub(crate) processes: usize,
}

impl Bounds {
    /// What `config` allows.
    pub(crate) fn of(config: &Config) -> Self {
        Self { megabytes: config.memory_limit(), processes: config.max_processes as usize }
    }
}

/// A worker takes more than it may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excess {
    pub(crate) reason: StopReason,
    /// What it took, in words.
    pub(crate) text: String,
    /// It is enough to end the copy that runs the code.
    pub(crate) copy_suffices: bool,
}

/// Where to begin when processes are looked for by their parents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ancestors {
    /// The worker.
    pub(crate) root: Pid,
    /// The process above it, below which everything stays; itself no member.
    pub(crate) keeper: Option<Pid>,
}

/// Watches one worker. Clones watch the same one.
#[derive(Clone)]
pub(crate) struct Watch {
    /// Locked for as long as a look at the process table takes, so never by what must not wait.
    family: Arc<Mutex<Family>>,
    /// The family as the last look has found it, locked for a moment only.
    known: Arc<Mutex<Family>>,
    due: Arc<Mutex<Due>>,
}

/// When the next looks are due.
#[derive(Clone, Copy)]
struct Due {
    look: Instant,
    sweep: Instant,
}

impl Due {
    /// A call begins: the first look is due in a while, so that a quick one costs nothing.
    fn after(now: Instant) -> Self {
        Self { look: now + TICK, sweep: now + SWEEP }
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watch {
    /// Watches what descends from `ancestors`, or carries `mark`.
    pub(crate) fn new(ancestors: Ancestors, mark: &str, bounds: Bounds) -> Self {
        let number = |pid: Pid| pid.as_raw_nonzero().get();
        let Ancestors { root, keeper } = ancestors;
        let family = Family {
            root: number(root),
            keeper: keeper.map(number),
            mark: mark.to_owned(),
            bounds,
            members: HashMap::new(),
        };
        let due = Due::after(Instant::now());
        let known = Arc::new(Mutex::new(family.clone()));
        Self { family: Arc::new(Mutex::new(family)), known, due: Arc::new(Mutex::new(due)) }
    }

    /// A call begins.
    pub(crate) fn begin(&self) {
        *lock(&self.due) = Due::after(Instant::now());
    }

    /// What the worker has started, as far as it can be found by its parents, now or earlier.
    pub(crate) fn started(&self) -> Vec<Pid> {
        let family = self.now();
        let root = family.root;
        family.members.keys().filter(|pid| **pid != root).filter_map(|pid| Pid::from_raw(*pid)).collect()
    }

    /// What the code has started, without the copy that runs it and those that wait for the copy.
    pub(crate) fn started_by_code(&self, copy: Option<i32>) -> Vec<Pid> {
        let family = self.now();
        let images: Vec<i32> = copy.map_or_else(Vec::new, |copy| family.ancestry(copy).collect());
        let other = |pid: &i32| *pid != family.root && !images.contains(pid);
        family.members.keys().copied().filter(other).filter_map(Pid::from_raw).collect()
    }

    /// The family as it is, without waiting for a look that goes on.
    fn now(&self) -> Family {
        let mut family = lock(&self.known).clone();
        family.find(false, usize::MAX);
        family
    }

    /// One look while no call runs, with a `sweep` also by the mark.
    pub(crate) async fn glance(&self, copy: Option<i32>, sweep: bool) -> Option<Excess> {
        let watch = self.clone();
        let look = move || watch.found(&mut lock(&watch.family), copy, sweep);
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }

    /// Waits until the worker takes too much. `copy` is the copy of it that runs code, if one does. Giving up and asking
    /// again does not put the next look off.
    pub(crate) async fn excess(&self, copy: Option<i32>) -> Excess {
        loop {
            let look = lock(&self.due).look;
            tokio::time::sleep_until(look.into()).await;
            let watch = self.clone();
            if let Ok(Some(excess)) = tokio::task::spawn_blocking(move || watch.look(copy)).await {
                return excess;
            }
        }
    }

    /// A look that is due, and a sweep when that is. While another goes on it is put off: on a busy machine a sweep may take
    /// longer than many calls, and a thread that waited for it would stay behind from each.
    fn look(&self, copy: Option<i32>) -> Option<Excess> {
        let mut family = match self.family.try_lock() {
            Ok(family) => family,
            Err(TryLockError::Poisoned(family)) => family.into_inner(),
            Err(TryLockError::WouldBlock) => {
                lock(&self.due).look = Instant::now() + TICK;
                return None;
            }
        };
        let began = own_time();
        let sweep = Instant::now() >= lock(&self.due).sweep;
        let excess = self.found(&mut family, copy, sweep);
        let worked = own_time().saturating_sub(began);
        let now = Instant::now();
        let mut due = lock(&self.due);
        if sweep {
            due.sweep = now + SWEEP.max(worked * REST * 5);
        }
        due.look = now + TICK.max(worked * REST);
        excess
    }

    /// What a look at the family finds, which is known from then on.
    fn found(&self, family: &mut Family, copy: Option<i32>, sweep: bool) -> Option<Excess> {
        family.find(sweep, family.bounds.processes);
        lock(&self.known).members.clone_from(&family.members);
        family.judge(copy)
    }
}

/// A process in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Member {
    /// When it started, in ticks since the machine did; tells it from another of the same number.
    started: u64,
    parent: i32,
    resident_kb: u64,
}

#[derive(Clone)]
struct Family {
    root: i32,
    keeper: Option<i32>,
    mark: String,
    bounds: Bounds,
    members: HashMap<i32, Member>,
}

impl Family {
    /// Brings the members up to date, without a keeper and with a `sweep` also by those that only their mark tells. Of more than `most`
    /// no more are found than it takes to say so.
    fn find(&mut self, sweep: bool, most: usize) {
        let before = std::mem::take(&mut self.members);
        let mut open = vec![self.root];
        open.extend(self.keeper.into_iter().flat_map(children));
        // One whose number now means another process is no member any more.
        let remains =
            |(pid, then): (&i32, &Member)| member(*pid).is_some_and(|now| then.started == now.started).then_some(*pid);
        open.extend(before.iter().filter_map(remains));
        if sweep && self.keeper.is_none() {
            open.extend(marked(&self.mark).into_iter().map(|pid| pid.as_raw_nonzero().get()));
        }
        while let Some(pid) = open.pop() {
            if self.members.len() > most {
                return;
            }
            let Entry::Vacant(place) = self.members.entry(pid) else { continue };
            let Some(member) = member(pid) else { continue };
            place.insert(member);
            open.extend(children(pid));
        }
    }

    fn judge(&self, copy: Option<i32>) -> Option<Excess> {
        let Bounds { megabytes, processes } = self.bounds;
        let rest: Vec<&Member> = self.outside(copy).filter_map(|pid| self.members.get(&pid)).collect();
        if self.members.len() > processes {
            return Some(Excess {
                reason: StopReason::Processes,
                text: format!(
                    "it and the processes it started were more than the {processes} that --max-processes allows"
                ),
                copy_suffices: copy.is_some() && rest.len() <= processes,
            });
        }
        let resident: u64 = self.members.values().map(|member| member.resident_kb).sum();
        let unnamed = memory_files_kb(self.members.keys().copied());
        if (resident + unnamed) / 1024 <= megabytes {
            return None;
        }
        let shares = self.members.iter().map(|(pid, member)| shares_kb(*pid).unwrap_or((member.resident_kb, 0)));
        let (all, shared) = shares.fold((0, 0), |(all, shared), (own, of_files)| (all + own, shared + of_files));
        // What is mapped of such files is among the shares already.
        let weight = (all - shared + shared.max(unnamed)) / 1024;
        (weight > megabytes).then(|| Excess {
            reason: StopReason::Memory,
            text: format!(
                "its {} took {weight} MB, more than the {megabytes} MB that --max-memory allows for everything",
                if self.members.len() == 1 {
                    "process".to_owned()
                } else {
                    format!("{} processes", self.members.len())
                }
            ),
            copy_suffices: copy.is_some()
                && rest.iter().map(|member| member.resident_kb).sum::<u64>() / 1024 <= megabytes,
        })
    }

    /// The members that do not descend from `copy`.
    fn outside(&self, copy: Option<i32>) -> impl Iterator<Item = i32> {
        let descends = move |pid: i32| self.ancestry(pid).any(|ancestor| Some(ancestor) == copy);
        self.members.keys().copied().filter(move |pid| !descends(*pid))
    }

    /// The member `pid`, its parent, and so on, as far as they are members.
    fn ancestry(&self, pid: i32) -> impl Iterator<Item = i32> {
        let parent = |pid: &i32| self.members.get(pid).map(|member| member.parent);
        let chain = std::iter::successors(Some(pid), parent);
        // A number that is used again could make a ring of them.
        chain.take(self.members.len()).take_while(|pid| self.members.contains_key(pid))
    }
}

/// What `proc_pid_stat` says of a process that has not ended.
fn member(pid: i32) -> Option<Member> {
    parse_stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

fn parse_stat(stat: &str) -> Option<Member> {
    // The name, in parentheses, may contain anything.
    let (_, rest) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    if matches!(*fields.first()?, "Z" | "X") {
        return None;
    }
    let pages: u64 = fields.get(21)?.parse().ok()?;
    let page_kb = rustix::param::page_size() as u64 / 1024;
    Some(Member {
        parent: fields.get(1)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
        resident_kb: pages * page_kb,
    })
}

/// Whether a process was started within the last while.
pub(crate) fn is_young(pid: Pid, recent: Duration) -> bool {
    let Some(now) = uptime_ticks() else { return false };
    let ticks = recent.as_millis() as u64 * rustix::param::clock_ticks_per_second() / 1000;
    // Both clocks are cut down to ticks, and were not read at the same moment.
    let since = now.saturating_sub(ticks + SLACK);
    member(pid.as_raw_nonzero().get()).is_some_and(|member| member.started >= since)
}

/// Bytes that a process has written to whatever it had open (`proc_pid_io`), where the kernel counts them.
pub(crate) fn written_by(pid: Pid) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{}/io", pid.as_raw_nonzero())).ok()?;
    text.lines().find_map(|line| line.strip_prefix("wchar: "))?.parse().ok()
}

/// Processor time of this thread.
fn own_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap_or_default()
}

/// How long the machine has been up, in the ticks of `proc_pid_stat`.
fn uptime_ticks() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/uptime").ok()?;
    let (seconds, rest) = text.split_once('.')?;
    let hundredths = rest.split(' ').next()?;
    let milliseconds = seconds.parse::<u64>().ok()? * 1000 + hundredths.parse::<u64>().ok()? * 10;
    Some(milliseconds * rustix::param::clock_ticks_per_second() / 1000)
}

/// The process that started another, or took it in.
pub(crate) fn parent(pid: i32) -> Option<i32> {
    member(pid).map(|member| member.parent)
}

/// The children of all threads of a process, where the kernel lists them.
pub(crate) fn children(pid: i32) -> Vec<i32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()).collect()
}

/// The memory of a process in kilobytes, a page that n processes share counted as the n-th part of one.
pub(crate) fn shared_out_kb(pid: i32) -> Option<u64> {
    shares_kb(pid).map(|(all, _)| all)
}

/// The same, and the part of it that are files in memory.
fn shares_kb(pid: i32) -> Option<(u64, u64)> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let kilobytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let all = kilobytes("Pss:")?;
    Some((all, kilobytes("Pss_Shmem:").unwrap_or(0).min(all)))
}

/// Kilobytes in the files without a name that live in memory (`memfd_create(2)`) and that processes have open, each file
/// counted once.
fn memory_files_kb(processes: impl Iterator<Item = i32>) -> u64 {
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

/// The resident set of a process in kilobytes.
pub(crate) fn resident_kb(pid: i32) -> Option<u64> {
    member(pid).map(|member| member.resident_kb)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn family(bounds: Bounds, members: &[(i32, i32, u64)]) -> Family {
        let members = members
            .iter()
            .map(|(pid, parent, megabytes)| {
                (*pid, Member { started: 1, parent: *parent, resident_kb: megabytes * 1024 })
            })
            .collect();
        Family { root: 1, keeper: None, mark: String::new(), bounds, members }
    }

    #[test]
    fn a_look_does_not_wait_for_one_that_goes_on() {
        let watch = Watch::new(
            Ancestors { root: rustix::process::getpid(), keeper: None },
            "none",
            Bounds { megabytes: 0, processes: 0 },
        );
        let going_on = lock(&watch.family);
        let before = Instant::now();
        assert_eq!(watch.look(None), None);
        assert!(lock(&watch.due).look >= before + TICK);
        drop(going_on);
        assert!(watch.look(None).is_some());
    }

    #[test]
    fn a_line_of_the_process_table_is_read_whatever_the_name() {
        let line = "42 (a) b) (c) S 7 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 12345 1000 50 18446744073709551615\n";
        let page_kb = rustix::param::page_size() as u64 / 1024;
        assert_eq!(parse_stat(line), Some(Member { started: 12345, parent: 7, resident_kb: 50 * page_kb }));
        assert_eq!(parse_stat(&line.replace(" S ", " Z ")), None);
        assert_eq!(parse_stat("42 (a"), None);
        assert_eq!(parse_stat(""), None);
    }

    #[test]
    fn a_copy_is_ended_alone_when_the_rest_is_within_the_bounds() {
        // No process has these numbers, so that the resident set counts.
        let (root, copy, child) = (i32::MAX - 2, i32::MAX - 1, i32::MAX);
        let bounds = Bounds { megabytes: 100, processes: 3 };
        let within = family(bounds, &[(root, 1, 40), (copy, root, 30), (child, copy, 30)]);
        assert_eq!(within.judge(Some(copy)), None);
        let heavy_copy = family(bounds, &[(root, 1, 40), (copy, root, 30), (child, copy, 31)]);
        let excess = heavy_copy.judge(Some(copy)).unwrap();
        assert_eq!((excess.reason, excess.copy_suffices), (StopReason::Memory, true));
        assert!(excess.text.contains("3 processes took 101 MB"), "{}", excess.text);
        assert!(!heavy_copy.judge(None).unwrap().copy_suffices);
        let heavy_root = family(bounds, &[(root, 1, 101), (copy, root, 0)]);
        assert!(!heavy_root.judge(Some(copy)).unwrap().copy_suffices);
        let many = family(bounds, &[(root, 1, 0), (copy, root, 0), (child, copy, 0), (child - 10, copy, 0)]);
        let excess = many.judge(Some(copy)).unwrap();
        assert_eq!((excess.reason, excess.copy_suffices), (StopReason::Processes, true));
    }

    #[test]
    fn the_family_of_a_process_is_found() {
        let mut child = std::process::Command::new("sh")
            .args(["-c", "sleep 1000 & read line"])
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let root = Pid::from_child(&child);
        let watch = Watch::new(Ancestors { root, keeper: None }, "nobody", Bounds { megabytes: 1 << 20, processes: 1 });
        let deadline = Instant::now() + Duration::from_secs(30);
        let excess = loop {
            if let Some(excess) = watch.look(None) {
                break excess;
            }
            assert!(Instant::now() < deadline, "the second process is not seen");
        };
        assert!(excess.text.contains("more than the 1 that"), "{}", excess.text);
        for pid in children(root.as_raw_nonzero().get()) {
            rustix::process::kill_process(Pid::from_raw(pid).unwrap(), rustix::process::Signal::KILL).unwrap();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
