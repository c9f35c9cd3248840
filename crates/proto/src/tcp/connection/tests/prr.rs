//! Proportional rate reduction (RFC 9937) at a sender: how a recovery ends.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::sack::sacking;
use super::script::{run, sender};
use crate::contract::Phase;
use crate::tcp::connection::{Action, Input, Receiver, Sender};
use crate::tcp::{LossDetectorKind, RecoveryRule, TcpConfig, Window};
use crate::units::{Dur, SimTime};
use crate::wire::Segment;

fn reducing(initial_window: u32) -> TcpConfig {
    TcpConfig { recovery: RecoveryRule::Prr, max_window: 200, ..sacking(initial_window) }
}

/// Of twenty segments the first is lost. What is in the network at the end is the threshold less the segment that the
/// last ACK is for, and that ACK lets out two: one for it, and one with which the window has grown to ten and a tenth.
#[test]
fn a_recovery_ends_with_the_threshold_in_the_network() {
    let sent: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    let mut text = format!("0 open\n0 write endless\n0 > {}\n", sent.join(" "));
    for held in 2..=4 {
        text += &format!("0.1 < 0 sack 1-{held}\n");
    }
    text += "0.1 ! fast 0\n0.1 > 0\n0.1 = ssthresh 10\n";
    // RecoverFS is 18, and the repair is one of those that have gone. Above the threshold a share of what is delivered
    // goes, at it one for each.
    let (mut out, mut next) = (1, 20);
    for held in 5..=20_u32 {
        text += &format!("0.1 < 0 sack 1-{held}\n");
        let (delivered, pipe) = (held - 3, 20 - held + 1 + next - 20);
        let goes = if pipe > 10 { (10 * delivered).div_ceil(18) > out } else { pipe < 10 };
        if goes {
            text += &format!("0.1 > {next}\n");
            (out, next) = (out + 1, next + 1);
        }
    }
    text += "0.2 < 20\n0.2 > 29\n0.2 = cwnd 10.1 ssthresh 10";
    assert_eq!((out, next), (10, 29));
    run(&mut sender(reducing(20)), &text);
}

/// One recovery over a path of 1000 segments a second and 100 ms, on which some of the first window are lost.
struct Path {
    sender: Sender,
    receiver: Receiver,
    now: SimTime,
    data: VecDeque<(SimTime, Segment)>,
    acks: VecDeque<(SimTime, Segment)>,
    /// Segments that the last input has let out.
    burst: usize,
}

impl Path {
    fn new(config: &TcpConfig) -> Self {
        Self {
            sender: sender(config.clone()),
            receiver: Receiver::new(config),
            now: SimTime::ZERO,
            data: VecDeque::new(),
            acks: VecDeque::new(),
            burst: 0,
        }
    }

    fn tell(&mut self, input: Input, lost: impl Fn(u64) -> bool) {
        let (mut out, before) = (Vec::new(), self.sender.view().max_sent);
        self.sender.handle(self.now, input, &mut out);
        self.burst = 0;
        for action in out {
            if let Action::Send(segment) = action {
                self.burst += 1;
                let free = self.data.back().map_or(SimTime::ZERO, |&(at, _)| at + Dur::from_ms(1));
                let at = free.max(self.now + Dur::from_ms(50));
                if segment.seq < before || !lost(segment.seq / 1000) {
                    self.data.push_back((at, segment));
                }
            }
        }
    }

    /// Until a recovery is over: what the sender had in the network before the last ACK, and what that ACK let out.
    fn recover(&mut self, lost: &[bool]) -> (f64, usize) {
        let is_lost = |number: u64| lost.get(number as usize).copied().unwrap_or(false);
        self.tell(Input::Open, is_lost);
        self.tell(Input::Write(u64::MAX / 2), is_lost);
        loop {
            let next =
                |queue: &VecDeque<(SimTime, Segment)>| queue.front().map_or(SimTime::MAX, |&(at, _)| at);
            assert!(next(&self.data).min(next(&self.acks)) < SimTime::MAX, "it waits for its timer");
            if next(&self.data) <= next(&self.acks) {
                let (at, segment) = self.data.pop_front().expect("there is one");
                let mut out = Vec::new();
                self.receiver.on_segment(at, &segment, &mut out);
                for action in out {
                    if let Action::Send(ack) = action {
                        self.acks.push_back((at + Dur::from_ms(50), ack));
                    }
                }
                continue;
            }
            let (at, ack) = self.acks.pop_front().expect("there is one");
            self.now = at;
            let before = self.sender.view();
            let recovering = before.phase == Phase::Recovery;
            let held: u64 = before.sacked.iter().map(|(start, end)| end - start).sum();
            let flight = (before.max_sent - before.una - held) as f64 / 1000.0;
            self.tell(Input::Segment(ack), is_lost);
            if recovering && self.sender.view().phase == Phase::Open {
                return (flight, self.burst);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Up to a quarter of a window is lost anywhere in it but at its end. However that is found: the recovery ends with
    /// about the threshold in the network, and the window is the threshold, so that the last ACK lets no burst out.
    #[test]
    fn a_recovery_ends_without_a_burst(
        window in 20u32..80,
        draws in prop::collection::vec(any::<u16>(), 1..20),
        cubic in any::<bool>(),
        rack in any::<bool>(),
    ) {
        let judge = if rack { LossDetectorKind::Rack } else { LossDetectorKind::Standard };
        let rule = if cubic { Window::Cubic } else { Window::Newreno };
        let config = TcpConfig { judge, window: rule, ..reducing(window) };
        let mut lost = vec![false; window as usize];
        for draw in draws.iter().take(window as usize / 4) {
            lost[usize::from(*draw) % (window as usize - 8)] = true;
        }
        let mut path = Path::new(&config);
        let (flight, burst) = path.recover(&lost);
        let view = path.sender.view();
        prop_assert!(view.cwnd >= view.ssthresh && view.cwnd < view.ssthresh + 1.0, "{} {}", view.cwnd, view.ssthresh);
        prop_assert!((flight - view.ssthresh).abs() <= 2.0, "{flight} segments at a threshold of {}", view.ssthresh);
        prop_assert!(burst <= 3, "{burst} segments at once");
    }
}
