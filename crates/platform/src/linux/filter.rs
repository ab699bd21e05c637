//! The system calls that a confined process may not make, because they reach beyond files and namespaces.
//!
//! Landlock and read-only mounts bound writing. A socket, a terminal, another process's limits, a setuid bit and the
//! rarely used half of the kernel are not files, so a filter (`seccomp(2)`) refuses the calls that reach them, with
//! "not permitted". It lists the refused calls and lets the rest pass: images are whole language systems, and the calls
//! that they need are not known. Each refusal is one [`SyscallRule`]; filters cannot be removed, and children inherit
//! them.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter,
};

/// The numbers of calls that libc does not have yet; the same on every architecture.
const SYS_FCHMODAT2: c_long = 452;
const SYS_SETXATTRAT: c_long = 463;
const SYS_REMOVEXATTRAT: c_long = 466;
const SYS_OPEN_TREE_ATTR: c_long = 467;
const SYS_FILE_SETATTR: c_long = 469;

/// The bit of call numbers of the x32 ABI, which x86-64 kernels may offer beside their own.
const X32: c_long = 0x4000_0000;

/// The numbers of calls that exist for x32 only.
const X32_VARIANTS: std::ops::RangeInclusive<c_long> = 512..=547;

/// Calls that images do not need: other processes' memory and descriptors, mounts and namespaces, programs in the
/// kernel, keys, the machine as a whole. `io_uring` makes calls that no filter sees.
const NEVER: &[c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    SYS_OPEN_TREE_ATTR,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_fanotify_init,
    libc::SYS_open_by_handle_at,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_vhangup,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    SYS_FILE_SETATTR,
];

/// Calls that reach other processes, queues and files if no namespaces keep them away: attributes of files anywhere,
/// and System V and POSIX objects that are shared by name.
const OUTSIDE: &[c_long] = &[
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SYS_SETXATTRAT,
    SYS_REMOVEXATTRAT,
    libc::SYS_shmget,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_socket,
];

/// Calls whose first argument is a process, 0 for the caller.
const OF_A_PROCESS: &[c_long] = &[
    libc::SYS_prlimit64,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
];

/// Calls whose first argument is the kind of the second, with the kind for a user, which means all of his processes.
const OF_A_KIND: &[(c_long, u32)] = &[(libc::SYS_setpriority, 2), (libc::SYS_ioprio_set, 3)];

/// Calls whose arguments are in memory, where a filter cannot look. Programs do without them on older kernels.
const UNREADABLE: &[c_long] = &[libc::SYS_clone3, libc::SYS_openat2];

/// The bits of a mode by which a program runs as its file's owner or group.
const SET_ID: [u32; 2] = [libc::S_ISUID, libc::S_ISGID];

/// The calls that give a file a mode, with the index of that argument.
const MODES: &[(c_long, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (SYS_FCHMODAT2, 2),
    (libc::SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
];

/// The calls that open and possibly create a file, with the indexes of flags and mode.
const OPENING: &[(c_long, u8, u8)] = &[
    (libc::SYS_openat, 2, 3),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1, 2),
];

/// The calls that create a node of any kind, with the index of the kind.
const NODES: &[(c_long, u8)] = &[
    (libc::SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
];

/// The requests that insert input into a terminal, and those that change the attributes of a file.
const IOCTLS: [u32; 5] = [0x5412, 0x541c, 0x4008_6602, 0x4004_6602, 0x401c_5820];

/// The namespaces that a new process can be given.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// The socket families that are allowed in a network namespace of one's own. A socket that is a file leads out of it.
const OWN_NETWORK: [i32; 3] = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// A test of one argument.
#[derive(Clone, Copy)]
enum Test {
    Is(u8, u32),
    IsNot(u8, u32),
    /// The bits under a mask equal a value.
    Bits(u8, u32, u32),
}

/// A call that is refused when all tests pass.
type SyscallRule = (c_long, Vec<Test>);

/// The rules. With `namespaces` of its own a process sees no other processes and no network, so fewer rules are needed.
fn rules(namespaces: bool) -> Vec<SyscallRule> {
    use Test::{Bits, Is, IsNot};
    let mut rules: Vec<SyscallRule> = NEVER.iter().map(|call| (*call, Vec::new())).collect();
    rules.extend(IOCTLS.map(|request| (libc::SYS_ioctl, vec![Is(1, request)])));
    // Whoever opens a file with a lease waits for its holder, for 45 seconds.
    rules.push((libc::SYS_fcntl, vec![Is(1, libc::F_SETLEASE.cast_unsigned())]));
    let flags = NAMESPACES.map(i32::cast_unsigned);
    rules.extend(flags.map(|flag| (libc::SYS_clone, vec![Bits(0, flag, flag)])));
    for bit in SET_ID {
        rules.extend(MODES.iter().map(|(call, mode)| (*call, vec![Bits(*mode, bit, bit)])));
        for (call, flags, mode) in OPENING {
            // Without these flags the mode argument has no meaning.
            let making = [libc::O_CREAT, libc::O_TMPFILE & !libc::O_DIRECTORY].map(i32::cast_unsigned);
            rules.extend(making.map(|flag| (*call, vec![Bits(*flags, flag, flag), Bits(*mode, bit, bit)])));
        }
    }
    for kind in [libc::S_IFBLK, libc::S_IFCHR] {
        rules.extend(NODES.iter().map(|(call, mode)| (*call, vec![Bits(*mode, libc::S_IFMT, kind)])));
    }
    // Only a stream pair may be requested: a datagram socket can send anywhere.
    rules.push((libc::SYS_socketpair, vec![IsNot(0, libc::AF_UNIX.cast_unsigned())]));
    rules.extend(
        [libc::SOCK_DGRAM, libc::SOCK_RAW].map(|kind| (libc::SYS_socketpair, vec![Bits(1, 0xf, kind.cast_unsigned())])),
    );
    if namespaces {
        rules.push((libc::SYS_socket, OWN_NETWORK.map(|family| IsNot(0, family.cast_unsigned())).into()));
    } else {
        rules.extend(OUTSIDE.iter().map(|call| (*call, Vec::new())));
        rules.extend(OF_A_PROCESS.iter().map(|call| (*call, vec![IsNot(0, 0)])));
        for (call, user) in OF_A_KIND {
            rules.extend([(*call, vec![IsNot(1, 0)]), (*call, vec![Is(0, *user)])]);
        }
    }
    rules
}

/// Installs the filter in this process and those that it starts, permanently.
pub(super) fn install(namespaces: bool) -> Result<(), String> {
    let unreadable = UNREADABLE.iter().map(|call| (*call, Vec::new())).collect();
    for (rules, error) in [(rules(namespaces), libc::EPERM), (unreadable, libc::ENOSYS)] {
        let program = program(rules, error).map_err(|error| error.to_string())?;
        apply_filter(&program).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The program that the kernel runs for each call.
fn program(rules: Vec<SyscallRule>, error: i32) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut table: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for (call, tests) in rules {
        let conditions: Vec<SeccompCondition> = tests.into_iter().map(condition).collect::<Result<_, _>>()?;
        // An empty rule means that the call is always refused.
        let rule = if conditions.is_empty() { None } else { Some(SeccompRule::new(conditions)?) };
        table.entry(call).or_default().extend(rule.clone());
        if cfg!(target_arch = "x86_64") {
            table.entry(call | X32).or_default().extend(rule);
        }
    }
    if cfg!(target_arch = "x86_64") {
        table.extend(X32_VARIANTS.map(|call| (call | X32, Vec::new())));
    }
    let refused = SeccompAction::Errno(error.cast_unsigned());
    SeccompFilter::new(table, SeccompAction::Allow, refused, std::env::consts::ARCH.try_into()?)?.try_into()
}

fn condition(test: Test) -> Result<SeccompCondition, seccompiler::BackendError> {
    let (argument, operator, value) = match test {
        Test::Is(argument, value) => (argument, SeccompCmpOp::Eq, value),
        Test::IsNot(argument, value) => (argument, SeccompCmpOp::Ne, value),
        Test::Bits(argument, mask, value) => (argument, SeccompCmpOp::MaskedEq(mask.into()), value),
    };
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_filter_can_be_made_for_both_mechanisms() {
        for namespaces in [true, false] {
            // The kernel accepts no longer program.
            assert!(program(rules(namespaces), libc::EPERM).unwrap().len() < 4096);
        }
    }

    #[test]
    fn no_call_is_refused_both_always_and_sometimes() {
        // A call that is always refused has no tests, and another rule with tests would let some calls pass.
        for namespaces in [true, false] {
            let rules = rules(namespaces);
            for (call, _) in rules.iter().filter(|(_, tests)| tests.is_empty()) {
                assert!(rules.iter().all(|(other, tests)| other != call || tests.is_empty()), "{call}");
            }
        }
    }
}
