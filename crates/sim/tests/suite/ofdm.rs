//! Formats after 802.11b over one hop: a saturated sender delivers a packet in each cycle of DIFS, mean back-off, data
//! frame, SIFS and ACK, with an RTS and a CTS before the data where they are on.

use crate::common::Case;

/// One hop, more than it carries: 1472 bytes of payload, 1500 with IP and UDP.
fn saturated(standard: &str, sets: &[(&str, &str)]) -> Case {
    sets.iter().fold(with(standard, ""), |case, (path, value)| case.set(path, value))
}

/// The same, with further sections.
fn with(standard: &str, more: &str) -> Case {
    Case::new(&format!(
        "profile = \"rfc\"\n[run]\nduration = \"3 s\"\n[measure]\nsample = \"0 s\"\nwarm-up = \"1 s\"\n\
         [topology]\nkind = \"chain\"\nhops = 1\nspacing = \"100 m\"\n[mac]\nstandard = \"{standard}\"\n\
         [[flow]]\nkind = \"cbr\"\nfrom = \"0\"\nto = \"1\"\nrate = \"100 Mbps\"\npacket = \"1472 B\"\n{more}"
    ))
}

/// Goodput of a cycle with frames of these lengths \[bit/s\]: data and ACK, all in microseconds.
fn expected((difs, slot, sifs): (f64, f64, f64), data: f64, ack: f64, reserved: f64) -> f64 {
    1472.0 * 8.0 / ((difs + 7.5 * slot + reserved + data + sifs + ack) * 1e-6)
}

const GHZ5: (f64, f64, f64) = (34.0, 9.0, 16.0);
const GHZ2: (f64, f64, f64) = (28.0, 9.0, 10.0);
/// AIFS of best effort in the place of DIFS.
const QOS_GHZ5: (f64, f64, f64) = (43.0, 9.0, 16.0);
const QOS_GHZ2: (f64, f64, f64) = (37.0, 9.0, 10.0);

fn agrees(case: &Case, expected: f64) {
    let goodput = case.run(1).goodput();
    assert!((goodput / expected - 1.0).abs() < 0.01, "{goodput} {expected}\n{}", case.text());
}

/// 1536 bytes are 12310 bits with service and tail: 513 symbols of 24 bits at 6 Mb/s, 57 of 216 at 54.
#[test]
fn one_hop_of_802_11a_and_g_is_a_sum_of_times() {
    let at = |standard, mbps: &str| saturated(standard, &[("mac.data-rate", &format!("{mbps} Mbps"))]);
    agrees(&at("802.11a", "6"), expected(GHZ5, 20.0 + 4.0 * 513.0, 44.0, 0.0));
    agrees(&at("802.11a", "18"), expected(GHZ5, 20.0 + 4.0 * 171.0, 32.0, 0.0));
    agrees(&at("802.11a", "54"), expected(GHZ5, 248.0, 28.0, 0.0));
    agrees(&at("802.11g", "54"), expected(GHZ2, 254.0, 34.0, 0.0));
    let reserved = at("802.11a", "54").set("mac.rts-threshold", "0 B");
    agrees(&reserved, expected(GHZ5, 248.0, 28.0, 52.0 + 44.0 + 2.0 * 16.0));
}

/// QoS data of 1538 bytes: 12326 bits. An ACK of 24 Mb/s answers MCS 3 and more, one of 6 Mb/s MCS 0.
#[test]
fn one_hop_with_an_mcs_is_a_sum_of_times() {
    let (near, alone) = (("topology.spacing", "10 m"), ("mac.aggregation.on", "false"));
    let ht = saturated("802.11n", &[near, alone]);
    agrees(&ht, expected(QOS_GHZ5, 36.0 + 4.0 * 48.0, 28.0, 0.0));
    agrees(&ht.clone().set("mac.mcs", 0), expected(QOS_GHZ5, 36.0 + 4.0 * 475.0, 44.0, 0.0));
    agrees(&ht.set("mac.band", "\"2.4 GHz\""), expected(QOS_GHZ2, 42.0 + 4.0 * 48.0, 34.0, 0.0));
    let wide = [near, alone, ("mac.width", "80 MHz"), ("mac.streams", "2"), ("mac.mcs", "9")];
    // 3120 bits a symbol, 2 encoders.
    agrees(&saturated("802.11ac", &wide), expected(QOS_GHZ5, 32.0 + 8.0 + 4.0 + 4.0 * 4.0, 28.0, 0.0));
    // 1950 bits a symbol of 13.6 us.
    let he = saturated("802.11ax", &[near, alone, ("mac.mcs", "11")]);
    agrees(&he, expected(QOS_GHZ5, 36.0 + 7.2 + 13.6 * 7.0, 28.0, 0.0));
}

/// At the same place a fast frame is lost that a slow one is not, by each of the curves.
#[test]
fn fast_frames_reach_less_far() {
    for errors in ["table", "table-ldpc", "nist", "yans"] {
        let at = |mbps: &str| {
            let sets = [
                ("mac.data-rate", mbps),
                ("air.ofdm-errors", errors),
                ("air.receive-threshold", "-85 dBm"),
                ("air.sense-threshold", "-90 dBm"),
                ("topology.spacing", "700 m"), // -82.3 dBm: 11.7 dB over the noise
            ];
            saturated("802.11a", &sets).run(1).goodput()
        };
        let (slow, fast) = (at("12 Mbps"), at("54 Mbps"));
        assert!(slow > 8e6 && fast < 1e5, "{errors}: {slow} {fast}");
    }
}

#[test]
fn what_a_standard_does_not_have_is_refused() {
    let complaint = |standard, key: &str, value: &str| {
        saturated(standard, &[(key, value)]).try_resolve().expect_err("it is refused")
    };
    for (standard, key, value, named) in [
        ("802.11a", "mac.data-rate", "11 Mbps", "6, 9, 12, 18, 24, 36, 48 or 54 Mb/s"),
        ("802.11g", "mac.basic-rate", "3 Mbps", "6, 9, 12"),
        ("802.11a", "mac.basic-rate", "1 Mbps", "at 2.4 GHz a rate of DSSS"),
        ("802.11n", "mac.mcs", "8", "at most 7 in 802.11n"),
        ("802.11n", "mac.width", "80 MHz", "at most 40 MHz"),
        ("802.11ac", "mac.mcs", "9", "802.11ac leaves it out"),
        ("802.11ax", "mac.guard-interval", "0.4 us", "0.8 us, 1.6 us or 3.2 us"),
        ("802.11h", "mac.mcs", "1", "has no value \"802.11h\""),
    ] {
        let said = complaint(standard, key, value);
        assert!(said.contains(named), "{standard} {key}={value}: {said}");
    }
}

/// A rate that an event sets is one of the radio's standard. A wire takes any.
#[test]
fn an_event_sets_a_rate_that_its_link_has() {
    let wire = "[[wire]]\nfrom = \"0\"\nto = \"1\"\nrate = \"100 Mbps\"\ndelay = \"1 ms\"\n";
    let event = |rate: &str| {
        format!(
            "[[event]]\nat = \"1 s\"\nkind = \"rate\"\nfrom = \"0\"\nto = \"1\"\nrate = \"{rate}\"\none-way = true\n"
        )
    };
    for (standard, rate, named) in [
        ("802.11b", "5 Gbps", "at most 4 Gb/s"),
        ("802.11a", "11 Mbps", "6, 9, 12, 18, 24, 36, 48 or 54 Mb/s"),
        ("802.11n", "65 Mbps", "go by `mac.mcs`"),
    ] {
        let said = with(standard, &event(rate)).try_resolve().expect_err("it is refused");
        assert!(said.contains(named), "{standard} {rate}: {said}");
        let wired = with(standard, &format!("{wire}{}", event(rate)));
        assert_eq!(wired.try_resolve().err(), None, "{standard} {rate}");
    }
}
