//! Modes by name, for counting frames by them.

use std::fmt;

use super::vector::TxVector;

/// Names of all modes that frames are counted by: rates of DSSS and of OFDM, MCS of all later formats.
pub const MODES: [&str; 24] = [
    "1 Mb/s", "2 Mb/s", "5.5 Mb/s", "11 Mb/s", "6 Mb/s", "9 Mb/s", "12 Mb/s", "18 Mb/s", "24 Mb/s",
    "36 Mb/s", "48 Mb/s", "54 Mb/s", "MCS 0", "MCS 1", "MCS 2", "MCS 3", "MCS 4", "MCS 5", "MCS 6", "MCS 7",
    "MCS 8", "MCS 9", "MCS 10", "MCS 11",
];

impl TxVector {
    /// Place of its mode among [`MODES`]; a rate of DSSS that the standard does not have counts as the next one that it
    /// has.
    #[must_use]
    pub const fn mode(self) -> usize {
        match self {
            Self::Dsss(dsss) => match dsss.rate.get().as_bps() {
                0..1_500_000 => 0,
                1_500_000..3_000_000 => 1,
                3_000_000..8_000_000 => 2,
                _ => 3,
            },
            Self::Ofdm(ofdm) => 4 + ofdm.rate as usize,
            Self::Mcs(mcs) => 12 + mcs.mcs as usize,
        }
    }

    /// Its mode by its name, spatial streams told apart.
    #[must_use]
    pub const fn named(self) -> Mode {
        let streams = match self {
            Self::Dsss(_) | Self::Ofdm(_) => 0,
            Self::Mcs(mcs) => mcs.streams,
        };
        Mode { streams, place: self.mode() as u8 } // one of MODES
    }
}

/// A mode that frames are counted by: one of [`MODES`] and, of an MCS, over how many streams. The slower ones of a
/// format and a number of streams come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mode {
    /// Spatial streams; 0 of a rate of DSSS or OFDM.
    streams: u8,
    place: u8,
}

impl fmt::Display for Mode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(MODES[usize::from(self.place)])?;
        if self.streams > 1 { write!(out, ", {} streams", self.streams) } else { Ok(()) }
    }
}
