//! What a packet takes of the air over each hop: how fast the link carries it, and how long an exchange has the medium.
//!
//! The sender's rate control is not run. What goes by power is asked what it would choose. Of the others the rate is
//! taken at which most gets through, which none of them can exceed.

use std::borrow::Cow;

use multihop_proto::contract::Stations;
use multihop_proto::mac::MacConfig;
use multihop_proto::phy::TxVector;
use multihop_proto::units::{Bytes, NodeId};
use multihop_proto::wire::Dscp;
use serde_json::{Value, json};

use super::noise::{loss, powers_last};
use crate::air::{Links, least_ratio};
use crate::scenario::Resolved;

/// A hop: sender and receiver.
pub(super) type Hop = (NodeId, NodeId);

/// What one packet takes of a hop, or the share of several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Exchange {
    /// The hop.
    pub(super) hop: Hop,
    /// How long the medium is taken, back-off apart \[s\].
    pub(super) time: f64,
    /// Mean back-off of the sender \[s\].
    pub(super) backoff: f64,
    /// What the data frame is sent with.
    pub(super) tx: TxVector,
}

impl Exchange {
    /// That of so many packets.
    pub(super) fn times(self, packets: f64) -> Self {
        Self { time: self.time * packets, backoff: self.backoff * packets, ..self }
    }

    /// `from`, `to`; `s`, how long it takes, back-off apart; `backoff_s`, the mean back-off; `rate_bps` of the data
    /// frame.
    pub(super) fn to_json(self, name: impl Fn(NodeId) -> Value) -> Value {
        let (from, to) = self.hop;
        json!({ "from": name(from), "to": name(to), "s": self.time, "backoff_s": self.backoff,
            "rate_bps": self.tx.rate().as_bps() })
    }
}

/// Judges the hops of a scenario as a run begins.
pub(super) struct Hops<'a> {
    it: &'a Resolved,
    links: &'a Links,
    /// The radios, where what they say of their channels tells hops apart.
    stations: Option<Stations>,
}

impl<'a> Hops<'a> {
    pub(super) fn new(it: &'a Resolved, links: &'a Links) -> Self {
        Self { it, links, stations: it.config.says_of_channels().then(|| it.stations()) }
    }

    /// Medium access of the sender on the channel of the hop.
    pub(super) fn mac(&self, (from, to): Hop) -> Cow<'a, MacConfig> {
        let own = |node: NodeId| self.it.config.parts_of(self.it.nodes[node.index()].group).mac;
        let mac = self.mac_of_sender((from, to));
        if own(to).is_older_than(own(from)) { Cow::Owned(mac.towards(own(to))) } else { mac }
    }

    /// The same, whichever station it sends to.
    fn mac_of_sender(&self, (from, to): Hop) -> Cow<'a, MacConfig> {
        let (config, group) = (&self.it.config, self.it.nodes[from.index()].group);
        let channel = self.stations.as_ref().and_then(|all| {
            all.of(from).find(|&here| all.peer(here, to).is_some()).map(|here| all.channel(here))
        });
        let plain = || config.beside_others(Cow::Borrowed(config.parts_of(group).mac));
        channel.map_or_else(plain, |it| config.mac_on(group, it))
    }

    /// Whether a rule of the sender chooses the rate of each frame.
    pub(super) fn chooses_rates(&self, from: NodeId) -> bool {
        let config = &self.it.config;
        config.slots().is_none() && config.parts_of(self.it.nodes[from.index()].group).mac.chooses_rates()
    }

    /// What a packet of this length takes of a hop. Frames whose rate is fixed count once, also where noise damages
    /// some.
    pub(super) fn over(&self, hop: Hop, packet: Bytes, dscp: Dscp) -> Exchange {
        let config = &self.it.config;
        let mac = &*self.mac(hop);
        let category = mac.category(dscp);
        let once = |tx| Exchange {
            hop,
            time: mac.exchange(tx, packet, category).as_secs_f64(),
            backoff: mac.mean_backoff(tx, packet, category),
            tx,
        };
        let fastest = once(mac.data_vector());
        let Some(power) = self.power(hop).filter(|_| mac.chooses_rates()) else { return fastest };
        let least = |tx, size, lost| least_ratio(tx, size, config.air.ofdm_errors, lost);
        if let Some(tx) = mac.chosen_at(power, config.air.noise, &least) {
            return once(tx);
        }
        let whole = |tx| {
            let attempts = 1.0 / (1.0 - loss(&config.air, mac, tx, packet, power));
            once(tx).times(attempts)
        };
        let taken = |it: &Exchange| it.time + it.backoff;
        let modes = mac.ladder().into_iter().map(whole);
        modes.min_by(|one, other| taken(one).total_cmp(&taken(other))).unwrap_or(fastest)
    }

    /// At what power frames arrive over a hop \[W\], if it is the same for each.
    fn power(&self, (from, to): Hop) -> Option<f64> {
        let heard = self.links.radio_links(from).filter(|link| link.to == to).map(|link| link.power);
        heard.reduce(f64::max).filter(|_| powers_last(&self.it.config))
    }
}
