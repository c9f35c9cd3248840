//! A wall of the architecture: a transport that is not TCP. Its source sends at a rate, each relay notes its delay in
//! the header as the packet passes, and the sink says from time to time what is missing and how slow the way was.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use multihop_proto::contract::{Arrival, Cx, NodeState, Sink};
use multihop_proto::endpoint::{Action, AnyTransport, App, Input, Transport};
use multihop_proto::proxy::{self, Agent, Verdict};
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::{PacketId, PacketKind, Payload, Protocol, Towards};
use multihop_sim::network::Network;
use proptest::prelude::*;

use crate::toy::net::{Watch, advance, power_on_and_off, scenario};

const FLOW: FlowId = FlowId(0);
const CHAIN: [(u32, u32); 5] = [(0, 0), (200, 0), (400, 0), (600, 0), (800, 0)];
/// Payload of a packet, and how many there are.
const LEN: u32 = 500;
const COUNT: u64 = 60;
/// How often the sink speaks; how long the source waits before it doubts.
const EPOCH: Dur = Dur::from_ms(300);
/// Numbers that one report has room for.
const MOST: usize = 20;

/// Data: number and the longest delay on the way \[us\]. Report: what came in order, that delay, what is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Header {
    Data { number: u64, delay: u64 },
    Report { below: u64, delay: u64, missing: Vec<u64> },
}

impl Header {
    fn emit(&self) -> Arc<[u8]> {
        let (kind, words) = match self {
            Self::Data { number, delay } => (1u8, vec![*number, *delay]),
            Self::Report { below, delay, missing } => (2, [&[*below, *delay], &missing[..]].concat()),
        };
        std::iter::once(kind).chain(words.iter().flat_map(|word| word.to_be_bytes())).collect()
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let (kind, rest) = bytes.split_first()?;
        let (chunks, []) = rest.as_chunks::<8>() else { return None };
        let words: Vec<u64> = chunks.iter().map(|word| u64::from_be_bytes(*word)).collect();
        match (kind, &words[..]) {
            (1, &[number, delay]) if number < COUNT => Some(Self::Data { number, delay }),
            (2, [below, delay, missing @ ..]) if *below <= COUNT && missing.len() <= MOST => {
                Some(Self::Report { below: *below, delay: *delay, missing: missing.to_vec() })
            }
            _ => None,
        }
    }

    fn of(cx: &Cx<'_>, packet: PacketId) -> Option<Self> {
        Self::parse(cx.packets.message(packet)?)
    }
}

fn send(cx: &mut Cx<'_>, number: u64, len: u32, header: &Header, out: &mut dyn Sink<Action>) {
    out.put(Action::Send(cx.packets.transport(Protocol::Experimental, number, len, header.emit())));
}

/// One packet a gap: what is missing first, then what is new, then the last once more until all have come.
#[derive(Debug)]
struct Source {
    next: u64,
    below: u64,
    missing: BTreeSet<u64>,
    gap: Dur,
    sent: u64,
    gaps: Arc<Mutex<Vec<Dur>>>,
}

impl Transport for Source {
    fn towards(&self) -> Towards {
        Towards::Destination
    }

    fn receive(
        &mut self,
        cx: &mut Cx<'_>,
        _: &dyn Fn() -> NodeState,
        id: PacketId,
        _: &mut Vec<Action>,
    ) -> Arrival {
        let Some(Header::Report { below, delay, missing }) = Header::of(cx, id) else {
            return Arrival::Unacceptable;
        };
        self.below = self.below.max(below);
        self.missing = missing.into_iter().filter(|&number| number < self.next).collect();
        self.gap = Dur::from_us(delay.clamp(2_000, 100_000));
        self.gaps.lock().expect("one thread").push(self.gap);
        Arrival::Control
    }

    fn handle(&mut self, cx: &mut Cx<'_>, _: &NodeState, input: Input<'_>, out: &mut Vec<Action>) {
        match input {
            Input::App(App::Write(_)) => out.put(Action::Arm(cx.now)),
            Input::Timer if self.below < COUNT => {
                let number = self.missing.pop_first().unwrap_or_else(|| self.next.min(COUNT - 1));
                let doubt = number + 1 == COUNT && self.next == COUNT;
                self.next = self.next.max(number + 1);
                self.sent += 1;
                send(cx, number, LEN, &Header::Data { number, delay: 0 }, out);
                out.put(Action::Arm(cx.now + if doubt { EPOCH } else { self.gap }));
            }
            _ => {}
        }
    }

    fn sent(&self) -> u64 {
        self.sent
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        tell("toy.sent", self.sent);
    }
}

/// Reports every epoch in which something came.
#[derive(Debug, Default)]
struct Listener {
    come: BTreeSet<u64>,
    delay: u64,
    armed: bool,
}

impl Listener {
    fn below(&self) -> u64 {
        (0..COUNT).find(|number| !self.come.contains(number)).unwrap_or(COUNT)
    }
}

impl Transport for Listener {
    fn towards(&self) -> Towards {
        Towards::Source
    }

    fn receive(
        &mut self,
        cx: &mut Cx<'_>,
        _: &dyn Fn() -> NodeState,
        id: PacketId,
        out: &mut Vec<Action>,
    ) -> Arrival {
        let Some(Header::Data { number, delay }) = Header::of(cx, id) else { return Arrival::Unacceptable };
        self.delay = self.delay.max(delay);
        if !std::mem::replace(&mut self.armed, true) {
            out.put(Action::Arm(cx.now + EPOCH));
        }
        let before = self.below();
        if !self.come.insert(number) {
            return Arrival::Duplicate;
        }
        Arrival::New { readable: (self.below() - before) * u64::from(LEN) }
    }

    fn handle(&mut self, cx: &mut Cx<'_>, _: &NodeState, input: Input<'_>, out: &mut Vec<Action>) {
        if input == Input::Timer {
            self.armed = false;
            let highest = self.come.last().copied().unwrap_or(0);
            let missing = (0..highest).filter(|number| !self.come.contains(number)).take(MOST).collect();
            let report = Header::Report { below: self.below(), delay: self.delay, missing };
            self.delay = 0;
            send(cx, 0, 0, &report, out);
        }
    }

    fn has(&self, position: u64) -> bool {
        self.come.contains(&position)
    }
}

/// Notes in what passes how long the hop before took, or spoils it.
#[derive(Debug)]
struct Stamper {
    spoil: bool,
}

impl Agent for Stamper {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _: &NodeState,
        input: proxy::Input,
        _: &mut Vec<proxy::Action>,
    ) -> Verdict {
        let proxy::Input::Passing(id) = input else { return Verdict::Pass };
        if let Some(Header::Data { number, delay }) = Header::of(cx, id) {
            let took = (cx.now - cx.packets[id].enqueued).as_ns() / 1_000;
            let number = if self.spoil && number % 7 == 3 { u64::MAX } else { number };
            cx.packets.rewrite(id, Header::Data { number, delay: delay.max(took) }.emit());
        }
        Verdict::Pass
    }
}

type Gaps = Arc<Mutex<Vec<Dur>>>;

fn network(watch: &Watch, gaps: &Gaps, spoil: bool, sets: &[&str]) -> Network {
    let flow = "[[flow]]\nkind = \"file\"\nsize = \"1 kB\"\nfrom = \"0\"\nto = \"4\"\n";
    let mut network = Network::new(&scenario(&CHAIN, flow, sets), 1);
    network.set_tap(Box::new(watch.clone()));
    let source = Source {
        next: 0,
        below: 0,
        missing: BTreeSet::new(),
        gap: Dur::from_ms(20),
        sent: 0,
        gaps: Arc::clone(gaps),
    };
    network.node_mut(NodeId(0)).hosts_mut().all_mut()[0].kind = AnyTransport::Custom(Box::new(source));
    network.node_mut(NodeId(4)).hosts_mut().all_mut()[0].kind =
        AnyTransport::Custom(Box::<Listener>::default());
    for relay in 1..4 {
        network
            .node_mut(NodeId(relay))
            .relays_mut()
            .add(FLOW, Box::new(Stamper { spoil: spoil && relay == 2 }));
    }
    network
}

fn arrived(network: &Network) -> u64 {
    let sink = &network.nodes()[4].hosts().all()[0].kind;
    (0..COUNT).filter(|&number| sink.has(number)).count() as u64
}

#[test]
fn what_is_said_is_understood() {
    let headers = [
        Header::Data { number: 7, delay: 12_345 },
        Header::Report { below: 3, delay: 9, missing: vec![3, 5] },
        Header::Report { below: 60, delay: 0, missing: Vec::new() },
    ];
    for header in headers {
        assert_eq!(Header::parse(&header.emit()), Some(header));
    }
    assert_eq!(Header::parse(&[1, 2, 3]), None);
}

//  0.5 s: a relay goes down; 2 s: it is back; what was lost meanwhile is missed and sent again
#[test]
fn another_transport_than_tcp_runs_over_a_chain() {
    let (watch, gaps) = (Watch::default(), Gaps::default());
    let mut network = network(&watch, &gaps, false, &[]);
    advance(&mut network, SimTime::from_ms(500));
    let before = arrived(&network);
    assert!((10..30).contains(&before), "20 ms apart: {before}");
    network.power(NodeId(2), false);
    advance(&mut network, SimTime::from_secs(2));
    assert!(watch.dropped(PacketKind::Transport) > 5, "counted as what they are");
    network.power(NodeId(2), true);
    advance(&mut network, SimTime::from_secs(20));
    assert_eq!(arrived(&network), COUNT, "all has come");
    let gaps = gaps.lock().expect("one thread");
    assert!(gaps.iter().any(|&gap| gap > Dur::from_ms(2)), "relays have told of their delay: {gaps:?}");
    let mut sent = 0;
    network.nodes()[0].each_counter(SimTime::from_secs(20), &mut |name, count| {
        sent += if name == "toy.sent" { count } else { 0 };
    });
    assert!(sent > COUNT, "some of it twice: {sent}");
    let packet = network.nodes()[0].hosts().all()[0].kind.towards();
    assert_eq!(packet, Towards::Destination);
}

#[test]
fn headers_that_make_no_sense_are_counted_drops() {
    let (watch, gaps) = (Watch::default(), Gaps::default());
    let mut network = network(&watch, &gaps, true, &[]);
    advance(&mut network, SimTime::from_secs(10));
    let spoilt = (0..COUNT).filter(|number| number % 7 == 3).count() as u64;
    assert_eq!(arrived(&network), COUNT - spoilt);
    assert!(watch.dropped(PacketKind::Transport) as u64 >= spoilt);
}

/// Which nodes go down or come back after how long, whether headers are spoilt, and how noisy the air is.
type Story = (Vec<(u64, u32)>, bool, bool);

fn tell((power, spoil, noise): &Story) -> (u64, u64) {
    let (watch, gaps) = (Watch::default(), Gaps::default());
    let sets: &[&str] = if *noise { &["air.bit-error-rate=2e-5"] } else { &[] };
    let mut network = network(&watch, &gaps, *spoil, sets);
    power_on_and_off(&mut network, power, Dur::from_secs(3));
    (watch.fingerprint(), arrived(&network))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_mishaps_balance_and_repeat_themselves(
        story in (prop::collection::vec((1u64..500, 0u32..5), 0..10), any::<bool>(), any::<bool>()),
    ) {
        let once = tell(&story);
        prop_assert_eq!(tell(&story), once);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Some(header) = Header::parse(&bytes) {
            prop_assert_eq!(&header.emit()[..], &bytes[..]);
        }
    }
}

/// A header of the toy is never taken for TCP's, UDP's or a routing message.
#[test]
fn a_packet_of_another_transport_is_of_a_kind_of_its_own() {
    let mut packets = multihop_proto::wire::PacketStore::new(1);
    let payload =
        packets.transport(Protocol::Experimental, 5, LEN, Header::Data { number: 5, delay: 0 }.emit());
    assert!(matches!(payload, Payload::Transport(datagram) if datagram.number == 5 && datagram.len == LEN));
}

/// The same on every machine and in every build.
#[test]
fn a_story_has_one_fingerprint() {
    let (fingerprint, arrived) = tell(&(vec![(700, 2), (400, 2), (900, 1), (100, 1)], true, true));
    assert!(arrived > 0);
    insta::assert_snapshot!("endpoint", format!("{fingerprint:016x} {arrived} arrived"));
}
