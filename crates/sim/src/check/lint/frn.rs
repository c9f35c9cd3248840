//! Values of the slotted link, and of interface queue and MAC in whose place it stands, that change nothing.

use crate::scenario::{Locator, Resolved, Scenario};
use crate::traffic::{Flow, Transport};

/// Remarks on `[frn]`, and on what it takes no notice of.
pub(super) fn remarks(it: &Resolved, at: &Locator<'_>) -> Vec<String> {
    let mut remarks = replaced(&it.config, at);
    remarks.extend(uncombined(&it.config, &it.flows, at));
    remarks
}

/// What the scenario or `--set` says of interface queue and MAC where the slotted link stands in their place, with the
/// key that counts there if there is one. What profiles say is meant for all networks, and techniques are refused.
fn replaced(config: &Scenario, at: &Locator<'_>) -> Vec<String> {
    let Some(frn) = config.slots() else { return Vec::new() };
    let keys = [
        ("mac.data-rate", config.mac.data_rate().to_string(), "frn.rate", frn.rate.to_string()),
        ("queue.limit", config.queue.limit.to_string(), "frn.limit", frn.limit.to_string()),
    ];
    let own = at.own_under("mac").chain(at.own_under("queue"));
    own.filter_map(|path| {
        let nothing = "has no effect over the slotted link of `[frn]`";
        let what = match keys.iter().find(|(key, ..)| *key == path) {
            Some((_, value, _, counts)) if value == counts => return None,
            Some((_, value, instead, counts)) => {
                format!("`{path}`, {value}, {nothing}; `{instead}`, {counts}, counts there")
            }
            None => format!("`{path}` {nothing}, which has neither this MAC nor this queue"),
        };
        Some(at.remark(path, what))
    })
    .collect()
}

/// That no data packet of TCP leaves with an ACK, if it is so.
fn uncombined(config: &Scenario, flows: &[Flow], at: &Locator<'_>) -> Option<String> {
    let frn = config.slots().filter(|frn| frn.combine)?;
    let tcp = flows.iter().filter(|flow| flow.transport == Transport::Tcp);
    let data = tcp.map(|flow| config.longest_packet(&flow.config, flow.transport)).min()?;
    let ack = config.tcp_ack();
    (!frn.fit_together(data, ack)).then(|| {
        let airtime = frn.airtime(data + ack + frn.overhead + frn.overhead);
        let what = format!(
            "data packets and TCP ACKs never leave together: {data} and {ack} take {airtime} with twice `frn.overhead` and \
             preamble, of `frn.slot` mini-slots and guard leave {}",
            frn.longest()
        );
        at.remark("frn.combine", what)
    })
}
