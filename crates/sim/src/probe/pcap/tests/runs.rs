//! Whole runs: every frame and every loss is in the files.

use std::io::{self, Write};

use serde_json::Value;

use super::{CHAIN, Read, Shared, scenario};
use crate::network::{Control, Run, run};
use crate::probe::pcap::Capture;
use crate::scenario::Resolved;

fn captured(scenario: &Resolved) -> (Value, Vec<Vec<Read>>) {
    let mut sinks = Vec::new();
    let capture = Capture::new(scenario, |_| {
        sinks.push(Shared::default());
        Ok::<_, String>(sinks[sinks.len() - 1].clone())
    });
    let tap = Box::new(capture.expect("sinks open"));
    let Run::Done(output) = run(scenario, 1, &Control::default(), Some(tap)).expect("a run") else {
        panic!("nobody cancels it");
    };
    let json = serde_json::from_str(&output.json).expect("JSON");
    (json, sinks.iter().map(Shared::records).collect())
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
    assert_eq!(all().filter(|record| record.comment.is_some()).count() as u64, lost, "losses");
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
    let (json, _) = captured(&scenario);
    let Run::Done(output) = run(&scenario, 1, &Control::default(), None).expect("a run") else {
        panic!("nobody cancels it");
    };
    assert_eq!(serde_json::from_str::<Value>(&output.json).expect("JSON"), json);
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
        let capture = Capture::new(&scenario, |_| Ok::<_, String>(Disk(room))).expect("opened");
        let error = run(&scenario, 1, &Control::default(), Some(Box::new(capture))).expect_err("disk full");
        assert!(error.starts_with("the capture of node 0 cannot be written: "), "{error}");
    }
}
