//! The interval from which the wait before a retransmission is drawn.

use super::config::{FrnConfig, Interval};

/// The upper end of the interval \[slots\]: after `failures` of the transmissions remembered, (failed, all), which are
/// counted only if they matter, and `in_a_row` failures before this one since the last success.
///
/// With `load` it grows in proportion (figure 12): integers, rounded to the nearest, a half up.
pub(super) fn upper_end(config: &FrnConfig, failures: impl FnOnce() -> (u32, u32), in_a_row: u32) -> u32 {
    let FrnConfig { retry_from, retry_to, retry_to_most, .. } = *config;
    match config.interval {
        Interval::Fixed => retry_to,
        Interval::Load => {
            let (failed, all) = failures();
            let grown = u64::from(failed) * u64::from(retry_to_most - retry_to);
            let share = (2 * grown + u64::from(all)).checked_div(2 * u64::from(all)).unwrap_or(0);
            retry_to + u32::try_from(share).unwrap_or(u32::MAX)
        }
        Interval::CsmaCd => {
            let doubled = 2_u32.checked_shl(in_a_row.min(20)).unwrap_or(u32::MAX);
            retry_from.saturating_add(doubled).min(retry_to_most)
        }
    }
}
