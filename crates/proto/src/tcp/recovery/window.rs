//! Recovery without SACK: what the inflated window has room for (RFC 5681 §3.2, RFC 6582).

use super::contract::{Next, Recovery, Seen};

/// The window's edge says what is sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByWindow;

impl Recovery for ByWindow {
    fn governs(&self) -> bool {
        false
    }

    fn next(&self, _seen: &Seen<'_>) -> Next {
        Next::Nothing
    }
}
