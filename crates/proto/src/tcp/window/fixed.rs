//! A window that says how much may be outstanding, and nothing of congestion: something else sets the rate.

use super::contract::{AckSample, WindowRule};
use super::state::{Congestion, LossResponse, PartialAck};
use crate::tcp::undo::Before;

/// The window stays where it began.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fixed;

impl WindowRule for Fixed {
    fn on_ack(&mut self, _congestion: &mut Congestion, _sample: &AckSample) {}

    fn on_loss(&mut self, _congestion: &mut Congestion, _dupacks: u32) -> LossResponse {
        LossResponse::FastRecovery
    }

    fn on_partial_ack(&mut self, _congestion: &mut Congestion, _segments: f64) -> PartialAck {
        PartialAck::Stay
    }

    fn on_timeout(&mut self, congestion: &mut Congestion, _hold: bool) {
        congestion.leave_recovery();
    }

    fn on_echo(&mut self, _congestion: &mut Congestion) {}

    fn on_undo(&mut self, _congestion: &mut Congestion, _before: Before) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::config::{TcpConfig, Window};
    use crate::tcp::window::AnyWindowRule;
    use crate::units::SimTime;

    #[test]
    fn nothing_moves_it() {
        let config =
            TcpConfig { window: Window::Fixed, initial_window: 32, max_window: 32, ..TcpConfig::default() };
        let before = Congestion::new(&config);
        let (mut rule, mut congestion) = (AnyWindowRule::new(&config), before.clone());
        let acked = AckSample {
            now: SimTime::ZERO,
            segments: 1.0,
            outstanding: 3.0,
            srtt: None,
            ..AckSample::default()
        };
        rule.on_ack(&mut congestion, &acked);
        assert_eq!(rule.on_loss(&mut congestion, 3), LossResponse::FastRecovery);
        assert_eq!(rule.on_partial_ack(&mut congestion, 1.0), PartialAck::Stay);
        rule.on_echo(&mut congestion);
        rule.on_timeout(&mut congestion, false);
        assert_eq!(congestion, before);
    }
}
