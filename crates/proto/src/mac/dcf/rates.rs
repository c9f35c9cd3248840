//! Data rates that are chosen frame by frame: what the exchange asks and tells [`RateControl`]. RTS, CTS, ACK and
//! broadcasts keep theirs, and the duration fields count each frame at its own (IEEE 802.11-2020 §10.6.6).

use super::Others;
use super::machine::{Dcf, Job};
use crate::phy::TxVector;
use crate::units::{NodeId, SimTime};

impl<O: Others> Dcf<O> {
    /// What the next attempt of a frame is sent with.
    #[cold]
    #[inline(never)]
    pub(super) fn chosen(&mut self, now: SimTime, to: NodeId) -> TxVector {
        match &mut self.rates {
            Some(rates) if to != NodeId::BROADCAST => rates.choose(now, to),
            _ => self.times.vector(to),
        }
    }

    /// The frame in service was acknowledged.
    #[cold]
    #[inline(never)]
    pub(super) fn note_ack(&mut self, job: Job) {
        if let Some(rates) = &mut self.rates {
            self.counters.by_mode[rates.mode()] += 1;
            rates.acknowledged(job.to);
        }
    }

    /// An attempt got no ACK: the next one may go slower, if there is one `again`.
    #[cold]
    #[inline(never)]
    pub(super) fn fall_back(&mut self, now: SimTime, job: &mut Job, again: bool) {
        if let Some(rates) = &mut self.rates {
            self.counters.by_mode[rates.mode()] += 1;
            rates.lost(now, job.to);
        }
        if again {
            job.tx = self.chosen(now, job.to);
            job.airtime = job.tx.airtime(job.mpdu);
        }
    }
}
