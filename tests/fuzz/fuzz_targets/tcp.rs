//! Any inputs to a TCP sender and a TCP receiver in any order.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use multihop_proto::contract::Control;
use multihop_proto::tcp::{
    Action, Halving, Handshake, IdleRestart, Input, LimitedTransmit, Loss, PartialAckRestart, Receiver,
    RtoBackOff, RttSamples, Sender, TcpConfig, Timer, Window,
};
use multihop_proto::units::{Bytes, Dur, FlowId, SimTime};
use multihop_proto::wire::{SackBlocks, Segment};

/// A position in the stream: mostly near its start, where the connection is.
#[derive(Arbitrary, Debug)]
enum Position {
    Segment(u8),
    Byte(u16),
    Anywhere(u64),
}

impl Position {
    fn get(&self) -> u64 {
        match *self {
            Self::Segment(number) => u64::from(number) * 1000,
            Self::Byte(byte) => u64::from(byte),
            Self::Anywhere(byte) => byte,
        }
    }
}

#[derive(Arbitrary, Debug)]
struct Wire {
    seq: Position,
    ack: Position,
    len: u32,
    whole: bool,
    flags: u8,
    window: u16,
    blocks: Vec<(Position, u32)>,
}

impl Wire {
    fn segment(&self) -> Segment {
        let mut sack = SackBlocks::default();
        for (start, len) in &self.blocks {
            sack.push(start.get(), *len);
        }
        Segment {
            seq: self.seq.get(),
            ack: self.ack.get(),
            len: if self.whole { 1000 } else { self.len },
            flags: self.flags,
            window: u32::from(self.window),
            sack,
            ..Segment::default()
        }
    }
}

#[derive(Arbitrary, Debug)]
enum Step {
    Open,
    Write(u16),
    WriteEndless,
    Stop,
    ToSender(Wire),
    ToReceiver(Wire),
    Retransmit,
    DelayedAck,
    Silence,
    Speak,
    Acknowledge,
    Advertise(Option<u32>),
    Freeze,
    Thaw,
    Probe,
    SetCwnd(i8),
    SetSsthresh(i8),
    SetRto(u32),
    Resend(Position),
    ResendAll,
    RestartTimer,
    Wake,
}

#[derive(Arbitrary, Debug)]
struct Case {
    window: u8,
    sack: bool,
    rules: [u8; 4],
    switches: [bool; 5],
    ack_every: u8,
    steps: Vec<(u16, u8, Step)>,
}

fn config(case: &Case) -> TcpConfig {
    let [timed, floor_last, partial_deflation, careful, every] = case.switches;
    let [handshake, limited_transmit, halving, idle_restart] = case.rules.map(|rule| usize::from(rule % 3));
    TcpConfig {
        window: [Window::Tahoe, Window::Reno, Window::Newreno][usize::from(case.window % 3)],
        loss: if case.sack { Loss::Sack } else { Loss::DupAcks },
        segment: Bytes(1000),
        max_window: 20,
        handshake: [Handshake::None, Handshake::Syn, Handshake::Ns2][handshake],
        limited_transmit: [LimitedTransmit::Off, LimitedTransmit::Rfc3042, LimitedTransmit::Ns2]
            [limited_transmit],
        halving: [Halving::Exact, Halving::WholeThreshold, Halving::Whole][halving],
        idle_restart: [IdleRestart::Off, IdleRestart::InitialWindow, IdleRestart::OneSegment][idle_restart],
        rtt_samples: if timed { RttSamples::Every } else { RttSamples::One },
        rto_back_off: if floor_last { RtoBackOff::FloorLast } else { RtoBackOff::Rfc6298 },
        partial_deflation,
        careful,
        partial_ack_restart: if every { PartialAckRestart::Every } else { PartialAckRestart::First },
        ack_every: u32::from(case.ack_every % 4),
        ..TcpConfig::default()
    }
}

fuzz_target!(|case: Case| {
    let config = config(&case);
    let mut sender = Sender::new(config.clone(), FlowId(0));
    let mut receiver = Receiver::new(&config);
    let mut now = SimTime::ZERO;
    let (mut written, mut expected) = (0u64, 0u64);
    for (gap, budget, step) in &case.steps {
        now += Dur::from_ms(u64::from(*gap));
        let mut acks = Vec::new();
        let input = match step {
            Step::Open => Input::Open,
            Step::Write(bytes) => Input::Write(u64::from(*bytes)),
            Step::WriteEndless => Input::Write(u64::MAX),
            Step::Stop => Input::Stop,
            Step::ToSender(wire) => Input::Segment(wire.segment()),
            Step::Retransmit => Input::Timer(Timer::Retransmit),
            Step::Freeze => Input::Control(Control::Freeze),
            Step::Thaw => Input::Control(Control::Thaw),
            Step::Probe => Input::Control(Control::Probe),
            Step::ResendAll => Input::Control(Control::RetransmitAll),
            Step::SetRto(ms) => Input::Control(Control::SetRto { rto: Dur::from_ms(u64::from(*ms)) }),
            Step::SetSsthresh(segments) => {
                Input::Control(Control::SetSsthresh { segments: f64::from(*segments) })
            }
            Step::SetCwnd(segments) => Input::Control(Control::SetCwnd { segments: f64::from(*segments) }),
            Step::Resend(position) => Input::Control(Control::Retransmit { seq: position.get() }),
            Step::RestartTimer => Input::Control(Control::RestartTimer),
            Step::ToReceiver(wire) => {
                receiver.on_segment(now, &wire.segment(), &mut acks);
                Input::Wake
            }
            Step::DelayedAck => {
                receiver.on_timer(now, &mut acks);
                Input::Wake
            }
            Step::Silence => {
                receiver.control(now, Control::Freeze, &mut acks);
                Input::Wake
            }
            Step::Speak => {
                receiver.control(now, Control::Thaw, &mut acks);
                Input::Wake
            }
            Step::Acknowledge => {
                receiver.control(now, Control::Acknowledge, &mut acks);
                Input::Wake
            }
            Step::Advertise(bytes) => {
                receiver.control(now, Control::SetWindow { bytes: *bytes }, &mut acks);
                Input::Wake
            }
            Step::Wake => Input::Wake,
        };
        assert!(receiver.expected() >= expected, "what was acknowledged stays so");
        expected = receiver.expected();
        for action in acks {
            if let Action::Send(ack) = action {
                assert_eq!(ack.ack, expected);
                assert!(ack.sack.around(ack.ack).all(|(start, end)| expected < start && start < end));
            }
        }
        if let Input::Write(bytes) = input {
            written = written.saturating_add(bytes);
        }
        sender.set_budget(u32::from(*budget));
        let frozen = sender.view().frozen && !matches!(input, Input::Control(_));
        let mut out = Vec::new();
        sender.handle(now, input, &mut out);
        for action in out {
            match action {
                Action::Send(segment) if segment.len == 0 => assert!(!frozen),
                Action::Send(segment) => {
                    assert!(!frozen, "sent while frozen");
                    let end = segment.seq + u64::from(segment.len);
                    assert!(segment.len <= 1000 && end <= written, "sent what was never written");
                }
                Action::Arm(_, at) => assert!(at >= now && (!frozen || at == SimTime::MAX)),
                Action::Event(_) => {}
            }
        }
        let view = sender.view();
        assert!(view.cwnd >= 1.0 && view.ssthresh >= 2.0 && view.una <= written);
    }
});
