//! A paced sender under ACKs of any kind: what leaves is a matter of time, not of ACKs.

use proptest::prelude::*;

use super::sack::sacking;
use super::script::sender;
use crate::tcp::connection::{Action, Input, Sender, Timer};
use crate::tcp::{Loss, LossDetectorKind, Pace, PaceConfig, RecoveryRule, TcpConfig, Window};
use crate::units::{Dur, SimTime};
use crate::wire::{SackBlocks, Segment, flags};

const SEGMENT: u64 = 1000;

/// A sender that has measured one round trip of 100 ms, and when each of its segments has left since.
struct Paced {
    sender: Sender,
    now: SimTime,
    /// When the pacer's timer fires.
    timer: SimTime,
    una: u64,
    left: Vec<SimTime>,
    /// The largest rate so far \[b/s\].
    fastest: u64,
}

impl Paced {
    fn new(config: TcpConfig) -> Self {
        let mut paced = Self {
            sender: sender(config),
            now: SimTime::ZERO,
            timer: SimTime::MAX,
            una: 0,
            left: Vec::new(),
            fastest: 0,
        };
        paced.tell(Input::Open);
        paced.tell(Input::Write(u64::MAX / 2));
        paced.now = SimTime::from_ms(100);
        paced.left.clear(); // before the first round trip there is no rate
        paced.ack(1, None);
        paced
    }

    fn tell(&mut self, input: Input) {
        let mut out = Vec::new();
        self.sender.handle(self.now, input, &mut out);
        for action in out {
            match action {
                Action::Send(segment) if segment.len > 0 => self.left.push(self.now),
                Action::Arm(Timer::Pace, at) => self.timer = at,
                _ => {}
            }
        }
        let rate = self.sender.path_view().send_rate;
        self.fastest = self.fastest.max(rate.map_or(0, crate::units::Bitrate::as_bps));
    }

    /// Time passes, and the pacer's timer fires meanwhile.
    fn wait(&mut self, span: Dur) {
        let until = self.now + span;
        while self.timer <= until {
            self.now = self.timer;
            self.timer = SimTime::MAX;
            self.tell(Input::Timer(Timer::Pace));
        }
        self.now = until;
    }

    /// An ACK of so many segments more, as far as they have left, with a block of this segment and so many behind it.
    fn ack(&mut self, segments: u64, block: Option<(u64, u64)>) {
        let sent = self.sender.view().max_sent;
        self.una = (self.una + segments * SEGMENT).min(sent);
        let mut sack = SackBlocks::default();
        if let Some((place, count)) = block {
            let start = self.una + (place + 1) * SEGMENT;
            let end = (start + count * SEGMENT).min(sent);
            if start < end {
                sack.push(start, u32::try_from(end - start).expect("a short block"));
            }
        }
        let segment =
            Segment { ack: self.una, flags: flags::ACK, window: 1_000_000, sack, ..Segment::default() };
        self.tell(Input::Segment(segment));
    }

    /// Of any so many segments in a row the last has left no sooner than the rate allows after the first, but for those
    /// that may leave at once.
    fn check(&self, quantum: usize) {
        let gap = SEGMENT as f64 * 8.0 / self.fastest.max(1) as f64;
        for (first, &begun) in self.left.iter().enumerate() {
            for (count, &at) in self.left[first..].iter().enumerate().skip(quantum) {
                let least = (count + 1 - quantum) as f64 * gap;
                let took = (at - begun).as_secs_f64();
                assert!(took >= least - 1e-6, "{} segments in {took} s, not in {least} s", count + 1);
            }
        }
    }
}

fn config(window: Window, loss: Loss, rack: bool, quantum: u32) -> TcpConfig {
    let sack = loss == Loss::Sack;
    TcpConfig {
        window,
        loss,
        judge: if rack && sack { LossDetectorKind::Rack } else { LossDetectorKind::Standard },
        recovery: if sack { RecoveryRule::Prr } else { RecoveryRule::Pipe },
        pace: PaceConfig { rule: Pace::Window, quantum, ..PaceConfig::default() },
        max_window: 1000,
        byte_counting: 1000,
        ..sacking(10)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// ACKs of much and of nothing, duplicates, blocks, all in one instant or milliseconds apart: no more leaves than
    /// the quantum at once and the rate since.
    #[test]
    fn a_flood_of_acks_lets_nothing_out_before_its_time(
        steps in prop::collection::vec(
            (prop_oneof![3 => Just(0u64), 1 => 0u64..20_000], 0u64..12, prop::option::of((0u64..8, 1u64..6))),
            1..80,
        ),
        quantum in 1u32..5,
        cubic in any::<bool>(),
        sack in any::<bool>(),
        rack in any::<bool>(),
    ) {
        let window = if cubic { Window::Cubic } else { Window::Newreno };
        let loss = if sack { Loss::Sack } else { Loss::DupAcks };
        let mut paced = Paced::new(config(window, loss, rack, quantum));
        for (gap_us, segments, block) in steps {
            paced.wait(Dur::from_us(gap_us));
            paced.ack(segments, block.filter(|_| sack));
        }
        paced.wait(Dur::from_ms(50));
        paced.check(quantum as usize);
    }
}

/// Ninety segments are acknowledged by ninety ACKs in one instant: the window is open by far, and one segment leaves.
#[test]
fn acks_that_come_together_let_one_segment_out() {
    let mut paced =
        Paced::new(TcpConfig { initial_window: 100, ..config(Window::Newreno, Loss::Sack, true, 1) });
    paced.wait(Dur::from_ms(1));
    let before = paced.left.len();
    (0..90).for_each(|_| paced.ack(1, None));
    assert!(paced.sender.view().cwnd > 150.0);
    assert!(paced.left.len() - before <= 1, "{} segments", paced.left.len() - before);
    paced.wait(Dur::from_ms(200));
    assert!(paced.left.len() - before > 90, "then they leave one by one");
    paced.check(1);
}
