//! What goes first, of several packets that could go: sections 2.2.1 and 3.2, and a reading where they leave it open.

use super::board::{Board, same};
use crate::link::frn::FrnConfig;
use crate::units::SimTime;
use crate::wire::PacketKind::{TcpAck, Udp};

fn config() -> FrnConfig {
    FrnConfig { mini_slots: 1, retry_to: 3, lifetime: 0, ..FrnConfig::default() }
}

/// Numbers of the packets that a node has sent, in their order.
fn numbers(board: &Board, node: u32) -> Vec<u64> {
    let own = board.sent.iter().filter(|(_, frame)| frame.from.0 == node);
    own.map(|(_, frame)| board.packets[frame.packet].uid).collect()
}

/// Node 3's frame has node 2 send the TCP ACK on in slot 3 (section 3.2), where it has a packet of node 1 to answer
/// for.
#[test]
fn an_frn_ack_goes_ahead_of_what_is_sent_on() {
    let mut board = Board::chain(&FrnConfig { combine: true, ..config() }, 6);
    board.make(Udp, 3, 6, 1000);
    board.make(TcpAck, 3, 1, 40);
    board.run_to(1);
    board.make(Udp, 1, 2, 500);
    board.run_to(5);
    same(
        &board.diagram(1..=4),
        "
        0:  .        .    .     .
        1:  .        D>2  .     .
        2:  .        .    ok>1  A>1
        3:  D>4+A>2  .    .     A>2
        4:  .        D>5  .     .
        5:  .        .    D>6   .
        6:  .        .    .     ok>5
    ",
    );
}

#[test]
fn a_packet_that_is_due_again_goes_ahead_of_a_new_one() {
    let mut board = Board::chain(&FrnConfig { stop_and_wait: false, ..config() }, 1);
    board.deaf = (1..9).map(|slot| (1, slot)).collect();
    let old = board.make(Udp, 0, 1, 500);
    board.run_until(SimTime::from_ms(35));
    let new = board.make(Udp, 0, 1, 500);
    board.run_to(6);
    assert_eq!((board.slots_of(0), numbers(&board, 0)), (vec![1, 4, 5], vec![old, old, new]));
}

/// The first and the second packet are sent in slots 1 and 2, and again so many slots later; until slot 10 the node
/// holds off.
#[test]
fn of_packets_that_are_due_again_the_longest_due_goes_first() {
    for (waits, order) in [([3, 3], [0, 1]), ([6, 3], [1, 0])] {
        let config = FrnConfig { stop_and_wait: false, ..config() };
        let mut board = Board::chain(&config, 1);
        board.deaf = (1..20).map(|slot| (1, slot)).collect();
        let wait = |slots| FrnConfig { retry_from: slots, retry_to: slots, ..config.clone() };
        let uids = [0; 2].map(|_| board.make(Udp, 0, 1, 500));
        board.nodes[0].config = wait(waits[0]);
        board.run_to(3);
        board.nodes[0].free_from = 10;
        board.run_to(4);
        board.nodes[0].config = wait(waits[1]);
        board.run_to(12);
        assert_eq!(board.slots_of(0), [1, 2, 10, 11]);
        assert_eq!(numbers(&board, 0)[2..], order.map(|place| uids[place]), "{waits:?}");
    }
}

/// Section 3.2: every node has two queues, a relay too.
#[test]
fn a_tcp_ack_that_was_sent_on_is_in_the_queue_of_tcp_acks() {
    let mut board = Board::chain(&FrnConfig { retry_from: 6, retry_to: 6, ..config() }, 2);
    board.deaf = vec![(2, 2)];
    let on = board.make(TcpAck, 0, 2, 40);
    board.run_until(SimTime::from_ms(45));
    // It is to be sent again in slot 8. Data need not wait for it, and another TCP ACK does.
    board.make(TcpAck, 1, 2, 40);
    board.make(Udp, 1, 2, 500);
    board.run_to(12);
    same(
        &board.diagram(1..=11),
        "
        0:  A>1 .   . . .   .    . .   .    .   .
        1:  .   A>2 . . D>2 .    . A>2 .    A>2 .
        2:  .   .   . . .   ok>1 . .   ok>1 .   ok>1
    ",
    );
    assert_eq!(board.arrived[1], on);
}
