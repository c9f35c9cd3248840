//! DSR in networks that move and fail: every route that is on the air leads on, without loops, and the books balance.

use std::sync::{Arc, Mutex};

use crate::common::Case;
use multihop_proto::contract::Dropped;
use multihop_proto::routing::AnyRouting;
use multihop_proto::routing::dsr::Header;
use multihop_proto::units::{Dur, NodeId, SimTime};
use multihop_proto::wire::{Frame, FrameKind, GiveUp, PacketId, PacketKind, PacketStore, Protocol};
use multihop_sim::network::Network;
use multihop_sim::probe::{Fingerprint, Tap, Traced};
use proptest::prelude::*;

/// Looks at the route in every frame.
#[derive(Clone, Debug, Default)]
struct Watch(Arc<Mutex<Seen>>);

#[derive(Debug, Default)]
struct Seen {
    frames: Fingerprint,
    routed: u64,
    salvaged: u64,
    messages: u64,
    dropped: u64,
    wrong: Option<String>,
}

impl Tap for Watch {
    fn sent(&mut self, now: SimTime, frame: &Frame, packets: &PacketStore) {
        let mut seen = self.0.lock().expect("one thread");
        seen.frames.transmission(now, frame);
        if frame.kind != FrameKind::Data || frame.packet == PacketId::NONE {
            return;
        }
        let packet = &packets[frame.packet];
        let message = packets.kind(frame.packet) == PacketKind::Routing;
        seen.messages += u64::from(message);
        let bytes = if message { packets.message(frame.packet) } else { packets.header(frame.packet) };
        let Some(bytes) = bytes else { return }; // of a flow that is set up
        assert!(message || packet.header.is_some_and(|header| header.protocol == Protocol::Dsr));
        let header = Header::parse(bytes).expect("what a node sends");
        let Some(route) = header.route else { return };
        let source = (route.salvage == 0).then_some(packet.source);
        let path: Vec<NodeId> =
            source.into_iter().chain(route.addresses.iter().copied()).chain([packet.destination]).collect();
        let to = path.len() - 1 - usize::from(route.left);
        let twice = path.iter().enumerate().any(|(place, node)| path[..place].contains(node));
        if twice || path.get(to) != Some(&frame.to) || path.get(to - 1) != Some(&frame.from) {
            seen.wrong
                .get_or_insert_with(|| format!("at {now}: {route:?} from {} to {}", frame.from, frame.to));
        }
        seen.routed += 1;
        seen.salvaged += u64::from(route.salvage > 0);
    }
    fn received(&mut self, _: SimTime, _: NodeId, _: f64, _: &Frame, _: &PacketStore) {}
    fn dropped(&mut self, _: SimTime, _: NodeId, _: &Dropped, _: Option<GiveUp>) {
        self.0.lock().expect("one thread").dropped += 1;
    }
    fn pause(&mut self, _: SimTime, _: &PacketStore) {}
    fn finish(self: Box<Self>, _: &PacketStore) -> Result<Option<Traced>, String> {
        Ok(None)
    }
}

/// A network that moves, and what fails in it.
#[derive(Clone, Debug)]
struct Story {
    profile: &'static str,
    nodes: u32,
    seed: u64,
    sets: Vec<&'static str>,
    power: Vec<(u64, u32)>,
}

fn story() -> impl Strategy<Value = Story> {
    let sets = prop::sample::subsequence(
        vec![
            "routing.dsr.cache=link",
            "routing.dsr.cache-adapts=true",
            "routing.dsr.negative-cache=2 s",
            "routing.dsr.reply-from-cache=false",
            "routing.dsr.promiscuous=false",
            "routing.dsr.flow-state=true",
            "routing.dsr.salvage-buffer=true",
            "routing.dsr.poll=30 ms",
            "queue.on-give-up=keep",
            "queue.service=drr",
            "air.bit-error-rate=1e-5",
        ],
        0..5,
    );
    let power = prop::collection::vec((1u64..1500, 0u32..12), 0..6);
    (prop::sample::select(vec!["rfc", "ns2"]), 3u32..12, 0u64..1000, sets, power)
        .prop_map(|(profile, nodes, seed, sets, power)| Story { profile, nodes, seed, sets, power })
}

fn case(story: &Story) -> Case {
    let Story { profile, nodes, seed, .. } = story;
    let last = nodes - 1;
    let text = format!(
        "profile = \"{profile}\"\n[run]\nduration = \"1000 s\"\nseed = {seed}\n[measure]\nsample = \"0 s\"\n\
         [topology]\nkind = \"random\"\nnodes = {nodes}\nwidth = \"700 m\"\nheight = \"300 m\"\nconnected = false\n\
         [mobility]\nkind = \"random-waypoint\"\nmin-speed = \"10 m/s\"\nmax-speed = \"60 m/s\"\n\
         [routing]\nkind = \"dsr\"\n\
         [[flow]]\nfrom = \"0\"\nto = \"{last}\"\n\
         [[flow]]\nkind = \"cbr\"\nfrom = \"{last}\"\nto = \"1\"\nrate = \"100 kbps\"\npacket = \"400 B\"\n"
    );
    story.sets.iter().fold(Case::new(&text), |case, set| {
        let (key, value) = set.split_once('=').expect("a setting");
        case.set(key, value)
    })
}

fn tell(story: &Story) -> u64 {
    let watch = Watch::default();
    let mut network = Network::new(&case(story).resolve(), 1);
    network.set_tap(Box::new(watch.clone()));
    let mut up = vec![true; story.nodes as usize];
    let mut now = SimTime::ZERO;
    for &(gap, node) in &story.power {
        now += Dur::from_ms(gap);
        network.advance(now);
        let node = node % story.nodes;
        up[node as usize] = !up[node as usize];
        network.power(NodeId(node), up[node as usize]);
        network.check_ledger().unwrap_or_else(|unbalanced| panic!("{unbalanced}"));
    }
    network.advance(now + Dur::from_secs(4));
    network.check_ledger().unwrap_or_else(|unbalanced| panic!("{unbalanced}"));
    for (index, node) in network.nodes().iter().enumerate() {
        let AnyRouting::Dsr(dsr) = node.routing() else { panic!("DSR everywhere") };
        for to in 0..story.nodes {
            let Some(path) = dsr.way_to(now + Dur::from_secs(4), NodeId(to)) else { continue };
            assert_eq!((path[0].index(), path.last()), (index, Some(&NodeId(to))));
            assert!(path.iter().enumerate().all(|(place, node)| !path[..place].contains(node)), "{path:?}");
        }
    }
    let seen = watch.0.lock().expect("one thread");
    assert_eq!(seen.wrong, None);
    seen.frames.value()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_motion_and_any_failures(story in story()) {
        let once = tell(&story);
        prop_assert_eq!(tell(&story), once);
    }
}

/// Two ways of two hops: when one relay goes down its packets take the other, at once where they are.
#[test]
fn packets_are_salvaged_in_a_network_that_fails() {
    let text = "profile = \"rfc\"\n[run]\nduration = \"1000 s\"\n[measure]\nsample = \"0 s\"\n\
        [topology]\nkind = \"explicit\"\nnode = [\
        { name = \"0\", x = \"0 m\", y = \"0 m\" }, { name = \"1\", x = \"200 m\", y = \"0 m\" }, \
        { name = \"2\", x = \"400 m\", y = \"60 m\" }, { name = \"3\", x = \"400 m\", y = \"-60 m\" }, \
        { name = \"4\", x = \"600 m\", y = \"0 m\" }]\n[routing]\nkind = \"dsr\"\n\
        [[flow]]\nkind = \"cbr\"\nfrom = \"0\"\nto = \"4\"\nrate = \"100 kbps\"\npacket = \"400 B\"\n";
    let watch = Watch::default();
    let mut network = Network::new(&Case::new(text).resolve(), 1);
    network.set_tap(Box::new(watch.clone()));
    for (second, node, up) in [(2, 2, false), (4, 2, true), (4, 3, false), (6, 3, true), (6, 2, false)] {
        network.advance(SimTime::from_secs(second));
        network.power(NodeId(node), up);
    }
    network.advance(SimTime::from_secs(8));
    network.check_ledger().unwrap_or_else(|unbalanced| panic!("{unbalanced}"));
    let seen = watch.0.lock().expect("one thread");
    assert_eq!(seen.wrong, None);
    assert!(seen.routed > 500 && seen.messages > 5, "{seen:?}");
    assert!(seen.dropped <= 10, "{} lost of 250", seen.dropped);
}
