//! The least round-trip time, and when to send little in order to measure it (§5.3.4).

use super::sample::Sample;
use crate::units::{Dur, SimTime};

/// Life of a least round-trip time (`BBR.MinRTTFilterLen`, §2.16.1).
const LIFE: Dur = Dur::from_secs(10);
/// Age at which it is measured anew (`BBR.ProbeRTTInterval`, §2.16.2).
const INTERVAL: Dur = Dur::from_secs(5);
/// ProbeRTT keeps the window small for at least this time (`BBR.ProbeRTTDuration`, §2.16.2).
const DURATION: Dur = Dur::from_ms(200);

/// Least round-trip times, and the probe under way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProbeRtt {
    /// The least of the last ten seconds, and when it was measured.
    least: Option<(Dur, SimTime)>,
    /// The least of the last five.
    recent: Option<(Dur, SimTime)>,
    /// Whether that has become too old.
    pub(super) is_due: bool,
    /// When the probe may end, and whether a round of it is over.
    ends: Option<(SimTime, bool)>,
}

impl ProbeRtt {
    /// `OnInit`: opening the connection took so long.
    pub(super) fn open(&mut self, now: SimTime, rtt: Option<Dur>) {
        self.recent = rtt.map(|rtt| (rtt, now));
        self.least = self.recent;
    }

    /// `UpdateMinRTT`; returns the least round-trip time.
    pub(super) fn measure(&mut self, sample: &Sample) -> Option<Dur> {
        self.is_due = self.recent.is_some_and(|(_, at)| sample.now > at + INTERVAL);
        if let Some(rtt) = sample.rtt
            && (self.is_due || self.recent.is_none_or(|(least, _)| rtt < least))
        {
            self.recent = Some((rtt, sample.now));
        }
        let (recent, at) = self.recent?;
        if self.least.is_none_or(|(least, since)| recent < least || sample.now > since + LIFE) {
            self.least = Some((recent, at));
        }
        self.least.map(|(least, _)| least)
    }

    /// A probe begins.
    pub(super) const fn begin(&mut self) {
        self.ends = None;
    }

    /// `HandleProbeRTT`; `low`: little enough is in flight, `round`: the ACK began a round. Returns whether the time
    /// begins to run.
    pub(super) fn stay(&mut self, now: SimTime, low: bool, round: bool) -> bool {
        match &mut self.ends {
            None if low => {
                self.ends = Some((now + DURATION, false));
                true
            }
            None => false,
            Some((_, over)) => {
                *over |= round;
                false
            }
        }
    }

    /// Whether a round of it is over, so that only time is lacking.
    pub(super) fn has_had_a_round(&self) -> bool {
        self.ends.is_some_and(|(_, over)| over)
    }

    /// `CheckProbeRTTDone`; returns whether it is.
    pub(super) fn ends(&mut self, now: SimTime) -> bool {
        let over = self.ends.is_some_and(|(end, _)| now > end);
        if over && let Some((_, at)) = &mut self.recent {
            *at = now;
        }
        over
    }
}
