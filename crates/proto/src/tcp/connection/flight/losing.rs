//! How the window of [`Flight`] is reduced: by a timeout (RFC 6298 §5, go-back-N), by marks and by orders; and how a
//! needless reduction is taken back.

use super::machine::Flight;
use super::repairing::Episode;
use crate::tcp::config::RtoSsthresh;
use crate::tcp::loss::{Input, LossDetector, Trigger};
use crate::units::{Dur, SimTime};

impl Flight {
    /// The window is about to be reduced. `probed`: a tail loss probe that repeated a segment is out.
    pub(super) fn note_reduction(&mut self, probed: bool) {
        self.spurious.reduce(self.control.window().before(), self.stream.una(), probed);
    }

    /// The retransmission timer has fired: slow start from the first unacknowledged byte. Returns whether it belongs to
    /// the congestion that a mark has told of.
    pub(crate) fn time_out(&mut self, now: SimTime, probed: bool, srtt: Option<Dur>) -> bool {
        let (una, top) = (self.stream.una(), self.stream.max_sent());
        let marked = self.ecn.timed_out(top);
        let recovering = self.is_recovering();
        self.episode = Episode::None;
        let repairs = recovering || self.losses.repairs_timeout(una);
        let again = self.losses.time_out(&self.stream);
        let keeps = marked
            || match self.config.rto_ssthresh {
                RtoSsthresh::First => again,
                RtoSsthresh::OutsideRecovery => again || recovering,
                RtoSsthresh::Every => false,
            };
        if !keeps {
            self.note_reduction(probed);
        }
        self.spurious.time_out(!repairs || again, top);
        self.control.on_timeout(keeps);
        if self.losses.detector().observes_all_acks() {
            self.detect(now, Input::Timeout, srtt);
        }
        self.losses.count(0);
        let keeps = self.losses.doubt_held(&self.stream);
        if self.losses.are_marked() {
            self.mark_losses(now, Trigger::Timeout, srtt);
        } else if keeps {
            self.losses.lose_all();
            self.stream.go_on();
        } else {
            self.lose_all();
        }
        marked
    }

    /// The SYN was lost. `hold`: the threshold stays as it is.
    pub(crate) fn lose_syn(&mut self, hold: bool) {
        self.control.on_timeout(hold);
    }

    /// All that is outstanding is to be sent again.
    pub(crate) fn lose_all(&mut self) {
        self.losses.lose_all();
        if !self.losses.are_marked() {
            self.stream.go_back();
            self.losses.board_mut().forget_timeout();
        }
    }

    /// The same by order: recovery and pauses are over.
    pub(crate) fn go_back(&mut self) {
        if !self.is_steady() {
            self.leave_recovery();
        }
        self.losses.go_back(&self.stream);
        self.lose_all();
        self.ecn.go_on();
        if !self.losses.are_marked() {
            self.losses.board_mut().clear(self.stream.una());
        }
    }

    /// A shim that held the sender lets it go on: duplicate ACKs of before say nothing.
    pub(crate) const fn forget_duplicates(&mut self) {
        self.losses.count(0);
    }

    /// The last reduction was needless, if there is one that can be taken back: the window is as before, and recovery
    /// is over. `all`: nothing is believed to be lost any more.
    pub(crate) fn take_back(&mut self, all: bool) -> bool {
        let Some(before) = self.spurious.take_back() else { return false };
        if !self.is_steady() {
            self.leave_recovery();
        }
        self.losses.trust(all);
        if all {
            self.stream.go_on();
        }
        self.control.on_undo(before);
        true
    }
}
