mod amsdu;
mod losses;

use super::config::AggregationConfig;
use super::limits::{Limits, Load};
use super::number::{after, ahead, is_behind};
use super::recipient::{Reception, Recipient};
use super::{Peer, PeerCounters, Recipients};
use crate::mac::{Action, Timer};
use crate::phy::{Band, DurationRule, Generation, GuardInterval, McsVector, TxVector, Width};
use crate::units::{Bytes, Dur, NodeId, SimTime};
use crate::wire::{PacketId, UserPriority};

fn mcs(generation: Generation, mcs: u8, streams: u8, width: Width, guard: GuardInterval) -> TxVector {
    let (band, durations) = (Band::Ghz5, DurationRule::Standard);
    TxVector::Mcs(McsVector { generation, mcs, streams, width, guard, band, durations })
}

fn most(config: AggregationConfig, tx: TxVector, size: u32) -> Load {
    Limits::new(&config).load(tx, Dur::MAX, std::iter::repeat_n(Bytes(size), 300))
}

/// 1538 bytes are those of an IP packet of 1500 bytes in a QoS data frame.
#[test]
fn time_length_and_window_limit_a_frame() {
    use Generation::{He, Ht, Vht};
    use GuardInterval::{Ns400, Ns800};
    let config = AggregationConfig::default();
    let of = |load: Load| load.count;
    assert_eq!(of(most(config, mcs(Ht, 7, 1, Width::Mhz20, Ns800), 1538)), 28, "5.484 ms");
    assert_eq!(of(most(config, mcs(Ht, 0, 1, Width::Mhz20, Ns800), 1538)), 2);
    assert_eq!(of(most(config, mcs(Ht, 7, 2, Width::Mhz40, Ns400), 1538)), 42, "65535 bytes");
    let long = Bytes(4_194_303);
    let vht = AggregationConfig { max_length: long, ..config };
    assert_eq!(of(most(vht, mcs(Vht, 9, 2, Width::Mhz80, Ns400), 1538)), 64, "the window");
    let he = AggregationConfig { max_length: long, window: 256, ..config };
    assert_eq!(of(most(he, mcs(He, 11, 2, Width::Mhz80, Ns800), 1538)), 256);
    // The last one is not padded, and a single one has no delimiter.
    let single =
        Limits::new(&config).load(mcs(Ht, 7, 1, Width::Mhz20, Ns800), Dur::MAX, [Bytes(101)].into_iter());
    assert_eq!(single, Load { count: 1, psdu: Bytes(101) });
    let three = Limits::new(&config).load(
        mcs(Ht, 7, 1, Width::Mhz20, Ns800),
        Dur::MAX,
        [101; 3].map(Bytes).into_iter(),
    );
    assert_eq!(three, Load { count: 3, psdu: Bytes(108 + 108 + 105) });
    // One that alone takes longer than any frame may still goes.
    let slow = AggregationConfig { max_time: Dur::from_us(100), ..config };
    assert_eq!(of(most(slow, mcs(Ht, 0, 1, Width::Mhz20, Ns800), 1538)), 1);
}

#[test]
fn mpdus_fit_if_a_frame_can_carry_all_of_them() {
    for (spacing, window, max_length) in [(0, 64, 65_535), (8, 64, 65_535), (0, 16, 65_535), (0, 64, 8_191)] {
        let config = AggregationConfig {
            spacing: Dur::from_us(spacing),
            window,
            max_length: Bytes(max_length),
            ..AggregationConfig::default()
        };
        let limits = Limits::new(&config);
        for mcs in [
            mcs(Generation::Ht, 0, 1, Width::Mhz20, GuardInterval::Ns800),
            mcs(Generation::Ht, 7, 2, Width::Mhz40, GuardInterval::Ns400),
        ] {
            for count in 0..80 {
                let mpdus = || (0..count).map(|place| Bytes(78 + 97 * (place % 15)));
                let (most, all) = (Dur::from_ms(3), limits.load(mcs, Dur::from_ms(3), mpdus()));
                assert_eq!(limits.fit(mcs, most, mpdus()), all.count == count as usize, "{config:?} {count}");
            }
        }
    }
}

#[test]
fn starts_of_mpdus_keep_their_distance() {
    let config = AggregationConfig { spacing: Dur::from_us(8), ..AggregationConfig::default() };
    let limits = Limits::new(&config);
    let fast = mcs(Generation::Ht, 7, 2, Width::Mhz40, GuardInterval::Ns400);
    assert_eq!(limits.rooms(fast)(Bytes(78)), Bytes(300), "8 us of 300 Mb/s");
    assert_eq!(limits.rooms(fast)(Bytes(1538)), Bytes(1544));
    let slow = mcs(Generation::Ht, 0, 1, Width::Mhz20, GuardInterval::Ns800);
    assert_eq!(limits.rooms(slow)(Bytes(78)), Bytes(84));
}

#[test]
fn numbers_wrap() {
    assert_eq!((after(4095, 1), ahead(3, 4090), ahead(4090, 3)), (0, 9, 4087));
    assert!(is_behind(4090, 3) && !is_behind(3, 4090) && !is_behind(7, 7));
}

fn id(number: u64) -> PacketId {
    PacketId(u32::try_from(number).expect("few"))
}

/// An MPDU of one packet.
fn alone(number: u64) -> (PacketId, Vec<PacketId>) {
    (id(number), Vec::new())
}

#[test]
fn a_missing_mpdu_holds_up_those_behind_it_until_it_comes() {
    let (mut recipient, mut up) = (Recipient::new(64, 4094), Vec::new());
    for number in [4094, 0, 1] {
        assert_eq!(recipient.receive(number), Reception::New);
        recipient.keep(number, alone(u64::from(number)), SimTime::from_ms(1), &mut up);
    }
    assert_eq!(up, [id(4094)]);
    assert_eq!(recipient.deadline(Dur::from_ms(100)), Some(SimTime::from_ms(101)));
    assert_eq!(recipient.receive(0), Reception::Duplicate);
    assert_eq!(recipient.receive(4094), Reception::Duplicate);
    assert_eq!(recipient.receive(4095), Reception::New);
    recipient.keep(4095, alone(4095), SimTime::from_ms(2), &mut up);
    assert_eq!(up, [4094, 4095, 0, 1].map(id));
    assert_eq!(recipient.deadline(Dur::from_ms(100)), None);
    let (start, map) = recipient.scoreboard();
    assert_eq!(
        (start, (0..5).map(|place| map.has(place)).collect::<Vec<_>>()),
        (4094, vec![true, true, true, true, false])
    );
}

#[test]
fn the_release_timer_and_a_request_end_the_wait() {
    let patience = Dur::from_ms(100);
    let (mut recipient, mut up) = (Recipient::new(64, 0), Vec::new());
    for (number, ms) in [(1, 0), (2, 50), (4, 60), (6, 120)] {
        recipient.receive(number);
        recipient.keep(number, alone(u64::from(number)), SimTime::from_ms(ms), &mut up);
    }
    recipient.release(SimTime::from_ms(99), patience, &mut up);
    assert!(up.is_empty());
    recipient.release(SimTime::from_ms(100), patience, &mut up);
    assert_eq!(up, [1, 2].map(id), "3 is missing, and 4 has not waited for so long");
    assert_eq!(recipient.receive(0), Reception::Late);
    assert_eq!(recipient.receive(0), Reception::Duplicate);
    recipient.move_to(5, SimTime::from_ms(130), &mut up);
    assert_eq!(up, [1, 2, 4].map(id));
    assert_eq!(recipient.packets().collect::<Vec<_>>(), [id(6)]);
    assert_eq!(recipient.scoreboard().0, 5);
    // 1 waited for 100 ms, 2 for 50 and 4 for 70.
    let waits = recipient.waits();
    assert_eq!((waits.held, waits.held_for, waits.released), (3, Dur::from_ms(220), 2));
    // A number beyond the window moves it.
    recipient.receive(200);
    recipient.keep(200, alone(200), SimTime::from_ms(200), &mut up);
    assert_eq!(up, [1, 2, 4, 6].map(id));
}

/// An MPDU that waits behind a gap may have come before the one ahead of it, which was sent again. Once that has gone
/// up, the wait of the other may be over already.
#[test]
fn the_release_timer_is_never_set_for_the_past() {
    let mut station = Recipients::new(AggregationConfig::default().release_timer);
    let from = Peer { node: NodeId(1), priority: UserPriority::new(0) };
    let mut come = |number: u16, ms: u64| {
        let (now, mut up) = (SimTime::from_ms(ms), Vec::new());
        let recipient = station.of(from, 64, 0, now, &mut up);
        assert_eq!(recipient.receive(number), Reception::New);
        recipient.keep(number, alone(u64::from(number)), now, &mut up);
        (up.len(), station.rearm(now))
    };
    let armed = |ms: u64| Action::Arm(Timer::Release, SimTime::from_ms(ms));
    assert_eq!(come(3, 0), (0, Some(SimTime::from_ms(100))));
    assert_eq!(come(1, 90), (0, None));
    let mut out: Vec<Action> = Vec::new();
    station.release(SimTime::from_ms(100), &mut out);
    assert_eq!(out, [armed(190)], "1 stands ahead, and came late");
    let mut up = Vec::new();
    let recipient = station.of(from, 64, 0, SimTime::from_ms(150), &mut up);
    assert_eq!(recipient.receive(0), Reception::New);
    recipient.keep(0, alone(0), SimTime::from_ms(150), &mut up);
    assert_eq!(up, [0, 1].map(id));
    assert_eq!(station.rearm(SimTime::from_ms(150)), Some(SimTime::from_ms(150)));
    out.clear();
    station.release(SimTime::from_ms(150), &mut out);
    assert_eq!(out, [Action::Deliver { packet: id(3), from: from.node }]);
}

#[test]
fn an_originator_that_was_away_for_thousands_of_numbers_is_met_anew() {
    let (mut recipient, mut up) = (Recipient::new(64, 0), Vec::new());
    recipient.receive(1);
    recipient.keep(1, alone(1), SimTime::ZERO, &mut up);
    recipient.meet(4095, SimTime::ZERO, &mut up); // an old one, sent again
    assert!(up.is_empty());
    recipient.meet(2500, SimTime::ZERO, &mut up);
    assert_eq!((up.as_slice(), recipient.receive(2500)), (&[id(1)][..], Reception::New));
}

/// Readings of two spans of time add up, and a later reading without an earlier one is that of the time between.
#[test]
fn counters_of_a_neighbour_add_up() {
    let counted = |n: u64| PeerCounters {
        delivered: n,
        given_up: 2 * n,
        delay: Dur::from_ms(3 * n),
        held: 4 * n,
        held_for: Dur::from_ms(5 * n),
        released: 6 * n,
    };
    assert_eq!(counted(7).and(&counted(3)), counted(10));
    assert_eq!(counted(10).since(&counted(7)), counted(3));
}
