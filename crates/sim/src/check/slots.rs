//! How many slots of a slotted link a packet of a flow takes at least, for a flow that has the air to itself.
//!
//! A node does one thing a slot: it sends a frame, or receives one. So each packet takes three slots of a relay: one to
//! receive it, one to send it on, and one to hear the next node send it on, which is its acknowledgement. What comes
//! meanwhile from elsewhere is lost. It takes two of either end: the source sends and hears the echo, the destination
//! receives and answers with an FRN ACK. An acknowledgement of TCP is a packet of its own on the way back and takes as
//! much. In combined frames one is beside a data packet, so that a relay needs three slots for both; only what an end
//! sends to a relay or hears from it goes alone. A source begins with a new packet every `hold-off` slots at most.

use multihop_proto::units::{Dur, NodeId};
use serde_json::{Value, json};

/// What a slotted link does with the packets of a flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlotRules {
    /// Length of a slot.
    pub(super) slot: Dur,
    /// Whether a packet goes in one frame with an acknowledgement.
    pub(super) combined: bool,
    /// Whether both parts of such a frame then leave together.
    pub(super) whole: bool,
    /// Whether the echo of a packet is awaited: what is never repeated need not be heard again.
    pub(super) awaited: bool,
    /// Slots between one new packet of a source and the next.
    pub(super) hold_off: u32,
    /// Which ways a packet may take.
    pub(super) choice: Choice,
}

/// Which ways a packet may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// One.
    One,
    /// Any of the shortest.
    Shortest,
    /// Any.
    Any,
}

/// What one packet takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Slots {
    /// Slots between one packet and the next, at least, its share of an acknowledgement included.
    count: f64,
    slot: Dur,
    /// What takes that long.
    at: &'static str,
}

impl Slots {
    /// Time between one packet and the next \[s\].
    pub(super) fn seconds(&self) -> f64 {
        self.count * self.slot.as_secs_f64()
    }

    /// `count`; `slot_s`, the length of a slot \[s\]; `where`: what takes that long, an `end`, a `relay` or the
    /// `hold-off`.
    pub(super) fn to_json(self) -> Value {
        json!({ "count": self.count, "slot_s": self.slot.as_secs_f64(), "where": self.at })
    }
}

/// The least that a packet and so many answers take along a path, by whatever way through these relays.
pub(super) fn least(link: &SlotRules, answers: f64, path: &[NodeId], relays: &[NodeId]) -> Slots {
    let SlotRules { whole, awaited, .. } = *link;
    let combined = link.combined && path.len() > 2;
    let end = if !awaited || combined { 2.0 + answers } else { 2.0 + 2.0 * answers };
    let relay = |relay: &NodeId| {
        let place = path.iter().position(|node| node == relay).unwrap_or(0);
        let ends = f64::from(u8::from(place == 1) + u8::from(place + 2 == path.len()));
        match (combined, awaited) {
            (true, _) if whole || !awaited => 2.0 + answers,
            (true, _) => 3.0 + ends * answers,
            (false, true) => 3.0 + 3.0 * answers,
            (false, false) => (2.0 + 2.0 * answers).max(3.0),
        }
    };
    let mut most = Slots { count: f64::from(link.hold_off), slot: link.slot, at: "hold-off" };
    let relays = relays.iter().map(|it| (relay(it), "relay"));
    for (count, at) in std::iter::once((end, "end")).chain(relays) {
        if count > most.count {
            most = Slots { count, at, ..most };
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(link: SlotRules, answers: f64, nodes: u32) -> (f64, &'static str) {
        let path: Vec<NodeId> = (0..nodes).map(NodeId).collect();
        let relays = path.get(1..path.len() - 1).unwrap_or_default();
        let found = least(&link, answers, &path, relays);
        (found.count, found.at)
    }

    #[test]
    fn a_relay_needs_three_slots_a_packet_and_an_end_two() {
        let link = SlotRules {
            slot: Dur::from_ms(10),
            combined: false,
            whole: false,
            awaited: true,
            hold_off: 1,
            choice: Choice::One,
        };
        assert_eq!(count(link, 0.0, 2), (2.0, "end"));
        assert_eq!(count(link, 1.0, 2), (4.0, "end"));
        assert_eq!(count(link, 0.0, 4), (3.0, "relay"));
        assert_eq!(count(link, 1.0, 4), (6.0, "relay"));
        assert_eq!(count(SlotRules { hold_off: 9, ..link }, 1.0, 4), (9.0, "hold-off"));
        let combined = SlotRules { combined: true, ..link };
        assert_eq!(count(combined, 1.0, 3), (5.0, "relay"), "both neighbours of the relay are ends");
        assert_eq!(count(combined, 1.0, 5), (4.0, "relay"), "a relay beside an end");
        assert_eq!(count(SlotRules { whole: true, ..combined }, 1.0, 5), (3.0, "end"));
        assert_eq!(count(SlotRules { awaited: false, ..link }, 1.0, 5), (4.0, "relay"));
    }
}
