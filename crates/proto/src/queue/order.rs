//! Which packet the MAC gets next: routing messages that go ahead, then classes, which take turns or go one after the
//! other. What is held is passed over.

use super::AnyTurns;
use super::classes::Queued;
use super::config::QueueConfig;
use super::holds::Holds;
use super::store::{Slot, Store};
use super::turns::Turns;
use crate::contract::Cx;
use crate::units::{Bytes, Dur, NodeId, SimTime};
use crate::wire::UserPriority;

/// The order of service of one queue.
#[derive(Debug)]
pub(super) struct Order {
    turns: AnyTurns,
    /// Whether classes have turns; if not there is one, or the first that has packets is served.
    shared: bool,
    /// What is not to be offered for a while.
    holds: Holds,
}

impl Order {
    pub(super) fn new(config: &QueueConfig) -> Self {
        Self { turns: AnyTurns::new(config), shared: config.service.has_turns(), holds: Holds::default() }
    }

    /// Puts a discipline in the place of that of the service, before anything is sent. Classes without turns ask none.
    pub(super) fn set_turns(&mut self, turns: AnyTurns) {
        self.turns = turns;
    }

    /// What is not to be offered for a while.
    #[inline(always)]
    pub(super) const fn holds(&self) -> &Holds {
        &self.holds
    }

    /// The same, to change it.
    pub(super) const fn holds_mut(&mut self) -> &mut Holds {
        &mut self.holds
    }

    /// Turns so far that ended with another class waiting.
    pub(super) fn turns(&self) -> u64 {
        self.turns.turns()
    }

    /// A packet for a next hop is about to join a class.
    #[inline(always)]
    pub(super) fn joins(&mut self, store: &Store, class: usize, to: NodeId) {
        if self.shared && store.none_waits(class) {
            self.turns.activate(class, to);
        }
    }

    /// Where the next packet waits, while the MAC has none and nothing is held.
    #[inline(always)]
    pub(super) fn next(&mut self, store: &Store) -> Option<Slot> {
        if !store.express().is_empty() {
            Some(Slot::Express)
        } else if self.shared {
            self.turns.next(store.classes()).map(Slot::Class)
        } else {
            Some(Slot::Class(store.classes().first()))
        }
    }

    /// The next head that is neither in service nor held. Beside frames in service a class goes before its turn, and
    /// borrows what it lacks; a class whose head is held loses its turn.
    pub(super) fn next_free(&mut self, now: SimTime, store: &mut Store) -> Option<Slot> {
        self.holds.end(now);
        if !store.is_out(Slot::Express) {
            for _ in 0..store.express().len() {
                match store.head(Slot::Express) {
                    Some(head) if self.holds.on(head) => store.rotate_ahead(),
                    _ => return Some(Slot::Express),
                }
            }
        }
        let Self { turns, shared, holds } = self;
        let (store, holds) = (&*store, &*holds);
        if *shared && !store.serves() && !holds.any() {
            return turns.next(store.classes()).map(Slot::Class);
        }
        let first = (0..store.classes().classes()).find(|&class| is_free(store, holds, class))?;
        if !*shared {
            return Some(Slot::Class(first));
        }
        if store.serves() {
            return turns.partner(store.classes(), &|class| !is_free(store, holds, class)).map(Slot::Class);
        }
        loop {
            let class = turns.next(store.classes())?;
            if is_free(store, holds, class) {
                return Some(Slot::Class(class));
            }
            turns.rotate(class);
        }
    }

    /// Where the next packet of a priority for a next hop waits. Of several classes that have one, that whose turn it
    /// is goes first. A packet that was kept after a give-up goes by its turn alone, since its next hop has to be
    /// looked up.
    #[inline(always)]
    pub(super) fn next_for(
        &mut self,
        cx: &Cx<'_>,
        store: &Store,
        (to, priority): (NodeId, UserPriority),
    ) -> Option<(Slot, usize)> {
        self.holds.end(cx.now);
        let Self { holds, turns, shared } = self;
        let holds = &*holds;
        let is_for = |entry: &Queued| entry.to == to && cx.packets[entry.packet].priority == priority;
        let fits = |entry: &Queued| entry.kept == 0 && !holds.on(entry);
        let within = |slot| {
            let (place, entry) = store.waiting_from(slot).enumerate().find(|(_, entry)| is_for(entry))?;
            fits(entry).then_some((slot, place))
        };
        if !store.express().is_empty()
            && let Some(found) = within(Slot::Express)
        {
            return Some(found);
        }
        if !*shared {
            return (0..store.classes().classes()).map(Slot::Class).find_map(within);
        }
        let head_fits = |class| store.head(Slot::Class(class)).is_some_and(|head| is_for(head) && fits(head));
        let on_turn = turns.next(store.classes()).filter(|&class| head_fits(class));
        let class = on_turn.or_else(|| turns.partner(store.classes(), &|class| !head_fits(class)))?;
        Some((Slot::Class(class), 0))
    }

    /// A packet has gone from here, and is charged for.
    #[inline(always)]
    pub(super) fn charge(&mut self, store: &Store, from: Slot, size: Bytes) {
        if let Slot::Class(class) = from
            && self.shared
        {
            self.turns.charge(class, size, store.none_waits(class));
        }
    }

    /// A packet that was charged for waits here again.
    pub(super) fn refund(&mut self, to: Slot, size: Bytes) {
        if let Slot::Class(class) = to
            && self.shared
        {
            self.turns.refund(class, size);
        }
    }

    /// Ends a turn: that of a class, or that of a routing packet among the routing packets.
    pub(super) fn end_turn(&mut self, store: &mut Store, slot: Slot) {
        match slot {
            Slot::Express => {
                // One that cannot get through must not block those behind it for ever.
                if !store.express().is_empty() {
                    store.rotate_ahead();
                }
            }
            Slot::Class(_) if store.leaves() => {
                let size = store.head(slot).map_or(Bytes(0), |head| head.size);
                self.refund(slot, size);
            }
            Slot::Class(class) if self.shared => self.turns.rotate(class),
            Slot::Class(_) => {} // without turns
        }
    }

    /// Packets have left a class unserved: it may have fallen empty.
    pub(super) fn note_emptied(&mut self, store: &Store, slot: Slot) {
        if let Slot::Class(class) = slot
            && self.shared
            && store.none_waits(class)
        {
            self.turns.retire(class);
        }
    }

    /// Nothing waits any more.
    pub(super) fn clear(&mut self) {
        self.holds.clear();
        self.turns.clear();
    }

    /// Whether next hops take turns by time on the air.
    pub(super) const fn minds_airtime(&self) -> bool {
        matches!(self.turns, AnyTurns::Airtime(_))
    }

    /// A frame to or from a next hop has taken so long; `own`: of an exchange that this station began.
    pub(super) fn used(&mut self, to: NodeId, airtime: Dur, own: bool) {
        self.turns.used(to, airtime, own);
    }

    /// A packet has arrived at its next hop.
    #[inline(always)]
    pub(super) fn arrived(&mut self, from: Slot, entry: Queued) {
        if self.minds_airtime()
            && let Slot::Class(class) = from
        {
            self.turns.arrived(class, entry.size);
        }
    }

    /// Whether the MAC may have what waits at a place beside what it has for the same next hop.
    #[inline(always)]
    pub(super) fn has_room(&self, store: &Store, from: Slot, place: usize) -> bool {
        let Slot::Class(class) = from else { return true };
        if !self.minds_airtime() {
            return true;
        }
        let Some(entry) = store.waiting_from(from).nth(place) else { return true };
        let taken = store.bytes_taken(entry.to);
        taken == 0 || self.turns.has_room(class, taken + u64::from(entry.size.0))
    }
}

/// Whether the head of a class may be offered: it is neither in service nor held.
fn is_free(store: &Store, holds: &Holds, class: usize) -> bool {
    let slot = Slot::Class(class);
    !store.is_out(slot) && store.head(slot).is_some_and(|head| !holds.on(head))
}
