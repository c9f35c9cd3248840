//! Data rates that are chosen frame by frame: what the exchange asks and tells [`RateControl`]. RTS, CTS, ACK and
//! broadcasts keep theirs, and the duration fields count each frame at its own (IEEE 802.11-2020 §10.6.6).

use super::machine::{Dcf, Job};
use crate::mac::rate::RateControl;
use crate::units::{Bytes, Dur, NodeId, SimTime};

impl Dcf {
    /// Rate control, if there is any.
    #[must_use]
    pub fn rate_control(&self) -> Option<&RateControl> {
        self.rates.as_deref()
    }

    /// Rate control, to tell it what noise there is.
    pub fn rate_control_mut(&mut self) -> Option<&mut RateControl> {
        self.rates.as_deref_mut()
    }

    /// Airtime of the next attempt of a frame of `mpdu` bytes.
    #[cold]
    #[inline(never)]
    pub(super) fn chosen(&mut self, now: SimTime, mpdu: Bytes, to: NodeId) -> Dur {
        match &mut self.rates {
            Some(rates) if to != NodeId::BROADCAST => self.times.at_rate(mpdu, rates.rate(now, to)),
            _ => self.times.data(mpdu, to),
        }
    }

    /// The frame in service was acknowledged.
    #[cold]
    #[inline(never)]
    pub(super) fn note_ack(&mut self, job: Job) {
        if let Some(rates) = &mut self.rates {
            self.counters.by_rate[rates.rung()] += 1;
            rates.acknowledged(job.to);
        }
    }

    /// An attempt got no ACK: the next one may go slower, if there is one `again`.
    #[cold]
    #[inline(never)]
    pub(super) fn fall_back(&mut self, now: SimTime, job: &mut Job, again: bool) {
        if let Some(rates) = &mut self.rates {
            self.counters.by_rate[rates.rung()] += 1;
            rates.lost(now, job.to);
        }
        if again {
            job.airtime = self.chosen(now, job.mpdu, job.to);
        }
    }
}
