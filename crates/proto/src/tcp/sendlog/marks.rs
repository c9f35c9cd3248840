//! What a log believes to be lost, and what follows from it: what is in the network, and what is sent again.

use super::SendLog;
use super::record::{LostSegment, Record};
use crate::units::{Dur, SimTime};

/// What was sent before something that has arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overtaken {
    /// Bytes that are now believed to be lost.
    pub bytes: u64,
    /// Of these, bytes that had been sent again.
    pub again: u64,
    /// Time until the last of the others are.
    pub wait: Dur,
}

impl SendLog {
    /// Notes from now on which segments are lost, for [`Self::next_lost_segment`].
    pub fn note_losses(&mut self) {
        self.heard.get_or_insert_default();
    }

    /// The first lost segment that was not handed over.
    pub fn next_lost_segment(&mut self) -> Option<LostSegment> {
        let heard = self.heard.as_mut()?;
        let record = heard.records.pop_front()?;
        heard.lost += record.end - record.start;
        Some(LostSegment {
            start: record.start,
            end: record.end,
            in_flight: record.in_flight,
            lost_since: heard.lost - record.prior_lost,
            delivered: self.delivered,
            limited: record.limited,
        })
    }

    /// Believes each segment to be lost that is not known to have arrived and that this says so of; returns how many
    /// bytes.
    pub fn lose(&mut self, is_lost: impl Fn(&Record) -> bool) -> u64 {
        let (mut bytes, mut repairs, mut first) = (0, 0, u64::MAX);
        for record in self.records.iter_mut().filter(|it| !it.sacked && !it.lost) {
            if is_lost(record) {
                let length = record.end - record.start;
                repairs += if record.repair { length } else { 0 };
                (record.lost, record.repair) = (true, false);
                bytes += length;
                first = first.min(record.start);
                if let Some(heard) = &mut self.heard {
                    heard.records.push_back(*record);
                }
            }
        }
        self.repairs -= repairs;
        self.count_lost(bytes, first)
    }

    /// Believes each segment to be lost that was sent before this sending and longer ago than `patience`. Returns how
    /// many bytes, how many of them had been sent again, and after which time the others will have been sent that long
    /// ago (RFC 8985 §6.2 step 5).
    pub fn lose_overtaken(&mut self, now: SimTime, by: (SimTime, u64), patience: Dur) -> Overtaken {
        let (mut found, mut repairs, mut first) = (Overtaken::default(), 0, u64::MAX);
        for record in &mut self.records {
            // Segments were sent first in the order of their bytes.
            if !record.again && record.sent_at > by.0 {
                break;
            }
            if record.sacked || record.lost || (record.sent_at, record.end) >= by {
                continue;
            }
            let age = now - record.sent_at;
            if age < patience {
                found.wait = found.wait.max(patience - age);
                continue;
            }
            let bytes = record.end - record.start;
            repairs += if record.repair { bytes } else { 0 };
            (record.lost, record.repair) = (true, false);
            first = first.min(record.start);
            if let Some(heard) = &mut self.heard {
                heard.records.push_back(*record);
            }
            found.bytes += bytes;
            found.again += if record.again { bytes } else { 0 };
        }
        self.repairs -= repairs;
        self.count_lost(found.bytes, first);
        found
    }

    fn count_lost(&mut self, bytes: u64, first: u64) -> u64 {
        self.lost += bytes;
        self.lost_in_all += bytes;
        self.none_lost_below = self.none_lost_below.min(first);
        bytes
    }

    /// The receiver may have dropped what it held beyond the first gap (RFC 2018 §8).
    pub fn forget_held(&mut self) {
        self.records.iter_mut().for_each(|record| record.sacked = false);
        self.held = 0;
    }

    /// Nothing is believed to be lost any more.
    pub fn trust(&mut self) {
        for record in &mut self.records {
            (record.lost, record.repair) = (false, false);
        }
        (self.lost, self.repairs) = (0, 0);
    }

    /// Bytes of repairs that are under way.
    #[must_use]
    pub const fn repairs(&self) -> u64 {
        self.repairs
    }

    /// Bytes believed to be in the network.
    #[must_use]
    pub fn in_flight(&self) -> u64 {
        self.outstanding() - self.held - self.lost
    }

    /// Bytes believed to be lost, and not sent again.
    #[must_use]
    pub const fn lost(&self) -> u64 {
        self.lost
    }

    /// Bytes believed to be lost, whether they were sent again or not.
    #[must_use]
    pub const fn unrepaired(&self) -> u64 {
        self.lost + self.repairs
    }

    /// Bytes that were ever believed to be lost.
    #[must_use]
    pub const fn lost_in_all(&self) -> u64 {
        self.lost_in_all
    }

    /// Bytes that the receiver holds beyond the first gap.
    #[must_use]
    pub const fn held(&self) -> u64 {
        self.held
    }

    /// The first segment that is believed to be lost, as `[start, end)`.
    pub fn next_lost(&self) -> Option<(u64, u64)> {
        if self.lost == 0 {
            return None;
        }
        let from = self.records.partition_point(|record| record.start < self.none_lost_below);
        let found = self.records.range(from..).find(|record| record.lost)?;
        Some((found.start, found.end))
    }
}
