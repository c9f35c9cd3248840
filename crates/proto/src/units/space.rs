//! Distances and coordinates.

use super::QuantityError;
use super::decimal::Decimal;
use super::quantity::{Kind, Unit, text_form};
use super::radio::real_number;
use std::ops::{Add, Mul, Sub};

/// A distance or coordinate in metres; coordinates may be negative.
#[derive(Clone, Copy, Debug, Default)]
pub struct Metres(f64);

impl Metres {
    pub(super) const KIND: Kind = Kind {
        noun: "a distance",
        example: "200 m",
        usual: "m",
        units: &[Unit::new("m", 0), Unit::new("km", 3), Unit::new("cm", -2)],
        signed: true,
    };

    fn from_text(text: &str) -> Result<Self, QuantityError> {
        Self::KIND.parse_f64(text).map(Self::new)
    }

    fn decimal(self) -> Decimal {
        Decimal::from_f64(self.0)
    }
}

real_number!(Metres, "metres");
text_form!(Metres);

impl Add for Metres {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self::new(self.0 + other.0)
    }
}

impl Sub for Metres {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self::new(self.0 - other.0)
    }
}

impl Mul<f64> for Metres {
    type Output = Self;

    #[inline]
    fn mul(self, factor: f64) -> Self {
        Self::new(self.0 * factor)
    }
}

/// A speed in metres per second.
#[derive(Clone, Copy, Debug, Default)]
pub struct Speed(f64);

impl Speed {
    pub(super) const KIND: Kind = Kind {
        noun: "a speed",
        example: "10 m/s",
        usual: "m/s",
        units: &[Unit::new("m/s", 0), Unit::read_only("cm/s", 1, -2)],
        signed: false,
    };
    /// The least at which a node counts as moving.
    pub const SLOWEST: Self = Self(1e-3);
    /// The greatest that a model of motion takes.
    pub const FASTEST: Self = Self(1e5);

    fn from_text(text: &str) -> Result<Self, QuantityError> {
        Self::KIND.parse_f64(text).map(Self::new)
    }

    fn decimal(self) -> Decimal {
        Decimal::from_f64(self.0)
    }
}

real_number!(Speed, "metres per second");
text_form!(Speed);

/// An angle in degrees.
#[derive(Clone, Copy, Debug, Default)]
pub struct Angle(f64);

impl Angle {
    pub(super) const KIND: Kind = Kind {
        noun: "an angle",
        example: "30 deg",
        usual: "deg",
        units: &[Unit::new("deg", 0)],
        signed: true,
    };

    fn from_text(text: &str) -> Result<Self, QuantityError> {
        Self::KIND.parse_f64(text).map(Self::new)
    }

    fn decimal(self) -> Decimal {
        Decimal::from_f64(self.0)
    }
}

real_number!(Angle, "degrees");
text_form!(Angle);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_round_trip() {
        for text in ["200 m", "-400 m", "0.5 m", "1 km", "0 m"] {
            assert_eq!(text.parse::<Metres>().map(|it| it.to_string()).as_deref(), Ok(text));
        }
        assert_eq!("150 cm".parse(), Ok(Metres::new(1.5)));
        assert_eq!(Metres::new(-0.0), Metres::new(0.0));
    }
}
