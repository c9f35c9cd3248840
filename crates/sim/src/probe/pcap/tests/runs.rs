//! Whole runs: every frame and every loss is in the files.

use std::io::{self, Write};

use serde_json::Value;

use super::{CHAIN, Read, Shared, scenario};
use crate::network::{Ended, Handle, run};
use crate::probe::pcap::Capture;
use crate::scenario::Resolved;

fn captured(scenario: &Resolved) -> (Value, Vec<Vec<Read>>) {
    let (json, files) = limited(scenario, u64::MAX);
    let heads = 1_000 * files.len() as u64;
    assert!(
        json["capture"]["bytes"].as_u64() <= Some(crate::check::captured(scenario) + heads),
        "the estimate is an upper bound"
    );
    (json, files.iter().map(Shared::records).collect())
}

/// Runs it; returns the run and the files, which together may have so many bytes.
pub(super) fn limited(scenario: &Resolved, limit: u64) -> (Value, Vec<Shared>) {
    let mut sinks = Vec::new();
    let capture = Capture::new(scenario, limit, |_| {
        sinks.push(Shared::default());
        Ok::<_, String>(sinks[sinks.len() - 1].clone())
    });
    let tap = Box::new(capture.expect("sinks open"));
    let Ended::Done(output) = run(scenario, 1, &Handle::default(), Some(tap)).expect("a run") else {
        panic!("nobody cancels it");
    };
    let json = serde_json::from_str(&output.json).expect("JSON");
    (json, sinks)
}

/// Checks every record, and the counts of frames and losses against those of the run.
fn check(scenario: &Resolved) -> Vec<Vec<Read>> {
    let (json, nodes) = captured(scenario);
    for records in &nodes {
        assert!(records.is_sorted_by_key(|record| record.at), "in the order of time");
        records.iter().for_each(|record| drop(record.datagram()));
    }
    let all = || nodes.iter().flatten();
    let frames = all().filter(|record| record.interface == 0 && record.is_outbound()).count();
    assert_eq!(Some(frames as u64), json["frames"].as_u64(), "frames");
    let lost: u64 = json["ledger"]["dropped"]
        .as_object()
        .map_or(0, |dropped| dropped.values().filter_map(Value::as_u64).sum());
    assert_eq!(all().filter(|record| tells_of_a_loss(record)).count() as u64, lost, "losses");
    assert!(lost > 0, "the scenario must lose packets");
    nodes
}

#[test]
fn every_frame_and_every_loss_of_a_noisy_chain_is_there() {
    let nodes = check(&scenario(CHAIN, &["mac.rts-threshold=65535 B"]));
    let on_air = |text: &str| {
        nodes.iter().flatten().any(|record| record.interface == 0 && record.comment.as_deref() == Some(text))
    };
    assert!(on_air("lost: bit errors"));
}

#[test]
fn what_a_full_queue_refuses_is_told_apart_from_what_was_sent() {
    let sets = ["queue.limit=2", "tcp.initial-window=8", "flow.0.to=1", "air.bit-error-rate=0.0"];
    let nodes = check(&scenario(CHAIN, &sets));
    let refused: Vec<&Read> = nodes[0].iter().filter(|record| record.interface == 1).collect();
    assert!(!refused.is_empty());
    for record in refused {
        assert_eq!(record.comment.as_deref(), Some("never sent: queue full"));
        assert!(record.is_outbound());
    }
}

#[test]
fn routing_messages_and_datagrams_are_captured_too() {
    let sets = [
        "routing.kind=dsdv",
        "routing.dsdv.period=2 s",
        "routing.dsdv.settling=0 s",
        "flow.0.kind=cbr",
        "flow.0.rate=900 kbps",
        "queue.limit=3",
    ];
    let nodes = check(&scenario(CHAIN, &sets));
    let datagrams: Vec<Vec<u8>> = nodes.iter().flatten().filter_map(Read::datagram).collect();
    assert!(datagrams.iter().any(|ip| ip[16..20] == [255; 4]), "a broadcast");
    assert!(datagrams.iter().any(|ip| ip[12..20] == [10, 0, 0, 1, 10, 0, 0, 3]), "data of the flow");
}

#[test]
fn the_capture_does_not_change_the_run() {
    let scenario = scenario(CHAIN, &[]);
    let (mut json, _) = captured(&scenario);
    assert!(json["capture"]["bytes"].as_u64() > Some(1_000) && json["capture"]["stopped_s"].is_null());
    json["capture"] = Value::Null;
    let Ended::Done(output) = run(&scenario, 1, &Handle::default(), None).expect("a run") else {
        panic!("nobody cancels it");
    };
    assert_eq!(serde_json::from_str::<Value>(&output.json).expect("JSON"), json);
}

#[test]
fn a_capture_ends_at_its_limit_and_says_so() {
    let scenario = scenario(CHAIN, &[]);
    let (_, whole) = limited(&scenario, u64::MAX);
    for limit in [0, 10_000, 200_000] {
        let (json, files) = limited(&scenario, limit);
        let sizes: u64 = files.iter().map(Shared::size).sum();
        assert_eq!(json["capture"]["bytes"].as_u64(), Some(sizes), "what is said is what is there");
        assert!(sizes <= limit.max(3_000) + 3 * 2_500, "{sizes} bytes, and one record more each");
        let mut ends = Vec::new();
        for (file, whole) in files.iter().zip(&whole) {
            let (records, whole) = (file.records(), whole.records());
            let (last, before) = records.split_last().expect("one record is always there");
            let note = format!("the capture ends here, at its limit of {limit} bytes");
            assert!(last.comment.as_ref().is_some_and(|comment| comment.ends_with(&note)), "{last:?}");
            for (limited, whole) in before.iter().zip(&whole) {
                assert_eq!((limited.at, &limited.data), (whole.at, &whole.data), "whole up to there");
            }
            ends.push(last.at);
        }
        let end = ends.into_iter().min().map(|at| at as f64 / 1e9);
        assert_eq!(json["capture"]["stopped_s"].as_f64(), end);
    }
}

#[test]
fn packets_that_no_frame_follows_do_not_pile_up() {
    // No node is near: after the first attempts, millions of packets are refused by the queue.
    let sets = ["flow.0.kind=cbr", "flow.0.rate=8 Mbps", "flow.0.packet=1 B", "run.duration=2 s"];
    let scenario = scenario(CHAIN, &sets);
    let (json, files) = limited(&scenario, 1_000_000);
    assert!(files.iter().map(Shared::size).sum::<u64>() < 1_010_000);
    assert!(json["ledger"]["dropped"]["queue-full"].as_u64() > Some(1_000_000), "{}", json["ledger"]);
    let refused = files[0].records();
    let refused = refused.iter().filter(|record| record.interface == 1);
    assert!(refused.map(|record| record.datagram().map_or(0, |ip| ip.len())).all(|length| length == 29));
}

#[test]
fn a_full_disk_is_an_error_of_the_run() {
    struct Disk(usize);
    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let scenario = scenario(CHAIN, &[]);
    for room in [10, 200, 50_000] {
        let capture = Capture::new(&scenario, u64::MAX, |_| Ok::<_, String>(Disk(room))).expect("opened");
        let error = run(&scenario, 1, &Handle::default(), Some(Box::new(capture))).expect_err("disk full");
        assert!(error.starts_with("the capture of node 0 cannot be written: "), "{error}");
    }
}

/// Other comments say how long a routing message is in the simulation.
fn tells_of_a_loss(record: &Read) -> bool {
    record.comment.as_ref().is_some_and(|comment| !comment.starts_with("simulated") || comment.contains("; "))
}
