//! The congestion control of one sender: the window, and the rule that moves it.

use super::contract::{AckSample, MarkSample, PathSample, RuleView, WindowRule};
use super::set::AnyWindowRule;
use super::slow_start::Ending;
use super::state::{Congestion, LossResponse, PartialAck};
use crate::tcp::config::{Pace, PaceConfig, TcpConfig};
use crate::tcp::sendlog::LostSegment;
use crate::tcp::undo::Before;
use crate::units::{Bitrate, Dur, SimTime};

/// Window and rule.
#[derive(Debug)]
pub struct Control {
    congestion: Congestion,
    rule: AnyWindowRule,
    ending: Ending,
    pace: PaceConfig,
    /// Marks shrink the window less than losses do (RFC 8511).
    abe: bool,
    /// The slow start is one after a timeout: an ACK for what had arrived before must not open the window by all of it
    /// (RFC 3465 §2.3).
    repairs: bool,
    /// The window grows only while it is used.
    validates: bool,
    /// Whether either asks to look at each ACK.
    looks: bool,
}

impl Control {
    /// Window and rule at the start of a connection.
    #[must_use]
    pub fn new(config: &TcpConfig) -> Self {
        Self {
            congestion: Congestion::new(config),
            rule: AnyWindowRule::new(config),
            ending: Ending::new(config),
            pace: config.pace,
            abe: config.abe,
            repairs: false,
            validates: config.window_validation,
            looks: false,
        }
        .watching()
    }

    /// Looks at each ACK from the start, if anything wants that.
    fn watching(mut self) -> Self {
        self.looks = self.watches();
        self
    }

    /// Whether each ACK is looked at, be repairs under way or not.
    fn watches(&self) -> bool {
        self.validates || self.ending.wants_path()
    }

    /// The window.
    #[inline]
    #[must_use]
    pub const fn window(&self) -> &Congestion {
        &self.congestion
    }

    /// The window, for what is no rule's matter: orders of shims, recovery, idleness.
    #[inline]
    pub const fn window_mut(&mut self) -> &mut Congestion {
        &mut self.congestion
    }

    /// Another rule than is configured.
    pub fn set_rule(&mut self, rule: Box<dyn WindowRule>) {
        self.rule = AnyWindowRule::custom(rule);
    }

    /// A new ACK outside recovery.
    #[inline]
    pub fn on_ack(&mut self, sample: &AckSample) {
        if self.looks {
            return self.look_and_grow(sample);
        }
        self.rule.on_ack(&mut self.congestion, sample);
    }

    /// The same, while repairs are under way, the window must be used to grow, or slow start may end without a loss.
    #[inline(never)]
    fn look_and_grow(&mut self, sample: &AckSample) {
        let mut segments = self.ending.on_ack(&mut self.congestion, sample);
        if self.repairs {
            self.repairs = self.congestion.cwnd < self.congestion.ssthresh;
            self.looks = self.repairs || self.watches();
            segments = segments.min(1.0);
        }
        let unused = self.validates && !sample.is_limited(&self.congestion);
        let before = self.congestion.size();
        self.rule.on_ack(&mut self.congestion, &AckSample { segments, ..*sample });
        if unused {
            self.congestion.take_growth_back(before);
        }
    }

    /// Whether each ACK is to be shown to [`Self::on_path`].
    #[must_use]
    pub fn wants_path(&self) -> bool {
        self.rule.wants_path() || self.ending.wants_path()
    }

    /// An ACK has come that says that data have arrived.
    pub fn on_path(&mut self, sample: &PathSample) {
        self.ending.on_path(&mut self.congestion, sample);
        self.rule.on_path(&mut self.congestion, sample);
    }

    /// The connection is open; opening it took one round trip of so long, if it was measured.
    pub fn on_open(&mut self, now: SimTime, rtt: Option<Dur>) {
        self.rule.on_open(now, rtt);
    }

    /// Whether each segment that is believed to be lost is to be shown to [`Self::on_lost`].
    #[must_use]
    pub fn wants_losses(&self) -> bool {
        self.rule.wants_losses()
    }

    /// A segment is believed to be lost.
    pub fn on_lost(&mut self, now: SimTime, lost: &LostSegment) {
        self.rule.on_lost(&self.congestion, now, lost);
    }

    /// Whether the rule sends less on purpose than the path carries.
    #[must_use]
    pub fn holds_back(&self) -> bool {
        self.rule.holds_back()
    }

    /// The first data leave, or data after a time in which the application had none and nothing was outstanding.
    pub fn on_restart(&mut self, now: SimTime) {
        self.rule.on_restart(&mut self.congestion, now);
    }

    /// Data leave while nothing is outstanding.
    pub fn on_idle_end(&mut self, now: SimTime) {
        self.rule.on_idle_end(now);
    }

    /// What the rule knows of the path.
    #[must_use]
    pub fn view(&self) -> RuleView {
        self.rule.view()
    }

    /// Whether the rule says at which rate segments leave.
    #[must_use]
    pub fn sets_rate(&self) -> bool {
        self.rule.is_paced()
    }

    /// How many segments may leave at once, if segments leave at a rate.
    #[must_use]
    pub fn quantum(&self) -> Option<u32> {
        (self.rule.is_paced() || self.pace.rule == Pace::Window).then_some(self.pace.quantum)
    }

    /// The rate at which segments of so many bytes leave, once it is known: the rule's own, or the window in a round
    /// trip.
    #[must_use]
    pub fn send_rate(&self, srtt: Option<Dur>, segment: u64) -> Option<Bitrate> {
        if self.rule.is_paced() {
            return self.rule.send_rate();
        }
        let window = &self.congestion;
        let starting = window.cwnd < window.ssthresh / 2.0;
        self.pace.rate(window.in_use(), segment, starting, srtt?)
    }

    /// Tells every counter by its public name.
    pub fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.ending.each_counter(tell);
        self.rule.each_counter(tell);
    }

    /// A segment is lost; `answered`: a mark has reduced the window for the same data, so that it stays (RFC 3168
    /// §6.1.2).
    pub fn on_loss(&mut self, dupacks: u32, answered: bool) -> LossResponse {
        self.ending.on_congestion();
        let (cwnd, ssthresh) = (self.congestion.cwnd, self.congestion.ssthresh);
        let response = self.rule.on_loss(&mut self.congestion, dupacks);
        if answered && response == LossResponse::FastRecovery {
            (self.congestion.cwnd, self.congestion.ssthresh) = (cwnd, ssthresh);
        }
        response
    }

    /// A new ACK of so many segments in recovery that stops short of its end.
    pub fn on_partial_ack(&mut self, segments: f64) -> PartialAck {
        self.rule.on_partial_ack(&mut self.congestion, segments)
    }

    /// The retransmission timer has fired.
    pub fn on_timeout(&mut self, hold: bool) {
        self.ending.on_timeout();
        (self.repairs, self.looks) = (true, true);
        self.rule.on_timeout(&mut self.congestion, hold);
    }

    /// A reduction was needless.
    pub fn on_undo(&mut self, before: Before) {
        (self.repairs, self.looks) = (false, self.watches());
        self.rule.on_undo(&mut self.congestion, before);
    }

    /// The receiver's counters say how much of what has arrived was marked.
    pub fn on_marks(&mut self, sample: &MarkSample) {
        self.rule.on_marks(&mut self.congestion, sample);
    }

    /// The window shrinks though nothing is to be repaired. `marked`: for the first echo of a mark among a window of
    /// data.
    pub fn on_echo(&mut self, marked: bool) {
        self.ending.on_congestion();
        self.congestion.gentle = self.abe && marked;
        self.rule.on_echo(&mut self.congestion);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::Window;

    /// Ten new ACKs of a segment each, with so many segments outstanding; the window afterwards.
    fn grown(window: Window, validates: bool, start: f64, ssthresh: f64, flight: f64) -> f64 {
        let config = TcpConfig { window, window_validation: validates, ..TcpConfig::default() };
        let mut control = Control::new(&config);
        (control.window_mut().cwnd, control.window_mut().ssthresh) = (start, ssthresh);
        for ms in 1..=10 {
            let now = SimTime::from_ms(ms);
            control.on_ack(&AckSample { now, segments: 1.0, flight, ..AckSample::default() });
        }
        control.window().cwnd
    }

    /// In congestion avoidance a window that is not full stays; in slow start one that is not half full.
    #[test]
    fn a_window_grows_only_while_it_is_used() {
        for window in [Window::Tahoe, Window::Reno, Window::Newreno, Window::Westwood] {
            assert!(grown(window, false, 10.0, 5.0, 2.0) > 10.5, "{window:?} without the rule");
            assert_eq!(grown(window, true, 10.0, 5.0, 2.0), 10.0, "{window:?}");
            assert_eq!(grown(window, true, 10.0, 5.0, 9.0), 10.0, "{window:?}: one more would fit");
            assert!(grown(window, true, 10.0, 5.0, 12.0) > 10.5, "{window:?}");
            assert_eq!(grown(window, true, 10.0, 100.0, 5.0), 10.0, "{window:?}: half");
            assert_eq!(grown(window, true, 10.0, 100.0, 12.0), 20.0, "{window:?}");
        }
    }

    /// After a timeout an ACK opens the window by one segment, and after an undo the rule is as before.
    #[test]
    fn it_outlasts_timeouts_and_undo() {
        for validates in [false, true] {
            let config = TcpConfig { window_validation: validates, byte_counting: 4, ..TcpConfig::default() };
            let mut control = Control::new(&config);
            let ack = |control: &mut Control, flight| {
                control.on_ack(&AckSample { segments: 4.0, flight, ..AckSample::default() });
                control.window().cwnd
            };
            control.window_mut().ssthresh = 100.0;
            let before = control.window().before();
            control.on_timeout(true);
            assert_eq!(ack(&mut control, 8.0), 2.0);
            control.on_undo(before);
            assert_eq!(ack(&mut control, 8.0), 7.0);
            assert_eq!(ack(&mut control, 0.0), if validates { 7.0 } else { 11.0 });
        }
    }
}
