//! Ending the processes below this one: a test program of its own, because on some systems these include other tests.
#![allow(clippy::unwrap_used)]

use std::os::unix::process::CommandExt as _;
use std::process::Command;

use lispwright_platform::System;
use rustix::process::Pid;

fn check<S: System>() {
    let mut shell = Command::new("sh").args(["-c", "sleep 1000 & wait"]).process_group(0).spawn().unwrap();
    S::kill_below(Pid::from_child(&shell));
    assert!(!shell.wait().unwrap().success());
}

#[test]
fn what_is_below_is_killed() {
    check::<lispwright_platform::Unix>();
    #[cfg(target_os = "linux")]
    check::<lispwright_platform::Linux>();
}
