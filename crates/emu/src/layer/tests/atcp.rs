//! The steps of ATCP.

use multihop_proto::shim::{AtcpConfig, BackOff, Counters, Reconnect, ShimConfig, ShimKind};
use multihop_proto::units::{Dur, SimTime};

use super::rig::{LENGTH, RTO, Rig, TIMES, ms};
use crate::layer::Verdict;
use crate::layer::held::LONGEST;

fn atcp(atcp: AtcpConfig) -> ShimConfig {
    ShimConfig { kind: ShimKind::Atcp, atcp, ..ShimConfig::default() }
}

fn linear() -> AtcpConfig {
    AtcpConfig { probe_back_off: BackOff::Linear, ..AtcpConfig::default() }
}

#[test]
fn all_in_flight_is_acknowledged_kept_and_sent_again() {
    for initial in [5000, u32::MAX - 150] {
        let mut rig = Rig::new(initial, &atcp(linear()));
        rig.data(1, 4);
        assert_eq!(rig.arrive(2, rig.answer(100), 0), Verdict::Pass);
        assert_eq!(rig.unreachable(10), Verdict::Swallow);
        assert_eq!(rig.outputs(), [(true, 400, 0)], "all that has left, and no window");
        assert_eq!(rig.unreachable(11), Verdict::Swallow);
        assert_eq!(rig.arrive(12, rig.answer(200), 0), Verdict::Swallow, "it was under way already");
        assert_eq!(rig.outputs(), []);
        assert_eq!(rig.due(309), []);
        assert_eq!(rig.due(310), [(false, u32::MAX.wrapping_add(200), 800)], "just below what is missing");
        assert_eq!(rig.arrive(320, rig.answer(200), 0), Verdict::Swallow);
        assert_eq!(rig.outputs(), [(false, 200, 800)], "a window of one");
        rig.arrive(330, rig.answer(200), 0);
        assert_eq!(rig.outputs(), [], "a duplicate");
        rig.arrive(340, rig.answer(300), 0);
        assert_eq!(rig.outputs(), [(false, 300, 800)]);
        rig.arrive(350, rig.answer(400), 0);
        assert_eq!(rig.outputs(), [(true, 400, 500)], "the window of the receiver");
        assert_eq!(rig.layers.next_at(), SimTime::MAX);
        assert_eq!(rig.arrive(360, rig.answer(400), 0), Verdict::Pass);
        assert_eq!(
            rig.counts(),
            Counters {
                freezes: 1,
                probes: 1,
                retransmissions: 2,
                frozen: Dur::from_ms(340),
                ..Counters::default()
            }
        );
    }
}

#[test]
fn probes_grow_as_the_technique_says() {
    for (config, times) in
        [(linear(), [310, 910, 1810, 3010]), (AtcpConfig::default(), [310, 910, 2110, 4510])]
    {
        let mut rig = Rig::new(7, &atcp(config));
        rig.data(1, 1);
        rig.unreachable(10);
        rig.outputs();
        for at in times {
            assert_eq!(rig.layers.next_at(), ms(at));
            assert_eq!(rig.due(at).len(), 1);
        }
        for _ in 0..40 {
            let at = rig.layers.next_at();
            rig.layers.due(at, |_| Some(TIMES), &mut rig.outputs);
            assert!(rig.layers.next_at() - at <= LONGEST);
        }
    }
}

#[test]
fn what_leaves_meanwhile_is_kept_and_questions_are_answered() {
    let mut rig = Rig::new(7, &atcp(linear()));
    rig.data(1, 1);
    rig.unreachable(10);
    rig.outputs();
    let late = rig.segment(100);
    assert_eq!(rig.leave(11, late, LENGTH), Verdict::Swallow);
    assert_eq!(rig.outputs(), [(true, 200, 0)]);
    let question = rig.segment(199);
    assert_eq!(rig.leave(12, question, 0), Verdict::Swallow);
    assert_eq!(rig.outputs(), [(true, 200, 0)]);
    let acknowledgment = rig.segment(200);
    assert_eq!(rig.leave(13, acknowledgment, 0), Verdict::Pass, "of what the peer sends");
    assert_eq!(rig.arrive(14, rig.answer(0), 30), Verdict::Swallow);
    assert_eq!(rig.outputs(), [(true, 200, 0)], "data of the peer");
}

#[test]
fn a_lost_repair_is_made_again_in_a_window_of_one() {
    let mut rig = Rig::new(7, &atcp(linear()));
    rig.data(1, 6);
    rig.unreachable(10);
    rig.due(310);
    rig.outputs();
    rig.arrive(320, rig.answer(0), 0);
    rig.arrive(330, rig.answer(100), 0);
    rig.arrive(340, rig.answer(200), 0);
    assert_eq!(rig.outputs().len(), 1 + 2 + 2, "slow start");
    assert_eq!(rig.due(639), []);
    assert_eq!(rig.due(640), [(false, 200, 800)]);
    assert_eq!(rig.layers.next_at(), ms(640) + RTO * 2);
    rig.unreachable(650);
    assert_eq!(rig.outputs(), [], "TCP is stopped already");
    assert_eq!(rig.due(950), [(false, 199, 800)], "a probe");
    rig.arrive(960, rig.answer(600), 0);
    assert_eq!(rig.outputs(), [(true, 600, 500)]);
    assert_eq!(rig.counts().freezes, 1);
}

#[test]
fn an_answer_of_any_kind_may_end_it_by_a_key() {
    let mut rig = Rig::new(7, &atcp(AtcpConfig { reconnect: Reconnect::Anything, ..linear() }));
    rig.data(1, 2);
    rig.unreachable(10);
    rig.outputs();
    rig.arrive(12, rig.answer(100), 0);
    assert_eq!(rig.outputs(), [(false, 100, 800)]);
}

#[test]
fn without_a_connection_there_is_no_layer() {
    let mut rig = Rig::new(7, &atcp(linear()));
    rig.data(1, 1);
    let reset = rig.segment(100).rst();
    assert_eq!(rig.leave(2, reset, 0), Verdict::Pass);
    assert_eq!(rig.unreachable(10), Verdict::Pass);
    assert_eq!(rig.outputs(), []);
    let mut rig = Rig::new(7, &atcp(linear()));
    assert_eq!(rig.arrive(2, rig.answer(0).rst(), 0), Verdict::Pass);
    assert_eq!(rig.unreachable(10), Verdict::Pass);
}

#[test]
fn the_end_of_a_stream_is_kept_too() {
    let mut rig = Rig::new(7, &atcp(linear()));
    rig.data(1, 1);
    rig.unreachable(10);
    rig.outputs();
    let end = rig.segment(100).fin();
    assert_eq!(rig.leave(11, end, 0), Verdict::Swallow);
    assert_eq!(rig.outputs(), [(true, 101, 0)]);
    rig.due(310);
    rig.arrive(320, rig.answer(100), 0);
    assert_eq!(rig.outputs().last(), Some(&(false, 100, 800)));
    rig.arrive(330, rig.answer(101), 0);
    assert_eq!(rig.outputs(), [(true, 101, 500)]);
}

#[test]
fn a_layer_that_ends_resets_a_connection_whose_segments_only_it_has() {
    let mut rig = Rig::new(7, &atcp(linear()));
    rig.data(1, 2);
    rig.unreachable(10);
    rig.outputs();
    let way = rig.layers.ways().next().expect("a connection");
    assert!(rig.layers.knows(way) && rig.layers.is_at_work(way));
    rig.layers.end(ms(60), way, &mut rig.outputs);
    assert_eq!(rig.outputs(), [(true, 0, 500)], "one segment, to the host");
    assert!(!rig.layers.knows(way));
    assert_eq!(rig.counts().frozen, Dur::from_ms(50));
}

#[test]
fn a_layer_that_ends_says_nothing_of_a_connection_that_goes_on() {
    let mut rig = Rig::new(7, &atcp(linear()));
    rig.data(1, 2);
    let way = rig.layers.ways().next().expect("a connection");
    assert!(!rig.layers.is_at_work(way));
    rig.layers.end(ms(60), way, &mut rig.outputs);
    assert_eq!(rig.outputs(), []);
}
