//! What can happen to a network of routing machines.

use prop::sample::Index;
use proptest::prelude::*;

use crate::wire::Protocol;

pub(super) const NODES: u32 = 4;

/// What happens.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Time passes, in milliseconds; timers fire meanwhile.
    Wait(u64),
    /// A node makes a packet for another one.
    Send(u32, u32),
    /// What is under way arrives, or is lost if it goes to all and this says so.
    Arrive(Index),
    /// What is under way is given up; the queue would keep it.
    GiveUp(Index, bool),
    /// A packet that the queue has kept has its turn again.
    Retry(Index),
    /// One byte of a message, or of a routing header, under way is another one.
    Garble(Index, Index, u8),
    /// A message with any bytes comes from a neighbour.
    Bytes(u32, u32, Protocol, Vec<u8>),
    /// A node wants a route.
    Wanted(u32, u32),
    /// A timer fires early.
    Timer(u32),
    /// A node goes down, or comes back.
    Power(u32),
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    let node = || 0..NODES;
    let protocols = [Protocol::Dsdv, Protocol::Dsr, Protocol::Aodv, Protocol::Frn, Protocol::Experimental];
    let bytes = prop::collection::vec(prop_oneof![3 => 0u8..6, 1 => any::<u8>()], 0..40);
    prop_oneof![
        3 => prop_oneof![0u64..40, 40u64..2_000, 2_000u64..20_000].prop_map(Step::Wait),
        4 => (node(), node()).prop_map(|(from, to)| Step::Send(from, to)),
        12 => any::<Index>().prop_map(Step::Arrive),
        2 => (any::<Index>(), any::<bool>()).prop_map(|(which, keep)| Step::GiveUp(which, keep)),
        1 => any::<Index>().prop_map(Step::Retry),
        1 => (any::<Index>(), any::<Index>(), any::<u8>()).prop_map(|(which, at, byte)| Step::Garble(which, at, byte)),
        1 => (node(), node(), prop::sample::select(protocols.to_vec()), bytes)
            .prop_map(|(from, to, protocol, bytes)| Step::Bytes(from, to, protocol, bytes)),
        1 => (node(), node()).prop_map(|(node, to)| Step::Wanted(node, to)),
        1 => node().prop_map(Step::Timer),
        1 => node().prop_map(Step::Power),
    ]
}
