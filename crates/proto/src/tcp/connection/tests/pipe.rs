//! One suite over every window rule and loss detector: a finite transfer over a pipe that loses, doubles and
//! reorders always completes, the sender never exceeds its window, and every byte arrives.

use proptest::prelude::*;

use crate::tcp::connection::{Action, Arrival, Event, Input, Receiver, Sender, Timer};
use crate::tcp::{
    Handshake, IdleRestart, LimitedTransmit, Loss, Pace, PaceConfig, PartialAckRestart, RecoveryRule,
    RttSamples, SlowStart, TcpConfig, Window,
};
use crate::units::{Bytes, Dur, Entity, FlowId, Purpose, Rng, SimTime};
use crate::wire::Segment;

const SEGMENT: u64 = 1000;

/// How bad the pipe is.
#[derive(Clone, Copy, Debug)]
struct Weather {
    loss: f64,
    twice: f64,
    /// Delays are drawn from 10 ms to this many.
    slowest_ms: u64,
}

enum Travelling {
    Data(Segment),
    Ack(Segment),
}

/// Both ends and what is between them.
struct Pipe {
    sender: Sender,
    receiver: Receiver,
    weather: Weather,
    rng: Rng,
    now: SimTime,
    order: u64,
    travelling: Vec<(SimTime, u64, Travelling)>,
    timers: [SimTime; 4],
    readable: u64,
    completed: u32,
}

impl Pipe {
    fn launch(&mut self, what: impl Fn() -> Travelling) {
        if self.rng.f64() < self.weather.loss {
            return;
        }
        let copies = 1 + u32::from(self.rng.f64() < self.weather.twice);
        for _ in 0..copies {
            let delay = self.rng.range_dur(Dur::from_ms(10), Dur::from_ms(self.weather.slowest_ms));
            self.order += 1;
            self.travelling.push((self.now + delay, self.order, what()));
        }
    }

    fn carry_out(&mut self, actions: Vec<Action>, before: u64) {
        let mut highest = before;
        for action in actions {
            match action {
                Action::Send(segment) if segment.len > 0 => {
                    let end = segment.seq + u64::from(segment.len);
                    if end > highest {
                        self.check_window(end);
                        highest = end;
                    }
                    self.launch(|| Travelling::Data(segment));
                }
                Action::Send(segment) if segment.flags == crate::wire::flags::SYN => {
                    self.launch(|| Travelling::Data(segment));
                }
                Action::Send(segment) => self.launch(|| Travelling::Ack(segment)),
                Action::Arm(timer, at) => self.timers[timer as usize] = at,
                Action::Event(Event::Completed) => self.completed += 1,
                Action::Event(_) => {}
            }
        }
    }

    /// New data never lie beyond the window of the moment.
    fn check_window(&self, end: u64) {
        let sender = &self.sender;
        let (flight, dupacks) = (sender.sending.flight(), sender.sending.flight().losses().dupacks());
        let most = u64::from(sender.config.max_window) * SEGMENT;
        assert!(end <= flight.stream().una() + most, "beyond the receive window");
        let told = flight.is_recovering() || dupacks > 0;
        let by_pipe = sender.config.loss == Loss::Sack && told;
        if !by_pipe {
            let limited =
                if sender.config.limited_transmit == LimitedTransmit::Off { 0 } else { dupacks.min(2) };
            let window = u64::from(flight.control().window().segments() + limited) * SEGMENT;
            assert!(end <= flight.stream().una() + window, "beyond the congestion window");
        }
    }

    fn tell(&mut self, input: Input) {
        let mut out = Vec::new();
        let before = self.sender.sending.flight().stream().max_sent();
        self.sender.handle(self.now, input, &mut out);
        self.carry_out(out, before);
    }

    /// Carries on until nothing is left to happen; false if it takes too long.
    fn run(&mut self) -> bool {
        for _ in 0..200_000 {
            let next = self.travelling.iter().map(|&(at, order, _)| (at, order)).min();
            let (timer, due) =
                (0..4).map(|timer| (timer, self.timers[timer])).min_by_key(|it| it.1).expect("four");
            match next {
                Some((at, order)) if at <= due => {
                    self.now = at;
                    let index = self.travelling.iter().position(|entry| entry.1 == order);
                    match self.travelling.swap_remove(index.expect("just seen")).2 {
                        Travelling::Ack(segment) => self.tell(Input::Segment(segment)),
                        Travelling::Data(segment) => {
                            let mut out = Vec::new();
                            let arrival = self.receiver.on_segment(at, &segment, &mut out);
                            if let Arrival::New { readable } = arrival {
                                self.readable += readable;
                            }
                            self.carry_out(out, u64::MAX);
                        }
                    }
                }
                _ if due == SimTime::MAX => return true,
                _ => {
                    self.now = due;
                    self.timers[timer] = SimTime::MAX;
                    let timers = [Timer::Retransmit, Timer::DelayedAck, Timer::LossDetector, Timer::Pace];
                    if timers[timer] != Timer::DelayedAck {
                        self.tell(Input::Timer(timers[timer]));
                    } else {
                        let mut out = Vec::new();
                        self.receiver.on_timer(self.now, &mut out);
                        self.carry_out(out, u64::MAX);
                    }
                }
            }
        }
        false
    }
}

fn transfer(config: &TcpConfig, weather: Weather, bytes: u64, seed: u64) {
    let mut pipe = Pipe {
        sender: Sender::new(config.clone(), FlowId(0)),
        receiver: Receiver::new(config),
        weather,
        rng: Rng::stream(seed, 1, Entity::Whole, Purpose::FrameError),
        now: SimTime::ZERO,
        order: 0,
        travelling: Vec::new(),
        timers: [SimTime::MAX; 4],
        readable: 0,
        completed: 0,
    };
    pipe.tell(Input::Open);
    pipe.tell(Input::Write(bytes));
    let said = format!("{:?} x {:?}, seed {seed}, {weather:?}", config.window, config.loss);
    assert!(pipe.run(), "no end: {said}: {:?}", pipe.sender.view());
    assert_eq!(pipe.completed, 1, "{said}: {:?}", pipe.sender.view());
    assert_eq!((pipe.readable, pipe.sender.sending.flight().stream().una()), (bytes, bytes), "{said}");
}

/// Every window rule with every loss decision, under both sets of rules for partial ACKs.
fn configurations() -> Vec<TcpConfig> {
    let mut all = Vec::new();
    let older = [Window::Tahoe, Window::Reno, Window::Newreno];
    let newer = [Window::Cubic, Window::Bbr, Window::BbrDraft, Window::Westwood, Window::Vegas, Window::Veno];
    for window in older.into_iter().chain(newer) {
        for loss in [Loss::DupAcks, Loss::Sack] {
            for standard in [true, false] {
                all.push(TcpConfig {
                    window,
                    loss,
                    recovery: if standard && loss == Loss::Sack {
                        RecoveryRule::Prr
                    } else {
                        RecoveryRule::Pipe
                    },
                    slow_start: if standard { SlowStart::HyStartPlus } else { SlowStart::Standard },
                    byte_counting: if standard { 2 } else { 1 },
                    pace: PaceConfig {
                        rule: if newer.contains(&window) && standard { Pace::Window } else { Pace::Off },
                        ..PaceConfig::default()
                    },
                    segment: Bytes(1000),
                    max_window: 12,
                    handshake: if standard { Handshake::Syn } else { Handshake::Ns2 },
                    limited_transmit: if standard { LimitedTransmit::Rfc3042 } else { LimitedTransmit::Ns2 },
                    idle_restart: if standard { IdleRestart::InitialWindow } else { IdleRestart::OneSegment },
                    rtt_samples: if standard { RttSamples::Every } else { RttSamples::One },
                    partial_deflation: standard,
                    careful: standard,
                    ack_every: if standard { 2 } else { 1 },
                    partial_ack_restart: if standard {
                        PartialAckRestart::First
                    } else {
                        PartialAckRestart::Every
                    },
                    min_rto: Dur::from_ms(200),
                    ..TcpConfig::default()
                });
            }
        }
    }
    all
}

#[test]
fn a_clean_pipe_needs_no_retransmission() {
    for config in configurations() {
        let calm = Weather { loss: 0.0, twice: 0.0, slowest_ms: 10 };
        transfer(&config, calm, 100_500, 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_variant_gets_everything_through(
        loss in 0.0f64..0.35,
        twice in 0.0f64..0.2,
        slowest_ms in 11u64..150,
        bytes in 1u64..120_000,
        seed in any::<u64>(),
    ) {
        for config in configurations() {
            transfer(&config, Weather { loss, twice, slowest_ms }, bytes, seed);
        }
    }
}
