//! One suite over every loss detector, driven as a sender drives it: a loss is judged outside recovery and once, what
//! is sent again is outstanding, a timeout makes all void, timers are for later, and equal detectors answer alike.

use proptest::prelude::*;

use crate::tcp::config::{Loss, SackRule, TcpConfig};
use crate::tcp::loss::{
    AckInfo, AnyLossDetector, DcrConfig, Evidence, Input, KSackConfig, LossDecision, LossDetector,
    LossDetectorKind, Marking, RackConfig, Scoreboard, Trigger,
};
use crate::tcp::sendlog::SendLog;
use crate::testing::{
    Alarm, Finding, Member, Seeded, ensure, members, must_be_documented, must_find, repeat, scripts,
};
use crate::units::{Dur, SimTime};
use crate::wire::{PathOption, PathState};

const SEGMENT: u64 = 1000;

/// What happens to a sender.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// New data are sent, in bytes.
    Send(u64),
    /// A duplicate ACK; a block of SACK begins so far beyond the first hole and has so many bytes.
    Duplicate(u64, u64, PathOption),
    /// So many bytes are acknowledged; with a block as above.
    New(u64, u64, u64, PathOption),
    /// The retransmission timer fires.
    Timeout,
    /// Time passes, in milliseconds.
    Wait(u64),
    /// The round-trip time is another one, in milliseconds.
    Srtt(u64),
    /// The window is another one.
    Window(f64),
}

fn step() -> impl Strategy<Value = Step> {
    let path = || {
        prop::sample::select(vec![
            PathOption::None,
            PathOption::State(PathState::Normal),
            PathOption::State(PathState::Congestion),
            PathOption::State(PathState::RouteChange),
            PathOption::State(PathState::ChannelError),
            PathOption::State(PathState::Disconnected),
        ])
    };
    let bytes = || prop_oneof![4 => (1u64..8).prop_map(|n| n * SEGMENT), 1 => 0u64..9 * SEGMENT];
    prop_oneof![
        5 => bytes().prop_map(Step::Send),
        8 => (bytes(), bytes(), path()).prop_map(|(from, length, path)| Step::Duplicate(from, length, path)),
        4 => (bytes(), bytes(), bytes(), path()).prop_map(|(n, from, length, path)| Step::New(n, from, length, path)),
        1 => Just(Step::Timeout),
        3 => prop_oneof![0u64..300, 300u64..5_000].prop_map(Step::Wait),
        1 => prop_oneof![Just(0u64), 1u64..2_000].prop_map(Step::Srtt),
        1 => prop_oneof![Just(1.0), 1.0..64.0].prop_map(Step::Window),
    ]
}

/// Believes in a loss half a second after the third duplicate ACK.
#[derive(Debug)]
struct Toy {
    at: SimTime,
}

impl LossDetector for Toy {
    fn detect(&mut self, input: Input, evidence: &Evidence<'_>) -> LossDecision {
        match input {
            Input::Duplicate(_) if evidence.dupacks == 3 => {
                self.at = evidence.now + Dur::from_ms(500);
                LossDecision::SendNew
            }
            Input::Timer if evidence.last_detected != Some(evidence.una) && !evidence.recovering => {
                self.at = SimTime::MAX;
                LossDecision::Lost
            }
            Input::Duplicate(_) => LossDecision::Wait,
            Input::NewAck(_) | Input::Timeout | Input::Timer => {
                self.at = SimTime::MAX;
                LossDecision::Wait
            }
        }
    }

    fn deadline(&self) -> SimTime {
        self.at
    }
}

fn detector(judge: LossDetectorKind, loss: Loss) -> AnyLossDetector {
    AnyLossDetector::new(&TcpConfig { judge, loss, ..TcpConfig::default() })
}

fn dcr(round_trips: f64, send_new: bool, loss: Loss) -> AnyLossDetector {
    let dcr = DcrConfig { round_trips, send_new };
    AnyLossDetector::new(&TcpConfig { judge: LossDetectorKind::Dcr, dcr, loss, ..TcpConfig::default() })
}

fn k_sack(losses: u32) -> AnyLossDetector {
    let k_sack = KSackConfig { losses };
    let plain = TcpConfig { loss: Loss::Sack, ..TcpConfig::default() };
    AnyLossDetector::new(&TcpConfig { judge: LossDetectorKind::KSack, k_sack, ..plain })
}

fn rack_within(window: f64) -> AnyLossDetector {
    let rack = RackConfig { window, ..RackConfig::default() };
    let plain = TcpConfig { loss: Loss::Sack, ..TcpConfig::default() };
    AnyLossDetector::new(&TcpConfig { judge: LossDetectorKind::Rack, rack, ..plain })
}

fn rack() -> AnyLossDetector {
    rack_within(0.25)
}

type Make = fn() -> AnyLossDetector;

members! {
    AnyLossDetector => Make {
        DupAcks { "duplicate ACKs" => || detector(LossDetectorKind::Standard, Loss::DupAcks) }
        Sack { "sack" => || detector(LossDetectorKind::Standard, Loss::Sack) }
        Dcr {
            "dcr" => || dcr(1.0, true, Loss::DupAcks),
            "dcr, sack" => || dcr(100.0, false, Loss::Sack),
            "dcr, no delay" => || dcr(0.0, true, Loss::Sack),
        }
        KSack { "k-sack" => || k_sack(2), "k-sack of one" => || k_sack(1) }
        Adtcp {
            "adtcp" => || detector(LossDetectorKind::Adtcp, Loss::DupAcks),
            "adtcp, sack" => || detector(LossDetectorKind::Adtcp, Loss::Sack),
        }
        Rack { "rack" => rack, "rack that waits long" => || rack_within(10.0), "rack that does not wait" => || rack_within(0.0) }
        Custom { "toy" => || AnyLossDetector::Custom(Box::new(Toy { at: SimTime::MAX })) }
    }
}

/// What a sender knows, as far as its detector may read it.
struct Sender {
    detector: AnyLossDetector,
    now: SimTime,
    una: u64,
    max_sent: u64,
    dupacks: u32,
    cwnd: f64,
    srtt: Option<Dur>,
    /// End of the recovery under way.
    recovery: Option<u64>,
    recover: Option<u64>,
    last_detected: Option<u64>,
    rule: SackRule,
    /// Whether a loss begins recovery; else the sender goes back to the first segment (Tahoe).
    recovers: bool,
    scoreboard: Scoreboard,
    log: SendLog,
    alarm: Alarm,
    answers: Vec<(LossDecision, SimTime, bool, u64)>,
}

impl Sender {
    fn new(detector: AnyLossDetector, rule: SackRule, recovers: bool) -> Self {
        Self {
            detector,
            now: SimTime::ZERO,
            una: 0,
            max_sent: 0,
            dupacks: 0,
            cwnd: 4.0,
            srtt: None,
            recovery: None,
            recover: None,
            last_detected: None,
            rule,
            recovers,
            scoreboard: Scoreboard::default(),
            log: SendLog::default(),
            alarm: Alarm::OFF,
            answers: Vec::new(),
        }
    }

    /// Shows a detector that marks the log what an ACK or a timer says.
    fn mark(&mut self, trigger: Trigger<'_>) -> Finding {
        if !self.detector.marks() {
            return Ok(());
        }
        let recovering = self.recovery.is_some();
        let (now, una, srtt) = (self.now, self.una, self.srtt);
        let seen = Marking { trigger, now, una, segment: SEGMENT, srtt, recovering };
        let before = self.log.lost();
        let newly = self.detector.mark(&mut self.log, &seen);
        ensure!(self.log.lost() == before + newly, "it says that {newly} bytes are newly lost");
        ensure!(self.log.in_flight() <= self.max_sent - self.una, "more is in flight than is outstanding");
        Ok(())
    }

    /// An ACK up to `una` has come, with blocks that the scoreboard knows of.
    fn log_ack(&mut self) -> Finding {
        self.log.begin();
        for (start, end) in self.scoreboard.sacked().iter() {
            self.log.sacked(self.now, start, end);
        }
        self.log.acked(self.now, self.una);
        let path = self.log.measure();
        self.mark(Trigger::Ack(&path))
    }

    fn ask(&mut self, input: Input) -> Finding {
        let evidence = Evidence {
            now: self.now,
            una: self.una,
            max_sent: self.max_sent,
            segment: SEGMENT,
            dupacks: self.dupacks,
            cwnd: self.cwnd,
            srtt: self.srtt,
            recovering: self.recovery.is_some(),
            recover: self.recover,
            last_detected: self.last_detected,
            recover_guard: true,
            sack_rule: self.rule,
            scoreboard: &self.scoreboard,
            marked: self.log.lost(),
        };
        let decision = self.detector.detect(input, &evidence);
        let (deadline, holds) = (self.detector.deadline(), self.detector.holds_window());
        self.answers.push((decision, deadline, holds, self.detector.repaired()));
        self.alarm.arm(self.now, deadline)?;
        if input == Input::Timeout {
            let void = decision == LossDecision::Wait && deadline == SimTime::MAX && !holds;
            ensure!(
                void,
                "after a timeout it answers {decision:?}, its timer is {deadline}, window held: {holds}"
            );
        }
        self.obey(decision)
    }

    fn obey(&mut self, decision: LossDecision) -> Finding {
        let outstanding = self.una..self.max_sent;
        match decision {
            LossDecision::Wait | LossDecision::SendNew | LossDecision::SlowDown => {}
            LossDecision::Lost => {
                ensure!(self.recovery.is_none(), "a loss is judged in recovery");
                ensure!(!outstanding.is_empty(), "a loss is judged and nothing is outstanding");
                ensure!(self.last_detected != Some(self.una), "the same loss is judged twice");
                (self.recovery, self.recover) = (self.recovers.then_some(self.max_sent), Some(self.max_sent));
                self.last_detected = Some(self.una);
                self.scoreboard.begin(self.una.max(self.detector.repaired()));
            }
            LossDecision::Retransmit { seq } | LossDecision::RetransmitWithin { seq, .. } => {
                ensure!(self.recovery.is_none(), "in recovery it sends {seq} again");
                ensure!(outstanding.contains(&seq), "{seq} is sent again, outstanding is {outstanding:?}");
                if let LossDecision::RetransmitWithin { segments, .. } = decision {
                    ensure!(segments.is_finite() && segments >= 0.0, "a window of {segments} segments");
                }
            }
        }
        Ok(())
    }

    /// Takes in a block; returns whether it tells anything new.
    fn block(&mut self, from: u64, length: u64) -> bool {
        let start = self.una + from;
        let end = (start + length).min(self.max_sent);
        from > 0 && start < end && self.scoreboard.update(start, end)
    }

    fn take(&mut self, step: Step) -> Finding {
        match step {
            Step::Send(bytes) => {
                while let Some((start, end)) = self.log.next_lost() {
                    self.log.sent(self.now, start, end, false);
                }
                if bytes > 0 {
                    let end = self.max_sent + bytes;
                    self.log.sent(self.now, self.max_sent, end, self.una == self.max_sent);
                    self.max_sent = end;
                }
            }
            Step::Duplicate(from, length, path) if self.una < self.max_sent => {
                let fresh = self.block(from, length);
                self.dupacks += 1;
                self.log_ack()?;
                if self.recovery.is_none() {
                    return self.ask(Input::Duplicate(AckInfo { fresh, flags: 0, path }));
                }
            }
            Step::New(bytes, from, length, path) if self.una < self.max_sent && bytes > 0 => {
                self.una = (self.una + bytes).min(self.max_sent);
                self.scoreboard.advance(self.una);
                let fresh = self.block(from, length) && self.rule != SackRule::Ns2;
                self.dupacks = u32::from(fresh);
                self.log_ack()?;
                if self.recovery.is_some_and(|end| self.una >= end) {
                    self.recovery = None;
                    self.recover = self.recover.filter(|_| self.rule == SackRule::Ns2);
                }
                if fresh || self.detector.observes_all_acks() {
                    return self.ask(Input::NewAck(AckInfo { fresh, flags: 0, path }));
                }
            }
            Step::Timeout if self.una < self.max_sent => {
                (self.recovery, self.recover, self.last_detected) = (None, Some(self.max_sent), None);
                self.dupacks = 0;
                self.scoreboard.clear(self.una);
                self.log.forget_held();
                self.mark(Trigger::Timeout)?;
                if self.detector.observes_all_acks() {
                    return self.ask(Input::Timeout);
                }
            }
            Step::Wait(ms) => {
                let until = self.now + Dur::from_ms(ms);
                while let Some(at) = self.alarm.take(until) {
                    self.now = at;
                    self.mark(Trigger::Timer)?;
                    self.ask(Input::Timer)?;
                }
                self.now = until;
            }
            Step::Srtt(ms) => self.srtt = Some(Dur::from_ms(ms)),
            Step::Window(segments) => self.cwnd = segments,
            Step::Duplicate(..) | Step::New(..) | Step::Timeout => {}
        }
        Ok(())
    }
}

fn check(make: impl Fn() -> AnyLossDetector, steps: &[Step]) -> Finding {
    let rules = [SackRule::Rfc6675, SackRule::Ns2, SackRule::Fack].map(|rule| (rule, true));
    for (rule, recovers) in rules.into_iter().chain([(SackRule::Rfc6675, false)]) {
        repeat(|| {
            let mut sender = Sender::new(make(), rule, recovers);
            for &step in steps {
                sender.take(step).map_err(|error| format!("{error}; after {step:?} under {rule:?}"))?;
            }
            Ok(sender.answers)
        })?;
    }
    Ok(())
}

fn check_member(member: &Member<Make>, steps: &[Step]) -> Finding {
    ensure!(variant_of(&(member.make)()) == member.variant, "listed under {}", member.variant);
    check(member.make, steps)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_loss_detector_keeps_the_contract(steps in prop::collection::vec(step(), 0..150)) {
        for member in members() {
            let found = check_member(&member, &steps);
            prop_assert!(found.is_ok(), "{}: {found:?}", member.name);
        }
    }
}

/// How a detector breaks the contract. It has no packets: what corresponds to a leaked one are lost bytes that it
/// invents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    JudgesTwice,
    ArmsInThePast,
    InventsLostBytes,
    JudgesInRecovery,
    SendsAgainWhatWasNeverSent,
    OutlivesATimeout,
    Guesses,
}

const FAULTS: [Seeded<Fault>; 7] = [
    (Fault::JudgesTwice, "the same loss is judged twice"),
    (Fault::ArmsInThePast, "timer in the past"),
    (Fault::InventsLostBytes, "bytes are newly lost"),
    (Fault::JudgesInRecovery, "a loss is judged in recovery"),
    (Fault::SendsAgainWhatWasNeverSent, "outstanding is"),
    (Fault::OutlivesATimeout, "after a timeout"),
    (Fault::Guesses, "not repeatable"),
];

/// A copy of a detector, with a fault.
#[derive(Debug)]
struct Faulty {
    inner: AnyLossDetector,
    fault: Fault,
    number: u32,
    now: SimTime,
}

impl LossDetector for Faulty {
    fn detect(&mut self, input: Input, evidence: &Evidence<'_>) -> LossDecision {
        self.now = evidence.now;
        let decision = self.inner.detect(input, evidence);
        let news = evidence.last_detected != Some(evidence.una);
        match (self.fault, input) {
            (Fault::JudgesTwice, Input::Duplicate(_)) => LossDecision::Lost,
            (Fault::JudgesInRecovery, Input::Duplicate(_)) if news => LossDecision::Lost,
            (Fault::JudgesInRecovery, Input::Duplicate(_)) => LossDecision::Wait,
            (Fault::JudgesInRecovery, Input::NewAck(_)) if evidence.recovering => LossDecision::Lost,
            (Fault::SendsAgainWhatWasNeverSent, Input::Duplicate(_)) => {
                LossDecision::Retransmit { seq: evidence.max_sent }
            }
            (Fault::OutlivesATimeout, Input::Timeout) => LossDecision::SendNew,
            (Fault::Guesses, Input::Duplicate(_)) if self.number % 2 == 1 => LossDecision::SlowDown,
            _ => decision,
        }
    }

    fn marks(&self) -> bool {
        self.fault == Fault::InventsLostBytes || self.inner.marks()
    }

    fn mark(&mut self, log: &mut SendLog, seen: &Marking<'_>) -> u64 {
        let newly = self.inner.mark(log, seen);
        newly + u64::from(self.fault == Fault::InventsLostBytes)
    }

    fn on_recovery_end(&mut self, undone: bool) {
        self.inner.on_recovery_end(undone);
    }

    fn deadline(&self) -> SimTime {
        match self.fault {
            Fault::ArmsInThePast => SimTime::from_ns(self.now.as_ns().saturating_sub(1)),
            _ => self.inner.deadline(),
        }
    }

    fn holds_window(&self) -> bool {
        self.inner.holds_window()
    }

    fn repaired(&self) -> u64 {
        self.inner.repaired()
    }
}

#[test]
fn the_suite_finds_each_fault_in_each_member() {
    let scripts = scripts(&prop::collection::vec(step(), 100..150), 32);
    must_find(&FAULTS, &members(), &scripts, |fault, make, steps| {
        let copy = || {
            let (inner, number) = (make(), crate::testing::serial());
            AnyLossDetector::Custom(Box::new(Faulty { inner, fault, number, now: SimTime::ZERO }))
        };
        check(copy, steps)
    });
}

#[test]
fn the_tables_of_suites_name_members_and_faults() {
    must_be_documented("loss detector", &members(), &FAULTS);
}
