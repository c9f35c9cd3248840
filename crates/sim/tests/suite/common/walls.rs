//! Chains with one flow, for machines that are put in from outside.

use multihop_proto::contract::Offer;
use multihop_proto::phy::{Preamble, TxVector};
use multihop_proto::units::{Bitrate, Dur, NodeId, SimTime};
use multihop_proto::wire::{BatchId, Frame, FrameKind, FramePart, UserPriority};
use multihop_sim::network::Network;
use multihop_sim::scenario::Resolved;

use super::Case;

/// A chain with one flow from end to end, and settings over it.
pub(crate) fn chain(hops: usize, flow: &str, sets: &[&str]) -> Resolved {
    let text = format!(
        "profile = \"ns2\"\n[run]\nduration = \"1000 s\"\n[measure]\nsample = \"0 s\"\n\
         [topology]\nkind = \"chain\"\nhops = {hops}\nspacing = \"200 m\"\n\
         [tcp]\nmax-window = 20\n[[flow]]\nfrom = \"0\"\nto = \"{hops}\"\n{flow}\n"
    );
    Case::new(&text).sets(sets).resolve()
}

/// Nodes at these places \[m\], with their names in this order, and flows, and settings over it.
pub(crate) fn placed<'a>(
    profile: &str,
    nodes: impl IntoIterator<Item = (usize, &'a (u32, u32))>,
    flows: &str,
    sets: &[&str],
) -> Resolved {
    let node = |(name, (x, y)): (usize, &(u32, u32))| {
        format!("{{ name = \"{name}\", x = \"{x} m\", y = \"{y} m\" }}, ")
    };
    let nodes: String = nodes.into_iter().map(node).collect();
    let text = format!(
        "profile = \"{profile}\"\n[run]\nduration = \"1000 s\"\n[measure]\nsample = \"0 s\"\n\
         [topology]\nkind = \"explicit\"\nnode = [{nodes}]\n{flows}"
    );
    Case::new(&text).sets(sets).resolve()
}

/// Lets the network run until then, and checks its books.
pub(crate) fn advance(network: &mut Network, seconds: u64) {
    network.advance(SimTime::from_secs(seconds));
    network.check_ledger().unwrap_or_else(|unbalanced| panic!("{unbalanced}"));
}

/// A data frame of a toy MAC with what the queue has offered, and a second part if there is one.
pub(crate) fn data_frame(from: NodeId, offer: Offer, second: Option<FramePart>, airtime: Dur) -> Frame {
    Frame {
        kind: FrameKind::Data,
        retry: false,
        more: false,
        sequence: 0,
        from,
        to: offer.to,
        packet: offer.packet,
        second,
        batch: BatchId::NONE,
        priority: UserPriority::BEST_EFFORT,
        size: offer.size,
        duration: Dur::ZERO,
        tx: TxVector::dsss(Bitrate::from_mbps(2), Preamble::Long),
        airtime,
    }
}
