//! What a flow needs of the other sections, so that it can act at all.

use crate::scenario::{Locator, Scenario, ScenarioError};
use crate::traffic::{Flow, Transport};
use multihop_proto::shim::Retransmit;
use multihop_proto::shim::{ShimConfig, ShimKind};
use multihop_proto::signals::SignalsConfig;
use multihop_proto::tcp::config::{Loss, LossDetectorKind, TcpConfig};
use multihop_proto::units::range::{Checked, Wrong};

/// Checks every flow against the sections that it runs over.
pub(crate) fn check(config: &Scenario, flows: &[Flow], at: &Locator<'_>) -> Result<(), ScenarioError> {
    for (index, flow) in flows.iter().enumerate() {
        let (transport, own) = (flow.transport, &flow.config);
        if transport == Transport::Atp && !config.has_queues() {
            let message = format!(
                "flow `{}` over ATP cannot act: it needs interface queues, in which nodes measure how long packets wait",
                flow.name
            );
            let help = "use another transport over the slotted link of `[frn]`";
            return Err(at.error(&format!("flow.{index}"), message, help));
        }
        if transport == Transport::Tcp {
            let said = own.shim.as_ref().is_some_and(|own| own.says("kind"));
            let place = if said { format!("flow.{index}.shim") } else { "shim".to_owned() };
            at.section(&place, is_whole(own.shim(&config.shim), own.tcp(&config.tcp), said))?;
            at.section(&place, hears(own.shim(&config.shim), own.tcp(&config.tcp), &config.signals))?;
        }
        if let Some(link) = config.slots() {
            at.section("frn", link.check_packet(config.longest_packet(own, transport)))?;
        }
    }
    Ok(())
}

/// One half of ADTCP acts on what the other measures. A flow that says itself that it has another shim is a TCP to which
/// nobody says anything of the path.
fn is_whole(shim: &ShimConfig, tcp: &TcpConfig, own: bool) -> Checked {
    let (acts, measures) = (tcp.judge == LossDetectorKind::Adtcp, shim.kind == ShimKind::Adtcp);
    if acts == measures || (own && acts) {
        return Ok(());
    }
    let message = "ADTCP's judgement and its shim hang together: the one acts on what the other measures";
    let help = "set shim.kind = \"adtcp\" and tcp.judge = \"adtcp\", as the technique `adtcp` does";
    Err(Wrong::says("kind", message, help))
}

/// A shim that waits for signals which nobody sends would never act.
fn hears(shim: &ShimConfig, tcp: &TcpConfig, signals: &SignalsConfig) -> Checked {
    let (key, sent) = match shim.kind {
        // Freeze-TCP and ENIC listen to the oracle, to signals on the air, to routing; the last three to ACKs.
        ShimKind::None
        | ShimKind::FreezeTcp
        | ShimKind::Enic
        | ShimKind::Eln
        | ShimKind::SplitTcp
        | ShimKind::Adtcp => {
            return Ok(());
        }
        // It acts on duplicate ACKs and timeouts too.
        ShimKind::Atcp if shim.atcp.retransmit != Retransmit::Holes || tcp.loss == Loss::Sack => {
            return Ok(());
        }
        ShimKind::Atcp => {
            let message = "ATCP that sends the holes known from SACK needs a TCP with SACK";
            return Err(Wrong::says(
                "atcp.retransmit",
                message,
                "set tcp.loss = \"sack\", or choose \"first-lost\"",
            ));
        }
        ShimKind::Ebsn => ("ebsn", signals.ebsn),
        ShimKind::TcpF => ("rfn", signals.rfn),
        ShimKind::Elfn => ("elfn", signals.elfn),
        ShimKind::TcpBus => ("erdn", signals.erdn),
    };
    if sent {
        return Ok(());
    }
    let kind = serde_json::to_value(shim.kind).unwrap_or_default();
    let message = format!("a shim of kind {kind} waits for signals that no node sends");
    Err(Wrong::says("kind", message, format!("set signals.{key} = true, as the technique {kind} does")))
}
