//! What a sender measures of the path, for congestion control that asks for it, and the rate at which it sends.

use super::sender::{Phase, Sender};
use super::{Action, Timer};
use crate::contract::Sink;
use crate::tcp::config::{Loss, Pace};
use crate::tcp::loss::Trigger;
use crate::tcp::pace::Pacer;
use crate::tcp::sendlog::SendLog;
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
        if self.log.is_none() && self.pacer.is_none() {
            return None;
        }
        let rule = self.control.view();
        let min_rtt = rule.min_rtt.or_else(|| self.log.as_ref()?.min_rtt());
        let (delivery_rate, phase) = (rule.delivery_rate, rule.phase);
        Some(PathView { send_rate: self.send_rate(), delivery_rate, min_rtt, phase })
    }

    /// Paces, if the configuration or the window rule says so.
    pub(super) fn keep_pace(&mut self) {
        let wanted = self.config.pace.rule == Pace::Window || self.control.is_paced();
        self.pacer = wanted.then(|| Box::new(Pacer::new(self.config.pace.quantum)));
    }

    /// The rate at which segments leave now.
    fn send_rate(&self) -> Option<Bitrate> {
        if self.control.is_paced() {
            return self.control.send_rate();
        }
        let (window, srtt) = (self.control.window(), self.rto.srtt()?);
        let pace = &self.config.pace;
        let gain = if window.cwnd < window.ssthresh / 2.0 { pace.slow_start_gain } else { pace.gain };
        let bits = gain * window.in_use() * self.stream.segment() as f64 * 8.0 / srtt.as_secs_f64();
        // Positive and far below 2^64; `as` saturates.
        (bits >= 1.0).then_some(Bitrate::from_bps(bits as u64))
    }

    /// So many bytes leave.
    #[inline]
    pub(super) fn pace(&mut self, now: SimTime, bytes: u64) {
        if self.pacer.is_some() {
            let rate = self.send_rate();
            if let Some(pacer) = &mut self.pacer {
                pacer.sent(now, bytes, rate);
            }
        }
    }

    /// The pacer lets the next segment out.
    pub(super) fn on_pace<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if let Some(pacer) = &mut self.pacer {
            pacer.fired();
        }
        self.send_more(now, out);
    }

    /// Asks for the pacer's timer, if it has moved.
    pub(super) fn arm_pacer<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if let Some(at) = self.pacer.as_mut().and_then(|pacer| pacer.rearm(now)) {
            out.put(Action::Arm(Timer::Pace, at));
        }
    }

    /// Keeps a log of what is sent, if something asks for it.
    pub(super) fn keep_log(&mut self) {
        let wanted = self.control.wants_path() || self.losses.are_marked() || self.config.tail_probe.on;
        if wanted && self.log.is_none() {
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
            flight: self.stream.segments(self.stream.flight()),
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
        let lost = if self.losses.are_marked() {
            self.mark_losses(now, Trigger::Ack(&path))
        } else {
            let mark = self.scoreboard.lost_below(full);
            log.lose(|record| !record.again && record.end <= mark)
        };
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
            lost,
            segment: full,
            recovering: matches!(self.phase, Phase::Recovery { .. }),
        };
        self.control.on_path(&sample);
    }

    /// Bytes above this one that are believed to be in the network.
    pub(super) fn in_flight(&self, una: u64) -> u64 {
        if let Some(log) = self.log.as_deref().filter(|_| self.losses.are_marked()) {
            return log.in_flight();
        }
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
