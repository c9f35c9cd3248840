//! Classes by kind, strict priority, and a limit for each class: with 50 each the `CMUPriQueue` of ns-2's DSR.

use super::rig::{Answer::*, Do::*, Rig};
use crate::queue::{ClassBy, OnGiveUp, QueueConfig, Service};
use crate::testing::{timeline, us};
use crate::wire::DropReason::QueueFull;

fn config(class_limit: Option<u32>) -> QueueConfig {
    QueueConfig { service: Service::Priority, class_by: ClassBy::Kind, class_limit, ..QueueConfig::default() }
}

// Whatever comes first, routing goes before signals, those before ACKs, and those before all else.
#[test]
fn the_first_class_by_rank_goes_first() {
    let mut rig = Rig::new(config(None));
    timeline! { rig;
        at 0 us: Put(1, 1500) => [];
        at 0 us: Serve        => [Offered(1)];
        at 1 us: PutData(0)   => [];
        at 1 us: Put(1, 100)  => [];
        at 1 us: PutAck       => [];
        at 1 us: PutSignal    => [];
        at 1 us: PutRouting   => [];
        at 2 us: Delivered    => []; // what is in service stays there
    }
    assert_eq!(rig.drain(us(3), 5), [6, 5, 4, 2, 3]);
    assert!(rig.queue.is_empty());
}

// Class limit 2: the frame in service does not count, another class is not concerned, and the arriving packet is lost.
#[test]
fn a_class_has_a_limit_of_its_own() {
    let mut rig = Rig::new(config(Some(2)));
    timeline! { rig;
        at 0 us: Put(1, 100) => [];
        at 0 us: Put(1, 100) => [];
        at 0 us: Put(1, 100) => [Dropped(3, QueueFull)];
        at 0 us: Serve       => [Offered(1)];
        at 1 us: Put(1, 100) => [];
        at 1 us: Put(1, 100) => [Dropped(5, QueueFull)];
        at 1 us: PutAck      => [];
        at 1 us: PutAck      => [];
        at 1 us: PutAck      => [Dropped(8, QueueFull)];
        at 1 us: PutRouting  => [];
        at 1 us: PutRouting  => [];
        at 1 us: PutRouting  => [Dropped(11, QueueFull)];
        at 2 us: Delivered   => [];
    }
    assert_eq!(rig.drain(us(3), 9), [9, 10, 6, 7, 2, 4]);
    let mut drr = Rig::new(QueueConfig { service: Service::Drr, class_limit: Some(1), ..config(None) });
    timeline! { drr;
        at 0 us: Put(1, 100) => [];
        at 0 us: Put(2, 100) => [Dropped(2, QueueFull)]; // of one kind
        at 0 us: PutAck      => [];
        at 1 us: Serve       => [Offered(1)];
        at 2 us: Delivered   => [];
        at 2 us: Serve       => [Offered(3)];
    }
}

#[test]
fn a_head_that_is_kept_or_held_keeps_its_rank() {
    let mut rig = Rig::new(QueueConfig { on_give_up: OnGiveUp::Keep, ..config(None) });
    timeline! { rig;
        at 0 us: PutAck      => [];
        at 0 us: Put(1, 100) => [];
        at 0 us: Serve       => [Offered(1)];
        at 1 us: GaveUp      => [];
        at 1 us: Serve       => [Again(1)];
        at 2 us: Held        => [];
        at 2 us: PutRouting  => [];
        at 2 us: Serve       => [Offered(3)];
        at 3 us: Delivered   => [];
        at 3 us: Serve       => [Again(1)];
    }
}

#[test]
fn only_kinds_have_ranks() {
    let wrong = QueueConfig { class_by: ClassBy::Flow, ..config(None) }.check().expect_err("no ranks");
    assert_eq!(wrong.key, "class-by");
    config(Some(50)).check().expect("it can be used");
}
