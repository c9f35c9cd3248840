//! Channel access by itself: back-off, EIFS, reservations.

use crate::mac::config::EifsRule;
use crate::mac::dcf::{Access, AccessRules, Alone};
use crate::units::{Dur, SimTime};

const RULES: AccessRules = AccessRules {
    slot: Dur::from_us(20),
    difs: Dur::from_us(50),
    hold: Dur::from_us(364),
    eifs_rule: EifsRule::Ns2,
    begun_slots: false,
    cca: Dur::ZERO,
};

fn at(us: u64) -> SimTime {
    SimTime::from_us(us)
}

//  0    50        130        430  480       540
//  |DIFS| 4 slots | busy     |DIFS| 3 slots |
#[test]
fn back_off_freezes_while_the_medium_is_busy() {
    let mut access = Access::new(RULES, Alone);
    access.back_off(at(0), 7);
    assert_eq!(access.deadline(), at(190));
    access.carrier(at(135), at(430)); // 4 whole slots have passed
    assert_eq!(access.deadline(), at(540));
    assert!(!access.medium.is_idle(at(200)));
}

/// A QoS station counts slots as they begin: at the end of AIFS, and at each slot's end. So the slot in which another
/// station starts counts, but never more than one of an idle time that is over before AIFS.
#[test]
fn slots_of_a_qos_station_count_when_they_begin() {
    let rules = AccessRules { begun_slots: true, ..RULES };
    let left = |slots: u32, busy: u64| {
        let mut access = Access::new(rules, Alone);
        access.back_off(at(0), slots);
        access.carrier(at(busy), at(1000));
        (access.deadline() - at(1050)).as_ns() / 20_000
    };
    assert_eq!(left(7, 49), 7, "AIFS is not over");
    assert_eq!(left(7, 50), 6, "another station starts when AIFS ends");
    assert_eq!(left(7, 69), 6);
    assert_eq!(left(7, 70), 5);
    assert_eq!(left(7, 135), 2);
    assert_eq!(left(1, 50), 0, "it sends after the next AIFS");
    let mut undisturbed = Access::new(rules, Alone);
    undisturbed.back_off(at(0), 7);
    assert_eq!(undisturbed.deadline(), at(190), "as many slots as drawn");
    undisturbed.carrier(at(190), at(1000));
    assert_eq!(undisturbed.deadline(), at(190), "two that end at once collide");
}

#[test]
fn who_fires_at_the_instant_of_a_carrier_still_fires() {
    let mut access = Access::new(RULES, Alone);
    access.back_off(at(0), 2);
    access.carrier(at(90), at(500));
    assert_eq!(access.deadline(), at(90));
    let mut late = Access::new(RULES, Alone);
    late.back_off(at(0), 2);
    late.carrier(at(89), at(500));
    assert_eq!(late.deadline(), at(500 + 50 + 20)); // one slot had passed
}

#[test]
fn sensing_takes_its_time() {
    let mut access = Access::new(AccessRules { cca: Dur::from_us(15), ..RULES }, Alone);
    access.back_off(at(0), 2);
    access.carrier(at(80), at(500));
    assert_eq!(access.deadline(), at(90));
}

#[test]
fn ns2_eifs_is_a_reservation_with_difs_after_it() {
    let mut access = Access::new(RULES, Alone);
    access.carrier(at(0), at(100));
    access.undecodable(at(0), at(100));
    access.correct_frame(at(200)); // does not help
    access.back_off(at(200), 0);
    assert_eq!(access.deadline(), at(100 + 364 + 50));
}

#[test]
fn standard_eifs_includes_difs_and_ends_with_a_correct_frame() {
    let hold = Dur::from_us(364 - 50);
    let mut access = Access::new(AccessRules { eifs_rule: EifsRule::Standard, hold, ..RULES }, Alone);
    access.carrier(at(0), at(100));
    access.undecodable(at(0), at(100));
    access.back_off(at(150), 0);
    assert_eq!(access.deadline(), at(100 + 364));
    access.carrier(at(160), at(200));
    access.correct_frame(at(200));
    assert_eq!(access.deadline(), at(250));
}

#[test]
fn a_frame_that_ends_under_the_own_transmission_leaves_no_eifs() {
    let mut access = Access::new(RULES, Alone);
    access.carrier(at(0), at(100));
    access.undecodable(at(0), at(100));
    access.hold(at(50), true);
    access.deafened(at(50), at(300));
    access.release(at(300));
    access.back_off(at(300), 1);
    assert_eq!(access.deadline(), at(370));
}

#[test]
fn an_rts_reservation_lapses_if_nothing_follows() {
    let mut silent = Access::new(RULES, Alone);
    silent.reserve_if_used(at(0), at(5000), at(364));
    assert!(silent.medium.is_idle(at(364)));
    let mut used = Access::new(RULES, Alone);
    used.reserve_if_used(at(0), at(5000), at(364));
    used.carrier(at(324), at(4000));
    assert!(!used.medium.is_idle(at(4500)));
}

#[test]
fn a_back_off_that_ended_with_nothing_to_send_is_over() {
    let mut access = Access::new(RULES, Alone);
    access.back_off(at(0), 1);
    assert_eq!(access.back_off.counts_until(&access.medium, at(69)), Some(at(70)));
    assert_eq!(access.back_off.counts_until(&access.medium, at(70)), None);
}

/// In seconds, as real numbers, a whole slot may be less than one: in about half of the cases, and at the end of a slot
/// alone.
#[test]
fn a_count_of_slots_in_seconds_is_short_about_half_of_the_time() {
    let short_after = |start: u64, ns: u64| {
        let mut access = Access::new(RULES, Alone);
        let start = SimTime::from_us(start);
        access.back_off(start, 30);
        access.back_off.counts_short(&access.medium, start + Dur::from_us(50) + Dur::from_ns(ns))
    };
    let instants = || (1..2000u64).map(|step| step * 104_729 % 300_000_000);
    let share = instants().filter(|&start| short_after(start, start % 29 * 20_000 + 20_000)).count();
    assert!((700..1200).contains(&share), "{share} of 1999");
    for ns in [0, 19_999, 20_001, 139_999, 140_001] {
        assert!(!instants().any(|start| short_after(start, ns)), "{ns} ns");
    }
    assert!(!instants().any(|start| short_after(start, 600_000)), "a back-off that ends is over");
    let mut access = Access::new(RULES, Alone);
    assert!(!access.back_off.counts_short(&access.medium, at(1000)), "there is none");
    access.back_off(at(0), 30);
    access.carrier(at(10), at(400));
    assert!(!(0..400).any(|us| access.back_off.counts_short(&access.medium, at(us))), "the medium is busy");
}

#[test]
fn a_lost_slot_is_waited_for_once_more() {
    let mut access = Access::new(RULES, Alone);
    access.back_off(at(0), 7);
    access.back_off.lose_slot(&access.medium);
    access.carrier(at(130), at(430)); // 4 whole slots have passed
    assert_eq!(access.deadline(), at(430 + 50 + 80));
}
