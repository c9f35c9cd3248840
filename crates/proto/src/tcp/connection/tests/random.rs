//! Any inputs in any order: no panic, and nothing is sent that was never written.

use proptest::prelude::*;

use super::script::config;
use crate::contract::Control;
use crate::tcp::connection::{Action, Input, Receiver, Sender, Timer};
use crate::tcp::loss::{self, Evidence, LossDecision, LossDetector};
use crate::tcp::{
    EcnMode, Handshake, IdleRestart, LimitedTransmit, Loss, LossDetectorKind, Pace, PaceConfig, RecoveryRule,
    RttSamples, SlowStart, TailProbeConfig, TcpConfig, Window,
};
use crate::units::{Dur, FlowId, SimTime};
use crate::wire::{MarkedBytes, SackBlocks, Segment, Timestamps, flags};

fn position() -> impl Strategy<Value = u64> {
    prop_oneof![4 => (0u64..60).prop_map(|n| n * 1000), 2 => 0u64..60_000, 1 => any::<u64>()]
}

fn segment() -> impl Strategy<Value = Segment> {
    let blocks = prop::collection::vec((position(), prop_oneof![0u32..8000, any::<u32>()]), 0..5);
    let len = prop_oneof![Just(0u32), Just(1000), 0u32..3000, any::<u32>()];
    let window = prop_oneof![3 => Just(20_000u32), 1 => 0u32..40_000];
    let times = prop::option::of((0u64..10_000, any::<u32>()));
    let marks = (prop_oneof![Just(0u8), any::<u8>()], prop::option::of((0u32..1 << 24, 0u32..1 << 24)));
    (position(), position(), len, 0u8..4, window, blocks, times, marks).prop_map(
        |(seq, ack, len, flags, window, blocks, times, (marks, counts))| {
            let times =
                times.map_or(Timestamps::NONE, |(ms, echo)| Timestamps::new(SimTime::from_ms(ms), echo));
            let mut sack = SackBlocks::default();
            for (start, len) in blocks {
                sack.push(start, len);
            }
            if let Some((ect0, ce)) = counts {
                sack = sack.beside(MarkedBytes { ect0, ce });
            }
            let flags = flags | marks & (flags::ECT | flags::CE);
            Segment { seq, ack, len, flags, window, sack, times, ..Segment::default() }.with_ace(marks)
        },
    )
}

fn control() -> impl Strategy<Value = Control> {
    prop_oneof![
        Just(Control::Freeze),
        Just(Control::Thaw),
        Just(Control::RetransmitAll),
        Just(Control::Probe),
        (0u64..100_000).prop_map(|ms| Control::SetRto { rto: Dur::from_ms(ms) }),
        prop_oneof![-5.0f64..50.0, Just(f64::NAN)].prop_map(|segments| Control::SetSsthresh { segments }),
        Just(Control::RestartTimer),
        prop_oneof![-5.0f64..50.0, Just(f64::NAN)].prop_map(|segments| Control::SetCwnd { segments }),
        position().prop_map(|seq| Control::Retransmit { seq }),
        Just(Control::Acknowledge),
        prop::option::of(0u32..40_000).prop_map(|bytes| Control::SetWindow { bytes }),
    ]
}

fn input() -> impl Strategy<Value = Input> {
    prop_oneof![
        1 => Just(Input::Open),
        2 => prop_oneof![0u64..20_000, Just(u64::MAX)].prop_map(Input::Write),
        1 => Just(Input::Stop),
        8 => segment().prop_map(Input::Segment),
        3 => Just(Input::Timer(Timer::Retransmit)),
        1 => Just(Input::Timer(Timer::LossDetector)),
        1 => Just(Input::Timer(Timer::Pace)),
        2 => control().prop_map(Input::Control),
        2 => Just(Input::Wake),
    ]
}

/// Decides as drawn beforehand, round and round.
#[derive(Debug)]
struct Whim {
    judgements: Vec<(LossDecision, u64, bool)>,
    next: usize,
    at: SimTime,
}

impl LossDetector for Whim {
    fn detect(&mut self, _: loss::Input, seen: &Evidence<'_>) -> LossDecision {
        self.next = (self.next + 1) % self.judgements.len();
        let (decision, delay, _) = self.judgements[self.next];
        self.at = seen.now + Dur::from_ms(delay);
        decision
    }

    fn deadline(&self) -> SimTime {
        self.at
    }

    fn holds_window(&self) -> bool {
        self.judgements[self.next].2
    }
}

fn whim() -> impl Strategy<Value = Option<Vec<(LossDecision, u64, bool)>>> {
    let decision = prop_oneof![
        Just(LossDecision::Wait),
        Just(LossDecision::SendNew),
        Just(LossDecision::Lost),
        position().prop_map(|seq| LossDecision::Retransmit { seq }),
    ];
    prop::option::of(prop::collection::vec((decision, 0u64..1000, any::<bool>()), 1..6))
}

fn variant() -> impl Strategy<Value = TcpConfig> {
    let window = prop::sample::select(vec![
        Window::Tahoe,
        Window::Reno,
        Window::Newreno,
        Window::Fixed,
        Window::Cubic,
        Window::Bbr,
        Window::BbrDraft,
        Window::Westwood,
        Window::Vegas,
        Window::Veno,
        Window::Dctcp,
    ]);
    let loss = prop_oneof![Just(Loss::DupAcks), Just(Loss::Sack)];
    let handshake = prop_oneof![Just(Handshake::None), Just(Handshake::Syn), Just(Handshake::Ns2)];
    let limited =
        prop_oneof![Just(LimitedTransmit::Off), Just(LimitedTransmit::Rfc3042), Just(LimitedTransmit::Ns2)];
    let rules = (window, loss, handshake, limited);
    let ecn = prop::sample::select(vec![EcnMode::Off, EcnMode::Classic, EcnMode::Accurate]);
    (rules, any::<[bool; 9]>(), 1u32..4, ecn).prop_map(|(rules, switches, ack_every, ecn)| TcpConfig {
        window: rules.0,
        loss: rules.1,
        handshake: rules.2,
        limited_transmit: rules.3,
        partial_deflation: switches[0],
        careful: switches[1],
        rtt_samples: if switches[2] { RttSamples::Every } else { RttSamples::One },
        idle_restart: if switches[3] { IdleRestart::OneSegment } else { IdleRestart::InitialWindow },
        recovery: if switches[4] && rules.1 == Loss::Sack { RecoveryRule::Prr } else { RecoveryRule::Pipe },
        slow_start: if switches[5] { SlowStart::HyStart } else { SlowStart::HyStartPlus },
        pace: PaceConfig {
            rule: if switches[6] { Pace::Window } else { Pace::Off },
            ..PaceConfig::default()
        },
        judge: if switches[7] && rules.1 == Loss::Sack {
            LossDetectorKind::Rack
        } else {
            LossDetectorKind::Standard
        },
        tail_probe: TailProbeConfig {
            on: switches[8] && rules.1 == Loss::Sack,
            ..TailProbeConfig::default()
        },
        ack_every,
        ecn,
        ..config()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_sender_survives_anything(
        config in variant(),
        whim in whim(),
        steps in prop::collection::vec((0u64..500, 0u32..30, input()), 0..80),
    ) {
        let mut sender = Sender::new(config, FlowId(0));
        if let Some(judgements) = whim {
            sender.set_loss_detector(Box::new(Whim { judgements, next: 0, at: SimTime::MAX }));
        }
        let mut now = SimTime::ZERO;
        let mut written = 0u64;
        for (gap, budget, input) in steps {
            now += Dur::from_ms(gap);
            if let Input::Write(bytes) = input {
                written = written.saturating_add(bytes);
            }
            sender.set_budget(budget);
            let mut out = Vec::new();
            sender.handle(now, input, &mut out);
            for action in out {
                match action {
                    Action::Send(segment) if segment.len == 0 => {}
                    Action::Send(segment) => {
                        let end = segment.seq + u64::from(segment.len);
                        prop_assert!(segment.len <= 1000 && end <= written);
                        prop_assert!(end <= sender.sending.flight().stream().una().max(segment.seq) + 20_000, "beyond the window");
                    }
                    Action::Arm(_, at) => prop_assert!(at >= now),
                    Action::Event(_) => {}
                }
            }
            prop_assert!(sender.sending.flight().stream().una() <= sender.sending.flight().stream().max_sent() && sender.sending.flight().stream().nxt() <= sender.sending.flight().stream().max_sent().max(sender.sending.flight().stream().una()));
            prop_assert!(sender.sending.flight().control().window().cwnd >= 1.0 && sender.sending.flight().control().window().ssthresh >= 2.0);
        }
    }

    #[test]
    fn a_receiver_survives_anything(
        config in variant(),
        steps in prop::collection::vec((0u64..500, prop::option::of(segment()), control()), 0..80),
        steered in any::<bool>(),
    ) {
        let mut receiver = Receiver::new(&config);
        let mut now = SimTime::ZERO;
        let mut expected = 0;
        for (gap, segment, control) in steps {
            now += Dur::from_ms(gap);
            let mut out = Vec::new();
            match segment {
                Some(segment) => { receiver.on_segment(now, &segment, &mut out); }
                None if steered => receiver.control(now, control, &mut out),
                None => receiver.on_timer(now, &mut out),
            }
            prop_assert!(receiver.expected() >= expected, "what was acknowledged stays so");
            expected = receiver.expected();
            for action in out {
                if let Action::Send(ack) = action {
                    prop_assert_eq!(ack.ack, expected);
                    for (start, end) in ack.sack.around(ack.ack) {
                        prop_assert!(start > expected && start < end && receiver.has(start));
                    }
                }
            }
        }
    }
}
