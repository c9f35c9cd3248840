//! Three duplicate ACKs (RFC 5681 §3.2); after a loss not again until more than what was outstanding then has been
//! acknowledged (RFC 6582 §3.2).

use super::{DUP_THRESH, Evidence};

pub(super) fn is_lost(seen: &Evidence<'_>) -> bool {
    seen.dupacks == DUP_THRESH && seen.is_news(seen.recover.is_none_or(|mark| seen.una > mark))
}
