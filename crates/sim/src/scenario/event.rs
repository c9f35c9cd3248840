//! Scheduled events: `[[event]]`.

use crate::air::config::length;
use crate::traffic::config::node_name;
use multihop_proto::units::range::{Checked, MOST, Wrong, must, probability, rate, within};
use multihop_proto::units::{Bitrate, Dur, Metres};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// Something that happens to the network at a given time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EventConfig {
    /// When.
    pub at: Dur,
    /// What.
    pub kind: EventKind,
    /// The node, for `node-down`, `node-up`, and `rate` of all that it sends.
    #[serde(default, deserialize_with = "some_node", skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// One end of the link, for `link-down`, `link-up`, `link-loss`, `packet-loss`, and `rate` of one link.
    #[serde(default, deserialize_with = "some_node", skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Its other end.
    #[serde(default, deserialize_with = "some_node", skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Only what goes from `from` to `to` is meant, not what comes back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_way: bool,
    /// Probability that a frame is received wrong: on the link for `link-loss`, in the region for `jam` (1 if absent).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// How many packets with data are lost, for `packet-loss`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets: Option<u32>,
    /// The new rate of data frames, for `rate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Bitrate>,
    /// Middle of the region, from left to right, for `jam`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<Metres>,
    /// Middle of the region, from bottom to top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<Metres>,
    /// Radius of the region.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<Metres>,
    /// When the jamming ends; by default with the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Dur>,
}

impl EventConfig {
    /// Whether every value can be used in a run of this duration.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self, duration: Dur) -> Checked {
        self.complete()?;
        let rule = format_args!("not lie after the run's end, {duration}");
        must(self.at <= duration, "at", self.at, rule)?;
        self.loss.map_or(Ok(()), |loss| probability("loss", loss))?;
        self.packets.map_or(Ok(()), |packets| within("packets", packets, 1, MOST))?;
        self.radius.map_or(Ok(()), |radius| length("radius", radius))?;
        self.rate.map_or(Ok(()), |value| rate("rate", value))?;
        self.until.map_or(Ok(()), |until| {
            must(until > self.at, "until", until, format_args!("lie after its beginning, {}", self.at))
        })
    }

    /// What the event needs must be said, and nothing that means nothing to its kind.
    fn complete(&self) -> Checked {
        use EventKind::{Jam, LinkDown, LinkLoss, LinkUp, NodeDown, NodeUp, PacketLoss, Rate};
        let rated = self.kind == Rate;
        // The rate of a node or of a link: what is said decides.
        let one = rated && self.from.is_none() && self.to.is_none();
        let node = matches!(self.kind, NodeDown | NodeUp) || one;
        let link = matches!(self.kind, LinkDown | LinkUp | LinkLoss | PacketLoss) || rated && !one;
        let jam = self.kind == Jam;
        let kind = serde_json::to_value(self.kind).unwrap_or_default();
        if rated && !one && self.node.is_some() {
            let message = "an event of kind \"rate\" is of a `node`, or of the link between `from` and `to`; both are said";
            return Err(Wrong::says("node", message, "leave out `node`, or `from` and `to`"));
        }
        // key, whether it is said, whether it is needed, whether it means anything
        let keys = [
            ("node", self.node.is_some(), node, node),
            ("from", self.from.is_some(), link, link),
            ("to", self.to.is_some(), link, link),
            ("one-way", self.one_way, false, link),
            ("loss", self.loss.is_some(), self.kind == LinkLoss, jam || self.kind == LinkLoss),
            ("packets", self.packets.is_some(), self.kind == PacketLoss, self.kind == PacketLoss),
            ("rate", self.rate.is_some(), rated, rated),
            ("x", self.x.is_some(), jam, jam),
            ("y", self.y.is_some(), false, jam),
            ("radius", self.radius.is_some(), jam, jam),
            ("until", self.until.is_some(), false, jam),
        ];
        for (key, said, needed, meant) in keys {
            if needed && !said {
                return Err(Wrong::says(key, format!("an event of kind {kind} needs `{key}`"), example(key)));
            }
            if said && !meant {
                let message = format!("`{key}` means nothing to an event of kind {kind}");
                return Err(Wrong::says(key, message, "leave it out, or choose another kind"));
            }
        }
        Ok(())
    }
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// A node goes down and loses all that it has in memory below the transport layer.
    NodeDown,
    /// It comes back.
    NodeUp,
    /// A link is cut: nothing of the one node reaches the other, not even as noise.
    LinkDown,
    /// It is restored.
    LinkUp,
    /// Frames over a link are lost with a probability, besides all other errors; 0 ends it.
    LinkLoss,
    /// Some of the packets with data of a user that come next over a wired link are lost.
    PacketLoss,
    /// The data frames of a node, or over a link, go at another rate from the next one on that the MAC takes.
    Rate,
    /// Frames are lost at all receivers of a region, without making the medium busy.
    Jam,
}

fn example(key: &str) -> &'static str {
    match key {
        "node" => "like node = \"3\"",
        "from" | "to" => "like from = \"3\", to = \"4\"",
        "loss" => "like loss = 0.2",
        "packets" => "like packets = 1",
        "rate" => "like rate = \"2 Mbps\"",
        _ => "like x = \"400 m\", y = \"0 m\", radius = \"250 m\"",
    }
}

fn some_node<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    node_name(deserializer).map(Some)
}
