//! Split TCP in a chain of seven hops that loses so much that the MAC gives up at each of them.

use super::rig::{Rig, quick_tcp};
use crate::node::{AnyTransport, App};
use crate::proxy::SplitTcp;
use crate::proxy::SplitTcpConfig;
use crate::queue::QueueConfig;
use crate::shim::{AnyShim, Beginning, ShimConfig, ShimKind};
use crate::tcp::{AnyGate, Handshake, TcpConfig};
use crate::units::{Dur, Entity, FlowId, NodeId, Purpose, Rng, SimTime};
use crate::wire::FrameKind;

/// A source that never runs dry, with proxies at nodes 3 and 6.
fn split(seed: u64) -> Rig {
    let min_rto = Dur::from_secs(1);
    let tcp =
        TcpConfig { handshake: Handshake::Ns2, initial_window: 1, min_rto, max_window: 40, ..quick_tcp() };
    let mut world = Rig::chain(8, &QueueConfig::default());
    world.tcp(0, 0, 7, &tcp, AnyShim::NONE, AnyGate::OPEN);
    let beginning = Beginning {
        rto: tcp.initial_rto,
        ssthresh: 16.0,
        ends: (NodeId(0), NodeId(7)),
        receive_threshold: 0.0,
    };
    let (here, there) = ShimConfig { kind: ShimKind::SplitTcp, ..ShimConfig::default() }.ends(beginning);
    for (node, shim) in [(0, here), (7, there)] {
        let mut ends = world.nodes[node].hosts_mut().all_mut().iter_mut().map(|end| &mut end.kind);
        let tcp = |end: &&mut AnyTransport| {
            matches!(end, AnyTransport::TcpSender(_) | AnyTransport::TcpReceiver(_))
        };
        ends.find(tcp).expect("an end of TCP").set_shim(shim);
    }
    for node in [3, 6] {
        let proxy = SplitTcp::new(SplitTcpConfig::default(), &tcp, FlowId(0));
        world.nodes[node].relays_mut().add(FlowId(0), Box::new(proxy));
    }
    let mut draws = Rng::stream(seed, 0, Entity::Whole, Purpose::FrameError);
    world.lost =
        Box::new(move |_, frame, _| draws.f64() < if frame.kind == FrameKind::Data { 0.66 } else { 0.1 });
    world.app(0, 0, App::Open);
    world.app(0, 0, App::Write(u64::MAX));
    world
}

/// Segments that are repaired from end to end fill gaps past the proxies, which must not wait for them.
#[test]
fn split_tcp_goes_on_past_what_is_repaired_from_end_to_end() {
    for seed in 1..5 {
        let mut world = split(seed);
        for span in 1..=3 {
            world.run(SimTime::from_secs(60 * span));
            world.check_ledger();
        }
        let arrived = world.arrived(0);
        assert!(arrived > 100_000, "seed {seed}: {arrived}");
    }
}
