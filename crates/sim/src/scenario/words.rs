//! Words of other simulators and of papers for keys and values, and for what the models do not have.

/// Words of other simulators, tools and papers, in the form of [`plain`], and the keys that they mean here.
pub(super) const KEYS: &[(&[&str], &[&str])] = &[
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
        &["channel", "radios", "interfaces", "channel-number"],
        "`[[node]] radio = [{ channel = 36 }]` sets the channel of a radio, and `[channels]` those of all nodes",
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
        &["bbrv2", "bbr2", "bbrv3", "bbr3"],
        "`tcp.window = \"bbr-draft\"` is BBR by the working group's draft, which is called version 3 too; `bbr` is version 1",
    ),
    (
        &["compound", "bic", "htcp", "illinois", "hybla", "yeah", "prague", "quic"],
        "this variant of TCP is not modelled: the values of `tcp.window` are, with and without SACK, and techniques that \
         change them",
    ),
    (
        &["aggregation", "ampdu", "a-mpdu", "amsdu", "a-msdu", "block-ack"],
        "`mac.aggregation` has the keys of A-MPDUs, block acks and A-MSDUs, from 802.11n on",
    ),
    (
        &["80211be", "11be", "wifi7", "eht"],
        "802.11be is not modelled: `mac.standard` says which amendment's frames stations send, up to 802.11ax",
    ),
    (
        &[
            "80211n", "11n", "ht", "vht", "he", "80211ac", "11ac", "80211ax", "11ax", "wifi5", "wifi6",
            "80211g", "11g", "80211a", "11a", "mimo",
        ],
        "`mac.standard` says which amendment's frames stations send, up to 802.11ax, and `mac.streams` over how many streams",
    ),
    (
        &["cake", "sfq", "avq", "blue"],
        "this queue is not modelled: `multihop list techniques` names those that are",
    ),
    (&["edca", "wmm", "qos", "80211e", "txop"], "`mac.edca` has the four access categories of a station"),
    (
        &["tdma", "lte", "lora", "zigbee", "bluetooth", "802154"],
        "the MAC is that of 802.11, or the slots of the Flexible Radio Network",
    ),
    (
        &["height", "obstacles", "walls", "terrain", "z"],
        "the ground is flat, without obstacles: an event cuts a link",
    ),
];

/// What to know of a word for a thing that the models do not have; empty if that is not known.
pub(super) fn absent(word: &str) -> &'static str {
    let word = plain(word);
    ABSENT.iter().find(|(words, _)| words.contains(&word.as_str())).map_or("", |&(_, note)| note)
}

/// A word as it stands in the tables: in small letters, `-` for `_` and blanks, without full stops.
pub(super) fn plain(word: &str) -> String {
    word.trim().to_lowercase().replace(['_', ' '], "-").replace('.', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_in_the_tables_as_they_are_looked_for() {
        let absent = ABSENT.iter().flat_map(|(words, _)| *words);
        for word in KEYS.iter().flat_map(|(words, _)| *words).chain(absent) {
            assert_eq!(plain(word), *word);
        }
    }
}
