//! What a link that keeps its own packets is told, and what it answers.

use crate::contract::{Cause, Cx, Dropped, NextHops, Sink};
use crate::mac::{self, Sensed, Timer};
use crate::queue;
use crate::units::{Bytes, Dur, NodeId, SimTime};
use crate::wire::{Frame, PacketId};

/// What a link is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input<'a> {
    /// A packet for a neighbour: from now on in the link's custody.
    Packet {
        /// The packet.
        packet: PacketId,
        /// Its next hop, or `NodeId::BROADCAST`.
        to: NodeId,
        /// Its length with what the routing layer adds.
        size: Bytes,
    },
    /// A frame was received whole, whichever node it is for; it ends now.
    Receive(&'a Frame),
    /// A timer fires.
    Timer(Timer),
    /// The node goes down (`false`), and all that the link has is lost, or comes back.
    Power(bool),
}

/// How a packet leaves the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The next hop has it, after so many transmissions.
    Delivered {
        /// Transmissions.
        attempts: u32,
    },
    /// It has been broadcast.
    Broadcast,
    /// It was given up: routing may send it another way, or keep it for the same; else it is lost.
    GaveUp {
        /// Its next hop.
        to: NodeId,
        /// Why.
        cause: Cause,
        /// Transmissions.
        attempts: u32,
    },
    /// Not now: the node keeps it and hands it in again at an instant to come.
    Held {
        /// Its next hop.
        to: NodeId,
        /// When it comes again.
        until: SimTime,
    },
}

/// What a link asks for, or tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Send this frame, starting now. Its packets are held until it has ended everywhere, whatever becomes of the
    /// link's own copies meanwhile.
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
    /// A packet leaves the link: its custody is the node's from here.
    Ended(PacketId, End),
    /// A packet was lost here ([`crate::contract::drop_packet`]).
    Dropped(Dropped),
    /// There is room again after there had been none.
    Room,
}

/// A link that keeps its packets itself.
///
/// Contract: one transmission at a time; each packet that comes in leaves by one [`Action::Ended`] or
/// [`Action::Dropped`], in whatever call and order, and before that is among [`PacketLink::packets`]. Any number of
/// packets may be under way; a frame may carry two, and each comes to its own end. A call may deliver any number of
/// packets. When the node goes down, all packets are dropped in that call.
pub trait PacketLink: std::fmt::Debug + Send {
    /// Takes one input. Which neighbours lead to a destination can be asked of `next_hops`; the one that a packet came
    /// with is routing's own choice.
    fn handle<N: NextHops, S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: Input<'_>,
        next_hops: &N,
        out: S,
    ) where
        Self: Sized;

    /// Hears what the medium does; returns when the access timer shall fire instead.
    fn sense(&mut self, _now: SimTime, _sensed: Sensed) -> Option<SimTime> {
        None
    }

    /// The packets in its custody.
    fn packets(&self) -> Vec<PacketId>;

    /// How many packets are in its custody.
    fn length(&self) -> u32 {
        u32::try_from(self.packets().len()).unwrap_or(u32::MAX)
    }

    /// Packets that it could still take.
    fn free(&self) -> u32;

    /// Gives back what waits for a neighbour and is not under way, and whether there is room again after there had been
    /// none.
    fn withdraw(&mut self, cx: &mut Cx<'_>, neighbour: NodeId) -> (Vec<PacketId>, bool);

    /// What it has sent so far as a MAC counts it, if it counts that.
    fn mac_counters(&self) -> Option<mac::Counters> {
        None
    }

    /// What an interface queue would have counted until `now` of the packets in its custody.
    fn queue_counters(&self, _now: SimTime) -> queue::Counters {
        queue::Counters::default()
    }

    /// How long signals of others have kept the medium busy until `now`, times of sending left out. Zero if the link
    /// does not measure it.
    fn busy_time(&self, _now: SimTime) -> Dur {
        Dur::ZERO
    }

    /// Tells its counters by their public names, `link.` before each.
    fn each_counter(&self, _tell: &mut dyn FnMut(&'static str, u64)) {}
}
