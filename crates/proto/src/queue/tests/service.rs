//! Whose turn it is: first in first out, deficit round robin, classes, routing ahead of data.

use super::rig::{Answer::*, Do::*, Rig};
use crate::queue::{ClassBy, OnGiveUp, QueueConfig, RoutingOrder, Service};
use crate::testing::{timeline, us};
use crate::units::{Bytes, Dur};
use crate::wire::Absorbed;

fn drr(quantum: u32) -> QueueConfig {
    QueueConfig { service: Service::Drr, quantum: Bytes(quantum), ..QueueConfig::default() }
}

#[test]
fn fifo_serves_in_the_order_of_arrival_whatever_the_destination() {
    let mut rig = Rig::new(QueueConfig::default());
    timeline! { rig;
        at 0 us: Put(1, 1500)  => [];
        at 1 us: Put(2, 1500)  => [];
        at 2 us: Put(1, 40)    => [];
        at 3 us: Serve         => [Offered(1)];
        at 4 us: Serve         => []; // one frame out at a time
        at 5 us: Delivered     => [];
        at 5 us: Serve         => [Offered(2)];
        at 6 us: Delivered     => [];
        at 6 us: Serve         => [Offered(3)];
        at 7 us: Delivered     => [];
        at 7 us: Serve         => [];
    }
    assert!(rig.queue.is_empty());
    assert_eq!(rig.packets.ledger().handed_over, 3);
    assert_eq!(rig.queue.counters(us(7)).turns, 0);
}

//  class 1: packets 1 2 3   class 2: 4 5   class 3: 6, all of one quantum
#[test]
fn round_robin_gives_each_class_a_packet_of_a_quantum_in_turn() {
    let mut rig = Rig::new(drr(1500));
    for destination in [1, 1, 1, 2, 2, 3] {
        rig.feed(us(0), Put(destination, 1500));
    }
    assert_eq!(rig.drain(us(1), 10), [1, 4, 6, 2, 5, 3]);
    // 1, 4, 6, 2, 5 each ended a turn while others waited; the last one was alone.
    assert_eq!(rig.queue.counters(us(1)).turns, 5);
}

//  quantum 1500: class 1 (1000 B) sends 1, then 2 a turn; class 2 (500 B) sends 3 a turn
#[test]
fn what_a_turn_leaves_over_is_kept_for_the_next() {
    let mut rig = Rig::new(drr(1500));
    for _ in 0..6 {
        rig.feed(us(0), Put(1, 1000));
    }
    for _ in 0..9 {
        rig.feed(us(0), Put(2, 500));
    }
    assert_eq!(rig.drain(us(1), 9), [1, 7, 8, 9, 2, 3, 10, 11, 12]);
}

#[test]
fn classes_share_bytes_not_packets() {
    for (quantum, sizes) in [(1500, [1500, 100]), (1500, [700, 300]), (500, [1500, 40]), (250, [1500, 1499])]
    {
        let mut rig = Rig::new(QueueConfig { limit: 10_000, ..drr(quantum) });
        let mut bytes = [0u64; 2];
        let mut waiting = [0u32; 2];
        let mut class_of = vec![0usize];
        for _ in 0..3000 {
            for class in 0..2 {
                while waiting[class] < 2 {
                    rig.feed(us(1), Put(class as u32 + 1, sizes[class]));
                    class_of.push(class);
                    waiting[class] += 1;
                }
            }
            for number in rig.drain(us(1), 1) {
                let class = class_of[number as usize];
                bytes[class] += u64::from(sizes[class]);
                waiting[class] -= 1;
            }
        }
        // Shreedhar and Varghese, theorem 1: within three quanta or largest packets of each other at any time.
        let bound = 3 * 1500u64.max(u64::from(quantum));
        assert!(bytes[0].abs_diff(bytes[1]) <= bound, "{quantum} {sizes:?}: {bytes:?}");
    }
}

#[test]
fn a_quantum_below_the_packet_size_takes_several_turns() {
    let mut rig = Rig::new(drr(500));
    for _ in 0..2 {
        rig.feed(us(0), Put(1, 1500));
    }
    for _ in 0..6 {
        rig.feed(us(0), Put(2, 500));
    }
    assert_eq!(rig.drain(us(1), 8), [3, 4, 1, 5, 6, 7, 2, 8]);
}

#[test]
fn a_class_that_falls_empty_loses_its_deficit() {
    let mut rig = Rig::new(drr(1500));
    rig.feed(us(0), Put(1, 100));
    rig.feed(us(0), Put(2, 1500));
    assert_eq!(rig.drain(us(1), 1), [1]); // 1400 bytes of deficit are gone
    for _ in 0..20 {
        rig.feed(us(2), Put(1, 150));
    }
    rig.feed(us(2), Put(2, 1500));
    assert_eq!(rig.drain(us(3), 12), [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 23]);
}

//  quantum 1500, ACKs of 40 bytes: 37 a turn, and 25 where the routing agent adds 20
#[test]
fn what_the_routing_agent_adds_counts_for_the_turn() {
    for (header, acks) in [(0, 37), (20, 25)] {
        let mut rig = Rig::with_header(drr(1500), header);
        for _ in 0..45 {
            rig.feed(us(0), Put(1, 40));
        }
        rig.feed(us(0), Put(2, 1000));
        let order = rig.drain(us(1), 46);
        assert_eq!(order.iter().position(|&number| number == 46), Some(acks), "header of {header} bytes");
    }
}

// Class 1 has one packet, and its next arrives while that is on the air: class 2 waits already and goes first. A packet
// that may be kept (persistent queue) stays at the head of its class until it is through, so the turn goes on.
#[test]
fn a_packet_on_the_air_does_not_hold_its_class_in_the_round() {
    for (on_give_up, order) in [(OnGiveUp::Drop, [2, 3]), (OnGiveUp::Keep, [3, 2])] {
        let mut rig = Rig::new(QueueConfig { on_give_up, ..drr(1500) });
        timeline! { rig;
            at 0 us: Put(1, 100)  => [];
            at 1 us: Serve        => [Offered(1)];
            at 2 us: Put(2, 1500) => [];
            at 3 us: Put(1, 100)  => [];
            at 4 us: Delivered    => [];
        }
        assert_eq!(rig.drain(us(5), 2), order, "{on_give_up:?}");
    }
}

// Two classes with lengths of 60 to 1520 bytes on a link of 1 Mb/s, nearly loaded.
#[test]
fn packets_leave_in_the_order_in_which_they_leave_ns2() {
    let measured = include_str!("../../../../../studies/validation/ns2-drr.csv");
    let rows = measured.lines().filter(|line| !line.starts_with('#')).skip(1);
    let arrivals: Vec<[u64; 4]> = rows
        .map(|line| {
            let mut cells = line.split(',').map(|cell| cell.parse().expect("a number"));
            std::array::from_fn(|_| cells.next().expect("four columns"))
        })
        .collect();
    let mut rig = Rig::new(QueueConfig { limit: 1000, ..drr(1500) });
    let (mut left, mut busy) = (Vec::new(), None);
    let mut serve = |rig: &mut Rig, from: u64, busy: &mut Option<u64>| {
        if let [Offered(number)] = rig.feed(us(from), Serve)[..] {
            left.push(number);
            *busy = Some(from + arrivals[number as usize - 1][2] * 8);
        }
    };
    for &[at, class, bytes, _] in &arrivals {
        while let Some(end) = busy.take_if(|end| *end < at) {
            rig.feed(us(end), Delivered);
            serve(&mut rig, end, &mut busy);
        }
        rig.feed(us(at), Put(class as u32, bytes as u32));
        if busy.is_none() {
            serve(&mut rig, at, &mut busy);
        }
    }
    while let Some(end) = busy.take() {
        rig.feed(us(end), Delivered);
        serve(&mut rig, end, &mut busy);
    }
    let mut expected: Vec<u64> = (1..=arrivals.len() as u64).collect();
    expected.sort_by_key(|&number| arrivals[number as usize - 1][3]);
    assert_eq!(left, expected);
}

// A frame that comes back (a peer that may not be spoken to now) has used nothing of its class' turn: of 1500 bytes,
// 1000 are for packet 1, and 500 are left for packet 3 of the same class.
#[test]
fn a_frame_that_comes_back_gives_its_deficit_back() {
    for more in [false, true] {
        let mut rig = Rig::new(drr(1500));
        rig.feed(us(0), Put(1, 1000));
        rig.feed(us(0), Put(2, 1500));
        if more {
            rig.feed(us(0), Put(1, 500));
        }
        timeline! { rig;
            at 1 us: Serve => [Offered(1)];
            at 2 us: Held  => [];
        }
        let expected: &[u64] = if more { &[2, 1, 3] } else { &[2, 1] };
        assert_eq!(rig.drain(us(3), 3), expected);
        assert!(rig.queue.is_empty());
    }
}

#[test]
fn classes_are_made_by_destination_next_hop_or_flow() {
    // flow, destination, next hop
    let packets = [(1, 5, 9), (1, 5, 9), (2, 5, 8), (2, 6, 8)];
    for (class_by, order) in [
        (ClassBy::Destination, [1, 4, 2, 3]),
        (ClassBy::NextHop, [1, 3, 2, 4]),
        (ClassBy::Flow, [1, 3, 2, 4]),
    ] {
        let mut rig = Rig::new(QueueConfig { class_by, ..drr(1500) });
        for (flow, destination, next_hop) in packets {
            rig.put(flow, destination, next_hop, 1500);
        }
        assert_eq!(rig.drain(us(1), 4), order, "{class_by:?}");
    }
}

#[test]
fn the_two_directions_of_a_flow_are_two_classes() {
    let mut rig = Rig::new(QueueConfig { class_by: ClassBy::Flow, ..drr(100) });
    timeline! { rig;
        at 0 us: PutData(0) => [];
        at 0 us: PutData(0) => [];
        at 0 us: PutAck     => [];
        at 0 us: PutAck     => [];
    }
    assert_eq!(rig.drain(us(1), 4), [1, 3, 4, 2]);
}

#[test]
fn routing_messages_go_first_where_the_configuration_says_so() {
    for (routing_priority, order) in [(true, [1, 3, 2]), (false, [1, 2, 3])] {
        let mut rig = Rig::new(QueueConfig { routing_priority, ..QueueConfig::default() });
        rig.feed(us(0), Put(1, 1500));
        rig.feed(us(0), Put(1, 1500));
        timeline! { rig;
            at 1 us: Serve      => [Offered(1)]; // what is on its way stays
            at 2 us: PutRouting => [];
            at 3 us: Delivered  => [];
        }
        assert_eq!(rig.drain(us(4), 2), order[1..]);
        let ledger = rig.packets.ledger();
        assert_eq!(ledger.absorbed[Absorbed::Broadcast as usize], 1, "the sender's own copy ends when sent");
        assert_eq!(ledger.handed_over, 2);
    }
}

/// ns-2's `PriQueue` puts each at the head, but not before what the MAC has.
#[test]
fn routing_messages_go_last_come_first_where_the_configuration_says_so() {
    for (routing_order, order) in [(RoutingOrder::Fifo, [3, 4, 1]), (RoutingOrder::Lifo, [4, 3, 1])] {
        let mut rig = Rig::new(QueueConfig { routing_order, ..QueueConfig::default() });
        rig.feed(us(0), Put(1, 1500));
        timeline! { rig;
            at 0 us: PutRouting => [];
            at 1 us: Serve      => [Offered(2)];
            at 2 us: PutRouting => [];
            at 3 us: PutRouting => [];
            at 4 us: Delivered  => [];
        }
        assert_eq!(rig.drain(us(5), 3), order, "{routing_order:?}");
    }
}

#[test]
fn a_broadcast_that_is_sent_is_absorbed_and_a_unicast_handed_over() {
    let mut rig = Rig::new(QueueConfig::default());
    rig.put(0, crate::units::NodeId::BROADCAST.0, crate::units::NodeId::BROADCAST.0, 100);
    rig.drain(us(1), 1);
    assert_eq!(rig.packets.ledger().absorbed[Absorbed::Broadcast as usize], 1);
}

//  0        10       30        40
//  | 1 held | 2 held | 1 held  | none
#[test]
fn occupancy_is_measured_over_time() {
    let mut rig = Rig::new(QueueConfig::default());
    timeline! { rig;
        at 0 us:  Put(1, 1500) => [];
        at 10 us: Put(1, 1500) => [];
        at 10 us: Serve        => [Offered(1)];
        at 30 us: Delivered    => [];
        at 30 us: Serve        => [Offered(2)];
        at 40 us: Delivered    => [];
    }
    let counters = rig.queue.counters(us(100));
    assert_eq!(counters.occupancy, (10 + 2 * 20 + 10) * 1000);
    assert_eq!(counters.backlogged, Dur::from_us(40));
}
