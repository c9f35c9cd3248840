//! The set of window rules, and which of them a configuration means.

use super::contract::{Acked, WindowRule};
use super::fixed::Fixed;
use super::newreno::NewReno;
use super::reno::Reno;
use super::state::{Congestion, LossResponse, PartialAck};
use super::tahoe::Tahoe;
use crate::tcp::config::{TcpConfig, Window};

/// A rule from outside this crate. The window never falls below one segment, nor the threshold below two, whatever it says.
#[derive(Debug)]
pub struct Bounded(Box<dyn WindowRule>);

impl WindowRule for Bounded {
    fn on_ack(&mut self, congestion: &mut Congestion, acked: &Acked) {
        self.0.on_ack(congestion, acked);
        congestion.keep_bounds();
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
        /// None: the window stays.
        Fixed(Fixed),
        /// One from outside this crate: experiments and tests.
        Custom(Bounded),
    }

    fn on_ack(&mut self, congestion: &mut Congestion, acked: &Acked);
    fn on_loss(&mut self, congestion: &mut Congestion, dupacks: u32) -> LossResponse;
    fn on_partial_ack(&mut self, congestion: &mut Congestion, segments: f64) -> PartialAck;
    fn on_timeout(&mut self, congestion: &mut Congestion, hold: bool);
    fn on_echo(&mut self, congestion: &mut Congestion);
}

impl AnyWindowRule {
    /// The rule of a configuration.
    #[must_use]
    pub const fn new(config: &TcpConfig) -> Self {
        match config.window {
            Window::Tahoe => Self::Tahoe(Tahoe),
            Window::Reno => Self::Reno(Reno),
            Window::Newreno => Self::NewReno(NewReno { deflates_partly: config.partial_deflation }),
            Window::Fixed => Self::Fixed(Fixed),
        }
    }

    /// A rule from outside this crate.
    #[must_use]
    pub fn custom(rule: Box<dyn WindowRule>) -> Self {
        Self::Custom(Bounded(rule))
    }
}
