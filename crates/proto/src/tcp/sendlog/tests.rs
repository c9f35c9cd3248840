//! Rates, rounds and marks, by hand and in any order.

mod model;

use super::*;
use proptest::prelude::*;

fn at(ms: u64) -> SimTime {
    SimTime::ZERO + Dur::from_ms(ms)
}

/// Ten segments of 1000 bytes, one every 10 ms from 0 on; each is acknowledged 100 ms later.
fn steady() -> (SendLog, Vec<Measured>) {
    let (mut log, mut found) = (SendLog::default(), Vec::new());
    for number in 0..30 {
        log.sent(at(10 * number), number * 1000, (number + 1) * 1000, number == 0);
        if number >= 10 {
            log.begin();
            log.acked(at(10 * number), (number - 9) * 1000);
            found.push(log.measure());
        }
    }
    (log, found)
}

/// 1000 bytes each 10 ms are 100 000 bytes a second, as soon as a whole round trip was measured.
#[test]
fn the_rate_of_a_steady_path_is_exact() {
    for measured in &steady().1[11..] {
        let (bytes, interval) = measured.rate.unwrap();
        assert_eq!(bytes as f64 / interval.as_secs_f64(), 100_000.0);
        assert_eq!((measured.rtt, measured.newly), (Some(Dur::from_ms(100)), 1000));
        assert!(!measured.limited);
    }
}

/// ACKs that were lost and ACKs that come together show no higher rate than the path has.
#[test]
fn stretched_and_compressed_acks_show_no_higher_rate() {
    let (mut log, _) = steady();
    log.begin();
    log.acked(at(390), 25_000);
    let (bytes, interval) = log.measure().rate.unwrap();
    assert!(bytes as f64 / interval.as_secs_f64() <= 100_000.0 + 1000.0 / 0.1, "{bytes} in {interval}");
    log.begin();
    log.acked(at(391), 30_000);
    let (bytes, interval) = log.measure().rate.unwrap();
    assert!(bytes as f64 / interval.as_secs_f64() <= 110_000.0, "{bytes} in {interval}");
}

#[test]
fn what_is_sent_while_there_is_too_little_is_marked() {
    let (mut log, _) = steady();
    log.limit(9000);
    log.sent(at(300), 30_000, 31_000, false);
    let mut acked = |at_ms, ack| {
        log.begin();
        log.acked(at(at_ms), ack);
        log.measure().limited
    };
    assert!(!acked(390, 30_000), "sent before");
    assert!(acked(400, 31_000));
    log.sent(at(400), 31_000, 32_000, true);
    log.begin();
    log.acked(at(500), 32_000);
    assert!(!log.measure().limited, "all of it has arrived");
}

/// The last sending of a segment counts for the rate, and none for the round trip.
#[test]
fn a_segment_sent_twice_gives_no_round_trip() {
    let mut log = SendLog::default();
    log.sent(at(0), 0, 1000, true);
    log.sent(at(300), 0, 1000, false);
    log.begin();
    log.acked(at(400), 1000);
    let measured = log.measure();
    assert_eq!((measured.rtt, measured.rate), (None, Some((1000, Dur::from_ms(400)))));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is sent, sent again, held and acknowledged: the log covers what is outstanding without gap or overlap,
    /// and each byte is delivered once.
    #[test]
    fn each_byte_is_delivered_once(steps in prop::collection::vec((0u8..5, 0u64..60, 1u64..20), 0..80)) {
        let (mut log, mut una, mut top, mut now) = (SendLog::default(), 0, 0, 0);
        let mut held = [false; 4000];
        for (what, from, length) in steps {
            now += 1;
            log.begin();
            match what {
                0 => {
                    log.sent(at(now), top, top + length, una == top);
                    top += length;
                }
                1 if una + from < top => {
                    log.sent(at(now), una + from, (una + from + length).min(top), false);
                }
                2 if una + from < top => {
                    let end = (una + from + length).min(top);
                    log.sacked(at(now), una + from, end);
                    held[(una + from) as usize..end as usize].fill(true);
                }
                3 => {
                    una = (una + from).min(top);
                    log.acked(at(now), una);
                    held[..una as usize].fill(true);
                }
                4 => {
                    log.lose(|record| record.start < una + from);
                }
                _ => {}
            }
            let measured = log.measure();
            prop_assert_eq!(measured.delivered, held.iter().filter(|&&held| held).count() as u64);
            let ends: Vec<_> = log.records.iter().map(|it| (it.start, it.end)).collect();
            prop_assert!(ends.windows(2).all(|pair| pair[0].1 == pair[1].0), "{:?}", ends);
            prop_assert!(ends.iter().all(|(start, end)| start < end), "{:?}", ends);
            if let (Some(first), Some(last)) = (ends.first(), ends.last()) {
                prop_assert_eq!((first.0, last.1), (una, top));
            }
        }
    }
}

/// RFC 8985 §6.2 step 3: one ACK that tells of a later and an earlier segment shows no reordering; two do.
#[test]
fn what_one_ack_tells_of_has_no_order() {
    let mut log = SendLog::default();
    (0..4).for_each(|number| log.sent(at(0), number * 1000, (number + 1) * 1000, number == 0));
    log.begin();
    log.sacked(at(100), 2000, 3000);
    log.acked(at(100), 1000);
    assert!(!log.measure().reordered);
    log.begin();
    log.acked(at(101), 3000);
    assert!(log.measure().reordered);
}

/// What was believed lost counts until it has arrived, sent again or not.
#[test]
fn a_repair_counts_until_it_has_arrived() {
    let mut log = SendLog::default();
    (0..4).for_each(|number| log.sent(at(0), number * 1000, (number + 1) * 1000, number == 0));
    log.lose(|record| record.start < 2000);
    assert_eq!((log.lost(), log.unrepaired()), (2000, 2000));
    log.sent(at(10), 0, 1000, false);
    assert_eq!((log.lost(), log.unrepaired()), (1000, 2000));
    log.lose(|record| record.start == 0);
    assert_eq!((log.lost(), log.unrepaired()), (2000, 2000));
    log.sent(at(20), 0, 1000, false);
    log.begin();
    log.sacked(at(30), 0, 1000);
    assert_eq!((log.lost(), log.unrepaired()), (1000, 1000));
    log.acked(at(40), 4000);
    assert_eq!((log.lost(), log.unrepaired(), log.held()), (0, 0, 0));
}
