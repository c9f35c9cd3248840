//! Adaptive pacing (Fu, Zerfos, Luo, Lu, Zhang & Gerla, INFOCOM 2003, §V): while frames have to be tried again often, a
//! station that has got one through leaves the medium to the station two hops on for the time of a frame, beside its
//! back-off.

use super::Times;
use super::job::Job;
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

    /// A frame got through: how many slots more than the back-off the next one waits.
    #[cold]
    pub(super) fn delivered(&mut self, job: &Job, times: &Times) -> u32 {
        self.served(job.retries());
        if self.average < self.config.threshold {
            return 0;
        }
        self.paced += 1;
        // One data frame and what goes with it.
        let time = if job.long {
            times.with_rts(job.tx, job.airtime)
        } else {
            job.airtime + times.answer(job.tx).after_data
        };
        slots(time, times.config().slot)
    }

    /// A frame was given up.
    #[cold]
    pub(super) fn gave_up(&mut self, job: &Job) {
        self.served(job.retries());
    }

    /// How often it has waited.
    pub(super) const fn paced(&self) -> u64 {
        self.paced
    }
}

/// Whole slots that a time takes.
fn slots(time: Dur, slot: Dur) -> u32 {
    u32::try_from(time.as_ns().div_ceil(slot.as_ns().max(1))).unwrap_or(u32::MAX)
}
