//! When a timer fires whose clock is coarse, as that of Linux (`kernel/time/timer.c`): the longer it runs, the coarser.
//!
//! Timers of less than 63 ticks fire at a tick, those of less than 504 at every 8th, of less than 4032 at every 64th,
//! and so on, always at the next one after the instant asked for.

use crate::units::{Dur, SimTime};

/// Ticks below which a timer is of the finest level.
const FINEST: u64 = 63;
/// How much coarser each level is than the one before, as a power of two.
const STEP: u32 = 3;
/// Coarser levels than the first.
const LEVELS: u32 = 8;

/// The instant at which a timer fires that is set at `now` for `at`; without a tick, then.
#[must_use]
pub fn fires(tick: Dur, now: SimTime, at: SimTime) -> SimTime {
    let tick = tick.as_ns();
    if tick == 0 || at == SimTime::MAX {
        return at;
    }
    let present = now.as_ns() / tick;
    let ticks = at.saturating_since(now).as_ns().div_ceil(tick);
    let level = (0..LEVELS).find(|level| ticks < FINEST << (STEP * level)).unwrap_or(LEVELS);
    let coarse = STEP * level;
    let fires = (((present + ticks) >> coarse) + 1) << coarse;
    SimTime::ZERO + Dur::from_ns(fires.saturating_mul(tick))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fired(now_ms: u64, wait_ms: u64) -> u64 {
        let now = SimTime::from_ms(now_ms);
        fires(Dur::from_ms(4), now, now + Dur::from_ms(wait_ms)).as_ns() / 1_000_000
    }

    /// Below 252 ms to the next tick of 4 ms, below 2016 ms to the next 32 ms, below 16 128 ms to the next 256 ms.
    #[test]
    fn longer_timers_are_coarser() {
        assert_eq!(fired(0, 40), 44);
        assert_eq!(fired(2, 41), 48, "a part of a tick counts as one");
        assert_eq!(fired(0, 248), 252);
        assert_eq!(fired(0, 252), 256);
        assert_eq!(fired(0, 330), 352);
        assert_eq!(fired(100, 770), 896);
        assert_eq!(fired(0, 1540), 1568);
        assert_eq!(fired(0, 3070), 3328);
        assert_eq!(fired(0, 7000), 7168);
    }

    #[test]
    fn without_a_tick_it_is_on_time() {
        let at = SimTime::from_ms(123);
        assert_eq!(fires(Dur::ZERO, SimTime::ZERO, at), at);
        assert_eq!(fires(Dur::from_ms(4), SimTime::ZERO, SimTime::MAX), SimTime::MAX);
    }
}
