//! The headers.

use crate::atp::{Body, Header, MOST_BLOCKS};
use crate::units::FlowId;
use crate::wire::address::ports;
use proptest::prelude::*;

#[test]
fn what_is_written_is_read() {
    for (body, idle, size) in [
        (Body::Data(7), true, 20),
        (Body::Data(u64::MAX - 1), false, 20),
        (Body::Probe, true, 20),
        (Body::Report { below: 5, blocks: vec![] }, false, 20),
        (Body::Report { below: 5, blocks: vec![(6, 7), (9, 20)] }, false, 36),
    ] {
        let header = Header { body, delay: 12_345, idle };
        let bytes = header.emit(FlowId(3));
        assert_eq!(bytes.len(), size);
        assert_eq!(Header::parse(&bytes), Ok(header.clone()));
        let forward = !matches!(header.body, Body::Report { .. });
        let (source, destination) = ports(FlowId(3), forward);
        assert_eq!(bytes[..4], [source.to_be_bytes(), destination.to_be_bytes()].concat());
    }
}

#[test]
fn a_report_has_twenty_blocks_at_most() {
    let blocks: Vec<_> = (1..40).map(|n| (10 * n, 10 * n + 2)).collect();
    let bytes = Header { body: Body::Report { below: 5, blocks: blocks.clone() }, delay: 1, idle: false }
        .emit(FlowId(0));
    assert_eq!(bytes.len(), 20 + 8 * MOST_BLOCKS);
    let Ok(Header { body: Body::Report { blocks: read, .. }, .. }) = Header::parse(&bytes) else {
        panic!("a report")
    };
    assert_eq!(read, blocks[..MOST_BLOCKS]);
}

#[test]
fn what_makes_no_sense_is_malformed() {
    let good =
        Header { body: Body::Report { below: 5, blocks: vec![(6, 7), (9, 20)] }, delay: 1, idle: false };
    let good = good.emit(FlowId(0)).to_vec();
    for (place, value) in
        [(4, 0), (4, 1), (4, 2), (4, 4), (5, 1), (5, 2), (6, 1), (7, 1), (7, 3), (23, 0), (27, 0), (31, 1)]
    {
        let mut bytes = good.clone();
        bytes[place] = value;
        assert!(Header::parse(&bytes).is_err(), "{place}: {value}");
    }
    assert!(Header::parse(&good[..good.len() - 1]).is_err() && Header::parse(&[]).is_err());
}

proptest! {
    #[test]
    fn any_bytes_are_read(mut bytes in prop::collection::vec(any::<u8>(), 0..200), kind in 0u8..5, like: bool) {
        if like && bytes.len() >= 20 {
            let blocks = (bytes.len() - 20) / 8;
            bytes.truncate(20 + 8 * blocks);
            (bytes[4], bytes[5], bytes[6], bytes[7]) = (kind, bytes[5] & 1, 0, blocks as u8);
        }
        if let Ok(header) = Header::parse(&bytes) {
            prop_assert_eq!(&header.emit(FlowId(0))[4..], &bytes[4..], "all but the ports");
        }
    }
}
