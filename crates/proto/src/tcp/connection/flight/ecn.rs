//! Explicit congestion notification at the sender (RFC 3168 §6.1): what it says of itself, and what it makes of an
//! echo. The receiver's part is in `connection/echo.rs`; the counters of accurate ECN are in [`super::accurate`].

use super::accurate::{Counts, HEARS_NO_MARKS, Told};
use crate::tcp::config::{EcnMode, EcnRule, TcpConfig};
use crate::wire::{Segment, flags};

/// What a sender knows of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ecn {
    /// Whether it is offered, and without a handshake agreed on: both ends have the same configuration.
    offered: EcnMode,
    rule: EcnRule,
    /// Whether both ends have agreed on it.
    on: bool,
    /// The receiver's counters, where both ends have agreed on accurate ECN.
    counts: Option<Counts>,
    /// Flags of the next segment of new data, of one that is sent again, and of one without data.
    fresh: u8,
    again: u8,
    bare: u8,
    /// First byte that had never been sent when the window was reduced last, for whatever reason, and for an echo.
    reduced_at: Option<u64>,
    echoed_at: Option<u64>,
    /// An echo has met a window of one segment: nothing goes until the timer fires.
    paused: bool,
    /// Whether the window was reduced last for an echo, and whether that was one segment already; of the rule of ns-2.
    by_echo: bool,
    at_one: bool,
}

impl Ecn {
    /// Nothing is agreed on yet.
    pub(super) const fn new(config: &TcpConfig) -> Self {
        Self {
            offered: config.ecn,
            rule: config.ecn_rule,
            on: false,
            counts: None,
            fresh: flags::ACK,
            again: flags::ACK,
            bare: flags::ACK,
            reduced_at: None,
            echoed_at: None,
            paused: false,
            by_echo: false,
            at_one: false,
        }
    }

    /// Whether both ends have agreed on it.
    #[inline]
    pub(crate) const fn is_on(&self) -> bool {
        self.on
    }

    /// Whether nothing goes until the timer fires.
    #[inline]
    pub(crate) const fn is_paused(&self) -> bool {
        self.paused
    }

    /// The pause is over.
    pub(super) const fn go_on(&mut self) {
        self.paused = false;
    }

    /// The SYN, which offers ECN where that is configured (§6.1.1; RFC 9768 §3.1.1).
    pub(crate) fn syn(&self) -> Segment {
        let offer = match self.offered {
            EcnMode::Off => 0,
            EcnMode::Classic => 3,
            EcnMode::Accurate => 7,
        };
        Segment { flags: flags::SYN, ..Segment::default() }.with_ace(offer)
    }

    /// The answer to the SYN: with ECE alone the other end agrees on RFC 3168 (§6.1.1); otherwise table 2 of RFC 9768.
    /// Returns whether it says that the SYN was marked.
    pub(super) fn hear_offer(&mut self, answer: &Segment) -> bool {
        match (self.offered, answer.ace()) {
            (EcnMode::Off, _) | (EcnMode::Accurate, 0 | 7) => false, // 7: what comes back is what was sent
            (EcnMode::Classic, said) => {
                if said & 3 == 1 {
                    self.agree(EcnMode::Classic, None);
                }
                false
            }
            (EcnMode::Accurate, 1) => {
                self.agree(EcnMode::Classic, None);
                false
            }
            (EcnMode::Accurate, said) => {
                self.agree(EcnMode::Accurate, Some(answer));
                if said != 2 && said != 5 {
                    self.send_unmarkable(); // the SYN left as what cannot be marked: RFC 9768 §3.2.2.3
                }
                said == 6
            }
        }
    }

    /// Both ends agree without a handshake, if it was offered.
    pub(super) fn agree_at_once(&mut self) {
        self.agree(self.offered, None);
    }

    /// New data say that they may be marked (§6.1.2), retransmissions do not (§6.1.5).
    fn agree(&mut self, mode: EcnMode, answer: Option<&Segment>) {
        if !mode.is_on() {
            return;
        }
        self.on = true;
        if mode == EcnMode::Accurate {
            self.counts = Some(Counts::new(answer));
            self.bare |= Segment::default().with_ace(HEARS_NO_MARKS).flags;
            (self.fresh, self.again) = (self.bare, self.bare);
        }
        self.fresh |= flags::ECT;
        if matches!(self.rule, EcnRule::Ns2) {
            self.again |= flags::ECT;
        }
    }

    /// What is sent from now on says that it may not be marked.
    const fn send_unmarkable(&mut self) {
        self.fresh &= !flags::ECT;
        self.again &= !flags::ECT;
    }

    /// Whether the receiver counts marks.
    #[inline]
    pub(crate) const fn counts_marks(&self) -> bool {
        self.counts.is_some()
    }

    /// The ninth flag of what leaves.
    #[inline]
    pub(crate) const fn ae(&self) -> bool {
        self.counts.is_some() && HEARS_NO_MARKS & 4 != 0
    }

    /// The flags of a segment without data.
    pub(crate) const fn bare(&self) -> u8 {
        self.bare
    }

    /// What an ACK tells by its counters, if the receiver counts marks; see [`Counts::hear`].
    pub(super) fn hear_counts(&mut self, ack: &Segment, arrived: u64, segment: u64) -> Option<Told> {
        let told = self.counts.as_mut()?.hear(ack, arrived, segment);
        if let Told::Mangled { heeded } = told {
            self.send_unmarkable();
            self.on &= heeded;
        }
        self.on.then_some(told)
    }

    /// The flags of a segment that leaves now.
    #[inline(always)]
    pub(super) const fn leaving(&mut self, new: bool) -> u8 {
        let flags = if new { self.fresh } else { self.again };
        if flags & flags::CWR != 0 {
            self.fresh &= !flags::CWR;
            self.again &= !flags::CWR;
        }
        flags
    }

    /// The window has been reduced: the next segment of new data says so (§6.1.2), but not to a receiver that counts
    /// (RFC 9768 §3.1.5).
    pub(super) const fn reduced(&mut self, max_sent: u64) {
        self.by_echo = false;
        if self.on {
            self.reduced_at = Some(max_sent);
            if self.counts.is_some() {
                return;
            }
            self.fresh |= flags::CWR;
            if matches!(self.rule, EcnRule::Ns2) {
                self.again |= flags::CWR;
            }
        }
    }

    /// A timeout reduces the window. Returns whether it belongs to the congestion that an echo has told of: so it is in
    /// ns-2 from an echo to the next loss that is judged otherwise.
    pub(super) const fn timed_out(&mut self, max_sent: u64) -> bool {
        let by_echo = self.by_echo;
        self.paused = false;
        self.reduced(max_sent);
        self.by_echo = by_echo;
        by_echo
    }

    /// Whether an echo has already reduced the window for the data among which this byte is lost: one window of data
    /// is one sign of congestion (§6.1.2).
    pub(super) fn has_answered(&self, lost: u64) -> bool {
        self.echoed_at.is_some_and(|mark| lost < mark)
    }

    /// Whether an echo with this ACK is no news: one reduction for each window of data (§6.1.2).
    pub(super) fn ignores_echo(&self, ack: u64) -> bool {
        !self.on || self.reduced_at.is_some_and(|mark| ack <= mark)
    }

    /// An echo has reduced the window.
    pub(super) const fn reduced_for_echo(&mut self, max_sent: u64) {
        self.reduced(max_sent);
        self.echoed_at = Some(max_sent);
    }

    /// It met a window of `least`, below two segments, or of `one` segment. Returns whether the retransmission timeout
    /// is to be doubled.
    pub(super) fn echoed(&mut self, least: bool, one: bool) -> bool {
        match self.rule {
            EcnRule::Rfc3168 => {
                self.paused |= least;
                false
            }
            EcnRule::Ns2 => {
                self.by_echo = true;
                std::mem::replace(&mut self.at_one, one) && one
            }
        }
    }
}
