//! What every window rule speaks.

use super::{Congestion, LossResponse, PartialAck, fixed, newreno, reno, tahoe};
use crate::tcp::config::{TcpConfig, Window};
use crate::units::{Dur, SimTime};

/// A new ACK outside recovery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Acked {
    /// When it came.
    pub now: SimTime,
    /// Full segments that it acknowledges.
    pub segments: f64,
    /// Segments that are outstanding still.
    pub outstanding: f64,
    /// Smoothed round-trip time, once measured.
    pub srtt: Option<Dur>,
}

/// The shipped rules: they grow and shrink at a timeout as Reno does.
pub(super) trait Rule {
    /// A segment is judged lost without a timeout.
    fn on_loss(congestion: &mut Congestion, dupacks: u32) -> LossResponse;
    /// A new ACK arrives in recovery and stops short of its end.
    fn on_partial_ack(congestion: &mut Congestion, config: &TcpConfig, segments: f64) -> PartialAck;
}

/// A rule from outside this crate: experiments and tests. The window never falls below one segment, nor the threshold
/// below two, whatever it says.
pub trait CustomWindow: std::fmt::Debug + Send {
    /// A new ACK outside recovery: the window grows.
    fn on_ack(&mut self, congestion: &mut Congestion, acked: &Acked);
    /// A segment is judged lost without a timeout; `dupacks` have arrived so far.
    fn on_loss(&mut self, congestion: &mut Congestion, dupacks: u32) -> LossResponse;
    /// A new ACK of so many segments arrives in recovery and stops short of its end.
    fn on_partial_ack(&mut self, congestion: &mut Congestion, segments: f64) -> PartialAck;
    /// The retransmission timer has fired; `hold`: for the same segment again, so that the threshold stays
    /// (RFC 5681 §3.1). Takes back the inflation.
    fn on_timeout(&mut self, congestion: &mut Congestion, hold: bool);
    /// The first echo of a mark among a window of data (RFC 3168 §6.1.2).
    fn on_echo(&mut self, congestion: &mut Congestion) {
        congestion.on_echo();
    }
}

/// The rules.
#[derive(Debug)]
pub enum WindowRule {
    /// Slow start after every loss.
    Tahoe,
    /// Fast recovery until the first new ACK.
    Reno,
    /// Fast recovery until all is acknowledged.
    Newreno,
    /// None: the window stays.
    Fixed,
    /// One from outside.
    Custom(Box<dyn CustomWindow>),
}

impl WindowRule {
    /// The rule of a configuration.
    #[must_use]
    pub const fn new(window: Window) -> Self {
        match window {
            Window::Tahoe => Self::Tahoe,
            Window::Reno => Self::Reno,
            Window::Newreno => Self::Newreno,
            Window::Fixed => Self::Fixed,
        }
    }

    /// A new ACK of `segments` segments outside recovery.
    #[inline]
    pub fn on_ack(&mut self, congestion: &mut Congestion, segments: f64, acked: impl FnOnce() -> Acked) {
        match self {
            Self::Tahoe | Self::Reno | Self::Newreno => congestion.open(segments),
            Self::Fixed => {}
            Self::Custom(custom) => {
                custom.on_ack(congestion, &acked());
                congestion.keep_bounds();
            }
        }
    }

    /// A segment is judged lost without a timeout.
    pub fn on_loss(&mut self, congestion: &mut Congestion, dupacks: u32) -> LossResponse {
        match self {
            Self::Tahoe => tahoe::Tahoe::on_loss(congestion, dupacks),
            Self::Reno => reno::Reno::on_loss(congestion, dupacks),
            Self::Newreno => newreno::NewReno::on_loss(congestion, dupacks),
            Self::Fixed => fixed::Fixed::on_loss(congestion, dupacks),
            Self::Custom(custom) => {
                let entry = custom.on_loss(congestion, dupacks);
                congestion.keep_bounds();
                entry
            }
        }
    }

    /// A new ACK of so many segments arrives in recovery and stops short of its end.
    pub fn on_partial_ack(
        &mut self,
        congestion: &mut Congestion,
        config: &TcpConfig,
        segments: f64,
    ) -> PartialAck {
        match self {
            Self::Tahoe => tahoe::Tahoe::on_partial_ack(congestion, config, segments),
            Self::Reno => reno::Reno::on_partial_ack(congestion, config, segments),
            Self::Newreno => newreno::NewReno::on_partial_ack(congestion, config, segments),
            Self::Fixed => fixed::Fixed::on_partial_ack(congestion, config, segments),
            Self::Custom(custom) => {
                let partial = custom.on_partial_ack(congestion, segments);
                congestion.keep_bounds();
                partial
            }
        }
    }

    /// The first echo of a mark among a window of data.
    pub fn on_echo(&mut self, congestion: &mut Congestion) {
        match self {
            Self::Tahoe | Self::Reno | Self::Newreno => congestion.on_echo(),
            Self::Fixed => {}
            Self::Custom(custom) => {
                custom.on_echo(congestion);
                congestion.keep_bounds();
            }
        }
    }

    /// The retransmission timer has fired.
    pub fn on_timeout(&mut self, congestion: &mut Congestion, hold: bool) {
        match self {
            Self::Tahoe | Self::Reno | Self::Newreno => congestion.on_timeout(hold),
            Self::Fixed => congestion.leave_recovery(),
            Self::Custom(custom) => {
                custom.on_timeout(congestion, hold);
                congestion.keep_bounds();
            }
        }
    }
}
