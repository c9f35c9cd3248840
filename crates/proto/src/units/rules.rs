//! The rules that [`crate::keys`] knows: each takes a key and its value, as it stands in the configuration.

use std::fmt::Display;

use super::range::{self, Check, Checked, must};
use super::{Bitrate, Dur};

/// It must lie within `least..=most`.
///
/// # Errors
/// If it does not.
pub fn within<T: PartialOrd + Display + Copy>(key: &str, value: &T, least: T, most: T) -> Checked {
    range::within(key, *value, least, most)
}

/// The same, of a key that may be left out.
///
/// # Errors
/// If it has a value that does not.
pub fn if_set<T: PartialOrd + Display + Copy>(key: &str, value: &Option<T>, least: T, most: T) -> Checked {
    value.map_or(Ok(()), |value| range::within(key, value, least, most))
}

/// It must lie above 0 and not above `most`.
///
/// # Errors
/// If it does not.
pub fn positive(key: &str, value: &f64, most: f64) -> Checked {
    must(*value > 0.0 && *value <= most, key, value, format_args!("lie above 0 and not above {most}"))
}

/// It must be a probability.
///
/// # Errors
/// If it is none.
pub fn probability(key: &str, value: &f64) -> Checked {
    range::probability(key, *value)
}

/// It must be a span of time that is not nothing.
///
/// # Errors
/// If it is none.
pub fn span(key: &str, value: &Dur) -> Checked {
    range::span(key, *value)
}

/// It must be how often something happens, or 0 where it does not.
///
/// # Errors
/// If it is none.
pub fn period(key: &str, value: &Dur) -> Checked {
    range::period(key, *value)
}

/// It must be a rate that something can be sent at.
///
/// # Errors
/// If it is none.
pub fn rate(key: &str, value: &Bitrate) -> Checked {
    range::rate(key, *value)
}

/// The keys of the table must keep their own rules.
///
/// # Errors
/// The first that does not.
pub fn inside(key: &str, value: &impl Check) -> Checked {
    value.check().map_err(|wrong| wrong.inside(key))
}
