//! Window rules: how the congestion window reacts. One file a rule; [`Congestion`] is the state they share.

mod newreno;
mod reno;
mod state;
mod tahoe;

pub use state::{Congestion, Entry, PartialAck};

use super::config::{TcpConfig, Window};

/// The contract of a window rule.
trait Rule {
    /// The third duplicate ACK (or SACK's judgement) says that a segment is lost.
    fn on_loss(congestion: &mut Congestion, dupacks: u32) -> Entry;
    /// A new ACK arrives in recovery and stops short of its end.
    fn on_partial_ack(congestion: &mut Congestion, config: &TcpConfig, segments: f64) -> PartialAck;
}

impl Congestion {
    /// A loss was judged without a timeout; `dupacks` have arrived so far.
    pub fn on_loss(&mut self, rule: Window, dupacks: u32) -> Entry {
        match rule {
            Window::Tahoe => tahoe::Tahoe::on_loss(self, dupacks),
            Window::Reno => reno::Reno::on_loss(self, dupacks),
            Window::Newreno => newreno::NewReno::on_loss(self, dupacks),
        }
    }

    /// A new ACK of `segments` segments arrives in recovery and stops short of its end.
    pub fn on_partial_ack(&mut self, config: &TcpConfig, segments: f64) -> PartialAck {
        match config.window {
            Window::Tahoe => tahoe::Tahoe::on_partial_ack(self, config, segments),
            Window::Reno => reno::Reno::on_partial_ack(self, config, segments),
            Window::Newreno => newreno::NewReno::on_partial_ack(self, config, segments),
        }
    }
}
