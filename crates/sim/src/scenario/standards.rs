//! What `mac.standard` brings beside the frames: slot, gaps, window and rates of that amendment.
//!
//! They come as a layer of their own, just below the layer that says the standard or the band: over the profile and
//! over what earlier layers say, and under what stands beside it. The standard of a profile that is chosen from outside
//! (`--set profile=…`) lies over the file's rates, unless the file says a standard itself. IEEE 802.11-2020 tables
//! 15-6, 17-21, 18-5, 19-25 and 21-28.

use std::sync::Arc;

use super::error::ScenarioError;
use super::tree::{LayerSource, Node, Value};

/// DSSS: slot and SIFS of clause 15.
const DSSS: &str = r#"
data-rate = "11 Mbps"
basic-rate = "2 Mbps"             # basic rate set of 802.11b: 1 and 2 Mb/s
slot = "20 us"
sifs = "10 us"
cw-min = 31
cw-max = 1023
cca-time = "15 us"
timeout-slack = "20 us"
data-overhead = "36 B"
aifsn = 2
[aggregation]
on = false
"#;

/// OFDM at 5 GHz. Basic rates are the mandatory ones: 6, 12 and 24 Mb/s.
const OFDM: &str = r#"
data-rate = "54 Mbps"
basic-rate = "6 Mbps"
ack-rate = "24 Mbps"
slot = "9 us"
sifs = "16 us"
cw-min = 15
cw-max = 1023
cca-time = "4 us"
timeout-slack = "9 us"
data-overhead = "36 B"            # header 24, FCS 4, LLC/SNAP 8
aifsn = 2
[aggregation]
on = false
window = 64
max-length = "65535 B"
"#;

/// At 2.4 GHz the signal extension of 6 us counts as part of the frame.
const GHZ2: &str = "sifs = \"10 us\"\n";

/// QoS stations: header 26, AIFS of best effort; A-MPDUs.
const QOS: &str = r#"
data-overhead = "38 B"
aifsn = 3
[aggregation]
on = true
"#;

/// Longer A-MPDUs of VHT, and of HE with a window of 256 (tables 9-272 and 9-322b). Guard intervals of HE begin at 0.8
/// us, where those of HT and VHT end.
const VHT: &str = "[aggregation]\nmax-length = \"1048575 B\"\n";
const HE: &str = r#"
guard-interval = "0.8 us"
[aggregation]
max-length = "4194303 B"
window = 256
"#;

/// Lays down what the standard brings that a layer says, if it says standard or band; `standard` and `band` are its
/// values.
pub(super) fn lay(
    root: &mut Node,
    standard: Option<&Node>,
    band: Option<&Node>,
) -> Result<(), ScenarioError> {
    if standard.is_none() && band.is_none() {
        return Ok(());
    }
    let earlier = |key| root.at_path(key).and_then(Node::text).map(str::to_owned);
    let said =
        |node: Option<&Node>, key| node.and_then(Node::text).map(str::to_owned).or_else(|| earlier(key));
    let (standard, band) = (said(standard, "mac.standard"), said(band, "mac.band"));
    let ghz2 = band.is_some_and(|band| band.replace(' ', "") == "2.4GHz");
    // What is no standard is refused where the section is read.
    let (name, texts): (_, &[&str]) = match (standard.as_deref(), ghz2) {
        (Some("802.11b"), _) => ("802.11b", &[DSSS]),
        (Some("802.11a"), _) => ("802.11a", &[OFDM]),
        (Some("802.11g"), _) => ("802.11g", &[OFDM, GHZ2]),
        (Some("802.11n"), false) => ("802.11n", &[OFDM, QOS]),
        (Some("802.11n"), true) => ("802.11n", &[OFDM, QOS, GHZ2]),
        (Some("802.11ac"), _) => ("802.11ac", &[OFDM, QOS, VHT]),
        (Some("802.11ax"), false) => ("802.11ax", &[OFDM, QOS, HE]),
        (Some("802.11ax"), true) => ("802.11ax", &[OFDM, QOS, HE, GHZ2]),
        _ => return Ok(()),
    };
    let source = Arc::new(LayerSource::Standard(name));
    for text in texts {
        set_each(root, "mac", &Node::parse(text, &source)?)?;
    }
    Ok(())
}

/// Stations of 802.11b are near: a basic rate that they have, and the long slot.
const BESIDE_DSSS: &str = r#"
basic-rate = "2 Mbps"
slot = "20 us"
timeout-slack = "20 us"
"#;

/// A network with stations of 802.11b whose own standard is another one has slots and a basic rate that they have, too,
/// unless the file, an overlay or a setting says others.
pub(super) fn lay_beside_dsss(root: &mut Node) -> Result<(), ScenarioError> {
    let said =
        |node: &Node, path| node.at_path(path).and_then(Node::text).unwrap_or_default().replace(' ', "");
    let Some(Value::List(groups)) = root.get("node").map(|groups| &groups.value) else { return Ok(()) };
    let meets = match said(root, "mac.standard").as_str() {
        "802.11g" => true,
        "802.11n" | "802.11ax" => said(root, "mac.band") == "2.4GHz",
        _ => false,
    };
    if !meets || !groups.iter().any(|group| said(group, "mac.standard") == "802.11b") {
        return Ok(());
    }
    let source = Arc::new(LayerSource::Standard("802.11b"));
    for (key, node) in Node::parse(BESIDE_DSSS, &source)?.table().into_iter().flatten() {
        let path = format!("mac.{key}");
        let said = root.at_path(&path).map(|node| &*node.at.source);
        if matches!(said, None | Some(LayerSource::Standard(_) | LayerSource::Profile(_))) {
            root.set(&path, node.clone())?;
        }
    }
    Ok(())
}

/// Lays what an older standard brings over the medium access of the network, if a group of nodes says one: slot, SIFS
/// and basic rate stay those of the network.
pub(super) fn lay_older(mac: &mut Node, said: &Node) -> Result<(), ScenarioError> {
    let of = |node: &Node| node.get("standard").and_then(Node::text).map(str::to_owned);
    let (name, text) = match of(said).filter(|own| of(mac).as_ref() != Some(own)).as_deref() {
        Some("802.11b") => ("802.11b", DSSS),
        Some("802.11a") => ("802.11a", OFDM),
        Some("802.11g") => ("802.11g", OFDM),
        _ => return Ok(()),
    };
    let source = Arc::new(LayerSource::Standard(name));
    let mut own = Node::parse(text, &source)?;
    for key in ["slot", "sifs", "basic-rate", "timeout-slack"] {
        own.remove(key);
    }
    set_each(mac, "", &own)?;
    set_each(mac, "", &Node::parse(OLDER, &source)?)?;
    if name == "802.11b" {
        mac.remove("ack-rate");
        if mac.get("rate-control").and_then(Node::text) == Some("minstrel-ht") {
            set_each(mac, "", &Node::parse("rate-control = \"arf\"", &source)?)?;
        }
    }
    Ok(())
}

/// Older stations know neither categories nor several packets in a frame.
const OLDER: &str = r#"
[edca]
on = false
[aggregation]
on = false
amsdu-length = "0 B"
"#;

/// Sets each key of a table, and of the tables in it: their other keys stay as they are.
fn set_each(root: &mut Node, path: &str, table: &Node) -> Result<(), ScenarioError> {
    for (key, node) in table.table().into_iter().flatten() {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        if node.table().is_some() {
            set_each(root, &path, node)?;
        } else {
            root.set(&path, node.clone())?;
        }
    }
    Ok(())
}

/// The same for a whole layer, which is then laid over it.
pub(super) fn merge(root: &mut Node, layer: Node) -> Result<(), ScenarioError> {
    lay(root, layer.at_path("mac.standard"), layer.at_path("mac.band"))?;
    root.merge(layer);
    Ok(())
}
