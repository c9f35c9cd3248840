//! Which keys of `[tcp]` mean nothing under the others.

use super::config::{Loss, LossDetectorKind, RtoArithmetic, SlowStart, TcpConfig, Window};
use super::pace::Pace;

impl TcpConfig {
    /// What would have to be set for a key of the section to mean something, if it does not now.
    #[must_use]
    pub fn unmet(&self, key: &str) -> Option<&'static str> {
        let part = key.split('.').next().unwrap_or(key);
        let (used, needed) = match part {
            "count-sacked" | "frto" => (self.marks_losses(), "tcp.judge = \"rack\""),
            "cubic" => (self.window == Window::Cubic, "tcp.window = \"cubic\""),
            "hystart" => (self.slow_start == SlowStart::HyStart, "tcp.slow-start = \"hystart\""),
            "dcr" => (self.judge == LossDetectorKind::Dcr, "tcp.judge = \"dcr\""),
            "k-sack" => (self.judge == LossDetectorKind::KSack, "tcp.judge = \"k-sack\""),
            "rack" => (self.judge == LossDetectorKind::Rack, "tcp.judge = \"rack\""),
            "tail-probe" if key != "tail-probe.on" => (self.tail_probe.on, "tcp.tail-probe.on = true"),
            "pace" if key == "pace.slow-start-gain" || key == "pace.gain" => {
                let own = self.window.has_own_pace();
                (
                    self.pace.rule == Pace::Window && !own,
                    "tcp.pace.rule = \"window\", and no window rule with a pace of its own",
                )
            }
            "pace" if key == "pace.quantum" => {
                let paced = self.pace.rule == Pace::Window || self.window.has_own_pace();
                (paced, "tcp.pace.rule = \"window\", or a window rule with a pace of its own")
            }
            "receiver" if key == "receiver.window" || key == "receiver.buffer" => {
                (self.receiver.autotune, "tcp.receiver.autotune = true")
            }
            "sack-rule" => (self.loss == Loss::Sack, "tcp.loss = \"sack\""),
            "ecn-rule" => (self.ecn.is_on(), "tcp.ecn = true or \"accurate\""),
            "rto-variation" => (self.rto_arithmetic == RtoArithmetic::Real, "tcp.rto-arithmetic = \"real\""),
            _ => return None,
        };
        (!used).then_some(needed)
    }
}
