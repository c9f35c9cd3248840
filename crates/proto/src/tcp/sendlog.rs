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
    /// Bytes that had arrived as the newest of them was sent: a round is over when this reaches what had arrived at its start.
    pub prior_delivered: Option<u64>,
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
    min_rtt: Option<Dur>,
    newly: u64,
    newest: Option<Record>,
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
            min_rtt: None,
            newly: 0,
            newest: None,
            rtt: None,
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
        let is_newer = self.newest.is_none_or(|it| (record.sent_at, record.end) > (it.sent_at, it.end));
        if is_newer {
            self.newest = Some(*record);
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
        if let Some(record) = self.newest {
            let sending = record.sent_at - record.first_sent_at;
            let interval = sending.max(self.delivered_at - record.delivered_at);
            if interval > Dur::ZERO && self.min_rtt.is_none_or(|least| interval >= least) {
                measured.rate = Some((self.delivered - record.delivered, interval));
            }
            measured.limited = record.limited;
            measured.prior_delivered = Some(record.delivered);
        }
        measured
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(ms: u64) -> SimTime {
        SimTime::ZERO + Dur::from_ms(ms)
    }

    /// Ten segments of 1000 bytes, one every 10 ms from 0 on; each is acknowledged 100 ms later.
    fn steady() -> (SendLog, Vec<Measured>) {
        let (mut log, mut found) = (SendLog::default(), Vec::new());
        for number in 0..30 {
            log.sent(at(10 * number), number * 1000, (number + 1) * 1000, number == 0);
            if number >= 10 {
                log.begin();
                log.acked(at(10 * number), (number - 9) * 1000);
                found.push(log.measure());
            }
        }
        (log, found)
    }

    /// 1000 bytes each 10 ms are 100 000 bytes a second, as soon as a whole round trip was measured.
    #[test]
    fn the_rate_of_a_steady_path_is_exact() {
        for measured in &steady().1[11..] {
            let (bytes, interval) = measured.rate.unwrap();
            assert_eq!(bytes as f64 / interval.as_secs_f64(), 100_000.0);
            assert_eq!((measured.rtt, measured.newly), (Some(Dur::from_ms(100)), 1000));
            assert!(!measured.limited);
        }
    }

    /// ACKs that were lost and ACKs that come together show no higher rate than the path has.
    #[test]
    fn stretched_and_compressed_acks_show_no_higher_rate() {
        let (mut log, _) = steady();
        log.begin();
        log.acked(at(390), 25_000);
        let (bytes, interval) = log.measure().rate.unwrap();
        assert!(bytes as f64 / interval.as_secs_f64() <= 100_000.0 + 1000.0 / 0.1, "{bytes} in {interval}");
        log.begin();
        log.acked(at(391), 30_000);
        let (bytes, interval) = log.measure().rate.unwrap();
        assert!(bytes as f64 / interval.as_secs_f64() <= 110_000.0, "{bytes} in {interval}");
    }

    #[test]
    fn what_is_sent_while_there_is_too_little_is_marked() {
        let (mut log, _) = steady();
        log.limit(9000);
        log.sent(at(300), 30_000, 31_000, false);
        let mut acked = |at_ms, ack| {
            log.begin();
            log.acked(at(at_ms), ack);
            log.measure().limited
        };
        assert!(!acked(390, 30_000), "sent before");
        assert!(acked(400, 31_000));
        log.sent(at(400), 31_000, 32_000, true);
        log.begin();
        log.acked(at(500), 32_000);
        assert!(!log.measure().limited, "all of it has arrived");
    }

    /// The last sending of a segment counts for the rate, and none for the round trip.
    #[test]
    fn a_segment_sent_twice_gives_no_round_trip() {
        let mut log = SendLog::default();
        log.sent(at(0), 0, 1000, true);
        log.sent(at(300), 0, 1000, false);
        log.begin();
        log.acked(at(400), 1000);
        let measured = log.measure();
        assert_eq!((measured.rtt, measured.rate), (None, Some((1000, Dur::from_ms(400)))));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever is sent, sent again, held and acknowledged: the log covers what is outstanding without gap or overlap, and
        /// each byte is delivered once.
        #[test]
        fn each_byte_is_delivered_once(steps in prop::collection::vec((0u8..5, 0u64..60, 1u64..20), 0..80)) {
            let (mut log, mut una, mut top, mut now) = (SendLog::default(), 0, 0, 0);
            let mut held = [false; 4000];
            for (what, from, length) in steps {
                now += 1;
                log.begin();
                match what {
                    0 => {
                        log.sent(at(now), top, top + length, una == top);
                        top += length;
                    }
                    1 if una + from < top => {
                        log.sent(at(now), una + from, (una + from + length).min(top), false);
                    }
                    2 if una + from < top => {
                        let end = (una + from + length).min(top);
                        log.sacked(at(now), una + from, end);
                        held[(una + from) as usize..end as usize].fill(true);
                    }
                    3 => {
                        una = (una + from).min(top);
                        log.acked(at(now), una);
                        held[..una as usize].fill(true);
                    }
                    4 => {
                        log.lose(|record| record.start < una + from);
                    }
                    _ => {}
                }
                let measured = log.measure();
                prop_assert_eq!(measured.delivered, held.iter().filter(|&&held| held).count() as u64);
                let ends: Vec<_> = log.records.iter().map(|it| (it.start, it.end)).collect();
                prop_assert!(ends.windows(2).all(|pair| pair[0].1 == pair[1].0), "{:?}", ends);
                prop_assert!(ends.iter().all(|(start, end)| start < end), "{:?}", ends);
                if let (Some(first), Some(last)) = (ends.first(), ends.last()) {
                    prop_assert_eq!((first.0, last.1), (una, top));
                }
            }
        }
    }
}
