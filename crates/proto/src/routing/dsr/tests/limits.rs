//! Limits: of the caches (RFC 4728 §4.1), of the request table (§4.3), of flows (§3.5), and of what a relay does for
//! others.

use super::rig::{Done, ME, Rig, config, ms, nodes};
use crate::routing::contract::{Decision, Disposal, Provenance};
use crate::routing::dsr::cache::Cache;
use crate::routing::dsr::wire::{Header, RouteError, Trouble};
use crate::routing::dsr::{CacheKind, DsrConfig, Learn};
use crate::units::{Dur, NodeId};
use crate::wire::{DropReason, Fate, PacketId};

fn find(cache: &mut Cache, to: u32) -> Option<Vec<u32>> {
    cache.find(ms(0), NodeId(to), false).map(|path| path.iter().map(|node| node.0).collect())
}

/// With a poll every nanosecond nothing else would get done.
#[test]
fn polls_are_off_or_leave_a_millisecond_between_them() {
    let refused = |poll| DsrConfig { poll, ..DsrConfig::default() }.check().err().map(|wrong| wrong.key);
    for poll in [Dur::ZERO, Dur::from_ms(1), Dur::from_ms(30)] {
        assert_eq!(refused(poll), None, "{poll}");
    }
    for poll in [Dur::from_ns(1), Dur::from_ms(1) - Dur::from_ns(1)] {
        assert_eq!(refused(poll), Some("poll".to_owned()), "{poll}");
    }
}

/// Links make no path of more than 15 hops, and a longer path teaches none of its links beyond them.
#[test]
fn a_link_cache_finds_no_path_of_more_than_fifteen_hops() {
    let mut cache = Cache::new(ME, &DsrConfig { cache: CacheKind::Link, ..DsrConfig::default() });
    cache.learn(ms(0), &nodes(&(1..=20).collect::<Vec<_>>()), true);
    cache.learn(ms(0), &nodes(&[1, 16, 30]), true);
    cache.learn(ms(0), &nodes(&[1, 17]), true);
    assert_eq!(find(&mut cache, 18), None, "17 to 18 stood beyond the limit");
    cache.cut(ms(0), (NodeId(1), NodeId(16)));
    assert_eq!(find(&mut cache, 16).map(|path| path.len()), Some(16));
    assert_eq!(find(&mut cache, 30), None, "16 hops");
}

/// A link cache holds as many links as it may, and those that broke or grew old take no place.
#[test]
fn a_link_cache_is_full_of_links_that_hold() {
    let config =
        DsrConfig { cache: CacheKind::Link, cache_seen: 3, cache_timeout: Dur::from_secs(2), ..config() };
    let mut cache = Cache::new(ME, &config);
    cache.learn(ms(0), &nodes(&[1, 2, 3, 4]), true);
    assert!(find(&mut cache, 4).is_some(), "three");
    cache.cut(ms(0), (NodeId(3), NodeId(4)));
    cache.learn(ms(0), &nodes(&[1, 5]), true);
    assert!(find(&mut cache, 3).is_some(), "the place of the broken one was free");
    cache.learn(ms(1500), &nodes(&[1, 5]), true);
    let at = |cache: &mut Cache, now, to| cache.find(ms(now), NodeId(to), false).is_some();
    assert_eq!([2, 3, 5].map(|to| at(&mut cache, 2001, to)), [false, false, true]);
    cache.learn(ms(2001), &nodes(&[1, 6, 7]), true);
    assert_eq!([5, 6, 7].map(|to| at(&mut cache, 2002, to)), [true; 3], "the old ones' places were free");
}

/// Places are taken in turn, each once, in both lists.
#[test]
fn full_lists_give_up_their_places_in_turn() {
    for asked in [true, false] {
        let small = DsrConfig { cache_paths: 3, cache_seen: 3, ..DsrConfig::default() };
        let mut cache = Cache::new(ME, &small);
        for last in 2..=4 {
            cache.learn(ms(0), &nodes(&[1, last]), asked);
        }
        let mut gone = Vec::new();
        for last in 5..=9 {
            cache.learn(ms(0), &nodes(&[1, last]), asked);
            gone.push((2..=4).filter(|&to| find(&mut cache, to).is_none()).count());
            let left = (2..=last).filter(|&to| find(&mut cache, to).is_some()).count();
            assert_eq!(left, 3, "after {last}");
        }
        assert_eq!(gone, [1, 2, 3, 3, 3]);
        assert_eq!((5..=9).find(|&to| find(&mut cache, to).is_some()), Some(7), "the second round");
    }
}

/// Beginnings grow into longer paths, and a path cut at this node leaves an empty place.
#[test]
fn a_path_whose_first_link_broke_leaves_its_place() {
    let mut cache = Cache::new(ME, &DsrConfig { cache_paths: 2, ..DsrConfig::default() });
    for path in [&[1, 2, 3][..], &[1, 4, 5], &[1, 4, 5, 6]] {
        cache.learn(ms(0), &nodes(path), true);
    }
    assert_eq!((find(&mut cache, 3), find(&mut cache, 6)), (Some(vec![1, 2, 3]), Some(vec![1, 4, 5, 6])));
    cache.cut(ms(0), (NodeId(1), NodeId(4)));
    cache.learn(ms(0), &nodes(&[1, 7]), true);
    assert_eq!((find(&mut cache, 3), find(&mut cache, 4)), (Some(vec![1, 2, 3]), None));
}

/// What was seen is forgotten like what was asked for, and becomes that when a packet of this node uses it.
#[test]
fn what_was_seen_grows_old_and_is_kept_with_what_was_asked_for_once_it_is_used() {
    let config = DsrConfig { cache_timeout: Dur::from_secs(2), cache_paths: 1, cache_seen: 1, ..config() };
    let mut cache = Cache::new(ME, &config);
    cache.learn(ms(0), &nodes(&[1, 2, 9]), false);
    assert!(cache.find(ms(2000), NodeId(9), false).is_some());
    assert!(cache.find(ms(2001), NodeId(9), false).is_none());
    cache.learn(ms(2001), &nodes(&[1, 2, 9]), false);
    cache.find(ms(2001), NodeId(9), true);
    cache.learn(ms(2001), &nodes(&[1, 3, 8]), false);
    assert!(cache.find(ms(2001), NodeId(9), false).is_some(), "it is in the other list now");
}

/// Only packets of this node make a seen route one of those in use; questions and answers for others do not.
#[test]
fn looking_does_not_use_a_route() {
    let small = DsrConfig { cache_paths: 1, learn: Learn::Onward, ..config() };
    let mut rig = Rig::knowing(small, &[&[1, 5, 6]]);
    rig.dsr.known.cache().learn(ms(0), &nodes(&[1, 2, 9]), false);
    rig.handle(ms(1), crate::routing::contract::Input::Wanted(NodeId(9)));
    let request = rig.request(0, 7, 9, &[], 255);
    rig.hear(ms(1), request, 0);
    // The way back to 0 is in use now, and took the only place: 9 is found among the seen, and stays there.
    rig.dsr.known.cache().learn(ms(1), &nodes(&[1, 5, 6]), true);
    rig.handle(ms(2), crate::routing::contract::Input::Wanted(NodeId(9)));
    let request = rig.request(0, 8, 9, &[4], 255);
    rig.dsr.config.reply_hold_off = Dur::from_ms(10);
    rig.hear(ms(2), request, 4);
    assert_eq!(rig.knows(ms(2), 6), Some(vec![1, 5, 6]));
}

/// Marina and Das 2001: several links may be disbelieved at once, each until its own time.
#[test]
fn each_broken_link_is_disbelieved_for_its_own_time() {
    let mut cache = Cache::new(ME, &DsrConfig { negative_cache: Dur::from_secs(10), ..DsrConfig::default() });
    cache.cut(ms(0), (NodeId(2), NodeId(3)));
    cache.cut(ms(5000), (NodeId(4), NodeId(5)));
    cache.learn(ms(6000), &nodes(&[1, 6, 2, 3]), true);
    cache.learn(ms(6000), &nodes(&[1, 7, 4, 5]), true);
    assert_eq!((find(&mut cache, 3), find(&mut cache, 5)), (None, None));
    assert_eq!(find(&mut cache, 2), Some(vec![1, 6, 2]), "up to the link");
    cache.learn(ms(10_000), &nodes(&[1, 6, 2, 3]), true);
    cache.learn(ms(10_000), &nodes(&[1, 7, 4, 5]), true);
    assert_eq!((find(&mut cache, 3), find(&mut cache, 5)), (Some(vec![1, 6, 2, 3]), None));
}

/// A route that breaks as soon as it is learnt does not make the adaptive time-out endless.
#[test]
fn the_adaptive_timeout_is_never_none() {
    let mut cache = Cache::new(ME, &DsrConfig { cache_adapts: true, ..DsrConfig::default() });
    cache.learn(ms(0), &nodes(&[1, 2, 3]), true);
    cache.cut(ms(0), (NodeId(2), NodeId(3)));
    assert!(cache.timeout(ms(0)) > Dur::ZERO);
}

/// §4.3: the node that has been heard again is not the oldest; of each initiator the last numbers are remembered.
#[test]
fn the_request_table_keeps_who_was_heard_last_and_the_last_numbers() {
    let mut rig = Rig::new(DsrConfig { request_table: 2, request_ids: 2, learn: Learn::Onward, ..config() });
    let mut passes = |initiator: u32, id: u16| {
        let request = rig.request(initiator, id, 9, &[], 255);
        let passed = !rig.hear(ms(0), request, initiator).is_empty();
        if passed {
            rig.packets.end(request, Fate::Delivered);
        }
        passed
    };
    assert!(passes(5, 1) && passes(4, 1) && passes(5, 2));
    assert!(passes(6, 1), "takes the place of 4");
    assert!(!passes(5, 1) && !passes(5, 2), "remembered");
    assert!(passes(5, 3) && passes(5, 1), "of three numbers the first is forgotten");
}

/// §4.3: 0 means that a search never gives up; other nodes' packets are worth no retries.
#[test]
fn without_a_limit_searches_go_on() {
    let mut rig = Rig::new(DsrConfig { request_retries: 0, ring_zero: false, ..config() });
    let packet = rig.packet(1, 9);
    rig.send(ms(0), packet);
    for at in [500, 1500, 3500, 7500, 15_500, 25_500] {
        assert_eq!(rig.timer(ms(at))[..1], [Done::Request(9, 255)], "{at}");
    }
}

fn flow_of(rig: &mut Rig, at: u64, to: u32) -> Option<(u16, u8)> {
    let packet: PacketId = rig.packet(1, to);
    assert!(matches!(rig.send(ms(at), packet).0, Decision::To(_)));
    rig.header(packet)?.flow.map(|flow| (flow.id, flow.hops))
}

/// §3.5: a flow ends with its time, is announced as soon as it sets out, and an error (§7.3) ends the one that it is
/// about.
#[test]
fn a_flow_ends_with_its_time_or_with_an_error_about_it() {
    let flowing = DsrConfig { flow_state: true, learn: Learn::Onward, ..config() };
    let mut rig = Rig::knowing(flowing, &[&[1, 2, 9], &[1, 2, 8]]);
    for at in 0..3 {
        assert_eq!((flow_of(&mut rig, at, 9), flow_of(&mut rig, at, 8)), (Some((1, 0)), Some((3, 0))));
    }
    assert_eq!(flow_of(&mut rig, 3, 9), None);
    let tell = |rig: &mut Rig, what| {
        let error = RouteError { salvage: 0, source: NodeId(2), destination: NodeId(1), what };
        let message = rig.message(Header { errors: vec![error], ..Header::default() }, &[2, 1], 1);
        rig.hear(ms(4), message, 2);
    };
    tell(&mut rig, Trouble::FlowUnknown(NodeId(9), 77));
    assert_eq!(flow_of(&mut rig, 5, 9), None, "not its number");
    tell(&mut rig, Trouble::FlowUnknown(NodeId(9), 1));
    assert_eq!((flow_of(&mut rig, 6, 9), flow_of(&mut rig, 6, 8)), (Some((5, 0)), None));
    assert_eq!(flow_of(&mut rig, 60_005, 8), Some((3, 0)), "told again after five seconds");
    assert_eq!(flow_of(&mut rig, 120_005, 8), Some((7, 0)), "ended 60 s after its last packet");
}

/// A header of an earlier life is taken off when the packet goes on in a flow.
#[test]
fn a_packet_in_a_flow_carries_nothing_of_its_last_route() {
    let flowing = DsrConfig { flow_state: true, learn: Learn::Onward, ..config() };
    let mut rig = Rig::knowing(flowing, &[&[1, 2, 9]]);
    for at in 0..3 {
        flow_of(&mut rig, at, 9);
    }
    let packet = rig.routed(&[1, 3, 9], 1);
    assert_eq!(rig.route(ms(4), packet, Provenance::Kept(NodeId(3))).0, Decision::To(NodeId(2)));
    assert_eq!(rig.header(packet), None);
}

/// Without flow state a relay has nowhere to send what carries no route, even if it knows a way.
#[test]
fn without_flow_state_a_bare_packet_of_another_node_is_lost() {
    let mut rig = Rig::knowing(config(), &[&[1, 2, 9], &[1, 0]]);
    let bare = rig.packet(0, 9);
    let (decision, done) = rig.route(ms(0), bare, Provenance::Neighbour(NodeId(0)));
    assert_eq!((decision, done), (Decision::Refused(DropReason::NoRoute), Vec::new()));
}

/// Messages of this node are not worth a search; they are lost where there is no other way.
#[test]
fn a_message_of_this_node_that_fails_makes_no_search() {
    let mut rig = Rig::new(DsrConfig { learn: Learn::Onward, ..config() });
    let message = rig.message(super::rig::error(1, 8, 0), &[1, 4, 0], 1);
    let (disposal, done) = rig.give_up(ms(0), message, 4);
    assert_eq!((disposal, done), (Disposal::Leave, vec![Done::Withdraw(4)]));
}

/// ns-2: an error on board of a request costs 16 bytes in each relay's header; errors about flows are 14 and 12 bytes
/// long, and the whole is rounded up to words. The header that the node adds to every packet is not part of a message.
#[test]
fn ns2_sizes_of_errors_about_flows_and_of_requests_with_errors() {
    use crate::routing::dsr::source_route::{Form, PacketPath};
    use crate::routing::dsr::wire::Request;
    use crate::routing::dsr::{DsrWire, RreqSize};
    use crate::units::Bytes;
    let ns2 = DsrConfig { wire: DsrWire::Ns2, rreq_size: RreqSize::Exact, ..config() };
    let size = |config: &DsrConfig, header: &Header| Form::new(config, Bytes(20)).message(header).1.get();
    let about = |what| RouteError { salvage: 0, source: NodeId(2), destination: NodeId(1), what };
    let told = |all: &[Trouble]| {
        let route = Some(PacketPath::begin(nodes(&[2, 1]), 0).route());
        Header { errors: all.iter().copied().map(about).collect(), route, ..Header::default() }
    };
    let (link, flow) = (Trouble::Unreachable(NodeId(9)), Trouble::FlowUnknown(NodeId(9), 7));
    let default = Trouble::DefaultFlowUnknown(NodeId(9));
    // 4 for the header and 4 for the hop.
    assert_eq!(size(&ns2, &told(&[link])), 8 + 16);
    assert_eq!(size(&ns2, &told(&[flow])), 8 + 14 + 2);
    assert_eq!(size(&ns2, &told(&[flow, flow])), 8 + 28);
    assert_eq!(size(&ns2, &told(&[default])), 8 + 12);
    let request = |relays: &[u32], errors: Vec<RouteError>| {
        let request = Request { id: 1, target: NodeId(9), addresses: nodes(relays) };
        Header { next: 59, request: Some(request), errors, ..Header::default() }
    };
    assert_eq!(size(&ns2, &request(&[3, 4], vec![about(link)])), 4 + 8 + 8 + 16);
    let cumulative = DsrConfig { rreq_size: RreqSize::Cumulative, ..ns2 };
    let sizes = [&[][..], &[3], &[3, 4]].map(|relays| size(&cumulative, &request(relays, vec![about(link)])));
    assert_eq!(sizes, [12 + 16, 28 + 2 * 16, 48 + 3 * 16]);
}
