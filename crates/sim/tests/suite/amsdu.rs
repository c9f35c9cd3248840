//! Several packets in one MPDU: what that is worth to short packets, what a loss costs, and the books.

use serde_json::Value;

use crate::common::{Case, Outcome, number};

/// One hop of 802.11n at MCS 7 with more packets than it carries; `payload` [B] each.
fn saturated(payload: u32) -> Case {
    Case::new(&format!(
        "profile = \"rfc\"\n[run]\nduration = \"3 s\"\n[measure]\nwarm-up = \"1 s\"\n[topology]\nkind = \"chain\"\nhops = 1\n\
         spacing = \"10 m\"\n[queue]\nlimit = 1000\n[mac]\nstandard = \"802.11n\"\n\
         [[flow]]\nkind = \"cbr\"\nfrom = \"0\"\nto = \"1\"\nrate = \"100 Mbps\"\npacket = \"{payload} B\"\n"
    ))
}

fn counter(outcome: &Outcome, name: &str) -> f64 {
    outcome.json["counters"].get(name).map_or(0.0, number)
}

/// A cycle: AIFS, mean back-off, PPDU, SIFS, answer.
fn agrees(outcome: &Outcome, packets: f64, payload: f64, (psdu, answer_us): (f64, f64)) {
    let frame_us = 36.0 + 4.0 * ((psdu * 8.0 + 22.0) / 260.0).ceil();
    let cycle_us = 43.0 + 7.5 * 9.0 + frame_us + 16.0 + answer_us;
    let expected = packets * payload * 8.0 / (cycle_us * 1e-6);
    assert!((outcome.goodput() / expected - 1.0).abs() < 0.005, "{} {expected}", outcome.goodput());
}

/// Packets of 200 bytes: 64 MPDUs of one packet are as many as the window takes. 195 packets fill the time that a frame
/// may take: eleven A-MSDUs of 17 packets and one of eight.
#[test]
fn short_packets_gain_from_a_msdus() {
    let single = saturated(172).run(1);
    agrees(&single, 64.0, 172.0, (63.0 * 244.0 + 242.0, 32.0));
    let packed = saturated(172).set("mac.aggregation.amsdu-length", "3839 B").run(1);
    let (full, last) = (30.0 + 16.0 * 224.0 + 222.0, 30.0 + 7.0 * 224.0 + 222.0);
    agrees(&packed, 195.0, 172.0, (11.0 * (full + 4.0) + 4.0 + last, 32.0));
    assert!(packed.goodput() > 1.12 * single.goodput(), "{} {}", packed.goodput(), single.goodput());
    let (mpdus, packets) = (counter(&packed, "mac.mpdus"), counter(&packed, "mac.a-msdu-packets"));
    assert!((packets / mpdus - 195.0 / 12.0).abs() < 0.02, "{packets} in {mpdus}");
}

/// Without A-MPDUs five packets of 1500 bytes make an MPDU, which an ACK answers.
#[test]
fn a_frame_of_one_a_msdu_is_a_sum_of_times() {
    let outcome =
        saturated(1472).set("mac.aggregation.on", false).set("mac.aggregation.amsdu-length", "7935 B").run(1);
    agrees(&outcome, 5.0, 1472.0, (30.0 + 4.0 * 1524.0 + 1522.0, 28.0));
    assert_eq!((counter(&outcome, "mac.a-mpdus"), counter(&outcome, "mac.block-acks")), (0.0, 0.0));
}

/// A longer MPDU dies more often: of 1538 bytes 11.6 % at this bit error rate, of 3076 bytes 21.8 %.
#[test]
fn a_loss_costs_all_packets_of_the_mpdu() {
    let lost = |length: &str| {
        let case = saturated(1472).set("air.bit-error-rate", 1e-5);
        let outcome = case.set("mac.aggregation.amsdu-length", length).run(1);
        let row: Value = outcome.json["mpdus"][0].clone();
        let of = |key: &str| number(&row[key]);
        assert!(
            (of("packets") / of("mpdus") - if length == "0 B" { 1.0 } else { 2.0 }).abs() < 0.01,
            "{row}"
        );
        (of("lost") / of("mpdus"), outcome.goodput())
    };
    let ((one, fast), (two, slow)) = (lost("0 B"), lost("3839 B"));
    assert!((one - 0.116).abs() < 0.01 && (two - 0.218).abs() < 0.01, "{one} {two}");
    assert!(slow < 0.95 * fast, "{slow} {fast}");
}

/// Stations go and come back, links lose frames, and packets of all lengths and categories run both ways over relays.
#[test]
fn the_books_balance() {
    let flows = "[[flow]]\nkind = \"bulk\"\nfrom = \"0\"\nto = \"3\"\n\
                 [[flow]]\nkind = \"cbr\"\nfrom = \"3\"\nto = \"0\"\nrate = \"4 Mbps\"\npacket = \"90 B\"\n\
                 [[flow]]\nkind = \"cbr\"\nfrom = \"1\"\nto = \"3\"\nrate = \"1 Mbps\"\npacket = \"300 B\"\ndscp = \"EF\"\n\
                 [[event]]\nkind = \"node-down\"\nnode = \"1\"\nat = \"1.2 s\"\n\
                 [[event]]\nkind = \"node-up\"\nnode = \"1\"\nat = \"1.5 s\"\n\
                 [[event]]\nkind = \"link-loss\"\nfrom = \"2\"\nto = \"3\"\nloss = 0.5\nat = \"1.8 s\"\n\
                 [[event]]\nkind = \"node-down\"\nnode = \"2\"\nat = \"2.2 s\"\n\
                 [[event]]\nkind = \"node-up\"\nnode = \"2\"\nat = \"2.3 s\"\n";
    let plain = Case::new(&format!(
        "profile = \"rfc\"\n[run]\nduration = \"3 s\"\n[measure]\nwarm-up = \"1 s\"\n[topology]\nkind = \"chain\"\nhops = 3\n\
         spacing = \"10 m\"\n[mac]\nstandard = \"802.11n\"\naggregation.amsdu-length = \"3839 B\"\n{flows}"
    ))
    .set("air.packet-error-rate", 0.1);
    for sets in [
        &[][..],
        &[("mac.aggregation.on", "false")],
        &[("mac.aggregation.window", "1"), ("mac.aggregation.after-missed", "request")],
        &[("mac.standard", "802.11ac"), ("mac.aggregation.amsdu-length", "11424 B")],
        &[("mac.edca.on", "true"), ("mac.edca.map", "rfc8325")],
        &[("mac.edca.on", "true"), ("mac.aggregation.on", "false"), ("mac.edca.voice.aggregate", "true")],
        &[("mac.rate-control", "minstrel-ht")],
        &[("queue.on-give-up", "keep"), ("mac.aggregation.retries", "1")],
        &[("queue.service", "fq"), ("queue.aqm", "codel")],
        &[("mac.aggregation.release-timer", "0 s"), ("mac.aggregation.retries", "0")],
        &[("mac.aggregation.spacing", "8 us"), ("mac.rts-threshold", "500 B")],
        &[("routing.kind", "aodv")],
        &[("routing.kind", "dsr")],
        &[("air.reception", "sinr")],
    ] {
        assert!(counter(&plain.repeats(sets), "mac.a-msdus") > 10.0, "{sets:?}");
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    for (standard, on, key, value, named) in [
        ("802.11n", false, "mac.pacing.on", "true", "adaptive pacing"),
        ("802.11g", false, "mac.slot", "9 us", "only frames of 802.11n and later"),
        ("802.11n", true, "mac.aggregation.amsdu-length", "11424 B", "at most 7935 B"),
        ("802.11ac", true, "mac.aggregation.amsdu-length", "11425 B", "11424"),
        ("802.11n", true, "mac.aggregation.amsdu-length", "85 B", "be 0 B, or 86 B or more"),
    ] {
        let case = saturated(1472).set("mac.standard", standard).set("mac.aggregation.on", on);
        let said = case.set("mac.aggregation.amsdu-length", "3839 B").set(key, value).try_resolve();
        let said = said.expect_err("it is refused");
        assert!(
            said.contains(named) && said.contains("mac.aggregation.amsdu-length"),
            "{standard} {key}: {said}"
        );
    }
}

/// What leads to one frame a turn is said all at once.
#[test]
fn a_refusal_names_all_that_has_to_be_set() {
    let pacing = || {
        let case = saturated(1472).set("mac.slot-count", "exact").set("mac.pacing.on", true);
        case.set("mac.edca.on", true)
    };
    let said = pacing().try_resolve().expect_err("it is refused");
    assert!(said.contains("set mac.aggregation.on = false and mac.edca.on = false"), "{said}");
    let packed = pacing().set("mac.aggregation.on", false).set("mac.aggregation.amsdu-length", "3839 B");
    let said = packed.try_resolve().expect_err("it is refused");
    assert!(said.contains("set mac.aggregation.amsdu-length = \"0 B\" and mac.edca.on = false"), "{said}");
    let met = pacing().set("mac.aggregation.on", false).set("mac.edca.on", false);
    assert!(met.try_resolve().is_ok(), "{:?}", met.try_resolve().err());
}

#[test]
fn a_length_that_no_station_announces_is_remarked_and_so_is_a_lifetime_that_ends_nothing() {
    let remarks = |case: Case| case.resolve().warnings.join("\n");
    for (standard, length, said) in [
        ("802.11n", "5000 B", "stations of 802.11n take A-MSDUs of 3839 or 7935 B"),
        ("802.11ax", "5000 B", "stations of 802.11ax take A-MSDUs of 3865, 7961 or 11424 B"),
        ("802.11n", "3839 B", ""),
        ("802.11ac", "7961 B", ""),
    ] {
        let of = saturated(1472).set("mac.standard", standard).set("mac.aggregation.amsdu-length", length);
        let all = remarks(of);
        assert!(all.contains(said) && (!said.is_empty() || !all.contains("amsdu-length")), "{length}: {all}");
    }
    let alone = || saturated(1472).set("mac.aggregation.lifetime", "10 ms");
    let needed =
        "`mac.aggregation.lifetime` is ignored: it is used only with mac.aggregation.gives-up = \"lifetime\"";
    let said = remarks(alone());
    assert!(said.contains(needed), "{said}");
    assert!(!remarks(alone().set("mac.aggregation.gives-up", "lifetime")).contains("lifetime"));
}
