//! Counters of the loss detectors that do more than the standard.

/// How often a loss detector acted; monotone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Decisions put off.
    pub delays: u64,
    /// Of these, those that the missing segment came in time for.
    pub averted: u64,
    /// Segments sent again without a word to the window.
    pub repairs: u64,
    /// Times that the window was halved without a loss or a mark.
    pub slowed: u64,
}

impl Counters {
    /// The name of each counter.
    pub const NAMES: [&'static str; 4] = ["judge.delays", "judge.averted", "judge.repairs", "judge.slowed"];

    /// Tells every counter by its public name.
    pub fn each(&self, tell: &mut (impl FnMut(&'static str, u64) + ?Sized)) {
        let values = [self.delays, self.averted, self.repairs, self.slowed];
        Self::NAMES.iter().zip(values).for_each(|(name, value)| tell(name, value));
    }
}
