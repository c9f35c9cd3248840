//! Data and TCP ACK in one frame: figure 4, both readings of the node that answers later, and a single queue.

use super::board::{Board, Left, same};
use crate::link::frn::{FrnConfig, Postpone, Queues};
use crate::units::{Dur, SimTime};
use crate::wire::PacketKind::{TcpAck, Udp};

fn config() -> FrnConfig {
    FrnConfig { mini_slots: 1, retry_to: 3, combine: true, ..FrnConfig::default() }
}

/// In a line of nodes node 3 holds data for node 6 and a TCP ACK for node 1: they go to nodes 4 and 2, as in the
/// thesis.
fn figure_4(config: &FrnConfig) -> Board {
    let mut board = Board::chain(config, 6);
    board.make(Udp, 3, 6, 1000);
    board.make(TcpAck, 3, 1, 40);
    board
}

#[test]
fn figure_4_both_go_in_one_frame_and_their_echoes_in_two_slots() {
    let mut board = figure_4(&config());
    board.run_to(8);
    same(
        &board.diagram(1..=4),
        "
        0:  .        .    .     .
        1:  .        .    .     ok>2
        2:  .        .    A>1   .
        3:  D>4+A>2  .    .     .
        4:  .        D>5  .     .
        5:  .        .    D>6   .
        6:  .        .    .     ok>5
    ",
    );
    let node = &board.nodes[3];
    assert_eq!((node.counters().frames, node.counters().combined, node.counters().echoes), (1, 1, 2));
    let frame = board.sent[0].1;
    let (data, ack) = (Dur::from_us(4 * (1000 + 44)), Dur::from_us(4 * (40 + 44)));
    assert_eq!(frame.airtime, Dur::from_us(192) + data + ack, "each part has its header");
}

#[test]
fn in_the_other_reading_the_data_are_sent_on_a_slot_later() {
    let mut board = figure_4(&FrnConfig { postpone: Postpone::Data, ..config() });
    board.run_to(8);
    same(
        &board.diagram(1..=4),
        "
        0:  .        .    .     .
        1:  .        .    ok>2  .
        2:  .        A>1  .     .
        3:  D>4+A>2  .    .     .
        4:  .        .    D>5   .
        5:  .        .    .     D>6
        6:  .        .    .     .
    ",
    );
    assert_eq!(board.nodes[3].counters().echoes, 2);
}

#[test]
fn without_the_option_they_go_one_after_the_other() {
    let mut board = figure_4(&FrnConfig { combine: false, hold_off: 3, ..config() });
    board.run_to(8);
    assert_eq!(board.slots_of(3), [1, 4]);
}

#[test]
fn who_answers_later_is_silent_meanwhile() {
    let mut board = figure_4(&config());
    // Node 2 has a packet of its own that it would send in slot 2.
    board.run_to(1);
    board.make(Udp, 2, 1, 500);
    board.run_to(2);
    board.run_to(8);
    assert!(!board.slots_of(2).contains(&2), "{}", board.diagram(1..=6));
    assert_eq!(board.nodes[2].counters().silences, 1);
    assert_eq!(board.nodes[3].counters().echoes, 2);
}

#[test]
fn where_one_part_is_lost_it_alone_is_sent_again() {
    let mut board = figure_4(&config());
    board.deaf = vec![(2, 1)];
    board.run_to(10);
    // From slot 1, not from when its echo was due.
    same(
        &board.diagram(1..=6),
        "
        0:  .        .    .    .    .     .
        1:  .        .    .    .    .     ok>2
        2:  .        .    .    .    A>1   .
        3:  D>4+A>2  .    .    A>2  .     .
        4:  .        D>5  .    .    .     .
        5:  .        .    D>6  .    .     .
        6:  .        .    .    ok>5 .     .
    ",
    );
    let ends: Vec<Left> = board.left.iter().filter(|it| it.0 == 3).map(|it| it.2).collect();
    assert_eq!(ends, [Left::Delivered(1), Left::Delivered(2)]);
}

#[test]
fn both_parts_may_be_for_one_neighbour_which_then_is_not_silent() {
    let mut board = Board::chain(&config(), 1);
    board.make(TcpAck, 0, 1, 40);
    board.make(Udp, 0, 1, 1000);
    board.run_to(8);
    same(
        &board.diagram(1..=4),
        "
        0:  D>1+A>1  .     .     .
        1:  .        ok>0  ok>0  .
    ",
    );
    assert_eq!(board.nodes[0].counters().echoes, 2);
}

#[test]
fn a_packet_just_received_takes_one_of_the_other_kind_along() {
    let mut board = Board::chain(&config(), 3);
    board.make(Udp, 0, 3, 1000);
    board.run_to(1);
    board.make(TcpAck, 1, 0, 40);
    board.run_to(8);
    // The frame of node 1 is node 0's echo and brings it the ACK.
    same(
        &board.diagram(1..=5),
        "
        0:  D>1  .        .     ok>1  .
        1:  .    D>2+A>0  .     .     .
        2:  .    .        D>3   .     .
        3:  .    .        .     ok>2  .
    ",
    );
}

#[test]
fn a_packet_that_waits_to_be_sent_again_goes_along_before_its_time_if_it_may() {
    for (combine_waiting, combined) in [(true, 1), (false, 0)] {
        let config = FrnConfig { combine_waiting, retry_from: 6, retry_to: 6, ..config() };
        let mut board = Board::chain(&config, 2);
        board.deaf = vec![(0, 1)];
        board.make(TcpAck, 1, 0, 40);
        board.run_to(3);
        board.make(Udp, 1, 2, 500);
        board.run_to(12);
        assert_eq!(board.nodes[1].counters().combined, combined, "{}", board.diagram(1..=10));
        let again = if combine_waiting { vec![1, 3] } else { vec![1, 3, 7] };
        assert_eq!(board.slots_of(1), again);
    }
}

#[test]
fn what_does_not_fit_into_a_slot_does_not_go_along() {
    let mut board = Board::chain(&FrnConfig { slot: Dur::from_us(4700), ..config() }, 5);
    board.make(Udp, 2, 5, 1000);
    board.make(TcpAck, 2, 0, 40);
    board.run_to(4);
    assert_eq!(board.nodes[2].counters().combined, 0);
}

/// A frame of both takes 4704 us here.
#[test]
fn what_goes_along_leaves_room_for_the_mini_slots_and_the_guard() {
    for (mini_slots, guard, combined) in [(1, 0, 1), (8, 0, 0), (1, 50, 0)] {
        let guard = Dur::from_us(guard);
        let config = FrnConfig { slot: Dur::from_us(4800), mini_slots, guard, ..config() };
        let mut board = Board::chain(&config, 5);
        board.make(Udp, 2, 5, 1000);
        board.make(TcpAck, 2, 0, 40);
        board.run_to(2);
        assert_eq!(board.nodes[2].counters().combined, combined, "{mini_slots} and {guard}");
    }
}

/// Section 3.2: of each queue the packet at its top.
#[test]
fn the_packet_at_the_top_of_the_other_queue_goes_along() {
    for (lead, others) in [(Udp, TcpAck), (TcpAck, Udp)] {
        let mut board = Board::chain(&config(), 2);
        let lead = board.make(lead, 1, 2, 100);
        let others = [0; 3].map(|_| board.make(others, 1, 0, 100));
        board.run_to(2);
        let frame = board.sent[0].1;
        let other = frame.second.expect("both go").packet;
        let mut sent = [frame.packet, other].map(|id| board.packets[id].uid);
        sent.sort_unstable();
        assert_eq!(sent, [lead, others[0]]);
    }
}

#[test]
fn with_a_single_queue_the_first_echo_erases_both() {
    let mut board = figure_4(&FrnConfig { queues: Queues::One, ..config() });
    board.deaf = vec![(2, 1)];
    board.run_to(12);
    assert_eq!(board.slots_of(3), [1], "the ACK is lost, and nobody sends it again");
    assert_eq!(board.arrived.len(), 1);
    assert_eq!(board.packets.live(), 0);
}

#[test]
fn with_a_single_queue_the_echo_of_the_ack_erases_both_when_it_comes_first() {
    let mut board =
        figure_4(&FrnConfig { queues: Queues::One, postpone: Postpone::Data, lifetime: 0, ..config() });
    board.deaf = vec![(4, 1)];
    board.run_to(12);
    assert_eq!(board.slots_of(3), [1], "the data are lost, and nobody sends them again");
}

#[test]
fn a_packet_that_waits_for_its_echo_does_not_go_along() {
    let mut board = Board::chain(&config(), 2);
    board.make(Udp, 1, 2, 500);
    board.run_until(SimTime::from_ms(15));
    board.make(TcpAck, 1, 0, 40);
    board.run_to(3);
    assert_eq!(board.slots_of(1), [1, 2]);
    assert_eq!(board.sent.iter().filter(|(_, frame)| frame.second.is_some()).count(), 0);
}

#[test]
fn a_packet_that_is_due_again_goes_along_in_any_case() {
    let config = FrnConfig { combine_waiting: false, retry_from: 3, ..config() };
    let mut board = Board::chain(&config, 2);
    board.deaf = vec![(0, 1)];
    board.make(TcpAck, 1, 0, 40);
    board.run_until(SimTime::from_ms(25));
    board.make(Udp, 0, 2, 500);
    board.run_to(5);
    assert_eq!((board.slots_of(1), board.nodes[1].counters().combined), (vec![1, 4], 1));
}

#[test]
fn a_packet_for_all_does_not_go_along() {
    let mut board = Board::chain(&config(), 2);
    board.make(TcpAck, 1, 0, 40);
    board.make(Udp, 1, u32::MAX, 100);
    board.run_to(2);
    assert_eq!(board.nodes[1].counters().combined, 0);
}

#[test]
fn a_packet_whose_lane_is_closed_does_not_go_along() {
    let config = FrnConfig { combine_waiting: false, retry_from: 6, retry_to: 6, ..config() };
    let mut board = Board::chain(&config, 2);
    board.deaf = vec![(0, 1)];
    board.make(TcpAck, 1, 0, 40);
    board.run_to(3);
    board.make(TcpAck, 1, 0, 40);
    board.make(Udp, 1, 2, 500);
    board.run_to(7);
    // The first ACK is to be sent again in slot 7, and the second waits for it.
    assert_eq!((board.slots_of(1), board.nodes[1].counters().combined), (vec![1, 3], 0));
}

#[test]
fn a_packet_that_is_sent_on_in_a_later_slot_does_not_go_along_before() {
    let mut board = Board::chain(&config(), 3);
    board.make(Udp, 0, 3, 500);
    board.make(TcpAck, 0, 3, 40);
    board.run_to(6);
    same(
        &board.diagram(1..=3),
        "
        0:  D>1+A>1  .    .
        1:  .        D>2  A>2
        2:  .        .    D>3
        3:  .        .    .
    ",
    );
}
