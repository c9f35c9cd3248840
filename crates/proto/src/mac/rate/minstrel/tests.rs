//! Time lines of Minstrel, and links on which it has to find the best rate.

use super::*;
use crate::phy::{Band, Ofdm, OfdmRate, Width};
use crate::testing::us;
use crate::units::{Bytes, Entity, Purpose};

const A: NodeId = NodeId(7);
/// Places of the rates of OFDM: 6, 9, 12, 18, 24, 36, 48 and 54 Mb/s.
const MBPS_24: usize = 4;

fn ladder() -> Vec<TxVector> {
    OfdmRate::ALL.map(|rate| TxVector::Ofdm(Ofdm { rate, width: Width::Mhz20, band: Band::Ghz5 })).to_vec()
}

/// 802.11a: ACKs at 6, 12 and 24 Mb/s.
fn minstrel(seed: u64) -> Minstrel {
    let ladder = ladder();
    let answer = |tx: TxVector| {
        let rung = ladder.iter().position(|it| *it == tx).expect("one of the ladder");
        let response = ladder[if rung < 2 {
            0
        } else if rung < 4 {
            2
        } else {
            4
        }];
        Dur::from_us(16) + response.airtime(Bytes(14))
    };
    let rng = Rng::stream(seed, 1, Entity::Node("0"), Purpose::Backoff);
    Minstrel::new(MinstrelConfig::default(), &ladder, answer, Dur::from_us(9), (15, 1023), rng)
}

/// Sends frames until each has an ACK or has made seven attempts; the rates of the attempts of each frame, with those
/// of probes marked.
fn frames(
    it: &mut Minstrel,
    times: impl Iterator<Item = u64>,
    through: &dyn Fn(usize) -> bool,
) -> Vec<Vec<(usize, bool)>> {
    times
        .map(|at| {
            let mut attempts = Vec::new();
            it.begin(A);
            loop {
                let attempt = it.choose(us(at), A);
                attempts.push((attempt.rung, attempt.probe));
                let acked = through(attempt.rung);
                it.report(us(at), A, attempt, (1, usize::from(acked)));
                if acked {
                    return attempts;
                }
                if attempts.len() == 7 {
                    return attempts;
                }
            }
        })
        .collect()
}

/// One frame a millisecond.
fn every_ms(from: u64, count: u64) -> impl Iterator<Item = u64> {
    (from..from + count).map(|frame| frame * 1000)
}

fn table(it: &mut Minstrel) -> &mut Table {
    &mut it.neighbours[0].table
}

/// As runs of ns-3.44 over 802.11a show for 9, 12, 18, 36, 48 and 54 Mb/s.
#[test]
fn the_tries_at_a_rate_fit_into_six_milliseconds() {
    let it = minstrel(1);
    assert_eq!(it.costs.iter().map(|cost| cost.tries).collect::<Vec<_>>(), [2, 3, 3, 4, 4, 4, 4, 4]);
    let most = Cost::new(ladder()[7], Dur::ZERO, Dur::ZERO, (15, 1023), Dur::from_secs(1));
    assert_eq!(most.tries, 10);
    let none = Cost::new(ladder()[0], Dur::ZERO, Dur::ZERO, (15, 1023), Dur::ZERO);
    assert_eq!(none.tries, 1, "the first is always made");
}

//  frame 0     1       2 … 9   10      11 … 19   20
//  slowest     probe           probe             probe
#[test]
fn it_begins_at_the_slowest_rate_and_one_frame_in_ten_tries_another() {
    let mut it = minstrel(1);
    let sent = frames(&mut it, (0..95).map(|frame| frame * 1000), &|_| true);
    let tried: Vec<usize> = (0..sent.len()).filter(|&frame| sent[frame][0].1).collect();
    assert_eq!(tried, [1, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
    assert!((0..95).filter(|frame| !tried.contains(frame)).all(|frame| sent[frame] == [(0, false)]));
    // A column is all rates, each once; the one that is in use is a sample, too.
    let mut column: Vec<usize> = tried[..8].iter().map(|&frame| sent[frame][0].0).collect();
    column.sort_unstable();
    assert_eq!(column, [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(it.probes(), Some(10));
}

/// Nothing above 24 Mb/s comes through: four tries at the sample, the best rate after it.
#[test]
fn a_sample_has_its_tries_and_the_best_rate_follows() {
    let mut it = minstrel(2);
    let sent = frames(&mut it, every_ms(0, 95), &|rung| rung <= MBPS_24);
    let fast = sent.iter().find(|attempts| attempts[0].0 > MBPS_24).expect("one of three rates in eight");
    let rung = fast[0].0;
    assert_eq!(*fast, [(rung, true), (rung, true), (rung, true), (rung, true), (0, false)]);
    // After the statistics it is poor: two tries.
    let sent = frames(&mut it, every_ms(100, 95), &|rung| rung <= MBPS_24);
    let best = table(&mut it).best();
    let fast = sent.iter().find(|attempts| attempts[0].0 > MBPS_24).expect("one of three rates in eight");
    assert_eq!(fast[1..], [fast[0], (best, false)]);
}

/// 24 Mb/s is the best, 18 and 12 Mb/s come through, too.
fn settled() -> Minstrel {
    let mut it = minstrel(3);
    frames(&mut it, every_ms(0, 1000), &|rung| rung <= MBPS_24);
    assert_eq!(table(&mut it).best(), MBPS_24);
    it
}

#[test]
fn a_slow_sample_is_put_second_and_counts_when_it_is_used() {
    let mut it = settled();
    let sent = frames(&mut it, every_ms(1000, 900), &|rung| rung <= MBPS_24);
    assert!(sent.iter().all(|attempts| attempts[0].0 >= MBPS_24), "slower rates are not tried at first");
    // The best rate fails now: two tries, then what the chain has next.
    let sent = frames(&mut it, every_ms(1900, 90), &|rung| rung < MBPS_24);
    let deferred = sent.iter().filter(|attempts| attempts[0] == (MBPS_24, false) && attempts[2].1);
    let deferred: Vec<_> = deferred.collect();
    assert!(!deferred.is_empty());
    for attempts in deferred {
        assert_eq!(attempts[..2], [(MBPS_24, false); 2]);
        assert!(attempts[2].0 < MBPS_24);
    }
    let plain = sent.iter().find(|attempts| attempts.iter().all(|(_, probe)| !probe)).expect("nine in ten");
    let [best, second, ..] = table(&mut it).used();
    assert_eq!(plain[..3], [(best, false), (best, false), (second, false)]);
}

/// Of eight draws three are faster than 24 Mb/s, four slower, and one is 24 Mb/s itself: of a tenth of the frames three
/// quarters try a faster one, were it not that each is tried four times in 100 ms at most.
#[test]
fn samples_are_a_tenth_of_the_frames() {
    let tenth = |count: u64, every: u64| {
        let times = (0..count).map(|frame| 1_000_000 + frame * every);
        let sent = frames(&mut settled(), times, &|rung| rung <= MBPS_24);
        sent.iter().filter(|attempts| attempts[0].0 > MBPS_24).count() as f64 / count as f64
    };
    let seldom = tenth(900, 1000);
    assert!((seldom - 0.075).abs() < 0.004, "{seldom}");
    let limited = tenth(9000, 100); // a thousand frames in 100 ms
    assert!((limited - 0.012).abs() < 0.001, "{limited}");
}

/// A rate without a frame for twenty updates is tried like a fast one, four times until the next update.
#[test]
fn a_forgotten_slow_rate_is_tried_at_first() {
    let mut it = minstrel(1);
    it.choose(us(0), A);
    let table = table(&mut it);
    let mut interval = |rung| {
        table.note(MBPS_24, true);
        table.note(rung, true);
        table.update(0.75);
        [2, 3].map(|rung| table.defers(rung))
    };
    assert_eq!(interval(2), [true, true]);
    (0..18).for_each(|_| assert_eq!(interval(MBPS_24), [true, true]));
    assert_eq!(interval(MBPS_24), [true, false], "3 has been idle from the first");
    assert_eq!(interval(MBPS_24), [false, false]);
    assert_eq!(interval(3), [false, true]);
    assert!(!table.defers(MBPS_24) && !table.defers(7), "the best and faster ones never are");
    assert_eq!((0..6).map(|_| table.may_try(2)).collect::<Vec<_>>(), [true, true, true, true, false, false]);
}

#[test]
fn shares_are_averages_and_an_interval_without_frames_says_nothing() {
    let mut it = minstrel(1);
    it.choose(us(0), A);
    let table = table(&mut it);
    let mut interval = |acked: u32, lost: u32| {
        (0..acked).for_each(|_| table.note(3, true));
        (0..lost).for_each(|_| table.note(3, false));
        table.update(0.75);
        let frame = 20e-6 + 134.0 * 4e-6; // 9622 bits of 72 a symbol
        (table.throughput(3) * frame / 9600.0 * 1e6).round() / 1e6
    };
    assert_eq!([interval(4, 6), interval(8, 2), interval(0, 0), interval(0, 5)], [0.4, 0.5, 0.5, 0.375]);
}

/// Of safe rates the fastest; if none is, the one of the greatest share.
#[test]
fn the_best_carry_most_and_the_safest_fails_least() {
    let of = |shares: [u32; 8]| {
        let mut it = minstrel(1);
        it.choose(us(0), A);
        let table = table(&mut it);
        for (rung, &acked) in shares.iter().enumerate() {
            (0..100).for_each(|frame| table.note(rung, frame < acked));
        }
        table.update(0.75);
        table.used()
    };
    assert_eq!(of([100, 100, 100, 98, 96, 80, 10, 0]), [5, 4, 4, 0]);
    assert_eq!(of([94, 80, 70, 60, 50, 40, 30, 20]), [5, 6, 0, 0]);
    assert_eq!(of([0; 8]), [0, 1, 0, 0]);
}

#[test]
fn a_frame_that_was_given_up_leaves_no_chain() {
    let mut it = settled();
    let sent = frames(&mut it, every_ms(2000, 60), &|_| false);
    assert!(sent.iter().all(|attempts| attempts.len() == 7));
    // Each frame begins anew, at the best rate or at a sample.
    assert!(sent.iter().all(|attempts| attempts[0].1 || attempts[0].0 == MBPS_24), "{sent:?}");
    it.begin(NodeId(99)); // a stranger
}

#[test]
fn it_settles_on_the_best_rate_and_expects_what_that_carries() {
    for seed in 1..20 {
        let mut it = minstrel(seed);
        let mut rng = Rng::stream(seed, 1, Entity::Node("1"), Purpose::FrameError);
        let share = [1.0, 1.0, 1.0, 0.99, 0.97, 0.1, 0.02, 0.0];
        let mut rungs = Vec::new();
        for frame in 0..3000 {
            let attempt = it.choose(us(frame * 1000), A);
            let acked = rng.f64() < share[attempt.rung];
            it.report(us(frame * 1000), A, attempt, (1, usize::from(acked)));
            if frame >= 1000 && !attempt.probe {
                rungs.push(attempt.rung);
            }
        }
        let best = rungs.iter().filter(|&&rung| rung == MBPS_24).count() as f64 / rungs.len() as f64;
        assert!(best > 0.9, "seed {seed}: {best}");
        let expected = it.expected_throughput(A).expect("it keeps statistics");
        let frame = 20e-6 + 101.0 * 4e-6; // 9622 bits of 96 a symbol
        assert!((expected * frame / 9600.0 - 0.97).abs() < 0.06, "seed {seed}: {expected}");
    }
    assert_eq!(minstrel(1).expected_throughput(A), Some(0.0));
}
