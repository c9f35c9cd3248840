//! The clock that the network follows.

use multihop_proto::units::SimTime;
use nix::errno::Errno;
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};

/// Time since an instant of the monotonic clock of Linux.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// That instant \[ns\].
    start: u64,
}

impl Clock {
    /// Starts now.
    pub(crate) fn start() -> Result<Self, Errno> {
        Ok(Self { start: read()? })
    }

    /// The present instant.
    pub(crate) fn now(&self) -> Result<SimTime, Errno> {
        Ok(SimTime::from_ns(read()?.saturating_sub(self.start)))
    }

    /// An instant as the clock itself has it.
    pub(crate) fn absolute(&self, at: SimTime) -> TimeSpec {
        let ns = self.start.saturating_add(at.as_ns());
        // Both fit: a clock that counts nanoseconds in 64 bits has 2^34 seconds.
        TimeSpec::new((ns / 1_000_000_000) as i64, (ns % 1_000_000_000) as i64)
    }
}

fn read() -> Result<u64, Errno> {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC)?;
    // It is never negative.
    Ok(now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64)
}
