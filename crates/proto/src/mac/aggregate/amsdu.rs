//! A-MSDUs: several packets of one receiver and priority in one MPDU (IEEE 802.11-2020 §9.3.2.2, §10.11).
//!
//! ```text
//!   header 26 │ DA, SA, length 14 │ LLC, packet │ padding │ DA, SA, length 14 │ LLC, packet │ FCS 4
//!             └───────── subframe: a multiple of 4 bytes ──┴── the last one: no padding ──┘
//! ```
//!
//! A packet joins the MPDU that was taken last, as long as that was never tried. So an A-MSDU grows while the station
//! contends, and is sent again as it is. It has one sequence number and one fate.

use super::lengths::{AROUND, LONGEST_AMONG_HT, LONGEST_HT, LONGEST_MPDU, joined};
use super::limits::{Limits, Load};
use super::originator::{Msdu, Originator, Pending};
use super::peer::Peer;
use super::station::Aggregation;
use crate::phy::{Generation, McsVector, TxVector};
use crate::units::{Bytes, Dur, NodeId, SimTime};
use crate::wire::PacketId;

impl Pending {
    /// Its length once another packet has joined it, which alone is an MPDU of this length.
    fn joined(&self, other: Bytes) -> Bytes {
        joined(self.size, !self.more.is_empty(), other)
    }
}

impl Originator {
    /// The MPDU that another packet may join: the last one, if it was never tried.
    #[must_use]
    pub fn open(&self) -> Option<&Pending> {
        self.last().filter(|last| last.tries() == 0)
    }

    /// A packet joins the MPDU that is open, which then has this length.
    pub fn pack(&mut self, packet: PacketId, size: Bytes, queued: SimTime) {
        if let Some(last) = self.last_mut() {
            last.size = size;
            last.more.push(Msdu { packet, queued });
        }
    }
}

impl Limits {
    /// Whether an A-MSDU may be sent so in an MPDU of this length that takes `most` at most; `among`: its frame may
    /// have others.
    #[must_use]
    pub fn allows(&self, mpdu: Bytes, tx: TxVector, most: Dur, among: bool) -> bool {
        let TxVector::Mcs(McsVector { generation, .. }) = tx else { return false };
        let longest = match generation {
            Generation::Ht if among => LONGEST_AMONG_HT,
            Generation::Ht => AROUND + LONGEST_HT,
            Generation::Vht | Generation::He => LONGEST_MPDU,
        };
        let fits = mpdu <= longest && mpdu <= AROUND + self.amsdu;
        fits && tx.airtime(mpdu) <= most.min(self.time)
    }

    /// The fullest frame of packets that alone are MPDUs of this length, and how many it has; `among`: MPDUs are
    /// aggregated.
    #[must_use]
    pub fn fullest(&self, tx: TxVector, most: Dur, among: bool, single: Bytes) -> (Load, usize) {
        let mut sizes = vec![single];
        while let Some(&last) = sizes.last() {
            let grown = joined(last, sizes.len() > 1, single);
            if !self.allows(grown, tx, most, among) {
                break;
            }
            sizes.push(grown);
        }
        let (full, each) = (sizes[sizes.len() - 1], sizes.len());
        if !among {
            return (Load { count: 1, psdu: full }, each);
        }
        let most_mpdus = usize::from(self.most);
        let whole = self.load(tx, most, std::iter::repeat_n(full, most_mpdus));
        // The last MPDU has what still fits.
        let with = |last| self.load(tx, most, std::iter::repeat_n(full, whole.count).chain([last]));
        let more = sizes[..each - 1].iter().rposition(|&last| with(last).count > whole.count);
        more.map_or((whole, whole.count * each), |place| (with(sizes[place]), whole.count * each + place + 1))
    }
}

impl Aggregation {
    /// The window of a neighbour, if packets to it are packed.
    fn packed_to(&self, to: Peer) -> Option<&Originator> {
        let packs = to.node != NodeId::BROADCAST && self.rules.packs(to.priority.category());
        if packs { self.sent_to(to) } else { None }
    }

    /// Whether an MPDU for this neighbour that may go with the next frame takes another packet, if that is short
    /// enough.
    pub(super) fn may_join(&self, to: Peer) -> bool {
        let within =
            |it: &Originator| it.open().is_some_and(|open| it.is_within(open.number, self.window(to)));
        self.packed_to(to).is_some_and(within)
    }

    /// The length of the last MPDU for a neighbour once a packet has joined it that alone is one of this length; none
    /// if it may not. What could go with the next frame still can.
    pub(super) fn joined(&self, to: Peer, tx: TxVector, size: Bytes) -> Option<Bytes> {
        let (category, window) = (to.priority.category(), self.window(to));
        let originator = self.packed_to(to)?;
        let open = originator.open()?;
        let grown = open.joined(size);
        let (most, among) = (self.rules.longest(category), self.rules.aggregates(category));
        if !self.limits.allows(grown, tx, most, among) {
            return None;
        }
        if !originator.is_within(open.number, window) {
            return Some(grown); // it goes with a later frame
        }
        let sizes = || originator.sendable(window).map(|it| it.size);
        let others = sizes().count() - 1; // there is the open one
        let after = self.limits.fit(tx, most, sizes().take(others).chain([grown]));
        (after || !self.limits.fit(tx, most, sizes())).then_some(grown)
    }
}
