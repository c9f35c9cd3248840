//! Time lines of CoDel: RFC 8289 §5.6.

use crate::queue::{Aqm, CoDel, CoDelConfig, Leaving, Root, Verdict};
use crate::units::{Bytes, Dur, SimTime};
use crate::wire::PacketId;

const fn head(waited_ms: u64, left: u64, ecn: bool) -> Leaving {
    Leaving { packet: PacketId::NONE, size: Bytes(1000), waited: Dur::from_ms(waited_ms), left, ecn }
}

/// Heads like this are taken once a millisecond, and once more after each that was dropped: when one was dropped or
/// marked.
fn times(codel: &mut CoDel, ms: std::ops::Range<u64>, head: Leaving) -> Vec<u64> {
    let mut found = Vec::new();
    for at in ms {
        loop {
            let verdict = codel.leaving(SimTime::from_ms(at), &head);
            if verdict != Verdict::Pass {
                found.push(at);
            }
            if verdict != Verdict::Drop {
                break;
            }
        }
    }
    found
}

/// 100 ms after the first, then gaps of 100, 70.7, 57.7, 50, 44.7 and 40.8 ms.
const DROPS: [u64; 7] = [100, 200, 271, 329, 379, 424, 464];

#[test]
fn drops_come_more_often_by_the_square_root() {
    let mut codel = CoDel::new(CoDelConfig::default());
    assert_eq!(times(&mut codel, 0..470, head(10, 9_000, false)), DROPS);
    assert_eq!(times(&mut codel, 470..471, head(4, 9_000, false)), [0; 0]);
    // Within 16 intervals it goes on from the 7th less the first: 6, and 100 / √6 = 40.8 ms.
    assert_eq!(times(&mut codel, 471..613, head(10, 9_000, false)), [571, 612]);
    assert_eq!(codel.count(), 7);
    // Later it begins anew: with one, and 100 ms.
    assert_eq!(times(&mut codel, 613..614, head(4, 9_000, false)), [0; 0]);
    assert_eq!(times(&mut codel, 2_500..2_750, head(10, 9_000, false)), [2_600, 2_700]);
}

/// Linux and ns-3: gaps of 100, 50, 56.2, 48.8, 44.2 and 40.7 ms. When dropping begins again with the sixth, one more
/// step from there.
#[test]
fn newtons_method_is_off_at_first() {
    let mut codel = CoDel::new(CoDelConfig { root: Root::Newton, ..CoDelConfig::default() });
    assert_eq!(times(&mut codel, 0..450, head(10, 9_000, false)), [100, 200, 250, 307, 356, 400, 440]);
    assert_eq!(times(&mut codel, 450..451, head(4, 9_000, false)), [0; 0]);
    assert_eq!(times(&mut codel, 451..593, head(10, 9_000, false)), [551, 592]);
}

#[test]
fn marks_come_when_drops_would() {
    let mut codel = CoDel::new(CoDelConfig::default());
    assert_eq!(times(&mut codel, 0..470, head(10, 9_000, true)), DROPS);
    let mut silent = CoDel::new(CoDelConfig { ecn: false, ..CoDelConfig::default() });
    let verdict = |codel: &mut CoDel, at| codel.leaving(SimTime::from_ms(at), &head(10, 9_000, true));
    assert_eq!(verdict(&mut silent, 0), Verdict::Pass);
    assert_eq!(verdict(&mut silent, 100), Verdict::Drop);
}

#[test]
fn nothing_is_dropped_while_little_waits_or_packets_wait_shortly() {
    for calm in [head(10, 1_500, false), head(4, 90_000, false)] {
        assert_eq!(times(&mut CoDel::new(CoDelConfig::default()), 0..1_000, calm), [0; 0]);
    }
}

/// A queue that has been empty is above its target for less than an interval.
#[test]
fn an_empty_queue_ends_it() {
    let mut codel = CoDel::new(CoDelConfig::default());
    let above = head(10, 9_000, false);
    assert_eq!(times(&mut codel, 0..60, above), [0; 0]);
    codel.emptied(SimTime::from_ms(60));
    assert_eq!(times(&mut codel, 60..160, above), [0; 0]);
    assert_eq!(times(&mut codel, 160..161, above), [160]);
    assert_eq!(codel.leaving(SimTime::from_ms(260), &above), Verdict::Drop);
    codel.emptied(SimTime::from_ms(260));
    assert_eq!(times(&mut codel, 261..361, above), [0; 0], "it has left the dropping state");
}

/// RFC 8289 §5.6: dropping goes on with the rate that it had reached if it ended less than 16 intervals ago.
#[test]
fn sixteen_intervals_after_the_last_drop_the_rate_begins_anew() {
    // Three drops; the next was due at 200 ms + 100 ms / √2 + 100 ms / √3 = 328.4 ms. The rate is that of two drops.
    for (again, count) in [(1_928, 2), (1_929, 1)] {
        let mut codel = CoDel::new(CoDelConfig::default());
        assert_eq!(times(&mut codel, 0..300, head(10, 9_000, false)), DROPS[..3]);
        assert_eq!(times(&mut codel, 300..301, head(4, 9_000, false)), [0; 0]);
        let second = head(10, 9_000, false);
        assert_eq!(times(&mut codel, again - 100..again + 1, second), [again]);
        assert_eq!(codel.count(), count, "again at {again} ms");
    }
}

/// RFC 8289 §5.6: only a waiting time below the target is accepted.
#[test]
fn a_wait_as_long_as_the_target_is_too_long() {
    assert_eq!(times(&mut CoDel::new(CoDelConfig::default()), 0..150, head(5, 9_000, false)), [100]);
}

#[test]
fn after_the_node_was_down_it_begins_anew() {
    let mut codel = CoDel::new(CoDelConfig::default());
    assert_eq!(times(&mut codel, 0..470, head(10, 9_000, false)), DROPS);
    codel.restart(SimTime::from_ms(470));
    assert_eq!(codel.count(), 0);
    assert_eq!(times(&mut codel, 470..700, head(10, 9_000, false)), [570, 670]);
}
