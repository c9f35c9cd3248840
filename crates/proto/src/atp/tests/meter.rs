//! What a node writes into what it sends on.

use crate::atp::{AtpConfig, Body, Header, Meter};
use crate::units::{Dur, FlowId};

/// What becomes of a packet with this delay in it, at a node whose packets take so many microseconds, that was idle
/// before or not; and whether it is marked.
fn stamped(meter: &mut Meter, average: Option<f64>, delay: u32, idle: bool, hop: Option<Dur>) -> (u32, bool) {
    let bytes = Header { body: Body::Data(1), delay, idle }.emit(FlowId(0));
    let bytes = meter.stamp(FlowId(0), &bytes, hop, average).unwrap_or(bytes);
    let header = Header::parse(&bytes).expect("a header");
    (header.delay, header.idle)
}

#[test]
fn what_packets_take_is_written_where_it_is_the_longest() {
    let mut meter = Meter::new(&AtpConfig::default());
    assert_eq!(stamped(&mut meter, Some(4_000.0), 0, false, None), (4_000, false));
    assert_eq!(stamped(&mut meter, Some(5_000.9), 100, false, None), (5_000, false));
    assert_eq!(stamped(&mut meter, Some(5_000.0), 5_001, false, None), (5_001, false), "another was slower");
    assert_eq!(meter.stamped(), 3);
}

#[test]
fn an_idle_node_marks_and_the_next_one_writes_what_it_took() {
    let mut meter = Meter::new(&AtpConfig::default());
    assert_eq!(stamped(&mut meter, None, 700, false, None), (700, true), "nothing is known");
    let hop = Some(Dur::from_ms(5));
    assert_eq!(stamped(&mut meter, None, 700, true, hop), (15_000, true), "three times the hop before");
    assert_eq!(stamped(&mut meter, None, 20_000, true, hop), (20_000, true));
    assert_eq!(stamped(&mut meter, None, 700, false, hop), (700, true), "that node knew itself");
    assert_eq!(stamped(&mut meter, Some(2_000.0), 0, true, hop), (15_000, false));
}

#[test]
fn reports_and_what_makes_no_sense_pass_as_they_are() {
    let mut meter = Meter::new(&AtpConfig::default());
    let report =
        Header { body: Body::Report { below: 3, blocks: vec![] }, delay: 9, idle: false }.emit(FlowId(0));
    assert_eq!(meter.stamp(FlowId(0), &report, None, Some(9_999.0)), None);
    assert_eq!(meter.stamp(FlowId(0), &[1, 2, 3], None, Some(9_999.0)), None);
    assert_eq!(meter.stamped(), 0);
}
