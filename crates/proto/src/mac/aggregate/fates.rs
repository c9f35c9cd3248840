//! What a frame carries, and what becomes of it.

use super::originator::Pending;
use crate::contract::{Cause, Outcome, Sink};
use crate::mac::Action;
use crate::wire::{Mpdu, Packed};

/// What a frame carries that is sent now.
#[derive(Debug, Default)]
pub struct Departing {
    /// Its MPDUs.
    pub mpdus: Vec<Mpdu>,
    /// The packets that some of them have beside their first.
    pub packed: Vec<Packed>,
}

/// What has become of MPDUs.
#[derive(Debug, Default)]
pub struct Fates {
    /// The neighbour has them.
    pub done: Vec<Pending>,
    /// They are given up.
    pub lost: Vec<Pending>,
}

impl Fates {
    /// How many packets some of them carry.
    #[must_use]
    pub fn packets(of: &[Pending]) -> usize {
        of.iter().map(|it| 1 + it.more.len()).sum()
    }

    /// Tells the outcome of what the neighbour has.
    pub(in crate::mac) fn tell_done<S: Sink<Action> + ?Sized>(&self, out: &mut S) {
        for it in &self.done {
            let &Pending { rts, attempts, .. } = it;
            for msdu in it.msdus() {
                out.put(Action::Outcome(msdu.packet, Outcome::Delivered { rts, attempts }));
            }
        }
    }

    /// Tells the outcome of what is given up.
    pub(in crate::mac) fn tell_lost<S: Sink<Action> + ?Sized>(&self, cause: Cause, out: &mut S) {
        for it in &self.lost {
            let &Pending { rts, attempts, .. } = it;
            for msdu in it.msdus() {
                out.put(Action::Outcome(msdu.packet, Outcome::GaveUp { cause, rts, attempts }));
            }
        }
    }
}
