//! Simulated time: points ([`SimTime`]) and lengths ([`Dur`]), whole nanoseconds in 64 bits (584 years).

use super::QuantityError;
use super::decimal::Decimal;
use super::quantity::{Kind, Unit, text_form};
use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

const TIME_UNITS: &[Unit] = &[
    Unit::new("ns", 0),
    Unit::new("s", 9),
    Unit::new("ms", 6),
    Unit::new("us", 3),
    Unit::read_only("µs", 1, 3),
    Unit::read_only("min", 60, 9),
    Unit::read_only("h", 3600, 9),
];

/// A point in simulated time, in nanoseconds since the start of the run.
///
/// `SimTime::MAX` means *never*; adding to it leaves it there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimTime(u64);

/// A length of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dur(u64);

/// What both types share: constructors and readings.
macro_rules! nanoseconds {
    ($type:ident, $what:literal) => {
        impl $type {
            /// Zero.
            pub const ZERO: Self = Self(0);
            /// The largest value; stands for *never* or *without end*.
            pub const MAX: Self = Self(u64::MAX);

            #[doc = concat!($what, " of `ns` nanoseconds.")]
            #[inline]
            #[must_use]
            pub const fn from_ns(ns: u64) -> Self {
                Self(ns)
            }

            #[doc = concat!($what, " of `us` microseconds; too large gives `MAX`.")]
            #[inline]
            #[must_use]
            pub const fn from_us(us: u64) -> Self {
                Self(us.saturating_mul(1_000))
            }

            #[doc = concat!($what, " of `ms` milliseconds; too large gives `MAX`.")]
            #[inline]
            #[must_use]
            pub const fn from_ms(ms: u64) -> Self {
                Self(ms.saturating_mul(1_000_000))
            }

            #[doc = concat!($what, " of `secs` seconds; too large gives `MAX`.")]
            #[inline]
            #[must_use]
            pub const fn from_secs(secs: u64) -> Self {
                Self(secs.saturating_mul(1_000_000_000))
            }

            #[doc = concat!($what, " of `secs` seconds, rounded to the nearest nanosecond; negative and NaN give zero, too large gives `MAX`.")]
            #[inline]
            #[must_use]
            pub fn from_secs_f64(secs: f64) -> Self {
                // A float-to-integer cast saturates, which is the documented behaviour.
                Self(libm::round(secs * 1e9) as u64)
            }

            /// Nanoseconds.
            #[inline]
            #[must_use]
            pub const fn as_ns(self) -> u64 {
                self.0
            }

            /// Seconds; exact up to 2^53 ns (104 days).
            #[inline]
            #[must_use]
            pub fn as_secs_f64(self) -> f64 {
                self.0 as f64 / 1e9
            }

            fn from_text(text: &str) -> Result<Self, QuantityError> {
                Self::KIND.parse_whole(text).map(Self)
            }

            fn decimal(self) -> Decimal {
                Decimal::from_u64(self.0)
            }
        }

        text_form!($type);
    };
}

nanoseconds!(SimTime, "A point in time");
nanoseconds!(Dur, "A length");

impl SimTime {
    pub(super) const KIND: Kind =
        Kind { noun: "a time", example: "100 s", usual: "s", units: TIME_UNITS, signed: false };

    /// Time passed since `earlier`; zero if `earlier` lies in the future.
    #[inline]
    #[must_use]
    pub const fn saturating_since(self, earlier: Self) -> Dur {
        Dur(self.0.saturating_sub(earlier.0))
    }
}

impl Dur {
    pub(super) const KIND: Kind =
        Kind { noun: "a time", example: "20 us", usual: "s", units: TIME_UNITS, signed: false };

    /// Whole microseconds, rounded down.
    #[inline]
    #[must_use]
    pub const fn as_us(self) -> u64 {
        self.0 / 1_000
    }

    /// Whole milliseconds, rounded down, as a field of 32 bits has them; too many give `u32::MAX`.
    #[must_use]
    pub fn as_ms_u32(self) -> u32 {
        u32::try_from(self.0 / 1_000_000).unwrap_or(u32::MAX)
    }

    /// `self × factor`, rounded to the nearest nanosecond, saturating; negative and NaN factors give zero.
    #[inline]
    #[must_use]
    pub fn mul_f64(self, factor: f64) -> Self {
        Self(libm::round(self.0 as f64 * factor) as u64)
    }

    /// `self - other`, zero if `other` is longer.
    #[inline]
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// How many whole `unit`s fit; `unit` must not be zero.
    #[inline]
    #[must_use]
    pub const fn whole(self, unit: Self) -> u64 {
        self.0 / unit.0
    }
}

impl Add<Dur> for SimTime {
    type Output = Self;

    /// Saturates, so that *never* plus anything stays *never*.
    #[inline]
    fn add(self, length: Dur) -> Self {
        Self(self.0.saturating_add(length.0))
    }
}

impl AddAssign<Dur> for SimTime {
    #[inline]
    fn add_assign(&mut self, length: Dur) {
        *self = *self + length;
    }
}

impl Sub for SimTime {
    type Output = Dur;

    /// Panics, in every build, if `earlier` is later: see [`SimTime::saturating_since`] where it may be.
    #[inline]
    fn sub(self, earlier: Self) -> Dur {
        Dur(minus(self.0, earlier.0))
    }
}

impl Sub<Dur> for SimTime {
    type Output = Self;

    /// Panics, in every build, if that lies before the start of the run.
    #[inline]
    fn sub(self, length: Dur) -> Self {
        Self(minus(self.0, length.0))
    }
}

impl Add for Dur {
    type Output = Self;

    /// Saturates, so that *without end* plus anything stays so.
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Dur {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Dur {
    type Output = Self;

    /// Panics, in every build, if `other` is longer: see [`Dur::saturating_sub`] where it may be.
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(minus(self.0, other.0))
    }
}

impl SubAssign for Dur {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Mul<u64> for Dur {
    type Output = Self;

    /// Saturates, as a sum of so many would.
    #[inline]
    fn mul(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }
}

impl Div<u64> for Dur {
    type Output = Self;

    #[inline]
    fn div(self, parts: u64) -> Self {
        Self(self.0 / parts)
    }
}

/// Times never wrap, not even where a build leaves overflow unchecked: a negative one is a fault, and said.
#[inline]
fn minus(a: u64, b: u64) -> u64 {
    a.checked_sub(b).unwrap_or_else(|| negative())
}

#[cold]
#[inline(never)]
fn negative() -> ! {
    panic!("a time cannot be negative")
}

impl std::iter::Sum for Dur {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_the_shortest_exact_form() {
        for (length, text) in [
            (Dur::ZERO, "0 s"),
            (Dur::from_us(20), "20 us"),
            (Dur::from_us(364), "364 us"),
            (Dur::from_ms(10), "10 ms"),
            (Dur::from_ms(200), "0.2 s"),
            (Dur::from_secs(100), "100 s"),
            (Dur::from_ns(1_234), "1234 ns"),
        ] {
            assert_eq!(length.to_string(), text);
            assert_eq!(text.parse(), Ok(length));
        }
    }

    #[test]
    fn reads_all_units() {
        assert_eq!("1.5 min".parse(), Ok(Dur::from_secs(90)));
        assert_eq!("2h".parse(), Ok(Dur::from_secs(7_200)));
        assert_eq!("4 µs".parse(), Ok(Dur::from_us(4)));
    }

    #[test]
    fn refuses_what_is_not_a_time() {
        insta::assert_snapshot!("20".parse::<Dur>().unwrap_err(), @r#"expected a time with its unit, like "20 us" (units: ns, s, ms, us, µs, min, h); `20` has no unit: write `20 s`?"#);
        insta::assert_snapshot!("20 m".parse::<Dur>().unwrap_err(), @r#"expected a time with its unit, like "20 us" (units: ns, s, ms, us, µs, min, h); `m` is not one of them"#);
        insta::assert_snapshot!("-1 s".parse::<Dur>().unwrap_err(), @r#"expected a time with its unit, like "20 us" (units: ns, s, ms, us, µs, min, h); `-1 s` is negative"#);
        insta::assert_snapshot!("0.1 ns".parse::<Dur>().unwrap_err(), @r#"expected a time with its unit, like "20 us" (units: ns, s, ms, us, µs, min, h); `0.1 ns` is not a whole number of ns"#);
        insta::assert_snapshot!(serde_json::from_str::<Dur>("20").unwrap_err(), @r#"expected a time with its unit, like "20 s"; got the bare number 20 at line 1 column 2"#);
    }

    #[test]
    fn times_do_not_wrap() {
        assert_eq!(Dur::from_secs(10_000_000) * 1_000_000, Dur::MAX);
        assert_eq!(Dur::from_secs(u64::MAX), Dur::MAX);
        assert_eq!((SimTime::from_ms(u64::MAX), Dur::from_us(u64::MAX)), (SimTime::MAX, Dur::MAX));
        let negative: [fn() -> Dur; 3] = [
            || Dur::ZERO - Dur::from_ns(1),
            || SimTime::ZERO - SimTime::from_ns(1),
            || (SimTime::ZERO - Dur::from_ns(1)).saturating_since(SimTime::ZERO),
        ];
        for negative in negative {
            assert!(std::panic::catch_unwind(negative).is_err());
        }
    }

    #[test]
    fn never_stays_never() {
        assert_eq!(SimTime::MAX + Dur::from_secs(1), SimTime::MAX);
        assert_eq!(Dur::from_us(20).mul_f64(0.5), Dur::from_us(10));
        assert_eq!(SimTime::from_us(1).saturating_since(SimTime::from_us(2)), Dur::ZERO);
        assert_eq!(SimTime::from_us(3) - SimTime::from_us(1), Dur::from_us(2));
    }
}
