//! The queues of a station with access categories: one for each, and the rule by which a packet goes into one.

use crate::contract::{Cx, Offer, Sink, Supply};
use crate::mac::edca::DscpMap;
use crate::mac::{AnyMac, Mac};
use crate::queue::{Action, Input, Queue};
use crate::units::SimTime;
use crate::wire::Category;

/// The categories beside best effort, whose queue is the link's own.
const OTHERS: [Category; 3] = [Category::Background, Category::Video, Category::Voice];

/// The other queues.
#[derive(Debug)]
pub(super) struct Categories {
    map: DscpMap,
    others: [Queue; 3],
}

impl Categories {
    /// Queues that `make` makes.
    pub(super) fn new(map: DscpMap, mut make: impl FnMut() -> Queue) -> Self {
        Self { map, others: OTHERS.map(|_| make()) }
    }

    /// All of them.
    pub(super) const fn all(&self) -> &[Queue] {
        &self.others
    }

    pub(super) const fn all_mut(&mut self) -> &mut [Queue] {
        &mut self.others
    }

    /// The queue of a category; none if it is the link's own.
    pub(super) fn of(&self, category: Category) -> Option<&Queue> {
        OTHERS.iter().position(|&other| other == category).map(|place| &self.others[place])
    }

    pub(super) fn of_mut(&mut self, category: Category) -> Option<&mut Queue> {
        OTHERS.iter().position(|&other| other == category).map(|place| &mut self.others[place])
    }

    /// Lets the queues that it is for take one input; `own` is that of best effort.
    pub(super) fn handle<S: Sink<Action>>(
        &mut self,
        own: &mut Queue,
        cx: &mut Cx<'_>,
        input: Input,
        out: &mut S,
    ) {
        match input {
            Input::Enqueue { packet, .. } => {
                let priority = self.map.priority(cx.packets.dscp(packet));
                cx.packets[packet].priority = priority;
                self.of_mut(priority.category()).unwrap_or(own).handle(cx, input, out);
            }
            Input::Outcome(packet, _) | Input::Keep(packet) | Input::Release(packet) => {
                let category = cx.packets[packet].priority.category();
                self.of_mut(category).unwrap_or(own).handle(cx, input, out);
            }
            Input::Flush | Input::Timer => {
                own.handle(cx, input, out);
                self.others.iter_mut().for_each(|queue| queue.handle(cx, input, out));
                // The timer was for one of them, and is to fire again for the next: the node has one for all.
                let waits = |queue: &Queue| queue.wake_at() < SimTime::MAX;
                if waits(own) || self.others.iter().any(waits) {
                    out.put(Action::Wake);
                }
            }
        }
    }

    /// What the MAC is given next: the packet of the highest category that has one and may be given one.
    pub(super) fn offer<S: Sink<Action>>(
        &mut self,
        own: &mut Queue,
        mac: &AnyMac,
        cx: &mut Cx<'_>,
        out: &mut S,
    ) -> Option<Offer> {
        Category::ALL.into_iter().find_map(|category| {
            let queue = self.of_mut(category).unwrap_or(own);
            match mac.supply_for(category)? {
                Supply::Next => queue.take(cx, None, out),
                Supply::NextFor(to, priority) => queue.take(cx, Some((to, priority)), out),
                Supply::Head | Supply::ByCategory => None,
            }
        })
    }
}
