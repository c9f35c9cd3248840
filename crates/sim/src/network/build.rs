//! From a resolved scenario to a network at time zero.

use std::sync::Arc;

use multihop_proto::atp::Meter;
use multihop_proto::contract::Stations;
use multihop_proto::mac::Reads;
use multihop_proto::node::{AnyTransport, Endpoint, Node};
use multihop_proto::queue::Sojourn;
use multihop_proto::routing::{RoutingKind, Shared};
use multihop_proto::signals::{self, Notifier};
use multihop_proto::units::{Dur, Entity, FlowId, NodeId, Purpose, Rng, SimTime};
use multihop_proto::wire::PacketStore;

use super::Network;
use super::cut_off::CutOff;
use super::doze::Dozes;
use super::frame_errors::FrameErrors;
use super::frn_tables;
use super::needs::Needs;
use super::routes::{all_shortest_paths, best_paths, ends};
use super::sample::{BEGINNING, END, SAMPLE, Sampler};
use super::scheduled::Agenda;
use super::simultaneous::SimultaneousStarts;
use super::spans::Spans;
use super::stations::Nodes;
use super::ties::TieBreak;
use super::wire::add_wires;
use super::world::{Starting, Transmission, World};
use crate::air::{EnergyMeter, Radios, Reception};
use crate::check::paths::{Costs, ranks};
use crate::kernel::EventQueue;
use crate::machines::{self, Parts};
use crate::probe::{Echoes, Mpdus, Recorder, Tap};
use crate::scenario::{Flow, Resolved};
use crate::traffic::{Application, Transport};

/// What is recorded of MPDUs, where frames carry several or have categories.
fn mpdus(scenario: &Resolved) -> Option<Box<Mpdus>> {
    let config = &scenario.config;
    let mut groups = scenario.nodes.iter().map(|place| config.parts_of(place.group));
    let several = config.has_queues() && groups.any(|parts| parts.mac.takes_packets());
    let watched = several && config.measure.sample > Dur::ZERO;
    watched.then(|| Box::new(Mpdus::new(scenario.stations(), config.measure.rows as usize)))
}

/// The store of all packets, which knows how those of each flow are to be treated.
fn packet_store(scenario: &Resolved) -> PacketStore {
    let mut packets = PacketStore::new(scenario.flows.len());
    if let Some(edca) = scenario.config.mac.edca() {
        packets.set_dscp(FlowId::NONE, edca.routing_dscp);
    }
    for flow in &scenario.flows {
        if let Some(dscp) = flow.config.dscp {
            packets.set_dscp(flow.id, dscp);
        }
    }
    packets
}

impl Network {
    /// Run number `run` of a scenario, at time zero.
    #[must_use]
    pub fn new(scenario: &Resolved, run: u64) -> Self {
        Self::built(scenario, run, &ends(&scenario.flows), true)
    }

    /// The same without the ends of the flows: the caller adds them. Fixed routes lead to all nodes.
    #[must_use]
    pub fn without_ends(scenario: &Resolved, run: u64) -> Self {
        let all: Vec<NodeId> = (0..).map(NodeId).take(scenario.nodes.len()).collect();
        Self::built(scenario, run, &all, false)
    }

    /// Fixed routes lead to `known`; `simulated` is whether the flows have their ends.
    fn built(scenario: &Resolved, run: u64, known: &[NodeId], simulated: bool) -> Self {
        let config = &scenario.config;
        let (seed, inner) = (config.run.seed, config.run.inner_seed());
        let (links, stations) = (scenario.links(run), scenario.stations());
        let names: Vec<&str> = scenario.nodes.iter().map(|place| place.name.as_str()).collect();
        let ranks = ranks(&names);
        let costs = Costs::by(config.routing.metric(), &links, &ranks);
        let mut nodes = build_nodes(scenario, &costs, known, (inner, run));
        if simulated {
            add_endpoints(&mut nodes, scenario);
        }
        let stream = |entity: Entity<'_>, purpose| Rng::stream(inner, run, entity, purpose);
        let (count, flows) = (stations.count(), scenario.flows.len());
        let names: Vec<String> = scenario.station_names(&stations);
        let mut recorder = Recorder::new(
            (scenario.nodes.len(), count),
            flows,
            scenario.measured(),
            scenario.windows.clone(),
            config.measure.rows as usize,
        );
        // A link that gives nothing up has nothing to say of it.
        let gives_up = config.slots().is_some_and(|it| it.max_retransmissions.is_some());
        recorder.echoes = gives_up.then(|| Box::new(Echoes::new(count)));
        recorder.mpdus = mpdus(scenario);
        let (delays, watched) = (config.air.propagation_delay > Dur::ZERO, recorder.mpdus.is_some());
        let world = World {
            now: SimTime::ZERO,
            node: NodeId(0),
            timers: EventQueue::new(count, flows),
            starting: Starting::none(),
            leaving: Vec::new(),
            delay: config.air.propagation_delay,
            arrivals: vec![Spans::NONE; if delays || watched { count } else { 0 }],
            on_air: vec![Transmission::None; count],
            behind: Vec::new(),
            after: Vec::new(),
            recorder,
            tap: None,
        };
        let agenda = Agenda::new(scenario, &costs);
        let nodes = Nodes::new(nodes, &stations, ranks);
        // Links without queues are slotted.
        let ties = TieBreak::new(&nodes, stations.are_several(), !config.has_queues());
        let moving = links.moves() && config.air.reception == Reception::Ns2;
        let needs =
            Needs::new(&nodes, ties.has_steps(), moving, delays || watched || config.energy.is_some());
        let mut network = Self {
            world,
            end: scenario.end(),
            events: 0,
            needs,
            ties,
            nodes,
            packets: packet_store(scenario),
            radios: Radios::new(
                &config.air,
                names.iter().map(|name| stream(Entity::Node(name), Purpose::Reception)),
            ),
            errors: FrameErrors::new(scenario, &links, run),
            agenda,
            meter: Box::new(EnergyMeter::new(count, config.energy.as_ref())),
            dozes: Dozes::none(count),
            cut_off: CutOff::none(count),
            simultaneous: SimultaneousStarts::new(count),
            metric: config.routing.metric(),
            applications: applications(scenario, seed, run),
            sampler: Sampler::new(config.measure.sample, &stations),
            flows: scenario.flows.clone(),
            links,
        };
        if !config.has_queues() {
            network.packets.tell_copies(); // what has missed its echo is repeated, and outlived by what went on
        }
        if config.is_mixed() {
            network.tell_formats(scenario, &stations);
        }
        network.place_all_agents(scenario);
        network.note_ends();
        network.start(scenario);
        network
    }

    /// Receivers know which formats they make out.
    fn tell_formats(&mut self, scenario: &Resolved, stations: &Stations) {
        let energy = scenario.config.energy_threshold();
        for station in (0..).map(NodeId).take(stations.count()) {
            let reads = Reads::of(scenario.mac_of(stations, station));
            self.radios.set_reads(station, reads, energy);
        }
    }

    /// Shows every frame and loss to `tap`.
    pub fn set_tap(&mut self, tap: Box<dyn Tap>) {
        self.packets.keep_lost();
        self.world.tap = Some(tap);
        self.note_ends();
    }

    /// Arms what happens by itself: nodes, applications, probes.
    fn start(&mut self, scenario: &Resolved) {
        let (from, to) = scenario.measured();
        // Without warm-up, what happens at the first instant is measured: the probe would come after it.
        let beginning = if from == SimTime::ZERO { SimTime::MAX } else { from };
        self.run_probe(BEGINNING);
        for node in 0..self.nodes.len() {
            self.tell(NodeId(node as u32), multihop_proto::node::Input::Start); // node counts are 32-bit
        }
        for (index, source) in self.applications.iter().enumerate() {
            self.world.timers.arm_application(index, source.start());
        }
        self.world.timers.arm_scheduled(self.agenda.next_at());
        let sample = if self.sampler.is_on() { self.sampler.first() } else { SimTime::MAX };
        for (probe, at) in [(SAMPLE, sample), (BEGINNING, beginning), (END, to)] {
            self.world.timers.arm_probe(probe, at);
        }
    }
}

fn build_nodes(
    scenario: &Resolved,
    costs: &Costs<'_>,
    known: &[NodeId],
    (seed, run): (u64, u64),
) -> Vec<Node> {
    let config = &scenario.config;
    let stations = scenario.stations();
    let names: Vec<&str> = scenario.nodes.iter().map(|place| place.name.as_str()).collect();
    let shared = Shared {
        aodv: Arc::new(config.routing.aodv.clone()),
        fixed: Arc::new(best_paths(costs, known)),
        several: match config.routing.kind {
            RoutingKind::Multipath => Arc::new(all_shortest_paths(costs, known)),
            _ => Arc::default(),
        },
    };
    let mut nodes: Vec<Node> = names
        .iter()
        .zip(0..)
        .map(|(name, index)| {
            let stream = |purpose| Rng::stream(seed, run, Entity::Node(name), purpose);
            let (group, channel) = (scenario.nodes[index as usize].group, stations.channel(NodeId(index)));
            let mac = config.mac_on(group, channel);
            let older = scenario.older_than(&mac, &stations);
            Parts { mac: &mac, older: &older, ..config.parts_of(group) }.node(NodeId(index), &shared, stream)
        })
        .collect();
    add_radios(&mut nodes, scenario, stations, (seed, run));
    add_wires(&mut nodes, scenario, seed, run);
    frn_tables::fill(&config.routing, &mut nodes, costs, known);
    if config.signals.any() {
        let feedback = config.routing.believes_give_ups();
        let on_demand = config.routing.is_on_demand();
        let ends: signals::Flows = scenario.flows.iter().map(|flow| (flow.from, flow.to)).collect();
        for (node, index) in nodes.iter_mut().zip(0..) {
            let notifier = Notifier::new(&config.signals, NodeId(index), Arc::clone(&ends));
            let notifier = if feedback { notifier } else { notifier.without_feedback() };
            node.set_notifier(if on_demand { notifier.on_demand() } else { notifier });
        }
    }
    if scenario.flows.iter().any(|flow| flow.transport == Transport::Atp) {
        let sojourn = Sojourn::new(config.atp.memory, config.atp.idle_after);
        for node in &mut nodes {
            node.links_mut().change_interfaces(|interface| interface.link_mut().measure(&sojourn));
            node.relays_mut().set_meter(Meter::new(&config.atp));
        }
    }
    nodes
}

/// The radios that nodes have beside their first ones.
fn add_radios(nodes: &mut [Node], scenario: &Resolved, stations: Stations, (seed, run): (u64, u64)) {
    if !stations.are_several() {
        return;
    }
    let stations = Arc::new(stations);
    let names = scenario.station_names(&stations);
    for (node, index) in nodes.iter_mut().zip((0..).map(NodeId)) {
        let group = scenario.nodes[index.index()].group;
        for station in stations.of(index).skip(1) {
            let stream = |purpose| Rng::stream(seed, run, Entity::Node(&names[station.index()]), purpose);
            let mac = scenario.config.mac_on(group, stations.channel(station));
            let older = scenario.older_than(&mac, &stations);
            let parts = Parts { mac: &mac, older: &older, ..scenario.config.parts_of(group) };
            node.links_mut().add_interface(station, parts.link(station, &stream));
        }
        node.links_mut().set_stations(Arc::clone(&stations));
    }
}

/// Both ends of every flow.
fn add_endpoints(nodes: &mut [Node], scenario: &Resolved) {
    let config = &scenario.config;
    for flow in &scenario.flows {
        let (source, sink) = match flow.transport {
            Transport::Tcp => {
                let (tcp, shim) = (flow.config.tcp(&config.tcp), flow.config.shim(&config.shim));
                let ends = (flow.from, flow.to);
                let (mut source, sink) =
                    machines::tcp_ends(tcp, shim, flow.id, ends, config.air.receive_threshold);
                source.set_trace(config.measure.events as usize);
                (source, sink)
            }
            Transport::Udp => machines::udp_ends(),
            Transport::Atp => {
                AnyTransport::atp_ends(&config.atp, flow.config.tcp(&config.tcp).segment, flow.id)
            }
        };
        for (here, there, kind) in [(flow.from, flow.to, source), (flow.to, flow.from, sink)] {
            let endpoint = Endpoint::new(flow.id, there, kind);
            nodes[here.index()].hosts_mut().add(endpoint);
        }
    }
}

/// What the flows send when; the same under all techniques, as traffic is an outside process.
fn applications(scenario: &Resolved, seed: u64, run: u64) -> Vec<Application> {
    let application = |flow: &Flow| {
        let packet = scenario.config.payload(&flow.config, flow.transport);
        let draws = Rng::stream(seed, run, Entity::Flow(&flow.name), Purpose::Traffic);
        Application::new(flow, packet.get(), draws)
    };
    scenario.flows.iter().map(application).collect()
}
