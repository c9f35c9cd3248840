//! Agreement with ns-2.35 and ns-3.44 on the reference chain: nodes 200 m apart, one bulk TCP transfer from end to
//! end between 100 s and 300 s, window 40, RTS/CTS before every frame.
//!
//! The runs of ns-2 behind the figures are in `studies/validation/ns2-chain.csv`, one row a run. `static` are runs
//! whose routes never change, `dsdv` runs with ns-2's DSDV as it is.

mod common;

use common::{Case, Outcome, Report, median};

/// Length of the transfer \[s\].
const SECONDS: f64 = 200.0;
const HOPS: usize = 7;

/// Goodput \[kbit/s\] and frames per second over 1 to 7 hops that have been quoted for ns-2 with undisturbed
/// routes; the second row was first seen with a prototype of this engine and differs from ours by up to 2 %.
const QUOTED_GOODPUT: [f64; HOPS] = [1234.0, 618.0, 406.0, 290.0, 254.0, 232.0, 220.0];
const QUOTED_FRAMES: [f64; HOPS] = [859.0, 858.0, 864.0, 892.0, 987.0, 1070.0, 1177.0];
/// Median goodput \[kbit/s\] of 20 runs of ns-2 with DSDV, and how far ours may be from it.
const DSDV_GOODPUT: [f64; HOPS] = [1234.0, 618.0, 371.0, 288.0, 253.0, 229.0, 207.0];
/// Runs of ours with DSDV. Half of all runs lose no route, the others lose it for a while, so that the median of 20
/// jumps about: over seven hops between 202 and 219 kbit/s with ns-2 itself, around the 213 (95 %: 210 to 217) of 320
/// runs. That of 600 of ours is 217 (212 to 218).
const DSDV_RUNS: u64 = 60;
const DSDV_BOUND: [f64; HOPS] = [0.02, 0.02, 0.08, 0.06, 0.06, 0.06, 0.06];
/// Goodput \[kbit/s\] of ns-3.44 with DSDV.
const NS3_GOODPUT: [f64; HOPS] = [1270.0, 638.0, 402.0, 345.0, 310.0, 294.0, 296.0];

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
        let mut lines = include_str!("../../../studies/validation/ns2-chain.csv")
            .lines()
            .filter(|it| !it.starts_with('#'));
        let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
        let column = |name: &str| header.iter().position(|it| *it == name).expect("a column");
        let runs: Vec<Self> = lines
            .map(|line| line.split(',').collect::<Vec<_>>())
            .filter(|row| row[column("case")] == routing && row[column("hops")] == hops.to_string())
            .map(|row| {
                let number = |name| row[column(name)].parse::<f64>().expect("a number");
                Self {
                    goodput: number("goodput_kbps"),
                    frames: number("frames_per_s"),
                    rts_failures: number("rts_failed_share"),
                    given_up: [
                        "given_up_rts_data",
                        "given_up_rts_ack",
                        "given_up_data_data",
                        "given_up_data_ack",
                    ]
                    .map(number)
                    .iter()
                    .sum(),
                    retransmissions: number("retransmissions"),
                    timeouts: number("timeouts"),
                }
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
        let ours = Figures::ours(&Case::chain(hops), 5);
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
    report.settle();
}

#[test]
fn dsdv_chains_carry_what_they_carry_in_ns2() {
    let mut report = Report::default();
    for hops in 1..=HOPS {
        let ours = Figures::ours(&Case::chain(hops).set("routing.kind", "dsdv"), DSDV_RUNS);
        let (wanted, bound) = (DSDV_GOODPUT[hops - 1], DSDV_BOUND[hops - 1]);
        report.near(format!("{hops} hops, kbit/s"), ours.goodput, wanted, bound);
        compare_losses(&mut report, &format!("{hops} hops"), &ours, &Figures::ns2("dsdv", hops));
    }
    report.settle();
}

#[test]
fn the_ns3_profile_carries_what_ns3_carries() {
    let mut report = Report::default();
    for (hops, wanted) in (1..).zip(NS3_GOODPUT) {
        let case = Case::chain(hops).set("profile", "ns3").set("routing.kind", "dsdv");
        let ours = Figures::ours(&case, 20);
        report.near(format!("{hops} hops, kbit/s"), ours.goodput, wanted, 0.10);
    }
    report.settle();
}
