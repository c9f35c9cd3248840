//! Nodes of an older amendment: which may be in a network, and what goes together with them.

use crate::air::Reception;
use crate::scenario::{Locator, Scenario, ScenarioError};
use multihop_proto::mac::Standard;

/// Checks the groups that say a standard of their own.
pub(super) fn groups(config: &Scenario, at: &Locator<'_>) -> Result<(), ScenarioError> {
    for (place, mac) in config.older_groups() {
        let path = format!("node.{place}.mac.standard");
        if let Some(message) = mac.cannot_join(&config.mac) {
            let help = "older stations are of 802.11b in a network of 802.11g, n or ax, of 802.11g in one of 802.11n or ax \
                        at 2.4 GHz, or of 802.11a in one of 802.11n, ac or ax at 5 GHz";
            return Err(at.error(&path, message, help));
        }
        if config.air.reception != Reception::Sinr {
            let message = "stations of several standards need receivers that tell formats apart";
            return Err(at.error(&path, message, "set air.reception = \"sinr\""));
        }
        let dsss = mac.standard() == Standard::B;
        if dsss && !config.mac.speaks_dsss() {
            let message = format!(
                "broadcasts and control frames go at {}, and stations of 802.11b understand rates of DSSS alone",
                config.mac.basic_rate()
            );
            return Err(at.error("mac.basic-rate", message, "set mac.basic-rate = \"2 Mbps\""));
        }
    }
    Ok(())
}
