//! The set of links that keep their packets themselves.

use super::contract::{Action, Input, PacketLink};
use super::custom::CustomPacketLink;
use super::frn::{Frn, FrnConfig};
use crate::contract::{Cx, NextHops, Sink};
use crate::mac::{self, Sensed};
use crate::queue;
use crate::units::{Dur, NodeId, Rng, SimTime};
use crate::wire::PacketId;

dispatch! {
    /// One link of the set.
    #[derive(Debug)]
    pub enum AnyPacketLink: PacketLink {
        /// The Flexible Radio Network.
        Frn(Box<Frn>),
        /// One from outside this crate: experiments and tests.
        Custom(CustomPacketLink),
    }

    fn handle<N: NextHops, S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: Input<'_>, next_hops: &N, out: S);
    fn sense(&mut self, now: SimTime, sensed: Sensed) -> Option<SimTime>;
    fn packets(&self) -> Vec<PacketId>;
    fn length(&self) -> u32;
    fn free(&self) -> u32;
    fn withdraw(&mut self, cx: &mut Cx<'_>, neighbour: NodeId) -> (Vec<PacketId>, bool);
    fn mac_counters(&self) -> Option<mac::Counters>;
    fn queue_counters(&self, now: SimTime) -> queue::Counters;
    fn busy_time(&self, now: SimTime) -> Dur;
    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64));
}

/// Which link the radios of a node have.
#[derive(Clone, Copy, Debug)]
pub enum LinkChoice<'a> {
    /// An interface queue with a MAC behind it.
    Dcf,
    /// The Flexible Radio Network's.
    Frn(&'a FrnConfig),
}

impl LinkChoice<'_> {
    /// The link of a radio, if it is one that keeps its packets itself.
    #[must_use]
    pub fn keeping(self, id: NodeId, draws: impl FnOnce() -> Rng) -> Option<AnyPacketLink> {
        match self {
            Self::Dcf => None,
            Self::Frn(config) => Some(Frn::new(config.clone(), id, draws()).into()),
        }
    }
}

impl From<Frn> for AnyPacketLink {
    fn from(link: Frn) -> Self {
        Self::Frn(Box::new(link))
    }
}
