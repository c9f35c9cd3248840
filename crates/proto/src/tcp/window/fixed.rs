//! A window that says how much may be outstanding, and nothing of congestion: something else sets the rate.

use super::contract::Rule;
use super::{Congestion, LossResponse, PartialAck};
use crate::tcp::config::TcpConfig;

/// The window stays where it began.
pub(super) struct Fixed;

impl Rule for Fixed {
    fn on_loss(_congestion: &mut Congestion, _dupacks: u32) -> LossResponse {
        LossResponse::FastRecovery
    }

    fn on_partial_ack(_congestion: &mut Congestion, _config: &TcpConfig, _segments: f64) -> PartialAck {
        PartialAck::Stay
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Acked, LossResponse, PartialAck, WindowRule};
    use super::*;
    use crate::tcp::config::Window;
    use crate::units::SimTime;

    #[test]
    fn nothing_moves_it() {
        let config = TcpConfig { initial_window: 32, max_window: 32, ..TcpConfig::default() };
        let before = Congestion::new(&config);
        let (mut rule, mut congestion) = (WindowRule::new(Window::Fixed), before.clone());
        let acked = || Acked { now: SimTime::ZERO, segments: 1.0, outstanding: 3.0, srtt: None };
        rule.on_ack(&mut congestion, 1.0, acked);
        assert_eq!(rule.on_loss(&mut congestion, 3), LossResponse::FastRecovery);
        assert_eq!(rule.on_partial_ack(&mut congestion, &config, 1.0), PartialAck::Stay);
        rule.on_echo(&mut congestion);
        rule.on_timeout(&mut congestion, false);
        assert_eq!(congestion, before);
    }
}
