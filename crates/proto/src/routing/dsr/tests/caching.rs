//! The caches.

use super::rig::{ME, Rig, ms, nodes};
use crate::routing::dsr::cache::Cache;
use crate::routing::dsr::{CacheKind, DsrConfig};
use crate::routing::{AnyRouting, Routing};
use crate::units::{Dur, NodeId, SimTime};

fn cache(config: &DsrConfig, paths: &[&[u32]]) -> Cache {
    let mut cache = Cache::new(ME, config);
    for path in paths {
        cache.learn(SimTime::ZERO, &nodes(path), true);
    }
    cache
}

fn find(cache: &mut Cache, now: SimTime, to: u32) -> Option<Vec<u32>> {
    cache.find(now, NodeId(to), true).map(|path| path.iter().map(|node| node.0).collect())
}

#[test]
fn the_shortest_wins_then_what_was_asked_for_then_the_first() {
    let mut cache = cache(&DsrConfig::default(), &[&[1, 2, 3, 9], &[1, 4, 5, 9]]);
    assert_eq!(find(&mut cache, ms(0), 9), Some(vec![1, 2, 3, 9]));
    cache.learn(ms(0), &nodes(&[1, 6, 7, 9]), false);
    assert_eq!(find(&mut cache, ms(0), 9), Some(vec![1, 2, 3, 9]));
    cache.learn(ms(0), &nodes(&[1, 8, 9, 10]), false);
    assert_eq!(find(&mut cache, ms(0), 9), Some(vec![1, 8, 9]), "seen, and shorter");
    assert_eq!(find(&mut cache, ms(0), 5), Some(vec![1, 4, 5]), "on the way");
}

#[test]
fn paths_that_are_none_are_not_taken() {
    let mut cache = Cache::new(ME, &DsrConfig::default());
    for path in [&[2, 3][..], &[1], &[], &[1, 2, 1], &[1, 2, 3, 2]] {
        assert!(!cache.learn(ms(0), &nodes(path), true), "{path:?}");
    }
    let long: Vec<u32> = (1..30).collect();
    assert!(cache.learn(ms(0), &nodes(&long), true));
    assert_eq!(find(&mut cache, ms(0), 16).map(|path| path.len()), Some(16), "up to 15 hops");
    assert_eq!(find(&mut cache, ms(0), 17), None);
}

#[test]
fn longer_paths_take_the_place_of_their_beginnings_and_the_oldest_place_is_next() {
    let small = DsrConfig { cache_paths: 2, cache_seen: 1, ..DsrConfig::default() };
    let mut cache = cache(&small, &[&[1, 2], &[1, 2, 3], &[1, 4, 5]]);
    assert!(!cache.learn(ms(0), &nodes(&[1, 4]), true), "known");
    assert_eq!(find(&mut cache, ms(0), 3), Some(vec![1, 2, 3]), "no third place was needed");
    cache.learn(ms(0), &nodes(&[1, 6]), true);
    assert_eq!(find(&mut cache, ms(0), 3), None, "it had the first place");
    assert_eq!(find(&mut cache, ms(0), 5), Some(vec![1, 4, 5]));
}

#[test]
fn routes_are_forgotten_after_their_time_unless_they_are_heard_of_again() {
    for kind in [CacheKind::Path, CacheKind::Link] {
        let config = DsrConfig { cache: kind, cache_timeout: Dur::from_secs(2), ..DsrConfig::default() };
        let mut cache = cache(&config, &[&[1, 2, 3], &[1, 4, 5]]);
        cache.learn(ms(1000), &nodes(&[1, 2, 3]), true);
        assert_eq!(find(&mut cache, ms(2000), 5), Some(vec![1, 4, 5]));
        assert_eq!(find(&mut cache, ms(2001), 5), None, "{kind:?}");
        assert_eq!(find(&mut cache, ms(3000), 3), Some(vec![1, 2, 3]));
        assert_eq!(find(&mut cache, ms(3001), 3), None);
        let for_ever = DsrConfig { cache: kind, cache_timeout: Dur::ZERO, ..DsrConfig::default() };
        let mut cache = Cache::new(ME, &for_ever);
        cache.learn(ms(0), &nodes(&[1, 2]), true);
        assert!(find(&mut cache, SimTime::from_secs(1_000_000), 2).is_some());
    }
}

#[test]
fn the_time_follows_the_failures() {
    let config = DsrConfig { cache_adapts: true, ..DsrConfig::default() };
    let mut cache = cache(&config, &[&[1, 2, 3], &[1, 4, 5]]);
    assert_eq!(cache.timeout(ms(100)), Dur::from_secs(300), "none yet");
    cache.cut(ms(4000), (NodeId(2), NodeId(3)));
    assert_eq!(cache.timeout(ms(4000)), Dur::from_secs(5), "1.25 times 4 s");
    cache.cut(ms(8000), (NodeId(4), NodeId(5)));
    assert_eq!(cache.timeout(ms(8000)), Dur::from_ms(7500), "1.25 times 6 s");
    assert_eq!(cache.timeout(ms(20_000)), Dur::from_secs(12), "none since");
}

#[test]
fn a_link_that_broke_is_not_believed_for_a_while() {
    let config = DsrConfig { negative_cache: Dur::from_secs(10), ..DsrConfig::default() };
    let mut cache = cache(&config, &[&[1, 2, 3]]);
    cache.cut(ms(0), (NodeId(2), NodeId(3)));
    cache.learn(ms(9999), &nodes(&[1, 4, 2, 3]), true);
    assert_eq!(find(&mut cache, ms(9999), 3), None);
    assert_eq!(find(&mut cache, ms(9999), 4), Some(vec![1, 4]), "what comes before it is");
    cache.learn(ms(9999), &nodes(&[1, 3, 2]), true);
    assert_eq!(find(&mut cache, ms(9999), 3), Some(vec![1, 3]), "the other direction is another link");
    cache.learn(ms(10_000), &nodes(&[1, 2, 3, 7]), true);
    assert_eq!(find(&mut cache, ms(10_000), 7), Some(vec![1, 2, 3, 7]));
}

#[test]
fn links_make_paths_that_nobody_has_told() {
    let config = DsrConfig { cache: CacheKind::Link, cache_seen: 6, ..DsrConfig::default() };
    let mut cache = cache(&config, &[&[1, 2, 3, 4], &[1, 5, 3]]);
    cache.cut(ms(0), (NodeId(2), NodeId(3)));
    assert_eq!(find(&mut cache, ms(0), 4), Some(vec![1, 5, 3, 4]));
    assert!(!cache.learn(ms(0), &nodes(&[1, 5, 3, 4]), true), "no link is new");
    assert!(cache.learn(ms(0), &nodes(&[1, 6, 7, 8]), true));
    assert_eq!(find(&mut cache, ms(0), 2), None, "the oldest link made room");
}

/// What notifiers ask for: whether there is another way than the one that has failed.
#[test]
fn the_neighbour_on_the_way_is_told_without_using_it() {
    let rig = Rig::knowing(DsrConfig::default(), &[&[1, 4, 5]]);
    let routing = AnyRouting::Dsr(Box::new(rig.dsr));
    assert_eq!(routing.next_hop(ms(1), NodeId(5)), Some(NodeId(4)));
    assert_eq!(routing.next_hop(ms(1), NodeId(9)), None);
}
