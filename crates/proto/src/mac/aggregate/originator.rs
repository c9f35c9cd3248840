//! The window of a neighbour that is sent to (IEEE 802.11-2020 §10.25.6.7): which MPDUs are under way, and what becomes
//! of each.
//!
//! MPDUs stand in the order of their numbers, and a frame carries the first of them: those that have to be sent again
//! go before new ones. The window begins with the oldest that is neither acknowledged nor given up.

use std::cell::RefCell;
use std::collections::VecDeque;

use super::limits::{Filling, Limits, Load};
use super::number::{after, ahead};
use super::peer::PeerCounters;
use crate::phy::TxVector;
use crate::units::{Bytes, Dur, SimTime};
use crate::wire::{Bitmap, PacketId};

/// A packet in the hands of the MAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Msdu {
    /// Which one.
    pub packet: PacketId,
    /// When it was queued.
    pub queued: SimTime,
}

/// An MPDU that waits to be sent, or for its acknowledgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// Its packet, or the first of its A-MSDU.
    pub packet: PacketId,
    /// The other packets of its A-MSDU.
    pub more: Vec<Msdu>,
    /// Its length.
    pub size: Bytes,
    /// Its sequence number.
    pub number: u16,
    /// When its first packet was queued.
    pub queued: SimTime,
    /// RTS sent for it.
    pub rts: u32,
    /// How often it was sent.
    pub attempts: u32,
}

impl Pending {
    /// What it carries.
    pub fn msdus(&self) -> impl Iterator<Item = Msdu> + '_ {
        let first = Msdu { packet: self.packet, queued: self.queued };
        std::iter::once(first).chain(self.more.iter().copied())
    }

    /// How often it was tried: each attempt begins with an RTS, or none does.
    #[must_use]
    pub const fn tries(&self) -> u32 {
        if self.rts > self.attempts { self.rts } else { self.attempts }
    }
}

/// The window of one neighbour.
#[derive(Clone, Debug, Default)]
pub struct Originator {
    next: u16,
    window: VecDeque<Pending>,
    /// So many, the first ones, are in a frame whose fate is not known.
    unsettled: usize,
    /// The neighbour is to be asked or told something by a block ack request, which was tried so often.
    request: Option<u32>,
    /// How full the next frame is with the first of them, as far as that was found.
    filling: RefCell<Option<Filling>>,
    /// What became of packets.
    pub(super) ended: PeerCounters,
}

impl Originator {
    /// Where the window begins.
    #[must_use]
    pub fn start(&self) -> u16 {
        self.window.front().map_or(self.next, |first| first.number)
    }

    /// When the packet was queued that has waited longest; none if nothing waits, nor a request.
    #[must_use]
    pub fn oldest(&self) -> Option<SimTime> {
        let first = self.window.front().map(|first| first.queued);
        if self.request.is_some() { first.or(Some(SimTime::ZERO)) } else { first }
    }

    /// The number of the next MPDU is this one.
    pub(super) const fn go_on_with(&mut self, number: u16) {
        self.next = number;
    }

    /// Takes in a packet, as an MPDU under the next number.
    pub fn take(&mut self, packet: PacketId, size: Bytes, queued: SimTime) {
        let number = self.next;
        self.next = after(number, 1);
        self.window.push_back(Pending {
            packet,
            more: Vec::new(),
            size,
            number,
            queued,
            rts: 0,
            attempts: 0,
        });
    }

    /// The MPDUs that may be sent under a window of this size, the first first.
    pub fn sendable(&self, window: u16) -> impl Iterator<Item = &Pending> {
        let start = self.start();
        self.window.iter().take_while(move |it| ahead(it.number, start) < window)
    }

    /// Whether an MPDU waits that has never been sent.
    pub(super) fn is_unsent(&self, number: u16) -> bool {
        self.window.iter().rev().any(|it| it.number == number && it.attempts == 0)
    }

    /// The MPDU that was taken in last.
    pub(super) fn last(&self) -> Option<&Pending> {
        self.window.back()
    }

    pub(super) fn last_mut(&mut self) -> Option<&mut Pending> {
        self.filling.take();
        self.window.back_mut()
    }

    /// Whether a number that waits lies in a window of this size.
    pub(super) fn is_within(&self, number: u16, window: u16) -> bool {
        ahead(number, self.start()) < window
    }

    /// Whether another number could be sent under a window of this size.
    #[must_use]
    pub fn has_room(&self, window: u16) -> bool {
        self.is_within(self.next, window)
    }

    /// Whether all that may be sent under a window of this size fits into a frame that is sent so and takes `most` at
    /// most. Those that were counted when it was asked last are not counted again.
    pub(super) fn fits(&self, limits: &Limits, tx: &TxVector, most: Dur, window: u16) -> bool {
        let mut known = self.filling.borrow_mut();
        let filling = match &mut *known {
            Some(known) if known.is_of(tx, most) => known,
            other => other.insert(Filling::new(limits, *tx, most)),
        };
        self.fill(filling, window);
        let all = || self.sendable(window).map(|it| it.size);
        debug_assert_eq!(filling.fits(), limits.fit(*tx, most, all()), "the same MPDUs");
        filling.fits()
    }

    /// What goes into a frame that is sent so and takes `most` at most, of all that may be sent under a window of this
    /// size.
    pub(super) fn load(&self, limits: &Limits, tx: &TxVector, most: Dur, window: u16) -> Load {
        let mut known = self.filling.borrow_mut();
        let filling = known.get_or_insert_with(|| Filling::new(limits, *tx, most));
        let all = || self.sendable(window).map(|it| it.size);
        if !filling.is_of(tx, most) {
            return limits.load(*tx, most, all());
        }
        self.fill(filling, window);
        debug_assert_eq!(filling.load(), limits.load(*tx, most, all()), "the same MPDUs");
        filling.load()
    }

    /// Adds to a frame what may be sent under a window of this size, until something does not fit.
    fn fill(&self, filling: &mut Filling, window: u16) {
        let start = self.start();
        while filling.fits()
            && let Some(it) = self.window.get(filling.count())
            && ahead(it.number, start) < window
        {
            filling.add(it.size);
        }
    }

    /// A frame with the first so many is announced by an RTS.
    pub fn announce(&mut self, count: usize) {
        self.unsettled = count;
        self.window.iter_mut().take(count).for_each(|it| it.rts += 1);
    }

    /// A frame with the first so many is sent: `tell` hears of each as it was before.
    pub fn depart(&mut self, count: usize, mut tell: impl FnMut(&Pending)) {
        self.unsettled = count;
        let those = self.window.range_mut(..count.min(self.window.len()));
        those.for_each(|it| {
            tell(it);
            it.attempts += 1;
        });
    }

    /// A block ack has come, which begins with a number: what it acknowledges goes into `done`. The others are to be
    /// sent again.
    pub fn acknowledge(&mut self, start: u16, map: Bitmap, done: &mut Vec<Pending>) {
        self.filling.take();
        done.reserve(self.unsettled);
        let mut place = 0;
        for _ in 0..std::mem::take(&mut self.unsettled) {
            if map.has(ahead(self.window[place].number, start)) {
                done.extend(if place == 0 { self.window.pop_front() } else { self.window.remove(place) });
            } else {
                place += 1;
            }
        }
    }

    /// How many wait, those in a frame under way included.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.window.len()
    }

    /// The first MPDU is over: it is acknowledged, was sent to all, or is given up without an agreement.
    pub fn take_first(&mut self) -> Option<Pending> {
        self.filling.take();
        self.unsettled = 0;
        self.window.pop_front()
    }

    /// Nothing was acknowledged, and nothing will be.
    pub const fn miss(&mut self) {
        self.unsettled = 0;
    }

    /// Takes out those that are given up. The neighbour then has to be told where the window begins (§10.25.6.6).
    pub fn discard(&mut self, is_over: impl Fn(&Pending) -> bool, lost: &mut Vec<Pending>) {
        self.filling.take();
        let before = lost.len();
        self.window.retain(|it| {
            let over = it.tries() > 0 && is_over(it);
            if over {
                lost.push(it.clone());
            }
            !over
        });
        if lost.len() > before {
            self.request.get_or_insert(0);
        }
    }

    /// A block ack request is due.
    pub fn ask(&mut self) {
        self.request.get_or_insert(0);
    }

    /// Whether a block ack request is due.
    #[must_use]
    pub const fn asks(&self) -> bool {
        self.request.is_some()
    }

    /// A block ack request is sent, or announced by an RTS; returns how often that makes.
    pub fn asked(&mut self) -> u32 {
        let times = self.request.map_or(1, |times| times + 1);
        self.request = Some(times);
        times
    }

    /// The request was answered, or is given up.
    pub const fn stop_asking(&mut self) {
        self.request = None;
    }

    /// How many block ack requests were tried since one was due.
    #[must_use]
    pub const fn times_asked(&self) -> u32 {
        match self.request {
            Some(times) => times,
            None => 0,
        }
    }

    /// The station goes down: what waits. Numbers go on where they were, and the neighbour has to be told so.
    pub fn restart(&mut self) -> Vec<Pending> {
        self.filling.take();
        self.unsettled = 0;
        self.request = (!self.window.is_empty()).then_some(0);
        self.window.drain(..).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Dur;

    /// A window with so many MPDUs of 100 bytes, queued a millisecond apart.
    fn window(count: u16) -> Originator {
        let mut it = Originator::default();
        (0..count).for_each(|number| it.take(PacketId::NONE, Bytes(100), queued(number)));
        it
    }

    fn queued(number: u16) -> SimTime {
        SimTime::ZERO + Dur::from_ms(u64::from(number))
    }

    fn numbers(those: &[Pending]) -> Vec<u16> {
        those.iter().map(|it| it.number).collect()
    }

    #[test]
    fn a_window_is_full_with_as_many_numbers_as_it_has() {
        assert!(window(63).has_room(64) && !window(64).has_room(64));
        assert_eq!((window(0).waiting(), window(5).waiting()), (0, 5));
    }

    /// An attempt that ends with its RTS is one; one whose RTS is answered is not two.
    #[test]
    fn an_attempt_counts_once_with_or_without_rts() {
        let tries = |it: &Originator| it.sendable(64).map(Pending::tries).collect::<Vec<_>>();
        let mut it = window(3);
        it.announce(2);
        assert_eq!(tries(&it), [1, 1, 0]);
        it.depart(2, |_| {});
        assert_eq!(tries(&it), [1, 1, 0]);
        it.announce(3);
        assert_eq!(tries(&it), [2, 2, 1]);
        let mut without = window(2);
        without.depart(1, |_| {});
        without.depart(2, |_| {});
        assert_eq!(tries(&without), [2, 1]);
    }

    /// IEEE 802.11-2020 §10.25.6.6: after MPDUs are given up the recipient is told where the window begins.
    #[test]
    fn what_is_given_up_leaves_the_window_and_a_request_is_due() {
        let mut it = window(4);
        it.depart(2, |_| {});
        it.miss();
        let mut lost = Vec::new();
        it.discard(|_| false, &mut lost);
        assert!(lost.is_empty() && !it.asks());
        it.discard(|_| true, &mut lost);
        assert_eq!(numbers(&lost), [0, 1], "those that were never sent stay");
        assert_eq!((it.start(), it.waiting(), it.asks(), it.times_asked()), (2, 2, true, 0));
        assert_eq!([it.asked(), it.asked()], [1, 2]);
        it.ask();
        assert_eq!(it.times_asked(), 2, "it is due already");
        it.stop_asking();
        assert_eq!((it.asks(), it.times_asked()), (false, 0));
    }

    #[test]
    fn after_the_station_was_down_numbers_go_on_and_the_recipient_is_told() {
        let mut it = window(3);
        it.depart(3, |_| {});
        assert_eq!(numbers(&it.restart()), [0, 1, 2]);
        assert_eq!((it.start(), it.waiting(), it.asks(), it.times_asked()), (3, 0, true, 0));
        it.take(PacketId::NONE, Bytes(100), queued(9));
        let mut done = Vec::new();
        it.acknowledge(3, Bitmap::NONE, &mut done);
        assert_eq!((it.start(), it.waiting(), done.len()), (3, 1, 0));
        let mut empty = window(0);
        assert!(empty.restart().is_empty() && !empty.asks());
    }
}
