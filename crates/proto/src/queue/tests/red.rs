//! Random early detection against figure 2 of Floyd and Jacobson, computed by hand.

use super::rig::{Do::*, Rig};
use crate::contract::Backlog;
use crate::queue::{Aqm, AqmKind, Arriving, QueueConfig, Red, RedConfig, RedUnit, Verdict};
use crate::testing::us;
use crate::units::range::MOST;
use crate::units::{Bytes, Dur, Entity, Purpose, Rng, SimTime};
use crate::wire::{PacketId, flags};

fn draws() -> Rng {
    Rng::stream(1, 1, Entity::Node("0"), Purpose::Aqm)
}

fn red(config: RedConfig) -> Red {
    config.check().expect("it can be used");
    Red::new(config, draws())
}

fn arrival(waiting: u32) -> Arriving {
    let idle = (waiting == 0).then_some(Dur::ZERO);
    Arriving { packet: PacketId(0), size: Bytes(500), waiting, bytes: u64::from(waiting) * 500, idle }
}

/// The average is the length at once.
fn at_once() -> RedConfig {
    RedConfig { weight: 1.0, ..RedConfig::default() }
}

#[test]
fn the_average_moves_by_its_weight() {
    let mut red = red(RedConfig { weight: 0.25, min_threshold: 90.0, max_threshold: 100.0, ..at_once() });
    for (waiting, average) in [(4, 1.0), (8, 2.75), (0, 2.75), (1, 2.3125)] {
        red.arriving(SimTime::ZERO, &arrival(waiting));
        assert!((red.average() - average).abs() < 1e-12, "{waiting}: {}", red.average());
    }
}

// Six packet times of 2 ms: the average is 0.5^6 of what it was; without decay one arrival is one step.
#[test]
fn while_nothing_waits_the_average_falls_as_if_packets_were_served() {
    let idle = Arriving { idle: Some(Dur::from_ms(12)), ..arrival(0) };
    for (idle_decay, left) in [(true, 1.0 / 64.0), (false, 0.5)] {
        let mut red = red(RedConfig { weight: 0.5, idle_decay, max_threshold: 60.0, ..at_once() });
        red.arriving(SimTime::ZERO, &arrival(32));
        assert_eq!(red.average(), 16.0);
        red.arriving(SimTime::ZERO, &idle);
        assert!((red.average() - 16.0 * left).abs() < 1e-12, "{idle_decay}: {}", red.average());
    }
}

#[test]
fn below_the_minimum_nothing_is_lost_and_from_the_maximum_everything() {
    // Also where others let some go by first: that is for what lies in between.
    for wait in [false, true] {
        let mut red = red(RedConfig { wait, ..at_once() });
        for _ in 0..1000 {
            assert_eq!(red.arriving(SimTime::ZERO, &arrival(4)), Verdict::Pass);
        }
        for _ in 0..1000 {
            assert_eq!(red.arriving(SimTime::ZERO, &arrival(15)), Verdict::Notify);
        }
    }
}

/// What goes by while the average is low is not counted: the first packet above the minimum is spared as any first one
/// is.
#[test]
fn the_count_begins_where_the_average_reaches_the_minimum() {
    let mut red = red(at_once());
    for _ in 0..1000 {
        red.arriving(SimTime::ZERO, &arrival(4));
    }
    assert_eq!(red.arriving(SimTime::ZERO, &arrival(6)), Verdict::Pass, "1 % of a chance, not all of it");
}

/// How many packets go by from one that is lost to the next, over many.
fn gaps(config: RedConfig, packet: Arriving) -> Vec<u32> {
    let mut red = red(config);
    let mut gaps = Vec::new();
    let mut since = 0;
    while gaps.len() < 4000 {
        since += 1;
        if red.arriving(SimTime::ZERO, &packet) != Verdict::Pass {
            gaps.push(since);
            since = 0;
        }
    }
    gaps
}

fn mean(gaps: &[u32]) -> f64 {
    gaps.iter().map(|&gap| f64::from(gap)).sum::<f64>() / gaps.len() as f64
}

// Halfway between the thresholds p_b is 0.05. Figure 2 counts the packet itself, so that the distances are uniform over
// 1 to 19 (the text of section 5 has 1 to 20). With `wait` they are uniform over 20 to 39.
#[test]
fn losses_are_spread_evenly() {
    for (wait, first, last) in [(false, 1, 19), (true, 20, 39)] {
        let gaps = gaps(RedConfig { wait, ..at_once() }, arrival(10));
        assert!(gaps[1..].iter().all(|gap| (first..=last).contains(gap)), "{:?}", gaps.iter().max());
        let middle = f64::from(first + last) / 2.0;
        assert!((mean(&gaps) - middle).abs() < 0.4, "{}", mean(&gaps));
        for gap in first..=last {
            let share = gaps.iter().filter(|&&it| it == gap).count();
            assert!((150..270).contains(&share), "{gap}: {share} of 4000, 200 or 210 expected");
        }
    }
}

// In bytes p_b is scaled by the length, 0.15 for one three times as long: distances 1 to 5 have 0.15/0.85 each, 6 the
// rest, 3.35 in the mean.
#[test]
fn in_bytes_long_packets_are_lost_more_often() {
    let config = RedConfig { unit: RedUnit::Bytes, ..at_once() };
    let long = Arriving { size: Bytes(1500), ..arrival(10) };
    assert!((mean(&gaps(config.clone(), arrival(10))) - 10.0).abs() < 0.4);
    assert!((mean(&gaps(config.clone(), long)) - 3.35).abs() < 0.1);
    // Ten packets of 100 bytes are two of 500.
    let mut red = red(config);
    red.arriving(SimTime::ZERO, &Arriving { bytes: 1000, ..arrival(10) });
    assert_eq!(red.average(), 2.0);
}

// ns-2's way: what has gone by counts in whole mean packets, and what comes of that is scaled by the length. Of 1500
// bytes with a mean of 500 each that arrives is three: 0.05/(1 - 0.15k), tripled, 3.44 in the mean and not 3.35; with
// `wait` nothing goes before the seventh, where 20 have gone by. Of 40 bytes 13 are one: when the count is used up the
// next one goes, though its length is less than a tenth of the mean.
#[test]
fn bytes_may_be_counted_and_scaled_last() {
    let config = RedConfig { unit: RedUnit::Bytes, count_bytes: true, ..at_once() };
    for (size, within) in [(1500u32, 0.1), (40, 3.0)] {
        let packet = Arriving { size: Bytes(size), ..arrival(10) };
        let (mut left, mut expected) = (1.0, 0.0);
        for since in 1..=1000u32 {
            let room = 1.0 - 0.05 * f64::from(since * size / 500);
            let spread = if room > 0.05 { 0.05 / room } else { 1.0 };
            let probability = if spread < 1.0 { (spread * f64::from(size) / 500.0).min(1.0) } else { 1.0 };
            expected += left * probability * f64::from(since);
            left *= 1.0 - probability;
        }
        let found = mean(&gaps(config.clone(), packet));
        assert!((found - expected).abs() < within && left < 1e-12, "{size}: {found} {expected}");
    }
    let long = Arriving { size: Bytes(1500), ..arrival(10) };
    let waits = gaps(RedConfig { wait: true, ..config }, long);
    assert_eq!(waits[1..].iter().min(), Some(&7));
}

// At 14 of 5 to 15 the average calls for 0.09, which is below the limit, also for a packet three times as long.
#[test]
fn the_mark_limit_is_of_the_average_and_not_of_the_packet() {
    let mut red = red(RedConfig { unit: RedUnit::Bytes, mark_limit: 0.1, ..at_once() });
    let long = Arriving { size: Bytes(1500), ..arrival(14) };
    let verdicts: Vec<Verdict> = (0..40).map(|_| red.arriving(SimTime::ZERO, &long)).collect();
    assert!(verdicts.contains(&Verdict::Notify) && !verdicts.contains(&Verdict::Drop), "{verdicts:?}");
}

// At 17 of 15 to 30 p_b is 0.1 + 0.9 * 2/15 = 0.22: distances 1 to 3 have 0.22/0.78 each, 4 the rest, 2.31 in the mean.
#[test]
fn gentle_goes_on_rising_until_twice_the_maximum() {
    let config = RedConfig { gentle: true, ..at_once() };
    let gaps = gaps(config.clone(), arrival(17));
    assert!((mean(&gaps) - 2.31).abs() < 0.07, "{}", mean(&gaps));
    let mut all = red(config);
    for waiting in [30, 40] {
        assert!((0..100).all(|_| all.arriving(SimTime::ZERO, &arrival(waiting)) == Verdict::Notify));
    }
}

#[test]
fn beyond_the_mark_limit_packets_are_dropped_and_few_that_wait_are_spared() {
    let mut limited = red(RedConfig { mark_limit: 0.1, ..at_once() });
    assert_eq!(limited.arriving(SimTime::ZERO, &arrival(15)), Verdict::Drop);
    let verdicts: Vec<Verdict> = (0..40).map(|_| limited.arriving(SimTime::ZERO, &arrival(14))).collect();
    assert!(verdicts.contains(&Verdict::Notify) && !verdicts.contains(&Verdict::Drop));
    let mut spared =
        red(RedConfig { weight: 0.1, min_threshold: 1.0, max_threshold: 2.0, least_waiting: 2, ..at_once() });
    spared.arriving(SimTime::ZERO, &arrival(100));
    assert_eq!(spared.arriving(SimTime::ZERO, &arrival(1)), Verdict::Pass, "the average is 9");
    assert_eq!(spared.arriving(SimTime::ZERO, &arrival(2)), Verdict::Notify);
}

// A queue with RED at work: packets of an ECN-capable transport are marked, others dropped; when it overflows, the
// count begins afresh.
#[test]
fn a_queue_marks_or_drops_by_it() {
    let red = RedConfig { min_threshold: 2.0, max_threshold: 4.0, ..at_once() };
    let config = QueueConfig { aqm: AqmKind::Red, red, limit: 20, ..QueueConfig::default() };
    let mut rig = Rig::new(config);
    for _ in 0..20 {
        rig.feed(us(0), PutData(flags::ECT));
    }
    let counters = rig.queue.counters(us(1));
    assert!((16..=18).contains(&counters.marked), "{counters:?}");
    assert_eq!((counters.early_drops, rig.queue.length()), (0, 20), "{counters:?}");
    assert_eq!(rig.feed(us(1), PutData(0)).len(), 1);
    assert_eq!(rig.queue.counters(us(1)).early_drops, 1);
}

#[test]
fn nonsense_is_refused_by_its_key() {
    for (config, key) in [
        (RedConfig { min_threshold: -1.0, ..RedConfig::default() }, "red.min-threshold"),
        (RedConfig { max_threshold: 5.0, ..RedConfig::default() }, "red.max-threshold"),
        (RedConfig { max_threshold: f64::NAN, ..RedConfig::default() }, "red.max-threshold"),
        (RedConfig { weight: 0.0, ..RedConfig::default() }, "red.weight"),
        (RedConfig { max_threshold: f64::from(MOST) + 1.0, ..RedConfig::default() }, "red.max-threshold"),
        (RedConfig { weight: 1.1, ..RedConfig::default() }, "red.weight"),
        (RedConfig { least_waiting: MOST + 1, ..RedConfig::default() }, "red.least-waiting"),
        (RedConfig { max_p: 1.5, ..RedConfig::default() }, "red.max-p"),
        (RedConfig { mean_packet: Bytes(0), ..RedConfig::default() }, "red.mean-packet"),
        (RedConfig { packet_time: Dur::ZERO, ..RedConfig::default() }, "red.packet-time"),
        (RedConfig { mark_limit: -0.1, ..RedConfig::default() }, "red.mark-limit"),
    ] {
        let wrong = QueueConfig { red: config, ..QueueConfig::default() }.check().expect_err(key);
        assert_eq!(wrong.key, key);
    }
}

#[test]
fn the_highest_of_all_values_can_be_used() {
    let most = f64::from(MOST);
    let red = RedConfig {
        max_threshold: most,
        weight: 1.0,
        max_p: 1.0,
        least_waiting: MOST,
        ..RedConfig::default()
    };
    assert_eq!(red.check(), Ok(()));
}
