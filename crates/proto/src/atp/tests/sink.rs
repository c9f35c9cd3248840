//! The receiver.

use crate::atp::{AtpConfig, Body, Header, Sink};
use crate::contract::Arrival;
use crate::units::{Dur, SimTime};

const HOP: Dur = Dur::from_ms(5);

const fn ms(n: u64) -> SimTime {
    SimTime::from_ms(n)
}

fn data(number: u64, delay: u32) -> Header {
    Header { body: Body::Data(number), delay, idle: false }
}

fn report(below: u64, blocks: &[(u64, u64)], delay: u32) -> Header {
    Header { body: Body::Report { below, blocks: blocks.to_vec() }, delay, idle: false }
}

//  0        100 ms   0.9 s    1 s                          2 s     3 s
//  | 0      | 2      | 3      | report: 1 is missing,      | 1     | report, and as nothing comes no more
#[test]
fn at_the_end_of_each_epoch_in_which_something_came_it_reports() {
    let mut sink = Sink::new(AtpConfig::default());
    assert_eq!(sink.deadline(), SimTime::MAX);
    assert_eq!(sink.receive(ms(0), &data(0, 8_000), 500, HOP), (Arrival::New { readable: 500 }, false));
    assert_eq!(sink.receive(ms(100), &data(2, 8_000), 300, HOP), (Arrival::New { readable: 0 }, false));
    assert_eq!(sink.receive(ms(900), &data(3, 16_000), 200, HOP), (Arrival::New { readable: 0 }, false));
    assert_eq!(sink.receive(ms(900), &data(3, 16_000), 200, HOP), (Arrival::Duplicate, false));
    assert_eq!(sink.on_timer(ms(999)), None, "early");
    assert_eq!(sink.deadline(), ms(1000));
    assert_eq!(sink.on_timer(ms(1000)), Some(report(1, &[(2, 4)], 11_500)), "8, 8, 10, 11.5 ms");
    assert!(sink.has(0) && !sink.has(1) && sink.has(2));
    assert_eq!(sink.receive(ms(2000), &data(1, 11_500), 400, HOP), (Arrival::New { readable: 900 }, false));
    assert_eq!(sink.on_timer(ms(2000)), Some(report(4, &[], 11_500)));
    assert_eq!(sink.on_timer(ms(3000)), None, "nothing came");
    assert_eq!((sink.deadline(), sink.reports()), (SimTime::MAX, 2));
}

#[test]
fn a_probe_is_answered_at_once_and_asks_anew() {
    let mut sink = Sink::new(AtpConfig::default());
    sink.receive(ms(0), &data(0, 8_000), 500, HOP);
    let probe = Header { body: Body::Probe, delay: 20_000, idle: false };
    assert_eq!(sink.receive(ms(50), &probe, 0, HOP), (Arrival::Control, true));
    assert_eq!(sink.report(), report(1, &[], 20_000));
}

#[test]
fn the_last_hop_of_an_idle_node_counts() {
    let mut sink = Sink::new(AtpConfig::default());
    let probe = Header { body: Body::Probe, delay: 9_000, idle: true };
    sink.receive(ms(50), &probe, 0, HOP);
    assert_eq!(sink.report(), report(0, &[], 15_000));
}

#[test]
fn what_cannot_be_is_refused() {
    let mut sink = Sink::new(AtpConfig::default());
    for (header, len) in [(report(3, &[], 1), 0), (data(1 << 16, 1), 500), (data(0, 1), 0)] {
        assert_eq!(sink.receive(ms(0), &header, len, HOP), (Arrival::Unacceptable, false));
    }
    assert_eq!(sink.deadline(), SimTime::MAX);
    assert_eq!(sink.receive(ms(0), &data((1 << 16) - 1, 1), 500, HOP).0, Arrival::New { readable: 0 });
}
