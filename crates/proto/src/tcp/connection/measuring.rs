//! What a sender measures of the path, for congestion control that asks for it.

use super::sender::Sender;
use crate::tcp::config::Loss;
use crate::tcp::sendlog::SendLog;
use crate::tcp::window::{AckSample, PathSample};
use crate::units::SimTime;
use crate::wire::Segment;

use super::sender::Phase;

impl Sender {
    /// Keeps a log of what is sent, if something asks for it.
    pub(super) fn keep_log(&mut self) {
        if self.control.wants_path() && self.log.is_none() {
            self.log = Some(Box::<SendLog>::default());
        }
    }

    /// An ACK of so many segments, which the sequence numbers know of already.
    #[inline]
    pub(super) fn ack_sample(&self, now: SimTime, segments: f64) -> AckSample {
        AckSample {
            now,
            segments,
            outstanding: self.stream.segments(self.stream.outstanding()),
            una: self.stream.una(),
            max_sent: self.stream.max_sent(),
            srtt: self.rto.srtt(),
        }
    }

    /// An ACK has come, before anything else is made of it. `duplicate`: it has no block and says nothing but that some
    /// segment has arrived.
    #[inline(never)]
    pub(super) fn measure(&mut self, now: SimTime, segment: &Segment, duplicate: bool) {
        let (una, top) = (segment.ack.max(self.stream.una()), self.stream.max_sent());
        let full = self.stream.segment();
        let Some(log) = &mut self.log else { return };
        log.begin();
        for (start, end) in segment.sack.around(segment.ack).filter(|&(_, end)| end <= top) {
            if start.max(una) < end {
                log.sacked(now, start.max(una), end);
            }
        }
        if una > self.stream.una() {
            log.acked(now, una);
        } else if duplicate && self.config.loss == Loss::DupAcks {
            log.duplicate(now, full);
        }
        let path = log.measure();
        if path.newly == 0 {
            return;
        }
        let sample = PathSample {
            ack: AckSample {
                una,
                segments: self.stream.segments(una - self.stream.una()),
                outstanding: self.stream.segments(top - una),
                ..self.ack_sample(now, 0.0)
            },
            path,
            in_flight: self.in_flight(una),
            segment: full,
            recovering: matches!(self.phase, Phase::Recovery { .. }),
        };
        self.control.on_path(&sample);
    }

    /// Bytes above this one that are believed to be in the network.
    pub(super) fn in_flight(&self, una: u64) -> u64 {
        let nxt = self.stream.nxt().max(una);
        if self.config.loss == Loss::Sack {
            return self.scoreboard.pipe(una, nxt, self.stream.segment());
        }
        let left = u64::from(self.losses.dupacks()) * self.stream.segment();
        (nxt - una).saturating_sub(left)
    }

    /// The application has nothing to send though the window has room.
    pub(super) fn note_idleness(&mut self) {
        if self.log.is_some() && !self.stream.has_next() {
            let in_flight = self.in_flight(self.stream.una());
            let room = u64::from(self.control.window().segments()) * self.stream.segment();
            if let Some(log) = &mut self.log
                && in_flight < room
            {
                log.limit(in_flight);
            }
        }
    }
}
