//! A wall of the architecture: datagrams of another IP stack. What is left for one end of a flow comes out at the
//! other, byte for byte, and the store knows no more of it than it was told.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use multihop_proto::contract::{Arrival, Cx, NodeState, Sink};
use multihop_proto::endpoint::{Action, AnyTransport, Input, Transport};
use multihop_proto::node::Endpoint;
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::{Opaque, PacketId, PacketKind, Towards, flags};
use multihop_sim::network::Network;
use proptest::prelude::*;

use crate::toy::net::{Watch, advance, bulk, scenario};

const FLOW: FlowId = FlowId(0);
const CHAIN: [(u32, u32); 4] = [(0, 0), (200, 0), (400, 0), (600, 0)];
const TCP: u8 = 6;

/// What goes in at an end, and what has come out there and when.
#[derive(Debug, Default)]
struct Port {
    left: VecDeque<Arc<[u8]>>,
    come: Vec<(SimTime, Arc<[u8]>, u8)>,
}

/// An end that sends what is left for it.
#[derive(Debug)]
struct Gate {
    towards: Towards,
    port: Arc<Mutex<Port>>,
}

impl Transport for Gate {
    fn towards(&self) -> Towards {
        self.towards
    }

    fn receive(
        &mut self,
        cx: &mut Cx<'_>,
        _: &dyn Fn() -> NodeState,
        id: PacketId,
        _: &mut Vec<Action>,
    ) -> Arrival {
        let bytes = Arc::clone(cx.packets.message(id).expect("a datagram"));
        let multihop_proto::wire::Payload::Opaque(seen) = cx.packets[id].payload else {
            return Arrival::Unacceptable;
        };
        self.port.lock().expect("one thread").come.push((cx.now, bytes, seen.ecn));
        Arrival::New { readable: u64::from(seen.len) }
    }

    fn handle(&mut self, cx: &mut Cx<'_>, _: &NodeState, input: Input<'_>, out: &mut Vec<Action>) {
        if input != Input::Wake {
            return;
        }
        while let Some(bytes) = self.port.lock().expect("one thread").left.pop_front() {
            let (len, position) = (bytes.len() as u32 - 20, Some(u64::from(bytes[20])));
            let seen = |body| Opaque { protocol: TCP, ecn: flags::ECT, head: 0, position, len, body };
            out.put(Action::Send(cx.packets.opaque(bytes, seen)));
        }
    }
}

type Ports = [Arc<Mutex<Port>>; 2];

fn network(watch: &Watch, sets: &[&str]) -> (Network, Ports) {
    let mut network = Network::new(&scenario(&CHAIN, &bulk(0, 3), sets), 1);
    network.set_tap(Box::new(watch.clone()));
    let ports = Ports::default();
    for (node, towards, port) in [(0, Towards::Destination, &ports[0]), (3, Towards::Source, &ports[1])] {
        let gate = Gate { towards, port: Arc::clone(port) };
        network.node_mut(NodeId(node)).hosts_mut().all_mut()[0].kind = AnyTransport::Custom(Box::new(gate));
    }
    (network, ports)
}

/// A datagram of so many bytes; its number stands after the IP header.
fn datagram(number: u8, length: usize) -> Arc<[u8]> {
    let mut bytes: Vec<u8> = (0..length).map(|place| (place * 7) as u8).collect();
    bytes[20] = number;
    bytes.into()
}

fn leave(network: &mut Network, ports: &Ports, at: SimTime, end: usize, bytes: Arc<[u8]>) {
    network.advance(at);
    ports[end].lock().expect("one thread").left.push_back(bytes);
    let (here, there) = if end == 0 { (NodeId(0), NodeId(3)) } else { (NodeId(3), NodeId(0)) };
    network.wake(at, here, FLOW, there);
}

#[test]
fn bytes_cross_the_air_both_ways() {
    let (mut network, ports) = network(&Watch::default(), &[]);
    let there = [datagram(1, 1500), datagram(2, 40), datagram(3, 777)];
    let back = datagram(4, 52);
    for (bytes, ms) in there.iter().zip([10, 10, 300]) {
        leave(&mut network, &ports, SimTime::from_ms(ms), 0, Arc::clone(bytes));
    }
    leave(&mut network, &ports, SimTime::from_ms(400), 1, Arc::clone(&back));
    advance(&mut network, SimTime::from_secs(2));
    let come = |end: usize| -> Vec<Arc<[u8]>> {
        let port = ports[end].lock().expect("one thread");
        port.come.iter().map(|(_, bytes, _)| Arc::clone(bytes)).collect()
    };
    assert_eq!((come(1), come(0)), (there.to_vec(), vec![back]));
    // Three hops of 1500 B at 2 Mb/s take 18 ms at least.
    let first = ports[1].lock().expect("one thread").come[0].0;
    assert!(first > SimTime::from_ms(28) && first < SimTime::from_ms(60), "{first}");
    let ledger = network.packets().flow_ledger(FLOW);
    assert_eq!((ledger.created, ledger.delivered), (4, 4));
    assert_eq!(network.packets().live(), 0);
}

/// A queue that marks in the place of dropping marks these too.
#[test]
fn marks_of_congestion_reach_the_other_end() {
    let red = [
        "queue.aqm=red",
        "queue.red.min-threshold=1.0",
        "queue.red.max-threshold=6.0",
        "queue.red.weight=0.5",
        "queue.red.max-p=0.5",
    ];
    let (mut network, ports) = network(&Watch::default(), &red);
    for number in 0..30 {
        leave(&mut network, &ports, SimTime::from_ms(10), 0, datagram(number, 1000));
    }
    advance(&mut network, SimTime::from_secs(5));
    let port = ports[1].lock().expect("one thread");
    let marked = port.come.iter().filter(|(.., ecn)| ecn & flags::CE != 0).count();
    assert!(marked > 0 && marked < port.come.len(), "{marked} of {}", port.come.len());
}

#[test]
fn what_is_lost_is_a_counted_drop_of_its_kind() {
    let watch = Watch::default();
    let (mut network, ports) = network(&watch, &[]);
    leave(&mut network, &ports, SimTime::from_ms(10), 0, datagram(1, 1500));
    network.power(NodeId(2), false);
    advance(&mut network, SimTime::from_secs(2));
    assert_eq!(watch.dropped(PacketKind::TcpData), 1);
    assert!(ports[1].lock().expect("one thread").come.is_empty());
}

/// An end that belongs to no flow sends and receives all the same.
#[test]
fn datagrams_of_no_flow_are_carried_too() {
    let mut network = Network::without_ends(&scenario(&CHAIN, &bulk(0, 3), &[]), 1);
    assert!(network.nodes().iter().all(|node| node.hosts().all().is_empty()), "nothing is simulated");
    let ports = Ports::default();
    for (node, peer, towards, port) in
        [(1, 2, Towards::Destination, &ports[0]), (2, 1, Towards::Source, &ports[1])]
    {
        let gate = AnyTransport::Custom(Box::new(Gate { towards, port: Arc::clone(port) }));
        network.node_mut(NodeId(node)).hosts_mut().add(Endpoint::new(FlowId::NONE, NodeId(peer), gate));
    }
    network.advance(SimTime::from_ms(5));
    ports[0].lock().expect("one thread").left.push_back(datagram(9, 100));
    network.wake(SimTime::from_ms(5), NodeId(1), FlowId::NONE, NodeId(2));
    advance(&mut network, SimTime::from_secs(1));
    assert_eq!(ports[1].lock().expect("one thread").come.len(), 1);
}

#[test]
#[should_panic(expected = "what is due earlier happens earlier")]
fn nothing_is_reordered() {
    let (mut network, ports) = network(&Watch::default(), &[]);
    leave(&mut network, &ports, SimTime::from_ms(10), 0, datagram(1, 1500));
    network.wake(SimTime::from_secs(1), NodeId(0), FLOW, NodeId(3));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// However the datagrams come, a pace that stops at any instants in between changes nothing.
    #[test]
    fn stops_on_the_way_change_nothing(
        story in prop::collection::vec((0u64..30_000, any::<bool>(), 21usize..1500), 1..30),
        stops in prop::collection::vec(1u64..200_000, 0..40),
    ) {
        let tell = |stops: &[u64]| {
            let watch = Watch::default();
            let (mut network, ports) = network(&watch, &["air.bit-error-rate=2e-5"]);
            let mut now = SimTime::ZERO;
            for &(gap, back, length) in &story {
                let at = now + Dur::from_us(gap);
                for stop in stops.iter().map(|&us| SimTime::from_us(us)).filter(|&stop| stop > now && stop < at) {
                    network.advance(stop);
                }
                now = at;
                leave(&mut network, &ports, at, usize::from(back), datagram(1, length));
            }
            advance(&mut network, now + Dur::from_secs(3));
            let come = ports.map(|port| port.lock().expect("one thread").come.clone());
            (watch.fingerprint(), come)
        };
        let mut stops = stops.clone();
        stops.sort_unstable();
        prop_assert_eq!(tell(&[]), tell(&stops));
    }
}
