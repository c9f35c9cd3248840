//! A-MSDUs: lengths, limits, and which packets join.

use super::{Bytes, Dur, Generation, GuardInterval, NodeId, SimTime, Width, id, mcs};
use crate::contract::Supply;
use crate::mac::aggregate::{
    Aggregation, AggregationConfig, Departing, Fates, Limits, Load, Peer, Pending, Recipient, Rules, UnderWay,
};
use crate::phy::{Preamble, TxVector};
use crate::units::Bitrate;
use crate::wire::{Bitmap, Packed, UserPriority};
use Generation::{He, Ht, Vht};
use GuardInterval::Ns800;

const TO: Peer = Peer { node: NodeId(1), priority: UserPriority::new(0) };

fn config(on: bool, amsdu_length: u32) -> AggregationConfig {
    AggregationConfig { on, amsdu_length: Bytes(amsdu_length), ..AggregationConfig::default() }
}

fn fast() -> TxVector {
    mcs(Ht, 7, 1, Width::Mhz20, Ns800)
}

/// A station whose frames go over HT at 65 Mb/s.
struct Station {
    its: Aggregation,
    taken: u64,
}

impl Station {
    fn new(config: &AggregationConfig) -> Self {
        let its = Aggregation::new(config, Rules::without_categories(config)).expect("it takes packets");
        Self { its: *its, taken: 0 }
    }

    /// A packet of so many bytes comes: an MPDU of 38 more.
    fn take(&mut self, to: Peer, size: u32) {
        self.its.take(to, fast(), id(self.taken), Bytes(size + 38), SimTime::from_ms(self.taken));
        self.taken += 1;
    }

    /// Packets of this size as long as the station takes them.
    fn fill(&mut self, size: u32) {
        while self.its.supply(TO, fast()).is_some() {
            self.take(TO, size);
        }
    }

    /// The lengths of its MPDUs, and how many packets each has.
    fn mpdus(&mut self) -> Vec<(u32, usize)> {
        self.its.originator(TO).sendable(u16::MAX).map(|it| (it.size.0, it.msdus().count())).collect()
    }

    fn send(&mut self) -> (Load, Departing) {
        let UnderWay::Frame(load) = self.its.settle(TO, fast(), Dur::MAX, false) else { panic!("a frame") };
        (load, self.its.depart(TO, fast(), load.count))
    }
}

/// IEEE 802.11-2020 figure 9-64: header of 14 bytes, packet with its LLC header of 8, padding to 4 bytes but for the
/// last.
#[test]
fn subframes_have_a_header_each_and_all_but_the_last_are_padded() {
    let mut station = Station::new(&config(true, 3_839));
    for (size, mpdu) in [
        (41, 41 + 38),                              // alone, it is no A-MSDU
        (41, 30 + (14 + 8 + 41 + 1) + 14 + 8 + 41), // 63 bytes are padded to 64
        (100, 30 + 64 + (14 + 8 + 41 + 1) + 122),
        (40, 30 + 64 + 64 + (122 + 2) + 62),
    ] {
        station.take(TO, size);
        assert_eq!(station.mpdus(), [(mpdu, station.taken as usize)]);
    }
}

/// Of packets of 1500 bytes two make 3046, five 7618; in an A-MPDU of HT an MPDU has 4095 bytes at most, of VHT 11454.
#[test]
fn lengths_of_ht_and_vht_limit_an_a_msdu() {
    let packets = |tx, on, length: u32| {
        let config = AggregationConfig { window: 1, ..config(on, length) };
        Limits::new(&config).fullest(tx, Dur::MAX, on, Bytes(1_538)).1
    };
    let (vht, he) = (mcs(Vht, 7, 1, Width::Mhz80, Ns800), mcs(He, 7, 1, Width::Mhz80, Ns800));
    for (tx, on, length, each) in [
        (fast(), false, 0, 1),
        (fast(), false, 3_045, 1),
        (fast(), false, 3_046, 2),
        (fast(), false, 3_839, 2),
        (fast(), false, 7_935, 5),
        (fast(), true, 7_935, 2),
        (vht, true, 3_839, 2),
        (vht, true, 7_935, 5),
        (vht, true, 11_424, 7),
        (he, true, 11_424, 7),
        (TxVector::dsss(Bitrate::from_mbps(11), Preamble::Long), false, 7_935, 1),
    ] {
        assert_eq!(packets(tx, on, length), each, "{tx:?} {on} {length}");
    }
}

/// 28 MPDUs of one packet each fit into 5.484 ms, or 14 with two. What is sent is what was forecast.
#[test]
fn a_station_fills_its_frame_and_takes_one_packet_more() {
    for (on, length, size) in
        [(true, 3_839, 1_500), (true, 3_839, 400), (true, 7_935, 60), (false, 7_935, 700), (true, 0, 1_500)]
    {
        let config = config(on, length);
        let mut station = Station::new(&config);
        station.fill(size);
        let (load, Departing { mpdus, packed }) = station.send();
        let sent = mpdus.len() + packed.len();
        let forecast = Limits::new(&config).fullest(fast(), Dur::MAX, on, Bytes(size + 38));
        assert_eq!((load, sent), forecast, "{on} {length} {size}");
        assert_eq!(station.taken, sent as u64 + 1, "{on} {length} {size}: the next one waits");
    }
    let two = Limits::new(&config(true, 3_839)).fullest(fast(), Dur::MAX, true, Bytes(1_538));
    assert_eq!((two.0.count, two.1), (14, 28));
    // Fewer bytes between the packets: an MPDU of 62 packets of 40 bytes, where 64 MPDUs of one would be a frame.
    let small = Limits::new(&config(true, 4_065)).fullest(fast(), Dur::MAX, true, Bytes(78));
    assert!(small.1 > 600, "{small:?}");
}

#[test]
fn what_was_sent_is_sent_again_as_it_was() {
    let mut station = Station::new(&config(true, 3_839));
    for _ in 0..3 {
        station.take(TO, 1_000);
    }
    let (first, Departing { packed, .. }) = station.send();
    assert_eq!(packed, [1, 2].map(|number| Packed { place: 0, packet: id(number) }));
    station.take(TO, 100);
    assert_eq!(station.mpdus(), [(3_100, 3), (138, 1)], "the frame is on the air");
    assert!(station.its.missed(TO, (true, false), 7, SimTime::ZERO).done.is_empty());
    station.take(TO, 100);
    let (second, Departing { mpdus, packed }) = station.send();
    assert_eq!((first.count, second.count), (1, 2));
    assert!(mpdus[0].retry && !mpdus[1].retry);
    assert_eq!(packed.iter().map(|it| it.place).collect::<Vec<_>>(), [0, 0, 1]);
    let mut map = Bitmap::NONE;
    map.set(1);
    let fates = station.its.acknowledged(TO, 0, map, SimTime::from_ms(9));
    assert_eq!(Fates::packets(&fates.done), 2);
    station.its.note_fates(TO, SimTime::from_ms(9), &fates);
    let mut told = Vec::new();
    station.its.each_peer(&mut |peer, counters| told.push((peer, counters.delivered, counters.delay)));
    assert_eq!(told, [(TO, 2, Dur::from_ms(6 + 5))], "each packet has a wait of its own");
    assert_eq!(station.mpdus(), [(3_100, 3)]);
    let counters = station.its.counters();
    assert_eq!((counters.mpdus, counters.packed, counters.packed_packets), (3, 3, 8));
}

#[test]
fn neighbours_priorities_and_broadcasts_keep_apart() {
    let mut station = Station::new(&config(true, 3_839));
    let others = [
        Peer { node: NodeId(2), ..TO },
        Peer { priority: UserPriority::new(6), ..TO },
        Peer { node: NodeId::BROADCAST, ..TO },
    ];
    for to in others.into_iter().chain([TO]) {
        station.take(to, 100);
    }
    assert_eq!(station.mpdus(), [(138, 1)]);
    station.take(others[2], 100);
    assert_eq!(station.its.originator(others[2]).waiting(), 2);
    station.take(TO, 100);
    assert_eq!(station.mpdus().len(), 1);
}

/// A packet that does not fit waits as the first of the next MPDU, and lets no other in before it.
#[test]
fn a_window_of_one_grows_until_a_packet_does_not_fit() {
    for on in [true, false] {
        let config = AggregationConfig { window: 1, ..config(on, 3_839) };
        let mut station = Station::new(&config);
        station.take(TO, 1_500);
        assert_eq!(station.its.supply(TO, fast()), Some(Supply::NextFor(TO.node, TO.priority)));
        station.fill(1_500);
        assert_eq!(station.mpdus(), [(3_076, 2), (1_538, 1)], "{on}");
        let (load, _) = station.send();
        assert_eq!(load, Load { count: 1, psdu: Bytes(3_076) });
        assert_eq!(station.its.supply(TO, fast()), None);
        let done: Vec<Pending> = station.its.originator(TO).take_first().into_iter().collect();
        assert_eq!(Fates::packets(&done), 2);
        assert!(station.its.supply(TO, fast()).is_some(), "the one that waited may grow");
    }
}

/// After a failure a packet for any neighbour is welcome. One that finds the next frame to its neighbour full is the
/// last until it is sent, however often that frame fails.
#[test]
fn failures_let_one_packet_in_beyond_a_full_frame() {
    let other = Peer { node: NodeId(2), ..TO };
    for amsdu_length in [0, 3_839] {
        let mut station = Station::new(&AggregationConfig { window: 1, ..config(true, amsdu_length) });
        let fail = |station: &mut Station| {
            station.send();
            station.its.missed(TO, (true, false), 7, SimTime::ZERO);
            station.its.open(TO.priority.category());
            station.its.supply(TO, fast())
        };
        station.take(TO, 500);
        assert_eq!(fail(&mut station), Some(Supply::Next));
        station.take(other, 500);
        assert_eq!(fail(&mut station), Some(Supply::Next), "that frame to the other was not full");
        station.take(TO, 500);
        for _ in 0..3 {
            assert_eq!(fail(&mut station), None);
        }
        assert_eq!(station.mpdus(), [(538, 1), (538, 1)]);
        station.its.originator(TO).take_first();
        station.its.open(TO.priority.category());
        assert_eq!(station.its.supply(TO, fast()).filter(|it| *it == Supply::Next), None, "it waits still");
        assert_eq!(fail(&mut station), Some(Supply::Next), "it was sent");
    }
}

/// What is sent to all goes one by one: the second packet waits beyond the next frame.
#[test]
fn one_packet_for_all_is_let_in_behind_another() {
    let all = Peer { node: NodeId::BROADCAST, ..TO };
    let mut station = Station::new(&config(true, 0));
    station.take(TO, 500);
    let welcome = |station: &mut Station| {
        station.its.open(TO.priority.category());
        station.its.supply(TO, fast()) == Some(Supply::Next)
    };
    assert!(welcome(&mut station));
    station.take(all, 100);
    assert!(welcome(&mut station));
    station.take(all, 100);
    assert!(!welcome(&mut station));
}

#[test]
fn packets_of_an_mpdu_go_up_together() {
    let (mut recipient, mut up) = (Recipient::new(64, 0), Vec::new());
    for (number, packets, ms) in [(1, [4, 5, 6], 1), (0, [1, 2, 3], 5)] {
        recipient.receive(number);
        let more = packets[1..].iter().map(|&number| id(number)).collect();
        recipient.keep(number, (id(packets[0]), more), SimTime::from_ms(ms), &mut up);
        assert_eq!(recipient.packets().count(), if number == 1 { 3 } else { 0 });
    }
    assert_eq!(up, [1, 2, 3, 4, 5, 6].map(id));
    let waits = recipient.waits();
    assert_eq!((waits.held, waits.held_for), (1, Dur::from_ms(4)), "an MPDU has waited");
}
