//! What was sent and has not been acknowledged, segment by segment, and what each ACK says of it: round-trip times, the
//! delivered bytes, rounds, and the delivery rate (draft-ietf-ccwg-bbr, "Delivery Rate Samples").
//!
//! A sender has a log only if its congestion control or its loss detection asks for one.

use std::collections::VecDeque;

use crate::units::{Dur, SimTime};

/// One segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// First byte.
    pub start: u64,
    /// First byte after it.
    pub end: u64,
    /// When it was sent last.
    pub sent_at: SimTime,
    /// Whether it was sent more than once.
    pub again: bool,
    /// Whether the receiver has said that it holds it.
    pub sacked: bool,
    /// Whether it is believed to be lost.
    pub lost: bool,
    /// What was delivered, and when, as it was sent last.
    delivered: u64,
    delivered_at: SimTime,
    first_sent_at: SimTime,
    limited: bool,
}

/// The path as the last ACK showed it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Bytes that this ACK says have arrived.
    pub newly: u64,
    /// Bytes that have arrived since the connection began.
    pub delivered: u64,
    /// Round-trip time of the newest segment among them that was sent once.
    pub rtt: Option<Dur>,
    /// Least round-trip time of the connection.
    pub min_rtt: Option<Dur>,
    /// Bytes that arrived, and in how long, from the sending of the newest of them on. None if that was too short to tell.
    pub rate: Option<(u64, Dur)>,
    /// Whether the sender had nothing to send while the rate was measured.
    pub limited: bool,
    /// Whether a round trip has passed since the last ACK that said so.
    pub round: bool,
}

/// Newest segment that an ACK says has arrived.
#[derive(Clone, Copy, Debug)]
struct Newest {
    record: Record,
}

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
    next_round: u64,
    min_rtt: Option<Dur>,
    newly: u64,
    newest: Option<Newest>,
    rtt: Option<Dur>,
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
            next_round: 0,
            min_rtt: None,
            newly: 0,
            newest: None,
            rtt: None,
        }
    }
}

impl SendLog {
    /// The segments, lowest first.
    pub fn records(&self) -> impl DoubleEndedIterator<Item = &Record> + '_ {
        self.records.iter()
    }

    /// Bytes delivered so far.
    #[must_use]
    pub const fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Bytes believed to be in the network: not lost, and not known to have arrived.
    #[must_use]
    pub fn in_flight(&self) -> u64 {
        self.records.iter().filter(|it| !it.sacked && !it.lost).map(|it| it.end - it.start).sum()
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
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            limited: self.limited_until > 0,
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
        for record in &mut self.records {
            if record.start >= sent.end {
                return;
            }
            if record.start >= sent.start && !record.sacked {
                *record = Record { start: record.start, end: record.end, ..*sent };
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
                record.sacked = true;
                record.lost = false;
                let record = *record;
                self.arrived(now, &record, record.end - record.start);
            }
        }
    }

    /// All below `ack` has arrived.
    pub fn acked(&mut self, now: SimTime, ack: u64) {
        self.cut(ack);
        while let Some(&record) = self.records.front()
            && record.end <= ack
        {
            self.records.pop_front();
            if !record.sacked {
                let bytes = record.end - record.start;
                let told = self.guessed.min(bytes);
                self.guessed -= told;
                self.arrived(now, &record, bytes - told);
            }
        }
    }

    /// A duplicate ACK without SACK: some segment of so many bytes has arrived.
    pub fn duplicate(&mut self, now: SimTime, bytes: u64) {
        let outstanding = self.records.back().map_or(0, |last| last.end)
            - self.records.front().map_or(0, |first| first.start);
        if self.guessed + bytes < outstanding {
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
        let is_newer =
            self.newest.is_none_or(|it| (record.sent_at, record.end) > (it.record.sent_at, it.record.end));
        if is_newer {
            self.newest = Some(Newest { record: *record });
            self.first_sent_at = record.sent_at;
        }
        if !record.again {
            let rtt = now - record.sent_at;
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
            ..Measured::default()
        };
        if let Some(Newest { record }) = self.newest {
            let sending = record.sent_at - record.first_sent_at;
            let interval = sending.max(self.delivered_at - record.delivered_at);
            if interval > Dur::ZERO && self.min_rtt.is_none_or(|least| interval >= least) {
                measured.rate = Some((self.delivered - record.delivered, interval));
            }
            measured.limited = record.limited;
            if record.delivered >= self.next_round {
                self.next_round = self.delivered;
                measured.round = true;
            }
        }
        measured
    }

    /// The newest segment that the last ACK says has arrived.
    #[must_use]
    pub fn newest(&self) -> Option<&Record> {
        self.newest.as_ref().map(|newest| &newest.record)
    }

    /// The application leaves the window unused, with so many bytes in the network: rates measured until they have arrived
    /// say nothing of the path.
    pub fn limit(&mut self, in_flight: u64) {
        self.limited_until = (self.delivered + in_flight).max(1);
    }

    /// Believes each segment to be lost that is not known to have arrived and that this says so of; returns how many bytes.
    pub fn lose(&mut self, is_lost: impl Fn(&Record) -> bool) -> u64 {
        let mut bytes = 0;
        for record in self.records.iter_mut().filter(|it| !it.sacked && !it.lost) {
            if is_lost(record) {
                record.lost = true;
                bytes += record.end - record.start;
            }
        }
        bytes
    }

    /// What the receiver has said it holds is not relied upon any more (RFC 2018 §8).
    pub fn forget_sacked(&mut self) {
        self.records.iter_mut().for_each(|record| record.sacked = false);
        self.guessed = 0;
    }

    /// The first segment believed to be lost, cut to so many bytes.
    #[must_use]
    pub fn first_lost(&self, most: u64) -> Option<(u64, u64)> {
        let lost = self.records.iter().find(|it| it.lost && !it.sacked)?;
        Some((lost.start, lost.end.min(lost.start.saturating_add(most))))
    }
}
