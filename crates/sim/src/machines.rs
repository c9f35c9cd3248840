//! From configuration to the machines of a node.

use std::cell::RefCell;
use std::sync::Arc;

use multihop_proto::arp::{self, ArpConfig};
use multihop_proto::atp::{self, AtpConfig};
use multihop_proto::endpoint::{AtpSink, AtpSource};
use multihop_proto::hop_rate::{self, HopRateConfig};
use multihop_proto::link::frn::{Frn, FrnConfig};
use multihop_proto::link::{Link, LinkKind};
use multihop_proto::mac::MacConfig;
use multihop_proto::mac::aggregate::CategoryCounters;
use multihop_proto::mac::dcf::Dcf;
use multihop_proto::node::{AnyTransport, Endpoint, Node};
use multihop_proto::proxy;
use multihop_proto::queue::{AnyAqm, Queue, QueueConfig};
use multihop_proto::routing::aodv::{Aodv, AodvConfig};
use multihop_proto::routing::dsdv::Dsdv;
use multihop_proto::routing::dsr::Dsr;
use multihop_proto::routing::fixed::{FixedRoutes, RouteTable};
use multihop_proto::routing::frn::FrnRouting;
use multihop_proto::routing::multipath::{Multipath, PathTable};
use multihop_proto::routing::{AnyRouting, RoutingConfig, RoutingKind};
use multihop_proto::shim::{self, Beginning, ShimConfig};
use multihop_proto::signals;
use multihop_proto::tcp::{Receiver, Sender, TcpConfig, acks, gate, loss, window};
use multihop_proto::udp;
use multihop_proto::units::{Bytes, Entity, FlowId, NodeId, Power, Purpose, Rng, SimTime};

use crate::air::{OfdmErrors, least_ratio};

/// What a node is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts<'a> {
    /// Its data link.
    pub link: LinkKind,
    /// Its medium access.
    pub mac: &'a MacConfig,
    /// Its slotted data link, in the place of MAC and queue.
    pub frn: &'a FrnConfig,
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

/// What nodes share: their configuration, and routes computed before the run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared {
    /// How they use AODV: in one place, for every reception reads it.
    pub aodv: Arc<AodvConfig>,
    /// One next hop to each destination.
    pub fixed: Arc<RouteTable>,
    /// All of them, where they are used in turn.
    pub several: Arc<PathTable>,
}

impl Parts<'_> {
    /// A node without endpoints; `stream` gives the random streams of its machines.
    pub(crate) fn node(&self, id: NodeId, shared: &Shared, stream: impl Fn(Purpose) -> Rng) -> Node {
        let routing = match self.routing.kind {
            RoutingKind::Static => AnyRouting::Fixed(FixedRoutes::new(id, Arc::clone(&shared.fixed))),
            RoutingKind::Multipath => {
                let (table, paths) = (Arc::clone(&shared.several), self.routing.multipath.paths);
                AnyRouting::Multipath(Box::new(Multipath::new(id, table, paths)))
            }
            RoutingKind::Dsdv => {
                let jitter = stream(Purpose::Jitter);
                AnyRouting::Dsdv(Box::new(Dsdv::new(self.routing.dsdv.clone(), id, jitter)))
            }
            RoutingKind::Dsr => {
                let (config, extra) = (self.routing.dsr.clone(), self.routing.header);
                AnyRouting::Dsr(Box::new(Dsr::new(config, id, extra, stream(Purpose::Jitter))))
            }
            RoutingKind::Aodv => {
                let (jitter, limit) = (stream(Purpose::Jitter), self.routing.hop_limit);
                AnyRouting::Aodv(Box::new(
                    Aodv::new(Arc::clone(&shared.aodv), id, jitter).with_hop_limit(limit),
                ))
            }
            RoutingKind::Frn => {
                let jitter = stream(Purpose::Jitter);
                AnyRouting::Frn(Box::new(FrnRouting::new(self.routing.frn.clone(), id, jitter)))
            }
        };
        // AODV's agent counts nothing for TCP, and adds what it counts itself.
        let header = if self.routing.kind == RoutingKind::Aodv { Bytes::ZERO } else { self.routing.header };
        let mut node = Node::new(id, self.link(id, &stream), routing, header);
        node.origin_mut().set_data_header(self.data_header);
        node.origin_mut().set_hop_limit(self.routing.hop_limit);
        node.links_mut().change_interfaces(|interface| interface.set_arp(self.arp));
        node.links_mut().set_hop_rate(self.hop_rate);
        node
    }

    /// The link of a radio; `stream` gives the random streams of its machines.
    pub(crate) fn link(&self, id: NodeId, stream: &impl Fn(Purpose) -> Rng) -> Link {
        let draws = stream(Purpose::Backoff);
        if self.link == LinkKind::Frn {
            return Link::keeping(Frn::new(self.frn.clone(), id, draws).into());
        }
        let queue = |draws: &dyn Fn() -> Rng| {
            let mut queue = Queue::new(self.queue.clone());
            queue.set_aqm(AnyAqm::new(self.queue, draws));
            queue
        };
        let mut link = Link::queued(queue(&|| stream(Purpose::Aqm)), self.mac, id, draws);
        if let Some(edca) = self.mac.edca() {
            let draws = RefCell::new(stream(Purpose::Aqm));
            link.set_categories(edca.map, || queue(&|| draws.borrow_mut().split()));
        }
        link.set_noise(self.noise);
        link.set_least(&|tx, size, loss| least_ratio(tx, size, self.ofdm_errors, loss));
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
        let (judges, acks) = (&loss::Counters::NAMES[..], &acks::Dynamic::NAMES[..]);
        let (arp, gates) = (&arp::Counters::NAMES[..], &[gate::QueueGate::NAME][..]);
        let (agents, rates) = (&proxy::Counters::NAMES[..], &hop_rate::Counters::NAMES[..]);
        let atp = &atp::Counters::NAMES[..];
        let below = [arp, rates, &[atp::Meter::NAME], &Dcf::NAMES, &CategoryCounters::NAMES];
        let slow_starts = &window::SlowStartCounters::NAMES[..];
        let racks = &loss::RackCounters::NAMES[..];
        let of_tcp = [judges, racks, acks, gates, slow_starts].concat();
        let mut names = [atp, shims, signals, &of_tcp, agents, &below.concat()].concat();
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

/// Sender and receiver of a flow over ATP, which packs so many bytes at most.
pub(crate) fn atp_ends(config: &AtpConfig, segment: Bytes, flow: FlowId) -> (AnyTransport, AnyTransport) {
    let source = AtpSource::new(flow, atp::Source::new(*config, segment.get()));
    let sink = AtpSink::new(flow, atp::Sink::new(*config));
    (AnyTransport::AtpSource(Box::new(source)), AnyTransport::AtpSink(Box::new(sink)))
}

/// Sender and receiver of a flow over UDP.
pub(crate) fn udp_ends() -> (AnyTransport, AnyTransport) {
    (AnyTransport::UdpSource(udp::Source::default()), AnyTransport::UdpSink(udp::Sink::default()))
}
