//! Relay echo, FRN ACK, retransmission, duplicates: figures 2 and 11.

use super::board::{Board, Left, same};
use crate::contract::Class;
use crate::link::frn::{FrnConfig, Queues};
use crate::units::NodeId;
use crate::wire::PacketKind::{TcpAck, Udp};
use crate::wire::{Frame, FrameKind};

fn config() -> FrnConfig {
    FrnConfig { mini_slots: 1, ..FrnConfig::default() }
}

#[test]
fn figure_2_who_sends_a_packet_on_acknowledges_it_and_its_end_answers() {
    let mut board = Board::chain(&config(), 2);
    let uid = board.make(Udp, 0, 2, 1000);
    board.run_to(10);
    same(
        &board.diagram(1..=4),
        "
        0:  D>1  .    .     .
        1:  .    D>2  .     .
        2:  .    .    ok>1  .
    ",
    );
    assert_eq!(board.arrived, [uid]);
    assert_eq!(board.left, [(0, uid, Left::Delivered(1)), (1, uid, Left::Delivered(1))]);
    assert_eq!(board.packets.live(), 0);
    assert_eq!(board.nodes[1].counters().echoes, 1);
}

#[test]
fn a_packet_that_got_no_echo_is_sent_again_three_to_five_slots_later() {
    let mut board = Board::chain(&FrnConfig { lifetime: 0, ..config() }, 1);
    board.deaf = (0..1000).map(|slot| (1, slot)).collect();
    board.make(Udp, 0, 1, 1000);
    board.run_to(1000);
    let mut waits = [0; 6];
    for two in board.slots_of(0).windows(2) {
        waits[(two[1] - two[0]) as usize] += 1;
    }
    assert_eq!(waits[..3], [0; 3]);
    assert!(waits[3..].iter().all(|&count| count > 60), "{waits:?}");
}

//        2 ── 4
//       /      \           the echo of node 2 is lost at node 1, which sends the packet again, to node 3:
//  0 ─ 1        5          now there are two
//       \      /
//        3 ───╯
#[test]
fn figure_11_a_lost_echo_makes_a_second_copy_over_another_neighbour() {
    let links = [(0, 1), (1, 2), (1, 3), (2, 4), (3, 5), (4, 5)];
    let config = FrnConfig { retry_from: 4, retry_to: 4, ..config() };
    let mut board = Board::new(&config, 6, &links);
    for (here, next) in [(0, 1), (2, 4), (3, 5), (4, 5)] {
        board.routes.insert((here, 5), vec![(next, Class::Forward)]);
    }
    board.routes.insert((1, 5), vec![(3, Class::Forward), (2, Class::Forward)]);
    board.deaf = vec![(1, 3)];
    let uid = board.make(Udp, 0, 5, 1000);
    board.run_to(20);
    // With which of the two node 1 begins is drawn.
    same(
        &board.diagram(1..=8),
        "
        0:  D>1  .    .    .    .     .     .    .
        1:  .    D>2  .    .    .     D>3   .    .
        2:  .    .    D>4  .    .     .     .    .
        3:  .    .    .    .    .     .     D>5  .
        4:  .    .    .    D>5  .     .     .    .
        5:  .    .    .    .    ok>4  .     .    ok>3
    ",
    );
    assert_eq!(board.arrived, [uid, uid], "the same packet twice");
    assert_eq!(board.nodes[5].counters().duplicates, 1);
    assert_eq!((board.nodes[1].counters().missed, board.nodes[1].counters().retransmissions), (1, 1));
    assert_eq!(board.packets.live(), 0);
}

#[test]
fn a_packet_that_is_received_again_while_it_is_held_is_sent_on_once_more_but_not_twice() {
    let config = FrnConfig { retry_to: 3, ..config() };
    let mut board = Board::chain(&config, 3);
    // Node 0 misses the echo of node 1, which misses that of node 2.
    board.deaf = vec![(0, 2), (1, 3)];
    let uid = board.make(Udp, 0, 3, 1000);
    board.run_to(20);
    // Node 0 sends again in slot 4; node 1 has it still, and its echo is due in slot 5.
    same(
        &board.diagram(1..=8),
        "
        0:  D>1  .    .    D>1   .    .    .    .
        1:  .    D>2  .    .     D>2  .    .    .
        2:  .    .    D>3  .     .    D>3  .    .
        3:  .    .    .    ok>2  .    .    ok>2 .
    ",
    );
    let relay = board.nodes[1].counters();
    assert_eq!(
        (relay.repeated, relay.missed, relay.unawaited),
        (1, 1, 0),
        "it was missed before it came again"
    );
    assert_eq!(board.nodes[2].counters().duplicates, 1, "node 2 had passed it on");
    assert_eq!(board.arrived, [uid, uid]);
    assert_eq!(board.packets.live(), 0);
}

#[test]
fn an_echo_counts_in_its_slot_only_unless_late_ones_do() {
    for late_echo in [false, true] {
        let config = FrnConfig { retry_to: 3, late_echo, ..config() };
        let mut board = Board::chain(&config, 2);
        board.deaf = vec![(1, 1), (1, 4)];
        let uid = board.make(Udp, 0, 2, 1000);
        board.run_to(3);
        // A node has given the packet to node 1 in another way: it sends it on in slot 3.
        let frame = Frame { from: NodeId(1), to: NodeId(2), ..board.sent[0].1 };
        board.hear(0, 3, &frame);
        assert_eq!(board.left.contains(&(0, uid, Left::Delivered(1))), late_echo);
        board.run_to(5);
        assert_eq!(board.slots_of(0), if late_echo { vec![1] } else { vec![1, 4] });
        assert_eq!(board.nodes[0].counters().missed, 1, "it was missed in slot 2 in any case");
    }
}

#[test]
fn what_another_neighbour_sends_is_no_echo() {
    let mut board = Board::chain(&FrnConfig { late_echo: true, ..config() }, 2);
    board.deaf = vec![(1, 1)];
    let uid = board.make(Udp, 0, 2, 1000);
    board.run_to(2);
    let mut frame = Frame { from: NodeId(2), to: NodeId(1), ..board.sent[0].1 };
    board.hear(0, 2, &frame);
    (frame.kind, frame.from, frame.to) = (FrameKind::Ack, NodeId(1), NodeId(2));
    board.hear(0, 2, &frame);
    (frame.to, frame.sequence) = (NodeId(0), frame.sequence + 1);
    board.hear(0, 2, &frame);
    assert_eq!(board.left, []);
    frame.sequence -= 1;
    board.hear(0, 2, &frame);
    assert_eq!(board.left, [(0, uid, Left::Delivered(1))]);
}

#[test]
fn one_packet_of_a_queue_is_under_way_at_a_time_if_it_stops_and_waits() {
    let slots = |stop_and_wait, queues, second| {
        let mut board = Board::chain(&FrnConfig { stop_and_wait, queues, retry_to: 3, ..config() }, 1);
        board.deaf = (1..=3).map(|slot| (1, slot)).collect();
        board.make(Udp, 0, 1, 500);
        board.make(second, 0, 1, 500);
        board.run_to(7);
        board.slots_of(0)
    };
    assert_eq!(slots(true, Queues::Two, Udp), [1, 4, 6], "the second when the first has got through");
    assert_eq!(slots(true, Queues::Two, TcpAck), [1, 2, 4, 5], "TCP ACKs wait for TCP ACKs");
    assert_eq!(slots(true, Queues::One, TcpAck), [1, 4, 6], "where there is one queue, for all");
    assert_eq!(slots(false, Queues::Two, Udp), [1, 2, 4, 5]);
}

#[test]
fn a_packet_just_received_is_sent_on_while_another_waits_for_its_echo() {
    let mut board = Board::chain(&FrnConfig { retry_to: 5, retry_from: 5, ..config() }, 2);
    board.deaf = vec![(2, 1)];
    board.make(Udp, 1, 2, 500);
    board.run_to(1);
    board.make(Udp, 0, 2, 500);
    board.run_to(12);
    same(
        &board.diagram(1..=8),
        "
        0:  .    D>1  .    .     .    .     .    .
        1:  D>2  .    D>2  .     .    D>2   .    .
        2:  .    .    .    ok>1  .    .     ok>1 .
    ",
    );
}

#[test]
fn a_packet_that_comes_again_is_sent_on_in_the_next_slot_long_before_its_own_time() {
    let config = FrnConfig { retry_from: 3, retry_to: 3, mini_slots: 1, lifetime: 0, ..FrnConfig::default() };
    let mut board = Board::chain(&config, 2);
    // No node hears node 1 in slot 2; node 0 repeats in slot 4, and node 1 of itself would wait 60 slots.
    board.deaf = vec![(0, 2), (2, 2)];
    board.make(Udp, 0, 2, 500);
    board.run_to(4);
    let slow = FrnConfig { retry_from: 60, retry_to: 60, ..config };
    board.nodes[1].config = slow;
    board.run_to(7);
    assert_eq!((board.slots_of(0), board.slots_of(1)), (vec![1, 4], vec![2, 5]));
    assert_eq!(board.nodes[1].counters().repeated, 1);
}

#[test]
fn a_frame_says_whether_its_packet_was_sent_before_and_goes_where_routing_said_last() {
    let mut board = Board::chain(&FrnConfig { retry_to: 3, ..config() }, 1);
    board.deaf = vec![(1, 1)];
    board.make(Udp, 0, 1, 500);
    board.routes.clear(); // no way is known any more
    board.run_to(6);
    let sent: Vec<(bool, NodeId)> =
        board.sent.iter().filter(|it| it.1.from == NodeId(0)).map(|it| (it.1.retry, it.1.to)).collect();
    assert_eq!(sent, [(false, NodeId(1)), (true, NodeId(1))]);
}
