//! Parameters of the data link of the Flexible Radio Network.

use super::slot_header::SlotHeader;
use super::wire;
use crate::keys;
use crate::phy::{Preamble, TxVector};
use crate::units::range::{Checked, MOST, must, within};
use crate::units::{Bitrate, Bytes, Dur};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

keys! {
    /// The data link of the Flexible Radio Network (Yuki 2004); with this section every node has it in the place of
    /// interface queue and MAC. Lengths in slots unless they have a unit.
    #[derive(Clone, Debug, PartialEq)]
    pub struct FrnConfig {
        /// Length of a slot; a data packet with a TCP ACK beside it must fit in. The thesis names none.
        pub slot: Dur = Dur::from_ms(10) => within(Dur::from_us(500), Dur::from_secs(10)),
        /// Rate of all frames, after the long preamble of 802.11 (192 us).
        pub rate: Bitrate = Bitrate::from_bps(2_000_000) => rate,
        /// Bytes that each packet in a frame counts beside its own: MAC header and FRN's (the node that has it next,
        /// number, lifetime, count of retransmissions and the most of them).
        pub overhead: Bytes = Bytes(44) => within(wire::LEAST_OVERHEAD, Bytes(10_000)),
        /// The node that does not send a packet on begins at one of so many instants at the start of a slot, drawn anew
        /// for each slot, and lets the slot pass if another node has begun before. 1: all begin at once.
        pub mini_slots: u32 = 8 => within(1, 1000),
        /// Time between these instants.
        pub mini_slot: Dur = Dur::from_us(20),
        /// Time at the start of a slot in which no node begins to send.
        pub guard: Dur = Dur::ZERO,
        /// Largest error of a node's clock; each is off by its own constant, drawn evenly from minus this to this.
        pub clock_error: Dur = Dur::ZERO,
        /// A failed transmission is repeated so many slots after it, or more.
        pub retry_from: u32 = 3 => within(1, 10_000),
        /// A failed transmission is repeated so many slots after it, or fewer; the number is drawn evenly.
        pub retry_to: u32 = 5,
        /// What sets the upper end of that interval.
        pub interval: Interval = Interval::Fixed,
        /// With an `interval` that moves: its largest upper end.
        pub retry_to_most: u32 = 17 => within(1, 10_000),
        /// With `interval = "load"`, and for `next-hop = "least-failing"`: transmissions that are remembered.
        pub history: u32 = 10 => within(1, 10_000),
        /// Transmissions longer ago than this are forgotten.
        pub history_age: u32 = 200 => within(1, MOST),
        /// A packet is discarded so many slots after its life began; 0: never.
        pub lifetime: u32 = 32 => within(0, u32::from(SlotHeader::NO_END) - 1),
        /// When a packet's life begins.
        pub lifetime_start: LifetimeStart = LifetimeStart::Enqueue,
        /// A packet is discarded when it has been sent again more often than this, on its whole way; the source sets
        /// it. Default: never.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub max_retransmissions: Option<u32> = None,
        /// A new packet of a queue is sent only when none is under way that was sent before: a packet is taken from the
        /// queue when its echo has come. Packets just received are sent on in any case.
        pub stop_and_wait: bool = true,
        /// After sending in slot t a node begins with a new packet, or sends one again, in slot t + `hold-off` at the
        /// earliest.
        pub hold_off: u32 = 1 => within(1, 1000),
        /// An echo also counts outside its slot.
        pub late_echo: bool = false,
        /// Choice of the next hop where several neighbours lead to the destination. Needs a routing that knows several.
        pub next_hop: NextHop = NextHop::Forward,
        /// Which packets wait for each other.
        pub queues: Queues = Queues::Two,
        /// A data packet and a TCP ACK that wait together go in one frame to two neighbours.
        pub combine: bool = false,
        /// Which receiver of such a frame answers a slot later.
        pub postpone: Postpone = Postpone::Ack,
        /// A packet that waits to be sent again may go in such a frame before its time.
        pub combine_waiting: bool = true,
        /// Packets that a node keeps.
        pub limit: u32 = 10_000 => within(1, MOST),
    }
    also(its) {
        within("mini-slot", its.mini_slot, Dur::ZERO, its.slot)?;
        within("guard", its.guard, Dur::ZERO, its.slot)?;
        its.check_sensing()?;
        let rule = format_args!("be at most a quarter of `frn.slot`, {}", its.slot);
        must(its.clock_error * 4 <= its.slot, "clock-error", its.clock_error, rule)?;
        within("retry-to", its.retry_to, its.retry_from, 10_000)?;
        if its.interval != Interval::Fixed {
            within("retry-to-most", its.retry_to_most, its.retry_to, 10_000)?;
        }
        within("max-retransmissions", its.max_retransmissions.unwrap_or(0), 0, 254)
    }
}

impl FrnConfig {
    /// The slot in which a packet is discarded whose life begins in this one; `u64::MAX` if it has no end.
    #[must_use]
    pub fn end_of_life(&self, slot: u64) -> u64 {
        if self.lifetime == 0 { u64::MAX } else { slot.saturating_add(self.lifetime.into()) }
    }

    /// Whether anything depends on what became of the last transmissions.
    pub(super) fn remembers(&self) -> bool {
        self.interval == Interval::Load || self.next_hop == NextHop::LeastFailing
    }

    /// Whether all packets of a node wait for each other.
    #[must_use]
    pub fn keeps_one_queue(&self) -> bool {
        self.queues == Queues::One
    }

    /// Whether packets go to all next hops in turn, and not to forward ones alone.
    #[must_use]
    pub fn takes_all_next_hops(&self) -> bool {
        self.next_hop == NextHop::All
    }

    /// Time on the air of a frame of this length in all.
    #[must_use]
    pub fn airtime(&self, size: Bytes) -> Dur {
        self.vector().airtime(size)
    }

    /// What all frames are sent with: the long preamble of 802.11, and `rate`.
    #[must_use]
    pub const fn vector(&self) -> TxVector {
        TxVector::dsss(self.rate, Preamble::Long)
    }

    /// The longest frame that fits in a slot wherever in it a node begins.
    #[must_use]
    pub fn longest(&self) -> Dur {
        let sensing = self.guard * 2 + self.mini_slot * u64::from(self.mini_slots);
        self.slot.saturating_sub(sensing)
    }

    /// Whether packets of these lengths fit in a slot in one frame.
    #[must_use]
    pub fn fit_together(&self, one: Bytes, other: Bytes) -> bool {
        self.airtime(one + other + self.overhead + self.overhead) <= self.longest()
    }

    /// Whether a packet of this length fits in a slot.
    ///
    /// # Errors
    /// If it does not.
    pub fn check_packet(&self, size: Bytes) -> Checked {
        let (airtime, longest) = (self.airtime(size + self.overhead), self.longest());
        let rule = format_args!(
            "hold a packet of {size}, which takes {airtime} with `frn.overhead` and preamble, beside mini-slots and \
             guard, which leave {longest}"
        );
        must(airtime <= longest, "slot", self.slot, rule)
    }

    /// The time in which no node sends must leave half of the slot. Where the mini-slots alone do, the guard is at
    /// fault, else their length or their number, whichever is further above its default: always a key that a user has
    /// set.
    fn check_sensing(&self) -> Checked {
        let Self { slot, guard, mini_slot, mini_slots, .. } = *self;
        let instants = mini_slot * u64::from(mini_slots);
        let usual = Self::default();
        let longer =
            mini_slot.as_ns() * u64::from(usual.mini_slots) > usual.mini_slot.as_ns() * u64::from(mini_slots);
        let (key, value) = match (instants * 2 <= slot, longer) {
            (true, _) => ("guard", guard.to_string()),
            (false, true) => ("mini-slot", mini_slot.to_string()),
            (false, false) => ("mini-slots", mini_slots.to_string()),
        };
        let rule = format_args!(
            "leave half of `frn.slot`, {slot}, to frames, which {mini_slots} mini-slots of {mini_slot} and a guard of \
             {guard} do not"
        );
        must((guard + instants) * 2 <= slot, key, value, rule)
    }
}

/// What sets the upper end of the interval from which the wait before a retransmission is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Interval {
    /// It is `retry-to`.
    Fixed,
    /// The load: from `retry-to` to `retry-to-most`, in proportion to the share of failed transmissions among those
    /// remembered (section 4.2).
    Load,
    /// Failures in a row, of whatever packet: `retry-from` + 2, + 4, + 8 and so on up to `retry-to-most`; any success
    /// begins anew. CSMA/CD's rule, which section 4.2 argues against.
    CsmaCd,
}

/// When the life of a packet begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LifetimeStart {
    /// When its source queues it.
    Enqueue,
    /// When its source sends it first.
    FirstTransmission,
}

/// Choice of the next hop where several neighbours lead to the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NextHop {
    /// Forward neighbours in turn; sideward and backward ones only where no forward one is left.
    Forward,
    /// Forward, sideward and backward neighbours in turn.
    All,
    /// Of the forward neighbours the one with the smallest share of failures among the transmissions remembered.
    LeastFailing,
}

/// Which packets of a node wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Queues {
    /// All.
    One,
    /// TCP ACKs wait for each other, and so do all others.
    Two,
}

/// Which receiver of a combined frame answers a slot later, and is silent until then. The sentence in section 3.2 can
/// be read both ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Postpone {
    /// The one that has got the TCP ACK.
    Ack,
    /// The one that has got the data.
    Data,
}
