//! Powers, ratios in decibels and frequencies.

use super::QuantityError;
use super::decimal::Decimal;
use super::quantity::{Kind, Unit, text_form};

/// What all real-valued quantities share: a finite `f64` with a total order and a hash.
macro_rules! real_number {
    ($type:ident, $unit:literal) => {
        impl $type {
            #[doc = concat!("A quantity of `value` ", $unit, "; `value` must be finite.")]
            #[inline]
            #[must_use]
            pub const fn new(value: f64) -> Self {
                debug_assert!(value.is_finite());
                // Adding zero turns -0.0 into 0.0, so that equal values have equal bits.
                Self(value + 0.0)
            }

            #[doc = concat!("The value in ", $unit, ".")]
            #[inline]
            #[must_use]
            pub const fn get(self) -> f64 {
                self.0
            }
        }

        impl PartialEq for $type {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                self.0.to_bits() == other.0.to_bits()
            }
        }

        impl Eq for $type {}

        impl PartialOrd for $type {
            #[inline]
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $type {
            #[inline]
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                self.0.total_cmp(&other.0)
            }
        }

        impl std::hash::Hash for $type {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.0.to_bits().hash(state);
            }
        }
    };
}
pub(super) use real_number;

/// A power in watts. Files may say dBm.
#[derive(Clone, Copy, Debug, Default)]
pub struct Power(f64);

impl Power {
    pub(super) const KIND: Kind = Kind {
        noun: "a power",
        example: "24.5 dBm",
        usual: "dBm",
        units: &[
            Unit::new("W", 0),
            Unit::new("mW", -3),
            Unit::read_only("uW", 1, -6),
            Unit::read_only("nW", 1, -9),
            Unit::read_only("pW", 1, -12),
            Unit::read_only("dBm", 1, 0),
        ],
        signed: true,
    };

    /// The power of `dbm` decibels above one milliwatt.
    #[must_use]
    pub fn from_dbm(dbm: f64) -> Self {
        Self::new(1e-3 * libm::pow(10.0, dbm / 10.0))
    }

    fn from_text(text: &str) -> Result<Self, QuantityError> {
        let (number, unit) = Self::KIND.split(text)?;
        if unit == "dBm" {
            let dbm = number.to_f64();
            // Beyond 1000 dBm either way the watts leave the range of f64 or of sense.
            return if dbm.abs() <= 1000.0 {
                Ok(Self::from_dbm(dbm))
            } else {
                Err(Self::KIND.error(&format!("`{text}` is out of range")))
            };
        }
        if number.negative {
            return Err(Self::KIND.error(&format!("`{text}` is negative")));
        }
        Self::KIND.parse_f64(text).map(Self::new)
    }

    fn decimal(self) -> Decimal {
        Decimal::from_f64(self.0)
    }
}

real_number!(Power, "watts");
text_form!(Power);

/// An energy in joules.
#[derive(Clone, Copy, Debug, Default)]
pub struct Energy(f64);

impl Energy {
    pub(super) const KIND: Kind = Kind {
        noun: "an energy",
        example: "10 J",
        usual: "J",
        units: &[Unit::new("J", 0), Unit::new("mJ", -3), Unit::new("kJ", 3), Unit::read_only("Wh", 36, 2)],
        signed: false,
    };

    fn from_text(text: &str) -> Result<Self, QuantityError> {
        Self::KIND.parse_f64(text).map(Self::new)
    }

    fn decimal(self) -> Decimal {
        Decimal::from_f64(self.0)
    }
}

real_number!(Energy, "joules");
text_form!(Energy);

/// A ratio of powers in decibels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Decibel(f64);

impl Decibel {
    pub(super) const KIND: Kind =
        Kind { noun: "a ratio", example: "10 dB", usual: "dB", units: &[Unit::new("dB", 0)], signed: true };

    /// The plain ratio of powers: 10 dB is 10, 3 dB about 2.
    #[must_use]
    pub fn ratio(self) -> f64 {
        libm::pow(10.0, self.0 / 10.0)
    }

    fn from_text(text: &str) -> Result<Self, QuantityError> {
        Self::KIND.parse_f64(text).map(Self::new)
    }

    fn decimal(self) -> Decimal {
        Decimal::from_f64(self.0)
    }
}

real_number!(Decibel, "decibels");
text_form!(Decibel);

/// A frequency in hertz.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frequency(f64);

impl Frequency {
    pub(super) const KIND: Kind = Kind {
        noun: "a frequency",
        example: "914 MHz",
        usual: "MHz",
        units: &[Unit::new("Hz", 0), Unit::new("GHz", 9), Unit::new("MHz", 6), Unit::new("kHz", 3)],
        signed: false,
    };

    /// Wavelength in metres, at the speed of light in vacuum.
    #[must_use]
    pub fn wavelength(self) -> f64 {
        299_792_458.0 / self.0
    }

    fn from_text(text: &str) -> Result<Self, QuantityError> {
        Self::KIND.parse_f64(text).map(Self::new)
    }

    fn decimal(self) -> Decimal {
        Decimal::from_f64(self.0)
    }
}

real_number!(Frequency, "hertz");
text_form!(Frequency);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_keep_their_bits_through_text() {
        for watts in [0.281_838_15, 3.652e-10, 1.559e-11, 0.0, 1.0] {
            let power = Power::new(watts);
            assert_eq!(power.to_string().parse(), Ok(power), "{power}");
        }
        assert_eq!("281.83815 mW".parse(), Ok(Power::new(0.281_838_15)));
        assert_eq!(Power::new(3.652e-10).to_string(), "3.652e-10 W");
        assert!(("24.5 dBm".parse::<Power>().expect("a power").get() - 0.281_838_29).abs() < 1e-8);
        assert!("-3 W".parse::<Power>().is_err());
        assert!("-1e9 dBm".parse::<Power>().is_err());
        assert!("-64.38 dBm".parse::<Power>().is_ok());
    }

    #[test]
    fn ratios_and_frequencies() {
        assert!(("10 dB".parse::<Decibel>().expect("a ratio").ratio() - 10.0).abs() < 1e-12);
        assert_eq!("914 MHz".parse::<Frequency>().map(|it| it.to_string()).as_deref(), Ok("914 MHz"));
        assert!("-1 Hz".parse::<Frequency>().is_err());
    }
}
