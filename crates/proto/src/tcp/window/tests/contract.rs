//! One suite over every window rule: window and threshold stay finite and above their floors, a loss, a mark or a
//! timeout never opens the window, inflation belongs to fast recovery only, and equal rules answer alike.

use proptest::prelude::*;

use crate::tcp::config::{CubicConfig, CubicRules, Halving, TcpConfig, Window};
use crate::tcp::sendlog::Measured;
use crate::tcp::window::{
    AckSample, AnyWindowRule, Congestion, LossResponse, MarkSample, PartialAck, PathSample, WindowRule,
};
use crate::testing::{
    Finding, Member, Seeded, ensure, members, must_be_documented, must_find, repeat, scripts,
};
use crate::units::{Bitrate, Dur, SimTime};

/// What a sender tells its rule.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A new ACK of so many segments.
    Ack(f64, Option<u64>),
    /// What the path shows with an ACK: round-trip time in microseconds, and segments that have arrived.
    Path(u64, u64),
    /// A duplicate ACK in recovery.
    Duplicate,
    /// A loss, after so many duplicate ACKs.
    Loss(u32),
    /// The end of recovery.
    Recovered,
    /// An echoed mark.
    Echo,
    /// A timeout; the threshold stays if it says so.
    Timeout(bool),
}

fn step() -> impl Strategy<Value = Step> {
    let segments = prop_oneof![4 => Just(1.0), 1 => 0.001..1.0, 2 => 1.0..9.0, 1 => Just(50.0)];
    let srtt = prop::option::of(prop_oneof![Just(0u64), 1u64..2_000_000, Just(u64::MAX / 2)]);
    prop_oneof![
        8 => (segments, srtt).prop_map(|(segments, srtt)| Step::Ack(segments, srtt)),
        4 => (1u64..2_000_000, 1u64..9).prop_map(|(rtt, segments)| Step::Path(rtt, segments)),
        2 => Just(Step::Duplicate),
        2 => (0u32..5).prop_map(Step::Loss),
        1 => Just(Step::Recovered),
        1 => Just(Step::Echo),
        1 => any::<bool>().prop_map(Step::Timeout),
    ]
}

/// Additive increase by one segment a window, multiplicative decrease to two thirds.
#[derive(Debug)]
struct Toy;

impl WindowRule for Toy {
    fn on_ack(&mut self, congestion: &mut Congestion, sample: &AckSample) {
        congestion.cwnd += sample.segments.min(1.0) / congestion.cwnd;
    }

    fn on_loss(&mut self, congestion: &mut Congestion, dupacks: u32) -> LossResponse {
        congestion.cwnd *= 2.0 / 3.0;
        congestion.ssthresh = congestion.cwnd;
        congestion.inflation = dupacks;
        LossResponse::FastRecovery
    }

    fn on_partial_ack(&mut self, congestion: &mut Congestion, _segments: f64) -> PartialAck {
        congestion.leave_recovery();
        PartialAck::Leave
    }

    fn on_timeout(&mut self, congestion: &mut Congestion, hold: bool) {
        congestion.on_timeout(hold);
    }
}

/// Bytes of a segment.
const SEGMENT: u64 = 1460;

type Make = fn(&TcpConfig) -> AnyWindowRule;

fn made(window: Window, config: &TcpConfig) -> AnyWindowRule {
    AnyWindowRule::new(&TcpConfig { window, ..config.clone() })
}

members! {
    AnyWindowRule => Make {
        Tahoe { "tahoe" => |config| made(Window::Tahoe, config) }
        Reno { "reno" => |config| made(Window::Reno, config) }
        NewReno { "newreno" => |config| made(Window::Newreno, config) }
        Cubic {
            "cubic" => |config| made(Window::Cubic, config),
            "cubic of linux" => |config| {
                let cubic = CubicConfig { rules: CubicRules::Linux, ..CubicConfig::default() };
                made(Window::Cubic, &TcpConfig { cubic, ..config.clone() })
            }
        }
        Bbr { "bbr" => |config| made(Window::Bbr, config) }
        BbrDraft { "bbr-draft" => |config| made(Window::BbrDraft, config) }
        Westwood { "westwood" => |config| made(Window::Westwood, config) }
        Vegas { "vegas" => |config| made(Window::Vegas, config) }
        Veno { "veno" => |config| made(Window::Veno, config) }
        Dctcp { "dctcp" => |config| made(Window::Dctcp, config) }
        Fixed { "fixed" => |config| made(Window::Fixed, config) }
        Custom { "toy" => |_| AnyWindowRule::custom(Box::new(Toy)) }
    }
}

/// Every rounding of half the window, with both forms of a partial ACK, and windows of several limits.
fn configurations() -> Vec<TcpConfig> {
    let mut all = Vec::new();
    for halving in [Halving::Exact, Halving::WholeThreshold, Halving::Whole] {
        for partial_deflation in [false, true] {
            for (initial_window, max_window) in [(1, 1), (2, 8), (4, 64)] {
                let plain = TcpConfig::default();
                all.push(TcpConfig { halving, partial_deflation, initial_window, max_window, ..plain });
            }
        }
    }
    all
}

/// What is asked of a state whatever has happened.
fn is_sound(congestion: &Congestion, config: &TcpConfig) -> Finding {
    let Congestion { cwnd, ssthresh, .. } = *congestion;
    ensure!(cwnd.is_finite() && cwnd >= 1.0, "a window of {cwnd} segments");
    let least = config.first_ssthresh().min(2.0); // a receiver's window of one segment begins below two
    ensure!(ssthresh >= least, "a threshold of {ssthresh} segments");
    ensure!(
        congestion.limit == config.max_window,
        "the limit is the receiver's, and has changed to {}",
        congestion.limit
    );
    Ok(())
}

/// An ACK with a sample of the path: a round trip [us] and segments delivered.
fn measure(
    rule: &mut AnyWindowRule,
    congestion: &mut Congestion,
    recovering: bool,
    (rtt, segments): (u64, u64),
) -> Finding {
    let before = congestion.cwnd;
    let path = Measured {
        newly: segments * SEGMENT,
        delivered: segments * SEGMENT,
        rtt: Some(Dur::from_us(rtt)),
        min_rtt: Some(Dur::from_us(rtt.min(1000))),
        rate: Some((segments * SEGMENT, Dur::from_us(rtt))),
        limited: false,
        prior_delivered: Some(rtt),
        ..Measured::default()
    };
    let ack = AckSample { una: rtt, max_sent: rtt + 1000, ..AckSample::default() };
    let (in_flight, segment) = (3 * SEGMENT, SEGMENT);
    let sample = PathSample {
        ack,
        path,
        in_flight,
        lost: 0,
        lost_since: 0,
        segment,
        recovering,
        until_next: Dur::ZERO,
    };
    rule.on_path(congestion, &sample);
    let most = before + 1.0f64.max(segments as f64);
    ensure!(
        rule.is_paced() || congestion.cwnd <= most, // a paced rule sets the window from its model of the path
        "an ACK opened the window from {} to {}",
        before,
        congestion.cwnd
    );
    Ok(())
}

/// One call of the rule, and what may have become of the window.
fn take(
    rule: &mut AnyWindowRule,
    congestion: &mut Congestion,
    config: &TcpConfig,
    recovering: &mut bool,
    step: Step,
) -> Finding {
    let before = congestion.clone();
    match step {
        Step::Ack(segments, _) if *recovering => {
            let partial = rule.on_partial_ack(congestion, segments);
            *recovering = partial == PartialAck::Stay;
            let (old, new) = (
                before.cwnd + f64::from(before.inflation),
                congestion.cwnd + f64::from(congestion.inflation),
            );
            ensure!(new <= old + 1.0, "a partial ACK opened the window from {old} to {new}");
            ensure!(*recovering || congestion.inflation == 0, "recovery is over, and the inflation stays");
        }
        Step::Ack(segments, srtt) => {
            let acked = AckSample {
                now: SimTime::ZERO,
                segments,
                outstanding: 3.0,
                flight: 3.0 + segments,
                srtt: srtt.map(Dur::from_us),
                ..AckSample::default()
            };
            rule.on_ack(congestion, &acked);
            let most = before.cwnd + segments.max(1.0);
            ensure!(
                congestion.cwnd <= most,
                "one ACK opened the window from {} to {}",
                before.cwnd,
                congestion.cwnd
            );
            ensure!(congestion.inflation == 0, "an ACK outside recovery inflated the window");
        }
        Step::Path(rtt, segments) => measure(rule, congestion, *recovering, (rtt, segments))?,
        Step::Duplicate if *recovering => congestion.inflation += 1,
        Step::Loss(dupacks) if !*recovering => {
            *recovering = rule.on_loss(congestion, dupacks) == LossResponse::FastRecovery;
            let most = before.cwnd.max(2.0); // RFC 5681 equation 4: never below two
            ensure!(
                congestion.cwnd <= most,
                "a loss opened the window from {} to {}",
                before.cwnd,
                congestion.cwnd
            );
            let inflated = if *recovering { dupacks } else { 0 };
            ensure!(congestion.inflation <= inflated, "inflated by {} of {inflated}", congestion.inflation);
        }
        Step::Recovered if *recovering => {
            congestion.leave_recovery();
            *recovering = false;
        }
        Step::Echo => {
            let counted = MarkSample { una: 1, max_sent: 9, arrived: 2 * SEGMENT, marked: SEGMENT };
            rule.on_marks(congestion, &counted);
            rule.on_echo(congestion);
            ensure!(congestion.cwnd <= before.cwnd, "a mark opened the window to {}", congestion.cwnd);
        }
        Step::Timeout(hold) => {
            rule.on_timeout(congestion, hold);
            *recovering = false;
            ensure!(congestion.cwnd <= before.cwnd, "a timeout opened the window to {}", congestion.cwnd);
            ensure!(congestion.inflation == 0, "a timeout left an inflation of {}", congestion.inflation);
            ensure!(
                !hold || congestion.ssthresh == before.ssthresh || before.ssthresh < 2.0,
                "the threshold was to stay"
            );
        }
        Step::Duplicate | Step::Loss(_) | Step::Recovered => {}
    }
    let stands = rule.send_rate().is_some_and(|rate| rate.as_bps() == 0);
    ensure!(!stands, "segments leave at a rate of nothing");
    is_sound(congestion, config)
}

fn check(make: impl Fn(&TcpConfig) -> AnyWindowRule, config: &TcpConfig, steps: &[Step]) -> Finding {
    repeat(|| {
        let (mut rule, mut congestion, mut recovering) = (make(config), Congestion::new(config), false);
        let mut states = Vec::new();
        for &step in steps {
            take(&mut rule, &mut congestion, config, &mut recovering, step)
                .map_err(|error| format!("{error}; after {step:?}"))?;
            states.push((congestion.clone(), recovering));
        }
        Ok(states)
    })
    .map(drop)
}

fn check_member(member: &Member<Make>, steps: &[Step]) -> Finding {
    ensure!(
        variant_of(&(member.make)(&TcpConfig::default())) == member.variant,
        "listed under {}",
        member.variant
    );
    configurations().iter().try_for_each(|config| check(member.make, config, steps))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_window_rule_keeps_the_contract(steps in prop::collection::vec(step(), 0..150)) {
        for member in members() {
            let found = check_member(&member, &steps);
            prop_assert!(found.is_ok(), "{}: {found:?}", member.name);
        }
    }
}

/// How a rule breaks the contract. A rule has neither timers nor packets: what corresponds to a timer in the past is a
/// pace of nothing, at which time stands still; to a leaked packet, a duplicate ACK that counts after its recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    OpensAtALoss,
    PacesAtNothing,
    KeepsTheInflation,
    GrowsWithoutEnd,
    MovesTheLimit,
    Guesses,
}

const FAULTS: [Seeded<Fault>; 6] = [
    (Fault::OpensAtALoss, "a loss opened the window"),
    (Fault::PacesAtNothing, "segments leave at a rate of nothing"),
    (Fault::KeepsTheInflation, "a timeout left an inflation"),
    (Fault::GrowsWithoutEnd, "one ACK opened the window"),
    (Fault::MovesTheLimit, "the limit is the receiver's"),
    (Fault::Guesses, "not repeatable"),
];

/// A copy of a rule, with a fault.
#[derive(Debug)]
struct Faulty {
    inner: AnyWindowRule,
    fault: Fault,
    number: u32,
}

impl WindowRule for Faulty {
    fn on_ack(&mut self, congestion: &mut Congestion, sample: &AckSample) {
        self.inner.on_ack(congestion, sample);
        match self.fault {
            Fault::GrowsWithoutEnd => congestion.cwnd = f64::INFINITY,
            Fault::MovesTheLimit => congestion.limit += 1,
            Fault::Guesses => congestion.cwnd -= f64::from(self.number % 2) * (congestion.cwnd - 1.0) / 2.0,
            _ => {}
        }
    }

    fn on_path(&mut self, congestion: &mut Congestion, sample: &PathSample) {
        self.inner.on_path(congestion, sample);
    }

    fn on_loss(&mut self, congestion: &mut Congestion, dupacks: u32) -> LossResponse {
        let before = congestion.cwnd;
        let response = self.inner.on_loss(congestion, dupacks);
        if self.fault == Fault::OpensAtALoss {
            congestion.cwnd = before + 5.0;
        }
        response
    }

    fn on_partial_ack(&mut self, congestion: &mut Congestion, segments: f64) -> PartialAck {
        self.inner.on_partial_ack(congestion, segments)
    }

    fn on_timeout(&mut self, congestion: &mut Congestion, hold: bool) {
        self.inner.on_timeout(congestion, hold);
        if self.fault == Fault::KeepsTheInflation {
            congestion.inflation = 3;
        }
    }

    fn on_echo(&mut self, congestion: &mut Congestion) {
        self.inner.on_echo(congestion);
    }

    fn on_marks(&mut self, congestion: &mut Congestion, sample: &MarkSample) {
        self.inner.on_marks(congestion, sample);
    }

    fn is_paced(&self) -> bool {
        self.inner.is_paced()
    }

    fn send_rate(&self) -> Option<Bitrate> {
        if self.fault == Fault::PacesAtNothing { Some(Bitrate::from_bps(0)) } else { self.inner.send_rate() }
    }
}

#[test]
fn the_suite_finds_each_fault_in_each_member() {
    let scripts = scripts(&prop::collection::vec(step(), 80..100), 16);
    must_find(&FAULTS, &members(), &scripts, |fault, make, steps| {
        let copy = |config: &TcpConfig| {
            let number = crate::testing::serial();
            AnyWindowRule::custom(Box::new(Faulty { inner: make(config), fault, number }))
        };
        check(copy, &TcpConfig::default(), steps)
    });
}

#[test]
fn the_tables_of_suites_name_members_and_faults() {
    must_be_documented("window rule", &members(), &FAULTS);
}
