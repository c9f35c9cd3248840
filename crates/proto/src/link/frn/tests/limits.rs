//! How long a packet lives, how often it is sent again, how many a node keeps.

use super::board::{Board, Left};
use crate::link::PacketLink;
use crate::link::frn::{FrnConfig, LifetimeStart};
use crate::wire::DropReason;
use crate::wire::PacketKind::Udp;

fn config() -> FrnConfig {
    FrnConfig { mini_slots: 1, retry_to: 3, ..FrnConfig::default() }
}

/// From this slot on a node hears nothing.
fn deaf(node: usize, from: u64) -> Vec<(usize, u64)> {
    (from..from + 200).map(|slot| (node, slot)).collect()
}

#[test]
fn a_packet_is_discarded_when_its_lifetime_is_over_wherever_it_is() {
    let mut board = Board::chain(&FrnConfig { lifetime: 10, ..config() }, 3);
    board.deaf = deaf(2, 0);
    board.run_to(5);
    let uid = board.make(Udp, 0, 3, 500);
    board.run_to(15);
    // Its life began in slot 5: in slot 15 it is over, nine slots after node 1 got it.
    assert_eq!(board.left, [(0, uid, Left::Delivered(1))]);
    board.run_to(16);
    assert_eq!(board.left[1..], [(1, uid, Left::Dropped(DropReason::LifetimeOver))]);
    assert_eq!(board.nodes[1].counters().outlived, 1);
}

#[test]
fn a_packet_that_was_never_sent_is_discarded_in_its_slot_too() {
    let mut board = Board::chain(&FrnConfig { lifetime: 10, ..config() }, 1);
    board.nodes[0].free_from = 100;
    let uid = board.make(Udp, 0, 1, 500);
    board.run_to(10);
    assert_eq!(board.left, []);
    board.run_to(11);
    assert_eq!(board.left, [(0, uid, Left::Dropped(DropReason::LifetimeOver))]);
}

#[test]
fn life_may_begin_with_the_first_transmission() {
    for (lifetime_start, dies) in [(LifetimeStart::Enqueue, 10), (LifetimeStart::FirstTransmission, 14)] {
        let config = FrnConfig { lifetime: 10, lifetime_start, hold_off: 4, ..config() };
        let mut board = Board::chain(&config, 1);
        board.deaf = deaf(1, 0);
        board.make(Udp, 0, 1, 500);
        let second = board.make(Udp, 0, 1, 500);
        board.nodes[0].config.stop_and_wait = false;
        board.run_to(dies);
        let died = |board: &Board| board.left.iter().any(|it| it.1 == second);
        // The first goes in slot 1; the second waits out the hold-off.
        assert!(!died(&board), "{lifetime_start:?} {:?}", board.left);
        board.run_to(dies + 10);
        assert!(died(&board), "{lifetime_start:?} {:?}", board.left);
    }
}

#[test]
fn a_packet_is_given_up_when_it_was_sent_again_too_often_on_its_whole_way() {
    for (max, node_1) in [(Some(2), Some(2)), (Some(0), None), (None, Some(1000))] {
        let config = FrnConfig { lifetime: 0, max_retransmissions: max, ..config() };
        let mut board = Board::chain(&config, 3);
        // Node 0 has to send it twice, node 1 as often as it likes.
        board.deaf = [vec![(1, 1)], deaf(2, 0)].concat();
        let uid = board.make(Udp, 0, 3, 500);
        board.run_to(60);
        match node_1 {
            // One of the two was used on the way; the third failure is one too many.
            Some(2) => assert_eq!(board.left, [(0, uid, Left::Delivered(2)), (1, uid, Left::GaveUp(2))]),
            None => assert_eq!(board.left, [(0, uid, Left::GaveUp(1))]),
            Some(_) => assert!(board.left == [(0, uid, Left::Delivered(2))] && board.slots_of(1).len() > 15),
        }
    }
}

#[test]
fn the_limit_is_the_sources_own() {
    let mut board = Board::chain(&FrnConfig { lifetime: 0, max_retransmissions: Some(3), ..config() }, 3);
    board.nodes[1].config.max_retransmissions = None;
    board.deaf = deaf(2, 0);
    let uid = board.make(Udp, 0, 3, 500);
    board.run_to(60);
    assert_eq!(board.left, [(0, uid, Left::Delivered(1)), (1, uid, Left::GaveUp(4))]);
}

#[test]
fn what_an_agent_makes_in_a_relay_has_limits_as_if_the_relay_were_its_source() {
    for (lifetime, max_retransmissions) in [(0, Some(2)), (12, None)] {
        let mut board = Board::chain(&FrnConfig { lifetime, max_retransmissions, ..config() }, 2);
        board.deaf = deaf(2, 0);
        let uid = board.make_for(0, Udp, 1, 2, 500);
        board.run_to(100);
        assert!(board.left.iter().any(|&(node, it, _)| (node, it) == (1, uid)), "{lifetime}: for ever");
        assert!(board.slots_of(1).len() <= 4, "{:?}", board.slots_of(1));
    }
}

#[test]
fn a_full_node_drops_what_comes_and_says_when_there_is_room() {
    let mut board = Board::chain(&FrnConfig { limit: 2, ..config() }, 1);
    let uids: Vec<u64> = (0..3).map(|_| board.make(Udp, 0, 1, 500)).collect();
    assert_eq!(board.left, [(0, uids[2], Left::Dropped(DropReason::QueueFull))]);
    assert_eq!((board.nodes[0].free(), board.room.len()), (0, 0));
    board.run_to(10);
    assert_eq!(board.room, [0]);
    assert_eq!((board.nodes[0].free(), board.arrived.len()), (2, 2));
}

#[test]
fn what_was_broadcast_makes_room_too() {
    let mut board = Board::chain(&FrnConfig { limit: 1, ..config() }, 1);
    board.make(Udp, 0, u32::MAX, 100);
    board.make(Udp, 0, 1, 100);
    board.run_to(4);
    assert_eq!((board.left.len(), board.room.len()), (2, 1));
}

#[test]
fn a_node_that_goes_down_loses_its_packets_and_begins_anew() {
    let mut board = Board::chain(&config(), 2);
    board.deaf = deaf(1, 0);
    let uids = [board.make(Udp, 0, 2, 500), board.make(Udp, 0, 2, 500)];
    board.run_to(3);
    board.power(0, false);
    let lost = |uid| (0, uid, Left::Dropped(DropReason::NodeDown));
    assert_eq!(board.left, uids.map(lost));
    assert_eq!(board.packets.live(), 0);
    board.power(0, true);
    board.deaf.clear();
    board.run_to(10);
    let uid = board.make(Udp, 0, 2, 500);
    board.run_to(20);
    assert_eq!(board.arrived, [uid]);
    assert_eq!(board.slots_of(0), [1, 11]);
}

#[test]
fn what_waits_for_a_neighbour_can_be_withdrawn_but_not_what_is_under_way() {
    let mut board = Board::chain(&config(), 2);
    board.deaf = deaf(1, 0);
    let uids: Vec<u64> = (0..2).map(|_| board.make(Udp, 0, 2, 500)).collect();
    board.run_to(2);
    let withdrawn = board.withdraw(0, 1);
    assert_eq!(withdrawn.iter().map(|&id| board.packets[id].uid).collect::<Vec<_>>(), uids[1..]);
    assert_eq!(board.nodes[0].length(), 1);
    assert_eq!(board.room, [0; 0], "nobody waited for room");
}

#[test]
fn what_is_withdrawn_makes_room_for_who_waited_for_it() {
    let mut board = Board::chain(&FrnConfig { limit: 2, ..config() }, 2);
    (0..3).for_each(|_| _ = board.make(Udp, 0, 2, 500));
    assert_eq!((board.withdraw(0, 2).len(), board.room.len()), (0, 0), "nothing waits for that neighbour");
    assert_eq!((board.withdraw(0, 1).len(), &board.room[..]), (2, &[0][..]));
    assert_eq!((board.withdraw(0, 1).len(), board.room.len()), (0, 1), "it is told once");
}
