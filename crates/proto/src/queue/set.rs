//! The sets of queue managements and of disciplines, and which of them a configuration means.

use super::airtime::AirtimeTurns;
use super::aqm::{Aqm, Arriving, Leaving, Served, Verdict};
use super::classes::ClassTable;
use super::codel::CoDel;
use super::config::{AqmKind, QueueConfig, Service};
use super::flow_queues::FlowQueues;
use super::link_red::LinkRed;
use super::pie::Pie;
use super::red::Red;
use super::round_robin::RoundRobin;
use super::turns::Turns;
use crate::units::{Bytes, Dur, NodeId, Rng, SimTime};

/// No management: packets are lost for want of room only (drop-tail).
#[derive(Clone, Copy, Debug, Default)]
pub struct Tail;

impl Aqm for Tail {}

dispatch! {
    /// One management of the set. A tag of its own is read in fewer steps than one that hides in a value.
    #[derive(Debug)]
    #[repr(u8)]
    pub enum AnyAqm: Aqm {
        /// None: drop-tail.
        Tail(Tail),
        /// Random early detection.
        Red(Box<Red>),
        /// Link RED, which listens to the MAC.
        LinkRed(Box<LinkRed>),
        /// Controlled delay.
        CoDel(CoDel),
        /// PIE.
        Pie(Box<Pie>),
        /// One from outside this crate: experiments and tests.
        Custom(Box<dyn Aqm>),
    }

    fn arriving(&mut self, now: SimTime, packet: &Arriving) -> Verdict;
    fn overflowed(&mut self);
    fn leaving(&mut self, now: SimTime, packet: &Leaving) -> Verdict;
    fn served(&mut self, now: SimTime, packet: &Served);
    fn minds_heads_alone(&self) -> bool;
    fn emptied(&mut self, now: SimTime);
    fn restart(&mut self, now: SimTime);
    fn timer(&mut self, now: SimTime);
    fn deadline(&self) -> SimTime;
}

impl AnyAqm {
    /// The management of a configuration; `draws` is its own random stream.
    #[must_use]
    pub fn new(config: &QueueConfig, draws: impl FnOnce() -> Rng) -> Self {
        match config.aqm {
            AqmKind::Tail => Self::Tail(Tail),
            AqmKind::Red => Self::Red(Box::new(Red::new(config.red.clone(), draws()))),
            AqmKind::Codel => Self::CoDel(CoDel::new(config.codel)),
            AqmKind::Pie => Self::Pie(Box::new(Pie::new(config.pie, draws()))),
            AqmKind::LinkRed => Self::LinkRed(Box::new(LinkRed::new(config.link_red, draws()))),
        }
    }

    /// Another one of the same configuration that has seen nothing, for another class; none of one from outside.
    #[must_use]
    pub fn sibling(&mut self) -> Option<Self> {
        Some(match self {
            Self::Tail(_) => Self::Tail(Tail),
            Self::Red(red) => Self::Red(Box::new(red.sibling())),
            Self::LinkRed(link_red) => Self::LinkRed(Box::new(link_red.sibling())),
            Self::CoDel(codel) => Self::CoDel(CoDel::new(codel.config())),
            Self::Pie(pie) => Self::Pie(Box::new(pie.sibling())),
            Self::Custom(_) => return None,
        })
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_tail(&self) -> bool {
        matches!(self, Self::Tail(_))
    }
}

dispatch! {
    /// One discipline of the set, with a tag of its own as [`AnyAqm`].
    #[derive(Debug)]
    #[repr(u8)]
    pub enum AnyTurns: Turns {
        /// Deficit round robin.
        RoundRobin(RoundRobin),
        /// Flow queueing: classes that send little go first.
        FlowQueues(FlowQueues),
        /// Next hops by time on the air, and flow queueing within each.
        Airtime(Box<AirtimeTurns>),
        /// One from outside this crate: experiments and tests.
        Custom(Box<dyn Turns>),
    }

    fn activate(&mut self, class: usize, to: NodeId);
    fn next(&mut self, classes: &ClassTable) -> Option<usize>;
    fn partner(&mut self, classes: &ClassTable, taken: &dyn Fn(usize) -> bool) -> Option<usize>;
    fn charge(&mut self, class: usize, size: Bytes, emptied: bool);
    fn refund(&mut self, class: usize, size: Bytes);
    fn rotate(&mut self, class: usize);
    fn retire(&mut self, class: usize);
    fn clear(&mut self);
    fn turns(&self) -> u64;
    fn used(&mut self, to: NodeId, airtime: Dur, own: bool);
    fn arrived(&mut self, class: usize, size: Bytes);
    fn has_room(&self, class: usize, bytes: u64) -> bool;
}

impl AnyTurns {
    /// The discipline of a configuration; one that is never asked where classes have no turns.
    #[must_use]
    pub fn new(config: &QueueConfig) -> Self {
        match config.service {
            Service::Fq => Self::FlowQueues(FlowQueues::new(config.quantum)),
            Service::Airtime => Self::Airtime(Box::new(AirtimeTurns::new(config.airtime, config.quantum))),
            Service::Fifo | Service::Drr | Service::Priority => {
                Self::RoundRobin(RoundRobin::new(config.quantum))
            }
        }
    }
}
