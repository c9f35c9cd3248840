//! The set of queue managements, and which of them a configuration means.

use super::aqm::{Aqm, Arriving, Leaving, Served, Verdict};
use super::config::{AqmKind, QueueConfig};
use super::link_red::LinkRed;
use super::red::Red;
use crate::units::{Rng, SimTime};

/// No management: packets are lost for want of room only (drop-tail).
#[derive(Clone, Copy, Debug, Default)]
pub struct Tail;

impl Aqm for Tail {}

dispatch! {
    /// One management of the set.
    #[derive(Debug)]
    pub enum AnyAqm: Aqm {
        /// None: drop-tail.
        Tail(Tail),
        /// Random early detection.
        Red(Box<Red>),
        /// Link RED, which listens to the MAC.
        LinkRed(Box<LinkRed>),
        /// One from outside this crate: experiments and tests.
        Custom(Box<dyn Aqm>),
    }

    fn arriving(&mut self, now: SimTime, packet: &Arriving) -> Verdict;
    fn overflowed(&mut self);
    fn leaving(&mut self, now: SimTime, packet: &Leaving) -> Verdict;
    fn served(&mut self, now: SimTime, packet: &Served);
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
            AqmKind::LinkRed => Self::LinkRed(Box::new(LinkRed::new(config.link_red, draws()))),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_tail(&self) -> bool {
        matches!(self, Self::Tail(_))
    }
}
