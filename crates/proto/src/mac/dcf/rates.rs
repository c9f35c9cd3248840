//! Data rates that are chosen frame by frame: what the exchange asks and tells [`RateControl`]. RTS, CTS, ACK and
//! broadcasts keep theirs, and the duration fields count each frame at its own (IEEE 802.11-2020 §10.6.6).

use super::Others;
use super::job::Job;
use super::machine::Dcf;
use crate::phy::TxVector;
use crate::units::{NodeId, SimTime};

impl<O: Others> Dcf<O> {
    /// What the first attempt of a frame is sent with; each attempt of one of MPDUs is the first, as these change.
    #[cold]
    #[inline(never)]
    pub(super) fn chosen(&mut self, now: SimTime, to: NodeId) -> TxVector {
        match &mut self.rates {
            Some(rates) if to != NodeId::BROADCAST => rates.first(now, to),
            _ => self.exchange.times.vector(to),
        }
    }

    /// At which rate the next frame of MPDUs goes. Whether an RTS goes first, as a rate before it has failed.
    #[cold]
    #[inline(never)]
    pub(super) fn choose_rate(&mut self, now: SimTime, job: &mut Job) -> bool {
        let asks = self.aggregation.as_ref().is_some_and(|it| it.asks(job.peer()));
        if asks || job.to == NodeId::BROADCAST {
            return false;
        }
        job.tx = self.chosen(now, job.to);
        self.rates.as_ref().is_some_and(|it| it.falls_back())
    }
}
