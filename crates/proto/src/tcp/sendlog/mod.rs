//! What was sent and has not been acknowledged, segment by segment, and what each ACK says of it: round-trip times, the
//! delivered bytes, rounds, and the delivery rate (draft-ietf-ccwg-bbr, "Delivery Rate Samples").
//!
//! A sender has a log only if its congestion control or its loss detection asks for one.

mod marks;
mod record;
#[cfg(test)]
mod tests;

pub use marks::Overtaken;
use record::Heard;
pub use record::{LostSegment, Measured, Record};

use std::collections::VecDeque;

use crate::units::{Dur, SimTime};

/// The log of one sender: segments between the first unacknowledged byte and the highest one sent.
#[derive(Clone, Debug)]
pub struct SendLog {
    records: VecDeque<Record>,
    delivered: u64,
    delivered_at: SimTime,
    first_sent_at: SimTime,
    /// Count of delivered bytes up to which the sender had too little to send; 0 for none.
    limited_until: u64,
    /// Bytes that duplicate ACKs without SACK have told of already.
    guessed: u64,
    min_rtt: Option<Dur>,
    /// First byte above all that has arrived.
    fack: u64,
    /// The same before the last ACK: what one ACK tells of has no order.
    prior_fack: u64,
    /// By how many bytes a segment that was sent once arrived later than one behind it, at most.
    extent: u64,
    /// Whether a segment was late that was sent again meanwhile, and no ACK has told of it.
    late: bool,
    /// Bytes in the records that are marked as held, and as lost.
    held: u64,
    lost: u64,
    /// Bytes of repairs that are under way.
    repairs: u64,
    /// Bytes that were ever marked as lost.
    lost_in_all: u64,
    /// No record below this byte is marked as lost.
    none_lost_below: u64,
    /// Segments that are newly lost, if something wants to hear of each.
    heard: Option<Heard>,
    newly: u64,
    newest: Option<Record>,
    latest: Option<(SimTime, u64, Dur)>,
    reordered: bool,
    rtt: Option<Dur>,
    original: Option<u64>,
    /// When the first segments were sent that this ACK acknowledges cumulatively and selectively, of those sent once.
    first_acked: Option<SimTime>,
    first_sacked: Option<SimTime>,
    /// Whether it acknowledges one cumulatively that was sent twice.
    acked_again: bool,
}

impl Default for SendLog {
    fn default() -> Self {
        Self {
            records: VecDeque::new(),
            delivered: 0,
            delivered_at: SimTime::ZERO,
            first_sent_at: SimTime::ZERO,
            limited_until: 0,
            guessed: 0,
            min_rtt: None,
            fack: 0,
            prior_fack: 0,
            extent: 0,
            late: false,
            held: 0,
            lost: 0,
            repairs: 0,
            lost_in_all: 0,
            none_lost_below: 0,
            heard: None,
            newly: 0,
            newest: None,
            latest: None,
            reordered: false,
            rtt: None,
            original: None,
            first_acked: None,
            first_sacked: None,
            acked_again: false,
        }
    }
}

impl SendLog {
    /// Least round-trip time of the connection.
    #[must_use]
    pub const fn min_rtt(&self) -> Option<Dur> {
        self.min_rtt
    }

    /// `[start, end)` leaves now; `idle`: nothing else is in the network.
    pub fn sent(&mut self, now: SimTime, start: u64, end: u64, idle: bool) {
        if idle {
            (self.first_sent_at, self.delivered_at) = (now, now);
        }
        let known = self.records.back().map_or(start, |last| last.end);
        let record = Record {
            start: start.max(known),
            end,
            sent_at: now,
            again: false,
            sacked: false,
            lost: false,
            repair: false,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            limited: self.is_limited(),
            in_flight: (self.in_flight() + end - start).saturating_sub(self.guessed),
            prior_lost: self.lost_in_all,
        };
        if start < known {
            self.sent_again(&Record { start, end: end.min(known), again: true, ..record });
        }
        if end > known {
            self.records.push_back(record);
        }
    }

    fn sent_again(&mut self, sent: &Record) {
        self.cut(sent.start);
        self.cut(sent.end);
        if self.next_lost().is_some_and(|(start, _)| start == sent.start) {
            self.none_lost_below = sent.end;
        }
        let from = self.records.partition_point(|record| record.start < sent.start);
        for record in self.records.range_mut(from..) {
            if record.start >= sent.end {
                return;
            }
            if !record.sacked {
                let bytes = record.end - record.start;
                if record.lost {
                    self.lost -= bytes;
                    self.repairs += bytes;
                }
                let repair = record.lost || record.repair;
                *record = Record { start: record.start, end: record.end, repair, ..*sent };
            }
        }
    }

    /// Has no record reach over this byte.
    fn cut(&mut self, at: u64) {
        let place = self.records.partition_point(|record| record.end <= at);
        if let Some(record) = self.records.get_mut(place)
            && record.start < at
        {
            let rest = Record { start: at, ..*record };
            record.end = at;
            self.records.insert(place + 1, rest);
        }
    }

    /// An ACK is about to be taken in.
    pub const fn begin(&mut self) {
        (self.newly, self.newest, self.rtt) = (0, None, None);
        (self.latest, self.reordered, self.prior_fack) = (None, false, self.fack);
        (self.original, self.first_acked, self.first_sacked, self.acked_again) = (None, None, None, false);
    }

    /// The receiver holds `[start, end)`.
    pub fn sacked(&mut self, now: SimTime, start: u64, end: u64) {
        self.cut(start);
        self.cut(end);
        let from = self.records.partition_point(|record| record.end <= start);
        for place in from..self.records.len() {
            let record = &mut self.records[place];
            if record.start >= end {
                return;
            }
            if !record.sacked {
                let bytes = record.end - record.start;
                self.held += bytes;
                let record = *record;
                self.records[place].arrives();
                self.resolve(&record);
                if !record.again {
                    self.first_sacked = self.first_sacked.or(Some(record.sent_at));
                }
                self.arrived(now, &record, record.end - record.start);
            }
        }
    }

    /// What a record was counted as, lost or a repair, it is no more.
    const fn resolve(&mut self, record: &Record) {
        let bytes = record.end - record.start;
        if record.lost {
            self.lost -= bytes;
        } else if record.repair {
            self.repairs -= bytes;
        }
    }

    /// All below `ack` has arrived.
    pub fn acked(&mut self, now: SimTime, ack: u64) {
        self.cut(ack);
        while let Some(&record) = self.records.front()
            && record.end <= ack
        {
            self.records.pop_front();
            let bytes = record.end - record.start;
            self.resolve(&record);
            if record.sacked {
                self.held -= bytes;
            } else {
                self.acked_again |= record.again;
                if !record.again {
                    self.first_acked = self.first_acked.or(Some(record.sent_at));
                }
                let told = self.guessed.min(bytes);
                self.guessed -= told;
                self.arrived(now, &record, bytes - told);
            }
        }
    }

    /// A duplicate ACK without SACK: some segment of so many bytes has arrived.
    pub fn duplicate(&mut self, now: SimTime, bytes: u64) {
        if self.guessed + bytes < self.outstanding() {
            self.guessed += bytes;
            self.newly += bytes;
            self.delivered += bytes;
            self.delivered_at = now;
        }
    }

    fn arrived(&mut self, now: SimTime, record: &Record, bytes: u64) {
        self.newly += bytes;
        self.delivered += bytes;
        self.delivered_at = now;
        let is_newer = self.newest.is_none_or(|it| (record.sent_at, record.end) > (it.sent_at, it.end));
        if is_newer {
            self.newest = Some(*record);
            self.first_sent_at = record.sent_at;
        }
        let rtt = now - record.sent_at;
        if !record.again || self.min_rtt.is_none_or(|least| rtt >= least) {
            let latest = (record.sent_at, record.end, rtt);
            self.latest = Some(self.latest.map_or(latest, |it| it.max(latest)));
        }
        if !record.again && record.end <= self.prior_fack {
            self.reordered = true;
            self.extent = self.extent.max(self.prior_fack - record.start);
        }
        self.fack = self.fack.max(record.end);
        if !record.again {
            self.original = Some(self.original.map_or(record.end, |end| end.min(record.end)));
            self.rtt = Some(self.rtt.map_or(rtt, |least| least.min(rtt)));
        }
    }

    /// What the ACK has shown.
    pub fn measure(&mut self) -> Measured {
        self.min_rtt = match (self.min_rtt, self.rtt) {
            (Some(least), Some(rtt)) => Some(least.min(rtt)),
            (known, rtt) => known.or(rtt),
        };
        if self.delivered > self.limited_until {
            self.limited_until = 0;
        }
        let mut measured = Measured {
            newly: self.newly,
            delivered: self.delivered,
            rtt: self.rtt,
            min_rtt: self.min_rtt,
            latest: self.latest,
            reordered: self.reordered | std::mem::take(&mut self.late),
            original: self.original,
            timed: self.first_acked.filter(|_| !self.acked_again).or(self.first_sacked),
            ..Measured::default()
        };
        if let Some(record) = self.newest {
            let sending = record.sent_at - record.first_sent_at;
            let interval = sending.max(self.delivered_at - record.delivered_at);
            if interval > Dur::ZERO && self.min_rtt.is_none_or(|least| interval >= least) {
                measured.rate = Some((self.delivered - record.delivered, interval));
            }
            measured.limited = record.limited;
            measured.prior_delivered = Some(record.delivered);
            (measured.sent_in_flight, measured.prior_lost) = (record.in_flight, record.prior_lost);
        }
        measured
    }

    /// The segment at this byte has arrived though it was believed to be lost: it came out of order.
    pub fn note_late(&mut self, start: u64) {
        self.late = true;
        self.extent = self.extent.max(self.fack.saturating_sub(start));
    }

    /// By how many bytes a segment that was sent once arrived later than one behind it, at most.
    #[must_use]
    pub const fn extent(&self) -> u64 {
        self.extent
    }

    /// Whether the newest segment that the last ACK tells of was sent before the first unacknowledged one was sent
    /// last.
    #[must_use]
    pub fn shows_earlier_than_first(&self) -> bool {
        self.newest.zip(self.records.front()).is_some_and(|(it, first)| it.sent_at < first.sent_at)
    }

    /// The application leaves the window unused, with so many bytes in the network: rates measured until they have
    /// arrived say nothing of the path.
    pub fn limit(&mut self, in_flight: u64) {
        self.limited_until = (self.delivered + in_flight).max(1);
    }

    /// Whether the application has left the window unused lately.
    #[must_use]
    pub const fn is_limited(&self) -> bool {
        self.limited_until > 0
    }

    /// Whether nothing has arrived yet.
    #[must_use]
    pub const fn is_new(&self) -> bool {
        self.delivered == 0
    }

    /// The outstanding segment with the highest bytes, as `[start, end)`.
    #[must_use]
    pub fn last(&self) -> Option<(u64, u64)> {
        self.records.back().map(|record| (record.start, record.end))
    }

    fn outstanding(&self) -> u64 {
        match (self.records.front(), self.records.back()) {
            (Some(first), Some(last)) => last.end - first.start,
            _ => 0,
        }
    }
}
