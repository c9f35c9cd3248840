//! How a sender uses tail loss probes ([`crate::tcp::tail_probe`]; RFC 8985 §7).

use super::sender::{Phase, Sender};
use super::{Action, Event};
use crate::contract::Sink;
use crate::tcp::tail_probe::Verdict;
use crate::units::SimTime;
use crate::wire::Segment;

impl Sender {
    /// New data have left, or were acknowledged: a probe is due in two round trips (§7.2). Not while a loss is repaired or
    /// SACK shows a gap.
    #[cold]
    #[inline(never)]
    pub(super) fn plan_tail_probe<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let (una, timeout) = (self.stream.una(), self.timing.deadline());
        let calm = self.phase == Phase::Open
            && !self.losses.repairs_timeout(una)
            && self.losses.board().sacked().is_empty();
        if !calm || timeout == SimTime::MAX || self.timing.is_probing() || self.room.is_closed(&self.stream) {
            return;
        }
        let single = self.stream.outstanding() <= self.stream.segment();
        self.timing.plan_probe(now, single, out);
    }

    /// A probe is due (§7.3): new data if there are any that the receiver has room for, else the last segment again.
    #[cold]
    #[inline(never)]
    pub(super) fn send_tail_probe<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let fresh = self.stream.nxt() == self.stream.max_sent() && self.room.holds_next(&self.stream);
        let last = self.losses.log().and_then(|log| log.last());
        self.timing.start(now, out);
        if self.room.is_shut() || self.ecn.is_paused() || (last.is_none() && !fresh) {
            return;
        }
        let top = self.stream.max_sent();
        let end = if fresh { self.stream.next_end() } else { top };
        self.timing.probe_leaves(end, !fresh);
        self.counters.tail_probes += 1;
        let seq = last.filter(|_| !fresh).map_or(top, |(start, _)| start);
        out.put(Action::Event(Event::TailProbe { seq }));
        if fresh {
            self.send_next(now, out);
        } else {
            self.transmit(now, seq, end, out);
        }
    }

    /// An ACK may tell what became of the probe that is out (§7.4): one that has repaired a loss shrinks the window.
    #[cold]
    #[inline(never)]
    pub(super) fn judge_tail_probe(&mut self, segment: &Segment, twice: Option<(u64, u64)>) {
        let bare = segment.ack == self.stream.una() && segment.sack.is_empty() && segment.len == 0;
        if self.timing.judge_probe(segment.ack, bare, twice.map(|(_, end)| end)) == Some(Verdict::Repaired) {
            self.counters.tail_repairs += 1;
            if self.phase == Phase::Open {
                self.slow_down(false);
            }
        }
    }
}
