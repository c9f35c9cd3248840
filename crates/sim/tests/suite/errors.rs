//! Bit and packet errors: each kind of frame is lost as often as its length says, `1 - (1 - BER)^bits`, and with
//! `error-plcp` the 24 bytes of PLCP preamble and header count too.

use crate::common::{Case, Outcome, Report};

const LINK: &str = r#"
profile = "ns2"
[run]
duration = "600 s"
[measure]
sample = "0 s"
[topology]
kind = "chain"
hops = 1
spacing = "100 m"
[[flow]]
kind = "cbr"
from = "0"
to = "1"
rate = "2 Mbps"
packet = "1460 B"
"#;

/// Standard deviations by which a share of so many frames may be off.
const DEVIATIONS: f64 = 4.0;
/// MPDU of a datagram in profile `ns2`: payload, UDP/IP, the routing agent's IP header, MAC.
const DATA: f64 = 1460.0 + 28.0 + 20.0 + 34.0;
const RTS: f64 = 20.0;
const RESPONSE: f64 = 14.0;
const PLCP: f64 = 24.0;

/// Probability that a frame of this many bytes is damaged.
fn lost(bit_error_rate: f64, bytes: f64) -> f64 {
    1.0 - libm::pow(1.0 - bit_error_rate, 8.0 * bytes)
}

/// Of `sent` frames, a `share` must have been lost, within what chance allows.
fn expect(report: &mut Report, what: &str, sent: f64, arrived: f64, share: f64) {
    let deviation = libm::sqrt(share * (1.0 - share) / sent);
    report.close(format!("{what} of {sent}"), 1.0 - arrived / sent, share, DEVIATIONS * deviation);
}

/// Counts frames at both ends: what node 1 answers it has received, what node 0 does not miss as well.
fn data_and_acks(report: &mut Report, what: &str, run: &Outcome, data: f64, ack: f64) {
    let (sent, answered) = (run.of_node(0, "frames/data"), run.of_node(1, "frames/ack"));
    let failed = run.of_node(0, "ack_failures");
    expect(report, &format!("{what}, data"), sent, answered, data);
    expect(report, &format!("{what}, Ack"), answered, sent - failed, ack);
    expect(report, &format!("{what}, attempts"), sent, sent - failed, 1.0 - (1.0 - data) * (1.0 - ack));
}

#[test]
fn bit_errors_strike_each_frame_by_its_length() {
    let mut report = Report::default();
    for (rate, plcp) in [(1e-6, true), (2e-5, true), (5e-5, true), (5e-5, false), (2e-4, false)] {
        let run = Case::new(LINK)
            .set("air.bit-error-rate", rate)
            .set("air.error-plcp", plcp)
            .set("mac.rts-threshold", "65535 B")
            .run(1);
        let bytes = |mpdu: f64| mpdu + if plcp { PLCP } else { 0.0 };
        let what = format!("BER {rate}, PLCP {plcp}");
        data_and_acks(&mut report, &what, &run, lost(rate, bytes(DATA)), lost(rate, bytes(RESPONSE)));
    }
    report.assert_all();
}

#[test]
fn packet_errors_strike_every_frame_alike() {
    let mut report = Report::default();
    for rate in [0.001, 0.05, 0.3] {
        let case = Case::new(LINK).set("air.packet-error-rate", rate).set("mac.rts-threshold", "65535 B");
        data_and_acks(&mut report, &format!("PER {rate}"), &case.run(1), rate, rate);
    }
    report.assert_all();
}

/// Counts RTS and CTS. An RTS that is answered was received, a CTS that is not missed too.
fn reservations(case: &Case, report: &mut Report, rate: f64) -> (f64, f64) {
    let run = case.run(1);
    let of = |bytes| lost(rate, bytes + PLCP);
    let (rts, cts) = (run.of_node(0, "frames/rts"), run.of_node(1, "frames/cts"));
    expect(report, "CTS", cts, rts - run.of_node(0, "rts_failures"), of(RESPONSE));
    data_and_acks(report, "after CTS", &run, of(DATA), of(RESPONSE));
    (rts, cts)
}

#[test]
fn bit_errors_strike_rts_and_cts() {
    let mut report = Report::default();
    let rate = 2e-5;
    let case = Case::new(LINK).set("air.bit-error-rate", rate);
    let standard = case.clone().set("mac.respond-while-waiting", true);
    let (rts, cts) = reservations(&standard, &mut report, rate);
    expect(&mut report, "RTS", rts, cts, lost(rate, RTS + PLCP));
    // ns-2's station is deaf to RTS after a CTS in vain, until the data would have ended.
    let (rts, cts) = reservations(&case, &mut report, rate);
    let unanswered = 1.0 - cts / rts;
    let line = format!("RTS unanswered by a station that waits for data: {unanswered:.5}");
    report.judge(unanswered > 2.0 * lost(rate, RTS + PLCP), line);
    report.assert_all();
}
