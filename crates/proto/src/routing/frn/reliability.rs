//! How well a neighbour is heard: a row of the reliability managed table (Yuki 2004, table 4).

/// Which of a node's last control packets arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reliability {
    /// The last cycles, the latest in the lowest bit.
    cycles: u32,
    /// One has arrived in the cycle that is not over yet.
    heard: bool,
}

impl Reliability {
    /// A control packet has arrived.
    pub const fn hear(&mut self) {
        self.heard = true;
    }

    /// A cycle is over.
    pub fn end_cycle(&mut self) {
        self.cycles = self.cycles << 1 | u32::from(std::mem::take(&mut self.heard));
    }

    /// How many of the last `window` cycles brought a control packet: Y of Y/X.
    #[must_use]
    pub const fn received(self, window: u32) -> u32 {
        let mask = if window >= 32 { u32::MAX } else { (1 << window) - 1 };
        (self.cycles & mask).count_ones()
    }

    /// Whether Y/X is above the threshold.
    #[must_use]
    pub fn is_above(self, threshold: f64, window: u32) -> bool {
        f64::from(self.received(window)) > threshold * f64::from(window)
    }
}
