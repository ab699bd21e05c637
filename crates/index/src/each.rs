//! Runs the same function on many files, on all cores.

use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The maximal number of threads.
const MOST_THREADS: usize = 8;

/// The results of `work` for all items, in their order. Files differ in size, so each thread takes the next item when
/// it is done with one.
pub fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    // To ask how many cores there are costs more than a small file.
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    let threads = if items.len() > 1 { cores().min(MOST_THREADS).min(items.len()) } else { 1 };
    if threads <= 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return done };
            done.push((at, work(item)));
        }
    };
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(take)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The same for items that `work` takes.
pub(crate) fn each_owned<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let items: Vec<Mutex<Option<T>>> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    let taken = |item: &Mutex<Option<T>>| item.lock().ok().and_then(|mut item| item.take()).map(&work);
    each(&items, taken).into_iter().flatten().collect()
}
