//! What every medium access machine speaks: inputs from the air and the queue, actions to both.

use std::ops::Add;

use super::aggregate::{Peer, PeerCounters};
use super::protection::Older;
use super::rate::LeastRatio;
use crate::contract::{Backlog, Cx, Dropped, Hold, Offer, Outcome, Sink, Supply};
use crate::phy::{MODES, TxVector};
use crate::units::{Bitrate, Dur, NodeId, Power, SimTime, counters};
use crate::wire::{Category, Frame, PacketId};

/// Timers of a medium access machine. They never run out of order with each other: see [`Action::Arm`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Timer {
    /// The back-off may have ended.
    Access,
    /// The next step of the exchange under way: response due, or response missing.
    Sequence,
    /// A reordering buffer has waited long enough for what is missing. It may fire early.
    Release,
}

/// What the medium does at a station. It only moves deadlines later, so a timer may be left to fire early and check
/// its own; the answer is the instant to which the access timer is better moved, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sensed {
    /// A signal begins that lasts until the instant given.
    Carrier(SimTime),
    /// The medium is busy until the instant given, and what ends then cannot be decoded.
    Undecodable(SimTime),
    /// A signal begins that lasts until the instant given, too weak to disturb the one being received (capture).
    Captured(SimTime),
    /// The receiver is in the middle of a frame, past its preamble and header, until the instant given. A station that
    /// asks for it ([`Mac::minds_reception`]) hears it before each sequence timer.
    Receiving(SimTime),
}

/// What a medium access machine is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input<'a> {
    /// A frame was received whole; it ends now.
    Receive(&'a Frame),
    /// The queue offers a frame.
    Send(Offer),
    /// A timer fires. The access timer may fire early: the machine checks its own deadline. The sequence timer fires at
    /// the instant that was asked for last.
    Timer(Timer),
    /// The station goes down (`false`) or comes back.
    Power(bool),
}

/// What a medium access machine asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Send this frame, starting now. Its packets are held until it has ended everywhere.
    Transmit(Frame),
    /// Wake me at this instant; replaces an earlier request of the same timer.
    Arm(Timer, SimTime),
    /// Hand this copy to the network layer.
    Deliver {
        /// The receiver's own copy.
        packet: PacketId,
        /// Transmitter.
        from: NodeId,
    },
    /// A copy that it kept, or did not want, was lost here ([`crate::contract::drop_packet`]).
    Dropped(Dropped),
    /// A packet that the queue has offered has come to this end.
    Outcome(PacketId, Outcome),
    /// Do not offer this before an instant; when it has come, what waits is offered again. It does not reach frames
    /// that the MAC has: of a packet that goes back, say this first and then that it is held.
    Hold(Hold),
    /// Offer me a frame now (a slot begins): [`Mac::wants_frame`] has become true outside a call that ended
    /// with an outcome.
    Ready,
    /// Let the radio doze (`true`), or wake it. Asleep it hears nothing, and what it sends reaches no node. On waking
    /// the machine senses how long the medium stays busy. While a frame of its own is on the air a radio stays awake:
    /// the machine asks again afterwards. A station that goes down and comes back is awake.
    Doze(bool),
}

counters! {
    /// Counters of one station; monotone, so that two readings give the figures of the time between.
    pub struct Counters {
        /// RTS frames sent.
        pub rts = "mac.rts",
        /// CTS frames sent.
        pub cts = "mac.cts",
        /// Unicast data frames sent.
        pub data = "mac.data",
        /// Ack frames sent.
        pub ack = "mac.ack",
        /// Broadcast data frames sent.
        pub broadcast = "mac.broadcast",
        /// Bits of the data frames sent (MPDU).
        pub data_bits: u64,
        /// RTS that got no CTS.
        pub rts_failures = "mac.rts-failures",
        /// Data frames that got no Ack.
        pub ack_failures = "mac.ack-failures",
        /// Of these, the ones longer than the RTS threshold, which count against the long retry limit; all other
        /// failures, of RTS too, count against the short one (IEEE 802.11-2020 §10.3.4.4).
        pub long_failures = "mac.long-failures",
        /// Frames given up after the last RTS.
        pub given_up_rts = "mac.given-up-rts",
        /// Frames given up after the last data attempt.
        pub given_up_data = "mac.given-up-data",
        /// Unicast data frames sent in each of [`MODES`], by stations whose rate is not fixed; when their fate is
        /// known.
        pub by_mode: [u64; MODES.len()],
        /// Time spent sending.
        pub airtime: Dur,
    }
}

impl Add for Counters {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            rts: self.rts + other.rts,
            cts: self.cts + other.cts,
            data: self.data + other.data,
            ack: self.ack + other.ack,
            broadcast: self.broadcast + other.broadcast,
            data_bits: self.data_bits + other.data_bits,
            rts_failures: self.rts_failures + other.rts_failures,
            ack_failures: self.ack_failures + other.ack_failures,
            long_failures: self.long_failures + other.long_failures,
            given_up_rts: self.given_up_rts + other.given_up_rts,
            given_up_data: self.given_up_data + other.given_up_data,
            by_mode: std::array::from_fn(|mode| self.by_mode[mode] + other.by_mode[mode]),
            airtime: self.airtime + other.airtime,
        }
    }
}

impl Counters {
    /// All frames sent.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.rts + self.cts + self.data + self.ack + self.broadcast
    }
}

/// A medium access machine.
///
/// Contract: one transmission at a time; one [`Outcome`] for each packet of each [`Input::Send`], in whatever call and
/// order; no `Send` arrives while [`Mac::wants_frame`] is false. A machine that takes a second frame before the
/// first has come to its end gets one of another class, unless it takes packets out ([`Mac::supply`]); a call may
/// deliver any number of packets. It hears every frame
/// that is received whole, whichever node it is for: what it overhears is its own affair. What a frame is sent
/// with is its own too: [`Frame::tx`] says it, and the frame's time on the air follows from it.
///
/// Only [`Mac::handle`] and [`Mac::wants_frame`] are needed. The others have an answer for a machine without slots,
/// rates and counters of its own.
pub trait Mac: std::fmt::Debug + Send {
    /// Takes one input; `behind`: the queue that it serves.
    fn handle<B: Backlog, S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: Input<'_>, behind: &B, out: S)
    where
        Self: Sized;

    /// Hears what the medium does; returns when the access timer shall fire instead.
    fn sense(&mut self, _now: SimTime, _sensed: Sensed) -> Option<SimTime> {
        None
    }

    /// Whether a frame may be offered now.
    fn wants_frame(&self) -> bool;

    /// How it is given the next packet.
    fn supply(&self) -> Supply {
        Supply::Head
    }

    /// How it is given a frame now, if one may be offered.
    fn asks(&self) -> Option<Supply> {
        self.wants_frame().then(|| self.supply())
    }

    /// Where each category has packets of its own: how this one is given the next, if it may be given any.
    fn supply_for(&self, _category: Category) -> Option<Supply> {
        None
    }

    /// The pause between a frame and its answer.
    fn sifs(&self) -> Dur {
        Dur::ZERO
    }

    /// The copies that it keeps for the network layer: they are in its custody until it delivers or drops them.
    fn kept(&self) -> Vec<PacketId> {
        Vec::new()
    }

    /// A frame between others was received whole. Returns whether the time that it reserves is all that it means;
    /// otherwise nothing has happened yet, and the frame comes as an [`Input::Receive`].
    fn try_update_nav(&mut self, _now: SimTime, _frame: &Frame) -> bool {
        false
    }

    /// Whether a frame to all that was received whole means nothing beside the packet in it.
    fn only_broadcast_payload(&self, _now: SimTime) -> bool {
        false
    }

    /// Whether a frame is sent as the access timer fires now, at the end of the last slot.
    fn sends_at(&self, _now: SimTime) -> bool {
        false
    }

    /// The slot that ends now does not count: the back-off takes one more. Returns when it ends, if slots are counted.
    fn lose_slot(&mut self) -> Option<SimTime> {
        None
    }

    /// Whether it counts its slots in seconds.
    fn counts_in_seconds(&self) -> bool {
        false
    }

    /// The station that was heard last is about to begin to send: what is cut off from a count in seconds is lost. An
    /// access timer that stands too early checks its deadline.
    fn cut_slot(&mut self, _now: SimTime) {}

    /// From the next frame on that it takes, data go to a neighbour, or to all, at this rate. A machine that chooses
    /// its rates itself does nothing.
    fn set_rate(&mut self, _to: Option<NodeId>, _rate: Bitrate) {}

    /// Sets the noise power of the receiver, with which signals may be compared.
    fn set_noise(&mut self, _noise: Power) {}

    /// Whether it wants to know of a frame that is being received when a sequence timer fires.
    fn minds_reception(&self) -> bool {
        false
    }

    /// Says which neighbour is of an older amendment, and how frames are sent to it.
    fn add_older(&mut self, _older: &Older) {}

    /// Says what rates need, by which they may be chosen.
    fn set_least(&mut self, _least: &LeastRatio<'_>) {}

    /// What is expected of the link to a neighbour \[bit/s\], if its rate control keeps statistics.
    fn expected_throughput(&self, _to: NodeId) -> Option<f64> {
        None
    }

    /// Whether it uses the power of the frames that are received.
    fn minds_power(&self) -> bool {
        false
    }

    /// A frame was received by node `me` at this power \[W\].
    fn note_power(&mut self, _frame: &Frame, _me: NodeId, _power: f64) {}

    /// What it has sent so far, if it counts that.
    fn counters(&self) -> Option<Counters> {
        None
    }

    /// How long signals have kept the medium busy until `now`. Zero if the MAC does not measure it.
    fn busy_time(&self, _now: SimTime) -> Dur {
        Dur::ZERO
    }

    /// Tells what became of the MPDUs to and from each neighbour, if it counts that; a neighbour may come several
    /// times.
    fn each_peer(&self, _tell: &mut dyn FnMut(Peer, PeerCounters)) {}

    /// Tells all that data frames to one neighbour may be sent with, and how many were whose fate is known, if a rule
    /// chooses it frame by frame.
    fn each_rate(&self, _tell: &mut dyn FnMut(TxVector, u64)) {}

    /// Tells its counters by their public names, `mac.` before each.
    fn each_counter(&self, _tell: &mut dyn FnMut(&'static str, u64)) {}
}
