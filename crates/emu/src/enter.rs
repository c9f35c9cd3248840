//! The way of a program into the network of a node.

use std::io;

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, setns, unshare};

use crate::host::open;

/// Puts the calling thread into the network namespace at this path of /proc; what it starts will be there too.
///
/// # Errors
/// If there is none, or the process may not.
pub fn enter(path: &str) -> io::Result<()> {
    Ok(setns(open(path)?, CloneFlags::CLONE_NEWNET)?)
}

/// Has the next child of the calling thread be the first process of a space of its own: when that ends, the kernel ends
/// all that it has started. With `seen`, the calling process is that child, and gets a `/proc` of that space.
///
/// # Errors
/// If the process may not.
pub fn isolate(seen: bool) -> io::Result<()> {
    if !seen {
        return Ok(unshare(CloneFlags::CLONE_NEWPID)?);
    }
    unshare(CloneFlags::CLONE_NEWNS)?;
    let none = None::<&str>;
    mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none)?;
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    Ok(mount(Some("proc"), "/proc", Some("proc"), flags, none)?)
}
