//! What people call keys and values that are named otherwise here, or that the models do not have.

use super::Scenario;
use super::error::nearest;
use super::resolved::flatten;
use super::tree::{LayerSource, Node};
use std::sync::Arc;

/// What a word means here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guess {
    /// Dotted paths of the keys that it may mean, the likeliest first.
    pub keys: Vec<String>,
    /// What to know if there is no such thing here; else empty.
    pub note: &'static str,
}

/// Words of other simulators, tools and papers, in the form of [`plain`], and the keys that they mean here.
const KEYS: &[(&[&str], &[&str])] = &[
    (
        &["rate", "bit-rate", "bitrate", "bandwidth", "speed", "phy-rate", "link-rate", "datarate", "mcs"],
        &["mac.data-rate"],
    ),
    (
        &["retries", "retry", "retry-limit", "max-retries", "retransmit-limit", "max-retry", "retry-max"],
        &["mac.short-retry-limit", "mac.long-retry-limit"],
    ),
    (&["rts", "rts-cts", "rtscts", "rts-limit", "use-rts"], &["mac.rts-threshold"]),
    (&["cw", "contention-window", "cwmin", "backoff"], &["mac.cw-min", "mac.cw-max"]),
    (&["slot-time"], &["mac.slot"]),
    (
        &["cwnd", "window-size", "max-cwnd", "maxcwnd", "wmax", "congestion-window", "rwnd", "cwnd-max"],
        &["tcp.max-window"],
    ),
    (&["iw", "init-cwnd", "initial-cwnd", "initcwnd"], &["tcp.initial-window"]),
    (&["ssthresh"], &["tcp.initial-ssthresh"]),
    (&["rto", "rto-min", "minrto", "timeout"], &["tcp.min-rto", "tcp.initial-rto", "tcp.max-rto"]),
    (&["mss", "mtu", "segment-size", "packet-size", "payload", "pktsize"], &["tcp.segment", "udp.packet"]),
    (
        &["congestion-control", "cc", "variant", "flavour", "flavor", "tcp-variant", "algorithm", "agent"],
        &["tcp.window", "tcp.loss"],
    ),
    (&["sack"], &["tcp.loss"]),
    (&["delayed-ack", "delack", "ack-delay"], &["tcp.ack-every", "tcp.ack-delay"]),
    (
        &[
            "length",
            "queue-length",
            "queue-size",
            "qlen",
            "buffer",
            "buffer-size",
            "ifq",
            "ifqlen",
            "capacity",
        ],
        &["queue.limit"],
    ),
    (&["ber", "bit-errors"], &["air.bit-error-rate"]),
    (
        &["per", "loss-rate", "packet-loss", "frame-error-rate", "fer", "error-rate"],
        &["air.packet-error-rate"],
    ),
    (&["power", "txpower", "transmit-power"], &["air.tx-power"]),
    (&["freq", "band"], &["air.frequency"]),
    (&["tx-range", "radio-range", "transmission-range", "reach", "radius"], &["air.range"]),
    (&["carrier-sense", "cs-range", "carrier-sense-range", "csrange"], &["air.sense-range"]),
    (&["delay", "latency"], &["air.propagation-delay"]),
    (&["path-loss", "pathloss", "propagation-model", "model"], &["air.propagation"]),
    (&["protocol", "routing-protocol"], &["routing.kind"]),
    (&["distance", "space", "hop-length"], &["topology.spacing"]),
    (&["hop-count", "hops", "length-in-hops"], &["topology.hops"]),
    (&["nodes", "stations", "n"], &["topology.nodes"]),
    (&["time", "sim-time", "simtime", "runtime", "length", "stop", "stop-time", "end"], &["run.duration"]),
    (&["warmup", "warm-up-time", "skip"], &["measure.warm-up"]),
    (&["rng", "random-seed", "rngseed"], &["run.seed"]),
    (&["velocity", "max-velocity", "node-speed"], &["mobility.max-speed"]),
    (&["pause-time"], &["mobility.pause"]),
];

/// Words for what the models do not have, and what there is instead.
const ABSENT: &[(&[&str], &str)] = &[
    (
        &["channel", "channels", "radios", "interfaces", "channel-number"],
        "there is one channel, and each node has one radio",
    ),
    (
        &["ttl", "hop-limit"],
        "no key sets the hop limit (TTL) of data packets; routing protocols have keys for their searches, like \
         `routing.aodv.ttl-start`",
    ),
    (
        &["olsr", "olsrd", "olsrv2", "batman", "batman-adv", "babel", "hwmp", "rpl", "tora", "zrp", "ospf"],
        "this protocol is not modelled: routing is static, DSDV, AODV, DSR, or that of the Flexible Radio Network",
    ),
    (
        &[
            "cubic",
            "bbr",
            "bbrv2",
            "bbr2",
            "vegas",
            "veno",
            "westwood",
            "westwood+",
            "compound",
            "bic",
            "htcp",
            "illinois",
            "hybla",
            "yeah",
            "dctcp",
            "prague",
            "quic",
        ],
        "this variant of TCP is not modelled: there are the techniques `tahoe`, `reno`, `newreno` and `sack`, and \
         techniques that change them",
    ),
    (
        &[
            "aggregation",
            "ampdu",
            "a-mpdu",
            "amsdu",
            "a-msdu",
            "block-ack",
            "80211n",
            "11n",
            "ht",
            "vht",
            "he",
            "80211ac",
            "11ac",
            "80211ax",
            "11ax",
            "wifi5",
            "wifi6",
            "80211g",
            "11g",
            "80211a",
            "11a",
            "mimo",
        ],
        "frames are those of 802.11 and 802.11b, up to 11 Mbps, without aggregation",
    ),
    (
        &["codel", "fq-codel", "fqcodel", "pie", "cake", "sfq", "fq", "avq", "blue"],
        "this queue is not modelled: there are drop-tail, the techniques `drr`, `red-ecn`, `priority-queue` and \
         `persistent-queue`",
    ),
    (&["edca", "wmm", "qos", "80211e", "txop"], "the MAC is the DCF, without the classes of 802.11e"),
    (
        &["tdma", "lte", "lora", "zigbee", "bluetooth", "802154"],
        "the MAC is that of 802.11, or the slots of the Flexible Radio Network",
    ),
    (
        &["height", "obstacles", "walls", "terrain", "z"],
        "the ground is flat, without obstacles: an event cuts a link",
    ),
];

/// What a word that is no key here may mean. A word of the last part of keys means these, too.
#[must_use]
pub fn guess(word: &str) -> Guess {
    let word = plain(word);
    let called = KEYS.iter().filter(|(words, _)| words.contains(&word.as_str()));
    let mut keys: Vec<String> = called.flat_map(|(_, keys)| *keys).map(|&key| key.to_owned()).collect();
    for path in known_paths() {
        if path.rsplit('.').next() == Some(&word) && !keys.contains(&path) {
            keys.push(path);
        }
    }
    Guess { keys, note: absent(&word) }
}

/// The keys of [`KEYS`] alone that a word means in a section, or in any if the section has none of them.
fn meant(word: &str, section: &str) -> Vec<&'static str> {
    let word = plain(word);
    let named = KEYS.iter().filter(|(words, _)| words.contains(&word.as_str()));
    let all: Vec<&'static str> = named.flat_map(|(_, keys)| *keys).copied().collect();
    let inside = |key: &&&'static str| key.split('.').next() == Some(section);
    let near: Vec<&'static str> = all.iter().filter(inside).copied().collect();
    if near.is_empty() { all } else { near }
}

/// What to know of a word for a thing that the models do not have; empty if that is not known.
pub(super) fn absent(word: &str) -> &'static str {
    let word = plain(word);
    ABSENT.iter().find(|(words, _)| words.contains(&word.as_str())).map_or("", |&(_, note)| note)
}

/// A word as it stands in the tables: in small letters, `-` for `_` and blanks, without full stops.
fn plain(word: &str) -> String {
    word.trim().to_lowercase().replace(['_', ' '], "-").replace('.', "")
}

/// Suggests a key of the same table, else what the word means elsewhere, else the table where the key belongs, else lists
/// the table's keys. An element of a list, such as a flow or an event, has few keys: there a key of another table hardly
/// is what was meant.
pub(super) fn key_help(path: &str, key: &str, known: &[&str]) -> String {
    if let Some(name) = nearest(key, known.iter().copied()) {
        return format!("did you mean `{name}`?");
    }
    let in_list = path.split('.').any(|part| part.parse::<usize>().is_ok());
    let listed = format!("known: {}", known.join(", "));
    let meant = meant(key, path.split('.').next().unwrap_or_default());
    if !in_list && !meant.is_empty() {
        return format!("did you mean {}?", ticked(&meant));
    }
    if let (note, false) = (absent(key), in_list)
        && !note.is_empty()
    {
        return note.to_owned();
    }
    let elsewhere = known_paths().into_iter().find(|path| path.rsplit('.').next() == Some(key));
    match elsewhere {
        Some(path) if in_list => format!("{listed}; or did you mean `{path}`?"),
        Some(path) => format!("did you mean `{path}`?"),
        None => listed,
    }
}

/// `` `a`, `b` or `c` ``.
fn ticked(names: &[&str]) -> String {
    let named: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match named.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => named.concat(),
    }
}

/// Dotted paths of all keys that have a default.
fn known_paths() -> Vec<String> {
    let source = Arc::new(LayerSource::Profile("default".to_owned()));
    let empty = Node::parse("topology = { kind = \"explicit\", node = [] }", &source);
    let scenario = empty.and_then(|root| Scenario::read(&root));
    scenario.map_or_else(|_| Vec::new(), |it| flatten(&it).into_iter().map(|(path, _)| path).collect())
}

#[cfg(test)]
mod tests {
    use super::super::config::json_schema;
    use super::*;

    #[test]
    fn every_key_of_the_table_is_one_of_a_scenario() {
        let schema: serde_json::Value = serde_json::from_str(&json_schema()).unwrap();
        for key in KEYS.iter().flat_map(|(_, keys)| *keys) {
            let (section, name) = key.split_once('.').unwrap();
            assert!(has(&schema, &schema["properties"][section], name), "{key}");
        }
    }

    /// Whether a definition, or a kind of it, has a property of this name.
    fn has(schema: &serde_json::Value, part: &serde_json::Value, name: &str) -> bool {
        if let Some(target) = part["$ref"].as_str() {
            return has(schema, &schema["$defs"][target.trim_start_matches("#/$defs/")], name);
        }
        let lists = ["anyOf", "oneOf", "allOf"].iter().filter_map(|key| part[*key].as_array()).flatten();
        part["properties"].get(name).is_some() || lists.into_iter().any(|inner| has(schema, inner, name))
    }

    #[test]
    fn words_stand_in_the_tables_as_they_are_looked_for() {
        let absent = ABSENT.iter().flat_map(|(words, _)| *words);
        for word in KEYS.iter().flat_map(|(words, _)| *words).chain(absent) {
            assert_eq!(plain(word), *word);
        }
    }
}
