//! Indirect TCP's relay: STRANGER, OPENING, RELAY.

use super::rig::{Did, Rig, ack, data, tcp};
use crate::proxy::ITcpConfig;
use crate::proxy::{ITcp, Towards};
use crate::tcp::{Handshake, TcpConfig};
use crate::units::{Dur, FlowId, SimTime};
use crate::wire::{DropReason, Segment, flags};

fn syn() -> Segment {
    Segment { flags: flags::SYN, ..Segment::default() }
}

fn relay(buffer: u32, handshake: Handshake) -> Rig {
    let config = ITcpConfig { buffer, min_rto: Some(Dur::from_ms(200)) };
    Rig::new(ITcp::new(config, &TcpConfig { handshake, ..tcp() }, FlowId(0)))
}

#[test]
fn a_stranger_lets_everything_pass_and_a_syn_opens_two_connections() {
    let mut it = relay(8, Handshake::Syn);
    assert_eq!(it.forth(1, data(0)), [Did::Passed], "its stream begins with a SYN");
    assert_eq!(it.back(2, ack(1)), [Did::Passed]);
    let (back, forth) = (Towards::Source, Towards::Destination);
    let opened = [Did::Said(forth, flags::SYN), Did::Said(back, flags::SYN | flags::ACK)];
    assert_eq!(it.forth(3, syn()), opened, "it answers for the destination, and calls it");
    // OPENING: what comes is kept and acknowledged, and goes no further.
    assert_eq!(it.forth(5, data(0)), [Did::Kept, Did::Acked(1, 7)]);
    // RELAY: the destination has answered.
    let answer = Segment { flags: flags::SYN | flags::ACK, ..ack(0) };
    assert_eq!(it.back(9, answer), [Did::Sent(0, 5)], "as old as what came");
    assert_eq!(it.forth(10, data(1)), [Did::Kept, Did::Acked(2, 6), Did::Sent(1, 10)]);
    assert_eq!(it.back(12, ack(2)), [], "the destination's ACK is not the source's");
    assert_eq!((it.packets.live(), it.count("agent.acknowledged")), (0, 2));
}

#[test]
fn a_stream_without_a_handshake_begins_with_its_first_byte_if_nothing_passed_before() {
    let mut it = relay(8, Handshake::None);
    assert_eq!(it.forth(1, data(0)), [Did::Kept, Did::Acked(1, 7), Did::Sent(0, 1)]);
    let mut late = relay(8, Handshake::None);
    assert_eq!(late.forth(1, data(1)), [Did::Passed]);
    assert_eq!(late.forth(2, data(0)), [Did::Passed], "it is no beginning: others have gone by");
}

#[test]
fn the_source_sees_the_free_room_and_is_told_when_there_is_some_again() {
    let mut it = relay(3, Handshake::None);
    it.forth(1, data(0));
    assert_eq!(it.forth(2, data(1)), [Did::Kept, Did::Acked(2, 1), Did::Sent(1, 2)]);
    assert_eq!(it.forth(3, data(2)), [Did::Kept, Did::Acked(3, 0)], "full");
    assert_eq!(it.forth(4, data(3)), [Did::Lost(DropReason::ProxyOverflow)], "nobody may send this");
    assert_eq!(it.back(5, ack(1)), [Did::Sent(2, 3), Did::Acked(3, 1)], "room for one");
    assert_eq!(it.back(6, ack(3)), [Did::Acked(3, 3)]);
    it.forth(7, data(3));
    assert_eq!(it.back(8, ack(4)), [], "the source is not held: the next ACK will say it");
}

#[test]
fn what_is_lost_beyond_it_sends_again_on_a_timer_of_its_own() {
    let mut it = relay(8, Handshake::None);
    it.forth(1, data(0));
    it.back(21, ack(1));
    it.forth(30, data(1));
    assert_eq!(it.timer, it.after(Dur::from_ms(200)), "its own least timeout, a fifth of the source's");
    assert_eq!(it.fire(), [Did::Sent(1, 30)]);
    assert_eq!(it.count("agent.retransmissions"), 1);
    // Segments out of order are kept too, and sent on when the gap is filled.
    assert_eq!(it.forth(300, data(3)), [Did::Kept, Did::Acked(2, 7)]);
    assert_eq!(it.forth(301, data(3)), [Did::Acked(2, 7)], "a second one ends here");
    assert_eq!(it.back(302, ack(2)), []);
    assert_eq!(it.forth(303, data(2)), [Did::Kept, Did::Acked(4, 6), Did::Sent(2, 303), Did::Sent(3, 300)]);
}

#[test]
fn with_its_node_go_both_connections_and_the_buffer() {
    let mut it = relay(8, Handshake::Syn);
    it.forth(1, syn());
    it.back(2, Segment { flags: flags::SYN | flags::ACK, ..ack(0) });
    it.forth(3, data(0));
    it.forth(4, data(1));
    it.forth(5, data(3));
    it.back(6, ack(1));
    assert_eq!(it.down(), 2);
    assert_eq!(it.count("agent.lost-bytes"), 1000, "one was acknowledged; the one beyond the gap was not");
    assert_eq!(it.forth(9, data(2)), [Did::Passed], "a stranger again");
    assert_eq!(it.back(9, ack(1)), [Did::Passed]);
    let (back, forth) = (Towards::Source, Towards::Destination);
    let opened = [Did::Said(forth, flags::SYN), Did::Said(back, flags::SYN | flags::ACK)];
    assert_eq!(it.forth(10, syn()), opened, "but it takes up the next connection");
}

//  1 s           1.5 s          2 s              101.5 s     102 s
//  | first byte  | second       | ACK of one     |           | given up
#[test]
fn what_the_destination_has_not_acknowledged_for_100_s_is_stranded() {
    let stranded = |it: &Rig, ms| it.agent.is_stranded(SimTime::from_ms(ms));
    let mut it = relay(8, Handshake::None);
    assert!(!stranded(&it, 500_000), "a stranger has nothing");
    it.forth(1000, data(0));
    it.forth(1500, data(1));
    assert!(!stranded(&it, 100_999) && stranded(&it, 101_000), "since it has had something to send");
    it.back(2000, ack(1));
    assert!(!stranded(&it, 101_999) && stranded(&it, 102_000), "since something was acknowledged");
    it.back(50_000, ack(1));
    assert!(stranded(&it, 102_000), "an ACK that says nothing new is none");
    it.back(60_000, ack(2));
    it.forth(400_000, data(2));
    assert!(!stranded(&it, 499_999) && stranded(&it, 500_000), "it had nothing to send in between");
}
