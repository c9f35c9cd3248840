//! Flow control between neighbours: what a hold loses (nothing), and that it always ends.

use std::sync::{Arc, Mutex};

use crate::common::{Case, Outcome, on_threads};
use multihop_proto::contract::Dropped;
use multihop_proto::units::{Entity, NodeId, Purpose, Rng, SimTime};
use multihop_proto::wire::{DropReason, Frame, FrameKind, GiveUp, PacketStore};
use multihop_sim::network::{Ended, Handle, Network, finish};
use multihop_sim::probe::{Tap, Traced};

fn counter(outcome: &Outcome, name: &str) -> u64 {
    outcome.json["counters"][name].as_u64().unwrap_or_else(|| panic!("no counter {name}"))
}

/// What is still somewhere in the network at the end.
fn inside(outcome: &Outcome) -> u64 {
    outcome.json["ledger"]["in_network"].as_u64().expect("the ledger counts what is inside")
}

/// Packets dropped for each reason.
fn drops(outcome: &Outcome) -> Vec<(String, u64)> {
    let reasons = outcome.json["ledger"]["dropped"].as_object().expect("drops by reason");
    let counts = reasons.iter().map(|(reason, count)| (reason.clone(), count.as_u64().unwrap_or(0)));
    counts.filter(|&(_, count)| count > 0).collect()
}

/// Packets lost in full queues, those of one node and ACKs not counted.
fn lost_for_want_of_room(outcome: &Outcome, but_at: &str) -> u64 {
    let there = |drop: &&serde_json::Value| {
        drop["reason"] == "queue-full" && drop["node"] != but_at && drop["kind"] != "tcp-ack"
    };
    outcome.list("drops").iter().filter(there).filter_map(|drop| drop["n"].as_u64()).sum()
}

/// Packets of 512 bytes from one node to another until 10 s.
fn stream(from: usize, to: usize, kbps: u32) -> String {
    format!(
        "[[flow]]\ntransport = \"udp\"\nkind = \"cbr\"\nfrom = {from}\nto = {to}\nrate = \"{kbps} kbps\"\npacket = \"512 B\"\nstop = \"10 s\"\n"
    )
}

fn network(topology: &str, limit: usize, flows: &str, technique: &str) -> Case {
    let text = format!(
        "profile = \"ns2\"\nrun.duration = \"60 s\"\nmeasure.sample = \"0 s\"\nair.bit-error-rate = 0.0\n\
         topology = {{ {topology} }}\nqueue.limit = {limit}\nqueue.limit-rule = \"up-to\"\nmac.rts-threshold = \"0 B\"\n{flows}"
    );
    Case::new(&text).technique(technique)
}

const LINE: &str = "kind = \"chain\", hops = 3, spacing = \"200 m\"";
const SQUARE: &str = "kind = \"grid\", columns = 2, rows = 2, spacing = \"200 m\"";

/// Both relays of a line hold for each other, and all four corners of a square in a ring: forced RTS resolve it.
#[test]
fn full_neighbours_and_rings_of_full_nodes_come_apart() {
    let line = stream(0, 3, 900) + &stream(3, 0, 900);
    let square = stream(0, 3, 900) + &stream(3, 0, 900) + &stream(1, 2, 900) + &stream(2, 1, 900);
    for (topology, flows) in [(LINE, &line), (SQUARE, &square)] {
        let with = network(topology, 1, flows, "horizontal-flow-control:most-holds=4").run(1);
        assert!(counter(&with, "mac.rts-forced") > 0, "{:?}", drops(&with));
        assert_eq!(inside(&with), 0, "all that was sent has come to an end");
        // Fifty seconds after the last packet was made, they still hold for each other if nothing is forced.
        let without = network(topology, 1, flows, "horizontal-flow-control:most-holds=1000000").run(1);
        assert_eq!(counter(&without, "mac.rts-forced"), 0);
        assert!(inside(&without) > 0 && counter(&without, "mac.held") > counter(&with, "mac.held"));
    }
}

/// What went over the air with More Data, and what was lost after it.
#[derive(Clone, Debug, Default)]
struct Marks(Arc<Mutex<[u64; 4]>>);

impl Marks {
    fn count(&self, which: usize) {
        self.0.lock().expect("one thread")[which] += 1;
    }
}

impl Tap for Marks {
    fn sent(&mut self, _: SimTime, frame: &Frame, _: &PacketStore) {
        match frame.kind {
            FrameKind::Rts if frame.more => self.count(0),
            FrameKind::Cts if frame.more => self.count(1),
            FrameKind::Data | FrameKind::Ack => assert!(!frame.more, "only RTS and CTS say so"),
            FrameKind::Rts | FrameKind::Cts => {}
            FrameKind::BlockAck | FrameKind::BlockAckRequest | FrameKind::CfEnd => {
                panic!("nothing is aggregated")
            }
        }
    }

    fn received(&mut self, _: SimTime, _: NodeId, _: f64, _: &Frame, _: &PacketStore) {}

    fn dropped(&mut self, _: SimTime, _: NodeId, dropped: &Dropped, _: Option<GiveUp>) {
        self.count(2 + usize::from(dropped.reason == DropReason::QueueFullForced));
    }

    fn pause(&mut self, _: SimTime, _: &PacketStore) {}

    fn finish(self: Box<Self>, _: &PacketStore) -> Result<Option<Traced>, String> {
        Ok(None)
    }
}

/// Each forced RTS and flagged CTS is marked on the wire, and what a forced RTS brings and is lost in the ledger.
#[test]
fn what_is_forced_is_marked_on_the_wire_and_in_the_ledger() {
    let flows = stream(0, 3, 900) + &stream(3, 0, 900);
    let case = network(LINE, 1, &flows, "horizontal-flow-control:most-holds=4");
    let (marks, scenario) = (Marks::default(), case.resolve());
    let mut network = Network::new(&scenario, 1);
    network.set_tap(Box::new(marks.clone()));
    let Ok(Ended::Done(_)) = finish(network, &scenario, 1, &Handle::default()) else { panic!("it runs") };
    let [forced, flagged, _, lost] = *marks.0.lock().expect("one thread");
    let run = case.run(1);
    assert_eq!((forced, flagged), (counter(&run, "mac.rts-forced"), counter(&run, "mac.cts-flagged")));
    let ledger = drops(&run).into_iter().find(|(reason, _)| reason == "queue-full-forced");
    assert_eq!(ledger.expect("some are lost").1, lost);
    assert!(lost > 0 && lost <= forced, "{lost} of {forced}");
}

/// Nodes in a grid, a row or a ring, or anywhere: the topology, and how many.
fn anywhere(below: &mut impl FnMut(usize) -> usize) -> (String, usize) {
    let spacing = 120 + 10 * below(13);
    let (columns, rows) = (1 + below(3), 2 + below(2));
    match below(4) {
        0 => {
            let hops = 2 + below(5);
            (format!("kind = \"chain\", hops = {hops}, spacing = \"{spacing} m\""), hops + 1)
        }
        1 => {
            let nodes = 4 + below(5);
            let (side, seed) = (200 + 50 * below(6), below(1000));
            let area = format!("width = \"{side} m\", height = \"{side} m\", seed = {seed}");
            (format!("kind = \"random\", nodes = {nodes}, {area}"), nodes)
        }
        2 => {
            let nodes = 4 + below(5);
            let radius = f64::from(spacing as u32) / (2.0 * libm::sin(std::f64::consts::PI / nodes as f64));
            let place = |node: usize| {
                let angle = std::f64::consts::TAU * node as f64 / nodes as f64;
                let (x, y) = (radius * libm::cos(angle), radius * libm::sin(angle));
                format!("{{ name = \"{node}\", x = \"{x:.1} m\", y = \"{y:.1} m\" }}")
            };
            let places: Vec<String> = (0..nodes).map(place).collect();
            (format!("kind = \"explicit\", node = [{}]", places.join(", ")), nodes)
        }
        _ => {
            let grid =
                format!("kind = \"grid\", columns = {columns}, rows = {rows}, spacing = \"{spacing} m\"");
            (grid, columns * rows)
        }
    }
}

/// A random network of two to nine nodes with tiny queues.
fn scenario(number: u64) -> Case {
    let mut rng = Rng::stream(number, 1, Entity::Whole, Purpose::Traffic);
    let mut below = |bound: usize| rng.below(bound as u32) as usize; // a handful
    let (topology, nodes) = anywhere(&mut below);
    let mut flows = String::new();
    for _ in 0..1 + below(4) {
        let from = below(nodes);
        let to = (from + 1 + below(nodes - 1)) % nodes;
        flows += &stream(from, to, 100 + 100 * u32::try_from(below(12)).unwrap_or(0));
    }
    let technique = format!("horizontal-flow-control:most-holds={}", 1 + below(32));
    let profile = ["ns2", "rfc", "ns3"][below(3)];
    network(&topology, 1 + below(4), &flows, &technique)
        .set("profile", format!("\"{profile}\""))
        .set("queue.service", ["\"fifo\"", "\"drr\""][below(2)])
}

/// Nothing stays behind, and nothing is lost but for want of room or because the MAC gave up.
#[test]
fn holds_end_and_lose_nothing_in_any_network() {
    let judge = |number: u64| {
        let outcome = scenario(number).run(1);
        let known = ["queue-full", "queue-full-forced", "retry-limit-rts", "retry-limit-data"];
        let drops = drops(&outcome);
        assert!(drops.iter().all(|(reason, _)| known.contains(&reason.as_str())), "{number}: {drops:?}");
        assert_eq!(inside(&outcome), 0, "{number}: {:?}\n{}", drops, scenario(number).text());
        let forced = drops.iter().find(|(reason, _)| reason == "queue-full-forced").map_or(0, |&(_, n)| n);
        assert!(forced <= counter(&outcome, "mac.rts-forced"), "{number}: {drops:?}");
        (counter(&outcome, "mac.held"), counter(&outcome, "mac.rts-forced"))
    };
    let shares = (0..2u64).map(|thread| (1 + thread..=80).step_by(2));
    let seen: Vec<_> = on_threads(shares, |share| share.map(judge).collect::<Vec<_>>()).concat();
    assert!(seen.iter().filter(|&&(held, _)| held > 0).count() > 40, "{seen:?}");
    assert!(seen.iter().any(|&(_, forced)| forced > 0), "{seen:?}");
}

/// Two hops into a queue of five: without flow control the relay drops, with it the source's own queue does.
#[test]
fn a_relay_that_is_full_is_spared() {
    let fast = stream(0, 3, 1200);
    let lost_at_relays = |technique: &str| {
        let outcome = network(LINE, 5, &fast, technique).run(1);
        (lost_for_want_of_room(&outcome, "0"), outcome)
    };
    let (without, _) = lost_at_relays("none");
    let (with, outcome) = lost_at_relays("horizontal-flow-control");
    assert!(without > 50 && with < without / 10, "{without} {with}");
    assert!(counter(&outcome, "mac.held") > 0 && counter(&outcome, "mac.cts-flagged") > 0);
    let (_, silent) = lost_at_relays("no-cts");
    assert!(counter(&silent, "mac.cts-withheld") > 0);
    assert_eq!(counter(&silent, "mac.held"), 0);
}

/// A window of 40 before a queue of 10: TCP waits in the socket instead of losing segments to its own queue.
#[test]
fn a_gate_on_the_queue_keeps_tcp_from_overflowing_it() {
    let case = Case::chain(1).set("queue.limit", 10).set("run.duration", "\"150 s\"");
    let queue_drops = |outcome: &Outcome| lost_for_want_of_room(outcome, "none of them");
    let (without, with) = (case.run(1), case.technique("vertical-flow-control").run(1));
    assert!(queue_drops(&without) > 0);
    assert_eq!(queue_drops(&with), 0);
    assert!(counter(&with, "gate.closed") > 0);
    assert!(with.goodput() > 0.98 * without.goodput(), "{} {}", with.goodput(), without.goodput());
}

/// Two transfers of one node through the send gate: whatever room its queue has goes to both in turn. No relay may lose
/// a segment: with a queue of one, timeouts would decide how much each transfer gets.
#[test]
fn flows_of_one_node_share_the_room_in_its_queue() {
    let flow = "[[flow]]\nfrom = 0\nto = 1\n";
    for limit in [1, 3, 10] {
        let run = network(LINE, limit, &flow.repeat(2), "vertical-flow-control").run(1);
        let bytes: Vec<f64> =
            run.flows().iter().map(|flow| flow["delivered_bytes"].as_f64().expect("a count")).collect();
        assert!(bytes.iter().all(|&of| of > 100e3), "{limit}: {bytes:?}");
        assert!(bytes[0].min(bytes[1]) > 0.95 * bytes[0].max(bytes[1]), "{limit}: {bytes:?}");
    }
}
