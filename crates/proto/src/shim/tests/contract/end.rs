//! One end of a connection with a shim before it, and all that can come to it. Whatever the shim answers is checked
//! against the contract.

use proptest::prelude::*;

use crate::contract::{Control, Cx, End, NodeState, Notice, Phase, ReceiverView, TcpView};
use crate::shim::{Action, AnyShim, Input, Shim, Verdict};
use crate::tcp::{Sender, TcpConfig};
use crate::testing::{Alarm, Finding, ensure};
use crate::units::{Dur, FlowId, NodeId, SimTime};
use crate::wire::{PacketStore, PathOption, PathState, RangeSet, Segment, Signal, SignalKind, flags};

const MSS: u64 = 1000;

/// At which end a shim stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Sender,
    Receiver,
}

/// What happens.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// The sender sends so many new segments.
    Send(u64),
    /// The sender sends its first segment again.
    SendAgain,
    /// An ACK arrives for so many bytes beyond the first unacknowledged one, or before it, with a hole of SACK.
    Ack {
        ahead: i64,
        window: u32,
        flags: u8,
        path: PathOption,
        hole: bool,
    },
    /// Data arrive so far beyond what is expected; made so many milliseconds ago.
    Data {
        ahead: u64,
        len: u32,
        flags: u8,
        ago: u64,
        path: PathOption,
    },
    /// The receiver sends an ACK.
    Acknowledge,
    Timeout,
    Notice(Notice),
    Signal(SignalKind, u64),
    /// What TCP and its node know changes: phase, window, round-trip time \[ms\], power of what is received \[W\].
    State(Phase, f64, Option<u64>, f64),
    /// Time passes, in milliseconds; the timer fires meanwhile.
    Wait(u64),
}

fn path() -> impl Strategy<Value = PathOption> {
    prop::sample::select(vec![
        PathOption::None,
        PathOption::Sent,
        PathOption::State(PathState::Congestion),
        PathOption::State(PathState::ChannelError),
        PathOption::State(PathState::Disconnected),
    ])
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    let bits = || prop_oneof![4 => Just(flags::ACK), 2 => any::<u8>()];
    let ahead = prop_oneof![3 => Just(0i64), 4 => (1i64..6).prop_map(|n| n * 1000), 1 => -3000i64..20_000];
    let window = prop_oneof![4 => Just(40_000u32), 1 => Just(0u32), 1 => any::<u32>()];
    let notice = prop::sample::select(vec![
        Notice::LinkFailed { neighbour: NodeId(1) },
        Notice::RouteLost { destination: NodeId(4) },
        Notice::RouteFound { destination: NodeId(4), hops: 3 },
        Notice::QueueSpace,
        Notice::Outage { flow: FlowId(0), ahead: true },
        Notice::Outage { flow: FlowId(0), ahead: false },
        Notice::Power { up: false },
        Notice::Power { up: true },
    ]);
    let phase = prop::sample::select(vec![Phase::Closed, Phase::Opening, Phase::Open, Phase::Recovery]);
    let power = prop_oneof![Just(0.0), Just(1e-12), Just(2e-10), Just(1e-6)];
    prop_oneof![
        5 => (1u64..5).prop_map(Step::Send),
        1 => Just(Step::SendAgain),
        7 => (ahead, window, bits(), path(), any::<bool>())
            .prop_map(|(ahead, window, flags, path, hole)| Step::Ack { ahead, window, flags, path, hole }),
        6 => ((0u64..4).prop_map(|n| n * MSS), prop_oneof![3 => Just(1000u32), 1 => 0u32..1000], bits(), 0u64..2_000, path())
            .prop_map(|(ahead, len, flags, ago, path)| Step::Data { ahead, len, flags, ago, path }),
        3 => Just(Step::Acknowledge),
        1 => Just(Step::Timeout),
        2 => notice.prop_map(Step::Notice),
        4 => (prop::sample::select(SignalKind::ALL.to_vec()), (0u64..20).prop_map(|n| n * MSS))
            .prop_map(|(kind, sequence)| Step::Signal(kind, sequence)),
        1 => (phase, 1.0..40.0, prop::option::of(0u64..3_000), power)
            .prop_map(|(phase, cwnd, srtt, power)| Step::State(phase, cwnd, srtt, power)),
        5 => prop_oneof![0u64..100, 100u64..3_000, 3_000u64..70_000].prop_map(Step::Wait),
    ]
}

/// What a shim has answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Answer {
    Verdict(Verdict),
    Did(Action),
}

/// The state of both ends; the shim sees its own.
pub(super) struct Connection {
    shim: AnyShim,
    place: Place,
    now: SimTime,
    alarm: Alarm,
    una: u64,
    max_sent: u64,
    peer_window: u64,
    sacked: RangeSet,
    phase: Phase,
    cwnd: f64,
    srtt: Option<Dur>,
    expected: u64,
    waiting: RangeSet,
    pending: u32,
    frozen: bool,
    power: f64,
    packets: PacketStore,
    trace: Vec<Answer>,
}

impl Connection {
    /// Takes a shim through a script; returns all that it answered.
    pub(super) fn run((shim, place): (AnyShim, Place), steps: &[Step]) -> Finding<Vec<Answer>> {
        let mut connection = Self {
            shim,
            place,
            now: SimTime::from_secs(1),
            alarm: Alarm::OFF,
            una: 0,
            max_sent: 0,
            peer_window: 40 * MSS,
            sacked: RangeSet::default(),
            phase: Phase::Closed,
            cwnd: 4.0,
            srtt: Some(Dur::from_ms(200)),
            expected: 0,
            waiting: RangeSet::default(),
            pending: 0,
            frozen: false,
            power: 0.0,
            packets: PacketStore::new(1),
            trace: Vec::new(),
        };
        for step in steps {
            connection.take(*step).map_err(|error| format!("{error}; after {step:?}"))?;
            let waits = connection.frozen && place == Place::Sender && connection.alarm.at == SimTime::MAX;
            ensure!(
                !waits,
                "TCP is frozen and no timer runs: if a signal is lost it stops for ever; after {step:?}"
            );
        }
        Ok(connection.trace)
    }

    fn take(&mut self, step: Step) -> Finding {
        let sender = self.place == Place::Sender;
        match step {
            Step::Send(segments) if sender && !self.frozen => {
                self.phase = if self.phase == Phase::Recovery { Phase::Recovery } else { Phase::Open };
                for _ in 0..segments {
                    let segment =
                        Segment { seq: self.max_sent, len: 1000, flags: flags::ACK, ..Segment::default() };
                    self.max_sent += MSS;
                    self.leave(segment)?;
                }
                Ok(())
            }
            Step::SendAgain if sender && !self.frozen && self.una < self.max_sent => {
                self.leave(self.segment(self.una))
            }
            Step::Ack { ahead, window, flags, path, hole } if sender => {
                let ack = self.una.saturating_add_signed(ahead).min(self.max_sent);
                let mut segment = Segment { ack, window, flags, path, ..Segment::default() };
                if hole && ack + 2 * MSS <= self.max_sent {
                    segment.sack.push(ack + MSS, 1000);
                }
                self.acknowledged(segment)
            }
            Step::Data { ahead, len, flags, ago, path } if !sender => {
                let seq = self.expected + ahead;
                let created = SimTime::from_ns(self.now.as_ns().saturating_sub(ago * 1_000_000));
                let segment = Segment { seq, len, flags, path, ..Segment::default() };
                if self.tell(Input::Arriving { segment: &segment, created })? != Verdict::Swallow {
                    self.waiting.insert(seq, seq + u64::from(len));
                    self.expected = self.waiting.take_front(self.expected).unwrap_or(self.expected);
                    self.pending += 1;
                }
                Ok(())
            }
            Step::Acknowledge if !sender => {
                self.pending = 0;
                self.leave(self.ack())
            }
            Step::Timeout if sender && self.may_time_out() => self.tell(Input::Timeout).map(drop),
            Step::Notice(notice) => self.tell(Input::Notice(notice)).map(drop),
            Step::Signal(kind, sequence) => {
                let signal = Signal { kind, source: NodeId(0), destination: NodeId(4), sequence };
                self.tell(Input::Signal { signal: &signal, from: NodeId(2) }).map(drop)
            }
            Step::State(phase, cwnd, srtt, power) => {
                (self.cwnd, self.srtt, self.power) = (cwnd, srtt.map(Dur::from_ms), power);
                // A connection that has been opened stays open.
                let stage = |phase| match phase {
                    Phase::Closed => 0,
                    Phase::Opening => 1,
                    Phase::Open | Phase::Recovery => 2,
                };
                if stage(phase) >= stage(self.phase) {
                    self.phase = phase;
                }
                Ok(())
            }
            Step::Wait(ms) => {
                let until = self.now + Dur::from_ms(ms);
                while let Some(at) = self.alarm.take(until) {
                    self.now = at;
                    self.tell(Input::Timer)?;
                }
                self.now = until;
                Ok(())
            }
            Step::Send(_)
            | Step::SendAgain
            | Step::Ack { .. }
            | Step::Data { .. }
            | Step::Acknowledge
            | Step::Timeout => Ok(()),
        }
    }

    /// An ACK comes, and TCP takes it in if the shim lets it.
    fn acknowledged(&mut self, segment: Segment) -> Finding {
        let heard = match self.tell(Input::Arriving { segment: &segment, created: self.now })? {
            Verdict::Pass => segment,
            Verdict::Swallow => return Ok(()),
            Verdict::Replace(other) => other,
        };
        // An open connection takes no acknowledgment from a SYN (RFC 9293 §3.10.7.4).
        if heard.flags & (flags::ACK | flags::SYN) == flags::ACK {
            self.una = self.una.max(heard.ack);
            self.peer_window = u64::from(heard.window);
            for (start, end) in heard.sack.around(heard.ack) {
                self.sacked.insert(start, end);
            }
            self.sacked.remove_below(self.una);
        }
        Ok(())
    }

    /// Whether TCP's timer may run: something is under way, and no node holds it.
    fn may_time_out(&self) -> bool {
        !self.frozen && (self.una < self.max_sent || self.phase == Phase::Opening)
    }

    fn segment(&self, seq: u64) -> Segment {
        let len = (self.max_sent - seq).min(MSS) as u32; // at most MSS
        Segment { seq, len, flags: flags::ACK, ..Segment::default() }
    }

    fn ack(&self) -> Segment {
        Segment { ack: self.expected, flags: flags::ACK, window: 40_000, ..Segment::default() }
    }

    /// A segment leaves. What the shim has TCP send thereby leaves too, and so on.
    fn leave(&mut self, first: Segment) -> Finding {
        let mut next = Some(first);
        let mut count = 0;
        while let Some(segment) = next.take() {
            count += 1;
            ensure!(count < 100, "each segment that leaves has TCP send another, without end");
            let from = self.trace.len();
            self.tell(Input::Leaving(&segment))?;
            let sends = self.trace[from..].iter().any(|answer| match answer {
                Answer::Did(Action::Control(control)) => matches!(
                    control,
                    Control::Retransmit { .. }
                        | Control::RetransmitAll
                        | Control::GoBack
                        | Control::Probe
                        | Control::Acknowledge
                        | Control::TimeOut
                ),
                _ => false,
            });
            next = sends.then_some(first);
        }
        Ok(())
    }

    fn tell(&mut self, input: Input<'_>) -> Finding<Verdict> {
        let tcp = Sender::new(TcpConfig::default(), FlowId(0));
        let end = match self.place {
            Place::Sender => End::Sender(TcpView {
                segment: 1000,
                phase: self.phase,
                una: self.una,
                nxt: self.max_sent,
                max_sent: self.max_sent,
                peer_window: self.peer_window,
                sacked: &self.sacked,
                cwnd: self.cwnd,
                srtt: self.srtt,
                rto: Dur::from_secs(1),
                frozen: self.frozen,
                ..tcp.view()
            }),
            Place::Receiver => End::Receiver(ReceiverView {
                expected: self.expected,
                waiting: &self.waiting,
                pending: self.pending,
                window: 40_000,
                frozen: self.frozen,
            }),
        };
        let node = NodeState { received_power: self.power, ..NodeState::default() };
        let mut out = Vec::new();
        let mut cx = Cx { now: self.now, packets: &mut self.packets };
        let verdict = self.shim.handle(&mut cx, &node, input, &end, &mut out);
        self.judge_verdict(input, verdict)?;
        self.trace.push(Answer::Verdict(verdict));
        for action in out {
            self.judge(action, input)?;
            self.trace.push(Answer::Did(action));
        }
        Ok(verdict)
    }

    /// A segment in the place of another one carries the same bytes.
    fn judge_verdict(&self, input: Input<'_>, verdict: Verdict) -> Finding {
        let Verdict::Replace(new) = verdict else { return Ok(()) };
        let (Input::Arriving { segment: old, .. } | Input::Leaving(old)) = input else {
            return Err(format!("a segment in the place of none: {new:?}"));
        };
        ensure!((new.seq, new.len) == (old.seq, old.len), "other bytes in the place of {old:?}: {new:?}");
        Ok(())
    }

    fn judge(&mut self, action: Action, input: Input<'_>) -> Finding {
        match action {
            Action::Arm(at) => drop(self.alarm.arm(self.now, at)?),
            Action::Control(Control::Freeze) => self.frozen = true,
            Action::Control(Control::Thaw) => self.frozen = false,
            Action::Control(Control::SetCwnd { segments } | Control::SetSsthresh { segments }) => {
                ensure!(
                    segments.is_finite() && segments > 0.0,
                    "a window or threshold of {segments} segments"
                );
            }
            Action::Control(Control::SetRto { rto }) => ensure!(rto > Dur::ZERO, "a timeout of {rto}"),
            Action::Control(Control::Retransmit { seq }) => {
                let top = self.max_sent;
                ensure!(
                    self.una <= seq && seq < top,
                    "{seq} sent again of {}..{top}, for {input:?}",
                    self.una
                );
            }
            Action::Send(segment) | Action::Deliver { segment, .. } if self.place == Place::Sender => {
                let end = segment.seq + u64::from(segment.len);
                ensure!(end <= self.max_sent, "bytes up to {end} that TCP has never sent");
            }
            Action::Send(_) | Action::Deliver { .. } | Action::Control(_) => {}
        }
        Ok(())
    }
}
