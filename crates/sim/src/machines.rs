//! From configuration to the machines of a node.

use std::cell::RefCell;

use multihop_proto::arp::{self, ArpConfig};
use multihop_proto::endpoint;
use multihop_proto::hop_rate::{self, HopRateConfig};
use multihop_proto::link::{Link, LinkChoice};
use multihop_proto::mac::aggregate::CategoryCounters;
use multihop_proto::mac::dcf::Dcf;
use multihop_proto::mac::{MacConfig, Older};
use multihop_proto::node::{AnyTransport, Endpoint, Node, Relays};
use multihop_proto::proxy;
use multihop_proto::queue::{AnyAqm, Queue, QueueConfig};
use multihop_proto::routing::{AnyRouting, RoutingConfig, Shared};
use multihop_proto::shim::{self, Beginning, ShimConfig};
use multihop_proto::signals;
use multihop_proto::tcp::{Receiver, Sender, TcpConfig};
use multihop_proto::udp;
use multihop_proto::units::{Bytes, Entity, FlowId, NodeId, Power, Purpose, Rng, SimTime};

use crate::air::{OfdmErrors, least_ratio};

/// What a node is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts<'a> {
    /// Its data link.
    pub link: LinkChoice<'a>,
    /// Its medium access.
    pub mac: &'a MacConfig,
    /// Stations whose amendment is older than its own.
    pub older: &'a [Older],
    /// Its interface queue.
    pub queue: &'a QueueConfig,
    /// Its address resolution.
    pub arp: &'a ArpConfig,
    /// Its routing.
    pub routing: &'a RoutingConfig,
    /// Its hop-by-hop rate control.
    pub hop_rate: &'a HopRateConfig,
    /// What its TCP segments with payload count for their headers.
    pub data_header: Bytes,
    /// Noise power of its receiver.
    pub noise: Power,
    /// By what the bits of OFDM fall there.
    pub ofdm_errors: OfdmErrors,
}

impl Parts<'_> {
    /// A node without endpoints; `stream` gives the random streams of its machines.
    pub(crate) fn node(&self, id: NodeId, shared: &Shared, stream: impl Fn(Purpose) -> Rng) -> Node {
        let routing = AnyRouting::new(self.routing, id, shared, || stream(Purpose::Jitter));
        let mut node = Node::new(id, self.link(id, &stream), routing, self.routing.node_header());
        node.origin_mut().set_data_header(self.data_header);
        node.origin_mut().set_hop_limit(self.routing.hop_limit);
        node.links_mut().change_interfaces(|interface| interface.set_arp(self.arp));
        node.links_mut().set_hop_rate(self.hop_rate);
        node
    }

    /// The link of a radio; `stream` gives the random streams of its machines.
    pub(crate) fn link(&self, id: NodeId, stream: &impl Fn(Purpose) -> Rng) -> Link {
        if let Some(link) = self.link.keeping(id, || stream(Purpose::Backoff)) {
            return Link::keeping(link);
        }
        let queue = |draws: &dyn Fn() -> Rng| {
            let mut queue = Queue::new(self.queue.clone());
            queue.set_aqm(AnyAqm::new(self.queue, draws));
            queue
        };
        let mut link = Link::queued(queue(&|| stream(Purpose::Aqm)), self.mac, id, stream(Purpose::Backoff));
        if let Some(edca) = self.mac.edca() {
            let draws = RefCell::new(stream(Purpose::Aqm));
            link.set_categories(edca.map, || queue(&|| draws.borrow_mut().split()));
        }
        let least = |tx, size, loss| least_ratio(tx, size, self.ofdm_errors, loss);
        link.set_surroundings(self.noise, &least, self.older);
        link
    }

    /// Names of all counters that the machines of such a node have, and of those that it may have.
    pub(crate) fn counter_names(&self) -> Vec<&'static str> {
        let rng = |_| Rng::stream(0, 0, Entity::Whole, Purpose::Backoff);
        let mut node = self.node(NodeId(0), &Shared::default(), rng);
        let ends = (NodeId(0), NodeId(1));
        let (sender, _) =
            tcp_ends(&TcpConfig::default(), &ShimConfig::default(), FlowId(0), ends, Power::new(0.0));
        node.hosts_mut().add(Endpoint::new(FlowId(0), NodeId(1), sender));
        let (shims, signals) = (&shim::counter_names()[..], &signals::Counters::NAMES[..]);
        let (transports, arp) = (&endpoint::counter_names()[..], &arp::Counters::NAMES[..]);
        let (agents, rates) = (&proxy::Counters::NAMES[..], &hop_rate::Counters::NAMES[..]);
        let below = [arp, rates, &[Relays::METERED], &Dcf::NAMES, &CategoryCounters::NAMES].concat();
        let mut names = [transports, shims, signals, agents, &below].concat();
        node.each_counter(SimTime::ZERO, &mut |name, _| names.push(name));
        names
    }
}

/// How a connection of the simulator's TCP begins.
pub(crate) fn beginning(config: &TcpConfig, ends: (NodeId, NodeId), receive_threshold: Power) -> Beginning {
    Beginning {
        rto: config.initial_rto,
        ssthresh: config.first_ssthresh(),
        ends,
        receive_threshold: receive_threshold.get(),
    }
}

/// Sender and receiver of a flow over TCP, behind their shims.
pub(crate) fn tcp_ends(
    config: &TcpConfig,
    shim: &ShimConfig,
    flow: FlowId,
    ends: (NodeId, NodeId),
    receive_threshold: Power,
) -> (AnyTransport, AnyTransport) {
    let mut sender = AnyTransport::tcp_sender(Sender::new(config.clone(), flow));
    let mut receiver = AnyTransport::tcp_receiver(Receiver::new(config));
    let (here, there) = shim.ends(beginning(config, ends, receive_threshold));
    sender.set_shim(here);
    receiver.set_shim(there);
    (sender, receiver)
}

/// Sender and receiver of a flow over UDP.
pub(crate) fn udp_ends() -> (AnyTransport, AnyTransport) {
    (AnyTransport::UdpSource(udp::Source::default()), AnyTransport::UdpSink(udp::Sink::default()))
}
