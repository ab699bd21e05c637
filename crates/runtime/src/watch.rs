//! The memory and the processes of a worker, measured often during a call and now and then without one.
//!
//! A heap limit bounds what Lisp allocates. Foreign memory, child processes and copies are bounded here. Every [`TICK`]
//! the processes are found by their parents, the outermost of which is the keeper. Without a keeper, processes that
//! have left the family are found every [`SWEEP`], by the mark in their environment. Memory is first measured as the
//! resident set, which is cheap and counts shared pages more than once; only when that is too much is it measured by
//! proportional shares (`proc_pid_smaps`).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use lispwright_platform::{Here, Process, System as _};
use rustix::process::Pid;
use rustix::time::{ClockId, clock_gettime};

use crate::config::Config;
use crate::marks::marked;
use crate::stop::StopReason;

/// The time between two measurements.
const TICK: Duration = Duration::from_millis(100);

/// The time between two searches of the whole process table.
const SWEEP: Duration = Duration::from_secs(1);

/// The pause before a measurement is this many times the processor time of the one before.
const REST: u32 = 20;

/// The limits of a worker.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Megabytes of all processes together.
    pub(crate) megabytes: u64,
    /// The number of processes.
    pub(crate) processes: usize,
}

impl Bounds {
    /// The limits of `config`.
    pub(crate) fn of(config: &Config) -> Self {
        Self { megabytes: config.memory_limit(), processes: config.max_processes as usize }
    }
}

/// A worker exceeds its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excess {
    pub(crate) reason: StopReason,
    /// The excess in words.
    pub(crate) text: String,
    /// Ending the copy that runs the code is enough.
    pub(crate) copy_suffices: bool,
}

/// The ancestors from which processes are found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ancestors {
    /// The worker.
    pub(crate) root: Pid,
    /// The keeper, which is the ancestor of everything and no member itself.
    pub(crate) keeper: Option<Pid>,
}

/// Watches one worker. Clones watch the same one.
#[derive(Clone)]
pub(crate) struct Watch {
    /// Locked during a measurement, so never by code that must not wait.
    family: Arc<Mutex<Family>>,
    /// The family at the last measurement; locked for a moment only.
    known: Arc<Mutex<Family>>,
    due: Arc<Mutex<Due>>,
}

/// The times of the next measurements.
#[derive(Clone, Copy)]
struct Due {
    look: Instant,
    sweep: Instant,
}

impl Due {
    /// A call begins: the first measurement comes after a pause, so that a quick call costs nothing.
    fn after(now: Instant) -> Self {
        Self { look: now + TICK, sweep: now + SWEEP }
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watch {
    /// Watches the descendants of `ancestors` and the processes with `mark`.
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

    /// The processes that the worker has started, if they are found by their parents now or were found earlier.
    pub(crate) fn started(&self) -> Vec<Pid> {
        let family = self.now();
        let root = family.root;
        family.members.keys().filter(|pid| **pid != root).filter_map(|pid| Pid::from_raw(*pid)).collect()
    }

    /// The processes that the code has started, without the copy that runs it and those that wait for the copy.
    pub(crate) fn started_by_code(&self, copy: Option<i32>) -> Vec<Pid> {
        let family = self.now();
        let images: Vec<i32> = copy.map_or_else(Vec::new, |copy| family.ancestry(copy).collect());
        let other = |pid: &i32| *pid != family.root && !images.contains(pid);
        family.members.keys().copied().filter(other).filter_map(Pid::from_raw).collect()
    }

    /// The current family, without waiting for a measurement in progress.
    fn now(&self) -> Family {
        let mut family = lock(&self.known).clone();
        family.find(false, usize::MAX);
        family
    }

    /// One measurement while no call runs; with `sweep`, processes are also found by the mark.
    pub(crate) async fn glance(&self, copy: Option<i32>, sweep: bool) -> Option<Excess> {
        let watch = self.clone();
        let look = move || watch.found(&mut lock(&watch.family), copy, sweep);
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }

    /// Waits until the worker exceeds its limits. `copy` is its copy that runs code, if there is one. Cancelling this
    /// and calling it again does not delay the next measurement.
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

    /// A measurement that is due, and a sweep if it is due. It is delayed while another is in progress: on a busy
    /// machine a sweep may take longer than many calls, and each call would leave a thread that waits for it.
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

    /// One measurement of the family, which becomes the known one.
    fn found(&self, family: &mut Family, copy: Option<i32>, sweep: bool) -> Option<Excess> {
        family.find(sweep, family.bounds.processes);
        lock(&self.known).members.clone_from(&family.members);
        family.judge(copy)
    }
}

#[derive(Clone)]
struct Family {
    root: i32,
    keeper: Option<i32>,
    mark: String,
    bounds: Bounds,
    members: HashMap<i32, Process>,
}

impl Family {
    /// Updates the members; without a keeper, a `sweep` also adds processes that only their mark identifies. The search
    /// ends once there are more than `most`.
    fn find(&mut self, sweep: bool, most: usize) {
        let before = std::mem::take(&mut self.members);
        let mut open = vec![self.root];
        open.extend(self.keeper.into_iter().flat_map(Here::children));
        // A number that now belongs to another process is no longer a member.
        let remains = |(pid, then): (&i32, &Process)| {
            Here::process(*pid).is_some_and(|now| then.started == now.started).then_some(*pid)
        };
        open.extend(before.iter().filter_map(remains));
        if sweep && self.keeper.is_none() {
            open.extend(marked(&self.mark).into_iter().map(|pid| pid.as_raw_nonzero().get()));
        }
        while let Some(pid) = open.pop() {
            if self.members.len() > most {
                return;
            }
            let Entry::Vacant(place) = self.members.entry(pid) else { continue };
            let Some(member) = Here::process(pid) else { continue };
            place.insert(member);
            open.extend(Here::children(pid));
        }
    }

    fn judge(&self, copy: Option<i32>) -> Option<Excess> {
        let Bounds { megabytes, processes } = self.bounds;
        let rest: Vec<&Process> = self.outside(copy).filter_map(|pid| self.members.get(&pid)).collect();
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
        let unnamed = Here::memory_files_kb(self.members.keys().copied());
        if (resident + unnamed) / 1024 <= megabytes {
            return None;
        }
        let shares = self.members.iter().map(|(pid, member)| Here::shares_kb(*pid).unwrap_or((member.resident_kb, 0)));
        let (all, shared) = shares.fold((0, 0), |(all, shared), (own, of_files)| (all + own, shared + of_files));
        // Mapped pages of such files are among the shares already.
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

    /// The member `pid`, its parent, and so on, while they are members.
    fn ancestry(&self, pid: i32) -> impl Iterator<Item = i32> {
        let parent = |pid: &i32| self.members.get(pid).map(|member| member.parent);
        let chain = std::iter::successors(Some(pid), parent);
        // A reused number could make a cycle of them.
        chain.take(self.members.len()).take_while(|pid| self.members.contains_key(pid))
    }
}

/// The processor time of this thread.
fn own_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn family(bounds: Bounds, members: &[(i32, i32, u64)]) -> Family {
        let members = members
            .iter()
            .map(|(pid, parent, megabytes)| {
                (*pid, Process { started: 1, parent: *parent, resident_kb: megabytes * 1024 })
            })
            .collect();
        Family { root: 1, keeper: None, mark: String::new(), bounds, members }
    }

    #[test]
    fn a_measurement_does_not_wait_for_another_in_progress() {
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
    fn only_the_copy_is_ended_if_the_rest_is_within_the_limits() {
        // No process has these numbers, so the resident set counts.
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
        for pid in Here::children(root.as_raw_nonzero().get()) {
            rustix::process::kill_process(Pid::from_raw(pid).unwrap(), rustix::process::Signal::KILL).unwrap();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
