//! All units, and what each is worth.

use super::{Angle, Bitrate, Bytes, Decibel, Dur, Energy, Frequency, Metres, Power, Speed};

/// The units of each quantity that scenarios have: its name without article, and each unit with its worth in the unit
/// that counts 1 (`s` for a time, else the base unit). dBm is left out: it is no multiple of a watt.
#[must_use]
pub fn unit_worths() -> Vec<(&'static str, Vec<(&'static str, f64)>)> {
    let kinds = [
        &Dur::KIND,
        &Bytes::KIND,
        &Bitrate::KIND,
        &Metres::KIND,
        &Speed::KIND,
        &Angle::KIND,
        &Power::KIND,
        &Energy::KIND,
        &Frequency::KIND,
        &Decibel::KIND,
    ];
    kinds.into_iter().map(|kind| (kind.name(), kind.worths())).collect()
}
