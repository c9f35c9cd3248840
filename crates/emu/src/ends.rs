//! The ends of what runs between hosts, and which flow each connection belongs to.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use multihop_proto::node::{AnyTransport, Endpoint};
use multihop_proto::units::{FlowId, NodeId};
use multihop_proto::wire::Towards;
use multihop_sim::network::Network;
use multihop_sim::traffic::Flow;

use crate::datagram::{Seen, Way};
use crate::end::End;
use crate::exchange::Shared;
use crate::receiving::Receiving;
use crate::sending::Sending;
use crate::socket::Sockets;

/// Whose ends the nodes have.
pub(crate) struct Ends {
    /// The flows of the scenario.
    flows: Vec<Flow>,
    /// Most hops that a packet may go.
    hop_limit: u8,
    /// Bytes in front of the IP header of what hosts send.
    head: u8,
    shared: Shared,
    sockets: Vec<Arc<Sockets>>,
    /// Which flow a connection belongs to.
    ways: HashMap<Way, FlowId>,
    /// Pairs of nodes between which something runs that belongs to no flow.
    met: HashSet<(NodeId, NodeId)>,
    /// How many connections each flow has.
    taken: Vec<u32>,
}

impl Ends {
    /// Gives a network the ends of its flows.
    pub(crate) fn new(
        network: &mut Network,
        flows: &[Flow],
        (hop_limit, head): (u8, u8),
        shared: &Shared,
        sockets: &[Arc<Sockets>],
    ) -> Self {
        let ends = Self {
            flows: flows.to_vec(),
            hop_limit,
            head,
            shared: Arc::clone(shared),
            sockets: sockets.to_vec(),
            ways: HashMap::new(),
            met: HashSet::new(),
            taken: vec![0; flows.len()],
        };
        flows.iter().for_each(|flow| ends.add(network, flow.id, flow.from, flow.to));
        ends
    }

    /// The flow of a datagram: that of its connection, which is dealt to one of the flows between the two nodes, those
    /// in its own direction first.
    pub(crate) fn flow(&mut self, network: &mut Network, seen: &Seen) -> FlowId {
        let (from, to) = (seen.source, seen.destination);
        let (_, _, ports) = seen.way();
        if let Some(&flow) = self.ways.get(&seen.way()) {
            return flow;
        }
        let between = |(from, to): (NodeId, NodeId)| {
            let flows = self.flows.iter().filter(move |flow| (flow.from, flow.to) == (from, to));
            flows.map(|flow| flow.id).min_by_key(|flow| self.taken[flow.index()])
        };
        let flow = between((from, to)).or_else(|| between((to, from))).unwrap_or(FlowId::NONE);
        if let Some(taken) = self.taken.get_mut(flow.index()) {
            *taken += u32::from(seen.tcp.is_some());
        } else {
            self.meet(network, from, to);
        }
        self.ways.insert((from, to, ports), flow);
        self.ways.insert((to, from, (ports.1, ports.0)), flow);
        flow
    }

    /// The flow of a connection that has been seen.
    pub(crate) fn known(&self, way: Way) -> Option<FlowId> {
        self.ways.get(&way).copied()
    }

    /// Gives two nodes the ends of what belongs to no flow, unless they have them.
    pub(crate) fn meet(&mut self, network: &mut Network, from: NodeId, to: NodeId) {
        if self.met.insert((from.min(to), from.max(to))) {
            self.add(network, FlowId::NONE, from, to);
        }
    }

    /// Gives two nodes the ends of what runs between them.
    fn add(&self, network: &mut Network, flow: FlowId, from: NodeId, to: NodeId) {
        for (here, peer, towards) in [(from, to, Towards::Destination), (to, from, Towards::Source)] {
            let end = End {
                flow,
                here,
                peer,
                towards,
                hop_limit: self.hop_limit,
                head: self.head,
                shared: Arc::clone(&self.shared),
                sockets: Arc::clone(&self.sockets[here.index()]),
                sending: Sending::default(),
                receiving: Receiving::default(),
                known: None,
            };
            let endpoint = Endpoint::new(flow, peer, AnyTransport::Custom(Box::new(end)));
            network.node_mut(here).hosts_mut().add(endpoint);
        }
    }
}
