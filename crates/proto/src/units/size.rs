//! Sizes in bytes and rates in bits per second.

use super::decimal::Decimal;
use super::quantity::{Kind, Unit, text_form};
use super::{Dur, QuantityError};
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// A size in bytes, up to 4 GiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u32);

impl Bytes {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// The largest size; as a threshold it means *above any frame*.
    pub const MAX: Self = Self(u32::MAX);

    pub(super) const KIND: Kind = Kind {
        noun: "a size",
        example: "1460 B",
        usual: "B",
        units: &[
            Unit::new("B", 0),
            Unit::new("kB", 3),
            Unit::new("MB", 6),
            Unit::new("GB", 9),
            Unit::read_only("KiB", 1 << 10, 0),
            Unit::read_only("MiB", 1 << 20, 0),
        ],
        signed: false,
    };

    /// The size in bits.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0 as u64 * 8
    }

    /// The size as a plain number of bytes.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    fn from_text(text: &str) -> Result<Self, QuantityError> {
        let bytes = Self::KIND.parse_whole(text)?;
        u32::try_from(bytes).map(Self).map_err(|_| Self::KIND.error(&format!("`{text}` is too large")))
    }

    fn decimal(self) -> Decimal {
        Decimal::from_u64(u64::from(self.0))
    }
}

text_form!(Bytes);

impl Add for Bytes {
    type Output = Self;

    /// Saturates.
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Bytes {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Bytes {
    type Output = Self;

    /// Saturates: nothing is left.
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl SubAssign for Bytes {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

/// A data rate in bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bitrate(u64);

impl Bitrate {
    pub(super) const KIND: Kind = Kind {
        noun: "a data rate",
        example: "2 Mbps",
        usual: "Mbps",
        units: &[
            Unit::new("bps", 0),
            Unit::new("Mbps", 6),
            Unit::new("kbps", 3),
            Unit::new("Gbps", 9),
            Unit::read_only("bit/s", 1, 0),
            Unit::read_only("kbit/s", 1, 3),
            Unit::read_only("Mbit/s", 1, 6),
            Unit::read_only("Gbit/s", 1, 9),
            Unit::read_only("b/s", 1, 0),
            Unit::read_only("kb/s", 1, 3),
            Unit::read_only("Mb/s", 1, 6),
            Unit::read_only("Gb/s", 1, 9),
        ],
        signed: false,
    };

    /// A rate of `bps` bits per second.
    #[inline]
    #[must_use]
    pub const fn from_bps(bps: u64) -> Self {
        Self(bps)
    }

    /// A rate of `mbps` million bits per second.
    #[inline]
    #[must_use]
    pub const fn from_mbps(mbps: u64) -> Self {
        Self(mbps.saturating_mul(1_000_000))
    }

    /// Bits per second.
    #[inline]
    #[must_use]
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// Time that `size` takes on the air at this rate, whole nanoseconds, rounded up.
    ///
    /// # Panics
    /// If the rate is zero.
    #[inline]
    #[must_use]
    pub const fn airtime(self, size: Bytes) -> Dur {
        match size.bits().checked_mul(1_000_000_000) {
            Some(scaled) => Dur::from_ns(scaled.div_ceil(self.0)),
            // Above 2.3 GB the product needs more than 64 bits; the quotient may too, at rates below 2 bit/s.
            None => {
                let ns = (size.bits() as u128 * 1_000_000_000).div_ceil(self.0 as u128);
                if ns > u64::MAX as u128 { Dur::MAX } else { Dur::from_ns(ns as u64) }
            }
        }
    }

    fn from_text(text: &str) -> Result<Self, QuantityError> {
        Self::KIND.parse_whole(text).map(Self)
    }

    fn decimal(self) -> Decimal {
        Decimal::from_u64(self.0)
    }
}

text_form!(Bitrate);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_rates_round_trip() {
        for text in ["1460 B", "1 kB", "0 B", "20 MB"] {
            assert_eq!(text.parse::<Bytes>().map(|size| size.to_string()).as_deref(), Ok(text));
        }
        for text in ["2 Mbps", "5.5 Mbps", "64 kbps", "9 bps"] {
            assert_eq!(text.parse::<Bitrate>().map(|rate| rate.to_string()).as_deref(), Ok(text));
        }
        assert_eq!("4 KiB".parse(), Ok(Bytes(4096)));
        assert_eq!("11 Mbit/s".parse(), Ok(Bitrate::from_mbps(11)));
        assert!("5 GB".parse::<Bytes>().is_err());
    }

    #[test]
    fn airtime_is_exact_and_rounds_up() {
        assert_eq!(Bitrate::from_mbps(2).airtime(Bytes(1500)), Dur::from_us(6000));
        assert_eq!(Bitrate::from_mbps(1).airtime(Bytes(14)), Dur::from_us(112));
        // 8 bits at 11 Mbit/s are 727.27 ns.
        assert_eq!(Bitrate::from_mbps(11).airtime(Bytes(1)), Dur::from_ns(728));
        assert_eq!(Bitrate::from_mbps(1).airtime(Bytes::MAX), Dur::from_us(8 * u64::from(u32::MAX)));
    }
}
