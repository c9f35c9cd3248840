//! Over any path that loses, delays and overtakes: what is delivered is what was sent.

use std::collections::BTreeSet;

use crate::atp::{Action, AtpConfig, Body, Header, Input, Sink, Source};
use crate::contract::Arrival;
use crate::units::{Dur, FlowId, SimTime};
use proptest::prelude::*;

/// What the path does with the next packet: how many milliseconds it takes; none: it is lost.
type Fate = Option<u64>;

/// A transfer of so many bytes; those that could be read in order, whether it completed, and when that was.
fn transfer(writes: &[u64], fates: &[Fate]) -> (u64, bool, SimTime) {
    let config = AtpConfig { most_outstanding: 40, ..AtpConfig::default() };
    let (mut source, mut sink) = (Source::new(config, 700), Sink::new(config));
    let mut on_way: BTreeSet<(SimTime, u64, Vec<u8>, u32)> = BTreeSet::new();
    let (mut count, mut readable, mut completed, mut now) = (0u64, 0, false, SimTime::ZERO);
    let mut fate = fates.iter().copied().chain(std::iter::repeat(Some(20)));
    let mut put = |now: SimTime, header: &Header, len: u32, on_way: &mut BTreeSet<_>| {
        count += 1;
        if let Some(ms) = fate.next().flatten() {
            on_way.insert((now + Dur::from_ms(ms), count, header.emit(FlowId(0)).to_vec(), len));
        }
    };
    let mut asked = Vec::new();
    for &bytes in writes {
        source.handle(now, Input::Write(bytes), &mut asked);
    }
    while !completed && now < SimTime::from_secs(3600) {
        for action in asked.drain(..) {
            match action {
                Action::Send(header, len) => put(now, &header, len, &mut on_way),
                Action::Completed => completed = true,
            }
        }
        let next = on_way.first().map_or(SimTime::MAX, |it| it.0);
        now = next.min(source.deadline()).min(sink.deadline());
        if now == SimTime::MAX {
            break;
        }
        if source.deadline() <= now {
            source.handle(now, Input::Timer, &mut asked);
        } else if sink.deadline() <= now {
            if let Some(report) = sink.on_timer(now) {
                put(now, &report, 0, &mut on_way);
            }
        } else if let Some((_, _, bytes, len)) = on_way.pop_first() {
            let header = Header::parse(&bytes).expect("what was written");
            if matches!(header.body, Body::Report { .. }) {
                source.handle(now, Input::Report(&header), &mut asked);
                continue;
            }
            let (arrival, due) = sink.receive(now, &header, len, Dur::from_ms(5));
            if let Arrival::New { readable: more } = arrival {
                readable += more;
            }
            if due {
                let report = sink.report();
                put(now, &report, 0, &mut on_way);
            }
        }
    }
    (readable, completed, now)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_stream_delivered_is_the_stream_sent(
        writes in prop::collection::vec(1u64..20_000, 1..4),
        fates in prop::collection::vec(prop::option::weighted(0.6, 1u64..2500), 0..300),
    ) {
        let (readable, completed, now) = transfer(&writes, &fates);
        prop_assert_eq!(readable, writes.iter().sum::<u64>());
        prop_assert!(completed, "at {}", now);
    }
}

#[test]
fn over_a_path_that_does_no_harm_nothing_is_lost() {
    let (readable, completed, now) = transfer(&[70_000], &[]);
    assert_eq!((readable, completed), (70_000, true));
    assert!(now < SimTime::from_secs(20), "{now}");
}
