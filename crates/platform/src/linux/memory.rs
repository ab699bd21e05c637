//! The pools in which the allocator of glibc keeps freed memory.
//!
//! It makes a pool for each thread that allocates while others do, up to eight for each core, and each pool keeps the most
//! that a call has ever needed in it. A server that many clients call at once has one thread for each running call, so it
//! would keep the memory of dozens of calls. Reading a file needs a few allocations; threads rarely wait for a pool.

/// The largest number of pools.
#[cfg(target_env = "gnu")]
const MOST_POOLS: usize = 4;

/// The size in bytes from which a block is memory of its own, which is returned when the block is freed.
#[cfg(target_env = "gnu")]
const OWN: libc::c_int = 1 << 20;

/// Makes the allocator keep few pools, and no more than a block's worth of free memory at the end of each.
#[cfg(target_env = "gnu")]
pub(super) fn keep_little_free() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let pools = libc::c_int::try_from(cores.clamp(1, MOST_POOLS)).unwrap_or(1);
    for (parameter, value) in [(libc::M_ARENA_MAX, pools), (libc::M_MMAP_THRESHOLD, OWN), (libc::M_TRIM_THRESHOLD, OWN)]
    {
        // SAFETY: it takes two numbers, and ignores what it does not know.
        unsafe { libc::mallopt(parameter, value) };
    }
}

/// Returns what is free in all pools, between blocks in use too.
#[cfg(target_env = "gnu")]
pub(super) fn return_free() {
    // SAFETY: it takes a number, and touches no block in use.
    unsafe { libc::malloc_trim(0) };
}

/// Other allocators than glibc's have no such pools.
#[cfg(not(target_env = "gnu"))]
pub(super) fn keep_little_free() {}

/// Other allocators than glibc's have no such pools.
#[cfg(not(target_env = "gnu"))]
pub(super) fn return_free() {}
