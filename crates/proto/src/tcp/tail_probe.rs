//! The tail loss probe (RFC 8985 §7): if no ACK comes for two round trips, one segment goes, so that an ACK tells what
//! is lost. The last segments of a transfer have none behind them that would.

use crate::keys;
use crate::units::{Dur, SimTime};

keys! {
    /// The tail loss probe.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct TailProbeConfig {
        /// Whether there is one.
        pub on: bool = false,
        /// How long the receiver may keep an ACK back: what a probe waits longer for the ACK of a single segment (RFC
        /// 8985 §7.2; Linux: 200 ms).
        pub ack_delay: Dur = Dur::from_ms(200) => within(Dur::ZERO, Dur::from_secs(60)),
        /// What it waits longer with several segments outstanding (Linux: two ticks of its clock).
        pub slack: Dur = Dur::ZERO => within(Dur::ZERO, Dur::from_secs(60)),
    }
}

/// Wait before the first round trip has been measured (§7.2).
const UNMEASURED: Dur = Dur::from_secs(1);

/// What an ACK says of the probe that is out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing yet.
    Open,
    /// Nothing was lost.
    Idle,
    /// The probe has repaired a loss.
    Repaired,
}

/// State of one sender's probes.
#[derive(Clone, Copy, Debug)]
pub struct TailProbe {
    ack_delay: Dur,
    slack: Dur,
    /// When the next is due; `SimTime::MAX` if none is.
    due: SimTime,
    /// Highest byte sent as the last one went, until it is known what became of it; and whether it was sent for the
    /// second time.
    out: Option<(u64, bool)>,
}

impl TailProbe {
    /// None is due.
    #[must_use]
    pub const fn new(config: &TailProbeConfig) -> Self {
        Self { ack_delay: config.ack_delay, slack: config.slack, due: SimTime::MAX, out: None }
    }

    /// When the next is due.
    #[must_use]
    pub const fn due(&self) -> SimTime {
        self.due
    }

    /// None is due any more.
    pub const fn cancel(&mut self) {
        self.due = SimTime::MAX;
    }

    /// Whether one is out.
    #[must_use]
    pub const fn is_out(&self) -> bool {
        self.out.is_some()
    }

    /// Plans the next (§7.2). `single`: one segment is outstanding. Never later than the retransmission timer.
    pub fn plan(&mut self, now: SimTime, srtt: Option<Dur>, single: bool, timeout: SimTime) {
        let more = if single { self.ack_delay } else { self.slack };
        let wait = srtt.map_or(UNMEASURED, |srtt| srtt * 2 + more);
        self.due = (now + wait).min(timeout).max(now);
    }

    /// One goes out now; `again`: with data that were sent before. All up to `end` has been sent.
    pub const fn sent(&mut self, end: u64, again: bool) {
        (self.due, self.out) = (SimTime::MAX, Some((end, again)));
    }

    /// Whatever becomes of the one that is out is no matter any more.
    pub const fn forget(&mut self) {
        self.out = None;
    }

    /// Whether the one that is out has repeated the segment that ends at this byte.
    #[must_use]
    pub fn repeats(&self, end: u64) -> bool {
        self.out == Some((end, true))
    }

    /// An ACK up to `ack` has come (§7.4). `bare`: it tells nothing new. `twice`: it says that a segment came twice
    /// that ends there.
    pub fn judge(&mut self, ack: u64, bare: bool, twice: Option<u64>) -> Verdict {
        let Some((end, again)) = self.out.filter(|&(end, _)| ack >= end) else { return Verdict::Open };
        let twice = twice == Some(end);
        let verdict = match () {
            () if !again || twice => Verdict::Idle,
            () if ack > end => Verdict::Repaired,
            () if bare => Verdict::Idle,
            () => return Verdict::Open,
        };
        self.out = None;
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> SimTime {
        SimTime::from_ms(ms)
    }

    fn probe() -> TailProbe {
        TailProbe::new(&TailProbeConfig::default())
    }

    /// §7.2: two round trips; for a single segment the delay of an ACK more; a second before the first measurement;
    /// never after the retransmission timer.
    #[test]
    fn a_probe_is_due_after_two_round_trips() {
        let due = |srtt, single, timeout| {
            let mut probe = probe();
            probe.plan(at(1000), srtt, single, timeout);
            probe.due()
        };
        let srtt = Some(Dur::from_ms(100));
        assert_eq!(due(srtt, false, at(9000)), at(1200));
        assert_eq!(due(srtt, true, at(9000)), at(1400));
        assert_eq!([false, true].map(|single| due(None, single, at(9000))), [at(2000), at(2000)]);
        assert_eq!(due(srtt, true, at(1250)), at(1250));
    }

    /// §7.4: an ACK beyond the probe, which nothing says came twice, means that it has repaired a loss.
    #[test]
    fn an_ack_beyond_a_repeated_segment_shows_a_loss() {
        let judged = |again, ack, bare, twice: bool| {
            let mut probe = probe();
            probe.sent(5000, again);
            probe.judge(ack, bare, twice.then_some(5000))
        };
        assert_eq!(judged(true, 4000, true, false), Verdict::Open);
        assert_eq!(judged(true, 5000, false, false), Verdict::Open, "both may have arrived");
        assert_eq!(judged(true, 5000, true, false), Verdict::Idle, "a second ACK: both have");
        assert_eq!(judged(true, 5000, false, true), Verdict::Idle);
        assert_eq!(judged(true, 6000, false, false), Verdict::Repaired);
        assert_eq!(judged(false, 5000, false, false), Verdict::Idle, "new data");
    }
}
