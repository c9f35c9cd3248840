//! Agreement with ns-2.35 and ns-3.44 on the reference chain: nodes 200 m apart, one bulk TCP transfer from end to
//! end between 100 s and 300 s (ns-3: 200 s), window 40 unless said otherwise, RTS/CTS before every frame.
//!
//! The runs behind the figures are in `studies/validation/ns2-chain.csv` and `ns3-static.csv`, one row a run. `static`
//! are runs whose routes never change, `dsdv` runs with ns-2's DSDV as it is.

use std::collections::HashMap;

use crate::common::{Case, Outcome, Report, median};

/// Length of the transfer \[s\].
const SECONDS: f64 = 200.0;
const HOPS: usize = 7;

/// Goodput \[kbit/s\] and frames per second over 1 to 7 hops that have been quoted for ns-2 with undisturbed
/// routes; the second row was first seen with a prototype of this engine and differs from ours by up to 2 %.
const QUOTED_GOODPUT: [f64; HOPS] = [1234.0, 618.0, 406.0, 290.0, 254.0, 232.0, 220.0];
const QUOTED_FRAMES: [f64; HOPS] = [859.0, 858.0, 864.0, 892.0, 987.0, 1070.0, 1177.0];
/// Runs of ours with standing routes: counts of some twenty segments scatter by half of that from run to run.
const STATIC_RUNS: u64 = 20;
/// Runs of ours with DSDV. Half of all runs lose no route, the others lose it for a while, so that the median of 20
/// jumps about: over seven hops between 202 and 219 kbit/s with ns-2 itself, around the 213 (95 %: 210 to 217) of 320
/// runs. That of 600 of ours is 217 (212 to 218).
const DSDV_RUNS: u64 = 60;
const DSDV_BOUND: [f64; HOPS] = [0.02, 0.02, 0.08, 0.06, 0.06, 0.06, 0.06];
/// Windows for which ns-3 has been measured, and the bound on goodput and on RTS per CTS.
const NS3_WINDOWS: [u32; 3] = [4, 8, 40];
/// Chains on which ns-3 has been measured with SACK as well: on these its recovery without it may feed itself.
const NS3_SACK_CHAINS: [usize; 4] = [3, 4, 5, 7];
const NS3_BOUND: f64 = 0.03;

/// A file of measurements, row by row.
struct Measured(Vec<HashMap<&'static str, &'static str>>);

impl Measured {
    fn of(text: &'static str) -> Self {
        let mut lines = text.lines().filter(|it| !it.starts_with('#'));
        let header: Vec<_> = lines.next().expect("a header").split(',').collect();
        // a case's name may hold commas, and is then quoted; it comes before everything that is read here but hops
        let row = |line: &'static str| -> HashMap<_, _> {
            let (name, rest) = match line.split_once('"').and_then(|(_, rest)| rest.split_once("\",")) {
                Some((name, rest)) => (Some(name), rest),
                None => (None, line),
            };
            header.iter().copied().zip(name.into_iter().chain(rest.split(','))).collect()
        };
        Self(lines.map(row).collect())
    }

    /// The rows of one case.
    fn case(&self, name: &str, hops: usize) -> Vec<&HashMap<&'static str, &'static str>> {
        let hops = hops.to_string();
        self.0.iter().filter(|row| row["case"] == name && row["hops"] == hops).collect()
    }
}

fn figure(row: &HashMap<&str, &str>, name: &str) -> f64 {
    row[name].parse().expect("a number")
}

/// The figures that are compared, counts over the transfer.
#[derive(Clone, Copy, Debug)]
struct Figures {
    goodput: f64,
    frames: f64,
    rts_failures: f64,
    given_up: f64,
    retransmissions: f64,
    timeouts: f64,
}

impl Figures {
    fn of(run: &Outcome) -> Self {
        Self {
            goodput: run.goodput() / 1e3,
            frames: run.frames() / SECONDS,
            rts_failures: run.rts_failure_share(),
            given_up: run.over_nodes("given_up_rts") + run.over_nodes("given_up_data"),
            retransmissions: run.over_flows("retransmissions"),
            timeouts: run.over_flows("timeouts"),
        }
    }

    /// Medians, figure by figure.
    fn medians(runs: &[Self]) -> Self {
        let of = |figure: fn(&Self) -> f64| median(runs.iter().map(figure));
        Self {
            goodput: of(|it| it.goodput),
            frames: of(|it| it.frames),
            rts_failures: of(|it| it.rts_failures),
            given_up: of(|it| it.given_up),
            retransmissions: of(|it| it.retransmissions),
            timeouts: of(|it| it.timeouts),
        }
    }

    /// Medians of our runs 1 to `runs`.
    fn ours(case: &Case, runs: u64) -> Self {
        Self::medians(&case.runs(1..=runs).iter().map(Self::of).collect::<Vec<_>>())
    }

    /// Medians of the runs of ns-2.
    fn ns2(routing: &str, hops: usize) -> Self {
        let measured = Measured::of(include_str!("../../../../studies/validation/ns2-chain.csv"));
        let lost = ["given_up_rts_data", "given_up_rts_ack", "given_up_data_data", "given_up_data_ack"];
        let runs: Vec<Self> = measured
            .case(routing, hops)
            .into_iter()
            .map(|row| Self {
                goodput: figure(row, "goodput_kbps"),
                frames: figure(row, "frames_per_s"),
                rts_failures: figure(row, "rts_failed_share"),
                given_up: lost.iter().map(|name| figure(row, name)).sum(),
                retransmissions: figure(row, "retransmissions"),
                timeouts: figure(row, "timeouts"),
            })
            .collect();
        assert!(runs.len() >= 10, "{} runs of ns-2 with {routing} over {hops} hops", runs.len());
        Self::medians(&runs)
    }
}

/// Contention and TCP's answer to it agree within a quarter; counts below 20, within 5.
fn compare_losses(report: &mut Report, what: &str, ours: &Figures, theirs: &Figures) {
    report.near(format!("{what}, failed RTS"), ours.rts_failures, theirs.rts_failures, 0.25);
    let counts = [
        ("packets given up", ours.given_up, theirs.given_up),
        ("retransmissions", ours.retransmissions, theirs.retransmissions),
        ("timeouts", ours.timeouts, theirs.timeouts),
    ];
    for (name, ours, theirs) in counts {
        report.close(
            format!("{what}, {name}"),
            ours,
            theirs,
            if theirs < 20.0 { 5.0 } else { 0.25 * theirs },
        );
    }
}

#[test]
fn static_chains_carry_what_they_carry_in_ns2() {
    let mut report = Report::default();
    for hops in 1..=HOPS {
        let ours = Figures::ours(&Case::chain(hops), STATIC_RUNS);
        let theirs = Figures::ns2("static", hops);
        let rows = [
            ("quoted", QUOTED_GOODPUT[hops - 1], QUOTED_FRAMES[hops - 1]),
            ("measured", theirs.goodput, theirs.frames),
        ];
        for (row, goodput, frames) in rows {
            report.near(format!("{hops} hops, {row} kbit/s"), ours.goodput, goodput, 0.03);
            report.near(format!("{hops} hops, {row} frames/s"), ours.frames, frames, 0.03);
        }
        compare_losses(&mut report, &format!("{hops} hops"), &ours, &theirs);
    }
    report.assert_all();
}

/// Over one hop a slot in fourteen exchanges is lost to ns-2's arithmetic. With the way of light as well, which ns-2
/// counts, the rate of frames is ns-2's to less than a thousandth.
#[test]
fn slots_counted_in_seconds_take_a_little_longer() {
    let frames = |count: &str, way: &str| {
        let case = Case::chain(1).set("mac.slot-count", count).set("air.propagation-delay", way);
        let runs = case.runs(1..=10);
        runs.iter().map(Outcome::frames).sum::<f64>() / runs.len() as f64 / SECONDS
    };
    let (exact, seconds) = (frames("exact", "\"0 s\""), frames("seconds", "\"0 s\""));
    assert!((1.0001..1.001).contains(&(exact / seconds)), "{exact} {seconds}");
    let (theirs, ours) = (Figures::ns2("static", 1).frames, frames("seconds", "\"667 ns\""));
    assert!((ours / theirs - 1.0).abs() < 0.0005, "{ours} {theirs}");
}

#[test]
fn dsdv_chains_carry_what_they_carry_in_ns2() {
    let mut report = Report::default();
    for hops in 1..=HOPS {
        let ours = Figures::ours(&Case::chain(hops).set("routing.kind", "dsdv"), DSDV_RUNS);
        let theirs = Figures::ns2("dsdv", hops);
        report.near(format!("{hops} hops, kbit/s"), ours.goodput, theirs.goodput, DSDV_BOUND[hops - 1]);
        compare_losses(&mut report, &format!("{hops} hops"), &ours, &theirs);
    }
    report.assert_all();
}

#[test]
fn the_ns3_profile_carries_what_ns3_carries() {
    let measured = Measured::of(include_str!("../../../../studies/validation/ns3-static.csv"));
    let mut report = Report::default();
    let plain = NS3_WINDOWS.into_iter().flat_map(|window| (1..=HOPS).map(move |hops| (window, hops, false)));
    let sack = NS3_SACK_CHAINS.into_iter().map(|hops| (40, hops, true));
    for (window, hops, sack) in plain.chain(sack) {
        let mut case = Case::chain(hops)
            .set("profile", "ns3")
            .set("run.duration", "\"200 s\"")
            .set("tcp.max-window", window);
        if sack {
            case = case.set("tcp.loss", "sack");
        }
        let name = format!("window {window}{}", if sack { ", sack" } else { "" });
        let ours = case.runs(1..=8);
        let theirs = measured.case(&name, hops);
        assert!(theirs.len() >= 6, "{} runs of ns-3 with {name} over {hops} hops", theirs.len());
        let what = format!("{name}, {hops} hops");
        report.near(
            format!("{what}, kbit/s"),
            median(ours.iter().map(|run| run.goodput() / 1e3)),
            median(theirs.iter().map(|row| figure(row, "goodput_kbps"))),
            NS3_BOUND,
        );
        report.near(
            format!("{what}, RTS per CTS"),
            median(ours.iter().map(|run| run.over_nodes("frames/rts") / run.over_nodes("frames/cts"))),
            median(theirs.iter().map(|row| figure(row, "rts") / figure(row, "cts"))),
            NS3_BOUND,
        );
    }
    report.assert_all();
}
