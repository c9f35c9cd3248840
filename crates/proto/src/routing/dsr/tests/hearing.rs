//! Time lines of what is overheard.

use super::rig::{Done, Rig, config, error, ms, reply};
use crate::routing::dsr::cache::Cache;
use crate::routing::dsr::{DsrConfig, Learn};
use crate::units::NodeId;
use Done::{Forward, Reply};

#[test]
fn routes_are_learnt_from_packets_for_others() {
    for (learn, back) in [(Learn::Both, Some(vec![1, 5, 0])), (Learn::Onward, None)] {
        let mut rig = Rig::new(DsrConfig { learn, shortening: false, ..config() });
        let packet = rig.routed(&[0, 5, 6, 9], 2);
        rig.overhear(ms(0), packet, 5, 6);
        assert_eq!(rig.knows(ms(0), 9), Some(vec![1, 5, 6, 9]));
        assert_eq!(rig.knows(ms(0), 0), back);
        let through = rig.routed(&[0, 5, 1, 6, 8], 1);
        rig.overhear(ms(0), through, 0, 5);
        assert_eq!(rig.knows(ms(0), 8), Some(vec![1, 6, 8]));
    }
}

#[test]
fn a_node_that_waits_for_a_route_uses_what_it_overhears() {
    let mut rig = Rig::new(config());
    let packet = rig.packet(1, 9);
    rig.send(ms(0), packet);
    let heard = rig.routed(&[0, 5, 6, 9], 2);
    assert!(rig.overhear(ms(10), heard, 5, 6).contains(&Forward(5, 0)));
}

#[test]
fn replies_and_errors_for_others_are_heard() {
    let mut rig = Rig::knowing(DsrConfig { learn: Learn::Onward, ..config() }, &[&[1, 2, 3, 4]]);
    let message = rig.message(error(2, 3, 0), &[2, 5, 0], 1);
    rig.overhear(ms(0), message, 2, 5);
    assert_eq!(rig.knows(ms(0), 3), None);
    let answer = rig.message(reply(&[0, 1, 6, 7]), &[6, 5, 0], 1);
    rig.overhear(ms(0), answer, 6, 5);
    assert_eq!(rig.knows(ms(0), 7), Some(vec![1, 6, 7]));
    let others = rig.message(reply(&[0, 5, 8]), &[8, 5, 0], 1);
    rig.overhear(ms(0), others, 8, 5);
    assert_eq!(rig.knows(ms(0), 8), Some(vec![1, 8]), "from the way it goes, not from the route in it");
}

#[test]
fn a_way_that_can_be_shorter_is_told_once_a_second() {
    let mut rig = Rig::new(config());
    for (at, told) in [(0, true), (500, false), (1001, true)] {
        // Node 1 hears it on its way from 0 to 5, and would get it after 6.
        let packet = rig.routed(&[0, 5, 6, 1, 9], 1);
        let done = rig.overhear(ms(at), packet, 0, 5);
        assert_eq!(done.contains(&Reply(vec![0, 1, 9], 0)), told, "{at}: {done:?}");
    }
    assert_eq!(rig.dsr.counters().gratuitous_replies, 2);
    let next = rig.routed(&[0, 1, 9], 1);
    assert_eq!(rig.overhear(ms(2000), next, 0, 1), [], "it is the next hop");
    let past = rig.routed(&[0, 1, 5, 6, 9], 3);
    assert_eq!(rig.overhear(ms(2000), past, 5, 6), [], "it has been here");
    let mut silent = Rig::new(DsrConfig { shortening: false, ..config() });
    let packet = silent.routed(&[0, 5, 6, 1, 9], 1);
    assert_eq!(silent.overhear(ms(0), packet, 0, 5), []);
}

#[test]
fn each_packet_is_looked_at_once_and_own_ones_never() {
    let mut rig = Rig::new(config());
    let packet = rig.routed(&[0, 5, 6, 9], 1);
    rig.overhear(ms(0), packet, 0, 5);
    *rig.dsr.known.cache() = Cache::new(NodeId(1), &config());
    rig.overhear(ms(1), packet, 5, 6);
    assert_eq!(rig.knows(ms(1), 9), None);
    let own = rig.routed(&[1, 5, 6, 9], 2);
    rig.overhear(ms(1), own, 5, 6);
    assert_eq!(rig.knows(ms(1), 9), None);
    let bare = rig.packet(0, 9);
    assert_eq!(rig.overhear(ms(1), bare, 0, 5), []);
}
