//! Time lines of rates and queues.

use super::{Action, HopRate, HopRateConfig, Input, Note};
use crate::contract::{Cx, NodeState, Overheard};
use crate::testing::packet;
use crate::units::{Bytes, Dur, FlowId, NodeId, SimTime};
use crate::wire::{DropReason, PacketId, PacketStore, Payload, Protocol, Segment};

const FLOW: FlowId = FlowId(0);
const OTHER: FlowId = FlowId(1);
/// The next node, the one behind it where the flows end, and another neighbour.
const NEXT: NodeId = NodeId(2);
const SINK: NodeId = NodeId(3);
const ASIDE: NodeId = NodeId(9);

fn ms(ms: u64) -> SimTime {
    SimTime::from_us(1000 * ms)
}

/// A node's rates and their packets.
struct Rig {
    rates: HopRate,
    packets: PacketStore,
    /// Packets in the interface queue.
    queued: u32,
}

impl Rig {
    fn new(set: impl Fn(&mut HopRateConfig)) -> Self {
        let mut config = HopRateConfig { on: true, ..HopRateConfig::default() };
        set(&mut config);
        Self { rates: *HopRate::new(&config).expect("on"), packets: PacketStore::new(2), queued: 0 }
    }

    fn feed(&mut self, now: SimTime, input: Input) -> Vec<Action> {
        let mut out = Vec::new();
        let node_state = NodeState { queue_length: self.queued, ..NodeState::default() };
        self.rates.handle(&mut Cx { now, packets: &mut self.packets }, &node_state, input, &mut out);
        out
    }

    fn packet(&mut self, flow: FlowId, len: u32) -> PacketId {
        let segment = Payload::Tcp(Segment { len, ..Segment::default() });
        self.packets.create(packet(flow, SINK, 40 + len, segment))
    }

    /// A segment for a neighbour: it, and what is done.
    fn segment(&mut self, now: SimTime, flow: FlowId, to: NodeId) -> (PacketId, Vec<Action>) {
        let packet = self.packet(flow, 1000);
        (packet, self.feed(now, Input::Segment { packet, to }))
    }

    /// How many segments go on then.
    fn gone(&mut self, now: SimTime) -> usize {
        let out = self.feed(now, Input::Timer);
        out.iter().filter(|action| matches!(action, Action::Forward { .. })).count()
    }

    /// The next node is heard sending on a segment that says so.
    fn hears(&mut self, now: SimTime, flow: FlowId, from: NodeId, note: Note) {
        let packet = self.packet(flow, 1000);
        self.packets.set_header(packet, Some((Protocol::HopRate, note.emit())));
        assert_eq!(self.feed(now, Input::Overheard(Overheard { from, to: SINK, packet, power: 1.0 })), []);
    }

    /// What a packet says.
    fn note(&self, packet: PacketId) -> Note {
        Note::parse(self.packets.header(packet).expect("a note")).expect("well formed")
    }

    /// Serves so many segments of a flow, each in this time.
    fn serve(&mut self, segments: usize, flow: FlowId, took: Dur) {
        (0..segments).for_each(|_| assert_eq!(self.feed(ms(0), Input::Served { flow, took }), []));
    }

    /// What the next segment says of its flow.
    fn says(&mut self, now: SimTime, flow: FlowId) -> Note {
        let packet = self.segment(now, flow, NEXT).0;
        self.note(packet)
    }
}

fn near(value: Option<f64>, wanted: f64) {
    let value = value.expect("a flow");
    assert!((value / wanted - 1.0).abs() < 1e-3, "{value}, not {wanted}");
}

#[test]
fn off_there_are_none() {
    assert!(HopRate::new(&HopRateConfig::default()).is_none());
}

#[test]
fn only_segments_with_payload_wait_for_their_turn() {
    let mut rig = Rig::new(|_| ());
    for (len, takes) in [(1000, true), (0, false)] {
        let packet = rig.packet(FLOW, len);
        let cx = Cx { now: ms(0), packets: &mut rig.packets };
        assert_eq!(rig.rates.takes(&cx, packet), takes, "{len}");
    }
}

/// 10 ms a frame before one was served: 100 a second, two at once.
#[test]
fn two_go_at_once_and_the_others_at_the_rate() {
    let mut rig = Rig::new(|it| it.tick = Dur::from_secs(9));
    let (first, out) = rig.segment(ms(0), FLOW, NEXT);
    assert_eq!(out, [Action::Forward { packet: first, to: NEXT }, Action::Arm(SimTime::from_secs(9))]);
    assert_eq!(rig.note(first), Note { waiting: 0, rate: 100.0 });
    assert_eq!(rig.packets[first].size, Bytes(1048), "the note counts");
    assert_eq!(rig.segment(ms(0), FLOW, NEXT).1.len(), 1, "it goes at once too");
    let wait = Action::Arm(ms(10) + Dur::from_ns(1));
    assert_eq!(rig.segment(ms(0), FLOW, NEXT).1, [wait]);
    for _ in 0..2 {
        assert_eq!(rig.segment(ms(0), FLOW, NEXT).1, [], "it has asked to be woken");
    }
    assert_eq!((rig.gone(ms(9)), rig.gone(ms(11)), rig.gone(ms(19)), rig.gone(ms(21))), (0, 1, 0, 1));
    assert_eq!(rig.rates.packets().count(), 1);
    assert_eq!(rig.rates.counters().waited, 3);
}

/// Each tick: the rate there, and what brings its queue to three in half a second.
#[test]
fn the_next_node_says_how_fast() {
    let mut rig = Rig::new(|_| ());
    rig.segment(ms(0), FLOW, NEXT);
    near(rig.rates.rate(FLOW), 100.0);
    for (at, waiting, rate, wanted) in [
        (100, 3, 40.0, 40.0),
        (200, 13, 40.0, 20.0),   // 40 - 10 / 0.5 s
        (300, 0, 40.0, 46.0),    // 40 + 3 / 0.5 s
        (400, 40, 20.0, 1.0),    // no less than that
        (500, 0, 4000.0, 100.0), // no more than the own share
    ] {
        rig.hears(ms(at - 50), FLOW, NEXT, Note { waiting, rate });
        rig.gone(ms(at));
        near(rig.rates.rate(FLOW), wanted);
    }
    assert_eq!((rig.rates.counters().heard, rig.rates.counters().slowed), (5, 4));
}

/// What waits for a token and what the interface queue has already.
#[test]
fn a_note_counts_all_that_waits_here() {
    let mut rig = Rig::new(|it| it.tick = Dur::from_secs(9));
    rig.queued = 5;
    let first = rig.segment(ms(0), FLOW, NEXT).0;
    let packets: Vec<PacketId> = (0..3).map(|_| rig.segment(ms(0), FLOW, NEXT).0).collect();
    assert_eq!((rig.note(first).waiting, rig.note(packets[0]).waiting), (5, 5));
    assert_eq!(rig.gone(ms(11)), 1);
    assert_eq!(rig.note(packets[1]).waiting, 6, "one waits behind it");
    let packets: Vec<PacketId> = (0..2).map(|_| rig.segment(ms(11), FLOW, NEXT).0).collect();
    assert_eq!(rig.gone(ms(200)), 2);
    assert_eq!(
        (rig.note(packets[0]).waiting, rig.rates.packets().count()),
        (7, 1),
        "and one in the queue before it"
    );
}

/// What the MAC was done with in a tick of 100 ms, with a weight of 100 ms / 500 ms.
#[test]
fn a_note_says_how_fast_segments_leave() {
    let mut rig = Rig::new(|_| ());
    assert!((rig.says(ms(0), FLOW).rate - 100.0).abs() < 0.01, "at first what the rate allows");
    rig.serve(2, FLOW, Dur::from_ms(10));
    rig.serve(5, OTHER, Dur::from_ms(10));
    assert!((rig.says(ms(50), FLOW).rate - 100.0).abs() < 0.01, "until the next tick");
    for (at, wanted) in [(100, 84.0), (200, 67.2)] {
        rig.gone(ms(at)); // 100 + (20 - 100) / 5, and nothing since
        let said = rig.says(ms(at + 1), FLOW).rate;
        assert!((said - wanted).abs() < 0.01, "{said}, not {wanted}");
    }
    near(rig.rates.rate(FLOW), 100.0);
}

/// With a tick longer than the time the average is what the tick has seen.
#[test]
fn a_long_tick_is_all_that_counts() {
    let mut rig = Rig::new(|it| it.tick = Dur::from_secs(2));
    rig.segment(ms(0), FLOW, NEXT);
    rig.serve(10, FLOW, Dur::from_ms(10));
    rig.segment(ms(1990), FLOW, NEXT);
    rig.gone(ms(2000));
    assert!((rig.says(ms(2001), FLOW).rate - 5.0).abs() < 0.01);
}

/// A source hands over what the bucket holds, and then waits for tokens.
#[test]
fn there_is_room_for_two_that_wait() {
    let mut rig = Rig::new(|it| it.tick = Dur::from_secs(9));
    let mut room = vec![rig.rates.room(FLOW)];
    for _ in 0..5 {
        rig.segment(ms(0), FLOW, NEXT);
        room.push(rig.rates.room(FLOW));
    }
    assert_eq!(room, [2, 2, 2, 1, 0, 0]);
    assert_eq!(rig.rates.room(OTHER), 2, "each flow has its own");
    rig.gone(ms(21));
    assert_eq!(rig.rates.room(FLOW), 1);
}

#[test]
fn between_two_ticks_nothing_changes() {
    let mut rig = Rig::new(|_| ());
    rig.segment(ms(0), FLOW, NEXT);
    rig.hears(ms(10), FLOW, NEXT, Note { waiting: 3, rate: 40.0 });
    rig.gone(ms(99));
    near(rig.rates.rate(FLOW), 100.0);
    rig.gone(ms(100));
    near(rig.rates.rate(FLOW), 40.0);
}

#[test]
fn only_the_next_node_of_this_flow_counts_and_only_for_a_while() {
    let mut rig = Rig::new(|_| ());
    rig.segment(ms(0), FLOW, NEXT);
    let slow = Note { waiting: 3, rate: 10.0 };
    rig.hears(ms(10), FLOW, ASIDE, slow);
    rig.hears(ms(10), OTHER, NEXT, slow);
    assert_eq!(rig.rates.counters().heard, 0);
    rig.gone(ms(100));
    near(rig.rates.rate(FLOW), 100.0);
    rig.hears(ms(110), FLOW, NEXT, slow);
    rig.gone(ms(200));
    near(rig.rates.rate(FLOW), 10.0);
    // Another next node has said nothing.
    rig.segment(ms(210), FLOW, ASIDE);
    rig.gone(ms(300));
    near(rig.rates.rate(FLOW), 100.0);
    // What was said a second ago counts no more.
    rig.segment(ms(310), FLOW, NEXT);
    rig.gone(ms(400));
    near(rig.rates.rate(FLOW), 10.0);
    rig.segment(ms(1100), FLOW, NEXT);
    rig.gone(ms(1110));
    near(rig.rates.rate(FLOW), 100.0);
}

#[test]
fn on_the_last_hop_the_own_share_is_all() {
    let mut rig = Rig::new(|_| ());
    rig.segment(ms(0), FLOW, SINK);
    rig.hears(ms(50), FLOW, SINK, Note { waiting: 3, rate: 10.0 });
    rig.gone(ms(100));
    near(rig.rates.rate(FLOW), 100.0);
}

/// The MAC takes 20 ms a frame lately: 50 a second, 25 of each of two flows, until one has ended.
#[test]
fn flows_share_what_the_mac_can_serve() {
    let mut rig = Rig::new(|_| ());
    rig.serve(100, FLOW, Dur::from_ms(20));
    rig.segment(ms(0), FLOW, NEXT);
    rig.segment(ms(0), OTHER, NEXT);
    rig.gone(ms(100));
    near(rig.rates.rate(FLOW), 25.0);
    near(rig.rates.rate(OTHER), 25.0);
    rig.segment(ms(900), FLOW, NEXT);
    rig.gone(ms(1000));
    near(rig.rates.rate(FLOW), 50.0);
    assert_eq!(rig.rates.rate(OTHER), None, "forgotten");
    assert_eq!(rig.gone(ms(1950)), 0);
    assert_eq!(rig.feed(ms(2000), Input::Timer), [], "nobody sends: it sleeps");
}

#[test]
fn one_served_frame_is_an_eighth_of_the_average() {
    let mut rig = Rig::new(|_| ());
    rig.serve(1, FLOW, Dur::from_ms(90));
    rig.segment(ms(0), FLOW, NEXT);
    near(rig.rates.rate(FLOW), 50.0); // 10 + (90 - 10) / 8 = 20 ms
}

#[test]
fn what_finds_no_room_is_lost() {
    let mut rig = Rig::new(|it| it.buffer = 1);
    for _ in 0..2 {
        rig.segment(ms(0), FLOW, NEXT);
    }
    assert_eq!(rig.segment(ms(0), FLOW, NEXT).1.len(), 1, "waits");
    let (_, out) = rig.segment(ms(0), OTHER, NEXT);
    assert!(matches!(&out[..], [Action::Dropped(it)] if it.reason == DropReason::QueueFull), "{out:?}");
}

#[test]
fn what_waits_can_be_taken_back() {
    let mut rig = Rig::new(|_| ());
    let packets: Vec<PacketId> =
        [NEXT, NEXT, NEXT, ASIDE, NEXT].map(|to| rig.segment(ms(0), FLOW, to).0).to_vec();
    assert_eq!(rig.rates.withdraw(NEXT), [packets[2], packets[4]]);
    assert_eq!(rig.rates.packets().collect::<Vec<_>>(), [packets[3]]);
    assert_eq!(rig.rates.flush(), [packets[3]]);
    assert_eq!((rig.rates.packets().count(), rig.rates.rate(FLOW)), (0, None));
}

/// Of what was before it went down a node knows nothing: not how long the MAC took, nor when it was to wake.
#[test]
fn a_node_that_went_down_begins_afresh() {
    let mut rig = Rig::new(|_| ());
    rig.serve(100, FLOW, Dur::from_ms(50));
    rig.segment(ms(0), FLOW, NEXT);
    near(rig.rates.rate(FLOW), 20.0);
    rig.rates.flush();
    let (packet, out) = rig.segment(ms(500), FLOW, NEXT);
    assert_eq!(out, [Action::Forward { packet, to: NEXT }, Action::Arm(ms(600))]);
    near(rig.rates.rate(FLOW), 100.0);
}

/// Tokens come with the time, not with the timer.
#[test]
fn a_segment_after_a_pause_finds_its_tokens() {
    let mut rig = Rig::new(|it| it.tick = Dur::from_secs(9));
    let forwards = |out: &[Action]| out.iter().filter(|it| matches!(it, Action::Forward { .. })).count();
    for wanted in [1, 1, 0] {
        assert_eq!(forwards(&rig.segment(ms(0), FLOW, NEXT).1), wanted);
    }
    assert_eq!(rig.gone(ms(11)), 1);
    assert_eq!(forwards(&rig.segment(ms(40), FLOW, NEXT).1), 1);
}

#[test]
fn notes_are_bytes() {
    for note in [
        Note { waiting: 0, rate: 0.0 },
        Note { waiting: 300, rate: 12.5 },
        Note { waiting: u16::MAX, rate: 1e6 },
    ] {
        assert_eq!(Note::parse(&note.emit()), Ok(note));
    }
    for bytes in [&[][..], &[6, 0, 0, 1, 0, 0, 4], &[6, 1, 0, 1, 0, 0, 4, 0], &[17, 0, 0, 1, 0, 0, 4, 0]] {
        assert!(Note::parse(bytes).is_err(), "{bytes:?}");
    }
}
