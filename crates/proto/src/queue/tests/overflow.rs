//! What happens when the memory is full, when it has room again, and when the node goes down.

use super::rig::{Answer::*, Do::*, Rig};
use crate::contract::Backlog;
use crate::queue::{LimitRule, OnGiveUp, Overflow, QueueConfig, Service};
use crate::testing::timeline;
use crate::wire::DropReason::{NodeDown, QueueFull};

fn config(limit: u32, overflow: Overflow) -> QueueConfig {
    QueueConfig { limit, overflow, service: Service::Drr, ..QueueConfig::default() }
}

#[test]
fn one_class_drops_its_tail_under_both_rules() {
    for overflow in [Overflow::TailOfLongest, Overflow::Arriving] {
        let mut rig = Rig::new(QueueConfig { limit: 2, overflow, ..QueueConfig::default() });
        timeline! { rig;
            at 0 us: Put(1, 100) => [];
            at 0 us: Put(2, 100) => [];
            at 0 us: Put(3, 100) => [Dropped(3, QueueFull)];
            at 1 us: Serve       => [Space, Offered(1)]; // the frame in service does not count
            at 1 us: Put(4, 100) => [];
            at 1 us: Put(5, 100) => [Dropped(5, QueueFull)];
        }
        assert_eq!((rig.queue.length(), rig.queue.free(), rig.queue.held().count()), (2, 0, 3));
    }
}

#[test]
fn a_full_memory_takes_from_the_longest_class_or_refuses_the_newcomer() {
    let mut longest = Rig::new(config(4, Overflow::TailOfLongest));
    timeline! { longest;
        at 0 us: Put(1, 100) => [];
        at 0 us: Put(1, 100) => [];
        at 0 us: Put(1, 100) => [];
        at 0 us: Put(2, 100) => [];
        at 0 us: Put(2, 100) => [Dropped(3, QueueFull)];
        at 0 us: Put(1, 100) => [Dropped(6, QueueFull)];
    }
    let mut arriving = Rig::new(config(4, Overflow::Arriving));
    timeline! { arriving;
        at 0 us: Put(1, 100) => [];
        at 0 us: Put(1, 100) => [];
        at 0 us: Put(1, 100) => [];
        at 0 us: Put(2, 100) => [];
        at 0 us: Put(2, 100) => [Dropped(5, QueueFull)];
        at 0 us: Put(3, 100) => [Dropped(6, QueueFull)];
    }
}

#[test]
fn the_frame_in_service_is_never_the_victim() {
    // All classes hold one packet, and the first of them is on the air.
    let mut rig = Rig::new(config(2, Overflow::TailOfLongest));
    timeline! { rig;
        at 0 us: Put(1, 100) => [];
        at 0 us: Serve       => [Offered(1)];
        at 0 us: Put(2, 100) => [];
        at 0 us: Put(3, 100) => [];
        at 0 us: Put(4, 100) => [Dropped(2, QueueFull)];
        at 1 us: Delivered   => [];
        at 1 us: Serve       => [Space, Offered(3)];
    }
    let mut keeping =
        Rig::new(QueueConfig { on_give_up: OnGiveUp::Keep, ..config(1, Overflow::TailOfLongest) });
    timeline! { keeping;
        at 0 us: Put(1, 100) => [];
        at 0 us: Serve       => [Offered(1)]; // it stays in memory, so the memory is full
        at 0 us: Put(2, 100) => [Dropped(2, QueueFull)];
        at 0 us: Put(1, 100) => [Dropped(3, QueueFull)];
        at 1 us: GaveUp      => [];
        at 1 us: Serve       => [Again(1)];
    }
}

#[test]
fn a_routing_message_pushes_data_out() {
    for overflow in [Overflow::TailOfLongest, Overflow::Arriving] {
        let mut rig = Rig::new(config(2, overflow));
        timeline! { rig;
            at 0 us: Put(1, 100)  => [];
            at 0 us: Put(1, 100)  => [];
            at 0 us: PutRouting   => [Dropped(2, QueueFull)];
            at 0 us: PutRouting   => [Dropped(1, QueueFull)];
            at 0 us: PutRouting   => [Dropped(5, QueueFull)]; // nothing but routing is left
            at 1 us: Serve        => [Space, Offered(3)];
        }
    }
}

//  limit 2: full at 2 us; there is room at 4 us, when the next frame is in service
/// What waits for room hears of it at once. By the next outcome it may have gone again to one that did not wait.
#[test]
fn space_is_told_once_after_the_queue_has_been_full() {
    let mut rig = Rig::new(QueueConfig { limit: 2, ..QueueConfig::default() });
    timeline! { rig;
        at 0 us: Put(1, 100)  => [];
        at 0 us: Serve        => [Offered(1)];
        at 1 us: Put(1, 100)  => [];
        at 2 us: Put(1, 100)  => []; // full, though nothing was lost
        at 4 us: Delivered    => [];
        at 4 us: Serve        => [Space, Offered(2)];
        at 5 us: Put(1, 100)  => []; // full again
        at 6 us: Delivered    => [];
        at 6 us: Serve        => [Space, Offered(3)];
        at 8 us: Delivered    => [];
        at 8 us: Serve        => [Offered(4)];
    }
}

#[test]
fn everything_is_lost_when_the_node_goes_down() {
    let mut rig = Rig::new(QueueConfig { service: Service::Drr, ..QueueConfig::default() });
    timeline! { rig;
        at 0 us: Put(1, 100) => [];
        at 0 us: Put(2, 100) => [];
        at 0 us: PutRouting  => [];
        at 0 us: Serve       => [Offered(3)];
        at 1 us: Flush       => [Dropped(3, NodeDown), Dropped(1, NodeDown), Dropped(2, NodeDown)];
        at 2 us: Delivered   => []; // an outcome that comes too late
        at 3 us: Serve       => [];
        at 4 us: Put(2, 100) => [];
        at 5 us: Serve       => [Offered(4)];
    }
    assert_eq!(rig.packets.live(), 1);
}

//  limit 2: full at 3 us again, since the frame in service waits again
#[test]
fn space_is_told_after_a_packet_that_came_back_has_filled_the_queue() {
    let script = |mut rig: Rig| {
        timeline! { rig;
            at 0 us: Put(1, 100)  => [];
            at 0 us: Serve        => [Offered(1)];
            at 1 us: Put(1, 100)  => [];
            at 3 us: Held         => [];
            at 4 us: Serve        => [Space, Offered(1)];
        }
    };
    script(Rig::new(QueueConfig { limit: 2, ..QueueConfig::default() }));
    script(Rig::taking(QueueConfig { limit: 2, ..QueueConfig::default() }));
}

/// What it says after a restart is of what has happened since.
#[test]
fn a_queue_that_was_full_before_a_restart_tells_of_no_room() {
    let mut rig = Rig::new(QueueConfig { limit: 2, ..QueueConfig::default() });
    timeline! { rig;
        at 0 us: Put(1, 100) => [];
        at 0 us: Put(1, 100) => [];
        at 1 us: Flush       => [Dropped(1, NodeDown), Dropped(2, NodeDown)];
        at 2 us: Put(1, 100) => [];
        at 3 us: Serve       => [Offered(3)];
        at 4 us: Delivered   => [];
    }
}

//  limit 3, "below": two wait beside the one in service
/// ns-2's DropTail.
#[test]
fn below_its_limit_a_queue_holds_one_packet_less() {
    let config = QueueConfig { limit: 3, limit_rule: LimitRule::Below, ..QueueConfig::default() };
    let mut rig = Rig::new(config);
    timeline! { rig;
        at 0 us: Put(1, 100)  => [];
        at 0 us: Serve        => [Offered(1)];
        at 1 us: Put(1, 100)  => [];
        at 1 us: Put(1, 100)  => [];
        at 1 us: Put(1, 100)  => [Dropped(4, QueueFull)];
        at 2 us: Delivered    => [];
        at 2 us: Serve        => [Space, Offered(2)];
        at 2 us: Put(1, 100)  => [];
    }
    assert_eq!((rig.queue.free(), rig.queue.length()), (0, 2));
}

//  limit 3, "in-service": two wait beside the one in service, and there is room when that has come to its end
/// ns-3's WifiMacQueue.
#[test]
fn packets_in_service_may_count() {
    let config = QueueConfig { limit: 3, limit_rule: LimitRule::InService, ..QueueConfig::default() };
    let mut rig = Rig::new(config.clone());
    timeline! { rig;
        at 0 us: Put(1, 100)  => [];
        at 0 us: Serve        => [Offered(1)];
        at 1 us: Put(1, 100)  => [];
        at 1 us: Put(1, 100)  => [];
        at 1 us: Put(1, 100)  => [Dropped(4, QueueFull)];
        at 2 us: Delivered    => [Space];
        at 2 us: Serve        => [Offered(2)];
        at 2 us: Put(1, 100)  => [];
        at 2 us: Put(1, 100)  => [Dropped(6, QueueFull)];
    }
    let mut rig = Rig::taking(config);
    timeline! { rig;
        at 0 us: Put(1, 100)  => [];
        at 0 us: Put(1, 100)  => [];
        at 0 us: Serve        => [Offered(1)];
        at 0 us: Serve        => [Offered(2)];
        at 1 us: Put(1, 100)  => [];
        at 1 us: Put(1, 100)  => [Dropped(4, QueueFull)];
        at 2 us: Delivered    => [Space];
        at 2 us: Put(1, 100)  => [];
        at 2 us: Put(1, 100)  => [Dropped(6, QueueFull)];
    }
}

/// Where bytes are counted a long packet takes the place of as many short ones as it needs.
#[test]
fn a_long_packet_takes_the_place_of_several_short_ones() {
    use crate::units::Bytes;
    let mut rig =
        Rig::new(QueueConfig { limit_bytes: Some(Bytes(3000)), ..config(100, Overflow::TailOfLongest) });
    for _ in 0..6 {
        rig.feed(crate::testing::us(0), Put(1, 500));
    }
    timeline! { rig;
        at 1 us: Put(2, 1500) => [Dropped(6, QueueFull), Dropped(5, QueueFull), Dropped(4, QueueFull)];
    }
    assert_eq!((rig.queue.length(), rig.queue.free()), (4, 0));
    assert_eq!(rig.drain(crate::testing::us(2), 1).len(), 1);
    assert_eq!(rig.queue.free(), 0, "500 bytes are less than a packet of 1500");
}
