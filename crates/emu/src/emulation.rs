//! The network by the clock: what the hosts send goes in, what arrives goes out, events happen when they are due.
//!
//! Each event happens at its own instant of simulated time, however late the clock finds it; so nothing is reordered,
//! and no lateness adds up. What a host sends is put in at the instant at which it is read, after all that was due
//! earlier.

use std::os::fd::AsRawFd;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};

use multihop_proto::routing::AnyRouting;
use multihop_proto::shim::Counters;
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::address::{self, ipv4};
use multihop_sim::network::{Handle, Network};
use multihop_sim::probe::{RunOutput, Tap};
use multihop_sim::scenario::Resolved;
use nix::errno::Errno;
use serde_json::{Value, json};

use crate::agents;
use crate::clock::Clock;
use crate::counts::Counts;
use crate::datagram::{Seen, Way, emulated, read};
use crate::device::{Device, Leaving};
use crate::ends::Ends;
use crate::exchange::{Exchange, Shared};
use crate::host::{Host, Node, hosts};
use crate::icmp;
use crate::kick::Kick;
use crate::lag::Lag;
use crate::layer::{Layers, Output, Times, Verdict};
use crate::router::KernelRouting;
use crate::socket::Sockets;
use crate::unreachable::{Rule, Watch};
use crate::wait::Wait;

/// Longest datagram or frame that a host sends: the MTU of its device, a header of Ethernet and a tag of a VLAN.
const LONGEST: usize = 1500 + 14 + 4;
/// Datagrams that are read from one host before others have their turn.
const MOST_AT_ONCE: usize = 64;

/// A scenario, its network and the hosts of its nodes.
pub struct Emulation {
    scenario: Resolved,
    run: u64,
    network: Network,
    hosts: Vec<Host>,
    sockets: Vec<Arc<Sockets>>,
    shared: Shared,
    ends: Ends,
    device: Device,
    lag: Lag,
    counts: Counts,
    bound: Dur,
    /// Which losses nodes tell to sources; none where the kernels of the hosts do that.
    rule: Option<Rule>,
    kick: Option<Kick>,
    /// What stands below TCP of Linux.
    layers: Option<Layers>,
}

/// What an emulation does beside the scenario.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The run is called valid if 99 of 100 events are not later than this.
    pub bound: Dur,
    /// How often connections that back off have the way to their destination probed, so that TCP hears at once that it
    /// is back; none: not at all.
    pub kick: Option<Dur>,
    /// Which device hosts have.
    pub device: Device,
}

impl Emulation {
    /// The hosts of a scenario that [`crate::prepare`] has made, and the network at time zero.
    ///
    /// # Errors
    /// A sentence on what is missing to make the hosts.
    pub fn new(scenario: Resolved, run: u64, options: Options) -> Result<Self, String> {
        let config = &scenario.config;
        let layers =
            Layers::new(&config.shim, config.beginning((NodeId::BROADCAST, NodeId::BROADCAST)), emulated);
        let mut hosts = hosts(scenario.nodes.len(), options.device, config.tcp.ecn)?;
        let sockets: Vec<_> = hosts.iter_mut().filter_map(|host| host.sockets.take()).map(Arc::new).collect();
        let shared = Shared::default();
        if layers.is_some() {
            let flows = scenario.flows.iter().map(|flow| (flow.id, Counters::default()));
            shared.lock().unwrap_or_else(PoisonError::into_inner).layers = flows.collect();
        }
        let mut network = Network::without_ends(&silent(&scenario), run);
        let mut rule = None;
        match options.device {
            Device::Tun => rule = Some(Rule::new(&config.signals, config.routing.is_on_demand())),
            Device::Tap => {
                for node in (0..).map(NodeId).take(hosts.len()) {
                    let routing = KernelRouting::new(node, Arc::clone(&shared));
                    network.set_routing(node, AnyRouting::Custom(Box::new(routing)));
                }
            }
        }
        agents::place(&mut network, &scenario);
        let headers = (config.routing.hop_limit, options.device.head());
        let ends = Ends::new(&mut network, &scenario.flows, headers, &shared, &sockets);
        let mut emulation = Self {
            scenario,
            run,
            network,
            hosts,
            sockets,
            shared,
            ends,
            device: options.device,
            lag: Lag::default(),
            counts: Counts::default(),
            bound: options.bound,
            rule,
            kick: options.kick.map(Kick::new),
            layers,
        };
        emulation.watch(None);
        Ok(emulation)
    }

    /// Shows every frame and loss to `tap`.
    pub fn set_tap(&mut self, tap: Box<dyn Tap>) {
        self.watch(Some(tap));
    }

    fn watch(&mut self, other: Option<Box<dyn Tap>>) {
        let watch = Watch { shared: Arc::clone(&self.shared), other, noted: Vec::new() };
        self.network.set_tap(Box::new(watch));
    }

    /// The nodes, by number.
    #[must_use]
    pub fn nodes(&self) -> Vec<Node> {
        let places = self.scenario.nodes.iter().zip(&self.hosts).zip((0..).map(NodeId));
        let node = |((place, host), id): ((&multihop_sim::scenario::Place, &Host), NodeId)| Node {
            name: place.name.clone(),
            namespace: host.namespace.as_raw_fd(),
            address: address::ipv4(id),
        };
        places.map(node).collect()
    }

    /// Lets the network run until its end, or until it is cancelled.
    ///
    /// # Errors
    /// A sentence on what Linux refused.
    pub fn run(&mut self, handle: &Handle) -> Result<(), String> {
        self.follow(handle).map_err(|error| format!("the emulation had to stop: {}", error.desc()))
    }

    fn follow(&mut self, handle: &Handle) -> Result<(), Errno> {
        let mut wait = Wait::new(&self.hosts)?;
        let (clock, end) = (Clock::start()?, self.scenario.end());
        loop {
            let now = self.catch_up(&clock, end)?;
            handle.reached.store(now.as_ns(), Ordering::Relaxed);
            if now >= end || handle.cancelled.load(Ordering::Relaxed) {
                return Ok(());
            }
            let look = self.kick.as_ref().map_or(SimTime::MAX, |kick| kick.next);
            let look = self.layers.as_ref().map_or(SimTime::MAX, Layers::next_at).min(look);
            let next = clock.absolute(self.network.next_at().min(look).min(end));
            for node in wait.until(next)? {
                self.take(node, &clock, end)?;
            }
        }
    }

    /// All that is due happens, and what has arrived goes to its hosts. Returns the present instant.
    fn catch_up(&mut self, clock: &Clock, end: SimTime) -> Result<SimTime, Errno> {
        let now = clock.now()?.min(end);
        let due = self.network.next_at();
        if due <= now {
            self.lag.add(now - due);
            self.settle(clock, now)?;
        }
        let due = self.kick.as_mut().map(|kick| kick.due(now, &self.sockets)).unwrap_or_default();
        due.into_iter().for_each(|(from, to, probe)| self.send_from(now, from, to, &probe));
        if let Some(layers) = &mut self.layers {
            let mut outputs = Vec::new();
            layers.due(now, |way| times(&self.sockets, way), &mut outputs);
            self.pass_on(now, outputs);
        }
        Ok(now)
    }

    /// Lets all happen that is due, and hands over what comes of it.
    fn settle(&mut self, clock: &Clock, now: SimTime) -> Result<(), Errno> {
        self.network.advance(now);
        self.deliver(clock, now)?;
        let (lost, found, events) = {
            let mut shared = self.exchange();
            let Exchange { lost, found, events, .. } = &mut *shared;
            (std::mem::take(lost), std::mem::take(found), std::mem::take(events))
        };
        for lost in lost {
            let Some(rule) = &mut self.rule else { break };
            let seen = read(&lost.bytes).filter(|seen| rule.tells(now, &lost, seen));
            if let Some((seen, message)) = seen.zip(icmp::unreachable(lost.node, &lost.bytes)) {
                self.counts.unreachable += 1;
                self.send_from(now, lost.node, seen.source, &message);
            }
        }
        found.into_iter().for_each(|(from, to)| self.kick(from, to));
        for event in events {
            let Some(layers) = &mut self.layers else { break };
            let mut outputs = Vec::new();
            layers.event(now, event, |way| times(&self.sockets, way), &mut outputs);
            self.pass_on(now, outputs);
        }
        Ok(())
    }

    /// Writes what has arrived.
    fn deliver(&mut self, clock: &Clock, now: SimTime) -> Result<(), Errno> {
        let delivered = std::mem::take(&mut self.exchange().delivered);
        for datagram in delivered {
            self.lag.add(clock.now()?.saturating_since(datagram.at));
            match icmp::answer(&datagram.bytes).filter(|_| self.kick.is_some()) {
                Some(from) => self.kick(datagram.node, from),
                None => self.arrive(now, (datagram.node, datagram.power), &datagram.bytes),
            }
        }
        Ok(())
    }

    /// A datagram arrives at a host, or at the layer below its TCP, with this power \[W\].
    fn arrive(&mut self, now: SimTime, (node, power): (NodeId, f64), bytes: &[u8]) {
        let mut outputs = Vec::new();
        let verdict = self.layers.as_mut().map(|layers| {
            layers.arriving(now, (node, power), bytes, |way| times(&self.sockets, way), &mut outputs)
        });
        self.pass_on(now, outputs);
        if verdict != Some(Verdict::Swallow) {
            self.give(node, bytes);
        }
    }

    /// What layers have counted goes to the ends of their flows.
    fn share_counts(&self) {
        let layers = self.layers.iter().flat_map(|layers| &layers.counts);
        let counted = layers.filter_map(|(way, counts)| Some((self.ends.known(*way)?, *counts)));
        let counted: Vec<_> = counted.collect();
        self.exchange().layers = counted;
    }

    /// The outputs of layers go to the host, or into the network as if it had come from there.
    fn pass_on(&mut self, now: SimTime, outputs: Vec<Output>) {
        if outputs.is_empty() {
            return;
        }
        self.share_counts();
        for output in outputs {
            match output {
                Output::Host(node, bytes) => self.give(node, &bytes),
                Output::Network(node, bytes) => {
                    if let Some(seen) = read(&bytes) {
                        self.send(now, node, seen, bytes);
                    }
                }
            }
        }
    }

    /// Gives a datagram to a host.
    fn give(&mut self, node: NodeId, bytes: &[u8]) {
        let written = nix::unistd::write(&self.hosts[node.index()].device, bytes).is_ok();
        self.counts.written += u64::from(written);
        self.counts.refused += u64::from(!written);
    }

    /// A node itself sends a datagram to a host: over the air, or straight to its own.
    fn send_from(&mut self, now: SimTime, from: NodeId, to: NodeId, bytes: &[u8]) {
        if from == to {
            return self.arrive(now, (to, 0.0), bytes);
        }
        if let Some(seen) = read(bytes) {
            self.ends.meet(&mut self.network, from, to);
            self.exchange().leaving.push_back((seen, Arc::from(bytes)));
            self.network.wake(now, from, FlowId::NONE, to);
        }
    }

    /// There is a way from one node to another again: connections that back off hear of it.
    fn kick(&mut self, from: NodeId, to: NodeId) {
        let messages = self.kick.as_mut().map(|kick| kick.found(from, to, &self.sockets)).unwrap_or_default();
        messages.iter().for_each(|message| self.give(from, message));
    }

    /// Reads what a host sends, and puts it into the network.
    fn take(&mut self, node: NodeId, clock: &Clock, end: SimTime) -> Result<(), Errno> {
        let mut bytes = [0; LONGEST];
        let mut read_now = Vec::new();
        while read_now.len() < MOST_AT_ONCE
            && let Ok(length) = nix::unistd::read(&self.hosts[node.index()].device, &mut bytes)
        {
            self.counts.read += 1;
            match self.device.sort(node, &bytes[..length], self.hosts.len()) {
                Ok(leaving) => read_now.push((leaving, Arc::from(&bytes[..length]))),
                Err(why) => self.counts.leave(why),
            }
        }
        let now = self.catch_up(clock, end)?;
        read_now.into_iter().for_each(|(leaving, bytes)| self.put(now, node, leaving, bytes));
        self.settle(clock, now)
    }

    /// Puts what a host has sent into the network.
    fn put(&mut self, now: SimTime, node: NodeId, leaving: Leaving, bytes: Arc<[u8]>) {
        match leaving {
            Leaving::Datagram(seen) => {
                if let Some(kick) = &mut self.kick {
                    kick.sent(&seen, &bytes);
                }
                let mut outputs = Vec::new();
                let verdict =
                    self.layers.as_mut().map(|layers| layers.leaving(now, &seen, &bytes, &mut outputs));
                self.pass_on(now, outputs);
                match verdict {
                    Some(Verdict::Swallow) => {}
                    Some(Verdict::Replace(other)) => self.send(now, node, seen, other),
                    Some(Verdict::Pass) | None => self.send(now, node, seen, bytes),
                }
            }
            Leaving::Frame(_) if !self.network.nodes()[node.index()].is_up() => self.counts.down += 1,
            Leaving::Frame(to) => {
                self.exchange().frames.push_back((to, bytes));
                self.network.wake(now, node, FlowId::NONE, node);
            }
        }
    }

    /// A datagram leaves a node.
    fn send(&mut self, now: SimTime, node: NodeId, seen: Seen, bytes: Arc<[u8]>) {
        let flow = self.ends.flow(&mut self.network, &seen);
        self.exchange().leaving.push_back((seen, bytes));
        self.network.wake(now, node, flow, seen.destination);
    }

    fn exchange(&self) -> MutexGuard<'_, Exchange> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the emulation where it is.
    ///
    /// # Errors
    /// If the ledger does not balance: a fault of the engine. If its trace cannot be written.
    pub fn finish(mut self) -> Result<RunOutput, String> {
        self.network.end_now();
        if let Some(layers) = &mut self.layers {
            layers.close(self.network.now());
            self.share_counts();
        }
        self.network.check_ledger()?;
        let told = self.told();
        let mut output = self.network.into_output(&self.scenario, self.run)?;
        if let Some(open) = output.json.strip_suffix('}') {
            output.json = format!("{open},\"emulation\":{told}}}");
        }
        Ok(output)
    }

    /// What is to be known of the emulation beside its figures.
    fn told(&self) -> Value {
        let (mut told, counts) = (self.lag.json(self.bound), self.counts.json());
        let name = |flow: FlowId| self.scenario.flows.get(flow.index()).map(|flow| flow.name.clone());
        let controls = self.exchange().controls.clone();
        let controls = controls.into_iter().filter_map(|(flow, control)| Some((name(flow)?, json!(control))));
        let others = json!({
            "tap": self.device == Device::Tap,
            "probes": self.kick.as_ref().map(|kick| kick.probes),
            "kicks": self.kick.as_ref().map(|kick| kick.kicks),
            "congestion_control": controls.collect::<serde_json::Map<_, _>>(),
        });
        if let (Value::Object(told), Value::Object(counts), Value::Object(others)) =
            (&mut told, counts, others)
        {
            told.extend(counts.into_iter().chain(others));
        }
        told
    }
}

/// What Linux knows of a connection; none if it has none.
fn times(sockets: &[Arc<Sockets>], (here, there, ports): Way) -> Option<Times> {
    sockets[here.index()].times(ipv4(here), ipv4(there), ports)
}

/// The scenario for hosts that run TCP of Linux: signals go to it and not to the simulator's TCP, and agents look at
/// its segments.
fn silent(scenario: &Resolved) -> Resolved {
    let mut scenario = scenario.clone();
    scenario.config.signals.unreachable = false;
    scenario.agents.clear();
    scenario
}
