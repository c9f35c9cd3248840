//! Shadowing, fading and bursts in whole runs.

use crate::common::{Case, first_difference, listed_as, on_threads, tables};
use insta::assert_snapshot;

const ALL: &str = "[air]\npropagation = \"log-distance\"\npath-loss-exponent = 2.8\nshadowing = \"4 dB\"\nfading = \"rician\"\n\
    burst = { good = \"2 s\", bad = \"50 ms\", loss-bad = 0.9 }\n";

/// A grid whose nodes walk about, under DSDV.
fn walkers(more: &str) -> Case {
    Case::new(&format!(
        "profile = \"ns2\"\n[run]\nduration = \"20 s\"\n[measure]\nsample = \"0 s\"\n\
         [topology]\nkind = \"grid\"\ncolumns = 3\nrows = 3\nspacing = \"60 m\"\n\
         [routing]\nkind = \"dsdv\"\n[routing.dsdv]\nperiod = \"2 s\"\n\
         [mobility]\nkind = \"random-walk\"\ninterval = \"4 s\"\narea = {{ width = \"200 m\", height = \"200 m\" }}\n\
         [[flow]]\nfrom = 0\nto = 8\n[[flow]]\nkind = \"cbr\"\nrate = \"100 kbps\"\nfrom = 6\nto = 2\n{more}"
    ))
}

#[test]
fn the_order_of_the_nodes_and_other_threads_change_nothing() {
    for reception in ["ns2", "sinr"] {
        let case = walkers(ALL).set("air.reception", format_args!("\"{reception}\""));
        let orders: [fn(usize, usize) -> usize; 3] =
            [|place, _| place, |place, count| count - 1 - place, |place, count| place * 7 % count];
        let runs = on_threads(orders, |order| {
            let run = listed_as(&case, order).run(1);
            assert!(run.over_flows("delivered_bytes") > 0.0, "{reception}");
            tables(&run)
        });
        for other in &runs[1..] {
            if other["run"] != runs[0]["run"] {
                panic!("{reception}: {}", first_difference(&other["run"], &runs[0]["run"], "run"));
            }
        }
        assert_ne!(case.run(1).fingerprint(), case.run(2).fingerprint());
    }
}

/// Of long bursts a packet escapes if both ways are good: the square of the share of good times.
#[test]
fn long_bursts_lose_what_meets_them() {
    let case = Case::new(
        "profile = \"ns2\"\n[run]\nduration = \"4000 s\"\n[measure]\nsample = \"0 s\"\n\
         [topology]\nkind = \"chain\"\nhops = 1\n[air]\nburst = { good = \"1400 ms\", bad = \"600 ms\" }\n\
         [[flow]]\nkind = \"cbr\"\nrate = \"20 kbps\"\npacket = \"500 B\"\nfrom = 0\nto = 1\n",
    );
    let share = case.run(1).over_flows("delivered_bytes") / (4000.0 * 2500.0);
    assert!((share - 0.49).abs() < 0.03, "{share}");
    let none = case.set("air.burst.loss-bad", 0.0).run(1).over_flows("delivered_bytes") / (4000.0 * 2500.0);
    assert!(none > 0.999, "{none}");
}

/// At a mean of 2.44 times the threshold (200 m under the usual card) a frame is decoded with probability exp(-1/2.44).
/// Not under profile `ns2`, where a frame that was only sensed keeps its hearer from answering the next RTS.
#[test]
fn rayleigh_fading_loses_as_many_frames_as_its_closed_form() {
    let case = Case::new(
        "profile = \"rfc\"\n[run]\nduration = \"1000 s\"\n[measure]\nsample = \"0 s\"\n\
         [topology]\nkind = \"chain\"\nhops = 1\n[air]\nfading = \"rayleigh\"\n[mac]\nrts-threshold = \"0 B\"\n\
         [[flow]]\nkind = \"cbr\"\nrate = \"40 kbps\"\npacket = \"500 B\"\nfrom = 0\nto = 1\n",
    );
    let run = case.run(1);
    // An RTS is answered if it and the CTS are decoded, each on its own.
    let closed = libm::exp(-2.0 / (250.0_f64 / 200.0).powi_4());
    let answered = 1.0 - run.rts_failure_share();
    assert!((answered / closed - 1.0).abs() < 0.03, "{answered} {closed}");
}

/// Powers of whole numbers without a function that differs between platforms.
trait Powers {
    fn powi_4(self) -> f64;
}

impl Powers for f64 {
    fn powi_4(self) -> f64 {
        self * self * self * self
    }
}

#[test]
fn what_makes_no_sense_is_named() {
    let wrong = |air: &str| {
        let text = format!("topology = {{ kind = \"chain\", hops = 2 }}\n[air]\n{air}\n");
        Case::new(&text).try_resolve().expect_err("wrong")
    };
    assert_snapshot!(wrong("propagation = \"disk\"\nfading = \"rayleigh\""), @r#"test.toml:4:10: `fading` means nothing to fixed ranges, propagation = "disk"; leave it out, or choose another propagation"#);
    assert_snapshot!(wrong("propagation = \"disk\"\nshadowing = \"3 dB\""), @r#"test.toml:4:13: `air.shadowing` is 3 dB; it must be 0 dB with propagation = "disk", whose ranges are fixed"#);
    assert_snapshot!(wrong("shadowing = \"-3 dB\""), @"test.toml:3:13: `air.shadowing` is -3 dB; it must lie between 0 dB and 20 dB");
    assert_snapshot!(wrong("path-loss-exponent = 0.5"), @"test.toml:3:22: `air.path-loss-exponent` is 0.5; it must lie between 1 and 10");
    assert_snapshot!(wrong("burst = { good = \"1 s\" }"), @"test.toml:3:9: `air.burst.bad` is missing");
    assert_snapshot!(wrong("burst = { good = \"1 s\", bad = \"1 s\", loss-bad = 2.0 }"), @"test.toml:3:49: `air.burst.loss-bad` is 2; it must be a probability, between 0 and 1");
    assert_snapshot!(wrong("fading = \"nakagami\""), @r#"test.toml:3:10: `air.fading` has no value "nakagami"; expected one of "none", "rayleigh", "rician""#);
}
