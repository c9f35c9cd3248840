//! Radios: what each receiver makes of the signals that reach it. Half-duplex; one frame at a time.

use multihop_proto::mac::Reads;
use multihop_proto::units::{NodeId, Rng, SimTime};
use multihop_proto::wire::{Bitmap, Mpdu};

use super::config::{AirConfig, Reception};
use super::findings::Findings;
use super::ns2::Ns2Radio;
use super::radio::{Arrival, Ending, SignalStart};
use super::sinr::SinrRadio;

/// The radios of all nodes under one reception model.
#[derive(Clone, Debug)]
pub enum Radios {
    /// Thresholds and pairwise capture, as ns-2.
    Ns2 {
        /// By node.
        radios: Vec<Ns2Radio>,
        /// Ratio at which a later signal is ignored.
        capture: f64,
    },
    /// Sum of interference.
    Sinr(SinrRadios),
}

/// Radios that sum interference, and what they have found out about signals.
#[derive(Clone, Debug)]
pub struct SinrRadios {
    radios: Vec<SinrRadio>,
    findings: Box<Findings>,
}

impl SinrRadios {
    /// A signal begins at a node.
    #[inline(always)]
    pub fn begin(&mut self, node: NodeId, now: SimTime, arrival: &Arrival) -> SignalStart {
        self.radios[node.index()].begin(now, arrival, &mut self.findings)
    }
}

impl Radios {
    /// Silent radios, one for each of the streams that `draws` yields. Error curves draw from these.
    #[must_use]
    pub fn new(config: &AirConfig, draws: impl Iterator<Item = Rng>) -> Self {
        match config.reception {
            Reception::Ns2 => Self::Ns2 {
                radios: draws.map(|_| Ns2Radio::silent()).collect(),
                capture: config.capture.ratio(),
            },
            Reception::Sinr => Self::Sinr(SinrRadios {
                radios: draws.map(|rng| SinrRadio::new(config, rng)).collect(),
                findings: Box::default(),
            }),
        }
    }

    /// A station makes out these frames; others keep the medium busy there from this power on \[W\]. Where thresholds
    /// alone decide, all frames are alike.
    pub fn set_reads(&mut self, station: NodeId, reads: Reads, energy: f64) {
        if let Self::Sinr(SinrRadios { radios, .. }) = self {
            radios[station.index()].set_reads(reads, energy);
        }
    }

    /// Whether ends of signals matter beyond their decodable receivers.
    #[inline]
    #[must_use]
    pub const fn sums_interference(&self) -> bool {
        matches!(self, Self::Sinr(_))
    }

    /// The node starts to send until `end`; returns the end of a reception that this destroys, if it outlasts it.
    #[inline]
    pub fn transmit(&mut self, node: NodeId, now: SimTime, end: SimTime) -> Option<SimTime> {
        match self {
            Self::Ns2 { radios, .. } => radios[node.index()].transmit(now, end),
            Self::Sinr(SinrRadios { radios, .. }) => radios[node.index()].transmit(now, end),
        }
    }

    /// From now on a node's radio hears nothing.
    pub fn fall_asleep(&mut self, node: NodeId, now: SimTime) {
        match self {
            Self::Ns2 { radios, .. } => radios[node.index()].fall_asleep(now),
            Self::Sinr(SinrRadios { radios, .. }) => radios[node.index()].fall_asleep(now),
        }
    }

    /// It hears again; returns until when the medium is busy there with what began before.
    pub fn wake(&mut self, node: NodeId, now: SimTime) -> SimTime {
        match self {
            Self::Ns2 { radios, .. } => radios[node.index()].wake(now),
            Self::Sinr(SinrRadios { radios, .. }) => radios[node.index()].wake(now),
        }
    }

    /// When the latest transmission of a node left it whole, or will; never while its radio dozes.
    #[must_use]
    pub fn sent_until(&self, node: NodeId) -> SimTime {
        match self {
            Self::Ns2 { radios, .. } => radios[node.index()].sent_until(),
            Self::Sinr(SinrRadios { radios, .. }) => radios[node.index()].sent_until(),
        }
    }

    /// Until when the frame lasts that a node is receiving, if its header has come; the past if there is none.
    pub fn receiving_until(&mut self, node: NodeId, now: SimTime) -> SimTime {
        match self {
            Self::Ns2 { radios, .. } => radios[node.index()].receiving_until(now),
            Self::Sinr(SinrRadios { radios, findings }) => {
                radios[node.index()].receiving_until(now, findings)
            }
        }
    }

    /// Whose signal a node has heard last, if it has sent nothing since; none where not the first signal is kept.
    #[must_use]
    pub fn last_heard(&self, node: NodeId) -> Option<NodeId> {
        match self {
            Self::Ns2 { radios, .. } => radios[node.index()].last_heard(),
            Self::Sinr(_) => None,
        }
    }

    /// A signal begins at a node.
    #[inline]
    pub fn begin(&mut self, node: NodeId, now: SimTime, arrival: &Arrival) -> SignalStart {
        match self {
            Self::Ns2 { radios, capture } => radios[node.index()].begin(now, arrival, *capture),
            Self::Sinr(radios) => radios.begin(node, now, arrival),
        }
    }

    /// An A-MPDU that can be decoded ends at a node, with these MPDUs: which of them came through, where overlap or
    /// noise decides; judged one by one if `each`, or whether any did.
    pub fn end_parted(
        &mut self,
        node: NodeId,
        now: SimTime,
        signal: (NodeId, f64),
        mpdus: &[Mpdu],
        each: bool,
    ) -> (Ending, Bitmap) {
        match self {
            Self::Ns2 { radios, .. } => {
                let ending = radios[node.index()].end(now, signal.0);
                (ending, if ending == Ending::Whole { Bitmap::ALL } else { Bitmap::NONE })
            }
            Self::Sinr(SinrRadios { radios, findings }) => {
                radios[node.index()].end_parted(now, signal, (mpdus, each), findings)
            }
        }
    }

    /// A signal that can be decoded ends at a node.
    #[inline(always)]
    pub fn end(&mut self, node: NodeId, now: SimTime, from: NodeId, power: f64) -> Ending {
        match self {
            Self::Ns2 { radios, .. } => radios[node.index()].end(now, from),
            Self::Sinr(SinrRadios { radios, findings }) => {
                radios[node.index()].end(now, (from, power), findings)
            }
        }
    }
}
