//! Waiting until an event is due or a host sends something.

use multihop_proto::units::NodeId;
use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};

use crate::host::Host;

/// Hosts with something to read that are named at once.
const MOST_AT_ONCE: usize = 64;
/// How often it is looked whether the emulation shall end \[ms\].
const LOOK_MS: u16 = 50;
/// The timer among what is waited for.
const TIMER: u64 = u64::MAX;

/// What there is to wait for: the devices of all hosts, and the clock.
pub(crate) struct Wait {
    epoll: Epoll,
    timer: TimerFd,
    ready: [EpollEvent; MOST_AT_ONCE],
}

impl Wait {
    /// For these hosts, by number.
    pub(crate) fn new(hosts: &[Host]) -> Result<Self, Errno> {
        let _ = nix::sys::prctl::set_timerslack(1); // without it, Linux may be 50 us late by intent
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        let timer =
            TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC)?;
        epoll.add(&timer, EpollEvent::new(EpollFlags::EPOLLIN, TIMER))?;
        for (host, index) in hosts.iter().zip(0..) {
            epoll.add(&host.device, EpollEvent::new(EpollFlags::EPOLLIN, index))?;
        }
        Ok(Self { epoll, timer, ready: [EpollEvent::empty(); MOST_AT_ONCE] })
    }

    /// Waits until this instant of the clock, or until hosts have something to read, but not for long; returns these.
    pub(crate) fn until(&mut self, next: TimeSpec) -> Result<impl Iterator<Item = NodeId> + use<>, Errno> {
        self.timer.set(Expiration::OneShot(next), TimerSetTimeFlags::TFD_TIMER_ABSTIME)?;
        let count = match self.epoll.wait(&mut self.ready, LOOK_MS) {
            Err(Errno::EINTR) => 0,
            told => told?,
        };
        let ready = self.ready.into_iter().take(count).filter(|event| event.data() != TIMER);
        Ok(ready.map(|event| NodeId(event.data() as u32))) // its number, from above
    }
}
