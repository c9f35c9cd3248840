//! What the MAC holds back, what routing takes out, and what the MAC reads of the queue.

use super::rig::{Answer::*, Do::*, Rig};
use crate::contract::{Backlog, Head, Hold};
use crate::queue::{AqmBy, AqmKind, ClassBy, CoDelConfig, Input, Overflow, QueueConfig, Service};
use crate::testing::{cx, timeline, udp, us};
use crate::units::{Bytes, Dur, FlowId, NodeId, SimTime};
use crate::wire::DropReason::{EarlyDrop, NodeDown, QueueFull};

const NEVER: SimTime = SimTime::MAX;

/// A class for each next hop, which take turns.
fn turns(service: Service) -> QueueConfig {
    QueueConfig { service, class_by: ClassBy::NextHop, ..QueueConfig::default() }
}

fn hold(rig: &mut Rig, neighbour: u32, until: u64) {
    rig.queue.hold(Hold::Neighbour(NodeId(neighbour), us(until)));
}

#[test]
fn while_a_neighbour_is_held_the_others_go_first() {
    for service in [Service::Drr, Service::Fq] {
        let mut rig = Rig::new(turns(service));
        timeline! { rig;
            at 0 us: Put(1, 100) => [];
            at 0 us: Put(2, 100) => [];
            at 0 us: Put(2, 100) => [];
        }
        hold(&mut rig, 1, 10);
        assert_eq!((rig.queue.hold_ends(us(1)), rig.queue.hold_ends(us(10))), (us(10), NEVER));
        timeline! { rig;
            at 1 us:  Serve     => [Offered(2)];
            at 1 us:  Delivered => [];
            at 2 us:  Serve     => [Offered(3)];
            at 2 us:  Delivered => [];
            at 3 us:  Put(1, 100) => []; // held as well
            at 9 us:  Serve     => [];
            at 10 us: Serve     => [Offered(1)];
        }
    }
}

/// Without turns, and with the MAC serving another frame: the first class that is not held.
#[test]
fn a_held_class_is_passed_over_in_any_order_of_service() {
    for service in [Service::Priority, Service::Drr, Service::Fq] {
        let mut rig = Rig::new(turns(service));
        timeline! { rig;
            at 0 us: Put(1, 100) => [];
            at 0 us: Put(2, 100) => [];
            at 0 us: Put(3, 100) => [];
        }
        hold(&mut rig, 2, 10);
        timeline! { rig;
            at 1 us:  Serve => [Offered(1)];
            at 1 us:  Serve => [Offered(3)]; // beside it
            at 1 us:  Serve => [];
            at 10 us: Serve => [Offered(2)];
        }
    }
}

#[test]
fn a_new_hold_of_a_neighbour_takes_the_place_of_the_old_one() {
    let mut rig = Rig::new(turns(Service::Drr));
    rig.feed(us(0), Put(1, 100));
    rig.feed(us(0), Put(2, 100));
    for (neighbour, until) in [(1, 10), (2, 6), (1, 5)] {
        hold(&mut rig, neighbour, until);
    }
    timeline! { rig;
        at 4 us: Serve     => [];
        at 5 us: Serve     => [Offered(1)];
        at 5 us: Delivered => [];
        at 5 us: Serve     => [];
        at 6 us: Serve     => [Offered(2)];
    }
}

#[test]
fn a_new_hold_of_a_packet_takes_the_place_of_the_old_one() {
    let mut rig = Rig::new(turns(Service::Drr));
    let packet = rig.put(1, 1, 1, 100);
    let other = rig.put(2, 2, 2, 100);
    for (packet, until) in [(packet, 20), (other, 30), (packet, 10)] {
        rig.queue.hold(Hold::Packet(packet, us(until)));
    }
    assert_eq!(rig.queue.hold_ends(us(7)), us(10));
    timeline! { rig;
        at 9 us:  Serve => [];
        at 10 us: Serve => [Offered(1)];
        at 29 us: Serve => [];
        at 30 us: Serve => [Offered(2)];
    }
}

/// A hold is of a packet, not of its number: the next packet of that number is free.
#[test]
fn the_hold_of_a_packet_ends_with_it() {
    let config = QueueConfig { limit: 2, overflow: Overflow::TailOfLongest, ..turns(Service::Drr) };
    let mut rig = Rig::new(config);
    rig.put(1, 1, 1, 100);
    let lost = rig.put(1, 1, 1, 100);
    rig.queue.hold(Hold::Packet(lost, us(100)));
    rig.feed(us(0), Put(2, 100)); // the second of the longer class makes room for it
    assert_eq!(rig.feed(us(1), Serve), [Space, Offered(1)]);
    let packet = udp(&mut rig.packets, FlowId(3), NodeId(3), 0, 100);
    assert_eq!(packet, lost, "its number comes again");
    rig.handle(us(1), Input::Enqueue { packet, to: NodeId(3) });
    rig.feed(us(2), Delivered);
    assert_eq!(rig.drain(us(2), 2), [3, 4]);

    let mut down = Rig::new(turns(Service::Drr));
    down.feed(us(0), Put(1, 100));
    hold(&mut down, 1, 100);
    timeline! { down;
        at 1 us: Flush       => [Dropped(1, NodeDown)];
        at 2 us: Put(1, 100) => [];
        at 2 us: Serve       => [Offered(2)]; // what was held before is forgotten
    }
}

#[test]
fn a_held_routing_message_lets_the_next_one_go_first() {
    let mut rig = Rig::new(QueueConfig { routing_priority: true, ..QueueConfig::default() });
    rig.feed(us(0), PutRouting);
    rig.feed(us(0), PutRouting);
    let mut heads = Vec::new();
    rig.queue.each_head(&mut |head| heads.push(head));
    rig.queue.hold(Hold::Packet(heads[0].packet, us(10)));
    timeline! { rig;
        at 1 us:  Serve     => [Offered(2)];
        at 1 us:  Delivered => [];
        at 1 us:  Serve     => [];
        at 10 us: Serve     => [Offered(1)];
    }
}

/// What routing takes out for another way is offered as new there.
#[test]
fn all_for_a_next_hop_can_be_taken_out_but_the_frame_in_service() {
    let mut rig = Rig::new(turns(Service::Drr));
    let packets = [1, 1, 2, 1].map(|hop| rig.put(hop, hop, hop, 100));
    assert_eq!(rig.feed(us(1), Serve), [Offered(1)]);
    packets.iter().for_each(|&packet| rig.packets.stay_mut(packet).mac_sequence = 7);
    rig.queue.hold(Hold::Packet(packets[1], us(100)));
    let mut out = Vec::new();
    let taken = rig.queue.withdraw(&mut cx(us(2), &mut rig.packets), NodeId(1), &mut out);
    assert_eq!(taken, [packets[1], packets[3]]);
    assert!(taken.iter().all(|&packet| rig.packets.stay(packet).mac_sequence == 0));
    assert_eq!((rig.queue.length(), rig.queue.hold_ends(us(2))), (1, NEVER));
    assert_eq!(rig.feed(us(3), Delivered), []);
    assert_eq!(rig.drain(us(4), 2), [3]);
}

#[test]
fn taking_packets_out_of_a_full_queue_makes_room() {
    let overflow = Overflow::Arriving;
    let mut rig = Rig::new(QueueConfig { limit: 2, overflow, ..turns(Service::Drr) });
    timeline! { rig;
        at 0 us: Put(1, 100) => [];
        at 0 us: Put(2, 100) => [];
        at 0 us: Put(3, 100) => [Dropped(3, QueueFull)];
    }
    for (neighbour, space) in [(9, 0), (1, 1), (2, 0)] {
        let mut out = Vec::new();
        rig.queue.withdraw(&mut cx(us(1), &mut rig.packets), NodeId(neighbour), &mut out);
        assert_eq!(out.len(), space, "said once, when there is room: neighbour {neighbour}");
    }
    assert_eq!((rig.queue.length(), rig.queue.free()), (0, 2));
}

#[test]
fn the_mac_reads_the_head_of_each_class() {
    let mut rig = Rig::new(QueueConfig { routing_priority: true, ..turns(Service::Drr) });
    rig.feed(us(0), PutRouting);
    let first = rig.put(1, 1, 1, 100);
    rig.put(1, 1, 1, 200);
    let second = rig.put(2, 2, 2, 300);
    let heads = |rig: &Rig| {
        let mut heads = Vec::new();
        rig.queue.each_head(&mut |head: Head| heads.push(head));
        heads
    };
    let found = heads(&rig);
    let told: Vec<_> = found.iter().map(|it| (it.to, it.class_length, it.in_service)).collect();
    assert_eq!(told, [(NodeId::BROADCAST, 1, false), (NodeId(1), 2, false), (NodeId(2), 1, false)]);
    assert_eq!([found[1].packet, found[2].packet], [first, second]);
    assert_eq!([found[1].size, found[2].size], [Bytes(100), Bytes(300)]);
    let queue: &dyn Backlog = &rig.queue;
    assert_eq!((queue.length(), queue.free()), (4, rig.queue.free()));
    rig.drain(us(1), 1);
    assert_eq!(heads(&rig).len(), 2, "no routing message waits");
}

/// A management that looks at heads alone has a short way. It decides as the long one does, on which a neighbour that
/// is held for ever puts the queue.
#[test]
fn the_short_way_of_a_management_of_heads_is_the_long_one() {
    let codel = CoDelConfig { interval: Dur::from_ms(10), least_bytes: Bytes(0), ..CoDelConfig::default() };
    for service in [Service::Fifo, Service::Priority, Service::Drr, Service::Fq] {
        for aqm_by in [AqmBy::Queue, AqmBy::Class] {
            let config = QueueConfig { aqm: AqmKind::Codel, codel, aqm_by, limit: 20, ..turns(service) };
            let [mut short, mut long] = [Rig::new(config.clone()), Rig::new(config)];
            let (mut draw, mut dropped) = (1_u64, 0);
            for step in 0..3000 {
                draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let what = match draw >> 60 {
                    0..=5 => Put((draw >> 40) as u32 % 3 + 1, 100 + (draw >> 50) as u32 % 1400),
                    6 => PutRouting,
                    7..=11 => Serve,
                    12..=14 => Delivered,
                    _ => Flush,
                };
                if !matches!(what, Flush) || step % 4 == 0 {
                    hold(&mut long, 99, u64::MAX / 2_000); // a flush forgets it
                    let answers = short.feed(us(500 * step), what);
                    assert_eq!(
                        answers,
                        long.feed(us(500 * step), what),
                        "{service:?}, {aqm_by:?}, step {step}"
                    );
                    dropped += answers.iter().filter(|it| matches!(it, Dropped(_, EarlyDrop))).count();
                }
            }
            assert!(dropped > 10, "{service:?}, {aqm_by:?}: {dropped} of CoDel");
        }
    }
}
