//! What experiments put in the place of the loss decision, the window rule and the receiver's policy.

use super::script::{EIGHT_SENT, after, config, receiver, run, sender};
use crate::contract::ReceiverView;
use crate::tcp::acks::{AckPolicy, InOrder, When};
use crate::tcp::loss::{Evidence, Input, LossDecision, LossDetector};
use crate::tcp::window::{AckSample, Congestion, LossResponse, PartialAck, WindowRule};
use crate::tcp::{self, Loss, TcpConfig};
use crate::units::{Dur, SimTime};
use crate::wire::{RangeSet, Segment, flags};

/// Waits a round trip after the first duplicate ACK, and lets a new segment out with each, before it believes in a
/// loss.
#[derive(Debug)]
struct Delayed {
    at: SimTime,
    expired: bool,
}

impl LossDetector for Delayed {
    fn detect(&mut self, input: Input, seen: &Evidence<'_>) -> LossDecision {
        match input {
            Input::Duplicate(_) => {
                if seen.dupacks == 1 {
                    *self = Self { at: seen.now + seen.srtt.unwrap_or(Dur::from_secs(1)), expired: false };
                }
                if self.expired && seen.dupacks >= 3 { LossDecision::Lost } else { LossDecision::SendNew }
            }
            Input::Timer => {
                *self = Self { at: SimTime::MAX, expired: true };
                if seen.dupacks >= 3 { LossDecision::Lost } else { LossDecision::Wait }
            }
            Input::NewAck(_) | Input::Timeout => {
                *self = Self { at: SimTime::MAX, expired: false };
                LossDecision::Wait
            }
        }
    }

    fn deadline(&self) -> SimTime {
        self.at
    }
}

//  Segment 1 is late: three duplicates within a round trip.
const REORDERED: &str = "
    0    open
    0    write endless
    0    > 0 1 2 3
    0.1  < 1
    0.1  > 4 5
    0.15 < 1
    0.15 > 6
    0.16 < 1
    0.16 > 7
    0.17 < 1
    0.17 > 8
";

fn delayed() -> crate::tcp::Sender {
    let mut sender = sender(TcpConfig { initial_window: 4, ..config() });
    sender.set_loss_detector(Box::new(Delayed { at: SimTime::MAX, expired: false }));
    sender
}

#[test]
fn a_judgement_is_put_off_and_taken_back() {
    run(
        &mut delayed(),
        &after(
            &[REORDERED],
            "0.2  < 9               // it was only late
             0.2  > 9 10 11 12 13 14
             0.2  = cwnd 6 ssthresh 20",
        ),
    );
}

#[test]
fn a_judgement_that_was_put_off_is_carried_out_when_its_timer_fires() {
    run(
        &mut delayed(),
        &after(
            &[REORDERED],
            "0.25 ! fast 1
             0.25 > 1
             0.25 = cwnd 2.5 ssthresh 2.5 inflation 3
             0.3  < 9
             0.3  > 9 10
             0.3  = cwnd 2.9 inflation 0",
        ),
    );
    // With one duplicate the timer fires for nothing; the third says it.
    run(
        &mut delayed(),
        "0    open
         0    write endless
         0    > 0 1 2 3
         0.1  < 1
         0.1  > 4 5
         0.15 < 1
         0.15 > 6
         0.3  < 1
         0.3  > 7
         0.31 < 1
         0.31 ! fast 1
         0.31 > 1",
    );
}

#[test]
fn a_frozen_sender_hears_no_judgement() {
    run(
        &mut delayed(),
        &after(
            &[REORDERED],
            "0.2  freeze
             9    thaw
             9    = cwnd 5 dupacks 0",
        ),
    );
}

/// One loss in a window is repaired without a word; two are congestion.
#[derive(Debug, Default)]
struct Lenient {
    until: Option<u64>,
}

impl LossDetector for Lenient {
    fn detect(&mut self, input: Input, seen: &Evidence<'_>) -> LossDecision {
        if self.until.is_some_and(|until| seen.una >= until) || input == Input::Timeout {
            self.until = None;
        }
        let (mut lost, mut seq) = (0, seen.una);
        loop {
            let (start, end) = seen.scoreboard.hole_from(seq);
            if end == u64::MAX || !seen.scoreboard.is_lost(start, seen.segment) {
                break;
            }
            (lost, seq) = (lost + 1, end);
        }
        match (lost, self.until) {
            (0, _) | (1, Some(_)) => LossDecision::Wait,
            (1, None) => {
                // Windows are small numbers of segments.
                self.until = Some(seen.una + seen.cwnd as u64 * seen.segment);
                LossDecision::Retransmit { seq: seen.una }
            }
            _ => LossDecision::Lost,
        }
    }

    fn holds_window(&self) -> bool {
        self.until.is_some()
    }
}

fn lenient() -> crate::tcp::Sender {
    let mut sender = sender(TcpConfig { initial_window: 8, loss: Loss::Sack, ..config() });
    sender.set_loss_detector(Box::<Lenient>::default());
    sender
}

#[test]
fn a_loss_that_is_no_congestion_is_repaired_and_the_window_stands_still() {
    run(
        &mut lenient(),
        &after(
            &[EIGHT_SENT],
            "0.1  < 0 sack 1-2
             0.1  < 0 sack 1-3
             0.1  < 0 sack 1-4
             0.1  > 0
             0.1  < 0 sack 1-5
             0.1  = cwnd 8 ssthresh 20
             0.2  < 5
             0.2  > 8 9 10 11 12
             0.2  = cwnd 8          // within the window of the loss
             0.3  < 13
             0.3  > 13 14 15 16 17 18 19 20 21
             0.3  = cwnd 9 ssthresh 20",
        ),
    );
}

#[test]
fn two_losses_in_a_window_are_congestion() {
    run(
        &mut lenient(),
        &after(
            &[EIGHT_SENT],
            "0.1  < 0 sack 1-2
             0.1  < 0 sack 1-2 3-4
             0.1  < 0 sack 1-2 3-5
             0.1  > 0
             0.1  < 0 sack 1-2 3-7
             0.1  ! fast 0
             0.1  > 0
             0.1  > 2 8             // with 7 four are under way
             0.1  = cwnd 4 ssthresh 4",
        ),
    );
}

/// The bit with which a base station says that the loss was the radio's (explicit loss notification).
const ELN: u8 = 0x80;

/// Repairs what is marked so, once a hole, and lets a new segment out with each further mark.
#[derive(Debug, Default)]
struct Notified {
    repaired: Option<u64>,
}

impl LossDetector for Notified {
    fn detect(&mut self, input: Input, seen: &Evidence<'_>) -> LossDecision {
        match input {
            Input::Duplicate(said) if said.flags & ELN != 0 => {
                if self.repaired.replace(seen.una) == Some(seen.una) {
                    LossDecision::SendNew
                } else {
                    LossDecision::Retransmit { seq: seen.una }
                }
            }
            Input::Duplicate(_) if seen.dupacks == 3 => LossDecision::Lost,
            _ => LossDecision::Wait,
        }
    }
}

#[test]
fn an_ack_may_say_that_a_loss_was_no_congestion() {
    for (mark, sent, cwnd) in [(ELN, [0u64, 4, 5].as_slice(), 4.0), (0, &[0, 4], 2.0)] {
        let mut sender = sender(TcpConfig { initial_window: 4, ..config() });
        sender.set_loss_detector(Box::<Notified>::default());
        let mut out = Vec::new();
        sender.handle(SimTime::ZERO, tcp::Input::Open, &mut out);
        sender.handle(SimTime::ZERO, tcp::Input::Write(u64::MAX), &mut out);
        out.clear();
        let ack = Segment { flags: flags::ACK | mark, window: 20_000, ..Segment::default() };
        for ms in 100..103 {
            sender.handle(SimTime::from_ms(ms), tcp::Input::Segment(ack), &mut out);
        }
        let starts = |action: &tcp::Action| match action {
            tcp::Action::Send(segment) => Some(segment.seq / 1000),
            _ => None,
        };
        assert_eq!(out.iter().filter_map(starts).collect::<Vec<_>>(), sent);
        assert_eq!(sender.view().cwnd, cwnd);
    }
}

/// Half a segment with each ACK, a fifth less at a loss.
#[derive(Debug)]
struct Steady;

impl WindowRule for Steady {
    fn on_ack(&mut self, congestion: &mut Congestion, sample: &AckSample) {
        congestion.cwnd += if sample.segments > 0.0 { 0.5 } else { 0.0 };
    }

    fn on_loss(&mut self, congestion: &mut Congestion, dupacks: u32) -> LossResponse {
        congestion.cwnd *= 0.8;
        congestion.inflation = dupacks;
        LossResponse::FastRecovery
    }

    fn on_partial_ack(&mut self, congestion: &mut Congestion, _: f64) -> PartialAck {
        congestion.leave_recovery();
        PartialAck::Leave
    }

    fn on_timeout(&mut self, congestion: &mut Congestion, _: bool) {
        (congestion.cwnd, congestion.ssthresh, congestion.inflation) = (0.0, 0.0, 0); // too little
    }
}

#[test]
fn a_window_rule_decides_on_acks_losses_and_timeouts() {
    let mut sender = sender(TcpConfig { initial_window: 5, ..config() });
    sender.set_window(Box::new(Steady));
    run(
        &mut sender,
        "0    open
         0    write endless
         0    > 0 1 2 3 4
         0.1  < 2
         0.1  > 5 6
         0.1  = cwnd 5.5
         0.2  < 2
         0.2  < 2
         0.2  < 2
         0.2  ! fast 2
         0.2  > 2 7 8
         0.2  = cwnd 4.4 inflation 3
         0.3  < 4               // partial: this rule is done with it
         0.3  = cwnd 4.9 inflation 0
         0.6  ! timeout 4
         0.6  > 4
         0.6  = cwnd 1 ssthresh 2",
    );
}

/// The later the segment, the more of them an ACK is for (Altman and Jiménez, PWC 2003).
#[derive(Debug)]
struct Dynamic;

impl AckPolicy for Dynamic {
    fn when<'a>(&mut self, segment: &InOrder, receiver: &dyn Fn() -> ReceiverView<'a>) -> When {
        assert_eq!(receiver().pending, segment.pending);
        let most = match segment.seq / 1000 {
            0..2 => 1,
            2..5 => 2,
            _ => 3,
        };
        if segment.pending >= most { When::Now } else { When::Within(Dur::from_ms(100)) }
    }

    fn window(&self, most: u32, _waiting: &RangeSet) -> u32 {
        most / 2
    }
}

#[test]
fn a_policy_says_when_a_receiver_acknowledges_and_what_it_advertises() {
    let mut receiver = receiver(&config());
    receiver.receiver.set_acks(Box::new(Dynamic));
    run(
        &mut receiver,
        "0    < 0
         0    > 1(10)
         0    < 1
         0    > 2(10)
         0    < 2
         0    < 3
         0    > 4(10)
         0    < 4
         0.05 < 5
         0.1  > 6(10)           // the delay of the first
         0.2  < 7               // out of order: at once
         0.2  > 6(10)",
    );
}

#[test]
fn a_shim_silences_a_receiver_and_has_it_speak() {
    run(
        &mut receiver(&TcpConfig { ack_every: 2, ..config() }),
        "0    < 0
         0    = rto 0.2
         0    freeze
         0    = rto off
         0.1  < 1
         0.2  < 3               // not even a duplicate ACK
         0.3  acknowledge
         0.3  > 2
         0.4  thaw
         0.4  > 2
         0.5  window 0
         0.5  acknowledge
         0.5  > 2(0)
         0.6  < 2               // the buffer is there all the same
         0.6  > 4(0)
         0.7  window all
         0.7  acknowledge
         0.7  > 4
         0.8  < 4
         0.9  < 5
         0.9  > 6",
    );
}
