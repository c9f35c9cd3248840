//! How slow start ends if nothing is lost.

use super::config::SlowStart;
use super::contract::{AckSample, PathSample};
use super::hystart::HyStart;
use super::hystart_plus::HyStartPlus;
use super::state::Congestion;
use crate::tcp::config::{Pace, TcpConfig};
use crate::units::counters;

counters! {
    /// What HyStart has done.
    pub struct Counters {
        /// Times that HyStart or HyStart++ ended slow start.
        pub exits = "tcp.hystart-exits",
        /// Times that HyStart++ returned from conservative slow start.
        pub returns = "tcp.css-returns",
    }
}

/// State of the rule that ends slow start.
#[derive(Clone, Debug)]
pub(super) enum Ending {
    Loss,
    HyStart(Box<HyStart>),
    HyStartPlus(Box<HyStartPlus>),
}

impl Ending {
    pub(super) fn new(config: &TcpConfig) -> Self {
        match config.slow_start {
            SlowStart::Standard => Self::Loss,
            SlowStart::HyStart => {
                Self::HyStart(Box::new(HyStart::new(config.hystart, config.pace.rule == Pace::Window)))
            }
            SlowStart::HyStartPlus => {
                let paced = config.pace.rule == Pace::Window;
                Self::HyStartPlus(Box::new(HyStartPlus::new(paced, f64::from(config.byte_counting))))
            }
        }
    }

    /// Whether it wants to see each ACK.
    #[inline]
    pub(super) const fn wants_path(&self) -> bool {
        !matches!(self, Self::Loss)
    }

    /// A new ACK outside of recovery; returns how many segments of it count.
    #[inline]
    pub(super) fn on_ack(&mut self, congestion: &mut Congestion, sample: &AckSample) -> f64 {
        match self {
            Self::HyStartPlus(plus) => plus.on_ack(congestion, sample.segments),
            Self::HyStart(hystart) => {
                hystart.on_ack(congestion, sample);
                sample.segments
            }
            Self::Loss => sample.segments,
        }
    }

    pub(super) fn on_path(&mut self, congestion: &mut Congestion, sample: &PathSample) {
        match self {
            Self::Loss => {}
            Self::HyStart(hystart) => hystart.on_path(congestion, sample),
            Self::HyStartPlus(plus) => plus.on_path(congestion, sample),
        }
    }

    /// A loss or a mark.
    #[inline]
    pub(super) fn on_congestion(&mut self) {
        if let Self::HyStartPlus(plus) = self {
            plus.end();
        }
    }

    /// A timeout.
    #[inline]
    pub(super) fn on_timeout(&mut self) {
        match self {
            Self::HyStart(hystart) => hystart.on_timeout(),
            _ => self.on_congestion(),
        }
    }

    pub(super) fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        let (exits, returns) = match self {
            Self::Loss => return,
            Self::HyStart(hystart) => (hystart.exits(), 0),
            Self::HyStartPlus(plus) => plus.counts(),
        };
        Counters { exits, returns }.each(&mut |name, count| tell(name, count));
    }
}
