//! The notifier of a node, if it has one, and what it hears of at all. What it hears waits in the inbox until the call
//! under way has done its work.

use super::inbox::Inbox;
use crate::contract::Cx;
use crate::signals::{Action, Input, Loss, Notifier, Verdict};
use crate::units::NodeId;
use crate::wire::{DropReason, PacketId};

/// The notifier, or none.
#[derive(Debug, Default)]
pub(in crate::node) struct Teller(Option<Box<Notifier>>);

impl Teller {
    /// There is one from now on.
    pub(in crate::node) fn set(&mut self, notifier: Notifier) {
        self.0 = Some(Box::new(notifier));
    }

    /// Whether there is none.
    pub(super) const fn is_absent(&self) -> bool {
        self.0.is_none()
    }

    /// Whether it wants to see what is forwarded.
    #[inline(always)]
    pub(in crate::node) fn watches(&self) -> bool {
        self.0.as_ref().is_some_and(|notifier| notifier.watches())
    }

    /// Whether it takes a packet that would be lost here.
    pub(super) fn takes(&mut self, cx: &Cx<'_>, id: PacketId, reason: DropReason, inbox: &mut Inbox) -> bool {
        let saved = self.0.as_mut().is_some_and(|notifier| notifier.takes(cx, id, reason));
        if saved {
            inbox.post_to_notifier(Input::Taken(Loss::of(&cx.packets[id], reason)));
        }
        saved
    }

    /// It hears of a loss, if that says something of a route.
    pub(super) fn note_loss(&self, loss: Loss, inbox: &mut Inbox) {
        if self.0.is_some() && loss.is_of_route() {
            inbox.post_to_notifier(Input::Lost(loss));
        }
    }

    /// It hears that the MAC has given a packet up.
    pub(super) fn note_give_up(&self, loss: Loss, inbox: &mut Inbox) {
        if self.0.is_some() {
            inbox.post_to_notifier(Input::GaveUp(loss));
        }
    }

    /// Where the way of a lost packet would lead, if it matters to it whether there is one.
    pub(super) fn asks_for(&self, input: Input) -> Option<NodeId> {
        self.0.as_ref().and_then(|notifier| notifier.asks_for(input))
    }

    /// Lets it act; where there is none, everything passes.
    pub(super) fn handle(&mut self, cx: &mut Cx<'_>, input: Input) -> (Verdict, Vec<Action>) {
        let mut actions = Vec::new();
        let Some(notifier) = &mut self.0 else { return (Verdict::Pass, actions) };
        (notifier.handle(cx, input, &mut actions), actions)
    }

    /// The packets in its custody.
    pub(super) fn packets(&self) -> impl Iterator<Item = PacketId> {
        self.0.iter().flat_map(|notifier| notifier.packets())
    }

    /// The node goes down: what it has in custody is lost.
    pub(super) fn flush(&mut self) -> Vec<PacketId> {
        self.0.as_mut().map(|notifier| notifier.flush()).unwrap_or_default()
    }

    /// Tells its counters.
    pub(super) fn each_counter(&self, tell: &mut impl FnMut(&'static str, u64)) {
        if let Some(notifier) = &self.0 {
            notifier.counters().each(tell);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::inbox::{Inbox, Item};
    use super::Teller;
    use crate::signals::{Input, Loss, Notifier, SignalsConfig};
    use crate::units::{FlowId, NodeId};
    use crate::wire::{DropReason, PacketKind};

    fn loss(reason: DropReason) -> Loss {
        Loss { flow: FlowId(0), kind: PacketKind::TcpData, sequence: 0, reason }
    }

    #[test]
    fn without_a_notifier_nothing_is_left_for_it() {
        let (teller, mut inbox) = (Teller::default(), Inbox::default());
        teller.note_loss(loss(DropReason::NoRoute), &mut inbox);
        teller.note_give_up(loss(DropReason::LinkBroken), &mut inbox);
        assert!(inbox.is_empty() && !teller.watches());
    }

    #[test]
    fn it_hears_of_routes_and_of_give_ups_but_not_of_room() {
        let (mut teller, mut inbox) = (Teller::default(), Inbox::default());
        teller.set(Notifier::new(&SignalsConfig::default(), NodeId(1), [(NodeId(0), NodeId(2))].into()));
        teller.note_loss(loss(DropReason::QueueFull), &mut inbox);
        assert!(inbox.is_empty(), "a full queue says nothing of a route");
        teller.note_loss(loss(DropReason::NoRoute), &mut inbox);
        teller.note_give_up(loss(DropReason::QueueFull), &mut inbox);
        let left: Vec<Item> = std::iter::from_fn(|| inbox.take()).collect();
        let expected = [Input::Lost(loss(DropReason::NoRoute)), Input::GaveUp(loss(DropReason::QueueFull))];
        assert_eq!(left, expected.map(Item::NotifierInput));
    }
}
