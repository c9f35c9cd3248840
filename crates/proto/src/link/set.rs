//! The set of links that keep their packets themselves.

use super::contract::{Action, Input, PacketLink};
use super::custom::CustomPacketLink;
use super::frn::Frn;
use crate::contract::{Cx, NextHops, Sink};
use crate::mac::{self, Sensed};
use crate::queue;
use crate::units::{Dur, NodeId, SimTime};
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

impl From<Frn> for AnyPacketLink {
    fn from(link: Frn) -> Self {
        Self::Frn(Box::new(link))
    }
}
