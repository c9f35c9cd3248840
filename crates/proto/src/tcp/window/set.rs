//! The set of window rules, and which of them a configuration means.

use super::bbr::{Bbr, Mode};
use super::bbr_draft::{BbrDraft, State};
use super::contract::{AckSample, MarkSample, PathSample, RuleView, WindowRule};
use super::cubic::Cubic;
use super::dctcp::Dctcp;
use super::fixed::Fixed;
use super::newreno::NewReno;
use super::phase::Phase;
use super::reno::Reno;
use super::state::{Congestion, LossResponse, PartialAck};
use super::tahoe::Tahoe;
use super::vegas::Vegas;
use super::veno::Veno;
use super::westwood::Westwood;
use crate::tcp::config::{Loss, TcpConfig, Window};
use crate::tcp::sendlog::LostSegment;
use crate::tcp::undo::Before;
use crate::units::{Bitrate, Dur, SimTime};

/// A rule from outside this crate. The window never falls below one segment, nor the threshold below two, whatever it
/// says.
#[derive(Debug)]
pub struct Bounded(Box<dyn WindowRule>);

impl WindowRule for Bounded {
    fn on_ack(&mut self, congestion: &mut Congestion, sample: &AckSample) {
        self.0.on_ack(congestion, sample);
        congestion.keep_bounds();
    }

    fn wants_path(&self) -> bool {
        self.0.wants_path()
    }

    fn on_path(&mut self, congestion: &mut Congestion, sample: &PathSample) {
        self.0.on_path(congestion, sample);
        congestion.keep_bounds();
    }

    fn on_open(&mut self, now: SimTime, rtt: Option<Dur>) {
        self.0.on_open(now, rtt);
    }

    fn wants_losses(&self) -> bool {
        self.0.wants_losses()
    }

    fn on_lost(&mut self, congestion: &Congestion, now: SimTime, lost: &LostSegment) {
        self.0.on_lost(congestion, now, lost);
    }

    fn holds_back(&self) -> bool {
        self.0.holds_back()
    }

    fn on_restart(&mut self, congestion: &mut Congestion, now: SimTime) {
        self.0.on_restart(congestion, now);
        congestion.keep_bounds();
    }

    fn on_idle_end(&mut self, now: SimTime) {
        self.0.on_idle_end(now);
    }

    fn is_paced(&self) -> bool {
        self.0.is_paced()
    }

    fn send_rate(&self) -> Option<Bitrate> {
        self.0.send_rate()
    }

    fn view(&self) -> RuleView {
        self.0.view()
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.0.each_counter(tell);
    }

    fn on_loss(&mut self, congestion: &mut Congestion, dupacks: u32) -> LossResponse {
        let response = self.0.on_loss(congestion, dupacks);
        congestion.keep_bounds();
        response
    }

    fn on_partial_ack(&mut self, congestion: &mut Congestion, segments: f64) -> PartialAck {
        let partial = self.0.on_partial_ack(congestion, segments);
        congestion.keep_bounds();
        partial
    }

    fn on_timeout(&mut self, congestion: &mut Congestion, hold: bool) {
        self.0.on_timeout(congestion, hold);
        congestion.keep_bounds();
    }

    fn on_echo(&mut self, congestion: &mut Congestion) {
        self.0.on_echo(congestion);
        congestion.keep_bounds();
    }

    fn on_marks(&mut self, congestion: &mut Congestion, sample: &MarkSample) {
        self.0.on_marks(congestion, sample);
        congestion.keep_bounds();
    }

    fn on_undo(&mut self, congestion: &mut Congestion, before: Before) {
        self.0.on_undo(congestion, before);
        congestion.keep_bounds();
    }
}

dispatch! {
    /// One window rule of the set.
    #[derive(Debug)]
    pub enum AnyWindowRule: WindowRule {
        /// Slow start after every loss.
        Tahoe(Tahoe),
        /// Fast recovery until the first new ACK.
        Reno(Reno),
        /// Fast recovery until all is acknowledged.
        NewReno(NewReno),
        /// A cubic function of the time since the last loss.
        Cubic(Box<Cubic>),
        /// What the path has carried lately, at that rate.
        Bbr(Box<Bbr>),
        /// The same, with bounds of what losses say of the path.
        BbrDraft(Box<BbrDraft>),
        /// What the path has carried lately.
        Westwood(Box<Westwood>),
        /// So much that two to four segments wait in queues.
        Vegas(Box<Vegas>),
        /// NewReno, which tells losses of the channel by what waits in queues.
        Veno(Box<Veno>),
        /// NewReno; marks take half of their share from it.
        Dctcp(Box<Dctcp>),
        /// None: the window stays.
        Fixed(Fixed),
        /// One from outside this crate: experiments and tests.
        Custom(Bounded),
    }

    fn on_ack(&mut self, congestion: &mut Congestion, sample: &AckSample);
    fn wants_path(&self) -> bool;
    fn on_path(&mut self, congestion: &mut Congestion, sample: &PathSample);
    fn on_loss(&mut self, congestion: &mut Congestion, dupacks: u32) -> LossResponse;
    fn on_partial_ack(&mut self, congestion: &mut Congestion, segments: f64) -> PartialAck;
    fn on_timeout(&mut self, congestion: &mut Congestion, hold: bool);
    fn on_echo(&mut self, congestion: &mut Congestion);
    fn on_marks(&mut self, congestion: &mut Congestion, sample: &MarkSample);
    fn on_undo(&mut self, congestion: &mut Congestion, before: Before);
    fn on_open(&mut self, now: SimTime, rtt: Option<Dur>);
    fn wants_losses(&self) -> bool;
    fn on_lost(&mut self, congestion: &Congestion, now: SimTime, lost: &LostSegment);
    fn holds_back(&self) -> bool;
    fn on_restart(&mut self, congestion: &mut Congestion, now: SimTime);
    fn on_idle_end(&mut self, now: SimTime);
    fn is_paced(&self) -> bool;
    fn send_rate(&self) -> Option<Bitrate>;
    fn view(&self) -> RuleView;
    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64));
}

impl AnyWindowRule {
    /// The rule of a configuration.
    #[must_use]
    pub fn new(config: &TcpConfig) -> Self {
        let partly = config.partial_deflation;
        match config.window {
            Window::Tahoe => Self::Tahoe(Tahoe),
            Window::Reno => Self::Reno(Reno),
            Window::Newreno => Self::NewReno(NewReno { deflates_partly: partly }),
            Window::Cubic => Self::Cubic(Box::new(Cubic::new(config.cubic, partly))),
            Window::Bbr => Self::Bbr(Box::new(Bbr::new(config.initial_window))),
            Window::BbrDraft => Self::BbrDraft(Box::new(BbrDraft::new(
                config.initial_window,
                config.pace.quantum,
                config.loss == Loss::Sack,
            ))),
            Window::Westwood => Self::Westwood(Box::new(Westwood::new(partly))),
            Window::Vegas => Self::Vegas(Box::new(Vegas::new(partly))),
            Window::Veno => Self::Veno(Box::new(Veno::new(partly))),
            Window::Dctcp => Self::Dctcp(Box::new(Dctcp::new(partly))),
            Window::Fixed => Self::Fixed(Fixed),
        }
    }

    /// A rule from outside this crate.
    #[must_use]
    pub fn custom(rule: Box<dyn WindowRule>) -> Self {
        Self::Custom(Bounded(rule))
    }
}

/// The rules that have phases, and these in the order of their numbers, from 1 on.
#[must_use]
pub fn phases() -> [(Window, Vec<Phase>); 2] {
    [
        (Window::Bbr, Mode::ALL.map(Mode::phase).to_vec()),
        (Window::BbrDraft, State::ALL.map(State::phase).to_vec()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lists are in the order of the numbers, which series have.
    #[test]
    fn phases_stand_in_the_order_of_their_numbers() {
        assert_eq!(Mode::ALL.map(Mode::number), [1, 2, 3, 4]);
        assert_eq!(State::ALL.map(State::number), [1, 2, 3, 4, 5, 6, 7]);
    }

    /// A name means one thing, whichever rule has it, and a rule has it once.
    #[test]
    fn a_name_means_one_thing() {
        let [(_, one), (_, other)] = phases();
        for phase in &one {
            assert!(other.iter().all(|it| it.name != phase.name || it == phase), "{}", phase.name);
        }
        for of_rule in [&one, &other] {
            let mut names: Vec<_> = of_rule.iter().map(|phase| phase.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), of_rule.len());
        }
    }
}
