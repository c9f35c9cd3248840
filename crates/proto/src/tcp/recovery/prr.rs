//! Proportional rate reduction (RFC 9937): over a recovery the sender sends ssthresh / RecoverFS of what is delivered,
//! so that it neither waits for half of a round trip nor sends bursts. Below ssthresh it sends one segment for each
//! delivered, and one more while ACKs show that nothing further is lost.

use super::contract::{Next, Recovery, Seen};

/// State of one recovery, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prr {
    /// What was outstanding at its start and not selectively acknowledged.
    recover_fs: u64,
    /// Delivered since its start, and sent since then.
    delivered: u64,
    out: u64,
    /// What the receiver held at the last look, below the cumulative ACK and above it.
    held: u64,
    una: u64,
    /// What was judged lost at the last look.
    lost: u64,
    /// What may be sent now.
    room: u64,
    /// What was in the network at the last look, with that.
    window: u64,
}

impl Prr {
    /// The state as a reduction begins; so many bytes of what the receiver holds count as delivered since.
    fn starting(seen: &Seen<'_>, delivered: u64) -> Self {
        let held = seen.una + seen.scoreboard.held();
        Self {
            recover_fs: (seen.max_sent - held + delivered).max(1),
            delivered,
            held,
            una: seen.una,
            lost: seen.lost(),
            ..Self::default()
        }
    }
}

impl Recovery for Prr {
    fn spreads_marks(&self) -> bool {
        true
    }

    fn counts_arrivals(&self) -> bool {
        true
    }

    /// What the ACK that begins recovery brought counts (§6.2).
    fn begin(&mut self, seen: &Seen<'_>, brought: u64) {
        *self = Self::starting(seen, brought);
    }

    fn begin_for_mark(&mut self, seen: &Seen<'_>) {
        *self = Self::starting(seen, 0);
    }

    fn on_repair(&mut self, bytes: u64) {
        self.out += bytes;
    }

    fn look(&mut self, seen: &Seen<'_>) {
        let held = seen.una + seen.scoreboard.held();
        let newly = held.saturating_sub(std::mem::replace(&mut self.held, held));
        self.delivered += newly;
        let lost = seen.lost();
        let is_safe = seen.una > self.una && lost <= self.lost;
        (self.una, self.lost) = (seen.una, lost);
        let pipe = seen.pipe();
        let ssthresh = (seen.ssthresh * seen.segment as f64) as u64;
        self.room = if pipe > ssthresh {
            let share = self.delivered as f64 * ssthresh as f64 / self.recover_fs as f64;
            let due = libm::ceil(share / seen.segment as f64) as u64 * seen.segment;
            due.saturating_sub(self.out)
        } else {
            let limit = self.delivered.saturating_sub(self.out).max(newly);
            let limit = limit + if is_safe { seen.segment } else { 0 };
            (ssthresh - pipe).min(limit)
        };
        self.window = pipe + self.room;
    }

    fn window(&self) -> Option<u64> {
        Some(self.window)
    }

    fn next(&self, seen: &Seen<'_>) -> Next {
        if self.room < seen.segment { Next::Nothing } else { seen.next_segment() }
    }

    fn sent(&mut self, bytes: u64) {
        self.out += bytes;
        self.room = self.room.saturating_sub(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::loss::Scoreboard;

    const SEGMENT: u64 = 1000;

    /// A recovery, driven by blocks of one segment.
    struct Rig {
        scoreboard: Scoreboard,
        prr: Prr,
        una: u64,
        max_sent: u64,
        ssthresh: f64,
        sent: u64,
    }

    impl Rig {
        /// A window of so many segments, the first `lost` of them lost; three blocks have come, the last with the ACK
        /// with which recovery begins, and the first is repaired.
        fn new(window: u64, lost: u64, ssthresh: f64) -> Self {
            Self::beginning(window, lost, ssthresh, 1)
        }

        /// The same if that ACK brought so many segments.
        fn beginning(window: u64, lost: u64, ssthresh: f64, brought: u64) -> Self {
            let (scoreboard, prr) = (Scoreboard::default(), Prr::default());
            let mut rig = Self { scoreboard, prr, una: 0, max_sent: window * SEGMENT, ssthresh, sent: 1 };
            rig.scoreboard.update(lost * SEGMENT, (lost + 3) * SEGMENT);
            let (mut prr, seen) = (rig.prr, rig.seen());
            prr.begin(&seen, brought * SEGMENT);
            prr.on_repair(SEGMENT);
            rig.prr = prr;
            rig.scoreboard.begin(0);
            rig.scoreboard.retransmitted(SEGMENT);
            rig
        }

        fn seen(&self) -> Seen<'_> {
            Seen {
                una: self.una,
                max_sent: self.max_sent,
                segment: SEGMENT,
                cwnd: self.ssthresh,
                ssthresh: self.ssthresh,
                new: true,
                new_first: false,
                scoreboard: &self.scoreboard,
                marks: None,
            }
        }

        /// Sends what may go; returns how many segments that are.
        fn send(&mut self) -> u64 {
            let mut prr = self.prr;
            prr.look(&self.seen());
            let before = self.sent;
            loop {
                match prr.next(&self.seen()) {
                    Next::Nothing => break,
                    Next::Again(_, end) => self.scoreboard.retransmitted(end),
                    Next::New => self.max_sent += SEGMENT,
                }
                prr.sent(SEGMENT);
                self.sent += 1;
            }
            self.prr = prr;
            self.sent - before
        }

        /// The receiver holds this segment too.
        fn block(&mut self, number: u64) -> u64 {
            self.scoreboard.update(number * SEGMENT, (number + 1) * SEGMENT);
            self.send()
        }
    }

    /// RFC 9937 §6.2: of 98 segments delivered, half is sent, evenly, within one segment at each ACK.
    #[test]
    fn half_of_what_is_delivered_is_sent() {
        let mut rig = Rig::new(100, 1, 50.0);
        let mut most = 0;
        for number in 4..100 {
            most = most.max(rig.block(number));
            let delivered = (number - 2) as f64;
            let due = delivered * 50.0 / 98.0;
            assert!((rig.sent as f64 - due).abs() <= 1.0, "{} of {due} after {number}", rig.sent);
        }
        assert_eq!(most, 1);
        let pipe = rig.scoreboard.pipe(0, rig.max_sent, SEGMENT) / SEGMENT;
        assert!((49..=51).contains(&pipe), "{pipe} segments in the network at the end");
    }

    /// §6.2: of 100 segments 97 are in the network and not selectively acknowledged, and what the first ACK brought:
    /// that counts in RecoverFS and as delivered. Three at once let out ⌈3 · 50 / 100⌉ = 2, one of them the repair; one
    /// lets out the repair alone; a timer brings nothing.
    #[test]
    fn what_the_first_ack_brought_counts() {
        for (brought, sent, total) in [(0, 0, 97), (1, 0, 98), (3, 1, 100), (5, 2, 102)] {
            let mut rig = Rig::beginning(100, 1, 50.0, brought);
            assert_eq!((rig.send(), rig.prr.recover_fs), (sent, total * SEGMENT), "{brought}");
        }
    }

    /// With many losses the pipe is below the threshold at once: one segment for each delivered.
    #[test]
    fn below_the_threshold_one_goes_for_each_delivered() {
        let mut rig = Rig::new(20, 12, 10.0);
        assert_eq!([15, 16, 17, 18, 19].map(|number| rig.block(number)), [1, 1, 1, 1, 1]);
    }

    /// An ACK that advances and shows no further loss lets out one more.
    #[test]
    fn an_ack_without_a_further_loss_lets_out_two() {
        let mut rig = Rig::new(20, 12, 10.0);
        (15..20).for_each(|number| assert_eq!(rig.block(number), 1));
        rig.una = SEGMENT;
        rig.scoreboard.advance(SEGMENT);
        assert_eq!(rig.send(), 2);
    }

    /// ACKs were lost: what the next one brings bounds the burst.
    #[test]
    fn a_stretch_ack_lets_out_no_more_than_it_brings_and_one() {
        let mut rig = Rig::new(40, 30, 20.0);
        rig.scoreboard.update(33 * SEGMENT, 38 * SEGMENT);
        assert!(rig.send() <= 6);
    }
}
