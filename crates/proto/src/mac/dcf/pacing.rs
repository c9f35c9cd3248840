//! Adaptive pacing (Fu, Zerfos, Luo, Lu, Zhang & Gerla, INFOCOM 2003, §V): while frames have to be tried again often, a
//! station that has got one through leaves the medium to the station two hops on for the time of a frame, beside its
//! back-off.

use super::Others;
use super::job::Job;
use super::machine::Dcf;
use crate::mac::config::PacingConfig;
use crate::units::Dur;

/// When a station paces.
#[derive(Clone, Debug)]
pub(super) struct Pacing {
    config: PacingConfig,
    /// Retries per frame.
    average: f64,
    /// Frames after which it has waited so far.
    paced: u64,
}

impl Pacing {
    /// Name of its counter.
    pub(super) const NAME: &'static str = "mac.paced";

    /// The pacing of a configuration, if it is on.
    pub(super) fn new(config: &PacingConfig) -> Option<Box<Self>> {
        config.on.then(|| Box::new(Self { config: *config, average: 0.0, paced: 0 }))
    }

    /// A frame was served with so many retries.
    fn served(&mut self, retries: u32) {
        self.average += (f64::from(retries) - self.average) * self.config.weight;
    }

    /// How often it has waited.
    pub(super) const fn paced(&self) -> u64 {
        self.paced
    }
}

impl<O: Others> Dcf<O> {
    /// A frame got through: how many slots more than the back-off the next one waits.
    #[cold]
    pub(super) fn pace(&mut self, job: Job) -> u32 {
        let exchange = self.exchange.times.rts + self.exchange.times.answer(job.tx).around_data + job.airtime;
        let Some(pacing) = &mut self.pacing else { return 0 };
        pacing.served(job.retries());
        if pacing.average < pacing.config.threshold {
            return 0;
        }
        pacing.paced += 1;
        // One data frame and what goes with it.
        let time =
            if job.long { exchange } else { job.airtime + self.exchange.times.answer(job.tx).after_data };
        slots(time, self.exchange.config().slot)
    }

    /// A frame was given up.
    #[cold]
    pub(super) fn note_give_up(&mut self, job: Job) {
        if let Some(pacing) = &mut self.pacing {
            pacing.served(job.retries());
        }
    }
}

/// Whole slots that a time takes.
fn slots(time: Dur, slot: Dur) -> u32 {
    u32::try_from(time.as_ns().div_ceil(slot.as_ns().max(1))).unwrap_or(u32::MAX)
}
