//! Congestion state: window, threshold, and the inflation of fast recovery (RFC 5681 §3).

/// How a sender goes on after a loss was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Start again from the first unacknowledged byte (no recovery phase).
    GoBack,
    /// Retransmit the missing segment and enter fast recovery.
    FastRecovery,
}

/// What a partial ACK means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartialAck {
    /// Recovery is over.
    Leave,
    /// The next hole is lost too: retransmit it and stay.
    Stay,
}

/// Congestion window in segments and its companions.
#[derive(Clone, Debug, PartialEq)]
pub struct Congestion {
    /// Congestion window \[segments\].
    pub cwnd: f64,
    /// Slow-start threshold \[segments\].
    pub ssthresh: f64,
    /// Segments known to have left the network during fast recovery.
    pub inflation: u32,
    /// Most segments that may be outstanding.
    pub limit: u32,
}

impl Congestion {
    /// The window at the start of a connection.
    #[must_use]
    pub fn new(initial: u32, limit: u32) -> Self {
        Self { cwnd: f64::from(initial), ssthresh: f64::from(limit), inflation: 0, limit }
    }

    /// Segments that may be outstanding now.
    #[inline]
    #[must_use]
    pub fn segments(&self) -> u32 {
        // cwnd is positive and far below 2^32; `as` saturates.
        (self.cwnd as u32).saturating_add(self.inflation).min(self.limit)
    }

    /// A new ACK outside recovery: slow start, then congestion avoidance (RFC 5681 §3.1).
    #[inline]
    pub fn open(&mut self) {
        self.cwnd += if self.cwnd < self.ssthresh { 1.0 } else { 1.0 / self.cwnd };
    }

    /// Half of what may be in flight, at least two segments (RFC 5681 equation 4, with the window for the flight).
    #[must_use]
    pub fn half(&self) -> f64 {
        (self.cwnd.min(f64::from(self.limit)) / 2.0).max(2.0)
    }

    /// The retransmission timer has fired (RFC 5681 §3.1); `hold`: the threshold stays.
    pub fn on_timeout(&mut self, hold: bool) {
        if !hold {
            self.ssthresh = self.half();
        }
        self.cwnd = 1.0;
        self.inflation = 0;
    }

    /// The end of recovery: what was inflated is taken back.
    pub const fn leave_recovery(&mut self) {
        self.inflation = 0;
    }
}
