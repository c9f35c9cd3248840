//! One suite over every configuration: whatever happens, every packet is waiting, handed over or dropped with a
//! reason; classes stay in order; the limit holds; no class starves.

use std::collections::HashMap;

use proptest::prelude::*;

use super::rig::{Answer, Do, Rig};
use crate::queue::{AqmKind, ClassBy, LimitRule, OnGiveUp, Overflow, QueueConfig, RedConfig, Service};
use crate::testing::us;
use crate::units::Bytes;

/// Every combination of the switches, at one limit and quantum.
fn configurations(limit: u32, quantum: u32) -> Vec<QueueConfig> {
    let limit_rule = if limit.is_multiple_of(2) { LimitRule::Below } else { LimitRule::UpTo };
    let plain = QueueConfig { limit, limit_rule, quantum: Bytes(quantum), ..QueueConfig::default() };
    let mut all = Vec::new();
    let red = RedConfig { min_threshold: 1.0, max_threshold: 4.0, weight: 0.5, ..RedConfig::default() };
    for (service, class_by, aqm, class_limit) in [
        (Service::Fifo, ClassBy::Destination, AqmKind::Tail, None),
        (Service::Fifo, ClassBy::Destination, AqmKind::Red, None),
        (Service::Drr, ClassBy::Destination, AqmKind::Tail, None),
        (Service::Drr, ClassBy::Destination, AqmKind::Red, None),
        (Service::Drr, ClassBy::NextHop, AqmKind::Tail, Some(2)),
        (Service::Drr, ClassBy::Flow, AqmKind::Red, Some(3)),
        (Service::Drr, ClassBy::Kind, AqmKind::Tail, None),
        (Service::Priority, ClassBy::Kind, AqmKind::Tail, Some(2)),
        (Service::Priority, ClassBy::Kind, AqmKind::Red, None),
    ] {
        {
            for (on_give_up, keep_limit) in
                [(OnGiveUp::Drop, None), (OnGiveUp::Keep, None), (OnGiveUp::Keep, Some(2))]
            {
                for routing_priority in [false, true] {
                    for overflow in [Overflow::TailOfLongest, Overflow::Arriving] {
                        all.push(QueueConfig {
                            service,
                            class_by,
                            aqm,
                            red: red.clone(),
                            class_limit,
                            on_give_up,
                            keep_limit,
                            routing_priority,
                            overflow,
                            ..plain.clone()
                        });
                    }
                }
            }
        }
    }
    all
}

fn action() -> impl Strategy<Value = Do> {
    prop_oneof![
        6 => (0u32..6, 20u32..1500).prop_map(|(destination, size)| Do::Put(destination, size)),
        1 => Just(Do::PutRouting),
        4 => Just(Do::Serve),
        3 => Just(Do::Delivered),
        2 => Just(Do::GaveUp),
        1 => Just(Do::Held),
        1 => (0u32..3).prop_map(|n| if n == 0 { Do::Flush } else { Do::Serve }),
    ]
}

fn check(config: &QueueConfig, steps: &[(u64, Do)]) {
    let mut rig = Rig::new(config.clone());
    let mut now = us(0);
    // Which packet was put in for which destination, and the last one of each that got through.
    let mut destination: HashMap<u64, u32> = HashMap::new();
    let mut through: HashMap<u32, u64> = HashMap::new();
    let (mut put, mut dropped) = (0u64, 0u64);
    // What the MAC has, oldest first: it takes up to two frames.
    let mut out: Vec<u64> = Vec::new();
    for &(gap, step) in steps {
        now += crate::units::Dur::from_us(gap);
        if matches!(step, Do::Serve) && out.len() == 2 {
            continue;
        }
        if let Do::Put(to, _) = step {
            put += 1;
            destination.insert(put, to);
        } else if matches!(step, Do::PutRouting) {
            put += 1;
        }
        for answer in rig.feed(now, step) {
            match answer {
                Answer::Offered(number) | Answer::Again(number) => {
                    let class = |number: &u64| destination.get(number);
                    let alone = out.iter().all(|other| {
                        let kinds = class(other).is_none() != class(&number).is_none();
                        kinds && (config.routing_priority || config.service == Service::Priority)
                            || config.service == Service::Drr && class(other) != class(&number)
                    });
                    assert!(alone, "one frame of a class out at a time");
                    out.push(number);
                }
                Answer::Dropped(number, _) => {
                    dropped += 1;
                    let ended = matches!(step, Do::GaveUp | Do::Flush);
                    assert!(ended || !out.contains(&number), "a frame in service was dropped under the MAC");
                }
                Answer::Space | Answer::Wake => {}
            }
        }
        if let (Do::Delivered, Some(number)) = (step, out.first())
            && let Some(&to) = destination.get(number)
        {
            let before = through.insert(to, *number);
            assert!(before.is_none_or(|before| before < *number), "{number} after {before:?}");
        }
        match step {
            Do::Delivered => drop(out.drain(..out.len().min(1))),
            Do::GaveUp | Do::Held => drop(out.pop()),
            Do::Flush => out.clear(),
            Do::Put(..) | Do::PutRouting | Do::PutData(_) | Do::PutAck | Do::PutSignal | Do::Serve => {}
        }
        // The frames in service are the MAC's, unless the queue keeps them in memory; they may come back.
        let most = config.capacity() + if config.on_give_up == OnGiveUp::Drop { 2 } else { 0 };
        assert!(rig.queue.held() <= most as usize, "{config:?}");
        let ledger = rig.packets.ledger();
        assert_eq!(ledger.created, put);
        assert_eq!(ledger.inside(), Some(rig.queue.held() as u64));
        assert_eq!(ledger.dropped.iter().sum::<u64>(), dropped);
    }
    // A MAC that gets everything through empties it.
    for _ in out {
        rig.feed(now, Do::Delivered);
    }
    let held = rig.queue.held();
    assert_eq!(rig.drain(now, held + 1).len(), held);
    assert!(rig.queue.is_empty() && rig.packets.live() == 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_configuration_keeps_the_contract(
        limit in 1u32..8,
        quantum in prop_oneof![Just(250u32), Just(1500), Just(4000)],
        steps in prop::collection::vec((0u64..5000, action()), 0..150),
    ) {
        for config in configurations(limit, quantum) {
            check(&config, &steps);
        }
    }
}
