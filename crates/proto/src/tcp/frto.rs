//! F-RTO with SACK (RFC 5682 §3.1): after a timeout, the first ACKs tell whether data were lost or only late. Until
//! they do, new data are sent instead of those that are believed to be lost.

/// What an ACK says of the timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing yet, or not any more: what is lost is sent again.
    Open,
    /// New data are to be sent first (step 2b).
    SendNew,
    /// Data that were sent once have arrived: the timeout was needless (step 3b).
    Needless,
}

/// What an ACK says.
#[derive(Clone, Copy, Debug)]
pub struct Heard {
    /// First unacknowledged byte, and whether it is another than before.
    pub una: u64,
    /// Whether it advanced.
    pub advanced: bool,
    /// Whether SACK tells something new.
    pub fresh: bool,
    /// Least end of the segments that have arrived and were sent once.
    pub original: Option<u64>,
    /// First byte that has never been sent.
    pub max_sent: u64,
    /// Whether new data may be sent.
    pub new: bool,
}

/// State of one sender.
#[derive(Clone, Copy, Debug)]
pub struct Frto {
    on: bool,
    /// After a timeout: first byte that had not been sent then, or as new data were sent.
    recover: Option<u64>,
    /// New data are to be sent with this ACK.
    new_first: bool,
}

impl Frto {
    /// No timeout yet; `on`: whether it is used.
    #[must_use]
    pub const fn new(on: bool) -> Self {
        Self { on, recover: None, new_first: false }
    }

    /// Whether it is yet to be found out what a timeout means.
    #[inline]
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.recover.is_some()
    }

    /// The retransmission timer has fired; `first`: no loss was being repaired, or none of the repairs arrived (step
    /// 1).
    pub fn time_out(&mut self, first: bool, max_sent: u64) {
        self.recover = (self.on && first).then_some(max_sent);
    }

    /// Whether new data go before what is lost.
    #[inline]
    #[must_use]
    pub const fn prefers_new(&self) -> bool {
        self.new_first
    }

    /// What there was to send with this ACK has gone.
    #[inline]
    pub const fn sent(&mut self) {
        self.new_first = false;
    }

    /// A loss was found in another way, or nothing was left to send.
    pub const fn forget(&mut self) {
        (self.recover, self.new_first) = (None, false);
    }

    /// An ACK has come.
    pub fn hear(&mut self, heard: &Heard) -> Verdict {
        let Some(recover) = self.recover else { return Verdict::Open };
        if heard.original.is_some_and(|end| end <= recover) {
            self.recover = None;
            return Verdict::Needless;
        }
        if heard.max_sent > recover {
            // Step 3a: new data have gone, and the ACK is for something else.
            if heard.fresh || !heard.advanced {
                self.recover = None;
            }
        } else if heard.advanced && heard.una < recover {
            self.recover = heard.new.then_some(heard.max_sent);
            self.new_first = heard.new;
            if heard.new {
                return Verdict::SendNew;
            }
        }
        if heard.una >= recover {
            self.recover = None;
        }
        Verdict::Open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timed_out() -> Frto {
        let mut frto = Frto::new(true);
        frto.time_out(true, 10_000);
        frto
    }

    fn acked(una: u64, max_sent: u64) -> Heard {
        Heard { una, advanced: true, fresh: false, original: None, max_sent, new: true }
    }

    /// §3.1 step 3b: the ACK covers data that were sent once.
    #[test]
    fn an_ack_for_data_sent_once_shows_a_needless_timeout() {
        let heard = Heard { original: Some(2000), ..acked(2000, 10_000) };
        assert_eq!(timed_out().hear(&heard), Verdict::Needless);
        let later = Heard { original: Some(11_000), ..acked(11_000, 12_000) };
        assert_eq!(timed_out().hear(&later), Verdict::Open, "it was sent after the timeout");
    }

    /// Step 2b, then 3a: the repair alone arrived; new data go, and a duplicate ACK says that data were lost.
    #[test]
    fn new_data_go_after_the_first_ack() {
        let mut frto = timed_out();
        assert_eq!(frto.hear(&acked(1000, 10_000)), Verdict::SendNew);
        assert!(frto.is_open());
        let duplicate = Heard { advanced: false, fresh: true, ..acked(1000, 12_000) };
        assert_eq!(frto.hear(&duplicate), Verdict::Open);
        assert!(!frto.is_open());
    }

    /// Step 3b after 2b.
    #[test]
    fn a_second_ack_may_show_it_too() {
        let mut frto = timed_out();
        frto.hear(&acked(1000, 10_000));
        assert_eq!(frto.hear(&Heard { original: Some(2000), ..acked(2000, 12_000) }), Verdict::Needless);
    }

    /// Step 2a and 2b: all is acknowledged, or there is nothing new to send.
    #[test]
    fn it_ends_with_the_data_or_for_want_of_new_ones() {
        let mut frto = timed_out();
        assert_eq!(frto.hear(&acked(10_000, 10_000)), Verdict::Open);
        assert!(!frto.is_open());
        let mut frto = timed_out();
        assert_eq!(frto.hear(&Heard { new: false, ..acked(1000, 10_000) }), Verdict::Open);
        assert!(!frto.is_open());
    }

    #[test]
    fn it_is_for_first_timeouts() {
        let mut frto = Frto::new(true);
        frto.time_out(false, 10_000);
        assert!(!frto.is_open());
    }
}
