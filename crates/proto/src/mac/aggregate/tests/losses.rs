//! A window, a scoreboard and a reordering buffer with a lossy channel between them.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::id;
use crate::mac::aggregate::{Fates, Originator, Pending, Reception, Recipient};
use crate::units::{Bytes, Dur, Entity, Purpose, Rng, SimTime};
use crate::wire::PacketId;

/// What the channel does to the frames of a link.
#[derive(Clone, Copy, Debug)]
struct Losses {
    mpdu: f64,
    frame: f64,
    answer: f64,
    /// Tries of an MPDU, or without end.
    most: Option<u32>,
    requests: bool,
    /// Most packets of an MPDU.
    packs: usize,
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
        let sent: Vec<Pending> = self.sender.sendable(self.window).take(self.load).cloned().collect();
        self.sender.depart(sent.len(), |_| {});
        let heard = self.rng.f64() >= self.losses.frame;
        for it in sent.iter().filter(|_| heard) {
            if self.rng.f64() < self.losses.mpdu {
                continue;
            }
            let receiver = self.receiver.get_or_insert_with(|| Recipient::new(self.window, sent[0].number));
            match receiver.receive(it.number) {
                Reception::New => {
                    let more = it.more.iter().map(|msdu| msdu.packet).collect();
                    receiver.keep(it.number, (it.packet, more), self.now, &mut self.up);
                }
                Reception::Late => self.late.extend(it.msdus().map(|msdu| msdu.packet)),
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

/// What a sender that has so many packets still to send gives its window, from a number on.
fn fill(link: &mut Link, queued: &mut u64, packets: u64) {
    let (now, window, packs) = (link.now, link.window, link.losses.packs);
    while *queued < packets {
        let open = link.sender.open().filter(|last| last.more.len() + 1 < packs);
        // Now and then one does not fit.
        if open.is_some() && !queued.is_multiple_of(11) {
            link.sender.pack(id(*queued), Bytes(200), now);
        } else if link.sender.has_room(window) {
            link.sender.take(id(*queued), Bytes(100), now);
        } else {
            return;
        }
        *queued += 1;
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
        fill(&mut link, &mut queued, packets);
        let mut fates = Vec::new();
        let answered = if link.sender.asks() { link.request() } else { link.frame() };
        if answered && let Some(receiver) = &link.receiver {
            let (start, map) = receiver.scoreboard();
            link.sender.stop_asking();
            link.sender.acknowledge(start, map, &mut fates);
        }
        done += Fates::packets(&fates) as u64;
        if !link.sender.asks() {
            let mut given_up = Vec::new();
            link.sender.discard(|it| most.is_some_and(|most| it.tries() > most), &mut given_up);
            done += Fates::packets(&given_up) as u64;
            lost.extend(given_up.iter().flat_map(Pending::msdus).map(|msdu| msdu.packet));
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
    let packs = prop_oneof![Just(1usize), 2usize..8];
    (0.0f64..0.9, 0.0f64..0.7, 0.0f64..0.7, most, any::<bool>(), packs).prop_map(
        |(mpdu, frame, answer, most, requests, packs)| Losses { mpdu, frame, answer, most, requests, packs },
    )
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
    let losses = Losses { mpdu: 0.5, frame: 0.2, answer: 0.2, most: None, requests: false, packs: 1 };
    for (requests, most, packs) in
        [(false, None, 1), (true, None, 1), (false, Some(10), 1), (true, Some(10), 1), (true, Some(10), 4)]
    {
        let events =
            transfer(Losses { requests, most, packs, ..losses }, 3_000_000, 64, 1).expect("it holds");
        assert!(events > 100_000);
    }
}
