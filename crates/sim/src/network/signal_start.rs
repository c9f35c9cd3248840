//! What stations get to know about a signal that begins.

use multihop_proto::mac::Sensed;
use multihop_proto::node::{Interface, Timer};
use multihop_proto::units::{NodeId, SimTime};
use multihop_proto::wire::Frame;

use super::stations::Nodes;
use crate::air::{Arrival, Link, SignalStart, SinrRadios};
use crate::kernel::EventQueue;

/// A signal that ends at `end` begins at all of its listeners.
#[inline(always)]
pub(super) fn reach(
    listeners: &[Link],
    now: SimTime,
    nodes: &mut Nodes,
    timers: &mut EventQueue,
    end: SimTime,
    mut begin: impl FnMut(&Link, &mut Interface) -> SignalStart,
) {
    for link in listeners {
        let interface = nodes.interface(link.to);
        // As `senses`, in each case by itself: the station is told what is known to be so.
        let arm = |at| timers.arm(link.to, Timer::Access, at);
        match begin(link, interface) {
            SignalStart::Busy => interface.sense(now, Sensed::Carrier(end), arm),
            SignalStart::Lost(until) => interface.sense(now, Sensed::Undecodable(until), arm),
            SignalStart::Captured => interface.sense(now, Sensed::Captured(end), arm),
            SignalStart::Nothing => {}
        }
    }
}

/// The same where radios sum interference.
#[inline(never)]
pub(super) fn begin_summed(
    listeners: &[Link],
    now: SimTime,
    nodes: &mut Nodes,
    radios: &mut SinrRadios,
    timers: &mut EventQueue,
    (from, end, frame): (NodeId, SimTime, &Frame),
) {
    reach(listeners, now, nodes, timers, end, |link, _| {
        let Link { to, power, sensed, decodable } = *link;
        let (&Frame { tx, size, .. }, parted) = (frame, frame.is_parted());
        let arrival = Arrival { from, power, end, tx, size, parted, decodable, sensed };
        radios.begin(to, now, &arrival)
    });
}

/// What a station senses of a signal that ends at `end`.
#[inline]
pub(super) const fn senses(heard: SignalStart, end: SimTime) -> Option<Sensed> {
    match heard {
        SignalStart::Busy => Some(Sensed::Carrier(end)),
        SignalStart::Lost(until) => Some(Sensed::Undecodable(until)),
        SignalStart::Captured => Some(Sensed::Captured(end)),
        SignalStart::Nothing => None,
    }
}
