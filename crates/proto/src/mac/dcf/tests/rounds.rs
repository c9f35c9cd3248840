//! Further rounds of retries, and pacing.

use super::station::*;
use crate::contract::{Cause, Outcome};
use crate::mac::dcf::Retry;
use crate::mac::{DcfConfig, Mac, PacingConfig, RoundWindow, RoundsConfig};
use crate::testing::us;
use crate::units::{Bytes, Dur, Entity, Purpose, Rng, SimTime};
use crate::wire::FrameKind;

fn double(window: RoundWindow) -> DcfConfig {
    DcfConfig { rounds: RoundsConfig { extra: 1, window, ..RoundsConfig::default() }, ..ns2() }
}

fn retry(config: &DcfConfig) -> Retry {
    Retry::new(config, Rng::stream(1, 1, Entity::Node("0"), Purpose::Backoff))
}

fn count(station: &Station, wanted: &str) -> Option<u64> {
    let mut found = None;
    station.dcf.each_counter(&mut |name, value| {
        if name == wanted {
            found = Some(value);
        }
    });
    found
}

#[test]
fn a_second_round_is_one_more_whole_limit() {
    for (config, frames, outcome) in [
        (double(RoundWindow::Keep), 14, Outcome::GaveUp { cause: Cause::RtsLimit, rts: 14, attempts: 0 }),
        (
            DcfConfig { rts_threshold: Bytes(1554), ..double(RoundWindow::Keep) },
            14,
            Outcome::GaveUp { cause: Cause::DataLimit, rts: 0, attempts: 14 },
        ),
    ] {
        let mut station = Station::new(config);
        let offer = station.offer();
        let (end, sent) = station.serve(us(0), offer, |_| false);
        assert_eq!((end, sent.len()), (outcome, frames));
        assert_eq!(count(&station, "mac.retry-rounds"), Some(1));
        assert_eq!(station.dcf.window(), 31);
        // The next frame has two rounds again.
        let offer = station.offer();
        assert_eq!(station.serve(SimTime::from_secs(9), offer, |_| false).0, outcome);
    }
}

#[test]
fn long_frames_have_four_and_four_and_the_link_fails_once() {
    let mut station = Station::new(double(RoundWindow::Keep));
    let offer = station.offer();
    let (end, sent) = station.serve(us(0), offer, |frame| frame.kind == FrameKind::Rts);
    assert_eq!(end, Outcome::GaveUp { cause: Cause::DataLimit, rts: 8, attempts: 8 });
    assert_eq!(sent.iter().filter(|(_, frame)| frame.kind == FrameKind::Data).count(), 8);
    assert_eq!(station.dcf.exchange.counters.given_up_data, 1);
}

#[test]
fn the_window_of_a_further_round_stays_or_falls_back() {
    for (window, after) in [(RoundWindow::Keep, 1023), (RoundWindow::Reset, 31)] {
        let mut retry = retry(&double(window));
        for _ in 0..7 {
            assert_eq!(retry.rts_failed(), None);
        }
        assert_eq!(retry.window(), after);
        assert_eq!((0..7).filter_map(|_| retry.rts_failed()).count(), 1);
    }
}

/// Both counters start anew: three data frames that failed before do not count in the second round.
#[test]
fn a_further_round_forgets_both_counters() {
    let mut retry = retry(&double(RoundWindow::Keep));
    let fails = |retry: &mut Retry, times| (0..times).all(|_| retry.data_failed(true).is_none());
    assert!(fails(&mut retry, 3) && (0..7).all(|_| retry.rts_failed().is_none()));
    assert!(fails(&mut retry, 3));
    assert_eq!(retry.data_failed(true), Some(Cause::DataLimit));
}

/// Two further rounds at most; failures per delivered frame, weight 1/8, decide: 1 or fewer none, from 2 one, from 3
/// two.
#[test]
fn adaptive_rounds_follow_the_failures_of_delivered_frames() {
    let adaptive = RoundsConfig { extra: 2, adaptive: true, ..RoundsConfig::default() };
    let config = DcfConfig { rounds: adaptive, ..ns2() };
    let limit = |retry: &mut Retry| (1..).find(|_| retry.rts_failed().is_some());
    let mut retry = retry(&config);
    assert_eq!(limit(&mut retry), Some(7));
    let deliver = |retry: &mut Retry, frames, failures| {
        for _ in 0..frames {
            (0..failures).for_each(|_| assert_eq!(retry.rts_failed(), None));
            retry.delivered();
        }
    };
    deliver(&mut retry, 8, 3); // 3 · (1 − (7/8)^8) = 1.97
    assert_eq!(limit(&mut retry), Some(7), "what was given up does not count");
    deliver(&mut retry, 1, 3); // 2.10
    assert_eq!(limit(&mut retry), Some(14));
    deliver(&mut retry, 8, 6); // 4.66
    assert_eq!(limit(&mut retry), Some(21));
    deliver(&mut retry, 40, 0);
    assert_eq!(limit(&mut retry), Some(7));
}

/// When the RTS of a second frame goes, after a first one with so many failed RTS.
fn second_rts(pacing: PacingConfig, failures: u32) -> (SimTime, Option<u64>) {
    let mut station = Station::new(DcfConfig { pacing, ..ns2() });
    let offer = station.offer();
    let mut left = failures;
    let (outcome, sent) = station.serve(us(0), offer, |frame| {
        let fails = frame.kind == FrameKind::Rts && left > 0;
        left -= u32::from(fails);
        !fails
    });
    assert_eq!(outcome, Outcome::Delivered { rts: failures + 1, attempts: 1 });
    let (data, frame) = sent.last().copied().expect("data");
    let end = data + frame.airtime + Dur::from_us(314);
    let offer = station.offer();
    let (_, sent) = station.serve(end, offer, |_| true);
    (sent[0].0, count(&station, "mac.paced"))
}

/// RTS, CTS, data, Ack and three SIFS take 7398 us: 370 slots.
#[test]
fn after_a_frame_that_had_to_be_tried_again_the_next_waits_an_exchange_longer() {
    let pacing = PacingConfig { on: true, threshold: 1.0, weight: 1.0 };
    let off = PacingConfig { on: false, ..pacing };
    for (failures, longer, paced) in [(0, 0, 0), (1, 7400, 1), (2, 7400, 1)] {
        let (with, count) = second_rts(pacing, failures);
        let (without, none) = second_rts(off, failures);
        assert_eq!(with - without, Dur::from_us(longer), "{failures}");
        assert_eq!((count, none), (Some(paced), None));
    }
    // Averaged over frames: a half and a half again are not enough.
    assert_eq!(second_rts(PacingConfig { weight: 0.4, ..pacing }, 2).1, Some(0));
    assert_eq!(second_rts(PacingConfig { weight: 0.5, ..pacing }, 2).1, Some(1));
}

/// Without RTS, data, Ack and a SIFS take 6722 us: 337 slots.
#[test]
fn after_a_frame_without_rts_the_next_waits_for_data_and_ack_longer() {
    let second = |on: bool| {
        let pacing = PacingConfig { on, threshold: 1.0, weight: 1.0 };
        let mut station = Station::new(DcfConfig { pacing, rts_threshold: Bytes(3000), ..ns2() });
        let offer = station.offer();
        let mut tries = 0;
        let (_, sent) = station.serve(us(0), offer, |_| {
            tries += 1;
            tries > 1
        });
        assert_eq!(sent.len(), 2);
        let end = sent[1].0 + sent[1].1.airtime + Dur::from_us(314);
        let offer = station.offer();
        station.serve(end, offer, |_| true).1[0].0
    };
    assert_eq!(second(true) - second(false), Dur::from_us(6740));
}

#[test]
fn frames_that_are_given_up_count_in_the_average() {
    let pacing = PacingConfig { on: true, threshold: 1.0, weight: 0.2 };
    let mut station = Station::new(DcfConfig { pacing, ..ns2() });
    let offer = station.offer();
    station.serve(us(0), offer, |_| false); // six retries: 1.2
    let offer = station.offer();
    station.serve(SimTime::from_secs(9), offer, |_| true); // 0.96
    assert_eq!(count(&station, "mac.paced"), Some(0));
    let offer = station.offer();
    station.serve(SimTime::from_secs(10), offer, |_| false);
    let offer = station.offer();
    station.serve(SimTime::from_secs(19), offer, |_| true); // 1.57
    assert_eq!(count(&station, "mac.paced"), Some(1));
}
