//! The timestamps option of TCP (RFC 7323 §3.2), and the clock whose readings it carries.

use crate::units::{Dur, SimTime};

/// One tick of the clock (RFC 7323 §5.4: from 1 ms to 1 s).
const TICK: Dur = Dur::from_ms(1);

/// The option, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timestamps {
    /// What the clock of the sender of this segment read; 0 where the option is absent.
    value: u32,
    /// What that end heard last of the other's clock; 0 for nothing yet.
    echo: u32,
}

impl Timestamps {
    /// No option.
    pub const NONE: Self = Self { value: 0, echo: 0 };
    /// Bytes of the option, with two of padding.
    pub const SIZE: u32 = 12;

    /// The option of a segment that leaves now.
    #[must_use]
    pub const fn new(now: SimTime, echo: u32) -> Self {
        Self { value: clock(now), echo }
    }

    /// Whether the option is there.
    #[inline]
    #[must_use]
    pub const fn is_present(self) -> bool {
        self.value != 0
    }

    /// `TSval`.
    #[must_use]
    pub const fn value(self) -> u32 {
        self.value
    }

    /// `TSecr`; 0 for none.
    #[must_use]
    pub const fn echo(self) -> u32 {
        self.echo
    }

    /// Time since the end that hears this sent what is echoed, in whole ticks, at least one; none without an echo.
    #[must_use]
    pub fn elapsed(self, now: SimTime) -> Option<Dur> {
        let ticks = clock(now).wrapping_sub(self.echo).max(1);
        (self.is_present() && self.echo != 0).then(|| TICK * u64::from(ticks))
    }

    /// Bytes on the air.
    #[inline]
    #[must_use]
    pub const fn size(self) -> u32 {
        if self.is_present() { Self::SIZE } else { 0 }
    }
}

/// What the clock reads, never 0.
#[must_use]
pub const fn clock(now: SimTime) -> u32 {
    let ticks = now.as_ns() / TICK.as_ns();
    (ticks % u32::MAX as u64) as u32 + 1
}

/// Whether one reading was taken before another, modulo 2^32.
#[must_use]
pub const fn is_before(one: u32, other: u32) -> bool {
    one.wrapping_sub(other).cast_signed() < 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_echo_tells_the_time_since() {
        let sent = clock(SimTime::from_ms(1000));
        let answer = Timestamps::new(SimTime::from_ms(1050), sent);
        assert_eq!(answer.elapsed(SimTime::from_ms(1100)), Some(Dur::from_ms(100)));
        assert_eq!(answer.elapsed(SimTime::from_ms(1000)), Some(TICK), "within a tick");
        assert_eq!(Timestamps::new(SimTime::ZERO, 0).elapsed(SimTime::from_ms(5)), None);
        assert_eq!(Timestamps::NONE.elapsed(SimTime::from_ms(5)), None);
        assert_eq!((answer.size(), Timestamps::NONE.size()), (12, 0));
    }

    /// The clock is never 0, and its readings have an order across the end of its range (49 days).
    #[test]
    fn the_clock_goes_round() {
        let end = SimTime::from_ms(u64::from(u32::MAX) - 1);
        let (last, first) = (clock(end), clock(end + TICK));
        assert_eq!((last, first), (u32::MAX, 1));
        assert!(is_before(last, first) && !is_before(first, last) && !is_before(first, first));
    }
}
