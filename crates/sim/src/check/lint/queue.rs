//! Keys of the interface queue that change nothing.

use crate::scenario::{Locator, Resolved};
use multihop_proto::queue::config::OnGiveUp;

/// Remarks on `[queue]`.
pub(super) fn remarks(it: &Resolved, _: &Locator<'_>) -> Vec<String> {
    let queue = &it.config.queue;
    let vain = queue.keep_limit.is_some() && queue.on_give_up == OnGiveUp::Drop;
    let what = || "`queue.keep-limit` has no effect while `queue.on-give-up` is \"drop\"".to_owned();
    vain.then(what).into_iter().collect()
}
