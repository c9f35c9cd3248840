//! The network by the clock: what the hosts send goes in, what arrives goes out, events happen when they are due.
//!
//! Each event happens at its own instant of simulated time, however late the clock finds it; so nothing is reordered, and no
//! lateness adds up. What a host sends is put in at the instant at which it is read, after all that was due earlier.

use std::collections::{HashMap, HashSet};
use std::os::fd::AsRawFd;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};

use multihop_proto::node::{AnyTransport, Endpoint};
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::{Towards, address};
use multihop_sim::network::{Handle, Network};
use multihop_sim::probe::{RunOutput, Tap};
use multihop_sim::scenario::Resolved;
use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags};
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::datagram::{Seen, read};
use crate::end::End;
use crate::exchange::{Exchange, Shared};
use crate::host::{Host, hosts};
use crate::icmp;
use crate::kick::Kick;
use crate::lag::Lag;
use crate::receiving::Receiving;
use crate::sending::Sending;
use crate::socket::Sockets;
use crate::unreachable::{Rule, Watch};

/// Longest datagram that a host sends: the MTU of its device.
const MTU: usize = 1500;
/// Datagrams that are read from one host before others have their turn.
const MOST_AT_ONCE: usize = 64;
/// How often it is looked whether the emulation shall end \[ms\].
const LOOK_MS: u16 = 50;
/// The timer among what is waited for.
const TIMER: u64 = u64::MAX;

/// A node as programs find it.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Number of the file descriptor of its network namespace in this process.
    pub namespace: i32,
    /// Its IPv4 address.
    pub address: [u8; 4],
}

/// Sender, receiver, and the ports of a transport that has some.
type Way = (NodeId, NodeId, (u16, u16));

/// A scenario, its network and the hosts of its nodes.
pub struct Emulation {
    scenario: Resolved,
    run: u64,
    network: Network,
    hosts: Vec<Host>,
    sockets: Vec<Arc<Sockets>>,
    shared: Shared,
    /// Which flow a connection belongs to.
    ways: HashMap<Way, FlowId>,
    /// Pairs of nodes between which something runs that belongs to no flow.
    met: HashSet<(NodeId, NodeId)>,
    /// How many connections each flow has.
    taken: Vec<u32>,
    lag: Lag,
    counts: Counts,
    bound: Dur,
    rule: Rule,
    kick: Option<Kick>,
}

/// What an emulation does beside the scenario.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The run is called valid if 99 of 100 events are not later than this.
    pub bound: Dur,
    /// How often connections that back off have the way to their destination probed, so that TCP hears at once that it is back;
    /// none: not at all.
    pub kick: Option<Dur>,
}

/// Datagrams that were read from hosts and written to them.
#[derive(Debug, Default)]
struct Counts {
    read: u64,
    written: u64,
    /// Arrived, but the host did not take them.
    refused: u64,
    /// Read, but not for a node of the network, or not IPv4.
    foreign: u64,
    /// Sources that were told that a host is unreachable.
    unreachable: u64,
}

impl Emulation {
    /// The hosts of a scenario that [`crate::prepare`] has made, and the network at time zero.
    ///
    /// # Errors
    /// A sentence on what is missing to make the hosts.
    pub fn new(scenario: Resolved, run: u64, options: Options) -> Result<Self, String> {
        let mut hosts = hosts(scenario.nodes.len(), scenario.config.tcp.ecn)?;
        let sockets = hosts.iter_mut().filter_map(|host| host.sockets.take()).map(Arc::new).collect();
        let rule = Rule::new(&scenario.config.signals, scenario.config.routing.is_on_demand());
        let network = Network::without_ends(&silent(&scenario), run);
        let taken = vec![0; scenario.flows.len()];
        let mut emulation = Self {
            scenario,
            run,
            network,
            hosts,
            sockets,
            shared: Shared::default(),
            ways: HashMap::new(),
            met: HashSet::new(),
            taken,
            lag: Lag::default(),
            counts: Counts::default(),
            bound: options.bound,
            rule,
            kick: options.kick.map(Kick::new),
        };
        emulation.watch(None);
        for index in 0..emulation.scenario.flows.len() {
            let flow = &emulation.scenario.flows[index];
            emulation.add_ends(flow.id, flow.from, flow.to);
        }
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
        let _ = nix::sys::prctl::set_timerslack(1); // without it, Linux may be 50 us late by intent
        let (epoll, timer) = (Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?, timer()?);
        epoll.add(&timer, EpollEvent::new(EpollFlags::EPOLLIN, TIMER))?;
        for (host, index) in self.hosts.iter().zip(0..) {
            epoll.add(&host.device, EpollEvent::new(EpollFlags::EPOLLIN, index))?;
        }
        let (clock, end) = (Clock::start()?, self.scenario.end());
        let mut ready = [EpollEvent::empty(); MOST_AT_ONCE];
        loop {
            let now = self.catch_up(&clock, end)?;
            handle.reached.store(now.as_ns(), Ordering::Relaxed);
            if now >= end || handle.cancelled.load(Ordering::Relaxed) {
                return Ok(());
            }
            let look = self.kick.as_ref().map_or(SimTime::MAX, |kick| kick.next);
            let next = clock.absolute(self.network.next_at().min(look).min(end));
            timer.set(Expiration::OneShot(next), TimerSetTimeFlags::TFD_TIMER_ABSTIME)?;
            let count = match epoll.wait(&mut ready, LOOK_MS) {
                Err(Errno::EINTR) => 0,
                told => told?,
            };
            for event in ready.iter().take(count).filter(|event| event.data() != TIMER) {
                self.take(NodeId(event.data() as u32), &clock, end)?; // its number, from above
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
        due.into_iter().for_each(|(from, to, probe)| self.say(now, from, to, &probe));
        Ok(now)
    }

    /// Lets all happen that is due, and hands over what comes of it.
    fn settle(&mut self, clock: &Clock, now: SimTime) -> Result<(), Errno> {
        self.network.advance(now);
        self.deliver(clock)?;
        let (lost, found) = {
            let mut shared = self.exchange();
            (std::mem::take(&mut shared.lost), std::mem::take(&mut shared.found))
        };
        for lost in lost {
            let seen = read(&lost.bytes).filter(|seen| self.rule.tells(now, &lost, seen));
            if let Some((seen, said)) = seen.zip(icmp::unreachable(lost.node, &lost.bytes)) {
                self.counts.unreachable += 1;
                self.say(now, lost.node, seen.source, &said);
            }
        }
        found.into_iter().for_each(|(from, to)| self.kick(from, to));
        Ok(())
    }

    /// Writes what has arrived.
    fn deliver(&mut self, clock: &Clock) -> Result<(), Errno> {
        let delivered = std::mem::take(&mut self.exchange().delivered);
        for datagram in delivered {
            self.lag.add(clock.now()?.saturating_since(datagram.at));
            match icmp::answer(&datagram.bytes).filter(|_| self.kick.is_some()) {
                Some(from) => self.kick(datagram.node, from),
                None => self.give(datagram.node, &datagram.bytes),
            }
        }
        Ok(())
    }

    /// Gives a datagram to a host.
    fn give(&mut self, node: NodeId, bytes: &[u8]) {
        let written = nix::unistd::write(&self.hosts[node.index()].device, bytes).is_ok();
        self.counts.written += u64::from(written);
        self.counts.refused += u64::from(!written);
    }

    /// A node itself says something to a host: over the air, or straight to its own.
    fn say(&mut self, now: SimTime, from: NodeId, to: NodeId, bytes: &[u8]) {
        if from == to {
            return self.give(to, bytes);
        }
        if let Some(seen) = read(bytes) {
            self.meet(from, to);
            self.exchange().leaving.push_back((seen, Arc::from(bytes)));
            self.network.wake(now, from, FlowId::NONE, to);
        }
    }

    /// There is a way from one node to another again: connections that back off hear of it.
    fn kick(&mut self, from: NodeId, to: NodeId) {
        let told = self.kick.as_mut().map(|kick| kick.found(from, to, &self.sockets)).unwrap_or_default();
        told.iter().for_each(|said| self.give(from, said));
    }

    /// Reads what a host sends, and puts it into the network.
    fn take(&mut self, node: NodeId, clock: &Clock, end: SimTime) -> Result<(), Errno> {
        let mut bytes = [0; MTU];
        let mut read_now = Vec::new();
        while read_now.len() < MOST_AT_ONCE
            && let Ok(length) = nix::unistd::read(&self.hosts[node.index()].device, &mut bytes)
        {
            self.counts.read += 1;
            let seen = read(&bytes[..length]).filter(|seen| self.carries(node, seen));
            match seen {
                Some(seen) => read_now.push((seen, Arc::from(&bytes[..length]))),
                None => self.counts.foreign += 1,
            }
        }
        let now = self.catch_up(clock, end)?;
        for (seen, bytes) in read_now {
            let flow = self.flow(&seen);
            if let Some(kick) = &mut self.kick {
                kick.sent(&seen, &bytes);
            }
            self.exchange().leaving.push_back((seen, bytes));
            self.network.wake(now, node, flow, seen.destination);
        }
        self.settle(clock, now)
    }

    /// Whether a datagram runs from this node to another one of the network.
    fn carries(&self, node: NodeId, seen: &Seen) -> bool {
        seen.source == node && seen.destination.index() < self.hosts.len()
    }

    /// The flow of a datagram: that of its connection, which is dealt to one of the flows between the two nodes, those in its
    /// own direction first.
    fn flow(&mut self, seen: &Seen) -> FlowId {
        let (from, to) = (seen.source, seen.destination);
        let ports = seen.tcp.map_or((0, 0), |tcp| tcp.ports);
        if let Some(&flow) = self.ways.get(&(from, to, ports)) {
            return flow;
        }
        let between = |(from, to): (NodeId, NodeId)| {
            let flows = self.scenario.flows.iter().filter(move |flow| (flow.from, flow.to) == (from, to));
            flows.map(|flow| flow.id).min_by_key(|flow| self.taken[flow.index()])
        };
        let flow = between((from, to)).or_else(|| between((to, from))).unwrap_or(FlowId::NONE);
        if let Some(taken) = self.taken.get_mut(flow.index()) {
            *taken += u32::from(seen.tcp.is_some());
        } else {
            self.meet(from, to);
        }
        self.ways.insert((from, to, ports), flow);
        self.ways.insert((to, from, (ports.1, ports.0)), flow);
        flow
    }

    /// Gives two nodes the ends of what belongs to no flow, unless they have them.
    fn meet(&mut self, from: NodeId, to: NodeId) {
        if self.met.insert((from.min(to), from.max(to))) {
            self.add_ends(FlowId::NONE, from, to);
        }
    }

    /// Gives two nodes the ends of what runs between them.
    fn add_ends(&mut self, flow: FlowId, from: NodeId, to: NodeId) {
        for (here, peer, towards) in [(from, to, Towards::Destination), (to, from, Towards::Source)] {
            let end = End {
                flow,
                here,
                peer,
                towards,
                hop_limit: self.scenario.config.routing.hop_limit,
                shared: Arc::clone(&self.shared),
                sockets: Arc::clone(&self.sockets[here.index()]),
                sending: Sending::default(),
                receiving: Receiving::default(),
                known: None,
            };
            let endpoint = Endpoint::new(flow, peer, AnyTransport::Custom(Box::new(end)));
            self.network.node_mut(here).add_endpoint(endpoint);
        }
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
        let mut told = self.lag.json(self.bound);
        let name = |flow: FlowId| self.scenario.flows.get(flow.index()).map(|flow| flow.name.clone());
        let controls = self.exchange().controls.clone();
        let controls = controls.into_iter().filter_map(|(flow, control)| Some((name(flow)?, json!(control))));
        let counts = json!({
            "read": self.counts.read,
            "written": self.counts.written,
            "refused": self.counts.refused,
            "foreign": self.counts.foreign,
            "unreachable": self.counts.unreachable,
            "probes": self.kick.as_ref().map(|kick| kick.probes),
            "kicks": self.kick.as_ref().map(|kick| kick.kicks),
            "congestion_control": controls.collect::<serde_json::Map<_, _>>(),
        });
        if let (Value::Object(told), Value::Object(counts)) = (&mut told, counts) {
            told.extend(counts);
        }
        told
    }
}

/// The scenario for a network that does not speak to the simulator's TCP: what it would say is said to that of Linux.
fn silent(scenario: &Resolved) -> Resolved {
    let mut scenario = scenario.clone();
    scenario.config.signals.unreachable = false;
    scenario
}

fn timer() -> Result<TimerFd, Errno> {
    TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC)
}
