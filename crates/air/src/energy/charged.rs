//! The energy meter by ns-2's rules (mobile/energy-model.cc, mac/wireless-phy.cc).
//!
//! Time is charged once, frame by frame, and at the frame's beginning: a frame that begins while another is charged
//! already costs only what it lasts longer, at its own power. Idle time is charged when the next frame begins. Every
//! frame above the carrier-sense threshold costs the same to each node that hears it, whichever node it is for.

use multihop_proto::units::SimTime;

use super::{RadioState, StateTimes};

/// One radio: until when its time is charged, and for what.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Charged {
    times: StateTimes,
    until: SimTime,
    /// Down or dozing: neither hears, nor is charged for idle time.
    off: Option<RadioState>,
}

impl Charged {
    /// A frame begins that lasts until `end`.
    pub(super) fn charge(&mut self, state: RadioState, now: SimTime, end: SimTime) {
        if self.off.is_some() {
            return;
        }
        self.pass(RadioState::Idle, now);
        self.pass(state, end);
    }

    /// The radio begins to doze; the beginning is what waking will take.
    pub(super) fn doze(&mut self, now: SimTime, dozes_from: SimTime) {
        self.switch(Some(RadioState::Doze), now);
        self.pass(RadioState::Idle, dozes_from);
    }

    /// The node goes down, dozes, or comes back.
    pub(super) fn switch(&mut self, off: Option<RadioState>, now: SimTime) {
        self.pass(self.off.unwrap_or(RadioState::Idle), now);
        self.off = off;
    }

    /// What has been charged; the time for which it has been off counts until now.
    pub(super) fn charged(mut self, now: SimTime) -> StateTimes {
        if let Some(state) = self.off {
            self.pass(state, now);
        }
        self.times
    }

    /// The same with the idle time until now, so that none of it falls on the wrong side of a reading.
    pub(super) fn read(mut self, now: SimTime) -> StateTimes {
        self.pass(self.off.unwrap_or(RadioState::Idle), now);
        self.times
    }

    /// The time until `end` is charged, as far as it is not yet.
    fn pass(&mut self, state: RadioState, end: SimTime) {
        if end > self.until {
            self.times.0[state as usize] += end - self.until;
            self.until = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> SimTime {
        SimTime::from_us(us)
    }

    /// Microseconds down, dozing, sending, receiving, overhearing, idle.
    fn spent(radio: &Charged, now: u64) -> [u64; 6] {
        radio.charged(at(now)).0.map(|time| time.as_ns() / 1000)
    }

    #[test]
    fn a_reading_parts_the_idle_time_before_it_from_that_after_it() {
        let mut radio = Charged::default();
        radio.charge(RadioState::Receive, at(100), at(150));
        let before = radio.read(at(400));
        radio.charge(RadioState::Transmit, at(500), at(510));
        let measured = radio.read(at(700)).since(&before);
        assert_eq!(measured.of(RadioState::Idle), at(700) - at(400) - (at(510) - at(500)));
        assert_eq!(
            radio.charged(at(700)).of(RadioState::Idle),
            at(450) - at(0),
            "what a battery has paid so far"
        );
    }

    #[test]
    fn a_frame_is_charged_whole_when_it_begins_and_idle_time_with_the_next() {
        let mut radio = Charged::default();
        radio.charge(RadioState::Receive, at(100), at(150));
        assert_eq!(spent(&radio, 100), [0, 0, 0, 50, 0, 100]);
        assert_eq!(spent(&radio, 400), [0, 0, 0, 50, 0, 100], "the time after the last frame is free");
        radio.charge(RadioState::Transmit, at(400), at(410));
        assert_eq!(spent(&radio, 400), [0, 0, 10, 50, 0, 350]);
    }

    #[test]
    fn what_overlaps_a_frame_that_is_charged_is_free() {
        let mut radio = Charged::default();
        radio.charge(RadioState::Overhear, at(0), at(100));
        radio.charge(RadioState::Transmit, at(20), at(60));
        assert_eq!(spent(&radio, 100), [0, 0, 0, 0, 100, 0], "sent during a longer one: nothing");
        radio.charge(RadioState::Transmit, at(80), at(130));
        assert_eq!(spent(&radio, 130), [0, 0, 30, 0, 100, 0], "only what it lasts longer");
        radio.charge(RadioState::Receive, at(110), at(125));
        assert_eq!(spent(&radio, 130), [0, 0, 30, 0, 100, 0]);
    }

    #[test]
    fn who_is_down_or_dozes_pays_for_no_frame() {
        let mut radio = Charged::default();
        radio.doze(at(10), at(10));
        radio.charge(RadioState::Overhear, at(20), at(30));
        assert_eq!(spent(&radio, 40), [0, 30, 0, 0, 0, 10]);
        radio.switch(None, at(50));
        radio.charge(RadioState::Receive, at(60), at(80));
        radio.switch(Some(RadioState::Down), at(70));
        assert_eq!(spent(&radio, 100), [20, 40, 0, 20, 0, 20], "the frame was charged already");
    }
}
