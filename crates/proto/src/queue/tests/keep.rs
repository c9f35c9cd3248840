//! The persistent queue (Ohzahata and Kawashima, section 2): what the MAC gives up stays.
//!
//! Claims OZ-HEAD ("the head packet is tried again at the queue's next turn") and OZ-ORDER ("link errors never
//! reorder packets and no packet is lost on a link").

use super::rig::{Answer::*, Do::*, Rig};
use crate::queue::{OnGiveUp, QueueConfig, Service};
use crate::testing::{timeline, us};
use crate::units::{Bytes, NodeId};
use crate::wire::DropReason::RetryLimitRts;

fn keeping() -> QueueConfig {
    QueueConfig { service: Service::Drr, on_give_up: OnGiveUp::Keep, ..QueueConfig::default() }
}

#[test]
fn without_the_rule_a_frame_that_is_given_up_is_lost() {
    let mut rig = Rig::new(QueueConfig { service: Service::Drr, ..QueueConfig::default() });
    timeline! { rig;
        at 0 us: Put(1, 1500) => [];
        at 0 us: Put(2, 1500) => [];
        at 0 us: Serve        => [Offered(1)];
        at 1 us: GaveUp       => [Dropped(1, RetryLimitRts)];
        at 1 us: Serve        => [Offered(2)];
    }
    assert_eq!(rig.queue.counters(us(1)).kept, 0);
}

//  class 1: 1 2    class 2: 3 4
//  | 1 fails | 3 | 1 again | 4 | 2
#[test]
fn the_head_stays_and_the_next_class_is_served() {
    let mut rig = Rig::new(keeping());
    for destination in [1, 1, 2, 2] {
        rig.feed(us(0), Put(destination, 1500));
    }
    timeline! { rig;
        at 1 us: Serve     => [Offered(1)];
        at 2 us: GaveUp    => [];
        at 2 us: Serve     => [Offered(3)];
        at 3 us: Delivered => [];
        at 3 us: Serve     => [Again(1)];
        at 4 us: Delivered => [];
        at 4 us: Serve     => [Offered(4)];
        at 5 us: Delivered => [];
        at 5 us: Serve     => [Offered(2)];
        at 6 us: Delivered => [];
    }
    let counters = rig.queue.counters(us(6));
    assert_eq!((counters.kept, counters.turns), (1, 4));
}

#[test]
fn a_class_alone_is_tried_again_at_once_and_without_end() {
    let mut rig = Rig::new(keeping());
    rig.feed(us(0), Put(1, 1500));
    rig.feed(us(0), Put(1, 1500));
    assert_eq!(rig.feed(us(0), Serve), [Offered(1)]);
    for round in 1..200 {
        assert_eq!(rig.feed(us(round), GaveUp), []);
        assert_eq!(rig.feed(us(round), Serve), [Again(1)]);
    }
    rig.feed(us(200), Delivered);
    assert_eq!(rig.feed(us(200), Serve), [Offered(2)]);
    assert_eq!(rig.queue.counters(us(200)).kept, 199);
}

/// A failed turn consumes no deficit: the class may still send what its quantum allows, and no more.
#[test]
fn a_failed_turn_consumes_no_deficit() {
    let mut rig = Rig::new(QueueConfig { quantum: Bytes(1000), ..keeping() });
    for _ in 0..4 {
        rig.feed(us(0), Put(1, 500));
    }
    for _ in 0..4 {
        rig.feed(us(0), Put(2, 500));
    }
    timeline! { rig;
        at 1 us: Serve     => [Offered(1)];
        at 2 us: GaveUp    => []; // 1000 bytes of deficit stay
        at 2 us: Serve     => [Offered(5)];
        at 3 us: Delivered => [];
        at 3 us: Serve     => [Offered(6)];
        at 4 us: Delivered => [];
        at 4 us: Serve     => [Again(1)]; // and no second quantum comes on top of them
        at 5 us: Delivered => [];
        at 5 us: Serve     => [Offered(2)];
        at 6 us: Delivered => [];
        at 6 us: Serve     => [Offered(7)];
    }
}

#[test]
fn order_within_a_class_never_changes_whatever_fails() {
    let mut rig = Rig::new(keeping());
    for number in 0..40 {
        rig.feed(us(0), Put(1 + number % 3, 100 + 333 * (number % 4)));
    }
    let mut served = Vec::new();
    for round in 1..10_000u64 {
        let offered = rig.feed(us(round), Serve);
        let &[Offered(number) | Again(number)] = &offered[..] else { break };
        // A fixed, irregular pattern of failures.
        if round.wrapping_mul(0x9e37_79b9) % 7 < 4 {
            rig.feed(us(round), GaveUp);
        } else {
            rig.feed(us(round), Delivered);
            served.push(number);
        }
    }
    assert_eq!(served.len(), 40, "no packet is lost on a link");
    for class in 0..3 {
        let of_class: Vec<_> = served.iter().filter(|&&number| (number - 1) % 3 == class).collect();
        assert!(of_class.is_sorted(), "{of_class:?}");
    }
}

#[test]
fn a_keep_limit_ends_in_a_drop() {
    let mut rig = Rig::new(QueueConfig { keep_limit: Some(2), ..keeping() });
    timeline! { rig;
        at 0 us: Put(1, 100) => [];
        at 0 us: Put(1, 100) => [];
        at 0 us: Serve       => [Offered(1)];
        at 1 us: GaveUp      => [];
        at 1 us: Serve       => [Again(1)];
        at 2 us: GaveUp      => [];
        at 2 us: Serve       => [Again(1)];
        at 3 us: GaveUp      => [Dropped(1, RetryLimitRts)];
        at 3 us: Serve       => [Offered(2)];
    }
}

#[test]
fn a_frame_that_was_held_stays_untouched_and_the_next_class_is_served() {
    let mut rig = Rig::new(QueueConfig { service: Service::Drr, ..QueueConfig::default() });
    timeline! { rig;
        at 0 us: Put(1, 100) => [];
        at 0 us: Put(2, 100) => [];
        at 0 us: Serve       => [Offered(1)];
        at 1 us: Held        => [];
        at 1 us: Serve       => [Offered(2)];
        at 2 us: Held        => [];
        at 2 us: Serve       => [Offered(1)];
    }
    assert_eq!(rig.queue.counters(us(2)).kept, 0);
}

/// A routing message that the MAC gives up goes behind its like.
#[test]
fn kept_routing_messages_take_turns() {
    let mut rig = Rig::new(keeping());
    timeline! { rig;
        at 0 us: PutRouting  => [];
        at 0 us: PutRouting  => [];
        at 0 us: Serve       => [Offered(1)];
        at 1 us: GaveUp      => [];
        at 1 us: Serve       => [Offered(2)];
        at 2 us: Delivered   => [];
        at 2 us: Serve       => [Again(1)];
    }
}

/// The next hop of a kept frame is looked up again, and the queue remembers the new one.
#[test]
fn the_frame_in_service_can_be_readdressed() {
    let mut rig = Rig::new(keeping());
    let packet = rig.put(0, 1, 1, 100);
    assert_eq!(rig.queue.in_service(packet).map(|(to, _)| to), None, "not in service");
    rig.feed(us(0), Serve);
    assert_eq!(rig.queue.in_service(packet).map(|(to, _)| to), Some(NodeId(1)));
    rig.queue.readdress(packet, NodeId(9), Bytes(120));
    assert_eq!(rig.queue.in_service(packet).map(|(to, _)| to), Some(NodeId(9)));
}

//  class 1: 1    class 2: 2    routing: 3
/// A routing message that comes back untried costs no class its turn.
#[test]
fn a_held_routing_message_leaves_the_classes_where_they_are() {
    let mut rig = Rig::new(keeping());
    timeline! { rig;
        at 0 us: Put(1, 1500) => [];
        at 0 us: Put(2, 1500) => [];
        at 0 us: PutRouting   => [];
        at 0 us: Serve        => [Offered(3)];
        at 1 us: Held         => [];
        at 1 us: Serve        => [Offered(3)];
        at 2 us: Delivered    => [];
        at 2 us: Serve        => [Offered(1)];
        at 3 us: Delivered    => [];
    }
    assert_eq!(rig.queue.counters(us(3)).turns, 1);
}
