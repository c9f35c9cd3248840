//! What noise alone makes of the frames of a link, known before anything runs.

use crate::air::{AirConfig, Fading, Link, Reception, undamaged};
use crate::scenario::{Resolved, Scenario, TopologyConfig};
use crate::traffic::Flow;
use multihop_proto::mac::MacConfig;
use multihop_proto::phy::TxVector;
use multihop_proto::units::Bytes;
use serde_json::{Value, json};

/// Losses that are worth telling.
const LEAST: f64 = 1e-3;
/// Of the frames that a rate would carry, at most this share is lost.
pub(super) const CARRIED: f64 = 0.05;

/// Judges links by the lengths of packets that flows send over them.
pub(super) struct Noise<'a> {
    config: &'a Scenario,
    /// Lengths of packets at the network layer, each once.
    lengths: Vec<Bytes>,
}

impl<'a> Noise<'a> {
    /// The judge; none where noise damages no frame, or where the power of a frame is drawn by chance.
    pub(super) fn new(resolved: &'a Resolved) -> Option<Self> {
        let config = &resolved.config;
        let air = &config.air;
        let strikes = air.reception == Reception::Sinr || air.noise_errors;
        if !strikes || !powers_last(config) || !config.has_queues() {
            return None;
        }
        let of = |flow: &Flow| config.longest_packet(&flow.config, flow.transport);
        let mut lengths: Vec<Bytes> = resolved.flows.iter().map(of).collect();
        lengths.sort_unstable();
        lengths.dedup();
        Some(Self { config, lengths })
    }

    /// Of a link and its sender's MAC: `rate_bps`, that of data frames (the slowest, where it is chosen frame by
    /// frame); `losses`, the probability that noise alone damages a data frame, by bytes of its packet; `carries_bps`,
    /// the fastest rate of their format at which it damages hardly one of the longest, null if none. Null of links that
    /// lose none.
    pub(super) fn of(&self, link: &Link, mac: &MacConfig) -> Value {
        let air = &self.config.air;
        let slowest = mac.slowest_vector();
        let lost = |tx, length| loss(air, mac, tx, length, link.power);
        let Some(&longest) = self.lengths.last() else { return Value::Null };
        if !link.decodable || lost(slowest, longest) < LEAST {
            return Value::Null;
        }
        let carries = mac.modes().into_iter().rev().find(|&tx| lost(tx, longest) < CARRIED);
        let losses: serde_json::Map<String, Value> =
            self.lengths.iter().map(|it| (it.get().to_string(), json!(lost(slowest, *it)))).collect();
        let bps = |tx: TxVector| tx.rate().as_bps();
        json!({ "rate_bps": bps(slowest), "losses": losses, "carries_bps": carries.map(bps) })
    }
}

/// Whether each frame of a link arrives at the same power.
pub(super) fn powers_last(config: &Scenario) -> bool {
    config.air.fading == Fading::None || matches!(config.topology, TopologyConfig::Links(_))
}

/// Probability that noise alone damages a data frame with a packet of this length, sent so, at this power \[W\].
pub(super) fn loss(air: &AirConfig, mac: &MacConfig, tx: TxVector, packet: Bytes, power: f64) -> f64 {
    1.0 - undamaged(air, mac.mpdu(packet), tx, power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve;
    use crate::scenario::{Layer, Sources};

    /// What is said about the link between two nodes so far apart, under the profile of 802.11b cards, with more lines.
    fn told(metres: u32, more: &str) -> Value {
        let text = format!(
            "profile = \"linux24\"\ntopology = {{ kind = \"chain\", hops = 1, spacing = \"{metres} m\" }}\n\
             flow = [{{ from = \"0\", to = \"1\" }}]\n{more}"
        );
        let scenario = Layer { name: "my.toml".into(), text };
        let sources = Sources { scenario, techniques: Vec::new(), sets: Vec::new() };
        let hearing = crate::check::hearing(&resolve(&sources).expect("valid"), 1);
        serde_json::from_str::<Value>(&hearing).expect("JSON")["links"][0]["noise"].clone()
    }

    #[test]
    fn noise_takes_the_fast_frames_of_a_long_link_and_spares_the_slow_ones() {
        let far = told(500, "");
        assert_eq!(far["rate_bps"], 11_000_000);
        assert!(far["losses"]["1488"].as_f64() > Some(0.9999), "{far}");
        assert_eq!(far["carries_bps"], 1_000_000, "{far}");
        assert_eq!(told(150, ""), Value::Null);
        assert_eq!(told(500, "mac.rate-control = \"arf\"\n"), Value::Null);
    }

    /// On a disk all frames arrive at the receive threshold, and noise judges them there.
    #[test]
    fn noise_strikes_on_disks_too() {
        let disk = "air.propagation = \"disk\"\nair.range = \"200 m\"\n";
        let near = told(150, disk);
        assert!(near["losses"]["1488"].as_f64() > Some(0.9), "{near}");
        assert!(near["carries_bps"].as_f64() < Some(11e6), "{near}");
        let strong =
            format!("{disk}air.receive-threshold = \"-60 dBm\"\nair.sense-threshold = \"-60 dBm\"\n");
        assert_eq!(told(150, &strong), Value::Null);
    }

    #[test]
    fn nothing_is_said_where_noise_strikes_nobody_or_powers_are_drawn() {
        assert_eq!(told(500, "air.error-curve = \"none\"\n"), Value::Null);
        assert_eq!(told(500, "air.fading = \"rayleigh\"\n"), Value::Null);
        assert_eq!(told(500, "air.reception = \"ns2\"\n"), Value::Null);
        let struck = told(500, "air.reception = \"ns2\"\nair.noise-errors = true\n");
        assert!(struck["losses"]["1488"].as_f64() > Some(0.9999), "{struck}");
    }
}
