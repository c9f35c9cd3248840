//! Time lines of Minstrel-HT, and links on which it has to find the best rate.

use super::config::MinstrelHtVersion;
use super::*;
use crate::phy::{Band, DurationRule, Generation, GuardInterval, McsVector, Width};
use crate::testing::us;
use crate::units::{Entity, Purpose};

const A: NodeId = NodeId(7);

fn ladder(streams: u8) -> Vec<TxVector> {
    let all = (1..=streams).flat_map(|streams| (0..8).map(move |mcs| (streams, mcs)));
    let vector = |(streams, mcs)| {
        TxVector::Mcs(McsVector {
            generation: Generation::Ht,
            mcs,
            streams,
            width: Width::Mhz20,
            guard: GuardInterval::Ns800,
            band: Band::Ghz5,
            durations: DurationRule::Standard,
        })
    };
    let mut ladder: Vec<TxVector> = all.map(vector).collect();
    ladder.sort_by_key(|tx| tx.rate());
    ladder
}

fn minstrel(streams: u8, seed: u64) -> MinstrelHt {
    of(MinstrelHtConfig::default(), streams, seed)
}

fn older(streams: u8, seed: u64) -> MinstrelHt {
    of(MinstrelHtConfig { version: MinstrelHtVersion::Ns3, ..MinstrelHtConfig::default() }, streams, seed)
}

fn of(config: MinstrelHtConfig, streams: u8, seed: u64) -> MinstrelHt {
    let rng = Rng::stream(seed, 1, Entity::Node("0"), Purpose::Backoff);
    MinstrelHt::new(config, &ladder(streams), |_| Dur::from_us(250), true, rng)
}

/// Frames of ten MPDUs, one a millisecond, over a link that brings through a share of each rate; the rates of the
/// frames that were no probes.
fn frames(
    it: &mut MinstrelHt,
    from: u64,
    count: u64,
    share: impl Fn(usize) -> f64,
    rng: &mut Rng,
) -> Vec<usize> {
    let mut rungs = Vec::new();
    for frame in from..from + count {
        let now = us(frame * 1000);
        let attempt = it.choose(now, A);
        let sent = if attempt.alone { 1 } else { 10 };
        let acked = (0..sent).filter(|_| rng.f64() < share(attempt.rung)).count();
        it.report(now, A, attempt, (sent, acked));
        if !attempt.probe {
            rungs.push(attempt.rung);
        }
    }
    rungs
}

fn draws() -> Rng {
    Rng::stream(3, 1, Entity::Node("1"), Purpose::FrameError)
}

//  0 ms           20 ms          40 ms          50 ms
//  INC: MCS 1     JUMP           (INC is over)  statistics; the lists are full again
#[test]
fn it_begins_at_the_slowest_rate_and_tries_another_every_20_ms() {
    let mut it = minstrel(1, 1);
    let mut probes = Vec::new();
    for frame in 0..50 {
        let now = us(frame * 1000);
        let attempt = it.choose(now, A);
        if attempt.probe {
            probes.push((frame, attempt.rung));
        } else {
            assert_eq!((attempt.rung, attempt.fallback), (0, false));
        }
        it.report(now, A, attempt, (1, 1));
    }
    assert_eq!(probes[0], (0, 1), "INC: the next one up");
    assert_eq!(probes[1].0, 20);
    assert!(probes[1].1 > 0, "JUMP: any faster one");
    assert_eq!(it.probes(), Some(probes.len() as u64));
    // Statistics after 50 ms: what was tried and came through is the best.
    let fastest = probes.iter().map(|&(_, rung)| rung).max().expect("it tried some");
    let mut chosen = it.choose(us(50_000), A);
    while chosen.probe {
        chosen = it.choose(us(50_000), A);
    }
    assert_eq!(chosen.rung, fastest);
}

/// MCS 4 brings nearly all through, MCS 5 a third, nothing above: MCS 4 carries most.
#[test]
fn it_settles_on_the_best_rate() {
    let share = |rung| [1.0, 1.0, 1.0, 0.99, 0.97, 0.33, 0.02, 0.0][rung];
    for (seed, make) in
        (1..20).flat_map(|seed| [(seed, minstrel as fn(u8, u64) -> MinstrelHt), (seed, older)])
    {
        let mut it = make(1, seed);
        let mut rng = draws();
        frames(&mut it, 0, 1000, share, &mut rng);
        let rungs = frames(&mut it, 1000, 1000, share, &mut rng);
        let best = rungs.iter().filter(|&&rung| rung == 4).count() as f64 / rungs.len() as f64;
        assert!(best > 0.9, "seed {seed}: {best}");
        // 10 MPDUs of 1200 bytes: 246 us of each, 25 us of overhead; 0.9 is the most that counts.
        let expected = it.expected_throughput(A).expect("known");
        assert!((expected / (0.9 * 9600.0 / (246e-6 + 25e-6)) - 1.0).abs() < 0.05, "{expected}");
    }
}

/// Over two streams the ladder is no order of robustness: MCS 4 of one stream works where two streams do not.
#[test]
fn groups_are_learnt_apart() {
    let ladder = ladder(2);
    let share = |rung: usize| match ladder[rung] {
        TxVector::Mcs(mcs) if mcs.streams == 1 && mcs.mcs <= 4 => 0.98,
        _ => 0.05,
    };
    let mut it = minstrel(2, 5);
    let mut rng = draws();
    frames(&mut it, 0, 2000, share, &mut rng);
    let rungs = frames(&mut it, 2000, 500, share, &mut rng);
    let best = ladder.iter().position(|tx| matches!(tx, TxVector::Mcs(it) if it.streams == 1 && it.mcs == 4));
    let share = rungs.iter().filter(|&&rung| Some(rung) == best).count() as f64 / rungs.len() as f64;
    assert!(share > 0.9, "{share}");
}

/// The link becomes worse from one frame to the next: 30 MPDUs are enough to leave the rate.
#[test]
fn it_falls_before_the_statistics_are_due() {
    let mut it = minstrel(1, 2);
    let mut rng = draws();
    let good = |_: usize| 1.0;
    frames(&mut it, 0, 2000, good, &mut rng);
    let bad = |rung: usize| if rung > 2 { 0.0 } else { 1.0 };
    let rungs = frames(&mut it, 2000, 300, bad, &mut rng);
    assert_eq!(rungs[0], 7);
    let low = rungs[200..].iter().filter(|&&rung| rung <= 2).count();
    assert!(low > 80, "{low} of 100");
}

/// The rates of a chain whose tries all fail, and before which an RTS goes.
fn walked(it: &MinstrelHt) -> Vec<(usize, bool)> {
    let mut chain = Chain::new(&it.neighbours[0].table, &it.config);
    let mut walked = vec![chain.attempt()];
    while chain.fail() {
        walked.push(chain.attempt());
    }
    walked.into_iter().map(|it| (it.rung, it.fallback)).collect()
}

/// best: all tries, then the second, then the safest, each with RTS after the first.
#[test]
fn a_frame_that_gets_no_answer_goes_down_its_chain() {
    let mut it = minstrel(1, 2);
    let mut rng = draws();
    frames(&mut it, 0, 2000, |rung| [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.9, 0.2][rung], &mut rng);
    let walked = walked(&it);
    assert_eq!(walked[0], (6, false));
    assert!(walked.iter().any(|&(_, fallen)| fallen) && walked.len() >= 6, "{walked:?}");
    let [first, second, safest] = it.neighbours[0].table.used();
    assert_eq!((first, walked.last()), (6, Some(&(safest, true))));
    assert!(walked.contains(&(second, true)));
}

#[test]
fn equal_seeds_give_equal_choices_and_a_station_that_goes_down_forgets() {
    let run = |seed| {
        let (mut it, mut rng) = (minstrel(2, seed), draws());
        frames(&mut it, 0, 500, |rung| 1.0 - rung as f64 / 16.0, &mut rng)
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
    let mut it = minstrel(1, 1);
    frames(&mut it, 0, 500, |_| 1.0, &mut draws());
    assert!(it.expected_throughput(A) > Some(0.0));
    it.forget();
    assert_eq!(it.expected_throughput(A).map(f64::to_bits), Some(0));
}

//  frames of ten MPDUs  0 1 2 3 (4)        each may try a rate: all but the slowest, which is in use
//                       16 + 2 others      whole frames, so that the fates of ten MPDUs are known
#[test]
fn the_older_version_tries_four_rates_at_first_by_whole_frames() {
    let mut it = older(1, 1);
    let mut probes = Vec::new();
    for frame in 0..23 {
        let attempt = it.choose(us(frame * 1000), A);
        assert!(!attempt.alone && !attempt.fallback);
        if attempt.probe {
            probes.push((frame, attempt.rung));
        }
        it.report(us(frame * 1000), A, attempt, (10, if attempt.rung < 4 { 10 } else { 0 }));
    }
    let tried: Vec<usize> = probes.iter().map(|&(_, rung)| rung).collect();
    assert!(probes[3].0 <= 4 && !tried.contains(&0), "{probes:?}");
    assert!(probes.get(4).is_none_or(|&(frame, _)| frame >= probes[3].0 + 19), "{probes:?}");
    // The best of those that came through is next; those that were never tried are worth nothing.
    it.choose(us(50_000), A);
    let best = tried[..4].iter().copied().filter(|&rung| rung < 4).max().unwrap_or(0);
    let Neighbour { table, .. } = &it.neighbours[0];
    assert_eq!(table.best()[0], best);
    assert!((0..8).filter(|rung| !tried.contains(rung) && *rung > 0).all(|rung| table.share(rung) == 0.0));
}

/// Probes that fail, and the attempts that are counted at each rate: MCS 1 is the best, MCS 0 the second best.
//
//   probe of ten MPDUs ─ no answer: 1 at its rate ─ 10 at the second best, and 10 again as a request found none
#[test]
fn an_aggregate_without_answer_counts_against_what_the_older_version_falls_back_to() {
    for (sent, asks, attempts) in [(1, true, [10, 100]), (10, true, [30, 100]), (10, false, [20, 100])] {
        let mut it = older(1, 1);
        it.losses = 1 + u32::from(asks);
        let place = it.place(SimTime::ZERO, A);
        let config = it.config;
        let Neighbour { table, .. } = &mut it.neighbours[place];
        table.note(0, 100, 100);
        table.note(1, 100, 100);
        table.update();
        assert_eq!(table.used(), [1, 0, 1]);
        table.note(0, 10, 0);
        table.note(1, 100, 100);
        let probe = Attempt { probe: true, ..Attempt::at(5) };
        it.report(us(1), A, probe, (sent, 0));
        let Neighbour { table, chain, .. } = &it.neighbours[place];
        assert_eq!([0, 1].map(|rung| table.attempts(rung)), attempts);
        assert_eq!(table.attempts(5), 1);
        let next = chain.expect("it falls back");
        let steps = if sent == 1 { 0 } else { 1 + usize::from(asks) };
        let mut expected = Chain::below_the_best(table, &config);
        (0..steps).for_each(|_| assert!(expected.fail()));
        assert_eq!(next, expected);
    }
}

/// The fall is the same, and the chain: but no RTS protects what is fallen back to.
#[test]
fn the_older_version_falls_without_rts() {
    let mut it = older(1, 2);
    let mut rng = draws();
    frames(&mut it, 0, 3000, |rung| [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.9, 0.2][rung], &mut rng);
    let walked = walked(&it);
    let [first, second, safest] = it.neighbours[0].table.used();
    assert_eq!((first, walked.last()), (6, Some(&(safest, false))));
    assert!(walked.contains(&(second, false)) && walked.iter().all(|&(_, rts)| !rts), "{walked:?}");
    // Ten frames of ten MPDUs within one interval: the fourth one already goes slower.
    let start = it.neighbours[0].update;
    it.choose(start, A);
    it.neighbours[0].chain = None;
    let mut rungs = Vec::new();
    for frame in 1..10 {
        let now = start + Dur::from_ms(frame);
        let attempt = it.choose(now, A);
        it.report(now, A, attempt, (10, usize::from(attempt.rung != 6)));
        rungs.extend((!attempt.probe).then_some(attempt.rung));
    }
    assert_eq!(rungs[0], 6);
    assert!(rungs[5..].iter().all(|&rung| rung < 6), "{rungs:?}");
}
