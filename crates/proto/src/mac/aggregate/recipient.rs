//! What a station keeps of a neighbour that it receives from: the scoreboard that its block acks tell, and the
//! reordering buffer (IEEE 802.11-2020 §10.25.6.3 to §10.25.6.6).
//!
//! ```text
//!            start                                    start + window
//!   behind ─── ┊ missing │ kept │ missing │ kept │ … ─── ┊ ahead: the window moves, and all below it goes up
//!                 └ when it comes, it and what follows it without a gap go up
//! ```
//!
//! A missing MPDU holds up all behind it, until it comes, a request says that it will not, or the release timer ends
//! (Linux: 100 ms).

use std::collections::VecDeque;

use super::number::{after, ahead, is_behind};
use super::peer::PeerCounters;
use crate::units::{Dur, SimTime};
use crate::wire::{Bitmap, PacketId};

/// What an MPDU is to its recipient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reception {
    /// New: it goes up, or waits for those before it.
    New,
    /// It was received before.
    Duplicate,
    /// New, but the buffer has given up waiting for it.
    Late,
}

/// An MPDU that waits to go up.
#[derive(Clone, Debug)]
struct Kept {
    /// The copy of its packet, or of the first of its A-MSDU.
    packet: PacketId,
    /// The copies of the others.
    more: Vec<PacketId>,
    /// When it came.
    since: SimTime,
}

impl Kept {
    fn packets(&self) -> impl Iterator<Item = PacketId> + '_ {
        std::iter::once(self.packet).chain(self.more.iter().copied())
    }
}

/// Scoreboard and reordering buffer for one neighbour.
#[derive(Clone, Debug)]
pub struct Recipient {
    window: u16,
    /// First number of the scoreboard, and what of it was received.
    board_start: u16,
    board: Bitmap,
    /// First number that has not gone up.
    start: u16,
    /// What waits from there on. The first place is empty.
    kept: VecDeque<Option<Kept>>,
    /// What has waited.
    waits: PeerCounters,
}

impl Recipient {
    /// One that expects this number first.
    #[must_use]
    pub fn new(window: u16, start: u16) -> Self {
        let (kept, waits) = (VecDeque::new(), PeerCounters::default());
        Self { window, board_start: start, board: Bitmap::NONE, start, kept, waits }
    }

    /// How many have waited, and for how long.
    #[must_use]
    pub const fn waits(&self) -> PeerCounters {
        self.waits
    }

    /// Where its scoreboard begins, and what was received from there on: what a block ack says.
    #[must_use]
    pub const fn scoreboard(&self) -> (u16, Bitmap) {
        (self.board_start, self.board)
    }

    /// A frame or request with this number as its first has come. If that lies further behind than any MPDU can that is
    /// sent again, a new agreement has begun, as after an absence in which the neighbour has gone through many numbers.
    pub fn meet(&mut self, first: u16, now: SimTime, up: &mut Vec<PacketId>) {
        if is_behind(first, self.start) && ahead(self.start, first) > self.window {
            self.move_by(self.window, now, up);
            *self = Self { waits: self.waits, ..Self::new(self.window, first) };
        }
    }

    /// An MPDU has come. If it is new, [`Self::keep`] is due.
    #[inline(always)]
    pub fn receive(&mut self, number: u16) -> Reception {
        let known = self.note(number);
        let waits = || self.kept.get(usize::from(ahead(number, self.start))).is_some_and(Option::is_some);
        match is_behind(number, self.start) {
            true if known => Reception::Duplicate,
            true => Reception::Late,
            false if waits() => Reception::Duplicate,
            false => Reception::New,
        }
    }

    /// Notes a number on the scoreboard; returns whether it was there. What is behind the scoreboard was.
    fn note(&mut self, number: u16) -> bool {
        if is_behind(number, self.board_start) {
            return true;
        }
        let beyond = (ahead(number, self.board_start) + 1).saturating_sub(self.window);
        if beyond > 0 {
            self.board.shift(beyond);
            self.board_start = after(self.board_start, beyond);
        }
        self.board.set(ahead(number, self.board_start))
    }

    /// Takes in the copies of a new MPDU, of its packet and the others of its A-MSDU; `up` is what can go up now, in
    /// order.
    #[inline]
    pub fn keep(
        &mut self,
        number: u16,
        (packet, more): (PacketId, Vec<PacketId>),
        now: SimTime,
        up: &mut Vec<PacketId>,
    ) {
        if number == self.start && self.kept.is_empty() {
            self.start = after(number, 1);
            up.push(packet);
            return up.extend(more);
        }
        let beyond = (ahead(number, self.start) + 1).saturating_sub(self.window);
        self.move_by(beyond, now, up);
        let place = usize::from(ahead(number, self.start));
        if self.kept.len() <= place {
            self.kept.resize(place + 1, None);
        }
        self.kept[place] = Some(Kept { packet, more, since: now });
        self.pass_up(now, up);
    }

    /// A block ack request says that nothing comes any more below a number.
    pub fn move_to(&mut self, number: u16, now: SimTime, up: &mut Vec<PacketId>) {
        if !is_behind(number, self.board_start) {
            self.board.shift(ahead(number, self.board_start));
            self.board_start = number;
        }
        if !is_behind(number, self.start) {
            self.move_by(ahead(number, self.start), now, up);
            self.pass_up(now, up);
        }
    }

    /// The start moves on by so many numbers: those that wait below it go up, gaps or not.
    fn move_by(&mut self, numbers: u16, now: SimTime, up: &mut Vec<PacketId>) {
        let below = usize::from(numbers).min(self.kept.len());
        for it in self.kept.drain(..below).flatten() {
            self.waits.held += u64::from(it.since < now);
            self.waits.held_for += now.saturating_since(it.since);
            up.extend(it.packets());
        }
        self.start = after(self.start, numbers);
    }

    /// What follows the start without a gap goes up.
    fn pass_up(&mut self, now: SimTime, up: &mut Vec<PacketId>) {
        let ready = self.kept.iter().take_while(|place| place.is_some()).count();
        self.move_by(ready as u16, now, up); // no more than the window
    }

    /// When the first of what waits has waited for so long; none if nothing does.
    #[must_use]
    pub fn deadline(&self, patience: Dur) -> Option<SimTime> {
        self.kept.iter().flatten().next().map(|it| it.since + patience)
    }

    /// The release timer ends: what has waited for so long goes up, and what follows it without a gap.
    pub fn release(&mut self, now: SimTime, patience: Dur, up: &mut Vec<PacketId>) {
        let before = up.len();
        while self.deadline(patience).is_some_and(|deadline| deadline <= now) {
            let gap = self.kept.iter().take_while(|place| place.is_none()).count();
            self.move_by(gap as u16, now, up); // no more than the window
            self.pass_up(now, up);
        }
        self.waits.released += (up.len() - before) as u64;
    }

    /// What waits here.
    pub fn packets(&self) -> impl Iterator<Item = PacketId> {
        self.kept.iter().flatten().flat_map(Kept::packets)
    }
}
