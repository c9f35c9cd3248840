//! Values of TCP that are allowed, but work against each other.

use crate::scenario::{Locator, Resolved};
use multihop_proto::tcp::TcpConfig;
use multihop_proto::units::Dur;

/// Remarks on `[tcp]`.
pub(super) fn remarks(it: &Resolved, _: &Locator<'_>) -> Vec<String> {
    let TcpConfig { ack_every, ack_delay, min_rto, .. } = it.config.tcp;
    let late = ack_every > 1 && ack_delay > min_rto && min_rto > Dur::ZERO;
    let what = || {
        format!(
            "`tcp.ack-delay`, {ack_delay}, is above `tcp.min-rto`, {min_rto}: a lone segment times out before its ACK is sent"
        )
    };
    late.then(what).into_iter().collect()
}
