//! What a flow needs of the other sections, so that it can act at all.

use crate::scenario::{Locator, Scenario, ScenarioError};
use crate::traffic::{Flow, Transport};

/// Checks every flow against the sections that it runs over.
pub(crate) fn check(config: &Scenario, flows: &[Flow], at: &Locator<'_>) -> Result<(), ScenarioError> {
    for (index, flow) in flows.iter().enumerate() {
        let (transport, own) = (flow.transport, &flow.config);
        if transport == Transport::Atp && !config.has_queues() {
            let message = format!(
                "flow `{}` over ATP cannot act: it needs interface queues, in which nodes measure how long packets wait",
                flow.name
            );
            let link = config.link.kind.name();
            let help =
                format!("link.kind = \"{link}\" has none: use another transport, or set link.kind = \"dcf\"");
            return Err(at.error(&format!("flow.{index}"), message, &help));
        }
        if transport == Transport::Tcp {
            let said = own.shim.as_ref().is_some_and(|own| own.says("kind"));
            let place = if said { format!("flow.{index}.shim") } else { "shim".to_owned() };
            let shim = own.shim(&config.shim);
            at.section(&place, shim.check_with(own.tcp(&config.tcp), &config.signals, said))?;
        }
        config.check_packet(config.longest_packet(own, transport), at)?;
    }
    Ok(())
}
