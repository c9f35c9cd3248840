//! The transmitting history, the load, and what both are used for: table 6 and figure 12.

use super::board::Board;
use crate::contract::Class;
use crate::link::frn::interval::upper_end;
use crate::link::frn::{FrnConfig, History, Interval, NextHop, Record};
use crate::units::NodeId;
use crate::wire::PacketKind::Udp;

fn record(uid: u64, to: u32, slot: u64, ok: bool) -> Record {
    Record { uid, to: NodeId(to), slot, ok }
}

/// Section 4.2: 1003.03, 1004.10 and 1004.60 s, in slots of 10 ms.
#[test]
fn table_6_says_for_each_transmission_the_number_the_neighbour_the_time_and_how_it_ended() {
    let mut history = History::new(10, 200);
    for it in [record(3, 5, 100_303, true), record(4, 5, 100_410, false), record(4, 2, 100_460, true)] {
        history.add(it);
    }
    assert_eq!(history.records(100_460).last(), Some(&record(4, 2, 100_460, true)));
    assert_eq!(history.failures(100_460), (1, 3));
    assert_eq!(
        (history.failures_to(NodeId(5), 100_460), history.failures_to(NodeId(2), 100_460)),
        ((1, 2), (0, 1))
    );
    assert_eq!(history.failures(100_503), (1, 3), "200 slots are not too long ago");
    assert_eq!(history.failures(100_504), (1, 2));
    assert_eq!(history.failures(200_000), (0, 0));
}

/// Node 0 leads to node 9 over node 5 and, sideward, node 2. A success counts from the slot of its echo, a failure from
/// the slot after the one in which the echo was due (section 4.2).
#[test]
fn table_6_is_what_a_node_writes_down_when_it_sends() {
    let config = FrnConfig {
        lifetime: 0,
        mini_slots: 1,
        retry_from: 51,
        retry_to: 51,
        interval: Interval::Load,
        retry_to_most: 51,
        next_hop: NextHop::All,
        ..FrnConfig::default()
    };
    let mut board = Board::new(&config, 10, &[(0, 2), (0, 5), (2, 9), (5, 9)]);
    board.routes.insert((0, 9), vec![(5, Class::Forward), (2, Class::Sideward)]);
    for here in [2, 5] {
        board.routes.insert((here, 9), vec![(9, Class::Forward)]);
    }
    for slot in [10, 100_301] {
        board.make(Udp, 0, 9, 500);
        board.run_to(slot);
    }
    assert_eq!(board.make(Udp, 0, 9, 500), 3);
    board.run_to(100_407);
    board.deaf = vec![(5, 100_408)];
    assert_eq!(board.make(Udp, 0, 9, 500), 4);
    board.run_to(100_470);
    assert_eq!(board.slots_of(0)[2..], [100_302, 100_408, 100_459]);
    let history: Vec<Record> = board.nodes[0].history.records(100_470).copied().collect();
    let table = [record(3, 5, 100_303, true), record(4, 5, 100_410, false), record(4, 2, 100_460, true)];
    assert_eq!(history, table);
}

/// Section 4.2: from 3 to 3 slots without load, 1003 slots with nothing but failures.
#[test]
fn the_failure_at_hand_is_part_of_the_load() {
    for (successes, widened) in [(0, 1000), (1, 500), (4, 200)] {
        let config = FrnConfig {
            interval: Interval::Load,
            retry_to: 3,
            retry_to_most: 1003,
            lifetime: 0,
            mini_slots: 1,
            ..FrnConfig::default()
        };
        let mut board = Board::chain(&config, 1);
        (0..successes).for_each(|_| _ = board.make(Udp, 0, 1, 500));
        board.run_to(20);
        board.deaf = (20..23).map(|slot| (1, slot)).collect();
        board.make(Udp, 0, 1, 500);
        board.run_to(24);
        let it = board.nodes[0].counters();
        assert_eq!((it.echoes, it.missed, it.widened_slots), (successes, 1, widened));
    }
}

#[test]
fn only_so_many_transmissions_are_remembered() {
    let mut history = History::new(2, 200);
    (1..=3).for_each(|uid| history.add(record(uid, 1, uid, uid == 1)));
    assert_eq!(history.failures(3), (2, 2));
    assert_eq!(history.records(3).map(|it| it.uid).collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn figure_12_the_interval_grows_in_proportion_to_the_load() {
    let config =
        FrnConfig { interval: Interval::Load, retry_to: 5, retry_to_most: 17, ..FrnConfig::default() };
    let ends: Vec<u32> = (0..=10).map(|failed| upper_end(&config, || (failed, 10), 7)).collect();
    assert_eq!(ends, [5, 6, 7, 9, 10, 11, 12, 13, 15, 16, 17]);
    assert_eq!(upper_end(&config, || (0, 0), 0), 5, "nothing is known yet");
    let flat = FrnConfig { retry_to_most: 5, ..config };
    assert_eq!(upper_end(&flat, || (10, 10), 0), 5);
}

#[test]
fn csma_cds_interval_doubles_with_each_failure_in_a_row() {
    let config = FrnConfig { interval: Interval::CsmaCd, retry_to_most: 25, ..FrnConfig::default() };
    assert_eq!([0, 1, 2, 3, 4, 40].map(|row| upper_end(&config, || (9, 10), row)), [5, 7, 11, 19, 25, 25]);
    let fixed = FrnConfig { interval: Interval::Fixed, ..config };
    assert_eq!(upper_end(&fixed, || (10, 10), 9), 5);
}

/// Waits of a node whose neighbour hears only what the function says of its transmissions.
fn waits(interval: Interval, hears: impl Fn(usize) -> bool) -> Vec<u64> {
    let config = FrnConfig {
        interval,
        retry_to: 5,
        retry_to_most: 1003,
        retry_from: 3,
        lifetime: 0,
        mini_slots: 1,
        history_age: 1_000_000,
        ..FrnConfig::default()
    };
    let mut board = Board::chain(&config, 1);
    let mut now = 0;
    for _ in 0..60 {
        board.make(Udp, 0, 1, 500);
    }
    while board.arrived.len() < 60 && now < 200_000 {
        now += 1;
        board.deaf = if hears(board.slots_of(0).len()) { vec![] } else { vec![(1, now - 1)] };
        board.run_to(now);
    }
    let gaps = |two: &[u64]| two[1] - two[0];
    board.slots_of(0).windows(2).map(gaps).collect()
}

#[test]
fn load_stays_after_a_success_and_csma_cd_forgets_it() {
    let half = |sent: usize| sent % 2 == 1;
    let (load, reset) = (waits(Interval::Load, half), waits(Interval::CsmaCd, half));
    let longest = |gaps: &[u64]| gaps.iter().copied().max().unwrap_or(0);
    // Every second transmission fails: the load is about one half, the failures in a row never two.
    assert!(longest(&load) > 300 && longest(&load) <= 503 + 100, "{load:?}");
    assert!(longest(&reset) <= 5, "{reset:?}");
    let never = waits(Interval::CsmaCd, |sent| sent >= 12);
    assert!(longest(&never) > 300, "{never:?}");
}

//      2
//    ╱   ╲        node 0 sends to node 9 over 1, 2 and 3
//  0 ─ 1 ─ 9
//    ╲   ╱
//      3
fn fan(config: &FrnConfig, classes: [Class; 3]) -> Board {
    let links = [(0, 1), (0, 2), (0, 3), (1, 9), (2, 9), (3, 9)];
    let mut board = Board::new(config, 10, &links);
    board.routes.insert((0, 9), vec![(1, classes[0]), (2, classes[1]), (3, classes[2])]);
    for here in 1..=3 {
        board.routes.insert((here, 9), vec![(9, Class::Forward), (0, Class::Backward)]);
    }
    board
}

/// To which node node 0 sends a packet that no node hears, time and again.
fn tries(config: &FrnConfig, classes: [Class; 3]) -> Vec<u32> {
    let mut board = fan(config, classes);
    board.deaf = (0..100).flat_map(|slot| (1..=3).map(move |node| (node, slot))).collect();
    board.make(Udp, 0, 9, 500);
    board.run_to(30);
    board.sent.iter().map(|(_, frame)| frame.to.0).collect()
}

#[test]
fn retries_go_to_forward_neighbours_in_turn_and_to_others_only_where_there_is_none() {
    let (f, s, b) = (Class::Forward, Class::Sideward, Class::Backward);
    let config = FrnConfig { lifetime: 0, mini_slots: 1, retry_to: 3, ..FrnConfig::default() };
    let of = |config: &FrnConfig, classes| {
        let tries = tries(config, classes);
        assert!(tries.len() >= 9, "{tries:?}");
        for two in tries[..9].windows(4) {
            assert_ne!(two[0], two[1], "in turn");
        }
        tries
    };
    let two = of(&config, [f, f, s]);
    assert!(two.iter().all(|&to| to != 3) && two[0] == two[2], "{two:?}");
    assert!(tries(&config, [f, s, b]).iter().all(|&to| to == 1));
    assert!(tries(&config, [s, b, b]).iter().all(|&to| to == 1), "the best that is left");
    let all = FrnConfig { next_hop: NextHop::All, ..config };
    assert_eq!(of(&all, [f, s, b])[..6], [1, 2, 3, 1, 2, 3]);
    let mut first_two = of(&all, [f, f, b])[..3].to_vec();
    assert_eq!(first_two.pop(), Some(3), "the classes in their order");
}

#[test]
fn a_packet_does_not_go_back_to_whom_it_came_from_unless_there_is_no_other() {
    let config =
        FrnConfig { lifetime: 0, mini_slots: 1, retry_to: 3, next_hop: NextHop::All, ..FrnConfig::default() };
    for (next_hops, expected) in
        [(vec![(9, Class::Forward), (0, Class::Backward)], 9), (vec![(0, Class::Forward)], 0)]
    {
        let mut board = fan(&config, [Class::Forward; 3]);
        board.routes.insert((0, 9), vec![(1, Class::Forward)]);
        board.routes.insert((1, 9), next_hops);
        board.deaf = (2..40).map(|slot| (9, slot)).collect();
        board.make(Udp, 0, 9, 500);
        board.run_to(20);
        let sent: Vec<u32> = board.sent.iter().filter(|it| it.1.from.0 == 1).map(|it| it.1.to.0).collect();
        assert!(!sent.is_empty() && sent.iter().all(|&to| to == expected), "{sent:?}");
    }
}

/// Two next hops or more beside the one back. Section 2.2.2 has the classes; that a packet does not go back is a
/// reading.
#[test]
fn a_packet_does_not_go_back_where_there_are_several_others() {
    let (f, s, b) = (Class::Forward, Class::Sideward, Class::Backward);
    for (next_hop, next_hops) in [
        (NextHop::All, [(9, f), (8, s), (0, b)]),
        (NextHop::All, [(9, f), (0, s), (8, b)]),
        (NextHop::All, [(0, f), (9, s), (8, b)]),
        (NextHop::Forward, [(0, f), (9, f), (8, f)]),
        (NextHop::LeastFailing, [(9, f), (8, f), (0, f)]),
    ] {
        let config = FrnConfig { lifetime: 0, mini_slots: 1, retry_to: 3, next_hop, ..FrnConfig::default() };
        let mut board = Board::new(&config, 10, &[(0, 1), (1, 8), (1, 9)]);
        board.routes.insert((0, 9), vec![(1, f)]);
        board.routes.insert((1, 9), next_hops.to_vec());
        board.deaf = (0..40).flat_map(|slot| [(8, slot), (9, slot)]).collect();
        board.make(Udp, 0, 9, 500);
        board.run_to(30);
        let sent: Vec<u32> = board.sent.iter().filter(|it| it.1.from.0 == 1).map(|it| it.1.to.0).collect();
        assert!(sent.len() >= 8 && !sent.contains(&0), "{next_hop:?} {next_hops:?}: {sent:?}");
        assert!(sent.contains(&8) && sent.contains(&9), "{next_hop:?} {next_hops:?}: {sent:?}");
    }
}

#[test]
fn load_is_spread_to_the_neighbour_to_which_fewest_failed() {
    let config = FrnConfig {
        lifetime: 0,
        mini_slots: 1,
        retry_to: 3,
        history: 100,
        hold_off: 3,
        next_hop: NextHop::LeastFailing,
        ..FrnConfig::default()
    };
    let mut board = fan(&config, [Class::Forward; 3]);
    // Nodes 1 and 3 hear nothing.
    board.deaf = (0..400).flat_map(|slot| [(1, slot), (3, slot)]).collect();
    for _ in 0..20 {
        board.make(Udp, 0, 9, 500);
    }
    board.run_to(200);
    let to =
        |neighbour: u32| board.sent.iter().filter(|it| it.1.from.0 == 0 && it.1.to.0 == neighbour).count();
    assert_eq!(to(2), 20);
    assert!(to(1) <= 2 && to(3) <= 2, "{} {}", to(1), to(3));
    assert!(board.nodes[0].counters().spread > 5);
}
