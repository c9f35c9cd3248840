//! PIE by the formulas of RFC 8033 §4.

use crate::queue::{Aqm, Arriving, Leaving, Pie, PieConfig, Verdict};
use crate::units::{Bytes, Dur, Entity, Purpose, Rng, SimTime};
use crate::wire::PacketId;

fn pie(config: PieConfig) -> Pie {
    Pie::new(config, Rng::stream(1, 1, Entity::Whole, Purpose::Aqm))
}

const fn arrival(bytes: u64) -> Arriving {
    Arriving { packet: PacketId::NONE, size: Bytes(1000), waiting: 9, bytes, idle: None }
}

fn leave(pie: &mut Pie, waited_ms: u64) {
    let waited = Dur::from_ms(waited_ms);
    let head = Leaving { packet: PacketId::NONE, size: Bytes(1000), waited, left: 9_000, ecn: false };
    assert_eq!(pie.leaving(SimTime::ZERO, &head), Verdict::Pass);
}

/// Heads wait for so long until the next update.
fn update(pie: &mut Pie, waited_ms: u64) -> f64 {
    leave(pie, waited_ms);
    let at = pie.deadline();
    pie.timer(at);
    pie.probability()
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9 * expected.max(1e-3), "{found} in place of {expected}");
}

#[test]
fn the_probability_follows_the_delay() {
    let mut pie = pie(PieConfig::default());
    pie.arriving(SimTime::ZERO, &arrival(9_000));
    assert_eq!(pie.deadline(), SimTime::from_ms(15));
    let first = (0.125 * 0.015 + 1.25 * 0.030) / 2048.0;
    near(update(&mut pie, 30), first);
    near(update(&mut pie, 30), first + 0.125 * 0.015 / 128.0);
    assert_eq!(pie.deadline(), SimTime::from_ms(45));
    // Longer than 250 ms it rises by 0.02 besides.
    let second = pie.probability();
    near(update(&mut pie, 300), second + (0.125 * 0.285 + 1.25 * 0.270) / 128.0 + 0.02);
    let third = pie.probability();
    near(update(&mut pie, 300), third + 0.125 * 0.285 / 2.0 + 0.02);
}

/// From 0.1 on one update adds at most 0.02, and nothing beyond 1; without delay it falls by a fiftieth as well.
#[test]
fn steps_are_bounded() {
    let config = PieConfig { alpha: 1.0, ..PieConfig::default() };
    let mut high = pie(config);
    high.arriving(SimTime::ZERO, &arrival(9_000));
    for _ in 0..9 {
        update(&mut high, 200);
    }
    let before = high.probability();
    assert!((0.1..0.9).contains(&before), "{before}");
    near(update(&mut high, 200), before + 0.02);
    for _ in 0..200 {
        update(&mut high, 200);
    }
    near(high.probability(), 1.0);
    let mut falling = pie(PieConfig { alpha: 0.0, beta: 0.0, ..PieConfig::default() });
    falling.arriving(SimTime::ZERO, &arrival(9_000));
    update(&mut falling, 300);
    near(falling.probability(), 0.02);
    falling.emptied(SimTime::ZERO);
    falling.timer(falling.deadline());
    near(falling.probability(), 0.02);
    falling.timer(falling.deadline());
    near(falling.probability(), 0.0196);
}

/// A burst of 150 ms passes; then chance chooses, but not while little waits, or the delay was short.
#[test]
fn bursts_and_short_queues_pass() {
    let mut pie = pie(PieConfig { alpha: 10.0, beta: 0.0, cap: false, ..PieConfig::default() });
    let dropped = |pie: &mut Pie, bytes| {
        (0..200).filter(|_| pie.arriving(SimTime::ZERO, &arrival(bytes)) != Verdict::Pass).count()
    };
    for _ in 0..10 {
        assert_eq!(dropped(&mut pie, 9_000), 0);
        update(&mut pie, 240);
    }
    while pie.probability() < 0.3 {
        update(&mut pie, 240);
    }
    let p = pie.probability();
    let found = dropped(&mut pie, 9_000) as f64;
    assert!((found - 200.0 * p).abs() < 30.0, "{found} of 200 at {p}");
    assert_eq!(dropped(&mut pie, 3_000), 0);
}

#[test]
fn packets_are_marked_up_to_the_limit() {
    let mut pie =
        pie(PieConfig { burst: Dur::ZERO, derandomise: true, alpha: 0.0, beta: 0.0, ..PieConfig::default() });
    pie.arriving(SimTime::ZERO, &arrival(9_000));
    let verdict = |pie: &mut Pie| {
        let verdicts: Vec<Verdict> = (0..900).map(|_| pie.arriving(SimTime::ZERO, &arrival(9_000))).collect();
        let chosen: Vec<_> = verdicts.iter().filter(|it| **it != Verdict::Pass).copied().collect();
        // Sums of probabilities lie between 0.85 and 8.5 from one to the next.
        let gaps = verdicts.split(|it| *it != Verdict::Pass).skip(1).map(|gap| (gap.len() + 1) as f64);
        let p = pie.probability();
        assert!(gaps.take(chosen.len() - 1).all(|gap| (0.84..=8.51).contains(&(gap * p))));
        assert!(chosen.iter().all(|it| *it == chosen[0]));
        chosen[0]
    };
    for _ in 0..5 {
        update(&mut pie, 300);
    }
    near(pie.probability(), 0.1);
    assert_eq!(verdict(&mut pie), Verdict::Notify);
    update(&mut pie, 300);
    assert_eq!(verdict(&mut pie), Verdict::Drop);
}

/// Nothing waits and nothing is dropped: the timer stops, and starts again with the next packet.
#[test]
fn the_timer_stops_when_nothing_happens() {
    let mut pie = pie(PieConfig::default());
    pie.arriving(SimTime::ZERO, &arrival(0));
    update(&mut pie, 1);
    pie.emptied(SimTime::ZERO);
    for _ in 0..3 {
        let at = pie.deadline();
        if at < SimTime::MAX {
            pie.timer(at);
        }
    }
    assert_eq!(pie.deadline(), SimTime::MAX);
    pie.arriving(SimTime::from_secs(7), &arrival(0));
    assert_eq!(pie.deadline(), SimTime::from_ms(7_015));
}

/// RFC 8033 §4.1: while the delay was below half the target nothing is dropped, but from a probability of 0.2 on.
#[test]
fn a_short_delay_keeps_packets_unless_many_are_dropped_already() {
    // With alpha and beta of 0, each update at 300 ms adds 0.02.
    for (updates, waited, drops) in [(5, 7, false), (5, 8, true), (9, 7, false), (11, 7, true)] {
        let mut pie = pie(PieConfig { burst: Dur::ZERO, alpha: 0.0, beta: 0.0, ..PieConfig::default() });
        pie.arriving(SimTime::ZERO, &arrival(9_000));
        for _ in 0..updates {
            update(&mut pie, 300);
        }
        update(&mut pie, waited);
        let dropped = (0..500).any(|_| pie.arriving(SimTime::ZERO, &arrival(9_000)) != Verdict::Pass);
        assert_eq!(dropped, drops, "at {}, {waited} ms", pie.probability());
    }
}
