//! Stations of an older amendment in one network: what they understand, and what protects others' frames from them.

use super::config::{AggregationConfig, DSSS_RATES, DcfConfig, FrameProtection, MacConfig, RateControlKind};
use super::standard::Standard;
use crate::phy::{Band, TxVector};
use crate::units::{Bitrate, Bytes, NodeId};

/// A neighbour whose amendment is older than that of the station, and how frames are sent to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Older {
    /// Which station.
    pub node: NodeId,
    /// Medium access as if all stations were like it.
    pub mac: MacConfig,
}

impl MacConfig {
    /// The same beside stations of 802.11b: `auto` is settled.
    #[must_use]
    pub fn beside_dsss(&self) -> Self {
        let Self::Dcf(dcf) = self;
        let settled = dcf.protection == FrameProtection::Auto && dcf.standard != Standard::B;
        let protection = if settled { FrameProtection::CtsToSelf } else { dcf.protection };
        Self::Dcf(DcfConfig { protection, ..dcf.clone() })
    }

    /// How a station sends to one of an older amendment: frames of that amendment, each with one packet.
    #[must_use]
    pub fn towards(&self, older: &Self) -> Self {
        let (Self::Dcf(own), Self::Dcf(older)) = (self, older);
        let unheard = own.rate_control == RateControlKind::MinstrelHt && older.standard == Standard::B;
        Self::Dcf(DcfConfig {
            standard: older.standard,
            band: own.frequency_band(),
            data_rate: older.data_rate,
            ack_rate: older.ack_rate,
            data_overhead: older.data_overhead,
            rate_control: if unheard { RateControlKind::Arf } else { own.rate_control },
            aggregation: AggregationConfig { on: false, amsdu_length: Bytes::ZERO, ..own.aggregation },
            ..own.clone()
        })
    }

    /// Whether stations with this medium access are of an older amendment than those with another one.
    #[must_use]
    pub fn is_older_than(&self, other: &Self) -> bool {
        let (Self::Dcf(own), Self::Dcf(other)) = (self, other);
        own.standard < other.standard && !(own.standard == Standard::A && other.standard == Standard::G)
    }

    /// Whether control frames and broadcasts go at a rate of DSSS, though data do not.
    #[must_use]
    pub fn speaks_dsss(&self) -> bool {
        let Self::Dcf(dcf) = self;
        dcf.speaks_dsss()
    }

    /// Why stations with this medium access and those with that of the network do not understand each other, if so.
    #[must_use]
    pub fn cannot_join(&self, network: &Self) -> Option<String> {
        let (Self::Dcf(own), Self::Dcf(all)) = (self, network);
        if own.standard == all.standard {
            return None;
        }
        let (own, band) = (own.standard, all.frequency_band());
        let (name, all) = (own.name(), all.standard.name());
        let joins = match (own, band) {
            (Standard::B | Standard::G, Band::Ghz2) | (Standard::A, Band::Ghz5) => {
                self.is_older_than(network)
            }
            _ => false,
        };
        (!joins).then(|| {
            let band = if band == Band::Ghz2 { "2.4 GHz" } else { "5 GHz" };
            format!("stations of {name} cannot be in a network of {all} at {band}")
        })
    }
}

impl DcfConfig {
    /// Whether control frames and broadcasts go at a rate of DSSS, though data do not.
    #[must_use]
    pub fn speaks_dsss(&self) -> bool {
        self.standard != Standard::B && is_dsss(self.basic_rate)
    }
}

/// Whether DSSS or HR/DSSS has this rate.
pub(super) fn is_dsss(rate: Bitrate) -> bool {
    DSSS_RATES.contains(&rate)
}

/// Which frames a receiver can make out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// All of them.
    All,
    /// Frames of OFDM, and of DSSS. Of later ones it reads the first header, and so how long they last.
    Ofdm,
    /// Frames of DSSS. Of others it senses the energy.
    Dsss,
}

/// What a receiver makes of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// It can be read.
    Whole,
    /// Its first header can.
    Header,
    /// It is energy.
    Energy,
}

impl Reads {
    /// Those of stations with this medium access.
    #[must_use]
    pub const fn of(mac: &MacConfig) -> Self {
        match mac.standard() {
            Standard::B => Self::Dsss,
            Standard::A | Standard::G => Self::Ofdm,
            Standard::N | Standard::Ac | Standard::Ax => Self::All,
        }
    }

    /// What such a receiver makes of a frame.
    #[inline]
    #[must_use]
    pub const fn reading(self, tx: TxVector) -> Reading {
        match (self, tx) {
            (Self::All, _) | (_, TxVector::Dsss(_)) | (Self::Ofdm, TxVector::Ofdm(_)) => Reading::Whole,
            (Self::Ofdm, TxVector::Mcs(_)) => Reading::Header,
            (Self::Dsss, _) => Reading::Energy,
        }
    }
}
