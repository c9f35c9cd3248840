//! What a sender measures of the path, for congestion control that asks for it, and the rate at which it sends.

use super::sender::{Phase, Sender};
use crate::tcp::loss::Trigger;
use crate::tcp::sendlog::Measured;
use crate::tcp::window::{AckSample, PathSample};
use crate::units::{Bitrate, Dur, SimTime};
use crate::wire::Segment;

/// What a sender knows of the path, where it is measured or where segments leave at a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathView {
    /// Rate at which segments leave.
    pub send_rate: Option<Bitrate>,
    /// Largest rate at which they have arrived lately.
    pub delivery_rate: Option<Bitrate>,
    /// Least round-trip time.
    pub min_rtt: Option<Dur>,
    /// What the window rule does, by its own count; 0 for those that have no phases.
    pub phase: u8,
}

impl Sender {
    /// What it knows of the path; none where nothing is measured and nothing paced.
    #[must_use]
    pub fn path_view(&self) -> Option<PathView> {
        if self.losses.log().is_none() && !self.room.is_paced() {
            return None;
        }
        let rule = self.control.view();
        let min_rtt = rule.min_rtt.or_else(|| self.losses.log()?.min_rtt());
        let (delivery_rate, phase) = (rule.delivery_rate, rule.phase);
        Some(PathView {
            send_rate: self.control.send_rate(self.timing.rto().srtt(), self.stream.segment()),
            delivery_rate,
            min_rtt,
            phase,
        })
    }

    /// An ACK of so many segments, which the sequence numbers know of already.
    #[inline]
    pub(super) fn ack_sample(&self, now: SimTime, segments: f64) -> AckSample {
        AckSample {
            now,
            segments,
            outstanding: self.stream.segments(self.stream.outstanding()),
            flight: self.stream.segments(self.stream.flight()),
            una: self.stream.una(),
            max_sent: self.stream.max_sent(),
            srtt: self.timing.rto().srtt(),
        }
    }

    /// An ACK has come, before anything else is made of it. `duplicate`: it has no block and says nothing but that some
    /// segment has arrived. `twice`: it says that a segment has come twice.
    #[inline(never)]
    pub(super) fn measure(
        &mut self,
        now: SimTime,
        segment: &Segment,
        duplicate: bool,
        twice: bool,
    ) -> Option<Measured> {
        let full = self.stream.segment();
        let path = self.losses.measure(now, segment, &self.stream, duplicate, twice)?;
        self.timing.rto_mut().hear(now, path.timed);
        let lost = if self.losses.are_marked() {
            self.mark_losses(now, Trigger::Ack(&path))
        } else {
            let lost = self.losses.mark_by_board(full);
            self.tell_losses(now);
            lost
        };
        if path.newly == 0 {
            return Some(path);
        }
        let (una, top) = (segment.ack.max(self.stream.una()), self.stream.max_sent());
        let sample = PathSample {
            ack: AckSample {
                una,
                segments: self.stream.segments(una - self.stream.una()),
                outstanding: self.stream.segments(top - una),
                ..self.ack_sample(now, 0.0)
            },
            path,
            in_flight: self.losses.in_flight(una, &self.stream),
            lost,
            lost_since: self.losses.lost_since(&path),
            segment: full,
            recovering: matches!(self.phase, Phase::Recovery { .. }),
            until_next: self.room.opens_in(now),
        };
        self.control.on_path(&sample);
        if self.control.holds_back() {
            self.losses.limit(una, &self.stream);
        }
        Some(path)
    }

    /// Tells the window rule of each segment that is newly lost, if it wants to hear of them.
    pub(super) fn tell_losses(&mut self, now: SimTime) {
        while let Some(lost) = self.losses.next_lost_segment() {
            self.control.on_lost(now, &lost);
        }
    }
}
