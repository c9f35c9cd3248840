//! One saturated sender and no other node: throughput is the payload over the sum of the frame times, the gaps
//! between them and the mean back-off. Times are those of IEEE 802.11-2020 §15 and §16 (DSSS, HR/DSSS), written
//! out here and not taken from the engine.

use crate::common::{Case, Report};

const LINK: &str = r#"
profile = "rfc"
[run]
duration = "60 s"
[measure]
warm-up = "1 s"
sample = "0 s"
[topology]
kind = "chain"
hops = 1
spacing = "100 m"
[[flow]]
kind = "cbr"
from = "0"
to = "1"
rate = "1 Mbps"
"#;

const SLOT: f64 = 20.0;
const SIFS: f64 = 10.0;
const DIFS: f64 = SIFS + 2.0 * SLOT;

/// One way to use the link.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// Mb/s of data frames and of control frames.
    rate: f64,
    basic: f64,
    /// PLCP preamble and header \[us\].
    plcp: f64,
    rts: bool,
    /// UDP payload \[B\].
    payload: f64,
    /// Bytes that headers add to it, from UDP down to the FCS.
    headers: f64,
    /// Mean of the back-off draw \[slots\].
    mean_slots: f64,
    /// Propagation delay \[us\].
    delay: f64,
}

impl Way {
    /// Throughput of UDP payload \[Mb/s\].
    fn expected(&self) -> f64 {
        let frame = |bytes: f64, rate: f64| self.plcp + 8.0 * bytes / rate;
        let ack = frame(14.0, self.basic);
        let reservation = frame(20.0, self.basic) + SIFS + frame(14.0, self.basic) + SIFS;
        let cycle = DIFS
            + self.mean_slots * SLOT
            + if self.rts { reservation } else { 0.0 }
            + frame(self.payload + self.headers, self.rate)
            + SIFS
            + ack
            + self.delay * if self.rts { 4.0 } else { 2.0 };
        8.0 * self.payload / cycle
    }

    fn measured(&self, case: Case) -> f64 {
        let run = case
            .set("mac.data-rate", format_args!("{} Mbps", self.rate))
            .set("mac.basic-rate", format_args!("{} Mbps", self.basic))
            .set("air.propagation-delay", format_args!("{} us", self.delay))
            .set("mac.preamble", if self.plcp > 100.0 { "long" } else { "short" })
            .set("mac.rts-threshold", if self.rts { "0 B" } else { "65535 B" })
            .set("flow.0.packet", format_args!("{} B", self.payload))
            .set("flow.0.rate", format_args!("{:.0} bps", 1.2e6 * self.expected()))
            .run(1);
        assert!(run.of_node(0, "queue_busy") > 0.999, "the sender had nothing to send");
        assert_eq!(run.over_nodes("ack_failures") + run.over_nodes("rts_failures"), 0.0);
        run.goodput() / 1e6
    }
}

/// IPv4 20 and UDP 8, LLC/SNAP 8, MAC header 24 and FCS 4.
const STANDARD_HEADERS: f64 = 28.0 + 36.0;

const STANDARD: Way = Way {
    rate: 2.0,
    basic: 1.0,
    plcp: 192.0,
    rts: true,
    payload: 1460.0,
    headers: STANDARD_HEADERS,
    mean_slots: 31.0 / 2.0,
    delay: 0.0,
};

#[test]
fn a_lone_sender_gets_what_the_frame_times_leave_it() {
    let mut report = Report::default();
    // Rate, basic rate and PLCP; a short PLCP is defined from 2 Mb/s up only.
    let presets = [
        (1.0, 1.0, 192.0),
        (2.0, 1.0, 192.0),
        (5.5, 1.0, 192.0),
        (11.0, 1.0, 192.0),
        (11.0, 2.0, 192.0),
        (2.0, 2.0, 96.0),
        (5.5, 2.0, 96.0),
        (11.0, 2.0, 96.0),
    ];
    for (rate, basic, plcp) in presets {
        for (rts, payload) in [(false, 1460.0), (true, 1460.0), (false, 100.0), (true, 100.0)] {
            let way = Way { rate, basic, plcp, rts, payload, ..STANDARD };
            report.near(format!("{way:?}, Mb/s"), way.measured(Case::new(LINK)), way.expected(), 0.005);
        }
    }
    report.assert_all();
}

/// ns-2 draws from 0 to CW - 1, counts 34 bytes of MAC and no LLC, and its routing agents add 20 bytes of IP.
#[test]
fn the_ns2_profile_follows_its_own_arithmetic() {
    let mut report = Report::default();
    for rts in [false, true] {
        let way = Way {
            rate: 2.0,
            basic: 1.0,
            plcp: 192.0,
            rts,
            payload: 1460.0,
            headers: 28.0 + 20.0 + 34.0,
            mean_slots: 30.0 / 2.0,
            delay: 0.0,
        };
        let case = Case::new(LINK).set("profile", "ns2");
        report.near(format!("{way:?}, Mb/s"), way.measured(case), way.expected(), 0.005);
    }
    report.assert_all();
}

/// Every frame and every response is on its way for the propagation delay.
#[test]
fn frames_travel() {
    let mut report = Report::default();
    for delay in [0.5, 3.0, 9.0] {
        for rts in [false, true] {
            // At 11 Mb/s with short frames 9 us four times over are 2 % of the cycle.
            let way = Way { rate: 11.0, payload: 100.0, rts, delay, ..STANDARD };
            report.near(format!("{way:?}, Mb/s"), way.measured(Case::new(LINK)), way.expected(), 0.002);
        }
    }
    report.assert_all();
}

#[test]
fn the_longest_times_do_not_overflow() {
    let run = Case::new(
        "profile = \"ns2\"\nrun.duration = \"20 s\"\nrouting = { kind = \"dsdv\", dsdv = { period = \"10000000 s\", allowed-loss = 1000000 } }\n[topology]\nkind = \"chain\"\nhops = 2\n[[flow]]\nfrom = \"0\"\nto = \"2\"\n",
    );
    assert!(run.run(1).goodput() >= 0.0);
}
