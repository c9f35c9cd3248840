//! Any inputs to a TCP sender and a TCP receiver in any order.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use multihop_proto::port::Control;
use multihop_proto::tcp::{
    Action, Input, Loss, PartialAckRestart, Receiver, Sender, TcpConfig, Timer, Window,
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
    Freeze,
    Thaw,
    SetCwnd(i8),
    Resend(Position),
    RestartTimer,
    Wake,
}

#[derive(Arbitrary, Debug)]
struct Case {
    window: u8,
    sack: bool,
    switches: [bool; 5],
    ack_every: u8,
    steps: Vec<(u16, u8, Step)>,
}

fn config(case: &Case) -> TcpConfig {
    let [handshake, limited_transmit, partial_deflation, careful, every] = case.switches;
    TcpConfig {
        window: [Window::Tahoe, Window::Reno, Window::Newreno][usize::from(case.window % 3)],
        loss: if case.sack { Loss::Sack } else { Loss::DupAcks },
        segment: Bytes(1000),
        max_window: 20,
        handshake,
        limited_transmit,
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
            Step::SetCwnd(segments) => Input::Control(Control::SetCwnd { segments: f64::from(*segments) }),
            Step::Resend(position) => Input::Control(Control::Retransmit { seq: position.get() }),
            Step::RestartTimer => Input::Control(Control::RestartTimer),
            Step::ToReceiver(wire) => {
                receiver.on_segment(now, &wire.segment(), &mut acks);
                Input::Wake
            }
            Step::DelayedAck => {
                receiver.on_timer(&mut acks);
                Input::Wake
            }
            Step::Wake => Input::Wake,
        };
        assert!(receiver.expected() >= expected, "what was acknowledged stays so");
        expected = receiver.expected();
        for action in acks {
            if let Action::Send(ack) = action {
                assert_eq!(ack.ack, expected);
                assert!(ack.sack.iter().all(|(start, end)| expected < start && start < end));
            }
        }
        if let Input::Write(bytes) = input {
            written = written.saturating_add(bytes);
        }
        sender.set_budget(u32::from(*budget));
        let mut out = Vec::new();
        sender.handle(now, input, &mut out);
        for action in out {
            match action {
                Action::Send(segment) => {
                    let end = segment.seq + u64::from(segment.len);
                    assert!(segment.len <= 1000 && end <= written, "sent what was never written");
                }
                Action::Arm(_, at) => assert!(at >= now),
                Action::Event(_) => {}
            }
        }
        let view = sender.view();
        assert!(view.cwnd >= 1.0 && view.ssthresh >= 2.0 && view.una <= written);
    }
});
