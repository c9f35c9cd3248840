//! The set of MACs, and which of them a configuration means.

use super::aggregate::{Peer, PeerCounters};
use super::config::MacConfig;
use super::contract::{Action, Counters, Input, Mac, Sensed};
use super::custom::CustomMac;
use super::dcf::Dcf;
use super::edca::Edca;
use super::protection::Older;
use super::rate::LeastRatio;
use crate::contract::{Backlog, Cx, Sink, Supply};
use crate::phy::TxVector;
use crate::units::{Bitrate, Dur, NodeId, Power, Rng, SimTime};
use crate::wire::{Category, Frame, PacketId};

/// Two sets of MACs, one in the other: both hand on all that [`Mac`] is.
macro_rules! macs {
    ($($set:tt)+) => {
        dispatch! {
            $($set)+

            fn handle<B: Backlog, S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: Input<'_>, behind: &B, out: S);
            fn sense(&mut self, now: SimTime, sensed: Sensed) -> Option<SimTime>;
            fn wants_frame(&self) -> bool;
            fn supply(&self) -> Supply;
            fn asks(&self) -> Option<Supply>;
            fn supply_for(&self, category: Category) -> Option<Supply>;
            fn sifs(&self) -> Dur;
            fn kept(&self) -> Vec<PacketId>;
            fn try_update_nav(&mut self, now: SimTime, frame: &Frame) -> bool;
            fn only_broadcast_payload(&self, now: SimTime) -> bool;
            fn sends_at(&self, now: SimTime) -> bool;
            fn lose_slot(&mut self) -> Option<SimTime>;
            fn counts_in_seconds(&self) -> bool;
            fn cut_slot(&mut self, now: SimTime);
            fn set_rate(&mut self, to: Option<NodeId>, rate: Bitrate);
            fn set_noise(&mut self, noise: Power);
            fn minds_reception(&self) -> bool;
            fn add_older(&mut self, older: &Older);
            fn set_least(&mut self, least: &LeastRatio<'_>);
            fn expected_throughput(&self, to: NodeId) -> Option<f64>;
            fn minds_power(&self) -> bool;
            fn note_power(&mut self, frame: &Frame, me: NodeId, power: f64);
            fn counters(&self) -> Option<Counters>;
            fn busy_time(&self, now: SimTime) -> Dur;
            fn each_peer(&self, tell: &mut dyn FnMut(Peer, PeerCounters));
            fn each_rate(&self, tell: &mut dyn FnMut(TxVector, u64));
            fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64));
        }
    };
}

macs! {
    /// One MAC of the set.
    #[allow(
        clippy::large_enum_variant,
        reason = "one a node, and the DCF is what nodes run: no pointer on the hot path"
    )]
    #[derive(Debug)]
    pub enum AnyMac: Mac {
        /// IEEE 802.11 distributed coordination function.
        Dcf(Dcf),
        /// Any other.
        Other(OtherMac),
    }
}

macs! {
    /// The MACs that are not the DCF. They stand apart, so that a call to the DCF costs one comparison.
    #[derive(Debug)]
    pub enum OtherMac: Mac {
        /// The DCF with four access categories.
        Edca(Box<Edca>),
        /// One from outside this crate: experiments and tests.
        Custom(CustomMac),
    }
}

impl AnyMac {
    /// The MAC that `config` describes; `draws` are its back-offs.
    #[must_use]
    pub fn new(config: &MacConfig, address: NodeId, draws: Rng) -> Self {
        match config {
            MacConfig::Dcf(dcf) if dcf.edca.on => {
                Self::Other(OtherMac::Edca(Box::new(Edca::new(dcf, address, draws))))
            }
            MacConfig::Dcf(dcf) => Self::Dcf(Dcf::new(dcf.clone(), address, draws)),
        }
    }

    /// The same apart from the plain DCF, where more is done with a call.
    #[must_use]
    pub(crate) fn apart(self) -> Self {
        match self {
            Self::Dcf(dcf) => Self::custom(dcf),
            other @ Self::Other(_) => other,
        }
    }

    /// A MAC from outside this crate.
    #[must_use]
    pub fn custom(mac: impl Mac + 'static) -> Self {
        Self::Other(OtherMac::Custom(CustomMac::new(mac)))
    }
}
