//! Stations of several amendments in one network: what they hear, what protects frames, and what that costs.

use crate::common::{Case, Outcome, first_difference, listed_as, tables};
use multihop_proto::units::Bytes;
use multihop_proto::wire::Dscp;

/// A pair of 802.11g, and beside it a pair whose sender is of 802.11b; all within 60 m.
const CELL: &str = r#"
profile = "rfc"
[run]
duration = "3 s"
[measure]
sample = "0 s"
warm-up = "1 s"
[topology]
kind = "explicit"
node = [
  { name = "g", x = "0 m", y = "0 m" },
  { name = "to g", x = "40 m", y = "0 m" },
  { name = "b", x = "0 m", y = "40 m" },
  { name = "to b", x = "40 m", y = "40 m" },
]
[mac]
standard = "802.11g"
[routing]
kind = "static"
[[node]]
names = ["b"]
mac.standard = "802.11b"
[[flow]]
name = "g"
kind = "cbr"
from = "g"
to = "to g"
rate = "100 Mbps"
packet = "1472 B"
"#;

/// The pair of the station of 802.11b sends, too.
const BESIDE: &str = r#"
[[flow]]
name = "b"
kind = "cbr"
from = "b"
to = "to b"
rate = "100 Mbps"
packet = "1472 B"
"#;

fn cell(more: &str) -> Case {
    Case::new(&format!("{CELL}{more}"))
}

fn of_flow(run: &Outcome, flow: usize) -> f64 {
    run.flows()[flow]["goodput_bps"].as_f64().expect("a number")
}

fn counted(run: &Outcome, counter: &str) -> f64 {
    run.json["counters"][counter].as_f64().unwrap_or(0.0)
}

/// DIFS, half of 15 slots, what goes first, 1536 bytes at 54 Mb/s, SIFS and the ACK: slots of 9 us alone, of 20 us
/// beside a station of 802.11b. A CTS of 2 Mb/s and SIFS take 258 us, an RTS and its SIFS 282 us more.
#[test]
fn a_silent_older_station_costs_long_slots_and_a_cts() {
    let expected = |slot: f64, first: f64| {
        1472.0 * 8.0 / ((10.0 + 2.0 * slot + 7.5 * slot + first + 254.0 + 10.0 + 34.0) * 1e-6)
    };
    let with = |protection: &str| cell("").set("mac.protection", protection);
    let alone = cell("").set("node.0.mac.standard", "802.11g");
    for (case, wanted) in [
        (alone, expected(9.0, 0.0)),
        (with("none"), expected(20.0, 0.0)),
        (with("auto"), expected(20.0, 258.0)),
        (with("cts-to-self"), expected(20.0, 258.0)),
        (with("rts-cts"), expected(20.0, 258.0 + 282.0)),
        (with("none").set("mac.slot", "9 us").set("node.0.mac.cca-time", "9 us"), expected(9.0, 0.0)),
    ] {
        let goodput = case.run(1).goodput();
        assert!((goodput / wanted - 1.0).abs() < 0.01, "{goodput} {wanted}\n{}", case.text());
    }
}

/// The ceiling that is told before a run counts what protects.
#[test]
fn what_is_said_before_a_run_counts_protection() {
    let it = cell("").resolve();
    let mac = it.config.mac.beside_dsss();
    let plain = &it.config.mac;
    let takes = |mac: &multihop_proto::mac::MacConfig| {
        mac.exchange(mac.data_vector(), Bytes(1500), mac.category(Dscp::default())).as_us()
    };
    assert_eq!(takes(&mac), takes(plain) + 258);
    let ceiling = |case: &Case| multihop_sim::check::hearing(&case.resolve(), 1);
    assert_ne!(ceiling(&cell("")), ceiling(&cell("").set("mac.protection", "none")));
}

/// The sender of 802.11b hears no frame of OFDM: it is too far away to sense them, and near enough to read a CTS. Its
/// frames destroy those of 802.11g at their receiver, unless a CTS has told it to be silent.
#[test]
fn a_station_that_reads_no_ofdm_collides_with_it_unless_a_cts_goes_first() {
    let far = |protection: &str| {
        cell(BESIDE)
            .set("topology.node.1.x", "120 m")
            .set("topology.node.2", "{ name = \"b\", x = \"235 m\", y = \"0 m\" }")
            .set("topology.node.3", "{ name = \"to b\", x = \"285 m\", y = \"0 m\" }")
            .set("mac.protection", protection)
            .run(1)
    };
    let [without, with] = ["none", "cts-to-self"].map(far);
    let failed = |run: &Outcome| run.of_node(0, "ack_failures") / run.of_node(0, "frames/data");
    assert!(failed(&without) > 0.5 && failed(&with) < 0.1, "{} {}", failed(&without), failed(&with));
    assert!(of_flow(&with, 0) > 5.0 * of_flow(&without, 0), "{} {}", of_flow(&with, 0), of_flow(&without, 0));
    assert!(counted(&with, "mac.cts-to-self") > 100.0 && counted(&without, "mac.cts-to-self") == 0.0);
}

/// Near enough, a station of 802.11b senses the energy of OFDM, and the two share the medium without protection.
#[test]
fn energy_keeps_a_near_station_silent() {
    let run = cell(BESIDE).set("mac.protection", "none").run(1);
    let failed = run.over_nodes("ack_failures") / run.over_nodes("frames/data");
    assert!(failed < 0.1, "{failed}");
    assert!(of_flow(&run, 0) > 1e6 && of_flow(&run, 1) > 1e6);
}

/// Networks of each amendment with an older station in the middle of a chain: TCP goes through it both ways.
#[test]
fn packets_go_through_older_stations() {
    for (standard, band, older) in [
        ("802.11g", None, "802.11b"),
        ("802.11n", Some("2.4 GHz"), "802.11b"),
        ("802.11n", Some("2.4 GHz"), "802.11g"),
        ("802.11ax", Some("2.4 GHz"), "802.11b"),
        ("802.11ax", Some("2.4 GHz"), "802.11g"),
        ("802.11n", None, "802.11a"),
        ("802.11ac", None, "802.11a"),
        ("802.11ax", None, "802.11a"),
    ] {
        for (edca, control) in
            [("false", "fixed"), ("true", "minstrel-ht"), ("true", "ideal"), ("false", "arf")]
        {
            let text = format!(
                "profile = \"rfc\"\n[run]\nduration = \"2 s\"\n[measure]\nsample = \"0 s\"\n[topology]\nkind = \"chain\"\nhops = 2\n\
                 spacing = \"60 m\"\n[mac]\nstandard = \"{standard}\"\nrate-control = \"{control}\"\n[routing]\nkind = \"aodv\"\n\
                 [[node]]\nnames = [\"1\"]\nmac.standard = \"{older}\"\n\
                 [[flow]]\nkind = \"bulk\"\nfrom = \"0\"\nto = \"2\"\n[[flow]]\nkind = \"bulk\"\nfrom = \"2\"\nto = \"1\"\ndscp = \"EF\"\n"
            );
            let case = Case::new(&text);
            let case = band.map_or_else(|| case.clone(), |band| case.clone().set("mac.band", band));
            let mcs = standard != "802.11g";
            let case = if mcs { case.set("mac.edca.on", edca) } else { case };
            let (run, again) = (case.run(1), case.run(1));
            assert_eq!(run.fingerprint(), again.fingerprint(), "{}", case.text());
            for flow in 0..2 {
                assert!(of_flow(&run, flow) > 2e5, "{} {}", of_flow(&run, flow), case.text());
            }
            let other = listed_as(&case, |place, count| count - 1 - place).run(1);
            let (one, other) = (tables(&listed_as(&case, |place, _| place).run(1)), tables(&other));
            assert_eq!(one, other, "{}\n{}", first_difference(&other, &one, ""), case.text());
        }
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    let complaint = |sets: &[&str]| cell("").sets(sets).try_resolve().expect_err("it is refused");
    let event = "event=[{ at = \"1 s\", kind = \"rate\", node = \"g\", rate = \"6 Mbps\" }]";
    for (sets, named) in [
        (&["mac.standard=802.11n"][..], "stations of 802.11b cannot be in a network of 802.11n at 5 GHz"),
        (&["mac.standard=802.11b", "node.0.mac.standard=802.11g"], "cannot be in a network of 802.11b"),
        (&["mac.standard=802.11ac", "node.0.mac.standard=802.11n"], "cannot be in a network of 802.11ac"),
        (&["air.reception=ns2"], "air.reception = \"sinr\""),
        (&["mac.basic-rate=6 Mbps"], "rates of DSSS alone"),
        (&["mac.preamble=data-rate"], "long"),
        (&["node.0.mac.basic-rate=1 Mbps"], "of all stations"),
        (&[event], "several standards"),
    ] {
        let said = complaint(sets);
        assert!(said.contains(named), "{sets:?}: {said}");
    }
    assert_eq!(cell("").set("node.0.mac.data-rate", "5.5 Mbps").try_resolve().err(), None);
}

/// What the presence of 802.11b brings yields to what is said.
#[test]
fn older_stations_bring_their_slot_and_basic_rate() {
    let values = |case: &Case, key: &str| -> String {
        let json: serde_json::Value = serde_json::from_str(&case.resolve().to_json()).expect("JSON");
        json["values"][key]["value"].as_str().unwrap_or_default().to_owned()
    };
    let it = cell("");
    assert_eq!(values(&it, "mac.slot"), "20 us");
    assert_eq!(values(&it, "mac.basic-rate"), "2 Mbps");
    let said = it.set("mac.slot", "9 us").set("node.0.mac.cca-time", "5 us").set("mac.basic-rate", "1 Mbps");
    assert_eq!(values(&said, "mac.slot"), "9 us");
    assert_eq!(values(&said, "mac.basic-rate"), "1 Mbps");
}
