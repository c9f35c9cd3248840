//! Values of one flow or of some nodes, over those of a section.

use super::super::{Layer, Resolved, Sources};
use super::{complaint, good, sources};
use insta::assert_snapshot;
use multihop_proto::mac::config::MacConfig;
use multihop_proto::tcp::config::{Loss, TcpConfig};
use multihop_proto::units::Dur;

const TWO: &str = r#"
topology = { kind = "chain", hops = 3 }
[tcp]
max-window = 12
[[flow]]
from = 0
to = 3
[[flow]]
from = 3
to = 0
tcp = { loss = "sack", min-rto = "2 s" }
[[node]]
names = [1, "2"]
queue.limit = 9
mac.cw-min = 15
"#;

fn tcp(it: &Resolved, flow: usize) -> &TcpConfig {
    it.config.flow[flow].tcp(&it.config.tcp)
}

fn wrong(extra: &str) -> String {
    complaint(&sources(&format!("{TWO}{extra}")))
}

#[test]
fn a_flow_says_only_what_it_has_otherwise() {
    let it = good(&sources(TWO));
    let (first, second) = (tcp(&it, 0), tcp(&it, 1));
    assert_eq!((first.loss, first.max_window), (Loss::DupAcks, 12));
    assert_eq!((second.loss, second.max_window, second.min_rto), (Loss::Sack, 12, Dur::from_secs(2)));
    assert_eq!(TcpConfig { loss: first.loss, min_rto: first.min_rto, ..second.clone() }, *first);
}

#[test]
fn later_layers_reach_the_flow_unless_it_says_otherwise() {
    let mut sources = sources(TWO);
    sources.sets =
        vec!["tcp.max-window=5".into(), "tcp.min-rto=\"3 s\"".into(), "flow.0.tcp.tick=\"7 ms\"".into()];
    let it = good(&sources);
    assert_eq!((tcp(&it, 1).max_window, tcp(&it, 1).min_rto), (5, Dur::from_secs(2)));
    assert_eq!((tcp(&it, 0).max_window, tcp(&it, 0).min_rto), (5, Dur::from_secs(3)));
    assert_eq!((tcp(&it, 0).tick, it.config.tcp.tick == Dur::from_ms(7)), (Dur::from_ms(7), false));
}

#[test]
fn nodes_of_a_group_have_their_own_queue_and_medium_access() {
    let it = good(&sources(TWO));
    let made = |node: usize| {
        let parts = it.config.parts_of(it.nodes[node].group);
        let MacConfig::Dcf(dcf) = parts.mac else { panic!("not the DCF") };
        (parts.queue.limit, dcf.cw_min, dcf.data_rate == it_rate(&it))
    };
    let usual = (it.config.queue.limit, 31, true);
    assert_eq!([made(0), made(1), made(2), made(3)], [usual, (9, 15, true), (9, 15, true), usual]);
}

fn it_rate(it: &Resolved) -> multihop_proto::units::Bitrate {
    let MacConfig::Dcf(dcf) = &it.config.mac else { panic!("not the DCF") };
    dcf.data_rate
}

/// The resolved scenario as a file says what was said, no more, and resolves to the same.
#[test]
fn what_is_said_is_what_is_written() {
    let it = good(&sources(TWO));
    let text = it.to_toml().expect("TOML");
    assert_eq!(text.matches("min-rto").count(), 2, "{text}");
    let again = good(&Sources { scenario: Layer { name: "again.toml".into(), text }, ..sources("") });
    assert_eq!((&again.config, again.hash()), (&it.config, it.hash()));
    let plain = good(&sources("topology = { kind = \"chain\", hops = 3 }\nflow = [{ from = 0, to = 3 }]"));
    assert!(!plain.to_toml().expect("TOML").contains("[[node"));
    let document: serde_json::Value = serde_json::from_str(&it.to_json()).expect("JSON");
    assert_eq!(document["values"]["node.0.queue.limit"]["from"], "file my.toml:14:15");
    assert_eq!(document["values"]["flow.1.tcp.loss"]["value"], "sack");
    assert!(document["values"]["flow.1.tcp.max-window"].is_null());
}

#[test]
fn mistakes_have_their_place() {
    assert_snapshot!(wrong("[[flow]]\nfrom = 0\nto = 2\ntcp.max-windw = 3"), @r#"my.toml:19:5: unknown key `flow.2.tcp.max-windw`; did you mean `max-window`?"#);
    assert_snapshot!(wrong("[[flow]]\nfrom = 0\nto = 2\ntcp.max-window = 0"), @r#"my.toml:19:18: `flow.2.tcp.max-window` is 0; it must lie between 1 and 1000000"#);
    assert_snapshot!(wrong("[[flow]]\nfrom = 0\nto = 2\ntcp = 3"), @r#"my.toml:19:7: `flow.2.tcp`: expected a table, got 3"#);
    assert_snapshot!(wrong("[[flow]]\nfrom = 0\nto = 2\nkind = \"cbr\"\nrate = \"1 kbps\"\ntcp.max-window = 3"), @r#"my.toml:21:1: `tcp` means nothing to a flow over UDP or ATP; leave it out"#);
    assert_snapshot!(wrong("[[flow]]\nfrom = 0\nto = 2\ntcp.data-header = \"20 B\""), @r#"my.toml:19:19: `data-header` is of all hosts; set `tcp.data-header` instead"#);
    assert_snapshot!(wrong("[[node]]\nnames = [7]"), @r#"my.toml:17:10: `node.1.names.0`: there is no node `7`; known: 0, 1, 2, 3"#);
    assert_snapshot!(wrong("[[node]]\nnames = [3, 2]"), @r#"my.toml:17:13: node `2` is named by [[node]] 1 and 2; name each node once"#);
    assert_snapshot!(wrong("[[node]]\nnames = []"), @r#"my.toml:17:9: a group of no nodes; name some, like names = ["3", "4"]"#);
    assert_snapshot!(wrong("[[node]]\nname = \"3\""), @r#"my.toml:17:1: unknown key `node.1.name`; did you mean `names`?"#);
    assert_snapshot!(wrong("[[node]]\nnames = [3]\nqueue.limit = 0"), @r#"my.toml:18:15: `node.1.queue.limit` is 0; it must lie between 2 and 1000000"#);
    assert_snapshot!(wrong("[[node]]\nnames = [3]\nmac.sifs = \"1 us\"\n[air]\npropagation-delay = \"1 us\""), @r#"my.toml:20:21: `air.propagation-delay` is 1 us; it must be shorter than `mac.sifs`, 1 us"#);
    assert_snapshot!(wrong("[[node]]\nnames = [3]\nmac.data-rate = \"11 Mbps\""), @r#"my.toml:18:17: `data-rate` is of all stations; set `mac.data-rate` instead"#);
    assert_snapshot!(wrong("[[node]]\nnames = [3]\nmac.kind = \"tdma\""), @r#"my.toml:18:12: `node.1.mac.kind` is "tdma", which is no known kind; known: dcf"#);
    assert_snapshot!(wrong("[[node]]\nnames = [3]\nmac.cw-mn = 3"), @r#"my.toml:18:5: unknown key `node.1.mac.cw-mn`; did you mean `cw-min`?"#);
}
