use std::collections::BTreeSet;

use proptest::prelude::*;

use super::config::AggregationConfig;
use super::limits::{Limits, Load};
use super::number::{after, ahead, is_behind};
use super::originator::{Originator, Pending};
use super::recipient::{Reception, Recipient};
use super::{Aggregation, Peer, Rule, Rules};
use crate::phy::{Band, DurationRule, Generation, GuardInterval, McsVector, TxVector, Width};
use crate::units::{Bytes, Dur, Entity, NodeId, Purpose, Rng, SimTime};
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
fn starts_of_mpdus_keep_their_distance() {
    let config = AggregationConfig { spacing: Dur::from_us(8), ..AggregationConfig::default() };
    let limits = Limits::new(&config);
    let fast = mcs(Generation::Ht, 7, 2, Width::Mhz40, GuardInterval::Ns400);
    assert_eq!(limits.room(fast, Bytes(78)), Bytes(300), "8 us of 300 Mb/s");
    assert_eq!(limits.room(fast, Bytes(1538)), Bytes(1544));
    let slow = mcs(Generation::Ht, 0, 1, Width::Mhz20, GuardInterval::Ns800);
    assert_eq!(limits.room(slow, Bytes(78)), Bytes(84));
}

#[test]
fn numbers_wrap() {
    assert_eq!((after(4095, 1), ahead(3, 4090), ahead(4090, 3)), (0, 9, 4087));
    assert!(is_behind(4090, 3) && !is_behind(3, 4090) && !is_behind(7, 7));
}

fn id(number: u64) -> PacketId {
    PacketId(u32::try_from(number).expect("few"))
}

#[test]
fn a_missing_mpdu_holds_up_those_behind_it_until_it_comes() {
    let (mut recipient, mut up) = (Recipient::new(64, 4094), Vec::new());
    for number in [4094, 0, 1] {
        assert_eq!(recipient.receive(number), Reception::New);
        recipient.keep(number, id(u64::from(number)), SimTime::from_ms(1), &mut up);
    }
    assert_eq!(up, [id(4094)]);
    assert_eq!(recipient.deadline(Dur::from_ms(100)), Some(SimTime::from_ms(101)));
    assert_eq!(recipient.receive(0), Reception::Duplicate);
    assert_eq!(recipient.receive(4094), Reception::Duplicate);
    assert_eq!(recipient.receive(4095), Reception::New);
    recipient.keep(4095, id(4095), SimTime::from_ms(2), &mut up);
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
        recipient.keep(number, id(u64::from(number)), SimTime::from_ms(ms), &mut up);
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
    recipient.keep(200, id(200), SimTime::from_ms(200), &mut up);
    assert_eq!(up, [1, 2, 4, 6].map(id));
}

/// An MPDU that waits behind a gap may have come before the one ahead of it, which was sent again. Once that has gone up, the
/// wait of the other may be over already.
#[test]
fn the_release_timer_is_never_set_for_the_past() {
    let rules = Rules::by_category(|_| Rule { aggregates: true, opportunity: Dur::ZERO });
    let mut station = Aggregation::new(&AggregationConfig::default(), rules).expect("it aggregates");
    let from = Peer { node: NodeId(1), priority: UserPriority::new(0) };
    let mut come = |number: u16, ms: u64| {
        let (now, mut up) = (SimTime::from_ms(ms), Vec::new());
        let recipient = station.recipient(from, 0, now, &mut up);
        assert_eq!(recipient.receive(number), Reception::New);
        recipient.keep(number, id(u64::from(number)), now, &mut up);
        (up.len(), station.rearm(now))
    };
    assert_eq!(come(3, 0), (0, Some(SimTime::from_ms(100))));
    assert_eq!(come(1, 90), (0, None));
    assert!(station.release(SimTime::from_ms(100)).is_empty(), "1 stands ahead, and came late");
    assert_eq!(station.rearm(SimTime::from_ms(100)), Some(SimTime::from_ms(190)));
    let mut up = Vec::new();
    let recipient = station.recipient(from, 0, SimTime::from_ms(150), &mut up);
    assert_eq!(recipient.receive(0), Reception::New);
    recipient.keep(0, id(0), SimTime::from_ms(150), &mut up);
    assert_eq!(up, [0, 1].map(id));
    assert_eq!(station.rearm(SimTime::from_ms(150)), Some(SimTime::from_ms(150)));
    assert_eq!(station.release(SimTime::from_ms(150)), [(id(3), from.node)]);
}

#[test]
fn an_originator_that_was_away_for_thousands_of_numbers_is_met_anew() {
    let (mut recipient, mut up) = (Recipient::new(64, 0), Vec::new());
    recipient.receive(1);
    recipient.keep(1, id(1), SimTime::ZERO, &mut up);
    recipient.meet(4095, SimTime::ZERO, &mut up); // an old one, sent again
    assert!(up.is_empty());
    recipient.meet(2500, SimTime::ZERO, &mut up);
    assert_eq!((up.as_slice(), recipient.receive(2500)), (&[id(1)][..], Reception::New));
}

/// What the channel does to the frames of a link.
#[derive(Clone, Copy, Debug)]
struct Losses {
    mpdu: f64,
    frame: f64,
    answer: f64,
    /// Tries of an MPDU, or without end.
    most: Option<u32>,
    requests: bool,
}

/// A sender and a receiver with a lossy channel between them.
struct Link {
    losses: Losses,
    window: u16,
    rng: Rng,
    sender: Originator,
    receiver: Option<Recipient>,
    now: SimTime,
    /// How many MPDUs the last frame had at most.
    load: usize,
    /// Packets that came up and were not looked at yet.
    up: Vec<PacketId>,
    late: BTreeSet<PacketId>,
}

impl Link {
    fn new(losses: Losses, window: u16, seed: u64) -> Self {
        Self {
            losses,
            window,
            rng: Rng::stream(seed, 1, Entity::Whole, Purpose::Backoff),
            sender: Originator::default(),
            receiver: None,
            now: SimTime::ZERO,
            load: 1 + usize::from(window / 2),
            up: Vec::new(),
            late: BTreeSet::new(),
        }
    }

    /// Sends a request for a block ack; returns whether one came back.
    fn request(&mut self) -> bool {
        self.sender.asked();
        let heard = self.receiver.is_some() && self.rng.f64() >= self.losses.frame;
        if let Some(receiver) = self.receiver.as_mut().filter(|_| heard) {
            receiver.move_to(self.sender.start(), self.now, &mut self.up);
        }
        let answered = heard && self.rng.f64() >= self.losses.answer;
        if !answered && self.sender.times_asked() == 7 {
            self.sender.stop_asking();
            self.sender.miss();
        }
        answered
    }

    /// Sends a frame; returns whether a block ack came back.
    fn frame(&mut self) -> bool {
        self.load = (self.load * 7 + 3) % usize::from(self.window) + 1;
        let sent: Vec<Pending> = self.sender.sendable(self.window).take(self.load).copied().collect();
        self.sender.depart(sent.len());
        let heard = self.rng.f64() >= self.losses.frame;
        for it in sent.iter().filter(|_| heard) {
            if self.rng.f64() < self.losses.mpdu {
                continue;
            }
            let receiver = self.receiver.get_or_insert_with(|| Recipient::new(self.window, sent[0].number));
            match receiver.receive(it.number) {
                Reception::New => receiver.keep(it.number, it.packet, self.now, &mut self.up),
                Reception::Late => self.late.extend([it.packet]),
                Reception::Duplicate => {}
            }
        }
        let answered = heard && self.receiver.is_some() && self.rng.f64() >= self.losses.answer;
        if !answered && self.losses.requests {
            self.sender.ask();
        } else if !answered {
            self.sender.miss();
        }
        answered
    }
}

/// Sends so many packets over a lossy link. Each comes up once, in order, unless it was given up or came too late, and
/// nothing stays anywhere.
fn transfer(losses: Losses, packets: u64, window: u16, seed: u64) -> Result<u64, TestCaseError> {
    let most = losses.most;
    let mut link = Link::new(losses, window, seed);
    let (mut queued, mut lost, mut events) = (0, BTreeSet::new(), 0);
    let (mut delivered, mut done, mut last) = (0u64, 0u64, None);
    while done < packets || link.sender.asks() {
        events += 1;
        link.now += Dur::from_ms(1);
        while queued < packets && link.sender.has_room(window) {
            link.sender.take(id(queued), Bytes(100), link.now);
            queued += 1;
        }
        let mut fates = Vec::new();
        let answered = if link.sender.asks() { link.request() } else { link.frame() };
        if answered && let Some(receiver) = &link.receiver {
            let (start, map) = receiver.scoreboard();
            link.sender.stop_asking();
            link.sender.acknowledge(start, map, &mut fates);
        }
        done += fates.len() as u64;
        if !link.sender.asks() {
            let mut given_up = Vec::new();
            link.sender.discard(|it| most.is_some_and(|most| it.tries() > most), &mut given_up);
            done += given_up.len() as u64;
            lost.extend(given_up.into_iter().map(|it| it.packet));
        }
        if let Some(receiver) = &mut link.receiver
            && most.is_some()
        {
            receiver.release(link.now, Dur::from_ms(100), &mut link.up);
        }
        for packet in link.up.drain(..) {
            prop_assert!(last.is_none_or(|last| last < packet.0), "{packet:?} after {last:?}");
            last = Some(packet.0);
            delivered += 1;
            lost.remove(&packet);
        }
        prop_assert!(events < packets * 200 + 10_000, "no end: {done} of {packets}, {:?}", link.sender);
    }
    // What waits for a gap that the last request has not told goes up when the timer ends.
    if let Some(receiver) = &mut link.receiver {
        receiver.release(link.now + Dur::from_secs(1), Dur::from_ms(100), &mut link.up);
        prop_assert_eq!(receiver.packets().count(), 0, "kept for ever");
    }
    delivered += link.up.len() as u64;
    for packet in &link.up {
        lost.remove(packet);
    }
    let gone = lost.union(&link.late).count() as u64;
    prop_assert!(
        delivered + gone >= packets,
        "{delivered} came up, {gone} lost of {packets}: one is forgotten"
    );
    prop_assert!(most.is_some() || delivered == packets, "{delivered} of {packets} came up");
    Ok(events)
}

fn losses() -> impl Strategy<Value = Losses> {
    let most = prop_oneof![Just(None), (0u32..12).prop_map(Some)];
    (0.0f64..0.9, 0.0f64..0.7, 0.0f64..0.7, most, any::<bool>())
        .prop_map(|(mpdu, frame, answer, most, requests)| Losses { mpdu, frame, answer, most, requests })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn in_order_once_none_forgotten_and_none_kept_for_ever(
        losses in losses(), window in prop_oneof![Just(1u16), Just(2), Just(64), Just(256)], seed in any::<u64>(),
    ) {
        transfer(losses, 6_000, window, seed)?; // more than all numbers
    }
}

/// The same over ten million MPDUs that were sent: `cargo test --release -p multihop-proto -- --ignored ten_million`.
#[test]
#[ignore = "a minute in a release build"]
fn ten_million_losses() {
    let losses = Losses { mpdu: 0.5, frame: 0.2, answer: 0.2, most: None, requests: false };
    for (requests, most) in [(false, None), (true, None), (false, Some(10)), (true, Some(10))] {
        let events = transfer(Losses { requests, most, ..losses }, 3_000_000, 64, 1).expect("it holds");
        assert!(events > 100_000);
    }
}
