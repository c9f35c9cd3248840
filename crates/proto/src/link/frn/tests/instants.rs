//! Within a slot: which node has begun to send before, what comes between the beginning of a slot and a node's own
//! instant, and clocks that are off.

use super::board::Board;
use crate::link::PacketLink;
use crate::link::frn::FrnConfig;
use crate::mac::{Sensed, Timer};
use crate::units::{Bytes, Dur, NodeId, Rng, SimTime};
use crate::wire::PacketKind::Udp;
use crate::wire::{BatchId, Frame, FrameKind, UserPriority};

/// Mini-slots that are so long that something can happen between them: the first is a millisecond after the beginning.
fn config() -> FrnConfig {
    FrnConfig { mini_slots: 3, mini_slot: Dur::from_ms(1), lifetime: 0, ..FrnConfig::default() }
}

fn us(us: u64) -> SimTime {
    SimTime::from_us(us)
}

#[test]
fn contenders_draw_one_of_all_mini_slots_and_not_the_beginning_of_the_slot() {
    let mut board = Board::chain(&FrnConfig { mini_slots: 4, ..config() }, 1);
    for _ in 0..100 {
        board.make(Udp, 0, 1, 100);
    }
    board.run_to(300);
    let mut offsets = [0; 5];
    for (at, frame) in &board.sent {
        if frame.from == NodeId(0) {
            offsets[(at.as_ns() % 10_000_000 / 1_000_000) as usize] += 1;
        }
    }
    assert!(offsets[0] == 0 && offsets[1..].iter().all(|&count| count > 10), "{offsets:?}");
}

/// What one contender does that hears signals begin at these instants and end at those, its own instant being 11 to 13
/// ms.
fn sends(signals: &[(u64, u64)]) -> bool {
    let mut board = Board::chain(&config(), 1);
    board.make(Udp, 0, 1, 100);
    for &(begins, ends) in signals {
        board.run_until(us(begins));
        board.nodes[0].sense(us(begins), Sensed::Carrier(us(ends)));
    }
    board.run_to(2);
    let deferred = board.nodes[0].counters().deferrals == 1;
    assert_eq!(board.sent.is_empty(), deferred);
    !deferred
}

#[test]
fn who_has_begun_before_in_the_slot_is_heard_though_it_has_ended_and_who_has_not_ended_though_it_began_before_it()
 {
    assert!(sends(&[]));
    assert!(sends(&[(5000, 9900)]), "over before the slot");
    assert!(sends(&[(5000, 10_900)]), "over before its instant");
    assert!(!sends(&[(5000, 14_000)]), "still from the slot before");
    assert!(!sends(&[(10_100, 10_300)]), "begun in this slot");
}

#[test]
fn who_begins_at_its_own_instant_is_not_heard() {
    let mut board = Board::chain(&FrnConfig { mini_slots: 1, guard: Dur::from_ms(1), ..config() }, 1);
    board.make(Udp, 0, 1, 100);
    board.run_until(us(11_000));
    board.nodes[0].sense(us(11_000), Sensed::Carrier(us(12_000)));
    board.fire(0, Timer::Access);
    assert_eq!(board.sent.len(), 1);
}

#[test]
fn a_timer_that_fires_in_the_middle_of_a_slot_begins_nothing() {
    let mut board = Board::chain(&FrnConfig { mini_slots: 1, ..config() }, 1);
    board.run_until(us(13_000));
    board.make(Udp, 0, 1, 100);
    board.fire(0, Timer::Sequence);
    board.run_to(5);
    assert_eq!(board.slots_of(0), [2]);
}

#[test]
fn what_is_to_be_sent_on_in_this_very_slot_goes_ahead_of_the_packet_that_was_to_go() {
    let mut board = Board::chain(&config(), 2);
    board.deaf = vec![(1, 1)];
    board.make(Udp, 0, 2, 500);
    board.run_until(us(15_000));
    let own = board.make(Udp, 1, 2, 100);
    // Node 1 is going to contend at 21 ms or later; before that the end of a frame comes that began in the slot before.
    board.run_until(us(20_050));
    let frame = Frame { airtime: Dur::from_us(300), ..board.sent[0].1 };
    board.hear_now(1, &frame);
    board.run_to(3);
    let (_, second) = board.sent[1];
    assert_eq!((board.sent.len(), second.from), (2, NodeId(1)));
    assert_ne!(board.packets[second.packet].uid, own);
}

#[test]
fn what_is_heard_at_the_very_beginning_of_a_slot_does_not_put_the_slot_off() {
    let mut board = Board::chain(&FrnConfig { mini_slots: 1, ..config() }, 1);
    board.make(Udp, 1, 0, 100);
    board.run_until(us(45_000));
    board.make(Udp, 0, 1, 100);
    // It goes in slot 5. As that begins, and before the timer fires, a copy of what came before ends, to be answered.
    board.run_until(us(50_000));
    let sent = board.sent.len();
    let frame = Frame { airtime: Dur::from_us(300), ..board.sent[0].1 };
    board.hear_now(0, &frame);
    board.run_to(6);
    assert_eq!(board.sent.len(), sent + 1, "in slot 5: {:?}", board.sent);
}

#[test]
fn a_packet_that_comes_again_before_its_instant_is_sent_on_in_the_next_slot_and_not_in_this() {
    // Node 1 has got a packet, and no node echoes it: in slot 5 it is to be sent again.
    let config = FrnConfig { retry_from: 3, retry_to: 3, ..config() };
    let mut board = Board::chain(&config, 2);
    board.nodes[0].config = FrnConfig { retry_from: 90, retry_to: 90, ..config };
    board.deaf = (0..20).flat_map(|slot| [(0, slot), (2, slot)]).collect();
    board.make(Udp, 0, 2, 500);
    board.run_until(us(50_500));
    assert_eq!(board.slots_of(1), [2]);
    let frame = Frame { airtime: Dur::from_us(300), ..board.sent[0].1 };
    board.hear_now(1, &frame);
    board.run_to(7);
    assert_eq!(board.slots_of(1), [2, 6]);
}

#[test]
fn what_the_network_layer_has_kept_is_sent_as_others_are_and_lives_as_its_header_says() {
    let config = FrnConfig { mini_slots: 1, lifetime: 12, ..FrnConfig::default() };
    let mut board = Board::chain(&config, 2);
    board.upstairs = Some(Vec::new());
    board.run_to(4);
    let uid = board.make(Udp, 0, 2, 500);
    board.run_to(8);
    assert_eq!(board.upstairs.as_ref().map(Vec::len), Some(1));
    // Its echo was due in slot 6. A packet that has just been received would be sent on whatever the hold-off says.
    board.nodes[1].free_from = 10;
    board.let_go();
    board.deaf = (8..40).map(|slot| (2, slot)).collect();
    board.run_to(40);
    assert_eq!(board.slots_of(1).first(), Some(&10));
    // It was sent with 11 slots to live: so many from slot 7, in which it came back.
    assert!(board.slots_of(1).last() < Some(&18), "{:?}", board.slots_of(1));
    assert!(board.left.iter().any(|&(node, lost, _)| (node, lost) == (1, uid)), "{:?}", board.left);
}

#[test]
fn clocks_are_off_by_up_to_twice_the_error_one_from_another() {
    let config = FrnConfig { clock_error: Dur::from_us(400), ..FrnConfig::default() };
    let board = Board::new(&config, 64, &[]);
    let late: Vec<SimTime> = board.nodes.iter().map(|node| node.clock.start(0)).collect();
    assert!(late.iter().all(|&late| late < us(800)));
    assert!(late.iter().any(|&late| late < us(100)) && late.iter().any(|&late| late > us(700)), "{late:?}");
}

#[test]
fn an_echo_counts_unless_it_begins_before_the_slot_by_the_clock_of_the_one_who_waits_for_it() {
    // By how much the clocks of the two ends of a hop are late [us], and whether the echo counts, with a guard time of
    // 300.
    let table =
        [(0, 0, true), (0, 300, true), (0, 600, true), (300, 0, true), (301, 0, false), (600, 0, false)];
    for (waiting, echoing, counts) in table {
        let config =
            FrnConfig { mini_slots: 1, guard: Dur::from_us(300), retry_from: 9, retry_to: 9, ..config() };
        let mut board = Board::chain(&config, 2);
        board.set_late(&[waiting, echoing, echoing]);
        board.make(Udp, 0, 2, 500);
        board.run_to(9);
        assert_eq!(board.nodes[0].counters().echoes == 1, counts, "{waiting} and {echoing} us late");
        assert_eq!(board.arrived.len(), 1, "the packet is received in any case");
    }
}

#[test]
fn clocks_that_are_off_do_not_drift_apart() {
    let config = FrnConfig { mini_slots: 1, guard: Dur::from_us(300), lifetime: 0, ..FrnConfig::default() };
    let mut board = Board::chain(&config, 3);
    board.set_late(&[0, 250, 100, 300]);
    for round in 1..60 {
        board.run_to(round * 1000);
        board.make(Udp, 0, 3, 500);
        board.run_to(round * 1000 + 10);
        let offsets: Vec<u64> = board.sent.drain(..).map(|(at, _)| at.as_ns() / 1000 % 10_000).collect();
        assert_eq!(
            offsets,
            [300, 550, 400, 600],
            "round {round}: guard time after each clock's own beginning"
        );
    }
    let missed = board.nodes.iter().map(|node| node.counters().missed).sum::<u64>();
    assert_eq!((board.arrived.len(), missed), (59, 0));
}

/// A node that has drawn its instant in slot 1, half a slot ahead, and its generator as it was before.
fn drawn() -> (Board, Rng) {
    let mut board = Board::chain(&config(), 2);
    let before = board.nodes[1].rng.clone();
    board.make(Udp, 1, 2, 100);
    board.run_until(us(5000));
    assert_ne!(board.nodes[1].rng, before);
    (board, before)
}

#[test]
fn an_instant_that_was_drawn_ahead_is_given_back_if_the_power_goes_before_the_slot_begins() {
    let (mut board, before) = drawn();
    board.power(1, false);
    assert_eq!(board.nodes[1].rng, before);
    let (mut board, before) = drawn();
    board.run_until(us(10_010));
    board.power(1, false);
    assert_ne!(board.nodes[1].rng, before, "the slot has begun");
}

#[test]
fn an_instant_that_was_drawn_ahead_is_given_back_if_nothing_is_left_to_send() {
    let (mut board, before) = drawn();
    assert_eq!(board.withdraw(1, 2).len(), 1);
    assert_eq!(board.nodes[1].rng, before);
    board.run_to(3);
    assert!(board.sent.is_empty());
    assert_eq!(board.nodes[1].rng, before);
}

#[test]
fn an_instant_that_was_drawn_ahead_is_given_back_if_something_goes_ahead_of_it() {
    for ends in [5000, 10_000] {
        let (mut board, before) = drawn();
        let on = board.make(Udp, 0, 2, 100);
        let packet = board.nodes[0].packets().first().copied().expect("it waits");
        board.packets.hold(packet);
        let frame = Frame {
            kind: FrameKind::Data,
            retry: false,
            more: false,
            sequence: 0,
            from: NodeId(0),
            to: NodeId(1),
            packet,
            second: None,
            batch: BatchId::NONE,
            priority: UserPriority::BEST_EFFORT,
            size: Bytes(144),
            duration: Dur::ZERO,
            tx: crate::testing::TX,
            airtime: Dur::from_us(600),
        };
        board.run_until(us(ends));
        board.hear_now(1, &frame);
        board.run_until(us(10_500));
        let sent = board.sent.iter().find(|(_, frame)| frame.from == NodeId(1)).expect("it is sent on");
        assert_eq!((sent.0, board.packets[sent.1.packet].uid), (us(10_000), on), "{ends}");
        assert_eq!(board.nodes[1].rng, before, "{ends}: no other draw has come in between");
    }
}
