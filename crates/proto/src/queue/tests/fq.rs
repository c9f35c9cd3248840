//! Flow queueing: RFC 8290 §4, limits in bytes, and an AQM for each class.

use super::rig::{Answer, Answer::*, Rig};
use crate::contract::Backlog;
use crate::queue::{AqmBy, AqmKind, ClassBy, CoDelConfig, OnGiveUp, Overflow, QueueConfig, Service};
use crate::testing::us;
use crate::units::{Bytes, Dur};
use crate::wire::DropReason::{EarlyDrop, QueueFull};

fn fq() -> QueueConfig {
    let (service, class_by) = (Service::Fq, ClassBy::Flow);
    let (aqm_by, overflow) = (AqmBy::Class, Overflow::HeadOfFattest);
    QueueConfig { service, class_by, aqm_by, overflow, ..QueueConfig::default() }
}

fn put(rig: &mut Rig, flow: u32, sizes: &[u32]) {
    put_at(rig, 0, flow, sizes);
}

fn put_at(rig: &mut Rig, at_us: u64, flow: u32, sizes: &[u32]) {
    sizes.iter().for_each(|&size| rig.handle_put(us(at_us), flow, size));
}

#[test]
fn flows_take_turns_by_bytes() {
    for on_give_up in [OnGiveUp::Drop, OnGiveUp::Keep] {
        let mut rig = Rig::new(QueueConfig { on_give_up, ..fq() });
        put(&mut rig, 1, &[1500; 4]);
        put(&mut rig, 2, &[750; 6]);
        assert_eq!(rig.drain(us(1), 10), [1, 5, 6, 2, 7, 8, 3, 9, 10, 4]);
        assert!(rig.queue.is_empty());
    }
}

/// A flow that begins goes before those that have waited; it has one quantum, then it is one of them.
#[test]
fn a_flow_that_begins_goes_first() {
    let mut rig = Rig::new(fq());
    put(&mut rig, 1, &[1500; 4]);
    put(&mut rig, 2, &[1500; 4]);
    assert_eq!(rig.drain(us(1), 2), [1, 5]);
    put_at(&mut rig, 2, 3, &[750; 3]);
    assert_eq!(rig.drain(us(2), 3), [9, 10, 2]);
    put_at(&mut rig, 3, 4, &[100]);
    assert_eq!(rig.drain(us(3), 3), [12, 6, 11]);
}

/// A new flow that falls empty goes behind the old ones once: it cannot go first again and again.
#[test]
fn a_flow_cannot_always_be_new() {
    let mut rig = Rig::new(fq());
    put(&mut rig, 1, &[1500, 700, 700, 700]);
    assert_eq!(rig.drain(us(1), 1), [1]);
    put_at(&mut rig, 2, 2, &[100]);
    assert_eq!(rig.drain(us(2), 2), [5, 2]);
    put_at(&mut rig, 3, 2, &[1500]);
    assert_eq!(rig.drain(us(3), 3), [3, 4, 6], "it waits behind the other");
}

/// With a quantum of 300, ten small packets go beside each large one.
#[test]
fn a_small_quantum_favours_small_packets() {
    let mut rig = Rig::new(QueueConfig { quantum: Bytes(300), limit: 1000, ..fq() });
    put(&mut rig, 1, &[1500; 20]);
    put(&mut rig, 2, &[150; 200]);
    let first = rig.drain(us(1), 110);
    let large = first.iter().filter(|&&number| number <= 20).count();
    assert_eq!(large, 10, "{first:?}");
}

#[test]
fn the_fattest_flow_loses_half_of_its_packets_at_the_head() {
    let mut rig = Rig::new(QueueConfig { limit: 10, ..fq() });
    put(&mut rig, 1, &[1000; 7]);
    put(&mut rig, 2, &[100; 4]);
    let gone: Vec<u64> = rig.packets.iter().map(|packet| packet.uid).collect();
    assert_eq!(gone, [4, 5, 6, 7, 8, 9, 10, 11], "three of seven, the first ones");
    let mut rig = Rig::new(QueueConfig { limit: 300, ..fq() });
    put(&mut rig, 1, &[100; 301]);
    assert_eq!(rig.queue.length(), 301 - 64);
}

/// The packet in service is not among them.
#[test]
fn what_the_mac_has_is_not_lost() {
    for on_give_up in [OnGiveUp::Drop, OnGiveUp::Keep] {
        let mut rig = Rig::new(QueueConfig { limit: 2, on_give_up, ..fq() });
        put(&mut rig, 1, &[1000]);
        assert_eq!(rig.feed(us(1), super::rig::Do::Serve), [Offered(1)]);
        put_at(&mut rig, 2, 1, &[1000; 3]);
        assert!(rig.packets.iter().any(|packet| packet.uid == 1), "{on_give_up:?}");
        rig.feed(us(3), super::rig::Do::Delivered);
        assert!(rig.packets.iter().all(|packet| packet.uid != 1), "{on_give_up:?}");
    }
}

#[test]
fn limits_count_bytes() {
    let config = QueueConfig { limit_bytes: Some(Bytes(3_000)), ..QueueConfig::default() };
    let mut rig = Rig::new(config);
    assert_eq!(rig.queue.free(), 2);
    put(&mut rig, 1, &[1500, 1460, 41, 40]);
    let left: Vec<u64> = rig.packets.iter().map(|packet| packet.uid).collect();
    assert_eq!(left, [1, 2, 4]);
    assert_eq!(rig.queue.free(), 0);
    rig.drain(us(1), 2);
    assert_eq!(rig.queue.free(), 1);
    put_at(&mut rig, 2, 1, &[3_001]);
    assert_eq!(rig.queue.length(), 1);
}

/// Each flow has a CoDel of its own: one that waits for long is dropped from, one that does not is not.
#[test]
fn each_class_has_its_own_management() {
    let codel =
        CoDelConfig { target: Dur::from_us(5), interval: Dur::from_us(100), ..CoDelConfig::default() };
    let mut rig = Rig::new(QueueConfig { aqm: AqmKind::Codel, codel, limit: 1000, ..fq() });
    put(&mut rig, 1, &[1500; 40]);
    let mut lost = Vec::new();
    let mut number = 40;
    for n in 1..30 {
        let now = us(n * 10);
        rig.handle_put(now, 2, 100);
        number += 1;
        for _ in 0..2 {
            let answers = rig.feed(now, super::rig::Do::Serve);
            lost.extend(answers.iter().filter_map(|answer| match *answer {
                Answer::Dropped(number, EarlyDrop) => Some(number),
                Answer::Dropped(_, QueueFull) => panic!("there is room"),
                _ => None,
            }));
            rig.feed(now, super::rig::Do::Delivered);
        }
    }
    assert!(lost.len() >= 3 && lost.iter().all(|&lost| lost <= 40), "{lost:?} of {number}");
}

/// Flows that the hash puts together share a class; with as many classes as it takes, none do.
#[test]
fn flows_can_be_hashed() {
    let order = |queues| {
        let mut rig = Rig::new(QueueConfig { queues, limit: 100, ..fq() });
        put(&mut rig, 1, &[1500; 2]);
        put(&mut rig, 2, &[1500; 2]);
        rig.drain(us(1), 4)
    };
    assert_eq!(order(None), [1, 3, 2, 4]);
    assert_eq!(order(Some(1)), [1, 2, 3, 4]);
    assert_eq!(order(Some(65_536)), [1, 3, 2, 4]);
}

/// One of two or three packets is lost, never more than half.
#[test]
fn a_flow_with_few_packets_loses_one() {
    let mut rig = Rig::new(QueueConfig { limit: 2, ..fq() });
    put(&mut rig, 1, &[1000; 3]);
    assert_eq!(rig.drain(us(1), 3), [2, 3]);
}

/// A MAC that sends to several at once is offered the flows beside the one in service, each once.
#[test]
fn flows_beside_the_one_in_service_are_offered_before_their_turn() {
    let mut rig = Rig::new(fq());
    put(&mut rig, 1, &[1500; 2]);
    put(&mut rig, 2, &[1500; 2]);
    let mut serve = || rig.feed(us(1), super::rig::Do::Serve);
    assert_eq!([serve(), serve(), serve()], [vec![Offered(1)], vec![Offered(3)], vec![]]);
}

/// A frame that the MAC could not send gives its flow the bytes back, and ends the turn.
#[test]
fn a_frame_that_comes_back_costs_its_flow_the_turn_and_no_bytes() {
    use super::rig::Do::{GaveUp, Held, Serve};
    for (on_give_up, comes_back) in [(OnGiveUp::Drop, Held), (OnGiveUp::Keep, GaveUp)] {
        let mut rig = Rig::new(QueueConfig { on_give_up, ..fq() });
        put(&mut rig, 1, &[1500; 2]);
        put(&mut rig, 2, &[1500; 2]);
        assert_eq!(rig.feed(us(1), Serve), [Offered(1)]);
        assert_eq!(rig.feed(us(1), comes_back), []);
        assert_eq!(rig.drain(us(2), 4), [3, 1, 4, 2], "{on_give_up:?}");
    }
}

/// After the node was down no flow owes anything.
#[test]
fn a_queue_that_was_emptied_begins_anew() {
    use super::rig::Do::{Flush, Serve};
    let mut rig = Rig::new(fq());
    put(&mut rig, 1, &[1500; 2]);
    rig.feed(us(1), Serve);
    rig.feed(us(1), Flush);
    put_at(&mut rig, 2, 1, &[1500]);
    put_at(&mut rig, 2, 2, &[1500]);
    assert_eq!(rig.drain(us(3), 2), [3, 4]);
}

#[test]
fn turns_that_end_while_another_flow_waits_are_counted() {
    let mut rig = Rig::new(fq());
    put(&mut rig, 1, &[1500; 3]);
    rig.drain(us(1), 3);
    assert_eq!(rig.queue.counters(us(1)).turns, 0, "it is alone");
    let mut rig = Rig::new(fq());
    put(&mut rig, 1, &[1500; 2]);
    put(&mut rig, 2, &[1500; 2]);
    rig.drain(us(1), 4);
    assert_eq!(rig.queue.counters(us(1)).turns, 3);
}
