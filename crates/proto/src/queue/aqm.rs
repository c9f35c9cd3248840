//! Active queue management (RFC 7567): what is told of congestion before the queue is full, and to whom.
//!
//! A queue whose packets are only lost for want of room asks none of this and pays nothing for it.

use super::config::{AqmKind, QueueConfig};
use super::link_red::LinkRed;
use super::red::Red;
use crate::units::{Bytes, Dur, Rng, SimTime};
use crate::wire::PacketId;

/// A packet that is about to join the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arriving {
    /// The packet.
    pub packet: PacketId,
    /// Its length with what routing adds.
    pub size: Bytes,
    /// Packets that wait already.
    pub waiting: u32,
    /// Their bytes.
    pub bytes: u64,
    /// For how long nothing has been here, not even in service; none if something is.
    pub idle: Option<Dur>,
}

/// A packet at the head, about to be offered to the MAC for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaving {
    /// The packet.
    pub packet: PacketId,
    /// Its length with what routing adds.
    pub size: Bytes,
    /// For how long it has waited.
    pub waited: Dur,
}

/// A packet with which the MAC has come to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// How often it was tried: RTS frames sent, or data frames where there were more of them.
    pub attempts: u32,
    /// Whether it got through.
    pub delivered: bool,
}

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    Pass,
    /// Its sender shall hear of congestion: it is marked if its transport understands that (RFC 3168), else dropped.
    Notify,
    /// It is dropped.
    Drop,
}

/// A management from outside this crate: experiments and tests.
pub trait CustomAqm: std::fmt::Debug + Send {
    /// A packet arrives. Routing messages that go ahead of everything are not asked about.
    fn arriving(&mut self, _now: SimTime, _packet: &Arriving) -> Verdict {
        Verdict::Pass
    }

    /// A packet at the head is about to be offered for the first time.
    fn leaving(&mut self, _now: SimTime, _packet: &Leaving) -> Verdict {
        Verdict::Pass
    }

    /// The MAC has come to an end with a packet.
    fn served(&mut self, _now: SimTime, _packet: &Served) {}

    /// The node has gone down with all that waited: what has been measured is forgotten, and no timer runs.
    fn restart(&mut self, _now: SimTime) {}

    /// Its timer fires.
    fn timer(&mut self, _now: SimTime) {}

    /// When its timer shall fire; asked after every call. `SimTime::MAX`: never.
    fn deadline(&self) -> SimTime {
        SimTime::MAX
    }
}

/// The managements.
#[derive(Debug)]
pub enum Aqm {
    /// None: drop-tail.
    Tail,
    /// Random early detection.
    Red(Box<Red>),
    /// Link RED, which listens to the MAC.
    LinkRed(Box<LinkRed>),
    /// One from outside.
    Custom(Box<dyn CustomAqm>),
}

impl Aqm {
    /// The management of a configuration; `draws` is its own random stream.
    #[must_use]
    pub fn new(config: &QueueConfig, draws: impl FnOnce() -> Rng) -> Self {
        match config.aqm {
            AqmKind::Tail => Self::Tail,
            AqmKind::Red => Self::Red(Box::new(Red::new(config.red.clone(), draws()))),
            AqmKind::LinkRed => Self::LinkRed(Box::new(LinkRed::new(config.link_red, draws()))),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_tail(&self) -> bool {
        matches!(self, Self::Tail)
    }

    /// A packet arrives.
    pub fn arriving(&mut self, now: SimTime, packet: &Arriving) -> Verdict {
        match self {
            Self::Tail | Self::LinkRed(_) => Verdict::Pass,
            Self::Red(red) => red.arriving(packet),
            Self::Custom(custom) => custom.arriving(now, packet),
        }
    }

    /// A packet was lost for want of room.
    pub const fn overflowed(&mut self) {
        if let Self::Red(red) = self {
            red.lost_one();
        }
    }

    /// A packet at the head is about to be offered for the first time.
    pub fn leaving(&mut self, now: SimTime, packet: &Leaving) -> Verdict {
        match self {
            Self::Tail | Self::Red(_) => Verdict::Pass,
            Self::LinkRed(link_red) => link_red.leaving(),
            Self::Custom(custom) => custom.leaving(now, packet),
        }
    }

    /// The MAC has come to an end with a packet.
    pub fn served(&mut self, now: SimTime, packet: &Served) {
        match self {
            Self::Tail | Self::Red(_) => {}
            Self::LinkRed(link_red) => link_red.served(packet),
            Self::Custom(custom) => custom.served(now, packet),
        }
    }

    /// The node has gone down with all that waited: what has been measured is forgotten.
    pub fn restart(&mut self, now: SimTime) {
        match self {
            Self::Tail => {}
            Self::Red(red) => red.restart(),
            Self::LinkRed(link_red) => link_red.restart(),
            Self::Custom(custom) => custom.restart(now),
        }
    }

    /// The timer fires.
    pub fn timer(&mut self, now: SimTime) {
        match self {
            Self::Tail | Self::Red(_) | Self::LinkRed(_) => {}
            Self::Custom(custom) => custom.timer(now),
        }
    }

    /// When the timer shall fire.
    #[must_use]
    pub fn deadline(&self) -> SimTime {
        match self {
            Self::Tail | Self::Red(_) | Self::LinkRed(_) => SimTime::MAX,
            Self::Custom(custom) => custom.deadline(),
        }
    }
}
